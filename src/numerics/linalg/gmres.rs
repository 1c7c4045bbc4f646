//! Linear systems of which only the product with a vector is known, by GMRES without restarts.
//!
//! The iteration minimises what is left of the right-hand side over a Krylov space that grows. Where nearly all
//! eigenvalues lie near one, as of the identity less a map that forgets nearly everything, few steps are enough.
//!
//! Reference: Y. Saad and M. H. Schultz, *GMRES: a generalized minimal residual algorithm for solving nonsymmetric
//! linear systems*, SIAM J. Sci. Stat. Comput. 7 (1986) 856–869.

use super::{dot, norm};
use crate::stop::look;
use nalgebra::{DMatrix, DVector, Dyn, LU};

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
            tolerance: 1e-11,
            accepted: 1e-4,
            most: 400,
        }
    }
}

/// GMRES did not get down to what is accepted.
///
/// ```
/// use slipstick_numerics::linalg::{Gmres, GmresOptions};
/// // A shift of places: each step tells nothing before the last.
/// let mut shift = |v: &mut [f64]| v.rotate_right(1);
/// let mut x = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
/// let few = GmresOptions { most: 3, ..GmresOptions::default() };
/// let failure = Gmres::default().solve(&mut shift, &mut x, &few).unwrap_err();
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

/// GMRES for systems that hardly differ from each other: the space that the first needed serves the others.
///
/// With `A V = V H` but for a last vector, `1 + V (H⁻¹ - 1) Vᵀ` is nearly the inverse of A on the span of V and the
/// identity beside it. As a preconditioner from the right of a system with a map near A it leaves only what V did not
/// tell, and how far the maps are from each other.
///
/// Reference: J. Erhel, K. Burrage and B. Pohl, *Restarted GMRES preconditioned by deflation*, J. Comput. Appl. Math.
/// 69 (1996) 303–318.
///
/// ```
/// use slipstick_numerics::linalg::{Gmres, GmresOptions};
/// let map = |change: f64| move |v: &mut [f64]| {
///     v.iter_mut().enumerate().for_each(|(i, v)| *v *= 1.0 - (1.2 + change) * 0.7f64.powi(i as i32));
/// };
/// let right: Vec<f64> = (0..50).map(|i| (1.0 + i as f64).sin()).collect();
/// let (mut gmres, options) = (Gmres::default(), GmresOptions::default());
/// let first = gmres.solve(&mut map(0.0), &mut right.clone(), &options)?;
/// // The map has changed a little: far fewer steps are enough.
/// let (mut x, mut left) = (right.clone(), right.clone());
/// let second = gmres.solve(&mut map(1e-6), &mut x, &options)?;
/// map(1e-6)(&mut x);
/// left.iter_mut().zip(&x).for_each(|(b, ax)| *b -= ax);
/// assert!(3 * second < first && left.iter().all(|v| v.abs() < 1e-8));
/// # Ok::<(), slipstick_numerics::linalg::NotReduced>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Gmres {
    known: Option<Known>,
}

/// So many steps are no reason to look for another space.
const FEW: usize = 20;

/// A space with the map projected on it, factorised.
#[derive(Clone, Debug)]
struct Known {
    basis: Vec<Vec<f64>>,
    projected: LU<f64, Dyn, Dyn>,
}

impl Known {
    /// Nearly the inverse of the map on the space.
    fn apply(&self, v: &mut [f64]) {
        let parts = DVector::from_iterator(self.basis.len(), self.basis.iter().map(|own| dot(own, v)));
        let Some(solved) = self.projected.solve(&parts) else {
            return;
        };
        for (own, (to, from)) in self.basis.iter().zip(solved.iter().zip(&parts)) {
            v.iter_mut().zip(own).for_each(|(v, b)| *v += (to - from) * b);
        }
    }
}

impl Gmres {
    /// Forget the space: what comes has nothing to do with what was solved.
    pub fn forget(&mut self) {
        self.known = None;
    }

    /// Solve `A x = b`: `apply` puts `A v` in place of `v`, and `x`, which holds b, becomes the solution. Returns the
    /// number of steps, each of which takes one product.
    ///
    /// # Errors
    /// [`NotReduced`] where more is left than [`GmresOptions::accepted`].
    pub fn solve(
        &mut self,
        apply: &mut dyn FnMut(&mut [f64]),
        x: &mut [f64],
        options: &GmresOptions,
    ) -> Result<usize, NotReduced> {
        let known = self
            .known
            .take()
            .filter(|known| known.basis.iter().all(|v| v.len() == x.len()));
        let Some(known) = known else {
            let (steps, found) = gmres(apply, x, options)?;
            self.known = found;
            return Ok(steps);
        };
        let mut near_one = |v: &mut [f64]| {
            known.apply(v);
            apply(v);
        };
        let outcome = gmres(&mut near_one, x, options);
        let (steps, _) = outcome?;
        known.apply(x);
        // A space that serves no longer is made anew.
        self.known = (2 * steps <= known.basis.len() + FEW).then_some(known);
        Ok(steps)
    }
}

/// The iteration, with the space that it needed.
fn gmres(
    apply: &mut dyn FnMut(&mut [f64]),
    x: &mut [f64],
    options: &GmresOptions,
) -> Result<(usize, Option<Known>), NotReduced> {
    let (n, size) = (x.len(), norm(x));
    if size == 0.0 {
        return Ok((0, None));
    }
    let most = options.most.min(n);
    let mut basis: Vec<Vec<f64>> = vec![x.iter().map(|v| v / size).collect()];
    // The columns of the projected map; the triangle that rotations make of them, and what they make of the right-hand
    // side.
    let mut columns: Vec<Vec<f64>> = vec![];
    let mut triangle: Vec<Vec<f64>> = vec![];
    let mut rotations: Vec<(f64, f64)> = vec![];
    let mut lengths: Vec<f64> = vec![];
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
        columns.push(column.clone());
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
        lengths.push(length);
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
    basis.truncate(steps);
    let projected = DMatrix::from_fn(steps, steps, |r, c| match r {
        r if r <= c => columns[c][r],
        r if r == c + 1 => lengths[c],
        _ => 0.0,
    });
    let projected = projected.lu();
    let known = projected.is_invertible().then_some(Known { basis, projected });
    Ok((steps, known))
}
