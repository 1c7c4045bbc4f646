//! Curves that start just on a guard.

use super::known::{Verdict, curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// A state that rests at v = w = f(I) on either side of v = c, where the field jumps by what keeps both: a curve from
/// the boundary equilibrium itself is that from anywhere else, with a BE there, in whichever of the two modes.
#[test]
fn equilibria_started_on_a_guard_go_on_both_sides() {
    let class = "equilibria on a guard";
    let count = members(12);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (scale, rate, c) = (
            random.log_between(0.1, 10.0),
            random.log_between(0.05, 3.0),
            random.between(-1.0, 1.0),
        );
        let (below, above) = (random.log_between(0.3, 3.0), random.log_between(0.3, 3.0));
        let turns = member % 3 == 2;
        // Slopes of v over I on the two sides: of one sign, or of both, so that the curve turns back in I.
        let sign = if turns { -1.0 } else { 1.0 };
        let text = |name: &str, side: &str, at: f64| {
            format!(
                "Curve(name: \"{name}\", orbit: EquilibriumIn(\"l{side}\"), start: All(at: {{\"I\": {at:?}}}), free: \"I\", range: (-4, 4))"
            )
        };
        let text = format!(
            "Study(title: \"on\", system: Filippov(states: [\"v\", \"w\"], parameters: {{\"I\": 0}}, surfaces: {{\"l\": \"v - ({c:?})\"}}, \
             fields: {{\"+\": [\"v' = {scale:?}*({above:?}*I - ({sign:?})*(v - ({c:?})))\", \"w' = {rate:?}*(v - w)\"], \
             \"-\": [\"v' = {scale:?}*({below:?}*I - (v - ({c:?})))\", \"w' = {rate:?}*(v - w)\"]}}, start: {{\"v\": {:?}}}), \
             curves: [{}, {}, {}])",
            c - 0.5,
            text("minus", "-", 0.0),
            text("plus", "+", 0.0),
            text("from", "-", -1.0),
        );
        let result = run(&text);
        let mut said = vec![];
        for name in ["minus", "plus", "from"] {
            let curve = curve(&result, name);
            let found: Vec<(Label, f64)> = labels(curve).into_iter().map(|l| (l.0, l.1)).collect();
            let verdict = Verdict::of(&found, &[(Label::BE, 0.0)], 1e-9);
            let states = curve.points().map(|(_, _, p)| p.point.z[0]);
            let (low, high) = states.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
            let ends = [c - 4.0 * below, c + 4.0 * above];
            if !verdict.is_right() || (low - ends[0]).abs() > 1e-9 || (high - ends[1]).abs() > 1e-9 {
                said.push(format!("{name}: {verdict:?}, v from {low} to {high}, known {ends:?}"));
            }
        }
        if !said.is_empty() {
            wrong.push((member, format!("{said:#?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}
