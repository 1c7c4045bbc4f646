//! Bifurcations that lie closer together than the steps of a curve, and the borders of curves: starts on them, and
//! curves that run off.

use crate::support::{curve, labelled, only, run, specials};
use slipstick_bifurcation::Label;
use std::f64::consts::PI;

/// The values of `a` at the points with this label on the curve of zeros.
fn located(text: &str, label: Label) -> Vec<f64> {
    let result = run(text, &[]);
    let points = labelled(curve(&result, "rest"), label);
    let mut found: Vec<f64> = points.iter().map(|p| p.point.parameter()).collect();
    found.sort_by(f64::total_cmp);
    found
}

fn study(states: &[&str], equations: &[String], range: (f64, f64), start: f64) -> String {
    let quoted = |words: &[String]| words.iter().map(|w| format!("\"{w}\"")).collect::<Vec<_>>().join(", ");
    let states: Vec<String> = states.iter().map(|&s| s.to_owned()).collect();
    let zeros: Vec<String> = states.iter().map(|s| format!("\"{s}\": 0")).collect();
    format!(
        "Study(title: \"t\", system: Smooth(name: \"s\", states: [{}], parameters: {{\"a\": {start}}}, equations: [{}]),
            curves: [Curve(name: \"rest\", orbit: Equilibrium, start: Guess(at: {{\"a\": {start}}}, states: [{{{}}}]), free: \"a\", range: {range:?})])",
        quoted(&states),
        quoted(equations),
        zeros.join(", "),
    )
}

fn close(found: &[f64], exact: &[f64], tolerance: f64) {
    assert_eq!(found.len(), exact.len(), "{found:?} instead of {exact:?}");
    for (found, exact) in found.iter().zip(exact) {
        assert!((found - exact).abs() < tolerance, "{found} instead of {exact}");
    }
}

#[test]
fn two_crossings_within_a_step_are_told_apart() {
    for gap in [0.02, 0.003, 0.0007] {
        let second = 1.0 + gap;
        let equations = [
            "x' = (a - 1)*x - x^3".to_owned(),
            format!("y' = (a - {second})*y - y^3"),
        ];
        let text = study(&["x", "y"], &equations, (0.0, 2.0), 0.3);
        close(&located(&text, Label::BP), &[1.0, second], 1e-9);
    }
}

#[test]
fn two_hopf_points_within_a_step_are_told_apart() {
    let equations = [
        "x' = (a - 1)*x - y - x*(x^2 + y^2)",
        "y' = x + (a - 1)*y - y*(x^2 + y^2)",
        "u' = (a - 1.02)*u - 3*v - u*(u^2 + v^2)",
        "v' = 3*u + (a - 1.02)*v - v*(u^2 + v^2)",
    ];
    let equations = equations.map(str::to_owned);
    let text = study(&["x", "y", "u", "v"], &equations, (0.0, 2.0), 0.1);
    close(&located(&text, Label::HB), &[1.0, 1.02], 1e-9);
}

#[test]
fn all_branch_points_of_a_buckling_chain_are_found() {
    const N: usize = 30;
    let names: Vec<String> = (1..=N).map(|i| format!("x{i}")).collect();
    let equations: Vec<String> = (0..N)
        .map(|i| {
            let side = |j: Option<&String>| j.map_or(String::new(), |x| format!(" + {x}"));
            let left = side(i.checked_sub(1).map(|j| &names[j]));
            let right = side(names.get(i + 1));
            let x = &names[i];
            format!("{x}' = (a - 2)*{x}{left}{right} - {x}^3")
        })
        .collect();
    let states: Vec<&str> = names.iter().map(String::as_str).collect();
    let text = study(&states, &equations, (-0.1, 4.1), 0.0);
    let exact: Vec<f64> = (1..=N)
        .map(|k| 2.0 - 2.0 * (k as f64 * PI / (N + 1) as f64).cos())
        .collect();
    close(&located(&text, Label::BP), &exact, 1e-9);
}

#[test]
fn what_crosses_at_a_bifurcation_counts_as_neither_stable_nor_unstable() {
    let hopf = ["x' = (a - 1)*x - y".to_owned(), "y' = x + (a - 1)*y + x^3".to_owned()];
    let result = run(&study(&["x", "y"], &hopf, (0.0, 2.0), 0.1), &[]);
    assert_eq!(only(curve(&result, "rest"), Label::HB).record.unstable, 0);
}

#[test]
fn a_start_at_the_border_of_the_range_is_its_end() {
    let text = study(&["x"], &["x' = a + 1 - x".to_owned()], (0.0, 2.0), 0.0);
    let result = run(&text, &[]);
    let points = specials(curve(&result, "rest"));
    assert!(points.iter().all(|p| p.label == Some(Label::EP)));
    let ends: Vec<f64> = points.iter().map(|p| p.point.parameter()).collect();
    close(&ends, &[0.0, 2.0], 1e-15);
}

#[test]
fn a_hopf_point_with_a_zero_eigenvalue_has_no_lyapunov_coefficient() {
    let equations = ["x' = (a - 1)*x - y", "y' = x + (a - 1)*y - y^3", "z' = (a - 1)*z - z^3"].map(str::to_owned);
    let result = run(&study(&["x", "y", "z"], &equations, (0.0, 2.0), 0.1), &[]);
    let hopf = only(curve(&result, "rest"), Label::HB);
    assert!(hopf.message.contains("zero-Hopf"), "{}", hopf.message);
}

/// Hénon's fixed points tend to infinity as a tends to zero, and so do the curves of their bifurcations as b tends to
/// one.
#[test]
fn curves_that_run_off_to_infinity_end_in_words() {
    let text = r#"Study(title: "t",
        system: Map(states: ["x", "y"], parameters: {"a": 0.1, "b": 0.3}, equations: ["x+ = 1 - a*x^2 + y", "y+ = b*x"]),
        curves: [Curve(name: "fp", orbit: FixedPoint, start: All(at: {"a": 0.1}), free: "a", range: (-0.5, 1.4))],
        loci: [
            Locus(name: "pd", from: "fp: PD", free: ("a", "b"), range: ((-2, 4), (-2, 2))),
            Locus(name: "lp", from: "fp: LP", free: ("a", "b"), range: ((-2, 4), (-2, 2))),
        ])"#;
    let result = run(text, &[]);
    for (name, parameter, limit) in [("fp", 0, 0.0), ("pd", 1, 1.0), ("lp", 1, 1.0)] {
        let c = curve(&result, name);
        let runaway = labelled(c, Label::EP)
            .into_iter()
            .find(|p| p.message.contains("tend to infinity"));
        let last = runaway.unwrap_or_else(|| panic!("{name} does not run off"));
        assert!(
            (last.record.parameters[parameter] - limit).abs() < 1e-7,
            "{name}: {:?}",
            last.record.parameters
        );
        assert!(specials(c).len() < 10, "{name}: {} special points", specials(c).len());
        assert!(labelled(c, Label::MX).is_empty());
    }
}
