//! Numbers by which smooth orbits are told apart, whatever point they are told from.

use super::PeriodicOrbit;
use super::course::Course;

impl PeriodicOrbit<'_> {
    /// How many numbers [`PeriodicOrbit::fingerprint`] gives.
    pub fn fingerprint_length(&self) -> Option<usize> {
        let n = self.segments.first().map_or(0, |s| s.n);
        self.is_free().then_some(3 * n + 1)
    }

    /// For orbits without events and phase: the period and the averages of each state, its square and its cube. `None` for others, which start
    /// at an event or a phase.
    pub fn fingerprint(&self, z: &[f64]) -> Option<Vec<f64>> {
        if !self.is_free() {
            return None;
        }
        let p = self.parameters_at(z);
        let n = self.segments.first().map_or(0, |s| s.n);
        let mut sums = vec![0.0; 3 * n];
        for (k, s) in self.segments.iter().enumerate() {
            let duration = self.duration(z, k);
            let course = Course::new(s, &self.system.modes[s.mode].field, z, &p).ok()?;
            course.integrate(n, duration, &mut |weight, x| {
                for (sum, v) in sums.chunks_exact_mut(3).zip(x) {
                    sum[0] += weight * v;
                    sum[1] += weight * v * v;
                    sum[2] += weight * v * v * v;
                }
            });
        }
        let length: f64 = (0..self.segments.len()).map(|k| self.duration(z, k)).sum();
        sums.iter_mut().for_each(|v| *v /= length);
        sums.push(self.period(z));
        Some(sums)
    }
}
