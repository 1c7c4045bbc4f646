//! Correct guesses of orbits where curves start.

use crate::compute::error::ComputeError;
use slipstick_continuation::{Newton, NewtonOptions};
use slipstick_orbit::{PeriodicOrbit, Word};

/// Has the word no events?
pub(crate) fn smooth(word: &Word) -> bool {
    word.letters.iter().all(|l| l.event.is_none())
}

/// Correct a guess at fixed parameters with all the patience that a start needs.
pub(crate) fn corrected(problem: &mut PeriodicOrbit<'_>, mut z: Vec<f64>) -> Result<Vec<f64>, ComputeError> {
    let options = NewtonOptions {
        iterations: 40,
        damped: true,
        ..NewtonOptions::default()
    };
    let n = z.len();
    let mut row = vec![0.0; n];
    row[n - 1] = 1.0;
    let anchor = z.clone();
    Newton::default()
        .solve(problem, &mut z, &row, &anchor, &[0.0], &options)
        .map_err(ComputeError::OrbitNotCorrected)?;
    Ok(z)
}
