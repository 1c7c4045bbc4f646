//! Scalars that change sign where an orbit bifurcates.
//!
//! Pass the nontrivial multipliers (see [`FlowQuotient`](super::FlowQuotient)); those of huge or tiny modulus enter
//! with a factor near ±1 only. Near a zero the functions keep the digits of `log10`, so a root finder reaches the
//! multipliers' own accuracy.

use super::Multiplier;
use slipstick_numerics::linalg::scaled::Scaled;
use std::f64::consts::{LN_10, PI};

/// `Π (μ - 1) / max(1, |μ|)`: changes sign when a real multiplier passes +1 (fold, branch point).
pub fn psi_plus(multipliers: &[Multiplier]) -> f64 {
    product(multipliers.iter().map(|&m| distance(m, 0.0)))
}

/// `Π (μ + 1) / max(1, |μ|)`: changes sign when a real multiplier passes -1 (period doubling).
pub fn psi_minus(multipliers: &[Multiplier]) -> f64 {
    psi_minus_beside(multipliers, Neutral::default())
}

/// [`psi_minus`] without the factors of the neutral multipliers that are nearest to -1.
pub fn psi_minus_beside(multipliers: &[Multiplier], neutral: Neutral) -> f64 {
    let mut factors: Vec<f64> = multipliers.iter().map(|&m| -distance(m, PI)).collect();
    leave_out(&mut factors, neutral.at_minus_one, |f| f.abs());
    product(factors.into_iter())
}

/// What is neutral all along a curve, to rounding, and bifurcates nowhere.
///
/// ```
/// use slipstick_floquet::{Multiplier, Neutral};
/// let multipliers = [Multiplier::real(-1.0), Multiplier::real(2.0), Multiplier::real(0.5)];
/// let neutral = Neutral::among(&multipliers, 1e-8);
/// assert_eq!((neutral.pairs, neutral.at_minus_one), (1, 1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Neutral {
    /// Pairs of multipliers with a product of one, or of eigenvalues with a sum of zero: of what is conservative or
    /// reversible.
    pub pairs: usize,
    /// Multipliers -1: a symmetric orbit among others that a constant of the motion tells apart has one, as where a
    /// contact sticks at all times, in any place.
    pub at_minus_one: usize,
}

impl Neutral {
    /// What among these multipliers is neutral within `tolerance`.
    pub fn among(multipliers: &[Multiplier], tolerance: f64) -> Self {
        Self {
            pairs: unit_pairs(multipliers)
                .filter(|(factor, _)| factor.abs() <= tolerance)
                .count(),
            at_minus_one: multipliers
                .iter()
                .filter(|&&m| m.is_real() && distance(m, PI).abs() <= tolerance)
                .count(),
        }
    }
    /// The multipliers without those that stay at -1, and what else is neutral. Beside another one that comes to -1
    /// rounding makes a pair of both, or moves both by its square root: their sum is right, so that the other one is
    /// what it is without.
    pub fn beside_minus_one(self, multipliers: &[Multiplier]) -> (Vec<Multiplier>, Self) {
        /// As near as rounding may move them.
        const NEAR: f64 = 1e-3;
        let staying = self.at_minus_one;
        let mut others = multipliers.to_vec();
        let other = Self {
            pairs: self.pairs.saturating_sub(staying * staying.saturating_sub(1) / 2),
            at_minus_one: 0,
        };
        if staying == 0 {
            return (others, other);
        }
        others.sort_by(|a, b| distance(*a, PI).abs().total_cmp(&distance(*b, PI).abs()));
        let cluster = others.iter().take_while(|m| distance(**m, PI).abs() <= NEAR).count();
        if cluster == staying + 1 {
            // How far each is from -1, along the axis: Σ (μ + 1) is what the one that moves has.
            let off: f64 = others.drain(..cluster).map(along_minus).sum();
            others.push(Multiplier {
                log10: (-off).ln_1p() / LN_10,
                arg: PI,
            });
        } else {
            others.drain(..staying.min(others.len()));
        }
        (others, other)
    }
    /// Neither is neutral.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }
    /// What is neutral in both cases.
    pub fn and(self, other: Self) -> Self {
        Self {
            pairs: self.pairs.min(other.pairs),
            at_minus_one: self.at_minus_one.min(other.at_minus_one),
        }
    }
    /// What is neutral in either case.
    pub fn or(self, other: Self) -> Self {
        Self {
            pairs: self.pairs.max(other.pairs),
            at_minus_one: self.at_minus_one.max(other.at_minus_one),
        }
    }
}

