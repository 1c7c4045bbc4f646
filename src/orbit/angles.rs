//! States that are angles, and those that are not.
use slipstick_system::System;

/// The positions of the states of a mode that are no angles.
pub(crate) fn straight_states(system: &System, mode: usize) -> Vec<usize> {
    let states = &system.modes[mode].states;
    (0..states.len())
        .filter(|&i| system.states[states[i]].period.is_none())
        .collect()
}

/// An angle brought into [-period/2, period/2).
pub(crate) fn centred(v: f64, period: f64) -> f64 {
    let half = 0.5 * period;
    (v + half).rem_euclid(period) - half
}

/// How far the state number `state` is from what it is elsewhere: an angle up to whole turns.
pub(crate) fn apart(system: &System, state: usize, here: f64, elsewhere: f64) -> f64 {
    let difference = here - elsewhere;
    match system.states[state].period {
        Some(period) => centred(difference, period),
        None => difference,
    }
}
