//! The shipped study against numbers computed in 30-digit arithmetic by other means.

use super::support::{self, STICTION, assert_close, curve, labelled, only, points, value};
use serde_json::Value;
use slipstick_bifurcation::{End, Label};
use slipstick_study::RunResult;
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::LazyLock;

/// Landmarks of the branches and orbits at round values of Ω.
static REFERENCE: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../data/stiction_discontinuous.json")).unwrap());
static RESULT: LazyLock<RunResult> = LazyLock::new(|| support::run(STICTION, &[]));

fn number(of: &Value, key: &str) -> f64 {
    of[key].as_str().unwrap().parse().unwrap()
}

#[test]
fn landmarks_agree_with_the_reference() {
    let landmarks = [
        ("compliant", Label::LP, "fold_lt1"),
        ("compliant", Label::VS, "slip_lt1"),
        ("compliant", Label::VT, "tan_lt1"),
        ("stiff", Label::VS, "slip_gt1"),
        ("stiff", Label::SB, "flip_gt1"),
    ];
    for (name, label, key) in landmarks {
        let (c, wanted) = (curve(&RESULT, name), &REFERENCE["special"][key]);
        let p = only(c, label);
        assert_close(key, value(c, p, "Omega"), number(wanted, "Omega"), 1e-12);
        for (column, key) in [("theta0", "theta0"), ("T", "T"), ("x_max", "x0")] {
            assert_close(
                &format!("{name} {label} {column}"),
                value(c, p, column),
                number(wanted, key),
                1e-11,
            );
        }
        // The multiplier is infinite at the tangency.
        if wanted["half"].is_string() {
            assert_close(
                &format!("{name} {label} nu"),
                value(c, p, "nu"),
                number(wanted, "half"),
                1e-11,
            );
        }
    }
}

#[test]
fn user_levels_agree_with_the_reference() {
    let mut seen = 0;
    for name in ["compliant", "stiff"] {
        let c = curve(&RESULT, name);
        for p in labelled(c, Label::UZ) {
            let at = |s: &&Value| {
                number(s, "Omega") == value(c, p, "Omega") && (number(s, "theta0") - value(c, p, "theta0")).abs() < 0.1
            };
            let wanted = REFERENCE["samples"].as_array().unwrap().iter().find(at).unwrap();
            for (column, key) in [
                ("theta0", "theta0"),
                ("T", "T"),
                ("stick", "stick"),
                ("x_max", "x0"),
                ("nu", "half"),
            ] {
                let what = format!("{column} at Omega = {}", wanted["Omega"]);
                assert_close(&what, value(c, p, column), number(wanted, key), 1e-11);
            }
            let multiplier = 10f64.powf(p.record.multipliers[0].log10);
            assert_close("multiplier", multiplier, number(wanted, "mult"), 1e-11);
            seen += 1;
        }
    }
    assert_eq!(
        seen,
        REFERENCE["samples"].as_array().unwrap().len(),
        "each sample is met once"
    );
}

#[test]
fn nothing_else_is_special_and_every_end_has_its_reason() {
    let specials = |name| {
        let labels = support::specials(curve(&RESULT, name))
            .into_iter()
            .filter_map(|p| p.label);
        labels.filter(|l| *l != Label::UZ).collect::<Vec<_>>()
    };
    assert_eq!(specials("stiff"), [Label::VS, Label::SB, Label::EP]);
    assert_eq!(specials("compliant"), [Label::VS, Label::LP, Label::NU, Label::VT]);
    assert_eq!(RESULT.curves.len(), 2, "both orbits at Ω = 0.5 lie on one curve");
    assert!(RESULT.missing.is_empty() && !RESULT.stopped);
    let boundary = |end: &End, wanted| matches!(end, End::Boundary { label, .. } if *label == wanted);
    let stiff = curve(&RESULT, "stiff").ends();
    assert!(boundary(stiff[0], Label::VS) && *stiff[1] == End::Range, "{stiff:?}");
    let compliant = curve(&RESULT, "compliant").ends();
    assert!(
        boundary(compliant[0], Label::VS) && boundary(compliant[1], Label::VT),
        "{compliant:?}"
    );
    let vanishing = &only(curve(&RESULT, "stiff"), Label::VS).message;
    assert!(
        vanishing.contains("stick") && vanishing.contains("vanishes"),
        "{vanishing}"
    );
}

#[test]
fn all_points_are_admissible_and_stable_exactly_where_the_half_map_contracts() {
    for c in &RESULT.curves {
        for (i, p) in points(c).into_iter().enumerate() {
            let r = &p.record;
            let what = format!("{} point {i}", c.name);
            // A located boundary lies on its inequality up to rounding.
            assert!(
                r.margin() >= if p.label.is_some() { -1e-12 } else { 0.0 },
                "{what}: margin {}",
                r.margin()
            );
            assert_eq!(r.stable(), r.nu[0].log10 <= 5e-10, "{what}");
            assert_eq!(r.unstable, usize::from(!r.stable()), "{what}");
            assert_eq!(r.nu[1].log10, f64::NEG_INFINITY, "{what}: sticking forgets");
            for (nu, multiplier) in r.nu.iter().zip(&r.multipliers) {
                assert_eq!(2.0 * nu.log10, multiplier.log10, "{what}: μ = ν²");
            }
            assert_close(&what, r.period, TAU, 1e-14);
            assert_close(&what, value(c, p, "T") + value(c, p, "stick"), PI, 1e-14);
        }
    }
    // Which orbits these are follows from the landmarks alone.
    let stiff = curve(&RESULT, "stiff");
    for p in points(stiff).into_iter().filter(|p| p.label != Some(Label::SB)) {
        assert_eq!(p.record.stable(), value(stiff, p, "Omega") > 1.627747758837944);
    }
    let compliant = curve(&RESULT, "compliant");
    for p in points(compliant).into_iter().filter(|p| p.label != Some(Label::LP)) {
        assert_eq!(p.record.stable(), value(compliant, p, "theta0") < 1.343070062200011);
    }
}

#[test]
fn the_multiplier_explodes_towards_the_tangency() {
    let c = curve(&RESULT, "compliant");
    let last = points(c)[points(c).len() - 1];
    assert_eq!(last.label, Some(Label::VT));
    assert_close("θ0", value(c, last, "theta0"), FRAC_PI_2, 1e-13);
    assert!(last.record.nu[0].log10 > 10.0, "{}", last.record.nu[0].log10);
    // The choice that there is at the tangency has a row of its own.
    let own = points(c).into_iter().filter(|p| p.label != Some(Label::NU));
    let before: Vec<f64> = own.rev().take(10).map(|p| p.record.nu[0].log10).collect();
    assert!(before.is_sorted_by(|a, b| a > b), "{before:?}");
}

#[test]
fn the_branch_reaches_the_rigid_limit() {
    let far = STICTION.replace("range: (1.0, 15.0)", "range: (1.0, 1000.0)");
    let result = support::run(&far, &[]);
    let c = curve(&result, "stiff");
    let last = only(c, Label::EP);
    assert_eq!(value(c, last, "Omega"), 1000.0);
    assert!(points(c).into_iter().all(|p| p.record.margin() >= -1e-12));
    // For Ω → ∞ slip is half a free oscillation at a frozen phase: Ω T → π and, by symmetry, sin θ0 → μ_d.
    assert_close("Ω T", 1000.0 * value(c, last, "T"), PI, 1e-3);
    assert_close("sin θ0", value(c, last, "theta0").sin(), value(c, last, "mu_d"), 5e-3);
    assert!(last.record.stable());
}
