//! Periodic orbits on an attracting sheet under slow forcing: averaging on the slow manifold.
//!
//! When one slow state is the phase of a forcing, `θ' = ω`, and the other drifts only at order ε, `z' = ε g₁(z, y,
//! θ) + O(ε²)`, the singular limit is a family of circles z = const. For ε > 0 it collapses to the limit cycles at
//! the zeros of the averaged drift
//! ```text
//! M(z) = ∮ g₁(z, h(z, θ), θ) dθ/ω,     f(z, h(z, θ), θ) = 0
//! ```
//! with multipliers `exp(ε M'(z) + O(ε²))` on the slow manifold and `exp((1/ε) ∮ f_y dθ/ω)` across it.
//!
//! For the stiction oscillator this is the pure-stick cycle of Bossolini, Brøns and Kristiansen 2017
//! (arXiv:1703.08437), proposition 5.5.

use super::error::SlowFastError;
use super::problem::{Reduction, SlowFastProblem, Stability, dot};
use serde::{Deserialize, Serialize};
use std::f64::consts::LN_10;

/// A limit cycle on an attracting slow manifold, to leading order in ε.
///
/// ```
/// use slipstick_slow_fast::{Reduction, SlowFastProblem};
/// use slipstick_system::catalogue::regularised_stiction;
/// use std::f64::consts::TAU;
/// let system = regularised_stiction();
/// let p = [2.0, 1.1, 0.4, 0.6, 1e-3]; // Ω, μ_s, μ_d, δ, ε
/// let layer = SlowFastProblem::new(&system, &p, Reduction::Finite)?;
/// let cycle = layer.slow_cycle(&[0.01, 0.0, 0.0])?;
/// // The mass that never breaks loose creeps to x = 0: stable, with a multiplier 1 - O(ε).
/// assert!(cycle.centre.abs() < 1e-14 && (cycle.period - TAU).abs() < 1e-15);
/// assert!(cycle.multiplier < 1.0 && cycle.multiplier > 0.9 && cycle.fast_log10 < -100.0);
/// # Ok::<(), slipstick_slow_fast::SlowFastError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlowCycle {
    /// The mode's states near the cycle at phase 0: on the slow manifold, with the drifting state at the centre,
    /// O(ε) away.
    pub start: Vec<f64>,
    /// Its period.
    pub period: f64,
    /// The zero of the averaged drift: the circle it comes from.
    pub centre: f64,
    /// The place of the state that drifts.
    pub(super) drifting: usize,
    /// The multiplier on the slow manifold, `exp(ε M')`.
    pub multiplier: f64,
    /// log₁₀ of the multiplier across it, `(1/ε) ∮ f_y dt / ln 10`.
    pub fast_log10: f64,
}

/// Nodes of the trapezium rule on the circle, which converges geometrically for analytic sheets.
const NODES: usize = 512;

/// What one turn at fixed z gives.
struct Turn {
    drift: f64,
    slope: f64,
    attraction: f64,
    /// The point of the sheet at phase 0.
    start: Vec<f64>,
}

impl SlowFastProblem<'_> {
    /// The limit cycle on the attracting sheet near the circle through `near`.
    ///
    /// # Errors
    /// When the slow states are not a uniform phase and one state that drifts at order ε; when the sheet does not
    /// reach round the circle; when the averaged drift has no zero near the start.
    pub fn slow_cycle(&self, near: &[f64]) -> Result<SlowCycle, SlowFastError> {
        const ITERATIONS: usize = 50;
        let limit = Self::new(self.system(), self.parameters(), Reduction::Singular)?;
        limit.two_slow_states("limit cycles by averaging")?;
        let not_forced = || {
            SlowFastError::Absent(format!(
                "averaging needs two slow states of mode `{}`: a phase with constant rate, and a state that is constant as ε → 0",
                self.mode().name
            ))
        };
        let phase = limit
            .slow()
            .find(|&i| limit.period(i).is_some())
            .ok_or_else(not_forced)?;
        let drifting = limit.slow().find(|&i| i != phase).ok_or_else(not_forced)?;
        let turn_angle = limit.period(phase).ok_or_else(not_forced)?;
        let rate = limit.local(near).slow[phase];
        if rate == 0.0 {
            return Err(not_forced());
        }
        let mut z = near[drifting];
        let mut last = f64::INFINITY;
        for _ in 0..ITERATIONS {
            let mut at = near.to_vec();
            at[drifting] = z;
            let turn = limit.turn(&at, phase, drifting, rate)?.ok_or_else(not_forced)?;
            let step = -turn.drift / turn.slope;
            let size = step.abs() / z.abs().max(1e-3);
            if size <= 1e-13 || (size <= 1e-9 && size >= 0.5 * last) {
                let epsilon = self.epsilon();
                return Ok(SlowCycle {
                    start: self.on_slow_manifold(&turn.start)?,
                    period: turn_angle / rate.abs(),
                    centre: z,
                    drifting,
                    multiplier: (epsilon * turn.slope).exp(),
                    fast_log10: turn.attraction / (epsilon * LN_10),
                });
            }
            last = size;
            z += step;
        }
        Err(SlowFastError::NoConvergence {
            what: "zero of the averaged drift",
            residual: last,
            iterations: ITERATIONS,
            advice: "start nearer to it, or scan the averaged drift",
        })
    }
    /// Average over one turn of the phase on the circle through `at`; `None` if the other slow state moves, or the
    /// phase is not uniform.
    fn turn(&self, at: &[f64], phase: usize, drifting: usize, rate: f64) -> Result<Option<Turn>, SlowFastError> {
        let turn_angle = self.period(phase).unwrap_or(1.0);
        let weight = turn_angle / (NODES as f64 * rate.abs());
        let mut x = at.to_vec();
        x[phase] = 0.0;
        let mut sum = Turn {
            drift: 0.0,
            slope: 0.0,
            attraction: 0.0,
            start: vec![],
        };
        for k in 0..NODES {
            x[phase] = turn_angle * k as f64 / NODES as f64;
            let on = self
                .project(&x)
                .ok()
                .filter(|on| on.stability() == Stability::Attracting);
            let on = on.ok_or_else(|| {
                SlowFastError::Absent(format!(
                    "the attracting sheet does not exist at all phases (it ends at phase {}): the forcing is too large",
                    x[phase]
                ))
            })?;
            x = on.state;
            let local = self.local(&x);
            if local.slow[drifting].abs() > 1e-12 || (local.slow[phase] - rate).abs() > 1e-9 * rate.abs() {
                return Ok(None);
            }
            if k == 0 {
                sum.start = x.clone();
            }
            let mut along = vec![0.0; x.len()];
            along[drifting] = 1.0;
            along[self.fast()] = -dot(&local.gradient, &along) / local.gradient[self.fast()];
            let (drift, slope) = self.drift_along(&x, &along, drifting);
            sum.drift += weight * drift;
            sum.slope += weight * slope;
            sum.attraction += weight * local.gradient[self.fast()];
        }
        Ok(Some(sum))
    }
}
