//! Does what depends on an angle repeat after a turn of it, as the angle is taken modulo its period? So must surfaces
//! that depend on the time of a forcing after its period.
//!
//! The check evaluates fields, guards, conditions and resets at random points, always the same ones, and a turn
//! further.

use crate::plan::system::error::{SystemError, SystemFault};
use crate::plan::system::frame::Frame;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use slipstick_system::{SharedFunction, System};

/// How many points the check looks at.
const POINTS: usize = 24;

/// The difference it calls none, relative to the largest value.
const TOLERANCE: f64 = 1e-8;

/// What is wrong with the angles of a system, if anything.
pub(crate) fn check_turns(frame: &Frame, system: &System) -> Option<SystemError> {
    let angles = system.states.iter().enumerate();
    angles
        .filter_map(|(state, s)| Some((state, s.period?)))
        .find_map(|(state, period)| check_angle(frame, system, state, period))
}

fn check_angle(frame: &Frame, system: &System, state: usize, period: f64) -> Option<SystemError> {
    let mut random = StdRng::seed_from_u64(2);
    let p = system.default_parameters();
    for mode in &system.modes {
        let Some(place) = mode.states.iter().position(|own| *own == state) else {
            continue;
        };
        let samples: Vec<Vec<f64>> = (0..POINTS)
            .map(|_| {
                let mut x: Vec<f64> = mode.states.iter().map(|_| random.random_range(-2.0..2.0)).collect();
                x[place] = period * random.random_range(-0.5..0.5);
                x
            })
            .collect();
        // Values of `function`, and what is to be said of it: of angles those modulo their period count.
        let differs = |function: &SharedFunction, periods: &[Option<f64>]| {
            let pairs: Vec<[Vec<f64>; 2]> = samples
                .iter()
                .map(|x| {
                    let mut further = x.clone();
                    further[place] += period;
                    [x, &further].map(|x| {
                        let mut out = vec![0.0; function.outputs()];
                        function.value(x, &p, &mut out);
                        out
                    })
                })
                .collect();
            (0..function.outputs()).find_map(|k| {
                let values = pairs.iter().flatten().map(|out| out[k].abs());
                let size = values.filter(|v| v.is_finite()).fold(f64::MIN_POSITIVE, f64::max);
                let apart = |[a, b]: &[Vec<f64>; 2]| {
                    let by = b[k] - a[k];
                    let by = match periods.get(k).copied().flatten() {
                        Some(own) => by - own * (by / own).round(),
                        None => by,
                    };
                    by.is_finite() && by.abs() > TOLERANCE * size
                };
                let at = pairs.iter().position(apart)?;
                Some((k, samples[at][place], pairs[at][0][k], pairs[at][1][k]))
            })
        };
        let fault = |what: String, (_, at, here, further): (usize, f64, f64, f64)| {
            let forced = frame.phase == Some(state);
            let name = system.states[state].name.clone();
            let path = if forced {
                format!("{}.forcing.period", frame.paths.root)
            } else {
                frame.paths.key("angles", &name)
            };
            let fault = if forced {
                SystemFault::ForcingNotPeriodic { what, here, further }
            } else {
                SystemFault::AngleNotPeriodic {
                    name,
                    what,
                    at,
                    here,
                    further,
                }
            };
            Some(SystemError::new(path, fault))
        };
        let at = format!("mode `{}`", mode.name);
        let of_map = |states: &[usize]| states.iter().map(|i| system.states[*i].period).collect::<Vec<_>>();
        let periods = if system.is_map() { of_map(&mode.states) } else { vec![] };
        // That fields repeat with a forcing is checked where its period is read, at the parameters of each entry.
        let by_angle = frame.phase != Some(state);
        if let Some(found) = by_angle.then(|| differs(&mode.field, &periods)).flatten() {
            let own = &system.states[mode.states[found.0]].name;
            return fault(format!("the equation of `{own}` in {at}"), found);
        }
        for event in &mode.events {
            let name = format!("event `{}` of {at}", event.name);
            if let Some(found) = differs(&event.guard, &[]) {
                return fault(format!("the surface of {name}"), found);
            }
            if let Some(found) = event.when.iter().find_map(|when| differs(&when.function, &[])) {
                return fault(format!("a condition of {name}"), found);
            }
            let target = of_map(&system.modes[event.target].states);
            if let Some(found) = event.reset.as_ref().and_then(|reset| differs(reset, &target)) {
                return fault(format!("the reset of {name}"), found);
            }
        }
        if let Some(found) = mode.inequalities.iter().find_map(|own| differs(&own.function, &[])) {
            return fault(format!("what must hold in {at}"), found);
        }
    }
    None
}
