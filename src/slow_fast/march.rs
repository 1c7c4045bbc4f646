//! Follow a flow until a condition fails, and locate where.

use super::error::SlowFastError;
use serde::{Deserialize, Serialize};
use slipstick_flow::{ModeFlow, Path};
use slipstick_numerics::roots::bracketed_root;

/// Points stored for each stretch.
const SAMPLES: usize = 8;

/// A flow at fixed parameters, followed in stretches of one length.
pub(super) struct Marcher<'a> {
    pub(super) flow: ModeFlow<'a>,
    pub(super) parameters: &'a [f64],
    /// Signed length of a stretch.
    pub(super) stretch: f64,
    /// Stretches after which the march ends by itself.
    pub(super) budget: usize,
}

/// A stretch that takes more steps than this is halved: beyond a jump the solution may blow up, and the integrator
/// would follow it to no end.
pub(super) const STEPS: usize = 4000;
/// A stretch on which the flow fails is halved this often before the failure is believed: in a mode that events end,
/// the field may blow up just beyond them, so the march must not overshoot by much; and in one that nothing ends.
const HALVINGS: [usize; 2] = [40, 20];

/// Where the flow fails and a state is so many times as large as at the start, it runs off to infinity.
const FAR: f64 = 100.0;
/// A state that is smaller at the start than this part of the largest, or of one, is measured by that.
const SMALL: f64 = 1e-3;

/// Has one of the states run off from where it was at the start, each in its own unit?
fn is_far(x: &[f64], start: &[f64]) -> bool {
    let largest = start.iter().fold(1.0f64, |most, v| most.max(v.abs()));
    let unit = |v: f64| if v.abs() > SMALL * largest { v.abs() } else { largest };
    x.iter().zip(start).any(|(x, start)| x.abs() > FAR * unit(*start))
}

/// A state of the mode at a time; angles run on along an orbit.
///
/// ```
/// use slipstick_slow_fast::{Reduction, SlowFastProblem};
/// use slipstick_system::catalogue::regularised_stiction;
/// let system = regularised_stiction();
/// let p = [2.0, 1.1, 0.4, 0.6, 1e-3]; // Ω, μ_s, μ_d, δ, ε
/// let layer = SlowFastProblem::new(&system, &p, Reduction::Singular)?;
/// let start = layer.sheets(&[0.0; 3], (-1.0, 1.0))?.remove(0);
/// let orbit = layer.slow_manifold_orbit(&start.state, 1.0)?;
/// // θ' = 1: the phase is the time.
/// let [first, last] = [&orbit.points[0], orbit.points.last().unwrap()];
/// assert!((last.state[2] - first.state[2] - (last.time - first.time)).abs() < 1e-9);
/// # Ok::<(), slipstick_slow_fast::SlowFastError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimedState {
    /// The time.
    pub time: f64,
    /// The mode's states.
    pub state: Vec<f64>,
}

/// Where a march went, and the number of the condition that ended it, if one did.
pub(super) struct March {
    pub(super) points: Vec<TimedState>,
    pub(super) stopped: Option<usize>,
    /// Does it run off to infinity, where the flow cannot be followed any more?
    pub(super) runs_off: bool,
}

/// A scalar of time and state that must stay positive.
pub(super) type Condition<'a> = &'a dyn Fn(f64, &[f64]) -> f64;

