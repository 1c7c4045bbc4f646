//! Settled orbits as zeros of their equations.

use crate::plan::attractors::AttractorsPlan;
use slipstick_bifurcation::{Inspect, Record};
use slipstick_continuation::{Newton, NewtonOptions, Point, Problem, enter_family};
use slipstick_flow::AttractingOrbit;
use slipstick_orbit::{PeriodicOrbit, Word, adopt_itself};
use slipstick_system::System;

/// The equations of orbits of a word, with the parameter of a sweep free.
pub(crate) fn problem<'s>(system: &'s System, word: Word, sweep: &AttractorsPlan, p: &[f64]) -> PeriodicOrbit<'s> {
    PeriodicOrbit::new(system, word, p.to_vec(), vec![sweep.sweep], sweep.flow)
}

/// What is measured at a solution.
pub(crate) fn measured(problem: &mut impl Inspect, z: Vec<f64>) -> Option<Record> {
    let mut record = Record::default();
    problem.inspect(&Point::alone(z), &mut record).ok()?;
    Some(record)
}

/// The unknowns of a settled orbit in the word of `orbit`, corrected at this value of the parameter; of a continuum of
/// orbits, as where a contact sticks at all times and may stick elsewhere as well, the nearest one.
pub(crate) fn solved(orbit: &mut PeriodicOrbit<'_>, attracting: &AttractingOrbit, value: f64) -> Option<Vec<f64>> {
    /// A settled motion is as near to its orbit, as a scaled distance, and closes as well.
    const NEAR: f64 = 1e-4;
    const CLOSED: f64 = 1e-6;
    let mut z = adopt_itself(orbit, attracting).ok()?;
    let n = z.len();
    let mut fixed = vec![0.0; n];
    fixed[n - 1] = 1.0;
    let anchor = vec![0.0; n];
    let options = NewtonOptions::default();
    let mut guess = z.clone();
    guess[n - 1] = value;
    let solved = Newton::default().solve(orbit, &mut z, &fixed, &anchor, &[value], &options);
    let mut weights = vec![0.0; n];
    orbit.weights(&guess, &mut weights);
    let near = |z: &[f64]| {
        let squares = z
            .iter()
            .zip(&guess)
            .zip(&weights)
            .map(|((a, b), w)| (a - b).powi(2) * w);
        squares.sum::<f64>() <= NEAR * NEAR
    };
    if solved.is_ok() && near(&z) {
        return Some(z);
    }
    let family = enter_family(orbit, &guess, 1.0, &options).filter(|point| near(&point.z));
    orbit.release_parameter();
    if let Some(point) = family {
        return Some(point.z);
    }
    if solved.is_ok() {
        return Some(z);
    }
    // Of a family of several parameters the motion itself is one orbit.
    let mut residual = vec![0.0; n - 1];
    orbit.linearise(&guess, &mut residual).ok()?;
    residual.iter().all(|r| r.abs() <= CLOSED).then_some(guess)
}
