//! Singular canard cycles: slow along a canard, a jump from its repelling part, and a return onto its attracting part.
//!
//! Where the curve of landing points crosses the canard transversally, a periodic orbit with a canard segment
//! exists for all small ε, of saddle type with multipliers `exp(±O(1/ε))` (Bossolini, Brøns and Kristiansen 2017,
//! proposition 6.8).

use super::error::SlowFastError;
use super::fibres::FibreReturn;
use super::problem::{SlowFastProblem, dot};
use super::reduced_flow::ReducedPoint;
use super::singular_canard::{Along, SingularCanard};
use serde::{Deserialize, Serialize};
use slipstick_flow::Junction;

/// A singular canard cycle, or half of a symmetric one.
///
/// ```
/// use slipstick_slow_fast::{FoldedClass, Reduction, SlowFastProblem};
/// use slipstick_system::catalogue::regularised_stiction;
/// use std::f64::consts::TAU;
/// let system = regularised_stiction();
/// let p = [2.0, 1.1, 0.4, 0.6, 1e-3]; // Ω, μ_s, μ_d, δ, ε
/// let layer = SlowFastProblem::new(&system, &p, Reduction::Singular)?;
/// let folded = layer.folded_singularities(&[(-0.6, 0.6), (-1.0, 1.0), (0.0, TAU)])?;
/// let saddle = folded.iter().find(|f| f.class == FoldedClass::Saddle && f.state[1] < 0.0).ok_or("no saddle")?;
/// let canard = layer.singular_canards(saddle, TAU)?.remove(0);
///
/// // Along the canard, then through slip back onto it, mirrored: half of a symmetric cycle.
/// let cycles = layer.singular_cycles(&canard, true, 40, (-1.0, 1.0), 10.0)?;
/// assert_eq!(cycles.len(), 1);
/// // It takes half a period of the forcing, and the crossing is transversal: a cycle exists for all small ε.
/// assert!((cycles[0].duration - TAU / 2.0).abs() < 1e-12 && cycles[0].transversality.abs() > 0.02);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SingularCycle {
    /// The jump: from the repelling part of the canard through the other modes back onto the attracting sheet.
    pub jump: FibreReturn,
    /// Where it lands on the canard (for a symmetric cycle: its mirror image does); the time is that of the canard,
    /// negative.
    pub arrival: ReducedPoint,
    /// The slow time between landing and launch, and with the other modes' durations the whole period (half of it,
    /// for a symmetric cycle).
    pub slow_time: f64,
    /// The whole duration: slow time and the visits to other modes.
    pub duration: f64,
    /// The sine of the angle, in the slow states, between the curve of landing points and the canard. Not zero:
    /// transversal.
    pub transversality: f64,
}

