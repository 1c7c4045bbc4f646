//! Points of a motion on a section: at a phase of an angle, where a state is extreme or has a value, at an event.

use super::error::FlowError;
use super::machine::{Happening, Machine, prepared_modes};
use super::mode_flow::ModeFlow;
use super::options::FlowOptions;
use super::prepared_mode::constant_turn;
use super::section::{Rate, Turn};
use super::simulate::{Zeno, check_start};
use super::trajectory::{NonUniqueness, Segment};
use slipstick_numerics::scalar::Scalar;
use slipstick_system::{Direction, Event, Formula, SharedFunction, System};
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
    /// Where an angle passes a phase, once per turn.
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
    /// Where a state passes a value.
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

impl Section {
    /// Phase zero of an angle that turns at a constant rate, if there is one, as in forced oscillators; the maxima of
    /// the first state otherwise.
    pub fn natural(system: &System, p: &[f64]) -> Self {
        let mode = system.start.0;
        match constant_turn(system, mode, p) {
            Some((angle, _)) => Self::Phase {
                angle: system.modes[mode].states[angle],
                phase: 0.0,
            },
            None => Self::Maximum(0),
        }
    }

    /// The guard in a mode, and the direction in which it is crossed; none where the mode does not have the state.
    fn guard(&self, system: &System, mode: usize) -> Option<(SharedFunction, Direction)> {
        let own = &system.modes[mode].states;
        let place = |state: usize| own.iter().position(|&s| s == state);
        let rate = |state: usize| -> Option<SharedFunction> {
            let field = system.modes[mode].field.clone();
            Some(Arc::new(Rate {
                field,
                component: place(state)?,
            }))
        };
        match *self {
            Self::Phase { angle, phase } => {
                let period = system.states[angle].period.unwrap_or(TAU);
                let angle = place(angle)?;
                Some((Arc::new(Turn { angle, period, phase }), Direction::Up))
            }
            Self::Maximum(state) => Some((rate(state)?, Direction::Down)),
            Self::Minimum(state) => Some((rate(state)?, Direction::Up)),
            Self::Crossing {
                state,
                value,
                direction,
            } => {
                let state = place(state)?;
                Some((Arc::new(Level { state, value }), direction))
            }
            Self::Events(_) => None,
        }
    }

    /// The sign of the jump of the state that a section of extremes is about, between a point and the segment that goes
    /// on from it; none of other sections.
    fn jump(&self, system: &System, last: &SectionPoint, segment: &Segment, p: &[f64]) -> Option<f64> {
        let (Self::Maximum(state) | Self::Minimum(state)) = *self else {
            return None;
        };
        let now = system.full_state(segment.mode, &segment.start, p)[state];
        let by = now - last.states[state];
        (by.abs() > 1e-9 * (now.abs() + last.states[state].abs())).then(|| by.signum())
    }

    /// The system with one more event in each mode that has the states of the section, the last of the mode.
    fn cut(&self, system: &System) -> System {
        let mut cut = system.clone();
        for (m, mode) in cut.modes.iter_mut().enumerate() {
            if let Some((guard, direction)) = self.guard(system, m) {
                mode.events.push(Event {
                    name: "section".into(),
                    guard,
                    direction,
                    when: vec![],
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
    /// The longest time between two points: a motion that takes longer has come to rest, as far as the section can
    /// tell.
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
    /// The points; the last state alone of a motion that rests.
    pub points: Vec<SectionPoint>,
    /// Did it come to rest, or stay away from the section for longer than was waited for?
    pub rests: bool,
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

/// The points on a section of the motion from the states of a mode.
///
/// # Errors
/// When the motion cannot be followed, or events accumulate ([`FlowError::Accumulates`]).
pub fn section_points(
    system: &System,
    section: &Section,
    (mode, x): (usize, &[f64]),
    p: &[f64],
    options: &SectionOptions,
) -> Result<SectionRun, FlowError> {
    check_start(system, mode, x, p)?;
    let cut = section.cut(system);
    let modes = prepared_modes(&cut, p, options.flow);
    let mut machine = Machine::new(&cut, &modes, p, mode, x);
    let mut zeno = Zeno::new(30, 1e-9);
    // Beside rest rates pass zero again and again by rounding.
    let mut still = Zeno::new(30, 1e-9);
    let mut side = Side::default();
    let mut run = SectionRun {
        points: vec![],
        rests: false,
        events: 0,
        end: (mode, x.to_vec()),
    };
    let mut largest = Largest(vec![0.0; system.states.len()]);
    let (mut passed, mut touched) = (0, 0);
    let mut last = 0.0;
    let point = |t: f64, mode: usize, x: &[f64]| SectionPoint {
        t,
        mode,
        states: within_turns(system, system.full_state(mode, x, p)),
    };
    while run.points.len() < options.count {
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
                run.events += usize::from(is_own && passed > options.skip);
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
                    touched = 0;
                    last = machine.t;
                    passed += 1;
                    if passed > options.skip {
                        run.points.push(met);
                    }
                }
            }
            Happening::Choice(choice) => match options.policy {
                NonUniqueness::Slip => machine.take(&choice.slip),
                NonUniqueness::Stick | NonUniqueness::Both => machine.take(&choice.stick),
            },
            Happening::Time if machine.t < until && !largest.rests(&machine, p, options.longest) => {}
            Happening::Grazing if touched < MOST_TOUCHED => touched += 1,
            Happening::Grazing | Happening::Time | Happening::Rest => {
                run.rests = true;
                run.points = vec![point(machine.t, machine.mode, &machine.x)];
                break;
            }
        }
    }
    run.end = (machine.mode, machine.x);
    Ok(run)
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
        // A state that a reset sets back has passed an extreme, though its rate has not changed sign.
        let jumped = self
            .last
            .as_ref()
            .and_then(|last| section.jump(system, last, segment, p));
        let Some((guard, direction)) = section.guard(system, segment.mode).filter(|_| segment.duration > 0.0) else {
            return Ok(None);
        };
        /// As near to its ends as this part of a segment, the motion is on one side.
        const NEAR: f64 = 1e-3;
        let flow = ModeFlow::new(system, segment.mode, flow);
        let mut x = segment.start.clone();
        let mut side = |part: f64| -> Result<f64, FlowError> {
            let mut value = [0.0];
            flow.advance(&segment.start, part * segment.duration, p, &mut x)?;
            guard.value(&x, p, &mut value);
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
        let jump = jumped.unwrap_or(0.0);
        let to = direction.sign();
        let passed = self.sign * to < 0.0 && (begins == to || jump == to);
        self.sign = if ends == 0.0 { begins } else { ends };
        let met = self.last.replace(end);
        Ok(met.filter(|_| passed))
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
