//! One Floquet multiplier, of any size.

use nalgebra::Complex;
use slipstick_numerics::linalg::scaled::Scaled;
use slipstick_numerics::linalg::scaled_eigen::Eigenvalue;
use std::cmp::Ordering;
use std::f64::consts::{PI, TAU};

/// A multiplier `10^log10 · e^{i arg}`.
///
/// ```
/// use slipstick_floquet::Multiplier;
/// let double = Multiplier::real(-1.5);
/// assert_eq!((double.sign(), double.modulus()), (-1.0, 1.5));
/// assert!(double.is_unstable(1e-9) && !double.squared().sign().is_sign_negative());
/// // Ten to the power of 5000: no double holds it, its logarithm does.
/// let strong = Multiplier { log10: 5000.0, arg: 0.0 };
/// assert!(strong.is_real() && strong.modulus().is_infinite() && strong.is_unstable(1e-9));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Multiplier {
    /// log₁₀ of the modulus; `-inf` for a zero multiplier.
    pub log10: f64,
    /// Argument in (-π, π]; exactly 0 or π for real multipliers, 0 for zero.
    pub arg: f64,
}

impl Multiplier {
    /// The zero multiplier: a direction that is forgotten, as in a mode with fewer states.
    pub const ZERO: Self = Self {
        log10: f64::NEG_INFINITY,
        arg: 0.0,
    };
    /// The trivial multiplier of an autonomous system.
    pub const ONE: Self = Self { log10: 0.0, arg: 0.0 };

    /// A real multiplier.
    pub fn real(x: f64) -> Self {
        Self::from(Scaled::from(x))
    }
    /// Is it +1, to what errors of located points leave?
    pub fn is_nearly_one(&self) -> bool {
        /// In decades.
        const NEAR: f64 = 1e-8;
        self.arg == 0.0 && self.log10.abs() <= NEAR
    }
    /// Is it -1, to what errors of located points leave, also of two that are -1 together?
    pub fn is_nearly_minus_one(&self) -> bool {
        /// In decades, and in radians: together two may look like a pair.
        const NEAR: f64 = 1e-6;
        const ANGLE: f64 = 1e-4;
        self.log10.abs() <= NEAR && PI - self.arg.abs() <= ANGLE
    }
    /// Exactly real (argument 0 or π)?
    pub fn is_real(self) -> bool {
        self.arg == 0.0 || self.arg == PI
    }
    /// The sign of a real multiplier (0 for zero), else 0.
    pub fn sign(self) -> f64 {
        match self.arg {
            _ if self.log10 == f64::NEG_INFINITY => 0.0,
            0.0 => 1.0,
            PI => -1.0,
            _ => 0.0,
        }
    }
    /// The modulus, 0 or ∞ where it leaves the doubles.
    pub fn modulus(self) -> f64 {
        10f64.powf(self.log10)
    }
    /// The value of a real multiplier (0 or ±∞ where it leaves the doubles); `None` for a complex one.
    pub fn value(self) -> Option<f64> {
        if self.arg == 0.0 {
            Some(self.modulus())
        } else if self.arg == PI {
            Some(-self.modulus())
        } else {
            None
        }
    }
    /// The multiplier as a complex number, if its modulus fits (underflow gives zero).
    pub fn to_complex(self) -> Option<Complex<f64>> {
        let modulus = self.modulus();
        if !modulus.is_finite() {
            return None;
        }
        let z = match self.value() {
            Some(x) => Complex::new(x, 0.0),
            None => Complex::from_polar(modulus, self.arg),
        };
        Some(z)
    }
    /// The square: the multiplier of an orbit from that of its half map.
    pub fn squared(self) -> Self {
        let doubled = 2.0 * self.arg;
        let arg = if self.is_real() {
            0.0
        } else if doubled > PI {
            doubled - TAU
        } else if doubled <= -PI {
            doubled + TAU
        } else {
            doubled
        };
        Self {
            log10: 2.0 * self.log10,
            arg,
        }
    }
    /// Outside the unit circle by more than `tolerance` in log₁₀ of the modulus?
    pub fn is_unstable(self, tolerance: f64) -> bool {
        self.log10 > tolerance
    }
    /// How many lie outside the unit circle. Those of a located bifurcation are on it but for rounding, and do not
    /// count.
    pub fn count_unstable(multipliers: &[Self]) -> usize {
        /// What rounding and the location of a bifurcation leave in log₁₀ of a modulus.
        const ON_THE_CIRCLE: f64 = 1e-9;
        multipliers.iter().filter(|m| m.is_unstable(ON_THE_CIRCLE)).count()
    }
    /// Largest modulus first; of equal moduli the smaller |argument| first. Stable sorting keeps conjugates together.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        other
            .log10
            .total_cmp(&self.log10)
            .then(self.arg.abs().total_cmp(&other.arg.abs()))
    }
    /// Append the multipliers that an eigenvalue or pair `· 2^shift` stands for.
    pub(super) fn append(eigenvalue: Eigenvalue, shift: i64, out: &mut Vec<Self>) {
        match eigenvalue {
            Eigenvalue::Real(x) => out.push(x.shifted(shift).into()),
            Eigenvalue::Pair { modulus, arg } => {
                let log10 = modulus.shifted(shift).log10();
                // A pair so close to the real axis that its argument rounds to π is a double real multiplier.
                let lower = if arg == PI { PI } else { -arg };
                out.push(Self { log10, arg });
                out.push(Self { log10, arg: lower });
            }
        }
    }
}

impl From<Scaled> for Multiplier {
    fn from(x: Scaled) -> Self {
        Self {
            log10: x.log10(),
            arg: if x.is_negative() { PI } else { 0.0 },
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn real_multipliers_come_back_to_the_last_digit() {
        for x in [1.0, -1.0, 0.394_023, -22.446_421, 1.0 + 1e-13, -1.0 + 1e-13] {
            let m = Multiplier::real(x);
            assert!((m.value().unwrap() - x).abs() <= 4e-16 * x.abs(), "{x}");
            assert_eq!(m.sign(), x.signum());
        }
        assert_eq!(Multiplier::real(0.0), Multiplier::ZERO);
        assert_eq!(Multiplier::ZERO.value(), Some(0.0));
    }

    #[test]
    fn squares_of_half_map_multipliers() {
        assert_eq!(Multiplier::real(-1.0).squared(), Multiplier::ONE);
        let nu = Multiplier { log10: 0.5, arg: 2.0 };
        let mu = nu.to_complex().unwrap() * nu.to_complex().unwrap();
        assert!((nu.squared().to_complex().unwrap() - mu).norm() < 1e-14);
        let conjugate = Multiplier { log10: 0.5, arg: -2.0 };
        assert_eq!(conjugate.squared().arg, -nu.squared().arg);
        assert_eq!(Multiplier::ZERO.squared(), Multiplier::ZERO);
    }

    #[test]
    fn what_does_not_fit_a_double_says_so() {
        let huge = Multiplier {
            log10: 1139.0,
            arg: 0.0,
        };
        assert_eq!(huge.to_complex(), None);
        assert!(huge.is_unstable(1e-9) && !Multiplier::ONE.is_unstable(0.0));
        let tiny = Multiplier {
            log10: -2578.0,
            arg: PI,
        };
        assert_eq!(tiny.to_complex(), Some(Complex::new(0.0, 0.0)));
    }
}
