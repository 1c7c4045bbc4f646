//! Published hybrid benchmarks, each as its shipped study: every number that was computed independently for them.

use crate::support::{assert_close, curve, labelled, only, points, run, value};
use slipstick_bifurcation::{BranchPoint, Label};
use slipstick_floquet::Multiplier;
use slipstick_study::{CurveResult, RunResult};
use std::sync::LazyLock;

const FRIC: &str = include_str!("../../studies/benchmarks/fric.ron");
const IMPDUFF: &str = include_str!("../../studies/benchmarks/impduff.ron");
const IMPACT: &str = include_str!("../../studies/benchmarks/impact.ron");
const STICKSLIP: &str = include_str!("../../studies/benchmarks/stickslip.ron");
const BANGBANG: &str = include_str!("../../studies/benchmarks/bangbang.ron");

/// The shipped studies with two-parameter curves, run once.
static FRIC_RUN: LazyLock<RunResult> = LazyLock::new(|| run(FRIC, &[]));
static IMPACT_RUN: LazyLock<RunResult> = LazyLock::new(|| run(IMPACT, &[]));

/// Real and imaginary part.
fn complex(m: &Multiplier) -> (f64, f64) {
    let size = 10f64.powf(m.log10);
    (size * m.arg.cos(), size * m.arg.sin())
}

/// The point with this label nearest to `wanted` in the column.
#[track_caller]
fn nearest<'c>(curve: &'c CurveResult, label: Label, column: &str, wanted: f64) -> &'c BranchPoint {
    let found = labelled(curve, label).into_iter().min_by(|a, b| {
        let off = |p: &BranchPoint| (value(curve, p, column) - wanted).abs();
        off(a).total_cmp(&off(b))
    });
    found.unwrap_or_else(|| panic!("no {label} on `{}`", curve.name))
}

/// There is a point with this label at this value of the column.
#[track_caller]
fn has<'c>(curve: &'c CurveResult, label: Label, column: &str, wanted: f64, tolerance: f64) -> &'c BranchPoint {
    let point = nearest(curve, label, column, wanted);
    let found = value(curve, point, column);
    assert_close(&format!("{label} on `{}`", curve.name), found, wanted, tolerance);
    point
}

/// The point of any curve with this label at this value of the column.
#[track_caller]
fn anywhere<'r>(
    result: &'r RunResult,
    label: Label,
    column: &str,
    wanted: f64,
    tolerance: f64,
) -> (&'r CurveResult, &'r BranchPoint) {
    let hits = result
        .curves
        .iter()
        .flat_map(|c| labelled(c, label).into_iter().map(move |p| (c, p)));
    let all: Vec<_> = hits.collect();
    let hit = all
        .iter()
        .find(|(c, p)| (value(c, p, column) - wanted).abs() <= tolerance);
    *hit.unwrap_or_else(|| {
        let values: Vec<_> = all.iter().map(|(c, p)| value(c, p, column)).collect();
        panic!("no {label} at {column} = {wanted} among {values:?}")
    })
}

