//! Smooth maps `(x, p) → ℝᵐ`: right-hand sides, guards, resets, inequalities, observables, closed-form flows.

use crate::scalar::{Affine, Dual, Gradient, Hessian, NarrowGradient, Scalar, Second, Third};
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
    /// Values and first derivatives along four directions: half the work where four are enough.
    fn narrow_gradient(&self, x: &[NarrowGradient], p: &[NarrowGradient], out: &mut [NarrowGradient]) {
        let widen = |v: &[NarrowGradient]| -> SmallVec<[Gradient; 8]> {
            v.iter()
                .map(|d| Gradient {
                    re: d.re,
                    eps: std::array::from_fn(|i| d.eps.get(i).copied().unwrap_or(0.0)),
                })
                .collect()
        };
        let mut wide: SmallVec<[Gradient; 8]> = smallvec![Gradient::zero(); out.len()];
        self.gradient(&widen(x), &widen(p), &mut wide);
        for (o, w) in out.iter_mut().zip(&wide) {
            *o = NarrowGradient {
                re: w.re,
                eps: std::array::from_fn(|i| w.eps[i]),
            };
        }
    }
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
    fn narrow_gradient(&self, x: &[NarrowGradient], p: &[NarrowGradient], out: &mut [NarrowGradient]) {
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

/// Value and exact Jacobian of `f` at `(x, p)`.
///
/// `out` gets the m values; `dx` the m×n derivatives with respect to `x`, row by row; `dp` those with respect to the parameters
/// listed in `free`, m×`free.len()`, row by row. Costs one pass for every eight directions, half of one for the last four or fewer.
pub fn jacobian(
    f: &dyn Function,
    x: &[f64],
    p: &[f64],
    free: &[usize],
    out: &mut [f64],
    dx: &mut [f64],
    dp: &mut [f64],
) {
    let (m, total) = (f.outputs(), x.len() + free.len());
    let mut first = 0;
    loop {
        if total - first <= 4 {
            directions(
                |x, p, y: &mut [Dual<f64, 4>]| f.narrow_gradient(x, p, y),
                m,
                first,
                x,
                p,
                free,
                out,
                dx,
                dp,
            );
            return;
        }
        directions(
            |x, p, y: &mut [Dual<f64, 8>]| f.gradient(x, p, y),
            m,
            first,
            x,
            p,
            free,
            out,
            dx,
            dp,
        );
        first += 8;
        if first >= total {
            return;
        }
    }
}

/// One pass of [`jacobian`]: the derivatives along the `N` directions from `first` on, counted through states and free parameters.
#[allow(clippy::too_many_arguments)]
fn directions<const N: usize>(
    f: impl Fn(&[Dual<f64, N>], &[Dual<f64, N>], &mut [Dual<f64, N>]),
    outputs: usize,
    first: usize,
    x: &[f64],
    p: &[f64],
    free: &[usize],
    out: &mut [f64],
    dx: &mut [f64],
    dp: &mut [f64],
) {
    let (n, k) = (x.len(), free.len());
    let mut xs: SmallVec<[Dual<f64, N>; 8]> = x.iter().map(|&v| Dual::constant(v)).collect();
    let mut ps: SmallVec<[Dual<f64, N>; 8]> = p.iter().map(|&v| Dual::constant(v)).collect();
    let mut ys: SmallVec<[Dual<f64, N>; 8]> = smallvec![Dual::zero(); outputs];
    let last = (first + N).min(n + k);
    for d in first..last {
        let variable = if d < n { &mut xs[d] } else { &mut ps[free[d - n]] };
        variable.eps[d - first] = 1.0;
    }
    f(&xs, &ps, &mut ys);
    for (i, y) in ys.iter().enumerate() {
        out[i] = y.re;
        for d in first..last {
            let slope = y.eps[d - first];
            if d < n {
                dx[i * n + d] = slope;
            } else {
                dp[i * k + d - n] = slope;
            }
        }
    }
}
