//! Other materials by `--set` alone.

use super::support::{self, STICTION, assert_close, curve, labelled, only, points, value};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use slipstick_bifurcation::Label;
use slipstick_study::{CurveResult, RunResult};
use std::f64::consts::{FRAC_PI_2, PI};

/// Everything that theory says about the special points and the points between them, whatever the material.
fn check(result: &RunResult) {
    for c in &result.curves {
        for p in points(c) {
            let at = |column: &str| value(c, p, column);
            let (omega, mu_s, mu_d, theta0) = (at("Omega"), at("mu_s"), at("mu_d"), at("theta0"));
            let what = format!("{} {:?} at Ω = {omega}, μ_s = {mu_s}, μ_d = {mu_d}", c.name, p.label);
            assert_close(
                &format!("{what}: ξ at slip onset"),
                omega * omega * at("x_max") + theta0.sin(),
                mu_s,
                1e-10,
            );
            assert!(p.record.margin() > -1e-9, "{what}: margin {}", p.record.margin());
            assert_eq!(p.record.stable(), p.record.nu[0].log10 <= 5e-10, "{what}");
            match p.label {
                Some(Label::VS) if at("stick").abs() < 1e-9 => {
                    // The symmetric pure-slip orbit whose reversal meets the boundary of stick.
                    let cosine = (1.0 - omega * omega) * mu_d / omega * (FRAC_PI_2 * omega).tan();
                    let amplitude = (theta0.sin() / (1.0 - omega * omega)).abs();
                    assert_close(&format!("{what}: cos θ0"), theta0.cos(), cosine, 1e-9);
                    assert_close(&format!("{what}: amplitude"), amplitude, mu_s, 1e-9);
                    assert_close(&format!("{what}: T"), at("T"), PI, 1e-9);
                }
                Some(Label::SB) => assert_close(&what, at("nu"), -1.0, 1e-9),
                Some(Label::LP) => assert_close(&what, at("nu"), 1.0, 1e-9),
                Some(Label::VT) => assert_close(&what, theta0, FRAC_PI_2, 1e-9),
                Some(Label::MX) => panic!("{what}: {}", p.message),
                _ => {}
            }
        }
    }
}

fn omega_of(c: &CurveResult, label: Label) -> f64 {
    value(c, only(c, label), "Omega")
}

#[test]
fn a_second_column_of_the_reference() {
    let result = support::run(STICTION, &[("mu_s", 1.05)]);
    check(&result);
    let (compliant, stiff) = (curve(&result, "compliant"), curve(&result, "stiff"));
    for (c, label, wanted) in [
        (compliant, Label::VS, 0.4888762821753069),
        (compliant, Label::LP, 0.3662347427692499),
        (compliant, Label::VT, 0.3854314983289624),
        (stiff, Label::VS, 1.370062207189407),
        (stiff, Label::SB, 1.636313924158735),
    ] {
        assert_close(&format!("{} {label}", c.name), omega_of(c, label), wanted, 1e-12);
    }
}

#[test]
fn the_material_of_the_manual() {
    let result = support::run(STICTION, &[("mu_s", 1.05), ("mu_d", 0.3)]);
    check(&result);
    for c in &result.curves {
        assert!(
            points(c)
                .into_iter()
                .all(|p| value(c, p, "mu_s") == 1.05 && value(c, p, "mu_d") == 0.3)
        );
    }
    assert_eq!(labelled(curve(&result, "stiff"), Label::UZ).len(), 4);
    assert!(!labelled(curve(&result, "compliant"), Label::VS).is_empty());
}

#[test]
fn beyond_the_end_of_the_fold_curve_the_compliant_branch_repels() {
    // The fold meets the pure-slip limit at μ_s = 1.2069746649.
    let folds = |mu_s| {
        let result = support::run(STICTION, &[("mu_s", mu_s)]);
        check(&result);
        let c = curve(&result, "compliant");
        let stable = points(c).into_iter().filter(|p| p.record.stable()).count();
        (labelled(c, Label::LP).len(), stable > 1)
    };
    assert_eq!(folds(1.2), (1, true));
    assert_eq!(folds(1.22), (0, false));
}

#[test]
fn a_branch_that_does_not_exist_is_missed_in_words() {
    let nowhere = STICTION
        .replace("range: (0.3, 1.0)", "range: (0.6, 0.9)")
        .replace("\"Omega\": 0.5", "\"Omega\": 0.7");
    let result = support::run(&nowhere.replace("[0.5]", "[]"), &[]);
    assert_eq!(result.curves.len(), 1);
    assert_eq!(result.missing.len(), 1);
    let missing = &result.missing[0];
    assert_eq!(missing.curve, "compliant");
    assert!(
        missing.reason.contains("no admissible orbit") && missing.reason.contains("0.6"),
        "{}",
        missing.reason
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, rng_seed: RngSeed::Fixed(11), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_material(mu_s in 1.0001..2.5f64, ratio in 0.02..0.98f64) {
        let result = support::run(STICTION, &[("mu_s", mu_s), ("mu_d", ratio * mu_s)]);
        check(&result);
        // Each curve of the study gives a result or a reason.
        for name in ["stiff", "compliant"] {
            let traced = result.curves.iter().any(|c| c.name == name);
            prop_assert!(traced != result.missing.iter().any(|m| m.curve == name), "{}", name);
        }
        // Where the material barely grips, orbits of a stiff spring exist for every μ_d.
        if mu_s < 1.5 && ratio * mu_s < 0.9 && ratio > 0.3 {
            prop_assert_eq!(labelled(curve(&result, "stiff"), Label::EP).len(), 1);
        }
    }
}
