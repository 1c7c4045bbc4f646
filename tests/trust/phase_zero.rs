//! Forced orbits: on all branches monitors read them at phase zero, where stored rows of those without events begin.

use super::known::{none_wrong, run};
use super::random::{Random, members};
use std::f64::consts::TAU;

/// x'' + d x' - x + x³ = F cos wt in random units of time, with its doubled orbits: monitors that are read at the start
/// are values at phase zero, stored orbits begin there, and the level of such a monitor is followed in two parameters.
#[test]
fn doubled_orbits_begin_at_phase_zero() {
    let class = "phase zero";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let time = random.log_between(1e-3, 1e3);
        let (d, w) = (random.between(0.25, 0.35), random.between(1.1, 1.3));
        let method = ["Auto", "Collocation()", "Shooting(shots: 2)", "Flow"][member % 4];
        // One or the other is passed, as the doubled orbit begins in its one round or in the other.
        let levels = [random.between(0.1, 0.2), random.between(0.55, 0.7)];
        let locus = |name: &str, level: f64| {
            format!(
                "Locus(name: \"{name}\", from: \"c-PD1a, x0={level:?}\", free: (\"F\", \"d\"), range: ((0.05, 0.6), (0.2, 0.4)), points: 20)"
            )
        };
        let text = format!(
            "Study(title: \"phase\", system: Smooth(states: [\"x\", \"v\"], parameters: {{\"F\": 0.1, \"d\": {d:?}}}, forcing: Forcing(period: \"2*pi*{:?}\"), \
             equations: [\"x' = v/{time:?}\", \"v' = (-d*v + x - x^3 + F*cos({w:?}*t/{time:?}))/{time:?}\"], start: {{\"x\": 1}}, \
             monitors: {{\"x0\": Value(\"x\"), \"v0\": Value(\"v\"), \"c\": Value(\"cos({w:?}*t/{time:?})\"), \"s\": Value(\"sin({w:?}*t/{time:?})\")}}), \
             curves: [Curve(name: \"c\", orbit: PeriodicOrbit, method: {method}, start: Settle(at: {{\"F\": 0.1}}), free: \"F\", range: (0.05, 0.6), \
             branches: [PD], levels: {{\"x0\": {levels:?}}}, points: 200)], loci: [{}, {}])",
            time / w,
            locus("l0", levels[0]),
            locus("l1", levels[1]),
        );
        let result = run(&text);
        let (mut doubled, mut along) = (0, 0);
        let mut said = vec![];
        for curve in &result.curves {
            let at = |name: &str| curve.monitors.iter().position(|n| n == name).unwrap();
            let (x, v, c, s) = (at("x0"), at("v0"), at("c"), at("s"));
            for piece in &curve.pieces {
                for (i, p) in piece.branch.points.iter().enumerate() {
                    let m = &p.record.monitors;
                    if !((m[c] - 1.0).abs() < 1e-9 && m[s].abs() < 1e-8) {
                        said.push(format!("{} {i}: {} {}", curve.name, m[c], m[s]));
                    }
                    if let Some(k) = curve.name.strip_prefix('l').and_then(|rest| rest.get(..1)) {
                        let level = levels[usize::from(k == "1")];
                        along += 1;
                        if (m[x] - level).abs() > 1e-7 {
                            said.push(format!("{} {i}: x0 is {}, not {level}", curve.name, m[x]));
                        }
                    }
                    doubled += usize::from(curve.name == "c-PD1a");
                }
                for (i, orbit) in &piece.orbits {
                    let p = &piece.branch.points[*i];
                    let last = orbit.t.len() - 1;
                    let (first, end) = (&orbit.states[0], &orbit.states[last]);
                    let laps = (p.record.period * w / (TAU * time)).round();
                    let begins = orbit.t[0] == 0.0
                        && (orbit.t[last] / p.record.period - 1.0).abs() < 1e-9
                        && orbit.t.windows(2).all(|t| t[0] <= t[1] + 1e-12 * orbit.t[last])
                        && (first[2] - TAU * (first[2] / TAU).round()).abs() < 1e-8
                        && (end[2] - first[2] - TAU * laps).abs() < 1e-7
                        && (first[0] - p.record.monitors[x]).abs() < 1e-8
                        && (first[1] - p.record.monitors[v]).abs() < 1e-8
                        && (first[0] - end[0]).abs() < 1e-6
                        && (first[1] - end[1]).abs() < 1e-6;
                    if !begins {
                        said.push(format!(
                            "{} {i}: {:?}: {first:?} … {end:?}",
                            curve.name,
                            p.label.map(|label| label.code())
                        ));
                    }
                }
            }
        }
        if doubled < 30 || along < 5 || !said.is_empty() {
            said.truncate(6);
            wrong.push((
                member,
                format!("{doubled} {along} {said:?} {:?}\n{text}", result.missing),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}

/// x'' + d x' + x = F cos wt with a wall, in random units of time, followed through the grazing into orbits without hits,
/// and doubled: whatever event the word begins with, monitors are values at phase zero; a level of one is followed in
/// two parameters.
#[test]
fn orbits_with_events_are_read_at_phase_zero() {
    let class = "phase zero, events";
    let count = members(8);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let time = random.log_between(1e-3, 1e3);
        let (d, w) = (random.between(0.1, 0.2), random.between(2.1, 2.5));
        let (restitution, wall) = (random.between(0.6, 0.8), random.between(0.05, 0.15));
        let of = |rest: &str| {
            format!(
                "Study(title: \"phase\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"F\": 1, \"d\": {d:?}}}, forcing: Forcing(period: \"2*pi*{:?}\"), \
                 modes: {{\"fl\": Mode(equations: [\"x' = v/{time:?}\", \"v' = (-d*v - x + F*cos({w:?}*t/{time:?}))/{time:?}\"], \
                 events: {{\"hit\": Event(guard: \"x - {wall:?}\", direction: Up, to: \"fl\", reset: {{\"v\": \"-{restitution:?}*v\"}})}})}}, \
                 start: Start(mode: \"fl\", at: {{\"x\": -0.5}}), \
                 monitors: {{\"x0\": Value(\"x\"), \"c\": Value(\"cos({w:?}*t/{time:?})\"), \"s\": Value(\"sin({w:?}*t/{time:?})\")}}), \
                 curves: [Curve(name: \"c\", orbit: Periodic(\"fl hit\"), start: All(at: {{\"F\": 1}}), free: \"F\", range: (0.1, 2), branches: [PD], switch: Auto, {rest}])",
                time / w
            )
        };
        let read = |result: &slipstick_study::RunResult, said: &mut Vec<String>| {
            let mut level = None;
            let (mut hitting, mut along) = (0, 0);
            for curve in &result.curves {
                let at = |name: &str| curve.monitors.iter().position(|n| n == name).unwrap();
                let (x, c, s) = (at("x0"), at("c"), at("s"));
                for piece in &curve.pieces {
                    for (i, p) in piece.branch.points.iter().enumerate() {
                        let m = &p.record.monitors;
                        if !((m[c] - 1.0).abs() < 1e-9 && m[s].abs() < 1e-8) {
                            said.push(format!("{} {i}: {} {}", curve.name, m[c], m[s]));
                        }
                        along += usize::from(curve.name.starts_with('l'));
                    }
                    if piece.word.contains("hit") && curve.name.starts_with("c") {
                        let points = &piece.branch.points;
                        hitting += points.len();
                        level.get_or_insert(points[points.len() / 2].record.monitors[x]);
                    }
                }
            }
            (level, hitting, along)
        };
        let mut said = vec![];
        let (level, hitting, _) = read(&run(&of(")")), &mut said);
        let level = level.unwrap_or(0.0);
        let text = of(&format!(
            "levels: {{\"x0\": [{level:?}]}})], loci: [Locus(name: \"l\", from: \"c, x0={level:?}\", free: (\"F\", \"d\"), \
             range: ((0.1, 2), (0.02, 0.4)), points: 20)"
        ));
        let result = run(&text);
        let (_, _, along) = read(&result, &mut said);
        for curve in result.curves.iter().filter(|curve| curve.name.starts_with('l')) {
            let x = curve.monitors.iter().position(|n| n == "x0").unwrap();
            for (_, _, p) in curve.points() {
                if (p.record.monitors[x] - level).abs() > 1e-7 {
                    said.push(format!("{}: x0 is {}, not {level}", curve.name, p.record.monitors[x]));
                }
            }
        }
        if hitting < 5 || along < 5 || !said.is_empty() {
            said.truncate(6);
            wrong.push((
                member,
                format!("{hitting} {along} {said:?} {:?}\n{text}", result.missing),
            ));
        }
    }
    none_wrong(class, count, &wrong);
}
