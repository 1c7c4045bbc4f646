//! Motions that do not repeat: their extremes round by round, and whether neighbours separate.

use crate::compute::attractors::recognition::Place;
use slipstick_flow::exponents::{Exponent, ExponentOptions, SpectrumError, spectrum};
use slipstick_flow::{Ending, FlowError, FlowOptions, SimulationOptions, Trajectory, simulate};
use slipstick_system::System;

/// Rounds that are let pass, and rounds that are looked at.
pub(crate) const PASSED: usize = 150;
pub(crate) const ROUNDS: usize = 60;

/// A round in systems without a forcing.
pub(crate) const ROUND: f64 = 10.0;

/// Rows in a round.
const SAMPLES: f64 = 200.0;

/// The rounds of a motion.
pub(crate) struct Rounds {
    /// For each round: the smallest and the largest value of each state.
    pub(crate) extremes: Vec<Vec<(f64, f64)>>,
    /// Its largest Lyapunov exponents.
    pub(crate) exponents: Vec<Exponent>,
    /// The mode and the states at their end.
    pub(crate) end: (usize, Vec<f64>),
    /// Where its events happen.
    pub(crate) place: Place,
}

/// Follow a motion from the states `x` of `mode`, with `count` of its exponents.
pub(crate) fn rounds(
    system: &System,
    mode: usize,
    x: &[f64],
    p: &[f64],
    flow: FlowOptions,
    count: usize,
) -> Result<Rounds, SpectrumError> {
    let round = round_time(system, mode, x, p);
    let run = runs(system, p, (round, flow));
    let last = |run: &Trajectory| run.segments.last().map(|s| (s.mode, s.end.clone()));
    let passed = run(mode, x, PASSED as f64 * round)?;
    let (mode, x) = last(&passed).unwrap_or((mode, x.to_vec()));
    let mut motion = RoundByRound::from(system, (mode, &x), p, (round, flow));
    Ok(Rounds {
        extremes: motion.rounds()?,
        exponents: exponents(system, (mode, &x), p, round, count)?,
        // The first half may still be transient.
        place: Place::of(&passed.segments[passed.segments.len() / 2..], system),
        end: (motion.mode, motion.x),
    })
}

/// Follows a motion from states of a mode for some time.
fn runs<'a>(
    system: &'a System,
    p: &'a [f64],
    (round, flow): (f64, FlowOptions),
) -> impl Fn(usize, &[f64], f64) -> Result<Trajectory, FlowError> + 'a {
    move |mode, x, time| {
        // The limit of steps is one for a round.
        let rounds = (time / round).ceil() as usize;
        let options = SimulationOptions {
            t_end: time,
            flow: FlowOptions {
                max_steps: flow.max_steps.saturating_mul(rounds),
                ..flow
            },
            ..SimulationOptions::default()
        };
        let found = simulate(system, mode, x, p, &options)?;
        match found.ending {
            Ending::Events => Err(FlowError::TooManyEvents {
                events: options.max_events,
                t: found.segments.iter().map(|s| s.duration).sum(),
            }),
            // Nothing is known of the time behind.
            Ending::Accumulation { t, .. } => Err(FlowError::Accumulates {
                t,
                event: last_event(system, &found),
            }),
            Ending::Time | Ending::Rest { .. } | Ending::Fork | Ending::Outside { .. } => Ok(found),
        }
    }
}

/// The name of the last event of a motion.
fn last_event(system: &System, run: &Trajectory) -> String {
    let mut letters = run.segments.iter().rev().map(|segment| (segment.mode, segment.event));
    let last = letters.find_map(|(mode, event)| Some((mode, event?)));
    last.map_or_else(String::new, |(mode, event)| {
        system.modes[mode].events[event].name.clone()
    })
}

/// A motion that is followed round by round.
pub(crate) struct RoundByRound<'a> {
    system: &'a System,
    p: &'a [f64],
    round: f64,
    flow: FlowOptions,
    /// Where it is.
    mode: usize,
    x: Vec<f64>,
}

impl<'a> RoundByRound<'a> {
    /// From the states `x` of `mode`.
    pub(crate) fn from(
        system: &'a System,
        (mode, x): (usize, &[f64]),
        p: &'a [f64],
        (round, flow): (f64, FlowOptions),
    ) -> Self {
        let x = x.to_vec();
        Self {
            system,
            p,
            round,
            flow,
            mode,
            x,
        }
    }

