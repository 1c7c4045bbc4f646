//! Starts that a trajectory settles to.

use crate::checkpoint::log::EntryLog;
use crate::compute::attractors::least;
use crate::compute::correction::smooth;
use crate::compute::drifting::drifts;
use crate::compute::dying_out::still_there;
use crate::compute::error::ComputeError;
use crate::compute::region::unit_of_motion;
use crate::plan::entries::CurvePlan;
use slipstick_bifurcation::{Inspect, Record, TraceOptions, Tracer};
use slipstick_continuation::{Curve, Point, Problem};
use slipstick_flow::measure::unit_of_time;
use slipstick_flow::{AfterTransient, FlowOptions, Method, TransientOptions, constant_rates, run_transient};
use slipstick_numerics::number::{exact, rounded};
use slipstick_orbit::{Discretisation, PeriodicOrbit, adopt};
use slipstick_system::{ModeKind, System, jacobian};
use std::f64::consts::TAU;
use std::sync::atomic::AtomicBool;

/// The longest time to wait for a trajectory to settle, where the study does not say.
const PATIENCE: f64 = 5000.0;

/// A motion that is still under way then is followed for so many times as long.
pub(crate) const LONGER: [f64; 3] = [10.0, 100.0, 1000.0];

/// The same for a motion from a state of a mode. A forced motion is waited for through so many radians of its forcing,
/// another one with events through so many units of its time; another smooth one, where it is slow in the units that it
/// is written in, by its fastest rate at the start.
pub(crate) fn patience_for(system: &System, (mode, from): (usize, &[f64]), parameters: &[f64]) -> f64 {
    /// So many times the inverse of the rate.
    const TIMES: f64 = 500.0;
    if system.is_map() {
        return PATIENCE;
    }
    let patience = match period_of_forcing(system, mode, parameters) {
        Some(period) => PATIENCE * period / TAU,
        // The rates of one mode say nothing of those of others.
        None if system.is_hybrid() => PATIENCE * unit_of_time(system),
        None => (TIMES / fastest_rate(system, mode, from, parameters)).max(PATIENCE),
    };
    if patience.is_finite() { patience } else { PATIENCE }
}

/// The fastest of the rates by which states drive themselves and each other, whatever their units.
fn fastest_rate(system: &System, mode: usize, x: &[f64], parameters: &[f64]) -> f64 {
    let n = x.len();
    let (mut f, mut jac) = (vec![0.0; n], vec![0.0; n * n]);
    jacobian(
        &*system.modes[mode].field,
        x,
        parameters,
        &[],
        &mut f,
        &mut jac,
        &mut [],
    );
    let both = |i: usize, j: usize| (jac[i * n + j] * jac[j * n + i]).abs().sqrt();
    (0..n * n).map(|e| both(e / n, e % n)).fold(0.0, f64::max)
}

/// How the motion from a state of a mode is followed for a curve, with tolerances in units of its size.
pub(crate) fn options_for(
    system: &System,
    curve: &CurvePlan,
    (mode, from): (usize, &[f64]),
    patience: f64,
) -> TransientOptions {
    let unit = unit_of_motion(system, (mode, from), &curve.parameters, curve.flow);
    TransientOptions {
        longest_segment: patience,
        unit,
        flow: FlowOptions {
            atol: unit * curve.flow.atol,
            ..curve.flow
        },
        ..TransientOptions::default()
    }
}

