//! The matrix exponential in any [`Scalar`] arithmetic.
//!
//! Scaling and squaring with the Taylor polynomial of degree 16 in Paterson–Stockmeyer form: 1-norms up to 0.78 need no
//! scaling and leave a truncation error below the unit roundoff. Run in dual numbers it yields the exact derivative of
//! the same approximation.
//!
//! Reference: N. J. Higham, *Functions of Matrices*, SIAM (2008), ch. 10; P. Bader, S. Blanes and F. Casas, *Computing
//! the matrix exponential with an optimized Taylor polynomial approximation*, Mathematics 7 (2019) 1174, table 1.

use slipstick_numerics::linalg::balance;
use slipstick_numerics::scalar::Scalar;

/// The largest 1-norm for which the degree-16 polynomial is exact to rounding.
const THETA: f64 = 0.78;

/// So many squarings of the exponential itself cost no more than three digits; what decays with a rate that asks for
/// more is gone at the end.
const MOST_PLAIN: i32 = 10;

/// Of matrices up to that size, exponentials are cheap in any units.
pub(crate) const SMALL: usize = 16;

/// 1/k! for the degree-16 polynomial.
const INVERSE_FACTORIAL: [f64; 17] = {
    let mut table = [1.0; 17];
    let mut factorial = 1.0;
    let mut k = 1;
    while k < 17 {
        factorial *= k as f64;
        table[k] = 1.0 / factorial;
        k += 1;
    }
    table
};

/// `exp(a t)` for the n×n row-major matrix `a`.
///
/// Of a large matrix that needs many squarings, in balanced units: a beam's highest frequency ω is in its matrix as ω².
pub(crate) fn expm<T: Scalar>(a: &[T], t: f64, n: usize) -> Vec<T> {
    let squarings = squarings(a, t, n);
    if squarings <= MOST_PLAIN || n <= SMALL {
        return scaled_and_squared(a, t, n, squarings);
    }
    let values: Vec<f64> = a.iter().map(Scalar::value).collect();
    let (units, _) = balance(&values, n);
    // Powers of two round nothing.
    let units: Vec<f64> = units.iter().map(|d| d.log2().round().exp2()).collect();
    let change = |a: &[T], inverse: bool| -> Vec<T> {
        let scaled = |(e, v): (usize, &T)| {
            let factor = units[e % n] / units[e / n];
            *v * if inverse { 1.0 / factor } else { factor }
        };
        a.iter().enumerate().map(scaled).collect()
    };
    let balanced = change(a, false);
    let squarings = self::squarings(&balanced, t, n);
    change(&scaled_and_squared(&balanced, t, n, squarings), true)
}

/// By how many squarings the polynomial is exact to rounding.
fn squarings<T: Scalar>(a: &[T], t: f64, n: usize) -> i32 {
    let norm = one_norm(a, n) * t.abs();
    if norm > THETA {
        (norm / THETA).log2().ceil().min(1000.0) as i32
    } else {
        0
    }
}

fn scaled_and_squared<T: Scalar>(a: &[T], t: f64, n: usize, squarings: i32) -> Vec<T> {
    let factor = t * 0.5f64.powi(squarings);
    let a1: Vec<T> = a.iter().map(|&v| v * factor).collect();
    let a2 = product(&a1, &a1, n);
    let a3 = product(&a2, &a1, n);
    let a4 = product(&a2, &a2, n);
    // Horner in A⁴ with cubic coefficients. Many squarings work on exp - 1: next to what decays fast, slow rates show
    // in digits of the identity that each squaring would double the rounding of.
    let apart = squarings > MOST_PLAIN;
    let block = |first: usize, out: &mut [T]| {
        for (i, o) in out.iter_mut().enumerate() {
            *o += a1[i] * INVERSE_FACTORIAL[first + 1]
                + a2[i] * INVERSE_FACTORIAL[first + 2]
                + a3[i] * INVERSE_FACTORIAL[first + 3];
        }
        for i in (0..n).filter(|_| first > 0 || !apart) {
            out[i * n + i] += T::from_f64(INVERSE_FACTORIAL[first]);
        }
    };
    let mut sum: Vec<T> = a4.iter().map(|&v| v * INVERSE_FACTORIAL[16]).collect();
    block(12, &mut sum);
    for first in [8, 4, 0] {
        sum = product(&sum, &a4, n);
        block(first, &mut sum);
    }
    for _ in 0..squarings {
        let square = product(&sum, &sum, n);
        if apart {
            // (1 + X)² - 1 = 2X + X².
            sum.iter_mut()
                .zip(square)
                .for_each(|(x, square)| *x = *x * 2.0 + square);
        } else {
            sum = square;
        }
    }
    if apart {
        (0..n).for_each(|i| sum[i * n + i] += T::one());
    }
    sum
}

