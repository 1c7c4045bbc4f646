//! Shipped studies of hybrid systems without published digits: against closed forms, and against computations apart
//! from this program with twenty digits and more.

use crate::support::{assert_close, curve, labelled, only, points, run, value};
use slipstick_bifurcation::{BranchPoint, Label};
use slipstick_study::CurveResult;

fn at<'c>(curve: &'c CurveResult, label: Label, column: &str, wanted: f64) -> &'c BranchPoint {
    let found = labelled(curve, label);
    let off = |p: &BranchPoint| (value(curve, p, column) - wanted).abs();
    let nearest = found.into_iter().min_by(|a, b| off(a).total_cmp(&off(b)));
    nearest.unwrap_or_else(|| panic!("no {label} on `{}`", curve.name))
}

/// The zero of an increasing or decreasing function between two places.
fn zero(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let sign = f(low).signum();
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if f(middle).signum() == sign {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[test]
fn stick_slip_beside_rest_on_a_belt() {
    let result = run(include_str!("../../studies/benchmarks/belt_block.ron"), &[]);
    // Friction mu_d + (mu_s - mu_d) exp(-v/v_s), c = 0.1, mu_s = 1, mu_d = v_s = 0.5.
    let (c, mu_s, mu_d, v_s) = (0.1, 1.0, 0.5, 0.5);
    let onset = |c: f64| v_s * ((mu_s - mu_d) / (c * v_s)).ln();
    let rest = curve(&result, "rest");
    let hopf = only(rest, Label::HB);
    assert_close("HB", value(rest, hopf, "v0"), onset(c), 1e-13);
    assert_close("x", value(rest, hopf, "x_max"), mu_d + c * v_s, 1e-13);
    // x'' + x = g(x') has l1 = g'''/8, with g''' = c/v_s² here.
    assert!(hopf.message.contains("subcritical"), "{}", hopf.message);
    assert!(hopf.message.contains("l1 = 0.05,"), "{}", hopf.message);
    let cycles = curve(&result, "cycles");
    // The cycle of pure slip that starts where stick ends, and comes back there.
    let grazing = only(cycles, Label::GR);
    assert_close("GR", value(cycles, grazing, "v0"), 1.836600972207926, 1e-10);
    assert_close("period", value(cycles, grazing, "period"), 6.304013731052026, 1e-10);
    let sticks = at(cycles, Label::UZ, "period", 6.316);
    assert_close("period", value(cycles, sticks, "period"), 6.316306357891375, 1e-11);
    let slips = 5.810820815535639;
    assert_close(
        "stick",
        value(cycles, sticks, "stick"),
        6.316306357891375 - slips,
        1e-11,
    );
    // Rest attracts above the Hopf point, stick-slip below grazing-sliding, and in between no cycle of pure slip does.
    for p in points(rest) {
        assert!(p.label.is_some() || p.record.stable() == (value(rest, p, "v0") > onset(c)));
    }
    for p in points(cycles) {
        let sticks = value(cycles, p, "stick") > 0.0;
        assert!(
            p.label.is_some() || p.record.stable() == sticks,
            "{}",
            value(cycles, p, "v0")
        );
    }
    let locus = curve(&result, "Hopf");
    for p in points(locus) {
        assert_close("HB", value(locus, p, "v0"), onset(value(locus, p, "c")), 1e-12);
    }
}

#[test]
fn a_visible_and_an_invisible_fold_meet_and_so_do_their_twins() {
    let result = run(include_str!("../../studies/benchmarks/fold_fold.ron"), &[]);
    let (a, b) = (0.2f64, 2.0f64);
    // The pseudo-equilibrium, stable up to the two-fold, and beyond it in the escaping region.
    let rest = curve(&result, "rest");
    for p in points(rest) {
        assert_close(
            "x",
            value(rest, p, "x_max"),
            b * value(rest, p, "mu") / (b - 1.0),
            1e-12,
        );
    }
    assert_close("two-fold", value(rest, only(rest, Label::TF), "mu"), 0.0, 1e-12);
    assert_close(
        "end",
        value(rest, points(rest)[points(rest).len() - 1], "mu"),
        0.1,
        1e-12,
    );
    // The cycle leaves at the fold x = 0, with y'' - a y' + y = 1 above, lands at x = y' and slides back.
    let w = (1.0 - 0.25 * a * a).sqrt();
    let y = |t: f64| 1.0 - (0.5 * a * t).exp() * ((w * t).cos() - 0.5 * a / w * (w * t).sin());
    let slope = |t: f64| (0.5 * a * t).exp() * (w * t).sin() / w;
    let above = zero(y, 4.0, 6.0);
    let landing = slope(above);
    let widest = zero(|t| y(t) - 1.0, 0.5, 3.0);
    let cycles = curve(&result, "cycles");
    for p in points(cycles) {
        let mu = value(cycles, p, "mu");
        let slide = -3.0 * landing + 4.0 * mu * (2.0 * mu / (2.0 * mu - landing)).ln();
        assert_close("slide", value(cycles, p, "slide"), slide, 1e-10);
        assert_close("period", value(cycles, p, "period"), above + slide, 1e-10);
        assert_close("x_max", value(cycles, p, "x_max"), slope(widest) - a, 1e-10);
    }
    for (epsilon, name) in [(0.1, "0.1"), (0.03, "0.03"), (0.01, "0.01")] {
        // With φ' = 1 in the middle of the layer.
        let rest = curve(&result, &format!("rest {name}"));
        let hopf = only(rest, Label::HB);
        assert_close(
            "HB",
            value(rest, hopf, "mu"),
            -a * epsilon * (b - 1.0) / (2.0 * b),
            1e-14,
        );
        assert_close("x", value(rest, hopf, "x_max"), -0.5 * a * epsilon, 1e-14);
        // The line y = ε artanh((b - 1)/(b + 1)) is invariant at one μ: the unstable slow manifold, along which all
        // canards go.
        let canards = -a * epsilon * ((b - 1.0) / (b + 1.0)).atanh();
        for kind in ["small", "large"] {
            let c = curve(&result, &format!("{kind} {name}"));
            let lowest = points(c)
                .into_iter()
                .map(|p| value(c, p, "mu"))
                .fold(f64::INFINITY, f64::min);
            assert_close(&c.name, lowest, canards, 1e-12);
        }
    }
    let locus = curve(&result, "Hopf");
    for p in points(locus) {
        let epsilon = value(locus, p, "epsilon");
        assert_close("HB", value(locus, p, "mu"), -a * epsilon * (b - 1.0) / (2.0 * b), 1e-14);
    }
}

#[test]
fn a_converter_doubles_its_period_where_its_exact_flow_does() {
    let result = run(include_str!("../../studies/benchmarks/converter.ron"), &[]);
    let one = curve(&result, "period one");
    let doubling = only(one, Label::PD);
    assert_close("E", value(one, doubling, "E"), 24.516_572_828_563_38, 1e-12);
    assert_close("phase", value(one, doubling, "tau_on"), 0.509509672858686_8, 1e-11);
    assert_close("V", value(one, doubling, "V_clock"), 12.027708945206418, 1e-12);
    assert_close("I", value(one, doubling, "I_clock"), 0.608084287838342_1, 1e-11);
    // All switchings keep areas: the determinant is that of the decay over a period, exp(-T/(R C)).
    let decay = -4e-4 / (22.0 * 47e-6) / std::f64::consts::LN_10;
    for p in points(one) {
        let both: f64 = p.record.multipliers.iter().map(|m| m.log10).sum();
        assert_close("determinant", both, decay, 1e-10);
    }
    let two = curve(&result, "period one-PD1a");
    assert_close("E", value(two, only(two, Label::PD), "E"), 31.117902006770976, 1e-12);
    // The second phase of conduction vanishes: the voltage meets the upper corner of the ramp.
    let corner = only(two, Label::VS);
    assert_close("corner", value(two, corner, "E"), 36.353237064076766, 1e-11);
}

#[test]
fn two_gaits_down_a_slope() {
    let result = run(include_str!("../../studies/benchmarks/compass_gait.ron"), &[]);
    let (long, short) = (curve(&result, "long"), curve(&result, "short"));
    // Taylor series of twenty digits.
    let doubling = only(long, Label::PD);
    assert_close("PD", value(long, doubling, "gamma"), 0.015088437941119, 1e-11);
    assert_close("stance", value(long, doubling, "stance"), 0.237165863591579, 1e-11);
    for (c, stance, period) in [
        (long, 0.200310900544247_08, 3.882463752851374),
        (short, 0.193937369810181_8, 3.096105868078163_7),
    ] {
        let p = at(c, Label::UZ, "gamma", 0.009);
        assert_close("stance", value(c, p, "stance"), stance, 1e-11);
        assert_close("period", value(c, p, "period"), period, 1e-10);
    }
    // Down gentle slopes the stance angle falls off as the third root of the slope, by the factors 0.970956 and
    // 0.943976.
    for (c, factor) in [(long, 0.970956), (short, 0.943976)] {
        let p = at(c, Label::EP, "gamma", 0.0);
        let gamma = value(c, p, "gamma");
        assert_close(
            &c.name,
            value(c, p, "stance") / gamma.cbrt(),
            factor,
            0.5 * gamma.powf(2.0 / 3.0),
        );
    }
    // The long gait attracts up to the doubling, the short one never.
    assert!(points(short).iter().all(|p| !p.record.stable()));
    let end = value(long, doubling, "gamma");
    for p in points(long) {
        assert!(p.label.is_some() || p.record.stable() == (value(long, p, "gamma") < end));
    }
}
