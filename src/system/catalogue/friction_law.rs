//! The friction law of stiction type: an odd polynomial that rises to `μ_s` and falls to `μ_d`.
//!
//! ```text
//! φ(z) = z (a z⁶ + b z⁴ + c z² + d)  on [-1, 1],    φ(1) = μ_d, φ'(1) = 0, φ(δ) = μ_s, φ'(δ) = 0
//! ```
//! and `φ = μ_d sign z` outside. The two conditions on φ' leave `φ'(z) = (1 - z²)(δ² - z²)(7a z² + e)`, the two on
//! φ a linear system of two equations with determinant `15 (δ² - 1)³`: the coefficients are rational in `(μ_s, μ_d,
//! δ)`.
//!
//! Source: Bossolini, Brøns and Kristiansen 2017 (arXiv:1703.08437), eq. (9) and section 6.1.

use slipstick_numerics::scalar::Scalar;

/// The law for given `μ_s`, `μ_d`, `δ`, in any kind of number.
///
/// ```
/// use slipstick_system::catalogue::FrictionLaw;
/// let (mu_s, mu_d, delta) = (1.1, 0.4, 0.6);
/// let law = FrictionLaw::new(mu_s, mu_d, delta);
/// // The largest friction is that of stick, at δ; from z = 1 on it is that of slip.
/// assert!((law.value(delta) - mu_s).abs() < 1e-14 && law.slope(delta).abs() < 1e-13 && law.curvature(delta) < 0.0);
/// assert!((law.value(1.0) - mu_d).abs() < 1e-14 && law.slope(1.0).abs() < 1e-13);
/// assert!(law.stiction_type() > 0.0, "φ' changes its sign once");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FrictionLaw<T> {
    /// Coefficients of `z⁷`, `z⁵`, `z³`, `z`.
    coefficients: [T; 4],
    /// The constant term `e` of the factor `7a z² + e` of φ'.
    factor: T,
}

impl<T: Scalar> FrictionLaw<T> {
    /// The law with maximum `mu_s` at `delta` and end value `mu_d`.
    #[inline]
    pub fn new(mu_s: T, mu_d: T, delta: T) -> Self {
        let q = delta * delta;
        let m = q - 1.0;
        let half = T::from_f64(0.5) / (m * m * m);
        let r = mu_s / (delta * q);
        let a = (mu_d * (-q + 5.0) - (q * 5.0 - 1.0) * r) * half;
        let e = ((q * 7.0 - 3.0) * r - q * (-(q * 3.0) + 7.0) * mu_d) * half;
        let b = (e - a * (q + 1.0) * 7.0) * 0.2;
        let c = (a * q * 7.0 - e * (q + 1.0)) / 3.0;
        Self {
            coefficients: [a, b, c, e * q],
            factor: e,
        }
    }
    /// `[a, b, c, d]` of `φ(z) = z (a z⁶ + b z⁴ + c z² + d)`.
    pub fn coefficients(&self) -> [T; 4] {
        self.coefficients
    }
    /// φ(z) for |z| ≤ 1; beyond, the polynomial's analytic continuation.
    pub fn value(&self, z: T) -> T {
        let [a, b, c, d] = self.coefficients;
        let q = z * z;
        z * (((a * q + b) * q + c) * q + d)
    }
    /// φ'(z) for |z| ≤ 1.
    pub fn slope(&self, z: T) -> T {
        let [a, b, c, d] = self.coefficients;
        let q = z * z;
        ((a * q * 7.0 + b * 5.0) * q + c * 3.0) * q + d
    }
    /// φ''(z) for |z| ≤ 1.
    pub fn curvature(&self, z: T) -> T {
        let [a, b, c, _] = self.coefficients;
        let q = z * z;
        z * ((a * q * 42.0 + b * 20.0) * q + c * 6.0)
    }
    /// Positive when φ' changes sign exactly once in (0, 1), at δ, from plus to minus: the smaller of the two end
    /// values of the factor `7a z² + e`.
    pub fn stiction_type(&self) -> T {
        let at_one = self.coefficients[0] * 7.0 + self.factor;
        if at_one.value() < self.factor.value() {
            at_one
        } else {
            self.factor
        }
    }
}

impl FrictionLaw<f64> {
    /// As [`FrictionLaw::value`] for an argument in another kind of number.
    #[inline(always)]
    pub fn value_at<T: Scalar>(&self, z: T) -> T {
        let [a, b, c, d] = self.coefficients;
        let q = z * z;
        z * (((q * a + b) * q + c) * q + d)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use slipstick_numerics::scalar::Gradient;

    fn close(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "{a} {b}");
    }

    #[test]
    fn the_coefficients_of_the_paper_are_rational() {
        let law = FrictionLaw::new(1.1, 0.4, 0.6);
        let exact = [
            467_875.0 / 110_592.0,
            -751_745.0 / 110_592.0,
            388_733.0 / 552_960.0,
            46_363.0 / 20_480.0,
        ];
        for (c, e) in law.coefficients().iter().zip(exact) {
            close(*c, e, 4e-15);
        }
        close(law.curvature(0.6), -13.017_291_666_666_667, 4e-15);
        close(law.curvature(1.0), 45.955_671_296_296_296, 4e-15);
        close((-law.curvature(0.6)).sqrt(), 3.607_948_401_330_965, 4e-15);
    }

    #[test]
    fn the_four_conditions_hold_with_their_derivatives() {
        for (mu_s, mu_d, delta) in [(1.1, 0.4, 0.6), (1.05, 0.4, 0.5), (2.0, 1.5, 0.8), (0.7, 0.1, 0.55)] {
            let [s, d, w] = [mu_s, mu_d, delta];
            let law = FrictionLaw::new(
                Gradient::variable(s, 0),
                Gradient::variable(d, 1),
                Gradient::variable(w, 2),
            );
            let top = law.value(Gradient::variable(w, 2));
            let end = law.value(Gradient::constant(1.0));
            for (value, expected, gradient) in [(top, s, [1.0, 0.0, 0.0]), (end, d, [0.0, 1.0, 0.0])] {
                close(value.re, expected, 1e-13);
                for (i, g) in gradient.into_iter().enumerate() {
                    close(value.eps[i], g, 2e-12);
                }
            }
            for flat in [law.slope(Gradient::variable(w, 2)), law.slope(Gradient::constant(1.0))] {
                close(flat.re, 0.0, 1e-12);
                assert!(flat.eps[..3].iter().all(|e| e.abs() < 1e-10), "{flat:?}");
            }
        }
    }

    #[test]
    fn the_stiction_type_is_decided_by_the_sign_changes_of_the_slope() {
        let mut seen = [false; 2];
        for delta in [0.2, 0.35, 0.5, 0.6, 0.8, 0.95] {
            for mu_d in [0.05, 0.4, 1.0] {
                let law = FrictionLaw::new(1.1, mu_d, delta);
                let slopes: Vec<f64> = (1..2000).map(|k| law.slope((f64::from(k) - 0.37) / 2000.0)).collect();
                let changes = slopes.windows(2).filter(|w| w[0] * w[1] < 0.0).count();
                let one = changes == 1 && slopes[0] > 0.0;
                assert_eq!(
                    one,
                    law.stiction_type() > 0.0,
                    "mu_d = {mu_d}, delta = {delta}, {changes} changes"
                );
                seen[usize::from(one)] = true;
            }
        }
        assert_eq!(seen, [true, true]);
    }
}
