//! Numbers a formula can be evaluated in.
//!
//! Every right-hand side, guard, reset and closed-form flow in slipstick is written once, generically over [`Scalar`].
//! Evaluated in `f64` it gives values; in [`TwoFold`] numbers values with twice the digits; in [`Dual`] numbers it
//! gives exact first derivatives; in nested duals exact second and third ones; in [`Affine`] forms it tells whether it
//! is linear in the states, and with which coefficients.
//!
//! Reference: A. Griewank and A. Walther, *Evaluating Derivatives*, 2nd ed., SIAM (2008), ch. 3.

mod affine;
mod dual;
mod twofold;

pub use affine::{AFFINE_TERMS, Affine, AnglePlace, LARGEST_BASIS};
pub use dual::{Dual, Gradient, Hessian, NarrowGradient, Precise, Second, Third};
pub use twofold::TwoFold;

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// A number that formulas are written in: reals, reals of twice the digits, dual numbers of any depth, affine forms.
///
/// Comparisons are made on [`Scalar::value`], the real part, so a formula with a branch differentiates the branch
/// taken.
///
/// ```
/// use slipstick_numerics::scalar::{Dual, Scalar};
/// fn pendulum<T: Scalar>(angle: T, length: T) -> T {
///     -angle.sin() * 9.81 / length
/// }
/// assert_eq!(pendulum(0.0, 2.0), 0.0);
/// // The same formula gives its derivative with respect to the angle.
/// let slope = pendulum(Dual::<f64, 1>::variable(0.0, 0), Dual::constant(2.0));
/// assert_eq!(slope.eps, [-9.81 / 2.0]);
/// ```
pub trait Scalar:
    Copy
    + Debug
    + Send
    + Sync
    + 'static
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// The constant `v`.
    fn from_f64(v: f64) -> Self;
    /// The real part.
    fn value(&self) -> f64;
    /// Is this certainly nothing but its real part? A formula may then do its sums in reals. False if not known.
    fn is_constant(&self) -> bool {
        false
    }
    /// Are it and all its derivatives finite?
    fn is_finite(&self) -> bool {
        self.value().is_finite()
    }
    /// Sine and cosine together.
    fn sin_cos(self) -> (Self, Self);
    /// The exponential.
    fn exp(self) -> Self;
    /// The natural logarithm.
    fn ln(self) -> Self;
    /// The square root.
    fn sqrt(self) -> Self;
    /// The arc tangent.
    fn atan(self) -> Self;
    /// Integer power, exact for negative bases.
    fn powi(self, n: i32) -> Self;

    /// This value, taken because a comparison of `condition` came out as it did. Formulas with branches pass
    /// their result through here so that [`Affine`] forms notice a branch on a state.
    fn chosen_by(self, condition: Self) -> Self {
        let _ = condition;
        self
    }
    /// Zero.
    fn zero() -> Self {
        Self::from_f64(0.0)
    }
    /// One.
    fn one() -> Self {
        Self::from_f64(1.0)
    }
    /// Sine.
    fn sin(self) -> Self {
        self.sin_cos().0
    }
    /// Cosine.
    fn cos(self) -> Self {
        self.sin_cos().1
    }
    /// Tangent.
    fn tan(self) -> Self {
        let (s, c) = self.sin_cos();
        s / c
    }
    /// Arc sine.
    fn asin(self) -> Self {
        (self / ((Self::one() - self) * (self + 1.0)).sqrt()).atan()
    }
    /// Arc cosine.
    fn acos(self) -> Self {
        -self.asin() + std::f64::consts::FRAC_PI_2
    }
    /// Hyperbolic sine; by its series near zero, where the exponentials would cancel.
    fn sinh(self) -> Self {
        if self.value().abs() < 0.5 {
            let q = self * self;
            let mut term = self;
            let mut sum = self;
            for k in 1..9 {
                term = term * q / ((2 * k * (2 * k + 1)) as f64);
                sum += term;
            }
            return sum;
        }
        (self.exp() - (-self).exp()) * 0.5
    }
    /// Hyperbolic cosine.
    fn cosh(self) -> Self {
        (self.exp() + (-self).exp()) * 0.5
    }
    /// Hyperbolic tangent, without overflow.
    fn tanh(self) -> Self {
        if self.value().abs() < 0.5 {
            return self.sinh() / self.cosh();
        }
        if self.value() > 0.0 {
            let e = (self * -2.0).exp();
            (Self::one() - e) / (e + 1.0)
        } else {
            let e = (self * 2.0).exp();
            (e - 1.0) / (e + 1.0)
        }
    }
    /// `|x|`, with the derivative `sign(x)`.
    fn abs(self) -> Self {
        if self.value() < 0.0 { -self } else { self }
    }
    /// `sign(x)` in {-1, 0, 1}; its derivative is zero.
    fn signum(self) -> Self {
        let v = self.value();
        Self::from_f64(if v > 0.0 {
            1.0
        } else if v < 0.0 {
            -1.0
        } else {
            v
        })
    }
    /// General power: `exp(e ln x)` for `x > 0`, and 0 for `x = 0` and `e > 0`; integer constant exponents should use
    /// [`Scalar::powi`].
    fn pow(self, e: Self) -> Self {
        (e * self.ln()).exp()
    }
    /// `sin(x)/x`, analytic through zero: values and derivatives lose no digits there.
    fn sinc(self) -> Self {
        if self.value().abs() < 1.0 {
            let q = self * self;
            let mut sum = Self::one();
            for k in (1..=9).rev() {
                sum = Self::one() - q * sum / ((2 * k * (2 * k + 1)) as f64);
            }
            return sum;
        }
        self.sin() / self
    }
    /// `(1 - cos x)/x²`, analytic through zero.
    fn cosc(self) -> Self {
        let h = (self * 0.5).sinc();
        h * h * 0.5
    }
}

