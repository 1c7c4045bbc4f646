//! Ornstein–Uhlenbeck noise, stepped exactly.

use rand::Rng;
use serde::Deserialize;

/// `v' = -rate v + intensity w'` with a Wiener process w.
///
/// Over a step h the law is known: v(t + h) = v(t) e^{-rate h} + √((1 - e^{-2 rate h}) / (2 rate)) · intensity · ξ with
/// ξ standard normal, so a path on a grid has the right distribution whatever the step. Reference: D. T. Gillespie,
/// Phys. Rev. E 54 (1996) 2084–2091.
///
/// ```
/// use slipstick_models::friction::shaw::{Ensemble, OrnsteinUhlenbeck};
/// let noise = OrnsteinUhlenbeck { rate: 2.0, intensity: 1.0, start: 0.5 };
/// let ensemble = Ensemble { noise, ..Ensemble::default() };
/// // Each path has random numbers of its own, the same in every run.
/// let path = |i| ensemble.noise_of(i).take(100);
/// assert!(path(3).eq(path(3)) && path(3).ne(path(4)) && path(3).next() == Some(0.5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OrnsteinUhlenbeck {
    /// Inverse correlation time, positive.
    pub rate: f64,
    /// Intensity of the white noise. The stationary variance is intensity²/(2 rate).
    pub intensity: f64,
    /// The value at the start.
    pub start: f64,
}

impl Default for OrnsteinUhlenbeck {
    /// `v' = -v + w'`, v(0) = 0: stationary variance 1/2.
    fn default() -> Self {
        Self {
            rate: 1.0,
            intensity: 1.0,
            start: 0.0,
        }
    }
}

impl OrnsteinUhlenbeck {
    /// The values at 0, h, 2h, …, without end.
    pub fn path<R: Rng>(self, step: f64, mut rng: R) -> impl Iterator<Item = f64> {
        let decay = (-self.rate * step).exp();
        let spread = self.intensity * (-(-2.0 * self.rate * step).exp_m1() / (2.0 * self.rate)).sqrt();
        let mut normal = Normal::default();
        let mut v = self.start;
        std::iter::repeat_with(move || {
            let here = v;
            v = decay * here + spread * normal.sample(&mut rng);
            here
        })
    }
}

/// Standard normal variates by Marsaglia's polar method (SIAM Review 6 (1964) 260–264): only √ and ln, two at a time.
#[derive(Default)]
pub(crate) struct Normal {
    spare: Option<f64>,
}

impl Normal {
    pub(crate) fn sample(&mut self, rng: &mut impl Rng) -> f64 {
        if let Some(z) = self.spare.take() {
            return z;
        }
        loop {
            let (a, b) = (2.0 * rng.random::<f64>() - 1.0, 2.0 * rng.random::<f64>() - 1.0);
            let q = a * a + b * b;
            if q > 0.0 && q < 1.0 {
                let f = (-2.0 * q.ln() / q).sqrt();
                self.spare = Some(b * f);
                return a * f;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn has_the_stationary_moments_and_correlation() {
        let ou = OrnsteinUhlenbeck {
            rate: 2.0,
            intensity: 3.0,
            start: 0.0,
        };
        let n = 200_000;
        let path: Vec<f64> = ou
            .path(0.25, rand_chacha::ChaCha8Rng::seed_from_u64(5))
            .skip(100)
            .take(n)
            .collect();
        let mean = path.iter().sum::<f64>() / n as f64;
        let variance = path.iter().map(|v| v * v).sum::<f64>() / n as f64;
        let lagged = path.windows(2).map(|w| w[0] * w[1]).sum::<f64>() / n as f64;
        // Variance 9/4, correlation e^{-1/2}; effective sample n (1 - ρ)/(1 + ρ), 5 standard errors.
        let rho = (-0.5_f64).exp();
        let effective = n as f64 * (1.0 - rho) / (1.0 + rho);
        assert!(mean.abs() < 5.0 * (2.25 / effective).sqrt());
        assert!(
            (variance - 2.25).abs() < 5.0 * 2.25 * (2.0 / effective).sqrt(),
            "{variance}"
        );
        assert!((lagged / variance - rho).abs() < 5.0 / effective.sqrt());
    }
}
