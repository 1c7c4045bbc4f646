//! The flow of a field with its mixed third derivatives along three directions.
//!
//! The state moves along `u ε₁ + v ε₂ + w ε₃` with `εᵢ² = 0`; the field is evaluated in these numbers, so that what the
//! integrator advances are the state, its three first, three second and one third derivative at once, all under step
//! control. Closed forms and matrix exponentials are evaluated in the same numbers.

use super::equations::Equations;
use super::error::FlowError;
use super::integrate::integrate;
use super::mode_flow::ModeFlow;
use super::options::{FlowOptions, Method};
use super::step::Dense;
use slipstick_numerics::scalar::{Affine, Dual, Gradient, Hessian, Scalar, Second, Third};
use slipstick_system::Function;
use smallvec::{SmallVec, smallvec};

/// The integration with derivatives. It is explicit: where it takes more steps, the field is stiff.
const FLOW: FlowOptions = FlowOptions {
    rtol: 1e-11,
    atol: 1e-14,
    method: Method::Explicit,
    max_steps: 2000,
};

/// Why derivatives of a flow are not known.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum JetError {
    /// The state could not be followed.
    #[error(transparent)]
    Flow(#[from] FlowError),
    /// The field has no such derivatives where the solution passes.
    #[error("the orbit passes a {0}, where the equations have no second derivatives")]
    Corner(String),
}

/// Room for the states of a system.
type Few = SmallVec<[Third; 8]>;

/// The parts of a number.
pub const PARTS: usize = 8;

/// The value, and the derivatives by ε₁, ε₂, ε₁ε₂, ε₃, ε₁ε₃, ε₂ε₃, ε₁ε₂ε₃.
pub fn parts(v: &Third) -> [f64; PARTS] {
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

/// The number of these parts.
pub fn assembled(c: &[f64]) -> Third {
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
    /// The unit in which each state is counted.
    sizes: &'a [f64],
}

impl Parts<'_> {
    fn in_units(&self, x: &[Third]) -> Vec<f64> {
        let counted = x.iter().zip(self.sizes).map(|(x, size)| *x / *size);
        counted.flat_map(|x| parts(&x)).collect()
    }
    fn of_units(&self, y: &[f64]) -> Few {
        let states = y.chunks_exact(PARTS).zip(self.sizes);
        states.map(|(c, size)| assembled(c) * *size).collect()
    }
    /// `x` after the `duration`, in units.
    fn integrate(
        &self,
        x: &[Third],
        duration: f64,
        observe: Option<&mut dyn FnMut(Dense) -> bool>,
    ) -> Result<Vec<f64>, FlowError> {
        let mut y = self.in_units(x);
        let equations = Equations {
            mode: "flow with derivatives",
            field: self,
            p: &[],
            free: &[],
            n: y.len(),
            columns: 0,
            signed: 0,
        };
        integrate(&equations, &mut y, duration, &FLOW, observe)?;
        Ok(y)
    }
}

