//! Collocation on [0, 1] at the points of Gauss or of Radau: points, integration matrix, interpolation.

use super::quadrature::{gauss_legendre, lagrange_integrals, radau_right};

/// The largest number of stages.
pub const MOST_STAGES: usize = 8;

/// The implicit Runge–Kutta method with m stages on the points of Gauss, or on those of Radau, whose last point is the
/// end.
///
/// ```
/// use slipstick_numerics::tableau::Tableau;
/// let midpoint = Tableau::gauss(1);
/// assert!((midpoint.c[0] - 0.5).abs() < 1e-15 && (midpoint.a[0] - 0.5).abs() < 1e-15);
/// ```
#[derive(Clone, Debug)]
pub struct Tableau {
    /// How many stages: m.
    pub stages: usize,
    /// The points in (0, 1].
    pub c: Vec<f64>,
    /// `a[i·m + l] = ∫₀^{cᵢ} ℓₗ`.
    pub a: Vec<f64>,
    /// Its transpose.
    pub transposed: Vec<f64>,
    /// Quadrature weights.
    pub b: Vec<f64>,
    /// The end value from stage values: `u₁ = keep·u₀ + Σ dᵢ Uᵢ`, d = bᵀ A⁻¹.
    pub d: Vec<f64>,
    /// `1 - Σ dᵢ`: (-1)^m, or nothing for Radau.
    pub keep: f64,
    /// Barycentric weights of the points 0, c₁ … c_m.
    barycentric: Vec<f64>,
}

impl Tableau {
    /// Gauss–Legendre, of order 2m.
    pub fn gauss(stages: usize) -> Self {
        let (c, b) = gauss_legendre(stages.clamp(1, MOST_STAGES));
        let keep = if c.len().is_multiple_of(2) { 1.0 } else { -1.0 };
        Self::on(c, b, keep)
    }

    /// Radau IIA, of order 2m - 1.
    pub fn radau(stages: usize) -> Self {
        let c = radau_right(stages.clamp(1, MOST_STAGES));
        let b = lagrange_integrals(&c, &[1.0]);
        Self::on(c, b, 0.0)
    }

    fn on(c: Vec<f64>, b: Vec<f64>, keep: f64) -> Self {
        let m = c.len();
        let a = lagrange_integrals(&c, &c);
        let transposed = (0..m * m).map(|k| a[k % m * m + k / m]).collect();
        let mut nodes = vec![0.0];
        nodes.extend_from_slice(&c);
        let barycentric: Vec<f64> = (0..=m)
            .map(|i| {
                let product: f64 = (0..=m).filter(|&l| l != i).map(|l| nodes[i] - nodes[l]).product();
                1.0 / product
            })
            .collect();
        // The interpolating polynomial through (0, u₀), (cᵢ, Uᵢ) evaluated at 1.
        let d: Vec<f64> = (1..=m)
            .map(|i| {
                (0..=m)
                    .filter(|&l| l != i)
                    .map(|l| (1.0 - nodes[l]) / (nodes[i] - nodes[l]))
                    .product()
            })
            .collect();
        Self {
            stages: m,
            c,
            a,
            transposed,
            b,
            d,
            keep,
            barycentric,
        }
    }

    /// Unknowns of one interval for n states.
    pub fn stride(&self, n: usize) -> usize {
        (self.stages + 1) * n
    }

    /// Weights of u₀, U₁ … U_m in the value at `tau`.
    pub fn interpolation(&self, tau: f64, weights: &mut [f64]) {
        let m = self.stages;
        let node = |i: usize| if i == 0 { 0.0 } else { self.c[i - 1] };
        let mut sum = 0.0;
        for i in 0..=m {
            let distance = tau - node(i);
            if distance == 0.0 {
                weights[..=m].fill(0.0);
                weights[i] = 1.0;
                return;
            }
            weights[i] = self.barycentric[i] / distance;
            sum += weights[i];
        }
        weights[..=m].iter_mut().for_each(|w| *w /= sum);
    }

    /// The leading coefficients (of τ^m) of the polynomial with these values at the start and at the stages, one vector
    /// after the other.
    pub fn leading(&self, start: &[f64], stages: &[f64], out: &mut [f64]) {
        for (o, v) in out.iter_mut().zip(start) {
            *o = self.barycentric[0] * v;
        }
        for (w, stage) in self.barycentric[1..].iter().zip(stages.chunks_exact(out.len())) {
            for (o, v) in out.iter_mut().zip(stage) {
                *o += w * v;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integrates_polynomials_exactly_and_interpolates() {
        for (g, exact) in (1..=MOST_STAGES).flat_map(|m| [(Tableau::gauss(m), 2 * m), (Tableau::radau(m), 2 * m - 1)]) {
            let m = g.stages;
            for degree in 0..exact {
                let q: f64 = (0..m).map(|i| g.b[i] * g.c[i].powi(degree as i32)).sum();
                assert!((q - 1.0 / (degree as f64 + 1.0)).abs() < 1e-15, "{m} {degree}");
            }
            for i in 0..m {
                for degree in 0..m {
                    let q: f64 = (0..m).map(|l| g.a[i * m + l] * g.c[l].powi(degree as i32)).sum();
                    assert!((q - g.c[i].powi(degree as i32 + 1) / (degree as f64 + 1.0)).abs() < 1e-15);
                }
            }
            assert!((1.0 - g.d.iter().sum::<f64>() - g.keep).abs() < 1e-11);
            let mut w = [0.0; MOST_STAGES + 1];
            g.interpolation(0.37, &mut w);
            let v: f64 = w[0] + (0..m).map(|i| w[i + 1] * (1.0 + g.c[i].powi(m as i32))).sum::<f64>();
            assert!((v - 1.0 - 0.37f64.powi(m as i32)).abs() < 1e-14);
        }
    }
}
