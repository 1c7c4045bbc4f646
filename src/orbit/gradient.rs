//! Derivatives with respect to the state at a place of an orbit, carried back to the unknowns.

use crate::dense_output::DenseOutput;
use crate::derivatives::derivatives;
use crate::periodic::PeriodicOrbit;
use crate::perturbation::evaluation;
use crate::phase_zero::PhaseZero;
use slipstick_continuation::Failure;
use slipstick_flow::Transition;
use slipstick_numerics::linalg::dot;
use slipstick_system::{Function, jacobian};

/// What of a segment a scalar depends on.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    Start,
    End,
    /// A time inside at which its rate vanishes, so that a shift of the time does not change it.
    Inside(f64),
}

/// What is differentiated along an orbit, as it adds up.
pub(crate) struct Gradient<'a, 's> {
    /// The orbit, as it was linearised last.
    pub(crate) orbit: &'a PeriodicOrbit<'s>,
    /// The unknowns there.
    pub(crate) z: &'a [f64],
    /// The derivatives by them.
    pub(crate) by: &'a mut [f64],
}

impl Gradient<'_, '_> {
    /// The place of segment `k` at a time since its start.
    pub(crate) fn place_at(&self, k: usize, t: f64) -> Place {
        if t <= 0.0 {
            Place::Start
        } else if t >= self.orbit.duration(self.z, k) {
            Place::End
        } else {
            Place::Inside(t)
        }
    }

    /// The value of `sign · h` at a place of segment `k`; its gradient is added.
    pub(crate) fn add_function(&mut self, k: usize, place: Place, h: &dyn Function, sign: f64) -> Result<f64, Failure> {
        let x = self.state_at(k, place)?;
        let (value, mut dx, mut dp) = derivatives(h, &x, &self.orbit.parameters, &self.orbit.free);
        dx.iter_mut().chain(&mut dp).for_each(|v| *v *= sign);
        self.add_through(k, place, &dx, &dp)?;
        Ok(sign * value)
    }

    /// The value of `h` where the forcing has phase zero; its gradient is added.
    pub(crate) fn add_at_phase_zero(&mut self, zero: &PhaseZero, h: &dyn Function) -> Result<f64, Failure> {
        let place = self.place_at(zero.segment, zero.t);
        let x = self.state_at(zero.segment, place)?;
        let (value, mut dx, dp) = derivatives(h, &x, &self.orbit.parameters, &self.orbit.free);
        let mut rates = vec![0.0; x.len()];
        let mode = &self.orbit.system.modes[self.orbit.segments[zero.segment].mode];
        mode.field.value(&x, &self.orbit.parameters, &mut rates);
        // Where the phase is another one at the same time, it is zero at another time.
        dx[zero.angle] -= dot(&dx, &rates) / rates[zero.angle];
        self.add_through(zero.segment, place, &dx, &dp)?;
        Ok(value)
    }

    fn state_at(&self, k: usize, place: Place) -> Result<Vec<f64>, Failure> {
        let (orbit, z) = (self.orbit, self.z);
        let s = &orbit.segments[k];
        Ok(match place {
            Place::Start => orbit.start(z, k).to_vec(),
            Place::End => s.transition.x.clone(),
            Place::Inside(t) => {
                let dense = DenseOutput::new(orbit.system, s, z, &orbit.parameters)?;
                let mut x = vec![0.0; s.n];
                dense.eval(t, &mut x);
                x
            }
        })
    }

    /// Carry derivatives with respect to the state at a place of segment `k` (and directly to the free parameters) to
    /// the unknowns.
    pub(crate) fn add_through(&mut self, k: usize, place: Place, dx: &[f64], dp: &[f64]) -> Result<(), Failure> {
        let (orbit, z, gradient) = (self.orbit, self.z, &mut *self.by);
        let s = &orbit.segments[k];
        let (n, free) = (s.n, orbit.free.len());
        let parameters = gradient.len() - free;
        for (g, d) in gradient[parameters..].iter_mut().zip(dp) {
            *g += d;
        }
        let mut inside = Transition::default();
        let (transition, moves) = match (place, s.profile()) {
            (Place::Start, _) => {
                for (g, d) in gradient[s.offset..].iter_mut().zip(dx) {
                    *g += d;
                }
                return Ok(());
            }
            (Place::End, Some(_)) => {
                let end = s.block().end - n;
                for (g, d) in gradient[end..].iter_mut().zip(dx) {
                    *g += d;
                }
                return Ok(());
            }
            (Place::Inside(t), Some(profile)) => {
                let (head, block) = gradient.split_at_mut(s.block().start);
                let own = &mut block[..s.block().len()];
                profile.pull(t / z[s.offset + n], dx, &mut head[s.offset..s.offset + n], own);
                return Ok(());
            }
            (Place::End, None) => (&s.transition, true),
            (Place::Inside(t), None) => {
                s.flow
                    .linearise(orbit.start(z, k), t, &orbit.parameters, &orbit.free, &mut inside)
                    .map_err(evaluation)?;
                (&inside, false)
            }
        };
        for (r, d) in dx.iter().enumerate() {
            for c in 0..n {
                gradient[s.offset + c] += d * transition.dx[r * n + c];
            }
            if moves {
                gradient[s.offset + n] += d * transition.f[r];
            }
            for c in 0..free {
                gradient[parameters + c] += d * transition.dp[r * free + c];
            }
        }
        Ok(())
    }

    /// Add the gradient of `factor ·` state `state` of the system at a place of segment `k`.
    pub(crate) fn add_state(&mut self, k: usize, place: Place, state: usize, factor: f64) -> Result<(), Failure> {
        let orbit = self.orbit;
        let s = &orbit.segments[k];
        let mode = &orbit.system.modes[s.mode];
        let mut dx = vec![0.0; s.n];
        let mut dp = vec![0.0; orbit.free.len()];
        if let Some(i) = mode.states.iter().position(|&m| m == state) {
            dx[i] = factor;
        } else if let Some(absent) = &mode.absent {
            let x = self.state_at(k, place)?;
            let row = (0..state).filter(|i| !mode.states.contains(i)).count();
            let m = absent.outputs();
            let (mut value, mut ax, mut ap) = (vec![0.0; m], vec![0.0; m * s.n], vec![0.0; m * dp.len()]);
            let (p, free) = (&orbit.parameters, &orbit.free);
            jacobian(absent.as_ref(), &x, p, free, &mut value, &mut ax, &mut ap);
            dx.iter_mut().zip(&ax[row * s.n..]).for_each(|(d, a)| *d = factor * a);
            let width = dp.len();
            dp.iter_mut().zip(&ap[row * width..]).for_each(|(d, a)| *d = factor * a);
        }
        self.add_through(k, place, &dx, &dp)
    }
}
