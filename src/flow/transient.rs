//! Settling: follow a system until it repeats itself or comes to rest.

use super::error::FlowError;
use super::fading;
use super::machine::{Happening, Machine, prepared_modes};
use super::mode_flow::ModeFlow;
use super::options::FlowOptions;
use super::prepared_mode::{PreparedMode, constant_turn};
use super::repetition::{apart, canonical, image, is_symmetric, repetition, wrap_together};
use super::same_instant::{instant_of, put_in_order};
use super::section;
use super::simulate::{Zeno, check_start};
use super::spiral::{Sizes, attracting_within};
use super::stay::Stay;
use super::trajectory::NonUniqueness;
use super::unmodelled::instead;
use slipstick_system::System;
use std::convert::Infallible;

/// How long to wait and when to call it settled.
///
/// ```
/// use slipstick_flow::TransientOptions;
/// let patient = TransientOptions { max_events: 100_000, ..TransientOptions::default() };
/// assert!(patient.max_events > TransientOptions::default().max_events);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TransientOptions {
    /// Give up after this many events.
    pub max_events: usize,
    /// Give up after this many steps of the integrator, all events together.
    pub max_steps: usize,
    /// Two visits of the same kind are the same when no state differs by more than this, relative to `unit` + |state|.
    pub tolerance: f64,
    /// What is small beside this is small: the size of the motion where that is far below one.
    pub unit: f64,
    /// The longest word looked for, in letters.
    pub longest_word: usize,
    /// A mode that lasts longer than this, and than three rounds of any forcing, without an event is taken as running
    /// freely.
    pub longest_segment: f64,
    /// What to do where the future is not unique; `Both` sticks.
    pub policy: NonUniqueness,
    /// Tolerances of the integrators.
    pub flow: FlowOptions,
}

impl Default for TransientOptions {
    fn default() -> Self {
        Self {
            max_events: 20_000,
            max_steps: 1_000_000,
            tolerance: 1e-10,
            unit: 1.0,
            longest_word: 1024,
            longest_segment: 500.0,
            policy: NonUniqueness::Stick,
            flow: FlowOptions::default(),
        }
    }
}

/// What a system settled to.
///
/// ```
/// use slipstick_flow::{AfterTransient, TransientOptions, run_transient};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let p = system.default_parameters();
/// let slip = system.mode("slip-").unwrap();
/// let found = run_transient(&system, slip, &[0.5, -0.1, -0.5], &p, &TransientOptions::default())?;
/// let AfterTransient::Orbit(orbit) = found else { panic!("it moves on") };
/// assert!(orbit.symmetric && (orbit.period - std::f64::consts::TAU).abs() < 1e-6);
/// # Ok::<(), slipstick_flow::TransientError>(())
/// ```
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum AfterTransient {
    /// A periodic orbit.
    Orbit(AttractingOrbit),
    /// Rest: an equilibrium, or a state of permanent stick.
    Rest {
        /// The mode.
        mode: usize,
        /// Its states.
        state: Vec<f64>,
    },
}

/// A periodic orbit as it was settled to: accurate to about `closure`, and a start for Newton's method.
///
/// ```
/// use slipstick_flow::{AfterTransient, TransientOptions, run_transient};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let p = system.default_parameters();
/// let slip = system.mode("slip-").unwrap();
/// let AfterTransient::Orbit(orbit) = run_transient(&system, slip, &[0.5, -0.1, -0.5], &p, &TransientOptions::default())? else {
///     panic!("it moves on")
/// };
/// // Slip and stick, then the same mirrored: half of the word and of the time are listed.
/// assert!(orbit.symmetric && orbit.word.len() == 2);
/// let half = orbit.durations.iter().sum::<f64>();
/// assert!((2.0 * half - orbit.period).abs() <= 10.0 * orbit.closure);
/// # Ok::<(), slipstick_flow::TransientError>(())
/// ```
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct AttractingOrbit {
    /// The cyclic word as (mode, event), in the rotation that comes first in the order of these numbers; of a symmetric
    /// orbit only the first half. A smooth orbit has one letter without an event.
    pub word: Vec<(usize, Option<usize>)>,
    /// The start of each segment. Angles count on from segment to segment, from within one period at the first.
    pub starts: Vec<Vec<f64>>,
    /// The duration of each segment.
    pub durations: Vec<f64>,
    /// Does the symmetry carry the listed half to the other?
    pub symmetric: bool,
    /// The full period.
    pub period: f64,
    /// The largest difference between the last two rounds.
    pub closure: f64,
}

