//! The test function for Hopf points.

use nalgebra::Complex;
use slipstick_floquet::leave_out;

/// What a pair of eigenvalues adds to the test function for Hopf points: `(λᵢ + λⱼ) / (|λᵢ| + |λⱼ|)`, and the frequency
/// of a complex one.
struct Pair {
    factor: f64,
    /// The sum of the two, as a part of the numbers that they are made of.
    sum: f64,
    frequency: Option<f64>,
    /// The size of these numbers.
    scale: f64,
}

/// Eigenvalues that are all made of numbers as large as the largest of them.
fn of_one_scale(eigenvalues: &[Complex<f64>]) -> Vec<(Complex<f64>, f64)> {
    let size = eigenvalues.iter().fold(0.0f64, |m, v| m.max(v.norm()));
    eigenvalues.iter().map(|v| (*v, size)).collect()
}

/// The complex pairs, then the pairs of real eigenvalues.
fn pairs(eigenvalues: &[(Complex<f64>, f64)]) -> Vec<Pair> {
    let part = |sum: f64, scale: f64| if scale > 0.0 { sum / scale } else { 0.0 };
    let real: Vec<(f64, f64)> = eigenvalues
        .iter()
        .filter(|(v, _)| v.im == 0.0)
        .map(|(v, scale)| (v.re, *scale))
        .collect();
    let complex = eigenvalues.iter().filter(|(v, _)| v.im > 0.0).map(|(v, scale)| Pair {
        factor: v.re / v.norm(),
        sum: part(2.0 * v.re, *scale),
        frequency: Some(v.im),
        scale: *scale,
    });
    let saddles = real.iter().enumerate().flat_map(|(i, (a, of_a))| {
        real[i + 1..].iter().map(move |(b, of_b)| {
            let (size, scale) = (a.abs() + b.abs(), of_a.max(*of_b));
            Pair {
                factor: if size > 0.0 { (a + b) / size } else { 0.0 },
                sum: part(a + b, scale),
                frequency: None,
                scale,
            }
        })
    });
    complex.chain(saddles).collect()
}

/// So many factors, the smallest ones, are multiplied: of weakly damped pairs the product of all would be no number.
const MULTIPLIED: usize = 8;

/// A number that vanishes where one of the factors does, with the sign of their product. The largest of many count by
/// their signs: at the place where two change roles they are equal.
pub(super) fn product(mut factors: Vec<f64>) -> f64 {
    if factors.len() > MULTIPLIED {
        factors.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
        factors[MULTIPLIED..].iter_mut().for_each(|f| *f = f.signum());
    }
    factors.into_iter().product()
}

/// Changes sign where a complex pair passes the imaginary axis: the product of `(λᵢ + λⱼ) / (|λᵢ| + |λⱼ|)` over
/// conjugate pairs and pairs of real eigenvalues, without those of the `neutral` pairs nearest to zero. It also does at
/// neutral saddles, where two real eigenvalues have sum zero.
pub(super) fn psi_hopf(eigenvalues: &[Complex<f64>], neutral: usize) -> f64 {
    let mut pairs = pairs(&of_one_scale(eigenvalues));
    leave_out(&mut pairs, neutral, |pair| pair.factor.abs());
    product(pairs.iter().map(|pair| pair.factor).collect())
}

/// The pair with the smallest relative real part besides the `neutral` ones, if it is a complex one: its frequency.
pub(super) fn hopf_frequency(eigenvalues: &[Complex<f64>], neutral: usize) -> Option<f64> {
    let mut pairs = pairs(&of_one_scale(eigenvalues));
    leave_out(&mut pairs, neutral, |pair| pair.factor.abs());
    let nearest = pairs.iter().min_by(|a, b| a.factor.abs().total_cmp(&b.factor.abs()))?;
    nearest.frequency
}

/// Is there a pair on the imaginary axis besides the `neutral` ones, truly complex, so far as rounding lets one tell?
/// Eigenvalues are given with the size of the numbers that they are made of.
pub(super) fn crosses_the_axis(eigenvalues: &[(Complex<f64>, f64)], neutral: usize) -> bool {
    /// What location and rounding leave of the real part, relative to the pair itself.
    const ON_THE_AXIS: f64 = 1e-5;
    /// Two eigenvalues nearer to zero than this part of the numbers that they are made of are a double zero to
    /// rounding, whose halves part like its square root.
    const DOUBLE: f64 = 1e-7;
    let mut pairs = pairs(eigenvalues);
    leave_out(&mut pairs, neutral, |pair| pair.factor.abs());
    let nearest = pairs.iter().min_by(|a, b| a.factor.abs().total_cmp(&b.factor.abs()));
    nearest.is_some_and(|pair| {
        pair.factor.abs() <= ON_THE_AXIS && pair.frequency.is_some_and(|omega| omega > DOUBLE * pair.scale)
    })
}

/// What rounding leaves of the sum of two eigenvalues, relative to the largest one, and of the product of two
/// multipliers.
pub(super) const NEUTRAL: f64 = 1e-11;

/// How many pairs have a sum that is this part of the numbers that they are made of at most.
pub(super) fn neutral_pairs(eigenvalues: &[(Complex<f64>, f64)], rounding: f64) -> usize {
    pairs(eigenvalues)
        .iter()
        .filter(|pair| pair.sum.abs() <= rounding)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_weakly_damped_pairs_leave_a_sign() {
        let at = |re: f64| {
            let damped = (0..200).map(|k| Complex::new(-1e-3, 10f64.powf(0.02 * f64::from(k))));
            let all: Vec<Complex<f64>> = damped.chain([Complex::new(re, 10.0)]).collect();
            psi_hopf(&all, 0)
        };
        for re in [1e-12, 1e-6, 1e-3, 1.0] {
            let product = at(re) * at(-re);
            assert!(product < 0.0 && product.is_finite(), "{re}: {} {}", at(re), at(-re));
        }
    }
}