#[test]
fn stiction_with_damping_and_its_ladder_of_stops() {
    let c = curve(&FRIC_RUN, "no stop");
    has(c, Label::VS, "omega", 0.7486857316306344, 1e-12);
    has(c, Label::VS, "omega", 1.206269084207898, 1e-12);
    // Where the force touches the other side within the stick phase.
    let end = has(c, Label::OV, "omega", 0.1111841338488355, 1e-10);
    assert_close("amplitude", value(c, end, "max_abs_x"), 0.4, 1e-10);
    assert_close("half", value(c, end, "nu"), -0.563675049, 1e-8);
    assert_close("slip", end.point.z[3], 4.80928708036962, 1e-9);
    // θ1, where the slip starts, of either mirror image.
    let onset = end.point.z[2].rem_euclid(std::f64::consts::PI);
    assert_close("onset", onset, 5.19790710268028 - std::f64::consts::PI, 1e-9);
    let smooth = has(c, Label::UZ, "omega", 0.9, 1e-14);
    assert_close("amplitude", value(c, smooth, "max_abs_x"), 2.42023635057437, 1e-12);
    for (m, wanted) in smooth.record.nu.iter().zip([0.754563143159, 0.295352649411]) {
        assert_close("half", complex(m).0.abs(), wanted, 1e-11);
    }
    for (omega, half, amplitude) in [
        (0.7, 0.30507889974, 1.98900217210125),
        (0.3, -0.145870635194, 1.02472423972812),
    ] {
        let p = has(c, Label::UZ, "omega", omega, 1e-14);
        assert_close("half", value(c, p, "nu"), half, 1e-10);
        assert_close("amplitude", value(c, p, "max_abs_x"), amplitude, 1e-11);
    }
    let c = curve(&FRIC_RUN, "four stops");
    has(c, Label::LP, "omega", 0.1277937810443519, 1e-10);
    has(c, Label::VT, "omega", 0.1257427532733548, 1e-10);
    has(c, Label::OV, "omega", 0.0497229763029784, 1e-10);
}

#[test]
fn the_ladder_of_stops_goes_on() {
    let two = curve(&FRIC_RUN, "no stop");
    let ladder = ["four stops", "six stops", "eight stops"].map(|name| curve(&FRIC_RUN, name));
    // Each word begins at a fold above the frequency at which the one before ends, so that two of them attract in
    // between.
    let mut end = value(two, nearest(two, Label::OV, "omega", 0.11), "omega");
    for (c, stops) in ladder.into_iter().zip([2, 3, 4]) {
        assert!(c.pieces.iter().all(|p| p.word.matches("stick").count() == stops));
        let fold = only(c, Label::LP);
        let tangency = only(c, Label::VT);
        let (top, left) = (value(c, fold, "omega"), value(c, tangency, "omega"));
        assert!(end < left && left < top, "{end} {left} {top}");
        for p in points(c) {
            let attracts = p.record.stable();
            // Repelling between the fold and the tangency only.
            assert!(attracts || value(c, p, "omega") >= left, "{}", value(c, p, "omega"));
            assert!(p.record.margin() > -1e-9);
        }
        let Some(low) = labelled(c, Label::OV).first().copied() else {
            assert_eq!(stops, 4);
            continue;
        };
        // The force of the last stop touches the other side as the forcing is largest.
        assert_close("amplitude", value(c, low, "max_abs_x"), 0.4, 1e-9);
        end = value(c, low, "omega");
    }
    let bistable = points(two)
        .into_iter()
        .filter(|p| (0.1112..0.1278).contains(&value(two, p, "omega")));
    assert!(bistable.clone().count() > 0);
    assert!(bistable.into_iter().all(|p| p.record.stable()));
}

#[test]
fn limits_of_pure_slip_over_amplitude_and_frequency() {
    let limit = curve(&FRIC_RUN, "pure-slip limit");
    for (f0, omega) in [
        (1.45, 0.7724546413723267),
        (1.45, 1.117054956838444),
        (1.358167137026502, 0.8966564765909887),
        (1.5, 0.7486857316306344),
        (1.5, 1.206269084207898),
    ] {
        let all = labelled(limit, Label::UZ);
        let off = |p: &BranchPoint| {
            (value(limit, p, "f0") - f0)
                .abs()
                .max((value(limit, p, "omega") - omega).abs())
        };
        let nearest = all.iter().map(|p| off(p)).fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-11, "({f0}, {omega}) is missed by {nearest:e}");
    }
    // It is the smallest amplitude: the curve rises on both sides.
    for p in points(limit) {
        let (f0, omega) = (value(limit, p, "f0"), value(limit, p, "omega"));
        assert!(f0 > 1.358167137026502 - 1e-11);
        assert!((omega - 0.8966564765909887).abs() < 1e-6 || f0 > 1.358167137026502);
        assert_close("stick", value(limit, p, "max_abs_v").signum(), 1.0, 0.0);
    }
    // A one-parameter curve at another amplitude ends on it.
    let result = run(FRIC, &[("f0", 1.45)]);
    let c = curve(&result, "no stop");
    let mut ends: Vec<f64> = labelled(c, Label::VS).iter().map(|p| value(c, p, "omega")).collect();
    ends.sort_by(f64::total_cmp);
    assert_eq!(ends.len(), 2, "{ends:?}");
    assert_close("low", ends[0], 0.7724546413723267, 1e-11);
    assert_close("high", ends[1], 1.117054956838444, 1e-11);
    // So do the other two-parameter curves: where two stops end, and where four stops fold.
    for (locus, name, label) in [("overshoot", "no stop", Label::OV), ("fold", "four stops", Label::LP)] {
        let (locus, c) = (curve(&FRIC_RUN, locus), curve(&result, name));
        let wanted = value(c, only(c, label), "omega");
        let found = labelled(locus, Label::UZ)
            .into_iter()
            .find(|p| (value(locus, p, "f0") - 1.45).abs() < 1e-12);
        assert_close(name, value(locus, found.unwrap(), "omega"), wanted, 1e-9);
    }
}

