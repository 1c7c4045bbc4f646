//! The orbit problem itself: exact derivatives, quadratic convergence, the same orbits and multipliers by the Poincaré
//! map.

use super::support::{self, STICTION, assert_close, curve, labelled, run, value};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use slipstick_bifurcation::{BranchPoint, Label};
use slipstick_continuation::{Newton, NewtonOptions, Problem};
use slipstick_flow::{FlowOptions, poincare};
use slipstick_orbit::{PeriodicOrbit, Word};
use slipstick_system::System;
use slipstick_system::catalogue;
use std::f64::consts::{PI, TAU};

const OMEGA: f64 = 2.0;

/// The problem of a word over Ω, at the material of the reference.
fn problem<'s>(system: &'s System, word: &str, symmetric: bool) -> PeriodicOrbit<'s> {
    let word = Word::parse(word, symmetric, system).unwrap();
    PeriodicOrbit::new(system, word, vec![OMEGA, 1.1, 0.4], vec![0], FlowOptions::default())
}

/// The symmetric orbit at Ω = 2, from the reference.
#[allow(clippy::excessive_precision)]
const THETA0: f64 = -0.60247180039380326;
#[allow(clippy::excessive_precision)]
const SLIP: f64 = 2.0404587797198141;
const X0: f64 = 0.41667020282274324;

/// Its unknowns as the word tells it: slip, then stick; twice for the full period.
fn orbit_at_two(problem: &mut PeriodicOrbit<'_>) -> Vec<f64> {
    let half = [vec![X0, 0.0, THETA0], vec![-X0, THETA0 + SLIP]];
    let other = [vec![-X0, 0.0, THETA0 + PI], vec![X0, THETA0 + PI + SLIP]];
    let times = [SLIP, PI - SLIP];
    if problem.word().symmetric {
        problem.guess(&half, &times).unwrap()
    } else {
        problem.guess(&[half, other].concat(), &times.repeat(2)).unwrap()
    }
}

#[test]
fn newton_converges_quadratically() {
    let system = catalogue::stiction();
    for (word, symmetric) in [("slip- stick", true), ("slip- stick slip+ stick", false)] {
        let mut problem = problem(&system, word, symmetric);
        let exact = orbit_at_two(&mut problem);
        let mut z: Vec<f64> = exact
            .iter()
            .enumerate()
            .map(|(i, v)| v + 0.02 * (1.7 * i as f64).sin())
            .collect();
        let n = z.len();
        z[n - 1] = OMEGA;
        let mut row = vec![0.0; n];
        row[n - 1] = 1.0;
        let options = NewtonOptions {
            tolerance: 1e-13,
            iterations: 12,
            ..NewtonOptions::default()
        };
        let mut newton = Newton::default();
        newton
            .solve(&mut problem, &mut z, &row, &vec![0.0; n], &[OMEGA], &options)
            .unwrap();
        for (found, wanted) in z.iter().zip(&exact) {
            assert_close(word, *found, *wanted, 1e-12);
        }
        let updates: Vec<f64> = newton.report.updates.iter().copied().filter(|u| *u > 1e-13).collect();
        assert!((3..=5).contains(&updates.len()), "{updates:?}");
        // Each update is at most a constant times the square of the one before, down to rounding.
        for pair in updates.windows(2) {
            assert!(pair[1] < 10.0 * pair[0] * pair[0] + 1e-15, "{updates:?}");
        }
    }
}

/// `F` at `z`.
fn residual(problem: &mut PeriodicOrbit<'_>, z: &[f64]) -> Vec<f64> {
    let mut r = vec![0.0; z.len() - 1];
    problem.linearise(z, &mut r).unwrap();
    r
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, rng_seed: RngSeed::Fixed(5), failure_persistence: None, ..ProptestConfig::default() })]

    /// The Jacobian is only ever used through solutions: a direction whose image is known from differences must come
    /// back.
    #[test]
    fn the_jacobian_is_that_of_the_equations(
        away in prop::collection::vec(-0.05..0.05f64, 19),
        direction in prop::collection::vec(-1.0..1.0f64, 19),
        which in 0..4usize,
    ) {
        let system = catalogue::stiction();
        let (word, symmetric) = [
            ("slip- stick", true),
            ("slip- stick slip+ stick", false),
            ("slip- land stick release- slip+ reverse", false),
            ("slip- reverse", true),
        ][which];
        let mut problem = problem(&system, word, symmetric);
        let starts = [vec![X0, 0.0, THETA0], vec![-X0, THETA0 + SLIP], vec![-X0, 0.0, THETA0 + PI], vec![X0, THETA0 + PI + SLIP]];
        let times = [SLIP, PI - SLIP, SLIP, PI - SLIP];
        let count = problem.word().letters.len();
        let full = if symmetric && count == 1 { vec![PI] } else { times[..count].to_vec() };
        let base = problem.guess(&starts[..count], &full).unwrap();
        let z: Vec<f64> = base.iter().zip(&away).map(|(z, d)| z + d).collect();
        let v = &direction[..z.len()];
        let shifted = |h: f64| -> Vec<f64> { z.iter().zip(v).map(|(z, v)| z + h * v).collect() };
        // Central differences of fourth order.
        let h = 1e-3;
        let f: Vec<Vec<f64>> = [-2.0, -1.0, 1.0, 2.0].iter().map(|k| residual(&mut problem, &shifted(k * h))).collect();
        let image = (0..z.len() - 1).map(|i| (f[0][i] - 8.0 * f[1][i] + 8.0 * f[2][i] - f[3][i]) / (12.0 * h));
        residual(&mut problem, &z);
        let border: Vec<f64> = (0..z.len()).map(|i| (0.9 * i as f64).cos()).collect();
        let mut rhs: Vec<f64> = image.collect();
        rhs.push(border.iter().zip(v).map(|(b, v)| b * v).sum());
        problem.solve(&border, &mut rhs).unwrap();
        for (found, wanted) in rhs.iter().zip(v) {
            prop_assert!((found - wanted).abs() < 1e-7, "{} instead of {}", found, wanted);
        }
    }
}

