//! What a simulation returns: segments, the points where the future is not unique, why it ended.

use super::error::FlowError;
use super::mode_flow::ModeFlow;
use super::options::FlowOptions;
use super::rows::{DenseSegment, MOST, Row, joined};
use slipstick_system::System;

/// The piece of a trajectory between two events.
///
/// ```
/// use slipstick_flow::{SimulationOptions, simulate};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let p = system.default_parameters();
/// let slip = system.mode("slip-").unwrap();
/// let options = SimulationOptions { t_end: 20.0, ..SimulationOptions::default() };
/// let solution = simulate(&system, slip, &[0.5, -0.1, -0.5], &p, &options)?;
/// // Each segment begins when the one before it ends, in the mode that its event leads to.
/// for pair in solution.segments.windows(2) {
///     assert!((pair[0].t0 + pair[0].duration - pair[1].t0).abs() < 1e-12);
///     assert_eq!(pair[0].next, Some(pair[1].mode));
/// }
/// # Ok::<(), slipstick_flow::FlowError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// Index of the mode.
    pub mode: usize,
    /// When it starts.
    pub t0: f64,
    /// How long it lasts; zero when an event is due at once.
    pub duration: f64,
    /// The mode's states at its start, angles unwrapped.
    pub start: Vec<f64>,
    /// The mode's states at its end, before the event's reset.
    pub end: Vec<f64>,
    /// Index (in the mode) of the event that ends it; `None` for the last one.
    pub event: Option<usize>,
    /// The mode that the event leads to.
    pub next: Option<usize>,
}

/// What to do where the solution has more than one legal future: a stick mode can be entered or kept, and it can be
/// left as well; or several events lead into different modes that last.
///
/// ```
/// use slipstick_flow::{NonUniqueness, SimulationOptions};
/// // Follow both futures where two are legal.
/// let both = SimulationOptions { policy: NonUniqueness::Both, ..SimulationOptions::default() };
/// assert_ne!(both.policy, NonUniqueness::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NonUniqueness {
    /// Keep sticking, or follow the first of the events.
    #[default]
    Stick,
    /// Leave at once, or follow the next of the events.
    Slip,
    /// Follow both futures.
    Both,
}

/// A point of forward non-uniqueness (NU).
///
/// Where static friction exceeds dynamic friction, a mass that is brought to rest where both would do may stick or slip
/// on:
///
/// ```
/// use slipstick_flow::{FlowOptions, ModeFlow, NonUniqueness, SimulationOptions, simulate};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let p = [2.0, 1.1, 0.4];
/// let slip = system.mode("slip-").unwrap();
/// // A state that will land just where stick begins, ξ = Ω² x + sin θ = -μ_s: followed backwards from there.
/// let mut start = [0.0; 3];
/// let landing = [(-1.1 - f64::sin(0.4)) / 4.0, 0.0, 0.4];
/// ModeFlow::new(&system, slip, FlowOptions::default()).advance(&landing, -0.1, &p, &mut start)?;
/// // There the mass may stick, and it may slip on the other way.
/// let options = SimulationOptions { t_end: 0.3, policy: NonUniqueness::Slip, ..SimulationOptions::default() };
/// let solution = simulate(&system, slip, &start, &p, &options)?;
/// let choice = &solution.nonunique[0];
/// assert!((choice.t - 0.1).abs() < 1e-12 && choice.taken == NonUniqueness::Slip);
/// assert!(choice.choice.contains("stick") && choice.choice.contains("slip+"));
/// # Ok::<(), slipstick_flow::FlowError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NonUnique {
    /// When.
    pub t: f64,
    /// All states of the system there.
    pub state: Vec<f64>,
    /// The mode in which it was reached.
    pub mode: usize,
    /// What was done.
    pub taken: NonUniqueness,
    /// In words: what would have been legal.
    pub choice: String,
}

/// Why a simulation ended.
///
/// ```
/// use slipstick_flow::{Ending, SimulationOptions, simulate};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let p = system.default_parameters();
/// let slip = system.mode("slip-").unwrap();
/// let end = |options| simulate(&system, slip, &[0.5, -0.1, -0.5], &p, &options).map(|solution| solution.ending);
/// assert_eq!(end(SimulationOptions { t_end: 1.0, ..SimulationOptions::default() })?, Ending::Time);
/// assert_eq!(end(SimulationOptions { t_end: 1e3, max_events: 5, ..SimulationOptions::default() })?, Ending::Events);
/// # Ok::<(), slipstick_flow::FlowError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// The end time was reached.
    Time,
    /// The wanted number of events has happened.
    Events,
    /// The mode never ends: only angles move, and a whole turn brings no event (permanent stick, an equilibrium under
    /// forcing).
    Rest {
        /// The mode.
        mode: usize,
    },
    /// Events accumulate in finite time (Zeno).
    Accumulation {
        /// To when: the limit of their times.
        t: f64,
        /// In words: which events, how many, how fast, and the limit with the states there.
        message: String,
    },
    /// The future is not unique and both futures are followed; see [`Trajectory::futures`].
    Fork,
    /// The motion came to what is not modelled.
    Outside {
        /// Where to, in words.
        message: String,
    },
}

