//! Forced systems with events in any unit of time: `Settle`, `All` and sweeps come to the same orbits, and curves have
//! the same labels in about as many points.

use super::known::{none_wrong, pieces, run};
use super::random::{Random, members};
use slipstick_bifurcation::Label;
use slipstick_study::{AttractorKind, RunResult};
use std::f64::consts::TAU;

/// Of each piece its number of points, and its labels with the parameters, in these units.
type Seen = Vec<(usize, Vec<(Label, Vec<f64>)>)>;

fn seen(result: &RunResult, name: &str, units: &[f64]) -> Seen {
    let pieces = pieces(result, name).into_iter();
    let of = |piece: Vec<&slipstick_bifurcation::BranchPoint>| {
        let place = |p: &[f64]| p.iter().zip(units).map(|(v, unit)| v / unit).collect();
        let labels = piece
            .iter()
            .filter_map(|p| Some((p.label?, place(&p.record.parameters))));
        (piece.len(), labels.collect())
    };
    pieces.map(of).collect()
}

/// The same labels at the same places, in as many points to this factor?
fn same(a: &Seen, b: &Seen, factor: usize) -> bool {
    let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a / b - 1.0).abs() <= 1e-8);
    let pair = |(a, b): (&(usize, Vec<(Label, Vec<f64>)>), &(usize, Vec<(Label, Vec<f64>)>))| {
        let labels = a.1.iter().zip(&b.1).all(|(a, b)| a.0 == b.0 && close(&a.1, &b.1));
        a.1.len() == b.1.len() && labels && a.0 <= factor * b.0 && b.0 <= factor * a.0
    };
    !a.is_empty() && a.len() == b.len() && a.iter().zip(b).all(pair)
}

