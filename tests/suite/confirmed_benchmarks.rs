//! Labels of the benchmarks and of other materials, confirmed by motions simulated on both sides of them.
//!
//! Next to an attracting orbit the motion is followed until it settles. Next to a repelling one, where an event is
//! gained or lost, a motion from the orbit's start passes other events on one side than on the other within the first
//! period. Canards, which repel by factors of 10^100, cannot be simulated and are left to their multipliers.

use crate::confirmed::{Place, place, stops};
use crate::support::planned;
use slipstick_bifurcation::Label;
use slipstick_study::{Plan, RunResult};
use std::f64::consts::{PI, TAU};

fn letters(word: &str) -> usize {
    word.trim_end_matches("| mirrored").split_whitespace().count()
}

#[test]
fn the_ladder_of_stops() {
    let run = planned(include_str!("../../studies/benchmarks/fric.ron"), &[]);
    // Stops in half a period, below and above.
    let settles = |name: &str, label: Label, omega: f64, by: f64, below: usize, above: usize| {
        let at = place(&run, name, label, omega);
        for (offset, wanted) in [(-by, below), (by, above)] {
            let word = at.beside(offset);
            assert_eq!(stops(&word), wanted, "{name} {label} at {omega} {offset:+e}: {word}");
        }
    };
    settles("no stop", Label::VS, 0.7486857316306344, 2e-3, 1, 0);
    settles("no stop", Label::VS, 1.206269084207898, 2e-3, 0, 1);
    settles("four stops", Label::OV, 0.0497229763029784, 5e-5, 3, 2);
    settles("six stops", Label::LP, 0.06239294130331512, 1e-4, 3, 2);
    settles("six stops", Label::OV, 0.02208118569016321, 1e-5, 4, 3);
    settles("eight stops", Label::LP, 0.03381338857132002, 5e-5, 4, 3);
    for (name, omega) in [
        ("four stops", 0.1257427532733548),
        ("six stops", 0.06188994714614392),
        ("eight stops", 0.033650739162013873),
    ] {
        let tangency = place(&run, name, Label::VT, omega);
        assert!(tangency.differs(1e-3 * omega, TAU / omega), "{name}");
    }
}

#[test]
fn several_stops_in_half_a_period() {
    let run = planned(include_str!("../../studies/stiction_stops.ron"), &[]);
    for (name, label, omega) in [
        ("one stop", Label::VS, 2.0801978049272254),
        ("one stop", Label::OV, 4.6515299856780885),
        ("two stops", Label::GR, 5.063365038729397),
        ("two stops", Label::OV, 12.053524751461527),
        ("three stops", Label::VT, 7.61938990090839),
    ] {
        assert!(
            place(&run, name, label, omega).differs(1e-3 * omega, PI),
            "{name} {label}"
        );
    }
    let fold = place(&run, "three stops", Label::LP, 7.190433244633472);
    assert_eq!(stops(&fold.beside(2e-3)), 3, "{}", fold.beside(2e-3));
    assert_ne!(stops(&fold.beside(-2e-3)), 3, "{}", fold.beside(-2e-3));
}

#[test]
fn the_regularised_twin() {
    let text = r#"Study(
        title: "Twin",
        system: RegularisedStiction(mu_s: 1.1, mu_d: 0.4, delta: 0.6, epsilon: 1e-2),
        curves: [Curve(
            name: "family", orbit: Symmetric("slip- layer"), start: Settle(at: {"Omega": 2.0}, from: {"x": 1.0}),
            free: "Omega", range: (0.3, 20), within: {"max_abs_x": (0, 3)}
        )],
    )"#;
    let run = planned(text, &[]);
    let fold = place(&run, "family", Label::LP, 0.5048846475794798);
    let (inside, outside) = (fold.beside(3e-3), fold.beside(-3e-3));
    assert!(inside.starts_with("slip") && inside.ends_with("| mirrored"), "{inside}");
    assert!(!outside.contains("slip"), "{outside}");
    for (omega, symmetric_side) in [(1.380449479346015, -5e-3), (1.6719779041346023, 5e-3)] {
        let breaking = place(&run, "family", Label::SB, omega);
        let (kept, broken) = (breaking.beside(symmetric_side), breaking.beside(-symmetric_side));
        assert!(kept.ends_with("| mirrored"), "{omega}: {kept}");
        assert!(!broken.ends_with("| mirrored"), "{omega}: {broken}");
    }
}

