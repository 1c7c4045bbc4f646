//! The events of a simulated motion, which its table does not name.

use crate::errors::run_error;
use crate::studies::LoadedStudy;
use pyo3::prelude::*;
use slipstick_flow::{FlowError, simulate};
use slipstick_study::{self as study, Plan};

/// Time, event, the mode that it ends, the mode that it leads to.
type Event = (f64, String, String, Option<String>);

/// The events of the first simulation of a study, in order; a map has none.
#[pyfunction]
pub(crate) fn events(py: Python<'_>, study: &LoadedStudy, set: Vec<(String, f64)>) -> PyResult<Vec<Event>> {
    let plan = study.planned(py, &set)?;
    py.detach(|| found(&plan)).map_err(|e| run_error(py, &e))
}

fn found(plan: &Plan) -> Result<Vec<Event>, FlowError> {
    // As a run computes it, so that the times are those of its table.
    let measured = study::in_measured_units(plan);
    let plan = measured.as_ref().unwrap_or(plan);
    let Some(asked) = plan.simulations.first() else {
        return Ok(vec![]);
    };
    let system = &plan.systems[asked.system].system;
    if system.is_map() {
        return Ok(vec![]);
    }
    let motion = simulate(system, asked.mode, &asked.from, &asked.parameters, &asked.options)?;
    let name = |mode: usize| system.modes[mode].name.clone();
    let ended = motion.segments.iter().filter_map(|segment| {
        let event = &system.modes[segment.mode].events[segment.event?];
        let t = (segment.t0 + segment.duration) * system.units.time;
        Some((t, event.name.clone(), name(segment.mode), segment.next.map(name)))
    });
    Ok(ended.collect())
}
