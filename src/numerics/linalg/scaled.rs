//! Numbers whose exponent cannot overflow: a double for the digits, an integer for the size.
//!
//! Products of thousands of transition factors reach 1e±50000. Their digits are ordinary, only their size is not.

use std::cmp::Ordering;
use std::f64::consts::{LOG10_2, SQRT_2};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// `mantissa · 2^exponent` with `1 ≤ |mantissa| < 2`, or zero, or a mantissa that is not finite.
///
/// Every operation rounds once, as in `f64`; nothing overflows or underflows.
///
/// ```
/// use slipstick_numerics::linalg::scaled::Scaled;
/// // Far beyond what doubles can hold.
/// let mut product = Scaled::new(1.0, 0);
/// for _ in 0..100 {
///     product = product * Scaled::from_log10(250.0);
/// }
/// assert!((product.log10() - 25_000.0).abs() < 1e-8 && product.to_f64().is_infinite());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaled {
    mantissa: f64,
    exponent: i64,
}

const EXPONENT_BITS: u64 = 0x7ff << 52;
const ONE_BITS: u64 = 1023 << 52;
/// Beyond this difference of exponents the smaller summand is below half a unit in the last place of the larger.
const NEGLIGIBLE: i64 = 64;

/// `2^e` for exponents of normal doubles.
fn power_of_two(e: i64) -> f64 {
    f64::from_bits(((e + 1023) as u64) << 52)
}

impl Scaled {
    /// Zero.
    pub const ZERO: Self = Self {
        mantissa: 0.0,
        exponent: 0,
    };
    /// One.
    pub const ONE: Self = Self {
        mantissa: 1.0,
        exponent: 0,
    };

    /// `mantissa · 2^exponent`, normalised.
    #[inline]
    pub fn new(mantissa: f64, exponent: i64) -> Self {
        let bits = mantissa.to_bits();
        let field = bits & EXPONENT_BITS;
        if field == 0 || field == EXPONENT_BITS {
            return Self::unusual(mantissa, exponent);
        }
        Self {
            mantissa: f64::from_bits((bits & !EXPONENT_BITS) | ONE_BITS),
            exponent: exponent + (field >> 52) as i64 - 1023,
        }
    }

    /// Zero, subnormal and non-finite mantissas.
    #[cold]
    fn unusual(mantissa: f64, exponent: i64) -> Self {
        if mantissa == 0.0 {
            Self::ZERO
        } else if mantissa.is_finite() {
            Self::new(mantissa * power_of_two(64), exponent - 64)
        } else {
            Self { mantissa, exponent: 0 }
        }
    }

    /// `10^x`, with the relative error `|x|` units of rounding.
    pub fn from_log10(x: f64) -> Self {
        if !x.is_finite() {
            return Self::new(10f64.powf(x), 0);
        }
        let binary = x / LOG10_2;
        Self::new((binary - binary.floor()).exp2(), binary.floor() as i64)
    }
    /// The mantissa, between 1 and 2 in absolute value.
    pub fn mantissa(self) -> f64 {
        self.mantissa
    }
    /// The binary exponent.
    pub fn exponent(self) -> i64 {
        self.exponent
    }
    /// Is this exactly zero?
    #[inline]
    pub fn is_zero(self) -> bool {
        self.mantissa == 0.0
    }
    /// Neither infinite nor NaN?
    #[inline]
    pub fn is_finite(self) -> bool {
        self.mantissa.is_finite()
    }
    /// Strictly below zero?
    #[inline]
    pub fn is_negative(self) -> bool {
        self.mantissa < 0.0
    }
    /// Strictly above zero?
    #[inline]
    pub fn is_positive(self) -> bool {
        self.mantissa > 0.0
    }
    /// The absolute value.
    #[inline]
    pub fn abs(self) -> Self {
        Self {
            mantissa: self.mantissa.abs(),
            exponent: self.exponent,
        }
    }
    /// This number times `2^shift`.
    #[inline]
    pub fn shifted(self, shift: i64) -> Self {
        if self.is_zero() {
            return self;
        }
        Self {
            mantissa: self.mantissa,
            exponent: self.exponent + shift,
        }
    }
    /// The square root; NaN below zero.
    pub fn sqrt(self) -> Self {
        let odd = self.exponent.rem_euclid(2);
        Self::new((self.mantissa * power_of_two(odd)).sqrt(), (self.exponent - odd) / 2)
    }
    /// `log₁₀ |x|`, accurate relative to itself also next to |x| = 1; `-inf` for zero.
    pub fn log10(self) -> f64 {
        let (mut m, mut e) = (self.mantissa.abs(), self.exponent);
        if m > SQRT_2 {
            m *= 0.5;
            e += 1;
        }
        e as f64 * LOG10_2 + m.log10()
    }
    /// The nearest double: beyond its range ±∞ or ±0.
    pub fn to_f64(self) -> f64 {
        match self.exponent {
            e if e > 1023 => self.mantissa * f64::INFINITY,
            e if e >= -1022 => self.mantissa * power_of_two(e),
            e if e >= -1080 => self.mantissa * power_of_two(e + 128) * power_of_two(-128),
            _ => 0.0 * self.mantissa,
        }
    }
    /// Which absolute value is larger? NaN compares as equal.
    pub fn cmp_abs(self, other: Self) -> Ordering {
        match (self.is_zero(), other.is_zero()) {
            (true, true) => return Ordering::Equal,
            (true, false) => return Ordering::Less,
            (false, true) => return Ordering::Greater,
            (false, false) => {}
        }
        let by_digits = self.mantissa.abs().partial_cmp(&other.mantissa.abs());
        self.exponent
            .cmp(&other.exponent)
            .then(by_digits.unwrap_or(Ordering::Equal))
    }
    /// The larger of two absolute values.
    pub fn max_abs(self, other: Self) -> Self {
        if self.cmp_abs(other) == Ordering::Less {
            other.abs()
        } else {
            self.abs()
        }
    }
}