#[test]
fn impacts_on_two_sides() {
    let run = planned(include_str!("../../studies/benchmarks/impduff.ron"), &[]);
    for omega in [2.14006276931, 1.62470876566, 0.644856449257, 2.118818873203238] {
        let grazing = place(&run, "response", Label::GR, omega);
        assert!(grazing.differs(2e-3, 1.5 * TAU / omega), "{omega}");
    }
    let breaking = place(&run, "response", Label::SB, 1.43908000016);
    let (above, below) = (breaking.beside(1e-2), breaking.beside(-1e-2));
    assert!(above.ends_with("| mirrored"), "{above}");
    assert!(!below.ends_with("| mirrored"), "{below}");
    let fold = place(&run, "response", Label::LP, 3.15931338663);
    let (below, above) = (fold.beside(-1e-2), fold.beside(1e-2));
    assert!(below.contains("hit+") && below.ends_with("| mirrored"), "{below}");
    assert!(!above.contains("hit+"), "{above}");
}

fn slide() -> (Plan, RunResult) {
    planned(include_str!("../../studies/benchmarks/stickslip.ron"), &[])
}

#[test]
fn an_impact_that_starts_a_slide() {
    let run = slide();
    let grazing = place(&run, "response", Label::GR, 0.5875162504155);
    let period = PI / 0.92;
    // Contact, once there is any, pulls the body in.
    let touches = |place: &Place<'_>, offset: f64, periods: f64| {
        let way = place.visited_first(offset, periods * period, 1);
        way.contains("hit")
    };
    assert!(touches(&grazing, 1e-4, 1.0) && !touches(&grazing, -1e-4, 1.0));
    let fold = place(&run, "response", Label::LP, 0.5875367161733);
    assert!(touches(&fold, 1e-3, 40.0) && !touches(&fold, -1e-3, 40.0));
    assert!(!fold.beside(-1e-3).contains("hit"), "{}", fold.beside(-1e-3));
}

#[test]
fn a_switched_force() {
    let run = planned(include_str!("../../studies/benchmarks/bangbang.ron"), &[]);
    let breaking = place(&run, "symmetric", Label::SB, 1.075967906601);
    let (above, below) = (breaking.beside(2e-3), breaking.beside(-2e-3));
    assert!(above.ends_with("| mirrored"), "{above}");
    assert!(!below.ends_with("| mirrored"), "{below}");
    let daughter = run
        .1
        .curves
        .iter()
        .find(|c| {
            let near = |p: f64| (p - 0.869307923853).abs() < 1e-9;
            c.points()
                .any(|(_, _, p)| p.label == Some(Label::PD) && near(p.point.parameter()))
        })
        .unwrap();
    // The pair leaves at one symmetry breaking and returns at the other: one closed curve, which turns back where it
    // meets the symmetric one.
    assert_eq!(run.1.curves.len(), 2, "another curve repeats this one, or is no curve");
    let at = |label| daughter.points().filter(move |(_, _, p)| p.label == Some(label));
    let met: Vec<f64> = at(Label::BP).map(|(_, _, p)| p.point.parameter()).collect();
    assert_eq!(met.len(), 2);
    for (found, wanted) in met.iter().zip([1.0759679066012, 0.8543992737119]) {
        assert!((found - wanted).abs() < 1e-9, "{met:?}");
    }
    assert_eq!((at(Label::LP).count(), at(Label::PD).count()), (4, 4));
    let doubling = place(&run, &daughter.name, Label::PD, 0.869307923853);
    let sides = [letters(&doubling.beside(-1e-3)), letters(&doubling.beside(1e-3))];
    assert_eq!(2 * sides[0].min(sides[1]), sides[0].max(sides[1]), "{sides:?}");
}