#[test]
fn two_masses_that_hit_each_other() {
    let result = run(IMPDUFF, &[]);
    let c = curve(&result, "response");
    has(c, Label::LP, "omega", 1.29896319382, 1e-10);
    has(c, Label::LP, "omega", 3.15931338663, 1e-10);
    has(c, Label::SB, "omega", 1.43908000016, 1e-10);
    has(c, Label::NS, "omega", 1.97655186133, 1e-10);
    has(c, Label::NS, "omega", 2.09495373637, 1e-10);
    let inside = has(c, Label::GR, "omega", 2.14006276931, 1e-10);
    assert!(
        inside.message.contains("is tangent to `wall:hit-` before its end"),
        "{}",
        inside.message
    );
    let slow = has(c, Label::GR, "omega", 1.62470876566, 1e-10);
    assert!(
        slow.message.contains("grazes the surface of `wall:hit+`"),
        "{}",
        slow.message
    );
    for (omega, large, small) in [(1.5, 0.92180182, 0.46225112), (2.0, 1.00437839, 0.49815047)] {
        let own = labelled(c, Label::UZ).into_iter().find(|p| {
            let sizes: Vec<f64> = p.record.multipliers.iter().map(|m| 10f64.powf(m.log10)).collect();
            value(c, p, "omega") == omega && (sizes[0] - large).abs() < 1e-7
        });
        let sizes: Vec<f64> = own
            .unwrap()
            .record
            .multipliers
            .iter()
            .map(|m| 10f64.powf(m.log10))
            .collect();
        for (size, wanted) in sizes.iter().zip([large, large, small, small]) {
            assert_close("modulus", *size, wanted, 1e-8);
        }
    }
    // The curve passes orbits without impacts, with two, with four, with two again, and ends without.
    let words: Vec<&str> = c.pieces.iter().map(|p| p.word.as_str()).collect();
    let wanted = [
        "wall:open free",
        "wall:open wall:hit+",
        "wall:open wall:hit- wall:open wall:hit+",
        "wall:open wall:hit+",
        "wall:open free",
    ];
    assert_eq!(words, wanted.map(|w| format!("{w} | mirrored")));
    let slow = has(c, Label::GR, "omega", 0.644856449257, 1e-10);
    assert!(
        slow.message.contains("the rate of the guard is zero"),
        "{}",
        slow.message
    );
}

