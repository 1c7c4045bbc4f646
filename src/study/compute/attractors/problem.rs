//! Settled orbits as zeros of their equations.

use crate::plan::attractors::AttractorsPlan;
use slipstick_continuation::{Newton, NewtonOptions};
use slipstick_flow::AttractingOrbit;
use slipstick_orbit::{PeriodicOrbit, Word, adopt_itself};
use slipstick_system::System;

/// The equations of orbits of a word, with the parameter of a sweep free.
pub(crate) fn problem<'s>(system: &'s System, word: Word, sweep: &AttractorsPlan, p: &[f64]) -> PeriodicOrbit<'s> {
    PeriodicOrbit::new(system, word, p.to_vec(), vec![sweep.sweep], sweep.flow)
}

/// The unknowns of a settled orbit in the word of `orbit`, corrected at this value of the parameter.
pub(crate) fn solved(orbit: &mut PeriodicOrbit<'_>, attracting: &AttractingOrbit, value: f64) -> Option<Vec<f64>> {
    let mut z = adopt_itself(orbit, attracting).ok()?;
    let n = z.len();
    let mut fixed = vec![0.0; n];
    fixed[n - 1] = 1.0;
    let anchor = vec![0.0; n];
    Newton::default()
        .solve(orbit, &mut z, &fixed, &anchor, &[value], &NewtonOptions::default())
        .ok()?;
    Some(z)
}
