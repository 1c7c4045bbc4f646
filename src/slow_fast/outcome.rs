//! Jump or turn: what becomes of points in the slow–fast mode, and the separatrices between.
//!
//! An orbit that comes to a fold past the canard leaves along a fast fibre: it *jumps*. One that passes before it
//! *turns* and stays in the mode. The separatrix is the vrai canard, for ε > 0 the repelling slow manifold. Slowly
//! varying families of starts (phases at which the mode is entered) are divided by it into intervals.

use super::error::SlowFastError;
use super::problem::SlowFastProblem;
use super::reduced_flow::ReducedEnd;
use serde::{Deserialize, Serialize};
use slipstick_numerics::roots::boundary;

/// What becomes of a point.
///
/// ```
/// use slipstick_slow_fast::Outcome;
/// assert!(Outcome::Jumps(0.4).jumps() && !Outcome::Turns.jumps());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// It leaves the slow–fast mode (full system), or reaches a fold or runs off to infinity (reduced flow), after this
    /// time.
    Jumps(f64),
    /// It stays for the time considered.
    Turns,
}

impl Outcome {
    /// Is it a jump?
    pub fn jumps(self) -> bool {
        matches!(self, Self::Jumps(_))
    }
}

/// A value of a family's variable at which fates change.
///
/// ```
/// use slipstick_slow_fast::{Reduction, SlowFastProblem, separatrices};
/// use slipstick_system::catalogue::regularised_stiction;
/// use std::f64::consts::PI;
/// let system = regularised_stiction();
/// let p = [2.0, 1.1, 0.4, 0.6, 1e-3]; // Ω, μ_s, μ_d, δ, ε
/// let layer = SlowFastProblem::new(&system, &p, Reduction::Singular)?;
/// // Starts on the attracting sheet at ŷ = 0, by their phase: which of them jump, and which turn back?
/// let outcome = |theta: f64| layer.reduced_outcome(&[-theta.sin() / 4.0, 0.0, theta], PI);
/// let found = separatrices(outcome, (2.5, 3.5), 5)?;
/// // Between them runs the vrai canard, through this phase.
/// assert!(found.len() == 1 && (found[0].value - 3.041_425_232_428_233).abs() < 1e-10 && !found[0].jumps_above);
/// # Ok::<(), slipstick_slow_fast::SlowFastError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Separatrix {
    /// The value, to rounding.
    pub value: f64,
    /// Do the members just above it jump (and those below turn), or conversely?
    pub jumps_above: bool,
}

impl SlowFastProblem<'_> {
    /// What the full system does with `start` within `horizon`.
    ///
    /// # Errors
    /// When the flow fails.
    pub fn outcome(&self, start: &[f64], horizon: f64) -> Result<Outcome, SlowFastError> {
        let (points, leaves) = self.full_orbit(start, horizon.abs())?;
        let last = points.last().map_or(0.0, |p| p.time);
        Ok(if leaves { Outcome::Jumps(last) } else { Outcome::Turns })
    }
    /// What the reduced flow does within `horizon` with the point of a sheet on the fast fibre of `start`.
    ///
    /// # Errors
    /// When no sheet is near, or the flow fails.
    pub fn reduced_outcome(&self, start: &[f64], horizon: f64) -> Result<Outcome, SlowFastError> {
        let orbit = self.reduced_orbit(start, horizon.abs())?;
        let last = orbit.points.last().map_or(0.0, |p| p.time);
        Ok(match orbit.end {
            ReducedEnd::Fold | ReducedEnd::Boundary | ReducedEnd::Infinity => Outcome::Jumps(last),
            ReducedEnd::Time | ReducedEnd::Equilibrium | ReducedEnd::Indistinct => Outcome::Turns,
        })
    }
}

/// All values of `s` in `range` at which the outcome changes between jump and turn, each bisected to rounding; the
/// range is first sampled at `samples` ≥ 2 points, and two changes between neighbouring samples are not seen.
///
/// # Errors
/// What `outcome` returns.
pub fn separatrices(
    outcome: impl Fn(f64) -> Result<Outcome, SlowFastError>,
    range: (f64, f64),
    samples: usize,
) -> Result<Vec<Separatrix>, SlowFastError> {
    if samples < 2 || range.0 >= range.1 || !(range.1 - range.0).is_finite() {
        return Err(SlowFastError::Argument(format!(
            "separatrices are sought from at least 2 samples of a proper interval; got {samples} of {range:?}"
        )));
    }
    let node = |k: usize| range.0 + (range.1 - range.0) * k as f64 / (samples - 1) as f64;
    let mut found = Vec::new();
    let mut low = outcome(range.0)?.jumps();
    for k in 1..samples {
        let high = outcome(node(k))?.jumps();
        if low != high {
            let (_, value) = boundary(node(k - 1), node(k), |s| {
                Ok::<_, SlowFastError>(outcome(s)?.jumps() == low)
            })?;
            found.push(Separatrix {
                value,
                jumps_above: high,
            });
        }
        low = high;
    }
    Ok(found)
}
