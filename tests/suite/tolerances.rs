//! A looser tolerance must not make a run dearer: counted in points and in unknowns, not in time.

use super::support::{curve, points, run};
use slipstick_study::CurveResult;

/// Points of a curve, and the unknowns of all of them: what Newton's method, the multipliers and the tables cost.
fn work(curve: &CurveResult) -> (usize, usize) {
    let points = points(curve);
    let unknowns = points.iter().map(|p| p.point.z.len()).sum();
    (points.len(), unknowns)
}

/// What happens along a curve, from its first to its last point: labels, and the parameter at all but the ends.
fn story(curve: &CurveResult) -> Vec<(String, f64)> {
    let points = points(curve);
    let labelled = points
        .iter()
        .filter_map(|p| Some((p.label?.code().to_owned(), p.point.parameter())));
    labelled.collect()
}

/// The cycles from the first Hopf point of the equilibria through a guess, at each tolerance.
fn cycles(system: &str, (free, at): (&str, f64), guess: &str, range: (f64, f64), more: &str) {
    let at_tolerance = |tolerance: f64| {
        let text = format!(
            "Study(title: \"cycles\", system: {system}, curves: [
                Curve(name: \"rest\", orbit: Equilibrium, start: Guess(at: {{\"{free}\": {at}}}, states: [{guess}]), free: \"{free}\", range: {range:?}),
                Curve(name: \"cycles\", orbit: PeriodicOrbit, method: Collocation(tolerance: {tolerance:e}), start: Point(from: \"rest, HB 1\"),
                    free: \"{free}\", range: {range:?}, {more})])"
        );
        let result = run(&text, &[]);
        assert!(result.missing.is_empty(), "{tolerance:e}: {:?}", result.missing);
        let cycles = curve(&result, "cycles");
        (work(cycles), story(cycles))
    };
    let (fine, told) = at_tolerance(1e-9);
    for tolerance in [1e-7, 1e-6, 1e-5, 1e-4] {
        let (loose, story) = at_tolerance(tolerance);
        // Errors of coarse meshes may ask for some points more; each of them has fewer unknowns.
        assert!(
            loose.1 <= fine.1 + fine.1 / 10,
            "{system} at {tolerance:e}: {loose:?}, at 1e-9 {fine:?}"
        );
        assert!(
            loose.0 <= 2 * fine.0,
            "{system} at {tolerance:e}: {loose:?}, at 1e-9 {fine:?}"
        );
        let labels = |story: &[(String, f64)]| story.iter().map(|s| s.0.clone()).collect::<Vec<_>>();
        assert_eq!(labels(&story), labels(&told), "{system} at {tolerance:e}");
        for ((label, p), (_, q)) in story.iter().zip(&told) {
            let near = (p - q).abs() <= 10.0 * tolerance * q.abs().max(range.1 - range.0);
            assert!(near, "{system} at {tolerance:e}: {label} at {p}, at 1e-9 at {q}");
        }
    }
}

const STIRRED_TANK: &str = r#"Smooth(states: ["u1", "u2"], parameters: {"p1": 0, "p2": 17, "p3": 3}, define: {"rate": "p1*(1 - u1)*exp(u2)"},
    equations: ["u1' = -u1 + rate", "u2' = -u2 + p2*rate - p3*u2"])"#;

/// Cycles with a sharp peak and a fold.
#[test]
fn cycles_of_the_stirred_tank_are_no_dearer_at_loose_tolerances() {
    let system = STIRRED_TANK.replace("17", "14");
    cycles(&system, ("p1", 0.0), r#"{"u1": 0, "u2": 0}"#, (0.0, 0.25), "");
}

/// Cycles that approach a homoclinic orbit: there the parameter stands still, but for the errors of the meshes.
#[test]
fn homoclinic_ends_are_no_dearer_at_loose_tolerances() {
    let more = "levels: {\"period\": [1000]}";
    cycles(STIRRED_TANK, ("p1", 0.0), r#"{"u1": 0, "u2": 0}"#, (0.0, 0.25), more);
}

#[test]
fn cycles_of_the_brusselator_are_no_dearer_at_loose_tolerances() {
    let system = r#"Smooth(states: ["x", "y"], parameters: {"b": 1.5}, equations: ["x' = 1 - (b + 1)*x + x^2*y", "y' = b*x - x^2*y"])"#;
    cycles(system, ("b", 1.5), r#"{"x": 1, "y": 1.5}"#, (1.5, 6.0), "");
}
