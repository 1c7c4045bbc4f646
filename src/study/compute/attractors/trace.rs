//! Orbits that a sweep found on no curve, traced as curves of their own.

use crate::checkpoint::log::EntryLog;
use crate::compute::attractors::comparing::{on_curve, word_of};
use crate::compute::attractors::cycles::curve_through;
use crate::compute::attractors::problem::solved;
use crate::compute::tracer::CurveTracer;
use crate::plan::attractors::AttractorsPlan;
use crate::plan::entries::CurvePlan;
use crate::plan::object::Object;
use crate::plan::study::Plan;
use crate::results::attractors::{AttractorKind, AttractorsResult};
use crate::results::curve::CurveResult;
use crate::results::observer::Observer;
use slipstick_orbit::{FixedPoint, PeriodicOrbit};
use std::sync::atomic::{AtomicBool, Ordering};

/// The most curves that a sweep adds.
const MOST: usize = 24;

/// Trace the missing orbits, in order, each unless a curve added before passes through it. The curves go to `curves`,
/// which is empty before.
pub(crate) fn trace_missing(
    plan: &Plan,
    sweep: &AttractorsPlan,
    result: &mut AttractorsResult,
    curves: &mut Vec<CurveResult>,
    observer: &dyn Observer,
    stop: &AtomicBool,
    log: &EntryLog<'_>,
) {
    let system = &plan.systems[sweep.system].system;
    if system.is_map() {
        return trace_missing_cycles(plan, sweep, result, curves, observer, stop);
    }
    let Some(like) = sweep.like(&plan.curves, &plan.systems) else {
        return;
    };
    let mut added = 0;
    for attractor in &mut result.found {
        let (AttractorKind::Orbit { .. }, None, Some(attracting)) =
            (&attractor.kind, &attractor.curve, &attractor.attracting)
        else {
            continue;
        };
        let (lo, hi) = like.trace.range;
        if stop.load(Ordering::Relaxed) || added == MOST || !(lo..=hi).contains(&attractor.value) {
            continue;
        }
        let new: Vec<&CurveResult> = curves.iter().collect();
        attractor.curve = on_curve(plan, sweep, attractor.value, attracting, &new);
        if attractor.curve.is_some() {
            continue;
        }
        added += 1;
        let mut parameters = sweep.parameters.clone();
        parameters[sweep.sweep] = attractor.value;
        let own = CurvePlan {
            name: format!("{}-{added}", sweep.name),
            object: Object::Orbit(word_of(attracting)),
            parameters: parameters.clone(),
            ..like.clone()
        };
        let mut problem = PeriodicOrbit::discretised(
            system,
            word_of(attracting),
            parameters,
            vec![own.free],
            own.flow,
            &own.discretisations,
        );
        let Some(z) = solved(&mut problem, attracting, attractor.value) else {
            continue;
        };
        observer.curve_begins(&own.name);
        let mut tracer = CurveTracer::new(&own, observer, stop, log);
        tracer.follow(&mut problem, z);
        attractor.curve = tracer.results.first().map(|r| r.name.clone());
        curves.extend(tracer.results);
    }
    result.name_missing();
}

/// The same for cycles of a map.
fn trace_missing_cycles(
    plan: &Plan,
    sweep: &AttractorsPlan,
    result: &mut AttractorsResult,
    curves: &mut Vec<CurveResult>,
    observer: &dyn Observer,
    stop: &AtomicBool,
) {
    let system = &plan.systems[sweep.system].system;
    let mode = system.start.mode();
    let Some(like) = sweep.like(&plan.curves, &plan.systems) else {
        return;
    };
    let mut added = 0;
    for attractor in &mut result.found {
        let (lo, hi) = like.trace.range;
        let wanted = matches!(attractor.kind, AttractorKind::Orbit { .. }) && attractor.curve.is_none();
        if !wanted || stop.load(Ordering::Relaxed) || added == MOST || !(lo..=hi).contains(&attractor.value) {
            continue;
        }
        let mut parameters = sweep.parameters.clone();
        parameters[sweep.sweep] = attractor.value;
        let n = system.modes[mode].states.len();
        let points: Vec<Vec<f64>> = attractor.rows.iter().map(|row| row[..n].to_vec()).collect();
        let length = points.len();
        let mut problem = FixedPoint::cycle(system, mode, length, parameters.clone(), vec![like.free]);
        let new: Vec<&CurveResult> = curves.iter().collect();
        attractor.curve = curve_through(&mut problem, &points, attractor.value, &new);
        if attractor.curve.is_some() {
            continue;
        }
        added += 1;
        let own = CurvePlan {
            name: format!("{}-{added}", sweep.name),
            object: Object::Cycle { mode, length },
            parameters,
            ..like.clone()
        };
        observer.curve_begins(&own.name);
        let log = EntryLog::none();
        let mut tracer = CurveTracer::new(&own, observer, stop, &log);
        let z = problem.guess_points(&points);
        tracer.follow(&mut problem, z);
        attractor.curve = tracer.results.first().map(|r| r.name.clone());
        curves.extend(tracer.results);
    }
    result.name_missing();
}
