//! Two-parameter curves: agreement with one-parameter labels and with closed forms, points of codimension two.

use super::support::{STICTION, assert_close, curve, labelled, only, points, run, value};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use slipstick_bifurcation::{BranchPoint, Label};
use slipstick_study::{self as study, CurveResult};
use std::f64::consts::{FRAC_PI_4, PI};
use std::sync::LazyLock;

const CHART: &str = include_str!("../../studies/stiction_chart.ron");

/// The curves of the shipped chart.
static RESULT: LazyLock<study::RunResult> = LazyLock::new(|| run(CHART, &[]));

/// Ω at the user point with this value of another column.
fn omega_at(curve: &CurveResult, column: &str, level: f64) -> f64 {
    let all = labelled(curve, Label::UZ);
    let hit = all.iter().find(|p| (value(curve, p, column) - level).abs() < 1e-11);
    value(
        curve,
        hit.unwrap_or_else(|| panic!("no {column} = {level} on {}", curve.name)),
        "Omega",
    )
}

#[test]
fn the_chart_agrees_with_the_theory_at_another_material() {
    assert!(RESULT.missing.is_empty(), "{:?}", RESULT.missing);
    for (name, omega) in [
        ("low", 0.4888762821753069),
        ("high", 1.370062207189407),
        ("fold", 0.3662347427692499),
        ("tangency", 0.3854314983289624),
        ("breaking", 1.636313924158735),
        ("corner", 1.595094086971707),
        ("doubling", 1.448336651563002),
    ] {
        assert_close(name, omega_at(curve(&RESULT, name), "mu_s", 1.05), omega, 1e-9);
    }
}

#[test]
fn the_fold_ends_on_the_pure_slip_limit() {
    let codimension_two_points = [
        ("fold", Label::codimension_two(Label::LP, Label::VS)),
        ("low", Label::codimension_two(Label::VS, Label::LP)),
    ];
    for (name, label) in codimension_two_points {
        let curve = curve(&RESULT, name);
        let end = only(curve, label);
        assert_close(name, value(curve, end, "Omega"), 0.5756797043232464, 1e-9);
        assert_close(name, value(curve, end, "mu_s"), 1.206974664945706, 1e-9);
        assert_close("stick", value(curve, end, "stick"), 0.0, 1e-9);
        assert_close("nu", value(curve, end, "nu"), 1.0, 1e-7);
    }
    let ended = curve(&RESULT, "fold").ended();
    assert!(
        ended.contains("LP+VS: ") && ended.contains("`stick`) vanishes"),
        "{ended}"
    );
}

#[test]
fn one_parameter_labels_lie_on_the_chart_at_any_material() {
    for mu_d in [0.3, 0.5] {
        let other = run(STICTION, &[("mu_d", mu_d)]);
        let text = CHART.replace("[0.5]", &format!("[{mu_d}]"));
        let chart = run(&text, &[]);
        let stiff = curve(&other, "stiff");
        let compliant = curve(&other, "compliant");
        let labels = [
            ("fold d", compliant, Label::LP),
            ("tangency d", compliant, Label::VT),
            ("slip d", compliant, Label::VS),
            ("breaking d", stiff, Label::SB),
        ];
        for (name, branch, label) in labels {
            let wanted: Vec<f64> = labelled(branch, label)
                .iter()
                .map(|p| value(branch, p, "Omega"))
                .collect();
            let locus = curve(&chart, name);
            let found: Vec<f64> = labelled(locus, Label::UZ)
                .iter()
                .map(|p| value(locus, p, "Omega"))
                .collect();
            // The chart ends at Ω = 2.
            for w in wanted.iter().filter(|w| **w < 2.0) {
                let off = found.iter().map(|f| (f - w).abs()).fold(f64::INFINITY, f64::min);
                assert!(off < 1e-9, "{name} at mu_d = {mu_d}: {w} is not among {found:?}");
            }
            assert!(
                name == "breaking d" && mu_d > 0.48 || !wanted.is_empty(),
                "{name} {mu_d}"
            );
        }
    }
}

