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
    /// Values and first derivatives along four directions.
    fn narrow_gradient(&self, x: &[NarrowGradient], p: &[NarrowGradient], out: &mut [NarrowGradient]) {
        let widen = |d: &NarrowGradient| {
            let mut wide = Gradient::constant(d.re);
            wide.eps[..4].copy_from_slice(&d.eps);
            wide
        };
        let x: SmallVec<[Gradient; 8]> = x.iter().map(widen).collect();
        let p: SmallVec<[Gradient; 8]> = p.iter().map(widen).collect();
        let mut wide: SmallVec<[Gradient; 8]> = smallvec![Gradient::zero(); out.len()];
        self.gradient(&x, &p, &mut wide);
        for (o, w) in out.iter_mut().zip(&wide) {
            o.re = w.re;
            o.eps.copy_from_slice(&w.eps[..4]);
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
/// listed in `free`, m×`free.len()`, row by row. Costs one pass for up to four directions, else one for every eight.
pub fn jacobian(
    f: &dyn Function,
    x: &[f64],
    p: &[f64],
    free: &[usize],
    out: &mut [f64],
    dx: &mut [f64],
    dp: &mut [f64],
) {
    if x.len() + free.len() <= 4 {
        passes(
            |x, p, y: &mut [NarrowGradient]| f.narrow_gradient(x, p, y),
            f.outputs(),
            x,
            p,
            free,
            out,
            dx,
            dp,
        );
    } else {
        passes(
            |x, p, y: &mut [Gradient]| f.gradient(x, p, y),
            f.outputs(),
            x,
            p,
            free,
            out,
            dx,
            dp,
        );
    }
}

/// The Jacobian in passes of `N` directions.
#[allow(clippy::too_many_arguments)]
fn passes<const N: usize>(
    gradient: impl Fn(&[Dual<f64, N>], &[Dual<f64, N>], &mut [Dual<f64, N>]),
    m: usize,
    x: &[f64],
    p: &[f64],
    free: &[usize],
    out: &mut [f64],
    dx: &mut [f64],
    dp: &mut [f64],
) {
    let (n, k) = (x.len(), free.len());
    // On the stack where it fits; filled in place, as moving duals about would cost more than most formulas.
    let zero = Dual::constant(0.0);
    let (mut xs, mut ps, mut ys) = ([zero; 8], [zero; 8], [zero; 8]);
    let (mut more_xs, mut more_ps, mut more_ys) = (vec![], vec![], vec![]);
    let xs = lift(x, &mut xs, &mut more_xs);
    let ps = lift(p, &mut ps, &mut more_ps);
    let ys = if m <= ys.len() {
        &mut ys[..m]
    } else {
        more_ys.resize(m, zero);
        &mut more_ys[..]
    };
    let total = n + k;
    let mut first = 0;
    loop {
        let last = (first + N).min(total);
        for d in first..last {
            let target = if d < n { &mut xs[d] } else { &mut ps[free[d - n]] };
            target.eps[d - first] = 1.0;
        }
        gradient(xs, ps, ys);
        for d in first..last {
            let lane = d - first;
            for (i, y) in ys.iter().enumerate() {
                if d < n {
                    dx[i * n + d] = y.eps[lane];
                } else {
                    dp[i * k + d - n] = y.eps[lane];
                }
            }
            let target = if d < n { &mut xs[d] } else { &mut ps[free[d - n]] };
            target.eps[lane] = 0.0;
        }
        if last == total {
            break;
        }
        first = last;
    }
    for (o, y) in out.iter_mut().zip(&*ys) {
        *o = y.re;
    }
}

/// Constants of these values, in the first of two places that they fit in.
fn lift<'a, const N: usize>(
    values: &[f64],
    few: &'a mut [Dual<f64, N>; 8],
    many: &'a mut Vec<Dual<f64, N>>,
) -> &'a mut [Dual<f64, N>] {
    if values.len() <= few.len() {
        for (d, v) in few.iter_mut().zip(values) {
            d.re = *v;
        }
        &mut few[..values.len()]
    } else {
        many.extend(values.iter().map(|&v| Dual::constant(v)));
        many
    }
}
