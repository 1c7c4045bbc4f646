//! Initial states of a sweep.
use crate::plan::attractors::AttractorsPlan;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use slipstick_system::{ModeKind, System, mode_at};

/// A random state in a mode that it can start in.
pub(crate) fn initial(
    system: &System,
    sweep: &AttractorsPlan,
    region: &[(f64, f64)],
    p: &[f64],
    (k, i): (usize, usize),
) -> Option<(usize, Vec<f64>)> {
    let mut random = ChaCha8Rng::seed_from_u64(sweep.seed);
    random.set_stream((k * sweep.starts + i) as u64);
    let first = random.random_range(0..system.modes.len());
    let mut ends = None;
    for _ in 0..20 {
        let full = state_in(system, region, &mut random);
        match placed(system, &full, p, first) {
            Some(start) if system.modes[start.0].kind == ModeKind::Outside => ends = Some(start),
            None => {}
            start => return start,
        }
    }
    ends
}

/// Random states of the system, number `k` of those with this seed.
pub(crate) fn drawn(system: &System, region: &[(f64, f64)], seed: u64, k: usize) -> Vec<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(k as u64);
    state_in(system, region, &mut random)
}

/// Random states of the system in a region; angles take their whole period.
fn state_in(system: &System, region: &[(f64, f64)], random: &mut ChaCha8Rng) -> Vec<f64> {
    let states = system.states.iter().zip(region);
    let one = states.map(|(s, &(lo, hi))| {
        let (lo, hi) = s.period.map_or((lo, hi), |period| (0.0, period));
        lo + random.random::<f64>() * (hi - lo)
    });
    one.collect()
}

/// The mode in which these states of a system lie, and those of them that are the mode's. Where the states that do not
/// move in a mode have other values in each, it is the first in which the others lie.
pub(crate) fn located(system: &System, full: &[f64], p: &[f64]) -> Option<(usize, Vec<f64>)> {
    let own = mode_at(system, p, full).map(|mode| (mode, system.own_states(mode, full)));
    own.or_else(|| placed(system, full, p, 0))
}

/// The first mode, counted from `first`, that a motion from these states of the system can start in, and its states. It
/// is one in which motion ends only if there is no other.
pub(crate) fn placed(system: &System, full: &[f64], p: &[f64], first: usize) -> Option<(usize, Vec<f64>)> {
    let all = (0..system.modes.len()).map(|m| (first + m) % system.modes.len());
    let (ends, goes_on): (Vec<usize>, Vec<usize>) = all.partition(|mode| system.modes[*mode].kind == ModeKind::Outside);
    goes_on.into_iter().chain(ends).find_map(|mode| {
        let x = system.own_states(mode, full);
        system.is_inside(mode, &x, p).then_some((mode, x))
    })
}
