//! What is no start of a curve: solutions that Newton's method finds far from where it began, and those outside of the
//! range.

use crate::compute::error::ComputeError;
use crate::compute::family::Family;
use slipstick_bifurcation::{Branch, BranchPoint, Column, TraceOptions};

/// An orbit that lasts this many times less long than the one that it was begun with, or more, is none near it: the
/// equations of periodic orbits hold for all that rests in no time.
const OTHER: f64 = 1e3;

/// Is an orbit of this period a start for one that was said to have another?
pub(crate) fn lasts_otherwise(period: f64, given: f64) -> Option<ComputeError> {
    let near = period > 0.0 && (given <= 0.0 || (given / OTHER..=given * OTHER).contains(&period));
    (!near).then_some(ComputeError::OtherPeriod { period, given })
}

/// Refuse a branch whose start lies outside of the range, or where a requirement is violated, or is an orbit that lasts
/// no time where one of the `given` period was meant.
pub(crate) fn no_start<F: Family>(
    problem: &F,
    branch: &Branch,
    (low, high): (f64, f64),
    given: Option<f64>,
) -> Result<(), ComputeError> {
    let Some(start) = branch.points.get(branch.start) else {
        return Ok(());
    };
    let value = start.point.parameter();
    let free = || {
        let free = problem.free_parameters().last().copied();
        free.and_then(|i| problem.parameter_names().get(i).cloned())
            .unwrap_or_default()
    };
    if !(low..=high).contains(&value) {
        return Err(ComputeError::OutOfRange {
            parameter: free(),
            value,
            range: (low, high),
        });
    }
    let limit = problem.domain().and_then(|d| d.requirement_limit(&start.point, value));
    if let Some((_, requirement)) = limit {
        return Err(ComputeError::Unmet {
            parameter: free(),
            value,
            requirement,
        });
    }
    let other = given.and_then(|given| lasts_otherwise(start.record.period, given));
    other.map_or(Ok(()), Err)
}

/// The free parameter of a two-parameter curve whose range a point does not lie in, with that range, if there is one:
/// what is traced from there would be followed without bounds, or not at all.
pub(crate) fn outside_range(
    trace: &TraceOptions,
    (first, second): (usize, usize),
    at: &BranchPoint,
) -> Option<(usize, (f64, f64))> {
    /// As a part of the range: ends of curves lie on it to rounding.
    const ROUNDING: f64 = 1e-9;
    let bounds = trace
        .within
        .iter()
        .find(|(low, _)| low.column == Column::Parameter(second));
    let of_second = bounds.map(|(low, high)| (second, (low.value, high.value)));
    [Some((first, trace.range)), of_second]
        .into_iter()
        .flatten()
        .find(|(parameter, range)| {
            let value = at.record.parameters[*parameter];
            let slack = ROUNDING * (range.1 - range.0);
            value < range.0 - slack || value > range.1 + slack
        })
}
