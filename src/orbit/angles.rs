//! States that are angles, and those that are not; which of them is the phase of a forcing.
use slipstick_flow::constant_rates;
use slipstick_numerics::scalar::{Affine, LARGEST_BASIS};
use slipstick_system::{Mode, System};
use std::f64::consts::TAU;

/// Is a state of the system no angle?
pub(crate) fn is_straight(system: &System, state: usize) -> bool {
    system.states[state].period.is_none()
}

/// A radian in the unit of an angle; nothing for other states.
pub(crate) fn radian(system: &System, state: usize) -> Option<f64> {
    system.states[state].period.map(|turn| turn / TAU)
}

/// The positions of the states of a mode that are no angles.
pub(crate) fn straight_states(system: &System, mode: usize) -> Vec<usize> {
    let states = &system.modes[mode].states;
    (0..states.len()).filter(|&i| is_straight(system, states[i])).collect()
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

/// The state of a mode that is an angle with a constant rate, as the phase of a forcing is, by the structure of its
/// field.
pub(crate) fn phase(system: &System, mode: &Mode) -> Option<usize> {
    let mut basis = 0;
    let x: Vec<Affine<f64>> = mode
        .states
        .iter()
        .map(|&s| {
            let angle = system.states[s].period.is_some();
            let at = basis;
            basis += if angle { 2 } else { 1 };
            if basis > LARGEST_BASIS {
                Affine::constant(0.0)
            } else if angle {
                Affine::angle(at, 0)
            } else {
                Affine::basis(at, 0)
            }
        })
        .collect();
    // A rate that is zero, or a coupling that is none, at the parameters as they stand need not be so elsewhere.
    let p: Vec<f64> = system
        .parameters
        .iter()
        .map(|p| if p.value == 0.0 { 1.0 } else { p.value })
        .collect();
    let is_angle = |i: usize| system.states[mode.states[i]].period.is_some();
    if basis > LARGEST_BASIS {
        // By its derivatives then.
        let rates = constant_rates(mode, &p);
        return (0..rates.len()).find(|&i| is_angle(i) && rates[i] != 0.0);
    }
    let p: Vec<Affine<f64>> = p.into_iter().map(Affine::constant).collect();
    let mut out = vec![Affine::constant(0.0); mode.states.len()];
    mode.field.affine(&x, &p, &mut out);
    (0..out.len()).find(|&i| is_angle(i) && out[i].is_constant() && out[i].constant != 0.0)
}

/// The place among a mode's states of the phase of a forcing, an angle that runs on at a constant rate whatever the
/// others do: where there is one, nothing is ever at rest.
pub fn forcing_phase(system: &System, mode: usize) -> Option<usize> {
    phase(system, &system.modes[mode])
}