impl Marcher<'_> {
    /// From `start` until one of the conditions fails. Where several fail together the one listed first counts.
    pub(super) fn march(&self, start: &[f64], conditions: &[Condition]) -> Result<March, SlowFastError> {
        let total = self.stretch * self.budget as f64;
        let mut points = vec![TimedState {
            time: 0.0,
            state: start.to_vec(),
        }];
        let mut x = start.to_vec();
        let most = HALVINGS[usize::from(self.flow.mode().events.is_empty())];
        let (mut t0, mut halvings) = (0.0_f64, 0);
        while (total - t0).abs() > 1e-14 * total.abs() {
            let full = self.stretch * 0.5_f64.powi(halvings as i32);
            let length = if full.abs() < (total - t0).abs() {
                full
            } else {
                total - t0
            };
            let path = match self.flow.path(&x, length, self.parameters) {
                Ok(path) => path,
                Err(_) if halvings < most => {
                    halvings += 2;
                    continue;
                }
                Err(_) if is_far(&x, start) => {
                    return Ok(March {
                        points,
                        stopped: None,
                        runs_off: true,
                    });
                }
                Err(error) => return Err(error.into()),
            };
            let h = length / SAMPLES as f64;
            let mut after = vec![0.0; x.len()];
            for k in 1..=SAMPLES {
                let s = h * k as f64;
                path.eval(s, &mut after);
                let mut first: Option<(f64, Vec<f64>, usize)> = None;
                for (number, condition) in conditions.iter().enumerate() {
                    if condition(t0 + s, &after) > 0.0 {
                        continue;
                    }
                    let low = entered(&path, (s - h, s), x.len(), &|s, x| condition(t0 + s, x));
                    let (s, at) = locate(&path, x.len(), (low, s), &|s, x| condition(t0 + s, x))?;
                    if first.as_ref().is_none_or(|f| s.abs() < f.0.abs() - 1e-9 * h.abs()) {
                        first = Some((s, at, number));
                    }
                }
                if let Some((s, at, number)) = first {
                    resolve(&path, t0, s, &at, &mut points);
                    return Ok(March {
                        points,
                        stopped: Some(number),
                        runs_off: false,
                    });
                }
                resolve(&path, t0, s, &after, &mut points);
            }
            x = after;
            t0 += length;
            halvings = halvings.saturating_sub(1);
        }
        Ok(March {
            points,
            stopped: None,
            runs_off: false,
        })
    }
}

/// Append the `state` at `time` of a path that begins at `begin`, and before it as many points in between as it takes
/// for the chords to follow the path: a jump along a fast fibre is a small part of a stretch.
fn resolve(path: &Path, begin: f64, time: f64, state: &[f64], points: &mut Vec<TimedState>) {
    /// How far a chord may leave the path, in units of a component's size, and how often it is halved at most.
    const OFF: f64 = 2e-3;
    const HALVINGS: usize = 8;
    let end = TimedState {
        time: begin + time,
        state: state.to_vec(),
    };
    let Some(start) = points.last().cloned() else {
        points.push(end);
        return;
    };
    // Depth first, from the start on: the pieces yet to come wait on a stack.
    let mut from = start;
    let mut waiting = vec![(end, 0)];
    let mut middle = vec![0.0; state.len()];
    while let Some((to, depth)) = waiting.pop() {
        let half = 0.5 * (from.time + to.time);
        path.eval(half - begin, &mut middle);
        let off = (middle.iter().zip(&from.state).zip(&to.state)).any(|((m, a), b)| {
            let size = m.abs().max(a.abs()).max(b.abs()).max(1e-2);
            (m - 0.5 * (a + b)).abs() > OFF * size
        });
        if off && depth < HALVINGS {
            waiting.push((to, depth + 1));
            let state = middle.clone();
            waiting.push((TimedState { time: half, state }, depth + 1));
        } else {
            points.push(to.clone());
            from = to;
        }
    }
}

/// A time in (`low`, `high`) at which the condition holds, when the path starts on its surface at `low` and has
/// failed it by `high`; `low` where the condition holds there already, or nowhere.
fn entered(path: &Path, (low, high): (f64, f64), n: usize, condition: Condition) -> f64 {
    let mut at = vec![0.0; n];
    let mut holds = |s: f64| {
        path.eval(s, &mut at);
        condition(s, &at) > 0.0
    };
    if holds(low) {
        return low;
    }
    (1..50)
        .map(|k| low + (high - low) * 0.5_f64.powi(k))
        .find(|&s| holds(s))
        .unwrap_or(low)
}

/// The zero of `section` between the times `low` and `high` of `path`, a solution in `n` states, given that it
/// changes sign there; on the integrator's own steps.
pub(super) fn locate(
    path: &Path,
    n: usize,
    (low, high): (f64, f64),
    section: Condition,
) -> Result<(f64, Vec<f64>), SlowFastError> {
    let mut at = vec![0.0; n];
    let value = |s: f64, at: &mut [f64]| -> Result<f64, SlowFastError> {
        path.state(s, at)?;
        Ok(section(s, at))
    };
    let (before, after) = (value(low, &mut at)?, value(high, &mut at)?);
    let s = bracketed_root(low, before, high, after, 0.0, |s| value(s, &mut at))?;
    path.state(s, &mut at)?;
    Ok((s, at))
}
