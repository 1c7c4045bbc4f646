//! Canard segments along curves of slow–fast systems: two columns of the tables and a mark on the orbits.

use crate::bifurcation::BranchPoint;
use crate::orbit::{OrbitSample, PeriodicOrbit};
use crate::slow_fast::{Reduction, SlowFastProblem};
use crate::system::System;

/// The columns added for slow–fast systems: total time on canard segments of the segments listed in the word, and the delay between reaching
/// the fold and leaving the layer (NaN where no fold is passed).
const COLUMNS: [&str; 2] = ["canard_time", "delay"];

/// The monitors of a curve with the columns of this module, where they apply.
pub(super) fn with_columns(system: &System, mut monitors: Vec<String>) -> Vec<String> {
    if system.slow_fast.is_some() {
        monitors.extend(COLUMNS.map(String::from));
    }
    monitors
}

/// The monitors that the orbits themselves have.
pub(super) fn without_columns(monitors: &[String]) -> &[String] {
    let own = monitors.iter().position(|m| COLUMNS.contains(&m.as_str()));
    &monitors[..own.unwrap_or(monitors.len())]
}

/// Append the values of the columns to a point's monitors.
pub(super) fn measure(problem: &mut PeriodicOrbit<'_>, at: &mut BranchPoint) {
    let system = problem.system();
    let (mut time, mut delay) = (0.0, f64::NAN);
    if let Ok(slow_fast) = SlowFastProblem::new(system, &at.record.parameters, Reduction::Finite)
        && let Some(declared) = &system.slow_fast
    {
        for k in 0..problem.word().letters.len() {
            let duration = problem.duration(&at.point.z, k);
            if problem.word().letters[k].mode != declared.mode || !(duration > 0.0) {
                continue;
            }
            let visit = problem.with_segment(&at.point, k, |course, times| match times {
                [] => slow_fast.layer_visit(course, duration, None),
                _ => slow_fast.layer_visit_at(course, times, None),
            });
            if let Ok(Ok(visit)) = visit {
                time += visit.canard_time();
                if delay.is_nan() {
                    delay = visit.delay.unwrap_or(f64::NAN);
                }
            }
        }
    }
    at.record.monitors.extend([time, delay]);
}

/// Mark the rows of a sampled orbit that lie on canard segments; the second half of a `symmetric` one is the image of the first.
pub(super) fn mark(system: &System, parameters: &[f64], symmetric: bool, sample: &mut OrbitSample) {
    let Ok(slow_fast) = SlowFastProblem::new(system, parameters, Reduction::Finite) else {
        return;
    };
    let own = sample.t.len() / if symmetric { 2 } else { 1 };
    let visits = slow_fast.canard_segments(&sample.t[..own], &sample.states[..own], &sample.modes[..own], None);
    if let Ok(visits) = visits {
        sample.canard = sample.t[..own]
            .iter()
            .map(|&t| visits.iter().any(|v| v.on_canard(t)))
            .collect();
        if symmetric {
            sample.canard.extend_from_within(..);
        }
    }
}
