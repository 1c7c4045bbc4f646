//! Does what depends on an angle repeat after a turn of it, as the angle is taken modulo its period? So must surfaces
//! that depend on the time of a forcing after its period.
//!
//! The check evaluates fields, guards, conditions and resets at random points, always the same ones, and a turn
//! further.

use crate::plan::system::error::{SystemError, SystemFault};
use crate::plan::system::frame::Frame;
use crate::plan::system::symmetry::value;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use slipstick_system::{SharedFunction, System};

/// How many points the check looks at.
const POINTS: usize = 24;

/// The difference it calls none, relative to the largest value.
const TOLERANCE: f64 = 1e-8;

/// What is wrong with the angles of a system, if anything, at its own parameters.
pub(crate) fn check_turns(frame: &Frame, system: &System) -> Option<SystemError> {
    let (state, fault) = unrepeated(system, frame.phase, &system.default_parameters())?;
    let path = if frame.phase == Some(state) {
        format!("{}.forcing.period", frame.paths.root)
    } else {
        frame.paths.key("angles", &system.states[state].name)
    };
    Some(SystemError::new(path, fault))
}

/// The first angle after a turn of which something does not repeat at these parameters, and what that is; `phase` is
/// that of the forcing.
pub(crate) fn unrepeated(system: &System, phase: Option<usize>, p: &[f64]) -> Option<(usize, SystemFault)> {
    let angles = system.states.iter().enumerate();
    angles
        .filter_map(|(state, s)| Some((state, s.period?)))
        .find_map(|(state, period)| Some((state, check_angle(system, phase, (state, period), p)?)))
}

/// States that seem to be angles though they are not declared as such, of a system whose description is at `root`.
pub(crate) fn undeclared(system: &System, root: &str) -> Vec<SystemError> {
    let p = system.default_parameters();
    // What repeats for one value of a parameter only is no angle.
    let all: Vec<usize> = (0..p.len()).collect();
    let found = system.undeclared_angles(&p, &all);
    let warning = |(state, period): (usize, f64)| {
        let fault = SystemFault::UndeclaredAngle {
            state: system.states[state].name.clone(),
            period: if period == 1.0 { "1" } else { "2*pi" },
        };
        SystemError::new(format!("{root}.states"), fault)
    };
    found.into_iter().map(warning).collect()
}

/// What depends on the states of a mode.
struct Dependent<'a> {
    /// What each value is called, or all of them.
    called: Vec<String>,
    function: &'a SharedFunction,
    /// The periods of values that are angles.
    periods: Vec<Option<f64>>,
}

impl<'a> Dependent<'a> {
    fn new(called: String, function: &'a SharedFunction) -> Self {
        Self {
            called: vec![called],
            function,
            periods: vec![],
        }
    }
}

fn check_angle(system: &System, phase: Option<usize>, (state, period): (usize, f64), p: &[f64]) -> Option<SystemFault> {
    let mut random = StdRng::seed_from_u64(2);
    for (m, mode) in system.modes.iter().enumerate() {
        let Some(place) = mode.states.iter().position(|own| *own == state) else {
            continue;
        };
        let samples: Vec<[Vec<f64>; 2]> = (0..POINTS)
            .map(|_| {
                let mut x: Vec<f64> = mode.states.iter().map(|_| random.random_range(-2.0..2.0)).collect();
                x[place] = period * random.random_range(-0.5..0.5);
                let mut further = x.clone();
                further[place] += period;
                [x, further]
            })
            .collect();
        for dependent in dependents(system, m, phase == Some(state)) {
            let Some((output, at, [here, further])) = difference(&dependent, &samples, p) else {
                continue;
            };
            let called = &dependent.called;
            let what = called.get(output).unwrap_or(&called[0]).clone();
            if phase == Some(state) {
                return Some(SystemFault::ForcingNotPeriodic { what, here, further });
            }
            return Some(SystemFault::AngleNotPeriodic {
                name: system.states[state].name.clone(),
                what,
                at: samples[at][0][place],
                here,
                further,
            });
        }
    }
    None
}

/// What depends on the states of a mode. That fields repeat with a forcing is checked where its period is read, at the
/// parameters of each entry.
fn dependents(system: &System, mode: usize, forced: bool) -> Vec<Dependent<'_>> {
    let mode = &system.modes[mode];
    let at = format!("mode `{}`", mode.name);
    let periods = |states: &[usize]| states.iter().map(|i| system.states[*i].period).collect();
    let mut all: Vec<Dependent> = vec![];
    if !forced {
        let names = mode.states.iter().map(|i| &system.states[*i].name);
        all.push(Dependent {
            called: names.map(|name| format!("the equation of `{name}` in {at}")).collect(),
            function: &mode.field,
            periods: if system.is_map() { periods(&mode.states) } else { vec![] },
        });
    }
    for event in &mode.events {
        let name = format!("event `{}` of {at}", event.name);
        all.push(Dependent::new(format!("the surface of {name}"), &event.guard));
        let condition = format!("a condition of {name}");
        all.extend(
            event
                .when
                .iter()
                .map(|when| Dependent::new(condition.clone(), &when.function)),
        );
        all.extend(event.reset.iter().map(|reset| Dependent {
            periods: periods(&system.modes[event.target].states),
            ..Dependent::new(format!("the reset of {name}"), reset)
        }));
    }
    let required = format!("what must hold in {at}");
    all.extend(
        mode.inequalities
            .iter()
            .map(|own| Dependent::new(required.clone(), &own.function)),
    );
    all
}

/// The first value that differs from that a turn further: its number, the sample, and both.
fn difference(dependent: &Dependent, samples: &[[Vec<f64>; 2]], p: &[f64]) -> Option<(usize, usize, [f64; 2])> {
    let pairs: Vec<[Vec<f64>; 2]> = samples
        .iter()
        .map(|pair| [&pair[0], &pair[1]].map(|x| value(dependent.function, x, p)))
        .collect();
    (0..dependent.function.outputs()).find_map(|k| {
        let values = pairs.iter().flatten().map(|out| out[k].abs());
        let size = values.filter(|v| v.is_finite()).fold(f64::MIN_POSITIVE, f64::max);
        let period = dependent.periods.get(k).copied().flatten();
        let apart = |[a, b]: &[Vec<f64>; 2]| {
            let by = b[k] - a[k];
            let turns = period.map_or(0.0, |own| own * (by / own).round());
            by.is_finite() && (by - turns).abs() > TOLERANCE * size
        };
        let at = pairs.iter().position(apart)?;
        Some((k, at, [pairs[at][0][k], pairs[at][1][k]]))
    })
}
