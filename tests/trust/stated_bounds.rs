//! Modes that state of themselves what their events say already, in whatever writing: `admissible` with the surface of
//! an event bounds nothing more. Held against the same systems without it.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members_at_least};
use slipstick_bifurcation::Label;
use slipstick_study::RunResult;

/// `value > 0`, written in one of several ways, some of which have the same surface only.
fn positive(random: &mut Random, value: &str) -> String {
    let factor = random.log_between(0.1, 10.0);
    match random.below(5) {
        0 => format!("{value} > 0"),
        1 => format!("-({value}) < 0"),
        2 => format!("{factor:?}*({value}) > 0"),
        3 => format!("({value})^3 + ({value}) > 0"),
        _ => format!("({value})*(1 + x^2) > 0"),
    }
}

/// Labels with their places on the curve `c`, and how far it goes.
fn found(result: &RunResult) -> (Vec<(Label, f64)>, [f64; 2]) {
    let curve = curve(result, "c");
    let places = curve.points().map(|(_, _, p)| p.point.parameter());
    let range = places.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], p| {
        [low.min(p), high.max(p)]
    });
    (labels(curve).iter().map(|l| (l.0, l.1)).collect(), range)
}

/// What differs where the modes state what bounds them; `places` tells how well places are known.
fn differs(without: &str, with: &str, places: f64) -> Option<String> {
    let (plain, bounded) = (run(without), run(with));
    if plain.curves.is_empty() || bounded.curves.is_empty() {
        return Some(format!("{:?} {:?}\n{with}", plain.missing, bounded.missing));
    }
    let ((a, goes), (b, bounded)) = (found(&plain), found(&bounded));
    let close = |a: f64, b: f64| (a - b).abs() <= places;
    let alike = a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| a.0 == b.0 && close(a.1, b.1));
    // The end of an orbit that grows without bound depends on the steps.
    let far = goes.iter().zip(bounded).all(|(a, b)| (a - b).abs() <= 1e-4);
    (!alike || !far).then(|| format!("{a:?} {goes:?}\nbounded: {b:?} {bounded:?}\n{with}"))
}

/// The stiction oscillator through its borders, with its modes bounded by the velocity and by the force.
#[test]
fn stick_and_slip_bounded_by_velocity_and_force() {
    let class = "stick and slip bounded";
    let count = members_at_least(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (mu_s, mu_d) = (random.between(1.02, 1.4), random.between(0.2, 0.9));
        let force = match random.below(3) {
            0 => "\"-mu_s < xi < mu_s\"".into(),
            1 => format!("\"{}\"", positive(&mut random, "mu_s - abs(xi)")),
            _ => {
                let sides = ["mu_s - xi", "mu_s + xi"].map(|side| positive(&mut random, side));
                format!("\"{}\", \"{}\"", sides[0], sides[1])
            }
        };
        let velocities = ["y", "-y"].map(|side| format!("\"{}\"", positive(&mut random, side)));
        let [up, down] = &velocities;
        let study = |[up, down, force]: [&str; 3]| {
            format!(
                "Study(title: \"stiction\", system: Hybrid(states: [\"x\", \"y\", \"theta\"], angles: {{\"theta\": \"2*pi\"}}, \
                 parameters: {{\"Omega\": 2, \"mu_s\": {mu_s:?}, \"mu_d\": {mu_d:?}}}, \
                 define: {{\"xi\": \"Omega^2*x + sin(theta)\"}}, modes: {{\
                 \"slip+\": Mode(equations: [\"x' = y\", \"y' = -xi - mu_d\", \"theta' = 1\"], admissible: [{up}], events: {{\
                 \"land\": Event(guard: \"y\", direction: Down, when: [\"xi < mu_s\"], to: \"stick\"), \
                 \"reverse\": Event(guard: \"y\", direction: Down, when: [\"xi > mu_s\"], to: \"slip-\")}}), \
                 \"slip-\": Mode(equations: [\"x' = y\", \"y' = -xi + mu_d\", \"theta' = 1\"], admissible: [{down}], events: {{\
                 \"land\": Event(guard: \"y\", direction: Up, when: [\"xi > -mu_s\"], to: \"stick\"), \
                 \"reverse\": Event(guard: \"y\", direction: Up, when: [\"xi < -mu_s\"], to: \"slip+\")}}), \
                 \"stick\": Mode(kind: Stick, states: [\"x\", \"theta\"], absent: {{\"y\": \"0\"}}, \
                 equations: [\"x' = 0\", \"theta' = 1\"], admissible: [{force}], events: {{\
                 \"release+\": Event(guard: \"xi - mu_s\", direction: Up, to: \"slip-\"), \
                 \"release-\": Event(guard: \"xi + mu_s\", direction: Down, to: \"slip+\")}})}}, \
                 symmetry: Symmetry(states: {{\"x\": \"-x\", \"y\": \"-y\", \"theta\": \"theta + pi\"}}, modes: {{\"slip+\": \"slip-\"}})), \
                 curves: [Curve(name: \"c\", orbit: Symmetric(\"slip- stick\"), start: All(at: {{\"Omega\": 2}}), \
                 free: \"Omega\", range: (0.8, 6), switch: Auto)])"
            )
        };
        if let Some(what) = differs(&study(["", "", ""]), &study([up, down, &force]), 1e-8) {
            wrong.push((member, what));
        }
    }
    none_wrong(class, count, &wrong);
}

