//! Dual numbers `a + Σ bᵢ εᵢ`, `εᵢ εⱼ = 0`: exact forward derivatives in `N` directions at once.

use super::{Scalar, TwoFold};
use std::array::from_fn;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// A value `re` with its derivatives `eps` in `N` directions. The parts are themselves scalars, so duals nest.
///
/// ```
/// use slipstick_numerics::scalar::{Dual, Scalar, Second};
/// // d(x y)/dx and d(x y)/dy at (3, 5).
/// let (x, y) = (Dual::<f64, 2>::variable(3.0, 0), Dual::variable(5.0, 1));
/// assert_eq!((x * y).eps, [5.0, 3.0]);
/// // Duals nest: the second derivative of x³ at 2.
/// assert_eq!(Second::mixed(2.0, 1.0, 1.0).powi(3).eps[0].eps[0], 12.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<T, const N: usize> {
    /// The value.
    pub re: T,
    /// The derivatives.
    pub eps: [T; N],
}

/// First derivatives in eight directions: the workhorse for Jacobians, taken eight columns at a time.
pub type Gradient = Dual<f64, 8>;
/// First derivatives in four directions, for small systems.
pub type NarrowGradient = Dual<f64, 4>;
/// A directional derivative with its gradient in eight directions: one row block of a Hessian-vector product.
pub type Hessian = Dual<Dual<f64, 1>, 8>;
/// A mixed second derivative along two directions.
pub type Second = Dual<Dual<f64, 1>, 1>;
/// A mixed third derivative along three directions.
pub type Third = Dual<Second, 1>;

/// A value and a derivative along one direction, with twice the digits.
pub type Precise = Dual<TwoFold, 1>;

impl<T: Scalar, const N: usize> Dual<T, N> {
    /// A constant.
    pub fn constant(re: T) -> Self {
        Self {
            re,
            eps: [T::zero(); N],
        }
    }
    /// The variable of direction `i`; a constant when `i` is not one of the `N` directions.
    pub fn variable(re: T, i: usize) -> Self {
        let mut d = Self::constant(re);
        if i < N {
            d.eps[i] = T::one();
        }
        d
    }
    /// `f` of this number, where `f` has the slope `df`. A derivative that is zero in every order stays zero where the
    /// slope is infinite: `sqrt(max(x, 0))` does not move where x is negative.
    #[inline]
    fn chain(self, f: T, df: T) -> Self {
        let eps = if df.is_finite() {
            self.eps.map(|e| e * df)
        } else {
            self.eps.map(|e| if is_zero(&e) { e } else { e * df })
        };
        Self { re: f, eps }
    }
}

/// Is a derivative zero, and all derivatives of it?
#[inline]
fn is_zero<T: Scalar>(e: &T) -> bool {
    e.value() == 0.0 && e.is_constant()
}

impl Second {
    /// `x` moving along `u ε₁ + v ε₂`; `f(x).eps[0].eps[0]` is then `f''(x) u v`.
    pub fn mixed(x: f64, u: f64, v: f64) -> Self {
        Dual {
            re: Dual { re: x, eps: [u] },
            eps: [Dual { re: v, eps: [0.0] }],
        }
    }
}

impl Third {
    /// `x` moving along `u ε₁ + v ε₂ + w ε₃`; `f(x).eps[0].eps[0].eps[0]` is then `f'''(x) u v w`.
    pub fn mixed(x: f64, u: f64, v: f64, w: f64) -> Self {
        Dual {
            re: Second::mixed(x, u, v),
            eps: [Second::constant(Dual::constant(w))],
        }
    }
}