/// The product of two n×n row-major matrices.
pub(crate) fn product<T: Scalar>(a: &[T], b: &[T], n: usize) -> Vec<T> {
    let mut c = vec![T::zero(); n * n];
    for (c, a) in c.chunks_exact_mut(n).zip(a.chunks_exact(n)) {
        for (&a, b) in a.iter().zip(b.chunks_exact(n)) {
            for (c, &b) in c.iter_mut().zip(b) {
                *c += a * b;
            }
        }
    }
    c
}

fn one_norm<T: Scalar>(a: &[T], n: usize) -> f64 {
    (0..n)
        .map(|j| (0..n).map(|i| a[i * n + j].value().abs()).sum())
        .fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use slipstick_numerics::scalar::Gradient;

    #[test]
    fn rotation_growth_and_a_jordan_block_are_reproduced() {
        let w = 3.0;
        let e = expm(&[0.0, w, -w, 0.0], 2.5, 2);
        let (s, c) = (w * 2.5f64).sin_cos();
        for (a, b) in e.iter().zip([c, s, -s, c]) {
            assert!((a - b).abs() < 5e-15);
        }
        // exp of a Jordan block with eigenvalue -2: e^{-2t} [[1, t, t²/2], [0, 1, t], [0, 0, 1]].
        let t = 4.0;
        let e = expm(&[-2.0, 1.0, 0.0, 0.0, -2.0, 1.0, 0.0, 0.0, -2.0], t, 3);
        let d = (-2.0 * t).exp();
        for (a, b) in e.iter().zip([d, d * t, d * t * t / 2.0, 0.0, d, d * t, 0.0, 0.0, d]) {
            assert!((a - b).abs() <= 3e-14 * b.abs().max(d), "{a} {b}");
        }
    }

    #[test]
    fn a_stiff_oscillator_keeps_its_digits_over_many_periods() {
        // ω = 400, ζ = 0.0005: exp(M t) over 640 periods, where M t has the plain norm 1.6·10⁶.
        let (w, c) = (400.0f64, 0.4);
        let t = 10.0;
        // As one of ten, which makes it a large matrix.
        let n = 20;
        let mut a = vec![0.0; n * n];
        for i in (0..n).step_by(2) {
            a[i * n + i + 1] = 1.0;
            a[(i + 1) * n + i] = -w * w;
            a[(i + 1) * n + i + 1] = -c;
        }
        let e = expm(&a, t, n);
        let e = [e[0], e[1], e[n], e[n + 1]];
        let damped = (w * w - c * c / 4.0).sqrt();
        let (s, k) = (damped * t).sin_cos();
        let decay = (-c * t / 2.0).exp();
        let exact = [
            decay * (k + c / (2.0 * damped) * s),
            decay * s / damped,
            -decay * w * w / damped * s,
            decay * (k - c / (2.0 * damped) * s),
        ];
        for (k, (a, b)) in e.iter().zip(exact).enumerate() {
            let unit = [1.0, 1.0 / w, w, 1.0][k];
            // The phase ω t = 4000 is known to its rounding.
            assert!((a - b).abs() <= 4000.0 * 4.0 * f64::EPSILON * unit, "{a} {b}");
        }
    }

    #[test]
    fn the_dual_exponential_differentiates_a_rotation() {
        let w = Gradient::variable(1.7, 3);
        let z = Gradient::zero();
        let e = expm(&[z, w, -w, z], -2.0, 2);
        let (s, c) = (1.7 * -2.0f64).sin_cos();
        assert!((e[0].re - c).abs() < 3e-15 && (e[0].eps[3] - 2.0 * s).abs() < 1e-14);
        assert!((e[1].re - s).abs() < 3e-15 && (e[1].eps[3] + 2.0 * c).abs() < 1e-14);
    }
}
