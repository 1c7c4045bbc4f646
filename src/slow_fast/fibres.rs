//! Fast fibres: where a jump from a sheet leads, through other modes and back.
//!
//! With the slow states frozen the fast one runs along its fibre to the next sheet, or out of the mode through an
//! event. The other modes then carry the state on until it enters the slow–fast mode again and falls along a fibre
//! onto a sheet. The derivative of the landing with respect to the launch is carried along exactly.
//!
//! Reference for the return map of the fibres of a canard: Bossolini, Brøns and Kristiansen 2017
//! (arXiv:1703.08437), proposition 6.8 and figure 12.

use super::error::SlowFastError;
use super::manifold::ManifoldPoint;
use super::problem::{SlowFastProblem, Stability, dot};
use super::reduced_flow::ReducedPoint;
use super::singular_canard::SingularCanard;
use serde::{Deserialize, Serialize};
use slipstick_flow::Junction;
use slipstick_flow::{FlowOptions, ModeFlow, Transition};
use slipstick_numerics::roots::sampled_zeros;
use slipstick_system::{Event, SharedFunction, jacobian};

/// Where a fast fibre leads.
///
/// ```
/// use slipstick_slow_fast::{FibreEnd, Reduction, SlowFastProblem};
/// use slipstick_system::catalogue::regularised_stiction;
/// let system = regularised_stiction();
/// let p = [2.0, 1.1, 0.4, 0.6, 1e-3]; // Ω, μ_s, μ_d, δ, ε
/// let layer = SlowFastProblem::new(&system, &p, Reduction::Singular)?;
/// // The attracting and the repelling sheet over x = -0.2, θ = 0.
/// let sheets = layer.sheets(&[-0.2, 0.0, 0.0], (-1.0, 1.0))?;
/// let repelling = &sheets[1].state;
/// // From the repelling one the fast fibre leads down to the other, and up out of the layer into slip.
/// let FibreEnd::Sheet(below) = layer.follow_fibre(repelling, -1.0, (-1.0, 1.0))? else { panic!("a sheet is met") };
/// assert!((below.state[1] - sheets[0].state[1]).abs() < 1e-13);
/// let FibreEnd::Leaves { event, .. } = layer.follow_fibre(repelling, 1.0, (-1.0, 1.0))? else { panic!("nothing is in the way") };
/// assert_eq!(layer.mode().events[event].name, "leave+");
/// # Ok::<(), slipstick_slow_fast::SlowFastError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum FibreEnd {
    /// To a sheet.
    Sheet(ManifoldPoint),
    /// Out of the mode: the number of the event and the mode's states there.
    Leaves {
        /// The index of the event among the mode's.
        event: usize,
        /// The mode's states at the event.
        state: Vec<f64>,
    },
}

/// The return of a fast fibre to the slow–fast mode.
///
/// ```
/// use slipstick_slow_fast::{FoldedClass, Reduction, SlowFastProblem};
/// use slipstick_system::catalogue::regularised_stiction;
/// use std::f64::consts::TAU;
/// let system = regularised_stiction();
/// let p = [2.0, 1.1, 0.4, 0.6, 1e-3]; // Ω, μ_s, μ_d, δ, ε
/// let layer = SlowFastProblem::new(&system, &p, Reduction::Singular)?;
/// let folded = layer.folded_singularities(&[(-0.6, 0.6), (-1.0, 1.0), (0.0, TAU)])?;
/// let saddle = folded.iter().find(|f| f.class == FoldedClass::Saddle && f.state[1] > 0.0).ok_or("no saddle")?;
/// let canard = layer.singular_canards(saddle, TAU)?.remove(0);
///
/// // From 0.8 after the fold on the repelling sheet, upwards: into slip, and back onto the attracting sheet.
/// let launch = layer.canard_at(&canard, slipstick_slow_fast::Along::Time, 0.8)?.remove(0);
/// let back = layer.fibre_return(&launch, 1.0, (-1.0, 1.0), 10.0)?;
/// assert!(launch.slope > 0.0 && back.landing.slope < 0.0 && back.segments.len() == 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FibreReturn {
    /// The point from which the fibre was launched.
    pub launch: ReducedPoint,
    /// The visits to other modes in between: mode and duration.
    pub segments: Vec<(usize, f64)>,
    /// The point of the attracting sheet on which it lands; angles run on from the launch.
    pub landing: ManifoldPoint,
    /// d(landing)/d(time of launch) of the slow states; 0 in the place of the fast one.
    pub tangent: Vec<f64>,
}

