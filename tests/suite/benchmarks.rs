//! The smooth benchmark systems: special points to the digits that AUTO-07p prints, exact values to rounding.

use crate::support::{assert_close, curve, labelled, only, run, value};
use slipstick_bifurcation::{BranchPoint, Label};
use slipstick_study::{CurveResult, RunResult};
use std::sync::OnceLock;

fn study(cell: &'static OnceLock<RunResult>, text: &str) -> &'static RunResult {
    cell.get_or_init(|| run(text, &[]))
}

fn ab() -> &'static RunResult {
    static RUN: OnceLock<RunResult> = OnceLock::new();
    study(&RUN, include_str!("../../studies/benchmarks/ab.ron"))
}

/// The last point in the direction of travel.
fn end(curve: &CurveResult) -> &BranchPoint {
    curve.points().last().map(|p| p.2).unwrap()
}

fn check(curve: &CurveResult, point: &BranchPoint, wanted: &[(&str, f64)], tolerance: f64) {
    for (name, v) in wanted {
        if *name == "nu" {
            // The parameter, not a multiplier.
            assert_close(&format!("{} nu", curve.name), point.point.parameter(), *v, tolerance);
            continue;
        }
        assert_close(
            &format!("{} {name}", curve.name),
            value(curve, point, name),
            *v,
            tolerance,
        );
    }
}

/// Hopf points and folds of the steady states, exact values.
#[test]
fn ab_folds_and_hopf_points() {
    let hopf: [(&str, usize, f64, f64, f64); 7] = [
        ("p2=14", 0, 0.16504204532356095, 0.40595537211747146, 1.42084380241115),
        ("p2=15", 0, 0.146882475604236, 0.3729916774697782, 1.3987187905116683),
        ("p2=16", 0, 0.1325384442692152, 0.3454915028125263, 1.381966011250105),
        ("p2=17", 0, 0.1208657195093891, 0.3220624817317385, 1.3687655473598888),
        ("p2=17", 1, 0.2170805096962893, 0.9132316359153203, 3.8812344526401112),
        ("p2=18", 0, 0.11115348418986419, 0.30179086873166544, 1.3580589092924944),
        ("p2=18", 1, 0.18383460798598744, 0.9204313534905568, 4.141941090707506),
    ];
    for (name, k, p1, u1, u2) in hopf {
        let c = curve(ab(), name);
        check(
            c,
            labelled(c, Label::HB)[k],
            &[("p1", p1), ("u1", u1), ("u2", u2)],
            1e-12,
        );
    }
    let folds = [
        ("p2=17", 0, 0.12190116081078291, 0.3787321874818335, 1.6096117967977923),
        ("p2=17", 1, 0.11701475042670385, 0.6212678125181665, 2.6403882032022077),
        ("p2=18", 0, 0.11156508007421491, 1.0 / 3.0, 1.5),
        ("p2=18", 1, 0.09957413673572789, 2.0 / 3.0, 3.0),
    ];
    for (name, k, p1, u1, u2) in folds {
        let c = curve(ab(), name);
        check(
            c,
            labelled(c, Label::LP)[k],
            &[("p1", p1), ("u1", u1), ("u2", u2)],
            1e-12,
        );
    }
    let ends = [
        ("p2=14", 0.8095639959, 2.833473986),
        ("p2=15", 0.8650001891, 3.243750709),
        ("p2=16", 0.9022809524, 3.609123809),
        ("p2=17", 0.9281249037, 3.944530841),
        ("p2=18", 0.9464912323, 4.259210545),
    ];
    for (name, u1, u2) in ends {
        let c = curve(ab(), name);
        check(c, end(c), &[("p1", 0.25), ("u1", u1), ("u2", u2)], 1.5e-9);
    }
    // The lower Hopf points are subcritical, the upper ones are not, and the message says so.
    let c = curve(ab(), "p2=18");
    let hopf = labelled(c, Label::HB);
    assert!(hopf[0].message.contains("subcritical") && hopf[1].message.contains("supercritical"));
    let frequency = |p: &BranchPoint| p.record.eigenvalues[0].im;
    assert_close("ω", frequency(hopf[0]), 0.544708, 1e-6);
    assert_close("ω", frequency(hopf[1]), 5.80545, 1e-5);
    assert!(hopf[0].record.eigenvalues[0].re.abs() < 1e-12);
}

#[test]
fn ab_cycles_reach_the_end_of_the_range() {
    for (name, period, norm) in [
        ("p2=14 cycles", 2.22034189, 3.029677783),
        ("p2=15 cycles", 1.726366511, 3.375318575),
    ] {
        let c = curve(ab(), name);
        let at = c.points().map(|p| p.2).find(|p| p.label == Some(Label::EP)).unwrap();
        check(c, at, &[("p1", 0.25), ("period", period), ("l2_norm", norm)], 2e-9);
    }
}

