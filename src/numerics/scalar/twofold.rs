//! Numbers of twice the digits: sums of two floating-point numbers, for residuals whose errors would be enlarged.
//!
//! Reference: T. J. Dekker, "A floating-point technique for extending the available precision", *Numer. Math.* 18
//! (1971), 224–242.

use super::Scalar;
use std::f64::consts::LN_2;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// The unevaluated sum of two numbers, the second below half a unit in the last place of the first: about 32 digits.
///
/// ```
/// use slipstick_numerics::scalar::{Scalar, TwoFold};
/// // (1 + ε) - 1 has all its digits.
/// let small = (TwoFold::from_f64(1.0) + 1e-25) - 1.0;
/// assert_eq!(small.value(), 1e-25);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoFold {
    high: f64,
    low: f64,
}

/// π/2 in three parts.
const HALF_PI: [f64; 3] = [
    std::f64::consts::FRAC_PI_2,
    6.123_233_995_736_766e-17,
    -1.497_384_904_859_183_3e-33,
];
/// What is left of ln 2 beyond its first 53 bits.
const LN_2_LOW: f64 = 2.319_046_813_846_299_6e-17;

/// The sum and its rounding.
fn sum(a: f64, b: f64) -> TwoFold {
    let high = a + b;
    let part = high - a;
    TwoFold {
        high,
        low: (a - (high - part)) + (b - part),
    }
}

/// The same where the first is known to be the larger.
fn ordered_sum(a: f64, b: f64) -> TwoFold {
    let high = a + b;
    TwoFold {
        high,
        low: b - (high - a),
    }
}

fn product(a: f64, b: f64) -> TwoFold {
    let high = a * b;
    TwoFold {
        high,
        low: a.mul_add(b, -high),
    }
}

impl TwoFold {
    /// A half, a quarter and so on of it, or a multiple by a power of two, which is exact.
    fn scaled(self, power_of_two: f64) -> Self {
        Self {
            high: self.high * power_of_two,
            low: self.low * power_of_two,
        }
    }

    fn square(self) -> Self {
        self * self
    }

    /// `Σ xᵏ/k!` over k = `first`, `first` + 2, … up to `last`, with signs that alternate.
    fn alternating(self, first: u32, last: u32) -> Self {
        let square = -self.square();
        let mut term = if first == 0 { Self::one() } else { self };
        let mut total = term;
        for k in (first + 2..=last).step_by(2) {
            term = term * square / f64::from(k * (k - 1));
            total += term;
        }
        total
    }
}

