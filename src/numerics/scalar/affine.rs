//! Affine forms: find out whether a formula is linear in the states, and read off its coefficients.

use super::Scalar;
use std::array::from_fn;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// How many coefficients an [`Affine`] form carries besides the constant.
pub const AFFINE_TERMS: usize = 16;

/// The largest basis.
pub const LARGEST_BASIS: usize = 128;

/// `c + Σ kᵢ bᵢ` over up to [`LARGEST_BASIS`] basis functions, or "not of that form".
///
/// The basis holds the states and, for each angle state θ, the pair sin θ and cos θ; a formula run in this arithmetic
/// yields one row of the linear system that advances the basis, provided `exact` is still true at the end. An angle
/// itself is opaque: only `sin(θ + const)` and `cos(θ + const)` of it are representable.
///
/// A form carries the coefficients of [`AFFINE_TERMS`] basis functions, from the `first` that its basis functions were
/// made with; of the others it knows whether they may enter. A larger basis takes a run for each such group.
///
/// ```
/// use slipstick_numerics::scalar::{Affine, Scalar};
/// let (x, y) = (Affine::<f64>::basis(0, 0), Affine::basis(1, 0));
/// // A formula that is linear in its states says so, and with which coefficients.
/// let force = x * -4.0 + y * -0.2 + 1.0;
/// assert!(force.depends_on(0) && force.depends_on(1) && !force.is_constant());
/// assert!(Affine::<f64>::constant(2.0).is_constant());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Affine<T> {
    /// The constant part.
    pub constant: T,
    /// The coefficients of the basis functions from the first one on.
    pub terms: [T; AFFINE_TERMS],
    /// For an angle state (plus a constant): where its sine stands in the basis; its cosine follows.
    pub angle: Option<AnglePlace>,
    /// Bit `i` is set when basis function `i` may enter, even if its coefficient happens to vanish.
    present: u128,
    /// False when the formula left the affine forms on the way; the numbers are then meaningless.
    pub exact: bool,
}

/// Where an angle's sine stands in the basis, and the first basis function whose coefficient is carried.
///
/// ```
/// use slipstick_numerics::scalar::Affine;
/// assert_eq!(Affine::<f64>::angle(2, 0).angle.map(|place| place.sine), Some(2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnglePlace {
    /// The index of the sine; the cosine follows.
    pub sine: usize,
    first: usize,
}

impl<T: Scalar> Affine<T> {
    /// A constant.
    pub fn constant(c: T) -> Self {
        Self {
            constant: c,
            terms: [T::zero(); AFFINE_TERMS],
            angle: None,
            present: 0,
            exact: true,
        }
    }
    /// The basis function `i`, where coefficients are carried from `first` on.
    ///
    /// # Panics
    /// From [`LARGEST_BASIS`] on.
    pub fn basis(i: usize, first: usize) -> Self {
        assert!(i < LARGEST_BASIS, "the basis is too large");
        let mut a = Self::constant(T::zero());
        if let Some(term) = i.checked_sub(first).and_then(|i| a.terms.get_mut(i)) {
            *term = T::one();
        }
        a.present = 1 << i;
        a
    }
    /// The angle whose sine is basis function `i` and whose cosine is `i + 1`, where coefficients are carried from
    /// `first` on.
    pub fn angle(i: usize, first: usize) -> Self {
        let mut a = Self::constant(T::zero());
        a.angle = Some(AnglePlace { sine: i, first });
        a
    }
    fn broken() -> Self {
        let mut a = Self::constant(T::zero());
        a.exact = false;
        a
    }
    /// Is this a constant?
    pub fn is_constant(&self) -> bool {
        self.exact && self.angle.is_none() && self.present == 0
    }
    /// May basis function `i` enter, though its coefficient may happen to vanish?
    pub fn depends_on(&self, i: usize) -> bool {
        i < LARGEST_BASIS && self.present & (1 << i) != 0
    }
    fn linear_op(self, o: Self, f: impl Fn(T, T) -> T) -> Self {
        if !(self.exact && o.exact) || self.angle.is_some() || o.angle.is_some() {
            return Self::broken();
        }
        Self {
            constant: f(self.constant, o.constant),
            terms: from_fn(|i| f(self.terms[i], o.terms[i])),
            angle: None,
            present: self.present | o.present,
            exact: true,
        }
    }
    fn scaled(self, k: T) -> Self {
        if !self.exact || self.angle.is_some() {
            return Self::broken();
        }
        Self {
            constant: self.constant * k,
            terms: self.terms.map(|t| t * k),
            angle: None,
            present: self.present,
            exact: true,
        }
    }
    fn of_constant(self, f: impl Fn(T) -> T) -> Self {
        if self.is_constant() {
            Self::constant(f(self.constant))
        } else {
            Self::broken()
        }
    }
}