    /// The largest absolute value of each state that is no angle on the last of so many rounds from here; none where
    /// the motion cannot be followed.
    pub(crate) fn extents_after(&mut self, rounds: usize) -> Option<Vec<f64>> {
        for _ in 1..rounds {
            self.follow().ok()?;
        }
        let extremes = self.extremes().ok()?;
        extents(self.system, &[extremes]).pop()
    }

    /// The extremes of all states, on as many rounds as are looked at.
    ///
    /// # Errors
    /// [`FlowError`] where the motion cannot be followed.
    pub(crate) fn rounds(&mut self) -> Result<Vec<Vec<(f64, f64)>>, FlowError> {
        (0..ROUNDS).map(|_| self.extremes()).collect()
    }

    /// The extremes of all states on the next round.
    ///
    /// # Errors
    /// [`FlowError`] where the motion cannot be followed.
    fn extremes(&mut self) -> Result<Vec<(f64, f64)>, FlowError> {
        let own = self.follow()?;
        let mut range = vec![(f64::INFINITY, f64::NEG_INFINITY); self.system.states.len()];
        for row in own.table(self.system, self.p, self.round / SAMPLES, self.flow)? {
            for (r, v) in range.iter_mut().zip(&row.states) {
                *r = (r.0.min(*v), r.1.max(*v));
            }
        }
        Ok(range)
    }

    /// The next round.
    ///
    /// # Errors
    /// [`FlowError`] where the motion cannot be followed.
    fn follow(&mut self) -> Result<Trajectory, FlowError> {
        let run = runs(self.system, self.p, (self.round, self.flow));
        let own = run(self.mode, &self.x, self.round)?;
        if let Some(segment) = own.segments.last() {
            self.mode = segment.mode;
            self.x.clone_from(&segment.end);
        }
        Ok(own)
    }
}

/// The largest absolute value of each state that is no angle, round by round.
pub(crate) fn extents(system: &System, extremes: &[Vec<(f64, f64)>]) -> Vec<Vec<f64>> {
    let of_round = |round: &Vec<(f64, f64)>| {
        let states = system.states.iter().zip(round).filter(|(s, _)| s.period.is_none());
        states.map(|(_, (low, high))| low.abs().max(high.abs())).collect()
    };
    extremes.iter().map(of_round).collect()
}

/// The largest exponents of a motion over rather more rounds than are looked at.
pub(crate) fn exponents(
    system: &System,
    (mode, x): (usize, &[f64]),
    p: &[f64],
    round: f64,
    count: usize,
) -> Result<Vec<Exponent>, SpectrumError> {
    long(system, (mode, x), p, 1.5 * ROUNDS as f64 * round, count)
}

/// The largest exponents of a motion over this time.
pub(crate) fn long(
    system: &System,
    (mode, x): (usize, &[f64]),
    p: &[f64],
    time: f64,
    count: usize,
) -> Result<Vec<Exponent>, SpectrumError> {
    let options = ExponentOptions {
        transient: time / 18.0,
        time,
        count: Some(count),
        ..ExponentOptions::default()
    };
    Ok(spectrum(system, mode, x, p, &options)?.exponents)
}

/// The period of the forcing, if an angle of the mode turns; else a time for systems in units of about one.
pub(crate) fn round_time(system: &System, mode: usize, x: &[f64], p: &[f64]) -> f64 {
    turning_time(system, mode, x, p).unwrap_or(ROUND)
}

/// The period of the forcing, if an angle of the mode turns.
pub(crate) fn turning_time(system: &System, mode: usize, x: &[f64], p: &[f64]) -> Option<f64> {
    let m = &system.modes[mode];
    let mut f = vec![0.0; x.len()];
    m.field.value(x, p, &mut f);
    let turn = m
        .states
        .iter()
        .zip(&f)
        .find_map(|(&s, f)| Some(system.states[s].period? / f.abs()));
    // An angle that has come to rest turns no more.
    const LONGEST: f64 = 1e9;
    turn.filter(|t| *t < LONGEST)
}

/// The extremes of the states as the first monitors of an orbit are made of them; the rest is left open.
pub(crate) fn row(system: &System, extremes: &[(f64, f64)], width: usize) -> Vec<f64> {
    let mut row = vec![];
    for (state, &(low, high)) in system.states.iter().zip(extremes) {
        if state.period.is_none() {
            row.extend([low.abs().max(high.abs()), high, low]);
        }
    }
    row.resize(width, f64::NAN);
    row
}
