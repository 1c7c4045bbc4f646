//! Points of a motion on a section: at a phase of an angle, where a state is extreme or has a value, at an event.

use super::accumulation::{Chain, Place};
use super::clock::constant_rates;
use super::error::FlowError;
use super::event_effect::value;
use super::machine::{Happening, Machine, prepared_modes};
use super::mode_flow::ModeFlow;
use super::options::FlowOptions;
use super::prepared_mode::constant_turn;
use super::section::{Rate, Turn};
use super::simulate::{Zeno, check_start};
use super::trajectory::{NonUniqueness, Segment};
use slipstick_numerics::scalar::Scalar;
use slipstick_system::{Direction, Event, Formula, Inequality, SharedFunction, System};
use std::f64::consts::TAU;
use std::sync::Arc;

/// Where points are taken. States are those of the system, by index.
///
/// ```
/// use slipstick_flow::Section;
/// use slipstick_system::catalogue::stiction;
/// // A forced oscillator: once per period.
/// let system = stiction();
/// assert_eq!(Section::natural(&system, &system.default_parameters()), Section::Phase { angle: 2, phase: 0.0 });
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Section {
    /// Where an angle passes a phase, once per turn, whichever way it turns.
    Phase {
        /// The state.
        angle: usize,
        /// The phase.
        phase: f64,
    },
    /// Where a state has a maximum.
    Maximum(usize),
    /// Where a state has a minimum.
    Minimum(usize),
    /// Where a state passes a value; of an angle, in any of its turns. A reset that takes a state from one side to the
    /// other passes nothing.
    Crossing {
        /// The state.
        state: usize,
        /// The value.
        value: f64,
        /// In this direction.
        direction: Direction,
    },
    /// At these events, each with its mode in front, just before what they do.
    Events(Vec<(usize, usize)>),
}

/// A state that a section is made of.
struct Level {
    state: usize,
    value: f64,
}

impl Formula for Level {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, x: &[T], _: &[T], out: &mut [T]) {
        out[0] = x[self.state] - self.value;
    }
}

/// Half a turn around a phase, where its sine is zero at the phase alone.
struct Near {
    angle: usize,
    period: f64,
    phase: f64,
}

impl Formula for Near {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, x: &[T], _: &[T], out: &mut [T]) {
        out[0] = ((x[self.angle] - self.phase) * (TAU / self.period)).cos();
    }
}

/// What a section is in a mode: a function that is zero on it, the directions in which it is passed, and where it must
/// not be negative.
struct Cut {
    guard: SharedFunction,
    directions: &'static [Direction],
    near: Option<SharedFunction>,
}

impl Section {
    /// Phase zero of an angle that turns at a constant rate, if there is one, as in forced oscillators; otherwise the
    /// maxima of the first state that is no angle, and of angles alone phase zero of the first one.
    pub fn natural(system: &System, p: &[f64]) -> Self {
        let mode = system.start_at(p).0;
        let phase = |angle| Self::Phase { angle, phase: 0.0 };
        match constant_turn(system, mode, p) {
            Some((angle, _)) => phase(system.modes[mode].states[angle]),
            None => (system.states.iter().position(|s| s.period.is_none())).map_or(phase(0), Self::Maximum),
        }
    }

