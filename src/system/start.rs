//! Where a motion starts when nobody says: states that may depend on the parameters, and the mode.

use super::function::{Formula, SharedFunction};
use slipstick_numerics::scalar::Scalar;
use std::sync::Arc;

/// Where trajectories start when nobody says.
///
/// ```
/// use slipstick_system::{Start, catalogue::stiction};
/// let mut system = stiction();
/// let stick = system.mode("stick").unwrap();
/// system.start = Start::new(stick, vec![0.3]);
/// // States that are left out are zero.
/// assert_eq!(system.start_at(&system.default_parameters()), (stick, vec![0.3, 0.0]));
/// ```
#[derive(Clone)]
pub struct Start {
    mode: usize,
    /// The states, a function of the parameters alone.
    states: SharedFunction,
    /// Are they those of the whole system, which tell the mode?
    of_system: bool,
}

impl Start {
    /// These states of a mode, whatever the parameters.
    pub fn new(mode: usize, states: Vec<f64>) -> Self {
        Self::of_parameters(mode, Arc::new(Numbers(states)))
    }

    /// States of a mode that depend on the parameters: `states` is a function of no state.
    pub fn of_parameters(mode: usize, states: SharedFunction) -> Self {
        Self {
            mode,
            states,
            of_system: false,
        }
    }

    /// The same, where the states are those of the whole system: the mode is the one that they lie in, that which is
    /// given wherever they lie in it.
    ///
    /// ```
    /// use slipstick_numerics::scalar::Scalar;
    /// use slipstick_system::{Formula, Start, catalogue::stiction};
    /// use std::sync::Arc;
    /// /// At the velocity Ω - 2: states (x, y, θ), parameters (Ω, μ_s, μ_d).
    /// struct Thrown;
    /// impl Formula for Thrown {
    ///     fn outputs(&self) -> usize { 3 }
    ///     fn eval<T: Scalar>(&self, _: &[T], p: &[T], out: &mut [T]) {
    ///         out[0] = T::from_f64(0.0);
    ///         out[1] = p[0] - 2.0;
    ///         out[2] = T::from_f64(0.0);
    ///     }
    /// }
    /// let mut system = stiction();
    /// system.start = Start::of_parameters(system.mode("stick").unwrap(), Arc::new(Thrown)).where_they_lie();
    /// let mode = |omega: f64| system.modes[system.start_at(&[omega, 1.1, 0.4]).0].name.clone();
    /// assert_eq!([1.5, 2.0, 2.5].map(mode), ["slip-", "stick", "slip+"]);
    /// ```
    #[must_use]
    pub fn where_they_lie(self) -> Self {
        Self {
            of_system: true,
            ..self
        }
    }

    /// The mode; where the states tell it, the one that counts where they lie in several.
    pub fn mode(&self) -> usize {
        self.mode
    }

    /// Are its states those of the whole system?
    pub(crate) fn is_of_system(&self) -> bool {
        self.of_system
    }

    /// Its states with these parameters; those that are left out at the end of `count` are zero.
    pub(crate) fn states_at(&self, p: &[f64], count: usize) -> Vec<f64> {
        let mut states = vec![0.0; self.states.outputs()];
        self.states.value(&[], p, &mut states);
        states.resize(count, 0.0);
        states
    }

    /// The same with the states that `change` makes of them.
    pub(crate) fn with(&self, change: impl FnOnce(&SharedFunction) -> SharedFunction) -> Self {
        Self {
            states: change(&self.states),
            ..self.clone()
        }
    }
}

/// ```
/// use slipstick_system::Start;
/// let start: Start = (1, vec![0.3, 0.0]).into();
/// assert_eq!(start.mode(), 1);
/// ```
impl From<(usize, Vec<f64>)> for Start {
    fn from((mode, states): (usize, Vec<f64>)) -> Self {
        Self::new(mode, states)
    }
}

/// A function that has always the same values.
struct Numbers(Vec<f64>);

impl Formula for Numbers {
    fn outputs(&self) -> usize {
        self.0.len()
    }
    fn eval<T: Scalar>(&self, _: &[T], _: &[T], out: &mut [T]) {
        for (out, value) in out.iter_mut().zip(&self.0) {
            *out = T::from_f64(*value);
        }
    }
}
