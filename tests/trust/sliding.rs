//! Oscillators on a belt with Coulomb friction: through all their words, and the names of the sliding bifurcations.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// From large forcing down: the words change where they should, with the same places on the way back up.
#[test]
fn orbits_on_a_belt_go_through_sliding_bifurcations_both_ways() {
    let class = "belt";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (z, w, m) = (
            random.between(0.05, 0.2),
            random.between(0.35, 1.4),
            random.between(0.5, 1.5),
        );
        let system = format!(
            "Hybrid(states: [\"x\", \"v\"], parameters: {{\"F\": 40, \"w\": {w:?}, \"m\": {m:?}, \"z\": {z:?}}}, forcing: Forcing(period: \"2*pi/w\"), \
             define: {{\"pull\": \"F*cos(w*t) - x - 2*z\", \"rest\": \"F*cos(w*t) - x - 2*z*v\"}}, modes: {{\
             \"low\": Mode(equations: [\"x' = v\", \"v' = rest + m\"], events: {{\
             \"land\": Event(guard: \"v - 1\", direction: Up, to: \"stick\", when: [\"m - pull > 0\"]), \
             \"cross\": Event(guard: \"v - 1\", direction: Up, to: \"high\", when: [\"pull - m > 0\"])}}), \
             \"high\": Mode(equations: [\"x' = v\", \"v' = rest - m\"], events: {{\
             \"land\": Event(guard: \"v - 1\", direction: Down, to: \"stick\", when: [\"pull + m > 0\"]), \
             \"cross\": Event(guard: \"v - 1\", direction: Down, to: \"low\", when: [\"-pull - m > 0\"])}}), \
             \"stick\": Mode(kind: Stick, states: [\"x\"], absent: {{\"v\": \"1\"}}, equations: [\"x' = 1\"], events: {{\
             \"slow\": Event(guard: \"pull + m\", direction: Down, to: \"low\"), \
             \"fast\": Event(guard: \"pull - m\", direction: Up, to: \"high\")}})}}, start: Start(mode: \"low\"))"
        );
        let study = |word: &str, at: f64| {
            format!(
                "Study(title: \"belt\", system: {system}, curves: [Curve(name: \"c\", orbit: Periodic(\"{word}\"), \
                 start: Settle(at: {{\"F\": {at:?}}}), free: \"F\", range: (0.1, 50), switch: Auto)])"
            )
        };
        let down = study("low cross high cross", 40.0);
        let result = run(&down);
        let mut said: Vec<String> = result.missing.iter().map(|m| format!("{m:?}")).collect();
        let mut places: Vec<f64> = vec![];
        if let Some(c) = result.curves.iter().find(|c| c.name == "c") {
            for (label, at, p) in labels(c) {
                let boundary = matches!(label, Label::VS | Label::GR | Label::OV | Label::VT);
                if label == Label::MX || p.message.contains("no neighbouring word") {
                    said.push(format!("{label} at {at}: {}", p.message));
                } else if boundary && !p.message.contains("-sliding: the discontinuity map") {
                    said.push(format!("{label} at {at} has no name: {}", p.message));
                } else if boundary {
                    places.push(at);
                }
            }
        }
        // With little forcing the friction never turns.
        let up = study("low", 0.11);
        let back = run(&up);
        said.extend(back.missing.iter().map(|m| format!("back: {m:?}")));
        if back.curves.iter().any(|c| c.name == "c") {
            let found: Vec<f64> = labels(curve(&back, "c"))
                .into_iter()
                .filter(|(label, ..)| matches!(label, Label::VS | Label::GR | Label::OV | Label::VT))
                .map(|l| l.1)
                .collect();
            let same = found.len() == places.len()
                && places
                    .iter()
                    .all(|a| found.iter().any(|b| (a - b).abs() <= 1e-9 * a.abs()));
            if !same {
                said.push(format!("places {places:?}, on the way back {found:?}"));
            }
        }
        if !said.is_empty() {
            wrong.push((member, format!("{said:#?}\n{down}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// The largest value of cos τ + g sin 3τ.
fn largest_pull(g: f64) -> f64 {
    let pull = |tau: f64| tau.cos() + g * (3.0 * tau).sin();
    let slope = |tau: f64| -tau.sin() + 3.0 * g * (3.0 * tau).cos();
    let count = 4000;
    let at = |k: usize| std::f64::consts::TAU * k as f64 / count as f64;
    let best = (0..count).max_by(|a, b| pull(at(*a)).total_cmp(&pull(at(*b)))).unwrap();
    let (mut low, mut high) = (at(best) - at(1), at(best) + at(1));
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if slope(middle) > 0.0 {
            low = middle
        } else {
            high = middle
        }
    }
    pull(low)
}

/// A block with dry friction that is pulled with two frequencies: from slip once per half period down to where it is
/// never moved, which is known, and up through all words. A field that jumps leaves no choice at the end of sliding, no
/// border is a fold, and orbits are as stable on one side of a point as next to it.
#[test]
fn blocks_pulled_with_two_frequencies_start_to_move_where_they_should_and_have_one_future() {
    let class = "pulled";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (z, w, g, m) = (
            random.between(0.05, 0.2),
            random.between(0.3, 0.6),
            random.between(0.2, 0.5),
            random.between(0.5, 1.5),
        );
        let first = m / largest_pull(g);
        let study = format!(
            "Study(title: \"pulled\", system: Filippov(states: [\"x\", \"v\"], parameters: {{\"F\": 1, \"w\": {w:?}, \"z\": {z:?}, \"m\": {m:?}, \"g\": {g:?}}}, \
             forcing: Forcing(period: \"2*pi/w\"), surfaces: {{\"h\": \"v\"}}, modes: {{\"+\": \"p\", \"-\": \"n\", \"0\": \"s\"}}, \
             equations: [\"x' = v\", \"v' = -x - 2*z*v + F*(cos(w*t) + g*sin(3*w*t)) - m*sgn(h)\"], \
             symmetry: {{\"x\": \"-x\", \"v\": \"-v\", \"phase\": \"phase + pi\"}}), \
             curves: [Curve(name: \"c\", orbit: Symmetric(\"p land s leave-\"), start: Settle(at: {{\"F\": {:?}}}), free: \"F\", range: ({:?}, {:?}), switch: Auto)])",
            1.02 * first,
            0.5 * first,
            12.0 * first
        );
        let result = run(&study);
        let mut said: Vec<String> = result.missing.iter().map(|m| format!("{m:?}")).collect();
        if let Some(c) = result.curves.iter().find(|c| c.name == "c") {
            let found = labels(c);
            let moved = |f: &&(Label, f64, &slipstick_bifurcation::BranchPoint)| {
                matches!(f.0, Label::VS | Label::VT) && (f.1 / first - 1.0).abs() <= 1e-9
            };
            if found
                .iter()
                .find(moved)
                .is_none_or(|f| !f.2.message.contains("`s | mirrored`"))
            {
                said.push(format!("does not begin to move at {first}"));
            }
            for (label, at, p) in &found {
                let boundary = matches!(label, Label::VS | Label::GR | Label::OV | Label::VT);
                if matches!(label, Label::MX | Label::NU) || p.message.contains("no neighbouring word") {
                    said.push(format!("{label} at {at}: {}", p.message));
                } else if boundary && !p.message.contains("-sliding: the discontinuity map") {
                    said.push(format!("{label} at {at} has no name: {}", p.message));
                }
                let beside = |f: &&(Label, f64, &slipstick_bifurcation::BranchPoint)| {
                    f.0 != *label && (f.1 - at).abs() <= 1e-9 * at
                };
                if boundary && found.iter().any(|f| beside(&f)) {
                    said.push(format!("{label} at {at} is something else, too"));
                }
            }
            // Multipliers are continuous along each word.
            for piece in &c.pieces {
                for two in piece.branch.points.windows(2) {
                    let [a, b] = [0, 1].map(|k| two[k].record.multipliers[0].log10);
                    let near = (two[0].point.parameter() - two[1].point.parameter()).abs() <= 1e-3 * first;
                    if near && a > -3.0 && (a - b).abs() > 0.5 {
                        said.push(format!("a multiplier jumps at {}: {a} {b}", two[0].point.parameter()));
                    }
                }
            }
        }
        if !said.is_empty() {
            wrong.push((member, format!("{said:#?}\n{study}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Cycles of a normal form next to a surface, in random linear coordinates: they begin at the Hopf point and graze the
/// surface where their radius reaches its distance; rounding next to the Hopf point makes no labels.
#[test]
fn cycles_in_one_mode_begin_at_a_hopf_point_and_graze_where_they_should() {
    let class = "cycles beside a surface";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (distance, stretch, shear, w) = (
            random.log_between(0.3, 3.0),
            random.log_between(0.2, 5.0),
            random.between(-0.8, 0.8),
            random.log_between(0.5, 2.0),
        );
        // u = x, v = (y - shear x)/stretch: x' in terms of both.
        let grazing = distance * distance;
        let study = format!(
            "Study(title: \"beside\", system: Filippov(states: [\"x\", \"y\"], parameters: {{\"mu\": 1}}, \
             define: {{\"u\": \"x\", \"v\": \"(y - ({shear:?})*x)/({stretch:?})\", \"r\": \"mu - u^2 - v^2\", \"du\": \"r*u - ({w:?})*v\", \"dv\": \"r*v + ({w:?})*u\"}}, \
             surfaces: {{\"h\": \"x - ({distance:?})\"}}, \
             fields: {{\"-\": [\"x' = du\", \"y' = ({stretch:?})*dv + ({shear:?})*du\"], \"+\": [\"x' = -1\", \"y' = 0.3\"]}}, start: {{\"x\": {:?}}}), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"h- free\"), start: Settle(at: {{\"mu\": {:?}}}), free: \"mu\", range: ({:?}, {:?}), switch: Auto)])",
            0.3 * distance,
            0.5 * grazing,
            -grazing,
            2.0 * grazing
        );
        let result = run(&study);
        let found = result
            .curves
            .iter()
            .find(|c| c.name == "c")
            .map(labels)
            .unwrap_or_default();
        let at = |wanted: Label, place: f64| {
            found
                .iter()
                .any(|(label, at, _)| *label == wanted && (at - place).abs() <= 1e-9 * grazing)
        };
        let right = at(Label::HB, 0.0) && at(Label::GR, grazing) && found.len() == 2;
        if !right {
            let found: Vec<_> = found.iter().map(|f| (f.0, f.1, &f.2.message)).collect();
            wrong.push((
                member,
                format!("{found:#?} {:?} grazing {grazing}\n{study}", result.missing),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A mass on a belt with the law a - b v + c v³ slips steadily at any speed of the belt, and at √(b/(3c)) a cycle of
/// pure slip is born, whether the law jumps at rest or is regularised: there it has another mode, with a state of its own.
#[test]
fn cycles_of_pure_slip_end_at_the_same_hopf_point_regularised() {
    let class = "regularised Hopf points";
    let count = members(3);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (a, b, c) = (
            random.between(0.4, 0.6),
            random.between(0.3, 0.45),
            random.between(0.2, 0.3),
        );
        let (stiffness, epsilon) = (random.between(0.8, 2.0), random.log_between(5e-4, 5e-3));
        let step = 1 + random.below(2);
        let born = (b / (3.0 * c)).sqrt();
        let mass = format!(
            "Mechanical(coordinates: [\"x\"], parameters: {{\"v0\": {:?}}}, masses: {{\"x\": 1}}, springs: [Spring(on: \"x\", stiffness: {stiffness:?})], \
             contacts: {{\"b\": Stribeck(on: \"x\", against: Belt(\"v0\"), law: \"{a:?} - {b:?}*v + {c:?}*v^3\")}}, start: {{\"v_x\": 0.1}})",
            0.4 * born
        );
        let text = format!(
            "Study(title: \"belt\", system: Regularised(of: {mass}, by: Smoothstep({step}), epsilon: {epsilon:?}), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"b:layer b:slip-\"), start: Settle(at: {{}}), free: \"v0\", range: ({:?}, {:?}), switch: Auto)])",
            0.3 * born,
            1.5 * born
        );
        let result = run(&text);
        let found: Vec<(Label, f64)> = result
            .curves
            .iter()
            .flat_map(|c| labels(c).into_iter().map(|l| (l.0, l.1)).collect::<Vec<_>>())
            .collect();
        let there = |l: &(Label, f64)| l.0 == Label::HB && (l.1 - born).abs() < 1e-8;
        if !found.iter().any(there) {
            wrong.push((member, format!("{born:?}: {found:?}, {:?}\n{text}", result.missing)));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Stick and slip on a belt whose surface is written with other functions that are zero where the relative velocity is:
/// `All` finds the same orbits. Seeds beside the surface lead nowhere, and what rounding leaves of the relative velocity
/// while it sticks is no population that would have to be followed to its last digit.
#[test]
fn surfaces_may_be_written_with_any_function() {
    let class = "surfaces written otherwise";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (c, mu, g) = (
            random.between(0.005, 0.03),
            random.between(0.3, 0.8),
            random.between(0.8, 1.6),
        );
        let a = random.between(1.5, 4.0);
        let study = |surface: &str| {
            format!(
                "Study(title: \"belt\", system: Filippov(states: [\"r\", \"y\"], parameters: {{\"v0\": 0.2}}, surfaces: {{\"b\": \"{surface}\"}}, \
                 equations: [\"y' = v0 - r\", \"r' = {c:?}*(v0 - r) + y - {mu:?}*sgn(b)/(1 + {g:?}*r*sgn(b))\"], start: {{\"y\": 0.1, \"r\": 0.2}}), \
                 curves: [Curve(name: \"c\", orbit: Periodic(\"b+ b0\"), start: All(at: {{\"v0\": 0.2}}), free: \"v0\", range: (0.15, 0.25))])"
            )
        };
        let ends = |text: &str| -> Vec<(f64, f64)> {
            let result = run(text);
            let all = result.curves.iter().flat_map(|c| c.points());
            let ends = all.filter(|(_, _, p)| p.label == Some(Label::EP));
            ends.map(|(_, _, p)| (p.point.parameter(), p.record.period)).collect()
        };
        let plain = ends(&study("r"));
        let surface = match member % 3 {
            0 => format!("{a:?}*r*(1 + 0.1*r^2)"),
            1 => format!("r*exp({:?}*r)", 0.1 * a),
            _ => format!("sinh({a:?}*r)"),
        };
        let text = study(&surface);
        let written = ends(&text);
        let same = |((v, t), (w, u)): (&(f64, f64), &(f64, f64))| v == w && (t - u).abs() < 1e-8 * t;
        if plain.len() != 2 || written.len() != 2 || !plain.iter().zip(&written).all(same) {
            wrong.push((member, format!("{plain:?}, {written:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