impl AttractingOrbit {
    /// The mirror image under the symmetry of the system, if it has one.
    pub fn mirrored(&self, system: &System, p: &[f64]) -> Option<Self> {
        let symmetry = system.symmetry.as_ref()?;
        let letter = |&(mode, event): &(usize, Option<usize>)| {
            let event = match event {
                Some(e) => Some(system.mirrored_event(mode, e)?),
                None => None,
            };
            Some((symmetry.modes[mode], event))
        };
        let starts = self.word.iter().zip(&self.starts);
        Some(Self {
            word: self.word.iter().map(letter).collect::<Option<_>>()?,
            starts: starts.map(|(&(mode, _), x)| image(system, mode, x, p)).collect(),
            ..self.clone()
        })
    }
}

/// Why nothing was settled to.
///
/// ```
/// use slipstick_flow::{TransientError, TransientOptions, run_transient};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let p = system.default_parameters();
/// let slip = system.mode("slip-").unwrap();
/// // Three events are not enough to see anything repeat.
/// let hasty = TransientOptions { max_events: 3, ..TransientOptions::default() };
/// let error = run_transient(&system, slip, &[0.5, -0.1, -0.5], &p, &hasty).unwrap_err();
/// assert!(matches!(error, TransientError::Restless { events: 3, .. }) && error.to_string().contains("raise max_events"));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TransientError {
    /// The flow failed.
    #[error(transparent)]
    Flow(#[from] FlowError),
    /// No repetition.
    #[error(
        "not periodic within {events} events (smallest deviation of a return {closest:e}, tolerance {tolerance:e}); the motion may be chaotic or quasi-periodic, or the transient is longer: raise max_events, loosen the tolerance, or start elsewhere"
    )]
    Restless {
        /// Events followed.
        events: usize,
        /// How close the last visit came to an earlier one.
        closest: f64,
        /// The tolerance.
        tolerance: f64,
    },
    /// No repetition within the steps that may be spent.
    #[error(
        "not periodic within {steps} steps of the integrator, which reach t = {t} and {events} events (smallest deviation of a return {closest:e}); the motion may be chaotic or quasi-periodic, its transient longer, or its return uncertain by the errors of the integrator: raise max_steps, loosen the tolerance, or start elsewhere"
    )]
    Laborious {
        /// Steps taken.
        steps: usize,
        /// The time reached.
        t: f64,
        /// Events followed.
        events: usize,
        /// How close the last one came to an earlier one.
        closest: f64,
    },
    /// Events accumulate.
    #[error("events accumulate (Zeno) at t = {t}, the last one is `{event}`; {}", instead(event))]
    Accumulation {
        /// When.
        t: f64,
        /// The last event.
        event: String,
    },
}

/// Follow `system` from the states `x` of `mode` until it repeats itself or rests.
///
/// ```
/// use slipstick_flow::{TransientOptions, AfterTransient, run_transient};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let after_transient = run_transient(&system, 2, &[0.4, 0.0], &[2.0, 1.1, 0.4], &TransientOptions::default())?;
/// let AfterTransient::Orbit(orbit) = after_transient else { panic!("at rest") };
/// assert!(orbit.symmetric && orbit.word.len() == 2); // slip and stick, then mirrored
/// assert!((orbit.period - std::f64::consts::TAU).abs() < 1e-9);
/// # Ok::<(), slipstick_flow::TransientError>(())
/// ```
///
/// # Errors
/// [`TransientError`] when it does neither in the events given, or cannot be followed.
pub fn run_transient(
    system: &System,
    mode: usize,
    x: &[f64],
    p: &[f64],
    options: &TransientOptions,
) -> Result<AfterTransient, TransientError> {
    match run_transient_unless::<Infallible>(system, mode, x, p, options, &mut |_| None)? {
        Followed::ToTheEnd(found) => Ok(found),
        Followed::Recognised(nothing) => match nothing {},
    }
}

/// How a transient ended: with what it settled to, or with what the caller recognised it by.
#[doc(hidden)]
pub enum Followed<R> {
    /// Followed until it repeated itself or came to rest.
    ToTheEnd(AfterTransient),
    /// The caller knows what it will settle to.
    Recognised(R),
}

