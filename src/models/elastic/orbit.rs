//! Periodic stick-slip motion of a bowed structure: how it is sought, and what is known of it.

use super::bowed::BowedStructure;
use super::error::ElasticError;
use super::event::{ContactEvent, Phase};
use super::march::Resolution;
use super::motion::Motion;
use nalgebra::Complex;

/// How orbits are sought.
///
/// ```
/// use slipstick_models::elastic::{BowedStructure, FrictionLaw, OrbitOptions, Structure};
/// let string = Structure::string(6, 1.0, 0.1, &[0.4])?;
/// let bowed = BowedStructure::new(&string, 0, FrictionLaw::bowed_string(), 1.5)?;
/// // The orbit alone, without its multipliers.
/// let options = OrbitOptions { multipliers: 0, ..OrbitOptions::default() };
/// let orbit = bowed.find_orbit(&bowed.start(-2.9, -2.7)?, 50.0, &options)?;
/// assert!(orbit.unstable().is_none() && orbit.residual < 1e-8);
/// # Ok::<(), slipstick_models::elastic::ElasticError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrbitOptions {
    /// Time steps.
    pub resolution: Resolution,
    /// Onsets of stick in one period.
    pub sticks: usize,
    /// Longest time without a change of phase, in periods of the lowest mode.
    pub patience: f64,
    /// How many of the leading multipliers are computed; 0 for none.
    pub multipliers: usize,
}

impl Default for OrbitOptions {
    /// One stick in a period, eight multipliers.
    fn default() -> Self {
        Self {
            resolution: Resolution::default(),
            sticks: 1,
            patience: 20.0,
            multipliers: 8,
        }
    }
}

/// A multiplier of the return map on the section y₂ = v₀, where the trivial multiplier 1 does not occur.
///
/// ```
/// use slipstick_models::elastic::{BowedStructure, FrictionLaw, OrbitOptions, Structure};
/// let string = Structure::string(6, 1.0, 0.1, &[0.4])?;
/// let bowed = BowedStructure::new(&string, 0, FrictionLaw::bowed_string(), 1.5)?;
/// let options = OrbitOptions { multipliers: 2, ..OrbitOptions::default() };
/// let orbit = bowed.find_orbit(&bowed.start(-2.9, -2.7)?, 50.0, &options)?;
/// // It was reached by simulation, so it attracts; each multiplier says how well it is known.
/// assert!(orbit.multipliers.iter().all(|mu| mu.value.norm() < 1.0 && mu.residual < 1e-3));
/// # Ok::<(), slipstick_models::elastic::ElasticError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BowedMultiplier {
    /// μ.
    pub value: Complex<f64>,
    /// |DP v - μ v| / |v|: the accuracy to which it is known.
    pub residual: f64,
}

/// A periodic orbit with stick.
///
/// ```
/// use slipstick_models::elastic::{BowedStructure, FrictionLaw, OrbitOptions, Structure};
/// let string = Structure::string(6, 1.0, 0.1, &[0.4])?;
/// let bowed = BowedStructure::new(&string, 0, FrictionLaw::bowed_string(), 1.5)?;
/// let orbit = bowed.find_orbit(&bowed.start(-2.9, -2.7)?, 50.0, &OrbitOptions::default())?;
/// assert!(orbit.word().starts_with("stick slip") && orbit.margin > 0.0);
/// assert!((orbit.durations.iter().sum::<f64>() - orbit.period).abs() < 1e-10);
/// // In stick the contact is carried along at the speed of the bow, if it sticks once in a period.
/// assert!((orbit.y1_slip - orbit.y1_stick - 1.5 * orbit.stick).abs() < 1e-8);
/// # Ok::<(), slipstick_models::elastic::ElasticError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BowedOrbit {
    /// v₀, μ, κ, σ.
    pub parameters: [f64; 4],
    /// Period.
    pub period: f64,
    /// The phases, from an onset of stick on.
    pub phases: Vec<Phase>,
    /// Their durations.
    pub durations: Vec<f64>,
    /// Modal state at the onset of stick (N displacements, N velocities).
    pub onset: Vec<f64>,
    /// Total time in stick.
    pub stick: f64,
    /// Contact displacement at the onset of stick.
    pub y1_stick: f64,
    /// Contact displacement when stick ends.
    pub y1_slip: f64,
    /// Jump of the contact force at the onset of stick.
    pub gap: f64,
    /// Largest and least contact displacement.
    pub y1_range: [f64; 2],
    /// Changes of phase within one period, times from the onset of stick; the last is the next onset.
    pub events: Vec<ContactEvent>,
    /// The smallest inequality of admissibility (see [`BowedProblem`](super::problem::BowedProblem)); negative when the
    /// orbit breaks one.
    pub margin: f64,
    /// |P(z) - z| / |z| in the energy norm.
    pub residual: f64,
    /// Leading multipliers, largest first.
    pub multipliers: Vec<BowedMultiplier>,
}

impl BowedOrbit {
    /// The phases as a word: `stick slip-`.
    pub fn word(&self) -> String {
        word(&self.phases)
    }
    /// Multipliers outside the unit circle; `None` when none were computed.
    pub fn unstable(&self) -> Option<usize> {
        let count = || self.multipliers.iter().filter(|m| m.value.norm() > 1.0).count();
        (!self.multipliers.is_empty()).then(count)
    }
    /// The motion over one period, by simulation from the onset of stick, with the contact at the ascending times `at`
    /// besides.
    pub fn motion(&self, bowed: &BowedStructure, at: &[f64], resolution: &Resolution) -> Result<Motion, ElasticError> {
        let bowed = bowed.with_parameters(self.parameters)?;
        bowed.simulate(&bowed.on_section(&self.onset), self.period, at, resolution)
    }
}

pub(crate) fn word(phases: &[Phase]) -> String {
    phases.iter().map(|p| p.name()).collect::<Vec<_>>().join(" ")
}
