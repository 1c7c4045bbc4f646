//! Branches of doubled orbits, which end on the branches that they were born from: one at each doubling.

use super::known::{curve, labels, none_wrong, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;

/// x'' + c x' - a x + b x³ = F cos(w t), over F of both signs, with two generations of doubled orbits. F and -F are
/// mirror images, and so are their branches; steps are not, so that what lies next to the end of a branch is not
/// found by luck on both sides. Stability changes where there is a label.
#[test]
fn doubled_branches_are_mirror_images_up_to_their_ends() {
    let class = "doubled";
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let text = format!(
            "Study(title: \"doubled\", system: Smooth(states: [\"x\", \"v\"], parameters: {{\"w\": {:?}, \"F\": 0.21}}, forcing: Forcing(period: \"2*pi/w\"), \
             equations: [\"x' = v\", \"v' = -({:?})*v + ({:?})*x - ({:?})*x^3 + F*cos(w*t)\"], start: {{\"x\": 1}}), \
             curves: [Curve(name: \"r\", orbit: PeriodicOrbit, start: Settle(at: {{\"F\": 0.05}}), free: \"F\", range: (-0.45, 0.45), branches: [PD], generations: 2)])",
            random.between(1.01, 1.04),
            random.between(0.15, 0.2),
            random.between(0.93, 0.98),
            random.between(1.04, 1.08),
        );
        let result = run(&text);
        let mut places: Vec<(usize, Label, f64)> = vec![];
        let mut said = vec![];
        for c in &result.curves {
            let points: Vec<_> = c.points().map(|(_, _, p)| p).collect();
            for pair in points.windows(2) {
                if pair[0].record.unstable != pair[1].record.unstable && pair.iter().all(|p| p.label.is_none()) {
                    said.push(format!(
                        "{}: {} at {}",
                        c.name,
                        pair[1].record.unstable,
                        pair[1].point.parameter()
                    ));
                }
            }
            let special = points.iter().filter_map(|p| Some((p.label?, p.point.parameter())));
            let special = special.filter(|(label, _)| matches!(label, Label::PD | Label::LP | Label::NS));
            let generation = c.name.matches('-').count();
            places.extend(special.map(|(label, at)| (generation, label, at)));
        }
        for (generation, label, at) in &places {
            let mirrored = places
                .iter()
                .any(|(g, l, a)| g == generation && l == label && (a + at).abs() < 1e-8);
            if !mirrored {
                said.push(format!("{label} of generation {generation} at {at} only"));
            }
        }
        if !said.is_empty() || places.iter().all(|p| p.0 < 2) {
            wrong.push((member, format!("{}\n{text}", said.join("; "))));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Cascades of maps with one hump, in random units and over random ranges: no doubling is missed for seven generations,
/// although each comes sooner after the last, by Feigenbaum's number.
#[test]
fn cascades_go_on_from_generation_to_generation() {
    const FEIGENBAUM: f64 = 4.669_201_609;
    const GENERATIONS: usize = 6;
    let class = "cascades";
    let count = members(6);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (law, range, start) = [
            ("r*u*(1 - u)", (1.5, 4.0), (2.8, 0.64)),
            ("u*exp(r*(1 - u))", (0.5, 4.0), (1.5, 1.0)),
            ("1 - r*u^2", (0.1, 2.0), (0.5, 0.73)),
        ][member % 3];
        let wider = |random: &mut Random| random.log_between(1.0, 100.0);
        let (low, high) = (
            start.0 - (start.0 - range.0) * random.between(0.3, 1.0),
            range.1 * wider(&mut random),
        );
        let (unit, origin) = (random.log_between(1e-3, 1e3), random.between(-1.0, 1.0));
        let origin = unit * origin;
        let text = format!(
            "Study(title: \"cascade\", system: Map(states: [\"x\"], parameters: {{\"r\": {:?}}}, define: {{\"u\": \"(x - ({origin:?}))/{unit:?}\"}}, \
             equations: [\"x+ = ({origin:?}) + {unit:?}*({law})\"]), \
             curves: [Curve(name: \"f\", orbit: FixedPoint, start: Guess(at: {{\"r\": {:?}}}, states: [{{\"x\": {:?}}}]), free: \"r\", range: ({low:?}, {high:?}), \
             branches: [PD], generations: {GENERATIONS})])",
            start.0,
            start.0,
            origin + unit * start.1,
        );
        let result = run(&text);
        let mut name = "f".to_owned();
        let mut doublings = vec![];
        for _ in 0..=GENERATIONS {
            let Some(c) = result.curves.iter().find(|c| c.name == name) else {
                break;
            };
            let points: Vec<_> = c.points().map(|(_, _, p)| p).collect();
            let first = points.iter().position(|p| p.label == Some(Label::PD));
            let Some(first) = first else { break };
            let stable = points[..first].iter().filter(|p| p.point.parameter() > low);
            if name != "f" && stable.clone().any(|p| p.record.unstable > 0) {
                break;
            }
            doublings.push(points[first].point.parameter());
            name.push_str("-PD1a");
        }
        let ratio = |k: usize| (doublings[k - 1] - doublings[k - 2]) / (doublings[k] - doublings[k - 1]);
        let right =
            doublings.len() == GENERATIONS + 1 && (4..=GENERATIONS).all(|k| (ratio(k) / FEIGENBAUM - 1.0).abs() < 0.01);
        if !right {
            wrong.push((member, format!("{doublings:?}\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// Neurons that fire and are reset, with a corner in their field: where the orbit doubles, one branch of doubled orbits
/// is born.
#[test]
fn a_doubling_gives_one_branch_whatever_the_corner() {
    let class = "one doubled branch";
    let count = members(3);
    let (mut wrong, mut doubled) = (vec![], 0);
    for member in 0..count {
        let mut random = Random::of(class, member);
        let text = format!(
            "Study(title: \"firing\", system: Hybrid(states: [\"v\", \"u\"], parameters: {{\"I\": 3.5}}, \
             modes: {{\"q\": Mode(equations: [\"v' = v*abs(v)*{:?} + {:?}*v - u + I\", \"u' = {:?}*({:?}*v - u)\"], \
             events: {{\"sp\": Event(guard: \"v - 3\", direction: Up, to: \"q\", reset: {{\"v\": \"-0.8\", \"u\": \"u + {:?}\"}})}})}}), \
             curves: [Curve(name: \"t\", orbit: Periodic(\"q\"), start: Settle(at: {{\"I\": 3.5}}), free: \"I\", range: (0.5, 10), switch: Auto, branches: [PD])])",
            random.between(0.48, 0.52),
            random.between(0.28, 0.32),
            random.between(0.19, 0.21),
            random.between(0.38, 0.42),
            random.between(0.58, 0.62),
        );
        let result = run(&text);
        let doublings = labels(curve(&result, "t")).iter().filter(|l| l.0 == Label::PD).count();
        let branches = result.curves.iter().filter(|c| c.name.starts_with("t-PD")).count();
        doubled += doublings;
        if branches != doublings {
            wrong.push((member, format!("{branches} branches of {doublings} doublings\n{text}")));
        }
    }
    none_wrong(class, count, &wrong);
    assert!(doubled > 0);
}

/// A forced gear with backlash: families of doubled orbits lead from one doubling to another through words of other
/// events, so that they come back begun at another segment. Each is traced once: no two have the same labels.
#[test]
fn doubled_families_of_a_gear_are_traced_once() {
    let class = "gears";
    let count = members(1);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (z, mean, force) = (
            random.between(0.04, 0.07),
            random.between(0.09, 0.12),
            random.between(0.27, 0.32),
        );
        let mode = |name: &str, contact: &str, events: &str| {
            format!(
                "\"{name}\": Mode(equations: [\"x' = v\", \"v' = -({:?})*v{contact} + ({mean:?}) + ({force:?})*cos(w*t)\"], events: {{{events}}})",
                2.0 * z
            )
        };
        let event = |name: &str, guard: &str, direction: &str, to: &str| {
            format!("\"{name}\": Event(guard: \"{guard}\", direction: {direction}, to: \"{to}\")")
        };
        let modes = [
            mode("R", " - (x - 1)", &event("off", "x - 1", "Down", "F")),
            mode(
                "F",
                "",
                &[event("onR", "x - 1", "Up", "R"), event("onL", "x + 1", "Down", "L")].join(", "),
            ),
            mode("L", " - (x + 1)", &event("offL", "x + 1", "Up", "F")),
        ];
        let text = format!(
            "Study(title: \"gear\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"w\": 0.7}}, forcing: Forcing(period: \"2*pi/w\"), \
             modes: {{{}}}, start: Start(mode: \"R\", at: {{\"x\": 1.2}})), \
             curves: [Curve(name: \"r\", orbit: Periodic(\"R\"), start: Settle(at: {{\"w\": 3}}), free: \"w\", range: (0.2, 3.5), switch: Auto, branches: [PD], points: 600)])",
            modes.join(", ")
        );
        let result = run(&text);
        let folds = |own: &slipstick_study::CurveResult| {
            let mut found: Vec<f64> = labels(own)
                .into_iter()
                .filter(|(label, ..)| matches!(label, Label::LP | Label::PD))
                .map(|(_, at, _)| at)
                .collect();
            found.sort_by(f64::total_cmp);
            found
        };
        let all: Vec<(String, Vec<f64>)> = result.curves.iter().map(|c| (c.name.clone(), folds(c))).collect();
        let same = |a: &[f64], b: &[f64]| {
            a.len() > 1 && a.len() == b.len() && a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-7)
        };
        for (i, (name, own)) in all.iter().enumerate() {
            if let Some((other, _)) = all[..i].iter().find(|(_, before)| same(own, before)) {
                wrong.push((member, format!("{name} is {other}\n{text}")));
            }
        }
        if all.len() < 3 {
            wrong.push((member, format!("{} curves\n{text}", all.len())));
        }
    }
    none_wrong(class, count, &wrong);
}
