//! A scalar function at a point, with its derivatives.

use slipstick_system::{Function, jacobian};

/// The value of a scalar function, with its derivatives by the states and by the free parameters.
pub(crate) fn derivatives(h: &dyn Function, x: &[f64], p: &[f64], free: &[usize]) -> (f64, Vec<f64>, Vec<f64>) {
    let (mut value, mut dx, mut dp) = ([0.0], vec![0.0; x.len()], vec![0.0; free.len()]);
    jacobian(h, x, p, free, &mut value, &mut dx, &mut dp);
    (value[0], dx, dp)
}
