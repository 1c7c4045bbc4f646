//! Find the starts of a curve, and trace it from each.

use crate::checkpoint::log::EntryLog;
use crate::compute::orbit_starts::follow_orbits;
use crate::compute::point_starts::follow_points;
use crate::compute::tracer::CurveTracer;
use crate::plan::entries::CurvePlan;
use crate::plan::object::Object;
use crate::plan::study::Plan;
use crate::results::curve::CurveResult;
use crate::results::observer::Observer;
use slipstick_numerics::stop::unless_stopped;
use std::sync::atomic::AtomicBool;

/// All curves of one entry of the study, or why there are none. `earlier` are the curves that it may start from.
pub(crate) fn run_curve(
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
