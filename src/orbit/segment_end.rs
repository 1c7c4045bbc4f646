//! Where segments end.

use crate::clearance::Clearance;
use crate::periodic::PeriodicOrbit;
use crate::perturbation::evaluation;
use slipstick_continuation::Failure;
use slipstick_flow::ON_SURFACE;

/// A segment that lasts no longer, in measured units, lasts no time.
pub(crate) const INSTANT: f64 = 1e-9;

/// Does segment `k` end on the surface, by its own event, or since that of the next segment happens in the same
/// instant?
pub(crate) fn ends_on(orbit: &PeriodicOrbit<'_>, z: &[f64], k: usize, surface: &Clearance) -> bool {
    let next = (k + 1) % orbit.segments.len();
    if surface.ends_here || next == k || orbit.duration(z, next).abs() > INSTANT {
        return surface.ends_here;
    }
    let mut value = [0.0];
    surface
        .function
        .value(&orbit.segments[k].transition.x, &orbit.parameters, &mut value);
    value[0].abs() <= ON_SURFACE
}

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
