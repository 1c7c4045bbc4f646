//! The operations of the language: how many arguments each takes, and what each computes in any kind of number.

use slipstick_numerics::scalar::Scalar;
use std::f64::consts::{FRAC_PI_2, LOG10_E, PI};

/// An operation on one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Unary {
    Negate,
    Not,
    Abs,
    Sign,
    Heaviside,
    Floor,
    Sqrt,
    Exp,
    Ln,
    Log10,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    /// (eˣ - 1)/x, sin x/x, sinh x/x and tanh x/x: one at x = 0. No text names them.
    ExpRatio,
    SinRatio,
    SinhRatio,
    TanhRatio,
}

/// An operation on two numbers. Comparisons and connectives yield a truth: 1 or 0, marked as chosen by what was
/// compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Min,
    Max,
    Mod,
    Atan2,
    Less,
    LessEqual,
    Equal,
    And,
    Or,
}

/// What a name followed by `(` calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Builtin {
    Unary(Unary),
    Binary(Binary),
    /// `min` and `max` of two or more.
    Fold(Binary),
    If,
    Piecewise,
}

/// The functions of the language by name.
pub(super) const FUNCTIONS: &[(&str, Builtin)] = &[
    ("sin", Builtin::Unary(Unary::Sin)),
    ("cos", Builtin::Unary(Unary::Cos)),
    ("tan", Builtin::Unary(Unary::Tan)),
    ("asin", Builtin::Unary(Unary::Asin)),
    ("acos", Builtin::Unary(Unary::Acos)),
    ("atan", Builtin::Unary(Unary::Atan)),
    ("atan2", Builtin::Binary(Binary::Atan2)),
    ("sinh", Builtin::Unary(Unary::Sinh)),
    ("cosh", Builtin::Unary(Unary::Cosh)),
    ("tanh", Builtin::Unary(Unary::Tanh)),
    ("exp", Builtin::Unary(Unary::Exp)),
    ("ln", Builtin::Unary(Unary::Ln)),
    ("log", Builtin::Unary(Unary::Ln)),
    ("log10", Builtin::Unary(Unary::Log10)),
    ("sqrt", Builtin::Unary(Unary::Sqrt)),
    ("abs", Builtin::Unary(Unary::Abs)),
    ("sign", Builtin::Unary(Unary::Sign)),
    ("heaviside", Builtin::Unary(Unary::Heaviside)),
    ("floor", Builtin::Unary(Unary::Floor)),
    ("mod", Builtin::Binary(Binary::Mod)),
    ("min", Builtin::Fold(Binary::Min)),
    ("max", Builtin::Fold(Binary::Max)),
    ("if", Builtin::If),
    ("piecewise", Builtin::Piecewise),
];

/// The constants of the language by name. A declared name may take the place of `e`, not of `pi`.
pub(super) const CONSTANTS: &[(&str, f64)] = &[("pi", PI), ("e", std::f64::consts::E)];

/// Words that cannot be names of states, parameters or definitions.
pub(super) const KEYWORDS: &[&str] = &["and", "or", "not"];

pub(super) fn builtin(name: &str) -> Option<Builtin> {
    FUNCTIONS.iter().find(|(n, _)| *n == name).map(|(_, b)| *b)
}

pub(super) fn constant(name: &str) -> Option<f64> {
    CONSTANTS.iter().find(|(n, _)| *n == name).map(|(_, v)| *v)
}

impl Builtin {
    /// In words, how many arguments it takes; `None` when `count` is right.
    pub(super) fn wrong_arity(self, count: usize) -> Option<&'static str> {
        let (right, words) = match self {
            Self::Unary(_) => (count == 1, "1 argument"),
            Self::Binary(_) => (count == 2, "2 arguments"),
            Self::Fold(_) => (count >= 2, "2 or more arguments"),
            Self::If => (
                count == 3,
                "3 arguments: a condition, the value if it holds, the value if not",
            ),
            Self::Piecewise => (
                count >= 3 && count % 2 == 1,
                "an odd number of arguments: condition, value, condition, value, ..., the value otherwise",
            ),
        };
        (!right).then_some(words)
    }
}

