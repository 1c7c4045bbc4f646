//! How large states are at least that count along orbits that stick on their way.
//!
//! Where slip vanishes so does all that it excites, as the place of a mass that hardly leaves it, or the motion of
//! another one on a body that sticks. The forces that slip and stick are decided by stay as large as they are, and such
//! states are known to their rounding: what these forces would make of a state decides what is small.

use super::PeriodicOrbit;
use slipstick_system::{ModeKind, jacobian};
use std::collections::BTreeSet;
use std::f64::consts::TAU;

/// Does the motion stick on its way?
pub(super) fn sticks(orbit: &PeriodicOrbit<'_>) -> bool {
    let modes = &orbit.system.modes;
    orbit.segments.len() > 1 && orbit.segments.iter().any(|s| modes[s.mode].kind == ModeKind::Stick)
}

/// The least sizes along an orbit that sticks on its way, where states have been measured to be as large as these: a
/// small part of what all that drives a state would make of it in the time of a radian, if nothing cancelled.
pub(super) fn sizes_by_forces(orbit: &PeriodicOrbit<'_>, z: &[f64], measured: &[f64]) -> Vec<f64> {
    /// States above this part are as large as they are measured.
    const PART: f64 = 1e-3;
    let system = orbit.system;
    let is_straight = |state: usize| system.states[state].period.is_none();
    let (mut f, mut jac) = (vec![], vec![]);
    let mut rate = TAU / orbit.period(z).abs();
    // What drives a state: the sum of what does not depend on states, and of factors by which they do, in each mode.
    let mut drives: Vec<(usize, f64, Vec<(usize, f64)>)> = vec![];
    let mut seen = BTreeSet::new();
    for s in orbit.segments.iter().filter(|s| !s.on_mesh()) {
        if !seen.insert(s.mode) {
            continue;
        }
        let (mode, n, x) = (&system.modes[s.mode], s.n, &z[s.offset..s.offset + s.n]);
        f.clear();
        f.resize(n, 0.0);
        jac.clear();
        jac.resize(n * n, 0.0);
        jacobian(&*mode.field, x, &orbit.parameters, &[], &mut f, &mut jac, &mut []);
        for (i, row) in jac
            .chunks_exact(n)
            .enumerate()
            .filter(|(i, _)| is_straight(mode.states[*i]))
        {
            let straight = || row.iter().enumerate().filter(|(j, _)| is_straight(mode.states[*j]));
            for (j, a) in straight() {
                rate = rate.max((a * jac[j * n + i]).abs().sqrt());
            }
            let linear: f64 = straight().map(|(j, a)| a * x[j]).sum();
            let turned = row.iter().zip(&mode.states).filter(|(_, state)| !is_straight(**state));
            let alone = (f[i] - linear).abs() + turned.map(|(a, _)| a.abs()).sum::<f64>();
            let factors = straight().map(|(j, a)| (mode.states[j], a.abs())).collect();
            drives.push((mode.states[i], alone, factors));
        }
    }
    let mut reached = measured.to_vec();
    let mut least = vec![0.0f64; measured.len()];
    // Each round reaches those that are driven by what the round before has reached.
    for _ in 0..system.states.len() {
        for (state, alone, factors) in &drives {
            let driven = factors.iter().map(|(by, a)| a * reached[*by]).sum::<f64>();
            let size = (alone + driven) / rate;
            if size.is_finite() {
                least[*state] = least[*state].max(PART * size);
            }
        }
        for (reached, least) in reached.iter_mut().zip(&least) {
            *reached = reached.max(least / PART);
        }
    }
    least
}
