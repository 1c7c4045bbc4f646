//! What is measured at a point of a curve.

use nalgebra::Complex;
use slipstick_floquet::{Multiplier, psi_plus};
use std::f64::consts::LN_10;

/// The measurements at one point; buffers are reused along a curve.
///
/// ```
/// use slipstick_bifurcation::Record;
/// let record = Record { inequalities: vec![0.7, 0.2, 1.5], unstable: 1, ..Record::default() };
/// assert!(record.admissible() && !record.stable());
/// assert_eq!(record.margin(), 0.2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Record {
    /// All parameters of the system.
    pub parameters: Vec<f64>,
    /// The period (zero for equilibria; the number of iterates for maps).
    pub period: f64,
    /// Monitors, in the order of [`Inspect::monitors`](crate::Inspect::monitors).
    pub monitors: Vec<f64>,
    /// Test functions, in the order of [`Inspect::tests`](crate::Inspect::tests).
    pub tests: Vec<f64>,
    /// Inequalities, in the order of [`Inspect::inequalities`](crate::Inspect::inequalities).
    pub inequalities: Vec<f64>,
    /// Nontrivial multipliers over the full period, descending.
    pub multipliers: Vec<Multiplier>,
    /// For symmetric orbits: the multipliers ν of the half map.
    pub nu: Vec<Multiplier>,
    /// For equilibria: the eigenvalues, largest real part first.
    #[serde(with = "pairs")]
    pub eigenvalues: Vec<Complex<f64>>,
    /// For each of them the size of the numbers that it is made of, beside which it is small or not: far below the
    /// largest eigenvalue where rates lie far apart. Empty where that is the largest for all.
    #[serde(default)]
    pub scales: Vec<f64>,
    /// Have only the leading eigenvalues been computed, and could it not be confirmed that none of the others lies
    /// to the right of the axis?
    pub uncounted: bool,
    /// How many multipliers lie outside the unit circle, or eigenvalues to the right of the imaginary axis.
    pub unstable: usize,
}

/// Complex numbers as pairs of their parts.
mod pairs {
    use super::Complex;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(values: &[Complex<f64>], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(|v| (v.re, v.im)))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Complex<f64>>, D::Error> {
        let parts = Vec::<(f64, f64)>::deserialize(deserializer)?;
        Ok(parts.into_iter().map(|(re, im)| Complex::new(re, im)).collect())
    }
}

impl Record {
    /// Values of inequalities are no larger than this, so that "never comes near" is a number that root finding can
    /// work with.
    pub const FAR: f64 = 1e3;

    /// The smallest inequality; infinite when there are none.
    pub fn margin(&self) -> f64 {
        self.inequalities.iter().copied().fold(f64::INFINITY, f64::min)
    }
    /// Do all inequalities hold?
    pub fn admissible(&self) -> bool {
        self.inequalities.iter().all(|&v| v >= 0.0)
    }
    /// The multipliers of the return map: of symmetric orbits those of the half map.
    pub fn of_return_map(&self) -> &[Multiplier] {
        if self.nu.is_empty() {
            &self.multipliers
        } else {
            &self.nu
        }
    }
    /// The eigenvalues, each with the size of the numbers that it is made of.
    pub fn scaled_eigenvalues(&self) -> impl Iterator<Item = (Complex<f64>, f64)> {
        let largest = self.eigenvalues.iter().fold(0.0f64, |m, v| m.max(v.norm()));
        let scale = move |i: usize| self.scales.get(i).copied().unwrap_or(largest);
        self.eigenvalues.iter().enumerate().map(move |(i, v)| (*v, scale(i)))
    }
    /// The rates at which disturbances grow, largest first, with the angles by which they turn: the eigenvalues, or the
    /// logarithms of the multipliers of the return map. Stability is lost where the real part of one passes zero.
    pub(crate) fn exponents(&self) -> impl Iterator<Item = Complex<f64>> {
        let of_map = if self.eigenvalues.is_empty() {
            self.of_return_map()
        } else {
            &[]
        };
        let logarithms = of_map.iter().map(|m| Complex::new(LN_10 * m.log10, m.arg));
        self.eigenvalues.iter().copied().chain(logarithms)
    }
    /// Changes its sign where a multiplier of the return map passes +1 ([`psi_plus`]).
    pub fn distance_from_one(&self) -> f64 {
        psi_plus(self.of_return_map())
    }
    /// No multiplier outside the unit circle, no eigenvalue to the right of the imaginary axis? What is not known is
    /// not called stable.
    pub fn stable(&self) -> bool {
        self.unstable == 0 && !self.multipliers.iter().any(|m| m.log10.is_nan())
    }
}
