//! Find where a curve of the study starts, and have it followed from there.

use super::attractors::least;
use super::checkpoint::EntryLog;
use super::correction::{corrected, smooth};
use super::follow::CurveTracer;
use super::given_orbits::{Start, follow, follow_given, given_orbit, set_parameters};
use super::least_period::{laps_with_events, told_once};
use super::object::Object;
use super::plan::{CurvePlan, Plan, StartPlan};
use super::point_starts::follow_points;
use super::results::CurveResult;
use super::run::Observer;
use super::source::{read_auto, read_orbit};
use slipstick_bifurcation::{Inspect, Record, TraceOptions, Tracer};
use slipstick_continuation::Curve;
use slipstick_flow::{
    FlowError, FlowOptions, Iterates, Method, Segment, SettleError, SettleOptions, Settled, SimulationOptions, settle,
    simulate,
};
use slipstick_numerics::stop::unless_stopped;
use slipstick_orbit::{Discretisation, PeriodicOrbit, SearchOptions, Word, find_all};
use slipstick_system::{System, Units};
use std::sync::atomic::{AtomicBool, Ordering};

/// All curves of one entry of the study, or why there are none. `earlier` are the curves that it may start from.
pub(super) fn run_curve(
    plan: &Plan,
    curve: &CurvePlan,
    earlier: &[&CurveResult],
    observer: &dyn Observer,
    stop: &AtomicBool,
    log: &EntryLog<'_>,
) -> Result<(Vec<CurveResult>, Vec<String>), String> {
    let mut tracer = CurveTracer::new(curve, observer, stop, log);
    let outcome = unless_stopped(|| match &curve.object {
        Object::Orbit(word) => follow_orbits(plan, curve, word, earlier, &mut tracer),
        Object::Equilibrium { .. } | Object::Cycle { .. } => follow_points(plan, curve, earlier, &mut tracer),
    });
    // What is stopped keeps the curves that there are.
    outcome.unwrap_or(Ok(()))?;
    let untraced = std::mem::take(&mut tracer.untraced);
    Ok((tracer.results()?, untraced))
}

/// The longest time to wait for a trajectory to settle, where the study does not say.
pub(super) const PATIENCE: f64 = 5000.0;

/// How nearly several laps of a trajectory that has settled are alike, if they are laps of one orbit.
const ROUGH: f64 = 1e-3;