    /// The section in a mode; none where the mode does not have the state.
    fn in_mode(&self, system: &System, mode: usize, p: &[f64]) -> Option<Cut> {
        const UP: &[Direction] = &[Direction::Up];
        const DOWN: &[Direction] = &[Direction::Down];
        const EITHER: &[Direction] = &[Direction::Up, Direction::Down];
        let own = &system.modes[mode].states;
        let place = |state: usize| own.iter().position(|&s| s == state);
        let rate = |state: usize| -> Option<SharedFunction> {
            let field = system.modes[mode].field.clone();
            Some(Arc::new(Rate {
                field,
                component: place(state)?,
            }))
        };
        let plain = |guard, directions| Cut {
            guard,
            directions,
            near: None,
        };
        // The sine of an angle is zero half a turn away as well, where it changes the other way.
        let turn = |state: usize, phase: f64, directions| -> Option<Cut> {
            let period = system.states[state].period.unwrap_or(TAU);
            let angle = place(state)?;
            Some(Cut {
                guard: Arc::new(Turn { angle, period, phase }),
                directions,
                near: Some(Arc::new(Near { angle, period, phase })),
            })
        };
        match *self {
            Self::Phase { angle, phase } => {
                let rate = constant_rates(&system.modes[mode], p)[place(angle)?];
                let directions = match rate {
                    rate if rate > 0.0 => UP,
                    rate if rate < 0.0 => DOWN,
                    _ => EITHER,
                };
                let cut = turn(angle, phase, directions)?;
                // What turns steadily passes the other zero the other way.
                Some(if rate == 0.0 { cut } else { plain(cut.guard, directions) })
            }
            Self::Maximum(state) => Some(plain(rate(state)?, DOWN)),
            Self::Minimum(state) => Some(plain(rate(state)?, UP)),
            Self::Crossing {
                state,
                value,
                direction,
            } => {
                let directions = match direction {
                    Direction::Up => UP,
                    Direction::Down => DOWN,
                };
                if system.states[state].period.is_some() {
                    return turn(state, value, directions);
                }
                let state = place(state)?;
                Some(plain(Arc::new(Level { state, value }), directions))
            }
            Self::Events(_) => None,
        }
    }

    /// The state that the section is about; none of events.
    fn state(&self) -> Option<usize> {
        match *self {
            Self::Phase { angle: state, .. }
            | Self::Maximum(state)
            | Self::Minimum(state)
            | Self::Crossing { state, .. } => Some(state),
            Self::Events(_) => None,
        }
    }

    /// The sign of the jump of the state that the section is about, between a point and the segment that goes on from
    /// it, if it jumps there.
    fn jump(&self, system: &System, last: &SectionPoint, segment: &Segment, p: &[f64]) -> Option<f64> {
        let state = self.state()?;
        let now = system.full_state(segment.mode, &segment.start, p)[state];
        let (mut by, mut size) = (now - last.states[state], now.abs() + last.states[state].abs());
        if let Some(period) = system.states[state].period {
            by -= (by / period).round() * period;
            size = period;
        }
        (by.abs() > 1e-9 * size).then(|| by.signum())
    }

    /// The system with one more event in each mode that has the states of the section, or one for each direction: the
    /// last ones of the mode.
    fn cut(&self, system: &System, p: &[f64]) -> System {
        let mut cut = system.clone();
        for (m, mode) in cut.modes.iter_mut().enumerate() {
            let Some(own) = self.in_mode(system, m, p) else {
                continue;
            };
            let when = own.near.iter().map(|near| Inequality {
                name: "section".into(),
                function: near.clone(),
                strict: false,
            });
            let when: Vec<Inequality> = when.collect();
            for &direction in own.directions {
                mode.events.push(Event {
                    name: "section".into(),
                    guard: own.guard.clone(),
                    direction,
                    when: when.clone(),
                    target: m,
                    reset: None,
                });
            }
        }
        cut
    }
}

/// A point on a section.
///
/// ```
/// use slipstick_flow::{Section, SectionOptions, section_points};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let options = SectionOptions { skip: 100, count: 3, ..SectionOptions::default() };
/// let run = section_points(&system, &Section::Maximum(0), (1, &[0.5, -0.1, -0.5]), &[2.0, 1.1, 0.4], &options)?;
/// // A symmetric orbit of the period of the forcing: its largest deflection, again and again.
/// assert!(run.points.windows(2).all(|pair| (pair[1].states[0] - pair[0].states[0]).abs() < 1e-9));
/// assert!((run.points[1].t - run.points[0].t - std::f64::consts::TAU).abs() < 1e-9);
/// # Ok::<(), slipstick_flow::FlowError>(())
/// ```
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SectionPoint {
    /// When.
    pub t: f64,
    /// The mode.
    pub mode: usize,
    /// All states of the system, angles within one turn.
    pub states: Vec<f64>,
}

