//! The sweep: settle from many initial states at each value, tell the attractors apart, and look for them on the traced
//! curves.

use crate::compute::attractors::comparing::shows;
use crate::compute::attractors::cycles::Iterations;
use crate::compute::attractors::explorer::all_of;
use crate::compute::attractors::orbits::{Motions, monitors};
use crate::compute::attractors::units::{attractor_in_own, in_region_units, region_in};
use crate::compute::divided::in_parts;
use crate::compute::error::ComputeError;
use crate::compute::region::search_region;
use crate::compute::task::{Around, Task};
use crate::plan::attractors::AttractorsPlan;
use crate::plan::study::Plan;
use crate::results::attractors::{Attractor, AttractorsResult};
use crate::results::curve::CurveResult;
use std::sync::atomic::AtomicBool;

/// Run one sweep. Same results for any number of threads and processes.
pub(crate) fn run_attractors(around: &Around<'_>, sweep: &AttractorsPlan) -> Result<AttractorsResult, ComputeError> {
    let Around { plan, stop, .. } = *around;
    let system = &plan.systems[sweep.system].system;
    let monitors = monitors(system, sweep);
    let curves = around.curves.iter().copied();
    let compared: Vec<&CurveResult> = curves.filter(|c| shows(c, sweep, system)).collect();
    let at = |k: usize| {
        let value = sweep.values[k];
        let mut p = sweep.parameters.clone();
        p[sweep.sweep] = value;
        let region = search_region(system, &p, &sweep.region, sweep.flow);
        at_value(plan, sweep, (k, value), &region, (monitors.len(), &compared), stop)
    };
    let by_value: Vec<Vec<Attractor>> = in_parts(around, &sweep.name, &sweep.parts(), at)?
        .known()
        .collect::<Result<_, _>>()?;
    let found: Vec<Attractor> = by_value.into_iter().flatten().collect();
    let mut result = AttractorsResult {
        name: sweep.name.clone(),
        system: sweep.system,
        parameter: system.parameters[sweep.sweep].name.clone(),
        monitors,
        starts: sweep.starts,
        exponents: sweep.exponents,
        found,
        missing: vec![],
    };
    result.name_missing();
    Ok(result)
}

/// Everything at one value of the parameter, from random starts in a region; `k` tells it from other values.
pub(crate) fn at_value(
    plan: &Plan,
    sweep: &AttractorsPlan,
    (k, value): (usize, f64),
    region: &[(f64, f64)],
    (width, curves): (usize, &[&CurveResult]),
    stop: &AtomicBool,
) -> Vec<Attractor> {
    let own = &plan.systems[sweep.system].system;
    let mut p = sweep.parameters.clone();
    p[sweep.sweep] = value;
    let scaled = in_region_units(own, region, &p);
    let system = scaled.as_ref().unwrap_or(own);
    let region = if scaled.is_some() {
        region_in(region, system)
    } else {
        region.to_vec()
    };
    let mut found = if system.is_map() {
        let iterations = Iterations::new((system, own), sweep, value, curves);
        all_of(&iterations, system, sweep, (k, &region, &p), stop)
    } else {
        let motions = Motions::new(plan, sweep, system, value, width, curves);
        all_of(&motions, system, sweep, (k, &region, &p), stop)
    };
    if let Some(scaled) = &scaled {
        let units = scaled.units_of_columns(&monitors(own, sweep));
        found.iter_mut().for_each(|a| attractor_in_own(a, &units, scaled));
    }
    found
}
