//! Named scalars of periodic orbits: what is measured, where along the orbit, and what is made of it.

use super::function::{Formula, Function, SharedFunction};
use super::hybrid::System;
use slipstick_numerics::scalar::{Affine, Gradient, Hessian, NarrowGradient, Scalar, Second, Third};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// What a scalar of an orbit is measured from.
///
/// ```
/// use slipstick_system::{Measure, Place, Quantity, catalogue::stiction};
/// let system = stiction();
/// let Measure::At(Place::Entry(_), of) = &system.monitors[0].measure else { panic!("θ₀ is read where slip begins") };
/// assert!(matches!(of, Quantity::State(state) if Some(*state) == system.state("theta")));
/// ```
#[derive(Clone)]
pub enum Quantity {
    /// A state by index.
    State(usize),
    /// An observable by index.
    Observable(usize),
    /// A formula: one function for each mode, of that mode's states.
    Formula(Vec<SharedFunction>),
}

/// Where along an orbit a quantity is read.
///
/// ```
/// use slipstick_system::{Measure, Place, catalogue::stiction};
/// let system = stiction();
/// let Measure::At(Place::Entry(modes), _) = &system.monitors[0].measure else { panic!("θ₀ is read where slip begins") };
/// assert!(modes.iter().all(|&mode| system.modes[mode].name.starts_with("slip")));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Where the orbit is told from: at phase zero of a forcing.
    Start,
    /// Where it first enters one of these modes.
    Entry(Vec<usize>),
    /// Where one of these events, each by its mode and its index there, first happens, before what it resets.
    Event(Vec<(usize, usize)>),
}

/// What is made of the values that a quantity takes along an orbit.
///
/// ```
/// use slipstick_system::Statistic;
/// // The time and value at which a largest value is met may jump, a mean may not.
/// assert!(Statistic::Mean.is_smooth() && !Statistic::Max.is_smooth());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// The largest.
    Max,
    /// The least.
    Min,
    /// The mean over the period, or over the points of a cycle.
    Mean,
    /// The integral over the period, or the sum over the points of a cycle.
    Integral,
    /// The root of the mean square.
    Rms,
}

impl Statistic {
    /// Is it a smooth function of the orbit wherever the quantity is one?
    pub fn is_smooth(self) -> bool {
        !matches!(self, Self::Max | Self::Min)
    }
}

/// What a monitor measures.
///
/// ```
/// use slipstick_system::{Measure, catalogue::stiction};
/// let system = stiction();
/// assert!(matches!(&system.monitors[1].measure, Measure::Duration(modes) if modes == &[system.mode("stick").unwrap()]));
/// ```
#[derive(Clone)]
pub enum Measure {
    /// The duration of the first visit to one of these modes along the word; zero if there is none.
    Duration(Vec<usize>),
    /// The value at one place.
    At(Place, Quantity),
    /// A statistic over the whole period.
    Over(Statistic, Quantity),
}

/// A named scalar of a periodic orbit, beyond the extremes of states that every system has.
///
/// ```
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let names: Vec<&str> = system.monitors.iter().map(|monitor| &*monitor.name).collect();
/// assert_eq!(names, ["theta0", "stick"]);
/// ```
#[derive(Clone)]
pub struct OrbitMonitor {
    /// Name in tables.
    pub name: String,
    /// What is measured.
    pub measure: Measure,
}

impl OrbitMonitor {
    /// The duration of the first visit to one of the `modes`.
    pub fn duration(name: impl Into<String>, modes: Vec<usize>) -> Self {
        let (name, measure) = (name.into(), Measure::Duration(modes));
        Self { name, measure }
    }

    /// The value of a quantity where the orbit first enters one of the `modes`.
    pub fn at_entry(name: impl Into<String>, modes: Vec<usize>, of: Quantity) -> Self {
        let (name, measure) = (name.into(), Measure::At(Place::Entry(modes), of));
        Self { name, measure }
    }
}

