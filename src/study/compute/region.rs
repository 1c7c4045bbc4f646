//! The region in which starts are searched for.
use crate::compute::frame::Frame;
use slipstick_flow::measure::unit_of_time;
use slipstick_flow::{Ending, FlowOptions, Iterates, Segment, SimulationOptions, Trajectory, simulate};
use slipstick_orbit::forcing_phase;
use slipstick_system::{ModeKind, System};

/// Where to spread seeds: what the study says, else a box around what a trajectory from the system's own start visits.
pub(crate) fn search_region(
    system: &System,
    parameters: &[f64],
    given: &[Option<(f64, f64)>],
    flow: FlowOptions,
) -> Vec<(f64, f64)> {
    let frame = frame_of(system, parameters, flow);
    let region = region_in(&frame, system, parameters, flow);
    let own = region.into_iter().enumerate().zip(given);
    own.map(|((s, region), given)| given.unwrap_or_else(|| frame.interval(s, region)))
        .collect()
}

/// The same for points of a mode: zero, and one to both sides of it, belong to the box, and angles take their whole
/// period.
pub(crate) fn search_box(
    system: &System,
    mode: usize,
    parameters: &[f64],
    given: &[Option<(f64, f64)>],
    flow: FlowOptions,
) -> Vec<(f64, f64)> {
    /// A motion that comes so far runs off to infinity, and where points are looked for then.
    const FAR: f64 = 1e6;
    const NEAR: f64 = 10.0;
    let frame = frame_of(system, parameters, flow);
    let region = region_in(&frame, system, parameters, flow);
    // All states may be far below one.
    let bounds: Vec<f64> = region.iter().map(|&(lo, hi)| lo.abs().max(hi.abs())).collect();
    let unit = unit_of(system, &[bounds]);
    let wide = |(lo, hi): (f64, f64)| {
        let (lo, hi) = (lo.min(-unit), hi.max(unit));
        if hi - lo < FAR { (lo, hi) } else { (-NEAR, NEAR) }
    };
    let of_state = |&s: &usize| {
        let turn = || system.states[s].period.map(|period| (0.0, period));
        let own = || frame.interval(s, wide(region[s]));
        given[s].or_else(turn).unwrap_or_else(own)
    };
    system.modes[mode].states.iter().map(of_state).collect()
}

fn frame_of(system: &System, parameters: &[f64], flow: FlowOptions) -> Frame {
    Frame::of(system, parameters, &|| states_between(system, parameters, flow))
}

/// A box around what a trajectory from the system's own start visits, and zero, as states are counted. Where it stays
/// at its start, as events accumulate there at once, those from both sides of the start tell what motions come to:
/// units too were measured by the one that stays, and how far others begin, or go, in these says nothing.
fn region_in(frame: &Frame, system: &System, parameters: &[f64], flow: FlowOptions) -> Vec<(f64, f64)> {
    let mut region = vec![(0.0f64, 0.0f64); system.states.len()];
    let (mode, start) = system.start_at(parameters);
    let passed = if stays_at_start(system, (mode, &start), parameters, flow) {
        let from = |by| passed_from_beside(frame, system, (mode, &start), (by, f64::INFINITY), parameters, flow);
        let late = |passed: Vec<Vec<f64>>| passed[passed.len() / 2..].to_vec();
        BESIDE.into_iter().map(from).flat_map(late).collect()
    } else {
        states_passed(frame, system, (mode, &start), parameters, flow)
    };
    let unit = unit_of(system, &passed);
    for state in passed {
        for (r, v) in region.iter_mut().zip(state) {
            *r = (r.0.min(v), r.1.max(v));
        }
    }
    for r in &mut region {
        let margin = (0.5 * (r.1 - r.0)).max(0.5 * unit);
        *r = (r.0 - margin, r.1 + margin);
    }
    region
}