impl Unary {
    #[inline]
    pub(super) fn apply<T: Scalar>(self, a: T) -> T {
        match self {
            Self::Negate => -a,
            Self::Not => truth::<T>(!holds(a)).chosen_by(a),
            Self::Abs => a.abs(),
            Self::Sign => a.signum(),
            Self::Heaviside => (a.signum() + 1.0) * 0.5,
            Self::Floor => T::from_f64(a.value().floor()).chosen_by(a),
            Self::Sqrt => a.sqrt(),
            Self::Exp => a.exp(),
            Self::Ln => a.ln(),
            Self::Log10 => a.ln() * LOG10_E,
            Self::Sin => a.sin(),
            Self::Cos => a.cos(),
            Self::Tan => a.tan(),
            Self::Asin => a.asin(),
            Self::Acos => a.acos(),
            Self::Atan => a.atan(),
            Self::Sinh => a.sinh(),
            Self::Cosh => a.cosh(),
            Self::Tanh => a.tanh(),
            Self::ExpRatio => ratio(a, exponential, |a| a.exp() - 1.0),
            Self::SinRatio => ratio(a, |a| even(a, -1.0), T::sin),
            Self::SinhRatio => ratio(a, |a| even(a, 1.0), T::sinh),
            Self::TanhRatio => ratio(a, |a| even(a, 1.0) / a.cosh(), T::tanh),
        }
    }
}

impl Binary {
    #[inline]
    pub(super) fn apply<T: Scalar>(self, a: T, b: T) -> T {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
            Self::Power => power(a, b),
            Self::Min => pick(a.value() < b.value(), a, b),
            Self::Max => pick(a.value() > b.value(), a, b),
            Self::Mod => (a - b * (a.value() / b.value()).floor()).chosen_by(a).chosen_by(b),
            Self::Atan2 => atan2(a, b),
            Self::Less => truth::<T>(a.value() < b.value()).chosen_by(a - b),
            Self::LessEqual => truth::<T>(a.value() <= b.value()).chosen_by(a - b),
            Self::Equal => truth::<T>(a.value() == b.value()).chosen_by(a - b),
            Self::And => truth::<T>(holds(a) && holds(b)).chosen_by(a).chosen_by(b),
            Self::Or => truth::<T>(holds(a) || holds(b)).chosen_by(a).chosen_by(b),
        }
    }

    pub(super) fn commutes(self) -> bool {
        matches!(self, Self::Add | Self::Multiply | Self::Equal | Self::And | Self::Or)
    }
}

/// A function over its argument: by its series next to zero.
fn ratio<T: Scalar>(x: T, series: impl Fn(T) -> T, function: impl Fn(T) -> T) -> T {
    const NEAR: f64 = 0.5;
    if x.value().abs() < NEAR {
        series(x)
    } else {
        function(x) / x
    }
}

/// So many terms of these series are exact next to zero, in numbers of twice the digits as well.
const TERMS: usize = 24;

/// The series of (eˣ - 1)/x: Σ xᵏ/(k + 1)!.
fn exponential<T: Scalar>(x: T) -> T {
    (2..=TERMS).rev().fold(T::one(), |sum, k| x * sum / (k as f64) + 1.0)
}

/// The series of sinh x/x or, with the other sign, of sin x/x: Σ (±x²)ᵏ/(2k + 1)!.
fn even<T: Scalar>(x: T, sign: f64) -> T {
    let square = x * x * sign;
    let terms = (1..=TERMS / 2).rev();
    terms.fold(T::one(), |sum, k| square * sum / ((2 * k * (2 * k + 1)) as f64) + 1.0)
}

/// Does a truth hold?
#[inline]
pub(super) fn holds<T: Scalar>(truth: T) -> bool {
    truth.value() != 0.0
}

#[inline]
pub(super) fn truth<T: Scalar>(holds: bool) -> T {
    T::from_f64(if holds { 1.0 } else { 0.0 })
}

/// The first of two numbers if `first` (or if it is not a number, so that NaN is never hidden), else the second.
#[inline]
fn pick<T: Scalar>(first: bool, a: T, b: T) -> T {
    let chosen = if first || a.value().is_nan() { a } else { b };
    chosen.chosen_by(a - b)
}

/// `x^e`. A negative or zero base is raised to an integer exponent exactly (its derivative with respect to the
/// exponent, which does not exist in the reals, counts as zero).
fn power<T: Scalar>(x: T, e: T) -> T {
    let exponent = e.value();
    if x.value() <= 0.0 && exponent.fract() == 0.0 && exponent.abs() <= 1024.0 {
        return x.powi(exponent as i32).chosen_by(e);
    }
    x.pow(e)
}

