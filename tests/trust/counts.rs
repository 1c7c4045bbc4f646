//! How many multipliers an orbit has, and how many of them count as unstable where some pass.

use super::known::{curve, labels, run};
use super::normal_forms::class;
use super::random::Coordinates;
use slipstick_bifurcation::Label;

/// u1⁺ = 2 q u1 + c u1² - u2, u2⁺ = u1, which keeps areas, beside u3⁺ = m u3: at q = -1 both multipliers of the first two
/// are -1, each off by the root of rounding, and only m tells how many are unstable there.
#[test]
fn what_passes_at_a_doubling_is_not_counted() {
    class("doublings of area-preserving maps", 12, |random| {
        let (c, m) = (random.between(-1.0, 1.0), random.sign() * random.log_between(0.3, 3.0));
        let fields = [
            format!("2*q*u1 + ({c:?})*u1^2 - u2"),
            "u1".to_owned(),
            format!("({m:?})*u3"),
        ];
        let coordinates = Coordinates::random(random, 3, [5.0, 5.0, 0.0]);
        let (low, high) = (random.between(-1.9, -1.3), random.between(-0.8, 0.5));
        let text = format!(
            "Study(title: \"doubling\", system: {}, curves: [Curve(name: \"c\", orbit: FixedPoint, start: Guess(at: {{\"p\": {:?}}}, states: [{}]), free: \"p\", range: ({:?}, {:?}))])",
            coordinates.map(&fields, low),
            coordinates.p(low),
            coordinates.states_text(&[0.0; 3]),
            coordinates.p(low),
            coordinates.p(high),
        );
        let result = run(&text);
        let found = labels(curve(&result, "c"));
        let wanted = usize::from(m.abs() > 1.0);
        let counts: Vec<(Label, usize)> = found.iter().map(|l| (l.0, l.2.record.unstable)).collect();
        let right = counts.iter().filter(|l| l.0 == Label::PD).count() == 1 && counts.iter().all(|l| l.1 == wanted);
        (!right).then(|| format!("{counts:?}, not {wanted}\n{text}"))
    });
}

/// Quadratic neurons that fire into v = c, with one state of adaptation: modulo the motion perturbations have one
/// direction, however much of it decays on the way to the next spike.
#[test]
fn neurons_of_two_states_have_one_multiplier() {
    class("multipliers of planar neurons", 4, |random| {
        let (a, d) = (random.between(0.01, 0.05), random.between(4.0, 9.0));
        let c = random.between(-68.0, -62.0);
        let current = random.between(4.3, 6.0);
        let text = format!(
            "Study(title: \"neuron\", system: Hybrid(states: [\"v\", \"u\"], parameters: {{\"I\": {current:?}}}, \
             modes: {{\"m\": Mode(equations: [\"v' = 0.04*v^2 + 5*v + 140 - u + I\", \"u' = ({a:?})*(0.2*v - u)\"], events: {{\
             \"spike\": Event(guard: \"v - 30\", direction: Up, to: \"m\", reset: {{\"v\": \"{c:?}\", \"u\": \"u + {d:?}\"}})}})}}, \
             start: Start(mode: \"m\", at: {{\"v\": {c:?}, \"u\": -13}})), \
             curves: [Curve(name: \"c\", orbit: Periodic(\"m spike\"), start: Settle(at: {{}}), free: \"I\", range: ({:?}, {:?}))])",
            current - 0.2,
            current + 0.2,
        );
        let result = run(&text);
        let counts: Vec<usize> = curve(&result, "c")
            .points()
            .map(|(_, _, p)| p.record.multipliers.len())
            .collect();
        counts
            .iter()
            .any(|count| *count != 1)
            .then(|| format!("{counts:?}\n{text}"))
    });
}
