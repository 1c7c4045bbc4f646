//! A state that does not live in a mode, as a function of those that do.

use slipstick_numerics::scalar::{Affine, Gradient, Hessian, NarrowGradient, Scalar, Second, Third};
use slipstick_system::{Function, Mode, SharedFunction};

/// Component `i` of a mode's map of absent states.
struct Absent {
    map: SharedFunction,
    i: usize,
}

/// A `state` of the system that is absent from a mode but has a value there; none where the mode does not say which,
/// and it is zero.
pub(super) fn absent(mode: &Mode, state: usize) -> Option<impl Function + use<>> {
    let map = mode.absent.clone()?;
    let i = (0..state).filter(|s| !mode.states.contains(s)).count();
    Some(Absent { map, i })
}

macro_rules! pick {
    ($($name:ident: $number:ty,)*) => {
        $(fn $name(&self, x: &[$number], p: &[$number], out: &mut [$number]) {
            let mut all = vec![<$number as Scalar>::zero(); self.map.outputs()];
            self.map.$name(x, p, &mut all);
            out[0] = all.swap_remove(self.i);
        })*
    };
}

impl Function for Absent {
    fn outputs(&self) -> usize {
        1
    }
    pick! {
        value: f64,
        gradient: Gradient,
        narrow_gradient: NarrowGradient,
        hessian: Hessian,
        second: Second,
        third: Third,
        affine: Affine<f64>,
        affine_gradient: Affine<Gradient>,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use slipstick_system::catalogue::regularised_stiction;

    #[test]
    fn the_layers_velocity_goes_on_in_slip() {
        let system = regularised_stiction();
        let (yhat, slip) = (system.state("yhat").unwrap(), system.mode("slip+").unwrap());
        let mode = &system.modes[slip];
        let f = absent(mode, yhat).unwrap();
        let p = [2.0, 1.1, 0.4, 0.6, 1e-2];
        let x: Vec<f64> = (0..mode.states.len()).map(|i| 0.3 + i as f64).collect();
        let mut value = [0.0];
        f.value(&x, &p, &mut value);
        assert_eq!(value[0], system.full_state(slip, &x, &p)[yhat]);
        assert!(value[0] > 1.0);
    }
}
