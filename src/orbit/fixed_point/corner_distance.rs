//! How far the points of a cycle are from the corners of the equations.

use super::FixedPoint;
use slipstick_system::Function;

/// The margins of point `i` from all corners: those that do not take part count as one.
pub(super) fn margins_of(problem: &FixedPoint<'_>, z: &[f64], i: usize) -> Vec<f64> {
    let one_sided = &problem.one_sided[i];
    let mut values = vec![1.0; one_sided.sides.len()];
    one_sided
        .margins
        .value(problem.point(z, i), &problem.parameters, &mut values);
    values
}

/// The gradient of a corner's margin by the unknowns.
pub(super) fn margin_gradient(problem: &FixedPoint<'_>, z: &[f64], (i, k): (usize, usize)) -> Vec<f64> {
    let (n, margins) = (problem.n, &problem.one_sided[i].margins);
    let (p, free, count) = (
        &problem.parameters,
        problem.free.len(),
        problem.one_sided[i].sides.len(),
    );
    let (mut value, mut dx, mut dp) = (vec![0.0; count], vec![0.0; count * n], vec![0.0; count * free]);
    slipstick_system::jacobian(
        margins,
        problem.point(z, i),
        p,
        &problem.free,
        &mut value,
        &mut dx,
        &mut dp,
    );
    let mut gradient = vec![0.0; z.len()];
    gradient[i * n..(i + 1) * n].copy_from_slice(&dx[k * n..(k + 1) * n]);
    gradient[n * problem.length..].copy_from_slice(&dp[k * free..(k + 1) * free]);
    gradient
}
