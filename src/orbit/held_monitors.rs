//! Gradients of the system's own monitors, of integrals above all, so that they can be held.
//!
//! An integral over a segment is differentiated under the integral sign at the points of its quadrature. Where the integrand jumps, at a surface that the
//! orbit crosses, the instant of the crossing moves besides.

use super::PeriodicOrbit;
use super::course::Course;
use super::hold::Place;
use super::monitors::{integrand, squares};
use super::quadrature::{ASIDE, Piecewise};
use slipstick_continuation::Failure;
use slipstick_flow::Transition;
use slipstick_numerics::linalg::dot;
use slipstick_system::{Measure, Statistic, jacobian};

/// Derivatives by the state and by the free parameters at a time of a segment.
struct Pull {
    t: f64,
    dx: Vec<f64>,
    dp: Vec<f64>,
}

impl PeriodicOrbit<'_> {
    /// The value of one of the system's own monitors; its gradient is added.
    pub(super) fn own_gradient(&self, index: usize, z: &[f64], gradient: &mut [f64]) -> Result<f64, Failure> {
        let missing = || Failure::Evaluation("the orbit does not come to the place of this monitor".into());
        match &self.system.monitors[index].measure {
            Measure::Duration(_) => {
                let spot = self.place_of(index).ok_or_else(missing)?;
                let s = &self.segments[spot.segment];
                gradient[s.offset + s.n] += 1.0;
                Ok(self.duration(z, spot.segment))
            }
            Measure::At(..) => {
                let (spot, function) = self.reading(index).ok_or_else(missing)?;
                let place = if spot.at_end { Place::End } else { Place::Start };
                let value = self.add_function(spot.segment, place, function, 1.0, z, gradient)?;
                Ok(self.turned(index, value))
            }
            Measure::Over(statistic, _) => {
                self.statistic(*statistic, &|k| self.halves(index, k).collect(), z, gradient)
            }
        }
    }

    /// The root of the mean square of all states that are no angles, with its gradient.
    pub(super) fn norm_gradient(&self, z: &[f64], gradient: &mut [f64]) -> Result<f64, Failure> {
        let squares = squares(self.system, self.segments[0].mode);
        let mean = self.statistic(Statistic::Mean, &|_| vec![&squares], z, gradient)?;
        rooted(mean, gradient)
    }

    /// A statistic of a quantity that is given for each segment, with its gradient, which must be zero before.
    fn statistic<'q>(
        &self,
        statistic: Statistic,
        of: &dyn Fn(usize) -> Vec<&'q Piecewise>,
        z: &[f64],
        gradient: &mut [f64],
    ) -> Result<f64, Failure> {
        let mut sum = 0.0;
        for k in 0..self.segments.len() {
            for of in of(k) {
                sum += self.integral(k, of, statistic, z, gradient)?;
            }
        }
        if statistic == Statistic::Integral {
            return Ok(sum);
        }
        let (period, factor) = (self.period(z), if self.word.symmetric { 2.0 } else { 1.0 });
        let mean = sum / period;
        gradient.iter_mut().for_each(|g| *g /= period);
        for s in &self.segments {
            gradient[s.offset + s.n] -= factor * mean / period;
        }
        match statistic {
            Statistic::Mean => Ok(mean),
            Statistic::Rms => rooted(mean, gradient),
            _ => Err(Failure::Evaluation("an extreme cannot be held".into())),
        }
    }

    /// The integral over segment `k` of what a statistic integrates; its gradient is added.
    fn integral(
        &self,
        k: usize,
        of: &Piecewise,
        statistic: Statistic,
        z: &[f64],
        gradient: &mut [f64],
    ) -> Result<f64, Failure> {
        let (s, p) = (&self.segments[k], &self.parameters);
        let field = &self.system.modes[s.mode].field;
        let (duration, made) = (self.duration(z, k), integrand(statistic));
        let course = Course::new(s, field, z, p)?;
        let found = course.integral_of(of, made, s.n, p, duration)?;
        let h = of.function.as_ref();
        let mut x = vec![0.0; s.n];
        let mut value = |t: f64| {
            let mut v = [0.0];
            course.eval(t, &mut x);
            h.value(&x, p, &mut v);
            v[0]
        };
        let jumps: Vec<f64> = found
            .breaks
            .iter()
            .map(|b| made(value(b.t - ASIDE * duration)) - made(value(b.t + ASIDE * duration)))
            .collect();
        gradient[s.offset + s.n] += match &s.mesh {
            // Times are parts of the duration.
            Some(_) if duration > 0.0 => found.value / duration,
            Some(_) => made(value(0.0)),
            None => made(value(duration)),
        };
        let mut pulls = vec![];
        let mut pull = |function: &dyn slipstick_system::Function, t: f64, factor: &dyn Fn(f64, &[f64], &[f64]) -> f64| {
            let (mut v, mut dx, mut dp) = ([0.0], vec![0.0; s.n], vec![0.0; self.free.len()]);
            let mut x = vec![0.0; s.n];
            course.eval(t, &mut x);
            jacobian(function, &x, p, &self.free, &mut v, &mut dx, &mut dp);
            let factor = factor(v[0], &x, &dx);
            dx.iter_mut().chain(&mut dp).for_each(|d| *d *= factor);
            pulls.push(Pull { t, dx, dp });
        };
        for (t, weight) in &found.points {
            pull(h, *t, &|v, _, _| match statistic {
                Statistic::Rms => 2.0 * weight * v,
                _ => *weight,
            });
        }
        let size = found.value.abs() / duration;
        for (b, jump) in found.breaks.iter().zip(jumps) {
            // A corner, not a jump, to rounding.
            if jump.abs() > 1e-11 * size {
                pull(of.surface(b), b.t, &|_, x, dx| {
                    let mut f = vec![0.0; s.n];
                    field.value(x, p, &mut f);
                    -jump / dot(dx, &f)
                });
            }
        }
        pulls.sort_by(|a, b| a.t.total_cmp(&b.t));
        self.add_along(k, &pulls, z, gradient)?;
        Ok(found.value)
    }

    /// Carry derivatives at ascending times of segment `k` to the unknowns.
    fn add_along(&self, k: usize, pulls: &[Pull], z: &[f64], gradient: &mut [f64]) -> Result<(), Failure> {
        let s = &self.segments[k];
        let (n, free) = (s.n, self.free.len());
        if s.mesh.is_some() {
            for pull in pulls {
                self.add_through(k, Place::Inside(pull.t), &pull.dx, &pull.dp, z, gradient)?;
            }
            return Ok(());
        }
        // The flow goes on from point to point, with the derivatives of what came before.
        let parameters = gradient.len() - free;
        let columns = n + free;
        let mut by = vec![0.0; n * columns];
        (0..n).for_each(|i| by[i * columns + i] = 1.0);
        let (mut at, mut x, mut step) = (0.0, self.start(z, k).to_vec(), Transition::default());
        for pull in pulls {
            if pull.t > at {
                s.flow
                    .linearise(&x, pull.t - at, &self.parameters, &self.free, &mut step)
                    .map_err(|e| Failure::Evaluation(e.to_string()))?;
                let mut next = vec![0.0; n * columns];
                for r in 0..n {
                    for c in 0..columns {
                        let carried: f64 = (0..n).map(|i| step.dx[r * n + i] * by[i * columns + c]).sum();
                        let own = if c < n { 0.0 } else { step.dp[r * free + c - n] };
                        next[r * columns + c] = carried + own;
                    }
                }
                (by, at) = (next, pull.t);
                x.clone_from(&step.x);
            }
            for (r, d) in pull.dx.iter().enumerate() {
                for c in 0..n {
                    gradient[s.offset + c] += d * by[r * columns + c];
                }
                for c in 0..free {
                    gradient[parameters + c] += d * by[r * columns + n + c];
                }
            }
            gradient[parameters..].iter_mut().zip(&pull.dp).for_each(|(g, d)| *g += d);
        }
        Ok(())
    }
}

/// The root of a mean square whose gradient this is.
fn rooted(square: f64, gradient: &mut [f64]) -> Result<f64, Failure> {
    let root = square.sqrt();
    if !(root > 0.0) {
        return Err(Failure::Evaluation("a root of zero cannot be held".into()));
    }
    gradient.iter_mut().for_each(|g| *g /= 2.0 * root);
    Ok(root)
}
