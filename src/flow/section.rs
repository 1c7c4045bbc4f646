//! Sections of smooth motion: an extra event that a free-running mode meets once or a few times per period.

use super::error::FlowError;
use super::mode_flow::ModeFlow;
use super::options::FlowOptions;
use super::prepared_mode::constant_turn;
use slipstick_numerics::scalar::{Affine, Gradient, Hessian, NarrowGradient, Scalar, Second, Third};
use slipstick_system::{Direction, Event, Formula, Function, SharedFunction, System};
use smallvec::{SmallVec, smallvec};
use std::f64::consts::TAU;
use std::sync::Arc;

/// sin(2π (θ - phase)/period): rises through zero once per turn.
pub(super) struct Turn {
    pub(super) angle: usize,
    pub(super) period: f64,
    pub(super) phase: f64,
}
impl Formula for Turn {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, x: &[T], _: &[T], out: &mut [T]) {
        let theta = if self.phase == 0.0 {
            x[self.angle]
        } else {
            x[self.angle] - self.phase
        };
        // An angle of period 2π is left as it is, so that it stays a basis function of linear modes.
        out[0] = if self.period == TAU {
            theta.sin()
        } else {
            (theta * (TAU / self.period)).sin()
        };
    }
}

/// One component of a field: zero where that state is extreme.
pub(super) struct Rate {
    pub(super) field: SharedFunction,
    pub(super) component: usize,
}
macro_rules! component_in {
    ($name:ident, $number:ty, $zero:expr) => {
        fn $name(&self, x: &[$number], p: &[$number], out: &mut [$number]) {
            let mut all: SmallVec<[$number; 4]> = smallvec![$zero; self.field.outputs()];
            self.field.$name(x, p, &mut all);
            out[0] = all[self.component];
        }
    };
}
impl Function for Rate {
    fn outputs(&self) -> usize {
        1
    }
    component_in!(value, f64, 0.0);
    component_in!(gradient, Gradient, Gradient::zero());
    component_in!(narrow_gradient, NarrowGradient, NarrowGradient::zero());
    component_in!(hessian, Hessian, Hessian::zero());
    component_in!(second, Second, Second::zero());
    component_in!(third, Third, Third::zero());
    component_in!(affine, Affine<f64>, Affine::constant(0.0));
    component_in!(affine_gradient, Affine<Gradient>, Affine::constant(Gradient::zero()));
}

/// The system with one more event, the last of `mode`, that leads from `mode` into itself: once per turn of the mode's
/// slowest angle, or where the state that moves most has a maximum, or once per turn of the only angle that moves. And
/// how far each state was seen to move for that.
/// `None` if nothing moves beyond `still` in the `longest` time that may pass without an event.
pub(super) fn across(
    system: &System,
    mode: usize,
    x: &[f64],
    p: &[f64],
    (still, longest): (f64, f64),
    flow: FlowOptions,
) -> Result<Option<(System, Vec<f64>)>, FlowError> {
    let m = &system.modes[mode];
    let mut seen = vec![0.0; x.len()];
    let (guard, direction): (SharedFunction, Direction) = match constant_turn(system, mode, p) {
        Some((angle, _)) => {
            let period = system.states[m.states[angle]].period.unwrap_or(TAU);
            (
                Arc::new(Turn {
                    angle,
                    period,
                    phase: 0.0,
                }),
                Direction::Up,
            )
        }
        None => {
            let own = ModeFlow::new(system, mode, flow);
            let mut ranges = glance(&own, x, longest, p)?;
            let straight = |i: &usize| system.states[m.states[*i]].period.is_none();
            let widest = |ranges: &[f64]| {
                let widest = (0..x.len()).filter(straight);
                let widest = widest.max_by(|&a, &b| ranges[a].total_cmp(&ranges[b]));
                widest.filter(|&i| ranges[i] > still)
            };
            // A motion along slow states is none that a glance sees.
            if widest(&ranges).is_none()
                && drifts(system, mode, x, p, (still, longest))
                && let Ok(later) = self::ranges(&own, x, longest, p)
            {
                ranges = later;
            }
            seen.clone_from(&ranges);
            match widest(&ranges) {
                Some(component) => {
                    let field = m.field.clone();
                    (Arc::new(Rate { field, component }), Direction::Down)
                }
                // Nothing but angles moves: a rotation, unless it comes to rest.
                None => {
                    let turning = (0..x.len()).max_by(|&a, &b| ranges[a].total_cmp(&ranges[b]));
                    let Some(angle) = turning.filter(|&i| ranges[i] > still) else {
                        return Ok(None);
                    };
                    let mut rates = vec![0.0; x.len()];
                    m.field.value(x, p, &mut rates);
                    let period = system.states[m.states[angle]].period.unwrap_or(TAU);
                    let way = if rates[angle] > 0.0 {
                        Direction::Up
                    } else {
                        Direction::Down
                    };
                    (
                        Arc::new(Turn {
                            angle,
                            period,
                            phase: 0.0,
                        }),
                        way,
                    )
                }
            }
        }
    };
    let mut sectioned = system.clone();
    sectioned.modes[mode].events.push(Event {
        name: "section".into(),
        guard,
        direction,
        when: vec![],
        target: mode,
        reset: None,
    });
    Ok(Some((sectioned, seen)))
}

/// Would a state move beyond `still` in so long a time, at the rates that there are now?
fn drifts(system: &System, mode: usize, x: &[f64], p: &[f64], (still, longest): (f64, f64)) -> bool {
    let m = &system.modes[mode];
    let mut rates = vec![0.0; x.len()];
    m.field.value(x, p, &mut rates);
    let moves = |i: usize| system.states[m.states[i]].period.is_none() && rates[i].abs() * longest > still;
    (0..x.len()).any(moves)
}

/// How far each state moves in a time that is long in units of |state|/|rate|, but in which no slow drift is waited
/// for. It is known only of motions whose rates are about one; one that takes too many steps in it is fast, and what
/// these reach is long.
fn glance(flow: &ModeFlow<'_>, x: &[f64], longest: f64, p: &[f64]) -> Result<Vec<f64>, FlowError> {
    const GLANCE: f64 = 50.0;
    /// The part of what the steps reached, so that they reach it again.
    const PART: f64 = 0.5;
    let seen = ranges(flow, x, GLANCE.min(longest), p);
    let Err(FlowError::TooManySteps { t, .. }) = seen else {
        return seen;
    };
    ranges(flow, x, PART * t, p)
}

/// How far each state moves over `duration`.
pub(super) fn ranges(flow: &ModeFlow<'_>, x: &[f64], duration: f64, p: &[f64]) -> Result<Vec<f64>, FlowError> {
    const SAMPLES: usize = 400;
    let path = flow.path(x, duration, p)?;
    let (mut low, mut high) = (x.to_vec(), x.to_vec());
    let mut y = x.to_vec();
    for k in 1..=SAMPLES {
        path.eval(duration * k as f64 / SAMPLES as f64, &mut y);
        for i in 0..y.len() {
            low[i] = low[i].min(y[i]);
            high[i] = high[i].max(y[i]);
        }
    }
    Ok(high.iter().zip(&low).map(|(h, l)| h - l).collect())
}
