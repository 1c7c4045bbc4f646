//! Canard segments along curves of slow–fast systems: columns of the tables and a mark on the orbits.

use slipstick_bifurcation::BranchPoint;
use slipstick_orbit::{OrbitSample, PeriodicOrbit, with_segments};
use slipstick_slow_fast::{Departure, LayerSegment, Reduction, SlowFastProblem};
use slipstick_system::System;

/// The columns added for slow–fast systems. Of the segments listed in the word: total time on canard segments; their
/// mean distance from the repelling sheet, along the fast fibre; whether the longest leaves with a head (1) or without
/// (0); the delay between reaching the fold and leaving the layer. All but the first are NaN where there is nothing to
/// measure.
const COLUMNS: [&str; 4] = ["canard_time", "canard_distance", "canard_head", "delay"];

/// The monitors of a curve with the columns of this module, where they apply.
pub(crate) fn with_columns(system: &System, mut monitors: Vec<String>) -> Vec<String> {
    if system.slow_fast.is_some() {
        monitors.extend(COLUMNS.map(String::from));
    }
    monitors
}

/// The monitors that the orbits themselves have.
pub(crate) fn without_columns(monitors: &[String]) -> &[String] {
    let own = monitors.iter().position(|m| COLUMNS.contains(&m.as_str()));
    &monitors[..own.unwrap_or(monitors.len())]
}

/// The visits of an orbit to the slow–fast mode, each with when in the period it begins.
fn passages(problem: &mut PeriodicOrbit<'_>, at: &BranchPoint) -> Vec<(f64, LayerSegment)> {
    let mut all = vec![];
    let Ok(slow_fast) = SlowFastProblem::new(problem.system(), &at.record.parameters, Reduction::Finite) else {
        return all;
    };
    // A flow that cannot be evaluated leaves the columns without values.
    let _ = with_segments(
        problem,
        &at.point,
        slow_fast.mode_index(),
        &mut |begin, trajectory, times, endless| {
            let passage = if endless {
                slow_fast.endless_segment_at(trajectory, times, None)
            } else {
                slow_fast.layer_segment_at(trajectory, times, None)
            };
            all.extend(passage.map(|passage| (begin, passage)));
        },
    );
    all
}

/// Append the values of the columns to a point's monitors.
pub(crate) fn measure(problem: &mut PeriodicOrbit<'_>, at: &mut BranchPoint) {
    let mut all = LayerSegment::default();
    for (_, passage) in passages(problem, at) {
        all.segments.extend(passage.segments);
        all.delay = all.delay.or(passage.delay);
    }
    let head = all.longest().map(|s| match s.departure {
        Departure::Turns => 0.0,
        Departure::Jumps | Departure::Ends => 1.0,
    });
    let columns = [Some(all.canard_time()), all.canard_distance(), head, all.delay];
    at.record
        .monitors
        .extend(columns.map(|value| value.unwrap_or(f64::NAN)));
}

/// Mark the rows of an orbit's sample that lie on canard segments.
pub(crate) fn mark(problem: &mut PeriodicOrbit<'_>, at: &BranchPoint, sample: &mut OrbitSample) {
    if problem.system().slow_fast.is_none() {
        return;
    }
    let period = at.record.period / if problem.word().symmetric { 2.0 } else { 1.0 };
    let passages = passages(problem, at);
    // A visit may have begun in the period before, or in the half that mirrors this one.
    let on_canard = |t: f64| {
        let shifts = [0.0, period, -period];
        let since = |(begin, passage): &(f64, LayerSegment)| shifts.iter().any(|s| passage.on_canard(t - begin + s));
        passages.iter().any(since)
    };
    let own = |t: &f64| if *t > period { t - period } else { *t };
    sample.canard = sample.t.iter().map(own).map(on_canard).collect();
}