impl SlowFastProblem<'_> {
    /// All singular canard cycles of the vrai canard `canard` that return to it after one jump, sought from `count`
    /// launches. With `symmetric`, the jump returns to the mirror image of the canard and the cycle closes by the
    /// system's symmetry.
    ///
    /// # Errors
    /// When the mode does not have two slow states, the canard has no repelling part, or symmetric cycles are asked
    /// of a system without a symmetry that keeps the mode.
    pub fn singular_cycles(
        &self,
        canard: &SingularCanard,
        symmetric: bool,
        count: usize,
        range: (f64, f64),
        horizon: f64,
    ) -> Result<Vec<SingularCycle>, SlowFastError> {
        self.two_slow_states("singular canard cycles")?;
        let home = self.mode_index();
        let keeps = self.system().symmetry.as_ref().is_some_and(|s| s.modes[home] == home);
        if symmetric && !keeps {
            return Err(SlowFastError::Argument(format!(
                "`{}` has no symmetry that maps mode `{}` to itself",
                self.system().name,
                self.mode().name
            )));
        }
        let returns = self.fibre_returns(canard, count, range, horizon)?;
        let landings: Vec<Vec<f64>> = returns
            .iter()
            .map(|r| self.mirrored(&r.landing.state, &r.tangent, symmetric).0)
            .collect();
        let attracting: Vec<&ReducedPoint> = canard.points.iter().filter(|p| p.time < 0.0).collect();
        let mut found = Vec::new();
        for j in 1..returns.len() {
            // A gap in the launches, where fibres did not come back, is not a piece of the curve.
            if returns[j].launch.time - returns[j - 1].launch.time
                > 1.5 * canard.points.last().map_or(0.0, |p| p.time) / count as f64
            {
                continue;
            }
            for w in attracting.windows(2) {
                let from = self.difference(&landings[j - 1], &w[0].state);
                let to = self.difference(&landings[j], &landings[j - 1]);
                let along = self.difference(&w[1].state, &w[0].state);
                let Some((a, b)) = self.solve_slow(&to, &along, &from) else {
                    continue;
                };
                // from + a·to = b·along within both segments.
                let (a, b) = (-a, b);
                if !(0.0..1.0).contains(&a) || !(0.0..1.0).contains(&b) {
                    continue;
                }
                let launch = returns[j - 1].launch.time + a * (returns[j].launch.time - returns[j - 1].launch.time);
                let arrival = w[0].time + b * (w[1].time - w[0].time);
                found.push(self.close_cycle(canard, symmetric, [launch, arrival], range, horizon)?);
            }
        }
        Ok(found)
    }
    /// A landing and its tangent, mirrored if asked for.
    pub(super) fn mirrored(&self, x: &[f64], v: &[f64], symmetric: bool) -> (Vec<f64>, Vec<f64>) {
        if symmetric {
            self.mirror(x, v)
        } else {
            (x.to_vec(), v.to_vec())
        }
    }
    /// The image of a point of the mode and a tangent there under the system's symmetry (themselves, without one).
    pub fn mirror(&self, x: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
        if self.system().symmetry.is_none() {
            return (x.to_vec(), v.to_vec());
        }
        let mut junction = Junction::new(self.system(), self.mode_index(), None, true);
        let n = x.len();
        let (mut out, mut dx) = (vec![0.0; n], vec![0.0; n * n]);
        junction.linearise(x, self.parameters(), &[], &mut out, &mut dx, &mut []);
        (out, (0..n).map(|i| dot(&dx[i * n..(i + 1) * n], v)).collect())
    }
    /// (a, b) with `a u + b v = w` in the two slow states.
    fn solve_slow(&self, u: &[f64], v: &[f64], w: &[f64]) -> Option<(f64, f64)> {
        let s: Vec<usize> = self.slow().collect();
        let cross = |a: &[f64], b: &[f64]| a[s[0]] * b[s[1]] - a[s[1]] * b[s[0]];
        let det = cross(u, v);
        (det != 0.0).then(|| (cross(w, v) / det, cross(u, w) / det))
    }
    /// The sine of the angle between two directions in the two slow states.
    pub(super) fn transversality(&self, u: &[f64], v: &[f64]) -> f64 {
        let s: Vec<usize> = self.slow().collect();
        let size = |v: &[f64]| v[s[0]].hypot(v[s[1]]);
        let cross = u[s[0]] * v[s[1]] - u[s[1]] * v[s[0]];
        cross / (size(u) * size(v))
    }
    /// Newton's method on (launch time, arrival time) for the landing to lie on the canard.
    fn close_cycle(
        &self,
        canard: &SingularCanard,
        symmetric: bool,
        mut times: [f64; 2],
        range: (f64, f64),
        horizon: f64,
    ) -> Result<SingularCycle, SlowFastError> {
        const ITERATIONS: usize = 20;
        let side = self.jump_side(canard).unwrap_or(1.0);
        let on = |time: f64| -> Result<ReducedPoint, SlowFastError> {
            (self.canard_at(canard, Along::Time, time)?.into_iter().next()).ok_or_else(|| {
                SlowFastError::Absent(format!(
                    "the canard ends before slow time {}",
                    time * self.system().units.time
                ))
            })
        };
        let mut last = f64::INFINITY;
        for _ in 0..ITERATIONS {
            let jump = self.fibre_return(&on(times[0])?, side, range, horizon)?;
            let arrival = on(times[1])?;
            let (landing, tangent) = self.mirrored(&jump.landing.state, &jump.tangent, symmetric);
            let gap = self.difference(&landing, &arrival.state);
            let canard_direction = self.local(&arrival.state).slow;
            // gap + a · tangent - b · direction = 0.
            let Some((a, b)) = self.solve_slow(&tangent, &canard_direction, &gap) else {
                break;
            };
            let step = a.abs().max(b.abs());
            if step <= 1e-14 || (step <= 1e-10 && step >= 0.5 * last) {
                let slow_time = jump.launch.time - arrival.time;
                return Ok(SingularCycle {
                    duration: slow_time + jump.segments.iter().map(|v| v.1).sum::<f64>(),
                    slow_time,
                    transversality: self.transversality(&tangent, &canard_direction),
                    jump,
                    arrival,
                });
            }
            last = step;
            times = [times[0] - a, times[1] + b];
        }
        Err(SlowFastError::NoConvergence {
            what: "singular canard cycle",
            residual: last,
            iterations: ITERATIONS,
            advice: "use more launches",
        })
    }
}