/// Follow periodic orbits from the curve's start.
fn follow_orbits(
    plan: &Plan,
    curve: &CurvePlan,
    word: &Word,
    earlier: &[&CurveResult],
    tracer: &mut CurveTracer<'_>,
) -> Result<(), String> {
    let system = &plan.systems[curve.system].system;
    let stop = tracer.stop;
    let mut problem = PeriodicOrbit::discretised(
        system,
        word.clone(),
        curve.parameters.clone(),
        vec![curve.free],
        curve.flow,
        &curve.discretisations,
    );
    problem.set_range(curve.trace.range);
    match &curve.start {
        StartPlan::Search {
            values,
            otherwise,
            seeds,
            region,
            longest,
        } => {
            let options = SearchOptions {
                seeds: *seeds,
                longest: *longest,
                region: search_region(system, &curve.parameters, region, curve.flow),
            };
            let own = [curve.parameters[curve.free]];
            let first: &[f64] = if values.is_empty() { &own } else { values };
            for &value in first.iter().chain(otherwise) {
                if stop.load(Ordering::Relaxed) || (!tracer.results.is_empty() && otherwise.contains(&value)) {
                    break;
                }
                if otherwise.contains(&value) {
                    let what = curve.object.describe(system);
                    tracer.found_elsewhere(&what, &system.parameters[curve.free].name, value);
                }
                problem.set_parameter(curve.free, value);
                let mut watch = |so_far| tracer.searching(value, so_far);
                let found = tracer.log.remember_whole(stop, || {
                    find_all(&mut problem, &options, &mut watch).map_err(|e| e.to_string())
                });
                match found {
                    Ok(found) => {
                        for orbit in &found {
                            match problem.begin_at(orbit) {
                                Ok(z) => tracer.follow(&mut problem, z),
                                Err(e) => {
                                    tracer.failure.get_or_insert(e.to_string());
                                }
                            }
                        }
                    }
                    Err(e) => {
                        tracer.failure.get_or_insert(e);
                    }
                }
            }
            if tracer.results.is_empty() && tracer.failure.is_none() && !stop.load(Ordering::Relaxed) {
                let (lo, hi) = curve.trace.range;
                return Err(format!(
                    "no admissible {} was found, neither at the start's parameters nor elsewhere for {} between {lo} and {hi}",
                    curve.object.describe(system),
                    system.parameters[curve.free].name,
                ));
            }
        }
        StartPlan::Settle { mode, from, patience } => {
            let z = settled(
                &mut problem,
                curve,
                *mode,
                from,
                patience.unwrap_or(PATIENCE),
                tracer.log,
            )?;
            let kept = problem.keep_phase();
            let z = match told_once(&mut problem, &z, ROUGH) {
                // Only what is solved tells several laps from one of an orbit whose period has just doubled.
                Some(_) => {
                    problem.return_to_phase(kept);
                    corrected(&mut problem, z.clone()).map_or(z, |z| once(&mut problem, z, tracer))
                }
                None => z,
            };
            if let Some(laps) = laps_with_events(&problem, &z) {
                let period = problem.period(&z) * system.units.time;
                tracer.note = format!(
                    "the orbit that was settled to is gone round {laps} times in the period {period} of the word asked for: its least period is {}",
                    period / laps as f64
                );
            }
            tracer.follow(&mut problem, z);
        }
        StartPlan::Guess { states, durations } => {
            let z = if smooth(word) {
                let z = simulated(&mut problem, &states[0], durations[0])?;
                let z = corrected(&mut problem, z)?;
                once(&mut problem, z, tracer)
            } else {
                let guess = problem.guess(states, durations).map_err(|e| e.to_string())?;
                match corrected(&mut problem, guess.clone()) {
                    Ok(z) if laps_with_events(&problem, &z).is_some() => z,
                    // What does not converge is reported by the tracer, in its words.
                    _ => problem.guess(states, durations).map_err(|e| e.to_string())?,
                }
            };
            follow(&mut problem, Start::At(z), tracer);
        }
        StartPlan::Point { source, given, .. } => {
            for mut orbit in source.find(system, &plan.systems, earlier)? {
                set_parameters(system, curve, &orbit, given, |i, v| problem.set_parameter(i, v));
                // With other parameters it is solved no longer.
                orbit.known = orbit.known.filter(|_| given.is_empty());
                let held = given.iter().any(|&(i, _)| i == curve.free);
                if let Err(why) = follow_given(&mut problem, &orbit, held, tracer) {
                    tracer.failed(why);
                }
            }
        }
        StartPlan::Auto {
            path,
            label,
            numbers,
            given,
        } => {
            let orbit = read_auto(path, *label, numbers, system)?;
            set_parameters(system, curve, &orbit, given, |i, v| problem.set_parameter(i, v));
            let held = given.iter().any(|&(i, _)| i == curve.free);
            follow_given(&mut problem, &orbit, held, tracer)?;
        }
        StartPlan::File(path) => {
            let start = match given_orbit(&mut problem, &read_orbit(path, system)?, false)? {
                Start::At(z) => Start::At(once(&mut problem, z, tracer)),
                through => through,
            };
            follow(&mut problem, start, tracer);
        }
    }
    Ok(())
}

