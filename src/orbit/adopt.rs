//! Take over an orbit that a trajectory has settled to.

use super::{Letter, PeriodicOrbit, Word};
use crate::continuation::Failure;
use crate::flow::SettledOrbit;

impl PeriodicOrbit<'_> {
    /// Unknowns of this problem from a settled orbit, told from the segment that the problem's word begins with.
    ///
    /// # Errors
    /// [`Failure`] when the orbit has another word, which the message names, or is not symmetric although it should be.
    pub fn adopt(&mut self, orbit: &SettledOrbit) -> Result<Vec<f64>, Failure> {
        self.tell_in(self.given);
        let found = Word {
            letters: orbit.word.iter().map(|&(mode, event)| Letter { mode, event }).collect(),
            symmetric: orbit.symmetric,
        };
        let other = |why: &str| {
            Failure::Evaluation(format!(
                "the trajectory settles to an orbit with word `{}`{why}, not to one with word `{}`",
                found.describe(self.system),
                self.word.describe(self.system)
            ))
        };
        if self.word.symmetric && !orbit.symmetric {
            return Err(other(", which is not symmetric"));
        }
        let full = found
            .full_period(self.system)
            .map_err(|e| Failure::Evaluation(e.to_string()))?;
        let mut starts = orbit.starts.clone();
        let mut durations = orbit.durations.clone();
        if let Some(s) = self.system.symmetry.as_ref().filter(|_| orbit.symmetric) {
            for (letter, start) in found.letters.iter().zip(&orbit.starts) {
                let x = self.system.full_state(letter.mode, start, &self.parameters);
                let mirrored = &self.system.modes[s.modes[letter.mode]].states;
                starts.push(
                    mirrored
                        .iter()
                        .map(|&i| s.sign[i] * x[s.source[i]] + s.shift[i])
                        .collect(),
                );
            }
            durations.extend_from_slice(&orbit.durations);
        }
        let (count, wanted) = (full.letters.len(), self.word.letters.len());
        let length = if self.word.symmetric { 2 * wanted } else { wanted };
        let offset = (0..count)
            .find(|o| (0..wanted).all(|k| full.letters[(o + k) % count] == self.word.letters[k]))
            .filter(|_| length == count)
            .ok_or_else(|| other(""))?;
        let pick = |k: usize| (offset + k) % count;
        let mut chosen: Vec<Vec<f64>> = (0..wanted).map(|k| starts[pick(k)].clone()).collect();
        let times: Vec<f64> = (0..wanted).map(|k| durations[pick(k)]).collect();
        self.unwrap_angles(&mut chosen, &times)?;
        self.guess(&chosen, &times)
    }

    /// Bring the angles of each start next to where the segment before it ends.
    ///
    /// # Errors
    /// [`Failure`] when a flow cannot be evaluated there.
    pub fn unwrap_angles(&mut self, starts: &mut [Vec<f64>], durations: &[f64]) -> Result<(), Failure> {
        for k in 1..starts.len() {
            let s = &self.segments[k - 1];
            let mut end = vec![0.0; s.n];
            s.flow
                .advance(&starts[k - 1], durations[k - 1], &self.parameters, &mut end)
                .map_err(|e| Failure::Evaluation(e.to_string()))?;
            let mut u = vec![0.0; self.segments[k].n];
            self.enter(k, &end, &mut u);
            for (i, &state) in self.system.modes[self.segments[k].mode].states.iter().enumerate() {
                if let Some(period) = self.system.states[state].period {
                    starts[k][i] += ((u[i] - starts[k][i]) / period).round() * period;
                }
            }
        }
        Ok(())
    }
}
