//! Solutions that Newton's method finds far from where it began, which are no starts of a curve.

use crate::compute::error::ComputeError;
use crate::compute::family::Family;
use slipstick_bifurcation::Branch;

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
