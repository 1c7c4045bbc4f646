//! Two-parameter curves of equilibria and of cycles of maps, against closed forms.

use super::support::{assert_close, curve, labelled, only, points, run, value};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use slipstick_bifurcation::Label;
use slipstick_study::RunResult;

/// A study of one curve of equilibria, or of fixed points of a map, with two-parameter curves from it.
fn study(system: &str, curve: &str, loci: &[&str]) -> RunResult {
    let text = format!(
        "Study(title: \"Closed forms\", system: {system}, curves: [Curve(name: \"rest\", {curve})], loci: [{}])",
        loci.join(", ")
    );
    let result = run(&text, &[]);
    assert!(result.missing.is_empty(), "{:?}", result.missing);
    result
}

#[test]
fn folds_and_hopf_points_meet_where_both_eigenvalues_vanish() {
    // x' = y, y' = a + b y + x² + x y: folds at a = 0, Hopf points at a = -b², b > 0.
    let result = study(
        r#"Smooth(states: ["x", "y"], parameters: {"a": -0.25, "b": 0.3}, equations: ["x' = y", "y' = a + b*y + x^2 + x*y"])"#,
        r#"orbit: Equilibrium, start: Guess(at: {"a": -0.25}, states: [{"x": -0.5, "y": 0}]), free: "a", range: (-1, 1), levels: {"x": [-0.4]}"#,
        &[
            r#"Locus(name: "fold", from: "rest: LP", free: ("b", "a"), range: ((-1, 1), (-1, 1)))"#,
            r#"Locus(name: "hopf", from: "rest: HB", free: ("b", "a"), range: ((-1, 1), (-1, 1)))"#,
            r#"Locus(name: "level", from: "rest: x=-0.4", free: ("b", "a"), range: ((-1, 1), (-1, 1)))"#,
        ],
    );
    for name in ["fold", "hopf"] {
        let locus = curve(&result, name);
        let bt = only(locus, Label::BT);
        assert_close(name, value(locus, bt, "a"), 0.0, 1e-12);
        assert_close(name, value(locus, bt, "b"), 0.0, 1e-11);
    }
    for p in points(curve(&result, "hopf")) {
        let (a, b) = (p.record.parameters[0], p.record.parameters[1]);
        assert_close("a", a, -b * b, 1e-12);
    }
    let level = curve(&result, "level");
    assert_eq!(labelled(level, Label::codimension_two(Label::UZ, Label::HB)).len(), 1);
    assert!(points(level).iter().all(|p| (value(level, p, "x") + 0.4).abs() < 1e-13));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, rng_seed: RngSeed::Fixed(5), failure_persistence: None, ..ProptestConfig::default() })]
    /// The normal form of Bogdanov and Takens with a third state, in random linear coordinates: two eigenvalues vanish
    /// together, and rounding would part them by its root.
    #[test]
    fn bogdanov_takens_points_on_fold_curves_have_all_digits(
        k in prop::array::uniform4(-1.5..1.5f64), c in 0.3..3.0f64, sign in prop::bool::ANY, tilt in -1.0..1.0f64,
    ) {
        let [k1, k2, k3, curved] = k;
        let s = if sign { 1.0 } else { -1.0 };
        // x' = y, y' = a + tilt b + b x + x² + s x y, z' = -c z + curved x²; u = x + k1 z, v = y + k2 u, w = z + k3 v.
        let system = format!(
            "Smooth(states: [\"u\", \"v\", \"w\"], parameters: {{\"a\": 0, \"b\": 1}}, define: {{\"z\": \"w - ({k3:?})*v\", \"y\": \"v - ({k2:?})*u\", \
             \"x\": \"u - ({k1:?})*z\", \"fz\": \"-{c:?}*z + ({curved:?})*x^2\", \"fu\": \"y + ({k1:?})*fz\", \
             \"fv\": \"a + ({tilt:?})*b + b*x + x^2 + ({s:?})*x*y + ({k2:?})*fu\"}}, equations: [\"u' = fu\", \"v' = fv\", \"w' = fz + ({k3:?})*fv\"])"
        );
        let a = -0.3 - tilt;
        let x = 0.5 * (-1.0 + (1.0 - 4.0 * -0.3f64).sqrt());
        // z = curved x²/c, w = z + k3 v, v = k2 u, u = x + k1 z.
        let z = curved * x * x / c;
        let u = x + k1 * z;
        let (v, w) = (k2 * u, z + k3 * k2 * u);
        let rest = format!(
            "orbit: Equilibrium, start: Guess(at: {{\"a\": {a:?}}}, states: [{{\"u\": {u:?}, \"v\": {v:?}, \"w\": {w:?}}}]), free: \"a\", range: ({:?}, {:?})",
            a - 0.5,
            a + 1.5
        );
        let locus = "Locus(name: \"fold\", from: \"rest: LP\", free: (\"b\", \"a\"), range: ((-1, 1.5), (-9, 9)))";
        let result = study(&system, &rest, &[locus]);
        let fold = curve(&result, "fold");
        let bt = only(fold, Label::BT);
        assert_close("b", value(fold, bt, "b"), 0.0, 1e-11);
        assert_close("a", value(fold, bt, "a"), 0.0, 1e-11);
    }
}

