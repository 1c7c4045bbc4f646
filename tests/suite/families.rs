//! Continua of orbits at one value of the parameter, against closed forms.
//!
//! An undamped oscillator whose natural frequency is an even multiple of the forcing's (Ω = 2n) goes on as it likes
//! between two reversals half a period apart: with x₀ = 1/(Ω² - 1) + δ at the reversal at θ = -π/2, every δ closes up.
//! The forces at the two reversals are a = 1/(Ω² - 1) ± Ω² δ, and the orbit does not stick while both are larger than
//! μ_s. One multiplier is +1, the other the product of (a - μ_d)/(a + μ_d).

use crate::support::{assert_close, curve, only, points, run, value};
use slipstick_bifurcation::{BranchPoint, Label};
use slipstick_study::CurveResult;
use std::f64::consts::PI;

fn stiction(mu_s: f64, mu_d: f64, curves: &str) -> String {
    format!("Study(title: \"Continuum\", system: Stiction(mu_s: {mu_s}, mu_d: {mu_d}), curves: [{curves}])")
}

/// Every point of a continuum at Ω = 2n, against its closed form; returns the smallest and largest δ.
fn check_stiction(c: &CurveResult, omega: f64, mu_s: f64, mu_d: f64) -> (f64, f64) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let middle = 1.0 / (omega * omega - 1.0);
    for p in points(c) {
        assert_close("Omega", value(c, p, "Omega"), omega, 1e-9);
        let (x_max, x_min) = (value(c, p, "x_max"), value(c, p, "x_min"));
        assert_close("stroke", x_max - x_min, 2.0 * middle, 1e-9);
        let delta = x_max - middle;
        let forces = [middle + omega * omega * delta, middle - omega * omega * delta];
        assert!(forces.iter().all(|a| *a > mu_s - 1e-9) && p.record.stable());
        let [one, other] = &p.record.multipliers[..] else {
            panic!()
        };
        assert_eq!((one.log10, one.arg), (0.0, 0.0));
        let product: f64 = forces.iter().map(|a| (a - mu_d) / (a + mu_d)).product();
        assert_close("multiplier", 10f64.powf(other.log10), product, 1e-9);
        (low, high) = (low.min(delta), high.max(delta));
    }
    (low, high)
}

/// The special point at an end of a continuum says what it is.
fn check_end(p: &BranchPoint, parameter: &str) {
    assert_eq!(p.label, Some(Label::VS));
    let told = format!("along a continuum at fixed parameters: all these orbits exist at {parameter} = ");
    assert!(p.message.contains(&told), "{}", p.message);
}

#[test]
fn a_symmetric_branch_sheds_a_continuum_where_the_frequencies_are_an_even_ratio() {
    for (n, mu_s, mu_d) in [(1, 0.3, 0.1), (2, 0.06, 0.02)] {
        let omega = 2.0 * f64::from(n);
        let start = omega - 0.1;
        let text = stiction(
            mu_s,
            mu_d,
            &format!(
                r#"Curve(name: "symmetric", orbit: Symmetric("slip- reverse"), start: All(at: {{"Omega": {start}}}), free: "Omega",
                   range: ({}, {}), branches: [SB])"#,
                omega - 0.5,
                omega + 0.5,
            ),
        );
        let result = run(&text, &[]);
        let parent = curve(&result, "symmetric");
        let breaking = only(parent, Label::SB);
        assert_close("Omega", value(parent, breaking, "Omega"), omega, 1e-9);
        assert_close("nu", breaking.record.nu[0].arg.abs(), PI, 1e-9);
        assert!(
            breaking.message.contains("reaches this value without crossing it"),
            "{}",
            breaking.message
        );
        assert!(
            breaking.message.contains("a continuum of orbits at Omega = ")
                && breaking.message.contains("begins here: curve `symmetric-SB1a`"),
            "{}",
            breaking.message
        );
        // The orbits on both sides of it attract.
        assert!(points(parent).iter().all(|p| p.record.stable()));
        let reach = (1.0 / (omega * omega - 1.0) - mu_s) / (omega * omega);
        let sides: Vec<(f64, f64)> = ["symmetric-SB1a", "symmetric-SB1b"]
            .map(|name| {
                let c = curve(&result, name);
                check_end(only(c, Label::VS), "Omega");
                check_stiction(c, omega, mu_s, mu_d)
            })
            .into();
        for (low, high) in sides {
            // Each begins where the branch crosses, and ends where a reversal meets the boundary of stick.
            assert_close("inner end", low.abs().min(high.abs()), 0.0, 1e-9);
            assert_close("outer end", low.abs().max(high.abs()), reach, 1e-9);
        }
    }
}

