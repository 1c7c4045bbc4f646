//! States that keep their sign: populations, concentrations, intensities.

use super::function::{Function, jacobian};

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
    // Terms that cancel, as in the equations of sliding, leave nothing at one place and rounding at another, and in one
    // derivative or another: a factor leaves exactly nothing in any.
    let all: Vec<usize> = (0..p.len()).collect();
    let (mut slopes, mut by_parameters) = (vec![0.0; n * n], vec![0.0; n * p.len()]);
    for k in 0..FARTHER {
        for (c, keeps) in keeps.iter_mut().enumerate().filter(|(_, keeps)| **keeps) {
            for (i, (at, v)) in at.iter_mut().zip(&generic).enumerate() {
                *at = v * farther(k * n + i);
            }
            at[c] = 0.0;
            if k >= DERIVATIVES {
                field.value(&at, p, &mut rates);
                *keeps = rates[c] == 0.0 || !rates[c].is_finite();
                continue;
            }
            jacobian(field, &at, p, &all, &mut rates, &mut slopes, &mut by_parameters);
            let others = (0..n).filter(|j| *j != c).map(|j| slopes[c * n + j]);
            let by_parameters = &by_parameters[c * p.len()..(c + 1) * p.len()];
            let mut left = others.chain(by_parameters.iter().copied()).chain([rates[c]]);
            *keeps = left.all(|v| v == 0.0 || !v.is_finite());
        }
    }
    keeps
}

/// So many more places are looked at, and at so many of them the derivatives.
const FARTHER: usize = 16;
const DERIVATIVES: usize = 2;

/// Factors between an eighth and eight, spread evenly in their logarithms.
fn farther(k: usize) -> f64 {
    (6.0 * (0.618_033_988_749_895 * (k + 1) as f64).fract() - 3.0).exp2()
}

/// A number of the same sign beside `v`, by a part of it that differs from state to state.
fn apart(i: usize, v: f64) -> f64 {
    let part = 0.1 + (0.618_033_988_749_895 * (i + 1) as f64).fract();
    if v == 0.0 { part } else { v * (1.0 + 0.1 * part) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Formula;
    use slipstick_numerics::scalar::Scalar;

    /// Sliding on x = 0, written with terms that cancel there; and a state that decays.
    struct Sliding;

    impl Formula for Sliding {
        fn outputs(&self) -> usize {
            2
        }
        fn eval<T: Scalar>(&self, x: &[T], p: &[T], out: &mut [T]) {
            let (force, law) = (x[1], p[0]);
            let (below, beyond) = (law + force, force - law);
            let mean = (below + beyond) / T::from_f64(2.0);
            let half = (beyond - below) / T::from_f64(2.0);
            let three = T::from_f64(3.0);
            out[0] = mean - half * (three * mean / (three * half)) - x[0];
            out[1] = -x[1];
        }
    }

    #[test]
    fn what_cancels_to_rounding_is_no_factor() {
        for y in [0.01, 0.1, 0.2, 0.35, 0.45, 1.0, 3.0] {
            assert_eq!(keep_sign(&Sliding, &[1e-17, y], &[0.7]), [false, true], "{y}");
        }
    }
}