/// How many points are taken.
///
/// ```
/// let points = slipstick_flow::SectionOptions { count: 60, ..Default::default() };
/// assert!(points.skip > 0 && points.longest.is_finite());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SectionOptions {
    /// Points that are let pass.
    pub skip: usize,
    /// Points that are taken.
    pub count: usize,
    /// The longest time between two points: a motion that takes longer has come to rest, or stays away.
    pub longest: f64,
    /// What to do where the future is not unique; `Both` sticks.
    pub policy: NonUniqueness,
    /// Tolerances of the integrators.
    pub flow: FlowOptions,
}

impl Default for SectionOptions {
    fn default() -> Self {
        Self {
            skip: 200,
            count: 60,
            longest: 1000.0,
            policy: NonUniqueness::Stick,
            flow: FlowOptions::default(),
        }
    }
}

/// The points of a motion on a section, and where it is after the last.
///
/// ```
/// use slipstick_flow::{Section, SectionOptions, section_points};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// // Stuck for ever: the deflection has no maximum any more, and the one state is listed.
/// let run = section_points(&system, &Section::Maximum(0), (2, &[0.0, 0.0]), &[2.0, 1.1, 0.4], &SectionOptions::default())?;
/// assert!(run.rests && run.points.len() == 1);
/// # Ok::<(), slipstick_flow::FlowError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SectionRun {
    /// The points; the last state alone of a motion that rests, or stays away.
    pub points: Vec<SectionPoint>,
    /// Did it come to rest?
    pub rests: bool,
    /// Did it stay away from the section for longer than was waited for, moving or on its way to rest?
    pub away: bool,
    /// The longest time that was waited for the last point.
    pub waited: f64,
    /// How many events there were while points were taken.
    pub events: usize,
    /// The mode and its states at the end.
    pub end: (usize, Vec<f64>),
}

/// How often within the longest time between two points it is looked whether a motion rests.
const LOOKS: f64 = 64.0;

/// A motion that touches surfaces as often between two points, without passing any, rests: rates touch zero by
/// rounding.
const MOST_TOUCHED: usize = 1000;

/// A motion that has so many events between two points stays away from the section.
const MOST_EVENTS: usize = 200_000;

