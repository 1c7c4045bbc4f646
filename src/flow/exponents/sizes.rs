//! The units in which perturbations are measured, so that no state is lost beside another whose unit differs: those
//! that balance the rates at which the states drive each other. Units of the study cancel.

use slipstick_system::{System, jacobian};

/// How often the balance is improved, and by which factor it is worth it.
const ROUNDS: usize = 100;
const WORTH: f64 = 1.1;

/// The rates seen so far, and the units in use.
pub(super) struct Sizes<'s> {
    system: &'s System,
    /// The largest sizes of the derivatives of the field, by the states of the system.
    rates: Vec<f64>,
    used: Vec<f64>,
    learning: bool,
}

impl<'s> Sizes<'s> {
    pub(super) fn new(system: &'s System) -> Self {
        let n = system.states.len();
        Self {
            system,
            rates: vec![0.0; n * n],
            used: vec![1.0; n],
            learning: true,
        }
    }

    /// See a mode at the states `x`.
    pub(super) fn see(&mut self, mode: usize, x: &[f64], p: &[f64]) {
        if !self.learning {
            return;
        }
        let n = x.len();
        let mut rates = vec![0.0; n * n];
        let own = &self.system.modes[mode];
        jacobian(&*own.field, x, p, &[], &mut vec![0.0; n], &mut rates, &mut []);
        for (k, rate) in rates.iter().enumerate().filter(|(_, rate)| rate.is_finite()) {
            let at = own.states[k / n] * self.used.len() + own.states[k % n];
            self.rates[at] = self.rates[at].max(rate.abs());
        }
    }

    /// Balance what was seen, as matrices are before their eigenvalues are computed (E. Osborne, J. ACM 7 (1960) 338):
    /// by powers of two, so that nothing is rounded. A state that drives others and is not driven, or is driven and
    /// drives none, gets the unit in which it does so at the largest rate of a state upon itself.
    pub(super) fn adopt(&mut self) {
        self.learning = false;
        let n = self.used.len();
        let diagonal = (0..n).map(|i| self.rates[i * n + i]).fold(0.0, f64::max);
        let own = if diagonal > 0.0 { diagonal } else { 1.0 };
        for _ in 0..ROUNDS {
            let mut better = false;
            for i in 0..n {
                let others = |rate: &dyn Fn(usize) -> f64| (0..n).filter(|&j| j != i).map(rate).sum::<f64>();
                let driven = others(&|j| self.rates[i * n + j] * self.used[j] / self.used[i]);
                let drives = others(&|j| self.rates[j * n + i] * self.used[i] / self.used[j]);
                let factor = match (driven > 0.0, drives > 0.0) {
                    (true, true) => (driven / drives).sqrt(),
                    (true, false) => driven / own,
                    (false, true) => own / drives,
                    (false, false) => continue,
                };
                let factor = factor.log2().round().clamp(-500.0, 500.0).exp2();
                if !(1.0 / WORTH..=WORTH).contains(&factor) {
                    self.used[i] *= factor;
                    better = true;
                }
            }
            if !better {
                break;
            }
        }
    }

    /// The unit of state number `i` of a mode.
    pub(super) fn of(&self, mode: usize, i: usize) -> f64 {
        self.used[self.system.modes[mode].states[i]]
    }

    /// A derivative from one mode to another, row by row, in these units.
    pub(super) fn scale(&self, derivative: &mut [f64], (from, to): (usize, usize)) {
        let n = self.system.modes[from].states.len();
        for (i, row) in derivative.chunks_exact_mut(n).enumerate() {
            for (j, v) in row.iter_mut().enumerate() {
                *v *= self.of(from, j) / self.of(to, i);
            }
        }
    }
}
