//! Lyapunov exponents of attractors: of orbits from their multipliers, of other motions from a long piece of them.

use crate::compute::attractors::motion::{exponents, round_time};
use slipstick_bifurcation::Record;
use slipstick_flow::exponents::Exponent;
use slipstick_system::System;

/// The `count` largest exponents of an equilibrium, the real parts of its eigenvalues, or of a periodic orbit or cycle,
/// `ln |μ| / T`. They have no sampling error. Directions that it has no multipliers for are lost in every period.
pub(crate) fn of_record(system: &System, record: &Record, count: usize) -> Vec<Exponent> {
    let mut values: Vec<f64> = if record.multipliers.is_empty() && !record.eigenvalues.is_empty() {
        record.eigenvalues.iter().map(|v| v.re).collect()
    } else {
        let rate = |log10: f64| log10 * std::f64::consts::LN_10 / record.period;
        // Along itself an orbit neither grows nor decays.
        let along = (!system.is_map()).then_some(0.0);
        record.multipliers.iter().map(|m| rate(m.log10)).chain(along).collect()
    };
    values.sort_by(|a, b| b.total_cmp(a));
    values.resize(dimension(system).max(values.len()), f64::NEG_INFINITY);
    values.truncate(count);
    values.into_iter().map(|value| Exponent { value, error: 0.0 }).collect()
}

/// How many states the largest mode of a system has.
pub(crate) fn dimension(system: &System) -> usize {
    system.modes.iter().map(|m| m.states.len()).max().unwrap_or(0)
}

/// The `count` largest exponents of a motion that has settled; none where it cannot be followed.
pub(crate) fn of_motion(system: &System, count: usize, (mode, x): (usize, &[f64]), p: &[f64]) -> Vec<Exponent> {
    if count == 0 {
        return vec![];
    }
    let round = round_time(system, mode, x, p);
    exponents(system, (mode, x), p, round, count).unwrap_or_default()
}
