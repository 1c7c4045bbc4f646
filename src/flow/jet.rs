//! The flow of a field with its mixed third derivatives along three directions.
//!
//! The state moves along `u ε₁ + v ε₂ + w ε₃` with `εᵢ² = 0`; the field is evaluated in these numbers, so that what the integrator advances are the
//! state, its three first, three second and one third derivative at once, all under step control.

use super::equations::Equations;
use super::error::FlowError;
use super::integrate::integrate;
use super::mode_flow::{FlowOptions, Method};
use crate::scalar::{Affine, Dual, Gradient, Hessian, Scalar, Second, Third};
use crate::system::Function;
use smallvec::{SmallVec, smallvec};

/// Room for the states of a system.
type Few = SmallVec<[Third; 8]>;

/// The parts of a number.
const PARTS: usize = 8;

fn parts(v: &Third) -> [f64; PARTS] {
    let (a, b) = (&v.re, &v.eps[0]);
    [
        a.re.re,
        a.re.eps[0],
        a.eps[0].re,
        a.eps[0].eps[0],
        b.re.re,
        b.re.eps[0],
        b.eps[0].re,
        b.eps[0].eps[0],
    ]
}

fn assembled(c: &[f64]) -> Third {
    let narrow = |k: usize| Dual {
        re: c[k],
        eps: [c[k + 1]],
    };
    let second = |k: usize| Second {
        re: narrow(k),
        eps: [narrow(k + 2)],
    };
    Third {
        re: second(0),
        eps: [second(4)],
    }
}

/// A field of numbers with their derivatives as one of reals.
struct Parts<'a> {
    field: &'a dyn Function,
    p: Few,
}

impl Function for Parts<'_> {
    fn outputs(&self) -> usize {
        PARTS * self.field.outputs()
    }
    fn value(&self, x: &[f64], _: &[f64], out: &mut [f64]) {
        let x: Few = x.chunks_exact(PARTS).map(assembled).collect();
        let mut y: Few = smallvec![Third::zero(); x.len()];
        self.field.third(&x, &self.p, &mut y);
        for (out, y) in out.chunks_exact_mut(PARTS).zip(&y) {
            out.copy_from_slice(&parts(y));
        }
    }
    // Derivatives of derivatives of the third order are not offered: not numbers.
    fn gradient(&self, _: &[Gradient], _: &[Gradient], out: &mut [Gradient]) {
        out.fill(Scalar::from_f64(f64::NAN));
    }
    fn hessian(&self, _: &[Hessian], _: &[Hessian], out: &mut [Hessian]) {
        out.fill(Scalar::from_f64(f64::NAN));
    }
    fn second(&self, _: &[Second], _: &[Second], out: &mut [Second]) {
        out.fill(Scalar::from_f64(f64::NAN));
    }
    fn third(&self, _: &[Third], _: &[Third], out: &mut [Third]) {
        out.fill(Scalar::from_f64(f64::NAN));
    }
    fn affine(&self, _: &[Affine<f64>], _: &[Affine<f64>], out: &mut [Affine<f64>]) {
        out.fill(Scalar::from_f64(f64::NAN));
    }
    fn affine_gradient(&self, _: &[Affine<Gradient>], _: &[Affine<Gradient>], out: &mut [Affine<Gradient>]) {
        out.fill(Scalar::from_f64(f64::NAN));
    }
}

fn constants(p: &[f64]) -> Few {
    p.iter().map(|&v| Third::from_f64(v)).collect()
}

/// Advance `x` with its derivatives over `duration`, by the explicit method.
///
/// # Errors
/// [`FlowError`] when the solution leaves the numbers or the field is too stiff for the steps allowed.
pub(crate) fn advance(
    field: &dyn Function,
    x: &mut [Third],
    p: &[f64],
    duration: f64,
    options: &FlowOptions,
) -> Result<(), FlowError> {
    let jet = Parts { field, p: constants(p) };
    let mut y: Vec<f64> = x.iter().flat_map(parts).collect();
    let equations = Equations {
        mode: "flow with derivatives",
        field: &jet,
        p: &[],
        free: &[],
        n: y.len(),
        columns: 0,
    };
    let explicit = FlowOptions {
        method: Method::Explicit,
        ..*options
    };
    integrate(&equations, &mut y, duration, &explicit, None)?;
    for (x, c) in x.iter_mut().zip(y.chunks_exact(PARTS)) {
        *x = assembled(c);
    }
    Ok(())
}

/// The states after a further time `by` without a real part: `by⁴ = 0`, so one step of the classical method of order four is exact.
pub(crate) fn nudge(field: &dyn Function, x: &[Third], p: &[f64], by: Third) -> Vec<Third> {
    let p = constants(p);
    let rate = |slope: Option<&Few>, part: f64| -> Few {
        let at: Few = match slope {
            None => x.iter().copied().collect(),
            Some(k) => x.iter().zip(k).map(|(x, k)| *x + *k * by * part).collect(),
        };
        let mut out: Few = smallvec![Third::zero(); x.len()];
        field.third(&at, &p, &mut out);
        out
    };
    let a = rate(None, 0.0);
    let b = rate(Some(&a), 0.5);
    let c = rate(Some(&b), 0.5);
    let d = rate(Some(&c), 1.0);
    let moved = |i: usize| x[i] + by * (a[i] + (b[i] + c[i]) * 2.0 + d[i]) / 6.0;
    (0..x.len()).map(moved).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::system::Formula;

    /// x' = -x², of which x(t) = x₀/(1 + x₀ t).
    struct Decay;
    impl Formula for Decay {
        fn outputs(&self) -> usize {
            1
        }
        fn eval<T: Scalar>(&self, x: &[T], _: &[T], out: &mut [T]) {
            out[0] = -(x[0] * x[0]);
        }
    }

    #[test]
    fn derivatives_of_a_known_flow() {
        let (x0, t) = (0.7, 1.3);
        let mut x = [Third::mixed(x0, 1.0, 1.0, 1.0)];
        advance(&Decay, &mut x, &[], t, &FlowOptions::default()).unwrap();
        let s = 1.0 + x0 * t;
        let wanted = [x0 / s, 1.0 / s.powi(2), -2.0 * t / s.powi(3), 6.0 * t * t / s.powi(4)];
        let got = parts(&x[0]);
        for (got, wanted) in
            [(0, 0), (1, 1), (2, 1), (4, 1), (3, 2), (5, 2), (6, 2), (7, 3)].map(|(i, k)| (got[i], wanted[k]))
        {
            assert!((got - wanted).abs() < 1e-10, "{got} {wanted}");
        }
        // Over a time without a real part, along which all three directions move: the time derivatives.
        let by = Third::mixed(0.0, 1.0, 1.0, 1.0);
        let moved = parts(&nudge(&Decay, &[Third::from_f64(x0)], &[], by)[0]);
        let rates = [x0, -x0.powi(2), 2.0 * x0.powi(3), -6.0 * x0.powi(4)];
        for (i, k) in [(0, 0), (1, 1), (3, 2), (7, 3)] {
            assert!((moved[i] - rates[k]).abs() < 1e-14, "{} {}", moved[i], rates[k]);
        }
    }
}