impl From<f64> for Scaled {
    #[inline]
    fn from(x: f64) -> Self {
        Self::new(x, 0)
    }
}

impl Mul for Scaled {
    type Output = Self;
    #[inline]
    fn mul(self, o: Self) -> Self {
        Self::new(self.mantissa * o.mantissa, self.exponent + o.exponent)
    }
}

impl Mul<f64> for Scaled {
    type Output = Self;
    #[inline]
    fn mul(self, o: f64) -> Self {
        self * Self::from(o)
    }
}

impl Div for Scaled {
    type Output = Self;
    #[inline]
    fn div(self, o: Self) -> Self {
        Self::new(self.mantissa / o.mantissa, self.exponent - o.exponent)
    }
}

impl Neg for Scaled {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self {
            mantissa: -self.mantissa,
            exponent: self.exponent,
        }
    }
}

impl Add for Scaled {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        let (big, small) = if o.is_zero() || (self.exponent >= o.exponent && !self.is_zero()) {
            (self, o)
        } else {
            (o, self)
        };
        let gap = big.exponent - small.exponent;
        if gap > NEGLIGIBLE || small.is_zero() {
            // A mantissa that is not finite has exponent 0 and must not be dropped.
            return if small.is_finite() { big } else { small };
        }
        Self::new(big.mantissa + small.mantissa * power_of_two(-gap), big.exponent)
    }
}

impl Sub for Scaled {
    type Output = Self;
    #[inline]
    fn sub(self, o: Self) -> Self {
        self + (-o)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn s(x: f64) -> Scaled {
        Scaled::from(x)
    }

    #[test]
    fn powers_far_outside_the_doubles_come_back() {
        let mut big = Scaled::ONE;
        for _ in 0..50_000 {
            big = big * s(10.0);
        }
        assert!((big.log10() - 50_000.0).abs() < 1e-9);
        let mut small = Scaled::ONE;
        for _ in 0..50_000 {
            small = small / s(10.0);
        }
        assert!(((big * small).to_f64() - 1.0).abs() < 1e-11);
        assert_eq!(big.to_f64(), f64::INFINITY);
        assert_eq!((-small).to_f64(), 0.0);
    }

    #[test]
    fn logarithms_keep_their_digits_next_to_one() {
        let tiny = 1e-10;
        let expected = -tiny / std::f64::consts::LN_10;
        assert!((s(1.0 - tiny).log10() / expected - 1.0).abs() < 1e-6);
        assert_eq!(s(1.0).log10(), 0.0);
        assert_eq!(s(0.0).log10(), f64::NEG_INFINITY);
    }

    #[test]
    fn what_is_not_finite_stays_visible() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(!s(bad).is_finite());
            assert!(!(s(bad) * s(1e-300)).is_finite());
            assert!(!(Scaled::new(1.0, 5000) + s(bad)).is_finite());
            assert!(!(s(bad) + Scaled::new(1.0, -5000)).is_finite());
        }
        assert!(!(s(0.0) / s(0.0)).is_finite());
    }

    #[test]
    fn subnormal_doubles_survive_the_round_trip() {
        for x in [5e-324, -1e-310, 2.2e-308, 1.7e308] {
            assert_eq!(s(x).to_f64(), x);
        }
    }

    proptest! {
        #[test]
        fn arithmetic_agrees_with_doubles_bit_by_bit(a in -1e40..1e40f64, b in -1e-3..1e3f64) {
            prop_assert_eq!((s(a) * s(b)).to_f64(), a * b);
            prop_assert_eq!((s(a) + s(b)).to_f64(), a + b);
            prop_assert_eq!((s(a) - s(b)).to_f64(), a - b);
            prop_assert_eq!((s(a) / s(b)).to_f64(), a / b);
            prop_assert_eq!(s(a).abs().sqrt().to_f64(), a.abs().sqrt());
            prop_assert_eq!(s(a).cmp_abs(s(b)), a.abs().total_cmp(&b.abs()));
        }
    }
}
