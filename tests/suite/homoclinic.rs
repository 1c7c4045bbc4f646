//! Families of cycles whose period grows without bound, and the parameter that they tend to.

use super::support::{assert_close, points, run, value};
use slipstick_bifurcation::Label;
use slipstick_study::CurveResult;

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

/// Where the unstable manifold of the saddle at the origin of x'' = x - x² + ε x'(l + x) returns to it: the energy lost
/// on the way round is zero. Melnikov: l = -∫x y dx / ∫y dx = -6/7 to second order in ε.
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

/// The canard cycles of van der Pol's equation shrink to the equilibrium at a = 1, where its trace vanishes, for any ε:
/// no branch point, and no folds on the way.
#[test]
fn canard_cycles_end_where_they_shrink_to_a_point() {
    for eps in [0.3, 0.1, 0.05, 0.02, 0.01] {
        let text = format!(
            r#"Study(title: "canard cycles",
                system: Smooth(states: ["x", "y"], parameters: {{"a": 0.5}}, equations: ["x' = (y - x^3/3 + x)/{eps}", "y' = a - x"]),
                curves: [Curve(name: "cycles", orbit: PeriodicOrbit, start: Settle(at: {{"a": 0.5}}, from: {{"x": 1.5}}), free: "a", range: (0.2, 1.5))])"#
        );
        let mut result = run(&text, &[]);
        let c = result.curves.remove(0);
        let last = points(&c).into_iter().next_back().unwrap();
        assert_eq!(last.label, Some(Label::HB), "ε = {eps}: {}", c.ended());
        assert!(last.message.contains("shrink to an equilibrium"), "{}", last.message);
        assert_close("a", last.point.parameter(), 1.0, 1e-6);
        let others: Vec<_> = points(&c).into_iter().filter_map(|p| p.label).collect();
        assert_eq!(others, [Label::EP, Label::HB], "ε = {eps}");
    }
}

/// How log₁₀ of the multipliers grows with the period along the last points of a curve, from the first of at least this
/// period.
fn growth(curve: &CurveResult, from: f64) -> Vec<f64> {
    let far: Vec<_> = points(curve).into_iter().filter(|p| p.record.period >= from).collect();
    let (first, last) = (far[0], far[far.len() - 1]);
    assert!(last.record.period > 1.5 * from, "{}", last.record.period);
    let pairs = last.record.multipliers.iter().zip(&first.record.multipliers);
    let time = last.record.period - first.record.period;
    pairs.map(|(a, b)| (a.log10 - b.log10) / time).collect()
}

/// Next to a homoclinic orbit a longer period is more time at the saddle. Where the leading eigenvalues are real, one
/// multiplier grows with their sum and the others with the other eigenvalues (Shilnikov et al., *Methods of Qualitative
/// Theory in Nonlinear Dynamics* II, §13).
#[test]
fn multipliers_next_to_a_homoclinic_orbit_grow_with_the_eigenvalues_of_the_saddle() {
    let ln10 = std::f64::consts::LN_10;
    let lorenz = run(
        r#"Study(title: "Lorenz", system: Smooth(states: ["x", "y", "z"], parameters: {"rho": 20, "sigma": 10, "beta": "8/3"},
                equations: ["x' = sigma*(y - x)", "y' = x*(rho - z) - y", "z' = x*y - beta*z"]),
            curves: [
                Curve(name: "rest", orbit: Equilibrium, start: Guess(at: {"rho": 20}, states: [{"x": 7, "y": 7, "z": 19}]), free: "rho", range: (10, 30)),
                Curve(name: "cycles", orbit: PeriodicOrbit, start: Point(from: "rest, HB"), free: "rho", range: (10, 30), levels: {"period": [160]})])"#,
        &[],
    );
    let lorenz = lorenz.curves.iter().find(|c| c.name == "cycles").unwrap();
    let root = (121.0f64 + 40.0 * (13.926557407520 - 1.0)).sqrt();
    let (unstable, strong, weak) = (0.5 * (root - 11.0), -0.5 * (root + 11.0), -8.0 / 3.0);
    let found = growth(lorenz, 20.0);
    assert_close("leading", found[0], (unstable + weak) / ln10, 1e-4);
    assert_close("strong", found[1], strong / ln10, 1e-6);
    // In a plane the multiplier is the exponential of the integrated divergence, here far from that of a loss of
    // digits.
    let tank = run(include_str!("../../studies/benchmarks/ab.ron"), &[]);
    for name in ["p2=17 cycles", "p2=18 cycles"] {
        let c = tank.curves.iter().find(|c| c.name == name).unwrap();
        let last = points(c).into_iter().next_back().unwrap();
        let (p1, p2) = (last.point.parameter(), if name.contains("17") { 17.0 } else { 18.0 });
        // At rest u1 = 4 u2 / p2 and u1 = p1 (1 - u1) e^{u2}; the saddle is the middle one of the three.
        let off = |u2: f64| p1 * (1.0 - 4.0 * u2 / p2) * u2.exp() - 4.0 * u2 / p2;
        let roots: Vec<f64> = (0..4000)
            .map(|i| i as f64 * 1e-3)
            .filter(|u| off(*u) * off(u + 1e-3) <= 0.0)
            .map(|u| {
                let (mut a, mut b) = (u, u + 1e-3);
                for _ in 0..60 {
                    let c = 0.5 * (a + b);
                    if off(a) * off(c) <= 0.0 { b = c } else { a = c }
                }
                0.5 * (a + b)
            })
            .collect();
        assert_eq!(roots.len(), 3, "{name}: {roots:?}");
        let (u1, heat) = (4.0 * roots[1] / p2, p1 * roots[1].exp());
        let trace = -1.0 - heat - 4.0 + p2 * heat * (1.0 - u1);
        let found = growth(c, 70.0);
        assert_close(name, found[0], trace / ln10, 1e-6);
        assert!(
            points(c)
                .iter()
                .all(|p| p.record.multipliers[0].is_real() && p.record.unstable == 1)
        );
        assert!(
            points(c).iter().all(|p| p.record.multipliers[0].arg == 0.0),
            "{name}: planar flows keep orientation"
        );
    }
}
