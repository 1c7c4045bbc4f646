//! Polynomials on [0, 1] in Bernstein form: zeros without gaps, minima, integrals.
//!
//! Reference: G. Farin, *Curves and Surfaces for CAGD*, 5th ed., Morgan Kaufmann (2002), ch. 5–6.

/// Coefficients of Σ c_k B_k^n(τ).
///
/// ```
/// use slipstick_numerics::roots::Bernstein;
/// // (τ - 0.3)² - 0.04, with its first zero at 0.1.
/// let parabola = Bernstein(vec![0.05, -0.25, 0.45]);
/// assert!(parabola.first_zero().is_some_and(|tau| (tau - 0.1).abs() < 1e-13));
/// assert!((parabola.minimum() + 0.04).abs() < 1e-15);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Bernstein(pub Vec<f64>);

impl Bernstein {
    /// The value at τ, by de Casteljau's scheme.
    pub fn value(&self, tau: f64) -> f64 {
        let mut c = self.0.clone();
        for level in 1..c.len() {
            for i in 0..c.len() - level {
                c[i] += tau * (c[i + 1] - c[i]);
            }
        }
        c[0]
    }
    fn degree(&self) -> f64 {
        (self.0.len() - 1) as f64
    }
    fn derivative(&self) -> Self {
        Self(self.0.windows(2).map(|w| self.degree() * (w[1] - w[0])).collect())
    }
    fn antiderivative(&self) -> Self {
        let mut sum = 0.0;
        let mut c = vec![0.0];
        for v in &self.0 {
            sum += v / self.0.len() as f64;
            c.push(sum);
        }
        Self(c)
    }
    /// Derivatives at 0 and 1.
    pub fn end_slopes(&self) -> (f64, f64) {
        let (c, n) = (&self.0, self.0.len());
        (self.degree() * (c[1] - c[0]), self.degree() * (c[n - 1] - c[n - 2]))
    }
    /// The value at the first interior minimum of a polynomial that falls at 0 and rises at 1.
    pub fn minimum(&self) -> f64 {
        let falling = Self(self.derivative().0.iter().map(|d| -d).collect());
        falling.first_zero().map_or(f64::INFINITY, |tau| self.value(tau))
    }
    /// ∫₀^τ with τ the first zero of a polynomial that is positive at 0; over all of [0, 1] if there is none.
    pub fn integral_to_zero(&self) -> f64 {
        self.antiderivative().value(self.first_zero().unwrap_or(1.0))
    }
    /// The first zero, reached from positive values: by subdivision down to rounding, so that none is overlooked.
    pub fn first_zero(&self) -> Option<f64> {
        first_zero(&self.0, 0.0, 1.0)
    }
}

fn first_zero(coefficients: &[f64], a: f64, b: f64) -> Option<f64> {
    if coefficients.iter().all(|&c| c > 0.0) {
        return None;
    }
    if coefficients[0] <= 0.0 || b - a < 1e-14 {
        return Some(a);
    }
    let n = coefficients.len();
    let (mut left, mut right) = (coefficients.to_vec(), coefficients.to_vec());
    for level in 1..n {
        for i in 0..n - level {
            right[i] = 0.5 * (right[i] + right[i + 1]);
        }
        left[level] = right[0];
    }
    let middle = 0.5 * (a + b);
    first_zero(&left, a, middle).or_else(|| first_zero(&right, middle, b))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_parabola_has_its_textbook_zero_minimum_and_integral() {
        // (τ - 0.3)² - 0.04 = τ² - 0.6 τ + 0.05: Bernstein coefficients c₀, c₀ + c₁/2, c₀ + c₁ + c₂
        let p = Bernstein(vec![0.05, 0.05 - 0.3, 0.05 - 0.6 + 1.0]);
        assert!((p.value(0.7) - (0.16 - 0.04)).abs() < 1e-15);
        assert!((p.first_zero().unwrap() - 0.1).abs() < 1e-13);
        assert!((p.minimum() + 0.04).abs() < 1e-15);
        let integral = |t: f64| t * t * t / 3.0 - 0.3 * t * t + 0.05 * t;
        assert!((p.integral_to_zero() - integral(0.1)).abs() < 1e-15);
        let (a, b) = p.end_slopes();
        assert!((a + 0.6).abs() < 1e-15 && (b - 1.4).abs() < 1e-15);
        assert_eq!(Bernstein(vec![1.0, 0.2, 1.0]).first_zero(), None);
    }
}