/// The orbit of the curve's word that a trajectory settles to: at the parameters given or, where it settles to another
/// kind of orbit there, at another value of the free parameter, from where the curve is traced just as well.
pub(crate) fn after_transient(
    problem: &mut PeriodicOrbit<'_>,
    curve: &CurvePlan,
    mode: usize,
    from: &[f64],
    given_patience: Option<f64>,
    log: &EntryLog<'_>,
) -> Result<Vec<f64>, ComputeError> {
    /// Values tried elsewhere, relative to the one given.
    const ELSEWHERE: [f64; 7] = [1.25, 1.5, 2.0, 3.0, 0.8, 0.65, 0.5];
    /// On meshes trajectories are only roughly right: one that has not settled after so many events will not. And the
    /// last one, a hundred times finer.
    const EVENTS: usize = 5_000;
    const FINER: f64 = 0.01;
    let usual = || patience_for(problem.system(), (mode, from), &curve.parameters);
    let patience = given_patience.unwrap_or_else(usual);
    let followed = Wait {
        longer: given_patience.is_none(),
        rests: false,
    };
    let wait = Wait {
        rests: true,
        ..followed
    };
    let precise = options_for(problem.system(), curve, (mode, from), patience);
    if !curve.discretisations.iter().any(|d| *d != Discretisation::Flow) {
        return run_for(problem, &curve.parameters, (mode, from), &precise, log, wait);
    }
    // A declared small parameter says what an explicit method would find out the hard way at every event.
    let method = match curve.flow.method {
        Method::Auto if problem.system().slow_fast.is_some() => Method::Stiff,
        method => method,
    };
    let rough = TransientOptions {
        tolerance: 1e-5,
        max_events: EVENTS,
        flow: FlowOptions {
            rtol: 1e-7,
            atol: precise.unit * 1e-8,
            method,
            ..curve.flow
        },
        ..precise.clone()
    };
    let given = curve.parameters[curve.free];
    let mut attempt = |value: f64, options: &TransientOptions, wait: Wait| {
        let mut parameters = curve.parameters.clone();
        parameters[curve.free] = value;
        problem.set_parameter(curve.free, value);
        roughly_after_transient(problem, curve, &parameters, (mode, from), options, log, wait)
    };
    if let Some(z) = attempt(given, &rough, followed) {
        return Ok(z);
    }
    let hasty = TransientOptions {
        max_events: EVENTS / 5,
        ..rough.clone()
    };
    let (lo, hi) = curve.trace.range;
    let mut within = ELSEWHERE.iter().map(|f| f * given).filter(|v| *v >= lo && *v <= hi);
    if let Some(z) = within.find_map(|value| attempt(value, &hasty, Wait::default())) {
        return Ok(z);
    }
    problem.set_parameter(curve.free, given);
    let last = if problem.system().slow_fast.is_some() {
        // To the last digits every event would take minutes where the layer is thin.
        let flow = FlowOptions {
            rtol: FINER * rough.flow.rtol,
            atol: FINER * rough.flow.atol,
            ..rough.flow
        };
        TransientOptions { flow, ..rough }
    } else {
        precise
    };
    let last_run = run_for(problem, &curve.parameters, (mode, from), &last, log, wait);
    let meshes = problem.meshes();
    match last_run {
        Ok(z) if problem.system().slow_fast.is_none() || first_point(problem, curve, z.clone()).is_some() => {
            problem.restore(&meshes);
            Ok(z)
        }
        Ok(z) => {
            let followed = from_larger_epsilon(problem, curve, mode, from, &hasty, log);
            Ok(followed.unwrap_or_else(|| {
                problem.restore(&meshes);
                z
            }))
        }
        Err(why) => from_larger_epsilon(problem, curve, mode, from, &hasty, log).ok_or(why),
    }
}

/// On meshes Newton's method finishes what a rough trajectory begins; what the rough one suggests counts only if the
/// orbit is attracting, as one that a trajectory settles to must be.
fn roughly_after_transient(
    problem: &mut PeriodicOrbit<'_>,
    curve: &CurvePlan,
    parameters: &[f64],
    begin: (usize, &[f64]),
    rough: &TransientOptions,
    log: &EntryLog<'_>,
    wait: Wait,
) -> Option<Vec<f64>> {
    let z = run_for(problem, parameters, begin, rough, log, wait).ok()?;
    let point = first_point(problem, curve, z)?;
    let mut record = Record::default();
    problem.inspect(&point, &mut record).ok()?;
    (record.unstable == 0 && record.admissible()).then_some(point.z)
}

/// The first point of a curve from these unknowns, if Newton's method comes to one.
fn first_point(problem: &mut PeriodicOrbit<'_>, curve: &CurvePlan, z: Vec<f64>) -> Option<Point> {
    let start = Curve::start(problem, z, 1.0, curve.trace.steps).ok()?;
    Some(start.point().clone())
}