/// A solution in time.
///
/// ```
/// use slipstick_flow::{FlowOptions, SimulationOptions, simulate};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let p = system.default_parameters();
/// let (mode, start) = system.start_at(&p);
/// let motion = simulate(&system, mode, &start, &p, &SimulationOptions { t_end: 20.0, ..SimulationOptions::default() })?;
/// // Where a segment ends the next begins.
/// assert!(motion.segments.windows(2).all(|two| (two[0].t0 + two[0].duration - two[1].t0).abs() < 1e-12));
/// let rows = motion.table(&system, &p, 0.1, FlowOptions::default())?;
/// assert!(rows.len() > 200 && rows.is_sorted_by(|a, b| a.t <= b.t));
/// # Ok::<(), slipstick_flow::FlowError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// The segments in order.
    pub segments: Vec<Segment>,
    /// The points at which a choice was made.
    pub nonunique: Vec<NonUnique>,
    /// Times at which a surface was touched from inside without an event.
    pub grazings: Vec<(f64, usize)>,
    /// Why it ended.
    pub ending: Ending,
    /// After [`Ending::Fork`]: first the future that sticks, then the one that slips.
    pub futures: Vec<Trajectory>,
}

/// One row of a trajectory's table.
///
/// ```
/// use slipstick_flow::{FlowOptions, SimulationOptions, simulate};
/// use slipstick_system::catalogue::stiction;
/// use std::f64::consts::PI;
/// let system = stiction();
/// let p = system.default_parameters();
/// let slip = system.mode("slip-").unwrap();
/// let options = SimulationOptions { t_end: 20.0, ..SimulationOptions::default() };
/// let solution = simulate(&system, slip, &[0.5, -0.1, -0.5], &p, &options)?;
/// let table = solution.table(&system, &p, 0.1, FlowOptions::default())?;
/// // Every row has all three states, also in stick; the angle is wrapped.
/// assert!(table.iter().all(|row| row.states.len() == 3 && (-PI..PI).contains(&row.states[2])));
/// assert!(table.windows(2).all(|rows| rows[0].t <= rows[1].t));
/// # Ok::<(), slipstick_flow::FlowError>(())
/// ```
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Sample {
    /// Time.
    pub t: f64,
    /// Index of the mode.
    pub mode: usize,
    /// All states of the system, angles wrapped into [-period/2, period/2).
    pub states: Vec<f64>,
}

impl Trajectory {
    /// The time reached.
    pub fn end_time(&self) -> f64 {
        self.segments.last().map_or(0.0, |s| s.t0 + s.duration)
    }
    /// The trajectory every `step`, with both ends of each segment besides. Segments of zero length are left out.
    ///
    /// # Errors
    /// When a segment cannot be flowed again.
    pub fn table(&self, system: &System, p: &[f64], step: f64, options: FlowOptions) -> Result<Vec<Sample>, FlowError> {
        self.rows(system, p, (step, 1), options)
    }

    /// The same for a table whose rows are joined by polynomials: with more rows where the motion is too fast for
    /// those, if so many times as many are enough.
    ///
    /// # Errors
    /// When a segment cannot be flowed again.
    pub fn joined_table(
        &self,
        system: &System,
        p: &[f64],
        step: f64,
        options: FlowOptions,
    ) -> Result<Vec<Sample>, FlowError> {
        self.rows(system, p, (step, MOST), options)
    }

    fn rows(
        &self,
        system: &System,
        p: &[f64],
        (step, times): (f64, usize),
        options: FlowOptions,
    ) -> Result<Vec<Sample>, FlowError> {
        let Some(first) = self.segments.first() else {
            return Ok(vec![]);
        };
        let segments: Vec<&Segment> = self.segments.iter().filter(|s| s.duration > 0.0).collect();
        let mut paths = vec![];
        let mut rows: Vec<Vec<Row>> = vec![];
        for segment in &segments {
            let flow = ModeFlow::new(system, segment.mode, options);
            let path = flow.path(&segment.start, segment.duration, p)?;
            let mut own = vec![(0.0, segment.start.clone())];
            if step > 0.0 {
                let mut k = ((segment.t0 - first.t0) / step).floor() + 1.0;
                loop {
                    let t = first.t0 + k * step;
                    if t >= segment.t0 + segment.duration {
                        break;
                    }
                    let mut x = vec![0.0; segment.start.len()];
                    path.table_state(t - segment.t0, &mut x)?;
                    own.push((t - segment.t0, x));
                    k += 1.0;
                }
            }
            own.push((segment.duration, segment.end.clone()));
            rows.push(own);
            paths.push(path);
        }
        let even = rows.iter().map(Vec::len).sum::<usize>();
        if times > 1 {
            let dense: Vec<DenseSegment<'_>> = segments
                .iter()
                .zip(&paths)
                .map(|(segment, path)| DenseSegment {
                    mode: segment.mode,
                    states: Box::new(|t, x| {
                        if path.table_state(t, x).is_err() {
                            path.eval(t, x);
                        }
                    }),
                    nodes: path.nodes(),
                })
                .collect();
            let (found, enough) = joined(system, p, &dense, rows.clone(), times * even);
            if enough {
                rows = found;
            }
        }
        let mut table = vec![];
        for (segment, rows) in segments.iter().zip(rows) {
            for (t, x) in rows {
                table.push(Sample {
                    t: segment.t0 + t,
                    mode: segment.mode,
                    states: wrapped(system, system.full_state(segment.mode, &x, p)),
                });
            }
        }
        Ok(table)
    }
    /// The names of the modes and events in order: `slip- land stick release+ …`.
    pub fn describe(&self, system: &System) -> String {
        let mut words = vec![];
        for s in &self.segments {
            let mode = &system.modes[s.mode];
            words.push(mode.name.as_str());
            if let Some(e) = s.event {
                words.push(mode.events[e].name.as_str());
            }
        }
        words.join(" ")
    }
}

/// The states with angles brought into [-period/2, period/2).
pub(super) fn wrapped(system: &System, mut states: Vec<f64>) -> Vec<f64> {
    for (v, state) in states.iter_mut().zip(&system.states) {
        if let Some(period) = state.period {
            *v = (*v + 0.5 * period).rem_euclid(period) - 0.5 * period;
        }
    }
    states
}
