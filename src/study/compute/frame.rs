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

/// A state whose size is within this factor of one counts by one.
const ORDINARY: f64 = 10.0;
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
        let (mode, start) = &system.start;
        let full = system.full_state(*mode, start, parameters);
        let mut lengths = vec![None; count];
        let own = lengths_of_field(system, *mode, parameters, start);
        for (&s, length) in system.modes[*mode].states.iter().zip(own) {
            lengths[s] = length.filter(|_| system.states[s].period.is_none());
        }
        let is_far = |s: usize, width: f64| full[s].abs() > FAR * width;
        if (0..count).any(|s| lengths[s].is_some_and(|length| is_far(s, length))) {
            let widths = widths(&passed(), count);
            for s in 0..count {
                if let Some(length) = &mut lengths[s]
                    && is_far(s, length.max(widths[s]))
                {
                    frame.origins[s] = full[s];
                    *length = length.max(widths[s]);
                }
            }
        }
        let from = |s: usize| (full[s] - frame.origins[s]).abs();
        let told = (0..count).filter_map(|s| Some((s, lengths[s]?)));
        // How many lengths the start is away, where that is less than one.
        let most = told.clone().map(|(s, length)| from(s) / length).fold(0.0, f64::max);
        let part = if most > 0.0 { most.min(1.0) } else { 1.0 };
        for (s, length) in told {
            let size = (part * length).max(from(s));
            if !(ORDINARY.recip()..=ORDINARY).contains(&size) && size.is_normal() {
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

/// How far each state goes.
fn widths(passed: &[Vec<f64>], count: usize) -> Vec<f64> {
    let width = |s: usize| {
        let values = || passed.iter().map(|x| x[s]).filter(|v| v.is_finite());
        let width = values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min);
        width.max(0.0)
    };
    (0..count).map(width).collect()
}