/// The solved orbit `z`, told over its least period.
fn once(problem: &mut PeriodicOrbit<'_>, z: Vec<f64>, tracer: &mut CurveTracer<'_>) -> Vec<f64> {
    /// Orbits are solved to better than this.
    const SAME: f64 = 1e-7;
    match told_once(problem, &z, SAME) {
        Some((z, said)) => {
            tracer.note = said;
            z
        }
        None => z,
    }
}

/// Unknowns of a smooth orbit by a trajectory of one period from a state.
fn simulated(problem: &mut PeriodicOrbit<'_>, x: &[f64], period: f64) -> Result<Vec<f64>, String> {
    let word = problem.word();
    let mode = word.letters[0].mode;
    let length = if word.symmetric { 0.5 * period } else { period };
    let parameters = problem.parameters().to_vec();
    let flow = slipstick_flow::ModeFlow::new(problem.system(), mode, FlowOptions::default());
    let path = flow.path(x, length, &parameters).map_err(|e| e.to_string())?;
    problem
        .guess_course(period, &|t, out| path.eval(t.min(length), out))
        .map_err(|e| e.to_string())
}

/// Where to spread seeds: what the study says, else a box around what a trajectory from the system's own start visits.
pub(super) fn search_region(
    system: &System,
    parameters: &[f64],
    given: &[Option<(f64, f64)>],
    flow: FlowOptions,
) -> Vec<(f64, f64)> {
    let mut region = vec![(0.0f64, 0.0f64); system.states.len()];
    for state in visited(system, parameters, flow) {
        for (r, v) in region.iter_mut().zip(state) {
            *r = (r.0.min(v), r.1.max(v));
        }
    }
    for (r, g) in region.iter_mut().zip(given) {
        let margin = (0.5 * (r.1 - r.0)).max(0.5);
        *r = g.unwrap_or((r.0 - margin, r.1 + margin));
    }
    region
}

/// States that a trajectory from the system's own start visits. One that cannot be followed leaves few; the study can say where to look.
fn visited(system: &System, parameters: &[f64], flow: FlowOptions) -> Vec<Vec<f64>> {
    /// How many iterates of a map are looked at, as long as they stay this small.
    const ITERATES: usize = 1000;
    const SMALL: f64 = 1e3;
    let (mode, start) = &system.start;
    if system.is_map() {
        let mut states = vec![];
        if let Ok(mut orbit) = Iterates::new(system, *mode, start, parameters) {
            while orbit.count() < ITERATES && orbit.point().iter().all(|v| v.abs() < SMALL) {
                states.push(system.full_state(*mode, orbit.point(), parameters));
                if orbit.advance().is_err() {
                    break;
                }
            }
        }
        return states;
    }
    let options = SimulationOptions {
        t_end: 300.0,
        max_events: 2000,
        flow,
        ..SimulationOptions::default()
    };
    let run = simulate(system, *mode, start, parameters, &options);
    let segments = run.map_or_else(|_| vec![], |run| run.segments);
    let ends = |s: &Segment| [&s.start, &s.end].map(|x| system.full_state(s.mode, x, parameters));
    segments.iter().flat_map(ends).collect()
}

