//! The same orbit over a greater length: a symmetric one over its full period, any one twice around. Where a branch
//! point breaks the symmetry or doubles the period, the daughters are orbits of the longer word.

use crate::dense_output::DenseOutput;
use crate::periodic::PeriodicOrbit;
use crate::segment::discretisation::Discretisation;
use crate::tolerances::SAME_PLACE;
use crate::word::Word;
use slipstick_continuation::{Failure, Point, Problem};
use slipstick_flow::FlowOptions;

impl<'s> PeriodicOrbit<'s> {
    /// The problem of the full period (for a symmetric orbit) or of two periods, with `point` and its tangent expressed
    /// in it.
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
        long.least_parameter = self.least_parameter;
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
        let z = match &self.segments[..] {
            // An orbit in one segment is known all along.
            [only] if long.segments.len() == 1 => {
                let field = &self.system.modes[only.mode].field;
                let dense = DenseOutput::new(only, field, &point.z, &parameters)?;
                let half = durations[0];
                duration_rates = vec![2.0 * duration_rates[0]];
                long.guess_trajectory(2.0 * half, &|t, out| {
                    dense.eval(if t > half { t - half } else { t }, out);
                    if t > half {
                        out.copy_from_slice(&self.next_lap(only.mode, out, &parameters, true));
                    }
                })?
            }
            _ => long.guess(&starts, &durations)?,
        };
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

    /// A state of `mode` (or its rate of change) on the second lap: its mirror image, or itself one period of each
    /// angle later.
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
        let mut full = vec![0.0; self.system.states.len()];
        if value {
            full = self.system.full_state(mode, u, p);
        }
        for ((&i, &v), turns) in self.system.modes[mode].states.iter().zip(u).zip(self.turns(mode)) {
            full[i] = if value { v + turns } else { v };
        }
        // Half a period later the orbit is where the symmetry leads to its start, as many turns on.
        let image = &self.system.modes[symmetry.modes[mode]].states;
        image
            .iter()
            .map(|&j| {
                let i = symmetry.source.iter().position(|&s| s == j).unwrap_or(j);
                let shift = if value { symmetry.shift[i] } else { 0.0 };
                symmetry.sign[i] * (full[i] - shift)
            })
            .collect()
    }

    /// Is the orbit with unknowns `z` a shorter one, passed several times?
    pub fn is_repeated(&self, z: &[f64]) -> bool {
        let count = self.segments.len();
        if self.word.symmetric {
            // An odd number of times: from one half of the shorter orbit to the next the symmetry leads.
            let Ok(mirrored) = self.word.mirrored(self.system) else {
                return false;
            };
            let passes = |shorter: usize| count.is_multiple_of(shorter) && (count / shorter) % 2 == 1;
            return (1..count).filter(|&shorter| passes(shorter)).any(|shorter| {
                (shorter..count).all(|k| {
                    let before = k - shorter;
                    self.word.letters[k] == mirrored.letters[before] && self.same_segment(z, before, k, true)
                })
            });
        }
        (1..count)
            .filter(|&shorter| count.is_multiple_of(shorter))
            .any(|shorter| {
                (shorter..count).all(|k| {
                    let before = k - shorter;
                    self.word.letters[k] == self.word.letters[before] && self.same_segment(z, before, k, false)
                })
            })
    }

    /// Does segment `l` start where segment `k` does, or where its mirror image does, and last as long?
    fn same_segment(&self, z: &[f64], k: usize, l: usize, mirror: bool) -> bool {
        let symmetry = self.system.symmetry.as_ref().filter(|_| mirror);
        let x = self
            .system
            .full_state(self.segments[k].mode, self.start(z, k), &self.parameters);
        let states = &self.system.modes[self.segments[l].mode].states;
        let near = states.iter().zip(self.start(z, l)).all(|(&i, v)| {
            let from = symmetry.map_or(x[i], |s| s.sign[i] * x[s.source[i]] + s.shift[i]);
            let mut difference = from - v;
            if let Some(period) = self.system.states[i].period {
                difference -= (difference / period).round() * period;
            }
            difference.abs() < SAME_PLACE
        });
        near && (self.duration(z, k) - self.duration(z, l)).abs() < SAME_PLACE
    }

    /// Is the orbit with unknowns `z` its own mirror image?
    pub fn is_symmetric(&self, z: &[f64]) -> bool {
        let count = self.segments.len();
        if self.system.symmetry.is_none() {
            return false;
        }
        if self.word.symmetric {
            return true;
        }
        let Ok(mirrored) = self.word.mirrored(self.system) else {
            return false;
        };
        if count % 2 == 1 || (0..count).any(|k| mirrored.letters[k] != self.word.letters[(k + count / 2) % count]) {
            return false;
        }
        (0..count).all(|k| self.same_segment(z, k, (k + count / 2) % count, true))
    }

    /// How far the angles of `mode` turn in one period.
    pub(crate) fn turns(&self, mode: usize) -> Vec<f64> {
        let first = self
            .segments
            .first()
            .map_or(&[][..], |s| &self.system.modes[s.mode].states);
        let states = &self.system.modes[mode].states;
        states
            .iter()
            .map(|s| first.iter().position(|f| f == s).map_or(0.0, |i| self.winding[i]))
            .collect()
    }
}
