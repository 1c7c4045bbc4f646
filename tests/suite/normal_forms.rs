//! Criticality of bifurcations, curves of branch points, and points where a cubic coefficient vanishes, against closed
//! forms.

use super::support::{assert_close, curve, labelled, only, points, run, value};
use slipstick_bifurcation::{BranchPoint, Label};
use slipstick_study::RunResult;

/// The unit circle, gone round in 2π, with further equations.
fn circle(
    states: &str,
    parameters: &str,
    define: &str,
    equations: &str,
    guess: &str,
    range: (f64, f64),
    loci: &str,
) -> RunResult {
    let text = format!(
        "Study(title: \"A cycle in closed form\", system: Smooth(states: [\"u\", \"v\", {states}], parameters: {{{parameters}}}, define: {{{define}}},
            equations: [\"u' = u*(1 - u^2 - v^2) - v\", \"v' = v*(1 - u^2 - v^2) + u\", {equations}]),
            curves: [Curve(name: \"c\", orbit: PeriodicOrbit, start: Guess(at: {{\"mu\": {}}}, states: [{{\"u\": 1, \"v\": 0, {guess}}}],
                durations: [6.2832]), free: \"mu\", range: {range:?})], loci: [{loci}])",
        range.0 / 2.0
    );
    let result = run(&text, &[]);
    assert!(result.missing.is_empty(), "{:?}", result.missing);
    result
}

/// The number behind this name in a message.
fn coefficient(point: &BranchPoint, name: &str) -> f64 {
    let words = point.message.split(&format!("{name} = ")).nth(1);
    let words = words.unwrap_or_else(|| panic!("no {name} in: {}", point.message));
    let number: String = words
        .chars()
        .take_while(|c| !c.is_whitespace() && *c != ')' && *c != ',')
        .collect();
    number.parse().unwrap()
}

/// A band with half a twist about the circle: along it a' = μ a + c a³, across it b' = -b. After a period a goes to -a
/// e^{2πμ} + …, whose cubic coefficient at μ = 0 is -2πc.
fn twisted(c: f64, loci: &str) -> RunResult {
    circle(
        r#""x", "y""#,
        &format!(r#""mu": -0.1, "c": {c}"#),
        r#""a2": "(x^2*(1+u) + 2*x*y*v + y^2*(1-u))/2", "g": "mu + c*a2""#,
        r#""x' = g*(x*(1+u) + y*v)/2 + (y*v - x*(1-u))/2 - y/2", "y' = g*(x*v + y*(1-u))/2 - (y*(1+u) - x*v)/2 + x/2""#,
        r#""x": 0, "y": 0"#,
        (-0.2, 0.2),
        loci,
    )
}

#[test]
fn the_cubic_coefficient_of_a_period_doubling_of_a_flow() {
    for (c, word) in [
        (-0.5, "; supercritical: the doubled orbit is stable"),
        (0.25, "; subcritical"),
    ] {
        let result = twisted(c, "");
        let pd = only(curve(&result, "c"), Label::PD);
        assert!(pd.message.contains(word), "{}", pd.message);
        assert_close("c", coefficient(pd, "c"), -std::f64::consts::TAU * c, 1e-6);
    }
}

#[test]
fn a_period_doubling_turns_over_where_its_coefficient_vanishes() {
    let result = twisted(
        -0.5,
        r#"Locus(name: "pd", from: "c: PD", free: ("c", "mu"), range: ((-1, 0.5), (-0.1, 0.1)), step: Step(largest: 0.2))"#,
    );
    let locus = curve(&result, "pd");
    let point = only(locus, Label::GPD);
    assert_close("c", value(locus, point, "c"), 0.0, 1e-8);
}

/// A rotation about the circle, z' = (μ + iω) z + d |z|² z: the map w → e^{iθ} w (1 + 4πd |w|²) with eigenvectors of
/// length one.
#[test]
fn the_coefficient_of_a_torus() {
    let result = circle(
        r#""x", "y""#,
        r#""mu": -0.1, "d": -0.5, "w": 0.3"#,
        "",
        r#""x' = (mu + d*(x^2+y^2))*x - w*y", "y' = (mu + d*(x^2+y^2))*y + w*x""#,
        r#""x": 0, "y": 0"#,
        (-0.2, 0.2),
        r#"Locus(name: "ns", from: "c: NS", free: ("d", "mu"), range: ((-1, 0.5), (-0.1, 0.1)), step: Step(largest: 0.2))"#,
    );
    let ns = only(curve(&result, "c"), Label::NS);
    assert!(
        ns.message.contains("; supercritical: the torus is stable"),
        "{}",
        ns.message
    );
    assert!(ns.message.contains("rotation number 0.3000000000"), "{}", ns.message);
    assert_close("d", coefficient(ns, "d"), -std::f64::consts::TAU, 1e-6);
    let locus = curve(&result, "ns");
    assert_close("d", value(locus, only(locus, Label::CH), "d"), 0.0, 1e-8);
}

/// x' = (μ + k²) x + q x² + c x³ beside the circle: branch points at μ = -k², pitchforks if q = 0.
#[test]
fn branch_points_of_cycles() {
    let beside = |q: f64| {
        circle(
            r#""x""#,
            &format!(r#""mu": -0.1, "k": 0.1, "q": {q}, "c": -0.5"#),
            "",
            r#""x' = (mu + k^2)*x + q*x^2 + c*x^3""#,
            r#""x": 0"#,
            (-0.2, 0.2),
            r#"Locus(name: "shift", from: "c: BP", free: ("k", "mu"), range: ((-0.4, 0.4), (-0.2, 0.2)), step: Step(largest: 0.1)),
               Locus(name: "cubic", from: "c: BP", free: ("c", "mu"), range: ((-1, 1), (-0.2, 0.2)), step: Step(largest: 0.2)),
               Locus(name: "q", from: "c: BP", free: ("q", "mu"), range: ((-1, 1), (-0.2, 0.2)), step: Step(largest: 0.2))"#,
        )
    };
    let pitchfork = beside(0.0);
    let bp = only(&pitchfork.curves[0], Label::BP);
    assert!(bp.message.contains("a pitchfork, supercritical"), "{}", bp.message);
    assert_close("b", coefficient(bp, "b"), -std::f64::consts::PI, 1e-6);
    let locus = curve(&pitchfork, "shift");
    assert_close(
        "whole range",
        points(locus).last().unwrap().point.parameter().abs(),
        0.4,
        1e-12,
    );
    for p in points(locus) {
        assert_close("mu", value(locus, p, "mu"), -value(locus, p, "k").powi(2), 1e-9);
    }
    let degenerate = pitchfork
        .curves
        .iter()
        .filter(|c| c.free == "c, mu")
        .collect::<Vec<_>>();
    assert_close(
        "c",
        value(degenerate[0], only(degenerate[0], Label::DP), "c"),
        0.0,
        1e-7,
    );

    let transcritical = beside(0.3);
    let bp = only(&transcritical.curves[0], Label::BP);
    assert!(bp.message.contains("transcritical"), "{}", bp.message);
    assert_close("a", coefficient(bp, "a").abs(), 0.3 * std::f64::consts::TAU, 1e-6);
    let locus = curve(&transcritical, "q");
    assert_close("q", value(locus, only(locus, Label::DP), "q"), 0.0, 1e-7);
}

/// One curve of points, with two-parameter curves from it.
fn from_points(system: &str, curve: &str, loci: &str) -> RunResult {
    let text = format!(
        "Study(title: \"Closed forms\", system: {system}, curves: [Curve(name: \"rest\", {curve})], loci: [{loci}])"
    );
    let result = run(&text, &[]);
    assert!(result.missing.is_empty(), "{:?}", result.missing);
    result
}

/// The Lorenz origin loses its stability in a pitchfork at ρ = 1, whatever σ and β are.
#[test]
fn the_pitchfork_of_the_lorenz_system_stays() {
    let result = from_points(
        r#"Smooth(states: ["x", "y", "z"], parameters: {"rho": 0, "sigma": 10, "beta": "8/3"},
            equations: ["x' = sigma*(y - x)", "y' = rho*x - y - x*z", "z' = x*y - beta*z"])"#,
        r#"orbit: Equilibrium, start: Guess(at: {"rho": 0.5}, states: [{"x": 0, "y": 0, "z": 0}]), free: "rho", range: (0, 5)"#,
        r#"Locus(name: "sigma", from: "rest: BP", free: ("sigma", "rho"), range: ((1, 20), (0, 5)))"#,
    );
    let locus = curve(&result, "sigma");
    assert!(points(locus).len() > 5);
    for p in points(locus) {
        assert_close("rho", value(locus, p, "rho"), 1.0, 1e-12);
    }
    for (end, sigma) in [(points(locus)[0], 1.0), (points(locus)[points(locus).len() - 1], 20.0)] {
        assert_close("sigma", value(locus, end, "sigma"), sigma, 1e-12);
    }
}

/// Fish and sharks: the family without fish is met at quota = p2/p3, the one without sharks at fish = 1/p4.
#[test]
fn transcritical_points_of_a_population_stay() {
    let text = include_str!("../../studies/benchmarks/pp2.ron");
    let loci = r#"loci: [
        Locus(name: "fish", from: "steady: BP", free: ("p3", "quota"), range: ((3, 10), (0, 2))),
        Locus(name: "sharks", from: "steady-BP1a: BP", free: ("p4", "quota"), range: ((2, 5), (0, 2))),
    ], figures: ["#;
    let result = run(&text.replace("figures: [", loci), &[]);
    assert!(result.missing.is_empty(), "{:?}", result.missing);
    let fish = curve(&result, "fish");
    for p in points(fish) {
        assert_close("quota", value(fish, p, "quota"), 3.0 / value(fish, p, "p3"), 1e-10);
    }
    let sharks = curve(&result, "sharks");
    assert!(points(sharks).len() > 5);
    for p in points(sharks) {
        let f = 1.0 / value(sharks, p, "p4");
        assert_close(
            "quota",
            value(sharks, p, "quota"),
            3.0 * f * (1.0 - f) / (1.0 - (-5.0 * f).exp()),
            1e-10,
        );
    }
}

/// x' = p x + q x³ + s x y - x⁵, y' = -y + x²: a pitchfork at p = 0 with the cubic coefficient q + s.
#[test]
fn a_pitchfork_degenerates() {
    let result = from_points(
        r#"Smooth(states: ["x", "y"], parameters: {"p": -1, "q": -1, "s": 0.25}, equations: ["x' = p*x + q*x^3 + s*x*y - x^5", "y' = -y + x^2"])"#,
        r#"orbit: Equilibrium, start: Guess(at: {"p": -1}, states: [{"x": 0, "y": 0}]), free: "p", range: (-1, 1)"#,
        r#"Locus(name: "bp", from: "rest: BP", free: ("q", "p"), range: ((-1, 1), (-1, 1)))"#,
    );
    let locus = curve(&result, "bp");
    assert_close("q", value(locus, only(locus, Label::DP), "q"), -0.25, 1e-9);
    assert!(points(locus).iter().all(|p| value(locus, p, "p").abs() < 1e-12));
}

/// A crossing that nothing protects comes apart as soon as the second parameter moves, and the curve says so.
#[test]
fn a_chance_crossing_does_not_stay() {
    let result = from_points(
        r#"Smooth(states: ["x"], parameters: {"p": -1, "h": 0}, equations: ["x' = h + p*x - x^2"])"#,
        r#"orbit: Equilibrium, start: Guess(at: {"p": -1}, states: [{"x": 0}]), free: "p", range: (-1, 1)"#,
        r#"Locus(name: "bp", from: "rest: BP", free: ("h", "p"), range: ((-1, 1), (-1, 1)))"#,
    );
    let locus = curve(&result, "bp");
    assert!(locus.ended().contains("no longer intersect"), "{}", locus.ended());
    assert!(points(locus).iter().all(|p| value(locus, p, "h").abs() < 1e-6));
}

#[test]
fn codimension_two_on_curves_of_a_map() {
    // -(1 + μ) x + a x² + b x³ doubles its period at μ = 0 with the coefficient a² + b; fixed points branch off at 0
    // where r + s = 1.
    let result = from_points(
        r#"Map(states: ["x"], parameters: {"mu": -0.1, "a": 1.2, "b": 0}, equations: ["x+ = -(1 + mu)*x + a*x^2 + b*x^3"])"#,
        r#"orbit: FixedPoint, start: Guess(at: {"mu": -0.1}, states: [{"x": 0}]), free: "mu", range: (-0.5, 0.5)"#,
        r#"Locus(name: "pd", from: "rest: PD", free: ("b", "mu"), range: ((-3, 3), (-0.5, 0.5)))"#,
    );
    let locus = curve(&result, "pd");
    assert_close("b", value(locus, only(locus, Label::GPD), "b"), -1.44, 1e-9);
    let result = from_points(
        r#"Map(states: ["x"], parameters: {"r": 0.5, "s": 0.25, "c": 0.5}, equations: ["x+ = (r + s^2)*x + c*x^2"])"#,
        r#"orbit: FixedPoint, start: Guess(at: {"r": 0.5}, states: [{"x": 0}]), free: "r", range: (0, 2)"#,
        r#"Locus(name: "bp", from: "rest: BP", free: ("s", "r"), range: ((-0.8, 0.8), (0, 2)))"#,
    );
    let locus = curve(&result, "bp");
    assert!(points(locus).len() > 5);
    for p in points(locus) {
        assert_close("r", value(locus, p, "r"), 1.0 - value(locus, p, "s").powi(2), 1e-11);
    }
    // A rotation with (1 + μ + d r²): a closed invariant curve, stable for d < 0.
    let result = from_points(
        r#"Map(states: ["x", "y"], parameters: {"mu": -0.1, "d": -0.4}, define: {"g": "1 + mu + d*(x^2 + y^2)"},
            equations: ["x+ = g*(x*cos(1) - y*sin(1))", "y+ = g*(x*sin(1) + y*cos(1))"])"#,
        r#"orbit: FixedPoint, start: Guess(at: {"mu": -0.1}, states: [{"x": 0, "y": 0}]), free: "mu", range: (-0.5, 0.5)"#,
        r#"Locus(name: "ns", from: "rest: NS", free: ("d", "mu"), range: ((-1, 1), (-0.5, 0.5)))"#,
    );
    let locus = curve(&result, "ns");
    assert_close("d", value(locus, only(locus, Label::CH), "d"), 0.0, 1e-9);
    assert_eq!(labelled(locus, Label::R3).len(), 0);
}

/// Langford's system turns about its axis: a torus of its cycle is a cycle of the system in radius and height. The
/// coefficient of the return map after the period T is that of the Hopf point of the latter, d = T ω l₁.
#[test]
fn the_torus_of_langford_is_a_cycle_in_the_half_plane() {
    let result = from_points(
        r#"Smooth(states: ["r", "z"], parameters: {"a": 0.5}, equations: ["r' = r*(z - 0.7)", "z' = 0.6 + a*z - z^3/3 - r^2*(1 + 0.25*z)"])"#,
        r#"orbit: Equilibrium, start: Guess(at: {"a": 0.5}, states: [{"r": 0.8, "z": 0.7}]), free: "a", range: (0.1, 2)"#,
        "",
    );
    let hopf = only(&result.curves[0], Label::HB);
    let wanted = std::f64::consts::TAU / 3.5 * coefficient(hopf, "l1") * hopf.record.eigenvalues[0].im;
    let text = r#"Study(title: "Langford", system: Smooth(states: ["x", "y", "z"], parameters: {"a": 0.5},
        equations: ["x' = (z - 0.7)*x - 3.5*y", "y' = 3.5*x + (z - 0.7)*y", "z' = 0.6 + a*z - z^3/3 - (x^2 + y^2)*(1 + 0.25*z)"]),
        curves: [Curve(name: "c", orbit: PeriodicOrbit, start: Settle(at: {"a": 0.5}, from: {"x": 0.5, "z": 0.5}), free: "a", range: (0.1, 2))])"#;
    let result = run(text, &[]);
    let c = curve(&result, "c");
    let torus = only(c, Label::NS);
    assert_close("a", value(c, torus, "a"), hopf.point.parameter(), 1e-9);
    assert!(torus.message.contains("; supercritical"), "{}", torus.message);
    assert_close("d", coefficient(torus, "d"), wanted, 1e-5);
}

/// Of the cascade of Rössler's cycles each doubling is soft.
#[test]
fn the_cascade_of_roessler_is_supercritical() {
    let text = r#"Study(title: "Rössler", system: Smooth(states: ["x", "y", "z"], parameters: {"a": 0.2, "b": 0.2, "c": 2},
        equations: ["x' = -y - z", "y' = x + a*y", "z' = b + z*(x - c)"]),
        curves: [Curve(name: "c", orbit: PeriodicOrbit, start: Settle(at: {"c": 2}, from: {"x": 1}), free: "c", range: (2, 4.5), directions: Up,
            branches: [PD], generations: 2)])"#;
    let result = run(text, &[]);
    for name in ["c", "c-PD1a", "c-PD1a-PD1a"] {
        let doubling = labelled(curve(&result, name), Label::PD);
        assert!(
            doubling[0]
                .message
                .contains("; supercritical: the doubled orbit is stable"),
            "{}",
            doubling[0].message
        );
    }
    // The doubled orbit is stable beyond the doubling, as the coefficient says.
    assert!(points(curve(&result, "c-PD1a"))[2].record.stable());
}
