//! A periodic orbit as rows of a table: time, states, mode.

use super::PeriodicOrbit;
use super::course::Course;
use crate::continuation::{Failure, Point, Problem};

/// Sampled states along one period.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OrbitSample {
    /// Times, from zero; an event appears twice, before and after.
    pub t: Vec<f64>,
    /// All states of the system at each time; angles run on without being wrapped.
    pub states: Vec<Vec<f64>>,
    /// The mode at each time.
    pub modes: Vec<usize>,
    /// The observables at each time.
    pub observables: Vec<Vec<f64>>,
    /// Whether each time lies on a canard segment; empty for systems that are not slow–fast.
    pub canard: Vec<bool>,
}

impl PeriodicOrbit<'_> {
    /// Look at segment `k` of the orbit at `point` as a function of the time since its start. On a mesh `look` also gets the times of its nodes
    /// and the midpoints between them; else there are none.
    ///
    /// # Errors
    /// [`Failure`] when its flow cannot be evaluated.
    pub fn with_segment<R>(
        &mut self,
        point: &Point,
        k: usize,
        look: impl FnOnce(&dyn Fn(f64) -> Vec<f64>, &[f64]) -> R,
    ) -> Result<R, Failure> {
        self.restore(&point.meshes);
        let p = self.parameters_at(&point.z);
        let s = &self.segments[k];
        let course = Course::new(s, &self.system.modes[s.mode].field, &point.z, &p)?;
        let duration = self.duration(&point.z, k);
        let mut times = vec![];
        if let Some((mesh, _)) = &s.mesh {
            for pair in mesh.mesh.windows(2) {
                times.extend([pair[0] * duration, 0.5 * (pair[0] + pair[1]) * duration]);
            }
            times.push(duration);
        }
        let at = |t: f64| {
            let mut x = vec![0.0; s.n];
            course.eval(t, &mut x);
            x
        };
        Ok(look(&at, &times))
    }

    /// Sample the orbit at `point` of a curve at about `count` times over the whole period, the mirrored half included.
    ///
    /// # Errors
    /// [`Failure`] when a flow cannot be evaluated.
    pub fn sample(&mut self, point: &Point, count: usize) -> Result<OrbitSample, Failure> {
        self.restore(&point.meshes);
        let z = &point.z;
        let period = self.period(z);
        let p = self.parameters_at(z);
        let mut sample = OrbitSample::default();
        let mut begin = 0.0;
        for k in 0..self.segments.len() {
            let s = &self.segments[k];
            let duration = self.duration(z, k);
            let course = Course::new(s, &self.system.modes[s.mode].field, z, &p)?;
            let pieces = ((count as f64 * duration / period).ceil() as usize).clamp(8, count.max(8));
            let mut x = vec![0.0; s.n];
            for i in 0..=pieces {
                let tau = duration * i as f64 / pieces as f64;
                course.eval(tau, &mut x);
                sample.t.push(begin + tau);
                sample.states.push(self.system.full_state(s.mode, &x, &p));
                sample.modes.push(s.mode);
            }
            begin += duration;
        }
        if let Some(symmetry) = self.system.symmetry.as_ref().filter(|_| self.word.symmetric) {
            for i in 0..sample.t.len() {
                let x = &sample.states[i];
                let image: Vec<f64> = (0..x.len())
                    .map(|j| symmetry.sign[j] * x[symmetry.source[j]] + symmetry.shift[j])
                    .collect();
                let mode = symmetry.modes[sample.modes[i]];
                sample.t.push(begin + sample.t[i]);
                sample.states.push(image);
                sample.modes.push(mode);
            }
        }
        for (x, &mode) in sample.states.iter().zip(&sample.modes) {
            let own: Vec<f64> = self.system.modes[mode].states.iter().map(|&i| x[i]).collect();
            let mut values = Vec::with_capacity(self.system.observables.len());
            for o in &self.system.observables {
                let mut v = [0.0];
                o.by_mode[mode].value(&own, &p, &mut v);
                values.push(v[0]);
            }
            sample.observables.push(values);
        }
        Ok(sample)
    }

    /// The mode and all states at time `t` since the start of the first segment, anywhere in one period (the mirrored half included).
    ///
    /// # Errors
    /// [`Failure`] when a flow cannot be evaluated.
    pub fn state(&mut self, point: &Point, t: f64) -> Result<(usize, Vec<f64>), Failure> {
        self.restore(&point.meshes);
        let z = &point.z;
        let p = self.parameters_at(z);
        let half: f64 = (0..self.segments.len()).map(|k| self.duration(z, k)).sum();
        let mirror = self
            .system
            .symmetry
            .as_ref()
            .filter(|_| self.word.symmetric && t > half);
        let mut tau = if mirror.is_some() { t - half } else { t };
        let mut k = 0;
        while k + 1 < self.segments.len() && tau > self.duration(z, k) {
            tau -= self.duration(z, k);
            k += 1;
        }
        let s = &self.segments[k];
        let mut x = vec![0.0; s.n];
        Course::new(s, &self.system.modes[s.mode].field, z, &p)?.eval(tau, &mut x);
        let full = self.system.full_state(s.mode, &x, &p);
        let Some(symmetry) = mirror else {
            return Ok((s.mode, full));
        };
        let image = (0..full.len()).map(|j| symmetry.sign[j] * full[symmetry.source[j]] + symmetry.shift[j]);
        Ok((symmetry.modes[s.mode], image.collect()))
    }

    /// All parameters with the free ones taken from `z`.
    fn parameters_at(&self, z: &[f64]) -> Vec<f64> {
        let mut p = self.parameters.clone();
        for (&i, &v) in self.free.iter().zip(&z[z.len() - self.free.len()..]) {
            p[i] = v;
        }
        p
    }
}
