//! Surfaces that are touched just before or just behind an event.

use super::known::{Verdict, curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;
use std::f64::consts::PI;

/// A forced linear oscillator without friction beyond the damping, and where it touches x = d.
struct Oscillator {
    zeta: f64,
    w: f64,
    d: f64,
    /// An event happens where the velocity passes this.
    early: f64,
    touching: f64,
}

impl Oscillator {
    /// With an event before the top, or behind it, in parts of the largest velocity when it touches.
    fn random(random: &mut Random, before: bool) -> Self {
        let (zeta, w) = (random.between(0.05, 0.4), random.between(0.3, 2.5));
        let d = random.log_between(0.3, 3.0);
        let sign = if before { 1.0 } else { -1.0 };
        Self {
            zeta,
            w,
            d,
            early: sign * w * d * random.log_between(1e-4, 0.15),
            touching: d * (1.0 - w * w).hypot(2.0 * zeta * w),
        }
    }

    fn field(&self) -> String {
        format!("-x - ({:?})*v + A*cos(w*t)", 2.0 * self.zeta)
    }

    /// The labels of curve `name` of a study are the touching and nothing else; else what is wrong.
    fn verdict(&self, text: &str, name: &str) -> Option<String> {
        let result = run(text);
        if !result.curves.iter().any(|c| c.name == name) {
            return Some(format!("{:?}\n{text}", result.missing));
        }
        let found: Vec<(Label, f64)> = labels(curve(&result, name)).into_iter().map(|l| (l.0, l.1)).collect();
        let verdict = Verdict::of(&found, &[(Label::GR, self.touching)], 1e-9 * self.touching);
        let beyond = curve(&result, name)
            .points()
            .filter(|(_, _, p)| p.record.margin() < -1e-9)
            .count();
        (!verdict.is_right() || beyond > 0).then(|| format!("{verdict:?}, {beyond} not admissible\n{text}"))
    }
}

/// The mode of an oscillator changes just before the top, or just behind it; walls are there in both modes, or only in
/// the one in which the top lies, beyond which the other one begins or ends. The touching is that of the top.
#[test]
fn walls_touched_just_beside_a_change_of_mode_are_touched_at_the_top() {
    let class = "touched beside an event";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let before = member % 2 == 0;
        let own = Oscillator::random(&mut random, before);
        let both = member % 4 < 2;
        let (r, field) = (random.between(0.3, 0.9), own.field());
        let wall = |name: &str, sign: &str, direction: &str, to: &str| {
            format!(
                "\"{name}\": Event(guard: \"x {sign} d\", direction: {direction}, to: \"{to}\", reset: {{\"v\": \"-({r:?})*v\"}})"
            )
        };
        let walls = |mode: &str| {
            // Top and bottom of the first mode lie in it, or in the other one.
            let upper = both || (mode == "p") != before;
            let lower = both || (mode == "m") != before;
            let mut all = String::new();
            if upper {
                all += &format!(", {}", wall("hit", "-", "Up", mode));
            }
            if lower {
                all += &format!(", {}", wall("hitm", "+", "Down", mode));
            }
            all
        };
        let name = if random.below(2) == 0 { "o" } else { "s" };
        let text = format!(
            "Study(title: \"beside\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"A\": {:?}, \"e\": {:?}, \"w\": {:?}, \"d\": {:?}}}, forcing: Forcing(period: \"2*pi/w\"), \
             modes: {{\"p\": Mode(equations: [\"x' = v\", \"v' = {field}\"], events: {{\"down\": Event(guard: \"v - e\", direction: Down, to: \"m\"){}}}), \
             \"m\": Mode(equations: [\"x' = v\", \"v' = {field}\"], events: {{\"up\": Event(guard: \"v + e\", direction: Up, to: \"p\"){}}})}}, \
             symmetry: Symmetry(states: {{\"x\": \"-x\", \"v\": \"-v\", \"phase\": \"phase+pi\"}}, modes: {{\"p\": \"m\"}}), start: Start(mode: \"p\", at: {{\"x\": 0.01}})), \
             curves: [Curve(name: \"{name}\", orbit: {}, start: Settle(at: {{\"A\": {:?}}}), free: \"A\", range: ({:?}, {:?}))])",
            own.touching,
            own.early,
            own.w,
            own.d,
            walls("p"),
            walls("m"),
            if name == "o" {
                "Periodic(\"p down m up\")"
            } else {
                "Symmetric(\"p down\")"
            },
            0.7 * own.touching,
            0.3 * own.touching,
            3.0 * own.touching
        );
        if let Some(said) = own.verdict(&text, name) {
            wrong.push((member, format!("{} before {before} both {both}: {said}", own.early)));
        }
    }
    none_wrong(class, count, &wrong);
}

/// The same where the event is the crossing of a surface of a Filippov system, and the wall another surface.
#[test]
fn surfaces_touched_just_beside_the_crossing_of_another_one_are_touched_at_the_top() {
    let class = "touched beside a crossing";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let own = Oscillator::random(&mut random, member % 2 == 0);
        let (push, turn) = (random.between(0.3, 1.5), random.between(0.0, 2.0 * PI));
        let text = format!(
            "Study(title: \"beside\", system: Filippov(states: [\"x\", \"v\"], parameters: {{\"A\": {:?}, \"e\": {:?}, \"w\": {:?}, \"d\": {:?}, \"c\": 0}}, forcing: Forcing(period: \"2*pi/w\"), \
             surfaces: {{\"s\": \"v - e\", \"q\": \"x - d\"}}, \
             equations: [\"x' = v\", \"v' = {} - c*sgn(s) - ({push:?})*heaviside(q)*(1 + v)\"], start: {{\"x\": {:?}}}), \
             curves: [Curve(name: \"o\", orbit: Periodic(\"s+,q- s-,q-\"), start: Settle(at: {{\"A\": {:?}}}), free: \"A\", range: ({:?}, {:?}))])",
            own.touching,
            own.early,
            own.w,
            own.d,
            own.field(),
            0.1 * own.d * turn.cos(),
            0.7 * own.touching,
            0.3 * own.touching,
            3.0 * own.touching
        );
        if let Some(said) = own.verdict(&text, "o") {
            wrong.push((member, format!("{}: {said}", own.early)));
        }
    }
    none_wrong(class, count, &wrong);
}