impl Neg for TwoFold {
    type Output = Self;
    fn neg(self) -> Self {
        Self {
            high: -self.high,
            low: -self.low,
        }
    }
}
impl Add for TwoFold {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        let (first, second) = (sum(self.high, o.high), sum(self.low, o.low));
        let both = ordered_sum(first.high, first.low + second.high);
        ordered_sum(both.high, both.low + second.low)
    }
}
impl Sub for TwoFold {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        self + -o
    }
}
impl Mul for TwoFold {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        let first = product(self.high, o.high);
        ordered_sum(first.high, first.low + (self.high * o.low + self.low * o.high))
    }
}
impl Div for TwoFold {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        let first = self.high / o.high;
        if !first.is_finite() {
            return Self::from_f64(first);
        }
        let rest = self - o * first;
        let second = rest.high / o.high;
        let rest = rest - o * second;
        ordered_sum(first, second) + rest.high / o.high
    }
}
impl Add<f64> for TwoFold {
    type Output = Self;
    fn add(self, o: f64) -> Self {
        self + Self::from_f64(o)
    }
}
impl Sub<f64> for TwoFold {
    type Output = Self;
    fn sub(self, o: f64) -> Self {
        self + -o
    }
}
impl Mul<f64> for TwoFold {
    type Output = Self;
    fn mul(self, o: f64) -> Self {
        self * Self::from_f64(o)
    }
}
impl Div<f64> for TwoFold {
    type Output = Self;
    fn div(self, o: f64) -> Self {
        self / Self::from_f64(o)
    }
}
impl AddAssign for TwoFold {
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
impl SubAssign for TwoFold {
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}
impl MulAssign for TwoFold {
    fn mul_assign(&mut self, o: Self) {
        *self = *self * o;
    }
}

impl Scalar for TwoFold {
    fn from_f64(v: f64) -> Self {
        Self { high: v, low: 0.0 }
    }
    fn value(&self) -> f64 {
        self.high
    }
    fn is_constant(&self) -> bool {
        self.low == 0.0
    }
    fn sin_cos(self) -> (Self, Self) {
        let quarters = (self.high / HALF_PI[0]).round();
        let mut rest = self;
        for part in HALF_PI {
            rest -= product(quarters, part);
        }
        let (s, c) = (rest.alternating(1, 33), rest.alternating(0, 32));
        match quarters.rem_euclid(4.0) as u8 {
            0 => (s, c),
            1 => (c, -s),
            2 => (-s, -c),
            _ => (-c, s),
        }
    }
    fn exp(self) -> Self {
        // exp x = 2ᵏ exp(r)⁵¹² with |r| < 0.0007; in between exp - 1, which keeps its digits.
        const HALVINGS: i32 = 9;
        let twos = (self.high / LN_2).round();
        if !twos.is_finite() {
            return Self::from_f64(self.high.exp());
        }
        let rest = self - product(twos, LN_2) - product(twos, LN_2_LOW);
        let rest = rest.scaled(0.5f64.powi(HALVINGS));
        let (mut term, mut less_one) = (rest, rest);
        for k in 2..11 {
            term = term * rest / f64::from(k);
            less_one += term;
        }
        for _ in 0..HALVINGS {
            less_one = less_one.scaled(2.0) + less_one.square();
        }
        // In two factors, since the power may exceed the largest number where the result does not.
        let half = (0.5 * twos).floor();
        (less_one + 1.0).scaled(half.exp2()).scaled((twos - half).exp2())
    }
    fn ln(self) -> Self {
        let near = self.high.ln();
        if !near.is_finite() {
            return Self::from_f64(near);
        }
        self * (-Self::from_f64(near)).exp() - 1.0 + near
    }
    fn sqrt(self) -> Self {
        if self.high == 0.0 {
            return self;
        }
        let near = self.high.sqrt();
        (self - product(near, near)) / (2.0 * near) + near
    }
    fn atan(self) -> Self {
        let near = self.high.atan();
        let (s, c) = Self::from_f64(near).sin_cos();
        let off = (self * c - s) / (c + self * s);
        off - off * off * off / 3.0 + near
    }
    fn powi(self, n: i32) -> Self {
        let (mut power, mut result) = (self, Self::one());
        let mut left = n.unsigned_abs();
        while left > 0 {
            if left % 2 == 1 {
                result *= power;
            }
            power = power.square();
            left /= 2;
        }
        if n < 0 { Self::one() / result } else { result }
    }
    fn sinh(self) -> Self {
        if self.high.abs() < 0.5 {
            let square = self.square();
            let (mut term, mut total) = (self, self);
            for k in 1..14 {
                term = term * square / f64::from(2 * k * (2 * k + 1));
                total += term;
            }
            return total;
        }
        (self.exp() - (-self).exp()).scaled(0.5)
    }
    fn pow(self, e: Self) -> Self {
        if self.high == 0.0 {
            return Self::from_f64(0f64.powf(e.high));
        }
        (e * self.ln()).exp()
    }
    fn asin(self) -> Self {
        let square = (Self::one() - self) * (self + 1.0);
        if square.high == 0.0 {
            return (Self::from_f64(HALF_PI[0]) + HALF_PI[1]) * self.high.signum();
        }
        (self / square.sqrt()).atan()
    }
    fn acos(self) -> Self {
        -self.asin() + HALF_PI[1] + HALF_PI[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fixed numbers between -1 and 1 with digits in both parts.
    fn numbers() -> impl Iterator<Item = TwoFold> {
        (0..200).map(|i| {
            let high = (1.3 + 2.7 * f64::from(i)).sin();
            sum(high, 1e-17 * (0.7 * f64::from(i)).cos() * high)
        })
    }

    fn assert_same(a: TwoFold, b: TwoFold, size: f64, what: &str) {
        let off = (a - b).value().abs();
        assert!(off <= 1e-29 * size, "{what}: {a:?} {b:?} differ by {off:e}");
    }

    #[test]
    fn identities_hold_to_thirty_digits() {
        for x in numbers() {
            let y = x * 3.0 + 0.25;
            assert_same((x + y) - y, x, 4.0, "sum");
            assert_same(x * y / y, x, 1.0, "quotient");
            assert_same(x.square().sqrt(), x.abs(), 1.0, "root");
            let (s, c) = (y * 40.0).sin_cos();
            assert_same(s.square() + c.square(), TwoFold::one(), 1.0, "circle");
            let (double, _) = (y * 80.0).sin_cos();
            assert_same(s * c * 2.0, double, 10.0, "double angle");
            let e = (y * 7.0).exp();
            assert_same(e.ln(), y * 7.0, 30.0, "logarithm");
            assert_same(e * (y * -7.0).exp(), TwoFold::one(), 10.0, "exponential");
            assert_same(x.tan().atan(), x, 1.0, "tangent");
            assert_same(x.asin().sin(), x, 10.0, "sine");
            assert_same(x.acos().cos(), x, 10.0, "cosine");
            assert_same(x.cosh().square() - x.sinh().square(), TwoFold::one(), 10.0, "hyperbola");
            assert_same(x.powi(-3) * x * x * x, TwoFold::one(), 1.0, "power");
        }
    }

    #[test]
    fn functions_are_those_of_single_numbers() {
        let close = |a: TwoFold, b: f64| assert!((a.value() - b).abs() <= 1e-15 * b.abs(), "{a:?} {b}");
        for x in numbers().map(|x| TwoFold::from_f64(x.value())) {
            let v = x.value();
            close(x.exp(), v.exp());
            close(x.sin(), v.sin());
            close(x.cos(), v.cos());
            close(x.sinh(), v.sinh());
            close(x.tanh(), v.tanh());
            close(x.atan(), v.atan());
            close(x.abs().ln(), v.abs().ln());
            close(x.abs().sqrt(), v.abs().sqrt());
        }
        close(TwoFold::from_f64(709.5).exp(), 709.5f64.exp());
    }
}
