//! Families of cycles whose period grows without bound, and the parameter that they tend to.

use super::support::{assert_close, points, run, value};
use slipstick::bifurcation::Label;
use slipstick::study::CurveResult;

/// The parameter that the message of the last point extrapolates to.
fn limit(curve: &CurveResult) -> f64 {
    let last = points(curve).into_iter().next_back().unwrap();
    assert_eq!(last.label, Some(Label::EP), "{}", curve.ended());
    let words = &last.message;
    let after = words.split(" approaches ").nth(1).unwrap_or_else(|| panic!("{words}"));
    after.split(", ").next().unwrap().parse().unwrap()
}

/// A study of the cycles that leave the first Hopf point of the equilibria through `guess`.
fn cycles(system: &str, free: &str, at: f64, guess: &str, range: (f64, f64)) -> CurveResult {
    let text = format!(
        "Study(title: \"cycles\", system: {system}, curves: [
            Curve(name: \"rest\", orbit: Equilibrium, start: Guess(at: {{\"{free}\": {at}}}, states: [{guess}]), free: \"{free}\", range: {range:?}),
            Curve(name: \"cycles\", orbit: PeriodicOrbit, start: Point(from: \"rest, HB\"), free: \"{free}\", range: {range:?})])"
    );
    let mut result = run(&text, &[]);
    assert!(result.missing.is_empty(), "{:?}", result.missing);
    let at = result.curves.iter().position(|c| c.name == "cycles").unwrap();
    result.curves.swap_remove(at)
}

#[test]
fn the_lorenz_cycles_end_at_the_known_homoclinic_value() {
    let c = cycles(
        r#"Smooth(states: ["x", "y", "z"], parameters: {"rho": 20, "sigma": 10, "beta": "8/3"},
            equations: ["x' = sigma*(y - x)", "y' = x*(rho - z) - y", "z' = x*y - beta*z"])"#,
        "rho",
        20.0,
        r#"{"x": 7, "y": 7, "z": 19}"#,
        (10.0, 30.0),
    );
    let last = points(&c).into_iter().next_back().unwrap();
    assert!(
        last.message.contains("homoclinic end: the period grows without bound"),
        "{}",
        last.message
    );
    assert!(
        last.message.contains("near the equilibrium (x = 0.000000"),
        "{}",
        last.message
    );
    // C. Sparrow, The Lorenz Equations (1982): 13.926…; further digits by shooting along the unstable manifold.
    assert_close("rho", limit(&c), 13.926557407520, 1e-8);
    assert!(points(&c).len() < 500, "{}", points(&c).len());
}

/// Where the unstable manifold of the saddle at the origin of x'' = x - x² + ε x'(l + x) returns to it: the energy lost on the way round is zero.
/// Melnikov: l = -∫x y dx / ∫y dx = -6/7 to second order in ε.
#[test]
fn a_perturbed_hamiltonian_ends_at_the_value_of_melnikov() {
    let off = |eps: f64| {
        let c = cycles(
            &format!(
                r#"Smooth(states: ["x", "y"], parameters: {{"l": -0.95, "eps": {eps}}}, equations: ["x' = y", "y' = x - x^2 + eps*y*(l + x)"])"#
            ),
            "l",
            -0.95,
            r#"{"x": 1, "y": 0}"#,
            (-1.2, -0.5),
        );
        assert!(points(&c).len() < 500, "{}", points(&c).len());
        limit(&c) + 6.0 / 7.0
    };
    let (coarse, fine) = (off(0.2), off(0.1));
    assert!(coarse.abs() < 1e-3, "{coarse:e}");
    assert_close("second order", coarse / fine, 4.0, 0.1);
}

/// Relaxation oscillations and canards rest nowhere: their families go on.
#[test]
fn slow_motion_along_a_manifold_is_no_rest() {
    let c = cycles(
        r#"Smooth(states: ["x", "y"], parameters: {"a": 0.5, "eps": 0.02}, equations: ["x' = (y - x^3/3 + x)/eps", "y' = a - x"])"#,
        "a",
        1.1,
        r#"{"x": 1.1, "y": -0.66}"#,
        (0.2, 1.2),
    );
    let last = points(&c).into_iter().next_back().unwrap();
    assert!(last.message.contains("end of the range, a = 0.2"), "{}", c.ended());
    let a: Vec<f64> = points(&c).iter().map(|p| value(&c, p, "a")).collect();
    assert!(
        a.iter().all(|a| *a < 1.0 + 1e-9),
        "the canards lie below the Hopf point"
    );
}

/// Between two Hopf points a family of cycles ends where it shrinks to the equilibrium again, once.
#[test]
fn cycles_end_where_they_shrink_to_a_point() {
    let c = cycles(
        r#"Smooth(states: ["v", "w"], parameters: {"I": 0, "a": 0.7, "b": 0.8, "eps": 0.08}, equations: ["v' = v - v^3/3 - w + I", "w' = eps*(v + a - b*w)"])"#,
        "I",
        0.0,
        r#"{"v": -1.2, "w": -0.6}"#,
        (0.0, 2.0),
    );
    let last = points(&c).into_iter().next_back().unwrap();
    assert_eq!(last.label, Some(Label::HB), "{}", c.ended());
    assert!(last.message.contains("shrink to an equilibrium"), "{}", last.message);
    // The trace of the Jacobian vanishes at v² = 1 - εb, where w = v - v³/3 + I and w = (v + a)/b.
    let v = (1.0f64 - 0.08 * 0.8).sqrt();
    assert_close("I", last.point.parameter(), (v + 0.7) / 0.8 - v + v.powi(3) / 3.0, 1e-6);
    assert!(points(&c).len() < 500, "{}", points(&c).len());
}
