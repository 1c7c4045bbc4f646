//! Functions with a directional derivative, in every kind of number that admits one more level of differentiation.

use super::function::Function;
use slipstick_numerics::scalar::{Dual, Gradient, Hessian, NarrowGradient, Scalar, Second, Third};
use smallvec::{SmallVec, smallvec};

/// A number type in which a [`Function`] can be evaluated together with its derivative along a direction.
pub(super) trait TangentNumber: Scalar {
    /// f(x, p).
    fn value_of(f: &dyn Function, x: &[Self], p: &[Self], out: &mut [Self]);
    /// f(x, p) and its derivative with respect to `x` along `v`, parameters fixed.
    fn along(f: &dyn Function, x: &[Self], v: &[Self], p: &[Self], value: &mut [Self], rate: &mut [Self]);
}

/// Room for a handful of numbers.
type Few<T> = SmallVec<[T; 8]>;

impl TangentNumber for f64 {
    fn value_of(f: &dyn Function, x: &[f64], p: &[f64], out: &mut [f64]) {
        f.value(x, p, out);
    }
    fn along(f: &dyn Function, x: &[f64], v: &[f64], p: &[f64], value: &mut [f64], rate: &mut [f64]) {
        let moving = |(&x, &v): (&f64, &f64)| NarrowGradient {
            re: x,
            eps: [v, 0.0, 0.0, 0.0],
        };
        let x: Few<NarrowGradient> = x.iter().zip(v).map(moving).collect();
        let p: Few<NarrowGradient> = p.iter().map(|&p| NarrowGradient::constant(p)).collect();
        let mut y: Few<NarrowGradient> = smallvec![NarrowGradient::zero(); value.len()];
        f.narrow_gradient(&x, &p, &mut y);
        for ((value, rate), y) in value.iter_mut().zip(rate).zip(&y) {
            (*value, *rate) = (y.re, y.eps[0]);
        }
    }
}

impl TangentNumber for Gradient {
    fn value_of(f: &dyn Function, x: &[Self], p: &[Self], out: &mut [Self]) {
        f.gradient(x, p, out);
    }
    fn along(f: &dyn Function, x: &[Self], v: &[Self], p: &[Self], value: &mut [Self], rate: &mut [Self]) {
        let join = |x: &Self, v: &Self| Hessian {
            re: Dual { re: x.re, eps: [v.re] },
            eps: std::array::from_fn(|k| Dual {
                re: x.eps[k],
                eps: [v.eps[k]],
            }),
        };
        let x: Few<Hessian> = x.iter().zip(v).map(|(x, v)| join(x, v)).collect();
        let p: Few<Hessian> = p.iter().map(|p| join(p, &Self::zero())).collect();
        let mut y: Few<Hessian> = smallvec![Hessian::zero(); value.len()];
        f.hessian(&x, &p, &mut y);
        for ((value, rate), y) in value.iter_mut().zip(rate).zip(&y) {
            *value = Self {
                re: y.re.re,
                eps: y.eps.map(|e| e.re),
            };
            *rate = Self {
                re: y.re.eps[0],
                eps: y.eps.map(|e| e.eps[0]),
            };
        }
    }
}

impl TangentNumber for Second {
    fn value_of(f: &dyn Function, x: &[Self], p: &[Self], out: &mut [Self]) {
        f.second(x, p, out);
    }
    fn along(f: &dyn Function, x: &[Self], v: &[Self], p: &[Self], value: &mut [Self], rate: &mut [Self]) {
        let x: Few<Third> = x.iter().zip(v).map(|(&re, &v)| Third { re, eps: [v] }).collect();
        let p: Few<Third> = p.iter().map(|&p| Third::constant(p)).collect();
        let mut y: Few<Third> = smallvec![Third::zero(); value.len()];
        f.third(&x, &p, &mut y);
        for ((value, rate), y) in value.iter_mut().zip(rate).zip(&y) {
            (*value, *rate) = (y.re, y.eps[0]);
        }
    }
}

/// A map written once over [`TangentNumber`] numbers; it is a [`Function`] with derivatives up to the second order.
pub(super) trait GenericMap: Send + Sync {
    /// How many components `eval` writes.
    fn outputs(&self) -> usize;
    /// Evaluate at the point `x` with parameters `p` into `out`.
    fn eval<T: TangentNumber>(&self, x: &[T], p: &[T], out: &mut [T]);
}

/// Second derivatives along one direction and eight others, by eight passes in mixed second derivatives.
pub(super) fn hessian_by_passes(
    x: &[Hessian],
    p: &[Hessian],
    out: &mut [Hessian],
    mut second: impl FnMut(&[Second], &[Second], &mut [Second]),
) {
    let mut y: Few<Second> = smallvec![Second::zero(); out.len()];
    for k in 0..8 {
        let narrow = |h: &Hessian| Second {
            re: h.re,
            eps: [h.eps[k]],
        };
        let x: Few<Second> = x.iter().map(narrow).collect();
        let p: Few<Second> = p.iter().map(narrow).collect();
        second(&x, &p, &mut y);
        for (o, y) in out.iter_mut().zip(&y) {
            o.re = y.re;
            o.eps[k] = y.eps[0];
        }
    }
}

/// The rate of a scalar `h` along a field, `h_x f`, with its gradients by the states and by the parameters listed in
/// `free`.
pub fn rate_gradient(
    h: &dyn Function,
    field: &dyn Function,
    x: &[f64],
    p: &[f64],
    free: &[usize],
) -> (f64, Vec<f64>, Vec<f64>) {
    let n = x.len();
    let mut gradient = vec![0.0; n + free.len()];
    let mut value = 0.0;
    for first in (0..gradient.len()).step_by(8) {
        let lane = |input: usize| (input >= first && input < first + 8).then(|| input - first);
        let variable = |v: f64, input: Option<usize>| match input.and_then(lane) {
            Some(k) => Gradient::variable(v, k),
            None => Gradient::constant(v),
        };
        let xs: Few<Gradient> = x.iter().enumerate().map(|(i, &v)| variable(v, Some(i))).collect();
        let ps: Few<Gradient> = p
            .iter()
            .enumerate()
            .map(|(i, &v)| variable(v, free.iter().position(|&f| f == i).map(|k| n + k)))
            .collect();
        let mut f: Few<Gradient> = smallvec![Gradient::zero(); n];
        Gradient::value_of(field, &xs, &ps, &mut f);
        let (mut own, mut rate) = ([Gradient::zero()], [Gradient::zero()]);
        Gradient::along(h, &xs, &f, &ps, &mut own, &mut rate);
        value = rate[0].re;
        for (g, e) in gradient[first..].iter_mut().zip(rate[0].eps) {
            *g = e;
        }
    }
    let dp = gradient.split_off(n);
    (value, gradient, dp)
}
