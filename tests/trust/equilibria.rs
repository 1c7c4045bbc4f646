//! Equilibria and points of maps whose bifurcations are known in closed form.

use super::known::{Verdict, curve, labels, none_wrong, run};
use super::random::{Coordinates, Random, members};
use slipstick::bifurcation::Label;

/// u1' = q - q0 - u1² beside stable directions: one fold.
#[test]
fn folds() {
    let count = members(10);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of("folds", member);
        let n = 1 + random.below(4);
        let q0 = random.between(-0.5, 0.5);
        let coordinates = Coordinates::random(&mut random, n, [7.0, 9.0, 5.0]);
        let mut fields = vec![format!("q - ({q0:?}) - u1^2")];
        fields.extend((1..n).map(|i| format!("-({:?})*u{}", random.log_between(0.1, 10.0), i + 1)));
        let mut start = vec![0.0; n];
        start[0] = (1.0 - q0).sqrt();
        let text = format!(
            "Study(title: \"fold\", system: {}, curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"p\": {:?}}}, states: [{}]), free: \"p\", range: ({:?}, {:?}))])",
            coordinates.smooth(&fields, 1.0),
            coordinates.parameter,
            coordinates.states_text(&start),
            -coordinates.parameter,
            coordinates.parameter,
        );
        let result = run(&text);
        let found: Vec<(Label, f64)> = labels(curve(&result, "c"))
            .iter()
            .map(|l| (l.0, l.1 / coordinates.parameter))
            .collect();
        let verdict = Verdict::of(&found, &[(Label::LP, q0)], 1e-9);
        if !verdict.is_right() {
            wrong.push((member, format!("{verdict:?}\n{text}")));
        }
    }
    none_wrong("folds", count, &wrong);
}