/// The labels of one-parameter runs at some values of a parameter lie on the chart's curves, and the curves pass
/// nowhere else.
fn chart_agrees(parameter: &str, suffix: &str, values: &[f64]) {
    let levels: Vec<String> = values.iter().map(|v| format!("{v:?}")).collect();
    let chart = run(
        &CHART.replace(
            &format!("levels: {{\"{parameter}\": ["),
            &format!("levels: {{\"{parameter}\": [{}, ", levels.join(", ")),
        ),
        &[],
    );
    let (head, _) = CHART.split_once("    loci: [").unwrap();
    let curves_only = format!("{head})");
    for &at in values {
        let other = run(&curves_only, &[(parameter, at)]);
        let labels = |name: &str, label: Label, within: (f64, f64)| -> Vec<f64> {
            let own = other
                .curves
                .iter()
                .filter(|c| c.name == name || name == "stiff-SB" && c.name.starts_with("stiff-SB"));
            own.flat_map(|c| labelled(c, label).into_iter().map(|p| value(c, p, "Omega")))
                .filter(|omega| (within.0..within.1).contains(omega))
                .collect()
        };
        for (locus, name, label, low, high) in [
            ("low", "compliant", Label::VS, 0.1, 2.0),
            ("fold", "compliant", Label::LP, 0.1, 2.0),
            ("tangency", "compliant", Label::VT, 0.1, 2.0),
            ("high", "stiff", Label::VS, 0.1, 2.0),
            ("breaking", "stiff", Label::SB, 0.1, 2.0),
            ("corner", "stiff-SB", Label::VS, 0.1, 2.0),
            ("doubling", "stiff-SB", Label::PD, 0.1, 2.0),
        ] {
            let called = match (suffix, locus) {
                ("", _) => locus.to_owned(),
                (_, "low") => "slip d".to_owned(),
                (_, "high") => continue,
                _ => format!("{locus}{suffix}"),
            };
            let wanted = labels(name, label, (low, high));
            let found: Vec<f64> = chart
                .curves
                .iter()
                .filter(|c| c.name == called || c.name.strip_prefix(&called).is_some_and(|r| r.starts_with('-')))
                .flat_map(|c| {
                    let own = labelled(c, Label::UZ).into_iter();
                    own.filter(move |p| (value(c, p, parameter) - at).abs() < 1e-11)
                        .map(move |p| value(c, p, "Omega"))
                })
                .collect();
            let missed = |a: &[f64], b: &[f64]| -> Option<f64> {
                let off = |w: &f64| b.iter().map(|f| (f - w).abs()).fold(f64::INFINITY, f64::min);
                a.iter().copied().find(|w| off(w) > 1e-9)
            };
            // Every label lies on the chart's curve; the corner is one of several vanishing segments on its branch.
            if locus != "corner" {
                assert_eq!(
                    missed(&wanted, &found),
                    None,
                    "{called} at {parameter} = {at}: {wanted:?} / {found:?}"
                );
            }
            if locus == "corner" || locus == "doubling" {
                assert_eq!(
                    missed(&found, &wanted),
                    None,
                    "{called} at {parameter} = {at}: {wanted:?} / {found:?}"
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2, rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_chart_is_the_set_of_labels_at_any_static_friction(a in 0.9..1.2f64, b in 1.2..1.4f64) {
        chart_agrees("mu_s", "", &[a, b]);
    }

    #[test]
    fn the_chart_is_the_set_of_labels_at_any_dynamic_friction(a in 0.36..0.44f64, b in 0.44..0.6f64) {
        chart_agrees("mu_d", " d", &[a, b]);
    }
}

#[test]
fn folds_meet_in_a_cusp() {
    let fold = curve(&RESULT, "fold d");
    let cusp = only(fold, Label::CP);
    let (omega, mu_d) = (value(fold, cusp, "Omega"), value(fold, cusp, "mu_d"));
    // One-parameter runs see two folds on one side of it and none on the other.
    for (side, folds) in [(-1e-3, 2), (1e-3, 0)] {
        let text = STICTION
            .replace("range: (0.3, 1.0)", "range: (0.8, 1.2)")
            .replace("\"Omega\": 0.5", "\"Omega\": 0.99");
        let other = run(
            &text.replace("\"Omega\": [0.5]", "\"Omega\": []"),
            &[("mu_d", mu_d + side)],
        );
        let all: Vec<_> = other
            .curves
            .iter()
            .filter(|c| c.name.starts_with("compliant"))
            .flat_map(|c| labelled(c, Label::LP).into_iter().map(|p| value(c, p, "Omega")))
            .collect();
        assert_eq!(all.len(), folds, "{all:?} at {side}");
        assert!(all.iter().all(|o| (o - omega).abs() < 0.02), "{all:?}");
    }
}

#[test]
fn pure_slip_loses_its_amplitude_bound_at_the_resonance() {
    // At Ω = 1 pure slip exists at any amplitude when μ_d = π/4: a multiplier is +1 there.
    let slip = curve(&RESULT, "slip d");
    let codimension_two = labelled(slip, Label::codimension_two(Label::VS, Label::LP));
    let nearest = codimension_two
        .iter()
        .map(|p| {
            (value(slip, p, "Omega") - 1.0)
                .abs()
                .max((value(slip, p, "mu_d") - FRAC_PI_4).abs())
        })
        .fold(f64::INFINITY, f64::min);
    assert!(nearest < 1e-9, "{nearest:e}");
    // And everywhere on the limit the amplitude of the closed form is the static bound.
    for p in points(slip) {
        let (w, d) = (value(slip, p, "Omega"), value(slip, p, "mu_d"));
        if (w - 1.0).abs() > 1e-3 {
            let cos = (1.0 - w * w) * d / w * (0.5 * PI * w).tan();
            let a = (1.0 - cos * cos).sqrt() / (1.0 - w * w).abs();
            assert_close("amplitude", a, 1.1, 1e-9 / (w - 1.0).powi(2));
        }
    }
}

#[test]
fn curves_of_the_asymmetric_orbits_meet_in_the_hub() {
    let (breaking, corner) = (curve(&RESULT, "breaking d"), curve(&RESULT, "corner d"));
    let hub = only(breaking, Label::codimension_two(Label::SB, Label::VS));
    let end = only(corner, Label::codimension_two(Label::VS, Label::VS));
    for column in ["Omega", "mu_d", "x_max"] {
        assert_close(column, value(corner, end, column), value(breaking, hub, column), 1e-8);
    }
}

#[test]
fn user_levels_are_kept_in_two_parameters() {
    let text = STICTION.replace(
        "    figures: [",
        r#"    loci: [
            Locus(name: "phase", from: "stiff: theta0=-0.5", free: ("mu_s", "Omega"), range: ((0.9, 1.3), (0.5, 15))),
            Locus(name: "height", from: "stiff: y_max=0.6", free: ("mu_d", "Omega"), range: ((0.2, 0.5), (0.5, 15))),
            Locus(name: "rest", from: "stiff: stick=1", free: ("mu_d", "mu_s"), range: ((0.2, 0.5), (0.5, 1.5))),
        ],
        figures: ["#,
    );
    let levels = r#"levels: {"theta0": [-0.5], "y_max": [0.6], "stick": [1], "#;
    let result = run(
        &text.replace(
            "range: (1.0, 15.0),\n            levels: {",
            &format!("range: (1.0, 15.0),\n            {levels}"),
        ),
        &[],
    );
    assert!(result.missing.is_empty(), "{:?}", result.missing);
    for (name, column, level) in [
        ("phase", "theta0", -0.5),
        ("height", "y_max", 0.6),
        ("rest", "stick", 1.0),
    ] {
        let locus = curve(&result, name);
        assert!(
            locus.len() > 5 && locus.ended().matches("reached the end of the range").count() == 2,
            "{}",
            locus.ended()
        );
        for p in points(locus) {
            assert_close(name, value(locus, p, column), level, 1e-10);
        }
    }
}

/// A planar cycle r = 1, φ' = 1, with two more states that a multiplier ±e^{2πa} or a pair e^{2π(a ± ib)} belongs to.
fn beside_a_circle(more: &str, parameters: &str, locus: &str) -> study::RunResult {
    let text = format!(
        r#"Study(
            title: "Closed forms",
            system: Smooth(
                states: ["x", "y", "z", "w"],
                parameters: {parameters},
                define: {{"h": "1 - x^2 - y^2"}},
                equations: ["x' = h*x - y", "y' = h*y + x", {more}],
            ),
            curves: [Curve(
                name: "circle",
                orbit: Periodic("smooth"),
                start: Guess(at: {{}}, states: [{{"x": 1, "y": 0, "z": 0, "w": 0}}], durations: [6.3]),
                free: "a",
                range: (-0.2, 0.3),
            )],
            loci: [{locus}],
        )"#,
    );
    run(&text, &[])
}

#[test]
fn torus_curves_pass_the_strong_resonances() {
    // The rotation within a period is b on average, the growth a, whatever the modulation.
    let result = beside_a_circle(
        r#""z' = (a + 0.3*x)*z - (b + 0.2*y)*w - z*(z^2 + w^2)", "w' = (b + 0.2*y)*z + (a + 0.3*x)*w - w*(z^2 + w^2)""#,
        r#"{"a": -0.1, "b": 0.29}"#,
        r#"Locus(name: "torus", from: "circle: NS", free: ("b", "a"), range: ((0.22, 0.9), (-0.3, 0.3)))"#,
    );
    let torus = curve(&result, "torus");
    // The pair passes itself at -1, as it is a rotation, and the same angles come again.
    assert_close("R2", value(torus, only(torus, Label::R2), "b"), 0.5, 1e-9);
    for (label, b) in [
        (Label::R3, 1.0 / 3.0),
        (Label::R4, 0.25),
        (Label::R3, 2.0 / 3.0),
        (Label::R4, 0.75),
    ] {
        let near = |p: &&BranchPoint| p.label == Some(label) && (value(torus, p, "b") - b).abs() < 1e-9;
        assert_eq!(points(torus).into_iter().filter(near).count(), 1, "{label} at {b}");
    }
    for p in points(torus) {
        assert!(value(torus, p, "a").abs() < 1e-10);
    }
}

#[test]
fn period_doubling_curves_pass_a_second_doubling_with_an_eigenvector_of_its_own() {
    // In a frame that makes half a turn a period: p' = a p - p³, q' = b q.
    let result = beside_a_circle(
        r#""z' = 0.5*(a + b)*z + 0.5*(a - b)*(x*z + y*w) - 0.5*w - z*(z^2 + w^2)", "w' = 0.5*(a + b)*w + 0.5*(a - b)*(y*z - x*w) + 0.5*z - w*(z^2 + w^2)""#,
        r#"{"a": -0.1, "b": -0.2}"#,
        r#"Locus(name: "doubling", from: "circle: PD", free: ("b", "a"), range: ((-0.2, 0.1), (-0.3, 0.3)))"#,
    );
    let doubling = curve(&result, "doubling");
    let second = only(doubling, Label::codimension_two(Label::PD, Label::PD));
    assert_close("PD+PD", value(doubling, second, "b"), 0.0, 1e-9);
    for p in points(doubling) {
        assert!(value(doubling, p, "a").abs() < 1e-10);
    }
}

#[test]
fn folds_of_cycles_meet_in_a_cusp() {
    // s = x² + y² - 1 obeys s' = 2 (1 + s)(a + b s - s³): folds at 27 a² = 4 b³.
    let text = r#"Study(
        title: "Cusp of cycles",
        system: Smooth(
            states: ["x", "y"],
            parameters: {"a": 0, "b": 0.1},
            define: {"s": "x^2 + y^2 - 1", "g": "a + b*s - s^3"},
            equations: ["x' = g*x - (1 + 0.3*s)*y", "y' = g*y + (1 + 0.3*s)*x"],
        ),
        curves: [Curve(
            name: "cycle",
            orbit: Periodic("smooth"),
            start: Guess(at: {}, states: [{"x": 1.15, "y": 0}], durations: [5.7]),
            free: "a",
            range: (-0.1, 0.1),
        )],
        loci: [Locus(name: "fold", from: "cycle: LP", free: ("a", "b"), range: ((-0.1, 0.1), (-0.1, 0.2)))],
    )"#;
    let result = run(text, &[]);
    let fold = curve(&result, "fold");
    assert!(
        result.curves.iter().filter(|c| c.name.starts_with("fold")).count() == 1,
        "both folds lie on one curve"
    );
    let cusp = only(fold, Label::CP);
    assert_close("a", value(fold, cusp, "a"), 0.0, 1e-10);
    assert_close("b", value(fold, cusp, "b"), 0.0, 1e-8);
    for p in points(fold) {
        let (a, b) = (value(fold, p, "a"), value(fold, p, "b"));
        assert!((27.0 * a * a - 4.0 * b * b * b).abs() < 1e-10, "{a} {b}");
    }
}

#[test]
fn folds_of_the_regularised_family_are_kept_by_collocation() {
    // Multipliers of 10^±100 and more on the canards next to the fold do not disturb the eigenvector.
    let text = r#"Study(
        title: "Regularised fold",
        system: RegularisedStiction(mu_s: 1.1, mu_d: 0.4, delta: 0.6, epsilon: 1e-2),
        curves: [Curve(
            name: "family",
            orbit: Symmetric("slip- layer"),
            start: Settle(at: {"Omega": 0.55}, from: {"x": 0.9}),
            free: "Omega",
            range: (0.3, 0.6),
        )],
        loci: [Locus(
            name: "fold", from: "family: LP", free: ("Omega", "mu_s"), range: ((0.3, 0.7), (1.06, 1.2)), levels: {"mu_s": [1.08]},
        )],
    )"#;
    let folds = |mu_s: f64| -> Vec<f64> {
        let other = run(text, &[("mu_s", mu_s)]);
        let family = curve(&other, "family");
        labelled(family, Label::LP)
            .iter()
            .map(|p| value(family, p, "Omega"))
            .collect()
    };
    let result = run(text, &[]);
    let found = omega_at(curve(&result, "fold"), "mu_s", 1.08);
    let wanted = folds(1.08);
    assert!(
        wanted.iter().any(|w| (w - found).abs() < 1e-9),
        "{found} is not among {wanted:?}"
    );
}

#[test]
fn folds_of_cycles_end_at_a_generalised_hopf_point() {
    // Bautin's normal form: r' = r (a + (b - c) r² - r⁴) beside a state that follows, with folds where a = -(b - c)²/4,
    // r² = (b - c)/2.
    for c in [0.0, 0.3] {
        let text = format!(
            r#"Study(
                title: "Bautin",
                system: Smooth(
                    states: ["x", "y", "w"],
                    parameters: {{"a": -0.2, "b": {}, "c": {c}}},
                    define: {{"s": "x^2 + y^2"}},
                    equations: [
                        "x' = a*x - 3*y + x*s*(b - c - s)", "y' = 3*x + a*y + y*s*(b - c - s)", "w' = x - 2*w",
                    ],
                ),
                curves: [
                    Curve(name: "rest", orbit: Equilibrium, start: Guess(at: {{"a": -0.3}}, states: [{{"x": 0, "y": 0, "w": 0}}]),
                          free: "a", range: (-1, 1)),
                    Curve(name: "cycles", orbit: PeriodicOrbit, start: Point(from: "rest, HB"), free: "a", range: (-1, 1)),
                ],
                loci: [Locus(name: "folds", from: "cycles: LP", free: ("a", "b"), range: ((-1, 1), (-2, 3)))],
            )"#,
            1.0 + c
        );
        let result = run(&text, &[]);
        let folds = curve(&result, "folds");
        let end = only(folds, Label::GH);
        for p in points(folds) {
            let (a, b) = (value(folds, p, "a"), value(folds, p, "b") - c);
            assert_close("a", a, -0.25 * b * b, 1e-9);
            assert_close("r²", value(folds, p, "x_max").powi(2), 0.5 * b, 1e-6);
        }
        assert!(labelled(folds, Label::MX).is_empty());
        assert!((value(folds, end, "b") - c).abs() < 1e-5, "{}", value(folds, end, "b"));
        assert!(
            end.message.contains("(x = 0.000000, y = 0.000000, w = 0.000000)"),
            "{}",
            end.message
        );
        let limit = end.message.split("in the limit ").nth(1).unwrap();
        let numbers: Vec<f64> = limit
            .split(", ")
            .map(|part| part.split(" = ").nth(1).unwrap().parse().unwrap())
            .collect();
        assert_close("a at the end", numbers[0], 0.0, 1e-6);
        assert_close("b at the end", numbers[1], c, 1e-6);
    }
}