/// The points on a section of the motion from the states of a mode.
///
/// # Errors
/// When the motion cannot be followed, or events accumulate ([`FlowError::Accumulates`]), be it after the last point.
pub fn section_points(
    system: &System,
    section: &Section,
    (mode, x): (usize, &[f64]),
    p: &[f64],
    options: &SectionOptions,
) -> Result<SectionRun, FlowError> {
    check_start(system, mode, x, p)?;
    let cut = section.cut(system, p);
    let modes = prepared_modes(&cut, p, options.flow);
    let mut machine = Machine::new(&cut, &modes, p, mode, x);
    let mut zeno = Zeno::new(30, 1e-9);
    // Beside rest rates pass zero again and again by rounding.
    let mut still = Zeno::new(30, 1e-9);
    let mut chain = Chain::default();
    let mut side = Side::default();
    let mut run = SectionRun {
        points: vec![],
        rests: false,
        away: false,
        waited: 0.0,
        events: 0,
        end: (mode, x.to_vec()),
    };
    let mut largest = Largest(vec![0.0; system.states.len()]);
    let (mut passed, mut touched, mut since) = (0, 0, 0);
    let mut last = 0.0;
    let point = |t: f64, mode: usize, x: &[f64]| SectionPoint {
        t,
        mode,
        states: within_turns(system, system.full_state(mode, x, p)),
    };
    while run.points.len() < options.count {
        if let Place::Beyond(event) = chain.place(&cut, (machine.mode, &machine.x), p) {
            return Err(FlowError::Accumulates { t: machine.t, event });
        }
        let until = last + options.longest;
        match machine.advance(until.min(machine.t + options.longest / LOOKS))? {
            Happening::Event(event) => {
                let segment = machine.close(Some(event));
                let at = point(machine.t, segment.mode, &segment.end);
                let met = match section {
                    Section::Events(wanted) => wanted.contains(&(segment.mode, event)).then_some(at),
                    _ => side.pass(section, system, (&segment, at), p, options.flow)?,
                };
                let is_own = event < system.modes[segment.mode].events.len();
                if is_own {
                    chain.event(system, &segment, machine.t, p);
                }
                run.events += usize::from(is_own && passed > options.skip);
                since += usize::from(is_own);
                if !is_own && still.event(machine.t).is_some() {
                    run.rests = true;
                    run.points = vec![point(machine.t, machine.mode, &machine.x)];
                    break;
                }
                if is_own && zeno.event(machine.t).is_some() {
                    return Err(FlowError::Accumulates {
                        t: machine.t,
                        event: system.modes[segment.mode].events[event].name.clone(),
                    });
                }
                if let Some(met) = met {
                    (touched, since) = (0, 0);
                    last = machine.t;
                    passed += 1;
                    if passed > options.skip {
                        run.points.push(met);
                    }
                } else if since > MOST_EVENTS {
                    run.away = true;
                    run.points = vec![point(machine.t, machine.mode, &machine.x)];
                    break;
                }
            }
            Happening::Choice(choice) => match options.policy {
                NonUniqueness::Slip => machine.take(&choice.slip),
                NonUniqueness::Stick | NonUniqueness::Both => machine.take(&choice.stick),
            },
            Happening::Time if machine.t < until && !largest.rests(&machine, p, options.longest) => {}
            Happening::Grazing if touched < MOST_TOUCHED => touched += 1,
            happening => {
                run.away = matches!(happening, Happening::Time) && machine.t >= until;
                run.rests = !run.away;
                run.points = vec![point(machine.t, machine.mode, &machine.x)];
                break;
            }
        }
    }
    run.waited = machine.t - last;
    run.end = (machine.mode, machine.x.clone());
    if chain.shrinks() {
        accumulates(system, machine, chain, zeno, p)?;
    }
    Ok(run)
}

/// Follow a motion whose events came ever faster, to see whether they accumulate.
fn accumulates(
    system: &System,
    mut machine: Machine<'_, '_>,
    mut chain: Chain,
    mut zeno: Zeno,
    p: &[f64],
) -> Result<(), FlowError> {
    /// So many events more. A motion that comes to an orbit shrinks its times, too, but not for ever.
    const MOST: usize = 10_000;
    /// A time that is none.
    const SHORT: f64 = 1e-9;
    let mut wait = 1.0;
    for _ in 0..MOST {
        let until = machine.t + wait * chain.longest().max(SHORT * (1.0 + machine.t));
        match machine.advance(until) {
            Ok(Happening::Event(event)) => {
                let segment = machine.close(Some(event));
                let Some(event) = system.modes[segment.mode].events.get(event) else {
                    continue;
                };
                chain.event(system, &segment, machine.t, p);
                if zeno.event(machine.t).is_some() {
                    return Err(FlowError::Accumulates {
                        t: machine.t,
                        event: event.name.clone(),
                    });
                }
                if let Place::Beyond(event) = chain.place(system, (machine.mode, &machine.x), p) {
                    return Err(FlowError::Accumulates { t: machine.t, event });
                }
                if !chain.goes_on() {
                    return Ok(());
                }
                wait = 1.0;
            }
            Ok(Happening::Time) => match chain.place(system, (machine.mode, &machine.x), p) {
                Place::On => wait *= 2.0,
                Place::Beyond(event) => return Err(FlowError::Accumulates { t: machine.t, event }),
                Place::Off => return Ok(()),
            },
            _ => return Ok(()),
        }
    }
    Ok(())
}

/// How large each state of the system has been where it was looked at.
struct Largest(Vec<f64>);