/// The orbit of the curve's word that a trajectory settles to: at the parameters given or, where it settles to another kind of orbit there, at
/// another value of the free parameter, from where the curve is traced just as well.
fn settled(
    problem: &mut PeriodicOrbit<'_>,
    curve: &CurvePlan,
    mode: usize,
    from: &[f64],
    patience: f64,
    log: &EntryLog<'_>,
) -> Result<Vec<f64>, String> {
    /// Values tried elsewhere, relative to the one given.
    const ELSEWHERE: [f64; 7] = [1.25, 1.5, 2.0, 3.0, 0.8, 0.65, 0.5];
    let precise = SettleOptions {
        longest_segment: patience,
        flow: curve.flow,
        ..SettleOptions::default()
    };
    if !curve.discretisations.iter().any(|d| *d != Discretisation::Flow) {
        return settle_with(problem, &curve.parameters, mode, from, &precise, log);
    }
    // A declared small parameter says what an explicit method would find out the hard way at every event.
    let method = match curve.flow.method {
        Method::Auto if problem.system().slow_fast.is_some() => Method::Stiff,
        method => method,
    };
    let rough = SettleOptions {
        tolerance: 1e-5,
        flow: FlowOptions {
            rtol: 1e-7,
            atol: 1e-8,
            method,
            ..curve.flow
        },
        ..precise.clone()
    };
    let given = curve.parameters[curve.free];
    let mut attempt = |value: f64| {
        let mut parameters = curve.parameters.clone();
        parameters[curve.free] = value;
        problem.set_parameter(curve.free, value);
        roughly_settled(problem, curve, &parameters, mode, from, &rough, log)
    };
    if let Some(z) = attempt(given) {
        return Ok(z);
    }
    let (lo, hi) = curve.trace.range;
    let within = |value: &f64| *value >= lo && *value <= hi;
    if let Some(z) = ELSEWHERE.iter().map(|f| f * given).filter(within).find_map(attempt) {
        return Ok(z);
    }
    problem.set_parameter(curve.free, given);
    settle_with(problem, &curve.parameters, mode, from, &precise, log)
        .or_else(|why| from_larger_epsilon(problem, curve, mode, from, &rough, log).ok_or(why))
}

/// On meshes Newton's method finishes what a rough trajectory begins; what the rough one suggests counts only if the orbit is attracting, as
/// one that a trajectory settles to must be.
fn roughly_settled(
    problem: &mut PeriodicOrbit<'_>,
    curve: &CurvePlan,
    parameters: &[f64],
    mode: usize,
    from: &[f64],
    rough: &SettleOptions,
    log: &EntryLog<'_>,
) -> Option<Vec<f64>> {
    let z = settle_with(problem, parameters, mode, from, rough, log).ok()?;
    let point = Curve::start(problem, z, 1.0, curve.trace.steps).ok()?.point().clone();
    let mut record = Record::default();
    problem.inspect(&point, &mut record).ok()?;
    (record.unstable == 0 && record.admissible()).then_some(point.z)
}

/// A start at small ε reached from a larger one: settle there, and follow the orbit down.
fn from_larger_epsilon(
    problem: &mut PeriodicOrbit<'_>,
    curve: &CurvePlan,
    mode: usize,
    from: &[f64],
    options: &SettleOptions,
    log: &EntryLog<'_>,
) -> Option<Vec<f64>> {
    /// Tried in this order, as multiples of the ε wanted.
    const FACTORS: [f64; 4] = [3.0, 10.0, 100.0, 1000.0];
    let system = problem.system();
    let epsilon = system.slow_fast.as_ref()?.epsilon;
    let wanted = curve.parameters[epsilon];
    FACTORS
        .iter()
        .map(|f| f * wanted)
        .filter(|e| *e < 1.0)
        .find_map(|larger| {
            let mut parameters = curve.parameters.clone();
            parameters[epsilon] = larger;
            let mut way = PeriodicOrbit::discretised(
                system,
                problem.word().clone(),
                parameters.clone(),
                vec![epsilon],
                curve.flow,
                &curve.discretisations,
            );
            let start = settle_with(&mut way, &parameters, mode, from, options, log).ok()?;
            let down = TraceOptions {
                directions: vec![-1.0],
                steps: curve.trace.steps,
                ..TraceOptions::over((wanted, larger))
            };
            let branch = Tracer::new(&mut way, &down).from_guess(start).ok()?;
            let last = branch.points.last().filter(|p| p.point.parameter() == wanted)?;
            let mut point = last.point.clone();
            *point.z.last_mut()? = curve.parameters[curve.free];
            problem.rephase(&point);
            Some(point.z)
        })
}