#[test]
fn folds_of_equilibria_meet_in_a_cusp() {
    // μ + λ x - x³: folds at 27 μ² = 4 λ³.
    let result = study(
        r#"Smooth(states: ["x"], parameters: {"mu": 0, "lambda": 1}, equations: ["x' = mu + lambda*x - x^3"])"#,
        r#"orbit: Equilibrium, start: Guess(at: {"mu": -2}, states: [{"x": -1.5}]), free: "mu", range: (-2, 2)"#,
        &[r#"Locus(name: "fold", from: "rest: LP", free: ("mu", "lambda"), range: ((-2, 2), (-1, 3)))"#],
    );
    let fold = curve(&result, "fold");
    let cusp = only(fold, Label::CP);
    assert_close("mu", value(fold, cusp, "mu"), 0.0, 1e-12);
    assert_close("lambda", value(fold, cusp, "lambda"), 0.0, 1e-9);
    for p in points(fold) {
        let (mu, lambda) = (value(fold, p, "mu"), value(fold, p, "lambda"));
        assert_close("cusp", 27.0 * mu * mu, 4.0 * lambda.powi(3), 1e-11);
    }
    // The AUTO demo's user points on the locus.
    assert!(result.curves.iter().filter(|c| c.name.starts_with("fold")).count() == 1);
}

#[test]
fn the_first_lyapunov_coefficient_vanishes_at_a_generalised_hopf_point() {
    // In coordinates bent by u = x + y², r' = r (a + b r² - r⁴), so l1 vanishes with b.
    let result = study(
        r#"Smooth(states: ["u", "y"], parameters: {"a": -0.2, "b": 0.4}, define: {"x": "u - y^2", "s": "x^2 + y^2", "g": "a + b*s - s^2"},
            equations: ["u' = g*x - y + 2*y*(g*y + x)", "y' = g*y + x"])"#,
        r#"orbit: Equilibrium, start: Guess(at: {"a": -0.2}, states: [{"u": 0, "y": 0}]), free: "a", range: (-0.5, 0.5)"#,
        &[r#"Locus(name: "hopf", from: "rest: HB", free: ("b", "a"), range: ((-1, 1), (-1, 1)))"#],
    );
    let hopf = curve(&result, "hopf");
    let gh = only(hopf, Label::GH);
    assert_close("b", value(hopf, gh, "b"), 0.0, 1e-10);
    assert_close("a", value(hopf, gh, "a"), 0.0, 1e-12);
}

#[test]
fn folds_meet_hopf_points_of_another_plane() {
    // z' = c - z², and a pair a + z ± 2i: folds at c = 0, Hopf points at c = a², both at a = c = 0.
    let result = study(
        r#"Smooth(states: ["x", "y", "z"], parameters: {"c": 1, "a": -0.3},
            equations: ["x' = (a + z)*x - 2*y", "y' = 2*x + (a + z)*y", "z' = c - z^2 + x^2 + y^2"])"#,
        r#"orbit: Equilibrium, start: Guess(at: {"c": 1}, states: [{"x": 0, "y": 0, "z": 1}]), free: "c", range: (-1, 2)"#,
        &[
            r#"Locus(name: "fold", from: "rest: LP", free: ("a", "c"), range: ((-1, 1), (-1, 1)))"#,
            r#"Locus(name: "hopf", from: "rest: HB", free: ("a", "c"), range: ((-1, 1), (-1, 1)))"#,
        ],
    );
    for name in ["fold", "hopf"] {
        let locus = curve(&result, name);
        let zh = only(locus, Label::ZH);
        assert_close(name, value(locus, zh, "a"), 0.0, 1e-9);
        assert_close(name, value(locus, zh, "c"), 0.0, 1e-12);
    }
}

