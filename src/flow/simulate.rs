//! Event-driven simulation.

use super::accumulation;
use super::error::FlowError;
use super::machine::{Happening, Machine, prepared_modes};
use super::options::FlowOptions;
use super::trajectory::{Ending, NonUnique, NonUniqueness, Trajectory};
use super::unmodelled::instead;
use slipstick_system::System;
use std::collections::VecDeque;

/// How far and how to simulate.
///
/// ```
/// use slipstick_flow::{Ending, SimulationOptions, simulate};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let p = system.default_parameters();
/// let slip = system.mode("slip-").unwrap();
/// let options = SimulationOptions { t_end: 10.0, ..SimulationOptions::default() };
/// let motion = simulate(&system, slip, &[0.5, -0.1, -0.5], &p, &options)?;
/// assert!(matches!(motion.ending, Ending::Time) && (motion.end_time() - 10.0).abs() < 1e-12);
/// # Ok::<(), slipstick_flow::FlowError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SimulationOptions {
    /// The end time.
    pub t_end: f64,
    /// Stop after this many events.
    pub max_events: usize,
    /// What to do where the future is not unique.
    pub policy: NonUniqueness,
    /// With [`NonUniqueness::Both`]: how many forks may follow each other; deeper ones stick.
    pub fork_depth: usize,
    /// Events accumulate (Zeno) when this many of them …
    pub zeno_events: usize,
    /// … happen within this time, relative to 1 + t.
    pub zeno_time: f64,
    /// Tolerances of the integrators.
    pub flow: FlowOptions,
}

impl Default for SimulationOptions {
    fn default() -> Self {
        Self {
            t_end: 100.0,
            max_events: 100_000,
            policy: NonUniqueness::Stick,
            fork_depth: 4,
            zeno_events: 30,
            zeno_time: 1e-6,
            flow: FlowOptions::default(),
        }
    }
}

/// Follow `system` from the states `x` of `mode` at the parameters `p`.
///
/// ```
/// use slipstick_flow::{SimulationOptions, simulate};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let stick = system.mode("stick").unwrap_or(0);
/// let options = SimulationOptions { t_end: 10.0, ..SimulationOptions::default() };
/// let run = simulate(&system, stick, &[0.3, 0.0], &[2.0, 1.1, 0.4], &options)?;
/// assert!(run.describe(&system).starts_with("stick release+ slip- land stick"));
/// # Ok::<(), slipstick_flow::FlowError>(())
/// ```
///
/// # Errors
/// When the start does not fit the mode, the state leaves the finite numbers, or the integrator gives up.
pub fn simulate(
    system: &System,
    mode: usize,
    x: &[f64],
    p: &[f64],
    options: &SimulationOptions,
) -> Result<Trajectory, FlowError> {
    check_start(system, mode, x, p)?;
    let prepared_modes = prepared_modes(system, p, options.flow);
    let machine = Machine::new(system, &prepared_modes, p, mode, x);
    well_placed(&machine, x)?;
    follow(machine, p, options, options.max_events, options.fork_depth)
}

/// Can a motion begin there? What [`simulate`] refuses before it computes anything.
pub fn check_simulation(
    system: &System,
    mode: usize,
    x: &[f64],
    p: &[f64],
    flow: FlowOptions,
) -> Result<(), FlowError> {
    check_start(system, mode, x, p)?;
    well_placed(&Machine::new(system, &prepared_modes(system, p, flow), p, mode, x), x)
}

fn well_placed(machine: &Machine<'_, '_>, x: &[f64]) -> Result<(), FlowError> {
    match machine.misplaced() {
        None => Ok(()),
        Some(event) => Err(FlowError::Argument {
            mode: machine.system.modes[machine.mode].name.clone(),
            what: format!("the initial state {x:?} lies beyond the surface of event `{event}`; start in another mode"),
        }),
    }
}

/// Is `x` a state of `mode`, and are there as many parameters as the system has?
pub(super) fn check_start(system: &System, mode: usize, x: &[f64], p: &[f64]) -> Result<(), FlowError> {
    if system.is_map() {
        return Err(FlowError::Map {
            system: system.name.clone(),
        });
    }
    let Some(m) = system.modes.get(mode) else {
        return Err(FlowError::Argument {
            mode: format!("#{mode}"),
            what: format!("the system has {} modes only, counted from 0", system.modes.len()),
        });
    };
    let what = if x.len() != m.states.len() {
        format!("the start has {} states where the mode has {}", x.len(), m.states.len())
    } else if p.len() != system.parameters.len() {
        format!(
            "{} parameters given where the system has {}",
            p.len(),
            system.parameters.len()
        )
    } else if x.iter().chain(p).any(|v| !v.is_finite()) {
        "the start and the parameters must be finite numbers".into()
    } else {
        return Ok(());
    };
    Err(FlowError::Argument {
        mode: m.name.clone(),
        what,
    })
}

