//! Natural frequencies and mode shapes of the Euler–Bernoulli cantilever, to full precision for every mode number.

use std::f64::consts::PI;

/// The k-th positive root β of cos β cosh β = -1 (k ≥ 1).
///
/// Written as β = (k - ½)π + δ the equation is sin δ = (-1)^{k+1} sech β, in which nothing overflows or cancels; δ
/// decays like 2 exp(-β). Newton's method from δ = 0 converges for every k.
pub(crate) fn cantilever_root(k: usize) -> f64 {
    let centre = (k as f64 - 0.5) * PI;
    let sign = if k % 2 == 1 { 1.0 } else { -1.0 };
    let mut delta = 0.0_f64;
    for _ in 0..20 {
        let e = (-(centre + delta)).exp();
        let sech = 2.0 * e / (1.0 + e * e);
        let tanh = (1.0 - e * e) / (1.0 + e * e);
        let step = (delta.sin() - sign * sech) / (delta.cos() + sign * sech * tanh);
        delta -= step;
        if step.abs() <= f64::EPSILON * delta.abs() {
            break;
        }
    }
    centre + delta
}

/// The k-th mode shape at ξ, with unit mean square: cosh βξ - cos βξ - σ (sinh βξ - sin βξ), σ = (cosh β + cos β)/(sinh
/// β + sin β).
///
/// The growing and decaying exponentials are separated, so nothing cancels for large β; at the tip the value is 2
/// (-1)^{k+1}.
pub(crate) fn cantilever_shape(k: usize, xi: f64) -> f64 {
    if xi == 1.0 {
        return if k % 2 == 1 { 2.0 } else { -2.0 };
    }
    let beta = cantilever_root(k);
    let e = (-beta).exp();
    let (sin, cos) = beta.sin_cos();
    let denominator = 1.0 - e * e + 2.0 * e * sin;
    // (1 - σ)/2 e^{βξ} + (1 + σ)/2 e^{-βξ} - cos βξ + σ sin βξ
    let growing = (sin - cos - e) * (beta * (xi - 1.0)).exp() / denominator;
    let sigma = (1.0 + e * e + 2.0 * e * cos) / denominator;
    let (s, c) = (beta * xi).sin_cos();
    growing + 0.5 * (1.0 + sigma) * (-beta * xi).exp() - c + sigma * s
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequencies_match_the_reference_and_the_asymptote() {
        let reference = [
            3.51601526850015,
            22.0344915646668,
            61.6972144135491,
            120.901916052306,
            199.859530116803,
            298.55553096773,
            416.990786056605,
            555.165247555763,
        ];
        for (k, w) in reference.iter().enumerate() {
            let b = cantilever_root(k + 1);
            assert!((b * b - w).abs() < 1e-14 * w * 1.5, "{k}: {} {w}", b * b);
        }
        for k in [12usize, 100, 100_000] {
            assert_eq!(cantilever_root(k), (k as f64 - 0.5) * PI);
        }
        for k in 1..8 {
            let b = cantilever_root(k);
            assert!((b.cos() * b.cosh() + 1.0).abs() < 1e-15 * b.cosh() * 4.0 * b);
        }
    }

    #[test]
    fn shapes_are_orthonormal_and_reach_two_at_the_tip() {
        let panels = 4000;
        for i in 1..=6 {
            for j in 1..=i {
                let f = |x: f64| cantilever_shape(i, x) * cantilever_shape(j, x);
                let h = 1.0 / f64::from(panels);
                let simpson: f64 = (0..panels)
                    .map(|p| {
                        let x = f64::from(p) * h;
                        (f(x) + 4.0 * f(x + 0.5 * h) + f(x + h)) * h / 6.0
                    })
                    .sum();
                let expected = if i == j { 1.0 } else { 0.0 };
                assert!((simpson - expected).abs() < 1e-9, "{i} {j} {simpson}");
            }
            let near = cantilever_shape(i, 1.0 - 1e-9);
            assert!((near - cantilever_shape(i, 1.0)).abs() < 1e-6);
        }
        assert!((cantilever_shape(300, 0.999_999_999) - cantilever_shape(300, 1.0)).abs() < 1e-4);
    }
}