/// An oscillator between its wall and the grazing of it, with flight bounded by the wall.
#[test]
fn flight_bounded_by_the_wall() {
    let class = "flight bounded";
    let count = members_at_least(5);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (c, d) = (random.between(0.05, 0.3), random.between(0.5, 1.5));
        let (e, force) = (random.between(0.4, 0.9), random.between(0.8, 1.4));
        let bound = format!("\"{}\"", positive(&mut random, "d - x"));
        let study = |bound: &str| {
            format!(
                "Study(title: \"impact\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"om\": 0.8, \"d\": {d:?}}}, \
                 forcing: Forcing(period: \"2*pi/om\"), modes: {{\
                 \"flight\": Mode(equations: [\"x' = v\", \"v' = -x - {c:?}*v + {force:?}*cos(om*t)\"], admissible: [{bound}], \
                 events: {{\"hit\": Event(guard: \"x - d\", direction: Up, to: \"flight\", reset: {{\"v\": \"-{e:?}*v\"}})}})}}), \
                 curves: [Curve(name: \"c\", orbit: Periodic(\"flight hit\"), start: Settle(at: {{\"om\": 0.8}}), \
                 free: \"om\", range: (0.55, 1.6), switch: Auto)])"
            )
        };
        if let Some(what) = differs(&study(""), &study(&bound), 1e-7) {
            wrong.push((member, what));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Rest that passes from one mode to another where both are bounded by the surface between them.
#[test]
fn rest_bounded_by_the_surface_that_it_passes() {
    let class = "rest bounded";
    let count = members_at_least(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (a, b, k) = (
            random.between(0.5, 2.0),
            random.between(0.5, 2.0),
            random.between(-0.4, 0.4),
        );
        let bounds = ["x", "-x"].map(|side| format!("\"{}\"", positive(&mut random, side)));
        let study = |[right, left]: [&str; 2]| {
            format!(
                "Study(title: \"rest\", system: Hybrid(states: [\"x\", \"y\"], parameters: {{\"q\": 1}}, modes: {{\
                 \"right\": Mode(equations: [\"x' = q - {a:?}*x + {k:?}*y\", \"y' = x - y\"], admissible: [{right}], \
                 events: {{\"out\": Event(guard: \"x\", direction: Down, to: \"left\")}}), \
                 \"left\": Mode(equations: [\"x' = q - {b:?}*x + {k:?}*y\", \"y' = x - y\"], admissible: [{left}], \
                 events: {{\"in\": Event(guard: \"x\", direction: Up, to: \"right\")}})}}), \
                 curves: [Curve(name: \"c\", orbit: EquilibriumIn(\"right\"), \
                 start: Guess(at: {{\"q\": 1}}, states: [{{\"x\": 1, \"y\": 1}}]), free: \"q\", range: (-1, 2))])"
            )
        };
        let [right, left] = &bounds;
        let with = study([right, left]);
        let what = differs(&study(["", ""]), &with, 1e-12).or_else(|| {
            let (labels, range) = found(&run(&with));
            let passes = matches!(labels[..], [(Label::BE, at)] if at.abs() < 1e-12) && range == [-1.0, 2.0];
            (!passes).then(|| format!("{labels:?} {range:?}\n{with}"))
        });
        wrong.extend(what.map(|what| (member, what)));
    }
    none_wrong(class, count, &wrong);
}