fn settle_with(
    problem: &mut PeriodicOrbit<'_>,
    parameters: &[f64],
    mode: usize,
    from: &[f64],
    options: &SettleOptions,
    log: &EntryLog<'_>,
) -> Result<Vec<f64>, String> {
    let system = problem.system();
    let settled =
        log.remember(|| settle(system, mode, from, parameters, options).map_err(|e| unsettled(&e, &system.units)));
    let settled = match settled? {
        Settled::Orbit(orbit) => {
            let free = problem.free_parameters().last().copied().unwrap_or(0);
            Settled::Orbit(least(system, orbit, parameters, free, options.flow))
        }
        rest => rest,
    };
    match settled {
        Settled::Orbit(orbit) if smooth(problem.word()) && orbit.word.len() == 1 && orbit.word[0].1.is_none() => {
            if problem.word().symmetric && !orbit.symmetric {
                return Err(format!(
                    "the trajectory settles to an orbit of period {} that is not symmetric: leave the symmetry out of the orbit asked for (`PeriodicOrbit`, or \
                     `Periodic(...)` with the same word), or start it elsewhere with `from`",
                    orbit.period * system.units.time
                ));
            }
            simulated(problem, &orbit.starts[0], orbit.period)
        }
        Settled::Orbit(orbit) => problem.adopt(&orbit).map_err(|e| e.to_string()),
        Settled::Rest { mode, state, .. } => {
            let at: Vec<String> = system
                .states
                .iter()
                .zip(system.full_state(mode, &state, parameters))
                .enumerate()
                .map(|(i, (s, v))| format!("{} = {}", s.name, v * system.units.state(i)))
                .collect();
            Err(format!(
                "the trajectory comes to rest in mode `{}` at {}; start it elsewhere with `from`",
                system.modes[mode].name,
                at.join(", ")
            ))
        }
    }
}

