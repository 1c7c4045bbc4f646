//! The test for branch points of many states.

use super::super::FixedPoint;
use super::super::volume::solved_volume;
use super::linearisation::Large;
use slipstick_continuation::{Point, Problem};

/// See [`crossing`](super::super::measure::crossing). The right-hand sides count in the sizes that rows have where the
/// curve set off.
pub(in super::super) fn crossing(problem: &mut FixedPoint<'_>, point: &Point) -> f64 {
    let mut sizes = vec![0.0; point.z.len()];
    problem.sizes(&point.z, &mut sizes);
    let border: Vec<f64> = point.tangent.iter().zip(&point.weights).map(|(t, w)| t * w).collect();
    let Some(large) = &mut problem.large else {
        return f64::NAN;
    };
    let usual = large.usual;
    let Ok(sign) = large.sign(&border, &problem.columns) else {
        return 0.0;
    };
    let volume = enlargement(large, &border, (&problem.columns, &sizes), &problem.usual_rows);
    volume.map_or(0.0, |volume| sign * usual / volume)
}

/// The volume of the solutions, in unknowns of these sizes; the system is solved with columns of other sizes.
pub(super) fn enlargement(
    large: &mut Large,
    border: &[f64],
    (columns, sizes): (&[f64], &[f64]),
    rows: &[f64],
) -> Option<f64> {
    solved_volume(rows, |x| {
        large.solve(border, columns, x).ok()?;
        x.iter_mut().zip(sizes).for_each(|(x, s)| *x /= s);
        Some(())
    })
}