/// One event of a motion under way.
#[doc(hidden)]
pub struct Passage<'a> {
    /// The mode that it ends a stay in.
    pub mode: usize,
    /// Its index in the mode.
    pub event: usize,
    /// The states where the stay began.
    pub start: &'a [f64],
    /// How close this stay is to one of the last of its kind.
    pub closest: f64,
}

/// As [`run_transient`], unless the caller recognises the motion at one of its events.
///
/// # Errors
/// As [`run_transient`].
#[doc(hidden)]
pub fn run_transient_unless<R>(
    system: &System,
    mode: usize,
    x: &[f64],
    p: &[f64],
    options: &TransientOptions,
    recognise: &mut dyn FnMut(&Passage<'_>) -> Option<R>,
) -> Result<Followed<R>, TransientError> {
    /// So long a part of what the steps reached is waited for an event, when one motion in a mode takes too many.
    const PART: f64 = 0.5;
    check_start(system, mode, x, p)?;
    let patient = to_the_end(system, mode, x, p, options, recognise);
    let Err(TransientError::Flow(FlowError::TooManySteps { t, .. })) = patient else {
        return patient;
    };
    // It may have gone round and round since long.
    let sooner = TransientOptions {
        longest_segment: PART * t,
        ..options.clone()
    };
    match to_the_end(system, mode, x, p, &sooner, recognise) {
        Ok(Followed::ToTheEnd(AfterTransient::Rest { .. })) | Err(_) => patient,
        known => known,
    }
}

fn to_the_end<R>(
    system: &System,
    mode: usize,
    x: &[f64],
    p: &[f64],
    options: &TransientOptions,
    recognise: &mut dyn FnMut(&Passage<'_>) -> Option<R>,
) -> Result<Followed<R>, TransientError> {
    let options = &TransientOptions {
        longest_segment: options.longest_segment.max(ROUNDS * slowest_turn(system, p)),
        ..options.clone()
    };
    let begin = (mode, x);
    let (mode, state) = match follow(system, mode, x, p, options, None, recognise)? {
        Outcome::Recognised(known) => return Ok(Followed::Recognised(known)),
        Outcome::Rests(mode, state) => return Ok(Followed::ToTheEnd(AfterTransient::Rest { mode, state })),
        Outcome::Repeats(rounds, closure) => {
            if let Some((mode, state)) = fading::shrinks_to(system, &rounds, p, options.flow)? {
                return Ok(Followed::ToTheEnd(AfterTransient::Rest { mode, state }));
            }
            let orbit = hybrid_orbit(system, &rounds, closure, p, options);
            return Ok(Followed::ToTheEnd(AfterTransient::Orbit(orbit)));
        }
        Outcome::Quiet(mode, state) => (mode, state),
    };
    // Sizes are those of the whole motion, however much of it has died out.
    let largest = if begin.0 == mode { begin.1 } else { &state };
    smooth_transient(system, mode, &state, largest, p, options).map(Followed::ToTheEnd)
}

/// Nothing is at rest, nor free of events, before a forcing has gone round so many times.
const ROUNDS: f64 = 3.0;

/// The longest time in which an angle of some mode turns at a constant rate; zero without any.
fn slowest_turn(system: &System, p: &[f64]) -> f64 {
    let turns = (0..system.modes.len()).filter_map(|mode| constant_turn(system, mode, p));
    turns
        .map(|(_, turn)| turn)
        .filter(|turn| turn.is_finite())
        .fold(0.0, f64::max)
}

/// What a motion comes to that runs freely in one mode: it is cut by a section.
fn smooth_transient(
    system: &System,
    mode: usize,
    state: &[f64],
    largest: &[f64],
    p: &[f64],
    options: &TransientOptions,
) -> Result<AfterTransient, TransientError> {
    let rest = |mode, state| Ok(AfterTransient::Rest { mode, state });
    let bounds = (still(options), options.longest_segment);
    let Some((sectioned, seen)) = section::across(system, mode, state, p, bounds, options.flow)? else {
        return rest(mode, state.to_vec());
    };
    let sizes = Sizes::of(largest, &seen);
    let (rounds, closure) = match follow::<Infallible>(&sectioned, mode, state, p, options, Some(sizes), &mut |_| None)?
    {
        Outcome::Recognised(nothing) => match nothing {},
        Outcome::Rests(mode, state) | Outcome::Quiet(mode, state) => return rest(mode, state),
        Outcome::Repeats(rounds, closure) => (rounds, closure),
    };
    let cut = system.modes[mode].events.len();
    let passes = rounds.len() / 2;
    let rounds = without_cuts(rounds, mode, cut);
    if rounds.iter().any(|s| (s.mode, s.event) != (mode, cut)) {
        let orbit = hybrid_orbit(system, &rounds, closure, p, options);
        return Ok(AfterTransient::Orbit(orbit));
    }
    let [before, last] = [0, 1].map(|k| rounds[k].start.clone());
    let orbit = smooth_orbit(system, &rounds, closure, p, options)?;
    let flow = ModeFlow::new(system, mode, options.flow);
    let moves = section::ranges(&flow, &orbit.starts[0], orbit.period, p)?;
    let straight = |i: &usize| system.states[system.modes[mode].states[*i]].period.is_none();
    // Phases that run on beside states at rest are no motion; an angle that turns unevenly is.
    let phases = constant_turn(system, mode, p).is_some();
    let is_still = |i: usize| moves[i] <= still(options);
    if (0..moves.len()).all(|i| is_still(i) || (phases && !straight(&i))) {
        return rest(mode, orbit.starts[0].clone());
    }
    if let Some(state) = attracting_within(
        system,
        mode,
        [&before, &last],
        (orbit.period, &moves),
        (p, options.flow.rtol),
    ) {
        return rest(mode, state);
    }
    let rounds = fading::Rounds {
        system,
        sectioned: &sectioned,
        mode,
        start: &last,
        passes,
        period: orbit.period,
        moves: &moves,
    };
    if let Some(state) = rounds.fades_to(p, options.flow)? {
        return rest(mode, state);
    }
    Ok(AfterTransient::Orbit(orbit))
}

/// What moves by no more than this is at rest.
fn still(options: &TransientOptions) -> f64 {
    1e3 * options.tolerance * options.unit
}

enum Outcome<R> {
    /// The last two rounds and the distance between them.
    Repeats(Vec<Stay>, f64),
    /// Rest in a mode.
    Rests(usize, Vec<f64>),
    /// No event for the longest segment; mode and state then.
    Quiet(usize, Vec<f64>),
    /// The caller knows what it will come to.
    Recognised(R),
}

fn follow<R>(
    system: &System,
    mode: usize,
    x: &[f64],
    p: &[f64],
    options: &TransientOptions,
    mut sizes: Option<Sizes>,
    recognise: &mut dyn FnMut(&Passage<'_>) -> Option<R>,
) -> Result<Outcome<R>, TransientError> {
    let prepared_modes = prepared_modes(system, p, options.flow);
    let mut machine = Machine::new(system, &prepared_modes, p, mode, x);
    let mut history: Vec<Stay> = vec![];
    let mut zeno = Zeno::new(30, 1e-9);
    let mut closest = f64::INFINITY;
    let mut since = 0.0;
    while history.len() < options.max_events {
        if let Some(why) = system.outside(machine.mode) {
            return Err(FlowError::Outside { why }.into());
        }
        if !prepared_modes[machine.mode].has_events() {
            return Ok(Outcome::Quiet(machine.mode, machine.x));
        }
        // Surfaces that are only touched do not count: beside rest, rates touch zero again and again by rounding.
        match machine.advance(since + options.longest_segment)? {
            Happening::Event(event) => {
                let segment = machine.close(Some(event));
                since = machine.t;
                if zeno.event(machine.t).is_some() {
                    return Err(TransientError::Accumulation {
                        t: machine.t,
                        event: system.modes[segment.mode].events[event].name.clone(),
                    });
                }
                history.push(Stay {
                    mode: segment.mode,
                    event,
                    start: segment.start,
                    end: segment.end,
                    duration: segment.duration,
                });
                let instant = instant_of(&history);
                put_in_order(system, &mut history, p, instant);
                let (round, found) =
                    repetition(system, &history, options.longest_word, options.tolerance, options.unit);
                if let Some(length) = round {
                    let rounds = history.split_off(history.len() - 2 * length);
                    return Ok(Outcome::Repeats(rounds, found));
                }
                closest = found;
                let steps = prepared_modes.iter().map(PreparedMode::taken).sum();
                if steps > options.max_steps {
                    return Err(TransientError::Laborious {
                        steps,
                        t: machine.t,
                        events: history.len(),
                        closest,
                    });
                }
                let [.., last] = &history[..] else { continue };
                let passage = Passage {
                    mode: last.mode,
                    event: last.event,
                    start: &last.start,
                    closest,
                };
                if let Some(known) = recognise(&passage) {
                    return Ok(Outcome::Recognised(known));
                }
                if let Some(sizes) = &mut sizes
                    && sizes.dies_out(system, &history, p, options.flow)?
                {
                    return Ok(Outcome::Rests(machine.mode, machine.x));
                }
            }
            Happening::Choice(choice) => match options.policy {
                NonUniqueness::Slip => machine.take(&choice.slip),
                NonUniqueness::Stick | NonUniqueness::Both => machine.take(&choice.stick),
            },
            Happening::Grazing => {}
            Happening::Rest => return Ok(Outcome::Rests(machine.mode, machine.x)),
            Happening::Time => return Ok(Outcome::Quiet(machine.mode, machine.x)),
        }
    }
    Err(TransientError::Restless {
        events: history.len(),
        closest,
        tolerance: options.tolerance,
    })
}

/// Merge the pieces between cuts: a cut is no event of the system. A motion of cuts alone becomes one piece per round.
fn without_cuts(rounds: Vec<Stay>, mode: usize, cut: usize) -> Vec<Stay> {
    let n = rounds.len() / 2;
    let is_cut = |s: &Stay| s.mode == mode && s.event == cut;
    if rounds.iter().all(is_cut) {
        let whole = |round: &[Stay]| Stay {
            duration: round.iter().map(|s| s.duration).sum(),
            end: round.last().map_or_else(Vec::new, |s| s.end.clone()),
            ..round[0].clone()
        };
        return vec![whole(&rounds[..n]), whole(&rounds[n..])];
    }
    // Begin after a true event, so that no piece is split between the ends.
    let first = rounds[..n].iter().position(|s| !is_cut(s)).map_or(0, |k| k + 1);
    let mut merged: Vec<Stay> = vec![];
    let mut open = false;
    for stay in rounds[first..].iter().chain(&rounds[..first]) {
        match merged.last_mut().filter(|_| open) {
            Some(piece) => {
                piece.duration += stay.duration;
                piece.event = stay.event;
                piece.end.clone_from(&stay.end);
            }
            None => merged.push(stay.clone()),
        }
        open = is_cut(stay);
    }
    merged
}

fn hybrid_orbit(
    system: &System,
    rounds: &[Stay],
    closure: f64,
    p: &[f64],
    options: &TransientOptions,
) -> AttractingOrbit {
    let mut round = canonical(rounds).to_vec();
    let period = round.iter().map(|s| s.duration).sum();
    let symmetric = is_symmetric(system, &round, p, (1e3 * options.tolerance, options.unit));
    if symmetric {
        round.truncate(round.len() / 2);
    }
    wrap_together(system, &mut round);
    AttractingOrbit {
        word: round.iter().map(|s| (s.mode, Some(s.event))).collect(),
        durations: round.iter().map(|s| s.duration).collect(),
        starts: round.into_iter().map(|s| s.start).collect(),
        symmetric,
        period,
        closure,
    }
}

fn smooth_orbit(
    system: &System,
    rounds: &[Stay],
    closure: f64,
    p: &[f64],
    options: &TransientOptions,
) -> Result<AttractingOrbit, FlowError> {
    let mut round = vec![rounds[rounds.len() - 1].clone()];
    wrap_together(system, &mut round);
    let Stay {
        mode, start, duration, ..
    } = round.remove(0);
    let mut middle = start.clone();
    ModeFlow::new(system, mode, options.flow).advance(&start, 0.5 * duration, p, &mut middle)?;
    let symmetric = system.symmetry.as_ref().is_some_and(|s| {
        s.modes[mode] == mode
            && apart(system, mode, (&image(system, mode, &start, p), &middle), options.unit) <= 1e3 * options.tolerance
    });
    Ok(AttractingOrbit {
        word: vec![(mode, None)],
        starts: vec![start],
        durations: vec![if symmetric { 0.5 * duration } else { duration }],
        symmetric,
        period: duration,
        closure,
    })
}
