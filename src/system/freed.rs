//! Functions of which parameters are taken for arguments, so that derivatives along them are like those along states.

use super::function::{Function, SharedFunction};
use slipstick_numerics::scalar::{Affine, Gradient, Hessian, NarrowGradient, Second, Third};
use smallvec::SmallVec;

/// A few numbers.
type Few<T> = SmallVec<[T; 8]>;

/// A function with some of its parameters as further arguments, behind the others.
pub(super) struct Freed {
    pub(super) function: SharedFunction,
    pub(super) parameters: SmallVec<[usize; 2]>,
}

macro_rules! with_the_parameters {
    ($($name:ident: $number:ty),*) => {
        $(fn $name(&self, x: &[$number], p: &[$number], out: &mut [$number]) {
            let (x, values) = x.split_at(x.len() - self.parameters.len());
            let mut p: Few<$number> = SmallVec::from_slice(p);
            self.parameters.iter().zip(values).for_each(|(&i, value)| p[i] = *value);
            self.function.$name(x, &p, out);
        })*
    };
}

impl Function for Freed {
    fn outputs(&self) -> usize {
        self.function.outputs()
    }
    with_the_parameters!(value: f64, gradient: Gradient, narrow_gradient: NarrowGradient, hessian: Hessian, second: Second, third: Third,
        affine: Affine<f64>, affine_gradient: Affine<Gradient>);
}
