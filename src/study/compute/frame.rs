//! Where states count from, and in which units, before anything is known of motions but where they start: zero and one
//! where the equations are written so that these mean something, else the start and lengths of the equations.
//!
//! A system written in other units, or with states that count from elsewhere, has the same regions of search then.

use slipstick_orbit::lengths_of_field;
use slipstick_system::System;

/// For each state of a system where it counts from, and its unit.
pub(crate) struct Frame {
    origins: Vec<f64>,
    units: Vec<f64>,
}

/// Where the length of a state is within this factor of one, it counts by one.
const ORDINARY: f64 = 3.0;
/// What is so many times as far from zero as it is wide is far.
const FAR: f64 = 8.0;

impl Frame {
    /// That of the system's own start. `passed` follows the motion from there, where it may tell how far states go.
    pub(crate) fn of(system: &System, parameters: &[f64], passed: &dyn Fn() -> Vec<Vec<f64>>) -> Self {
        let count = system.states.len();
        let mut frame = Self {
            origins: vec![0.0; count],
            units: vec![1.0; count],
        };
        let (mode, start) = system.start_at(parameters);
        let full = system.full_state(mode, &start, parameters);
        let mut lengths = vec![None; count];
        let own = lengths_of_field(system, mode, parameters, &start);
        for (&s, length) in system.modes[mode].states.iter().zip(own) {
            lengths[s] = length.filter(|l| l.is_normal() && system.states[s].period.is_none());
        }
        let known: Vec<(usize, f64)> = (0..count).filter_map(|s| Some((s, lengths[s]?))).collect();
        let is_ordinary = |size: f64| (ORDINARY.recip()..=ORDINARY).contains(&size);
        let zero_counts: Vec<bool> = (0..count)
            .map(|s| zero_counts(system, (mode, &start), s, parameters))
            .collect();
        let is_far = |s: usize, width: f64| !zero_counts[s] && full[s].abs() > FAR * width;
        if known
            .iter()
            .all(|&(s, length)| is_ordinary(length) && !is_far(s, length))
        {
            return frame;
        }
        let ranges = ranges(&passed(), &full, &known);
        for &(s, length) in &known {
            let size = length.max(ranges[s].1 - ranges[s].0);
            if is_far(s, size) {
                frame.origins[s] = full[s];
                frame.units[s] = if is_ordinary(size) { 1.0 } else { size };
            }
        }
        let near: Vec<(usize, f64)> = known.into_iter().filter(|&(s, _)| frame.origins[s] == 0.0).collect();
        let extent = |s: usize| ranges[s].0.abs().max(ranges[s].1.abs());
        let straight = (0..count).filter(|&s| system.states[s].period.is_none());
        let mut all = straight.filter(|&s| frame.origins[s] == 0.0);
        if all.all(|s| lengths[s].is_some_and(|length| length.max(extent(s)) < ORDINARY.recip())) {
            near.iter().for_each(|&(s, length)| frame.units[s] = length);
            return frame;
        }
        // How many lengths the motion goes, where that is less than one.
        let most = near.iter().map(|&(s, length)| extent(s) / length).fold(0.0, f64::max);
        let part = if most > 0.0 { most.min(1.0) } else { 1.0 };
        for (s, length) in near {
            let size = (part * length).max(extent(s));
            if size > ORDINARY * ORDINARY {
                frame.units[s] = size;
            }
        }
        frame
    }

    /// All states, counted so.
    pub(crate) fn counted(&self, full: &[f64]) -> Vec<f64> {
        let own = full.iter().zip(&self.origins).zip(&self.units);
        own.map(|((v, origin), unit)| (v - origin) / unit).collect()
    }

    /// State `s` as it is written.
    pub(crate) fn written(&self, s: usize, counted: f64) -> f64 {
        self.origins[s] + counted * self.units[s]
    }

    /// An interval of state `s` as it is written.
    pub(crate) fn interval(&self, s: usize, (low, high): (f64, f64)) -> (f64, f64) {
        (self.written(s, low), self.written(s, high))
    }

    /// An interval of state `s` that is written, counted so.
    pub(crate) fn counted_interval(&self, s: usize, (low, high): (f64, f64)) -> (f64, f64) {
        let of = |v: f64| (v - self.origins[s]) / self.units[s];
        (of(low), of(high))
    }
}

/// Does a state stay at zero whatever the others are, as species do that are absent, or does a symmetry turn its sign?
/// However far away it is, zero means something then.
fn zero_counts(system: &System, (mode, start): (usize, &[f64]), state: usize, parameters: &[f64]) -> bool {
    if system
        .symmetry
        .as_ref()
        .is_some_and(|s| s.sign[state] < 0.0 && s.shift[state] == 0.0)
    {
        return true;
    }
    /// What is this part of the rate, or of the step, from the start is rounding.
    const ROUNDING: f64 = 1e-13;
    let Some(own) = system.modes[mode].states.iter().position(|&s| s == state) else {
        return false;
    };
    let change = |x: &[f64]| {
        let mut f = vec![0.0; x.len()];
        system.modes[mode].field.value(x, parameters, &mut f);
        if system.is_map() { f[own] - x[own] } else { f[own] }
    };
    let with = |factor: f64, value: f64| {
        let mut x: Vec<f64> = start.iter().map(|v| factor * v).collect();
        x[own] = value;
        change(&x).abs()
    };
    // Beside the start too, which may be at rest.
    let factors = [1.0, 0.9, 1.3];
    let usual = factors
        .map(|factor| with(factor, factor * start[own]))
        .into_iter()
        .fold(0.0, f64::max);
    usual > 0.0 && factors.into_iter().all(|factor| with(factor, 0.0) <= ROUNDING * usual)
}

/// What each state passes from its start on, as long as none of those with a length goes very many of them.
fn ranges(passed: &[Vec<f64>], start: &[f64], known: &[(usize, f64)]) -> Vec<(f64, f64)> {
    const MANY: f64 = 100.0;
    let goes_on = |x: &&Vec<f64>| {
        known
            .iter()
            .all(|&(s, length)| (x[s] - start[s]).abs() <= MANY * length)
    };
    let mut ranges: Vec<(f64, f64)> = start.iter().map(|&v| (v, v)).collect();
    for x in passed.iter().take_while(goes_on) {
        for (range, v) in ranges.iter_mut().zip(x) {
            *range = (range.0.min(*v), range.1.max(*v));
        }
    }
    ranges
}
