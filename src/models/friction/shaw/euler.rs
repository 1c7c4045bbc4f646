//! The time stepping of the variational inequality: explicit Euler with the friction solved exactly in each step.
//!
//! With the impulse of a step, p = x' + (h/m) b, the next velocity is zero when |p| ≤ (h/m) f_s and p - (h/m) f_d sign
//! p otherwise; that is the solution of the discrete inequality (b - m (x'_{n+1} - x'_n)/h)(φ - x'_{n+1}) + f_d
//! |x'_{n+1}| ≤ f_d |φ| for all φ, preceded for f_d < f_s by the test for rest. First order in h.
//!
//! Source: Bensoussan et al., §3.1 (f_d = f_s in §3.1.1, f_d < f_s in §3.1.2).

use super::{Oscillator, ParameterError};
use slipstick_numerics::stop::look;

/// After how many steps a run looks whether it should end: a step costs little more than looking.
pub(super) const LOOK_EVERY: usize = 1024;

/// The scheme with a fixed step.
///
/// ```
/// use slipstick_models::friction::shaw::{EulerScheme, Oscillator};
/// let scheme = EulerScheme::new(Oscillator::default(), 0.01)?;
/// // At rest, and with a force too weak to move it, the mass stays.
/// assert_eq!(scheme.advance(0.0, 0.0, 0.1), (0.0, 0.0));
/// # Ok::<(), slipstick_models::friction::shaw::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct EulerScheme {
    oscillator: Oscillator,
    step: f64,
    per_mass: f64,
}

impl EulerScheme {
    /// For an oscillator and a step h > 0.
    ///
    /// # Errors
    /// Parameters that make no sense; a step that is not positive.
    pub fn new(oscillator: Oscillator, step: f64) -> Result<Self, ParameterError> {
        oscillator.check()?;
        if !(step > 0.0 && step.is_finite()) {
            return Err(ParameterError {
                name: "step",
                value: step,
                requirement: "a time step is positive",
            });
        }
        Ok(Self {
            oscillator,
            step,
            per_mass: step / oscillator.mass,
        })
    }

    /// Displacement and velocity one step after `(x, v)`, where the forcing has the value `forcing` now.
    #[inline]
    pub fn advance(&self, x: f64, v: f64, forcing: f64) -> (f64, f64) {
        let o = &self.oscillator;
        let p = v + self.per_mass * o.force(x, v, forcing);
        let next = if p.abs() <= self.per_mass * o.f_s {
            0.0
        } else {
            p - self.per_mass * o.f_d * p.signum()
        };
        (x + self.step * v, next)
    }

    /// The states `(t, x, v)` on the grid `from + n h` up to `to`, the start included, for a forcing given as a
    /// function of time.
    pub fn path<F: Fn(f64) -> f64>(
        &self,
        forcing: F,
        (from, x, v): (f64, f64, f64),
        to: f64,
    ) -> impl Iterator<Item = (f64, f64, f64)> + use<F> {
        let scheme = *self;
        // The number of steps is rounded: a run of 28 with step 1e-3 has 28000 of them, not 27999.
        let steps = ((to - from) / self.step + 1e-9).floor().max(0.0) as u64;
        let mut state = (x, v);
        (0..=steps).map(move |n| {
            if n.is_multiple_of(LOOK_EVERY as u64) {
                look();
            }
            let t = from + n as f64 * scheme.step;
            let here = state;
            state = scheme.advance(here.0, here.1, forcing(t));
            (t, here.0, here.1)
        })
    }
}
