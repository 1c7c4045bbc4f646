//! Observables integrated along the motion, as states of their own.

use super::function::{Function, SharedFunction};
use super::hybrid::{Event, Inequality, Mode, Observable, State, System};
use super::text::Corners;
use slipstick_numerics::scalar::{Affine, Gradient, Hessian, Second, Third};
use std::sync::Arc;

/// There is nothing of that name to integrate, or the name of the integral is taken.
///
/// ```
/// use slipstick_system::{IntegralError, catalogue::stiction, with_integral};
/// let system = stiction();
/// let error = with_integral(&system, "wrok", "W").err().unwrap();
/// assert!(matches!(&error, IntegralError::Unknown { known, .. } if known.contains("xi")));
/// // x is a state already.
/// assert!(matches!(with_integral(&system, "xi", "x"), Err(IntegralError::Taken { .. })));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IntegralError {
    /// No such observable.
    #[error("the system {system} has no observable {name}; it has: {known}")]
    Unknown {
        /// The system.
        system: String,
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// The name is that of a state, a parameter or an observable.
    #[error("the integral cannot be called {name}: the system {system} has something of that name")]
    Taken {
        /// The system.
        system: String,
        /// The name.
        name: String,
    },
}

/// The system with one state more, called `name`: the integral of `observable` over time, from the value it is started
/// with.
///
/// The new state lives in every mode and influences nothing. Exact flows given in closed form are left out; modes that
/// are linear, with an observable that is, stay linear and are flowed exactly all the same. Such a system is for
/// simulation: its motions do not close, so the symmetry is dropped and periodic orbits are to be sought in the system
/// itself.
///
/// # Errors
/// An observable that does not exist; a name that is taken.
///
/// ```
/// use slipstick_system::{catalogue::wear, with_integral};
/// let system = with_integral(&wear(), "wear_power", "wear")?;
/// assert_eq!(system.states.len(), 3);
/// # Ok::<(), slipstick_system::IntegralError>(())
/// ```
pub fn with_integral(system: &System, observable: &str, name: &str) -> Result<System, IntegralError> {
    let unknown = || IntegralError::Unknown {
        system: system.name.clone(),
        name: observable.into(),
        known: system
            .observables
            .iter()
            .map(|o| o.name.as_str())
            .collect::<Vec<_>>()
            .join(", "),
    };
    let integrand = system
        .observables
        .iter()
        .find(|o| o.name == observable)
        .ok_or_else(unknown)?;
    let taken = system.state(name).is_some()
        || system.parameter(name).is_some()
        || system.observables.iter().any(|o| o.name == name);
    if taken {
        return Err(IntegralError::Taken {
            system: system.name.clone(),
            name: name.into(),
        });
    }
    let index = system.states.len();
    let mode = |(m, by_mode): (&Mode, &SharedFunction)| {
        let n = m.states.len();
        let inner = |f: &SharedFunction| -> SharedFunction { Arc::new(Inner { f: f.clone(), n }) };
        let inequality = |i: &Inequality| Inequality {
            function: inner(&i.function),
            ..i.clone()
        };
        // Events that share a guard go on sharing it.
        let mut guards: Vec<(SharedFunction, SharedFunction)> = vec![];
        let mut guard = |f: &SharedFunction| {
            if let Some((_, known)) = guards.iter().find(|(old, _)| Arc::ptr_eq(old, f)) {
                return known.clone();
            }
            let new = inner(f);
            guards.push((f.clone(), new.clone()));
            new
        };
        let event = |e: &Event| Event {
            guard: guard(&e.guard),
            when: e.when.iter().map(inequality).collect(),
            reset: e
                .reset
                .as_ref()
                .map(|f| Arc::new(Appended::to(f, Then::Keep, n)) as SharedFunction),
            ..e.clone()
        };
        Mode {
            states: m.states.iter().copied().chain([index]).collect(),
            absent: m.absent.as_ref().map(inner),
            field: Arc::new(Appended::to(&m.field, Then::Evaluate(by_mode.clone()), n)),
            events: m.events.iter().map(event).collect(),
            inequalities: m.inequalities.iter().map(inequality).collect(),
            surfaces: vec![],
            exact: None,
            ..m.clone()
        }
    };
    let observed = |o: &Observable| Observable {
        by_mode: o
            .by_mode
            .iter()
            .zip(&system.modes)
            .map(|(f, m)| {
                Arc::new(Inner {
                    f: f.clone(),
                    n: m.states.len(),
                }) as SharedFunction
            })
            .collect(),
        ..o.clone()
    };
    Ok(System {
        states: system
            .states
            .iter()
            .cloned()
            .chain([State {
                name: name.into(),
                period: None,
            }])
            .collect(),
        modes: system.modes.iter().zip(&integrand.by_mode).map(mode).collect(),
        symmetry: None,
        observables: system.observables.iter().map(observed).collect(),
        ..system.clone()
    })
}