#[test]
fn an_impact_that_ends_grazing() {
    // Without the two-parameter curves, which are those of the shipped frequency.
    let (curves, _) = IMPACT.split_once("    loci: [").unwrap();
    let curves = format!("{curves})");
    for (omega, amplitude) in [(1.0, 0.1), (0.9, 0.2102379604162864), (1.2, 0.4560701700396552)] {
        let result = run(&curves, &[("omega", omega)]);
        // Of the orbits that hit the wall once, those that take one period of the forcing.
        let period = std::f64::consts::TAU / omega;
        let takes_one = |c: &&CurveResult| c.points().all(|(_, _, p)| p.record.period < 1.5 * period);
        let mut impacts = result.curves.iter().filter(|c| c.name.starts_with("impacts"));
        let c = impacts.find(takes_one).unwrap();
        let grazing = has(c, Label::GR, "A", amplitude, 1e-11);
        assert!(
            grazing.message.contains("the rate of the guard is zero"),
            "{}",
            grazing.message
        );
        // Beyond it the oscillator does not reach the wall: the curve goes on with that word.
        assert!(
            grazing.message.contains("the word becomes `wall:open free`"),
            "{}",
            grazing.message
        );
        assert!(c.pieces.iter().any(|p| p.word == "wall:open free"));
    }
    let c = curve(&IMPACT_RUN, "impacts");
    let fold = has(c, Label::LP, "A", 0.09997075362831327, 1e-13);
    let speed = |p: &BranchPoint| -value(c, p, "after") / 0.8;
    assert_close("speed", speed(fold), 0.004111530643945, 1e-9);
    for (amplitude, impact, re, im) in [
        (0.2, 0.298612852056334, -0.570023693258, 0.128473216752),
        (0.5, 0.837016023199660, -0.581165891045, 0.0606513428028),
    ] {
        let p = has(c, Label::UZ, "A", amplitude, 1e-14);
        assert_close("speed", speed(p), impact, 1e-12);
        for m in &p.record.multipliers {
            let (a, b) = complex(m);
            assert_close("re", a, re, 1e-11);
            assert_close("im", b.abs(), im, 1e-11);
        }
    }
}

#[test]
fn grazing_and_the_fold_over_amplitude_and_frequency() {
    // The amplitude at which the motion without impacts reaches the wall at d = 1, for k = 1 and c = 0.1.
    let exact = |omega: f64| ((1.0 - omega * omega).powi(2) + 0.01 * omega * omega).sqrt();
    let grazing = curve(&IMPACT_RUN, "grazing");
    for p in points(grazing) {
        assert_close(
            "grazing",
            value(grazing, p, "A"),
            exact(value(grazing, p, "omega")),
            1e-11,
        );
    }
    for (omega, amplitude) in [(0.9, 0.2102379604162864), (1.2, 0.4560701700396552)] {
        let p = has(grazing, Label::UZ, "omega", omega, 1e-13);
        assert_close("A", value(grazing, p, "A"), amplitude, 1e-12);
    }
    // The fold leaves the grazing curve where the forcing has the frequency of the damped oscillator, ω² = k - c²/4.
    let fold = curve(&IMPACT_RUN, "fold");
    let end = only(fold, Label::codimension_two(Label::LP, Label::GR));
    let omega = (1.0f64 - 0.0025).sqrt();
    assert_close("omega", value(fold, end, "omega"), omega, 1e-9);
    assert_close("A", value(fold, end, "A"), exact(omega), 1e-9);
    for p in points(fold) {
        let (a, omega) = (value(fold, p, "A"), value(fold, p, "omega"));
        assert!(a < exact(omega) + 1e-12, "{a} {omega}");
    }
}

#[test]
fn an_impact_that_starts_a_slide() {
    let result = run(STICKSLIP, &[]);
    let c = curve(&result, "response");
    has(c, Label::LP, "V", 0.5875367161733, 1e-11);
    let grazing = has(c, Label::GR, "V", 0.5875162504155, 1e-11);
    let sizes: Vec<f64> = grazing.record.multipliers.iter().map(|m| 10f64.powf(m.log10)).collect();
    assert_close("repelling", sizes[0], 1.42922317, 1e-7);
    assert_close("attracting", sizes[1], 0.61035041, 1e-7);
    for (rebound, voltage, slide) in [
        (-0.008, 0.592396745004, 0.000977163784),
        (-0.08, 0.635804186215, 0.009767250842),
    ] {
        let p = has(c, Label::UZ, "rebound", rebound, 1e-12);
        assert_close("V", value(c, p, "V"), voltage, 1e-11);
        assert_close("slide", value(c, p, "slide"), slide, 1e-11);
    }
    let words: Vec<&str> = c.pieces.iter().map(|p| p.word.as_str()).collect();
    let stick = "wall:open,floor:stick";
    let slide = format!("{stick} wall:hit,floor:slip+ wall:open,floor:slip+ floor:land");
    assert_eq!(words, [stick, &slide]);
}

