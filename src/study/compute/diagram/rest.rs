//! Does a motion rest, or come to rest?

use crate::compute::attractors::problem::measured;
use crate::compute::diagram::points::{SAME, apart};
use slipstick_bifurcation::Record;
use slipstick_flow::{SectionPoint, constant_rates};
use slipstick_orbit::FixedPoint;
use slipstick_system::System;

/// For each state of a mode: does it say by its rate whether a motion rests? An angle that turns at a constant rate, as
/// that of a forcing, turns beside states at rest; but where nothing else is, it moves.
fn telling(system: &System, mode: usize, p: &[f64]) -> Vec<bool> {
    let own = &system.modes[mode];
    let rates = constant_rates(own, p);
    let states = own.states.iter().zip(&rates);
    let telling: Vec<bool> = states
        .map(|(&s, rate)| system.states[s].period.is_none() || *rate == 0.0)
        .collect();
    if telling.contains(&true) {
        telling
    } else {
        vec![true; own.states.len()]
    }
}

/// Would nothing be elsewhere after this time, to judge by the rates, here and with the angles that turn at constant
/// rates as they are on the way? What is driven may stand still at one phase.
pub(crate) fn stands(system: &System, (mode, x): (usize, &[f64]), p: &[f64], (time, scales): (f64, &[f64])) -> bool {
    /// Parts of the time that are looked at, spread over it.
    const ON_THE_WAY: [f64; 6] = [0.0, 0.618, 0.236, 0.854, 0.472, 0.09];
    let own = &system.modes[mode];
    let (turn, telling) = (constant_rates(own, p), telling(system, mode, p));
    let turns = |s: usize, rate: f64| system.states[s].period.is_some() && rate != 0.0;
    let mut rates = vec![0.0; x.len()];
    ON_THE_WAY.iter().all(|part| {
        let states = x.iter().zip(own.states.iter().zip(&turn));
        let at: Vec<f64> = states
            .map(|(x, (&s, rate))| if turns(s, *rate) { x + part * time * rate } else { *x })
            .collect();
        own.field.value(&at, p, &mut rates);
        let moves = rates.iter().zip(&own.states).zip(&telling);
        moves
            .into_iter()
            .all(|((rate, &s), tells)| !tells || rate.abs() * time <= SAME * scales[s])
    })
}

/// An angle of the mode that turns by more than its period in this time, to judge by its rate.
pub(crate) fn turning(system: &System, (mode, x): (usize, &[f64]), p: &[f64], time: f64) -> Option<usize> {
    let mut rates = vec![0.0; x.len()];
    system.modes[mode].field.value(x, p, &mut rates);
    let states = rates.iter().zip(&system.modes[mode].states);
    states
        .filter_map(|(rate, &s)| Some((rate, s, system.states[s].period?)))
        .find(|(rate, _, period)| rate.abs() * time > *period)
        .map(|(_, s, _)| s)
}

/// An equilibrium that attracts.
pub(crate) struct Equilibrium {
    mode: usize,
    /// All states of the system.
    states: Vec<f64>,
    pub(crate) record: Record,
    /// The real part of the slowest eigenvalue; zero where that is rounding.
    slowest: f64,
    /// Do perturbations swing about it for ever?
    swings: bool,
}

impl Equilibrium {
    /// The one that Newton's method finds from a state, if it does not repel.
    pub(crate) fn near(system: &System, (mode, x): (usize, &[f64]), p: &[f64], free: usize) -> Option<Self> {
        /// An eigenvalue nearer to the axis than this part of what it is made of is on it.
        const ROUNDING: f64 = 1e-9;
        if system.is_map() || constant_rates(&system.modes[mode], p).iter().any(|rate| *rate != 0.0) {
            return None;
        }
        let mut problem = FixedPoint::equilibrium(system, mode, p.to_vec(), vec![free]);
        let guess = problem.guess_points(&[x.to_vec()]);
        let z = problem.corrected(guess).ok()?;
        let at = problem.points(&z).into_iter().next()?;
        let record = measured(&mut problem, z)?;
        let neutral = |value: f64, scale: f64| value.abs() <= ROUNDING * scale;
        let (mut slowest, mut swings) = (f64::NEG_INFINITY, false);
        for (value, scale) in record.scaled_eigenvalues() {
            let real = if neutral(value.re, scale) { 0.0 } else { value.re };
            slowest = slowest.max(real);
            swings |= real == 0.0 && !neutral(value.im, scale);
        }
        (slowest <= 0.0 && system.is_inside(mode, &at, p)).then(|| Self {
            mode,
            states: system.full_state(mode, &at, p),
            record,
            slowest,
            swings,
        })
    }

    /// Do these points come to it as fast as its slowest perturbation decays, or have they come to it? A motion that
    /// comes to a cycle around it does not.
    pub(crate) fn attracts(&self, system: &System, points: &[SectionPoint], scales: &[f64]) -> bool {
        /// Rates that agree, as a part of each other.
        const ALIKE: f64 = 0.2;
        if !(self.slowest < 0.0) || points.len() < 2 || points.iter().any(|point| point.mode != self.mode) {
            return false;
        }
        let off: Vec<f64> = points
            .iter()
            .map(|point| apart(system, &point.states, &self.states, scales))
            .collect();
        if off.iter().all(|off| *off <= SAME) {
            return true;
        }
        let last = points.len() - 1;
        let (middle, later) = (last / 2, last - last / 4);
        let rate = |from: usize, to: usize| (off[to] / off[from]).ln() / (points[to].t - points[from].t);
        let alike = |rate: f64| (rate - self.slowest).abs() <= ALIKE * self.slowest.abs();
        alike(rate(middle, last)) && (later == middle || later == last || alike(rate(middle, later)))
    }

    /// Does a motion come to it that is here, and does not turn? Its rates lead there, and it is near, beside where
    /// motions are (`region`).
    pub(crate) fn draws(&self, system: &System, x: &[f64], p: &[f64], region: &[(f64, f64)]) -> bool {
        /// As a part of the region.
        const NEAR: f64 = 0.05;
        let mode = &system.modes[self.mode];
        let mut rates = vec![0.0; x.len()];
        mode.field.value(x, p, &mut rates);
        let full = system.full_state(self.mode, x, p);
        let widths: Vec<f64> = region.iter().map(|(lo, hi)| hi - lo).collect();
        let off = |s: usize| {
            let d = full[s] - self.states[s];
            system.states[s]
                .period
                .map_or(d, |period| d - (d / period).round() * period)
        };
        let inwards: f64 = mode
            .states
            .iter()
            .zip(&rates)
            .map(|(&s, rate)| off(s) * rate / widths[s].powi(2))
            .sum();
        let apart = apart(system, &full, &self.states, &widths);
        // At the equilibrium itself the way is rounding.
        apart <= SAME || (inwards <= 0.0 && apart <= NEAR && !self.swings)
    }

    /// How far from it a state of a mode is.
    pub(crate) fn off(&self, system: &System, (mode, x): &(usize, Vec<f64>), p: &[f64], scales: &[f64]) -> f64 {
        apart(system, &system.full_state(*mode, x, p), &self.states, scales)
    }

    /// By which factor its slowest perturbation decays in this time.
    pub(crate) fn decay(&self, time: f64) -> f64 {
        (self.slowest * time).exp()
    }

    /// Its states, as a point.
    pub(crate) fn point(&self, t: f64) -> SectionPoint {
        SectionPoint {
            t,
            mode: self.mode,
            states: self.states.clone(),
        }
    }
}
