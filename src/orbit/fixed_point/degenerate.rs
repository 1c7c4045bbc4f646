//! Solutions at which others meet: folds and branch points that lie just where solutions were looked for.

use super::FixedPoint;
use nalgebra::DMatrix;
use slipstick_continuation::Problem;
use slipstick_numerics::linalg::singular::Singular;

/// Do solutions meet at `z`? The equations at a fixed parameter are singular there, and not beside it along the
/// direction that they take to zero. Matrices that are nearly singular all around, as of stiff systems, tell nothing.
pub fn is_degenerate(problem: &mut FixedPoint<'_>, z: &[f64]) -> bool {
    /// How far beside, relative to sizes, and the most that the singular value is there of what it is beside. Newton's
    /// method comes as near to a root of order m as the m-th root of rounding.
    const BESIDE: f64 = 1e-2;
    const PART: f64 = 1e-2;
    if problem.large.is_some() {
        return false;
    }
    let mut sizes = vec![0.0; z.len()];
    problem.sizes(z, &mut sizes);
    let Some(at) = decomposed(problem, z, &sizes) else {
        return false;
    };
    let direction = at.least();
    [BESIDE, -BESIDE].into_iter().all(|by| {
        let mut beside = z.to_vec();
        let moved = beside.iter_mut().zip(&direction).zip(&sizes);
        moved.for_each(|((x, d), size)| *x += by * d * size);
        decomposed(problem, &beside, &sizes).is_some_and(|there| at.values[0] <= PART * there.values[0])
    })
}

/// The singular values of the equations' derivatives by the states, in units of their sizes.
fn decomposed(problem: &mut FixedPoint<'_>, z: &[f64], sizes: &[f64]) -> Option<Singular<f64>> {
    let (count, width) = (problem.n * problem.length, z.len());
    let mut residual = vec![0.0; count];
    problem.linearise(z, &mut residual).ok()?;
    let matrix = DMatrix::from_fn(count, count, |r, c| {
        problem.jacobian[r * width + c] * sizes[c] / sizes[r]
    });
    Singular::of(&matrix)
}