impl OrbitMonitor {
    /// Is it read where the orbit is told from? An orbit without events or forcing may be told from anywhere.
    pub fn is_read_at_start(&self) -> bool {
        matches!(self.measure, Measure::At(Place::Start, _))
    }

    /// Can it be held at a value while orbits change?
    ///
    /// # Errors
    /// Extremes: where two turning points are equally high they have a corner.
    pub fn can_be_fixed(&self) -> Result<(), HasCorners> {
        match &self.measure {
            Measure::Over(statistic, _) if !statistic.is_smooth() => Err(HasCorners {
                name: self.name.clone(),
            }),
            _ => Ok(()),
        }
    }
}

/// A monitor that cannot be held at a value, being an extreme.
///
/// ```
/// use slipstick_system::{Measure, OrbitMonitor, Quantity, Statistic};
/// let of = |statistic| OrbitMonitor { name: "top".into(), measure: Measure::Over(statistic, Quantity::State(0)) };
/// assert!(of(Statistic::Rms).can_be_fixed().is_ok());
/// let why = of(Statistic::Max).can_be_fixed().err().unwrap();
/// assert!(why.to_string().contains("`top`") && why.help().contains("Rms"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is an extreme, which is not smooth along curves")]
pub struct HasCorners {
    /// The monitor.
    pub name: String,
}

impl HasCorners {
    /// What to write instead.
    pub fn help(&self) -> &'static str {
        "use a level of a `Mean`, `Rms`, `Integral` or `Value`, or the extreme of a state such as `x_max`"
    }
}

impl System {
    /// A quantity as a function of the states of `mode`.
    pub fn quantity(&self, of: &Quantity, mode: usize) -> SharedFunction {
        let own = &self.modes[mode];
        match of {
            Quantity::Formula(by_mode) => by_mode[mode].clone(),
            Quantity::Observable(o) => self.observables[*o].by_mode[mode].clone(),
            Quantity::State(state) => {
                if let Some(i) = own.states.iter().position(|s| s == state) {
                    return Arc::new(Picked(vec![(i, 1.0, 0.0)]));
                }
                let i = (0..*state).filter(|s| !own.states.contains(s)).count();
                match &own.absent {
                    Some(map) => Arc::new(Composed {
                        outer: Arc::new(Picked(vec![(i, 1.0, 0.0)])),
                        inner: map.clone(),
                    }),
                    None => Arc::new(Nothing),
                }
            }
        }
    }

    /// The same on the mirrored half of a symmetric orbit: the value at the mirror image of a point of `mode`, as a
    /// function of that point. `None` for systems without a symmetry.
    pub fn mirrored_quantity(&self, of: &Quantity, mode: usize) -> Option<SharedFunction> {
        let symmetry = self.symmetry.as_ref()?;
        let image = symmetry.modes[mode];
        let own = &self.modes[mode].states;
        let place = |&j: &usize| {
            let i = own.iter().position(|&s| s == symmetry.source[j])?;
            Some((i, symmetry.sign[j], symmetry.shift[j]))
        };
        let picks: Option<Vec<_>> = self.modes[image].states.iter().map(place).collect();
        Some(Arc::new(Composed {
            outer: self.quantity(of, image),
            inner: Arc::new(Picked(picks?)),
        }))
    }

    /// The function `outer` of all states of the system and then all its observables, as a function of the states of
    /// `mode`.
    pub fn of_everything(&self, outer: SharedFunction, mode: usize) -> SharedFunction {
        let own = &self.modes[mode];
        let parts = (0..self.states.len()).map(|s| self.quantity(&Quantity::State(s), mode));
        let observed = self.observables.iter().map(|o| o.by_mode[mode].clone());
        let n = own.states.len();
        Arc::new(Composed {
            outer,
            inner: Arc::new(Side {
                parts: parts.chain(observed).collect(),
                n,
            }),
        })
    }
}

