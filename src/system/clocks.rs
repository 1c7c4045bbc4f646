//! Angles that measure the time.

use super::function::jacobian;
use super::hybrid::{Mode, System};

/// The states of a mode, by their places in it, that are angles and turn at a rate that depends on no state, as the
/// phase of a forcing does.
pub(super) fn clocks(system: &System, mode: &Mode) -> Vec<usize> {
    /// The derivatives are looked at where all states have these values.
    const PLACES: [f64; 2] = [0.1, 0.7];
    let n = mode.states.len();
    // A coupling that is zero at the parameters as they stand need not be so elsewhere.
    let values = system.parameters.iter().map(|p| p.value);
    let p: Vec<f64> = values.map(|v| if v == 0.0 { 1.0 } else { v }).collect();
    let mut clocks: Vec<usize> = (0..n)
        .filter(|&i| system.states[mode.states[i]].period.is_some())
        .collect();
    let (mut f, mut dx) = (vec![0.0; n], vec![0.0; n * n]);
    for x in PLACES.map(|value| vec![value; n]) {
        if clocks.is_empty() {
            break;
        }
        jacobian(&*mode.field, &x, &p, &[], &mut f, &mut dx, &mut []);
        clocks.retain(|&i| dx[i * n..(i + 1) * n].iter().all(|d| *d == 0.0));
    }
    clocks
}
