//! Lyapunov exponents of attractors: of orbits from their multipliers, of other motions from a long piece of them.

use crate::compute::attractors::motion::{exponents, long, round_time};
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
    values.resize(system.dimension().max(values.len()), f64::NEG_INFINITY);
    values.truncate(count);
    values.into_iter().map(|value| Exponent { value, error: 0.0 }).collect()
}

/// The `count` largest exponents of a motion that has settled; none where it cannot be followed.
pub(crate) fn of_motion(system: &System, count: usize, (mode, x): (usize, &[f64]), p: &[f64]) -> Vec<Exponent> {
    if count == 0 {
        return vec![];
    }
    let round = round_time(system, mode, x, p);
    exponents(system, (mode, x), p, round, count).unwrap_or_default()
}

/// A round of a map.
pub(crate) const ITERATES: f64 = 20.0;

/// What a motion that does not repeat itself is.
pub(crate) enum Wandering {
    /// Neighbours separate, at this rate.
    Chaos(f64),
    /// Neighbours neither separate nor approach each other.
    Torus,
    /// They approach each other, or nothing can be said.
    Undecided,
}

/// How many states a system has at least in which motions go round a torus: two angles are one, as is an angle beside
/// a state that an event sets back again and again.
fn least_of_torus(system: &System) -> usize {
    let angles = system.states.iter().filter(|s| s.period.is_some()).count();
    match (system.is_map(), angles) {
        (true, 0) => 2,
        (true, _) => 1,
        (false, 0) => 3,
        (false, 1) if !system.is_hybrid() => 3,
        (false, _) => 2,
    }
}

/// Can neighbours separate for ever? In a plane they cannot: motions there do not pass each other.
fn may_be_chaotic(system: &System) -> bool {
    system.is_map() || system.is_hybrid() || system.dimension() > 2
}

/// Tell tori from chaos and from slow transients, by the largest `exponents` and, where these are about zero, by those
/// of a time twenty times as long, which take their place: on a torus the one that decides falls off as the inverse of
/// the time. Those of a flow whose neighbours are not far apart after the first time are looked at for longer, too:
/// they separate along a transient as well, as next to a saddle. `positive` is what shows itself within the time of the
/// first ones, and `round` the unit of time.
pub(crate) fn wandering(
    system: &System,
    (mode, x): (usize, &[f64]),
    p: &[f64],
    round: f64,
    exponents: &mut Vec<Exponent>,
    positive: f64,
) -> Wandering {
    /// The long time, in rounds, and what is zero after it, times the time.
    const LONG: f64 = 1800.0;
    const ZERO: f64 = 10.0;
    /// The time of the first exponents of a flow, in rounds, and what is surely chaos after it, times the time.
    const SHORT: f64 = 90.0;
    const SURE: f64 = 30.0;
    // The first exponent of a flow belongs to its direction.
    let deciding = usize::from(!system.is_map());
    let beyond = |e: &Exponent| positive.max(3.0 * e.error);
    let sure = |e: &Exponent| system.is_map() || e.value * SHORT * round > SURE;
    let separates = may_be_chaotic(system);
    match (exponents.first(), exponents.get(deciding)) {
        (Some(first), _) if separates && first.value > beyond(first) => {
            if sure(first) {
                return Wandering::Chaos(first.value);
            }
        }
        (_, Some(second)) if second.value.abs() <= beyond(second) => {}
        _ => return Wandering::Undecided,
    }
    if system.dimension() < least_of_torus(system) {
        return Wandering::Undecided;
    }
    // Chaos shows itself sooner than a torus, for good within a fourth of the time.
    let whole = LONG * round;
    for time in [0.25 * whole, whole] {
        match long(system, (mode, x), p, time, exponents.len()) {
            Ok(found) => *exponents = found,
            Err(_) => return Wandering::Undecided,
        }
        if let Some(first) = exponents.first()
            && separates
            && first.value > beyond(first)
            && first.value * time > SURE
        {
            return Wandering::Chaos(first.value);
        }
    }
    match (exponents.first(), exponents.get(deciding)) {
        (Some(first), _) if separates && first.value * whole > ZERO => Wandering::Chaos(first.value),
        (_, Some(second)) if second.value.abs() * whole <= ZERO => Wandering::Torus,
        _ => Wandering::Undecided,
    }
}