#[test]
fn folds_of_cycles_about_any_centre_lie_on_their_closed_form() {
    // r' = r (β + a r² - r⁴) about (c, d): cycles of radius r fold where a = 2 r², β = -a²/4.
    for (c, d) in [(0.0, 0.0), (2.0, 1.0), (-30.0, 0.5)] {
        let r = format!("((x - ({c}))^2 + (y - ({d}))^2)");
        let text = format!(
            r#"Study(
                title: "generalised Hopf",
                system: Smooth(
                    states: ["x", "y"], parameters: {{"beta": 0.2, "a": 1, "omega": 1}},
                    equations: [
                        "x' = (x - ({c}))*(beta + a*{r} - {r}^2) - omega*(y - ({d}))",
                        "y' = (y - ({d}))*(beta + a*{r} - {r}^2) + omega*(x - ({c}))",
                    ],
                ),
                curves: [
                    Curve(name: "cycles", orbit: PeriodicOrbit, start: Settle(at: {{"beta": 0.2}}, from: {{"x": {}, "y": {d}}}), free: "beta",
                        range: (-1, 0.5), within: {{"x_max": ({}, {})}}),
                ],
                loci: [Locus(name: "folds", from: "cycles: LP", free: ("beta", "a"), range: ((-2.25, 0.5), (0.01, 3)))],
            )"#,
            c + 1.0,
            c + 0.3,
            c + 9.0,
        );
        let result = run(&text, &[]);
        let folds = curve(&result, "folds");
        assert!(labelled(folds, Label::MX).is_empty(), "{}", folds.ended());
        let (mut least, mut most) = (f64::INFINITY, 0.0f64);
        for p in points(folds) {
            let [beta, a, x] = ["beta", "a", "x_max"].map(|name| value(folds, p, name));
            assert_close("beta", beta, -a * a / 4.0, 1e-9);
            assert_close("radius", x - c, (0.5 * a).sqrt(), 1e-8);
            (least, most) = (least.min(a), most.max(a));
        }
        assert!(least < 0.011 && most > 2.99, "{least} {most}");
    }
}

