//! The sizes of states along a motion: perturbations are measured in them, so that no state is lost beside another
//! whose unit differs.

use slipstick_system::System;

/// The sizes seen so far, and those in use.
pub(super) struct Sizes<'s> {
    system: &'s System,
    seen: Vec<f64>,
    used: Vec<f64>,
}

impl<'s> Sizes<'s> {
    pub(super) fn new(system: &'s System) -> Self {
        let n = system.states.len();
        Self {
            system,
            seen: vec![0.0; n],
            used: vec![1.0; n],
        }
    }

    /// See the states of a mode.
    pub(super) fn see(&mut self, mode: usize, x: &[f64]) {
        for (v, &s) in x.iter().zip(&self.system.modes[mode].states) {
            self.seen[s] = self.seen[s].max(v.abs());
        }
    }

    /// Use what was seen: powers of two, so that nothing is rounded. Angles and states that are zero keep their unit.
    pub(super) fn adopt(&mut self) {
        for ((used, seen), state) in self.used.iter_mut().zip(&self.seen).zip(&self.system.states) {
            let usable = state.period.is_none() && seen.is_normal();
            *used = if usable { seen.log2().round().exp2() } else { 1.0 };
        }
    }

    /// The size of state number `i` of a mode.
    pub(super) fn of(&self, mode: usize, i: usize) -> f64 {
        self.used[self.system.modes[mode].states[i]]
    }

    /// A derivative from one mode to another, row by row, in these sizes.
    pub(super) fn scale(&self, derivative: &mut [f64], (from, to): (usize, usize)) {
        let n = self.system.modes[from].states.len();
        for (i, row) in derivative.chunks_exact_mut(n).enumerate() {
            for (j, v) in row.iter_mut().enumerate() {
                *v *= self.of(from, j) / self.of(to, i);
            }
        }
    }
}
