//! A forced mass on dry friction beside masses that stick at all times, each of them in any place: a continuum of orbits
//! of as many dimensions at each value of the parameter, of which the motion of the forced mass is known.

use super::known::{none_wrong, run};
use super::random::{Random, members};
use std::f64::consts::PI;

/// The amplitude of a mass m = 1 on a spring and dry friction under a harmonic force, where it never sticks (J. P. Den
/// Hartog, Trans. ASME 53 (1931) 107).
fn amplitude(stiffness: f64, friction: f64, force: f64, omega: f64) -> f64 {
    let own = stiffness.sqrt();
    let forced = force / (stiffness - omega * omega);
    let half = own * PI / omega;
    let held = friction / stiffness * half.sin() / (1.0 + half.cos()) * own / omega;
    (forced * forced - held * held).sqrt()
}

#[test]
fn beside_any_number_of_masses_that_stick_for_ever_a_continuum_is_traced() {
    let class = "masses that stick for ever";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let stuck = 1 + member % 3;
        let mut some = |low: f64, high: f64| (random.between(low, high) * 1e3).round() / 1e3;
        let springs: Vec<f64> = (0..stuck).map(|_| some(0.1, 0.4)).collect();
        let (k, mu) = (some(0.8, 1.2), some(0.05, 0.12));
        let stiffness = k + springs.iter().sum::<f64>();
        // Below resonance, where it reverses without sticking.
        let omega = some(0.75, 0.9) * stiffness.sqrt();
        let known = amplitude(stiffness, mu, 1.0, omega);
        let names: Vec<String> = (0..stuck).map(|i| format!("y{i}")).collect();
        let each = |part: &dyn Fn(usize, &str) -> String| -> String {
            let all = names.iter().enumerate();
            all.map(|(i, name)| part(i, name)).collect()
        };
        let sticks = each(&|i, _| format!(",c{i}:stick"));
        let text = format!(
            "Study(title: \"stuck\", system: Mechanical(coordinates: [\"x\"{}], parameters: {{\"w\": {omega:?}}}, forcing: \
             Forcing(period: \"2*pi/w\"), masses: {{\"x\": 1{}}}, springs: [Spring(on: \"x\", stiffness: {k:?}){}], forces: \
             {{\"x\": \"cos(w*t)\"}}, contacts: {{\"a\": Coulomb(on: \"x\", mu: {mu:?}){}}}), curves: [Curve(name: \"c\", orbit: \
             Periodic(\"a:slip+{sticks} a:reverse a:slip-{sticks} a:reverse\"), start: Settle(at: {{\"w\": {omega:?}}}), free: \
             \"w\", range: ({:?}, {:?}))])",
            each(&|_, name| format!(", \"{name}\"")),
            each(&|_, name| format!(", \"{name}\": 1.2")),
            each(&|i, name| format!(
                ", Spring(on: \"x\", against: Coordinate(\"{name}\"), stiffness: {:?})",
                springs[i]
            )),
            each(&|i, name| format!(
                ", \"c{i}\": Coulomb(on: \"{name}\", mu: {:?})",
                1.5 * springs[i] * known
            )),
            0.5 * omega,
            1.5 * omega,
        );
        let result = run(&text);
        let Some(curve) = result.curves.first() else {
            wrong.push((member, format!("{stuck}: {:?}\n{text}", result.missing)));
            continue;
        };
        let column = |name: &str| curve.monitors.iter().position(|m| m == name).unwrap();
        let value = |name: &str| -> Vec<f64> {
            let own = column(name);
            curve.points().map(|(_, _, p)| p.record.monitors[own]).collect()
        };
        let spread = |of: &[f64]| {
            let most = of.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            most - of.iter().copied().fold(f64::INFINITY, f64::min)
        };
        let swings: Vec<f64> = value("x_max")
            .iter()
            .zip(value("x_min"))
            .map(|(a, b)| 0.5 * (a - b))
            .collect();
        let off = swings.iter().map(|own| (own / known - 1.0).abs()).fold(0.0, f64::max);
        let said = curve.points().any(|(_, _, p)| p.message.contains("continuum"));
        let still = curve
            .points()
            .all(|(_, _, p)| (p.point.parameter() - omega).abs() <= 1e-11);
        let moved: Vec<f64> = names
            .iter()
            .map(|name| spread(&value(&format!("{name}_max"))))
            .collect();
        let right = moved[0] > 0.1 * known && moved[1..].iter().all(|own| *own <= 1e-12);
        if !(off < 1e-9 && said && still && right) {
            wrong.push((
                member,
                format!("{stuck}: off {off:e}, said {said}, still {still}, moved {moved:?}\n{text}"),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}
