//! Motions along slow states, which look like rest to all that waits for an event.

use slipstick_orbit::FixedPoint;
use slipstick_system::System;

/// Is a motion that was taken for one at rest in a mode still under way? At its rates it would be somewhere else after
/// the time that was waited, and there is no equilibrium next to it. `begin` are the states that it began with, and
/// one parameter is free, whichever.
pub(crate) fn drifts(
    system: &System,
    (mode, state): (usize, &[f64]),
    p: &[f64],
    free: usize,
    (begin, waited): (&[f64], f64),
) -> bool {
    /// What counts as somewhere else, and as next to it, relative to the states.
    const FAR: f64 = 1e-3;
    let own = &system.modes[mode];
    let largest = begin.iter().chain(state).fold(0.0f64, |size, v| size.max(v.abs()));
    let straight = |i: usize| system.states[own.states[i]].period.is_none();
    let mut rates = vec![0.0; state.len()];
    own.field.value(state, p, &mut rates);
    let moves = |i: usize| straight(i) && rates[i].abs() * waited > FAR * (largest + state[i].abs());
    if !(0..state.len()).any(moves) {
        return false;
    }
    let mut problem = FixedPoint::equilibrium(system, mode, p.to_vec(), vec![free]);
    let guess = problem.guess_points(&[state.to_vec()]);
    let Ok(z) = problem.corrected(guess) else { return true };
    let points = problem.points(&z);
    let near = |found: &Vec<f64>| {
        let mut pairs = found.iter().zip(state);
        pairs.all(|(a, b)| (a - b).abs() <= FAR * (largest + a.abs()))
    };
    !points.iter().any(near)
}