/// The period of the cycles grows without bound; AUTO's run of period 1000 lies on the same branch.
#[test]
fn ab_cycles_end_at_a_homoclinic_orbit() {
    for (name, p1, norm) in [
        ("p2=17 cycles", 0.1201016987, 2.077741658),
        ("p2=18 cycles", 0.1108286391, 1.751695635),
    ] {
        let c = curve(ab(), name);
        let at = labelled(c, Label::UZ)[0];
        check(c, at, &[("period", 1000.0), ("p1", p1), ("l2_norm", norm)], 1e-8);
        assert!(end(c).message.contains("homoclinic"), "{}", c.ended());
    }
}

fn pp2() -> &'static RunResult {
    static RUN: OnceLock<RunResult> = OnceLock::new();
    study(&RUN, include_str!("../../studies/benchmarks/pp2.ron"))
}

#[test]
fn pp2_branch_points_fold_and_hopf_point() {
    let first = curve(pp2(), "steady");
    let bp = only(first, Label::BP);
    check(first, bp, &[("quota", 0.6), ("fish", 0.0), ("sharks", 0.0)], 1e-12);
    assert!(bp.message.contains("transcritical"));
    check(first, end(first), &[("quota", 1.0)], 1e-15);
    let with_fish = curve(pp2(), "steady-BP1a");
    let fold = only(with_fish, Label::LP);
    check(
        with_fish,
        fold,
        &[
            ("quota", 0.8329293222341568),
            ("fish", 0.41116156075107246),
            ("sharks", 0.0),
        ],
        1e-12,
    );
    let bp = only(with_fish, Label::BP);
    check(
        with_fish,
        bp,
        &[("quota", 0.8219043453739908), ("fish", 1.0 / 3.0)],
        1e-12,
    );
    let extinct = curve(pp2(), "steady-BP1b");
    check(extinct, end(extinct), &[("quota", 0.3764541736), ("fish", -0.25)], 1e-9);
    let both = curve(pp2(), "steady-BP1a-BP1a");
    let hopf = only(both, Label::HB);
    check(
        both,
        hopf,
        &[
            ("quota", 0.6715938474788318),
            ("fish", 1.0 / 3.0),
            ("sharks", 0.36576153597719047),
        ],
        1e-12,
    );
    assert!(hopf.message.contains("supercritical"));
    check(both, end(both), &[("quota", 0.0), ("sharks", 2.0)], 1e-12);
    let negative = curve(pp2(), "steady-BP1a-BP1b");
    check(
        negative,
        end(negative),
        &[("quota", 1.0), ("sharks", -0.4333731915)],
        1e-9,
    );
}

#[test]
fn pp2_cycles_approach_a_heteroclinic_orbit() {
    let c = curve(pp2(), "cycles");
    let at = labelled(c, Label::UZ)[0];
    check(
        c,
        at,
        &[("period", 36.0), ("quota", 0.7079409017), ("l2_norm", 0.4349622675)],
        1e-8,
    );
    // The largest values were read off AUTO's mesh.
    check(c, at, &[("fish_max", 0.6504570175), ("sharks_max", 0.5827769463)], 1e-4);
    // The quota is settled to rounding long before the curve ends, while the period goes on growing.
    let last = end(c);
    assert!(value(c, last, "period") > 60.0, "{}", c.ended());
    assert!(
        (value(c, last, "quota") - value(c, at, "quota")).abs() < 1e-3,
        "{}",
        c.ended()
    );
}

#[test]
fn lrz_pitchfork_and_hopf_points() {
    let result = run(include_str!("../../studies/benchmarks/lrz.ron"), &[]);
    let first = curve(&result, "steady");
    let bp = only(first, Label::BP);
    check(first, bp, &[("rho", 1.0), ("x", 0.0), ("z", 0.0)], 1e-12);
    assert!(bp.message.contains("pitchfork, supercritical"), "{}", bp.message);
    for (name, sign) in [("steady-BP1a", 1.0), ("steady-BP1b", -1.0)] {
        let c = curve(&result, name);
        let hopf = only(c, Label::HB);
        check(
            c,
            hopf,
            &[
                ("rho", 24.736842105263158),
                ("x", sign * 7.956019457871824),
                ("z", 23.736842105263158),
            ],
            1e-12,
        );
        assert!(hopf.message.contains("subcritical"), "{}", hopf.message);
        check(
            c,
            end(c),
            &[("rho", 30.0), ("x", sign * 8.793937306), ("z", 29.0)],
            1e-9,
        );
    }
}

