//! The region in which starts are searched for.
use slipstick_flow::{FlowOptions, Iterates, Segment, SimulationOptions, simulate};
use slipstick_system::{ModeKind, System};

/// Where to spread seeds: what the study says, else a box around what a trajectory from the system's own start visits.
pub(crate) fn search_region(
    system: &System,
    parameters: &[f64],
    given: &[Option<(f64, f64)>],
    flow: FlowOptions,
) -> Vec<(f64, f64)> {
    let mut region = vec![(0.0f64, 0.0f64); system.states.len()];
    let passed = states_passed(system, parameters, flow);
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
    let options = SimulationOptions {
        t_end: GLANCE,
        max_events: 2000,
        flow: FlowOptions {
            atol: unit * flow.atol,
            ..flow
        },
        ..SimulationOptions::default()
    };
    let rows = simulate(system, mode, from, parameters, &options)
        .and_then(|run| run.table(system, parameters, GLANCE / LOOKS, options.flow));
    let passed: Vec<Vec<f64>> =
        rows.map_or_else(|_| vec![start], |rows| rows.into_iter().map(|row| row.states).collect());
    unit_of(system, &passed)
}

/// States that a trajectory from the system's own start passes, as long as it does not run off to infinity. One that
/// cannot be followed leaves few; the study can say where to look.
fn states_passed(system: &System, parameters: &[f64], flow: FlowOptions) -> Vec<Vec<f64>> {
    /// How many iterates of a map are looked at, as long as they stay this small.
    const ITERATES: usize = 1000;
    const SMALL: f64 = 1e3;
    /// A motion that comes so many times as far as it began, or as one, runs off to infinity.
    const FAR: f64 = 1e6;
    let (mode, start) = &system.start;
    if system.modes[*mode].kind == ModeKind::Equations {
        return vec![system.full_state(*mode, start, parameters)];
    }
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
    let size = |x: &Vec<f64>| {
        let straight = x.iter().zip(&system.states).filter(|(_, s)| s.period.is_none());
        straight.fold(0.0f64, |m, (v, _)| m.max(v.abs()))
    };
    let most = FAR * size(&system.full_state(*mode, start, parameters)).max(1.0);
    let passed = segments.iter().flat_map(ends);
    passed.take_while(|x| size(x) <= most).collect()
}