/// The angle of the point (x, y) in (-π, π]; 0 at the origin, where no derivative exists.
fn atan2<T: Scalar>(y: T, x: T) -> T {
    let (v, u) = (y.value(), x.value());
    let angle = if v == 0.0 && u == 0.0 {
        T::zero()
    } else if u.abs() >= v.abs() {
        let turn = match (u < 0.0, v.is_sign_negative()) {
            (false, _) => 0.0,
            (true, false) => PI,
            (true, true) => -PI,
        };
        (y / x).atan() + turn
    } else {
        -(x / y).atan() + FRAC_PI_2.copysign(v)
    };
    angle.chosen_by(x).chosen_by(y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use slipstick_numerics::scalar::{Affine, Dual, Gradient};

    #[test]
    fn atan2_covers_all_quadrants_with_the_right_slope() {
        for k in 0..32 {
            let angle = -3.1 + 0.2 * f64::from(k);
            let (s, c) = (1.7 * angle.sin(), 1.7 * angle.cos());
            let a = atan2(Gradient::variable(s, 0), Gradient::variable(c, 1));
            assert!((a.re - s.atan2(c)).abs() < 1e-15, "{angle}");
            assert!((a.eps[0] - c / 2.89).abs() < 1e-15 && (a.eps[1] + s / 2.89).abs() < 1e-15);
        }
        assert_eq!(atan2(0.0, -1.0), PI);
    }

    #[test]
    fn integer_powers_of_negative_numbers_are_real() {
        let p = power(Dual::<f64, 1>::variable(-2.0, 0), Dual::constant(3.0));
        assert_eq!((p.re, p.eps[0]), (-8.0, 12.0));
        assert!(power(-2.0, 0.5).is_nan());
        assert_eq!(power(0.0, 0.0), 1.0);
    }

    #[test]
    fn mod_is_periodic_and_increasing() {
        assert_eq!(Binary::Mod.apply(-0.5, 2.0), 1.5);
        assert_eq!(
            Binary::Mod
                .apply(Dual::<f64, 1>::variable(7.25, 0), Dual::constant(2.0))
                .eps[0],
            1.0
        );
    }

    #[test]
    fn a_choice_made_on_a_state_is_not_affine_and_one_made_on_a_constant_is() {
        let x = Affine::<f64>::basis(0, 0);
        let one = Affine::<f64>::constant(1.0);
        assert!(!Binary::Max.apply(x, one).exact);
        assert!(!Binary::Less.apply(x, one).exact);
        assert!(Binary::Less.apply(one, one + 1.0).exact);
        assert!(Binary::Min.apply(one, one + 1.0).exact);
        assert!(!Unary::Sign.apply(x).exact);
        assert!(!Unary::Floor.apply(x).exact);
    }

    #[test]
    fn ratios_are_smooth_at_zero() {
        // By x and by x² in one number: q(x) = x/(eˣ - 1) = 1 - x/2 + x²/12 - x⁴/720 + …
        let at = |x: f64| {
            let x = Dual::<Dual<f64, 1>, 1> {
                re: Dual::variable(x, 0),
                eps: [Dual::constant(1.0)],
            };
            let q = Unary::ExpRatio.apply(x).powi(-1);
            (q.re.re, q.re.eps[0], q.eps[0].eps[0])
        };
        let (value, slope, bend) = at(0.0);
        assert!(
            value == 1.0 && slope == -0.5 && (bend - 1.0 / 6.0).abs() < 1e-15,
            "{bend}"
        );
        for x in [1e-9f64, -1e-3, 0.1, -0.499, 0.501, -3.0, 20.0] {
            let (e, d) = (x.exp(), x.exp_m1());
            let (value, slope, bend) = at(x);
            assert!((value - x / d).abs() < 4e-15 * value.abs());
            if x.abs() > 0.05 {
                let wanted = (d - x * e) / (d * d);
                assert!((slope - wanted).abs() < 1e-12 * wanted.abs(), "{x}: {slope} {wanted}");
                assert!(bend.is_finite());
            }
        }
        for (f, g) in [
            (Unary::SinRatio, f64::sin as fn(f64) -> f64),
            (Unary::SinhRatio, f64::sinh),
            (Unary::TanhRatio, f64::tanh),
        ] {
            assert_eq!(f.apply(0.0), 1.0);
            for x in [-0.3, 1e-5, 0.49, 0.51, 2.0] {
                assert!((f.apply(x) * x - g(x)).abs() < 4e-16 * (1.0 + g(x).abs()), "{f:?} {x}");
            }
        }
    }

    #[test]
    fn what_is_not_a_number_is_not_hidden() {
        assert!(Binary::Max.apply(f64::NAN, 1.0).is_nan());
        assert!(Binary::Max.apply(1.0, f64::NAN).is_nan());
        assert!(Binary::Min.apply(f64::NAN, 1.0).is_nan());
    }
}