/// x'' + c x' + x = A cos wt with impacts at x = 1, over w. The orbit with an impact in each period attracts.
#[test]
fn impact_oscillators_come_to_their_orbits_in_any_unit_of_time() {
    let class = "impacts in units of time";
    let count = members(4);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (force, c, e) = (
            random.between(0.8, 0.88),
            random.between(0.14, 0.18),
            random.between(0.8, 0.86),
        );
        // Half of the units are such that a period lasts some thousands of them.
        let t = match member % 2 {
            0 => random.log_between(100.0, 2500.0),
            _ => random.log_between(1e-5, 1e7),
        };
        let of = |t: f64| {
            let w = [0.6, 0.8, 1.2].map(|w| w / t);
            let text = format!(
                "Study(title: \"impacts\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"w\": {1:?}, \"A\": {3:?}, \"c\": {4:?}, \"k\": {5:?}}}, \
                 forcing: Forcing(period: \"2*pi/w\"), modes: {{\"f\": Mode(equations: [\"x' = v\", \"v' = A*cos(w*t) - c*v - k*x\"], \
                 events: {{\"hit\": Event(guard: \"x - 1\", direction: Up, to: \"f\", reset: {{\"v\": \"-{e:?}*v\"}})}})}}), \
                 curves: [Curve(name: \"s\", orbit: Periodic(\"f hit\"), start: Settle(at: {{\"w\": {1:?}}}), free: \"w\", range: ({0:?}, {2:?})), \
                 Curve(name: \"a\", orbit: Periodic(\"f hit\"), start: All(at: {{\"w\": {1:?}}}), free: \"w\", range: ({0:?}, {2:?}))], \
                 attractors: [Attractors(name: \"at\", sweep: \"w\", range: ({1:?}, {2:?}), count: 2, starts: 3, events: 500)])",
                w[0],
                w[1],
                w[2],
                force / (t * t),
                c / t,
                1.0 / (t * t),
            );
            let result = run(&text);
            let units = [1.0 / t, 1.0 / (t * t), 1.0 / t, 1.0 / (t * t)];
            let curves = ["s", "a"].map(|name| seen(&result, name, &units));
            let periods = periods(&result, t);
            (curves, periods, format!("{:?}\n{text}", result.missing))
        };
        let (plain, scaled) = (of(1.0), of(t));
        let curves = (0..2).all(|k| same(&plain.0[k], &scaled.0[k], 3));
        if !(curves && same_periods(&plain.1, &scaled.1)) {
            wrong.push((member, format!("{t}: {plain:?}\n{scaled:?}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// The periods of the orbits that sweeps found, in units of time.
fn periods(result: &RunResult, t: f64) -> Vec<f64> {
    let found = result.attractors.iter().flat_map(|all| &all.found);
    let period = |a: &slipstick_study::Attractor| match a.kind {
        AttractorKind::Orbit { period, .. } => period / t,
        _ => 0.0,
    };
    found.map(period).collect()
}

/// The same periods, as far as sweeps know them?
fn same_periods(a: &[f64], b: &[f64]) -> bool {
    let close = |(a, b): (&f64, &f64)| *a > 0.0 && (a / b - 1.0).abs() <= 1e-6;
    !a.is_empty() && a.len() == b.len() && a.iter().zip(b).all(close)
}

/// x'' = m (1 - x²) x' - x with impacts, over m, from a start near its equilibrium.
#[test]
fn self_excited_oscillators_come_to_their_orbits_in_any_unit_of_time() {
    let class = "self-excited impacts in units of time";
    let count = members(1);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (wall, e, from) = (
            random.between(1.3, 1.6),
            random.between(0.7, 0.9),
            random.log_between(0.01, 0.5),
        );
        let t = match member % 2 {
            0 => random.log_between(10.0, 2500.0),
            _ => random.log_between(1e-5, 1e6),
        };
        let of = |t: f64| {
            let text = format!(
                "Study(title: \"self-excited\", system: Hybrid(states: [\"x\", \"v\"], parameters: {{\"m\": 0.5}}, modes: {{\"f\": Mode( \
                 equations: [\"x' = v\", \"v' = m*(1 - x^2)*v/{t:?} - x/{:?}\"], events: {{\"hit\": Event(guard: \"x - {wall:?}\", direction: Up, \
                 to: \"f\", reset: {{\"v\": \"-{e:?}*v\"}})}})}}, start: Start(mode: \"f\", at: {{\"x\": {from:?}, \"v\": 0}})), \
                 curves: [Curve(name: \"s\", orbit: Periodic(\"f hit\"), start: Settle(at: {{\"m\": 0.5}}), free: \"m\", range: (0.3, 1)), \
                 Curve(name: \"a\", orbit: Periodic(\"f hit\"), start: All(at: {{\"m\": 0.5}}), free: \"m\", range: (0.3, 1))], \
                 attractors: [Attractors(name: \"at\", sweep: \"m\", range: (0.3, 1), count: 2, starts: 3, events: 500)])",
                t * t
            );
            let result = run(&text);
            let curves = ["s", "a"].map(|name| seen(&result, name, &[1.0]));
            let missing = format!("{:?}\n{text}", result.missing);
            (curves, periods(&result, t), missing)
        };
        let (plain, scaled) = (of(1.0), of(t));
        let curves = (0..2).all(|k| same(&plain.0[k], &scaled.0[k], 3));
        if !(curves && same_periods(&plain.1, &scaled.1)) {
            wrong.push((member, format!("{t}: {plain:?}\n{scaled:?}")));
        }
    }
    none_wrong(class, count, &wrong);
}

/// A converter that is switched where its voltage passes a carrier, over the voltage of the source, over the frequency
/// of the carrier, and its doubling in both.
#[test]
fn switched_converters_take_about_as_many_points_in_any_unit_of_time() {
    let class = "converters in units of time";
    let count = members(2);
    let mut wrong = vec![];
    for member in 0..count {
        let mut random = Random::of(class, member);
        let (gain, carrier) = (random.between(8.0, 8.8), random.between(2.1, 2.4));
        let of = |t: f64| {
            let (l, c, w) = (20e-3 * t, 47e-6 * t, TAU / (400e-6 * t));
            let guard = format!("{gain:?}*(v - 11.3) - 6 - {carrier:?}*sin(w*t)");
            let text = format!(
                "Study(title: \"converter\", system: Hybrid(states: [\"v\", \"i\"], parameters: {{\"E\": 24, \"w\": {w:?}, \"R\": 22, \"L\": {l:?}, \"C\": {c:?}}}, \
                 forcing: Forcing(period: \"2*pi/w\"), modes: {{\"on\": Mode(equations: [\"v' = (i - v/R)/C\", \"i' = (E - v)/L\"], \
                 events: {{\"off\": Event(guard: \"{guard}\", direction: Up, to: \"off\")}}), \
                 \"off\": Mode(equations: [\"v' = (i - v/R)/C\", \"i' = -v/L\"], \
                 events: {{\"on\": Event(guard: \"{guard}\", direction: Down, to: \"on\")}})}}, start: Start(mode: \"off\", at: {{\"v\": 13, \"i\": 0.55}})), \
                 curves: [Curve(name: \"c\", orbit: Periodic(\"off on\"), start: All(at: {{\"E\": 18}}), free: \"E\", range: (15, 40)), \
                 Curve(name: \"d\", orbit: Periodic(\"off on\"), start: All(at: {{\"E\": 18}}), free: \"w\", range: ({:?}, {:?}), set: {{\"E\": 24}})], \
                 loci: [Locus(name: \"pd\", from: \"c: PD 1\", free: (\"w\", \"E\"), range: (({:?}, {:?}), (15, 50)))])",
                0.6 * w,
                2.5 * w,
                0.6 * w,
                2.5 * w,
            );
            let result = run(&text);
            let units = [1.0, w, 1.0, l, c];
            let curves = ["c", "d", "pd"].map(|name| seen(&result, name, &units));
            (curves, format!("{:?}\n{text}", result.missing))
        };
        let t = random.log_between(1e-2, 1e7);
        let (plain, scaled) = (of(1.0), of(t));
        if !(0..3).all(|k| same(&plain.0[k], &scaled.0[k], 3)) {
            wrong.push((member, format!("{t}: {plain:?}\n{scaled:?}")));
        }
    }
    none_wrong(class, count, &wrong);
}