#[test]
fn cusp_folds() {
    let result = run(include_str!("../../studies/benchmarks/cusp.ron"), &[]);
    let c = curve(&result, "steady");
    let folds = labelled(c, Label::LP);
    assert_eq!(folds.len(), 2);
    for fold in folds {
        let sign = fold.point.parameter().signum();
        check(
            c,
            fold,
            &[("mu", sign * 0.3849001794597505), ("x", -sign / 3f64.sqrt())],
            1e-13,
        );
        // x' = μ + x - x³: half of the second derivative is -3x.
        let a: f64 = fold
            .message
            .split("coefficient a = ")
            .nth(1)
            .and_then(|rest| rest.split(',').next())
            .unwrap()
            .parse()
            .unwrap();
        assert_close("a", a, sign * 3f64.sqrt(), 1e-6);
    }
}

#[test]
fn frc_homotopy_to_a_forced_orbit() {
    let result = run(include_str!("../../studies/benchmarks/frc.ron"), &[]);
    let c = curve(&result, "amplitude");
    let at = only(c, Label::UZ);
    check(c, at, &[("r", 0.2), ("period", 0.06283185307179587)], 1e-12);
    check(
        c,
        at,
        &[
            ("v_max", 0.503633791),
            ("w_max", 0.002032512426),
            ("x_max", 1.0),
            ("y_max", 1.0),
        ],
        // The largest values were read off AUTO's mesh.
        1e-5,
    );
}

fn tor() -> &'static RunResult {
    static RUN: OnceLock<RunResult> = OnceLock::new();
    study(&RUN, include_str!("../../studies/benchmarks/tor.ron"))
}

#[test]
fn tor_steady_states() {
    let c = curve(tor(), "steady");
    check(c, only(c, Label::HB), &[("nu", -0.5893364779917944)], 1e-12);
    check(c, only(c, Label::BP), &[("nu", -0.5)], 1e-12);
    for (name, sign) in [("steady-BP1a", 1.0), ("steady-BP1b", -1.0)] {
        let c = curve(tor(), name);
        check(
            c,
            end(c),
            &[
                ("nu", -0.9),
                ("x", sign * 0.5629546),
                ("y", 0.0),
                ("z", sign * 0.4480373),
            ],
            2e-7,
        );
    }
}

/// Folds and branch points of the symmetric cycles: parameter and period as AUTO prints them, which for branch points
/// is half of their digits.
#[test]
fn tor_symmetric_cycles() {
    let c = curve(tor(), "cycles");
    let wanted = [
        (Label::LP, -0.5843347973, 8.426472821),
        (Label::BP, -0.587029027, 8.689671142),
        (Label::LP, -0.8325141651, 19.41584268),
        (Label::BP, -0.8324380195, 19.63652979),
        (Label::LP, -0.7875903115, 29.37318125),
        (Label::LP, -0.7998991731, 39.37056048),
    ];
    compare(c, &wanted);
    // AUTO's last fold lies on the branch of asymmetric cycles that leaves right after the last one.
    compare(curve(tor(), "cycles-BP4a"), &[(Label::LP, -0.7969061819, 42.28794177)]);
}

/// The asymmetric cycles: torus, period doubling and the folds on the way to a homoclinic orbit.
#[test]
fn tor_asymmetric_cycles() {
    let first = curve(tor(), "cycles-BP1a");
    let wanted = [
        (Label::NS, -0.5916502157, 8.794151674),
        (Label::PD, -0.6149552561, 9.266303537),
        (Label::LP, -0.7604069415, 13.91220895),
        (Label::LP, -0.718842108, 18.90709036),
        (Label::LP, -0.7316358605, 23.91686064),
        (Label::LP, -0.7281537911, 28.92562544),
        (Label::LP, -0.7291632709, 33.93343099),
    ];
    compare(first, &wanted);
}

fn compare(c: &CurveResult, wanted: &[(Label, f64, f64)]) {
    for &(label, nu, period) in wanted {
        let found = labelled(c, label);
        let nearest = found
            .iter()
            .min_by(|a, b| {
                let miss = |p: &BranchPoint| (p.record.period - period).abs();
                miss(a).total_cmp(&miss(b))
            })
            .unwrap_or_else(|| panic!("no {label} on `{}`", c.name));
        assert_close(&format!("{label} nu"), nearest.point.parameter(), nu, 1e-6);
        assert_close(&format!("{label} period"), nearest.record.period, period, 2e-4);
    }
}
