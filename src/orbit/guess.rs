//! Orbits to begin with: from the starts of the segments, or along a trajectory.

use crate::periodic::PeriodicOrbit;
use crate::perturbation::evaluation;
use crate::segment::Segment;
use crate::segment::scheme::Guess;
use crate::subdivision;
use slipstick_continuation::Failure;

/// A state that is smaller than this counts as that to the mesh.
const ZERO: f64 = 1e-8;

/// Along a trajectory, one that is smaller than this part of the largest one.
const SMALL: f64 = 1e-8;

impl PeriodicOrbit<'_> {
    /// Unknowns from segment starts and durations, with the free parameters at their present values. Also fixes how
    /// often each angle turns in a period, and the phase condition of smooth orbits.
    ///
    /// # Errors
    /// [`Failure`] when a flow cannot be evaluated at the guess.
    pub fn guess(&mut self, starts: &[Vec<f64>], durations: &[f64]) -> Result<Vec<f64>, Failure> {
        subdivision::subdivide(self, starts.len());
        can_start(self, starts)?;
        let mut paths = vec![];
        for (s, (u, &t)) in self.segments.iter().cycle().zip(starts.iter().zip(durations)) {
            let path = s.on_mesh().then(|| s.flow.path(u, t, &self.parameters));
            paths.push(path.transpose().map_err(evaluation)?);
        }
        if starts.len() > self.segments.len() {
            // An orbit in one segment from several parts.
            return self.guess_along(&starts[..1], &[durations.iter().sum()], &|_, t, out| {
                let (mut k, mut t) = (0, t);
                while k + 1 < durations.len() && t > durations[k] {
                    t -= durations[k];
                    k += 1;
                }
                if let Some(path) = &paths[k] {
                    path.eval(t, out);
                }
            });
        }
        self.guess_along(starts, durations, &|k, t, out| {
            if let Some(path) = &paths[k] {
                path.eval(t, out);
            }
        })
    }

    /// As [`PeriodicOrbit::guess`], with the states along the segments known: `dense` gives those of a segment at a
    /// time since its start. Where solutions part fast a trajectory from the start would not find them again.
    ///
    /// # Errors
    /// [`Failure`] when the equations cannot be evaluated along the way.
    pub fn guess_along(
        &mut self,
        starts: &[Vec<f64>],
        durations: &[f64],
        dense: &dyn Fn(usize, f64, &mut [f64]),
    ) -> Result<Vec<f64>, Failure> {
        subdivision::subdivide(self, starts.len());
        let sizes_on = |(k, (s, &t)): (usize, (&Segment<'_>, &f64))| {
            let least = if s.on_mesh() { vec![0.0; s.n] } else { vec![] };
            floored(enlarged(least, t, 200, &|t, x| dense(k, t, x)))
        };
        let sizes: Vec<Vec<f64>> = self.segments.iter().zip(durations).enumerate().map(sizes_on).collect();
        on_meshes(self, starts, durations, &sizes, dense)
    }

    /// Unknowns for an orbit of this `period` that follows `dense`, for words without events.
    ///
    /// # Errors
    /// [`Failure`] when the word has events, or the equations cannot be evaluated along the way.
    pub fn guess_trajectory(&mut self, period: f64, dense: &dyn Fn(f64, &mut [f64])) -> Result<Vec<f64>, Failure> {
        if self.segments.iter().any(|s| s.guard.is_some()) {
            return Err(Failure::Evaluation(
                "an orbit with events is given by the initial states of its segments".into(),
            ));
        }
        subdivision::subdivide(self, self.given);
        let share = if self.word.symmetric { 0.5 } else { 1.0 };
        let count = self.segments.len();
        let duration = share * period / count as f64;
        let n = self.segments.first().map_or(0, |s| s.n);
        let mut sizes = enlarged(vec![0.0; n], period, 400, dense);
        let least = SMALL * sizes.iter().fold(0.0f64, |m, s| m.max(*s)).max(f64::MIN_POSITIVE);
        sizes.iter_mut().for_each(|s| *s = s.max(least));
        let begin = |k: usize| k as f64 * duration;
        let start = |k: usize| {
            let mut x = vec![0.0; n];
            dense(begin(k), &mut x);
            x
        };
        let starts: Vec<Vec<f64>> = (0..count).map(start).collect();
        let along = |k: usize, t: f64, out: &mut [f64]| dense(begin(k) + t, out);
        on_meshes(self, &starts, &vec![duration; count], &vec![sizes; count], &along)
    }
}

