//! Do the derivatives of the equations change at a corner?
//!
//! Those of `max(x, 0)^1.5` do not, but on the way to the corner they come together no faster than a power of the
//! distance: next to it they still differ. So it is looked at whether what they differ by shrinks on the way.

use super::FixedPoint;
use super::corner_distance::{margin_gradient, margins_of};
use slipstick_continuation::Problem;

/// Derivatives that differ by less than this part of the largest of their row are the same.
const SAME: f64 = 1e-8;

/// Do the derivatives differ on the two sides of corners that `z` lies on?
pub(super) fn bend(
    [before, after]: [&mut FixedPoint<'_>; 2],
    z: &[f64],
    sizes: &[f64],
    corners: &[(usize, usize)],
) -> bool {
    /// Distances from the corner, relative to the sizes of the unknowns: the difference of a true corner stays what it
    /// is, and that of the power 1.05 shrinks to 0.63.
    const DISTANCES: [f64; 2] = [1e-8, 1e-12];
    const SHRINKS: f64 = 0.7;
    let differ = DISTANCES.map(|distance| {
        let slopes = |problem: &mut FixedPoint<'_>| {
            let mut there = z.to_vec();
            step_inside(problem, &mut there, sizes, corners, distance);
            let mut residual = vec![0.0; z.len() - problem.free.len()];
            let found = problem.linearise(&there, &mut residual);
            found.is_ok().then(|| problem.jacobian.clone())
        };
        match (slopes(before), slopes(after)) {
            (Some(a), Some(b)) => difference(&a, &b, sizes),
            _ => f64::INFINITY,
        }
    });
    differ[1] > SAME && differ[1] > SHRINKS * differ[0]
}

/// By how much the rows of two Jacobians differ, relative to the largest number of each row: by one where that is
/// infinite.
pub(super) fn difference(a: &[f64], b: &[f64], sizes: &[f64]) -> f64 {
    let width = sizes.len();
    let rows = a.chunks(width).zip(b.chunks(width));
    rows.map(|(a, b)| {
        let largest = |row: &[f64]| row.iter().zip(sizes).map(|(d, s)| (d * s).abs()).fold(0.0, f64::max);
        let size = largest(a).max(largest(b)).max(f64::MIN_POSITIVE);
        let differs = a.iter().zip(b).zip(sizes).map(|((a, b), s)| ((a - b) * s).abs() / size);
        if size.is_finite() {
            differs.fold(0.0, f64::max)
        } else {
            1.0
        }
    })
    .fold(0.0, f64::max)
}

/// Move a point on corners onto the sides that are held, so far inside, relative to the sizes of the unknowns.
pub(super) fn step_inside(
    problem: &FixedPoint<'_>,
    z: &mut [f64],
    sizes: &[f64],
    corners: &[(usize, usize)],
    inside: f64,
) {
    for &(i, k) in corners {
        let gradient = margin_gradient(problem, z, (i, k));
        let scaled: Vec<f64> = gradient.iter().zip(sizes).map(|(g, s)| g * s).collect();
        let length = scaled.iter().map(|g| g * g).sum::<f64>().sqrt();
        let missing = inside - margins_of(problem, z, i)[k] / length;
        if missing > 0.0 && missing.is_finite() {
            for ((z, g), size) in z.iter_mut().zip(&scaled).zip(sizes) {
                *z += missing * g / length * size;
            }
        }
    }
}