#[test]
fn two_pairs_meet_the_imaginary_axis() {
    let result = study(
        r#"Smooth(states: ["x", "y", "z", "w"], parameters: {"a": -0.2, "b": -0.3},
            equations: ["x' = a*x - y - x^3 + 0.1*z^2", "y' = x + a*y", "z' = b*z - 1.7*w + 0.2*x*y", "w' = 1.7*z + b*w - w^3"])"#,
        r#"orbit: Equilibrium, start: Guess(at: {"a": -0.2}, states: [{"x": 0, "y": 0, "z": 0, "w": 0}]), free: "a", range: (-0.5, 0.5)"#,
        &[r#"Locus(name: "hopf", from: "rest: HB", free: ("b", "a"), range: ((-1, 1), (-1, 1)))"#],
    );
    let hopf = curve(&result, "hopf");
    let hh = only(hopf, Label::HH);
    assert_close("b", value(hopf, hh, "b"), 0.0, 1e-12);
}

#[test]
fn curves_of_the_henon_map_are_the_known_parabolas() {
    let result = study(
        r#"Map(states: ["x", "y"], parameters: {"a": 0.1, "b": 0.3}, equations: ["x+ = 1 - a*x^2 + y", "y+ = b*x"])"#,
        r#"orbit: FixedPoint, start: Guess(at: {"a": 0.1}, states: [{"x": 1.05, "y": 0.315}]), free: "a", range: (-0.5, 1.5), branches: [PD]"#,
        &[
            r#"Locus(name: "fold", from: "rest: LP", free: ("b", "a"), range: ((-1.5, 0.9), (-3, 6)))"#,
            r#"Locus(name: "flip", from: "rest: PD", free: ("b", "a"), range: ((-1.5, 0.9), (-3, 6)))"#,
            r#"Locus(name: "second", from: "rest-PD: PD", free: ("b", "a"), range: ((-0.9, 0.9), (-3, 6)))"#,
        ],
    );
    let known: [(&str, fn(f64) -> f64); 3] = [
        ("fold", |b| -0.25 * (1.0 - b).powi(2)),
        ("flip", |b| 0.75 * (1.0 - b).powi(2)),
        ("second", |b| (1.0 - b).powi(2) + 0.25 * (1.0 + b).powi(2)),
    ];
    for (name, a) in known {
        let locus = curve(&result, name);
        assert!(locus.len() > 10, "{name}");
        for p in points(locus) {
            assert_close(name, value(locus, p, "a"), a(value(locus, p, "b")), 1e-11);
        }
    }
    // The product of the multipliers is -b: at b = -1 both are the same, so each is known to half the digits.
    for (name, label) in [("fold", Label::R1), ("flip", Label::R2)] {
        let locus = curve(&result, name);
        assert_close(name, value(locus, only(locus, label), "b"), -1.0, 1e-7);
    }
}