/// Meshes for segments of which the states along them and their sizes are known, and the unknowns there.
fn on_meshes(
    orbit: &mut PeriodicOrbit<'_>,
    starts: &[Vec<f64>],
    durations: &[f64],
    sizes: &[Vec<f64>],
    dense: &dyn Fn(usize, f64, &mut [f64]),
) -> Result<Vec<f64>, Failure> {
    for (k, (s, (&duration, sizes))) in orbit.segments.iter_mut().zip(durations.iter().zip(sizes)).enumerate() {
        let guess = Guess {
            field: orbit.system.modes[s.mode].field.as_ref(),
            duration,
            p: &orbit.parameters,
            free: &orbit.free,
            sizes,
        };
        s.scheme.fit(&guess, &mut |sigma, out| dense(k, sigma * duration, out));
    }
    orbit.lay_out();
    let mut z = Vec::with_capacity(orbit.unknowns);
    for (k, (s, (u, &t))) in orbit.segments.iter().zip(starts.iter().zip(durations)).enumerate() {
        z.extend_from_slice(u);
        z.push(t);
        if let Some(profile) = s.profile() {
            z.extend(profile.reported(|sigma, out| dense(k, sigma * t, out)));
        }
    }
    z.extend(orbit.free.iter().map(|&i| orbit.parameters[i]));
    orbit.anchor(&z)?;
    Ok(z)
}

/// Has every equation a value at the starts?
fn can_start(orbit: &PeriodicOrbit<'_>, starts: &[Vec<f64>]) -> Result<(), Failure> {
    for (s, u) in orbit.segments.iter().zip(starts) {
        let mode = &orbit.system.modes[s.mode];
        let mut rates = vec![0.0; s.n];
        mode.field.value(u, &orbit.parameters, &mut rates);
        let Some(i) = rates.iter().position(|r| !r.is_finite()) else {
            continue;
        };
        let name = |k: usize| &orbit.system.states[mode.states[k]].name;
        let at: Vec<String> = (0..s.n).map(|k| format!("{} = {}", name(k), u[k])).collect();
        return Err(Failure::Evaluation(format!(
            "the equation of {}' has no finite value at the start {}: a division by zero, or a root or logarithm outside its domain (rate {})",
            name(i),
            at.join(", "),
            rates[i]
        )));
    }
    Ok(())
}

/// Sizes of states that stay at zero: a small part of the largest, or of one.
fn floored(mut sizes: Vec<f64>) -> Vec<f64> {
    let largest = sizes.iter().fold(0.0f64, |m, v| m.max(*v));
    let least = if largest > 0.0 { ZERO * largest.min(1.0) } else { ZERO };
    sizes.iter_mut().for_each(|size| *size = size.max(least));
    sizes
}

/// The largest |value| of each state at so many times, or what is given for it, if that is more.
fn enlarged(mut sizes: Vec<f64>, duration: f64, count: u32, dense: &dyn Fn(f64, &mut [f64])) -> Vec<f64> {
    let mut x = vec![0.0; sizes.len()];
    if sizes.is_empty() {
        return sizes;
    }
    for i in 0..=count {
        dense(duration * f64::from(i) / f64::from(count), &mut x);
        for (size, v) in sizes.iter_mut().zip(&x) {
            *size = size.max(v.abs());
        }
    }
    sizes
}