/// `Π (μᵢμⱼ - 1) / max(1, |μᵢμⱼ|)` over the conjugate pairs and the pairs of real multipliers: changes sign when a
/// complex pair passes
/// |μ| = 1 (Neimark–Sacker).
///
/// It also changes sign at a neutral saddle, where two *real* multipliers have product 1 and nothing bifurcates. That
/// cannot be avoided: a complex pair that leaves the circle may turn real and come back inside through +1 and -1, so a
/// continuous function must change sign again somewhere. [`nearest_unit_pair`] tells the two apart. Where a pair meets
/// the real axis the value may jump in size, never in sign.
pub fn psi_ns(multipliers: &[Multiplier]) -> f64 {
    psi_ns_beside(multipliers, 0)
}

/// [`psi_ns`] without the factors of the `neutral` pairs whose product is nearest to one.
pub fn psi_ns_beside(multipliers: &[Multiplier], neutral: usize) -> f64 {
    let mut factors: Vec<f64> = unit_pairs(multipliers).map(|(factor, _)| factor).collect();
    leave_out(&mut factors, neutral, |f| f.abs());
    product(factors.into_iter())
}

/// Take out the `count` items of the least size; the others stay in their order.
pub fn leave_out<T>(items: &mut Vec<T>, count: usize, size: impl Fn(&T) -> f64) {
    for _ in 0..count {
        let least = (0..items.len()).min_by(|&a, &b| size(&items[a]).total_cmp(&size(&items[b])));
        if let Some(least) = least {
            items.remove(least);
        }
    }
}

/// What passes, or is nearest to passing, a product of one.
///
/// ```
/// use slipstick_floquet::{Multiplier, UnitPair, nearest_unit_pair};
/// let on_the_circle = |arg| Multiplier { log10: 0.0, arg };
/// let pair = nearest_unit_pair(&[on_the_circle(0.7), on_the_circle(-0.7)]);
/// assert!(matches!(pair, Some(UnitPair::Conjugate { arg }) if (arg.abs() - 0.7).abs() < 1e-12));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum UnitPair {
    /// A complex conjugate pair with argument ±`arg`: Neimark–Sacker where [`psi_ns`] vanishes.
    Conjugate {
        /// The argument in (0, π).
        arg: f64,
    },
    /// Two real multipliers: a neutral saddle, no bifurcation.
    NeutralSaddle,
}

/// The pair that contributes the smallest factor to [`psi_ns`]; `None` if there is no pair.
pub fn nearest_unit_pair(multipliers: &[Multiplier]) -> Option<UnitPair> {
    nearest_unit_pair_beside(multipliers, 0)
}

/// The pair that contributes the smallest factor to [`psi_ns_beside`].
pub fn nearest_unit_pair_beside(multipliers: &[Multiplier], neutral: usize) -> Option<UnitPair> {
    let mut pairs: Vec<(f64, UnitPair)> = unit_pairs(multipliers).collect();
    leave_out(&mut pairs, neutral, |(factor, _)| factor.abs());
    let nearest = pairs.into_iter().min_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    nearest.map(|(_, pair)| pair)
}

/// The factors of [`psi_ns`] with the pairs that they belong to.
fn unit_pairs(multipliers: &[Multiplier]) -> impl Iterator<Item = (f64, UnitPair)> {
    let conjugates = multipliers
        .iter()
        .filter(|m| !m.is_real() && m.arg > 0.0)
        .map(|m| (signed(2.0 * m.log10, 1.0), UnitPair::Conjugate { arg: m.arg }));
    let real = real_pairs(multipliers).map(|(log10, sign)| (signed(log10, sign), UnitPair::NeutralSaddle));
    conjugates.chain(real)
}

