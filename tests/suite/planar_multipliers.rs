//! Multipliers of smooth cycles of two states, which the divergence along the orbit gives.

use super::support::{curve, only, points, run};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use slipstick_bifurcation::Label;
use slipstick_study::CurveResult;

fn random(seed: u64, low: f64, high: f64) -> impl FnMut() -> f64 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    move || rng.random_range(low..high)
}

/// r' = r (m - r²), θ' = w, in a time that runs at a rate 1 + …: the speed along the cycle r² = m is any, and the
/// multiplier is that of the return of θ, exp(-4π m/w).
#[test]
fn the_multiplier_does_not_depend_on_how_time_runs_along_the_cycle() {
    let mut draw = random(7, -0.4, 0.4);
    for w in [0.02, 0.7, 3.0, 40.0] {
        let (a, b, c) = (draw(), draw(), draw());
        for (tolerance, error) in [(1e-9, 1e-8), (1e-5, 1e-4)] {
            let text = format!(
                "Study(title: \"cycles\", system: Smooth(states: [\"x\", \"y\"], parameters: {{\"m\": 1, \"w\": {w}}},
                    define: {{\"g\": \"1 + {a}*x + {b}*y + {c}*x*y\", \"d\": \"m - x^2 - y^2\"}},
                    equations: [\"x' = g*(x*d - w*y)\", \"y' = g*(y*d + w*x)\"]),
                  curves: [Curve(name: \"cycles\", orbit: PeriodicOrbit, method: Collocation(tolerance: {tolerance:e}),
                    start: Settle(at: {{\"m\": 1}}, from: {{\"x\": 1, \"y\": 0.1}}), free: \"m\", range: (0.6, 1.4))])"
            );
            let result = run(&text, &[]);
            let cycles = curve(&result, "cycles");
            assert!(points(cycles).len() > 4);
            for p in points(cycles) {
                let [multiplier] = p.record.multipliers[..] else {
                    panic!("{:?}", p.record.multipliers)
                };
                let wanted = -4.0 * std::f64::consts::PI * p.point.parameter() / w / std::f64::consts::LN_10;
                let off = (multiplier.log10 - wanted).abs() / wanted.abs().max(1.0);
                assert!(
                    off < error && multiplier.arg == 0.0,
                    "{w} {tolerance:e}: {multiplier:?}, not {wanted}: {off:e}"
                );
            }
        }
    }
}

/// The same cycles with a third state that follows the others and decays by itself: multipliers of three states are
/// products of transition matrices, and one of them is that of the plane.
#[test]
fn the_multiplier_is_that_of_the_same_cycle_beside_a_third_state() {
    /// The rate at which the third state decays.
    const DECAY: f64 = 0.3;
    let mut draw = random(11, 0.0, 0.3);
    for stiffness in [0.3, 1.0, 2.0, 6.0] {
        let (b, c) = (draw(), draw());
        let at_level = |states: &str, third: &str, start: &str| {
            let text = format!(
                "Study(title: \"cycles\", system: Smooth(states: [{states}], parameters: {{\"a\": {stiffness}}},
                    equations: [\"x' = y\", \"y' = a*(1 - x^2 - {b}*x)*y - x - {c}*x^3\"{third}]),
                  curves: [Curve(name: \"cycles\", orbit: PeriodicOrbit, start: Settle(at: {{\"a\": {stiffness}}}, from: {{\"x\": 1, \"y\": 0.5{start}}}),
                    free: \"a\", range: ({}, {}), levels: {{\"a\": [{}]}})])",
                0.8 * stiffness,
                1.3 * stiffness,
                1.1 * stiffness,
            );
            let result = run(&text, &[]);
            let found: &CurveResult = curve(&result, "cycles");
            only(found, Label::UZ).record.clone()
        };
        let plane = at_level("\"x\", \"y\"", "", "");
        let third = format!(", \"z' = x - {DECAY}*z\"");
        let space = at_level("\"x\", \"y\", \"z\"", &third, ", \"z\": 0");
        let decay = -DECAY * plane.period / std::f64::consts::LN_10;
        for wanted in [plane.multipliers[0].log10, decay] {
            let near = |m: &slipstick_floquet::Multiplier| (m.log10 - wanted).abs() <= 1e-8 * wanted.abs().max(1.0);
            assert!(
                space.multipliers.iter().any(near),
                "{stiffness}: {:?}, {wanted}",
                space.multipliers
            );
        }
    }
}