/// A box around what trajectories pass at several values of the parameters, from the system's own start and from
/// places around it; none where it is hardly wider than `region`. A motion at rest tells nothing of the size of others.
pub(crate) fn wider_region(
    system: &System,
    sets: &[Vec<f64>],
    (region, given): (&[(f64, f64)], &[Option<(f64, f64)>]),
    flow: FlowOptions,
) -> Option<Vec<(f64, f64)>> {
    /// A motion that comes so many times as far runs off to infinity.
    const FAR: f64 = 1e2;
    /// What is wider by this part.
    const WIDER: f64 = 1.2;
    // Under a forcing nothing stays at rest.
    if (0..system.modes.len()).any(|mode| forcing_phase(system, mode).is_some()) {
        return None;
    }
    let frame = frame_of(system, sets.first()?, flow);
    let counted = region.iter().enumerate().map(|(s, &r)| frame.counted_interval(s, r));
    let region: Vec<(f64, f64)> = counted.collect();
    let mut wide = region.clone();
    for parameters in sets {
        let (mode, start) = system.start_at(parameters);
        for beside in BESIDE {
            for x in passed_from_beside(&frame, system, (mode, &start), (beside, FAR), parameters, flow) {
                for (w, v) in wide.iter_mut().zip(x) {
                    *w = (w.0.min(v), w.1.max(v));
                }
            }
        }
    }
    let mut wider = false;
    for (i, w) in wide.iter_mut().enumerate() {
        let (low, high) = region[i];
        if system.states[i].period.is_none() && given[i].is_none() && w.1 - w.0 > WIDER * (high - low) {
            let margin = 0.25 * (w.1 - w.0);
            *w = (w.0 - margin, w.1 + margin);
            wider = true;
        }
    }
    let own = wide.into_iter().enumerate().zip(given);
    let written = own.map(|((s, wide), given)| given.unwrap_or_else(|| frame.interval(s, wide)));
    wider.then(|| written.collect())
}

/// Places from which motions are followed: the start, and beside it, in units of its size.
const BESIDE: [f64; 3] = [0.0, 1.0, -1.0];

/// States, as they are counted, that a trajectory from beside a start passes; none if it comes farther than so many
/// times as far as it began.
fn passed_from_beside(
    frame: &Frame,
    system: &System,
    (mode, start): (usize, &[f64]),
    (beside, farthest): (f64, f64),
    parameters: &[f64],
    flow: FlowOptions,
) -> Vec<Vec<f64>> {
    let own = &system.modes[mode].states;
    let full = frame.counted(&system.full_state(mode, start, parameters));
    let unit = unit_of(system, std::slice::from_ref(&full));
    let size = own.iter().fold(unit, |m, &s| m.max(full[s].abs()));
    let shifted = start.iter().zip(own).map(|(v, &s)| match system.states[s].period {
        None if beside != 0.0 => frame.written(s, full[s] + beside * size),
        _ => *v,
    });
    let from: Vec<f64> = shifted.collect();
    let passed = states_passed(frame, system, (mode, &from), parameters, flow);
    let far = |x: &Vec<f64>| (0..x.len()).any(|i| system.states[i].period.is_none() && x[i].abs() > farthest * size);
    if passed.iter().any(far) { vec![] } else { passed }
}

/// Do events accumulate at the start before the motion has got anywhere? So they do where it begins on the surface of a
/// relay whose inputs have just changed.
fn stays_at_start(system: &System, (mode, start): (usize, &[f64]), parameters: &[f64], flow: FlowOptions) -> bool {
    /// This part of the time that motions are looked at is none.
    const AT_ONCE: f64 = 1e-9;
    if system.is_map() || system.modes[mode].kind == ModeKind::Equations {
        return false;
    }
    let run = trajectory(system, (mode, start), parameters, flow);
    let longest = AT_ONCE * TIME * unit_of_time(system).max(1.0);
    run.is_some_and(|run| matches!(run.ending, Ending::Accumulation { t, .. } if t.abs() <= longest))
}

/// The size of a motion all of whose states are far below one, by the largest of them; one of others.
fn unit_of(system: &System, passed: &[Vec<f64>]) -> f64 {
    /// Far below one.
    const SMALL: f64 = 1e-3;
    let straight = |i: &usize| system.states[*i].period.is_none();
    let sizes = passed
        .iter()
        .flat_map(|x| (0..x.len()).filter(straight).map(|i| x[i].abs()));
    let largest = sizes.fold(0.0, f64::max);
    if largest > 0.0 && largest < SMALL { largest } else { 1.0 }
}

/// The size of the motion from a state of a mode, where it stays far below one for some time; one of others.
pub(crate) fn unit_of_motion(
    system: &System,
    (mode, from): (usize, &[f64]),
    parameters: &[f64],
    flow: FlowOptions,
) -> f64 {
    /// How long it is looked at, and how often.
    const GLANCE: f64 = 50.0;
    const LOOKS: f64 = 200.0;
    let start = system.full_state(mode, from, parameters);
    let unit = unit_of(system, std::slice::from_ref(&start));
    if system.is_map() || (unit == 1.0 && start.iter().any(|v| *v != 0.0)) {
        return 1.0;
    }
    let slow = unit_of_time(system).max(1.0);
    let options = SimulationOptions {
        t_end: GLANCE * slow,
        max_events: 2000,
        flow: FlowOptions {
            atol: unit * flow.atol,
            ..flow
        },
        ..SimulationOptions::default()
    };
    let rows = simulate(system, mode, from, parameters, &options)
        .and_then(|run| run.table(system, parameters, GLANCE * slow / LOOKS, options.flow));
    let passed: Vec<Vec<f64>> =
        rows.map_or_else(|_| vec![start], |rows| rows.into_iter().map(|row| row.states).collect());
    unit_of(system, &passed)
}