/// Why a trajectory did not settle, and what to write instead.
pub(super) fn unsettled(error: &SettleError, units: &Units) -> String {
    let elsewhere = "start it elsewhere (`from`) or at other parameter values (`at`), or look for the orbit with `start: All(...)` or `Guess(...)`";
    let time = |t: &f64| t * units.time;
    match error {
        SettleError::Restless { events, closest, .. } => format!(
            "the trajectory does not repeat itself within {events} events (the last return missed by {closest:e}); the motion may be chaotic, \
             quasi-periodic or slow to settle: {elsewhere}"
        ),
        SettleError::Flow(FlowError::TooManySteps { mode, steps, t, end }) => format!(
            "the trajectory takes more than {steps} steps in mode `{mode}`, and these reach only {} of the {} time units that it is given \
             (`patience`): give it a smaller `patience`, or {elsewhere}",
            time(t),
            time(end)
        ),
        SettleError::Flow(FlowError::StepTooSmall { mode, t, .. }) => format!(
            "the trajectory cannot be followed beyond t = {} in mode `{mode}`, where its steps become as small as rounding: the field is \
             discontinuous or singular there. Make that surface an event of the system, or {elsewhere}",
            time(t)
        ),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Units, unsettled};
    use crate::{self as study, CurveResult};
    use slipstick_bifurcation::{End, Label};
    use slipstick_flow::{FlowError, SettleError};

    fn run(text: &str) -> Vec<CurveResult> {
        let plan = study::parse("study.ron".as_ref(), text.into())
            .unwrap()
            .plan(&[])
            .unwrap();
        let result = study::run(&plan, &study::Silent, &false.into());
        assert!(result.missing.is_empty(), "{:?}", result.missing);
        result.curves
    }

    #[test]
    fn a_trajectory_that_does_not_settle_is_told_in_the_words_of_studies() {
        let restless = SettleError::Restless {
            events: 20_000,
            closest: 0.1,
            tolerance: 1e-10,
        };
        let slow = SettleError::Flow(FlowError::TooManySteps {
            mode: "layer".into(),
            steps: 100_000,
            t: 0.3,
            end: 5000.0,
        });
        for (error, keys) in [(restless, &["`from`", "`at`"][..]), (slow, &["`patience`", "`from`"])] {
            let told = unsettled(&error, &Units::default());
            assert!(keys.iter().all(|key| told.contains(key)), "{told}");
            assert!(
                ["max_", "rtol", "method"].iter().all(|none| !told.contains(none)),
                "{told}"
            );
        }
    }

    /// Cycles of radius r with a + b r² - r⁴ = 0: a fold at r² = b/2, whatever parameter is free.
    #[test]
    fn curves_start_from_a_fold_in_any_parameter() {
        let curves = run(r#"Study(
            title: "Folds of cycles",
            system: Smooth(states: ["x", "y"], parameters: {"a": -0.1, "b": 1}, equations: [
                "x' = a*x - y + b*x*(x^2 + y^2) - x*(x^2 + y^2)^2",
                "y' = x + a*y + b*y*(x^2 + y^2) - y*(x^2 + y^2)^2",
            ]),
            curves: [
                Curve(name: "cycles", orbit: PeriodicOrbit, start: Settle(at: {"a": -0.1}, from: {"x": 1}), free: "a", range: (-0.5, 0.1)),
                Curve(name: "again", orbit: PeriodicOrbit, start: Point(from: "cycles, LP"), free: "a", range: (-0.5, 0.1)),
                Curve(name: "other", orbit: PeriodicOrbit, start: Point(from: "cycles, LP"), free: "b", range: (0.5, 1.2)),
            ],
        )"#);
        for (name, free) in [("again", "a"), ("other", "b")] {
            let curve = curves.iter().find(|c| c.name == name).unwrap();
            assert_eq!(curve.free, free);
            let radius = curve.monitors.iter().position(|m| m == "x_max").unwrap();
            let squares: Vec<f64> = curve
                .points()
                .map(|(_, _, p)| p.record.monitors[radius].powi(2))
                .collect();
            for ((_, _, p), s) in curve.points().zip(&squares) {
                let [a, b] = p.record.parameters[..] else {
                    unreachable!()
                };
                assert!((a + b * s - s * s).abs() < 1e-6, "{name}: a = {a}, b = {b}, r² = {s}");
            }
            // Both sheets are reached, far from the fold.
            assert!(
                squares.iter().any(|s| *s > 0.8) && squares.iter().any(|s| *s < 0.3),
                "{name}: {squares:?}"
            );
        }
    }

    /// Cycles of radius r with (r² - 2)² + a² = 1, in coordinates where they are no circles: a closed curve with two folds.
    #[test]
    fn a_closed_curve_of_cycles_ends_with_each_fold_once() {
        let curves = run(r#"Study(
            title: "An isola",
            system: Smooth(states: ["x", "y"], parameters: {"a": 0.3}, equations: [
                "x' = x*(1 - a^2 - (x^2 + (y - x^2)^2 - 2)^2) - (y - x^2)",
                "y' = (y - x^2)*(1 - a^2 - (x^2 + (y - x^2)^2 - 2)^2) + x + 2*x*(x*(1 - a^2 - (x^2 + (y - x^2)^2 - 2)^2) - (y - x^2))",
            ]),
            curves: [Curve(name: "isola", orbit: PeriodicOrbit, start: Settle(at: {"a": 0.3}, from: {"x": 1.7, "y": 2.89}), free: "a", range: (-2, 2))],
        )"#);
        let isola = &curves[0];
        let ends: Vec<&End> = isola.pieces.iter().flat_map(|p| &p.branch.ends).collect();
        assert_eq!(ends, [&End::Closed]);
        let folds: Vec<f64> = isola
            .points()
            .filter(|(_, _, p)| p.label == Some(Label::LP))
            .map(|(_, _, p)| p.point.parameter())
            .collect();
        assert!(
            folds.len() == 2 && folds.iter().all(|a| (a.abs() - 1.0).abs() < 1e-7),
            "{folds:?}"
        );
    }
}
