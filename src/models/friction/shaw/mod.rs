//! Shaw's oscillator: a mass on a spring with dry friction under any forcing, in two phases.
//!
//! ```text
//! m x'' + F(x') = b,    b = K (β T(t) - x) - 2α x',    |F| ≤ f_s at rest,    F = f_d sign x' in motion,    f_d ≤ f_s
//! ```
//!
//! The mass rests while |b| ≤ f_s (a *static phase*). When |b| exceeds f_s a *dynamic phase* begins; it consists of
//! *sub-phases*, each ending where the velocity vanishes: there the mass comes to rest if |b| ≤ f_s and turns round
//! otherwise.
//!
//! - [`Forcing`]: tones, records, functions; everything below takes any of them.
//! - [`Cascade`]: the exact motion, phase by phase, with closed forms in between and the table of instants τ.
//! - [`EulerScheme`] and [`convergence`]: the time stepping of the variational inequality, and its error against the
//!   exact motion.
//! - [`Ensemble`]: Ornstein–Uhlenbeck forcing, many paths, statistics with standard errors.
//! - [`quasi_static`]: what becomes of it all when the forcing is slow.
//!
//! Sources: S. W. Shaw, J. Sound Vib. 108 (1986) 305–325; A. Bensoussan, A. Brouste, F. B. Cartiaux, C. Mathey and L.
//! Mertz, *Mathematical formulation of a dynamical system with dry friction subjected to external forces*. Three slips
//! of the latter are put right here: ω in its (12)–(16) is √(K/m), (15) starts at τ_{j+1/2}, and its algorithm must end
//! with τ_{j+1} = τ_j^{k+1}.

mod cascade;
mod convergence;
mod ensemble;
mod euler;
mod forcing;
mod noise;
pub mod quasi_static;
mod response;

pub use cascade::{Cascade, CascadeError, Instant, Motion, Snapshot, Tau};
pub use convergence::{ConvergenceRow, convergence};
pub use ensemble::{Ensemble, EnsembleStatistics, PathSolver, PathSummary, Statistic};
pub use euler::EulerScheme;
pub use forcing::{Forcing, ForcingError, Interpolation, Tone};
pub(in crate::friction) use noise::Normal;
pub use noise::OrnsteinUhlenbeck;

use serde::Deserialize;

/// The parameters of the oscillator, without its forcing.
///
/// ```
/// use slipstick_models::friction::shaw::{Cascade, Forcing, Oscillator};
/// // A heavy mass on a soft spring, with little difference between static and dynamic friction.
/// let oscillator = Oscillator { mass: 4.0, f_s: 1.05, ..Oscillator::default() };
/// assert!(oscillator.check().is_ok() && oscillator.natural_frequency() == 0.5);
/// let motion = Cascade::new(oscillator, &Forcing::harmonic(0.5), (0.0, 0.0, 0.0), 30.0)?;
/// assert!(motion.time_at_rest(0.0, 30.0) < 30.0, "it breaks loose");
/// # Ok::<(), slipstick_models::friction::shaw::CascadeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Oscillator {
    /// Mass m > 0.
    pub mass: f64,
    /// Stiffness K > 0.
    pub stiffness: f64,
    /// Displacement per unit of forcing: β in K (β T - x).
    pub beta: f64,
    /// Viscous damping α ≥ 0; the damping force is 2α x'.
    pub alpha: f64,
    /// Static friction.
    pub f_s: f64,
    /// Dynamic friction, at most the static one.
    pub f_d: f64,
}

/// A parameter that makes no sense.
///
/// ```
/// use slipstick_models::friction::shaw::Oscillator;
/// // Friction grows when the mass stops, never when it starts.
/// let error = Oscillator { f_d: 1.5, f_s: 1.2, ..Oscillator::default() }.check().unwrap_err();
/// assert!((error.name, error.value) == ("f_s", 1.2) && error.requirement.contains("f_d"), "{error}");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{name} = {value} is not possible: {requirement}")]
pub struct ParameterError {
    /// Which one.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// What it must satisfy.
    pub requirement: &'static str,
}

impl Default for Oscillator {
    /// Parameters (𝒫) of Bensoussan et al., chosen after Shaw's Fig. 8 so that the mass sticks; forced by cos(t/2).
    fn default() -> Self {
        Self {
            mass: 1.0,
            stiffness: 1.0,
            beta: 6.0,
            alpha: 0.0,
            f_s: 1.2,
            f_d: 1.0,
        }
    }
}

impl Oscillator {
    /// Check that every parameter makes sense.
    ///
    /// # Errors
    /// Names the first one that does not.
    pub fn check(&self) -> Result<(), ParameterError> {
        let rules: [(&'static str, f64, bool, &'static str); 6] = [
            ("mass", self.mass, self.mass > 0.0, "a mass is positive"),
            (
                "stiffness",
                self.stiffness,
                self.stiffness > 0.0,
                "a stiffness is positive",
            ),
            ("beta", self.beta, self.beta.is_finite(), "it must be a number"),
            ("alpha", self.alpha, self.alpha >= 0.0, "damping is not negative"),
            ("f_d", self.f_d, self.f_d > 0.0, "dynamic friction is positive"),
            (
                "f_s",
                self.f_s,
                self.f_s >= self.f_d,
                "static friction is at least the dynamic friction f_d",
            ),
        ];
        for (name, value, holds, requirement) in rules {
            if !(holds && value.is_finite()) {
                return Err(ParameterError {
                    name,
                    value,
                    requirement,
                });
            }
        }
        Ok(())
    }

    /// The force b at displacement `x`, velocity `v` and forcing `t` (the value of T).
    pub fn force(&self, x: f64, v: f64, t: f64) -> f64 {
        self.stiffness * (self.beta * t - x) - 2.0 * self.alpha * v
    }

    /// The natural angular frequency √(K/m).
    pub fn natural_frequency(&self) -> f64 {
        (self.stiffness / self.mass).sqrt()
    }
}
