//! The same orbit told at greater length: a symmetric one over its full period, any one twice around. Where a branch point breaks the symmetry or
//! doubles the period, the daughters are orbits of the longer word.

use super::PeriodicOrbit;
use super::periodic::Discretisation;
use super::word::Word;
use crate::continuation::{Failure, Point, Problem};
use crate::flow::FlowOptions;

impl<'s> PeriodicOrbit<'s> {
    /// The problem of the full period (for a symmetric orbit) or of two periods, with `point` and its tangent told in it.
    ///
    /// # Errors
    /// [`Failure`] when the mirrored word does not connect, or the orbit cannot be evaluated.
    pub fn unfolded(
        &mut self,
        point: &Point,
        options: FlowOptions,
        discretisations: &[Discretisation],
    ) -> Result<(Self, Point), Failure> {
        self.restore(&point.meshes);
        let count = self.segments.len();
        let word = if self.word.symmetric {
            self.word
                .full_period(self.system)
                .map_err(|e| Failure::Evaluation(e.to_string()))?
        } else {
            Word {
                letters: self.word.letters.iter().chain(&self.word.letters).copied().collect(),
                symmetric: false,
            }
        };
        let mut parameters = self.parameters.clone();
        let n = point.z.len();
        for (i, &p) in self.free.iter().enumerate() {
            parameters[p] = point.z[n - self.free.len() + i];
        }
        let mut long = PeriodicOrbit::discretised(
            self.system,
            word,
            parameters.clone(),
            self.free.clone(),
            options,
            discretisations,
        );
        let (mut starts, mut durations) = (vec![], vec![]);
        let (mut rates, mut duration_rates) = (vec![], vec![]);
        for lap in 0..2 {
            for k in 0..count {
                let s = &self.segments[k];
                let (u, du) = (self.start(&point.z, k), self.start(&point.tangent, k));
                if lap == 0 {
                    starts.push(u.to_vec());
                    rates.push(du.to_vec());
                } else {
                    starts.push(self.next_lap(s.mode, u, &parameters, true));
                    rates.push(self.next_lap(s.mode, du, &parameters, false));
                }
                durations.push(self.duration(&point.z, k));
                duration_rates.push(self.duration(&point.tangent, k));
            }
        }
        let z = long.guess(&starts, &durations)?;
        let mut tangent = vec![0.0; z.len()];
        for (k, s) in long.segments.iter().enumerate() {
            tangent[s.offset..s.offset + s.n].copy_from_slice(&rates[k]);
            tangent[s.offset + s.n] = duration_rates[k];
        }
        let free = self.free.len();
        let m = z.len();
        tangent[m - free..].copy_from_slice(&point.tangent[n - free..]);
        let mut weights = vec![0.0; m];
        long.weights(&z, &mut weights);
        let meshes = long.meshes();
        Ok((
            long,
            Point {
                z,
                tangent,
                weights,
                meshes,
            },
        ))
    }

    /// A state of `mode` (or its rate of change) on the second lap: its mirror image, or itself one period of each angle later.
    fn next_lap(&self, mode: usize, u: &[f64], p: &[f64], value: bool) -> Vec<f64> {
        let Some(symmetry) = self.system.symmetry.as_ref().filter(|_| self.word.symmetric) else {
            let mut v = u.to_vec();
            if value {
                for (v, turns) in v.iter_mut().zip(self.turns(mode)) {
                    *v += turns;
                }
            }
            return v;
        };
        let full = if value {
            self.system.full_state(mode, u, p)
        } else {
            let mut full = vec![0.0; self.system.states.len()];
            for (&i, &v) in self.system.modes[mode].states.iter().zip(u) {
                full[i] = v;
            }
            full
        };
        // The winding of a symmetric orbit counts the symmetry's shift and what is left of a turn.
        let image = &self.system.modes[symmetry.modes[mode]].states;
        image
            .iter()
            .map(|&i| {
                let shift = if value { symmetry.shift[i] } else { 0.0 };
                symmetry.sign[i] * full[symmetry.source[i]] + shift
            })
            .collect()
    }

    /// Is the orbit with unknowns `z` a shorter one, passed several times?
    pub fn is_repeated(&self, z: &[f64]) -> bool {
        let count = self.segments.len();
        let same = |k: usize, l: usize| {
            let states = &self.system.modes[self.segments[k].mode].states;
            let near = states
                .iter()
                .zip(self.start(z, k).iter().zip(self.start(z, l)))
                .all(|(&i, (a, b))| {
                    let mut difference = a - b;
                    if let Some(period) = self.system.states[i].period {
                        difference -= (difference / period).round() * period;
                    }
                    difference.abs() < 1e-7
                });
            near && (self.duration(z, k) - self.duration(z, l)).abs() < 1e-7
        };
        !self.word.symmetric
            && (1..=count / 2).filter(|shorter| count % shorter == 0).any(|shorter| {
                (shorter..count).all(|k| self.word.letters[k] == self.word.letters[k - shorter] && same(k, k - shorter))
            })
    }

    /// Is the orbit with unknowns `z` its own mirror image?
    pub fn is_symmetric(&self, z: &[f64]) -> bool {
        let count = self.segments.len();
        let Some(symmetry) = &self.system.symmetry else {
            return false;
        };
        if self.word.symmetric {
            return true;
        }
        let Ok(mirrored) = self.word.mirrored(self.system) else {
            return false;
        };
        if count % 2 == 1 || (0..count).any(|k| mirrored.letters[k] != self.word.letters[(k + count / 2) % count]) {
            return false;
        }
        (0..count).all(|k| {
            let (s, t) = (&self.segments[k], &self.segments[(k + count / 2) % count]);
            let x = self.system.full_state(s.mode, self.start(z, k), &self.parameters);
            let states = &self.system.modes[t.mode].states;
            let same = states
                .iter()
                .zip(self.start(z, (k + count / 2) % count))
                .all(|(&i, v)| {
                    let mut difference = symmetry.sign[i] * x[symmetry.source[i]] + symmetry.shift[i] - v;
                    if let Some(period) = self.system.states[i].period {
                        difference -= (difference / period).round() * period;
                    }
                    difference.abs() < 1e-7
                });
            same && (self.duration(z, k) - self.duration(z, (k + count / 2) % count)).abs() < 1e-7
        })
    }
}