/// A function of the first n states.
struct Inner {
    f: SharedFunction,
    n: usize,
}

/// What follows the outputs of a function.
enum Then {
    /// The last state itself.
    Keep,
    /// Another function of the first n states.
    Evaluate(SharedFunction),
}

/// A function of the first n states with one output more.
struct Appended {
    f: SharedFunction,
    then: Then,
    n: usize,
    /// Where either is not smooth.
    corners: Option<Corners>,
}

impl Appended {
    fn to(f: &SharedFunction, then: Then, n: usize) -> Self {
        let own = f.corners();
        let of_next = match &then {
            Then::Keep => None,
            Then::Evaluate(g) => g.corners(),
        };
        let corners = match (own, of_next) {
            (Some(own), Some(next)) => Some(own.followed_by(next)),
            (own, next) => own.or(next).cloned(),
        };
        let f = f.clone();
        Self { f, then, n, corners }
    }
}

macro_rules! in_every_number {
    ($($method:ident: $number:ty),*) => {
        impl Function for Inner {
            fn outputs(&self) -> usize {
                self.f.outputs()
            }
            $(fn $method(&self, x: &[$number], p: &[$number], out: &mut [$number]) {
                self.f.$method(&x[..self.n], p, out);
            })*
            fn corners(&self) -> Option<&Corners> {
                self.f.corners()
            }
        }
        impl Function for Appended {
            fn outputs(&self) -> usize {
                self.f.outputs() + 1
            }
            $(fn $method(&self, x: &[$number], p: &[$number], out: &mut [$number]) {
                let m = self.f.outputs();
                self.f.$method(&x[..self.n], p, &mut out[..m]);
                match &self.then {
                    Then::Keep => out[m] = x[self.n],
                    Then::Evaluate(g) => g.$method(&x[..self.n], p, &mut out[m..]),
                }
            })*
            fn corners(&self) -> Option<&Corners> {
                self.corners.as_ref()
            }
        }
    };
}

in_every_number!(
    value: f64,
    gradient: Gradient,
    hessian: Hessian,
    second: Second,
    third: Third,
    affine: Affine<f64>,
    affine_gradient: Affine<Gradient>
);

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::catalogue::wear;

    #[test]
    fn the_integral_grows_by_the_observable_and_changes_nothing_else() {
        let plain = wear();
        let system = with_integral(&plain, "wear_power", "E").unwrap();
        let p = system.default_parameters();
        let mut rate = [0.0; 3];
        system.modes[1].field.value(&[-0.2, 1.0, 7.0], &p, &mut rate);
        let mut known = [0.0; 2];
        plain.modes[1].field.value(&[-0.2, 1.0], &p, &mut known);
        assert_eq!(rate, [known[0], known[1], 2.0]);
        assert_eq!(system.modes[2].states, [1, 2]);
        assert_eq!(system.full_state(2, &[0.3, 5.0], &p), [0.0, 0.3, 5.0]);
    }

    #[test]
    fn names_are_checked() {
        assert!(
            with_integral(&wear(), "power", "E")
                .err()
                .unwrap()
                .to_string()
                .contains("it has: wear_power")
        );
        assert!(matches!(
            with_integral(&wear(), "wear_power", "V"),
            Err(IntegralError::Taken { .. })
        ));
    }
}
