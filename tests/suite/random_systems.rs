//! Random systems whose bifurcations are known in closed form, in random coordinates.

use super::support::{curve, only, points, run, value};
use proptest::prelude::*;
use slipstick_bifurcation::Label;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// `u' = r + b u + a u²`, `v' = -k v` turned by an angle: a fold at `u = -b/2a`, `r = b²/4a`.
    #[test]
    fn folds_are_where_the_discriminant_vanishes(
        a in 0.2..3.0f64, b in -2.0..2.0f64, k in 0.2..3.0f64, angle in 0.3..1.2f64,
    ) {
        let (c, s) = (angle.cos(), angle.sin());
        let fold = b * b / (4.0 * a);
        let begin = fold - 1.0;
        // The smaller root is stable.
        let u = (-b - (b * b - 4.0 * a * begin).sqrt()) / (2.0 * a);
        let text = format!(
            r#"Study(
                title: "fold",
                system: Smooth(
                    states: ["x", "y"], parameters: {{"r": {begin:?}}},
                    define: {{"u": "{c:?}*x + {s:?}*y", "v": "{c:?}*y - {s:?}*x", "f": "r + {b:?}*u + {a:?}*u^2", "g": "-{k:?}*v"}},
                    equations: ["x' = {c:?}*f - {s:?}*g", "y' = {s:?}*f + {c:?}*g"],
                ),
                curves: [Curve(
                    name: "rest", orbit: Equilibrium, start: Guess(at: {{"r": {begin:?}}}, states: [{{"x": {:?}, "y": {:?}}}]),
                    free: "r", range: ({:?}, {:?}),
                )],
            )"#,
            c * u, s * u, begin - 0.5, fold + 1.0,
        );
        let result = run(&text, &[]);
        let rest = curve(&result, "rest");
        let found = only(rest, Label::LP);
        prop_assert!((value(rest, found, "r") - fold).abs() < 1e-11 * (1.0 + fold.abs()));
        let u = c * value(rest, found, "x") + s * value(rest, found, "y");
        prop_assert!((u + b / (2.0 * a)).abs() < 1e-6, "u = {u}");
        // Stable before the fold, unstable behind it.
        for p in points(rest).iter().filter(|p| p.label.is_none()) {
            let u = c * value(rest, p, "x") + s * value(rest, p, "y");
            prop_assert_eq!(p.record.stable(), u < -b / (2.0 * a));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// The normal form of Hopf's bifurcation: cycles of radius `√(m/s)` and period `2π/w`, with the multiplier
    /// `exp(-2m·2π/w)`.
    #[test]
    fn cycles_of_the_normal_form_have_its_radius_period_and_multiplier(w in 0.5..3.0f64, s in 0.3..3.0f64) {
        let text = format!(
            r#"Study(
                title: "Hopf",
                system: Smooth(
                    states: ["x", "y"], parameters: {{"m": 0.4}},
                    define: {{"q": "m - {s:?}*(x^2 + y^2)"}},
                    equations: ["x' = q*x - {w:?}*y", "y' = q*y + {w:?}*x"],
                ),
                curves: [Curve(
                    name: "cycles", orbit: PeriodicOrbit, start: Settle(at: {{"m": 0.4}}, from: {{"x": 0.5}}),
                    free: "m", range: (0.1, 1), levels: {{"m": [0.2]}},
                )],
            )"#,
        );
        let result = run(&text, &[]);
        let cycles = curve(&result, "cycles");
        for p in points(cycles) {
            let m = value(cycles, p, "m");
            let period = std::f64::consts::TAU / w;
            prop_assert!((value(cycles, p, "period") - period).abs() < 1e-11 * period);
            prop_assert!((value(cycles, p, "x_max") - (m / s).sqrt()).abs() < 1e-11 * (m / s).sqrt());
            let log10 = -2.0 * m * period / std::f64::consts::LN_10;
            prop_assert!((p.record.multipliers[0].log10 - log10).abs() < 1e-10 * log10.abs());
        }
    }
}