#[test]
fn the_torus_curve_of_the_delayed_logistic_map() {
    // x⁺ = r x (1 - y) + c, y⁺ = x: r x = 1 and r (1 - x) = 2 cos θ along it.
    let result = study(
        r#"Map(states: ["x", "y"], parameters: {"r": 1.5, "c": 0}, equations: ["x+ = r*x*(1 - y) + c", "y+ = x"])"#,
        r#"orbit: FixedPoint, start: Guess(at: {"r": 1.5}, states: [{"x": 0.333, "y": 0.333}]), free: "r", range: (1.2, 3)"#,
        &[r#"Locus(name: "torus", from: "rest: NS", free: ("c", "r"), range: ((-1.5, 3), (0.2, 5)))"#],
    );
    let torus = curve(&result, "torus");
    for (label, r, c) in [(Label::R1, 3.0, -1.0 / 3.0), (Label::R4, 1.0, 1.0)] {
        let at = only(torus, label);
        assert_close(label.code(), value(torus, at, "r"), r, 1e-9);
        assert_close(label.code(), value(torus, at, "c"), c, 1e-9);
    }
    for p in points(torus) {
        // At R1, where the curve ends, the equations of a pair are singular.
        let tolerance = if p.label == Some(Label::R1) { 1e-9 } else { 1e-12 };
        assert_close("r x", value(torus, p, "r") * value(torus, p, "x"), 1.0, tolerance);
    }
}

/// The Hénon map: folds at a = -(1-b)²/4 and flips at a = 3(1-b)²/4, with double multipliers where b = -1.
#[test]
fn double_multipliers_are_located_to_rounding() {
    let text = r#"Study(title: "t",
        system: Map(states: ["x", "y"], parameters: {"a": 0.1, "b": 0.3}, equations: ["x+ = 1 - a*x^2 + y", "y+ = b*x"]),
        curves: [Curve(name: "fp", orbit: FixedPoint, start: All(at: {"a": 0.1}), free: "a", range: (-0.5, 1.4), within: {"x": (-5, 5)})],
        loci: [
            Locus(name: "flips", from: "fp: PD", free: ("a", "b"), range: ((-2, 4), (-2, 0.5))),
            Locus(name: "folds", from: "fp: LP", free: ("a", "b"), range: ((-2, 4), (-2, 0.5))),
        ])"#;
    let result = run(text, &[]);
    for (name, label, a) in [("folds", Label::R1, -1.0), ("flips", Label::R2, 3.0)] {
        let locus = curve(&result, name);
        let point = only(locus, label);
        assert_close("a", value(locus, point, "a"), a, 1e-11);
        assert_close("b", value(locus, point, "b"), -1.0, 1e-11);
    }
}

/// Three equal cells with equal coupling: where they part, two eigenvalues vanish together.
#[test]
fn a_curve_that_cannot_set_off_from_a_double_eigenvalue_says_how_many_pass() {
    let cell = |k: usize| {
        let (l, r) = ((k + 1) % 3, (k + 2) % 3);
        format!("\"u{k}' = -u{k} + p*(u{k} - (u0 + u1 + u2)/3) + q*(u{l} + u{r} - 2*u{k}) - u{k}^3\"")
    };
    let text = format!(
        "Study(title: \"cells\", system: Smooth(states: [\"u0\", \"u1\", \"u2\"], parameters: {{\"p\": 0, \"q\": 0.1}}, equations: [{}]), \
         curves: [Curve(name: \"rest\", orbit: Equilibrium, start: Guess(at: {{\"p\": 0}}, states: [{{\"u0\": 0, \"u1\": 0, \"u2\": 0}}]), \
         free: \"p\", range: (0, 2))], loci: [Locus(name: \"parting\", from: \"rest: BP\", free: (\"p\", \"q\"), range: ((0, 4), (0, 1)))])",
        (0..3).map(cell).collect::<Vec<_>>().join(", ")
    );
    let result = run(&text, &[]);
    let at = only(curve(&result, "rest"), Label::BP);
    assert_close("p", value(curve(&result, "rest"), at, "p"), 1.3, 1e-9);
    let said: String = result.missing.iter().map(|missing| format!("{missing:?}")).collect();
    assert!(
        said.contains("2 eigenvalues pass together there") && said.contains("Break the symmetry"),
        "{said}"
    );
}
