//! Steps that are asked to be long, or to turn far: fewer points, and the same special points.

use super::known::{Verdict, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// All special points of a study, of its curves and of the branches that set off from them.
fn special(text: &str) -> Vec<(Label, f64)> {
    let result = run(text);
    let all = result.curves.iter().flat_map(labels);
    all.map(|(label, at, _)| (label, at)).collect()
}

/// A step control with which points lie up to fifty times as far from each other as by default.
fn long(random: &mut Random, width: f64) -> String {
    let (initial, largest) = (random.log_between(0.02, 0.3), random.log_between(0.1, 1.0));
    format!(
        ", step: Step(initial: {:?}, largest: {:?}, turn: {:?})",
        width * initial,
        width * largest,
        random.between(0.3, 1.0)
    )
}

/// Hold the special points found with long steps against those found by default.
fn as_by_default(class: &str, study: impl Fn(&mut Random) -> (Box<dyn Fn(&str) -> String>, f64)) {
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (text, width) = study(&mut random);
        let step = long(&mut random, width);
        let [known, found] = ["", &step].map(|step| special(&text(step)));
        let verdict = Verdict::of(&found, &known, 1e-8);
        if known.is_empty() || !verdict.is_right() {
            wrong.push((member, format!("{verdict:?} of {known:?}\n{}", text(&step))));
        }
    }
    none_wrong(class, count, &wrong);
}

#[test]
fn stick_and_slip_are_located_by_long_steps() {
    as_by_default("stiction by long steps", |random| {
        let (s, d, zeta) = (
            random.between(1.02, 1.3),
            random.between(0.2, 0.8),
            random.between(0.0, 0.06),
        );
        let text = move |step: &str| {
            format!(
                "Study(title: \"long steps\", system: Hybrid(states: [\"x\", \"y\", \"theta\"], angles: {{\"theta\": \"2*pi\"}}, \
                 parameters: {{\"Omega\": 2, \"s\": {s:?}, \"d\": {d:?}, \"zeta\": {zeta:?}}}, \
                 define: {{\"xi\": \"Omega^2*x + sin(theta) + 2*zeta*Omega*y\"}}, modes: {{ \
                 \"slip+\": Mode(equations: [\"x' = y\", \"y' = -xi - d\", \"theta' = 1\"], events: {{ \
                 \"land\": Event(guard: \"y\", direction: Down, when: [\"xi < s\"], to: \"stick\"), \
                 \"reverse\": Event(guard: \"y\", direction: Down, when: [\"xi > s\"], to: \"slip-\")}}), \
                 \"slip-\": Mode(equations: [\"x' = y\", \"y' = -xi + d\", \"theta' = 1\"], events: {{ \
                 \"land\": Event(guard: \"y\", direction: Up, when: [\"xi > -s\"], to: \"stick\"), \
                 \"reverse\": Event(guard: \"y\", direction: Up, when: [\"xi < -s\"], to: \"slip+\")}}), \
                 \"stick\": Mode(kind: Stick, states: [\"x\", \"theta\"], absent: {{\"y\": \"0\"}}, \
                 equations: [\"x' = 0\", \"theta' = 1\"], events: {{ \
                 \"release+\": Event(guard: \"xi - s\", direction: Up, to: \"slip-\"), \
                 \"release-\": Event(guard: \"xi + s\", direction: Down, to: \"slip+\")}})}}, \
                 symmetry: Symmetry(states: {{\"x\": \"-x\", \"y\": \"-y\", \"theta\": \"theta + pi\"}}, modes: {{\"slip+\": \"slip-\"}}), \
                 start: Start(mode: \"stick\"), require: [\"0 < d < s\", \"Omega > 0\"]), \
                 curves: [Curve(name: \"c\", orbit: Symmetric(\"slip- stick\"), start: All(at: {{\"Omega\": 2}}), free: \"Omega\", \
                 range: (0.2, 8), switch: Auto{step})])"
            )
        };
        (Box::new(text), 4.0)
    });
}

#[test]
fn a_stop_with_a_spring_is_met_by_long_steps() {
    as_by_default("a compliant gap by long steps", |random| {
        let (w, c, k, cc) = (
            random.between(0.7, 0.95),
            random.between(0.06, 0.14),
            random.between(3.0, 7.0),
            random.between(0.1, 0.3),
        );
        let text = move |step: &str| {
            format!(
                "Study(title: \"long steps\", system: Mechanical(coordinates: [\"x\"], parameters: {{\"F\": 0.8}}, \
                 forcing: Forcing(period: \"2*pi/{w:?}\"), masses: {{\"x\": 1}}, springs: [Spring(on: \"x\", stiffness: 1, damping: {c:?})], \
                 forces: {{\"x\": \"F*cos({w:?}*t)\"}}, contacts: {{\"g\": Gap(on: \"x\", distance: 0.5, stiffness: {k:?}, damping: {cc:?})}}), \
                 curves: [Curve(name: \"c\", orbit: Periodic(\"g:open g:closed\"), start: Settle(at: {{\"F\": 0.8}}), free: \"F\", \
                 range: (0.05, 3), switch: Auto, branches: [PD]{step})])"
            )
        };
        (Box::new(text), 3.0)
    });
}
