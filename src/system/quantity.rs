//! Quantities as functions of the states of a mode, and of their mirror images.

use super::function::{Formula, Function, SharedFunction};
use super::hybrid::System;
use super::monitor::Quantity;
use slipstick_numerics::scalar::{Affine, Gradient, Hessian, NarrowGradient, Scalar, Second, Third};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

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
