//! Smooth maps `(x, p) → ℝᵐ`: right-hand sides, guards, resets, inequalities, observables, closed-form flows.

use crate::scalar::{Affine, Gradient, Hessian, Scalar, Second, Third};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// A formula written once for every kind of number. Implement this; [`Function`] follows.
///
/// ```
/// use slipstick::system::{Formula, Function};
/// use slipstick::scalar::Scalar;
/// struct Pendulum;
/// impl Formula for Pendulum {
///     fn outputs(&self) -> usize { 2 }
///     fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
///         out[0] = x[1];
///         out[1] = -x[0].sin() * p[0];
///     }
/// }
/// let mut out = [0.0; 2];
/// Pendulum.value(&[0.5, 1.0], &[2.0], &mut out);
/// assert_eq!(out, [1.0, -2.0 * 0.5f64.sin()]);
/// ```
pub trait Formula: Send + Sync {
    /// How many components `eval` writes.
    fn outputs(&self) -> usize;
    /// Evaluate at the point `x` with parameters `p` into `out`.
    fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]);
}

/// A [`Formula`] behind a pointer: the same map in each kind of number the engine needs.
pub trait Function: Send + Sync {
    /// How many components are written.
    fn outputs(&self) -> usize;
    /// Values.
    fn value(&self, x: &[f64], p: &[f64], out: &mut [f64]);
    /// Values and first derivatives along eight directions.
    fn gradient(&self, x: &[Gradient], p: &[Gradient], out: &mut [Gradient]);
    /// A directional derivative and its gradient along eight directions.
    fn hessian(&self, x: &[Hessian], p: &[Hessian], out: &mut [Hessian]);
    /// Mixed second derivative along two directions.
    fn second(&self, x: &[Second], p: &[Second], out: &mut [Second]);
    /// Mixed third derivative along three directions.
    fn third(&self, x: &[Third], p: &[Third], out: &mut [Third]);
    /// The affine form in the basis the caller chose, if the map has one.
    fn affine(&self, x: &[Affine<f64>], p: &[Affine<f64>], out: &mut [Affine<f64>]);
    /// The affine form with first derivatives of its coefficients.
    fn affine_gradient(&self, x: &[Affine<Gradient>], p: &[Affine<Gradient>], out: &mut [Affine<Gradient>]);
}

impl<F: Formula> Function for F {
    fn outputs(&self) -> usize {
        Formula::outputs(self)
    }
    fn value(&self, x: &[f64], p: &[f64], out: &mut [f64]) {
        self.eval(x, p, out);
    }
    fn gradient(&self, x: &[Gradient], p: &[Gradient], out: &mut [Gradient]) {
        self.eval(x, p, out);
    }
    fn hessian(&self, x: &[Hessian], p: &[Hessian], out: &mut [Hessian]) {
        self.eval(x, p, out);
    }
    fn second(&self, x: &[Second], p: &[Second], out: &mut [Second]) {
        self.eval(x, p, out);
    }
    fn third(&self, x: &[Third], p: &[Third], out: &mut [Third]) {
        self.eval(x, p, out);
    }
    fn affine(&self, x: &[Affine<f64>], p: &[Affine<f64>], out: &mut [Affine<f64>]) {
        self.eval(x, p, out);
    }
    fn affine_gradient(&self, x: &[Affine<Gradient>], p: &[Affine<Gradient>], out: &mut [Affine<Gradient>]) {
        self.eval(x, p, out);
    }
}

/// A shared map.
pub type SharedFunction = Arc<dyn Function>;

/// How many directions one pass of [`Gradient`] arithmetic carries.
const LANES: usize = 8;

/// Value and exact Jacobian of `f` at `(x, p)`.
///
/// `out` gets the m values; `dx` the m×n derivatives with respect to `x`, row by row; `dp` those with respect to the parameters
/// listed in `free`, m×`free.len()`, row by row. Costs one pass for every eight directions.
pub fn jacobian(
    f: &dyn Function,
    x: &[f64],
    p: &[f64],
    free: &[usize],
    out: &mut [f64],
    dx: &mut [f64],
    dp: &mut [f64],
) {
    let (n, m, k) = (x.len(), f.outputs(), free.len());
    let mut xs: SmallVec<[Gradient; 8]> = x.iter().map(|&v| Gradient::constant(v)).collect();
    let mut ps: SmallVec<[Gradient; 8]> = p.iter().map(|&v| Gradient::constant(v)).collect();
    let mut ys: SmallVec<[Gradient; 8]> = smallvec![Gradient::zero(); m];
    let total = n + k;
    let mut first = 0;
    loop {
        let last = (first + LANES).min(total);
        for d in first..last {
            let lane = d - first;
            if d < n {
                xs[d].eps[lane] = 1.0;
            } else {
                ps[free[d - n]].eps[lane] = 1.0;
            }
        }
        f.gradient(&xs, &ps, &mut ys);
        for d in first..last {
            let lane = d - first;
            for i in 0..m {
                if d < n {
                    dx[i * n + d] = ys[i].eps[lane];
                } else {
                    dp[i * k + d - n] = ys[i].eps[lane];
                }
            }
            if d < n {
                xs[d].eps[lane] = 0.0;
            } else {
                ps[free[d - n]].eps[lane] = 0.0;
            }
        }
        if last == total {
            break;
        }
        first = last;
    }
    for (o, y) in out.iter_mut().zip(&ys) {
        *o = y.re;
    }
}
