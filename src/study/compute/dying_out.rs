//! Motions that lose a state on the way, although it would grow again: it became smaller than numbers can be, as in a
//! delayed passage through a small ε.

use crate::compute::error::ComputeError;
use slipstick_flow::{FlowError, FlowOptions, ModeFlow};
use slipstick_system::{System, jacobian, keep_sign};

/// An error if a state that keeps its sign, and is not zero where the motion begins, `from`, is zero where it ends,
/// though it grows over a period from there.
pub(crate) fn still_there(
    system: &System,
    mode: usize,
    (from, end): (&[f64], &[f64]),
    period: f64,
    parameters: &[f64],
) -> Result<(), ComputeError> {
    let own = &system.modes[mode];
    let keeps = keep_sign(own.field.as_ref(), from, parameters);
    let lost = (0..from.len().min(end.len())).filter(|&i| keeps[i] && from[i] != 0.0 && end[i] == 0.0);
    let lost: Vec<usize> = lost.collect();
    if lost.is_empty() || system.is_hybrid() {
        return Ok(());
    }
    let growth = growth(system, mode, end, period, parameters)?;
    match lost.into_iter().find(|&i| growth[i] > 0.0) {
        Some(i) => Err(ComputeError::DiedOut {
            state: system.states[own.states[i]].name.clone(),
        }),
        None => Ok(()),
    }
}

/// By how much each state multiplies itself over a period, in logarithms.
fn growth(system: &System, mode: usize, x: &[f64], period: f64, p: &[f64]) -> Result<Vec<f64>, FlowError> {
    const PLACES: usize = 400;
    let path = ModeFlow::new(system, mode, FlowOptions::default()).path(x, period, p)?;
    let (n, field) = (x.len(), system.modes[mode].field.as_ref());
    let (mut at, mut f, mut jac) = (vec![0.0; n], vec![0.0; n], vec![0.0; n * n]);
    let mut growth = vec![0.0; n];
    for place in 0..PLACES {
        path.eval(period * (place as f64 + 0.5) / PLACES as f64, &mut at);
        jacobian(field, &at, p, &[], &mut f, &mut jac, &mut []);
        for (i, growth) in growth.iter_mut().enumerate() {
            *growth += jac[i * n + i] * period / PLACES as f64;
        }
    }
    Ok(growth)
}
