//! Find where a curve of the study starts, and have it followed from there.

use super::follow::Tracer;
use super::plan::{CurvePlan, Plan, StartPlan};
use super::run::{CurveResult, Observer};
use crate::flow::{FlowOptions, SettleOptions, Settled, SimulationOptions, settle, simulate};
use crate::orbit::{PeriodicOrbit, SearchOptions, find_all};
use crate::system::System;
use std::sync::atomic::{AtomicBool, Ordering};

/// All curves of one entry of the study, or why there are none.
pub(super) fn run_curve(
    plan: &Plan,
    curve: &CurvePlan,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Vec<CurveResult>, String> {
    let system = &plan.systems[curve.system].system;
    let mut problem = PeriodicOrbit::discretised(
        system,
        curve.word.clone(),
        curve.parameters.clone(),
        vec![curve.free],
        curve.flow,
        &curve.discretisations,
    );
    let mut tracer = Tracer::new(curve, observer, stop);
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
                problem.set_parameter(curve.free, value);
                match find_all(&mut problem, &options) {
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
                        tracer.failure.get_or_insert(e.to_string());
                    }
                }
            }
            if tracer.results.is_empty() && tracer.failure.is_none() && !stop.load(Ordering::Relaxed) {
                let (lo, hi) = curve.trace.range;
                return Err(format!(
                    "no admissible orbit with word `{}` was found, neither at the start's parameters nor elsewhere for {} between {lo} and {hi}",
                    problem.word().describe(system),
                    system.parameters[curve.free].name,
                ));
            }
        }
        StartPlan::Settle { mode, from, patience } => {
            let z = settled(&mut problem, curve, *mode, from, *patience)?;
            tracer.follow(&mut problem, z);
        }
        StartPlan::Guess { states, durations } => {
            let z = problem.guess(states, durations).map_err(|e| e.to_string())?;
            tracer.follow(&mut problem, z);
        }
    }
    match tracer.failure {
        Some(why) if tracer.results.is_empty() => Err(why),
        _ => Ok(tracer.results),
    }
}

/// Where to spread seeds: what the study says, else a box around what a trajectory from the system's own start visits.
pub(super) fn search_region(
    system: &System,
    parameters: &[f64],
    given: &[Option<(f64, f64)>],
    flow: FlowOptions,
) -> Vec<(f64, f64)> {
    let mut region = vec![(0.0f64, 0.0f64); system.states.len()];
    let (mode, start) = &system.start;
    let options = SimulationOptions {
        t_end: 300.0,
        max_events: 2000,
        flow,
        ..SimulationOptions::default()
    };
    // A trajectory that cannot be followed leaves the box small; the study can widen it.
    if let Ok(run) = simulate(system, *mode, start, parameters, &options) {
        for segment in &run.segments {
            for x in [&segment.start, &segment.end] {
                for (r, v) in region.iter_mut().zip(system.full_state(segment.mode, x, parameters)) {
                    *r = (r.0.min(v), r.1.max(v));
                }
            }
        }
    }
    for (r, g) in region.iter_mut().zip(given) {
        let margin = (0.5 * (r.1 - r.0)).max(0.5);
        *r = g.unwrap_or((r.0 - margin, r.1 + margin));
    }
    region
}

/// The orbit of the curve's word that a trajectory settles to.
fn settled(
    problem: &mut PeriodicOrbit<'_>,
    curve: &CurvePlan,
    mode: usize,
    from: &[f64],
    patience: f64,
) -> Result<Vec<f64>, String> {
    let options = SettleOptions {
        longest_segment: patience,
        flow: curve.flow,
        ..SettleOptions::default()
    };
    let system = problem.system();
    match settle(system, mode, from, &curve.parameters, &options).map_err(|e| e.to_string())? {
        Settled::Orbit(orbit) => problem.adopt(&orbit).map_err(|e| e.to_string()),
        Settled::Rest { mode, state, .. } => {
            let at: Vec<String> = system
                .states
                .iter()
                .zip(system.full_state(mode, &state, &curve.parameters))
                .map(|(s, v)| format!("{} = {v}", s.name))
                .collect();
            Err(format!(
                "the trajectory comes to rest in mode `{}` at {}; start it elsewhere with `from`",
                system.modes[mode].name,
                at.join(", ")
            ))
        }
    }
}
