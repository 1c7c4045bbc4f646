//! Words shared by the files of the catalogue.

use crate::hybrid::shared;
use crate::{Formula, Inequality, Parameter, State};
use slipstick_numerics::scalar::Scalar;

pub(super) fn parameter(name: &str, value: f64, about: &str) -> Parameter {
    Parameter {
        name: name.into(),
        value,
        about: about.into(),
    }
}

pub(super) fn state(name: &str, period: Option<f64>) -> State {
    State {
        name: name.into(),
        period,
    }
}

pub(super) fn inequality(name: &str, function: impl Formula + 'static) -> Inequality {
    Inequality {
        name: name.into(),
        function: shared(function),
        strict: true,
    }
}

/// A linear combination of parameters: `Σ cᵢ pᵢ`.
pub(super) fn always(terms: &[(usize, f64)]) -> impl Formula + 'static + use<> {
    Combination(terms.to_vec())
}

struct Combination(Vec<(usize, f64)>);
impl Formula for Combination {
    fn outputs(&self) -> usize {
        1
    }
    fn eval<T: Scalar>(&self, _: &[T], p: &[T], out: &mut [T]) {
        out[0] = self.0.iter().fold(T::zero(), |sum, &(i, c)| sum + p[i] * c);
    }
}
