//! Shooting intervals that begin where a state has nearly died out: it grows again from what is left of it, which is
//! lost beside the size that it has along the orbit.

use super::PeriodicOrbit;
use crate::dense_output::DenseOutput;
use slipstick_flow::FlowKind;
use slipstick_numerics::number::rounded;
use slipstick_system::keep_sign;

/// What is smaller than this part of its size along the orbit has few digits in the unknowns, or none.
const RESOLVED: f64 = 1e-8;
/// In so many places a segment is looked at.
const PLACES: usize = 64;

/// The state, if there is one, that keeps its sign and is so small where a segment begins, beside what it is on the
/// way, that an integration from there follows rounding; in words.
pub(super) fn lost_in_rounding(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> Option<String> {
    let p = orbit.parameters_at(z);
    let integrated = |k: &usize| {
        let s = &orbit.segments[*k];
        let keeps = || keep_sign(orbit.system.modes[s.mode].field.as_ref(), orbit.start(z, *k), &p);
        !s.on_mesh() && s.flow.kind(&p) == FlowKind::Integrated && keeps().contains(&true)
    };
    if !(0..orbit.segments.len()).any(|k| integrated(&k)) {
        return None;
    }
    let mut largest = vec![0.0f64; orbit.system.states.len()];
    for (k, s) in orbit.segments.iter().enumerate() {
        let dense = DenseOutput::new(orbit.system, s, z, &p).ok()?;
        let mut x = vec![0.0; s.n];
        for place in 0..=PLACES {
            dense.eval(orbit.duration(z, k) * place as f64 / PLACES as f64, &mut x);
            for (x, &state) in x.iter().zip(&orbit.system.modes[s.mode].states) {
                largest[state] = largest[state].max(x.abs());
            }
        }
    }
    (0..orbit.segments.len()).filter(integrated).find_map(|k| {
        let (s, start) = (&orbit.segments[k], orbit.start(z, k));
        let mode = &orbit.system.modes[s.mode];
        let keeps = keep_sign(mode.field.as_ref(), start, &p);
        let least = |i: usize| RESOLVED * largest[mode.states[i]];
        let i = (0..s.n).find(|&i| keeps[i] && start[i] != 0.0 && start[i].abs() < least(i))?;
        let (name, unit) = (&orbit.system.states[mode.states[i]].name, orbit.system.units.state(mode.states[i]));
        Some(format!(
            "`{name}` is {} where segment {} (`{}`) begins, and up to {} along the orbit: an integration from there follows rounding; \
             `method: Collocation()` follows it on a mesh, or write the equations for its logarithm",
            rounded(start[i] * unit, 3),
            k + 1,
            mode.name,
            rounded(largest[mode.states[i]] * unit, 3),
        ))
    })
}
