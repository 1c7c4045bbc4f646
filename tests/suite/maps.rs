//! Maps: their iterates, what they settle to, and the exponents of what does not repeat.

use super::support::{curve, labelled, run};
use slipstick_bifurcation::Label;
use slipstick_flow::exponents::{ExponentOptions, spectrum};
use slipstick_flow::{FlowError, SimulationOptions, simulate};
use slipstick_study::{Attractor, AttractorKind, RunResult};

const LOGISTIC: &str =
    r#"system: Map(states: ["x"], parameters: {"r": 2.8}, equations: ["x+ = r*x*(1 - x)"], start: {"x": 0.3})"#;

fn attractors(result: &RunResult) -> &[Attractor] {
    &result.attractors[0].found
}

/// What the logistic map settles to from inside the unit interval, with its curves of fixed points and 2-cycles.
fn logistic(r: f64) -> RunResult {
    let text = format!(
        r#"Study(title: "logistic", {LOGISTIC},
            curves: [
                Curve(name: "fixed", orbit: FixedPoint, start: All(at: {{"r": 2.5}}, within: {{"x": (0, 1)}}), free: "r", range: (0.5, 4), branches: [PD]),
            ],
            attractors: [Attractors(name: "seen", sweep: "r", range: ({r}, {}), count: 2, starts: 6, within: {{"x": (0.05, 0.95)}})])"#,
        r + 1e-3
    );
    run(&text, &[])
}

#[test]
fn cycles_of_the_logistic_map_are_recognised_and_found_on_their_curves() {
    for (r, points) in [(2.8, 1), (3.2, 2), (3.5, 4), (3.83, 3)] {
        let result = logistic(r);
        let found = attractors(&result);
        assert_eq!(found.len(), 2, "one attractor at each of two values: {found:?}");
        let cycle = &found[0];
        assert_eq!(cycle.starts, 6);
        assert!(
            matches!(&cycle.kind, AttractorKind::Orbit { period, .. } if *period == f64::from(points)),
            "{cycle:?}"
        );
        assert_eq!(cycle.rows.len(), points as usize);
        for (row, next) in cycle.rows.iter().zip(cycle.rows.iter().cycle().skip(1)) {
            assert!((r * row[0] * (1.0 - row[0]) - next[0]).abs() < 1e-13);
        }
        if points == 2 {
            // The 2-cycle: r² x² - r (r + 1) x + r + 1 = 0.
            let root = ((r + 1.0) * (r - 3.0)).sqrt();
            assert!((cycle.rows[0][0] - (r + 1.0 - root) / (2.0 * r)).abs() < 1e-13);
        }
        let on_curve = found.iter().all(|a| a.curve.is_some());
        assert_eq!(on_curve, points <= 2, "{found:?}");
        assert_eq!(result.attractors[0].missing.is_empty(), points <= 2);
    }
}

