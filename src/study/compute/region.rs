//! The region in which starts are searched for.
use slipstick_flow::measure::unit_of_time;
use slipstick_flow::{FlowOptions, Iterates, Segment, SimulationOptions, simulate};
use slipstick_orbit::forcing_phase;
use slipstick_system::{ModeKind, System};

/// Where to spread seeds: what the study says, else a box around what a trajectory from the system's own start visits.
pub(crate) fn search_region(
    system: &System,
    parameters: &[f64],
    given: &[Option<(f64, f64)>],
    flow: FlowOptions,
) -> Vec<(f64, f64)> {
    let mut region = vec![(0.0f64, 0.0f64); system.states.len()];
    let (mode, start) = &system.start;
    let passed = states_passed(system, (*mode, start), parameters, flow);
    let unit = unit_of(system, &passed);
    for state in passed {
        for (r, v) in region.iter_mut().zip(state) {
            *r = (r.0.min(v), r.1.max(v));
        }
    }
    for (r, g) in region.iter_mut().zip(given) {
        let margin = (0.5 * (r.1 - r.0)).max(0.5 * unit);
        *r = g.unwrap_or((r.0 - margin, r.1 + margin));
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
    /// Places beside the start, in units of its size.
    const BESIDE: [f64; 3] = [0.0, 1.0, -1.0];
    /// A motion that comes so many times as far runs off to infinity.
    const FAR: f64 = 1e2;
    /// What is wider by this part.
    const WIDER: f64 = 1.2;
    // Under a forcing nothing stays at rest.
    if (0..system.modes.len()).any(|mode| forcing_phase(system, mode).is_some()) {
        return None;
    }
    let (mode, start) = &system.start;
    let mut wide = region.to_vec();
    let own = system.modes[*mode].states.iter();
    let straight: Vec<bool> = own.map(|&s| system.states[s].period.is_none()).collect();
    for parameters in sets {
        let unit = unit_of(system, &[system.full_state(*mode, start, parameters)]);
        let size = start.iter().fold(unit, |m, v| m.max(v.abs()));
        for beside in BESIDE {
            let shifted = start.iter().zip(&straight);
            let from: Vec<f64> = shifted.map(|(v, &s)| if s { v + beside * size } else { *v }).collect();
            let passed = states_passed(system, (*mode, &from), parameters, flow);
            let far = |x: &Vec<f64>| (0..x.len()).any(|i| system.states[i].period.is_none() && x[i].abs() > FAR * size);
            if passed.iter().any(far) {
                continue;
            }
            for x in &passed {
                for (w, v) in wide.iter_mut().zip(x) {
                    *w = (w.0.min(*v), w.1.max(*v));
                }
            }
        }
    }
    let mut wider = false;
    for (i, w) in wide.iter_mut().enumerate() {
        let (low, high) = region[i];
        if let Some(given) = given[i] {
            *w = given;
        } else if system.states[i].period.is_none() && w.1 - w.0 > WIDER * (high - low) {
            let margin = 0.25 * (w.1 - w.0);
            *w = (w.0 - margin, w.1 + margin);
            wider = true;
        }
    }
    wider.then_some(wide)
}

/// The size of a motion all of whose states are far below one, by the largest of them; one of others.
pub(crate) fn unit_of(system: &System, passed: &[Vec<f64>]) -> f64 {
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

/// States that a trajectory from a state of a mode passes, as long as it does not run off to infinity. One that cannot
/// be followed leaves few; the study can say where to look.
fn states_passed(
    system: &System,
    (mode, start): (usize, &[f64]),
    parameters: &[f64],
    flow: FlowOptions,
) -> Vec<Vec<f64>> {
    /// How many iterates of a map are looked at, as long as they stay this small.
    const ITERATES: usize = 1000;
    const SMALL: f64 = 1e3;
    /// A motion that comes so many times as far as it began, or as one, runs off to infinity.
    const FAR: f64 = 1e6;
    /// How long motions are looked at, in units of time that are not below one.
    const TIME: f64 = 300.0;
    if system.modes[mode].kind == ModeKind::Equations {
        return vec![system.full_state(mode, start, parameters)];
    }
    if system.is_map() {
        let mut states = vec![];
        if let Ok(mut orbit) = Iterates::new(system, mode, start, parameters) {
            while orbit.count() < ITERATES && orbit.point().iter().all(|v| v.abs() < SMALL) {
                states.push(system.full_state(mode, orbit.point(), parameters));
                if orbit.advance().is_err() {
                    break;
                }
            }
        }
        return states;
    }
    let options = SimulationOptions {
        t_end: TIME * unit_of_time(system).max(1.0),
        max_events: 2000,
        flow,
        ..SimulationOptions::default()
    };
    let run = simulate(system, mode, start, parameters, &options);
    let segments = run.map_or_else(|_| vec![], |run| run.segments);
    let ends = |s: &Segment| [&s.start, &s.end].map(|x| system.full_state(s.mode, x, parameters));
    let size = |x: &Vec<f64>| {
        let straight = x.iter().zip(&system.states).filter(|(_, s)| s.period.is_none());
        straight.fold(0.0f64, |m, (v, _)| m.max(v.abs()))
    };
    let most = FAR * size(&system.full_state(mode, start, parameters)).max(1.0);
    let passed = segments.iter().flat_map(ends);
    passed.take_while(|x| size(x) <= most).collect()
}