impl<T: Scalar, const N: usize> Neg for Dual<T, N> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self {
            re: -self.re,
            eps: self.eps.map(|e| -e),
        }
    }
}
impl<T: Scalar, const N: usize> Add for Dual<T, N> {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        Self {
            re: self.re + o.re,
            eps: from_fn(|i| self.eps[i] + o.eps[i]),
        }
    }
}
impl<T: Scalar, const N: usize> Sub for Dual<T, N> {
    type Output = Self;
    #[inline]
    fn sub(self, o: Self) -> Self {
        Self {
            re: self.re - o.re,
            eps: from_fn(|i| self.eps[i] - o.eps[i]),
        }
    }
}
impl<T: Scalar, const N: usize> Mul for Dual<T, N> {
    type Output = Self;
    #[inline]
    fn mul(self, o: Self) -> Self {
        Self {
            re: self.re * o.re,
            eps: from_fn(|i| self.eps[i] * o.re + self.re * o.eps[i]),
        }
    }
}
impl<T: Scalar, const N: usize> Div for Dual<T, N> {
    type Output = Self;
    #[inline]
    fn div(self, o: Self) -> Self {
        let inv = T::one() / o.re;
        if !inv.is_finite() {
            // What does not move stays at rest, as in `chain`.
            let re = self.re / o.re;
            let moves = |i: usize| !(is_zero(&self.eps[i]) && is_zero(&o.eps[i]));
            let slope = |i: usize| (self.eps[i] - re * o.eps[i]) * inv;
            let eps = from_fn(|i| if moves(i) { slope(i) } else { T::zero() });
            return Self { re, eps };
        }
        let re = self.re * inv;
        Self {
            re,
            eps: from_fn(|i| (self.eps[i] - re * o.eps[i]) * inv),
        }
    }
}
impl<T: Scalar, const N: usize> Add<f64> for Dual<T, N> {
    type Output = Self;
    #[inline]
    fn add(self, o: f64) -> Self {
        Self {
            re: self.re + o,
            eps: self.eps,
        }
    }
}
impl<T: Scalar, const N: usize> Sub<f64> for Dual<T, N> {
    type Output = Self;
    #[inline]
    fn sub(self, o: f64) -> Self {
        Self {
            re: self.re - o,
            eps: self.eps,
        }
    }
}
impl<T: Scalar, const N: usize> Mul<f64> for Dual<T, N> {
    type Output = Self;
    #[inline]
    fn mul(self, o: f64) -> Self {
        Self {
            re: self.re * o,
            eps: self.eps.map(|e| e * o),
        }
    }
}
impl<T: Scalar, const N: usize> Div<f64> for Dual<T, N> {
    type Output = Self;
    #[inline]
    fn div(self, o: f64) -> Self {
        Self {
            re: self.re / o,
            eps: self.eps.map(|e| e / o),
        }
    }
}
impl<T: Scalar, const N: usize> AddAssign for Dual<T, N> {
    #[inline]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
impl<T: Scalar, const N: usize> SubAssign for Dual<T, N> {
    #[inline]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}
impl<T: Scalar, const N: usize> MulAssign for Dual<T, N> {
    #[inline]
    fn mul_assign(&mut self, o: Self) {
        *self = *self * o;
    }
}

impl<T: Scalar, const N: usize> Scalar for Dual<T, N> {
    #[inline]
    fn from_f64(v: f64) -> Self {
        Self::constant(T::from_f64(v))
    }
    #[inline]
    fn value(&self) -> f64 {
        self.re.value()
    }
    #[inline]
    fn is_constant(&self) -> bool {
        self.re.is_constant() && self.eps.iter().all(is_zero)
    }
    #[inline]
    fn is_finite(&self) -> bool {
        self.re.is_finite() && self.eps.iter().all(T::is_finite)
    }
    #[inline]
    fn sin_cos(self) -> (Self, Self) {
        let (s, c) = self.re.sin_cos();
        (self.chain(s, c), self.chain(c, -s))
    }
    #[inline]
    fn exp(self) -> Self {
        let e = self.re.exp();
        self.chain(e, e)
    }
    #[inline]
    fn ln(self) -> Self {
        self.chain(self.re.ln(), T::one() / self.re)
    }
    #[inline]
    fn sqrt(self) -> Self {
        let r = self.re.sqrt();
        self.chain(r, T::from_f64(0.5) / r)
    }
    #[inline]
    fn atan(self) -> Self {
        self.chain(self.re.atan(), T::one() / (self.re * self.re + 1.0))
    }
    #[inline]
    fn powi(self, n: i32) -> Self {
        if n == 0 {
            return Self::one();
        }
        let below = self.re.powi(n - 1);
        let power = if n > 0 { below * self.re } else { self.re.powi(n) };
        self.chain(power, below * f64::from(n))
    }
    #[inline]
    fn asin(self) -> Self {
        let root = ((T::one() - self.re) * (self.re + 1.0)).sqrt();
        self.chain(self.re.asin(), T::one() / root)
    }
    #[inline]
    fn acos(self) -> Self {
        let root = ((T::one() - self.re) * (self.re + 1.0)).sqrt();
        self.chain(self.re.acos(), T::from_f64(-1.0) / root)
    }
    fn pow(self, e: Self) -> Self {
        let power = self.re.pow(e.re);
        let mut moved = if self.eps.iter().all(is_zero) {
            Self::constant(power)
        } else {
            self.chain(power, e.re * self.re.pow(e.re - 1.0))
        };
        if !e.eps.iter().all(is_zero) {
            // xᵉ ln x vanishes with xᵉ.
            let slope = if is_zero(&power) { power } else { power * self.re.ln() };
            let by_exponent = e.chain(T::zero(), slope);
            moved
                .eps
                .iter_mut()
                .zip(by_exponent.eps)
                .for_each(|(own, other)| *own += other);
        }
        moved
    }
}
