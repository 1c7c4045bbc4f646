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
    for state in states_passed(system, parameters, flow) {
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

/// States that a trajectory from the system's own start visits. One that cannot be followed leaves few; the study can
/// say where to look.
fn states_passed(system: &System, parameters: &[f64], flow: FlowOptions) -> Vec<Vec<f64>> {
    /// How many iterates of a map are looked at, as long as they stay this small.
    const ITERATES: usize = 1000;
    const SMALL: f64 = 1e3;
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
    segments.iter().flat_map(ends).collect()
}