impl Function for Parts<'_> {
    fn outputs(&self) -> usize {
        PARTS * self.field.outputs()
    }
    fn value(&self, x: &[f64], _: &[f64], out: &mut [f64]) {
        let x = self.of_units(x);
        let mut y: Few = smallvec![Third::zero(); x.len()];
        self.field.third(&x, &self.p, &mut y);
        for (out, (y, size)) in out.chunks_exact_mut(PARTS).zip(y.iter().zip(self.sizes)) {
            out.copy_from_slice(&parts(&(*y / *size)));
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

/// Parameters that do not move.
pub fn constants(p: &[f64]) -> Vec<Third> {
    p.iter().map(|&v| Third::from_f64(v)).collect()
}

/// The sides of the corners of a field on which a solution runs.
#[doc(hidden)]
pub struct Sides<'a> {
    field: &'a dyn Function,
    p: &'a [f64],
    sizes: &'a [f64],
    known: Vec<Option<f64>>,
}

impl<'a> Sides<'a> {
    /// All sides are unknown yet.
    pub fn new(field: &'a dyn Function, p: &'a [f64], sizes: &'a [f64]) -> Self {
        Self {
            field,
            p,
            sizes,
            known: vec![],
        }
    }
    /// The solution comes to `x`.
    ///
    /// # Errors
    /// [`JetError::Corner`] when that lies beyond a corner.
    pub fn look(&mut self, x: &[f64]) -> Result<(), JetError> {
        let Some(corners) = self.field.corners() else {
            return Ok(());
        };
        let sides = corners.sides(x, self.p, self.sizes);
        self.known.resize(sides.len(), None);
        for (k, (known, side)) in self.known.iter_mut().zip(sides).enumerate() {
            match (*known, side) {
                (Some(a), Some(b)) if a != b => return Err(JetError::Corner(corners.describe(k))),
                (None, Some(_)) => *known = side,
                _ => {}
            }
        }
        Ok(())
    }
}

/// Advance `x` with its derivatives over `duration` by the flow of a mode; states count in units of `sizes`.
///
/// # Errors
/// [`JetError`] when the solution leaves the numbers, the field is too stiff for the explicit method, or is not smooth
/// along it.
pub fn propagate(
    flow: &ModeFlow<'_>,
    x: &mut [Third],
    p: &[f64],
    duration: f64,
    sizes: &[f64],
) -> Result<(), JetError> {
    let mode = flow.mode();
    if let Some(exact) = &mode.exact {
        let mut z = x.to_vec();
        z.push(Third::from_f64(duration));
        exact.third(&z, &constants(p), x);
        return Ok(());
    }
    match flow.linear(p) {
        Some(linear) => linear.propagate_in_place(x, duration),
        None => propagate_by_field(&*mode.field, x, &constants(p), duration, sizes)?,
    }
    Ok(())
}

/// Advance `x` with its derivatives over `duration` by a field of which the parameters may move as well, by the
/// explicit method.
///
/// # Errors
/// As [`propagate`].
pub fn propagate_by_field(
    field: &dyn Function,
    x: &mut [Third],
    p: &[Third],
    duration: f64,
    sizes: &[f64],
) -> Result<(), JetError> {
    let jet = Parts {
        field,
        p: p.iter().copied().collect(),
        sizes,
    };
    let constant: Vec<f64> = p.iter().map(Scalar::value).collect();
    let mut sides = Sides::new(field, &constant, sizes);
    let values = |y: &[f64]| -> Vec<f64> { jet.of_units(y).iter().map(Scalar::value).collect() };
    let mut smooth = Ok(());
    let mut observe = |step: Dense| {
        smooth = sides.look(&values(&step.y0));
        smooth.is_ok()
    };
    let with_corners = field.corners().is_some();
    let y = jet.integrate(x, duration, if with_corners { Some(&mut observe) } else { None })?;
    smooth?;
    if with_corners {
        sides.look(&values(&y))?;
    }
    x.copy_from_slice(&jet.of_units(&y));
    Ok(())
}

/// The states after a further time `by` without a real part: `by⁴ = 0`, so one step of the classical method of order
/// four is exact.
pub fn shifted(field: &dyn Function, x: &[Third], p: &[Third], by: Third) -> Vec<Third> {
    let rate = |slope: Option<&Few>, part: f64| -> Few {
        let at: Few = match slope {
            None => x.iter().copied().collect(),
            Some(k) => x.iter().zip(k).map(|(x, k)| *x + *k * by * part).collect(),
        };
        let mut out: Few = smallvec![Third::zero(); x.len()];
        field.third(&at, p, &mut out);
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
    use slipstick_system::Formula;

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
        propagate_by_field(&Decay, &mut x, &[], t, &[1.0]).unwrap();
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
        let moved = parts(&shifted(&Decay, &[Third::from_f64(x0)], &[], by)[0]);
        let rates = [x0, -x0.powi(2), 2.0 * x0.powi(3), -6.0 * x0.powi(4)];
        for (i, k) in [(0, 0), (1, 1), (3, 2), (7, 3)] {
            assert!((moved[i] - rates[k]).abs() < 1e-14, "{} {}", moved[i], rates[k]);
        }
    }
}
