//! Where segments end.

use crate::periodic::PeriodicOrbit;
use crate::perturbation::evaluation;
use slipstick_continuation::Failure;

/// The state in which segment `k` ends.
pub(crate) fn end_state(orbit: &PeriodicOrbit<'_>, z: &[f64], k: usize, end: &mut [f64]) -> Result<(), Failure> {
    let s = &orbit.segments[k];
    let start = orbit.start(z, k);
    match s.profile() {
        Some(profile) => end.copy_from_slice(profile.node(start, &z[s.block()], profile.intervals())),
        None => s
            .flow
            .advance(start, orbit.duration(z, k), &orbit.parameters, end)
            .map_err(evaluation)?,
    }
    Ok(())
}
