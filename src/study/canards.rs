//! Canard segments along curves of slow–fast systems: columns of the tables and a mark on the orbits.

use crate::bifurcation::BranchPoint;
use crate::orbit::{OrbitSample, PeriodicOrbit};
use crate::slow_fast::{Departure, LayerVisit, Reduction, SlowFastProblem};
use crate::system::System;

/// The columns added for slow–fast systems. Of the segments listed in the word: total time on canard segments; their mean distance from the repelling
/// sheet, along the fast fibre; whether the longest leaves with a head (1) or without (0); the delay between reaching the fold and leaving the layer.
/// All but the first are NaN where there is nothing to measure.
const COLUMNS: [&str; 4] = ["canard_time", "canard_distance", "canard_head", "delay"];

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
    let mut all = LayerVisit::default();
    if let Ok(slow_fast) = SlowFastProblem::new(system, &at.record.parameters, Reduction::Finite) {
        let mode = slow_fast.mode_index();
        // A flow that cannot be evaluated leaves the columns without values.
        let _ = problem.with_visits(&at.point, mode, &mut |course, times, endless| {
            let visit = if endless {
                slow_fast.endless_visit_at(course, times, None)
            } else {
                slow_fast.layer_visit_at(course, times, None)
            };
            if let Ok(visit) = visit {
                all.segments.extend(visit.segments);
                all.delay = all.delay.or(visit.delay);
            }
        });
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
