//! States that keep their sign: populations, concentrations, intensities.

use super::function::Function;

/// Fields of more states are not looked at: that would cost more than it is worth.
const MOST: usize = 64;

/// Which states keep the sign that they have near `x`, since their rate vanishes with them wherever the other states
/// are: the plane on which such a state is zero is invariant.
///
/// A state like this may become smaller than any error that is small beside its largest value, and recover from what is
/// left of it, as prey that nearly dies out: what matters is its logarithm.
///
/// ```
/// use slipstick_numerics::scalar::Scalar;
/// use slipstick_system::{Formula, keep_sign};
/// struct Hunting;
/// impl Formula for Hunting {
///     fn outputs(&self) -> usize { 2 }
///     fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
///         out[0] = x[0] * (p[0] - x[1]);
///         // Predators come from elsewhere, too.
///         out[1] = x[0] * x[1] - x[1] + 0.1;
///     }
/// }
/// assert_eq!(keep_sign(&Hunting, &[0.7, 0.2], &[1.0]), [true, false]);
/// ```
pub fn keep_sign(field: &dyn Function, x: &[f64], p: &[f64]) -> Vec<bool> {
    let n = x.len();
    if n > MOST {
        return vec![false; n];
    }
    let (mut at, mut rates) = (vec![0.0; n], vec![0.0; n]);
    field.value(&at, p, &mut rates);
    // Quotients of states have no value where all are zero.
    let mut keeps: Vec<bool> = rates.iter().map(|rate| *rate == 0.0 || rate.is_nan()).collect();
    // At a point where nothing else is zero, or as large as another: a mass that turns about has no speed, but no
    // place of its own.
    let generic: Vec<f64> = x.iter().enumerate().map(|(i, v)| apart(i, *v)).collect();
    at.copy_from_slice(&generic);
    for (c, keeps) in keeps.iter_mut().enumerate().filter(|(_, keeps)| **keeps) {
        at[c] = 0.0;
        field.value(&at, p, &mut rates);
        at[c] = generic[c];
        *keeps = rates[c] == 0.0;
    }
    keeps
}

/// A number of the same sign beside `v`, by a part of it that differs from state to state.
fn apart(i: usize, v: f64) -> f64 {
    let part = 0.1 + (0.618_033_988_749_895 * (i + 1) as f64).fract();
    if v == 0.0 { part } else { v * (1.0 + 0.1 * part) }
}