/// States, as they are counted, that a trajectory from a state of a mode passes, as long as it does not run off to
/// infinity. One that cannot be followed leaves few; the study can say where to look.
fn states_passed(
    frame: &Frame,
    system: &System,
    (mode, start): (usize, &[f64]),
    parameters: &[f64],
    flow: FlowOptions,
) -> Vec<Vec<f64>> {
    /// Iterates of a map are looked at as long as they stay this small.
    const SMALL: f64 = 1e3;
    /// A motion that comes so many times as far as it began, or as one, runs off to infinity.
    const FAR: f64 = 1e6;
    let counted = |mode: usize, x: &[f64]| frame.counted(&system.full_state(mode, x, parameters));
    if system.modes[mode].kind == ModeKind::Equations {
        return vec![counted(mode, start)];
    }
    let size = |x: &Vec<f64>| {
        let straight = x.iter().zip(&system.states).filter(|(_, s)| s.period.is_none());
        straight.fold(0.0f64, |m, (v, _)| m.max(v.abs()))
    };
    if system.is_map() {
        let small = |x: &[f64]| {
            let states = counted(mode, x);
            system.modes[mode].states.iter().all(|&s| states[s].abs() < SMALL)
        };
        let states = iterates(system, (mode, start), parameters, &small);
        return states.iter().map(|x| counted(mode, x)).collect();
    }
    let segments = trajectory(system, (mode, start), parameters, flow).map_or_else(Vec::new, |run| run.segments);
    let ends = |s: &Segment| [&s.start, &s.end].map(|x| counted(s.mode, x));
    let most = FAR * size(&counted(mode, start)).max(1.0);
    let passed = segments.iter().flat_map(ends);
    passed.take_while(|x| size(x) <= most).collect()
}

/// States that the trajectory from the system's own start passes, those between events too.
fn states_between(system: &System, parameters: &[f64], flow: FlowOptions) -> Vec<Vec<f64>> {
    /// How often they are looked at.
    const LOOKS: f64 = 1000.0;
    let (mode, start) = system.start_at(parameters);
    let own = vec![system.full_state(mode, &start, parameters)];
    if system.modes[mode].kind == ModeKind::Equations {
        return own;
    }
    if system.is_map() {
        let states = iterates(system, (mode, &start), parameters, &|x| x.iter().all(|v| v.is_finite()));
        return states.iter().map(|x| system.full_state(mode, x, parameters)).collect();
    }
    let step = TIME * unit_of_time(system).max(1.0) / LOOKS;
    let run = trajectory(system, (mode, &start), parameters, flow);
    let rows = run.and_then(|run| run.table(system, parameters, step, flow).ok());
    rows.map_or(own, |rows| rows.into_iter().map(|row| row.states).collect())
}

/// How long motions are looked at, in units of time that are not below one.
const TIME: f64 = 300.0;

fn trajectory(
    system: &System,
    (mode, start): (usize, &[f64]),
    parameters: &[f64],
    flow: FlowOptions,
) -> Option<Trajectory> {
    let options = SimulationOptions {
        t_end: TIME * unit_of_time(system).max(1.0),
        max_events: 2000,
        flow,
        ..SimulationOptions::default()
    };
    simulate(system, mode, start, parameters, &options).ok()
}

/// Iterates of a map, as long as they are as they have to be.
fn iterates(
    system: &System,
    (mode, start): (usize, &[f64]),
    parameters: &[f64],
    goes_on: &dyn Fn(&[f64]) -> bool,
) -> Vec<Vec<f64>> {
    /// How many are looked at.
    const MOST: usize = 1000;
    let mut states = vec![];
    if let Ok(mut orbit) = Iterates::new(system, mode, start, parameters) {
        while states.len() < MOST && goes_on(orbit.point()) {
            states.push(orbit.point().to_vec());
            if orbit.advance().is_err() {
                break;
            }
        }
    }
    states
}