#[test]
fn a_curve_may_start_on_a_continuum_or_at_its_crossing() {
    let text = stiction(
        0.3,
        0.1,
        r#"
        Curve(
            name: "family",
            orbit: Periodic("slip- reverse slip+ reverse"),
            start: Guess(
                at: {"Omega": 2},
                states: [{"x": 0.337, "y": 0, "theta": -1.57}, {"x": -0.329, "y": 0, "theta": 1.57}],
                durations: [3.14, 3.14],
            ),
            free: "Omega",
            range: (1.5, 2.5),
        ),
        Curve(name: "crossing", orbit: Symmetric("slip- reverse"), start: All(at: {"Omega": 2}), free: "Omega", range: (1.5, 2.5)),
        Curve(name: "full", orbit: Periodic("slip- reverse slip+ reverse"), start: All(at: {"Omega": 1.9}), free: "Omega", range: (1.5, 2.5), branches: [BP]),
        "#,
    );
    let result = run(&text, &[]);
    let family = curve(&result, "family");
    let (low, high) = check_stiction(family, 2.0, 0.3, 0.1);
    let reach = (1.0 / 3.0 - 0.3) / 4.0;
    assert_close("low", low, -reach, 1e-9);
    assert_close("high", high, reach, 1e-9);
    let all = points(family);
    check_end(all[0], "Omega");
    check_end(all[all.len() - 1], "Omega");
    let at = result
        .curves
        .iter()
        .filter(|c| c.name.starts_with("crossing"))
        .flat_map(points)
        .find(|p| p.label == Some(Label::SB) && p.record.stable());
    assert_close("start", at.unwrap().point.parameter(), 2.0, 1e-12);
    // Told over the full period the crossing is a branch point.
    let full = curve(&result, "full");
    let crossing = only(full, Label::BP);
    assert_close("Omega", value(full, crossing, "Omega"), 2.0, 1e-9);
    for name in ["full-BP1a", "full-BP1b"] {
        check_stiction(curve(&result, name), 2.0, 0.3, 0.1);
    }
}

#[test]
fn shaws_neutral_orbits_fill_what_the_slip_stick_orbits_leave() {
    let text = r#"Study(title: "Shaw", system: Shaw(), curves: [
        Curve(
            name: "neutral",
            orbit: Periodic("slip- reverse slip+ reverse"),
            start: Guess(
                at: {"omega": 0.5},
                states: [{"x": 7.7, "v": 0, "theta": 0}, {"x": -8.3, "v": 0, "theta": 3.14}],
                durations: [6.28, 6.28],
            ),
            free: "omega",
            range: (0.4, 0.6),
        ),
        Curve(
            name: "resonant",
            orbit: Periodic("slip- slip+ stick"),
            start: Guess(
                at: {"omega": 0.5},
                states: [
                    {"x": 6.8, "v": 0.0, "theta": 0.365},
                    {"x": -9.2, "v": 0.0, "theta": 3.147},
                    {"x": 6.8, "theta": 6.276},
                ],
                durations: [5.565, 6.258, 0.744],
            ),
            free: "omega",
            range: (0.49, 0.51),
            switch: Auto,
        ),
    ])"#;
    let result = run(text, &[]);
    let neutral = curve(&result, "neutral");
    let all = points(neutral);
    let ends = [all[0], all[all.len() - 1]];
    for p in ends {
        check_end(p, "omega");
    }
    let mut reach = ends.map(|p| value(neutral, p, "x_max"));
    reach.sort_by(f64::total_cmp);
    // At rest between 6 + f_s and 16 - (6 + f_s) when the forcing is largest; half a period later 16 lower.
    assert_close("low", reach[0], 7.2, 1e-9);
    assert_close("high", reach[1], 8.8, 1e-9);
    for p in all {
        assert_close("omega", value(neutral, p, "omega"), 0.5, 1e-9);
        assert_close(
            "stroke",
            value(neutral, p, "x_max") - value(neutral, p, "x_min"),
            16.0,
            1e-9,
        );
        assert_eq!(p.record.multipliers[0].log10, 0.0);
    }
    // Where the stick phase of the resonant orbit vanishes, its branch goes on along them.
    let resonant = curve(&result, "resonant");
    let words: Vec<&str> = resonant.pieces.iter().map(|p| p.word.as_str()).collect();
    assert!(words.contains(&"slip- reverse slip+ reverse"), "{words:?}");
    let on = resonant
        .pieces
        .iter()
        .find(|p| p.word == "slip- reverse slip+ reverse")
        .unwrap();
    let heights = on.branch.points.iter().map(|p| value(resonant, p, "x_max"));
    let (low, high) = heights.fold((f64::INFINITY, 0.0f64), |(a, b), x| (a.min(x), b.max(x)));
    assert_close("joint", low, 7.2, 1e-7);
    assert_close("far end", high, 8.8, 1e-7);
}