impl Largest {
    /// Will nothing move any more within this time, to judge by the rates now?
    fn rests(&mut self, machine: &Machine<'_, '_>, p: &[f64], time: f64) -> bool {
        /// Moves that are none, relative to the sizes of states.
        const STILL: f64 = 1e-12;
        let mode = &machine.system.modes[machine.mode];
        let mut rates = vec![0.0; machine.x.len()];
        mode.field.value(&machine.x, p, &mut rates);
        let mut still = true;
        for ((&s, x), rate) in mode.states.iter().zip(&machine.x).zip(&rates) {
            self.0[s] = self.0[s].max(x.abs());
            let size = machine.system.states[s].period.unwrap_or(self.0[s]);
            still &= rate.abs() * time <= STILL * size;
        }
        still
    }
}

/// On which side of the section the motion was last, and where it was there last. A section may be met together with an
/// event, as the maximum of a state where its velocity is reset, and a motion may stay on it for a while, as in stick:
/// it is passed where the motion comes out on the other side.
#[derive(Default)]
struct Side {
    sign: f64,
    last: Option<SectionPoint>,
    /// Which way an angle passed its phase last.
    way: f64,
}

impl Side {
    /// Look at a segment that ends at this point; if the section was passed before it, the point where it was met.
    fn pass(
        &mut self,
        section: &Section,
        system: &System,
        (segment, end): (&Segment, SectionPoint),
        p: &[f64],
        flow: FlowOptions,
    ) -> Result<Option<SectionPoint>, FlowError> {
        let jumped = self
            .last
            .as_ref()
            .and_then(|last| section.jump(system, last, segment, p));
        let Some(cut) = section
            .in_mode(system, segment.mode, p)
            .filter(|_| segment.duration > 0.0)
        else {
            return Ok(None);
        };
        /// As near to its ends as this part of a segment, the motion is on one side.
        const NEAR: f64 = 1e-3;
        let flow = ModeFlow::new(system, segment.mode, flow);
        let mut x = segment.start.clone();
        let mut side = |part: f64| -> Result<f64, FlowError> {
            let mut value = [0.0];
            flow.advance(&segment.start, part * segment.duration, p, &mut x)?;
            cut.guard.value(&x, p, &mut value);
            Ok(if value[0] == 0.0 || value[0].is_nan() {
                0.0
            } else {
                value[0].signum()
            })
        };
        let (begins, ends) = (side(NEAR)?, side(1.0 - NEAR)?);
        if begins == 0.0 && ends == 0.0 {
            return Ok(None);
        }
        let sign = std::mem::replace(&mut self.sign, if ends == 0.0 { begins } else { ends });
        let passes = |to: f64| {
            sign * to < 0.0
                && match (section, jumped) {
                    // A state that a reset sets back has passed an extreme, though its rate has not changed sign.
                    (Section::Maximum(_) | Section::Minimum(_), Some(jump)) => begins == to || jump == to,
                    // What a reset takes to the other side has passed nothing on its way.
                    (_, Some(_)) => false,
                    (_, None) => begins == to,
                }
        };
        let near = |f: &SharedFunction| value(&**f, &segment.start, p) >= 0.0;
        let way = cut.directions.iter().map(|d| d.sign()).find(|&to| passes(to));
        let way = way.filter(|_| cut.near.as_ref().is_none_or(near));
        let met = self.last.replace(end);
        let Some(to) = way else { return Ok(None) };
        // An angle that swings passes its phase both ways, and counts upwards; one that turns back and back, downwards.
        let before = std::mem::replace(&mut self.way, to);
        let counts = cut.directions.len() == 1 || to > 0.0 || before == to;
        Ok(met.filter(|_| counts))
    }
}

/// States with angles within one turn.
fn within_turns(system: &System, mut states: Vec<f64>) -> Vec<f64> {
    for (x, state) in states.iter_mut().zip(&system.states) {
        if let Some(period) = state.period {
            *x = x.rem_euclid(period);
        }
    }
    states
}
