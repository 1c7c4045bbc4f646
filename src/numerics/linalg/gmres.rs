//! Linear systems of which only the product with a vector is known, by GMRES without restarts.
//!
//! The iteration minimises what is left of the right-hand side over a Krylov space that grows. Where nearly all
//! eigenvalues lie near one, as of the identity less a map that forgets nearly everything, few steps are enough.
//!
//! Reference: Y. Saad and M. H. Schultz, *GMRES: a generalized minimal residual algorithm for solving nonsymmetric
//! linear systems*, SIAM J. Sci. Stat. Comput. 7 (1986) 856–869.

use super::{dot, norm};
use crate::stop::look;

/// When to stop.
///
/// ```
/// use slipstick_numerics::linalg::GmresOptions;
/// let rough = GmresOptions { tolerance: 1e-4, ..GmresOptions::default() };
/// assert!(rough.accepted >= rough.tolerance && rough.most > 10);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct GmresOptions {
    /// What is left of the right-hand side at the end, relative to it.
    pub tolerance: f64,
    /// What may be left where the space cannot grow any further.
    pub accepted: f64,
    /// The most steps.
    pub most: usize,
}

impl Default for GmresOptions {
    fn default() -> Self {
        Self {
            tolerance: 1e-12,
            accepted: 1e-4,
            most: 400,
        }
    }
}

/// GMRES did not get down to what is accepted.
///
/// ```
/// use slipstick_numerics::linalg::{GmresOptions, gmres};
/// // A shift of places: each step tells nothing before the last.
/// let mut shift = |v: &mut [f64]| v.rotate_right(1);
/// let mut x = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
/// let few = GmresOptions { most: 3, ..GmresOptions::default() };
/// let failure = gmres(&mut shift, &mut x, &few).unwrap_err();
/// assert_eq!((failure.steps, failure.left), (3, 1.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("a Krylov method with {steps} steps left {left:.1e} of the right-hand side of a linear system")]
pub struct NotReduced {
    /// Steps taken.
    pub steps: usize,
    /// What was left, relative to the right-hand side.
    pub left: f64,
}

/// Solve `A x = b`: `apply` puts `A v` in place of `v`, and `x`, which holds b, becomes the solution. Returns the number
/// of steps, each of which takes one product.
///
/// ```
/// use slipstick_numerics::linalg::{GmresOptions, gmres};
/// // The identity less a map of rank two: three steps at most.
/// let mut apply = |v: &mut [f64]| {
///     let (a, b) = (v.iter().sum::<f64>() / 40.0, v[3]);
///     v.iter_mut().enumerate().for_each(|(i, v)| *v -= 0.3 * a + 0.1 * b * i as f64);
/// };
/// let wanted: Vec<f64> = (0..20).map(|i| (i as f64).sin()).collect();
/// let mut x = wanted.clone();
/// apply(&mut x);
/// let steps = gmres(&mut apply, &mut x, &GmresOptions::default())?;
/// assert!(steps <= 4 && x.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-12));
/// # Ok::<(), slipstick_numerics::linalg::NotReduced>(())
/// ```
///
/// # Errors
/// [`NotReduced`] where more is left than [`GmresOptions::accepted`].
pub fn gmres(apply: &mut dyn FnMut(&mut [f64]), x: &mut [f64], options: &GmresOptions) -> Result<usize, NotReduced> {
    let (n, size) = (x.len(), norm(x));
    if size == 0.0 {
        return Ok(0);
    }
    let most = options.most.min(n);
    let mut basis: Vec<Vec<f64>> = vec![x.iter().map(|v| v / size).collect()];
    // The triangle that rotations make of the projected map, column by column, and what they make of the right-hand
    // side.
    let mut triangle: Vec<Vec<f64>> = vec![];
    let mut rotations: Vec<(f64, f64)> = vec![];
    let mut level = vec![1.0];
    let mut left = 1.0f64;
    while triangle.len() < most && left > options.tolerance {
        look();
        let j = triangle.len();
        let mut w = basis[j].clone();
        apply(&mut w);
        let before = norm(&w);
        let mut column = vec![0.0; j + 1];
        // Twice is enough.
        for _ in 0..2 {
            for (v, part) in basis.iter().zip(&mut column) {
                let own = dot(v, &w);
                *part += own;
                w.iter_mut().zip(v).for_each(|(w, v)| *w -= own * v);
            }
        }
        let length = norm(&w);
        for (i, &(cos, sin)) in rotations.iter().enumerate() {
            let (a, b) = (column[i], column[i + 1]);
            (column[i], column[i + 1]) = (cos * a + sin * b, cos * b - sin * a);
        }
        let radius = column[j].hypot(length);
        if !(radius > 0.0 && radius.is_finite()) {
            break;
        }
        let (cos, sin) = (column[j] / radius, length / radius);
        column[j] = radius;
        rotations.push((cos, sin));
        triangle.push(column);
        level.push(-sin * level[j]);
        level[j] *= cos;
        left = level[j + 1].abs();
        if length <= f64::EPSILON * before {
            break;
        }
        basis.push(w.iter().map(|v| v / length).collect());
    }
    let steps = triangle.len();
    if !(left <= options.accepted) {
        return Err(NotReduced { steps, left });
    }
    let mut parts = level[..steps].to_vec();
    for i in (0..steps).rev() {
        let known: f64 = (i + 1..steps).map(|k| triangle[k][i] * parts[k]).sum();
        parts[i] = (parts[i] - known) / triangle[i][i];
    }
    x.fill(0.0);
    for (v, part) in basis.iter().zip(&parts) {
        x.iter_mut().zip(v).for_each(|(x, v)| *x += size * part * v);
    }
    Ok(steps)
}