#[test]
fn a_switched_force_breaks_the_symmetry_twice() {
    let result = run(BANGBANG, &[]);
    for (label, omega) in [
        (Label::SB, 1.075967906601),
        (Label::SB, 0.854399273712),
        (Label::LP, 0.819487765645),
        (Label::LP, 1.110970752297),
    ] {
        let (c, _) = anywhere(&result, label, "omega", omega, 1e-11);
        assert!(c.pieces[0].word.ends_with("| mirrored"));
    }
    let (c, _) = anywhere(&result, Label::PD, "omega", 0.869307923853, 1e-11);
    assert_eq!(c.pieces[0].word, "push cross pull cross");
}

/// Grazing is resonant where w = 2 w_d/j, with the amplitude that grazes there (Simpson and Ghosh 2026).
#[test]
fn folds_begin_where_grazing_is_resonant() {
    let result = run(include_str!("../../studies/benchmarks/resonant_grazing.ron"), &[]);
    let damped = (1.0 - 0.0025f64).sqrt();
    let grazing = curve(&result, "grazing");
    let found: Vec<&BranchPoint> = points(grazing)
        .into_iter()
        .filter(|p| p.message.contains("resonant grazing"))
        .collect();
    assert_eq!(found.len(), 2);
    for (point, j) in found.iter().zip([3.0, 2.0]) {
        let w = 2.0 * damped / j;
        assert_close("w", value(grazing, point, "w"), w, 1e-12);
        assert_close("A", value(grazing, point, "A"), (1.0 - w * w).hypot(0.1 * w), 1e-12);
    }
    assert_close("w", value(grazing, found[1], "w"), 0.998_749_217_771_909, 1e-13);
    assert_close("A", value(grazing, found[1], "A"), 0.099_906_206_013_440_44, 1e-13);
    assert!(found[1].message.contains("-18.68185"), "{}", found[1].message);
    // The curve of folds ends there.
    let fold = curve(&result, "fold");
    let first = points(fold)[0];
    assert_close("w", value(fold, first, "w"), 0.998_749_217_771_909, 1e-12);
}

/// The response of the bilinear oscillator reaches its stop where that of the linear one has amplitude 1.
#[test]
fn a_soft_stop_is_grazed_on_both_sides_of_the_resonance() {
    let result = run(include_str!("../../studies/benchmarks/bilinear.ron"), &[]);
    let response = curve(&result, "response");
    // (1 - w²)² + c² w² = F²
    let (c, f) = (0.1f64, 0.3f64);
    let half = 1.0 - 0.5 * c * c;
    let root = (half * half - 1.0 + f * f).sqrt();
    assert_close(
        "GR",
        value(response, only(response, Label::GR), "w"),
        (half - root).sqrt(),
        1e-12,
    );
    assert_close(
        "VS",
        value(response, only(response, Label::VS), "w"),
        (half + root).sqrt(),
        1e-12,
    );
    assert_eq!(labelled(response, Label::LP).len(), 2);
    // The folds form a region with two cusps, the lower of which is sharp where the stop is stiff.
    assert_eq!(labelled(curve(&result, "fold"), Label::CP).len(), 2);
    for stop in [1.0, 4.0] {
        let other = run(include_str!("../../studies/benchmarks/bilinear.ron"), &[("stop", stop)]);
        assert_eq!(labelled(curve(&other, "fold"), Label::CP).len(), 2, "stop = {stop}");
    }
    for p in points(curve(&result, "grazing")) {
        let grazing = curve(&result, "grazing");
        let (w, f) = (value(grazing, p, "w"), value(grazing, p, "F"));
        assert_close("grazing", f, (1.0 - w * w).hypot(c * w), 1e-11);
    }
}
