//! Slow manifolds of the full system: what the sheets of the critical manifold become for ε > 0.
//!
//! Away from folds a sheet perturbs to an invariant manifold at distance O(ε) (Fenichel), unique up to
//! exponentially small terms. An orbit started on a second-order approximation of it and followed in the direction
//! in which the fibres contract, forwards on attracting sheets and backwards on repelling ones, converges onto it
//! at the rate `exp(-∫|f_y| dt/ε)`: the manifold is computed as such orbits, and may be followed past folds.
//!
//! Reference: N. Fenichel, *Geometric singular perturbation theory for ordinary differential equations*, J.
//! Differential Equations 31 (1979) 53–98.

use super::error::SlowFastError;
use super::march::{Marcher, STEPS, TimedState};
use super::problem::{Reduction, SlowFastProblem, Stability};
use serde::{Deserialize, Serialize};
use slipstick_flow::{FlowOptions, Method, ModeFlow};

/// An orbit on an attracting or repelling slow manifold.
///
/// ```
/// use slipstick_slow_fast::{Reduction, SlowFastProblem, Stability};
/// use slipstick_system::catalogue::regularised_stiction;
/// let system = regularised_stiction();
/// let p = [2.0, 1.1, 0.4, 0.6, 1e-3]; // Ω, μ_s, μ_d, δ, ε
/// let layer = SlowFastProblem::new(&system, &p, Reduction::Singular)?;
/// // A repelling manifold attracts backwards in time: an orbit on it is followed that way.
/// let start = layer.sheets(&[-0.03, 0.0, 5.6], (0.6, 1.0))?.remove(0);
/// let orbit = layer.slow_manifold_orbit(&start.state, 0.3)?;
/// assert_eq!(orbit.sheet, Stability::Repelling);
/// let [first, last] = [&orbit.points[0], orbit.points.last().unwrap()];
/// assert!(first.time < -0.2 && last.time == 0.0 && layer.force(&last.state).abs() < 1e-2);
/// # Ok::<(), slipstick_slow_fast::SlowFastError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ManifoldOrbit {
    /// The sheet it was started near.
    pub sheet: Stability,
    /// Its points by increasing time, which is 0 at the start.
    pub points: Vec<TimedState>,
    /// Did it reach the end of the mode before its time?
    pub leaves: bool,
}

/// Stretches in which an orbit is computed.
const STRETCHES: usize = 24;

impl<'a> SlowFastProblem<'a> {
    /// This problem with ε kept everywhere.
    pub(super) fn full(&self) -> Result<Self, SlowFastError> {
        Self::new(self.system(), self.parameters(), Reduction::Finite)
    }
    /// The flow of the full system in this mode, stiff.
    pub(super) fn full_flow(&self) -> ModeFlow<'_> {
        let options = FlowOptions {
            method: Method::Stiff,
            ..FlowOptions::default()
        };
        ModeFlow::new(self.system(), self.mode_index(), options)
    }
    /// The same with few steps, for stretches that are halved where they fail.
    pub(super) fn marching_flow(&self) -> ModeFlow<'_> {
        let options = FlowOptions {
            max_steps: STEPS,
            ..*self.full_flow().options()
        };
        ModeFlow::new(self.system(), self.mode_index(), options)
    }
    /// The point of the slow manifold on the fast fibre through `near`, to second order in ε: `f(z, y) = ε y'` with
    /// y' that of the reduced flow.
    ///
    /// # Errors
    /// When no sheet is near, or it is too near to a fold for its perturbation to stay on its side.
    pub fn on_slow_manifold(&self, near: &[f64]) -> Result<Vec<f64>, SlowFastError> {
        const ITERATIONS: usize = 30;
        let full = self.full()?;
        let sheet = full.project(near)?;
        let mut x = sheet.state.clone();
        let fast = self.fast();
        let mut residual = f64::INFINITY;
        for _ in 0..ITERATIONS {
            let local = full.local(&x);
            let slope = local.gradient[fast];
            if slope * sheet.slope <= 0.0 {
                break;
            }
            residual = local.force + self.epsilon() * local.push() / slope;
            let step = residual / slope;
            x[fast] -= step;
            if step.abs() <= 1e-13 * x[fast].abs().max(1.0) {
                return Ok(x);
            }
        }
        Err(SlowFastError::NoConvergence {
            what: "slow manifold on a fast fibre",
            residual: residual.abs(),
            iterations: ITERATIONS,
            advice: "start farther from the fold, or make ε smaller",
        })
    }
    /// The orbit on the slow manifold through the fast fibre of `near`, for the time `|time|` in the direction in
    /// which that manifold attracts: forwards from an attracting sheet, backwards from a repelling one. It ends
    /// early where the mode ends.
    ///
    /// # Errors
    /// As [`SlowFastProblem::on_slow_manifold`], or when the flow fails.
    pub fn slow_manifold_orbit(&self, near: &[f64], time: f64) -> Result<ManifoldOrbit, SlowFastError> {
        let start = self.on_slow_manifold(near)?;
        let sheet = self.full()?.stability(&start);
        let forwards = sheet == Stability::Attracting;
        let sign = if forwards { 1.0 } else { -1.0 };
        let (mut points, leaves) = self.full_orbit(&start, sign * time.abs())?;
        if !forwards {
            points.reverse();
        }
        Ok(ManifoldOrbit { sheet, points, leaves })
    }
    /// The orbit of the full system in this mode from `start` over the signed `time`, in the order computed, and
    /// whether it left the mode.
    pub(super) fn full_orbit(&self, start: &[f64], time: f64) -> Result<(Vec<TimedState>, bool), SlowFastError> {
        let marcher = Marcher {
            flow: self.marching_flow(),
            parameters: self.parameters(),
            stretch: time / STRETCHES as f64,
            budget: STRETCHES,
        };
        let march = marcher.march(start, &[&|_, x| self.room(x)])?;
        Ok((march.points, march.stopped.is_some()))
    }
}