#[test]
fn the_poincare_map_of_landing_sees_the_same_orbits_and_multipliers() {
    let system = catalogue::stiction();
    let (slip, land) = (system.mode("slip-").unwrap(), 0);
    let result = support::run(STICTION, &[]);
    let mut seen = 0;
    for name in ["compliant", "stiff"] {
        let c = curve(&result, name);
        for p in labelled(c, Label::UZ) {
            let at = |column: &str| value(c, p, column);
            let parameters = [at("Omega"), at("mu_s"), at("mu_d")];
            let landing = [-at("x_max"), 0.0, at("theta0") + at("T")];
            let back = poincare(&system, slip, land, &landing, &parameters, 20.0, FlowOptions::default()).unwrap();
            assert_close("return time", back.t, TAU, 1e-11);
            assert_close("x", back.x[0], landing[0], 1e-11);
            assert_close("θ", back.x[2] - TAU, landing[2], 1e-11);
            // On the surface y = 0 the map moves (x, θ); one multiplier is μ = ν², the other, of sticking, is zero.
            let trace = back.dx[0] + back.dx[8];
            let determinant = back.dx[0] * back.dx[8] - back.dx[2] * back.dx[6];
            assert_close("μ", trace, at("nu").powi(2), 1e-9);
            assert_close("the multiplier of sticking", determinant, 0.0, 1e-9);
            seen += 1;
        }
    }
    assert_eq!(seen, 6);
}

/// A relaxation oscillation contracts by 10⁻³⁰ and more in one go: whether it is told as one smooth orbit on a mesh or
/// cut in two by a section, its multiplier is the same, that of the integrated divergence.
#[test]
fn a_section_does_not_change_a_tiny_multiplier() {
    let at = r#"levels: {"a": [0.3, 0.45]}, range: (0.2, 0.5), free: "a""#;
    let parameters = r#"parameters: {"a": 0.4, "eps": 0.05}"#;
    let equations = r#"equations: ["x' = (y - x^3/3 + x)/eps", "y' = a - x"]"#;
    let smooth = format!(
        r#"Study(title: "smooth", system: Smooth(states: ["x", "y"], {parameters}, {equations}, start: {{"x": 2, "y": -0.1}}),
            curves: [Curve(name: "c", orbit: PeriodicOrbit, start: Settle(at: {{"a": 0.4}}), {at})])"#
    );
    let cut = format!(
        r#"Study(title: "cut", system: Hybrid(states: ["x", "y"], {parameters},
                modes: {{
                    "below": Mode({equations}, events: {{"up": Event(guard: "y", direction: Up, to: "above")}}),
                    "above": Mode({equations}, events: {{"down": Event(guard: "y", direction: Down, to: "below")}}),
                }}, start: Start(mode: "below", at: {{"x": 2, "y": -0.1}})),
            curves: [Curve(name: "c", orbit: Periodic("below above"), start: Settle(at: {{"a": 0.4}}), {at})])"#
    );
    let multipliers = |text: &str| -> Vec<(f64, f64, f64)> {
        let result = run(text, &[]);
        assert!(result.missing.is_empty(), "{:?}", result.missing);
        let c = curve(&result, "c");
        let at = labelled(c, Label::UZ);
        let of = |p: &&BranchPoint| {
            let m = p.record.multipliers[0];
            (p.point.parameter(), m.log10, m.arg)
        };
        let mut found: Vec<_> = at.iter().map(of).collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        found
    };
    let (whole, parts) = (multipliers(&smooth), multipliers(&cut));
    assert_eq!((whole.len(), parts.len()), (2, 2));
    for (w, p) in whole.iter().zip(&parts) {
        assert!(w.1 < -20.0 && w.2 == 0.0 && p.2 == 0.0, "{w:?} {p:?}");
        assert_close("log10 of the multiplier", p.1, w.1, 1e-6);
    }
}