/// Some of the states, each with a factor and a shift.
struct Picked(Vec<(usize, f64, f64)>);
impl Formula for Picked {
    fn outputs(&self) -> usize {
        self.0.len()
    }
    fn eval<T: Scalar>(&self, x: &[T], _: &[T], out: &mut [T]) {
        for (out, &(i, factor, shift)) in out.iter_mut().zip(&self.0) {
            *out = x[i] * factor + shift;
        }
    }
}

/// Zero.
struct Nothing;
impl Formula for Nothing {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, _: &[T], _: &[T], out: &mut [T]) {
        out[0] = T::zero();
    }
}

/// Scalars side by side, of the first n states.
struct Side {
    parts: Vec<SharedFunction>,
    n: usize,
}

/// One function after another; both take the parameters.
struct Composed {
    outer: SharedFunction,
    inner: SharedFunction,
}

macro_rules! in_every_number {
    ($($method:ident: $number:ty),*) => {
        impl Function for Side {
            fn outputs(&self) -> usize {
                self.parts.len()
            }
            $(fn $method(&self, x: &[$number], p: &[$number], out: &mut [$number]) {
                for (part, out) in self.parts.iter().zip(out.chunks_exact_mut(1)) {
                    part.$method(&x[..self.n], p, out);
                }
            })*
        }
        impl Function for Composed {
            fn outputs(&self) -> usize {
                self.outer.outputs()
            }
            $(fn $method(&self, x: &[$number], p: &[$number], out: &mut [$number]) {
                let mut between: SmallVec<[$number; 8]> = smallvec![<$number as Scalar>::zero(); self.inner.outputs()];
                self.inner.$method(x, p, &mut between);
                self.outer.$method(&between, p, out);
            })*
            fn breaks(&self) -> Vec<SharedFunction> {
                let inner = |outer: SharedFunction| -> SharedFunction {
                    Arc::new(Composed { outer, inner: self.inner.clone() })
                };
                self.outer.breaks().into_iter().map(inner).collect()
            }
        }
    };
}

in_every_number!(
    value: f64,
    gradient: Gradient,
    narrow_gradient: NarrowGradient,
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
    use crate::catalogue::stiction;
    use crate::text::{Expression, Scope};

    #[test]
    fn a_formula_of_everything_sees_what_is_absent_and_what_is_observed_and_is_mirrored() {
        let system = stiction();
        let mut scope = Scope::new();
        for name in ["x", "y", "theta", "xi"] {
            scope.state(name).unwrap();
        }
        for p in &system.parameters {
            scope.parameter(&p.name).unwrap();
        }
        let text = Expression::parse("x + 10*y + 100*abs(x - 0.2) + Omega*xi").unwrap();
        let tape: SharedFunction = Arc::new(scope.compile_piecewise(&[&text]).unwrap());
        let modes = 0..system.modes.len();
        let of = Quantity::Formula(modes.map(|m| system.of_everything(tape.clone(), m)).collect());
        let (stick, p) = (system.mode("stick").unwrap(), [2.0, 1.1, 0.4]);
        let at = |f: &SharedFunction, x: &[f64]| {
            let mut v = [0.0];
            f.value(x, &p, &mut v);
            v[0]
        };
        let xi = |x: &[f64]| at(&system.observables[0].by_mode[stick], x);
        let (x, mirrored) = ([0.3, 1.0], [-0.3, 1.0 + std::f64::consts::PI]);
        let own = system.quantity(&of, stick);
        assert!((at(&own, &x) - (0.3 + 10.0 + 2.0 * xi(&x))).abs() < 1e-12);
        let image = system.mirrored_quantity(&of, stick).unwrap();
        assert!((at(&image, &x) - at(&own, &mirrored)).abs() < 1e-12);
        // The corner lies at x = 0.2, of the image at x = -0.2.
        let breaks = |f: &SharedFunction| -> Vec<f64> { f.breaks().iter().map(|b| at(b, &[0.2, 1.0])).collect() };
        assert_eq!((breaks(&own), breaks(&image)), (vec![0.0], vec![-0.4]));
    }
}
