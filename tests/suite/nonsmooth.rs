//! Published hybrid benchmarks, each as its shipped study: every number that was computed independently for them.

use crate::support::{assert_close, curve, labelled, run, value};
use slipstick::bifurcation::{BranchPoint, Label};
use slipstick::floquet::Multiplier;
use slipstick::study::{CurveResult, RunResult};

const FRIC: &str = include_str!("../../studies/benchmarks/fric.ron");
const IMPDUFF: &str = include_str!("../../studies/benchmarks/impduff.ron");
const IMPACT: &str = include_str!("../../studies/benchmarks/impact.ron");
const STICKSLIP: &str = include_str!("../../studies/benchmarks/stickslip.ron");
const BANGBANG: &str = include_str!("../../studies/benchmarks/bangbang.ron");

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
    let result = run(FRIC, &[]);
    let c = curve(&result, "no stop");
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
    let c = curve(&result, "four stops");
    has(c, Label::LP, "omega", 0.1277937810443519, 1e-10);
    has(c, Label::VT, "omega", 0.1257427532733548, 1e-10);
    has(c, Label::OV, "omega", 0.0497229763029784, 1e-10);
}

#[test]
fn motion_without_stops_needs_the_static_friction_exceeded() {
    let limits = |f0: f64| {
        let result = run(FRIC, &[("f0", f0)]);
        let c = curve(&result, "no stop");
        let mut ends: Vec<f64> = labelled(c, Label::VS).iter().map(|p| value(c, p, "omega")).collect();
        ends.sort_by(f64::total_cmp);
        assert_eq!(ends.len(), 2, "{ends:?}");
        (ends[0], ends[1])
    };
    let (low, high) = limits(1.45);
    assert_close("low", low, 0.7724546413723267, 1e-11);
    assert_close("high", high, 1.117054956838444, 1e-11);
    // Next to the smallest amplitude, 1.358167137026502, both ends close in on 0.8966564765909887.
    let (low, high) = limits(1.358167137026502 + 2e-4);
    assert!(high - low < 0.03, "{low} {high}");
    assert_close("middle", 0.5 * (low + high), 0.8966564765909887, 3e-4);
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
        inside.message.contains("touches `left` from inside"),
        "{}",
        inside.message
    );
    let slow = has(c, Label::GR, "omega", 1.62470876566, 1e-10);
    assert!(
        slow.message.contains("meets `right` with zero speed"),
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
        "flight free",
        "flight right",
        "flight left flight right",
        "flight right",
        "flight free",
    ];
    assert_eq!(words, wanted.map(|w| format!("{w} | mirrored")));
    let slow = has(c, Label::GR, "omega", 0.644856449257, 1e-10);
    assert!(slow.message.contains("with zero speed"), "{}", slow.message);
}

#[test]
fn an_impact_that_ends_grazing() {
    for (omega, amplitude) in [(1.0, 0.1), (0.9, 0.2102379604162864), (1.2, 0.4560701700396552)] {
        let result = run(IMPACT, &[("omega", omega)]);
        let c = curve(&result, "impacts");
        let grazing = has(c, Label::GR, "A", amplitude, 1e-11);
        assert!(grazing.message.contains("with zero speed"), "{}", grazing.message);
        // Beyond it the oscillator does not reach the wall: the curve goes on with that word.
        assert!(
            grazing.message.contains("the word becomes `flight free`"),
            "{}",
            grazing.message
        );
        assert!(c.pieces.iter().any(|p| p.word == "flight free"));
    }
    let result = run(IMPACT, &[]);
    let c = curve(&result, "impacts");
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
    assert_eq!(words, ["flight", "flight impact slide stop"]);
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
    assert_eq!(c.pieces[0].word, "push switch pull switch");
}