/// A start at small ε reached from a larger one: settle there, and follow the orbit down.
fn from_larger_epsilon(
    problem: &mut PeriodicOrbit<'_>,
    curve: &CurvePlan,
    mode: usize,
    from: &[f64],
    options: &TransientOptions,
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
            let start = run_for(&mut way, &parameters, (mode, from), options, log, Wait::default()).ok()?;
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

/// What a motion is waited for.
#[derive(Clone, Copy, Default)]
struct Wait {
    /// Is it followed for longer where it is still under way?
    longer: bool,
    /// Is rest, where the force moves nothing, taken for an orbit of its period?
    rests: bool,
}

fn run_for(
    problem: &mut PeriodicOrbit<'_>,
    parameters: &[f64],
    (mode, from): (usize, &[f64]),
    options: &TransientOptions,
    log: &EntryLog<'_>,
    wait: Wait,
) -> Result<Vec<f64>, ComputeError> {
    let system = problem.system();
    let time = system.units.time;
    let free = problem.free_parameters().last().copied().unwrap_or(0);
    let follow = |mode: usize, from: &[f64], patience: f64| {
        let options = TransientOptions {
            longest_segment: patience,
            ..options.clone()
        };
        log.remember_outcome(&AtomicBool::new(false), || {
            run_transient(system, mode, from, parameters, &options)
                .map_err(|error| ComputeError::Transient { error, time })
        })
    };
    let mut waited = options.longest_segment;
    let mut after_transient = follow(mode, from, waited)?;
    let mut longer = LONGER.iter().filter(|_| wait.longer);
    while let AfterTransient::Rest { mode, state } = &after_transient
        && drifts(system, (*mode, state), parameters, free, (from, waited))
    {
        let next = longer.next().map(|factor| factor * options.longest_segment);
        let Some((later, patience)) = next.and_then(|t| Some((follow(*mode, state, t).ok()?, t))) else {
            return Err(ComputeError::UnderWay {
                mode: system.modes[*mode].name.clone(),
                states: in_words(system, *mode, state, parameters),
                waited: waited * time,
                patience: 10.0 * waited * time,
            });
        };
        (after_transient, waited) = (later, patience);
    }
    let after_transient = match after_transient {
        AfterTransient::Orbit(orbit) => {
            AfterTransient::Orbit(least::least(system, orbit, parameters, free, options.flow))
        }
        rest => rest,
    };
    match after_transient {
        AfterTransient::Orbit(orbit)
            if smooth(problem.word()) && orbit.word[..] == [(problem.word().letters[0].mode, None)] =>
        {
            if problem.word().symmetric && !orbit.symmetric {
                return Err(ComputeError::NotSymmetric {
                    period: orbit.period * time,
                });
            }
            still_there(system, mode, (from, &orbit.starts[0]), orbit.period, parameters)?;
            simulated(problem, &orbit.starts[0], orbit.period)
        }
        AfterTransient::Orbit(orbit) => Ok(adopt(problem, &orbit)?),
        AfterTransient::Rest { mode, state, .. } => {
            let forced = (!system.is_hybrid())
                .then(|| period_of_forcing(system, mode, parameters))
                .flatten();
            if let Some(period) = forced {
                still_there(system, mode, (from, &state), period, parameters)?;
            }
            if let Some(period) = forced.filter(|_| wait.rests) {
                return simulated(problem, &state, period);
            }
            Err(ComputeError::AtRest {
                mode: system.modes[mode].name.clone(),
                states: in_words(system, mode, &state, parameters),
                instead: stuck_under_forcing(problem, (mode, &state), parameters, free),
            })
        }
    }
}

/// What to write for a motion that comes to rest in stick while the force goes on: the word of that orbit, and a start.
fn stuck_under_forcing(
    problem: &PeriodicOrbit<'_>,
    (mode, state): (usize, &[f64]),
    parameters: &[f64],
    free: usize,
) -> Option<String> {
    let system = problem.system();
    let own = &system.modes[mode];
    let period = period_of_forcing(system, mode, parameters).filter(|_| own.kind == ModeKind::Stick)?;
    let symmetry = system.symmetry.as_ref().filter(|_| problem.word().symmetric);
    let half = symmetry.is_some_and(|symmetry| symmetry.modes[mode] == mode);
    let (kind, laps) = if half { ("Symmetric", 2.0) } else { ("Periodic", 1.0) };
    let straight = own.states.iter().zip(state);
    let straight = straight.filter(|(i, _)| system.states[**i].period.is_none());
    let states: Vec<String> = straight
        .map(|(&i, x)| format!("\"{}\": {}", system.states[i].name, exact(x * system.units.state(i))))
        .collect();
    Some(format!(
        "{kind}(\"{} free\")`, with `start: Guess(at: {{\"{}\": {}}}, states: [{{{}}}], durations: [{}])",
        own.name,
        system.parameters[free].name,
        exact(parameters[free]),
        states.join(", "),
        exact(period / laps * system.units.time)
    ))
}

/// All states, each by its name in its unit.
fn in_words(system: &System, mode: usize, state: &[f64], parameters: &[f64]) -> Vec<String> {
    let states = system
        .states
        .iter()
        .zip(system.full_state(mode, state, parameters))
        .enumerate();
    states
        .map(|(i, (s, v))| format!("{} = {}", s.name, rounded(v * system.units.state(i), 7)))
        .collect()
}

/// The period of the angle of a mode that turns at a constant rate, if there is one.
fn period_of_forcing(system: &System, mode: usize, parameters: &[f64]) -> Option<f64> {
    let m = &system.modes[mode];
    let rates = constant_rates(m, parameters);
    let turn = |(rate, state): (&f64, &usize)| Some((system.states[*state].period? / rate).abs());
    rates
        .iter()
        .zip(&m.states)
        .filter(|(rate, _)| **rate != 0.0)
        .find_map(turn)
}

/// Unknowns of a smooth orbit by a trajectory of one period from a state.
pub(crate) fn simulated(problem: &mut PeriodicOrbit<'_>, x: &[f64], period: f64) -> Result<Vec<f64>, ComputeError> {
    let word = problem.word();
    let mode = word.letters[0].mode;
    let length = if word.symmetric { 0.5 * period } else { period };
    let parameters = problem.parameters().to_vec();
    let flow = slipstick_flow::ModeFlow::new(problem.system(), mode, FlowOptions::default());
    let path = flow.path(x, length, &parameters)?;
    Ok(problem.guess_trajectory(period, &|t, out| path.eval(t.min(length), out))?)
}