/// log₁₀ and sign of the products of two real multipliers.
fn real_pairs(multipliers: &[Multiplier]) -> impl Iterator<Item = (f64, f64)> {
    let real = || multipliers.iter().filter(|m| m.is_real());
    real().enumerate().flat_map(move |(i, a)| {
        real()
            .skip(i + 1)
            .map(|b| (a.log10 + b.log10, if a.arg == b.arg { 1.0 } else { -1.0 }))
    })
}

/// `(x - 1) / max(1, |x|)` for `x = sign · 10^log10`.
fn signed(log10: f64, sign: f64) -> f64 {
    let x = (log10 * LN_10).exp_m1();
    match (sign > 0.0, log10 <= 0.0) {
        (true, true) => x,
        (true, false) => -(-log10 * LN_10).exp_m1(),
        (false, true) => -2.0 - x,
        (false, false) => -2.0 - (-log10 * LN_10).exp_m1(),
    }
}

/// The real part of `μ + 1`, with all digits where μ is near -1.
fn along_minus(m: Multiplier) -> f64 {
    let outward = (m.log10 * LN_10).exp_m1();
    let sine = ((m.arg.abs() - PI) / 2.0).sin();
    2.0 * (1.0 + outward) * sine * sine - outward
}

/// The factor of μ in a product over `|μ - e^{iφ}| / max(1, |μ|)`, φ = 0 or π; signed for real μ, and for each of a
/// conjugate pair the modulus.
fn distance(m: Multiplier, phi: f64) -> f64 {
    if m.is_real() {
        return signed(m.log10, if m.arg == phi { 1.0 } else { -1.0 });
    }
    // |μ - e^{iφ}|² = (r-1)² + 4 r sin²((arg-φ)/2), and for r > 1 the same of 1/μ
    let log10 = -m.log10.abs();
    let inward = (log10 * LN_10).exp_m1();
    let sine = ((m.arg.abs() - phi) / 2.0).sin();
    -(inward * inward + 4.0 * (1.0 + inward) * sine * sine).sqrt()
}

/// `|μ - 1| / max(1, |μ|)`, with all digits where μ is near one.
pub fn distance_from_one(multiplier: Multiplier) -> f64 {
    distance(multiplier, 0.0).abs()
}

/// What changes its sign where [`psi_plus`] does, as large as its least factor alone: a factor for what has a pole
/// there.
pub fn nearest_to_one(multipliers: &[Multiplier]) -> f64 {
    least_factor(multipliers.iter().map(|&m| distance(m, 0.0)))
}

/// The same for [`psi_minus_beside`].
pub fn nearest_to_minus_one(multipliers: &[Multiplier], neutral: Neutral) -> f64 {
    let mut factors: Vec<f64> = multipliers.iter().map(|&m| -distance(m, PI)).collect();
    leave_out(&mut factors, neutral.at_minus_one, |f| f.abs());
    least_factor(factors.into_iter())
}

/// The least of these in size, and at most one, with the sign of their product.
pub fn least_factor(factors: impl Iterator<Item = f64>) -> f64 {
    factors.fold(1.0, |least: f64, f| {
        least.abs().min(f.abs()) * least.signum() * f.signum()
    })
}