impl<T: Scalar> Neg for Affine<T> {
    type Output = Self;
    fn neg(self) -> Self {
        self.scaled(T::from_f64(-1.0))
    }
}
impl<T: Scalar> Add for Affine<T> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        match (self.angle, o.angle) {
            (Some(_), None) if self.exact && o.is_constant() => Self {
                constant: self.constant + o.constant,
                ..self
            },
            (None, Some(_)) if o.exact && self.is_constant() => o + self,
            _ => self.linear_op(o, |a, b| a + b),
        }
    }
}
impl<T: Scalar> Sub for Affine<T> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        if self.angle.is_some() && o.is_constant() {
            return self + (-o);
        }
        self.linear_op(o, |a, b| a - b)
    }
}
impl<T: Scalar> Mul for Affine<T> {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        if o.is_constant() {
            self.scaled(o.constant)
        } else if self.is_constant() {
            o.scaled(self.constant)
        } else {
            Self::broken()
        }
    }
}
impl<T: Scalar> Div for Affine<T> {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        if o.is_constant() {
            self.scaled(T::one() / o.constant)
        } else {
            Self::broken()
        }
    }
}
impl<T: Scalar> Add<f64> for Affine<T> {
    type Output = Self;
    fn add(self, o: f64) -> Self {
        Self {
            constant: self.constant + o,
            ..self
        }
    }
}
impl<T: Scalar> Sub<f64> for Affine<T> {
    type Output = Self;
    fn sub(self, o: f64) -> Self {
        self + (-o)
    }
}
impl<T: Scalar> Mul<f64> for Affine<T> {
    type Output = Self;
    fn mul(self, o: f64) -> Self {
        // An angle in its own unit stays one.
        if o == 1.0 { self } else { self.scaled(T::from_f64(o)) }
    }
}
impl<T: Scalar> Div<f64> for Affine<T> {
    type Output = Self;
    fn div(self, o: f64) -> Self {
        self.scaled(T::from_f64(1.0 / o))
    }
}
impl<T: Scalar> AddAssign for Affine<T> {
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
impl<T: Scalar> SubAssign for Affine<T> {
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}
impl<T: Scalar> MulAssign for Affine<T> {
    fn mul_assign(&mut self, o: Self) {
        *self = *self * o;
    }
}

impl<T: Scalar> Scalar for Affine<T> {
    fn from_f64(v: f64) -> Self {
        Self::constant(T::from_f64(v))
    }
    /// The value of a constant; NaN otherwise, so that no branch on a state passes for constant.
    fn value(&self) -> f64 {
        if self.is_constant() {
            self.constant.value()
        } else {
            f64::NAN
        }
    }
    fn sin_cos(self) -> (Self, Self) {
        let Some(AnglePlace { sine, first }) = self.angle.filter(|_| self.exact) else {
            if self.is_constant() {
                let (s, c) = self.constant.sin_cos();
                return (Self::constant(s), Self::constant(c));
            }
            return (Self::broken(), Self::broken());
        };
        let (s, c) = self.constant.sin_cos();
        let (sin, cos) = (Self::basis(sine, first), Self::basis(sine + 1, first));
        (sin.scaled(c) + cos.scaled(s), cos.scaled(c) - sin.scaled(s))
    }
    fn exp(self) -> Self {
        self.of_constant(T::exp)
    }
    fn ln(self) -> Self {
        self.of_constant(T::ln)
    }
    fn sqrt(self) -> Self {
        self.of_constant(T::sqrt)
    }
    fn atan(self) -> Self {
        self.of_constant(T::atan)
    }
    fn powi(self, n: i32) -> Self {
        if n == 1 {
            return self;
        }
        self.of_constant(|c| c.powi(n))
    }
    fn pow(self, e: Self) -> Self {
        if e.is_constant() {
            self.of_constant(|c| c.pow(e.constant))
        } else {
            Self::broken()
        }
    }
    fn asin(self) -> Self {
        self.of_constant(T::asin)
    }
    fn acos(self) -> Self {
        self.of_constant(T::acos)
    }
    fn chosen_by(self, condition: Self) -> Self {
        if condition.is_constant() { self } else { Self::broken() }
    }
    fn abs(self) -> Self {
        self.of_constant(T::abs)
    }
    fn signum(self) -> Self {
        self.of_constant(T::signum)
    }
    fn sinc(self) -> Self {
        self.of_constant(T::sinc)
    }
    fn tanh(self) -> Self {
        self.of_constant(T::tanh)
    }
    fn sinh(self) -> Self {
        self.of_constant(T::sinh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_off_a_forced_oscillator_and_refuses_a_duffing_one() {
        let x = Affine::<f64>::basis(0, 0);
        let theta = Affine::<f64>::angle(2, 0);
        let f = -(x * 4.0) - (theta + 0.5).sin() * 3.0 + 7.0;
        assert!(f.exact);
        assert_eq!(f.terms[0], -4.0);
        assert!((f.terms[2] + 3.0 * 0.5f64.cos()).abs() < 1e-15);
        assert!((f.terms[3] + 3.0 * 0.5f64.sin()).abs() < 1e-15);
        assert_eq!(f.constant, 7.0);
        assert!(!(x * x).exact);
        assert!(!x.powi(3).exact);
        assert!((theta * 1.0).angle.is_some() && !(theta * 2.0).exact);
        assert!(!(x + theta).exact);
    }

    #[test]
    fn a_large_basis_is_read_in_groups() {
        let at = |first: usize| {
            let (x, y, angle) = (
                Affine::<f64>::basis(3, first),
                Affine::basis(40, first),
                Affine::angle(70, first),
            );
            (x * 2.0 - y * 5.0 + angle.sin() * 7.0, x * y)
        };
        for (first, wanted) in [(0, (3, 2.0)), (32, (8, -5.0)), (64, (6, 7.0))] {
            let (sum, product) = at(first);
            assert!(sum.exact && [3, 40, 70].iter().all(|&i| sum.depends_on(i)));
            assert_eq!(sum.terms[wanted.0], wanted.1);
            // A product is none of the forms, whichever coefficients are carried.
            assert!(!product.exact);
        }
    }
}