impl Scalar for f64 {
    #[inline]
    fn from_f64(v: f64) -> Self {
        v
    }
    #[inline]
    fn value(&self) -> f64 {
        *self
    }
    #[inline]
    fn is_constant(&self) -> bool {
        true
    }
    #[inline]
    fn sin_cos(self) -> (Self, Self) {
        f64::sin_cos(self)
    }
    #[inline]
    fn exp(self) -> Self {
        f64::exp(self)
    }
    #[inline]
    fn ln(self) -> Self {
        f64::ln(self)
    }
    #[inline]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline]
    fn atan(self) -> Self {
        f64::atan(self)
    }
    #[inline]
    fn powi(self, n: i32) -> Self {
        f64::powi(self, n)
    }
    #[inline]
    fn sinh(self) -> Self {
        f64::sinh(self)
    }
    #[inline]
    fn cosh(self) -> Self {
        f64::cosh(self)
    }
    #[inline]
    fn tanh(self) -> Self {
        f64::tanh(self)
    }
    #[inline]
    fn asin(self) -> Self {
        f64::asin(self)
    }
    #[inline]
    fn acos(self) -> Self {
        f64::acos(self)
    }
    #[inline]
    fn pow(self, e: Self) -> Self {
        f64::powf(self, e)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sinc_and_its_derivatives_join_smoothly_at_the_switch_of_formula() {
        // sinc' = (cos x - sinc x)/x, sinc'' = -sinc - 2 sinc'/x
        for x in [1e-9, 0.3, 0.999_999, 1.000_001, 2.5, -0.7, -1.3] {
            let d = Second::mixed(x, 1.0, 1.0).sinc();
            let s = x.sin() / x;
            let s1 = if f64::abs(x) < 1e-3 {
                -x / 3.0
            } else {
                (x.cos() - s) / x
            };
            let s2 = if f64::abs(x) < 1e-3 {
                -1.0 / 3.0
            } else {
                -s - 2.0 * s1 / x
            };
            assert!((d.re.re - s).abs() < 1e-15, "{x}");
            assert!((d.re.eps[0] - s1).abs() < 2e-15, "{x}");
            assert!((d.eps[0].eps[0] - s2).abs() < 1e-14, "{x}");
        }
    }

    #[test]
    fn elementary_functions_have_their_textbook_derivatives() {
        let x = 0.37;
        let d = |f: fn(Third) -> Third| {
            let v = f(Third::mixed(x, 1.0, 1.0, 1.0));
            [v.re.re.re, v.re.re.eps[0], v.re.eps[0].eps[0], v.eps[0].eps[0].eps[0]]
        };
        let close = |a: [f64; 4], b: [f64; 4]| {
            for (x, y) in a.iter().zip(b) {
                assert!((x - y).abs() <= 1e-13 * (1.0 + y.abs()), "{a:?} {b:?}");
            }
        };
        let (s, c) = x.sin_cos();
        close(d(Scalar::sin), [s, c, -s, -c]);
        close(d(Scalar::exp), [x.exp(); 4]);
        close(d(Scalar::ln), [x.ln(), 1.0 / x, -1.0 / (x * x), 2.0 / (x * x * x)]);
        close(
            d(Scalar::sqrt),
            [x.sqrt(), 0.5 / x.sqrt(), -0.25 * x.powf(-1.5), 0.375 * x.powf(-2.5)],
        );
        close(d(|v| v.powi(3)), [x * x * x, 3.0 * x * x, 6.0 * x, 6.0]);
        let q = 1.0 + x * x;
        close(
            d(Scalar::atan),
            [x.atan(), 1.0 / q, -2.0 * x / (q * q), (6.0 * x * x - 2.0) / (q * q * q)],
        );
        let t = x.tanh();
        let t1 = 1.0 - t * t;
        close(d(Scalar::tanh), [t, t1, -2.0 * t * t1, t1 * (6.0 * t * t - 2.0)]);
        let r = 1.0 - x * x;
        close(
            d(Scalar::asin),
            [
                x.asin(),
                r.powf(-0.5),
                x * r.powf(-1.5),
                r.powf(-1.5) + 3.0 * x * x * r.powf(-2.5),
            ],
        );
    }
}