/// Notices events that accumulate.
pub(super) struct Zeno {
    times: VecDeque<f64>,
    count: usize,
    time: f64,
}

impl Zeno {
    pub(super) fn new(count: usize, time: f64) -> Self {
        Self {
            times: VecDeque::new(),
            count: count.max(2),
            time,
        }
    }
    /// An event at `t`; returns the time that the last events took, if that is too little.
    pub(super) fn event(&mut self, t: f64) -> Option<f64> {
        self.times.push_back(t);
        if self.times.len() > self.count {
            self.times.pop_front();
        }
        let first = *self.times.front()?;
        (self.times.len() == self.count && t - first <= self.time * (1.0 + t.abs())).then_some(t - first)
    }
}

/// Events that follow one another so soon, relative to 1 + t, may be the last ones that can be resolved of a motion
/// that turns around the intersection of two surfaces.
const SHORT: f64 = 1e-8;

fn follow(
    mut machine: Machine<'_, '_>,
    p: &[f64],
    options: &SimulationOptions,
    mut events_left: usize,
    forks_left: usize,
) -> Result<Trajectory, FlowError> {
    let mut run = Trajectory {
        segments: vec![],
        nonunique: vec![],
        grazings: vec![],
        ending: Ending::Time,
        futures: vec![],
    };
    let mut zeno = Zeno::new(options.zeno_events, options.zeno_time);
    if options.max_events == 0 {
        run.ending = Ending::Events;
        return Ok(run);
    }
    loop {
        let happening = match machine.advance(options.t_end) {
            Err(FlowError::Outside { why }) => {
                run.ending = Ending::Outside { message: why };
                return Ok(run);
            }
            happening => happening?,
        };
        match happening {
            Happening::Event(event) => {
                let name = &machine.system.modes[machine.mode].events[event].name;
                let (t, name) = (machine.t, name.clone());
                run.segments.push(machine.close(Some(event)));
                events_left -= 1;
                if events_left == 0 {
                    run.ending = Ending::Events;
                    return Ok(run);
                }
                let accumulates = zeno.event(t);
                let soon = SHORT * (1.0 + t.abs());
                let is_short = accumulates.is_some() || run.segments.last().is_some_and(|last| last.duration <= soon);
                let limit = || accumulation::limit(machine.system, &run.segments, p);
                let limit = is_short.then(limit).flatten();
                let near = limit
                    .as_ref()
                    .filter(|limit| accumulates.is_some() || limit.t - t <= soon);
                if let Some((mode, x)) = near.and_then(|limit| limit.holding(machine.system, &run.segments, t, p)) {
                    machine.enter(mode, x);
                    if let Some(last) = run.segments.last_mut() {
                        last.next = Some(mode);
                    }
                    zeno = Zeno::new(options.zeno_events, options.zeno_time);
                    continue;
                }
                if let Some(span) = accumulates {
                    let unit = machine.system.units.time;
                    let to = limit.as_ref().map_or_else(String::new, |limit| {
                        format!(" to {}", limit.in_words(machine.system, &run.segments, p))
                    });
                    let t = limit.map_or(t, |limit| limit.t);
                    let message = format!(
                        "{} events within {:e}, the last one is `{name}`: they accumulate (Zeno){to}; {}",
                        options.zeno_events,
                        span * unit,
                        instead(&name)
                    );
                    run.ending = Ending::Accumulation { t, message };
                    return Ok(run);
                }
            }
            Happening::Choice(choice) => {
                let policy = match options.policy {
                    NonUniqueness::Both if forks_left == 0 => NonUniqueness::Stick,
                    policy => policy,
                };
                run.nonunique.push(NonUnique {
                    t: machine.t,
                    state: machine.system.full_state(machine.mode, &machine.x, p),
                    mode: machine.mode,
                    taken: policy,
                    choice: machine.words(&choice),
                });
                match policy {
                    NonUniqueness::Stick => machine.take(&choice.stick),
                    NonUniqueness::Slip => machine.take(&choice.slip),
                    NonUniqueness::Both => {
                        run.segments.push(machine.close(None));
                        run.ending = Ending::Fork;
                        for events in [&choice.stick, &choice.slip] {
                            let mut future = machine.clone();
                            future.take(events);
                            run.futures
                                .push(follow(future, p, options, events_left, forks_left - 1)?);
                        }
                        return Ok(run);
                    }
                }
            }
            Happening::Grazing => run.grazings.push((machine.t, machine.mode)),
            Happening::Time => {
                run.segments.push(machine.close(None));
                return Ok(run);
            }
            Happening::Rest => {
                let kept = machine.mode;
                run.segments.push(machine.close(None));
                run.ending = Ending::Rest { mode: kept };
                return Ok(run);
            }
        }
    }
}
