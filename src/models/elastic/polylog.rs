//! Polylogarithms Li₁, Li₂, Li₃ of a point w = e^μ of the closed unit disk, to rounding.
//!
//! They sum the modes of an infinite string: Σ_k e^{kμ} / k^s = Li_s(e^μ). The argument is taken as μ, so that nothing
//! is lost near the singular point w = 1, where every sum over modes is worst conditioned.
//!
//! Reference: L. Lewin, *Polylogarithms and Associated Functions*, North-Holland (1981), ch. 7.

use nalgebra::Complex;
use std::f64::consts::{LN_2, PI};

const ZETA_3: f64 = 1.202_056_903_159_594_3;

/// Li_s(e^μ) for s = 1, 2, 3 and Re μ ≤ 0. At the singular point μ = 0 of Li₁ the value is 0: the real part diverges
/// there and the imaginary part takes the mean of its jump, as its Fourier series does.
pub(crate) fn polylog_exp(mu: Complex<f64>) -> [Complex<f64>; 3] {
    let mu = Complex::new(mu.re, mu.im - 2.0 * PI * (mu.im / (2.0 * PI)).round());
    if mu.re < -LN_2 {
        power_series(mu.exp())
    } else {
        expansion_at_one(mu)
    }
}

/// Σ w^k / k^s, for |w| ≤ 1/2.
fn power_series(w: Complex<f64>) -> [Complex<f64>; 3] {
    let mut sums = [Complex::new(0.0, 0.0); 3];
    let mut power = w;
    for k in 1..=60 {
        let k = f64::from(k);
        sums[0] += power / k;
        sums[1] += power / (k * k);
        sums[2] += power / (k * k * k);
        if power.norm_sqr() < 1e-36 {
            break;
        }
        power *= w;
    }
    sums
}

/// Expansion in μ, which converges for |μ| < 2π: Li_n(e^μ) = μ^{n-1}/(n-1)! (H_{n-1} - ln(-μ)) - μⁿ/(2 n!) +
/// Σ_{m=2}^{n} ζ(m) μ^{n-m}/(n-m)! + Σ_{j≥1} ζ(1-2j) μ^{n-1+2j}/(n-1+2j)!.
fn expansion_at_one(mu: Complex<f64>) -> [Complex<f64>; 3] {
    let zero = Complex::new(0.0, 0.0);
    if mu == zero {
        return [zero, Complex::new(zeta_even(1), 0.0), Complex::new(ZETA_3, 0.0)];
    }
    let log = (-mu).ln();
    let mu2 = mu * mu;
    let mut li = [
        -log - mu * 0.5,
        mu * (Complex::new(1.0, 0.0) - log) - mu2 * 0.25 + zeta_even(1),
        mu2 * 0.5 * (Complex::new(1.5, 0.0) - log) - mu2 * mu / 12.0 + mu * zeta_even(1) + ZETA_3,
    ];
    // ζ(1 - 2j)/(n - 1 + 2j)! = (-1)^j 2 ζ(2j) / ((2π)^{2j} · 2j (2j + 1) … (n - 1 + 2j))
    let ratio = mu2 / (-4.0 * PI * PI);
    let mut power = ratio;
    for j in 1..=32_u32 {
        let n = f64::from(2 * j);
        let term = power * (2.0 * zeta_even(j) / n);
        li[0] += term;
        li[1] += term * mu / (n + 1.0);
        li[2] += term * mu2 / ((n + 1.0) * (n + 2.0));
        if power.norm_sqr() < 1e-36 {
            break;
        }
        power *= ratio;
    }
    li
}

/// ζ(2j), j ≥ 1.
fn zeta_even(j: u32) -> f64 {
    let p2 = PI * PI;
    match j {
        1 => p2 / 6.0,
        2 => p2 * p2 / 90.0,
        3 => p2 * p2 * p2 / 945.0,
        4 => p2 * p2 * p2 * p2 / 9450.0,
        _ => (1..40).rev().map(|m| f64::from(m).powi(-2 * j as i32)).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_and_the_closed_forms_on_the_unit_circle() {
        // Li₂(1/2) = π²/12 - ln²2/2, Li₃(1/2) = 7ζ(3)/8 - π² ln2/12 + ln³2/6: on the border of the two formulas
        for reuse_linearisation in [1e-15, -1e-15] {
            let [a, b, c] = polylog_exp(Complex::new(-LN_2 + reuse_linearisation, 0.0));
            assert!((a.re - LN_2).abs() < 4e-15);
            assert!((b.re - (PI * PI / 12.0 - LN_2 * LN_2 / 2.0)).abs() < 4e-15);
            assert!((c.re - (0.875 * ZETA_3 - PI * PI * LN_2 / 12.0 + LN_2.powi(3) / 6.0)).abs() < 4e-15);
        }
        // Im Li₁(e^{ix}) = (π - x)/2, Re Li₂ = π²/6 - πx/2 + x²/4, Im Li₃ = x³/12 - πx²/4 + π²x/6 on (0, 2π)
        for x in [1e-12, 0.3, 1.7, PI, 4.0, 6.25] {
            let [a, b, c] = polylog_exp(Complex::new(0.0, x));
            assert!((a.im - (PI - x) / 2.0).abs() < 2e-15, "{x} {}", a.im - (PI - x) / 2.0);
            assert!((b.re - (PI * PI / 6.0 - PI * x / 2.0 + x * x / 4.0)).abs() < 4e-15);
            assert!((c.im - (x * x * x / 12.0 - PI * x * x / 4.0 + PI * PI * x / 6.0)).abs() < 4e-15);
        }
    }

    #[test]
    fn derivative_with_respect_to_mu_lowers_the_order() {
        // d/dμ Li_s(e^μ) = Li_{s-1}(e^μ), by a fourth-order central difference
        let h = 1e-3;
        for (re, im) in [(-0.02, 0.4), (-0.5, 2.0), (-0.69, -3.0), (-0.8, 1.0), (-3.0, 0.1)] {
            let at = |d: f64| polylog_exp(Complex::new(re + d, im));
            for s in 1..3 {
                let slope = (at(-2.0 * h)[s] - at(2.0 * h)[s] + (at(h)[s] - at(-h)[s]) * 8.0) / (12.0 * h);
                assert!((slope - at(0.0)[s - 1]).norm() < 1e-9, "{re} {im} {s}");
            }
        }
    }
}