/// A number behind the label takes one of several points, counted along the curve; others start no curve.
#[test]
fn a_locus_starts_from_the_point_with_a_number() {
    let text = |from: &str| {
        format!(
            "Study(title: \"arms\", system: Smooth(states: [\"x\"], parameters: {{\"q\": -1, \"s\": 1}}, equations: [\"x' = q + s*x - x^3\"]), \
             curves: [Curve(name: \"c\", orbit: Equilibrium, start: Guess(at: {{\"q\": -1}}, states: [{{\"x\": -1.3}}]), free: \"q\", range: (-2, 2))], \
             loci: [Locus(name: \"l\", from: \"{from}\", free: (\"q\", \"s\"), range: ((-3, 3), (0.5, 2)))])"
        )
    };
    let all = run(&text("c: LP"), &[]);
    let folds: Vec<f64> = labelled(curve(&all, "c"), Label::LP)
        .iter()
        .map(|p| p.point.z[0])
        .collect();
    assert_eq!((folds.len(), all.curves.len()), (2, 3), "{folds:?}");
    for (k, fold) in folds.iter().enumerate() {
        let one = run(&text(&format!("c: LP {}", k + 1)), &[]);
        assert_eq!(one.curves.len(), 2);
        let arm = points(curve(&one, "l"));
        assert!(arm.len() > 10 && arm.iter().all(|p| p.point.z[0] * fold > 0.0));
    }
    let none = run(&text("c, LP 3"), &[]);
    assert!(none.missing[0].reason.contains("no LP number 3"), "{:?}", none.missing);
    let loaded = study::parse("study.ron".as_ref(), text("c: LP 0")).unwrap();
    let said = loaded.plan(&[]).err().unwrap().to_string();
    assert!(
        said.contains("does not count points from 1") && said.contains("`LP 2`"),
        "{said}"
    );
}