#[test]
fn chaos_of_the_logistic_map_has_its_exponent() {
    let result = logistic(3.9);
    let found = attractors(&result);
    assert!(
        matches!(found[0].kind, AttractorKind::Chaos { exponent } if (exponent - 0.4945).abs() < 0.01),
        "{:?}",
        found[0].kind
    );
    assert_eq!(found[0].starts, 6);
    assert_eq!(found[0].rows.len(), 200);
    // At r = 4 the exponent is ln 2.
    let system = super::support::planned(
        &format!(r#"Study(title: "l", {LOGISTIC}, simulations: [Simulation(name: "s", time: 3)])"#),
        &[],
    )
    .0;
    let system = &system.systems[0].system;
    let options = ExponentOptions {
        time: 100_000.0,
        ..ExponentOptions::default()
    };
    let exponent = spectrum(system, 0, &[0.3], &[4.0], &options).unwrap().largest();
    assert!((exponent.value - 2f64.ln()).abs() < 1e-3, "{exponent:?}");
    assert!(matches!(
        simulate(system, 0, &[0.3], &[4.0], &SimulationOptions::default()),
        Err(FlowError::Map { .. })
    ));
}

#[test]
fn simulations_of_a_map_iterate_it() {
    let text = r#"Study(title: "Hénon",
        system: Map(states: ["x", "y"], parameters: {"a": 1.4, "b": 0.3}, equations: ["x+ = 1 - a*x^2 + y", "y+ = b*x"]),
        simulations: [
            Simulation(name: "each", from: {"x": 0.1, "y": 0.1}, time: 40),
            Simulation(name: "fifth", from: {"x": 0.1, "y": 0.1}, time: 40, every: 5),
            Simulation(name: "away", set: {"a": 3}, from: {"x": 2}, time: 40),
        ])"#;
    let result = run(text, &[]);
    let [each, fifth, away] = &result.trajectories[..] else {
        panic!()
    };
    assert_eq!(each.rows.len(), 41);
    let (mut x, mut y) = (0.1, 0.1);
    for (k, row) in each.rows.iter().enumerate() {
        assert_eq!(row.t, k as f64);
        // Chaos doubles rounding errors at most every iterate.
        assert!((row.states[0] - x).abs() < 1e-15 * 2f64.powi(k as i32).max(10.0), "{k}");
        (x, y) = (1.0 - 1.4 * x * x + y, 0.3 * x);
        if k % 5 == 0 {
            assert_eq!(fifth.rows[k / 5].states, row.states);
        }
    }
    assert!(away.ended.contains("the iteration diverges"), "{}", away.ended);
    assert!(away.rows.len() < 20 && away.rows.iter().all(|r| r.states[0].is_finite()));
}

#[test]
fn attractors_of_the_henon_map_and_of_a_rotation() {
    let text = r#"Study(title: "Hénon",
        system: Map(states: ["x", "y"], parameters: {"a": 1.4, "b": 0.3}, equations: ["x+ = 1 - a*x^2 + y", "y+ = b*x"]),
        curves: [Curve(name: "fixed", orbit: FixedPoint, start: Settle(at: {"a": 0.2}), free: "a", range: (-0.2, 1.5))],
        attractors: [Attractors(name: "seen", sweep: "a", range: (0.2, 1.4), count: 4, starts: 4, within: {"x": (-0.5, 0.5), "y": (-0.1, 0.1)}, trace: true)])"#;
    let result = run(text, &[]);
    let found = attractors(&result);
    // a = 0.2, 0.6, 1, 1.4.
    let at = |value: f64| found.iter().find(|a| (a.value - value).abs() < 1e-12).unwrap();
    assert_eq!(at(0.2).curve.as_deref(), Some("fixed"));
    // The 2-cycle is on no curve, and traced as one of its own that begins at the doubling of the fixed point at a = 3
    // (1 - b)²/4.
    assert_eq!(at(0.6).curve.as_deref(), Some("seen-1"));
    let doubling = labelled(curve(&result, "fixed"), Label::PD)[0].point.parameter();
    assert!((doubling - 0.3675).abs() < 1e-9);
    assert!(
        matches!(at(1.4).kind, AttractorKind::Chaos { exponent } if (exponent - 0.4192).abs() < 0.02),
        "{:?}",
        at(1.4).kind
    );
    let rotation = r#"Study(title: "a circle of every radius",
        system: Map(states: ["x", "y"], parameters: {"w": 1.1}, equations: ["x+ = cos(w)*x - sin(w)*y", "y+ = sin(w)*x + cos(w)*y"]),
        attractors: [Attractors(name: "seen", sweep: "w", range: (1.1, 1.2), count: 2, starts: 2, within: {"x": (0.5, 1), "y": (0.5, 1)})])"#;
    let result = run(rotation, &[]);
    for motion in attractors(&result) {
        assert_eq!(motion.kind, AttractorKind::Torus, "{motion:?}");
        assert!(motion.message.contains("the largest Lyapunov exponent is zero"));
    }
}
