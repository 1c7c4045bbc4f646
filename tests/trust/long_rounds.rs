//! Orbits of many events, or locked over many periods of a forcing: sweeps, `Settle` and orbit diagrams find the same.

use super::known::{none_wrong, run};
use super::random::{Random, members};
use slipstick_study::{AttractorKind, RunResult};
use std::f64::consts::TAU;

/// Rounds of the logistic map through its extremum, with the parameter: they attract faster than any other.
const ROUNDS: [(usize, f64); 6] = [
    (16, 3.5666673798562667),
    (24, 3.8491980538753796),
    (32, 3.569243531637111),
    (40, 3.7429492045402357),
    (48, 3.8493831104954253),
    (80, 3.742993439688775),
];

/// The word of the orbit that motions come to.
fn word_of(result: &RunResult) -> Option<String> {
    let reason = &result.missing.first()?.reason;
    let (_, rest) = reason.split_once("orbit with word `")?;
    Some(rest.split_once('`')?.0.to_owned())
}

/// A forced state that comes by two levels twice in every period, and a second one, which is set back there by the
/// logistic map: the orbit is a round of the map, and takes as many periods.
#[test]
fn locked_over_many_periods() {
    let class = "locked over many periods";
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (round, r) = ROUNDS[(member + 3) % ROUNDS.len()];
        let (w, k) = (random.log_between(0.5, 2.0), random.between(0.5, 1.5));
        let (low, high) = (random.between(-0.4, -0.1), random.between(0.1, 0.4));
        let size = random.between(2.0, 3.0) * (w * w + k * k).sqrt();
        let field = format!("\"x' = -{k:?}*x + A*cos(w*t)\", \"y' = 0\"");
        let mode = |name: &str, event: &str, level: f64, direction: &str, to: &str, reset: &str| {
            format!(
                "\"{name}\": Mode(equations: [{field}], events: {{\"{event}\": Event(guard: \"x - ({level:?})\", direction: {direction}, \
                 to: \"{to}\"{reset})}})"
            )
        };
        let back = ", reset: {\"y\": \"r*y*(1 - y)\"}";
        let modes = [
            mode("a", "set", low, "Up", "b", back),
            mode("b", "up", high, "Up", "c", ""),
            mode("c", "down", high, "Down", "d", ""),
            mode("d", "leave", low, "Down", "a", ""),
        ];
        let study = |word: &str| {
            format!(
                "Study(title: \"locked\", system: Hybrid(states: [\"x\", \"y\"], parameters: {{\"w\": {w:?}, \"A\": {size:?}, \"r\": {r:?}}}, \
                 forcing: Forcing(period: \"2*pi/w\"), modes: {{{}}}, start: Start(mode: \"a\", at: {{\"x\": {:?}, \"y\": 0.31}})), \
                 attractors: [Attractors(name: \"s\", sweep: \"A\", range: ({size:?}, {:?}), count: 2, starts: 2, within: {{\"y\": (0.2, 0.8)}})], \
                 tasks: [OrbitDiagram(name: \"d\", over: {{\"A\": Values([{size:?}])}}, points: 200, transient: 1000, sweeps: [], starts: 1, within: {{\"y\": (0.2, 0.8)}})], \
                 curves: [Curve(name: \"c\", orbit: Periodic(\"{word}\"), start: Settle(at: {{\"A\": {size:?}}}), free: \"A\", \
                 range: ({:?}, {:?}))])",
                modes.join(", "),
                low - 1.0,
                1.05 * size,
                0.99 * size,
                1.01 * size
            )
        };
        let first = run(&study("a set b up c down d leave"));
        let period = round as f64 * TAU / w;
        let (highest, lowest) = (r / 4.0, r * r / 4.0 * (1.0 - r / 4.0));
        let near = |x: f64, y: f64| (x - y).abs() <= 1e-9 * y.abs();
        let mut said: Vec<String> = vec![];
        // Of the extremes of x there are three, and then those of y: the largest size, the maximum, the minimum.
        let of_y = |row: &[f64]| near(row[4], highest) && near(row[5], lowest);
        for a in &first.attractors[0].found {
            let fine = match a.kind {
                AttractorKind::Orbit { period: own, .. } => near(own, period) && of_y(&a.rows[0]),
                _ => false,
            };
            if !fine {
                said.push(format!("sweep: {:?} {} {:?}", a.kind.name(), a.message, a.rows.first()));
            }
        }
        let mut tables = first.analyses.iter().flat_map(|a| &a.tables);
        let periods = tables.find_map(|(name, table)| table.numbers("period").ok().filter(|_| name == "d"));
        if periods.is_none_or(|all| all.iter().any(|period| *period != round as f64)) {
            said.push(format!("diagram: {:?}", periods.map(|all| all.to_vec())));
        }
        match word_of(&first).map(|word| run(&study(&word))) {
            None => said.push(format!("no word: {:?}", first.missing)),
            Some(result) => match result.curves.iter().find(|c| c.name == "c") {
                None => said.push(format!("no curve: {:?}", result.missing)),
                Some(curve) => {
                    let off = |p: &slipstick_bifurcation::Record| !near(p.period, period) || !of_y(&p.monitors);
                    let count = curve.points().filter(|(_, _, p)| off(&p.record)).count();
                    if count > 0 {
                        said.push(format!("{count} points are off"));
                    }
                }
            },
        }
        if !said.is_empty() {
            wrong.push((member, format!("{round}: {}\n{}", said.join("; "), study("a"))));
        }
    }
    none_wrong(class, count, &wrong);
}