/// The product, kept from overflowing or vanishing by the sheer number of its factors.
fn product(factors: impl Iterator<Item = f64>) -> f64 {
    let product = factors.fold(Scaled::ONE, |p, f| p * f);
    if product.is_zero() {
        return 0.0;
    }
    let value = product.to_f64();
    let size = value.abs().clamp(f64::MIN_POSITIVE, f64::MAX);
    if product.is_negative() { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn real(values: &[f64]) -> Vec<Multiplier> {
        values.iter().map(|&x| Multiplier::real(x)).collect()
    }
    fn pair(modulus: f64, arg: f64) -> Vec<Multiplier> {
        let log10 = modulus.log10();
        vec![Multiplier { log10, arg }, Multiplier { log10, arg: -arg }]
    }
    fn with_extremes(mut m: Vec<Multiplier>) -> Vec<Multiplier> {
        m.insert(
            0,
            Multiplier {
                log10: 15_000.0,
                arg: PI,
            },
        );
        m.push(Multiplier {
            log10: -36_000.0,
            arg: PI,
        });
        m.push(Multiplier::ZERO);
        m
    }

    #[test]
    fn products_equal_their_definition_for_ordinary_multipliers() {
        let all = [pair(1.3, 2.0), pair(0.7, 0.4), real(&[-1.7, 0.2])].concat();
        let (mut plus, mut minus) = (nalgebra::Complex::new(1.0, 0.0), nalgebra::Complex::new(1.0, 0.0));
        for m in &all {
            let z = nalgebra::Complex::from_polar(m.modulus(), m.arg);
            plus *= (z - 1.0) / m.modulus().max(1.0);
            minus *= (z + 1.0) / m.modulus().max(1.0);
        }
        assert!((psi_plus(&all) - plus.re).abs() < 1e-14 && plus.im.abs() < 1e-14);
        assert!((psi_minus(&all) - minus.re).abs() < 1e-14 && minus.im.abs() < 1e-14);
        let ns = (1.0 - 1.3f64.powi(-2)) * (0.49 - 1.0) * (-0.34 - 1.0);
        assert!((psi_ns(&all) - ns).abs() < 1e-14);
    }

    #[test]
    fn each_changes_sign_exactly_at_its_bifurcation_beside_extreme_multipliers() {
        for h in [1e-3, 1e-9, 1e-14] {
            let plus = |x: f64| psi_plus(&with_extremes(real(&[x])));
            assert!(plus(1.0 - h) * plus(1.0 + h) < 0.0);
            assert!((plus(1.0 + h) / plus(1.0 - h) + 1.0).abs() < 2.0 * h + 4e-16 / h);
            let minus = |x: f64| psi_minus(&with_extremes(real(&[x])));
            assert!(minus(-1.0 - h) * minus(-1.0 + h) < 0.0);
            let ns = |r: f64| psi_ns(&with_extremes(pair(r, 1.9)));
            assert!(ns(1.0 - h) * ns(1.0 + h) < 0.0);
            // and not at the others'
            assert!(plus(-1.0 - h) * plus(-1.0 + h) > 0.0);
            assert!(minus(1.0 - h) * minus(1.0 + h) > 0.0);
            let stays = |r: f64| (psi_plus(&pair(r, 1.9)), psi_minus(&pair(r, 1.9)));
            assert!(stays(1.0 - h).0 > 0.0 && stays(1.0 + h).0 > 0.0 && stays(1.0 + h).1 > 0.0);
        }
    }

    #[test]
    fn signs_do_not_jump_where_a_pair_meets_the_real_axis() {
        for r in [0.6, 1.8] {
            for rest in [real(&[]), real(&[0.3]), real(&[-2.5])] {
                for (arg, sign) in [(1e-8, 1.0), (PI - 1e-8, -1.0)] {
                    let complex = [pair(r, arg), rest.clone()].concat();
                    let split = [real(&[sign * r * (1.0 + 1e-8), sign * r / (1.0 + 1e-8)]), rest.clone()].concat();
                    for psi in [psi_plus, psi_minus, psi_ns] {
                        assert!(psi(&complex) * psi(&split) > 0.0, "{r} {arg} {rest:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_neutral_saddle_is_told_from_neimark_sacker() {
        let saddle = real(&[4.0, 0.25 + 1e-9, -0.1]);
        assert_eq!(nearest_unit_pair(&saddle), Some(UnitPair::NeutralSaddle));
        let ns = [pair(1.0 + 1e-9, 1.1), real(&[3.0, 0.3])].concat();
        assert_eq!(nearest_unit_pair(&ns), Some(UnitPair::Conjugate { arg: 1.1 }));
        assert_eq!(nearest_unit_pair(&real(&[2.0])), None);
    }

    #[test]
    fn many_multipliers_neither_underflow_nor_overflow() {
        let many = real(&[0.999_999; 60]);
        assert!(psi_plus(&many) > 0.0 && psi_ns(&many) != 0.0);
        assert!(psi_minus(&many).is_finite());
    }
}