/// A guard or condition with its gradient.
fn gradient(f: &SharedFunction, x: &[f64], p: &[f64]) -> (f64, Vec<f64>) {
    let mut value = [0.0];
    let mut dx = vec![0.0; x.len()];
    jacobian(&**f, x, p, &[], &mut value, &mut dx, &mut []);
    (value[0], dx)
}

/// Do the event's further conditions hold?
fn permitted(event: &Event, x: &[f64], p: &[f64]) -> bool {
    event.when.iter().all(|condition| {
        let mut value = [0.0];
        condition.function.value(x, p, &mut value);
        value[0] > 0.0
    })
}

impl SlowFastProblem<'_> {
    /// Follow the fast fibre from `from` towards larger (`sign` > 0) or smaller values of the fast state, at most
    /// to the end of `range`, to the next sheet or event.
    ///
    /// # Errors
    /// When it meets neither within the range.
    pub fn follow_fibre(&self, from: &[f64], sign: f64, range: (f64, f64)) -> Result<FibreEnd, SlowFastError> {
        /// A sheet or event this near to the start, in units of the range, is the start itself.
        const HERE: f64 = 1e-9;
        let fast = self.fast();
        let y0 = from[fast];
        let ahead = |y: f64| (y - y0) * sign;
        let here = HERE * (range.1 - range.0);
        let sheet = (self.sheets(from, range)?.into_iter())
            .filter(|s| ahead(s.state[fast]) > here)
            .min_by(|a, b| ahead(a.state[fast]).total_cmp(&ahead(b.state[fast])));
        let mut best: Option<(f64, FibreEnd)> = sheet.map(|s| (ahead(s.state[fast]), FibreEnd::Sheet(s)));
        for (number, event) in self.mode().events.iter().enumerate() {
            let mut x = from.to_vec();
            let crossings = sampled_zeros(
                |y| {
                    x[fast] = y;
                    let (value, slope) = gradient(&event.guard, &x, self.parameters());
                    (value, slope[fast])
                },
                range.0,
                range.1,
            );
            for y in crossings {
                let mut state = from.to_vec();
                state[fast] = y;
                let rate = gradient(&event.guard, &state, self.parameters()).1[fast] * sign;
                let fires = rate * event.direction.sign() > 0.0 && permitted(event, &state, self.parameters());
                if fires && ahead(y) > here && best.as_ref().is_none_or(|b| ahead(y) < b.0) {
                    best = Some((ahead(y), FibreEnd::Leaves { event: number, state }));
                }
            }
        }
        best.map(|b| b.1).ok_or_else(|| {
            let units = self.system().units_of_mode(self.mode_index());
            let from: Vec<f64> = from.iter().zip(&units).map(|(x, unit)| x * unit).collect();
            let range = (range.0 * units[fast], range.1 * units[fast]);
            SlowFastError::Absent(format!(
                "the fast fibre from {from:?} reaches neither a sheet nor an event with the fast state in {range:?}; widen the range"
            ))
        })
    }
    /// Launch the fast fibre of `launch` (a point of a repelling sheet, moving with the reduced flow) on the side
    /// `sign`, and follow it through the other modes back onto an attracting sheet, for at most the time `horizon`.
    ///
    /// # Errors
    /// When it does not come back in time, or a flow fails.
    pub fn fibre_return(
        &self,
        launch: &ReducedPoint,
        sign: f64,
        range: (f64, f64),
        horizon: f64,
    ) -> Result<FibreReturn, SlowFastError> {
        let home = self.mode_index();
        let n = self.dimension();
        let mut segments: Vec<(usize, f64)> = Vec::new();
        let mut tangent = self.local(&launch.state).slow;
        let mut end = self.follow_fibre(&launch.state, sign, range)?;
        loop {
            let (event, state) = match end {
                FibreEnd::Sheet(landing) => {
                    tangent[self.fast()] = 0.0;
                    return Ok(FibreReturn {
                        launch: launch.clone(),
                        segments,
                        landing,
                        tangent,
                    });
                }
                FibreEnd::Leaves { event, state } => (event, state),
            };
            // On the event's surface the fast state moves with the slow ones.
            let guard = gradient(&self.mode().events[event].guard, &state, self.parameters()).1;
            tangent[self.fast()] = 0.0;
            tangent[self.fast()] = -dot(&guard, &tangent) / guard[self.fast()];
            let (mut mode, mut x, mut v) = self.pass(home, event, &state, &tangent);
            while mode != home {
                let used: f64 = segments.iter().map(|v| v.1).sum();
                let (event, duration, at, moved) = self.cross(mode, &x, &v, horizon - used)?;
                segments.push((mode, duration));
                (mode, x, v) = self.pass(mode, event, &at, &moved);
            }
            tangent = v;
            let mut rate = vec![0.0; n];
            self.mode().field.value(&x, self.parameters(), &mut rate);
            end = self.follow_fibre(&x, rate[self.fast()].signum(), range)?;
        }
    }
    /// Through an event: the next mode, its state and the tangent there.
    fn pass(&self, mode: usize, event: usize, x: &[f64], v: &[f64]) -> (usize, Vec<f64>, Vec<f64>) {
        let mut junction = Junction::new(self.system(), mode, Some(event), false);
        let (n, m) = (x.len(), junction.outputs());
        let (mut out, mut dx) = (vec![0.0; m], vec![0.0; n * m]);
        junction.linearise(x, self.parameters(), &[], &mut out, &mut dx, &mut []);
        let moved = (0..m).map(|i| dot(&dx[i * n..(i + 1) * n], v)).collect();
        (self.system().modes[mode].events[event].target, out, moved)
    }
    /// Across a mode: its first event within `horizon`, the duration, the state there and the tangent on the
    /// event's surface.
    fn cross(
        &self,
        mode: usize,
        x: &[f64],
        v: &[f64],
        horizon: f64,
    ) -> Result<(usize, f64, Vec<f64>, Vec<f64>), SlowFastError> {
        let p = self.parameters();
        let flow = ModeFlow::new(self.system(), mode, FlowOptions::default());
        let path = flow.path(x, horizon.max(0.0), p)?;
        let mut first: Option<(f64, usize)> = None;
        for (number, event) in flow.mode().events.iter().enumerate() {
            for crossing in path.crossings(&*event.guard, event.direction, p, 0.0, horizon.max(0.0))? {
                let mut at = vec![0.0; x.len()];
                path.state(crossing.t, &mut at)?;
                if permitted(event, &at, p) {
                    if first.is_none_or(|f| crossing.t < f.0) {
                        first = Some((crossing.t, number));
                    }
                    break;
                }
            }
        }
        let (duration, number) = first.ok_or_else(|| {
            let horizon = horizon * self.system().units.time;
            SlowFastError::Absent(format!(
                "the orbit does not return after the jump: no event of mode `{}` within the remaining time {horizon}; raise the horizon",
                flow.mode().name
            ))
        })?;
        let mut end = Transition::default();
        flow.linearise(x, duration, p, &[], &mut end)?;
        let n = x.len();
        let propagated: Vec<f64> = (0..n).map(|i| dot(&end.dx[i * n..(i + 1) * n], v)).collect();
        let guard = gradient(&flow.mode().events[number].guard, &end.x, p).1;
        let delay = dot(&guard, &propagated) / dot(&guard, &end.f);
        let moved = (0..n).map(|i| propagated[i] - delay * end.f[i]).collect();
        Ok((number, duration, end.x, moved))
    }
    /// The side to which orbits jump from the repelling part of a canard: away from the sheet it came from.
    pub(super) fn jump_side(&self, canard: &SingularCanard) -> Option<f64> {
        let fold = canard.through.state[self.fast()];
        let repelling = canard
            .points
            .iter()
            .find(|p| p.time > 0.0 && p.stability() == Stability::Repelling)?;
        Some((repelling.state[self.fast()] - fold).signum())
    }
    /// The returns of the fast fibres launched from `count` points, evenly spaced in time, of the repelling part of
    /// a vrai canard: the curve whose crossing with a canard makes a singular canard cycle. Fibres that do not come
    /// back within `horizon` are left out.
    ///
    /// # Errors
    /// When the canard has no repelling part after the fold.
    pub fn fibre_returns(
        &self,
        canard: &SingularCanard,
        count: usize,
        range: (f64, f64),
        horizon: f64,
    ) -> Result<Vec<FibreReturn>, SlowFastError> {
        let none =
            || SlowFastError::Absent("the canard has no repelling part after its fold: take the vrai canard".into());
        let side = self.jump_side(canard).ok_or_else(none)?;
        let last = canard.points.last().ok_or_else(none)?.time;
        let mut returns = Vec::with_capacity(count);
        for k in 0..count {
            let time = last * (k as f64 + 0.5) / count as f64;
            for launch in self.canard_at(canard, super::Along::Time, time)? {
                match self.fibre_return(&launch, side, range, horizon) {
                    Ok(found) => returns.push(found),
                    Err(SlowFastError::Absent(_)) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(returns)
    }
}
