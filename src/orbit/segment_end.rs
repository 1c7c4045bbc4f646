//! Where segments end.

use crate::clearance::Clearance;
use crate::derivatives::derivatives;
use crate::periodic::PeriodicOrbit;
use crate::perturbation::evaluation;
use slipstick_continuation::Failure;
use slipstick_flow::ON_SURFACE;
use slipstick_numerics::linalg::dot;

/// A segment that lasts no longer, in measured units, lasts no time.
pub(crate) const INSTANT: f64 = 1e-9;

/// Does segment `k` end on the surface, by its own event, or since that of the next segment happens in the same
/// instant?
pub(crate) fn ends_on(orbit: &PeriodicOrbit<'_>, z: &[f64], k: usize, surface: &Clearance) -> bool {
    if surface.ends_here || is_that_of_the_end(orbit, z, k, surface) {
        return true;
    }
    let next = (k + 1) % orbit.segments.len();
    if next == k || orbit.duration(z, next).abs() > INSTANT {
        return false;
    }
    let mut value = [0.0];
    surface
        .function
        .value(&orbit.segments[k].transition.x, &orbit.parameters, &mut value);
    value[0].abs() <= on_surface(orbit, z, k, surface, &orbit.segments[k].transition.x)
}

/// Is it the surface of the event that ends segment `k`, written otherwise: as an inequality of the mode, or as the
/// guard of another event? Both functions vanish at the end then, and their slopes there have one direction.
fn is_that_of_the_end(orbit: &PeriodicOrbit<'_>, z: &[f64], k: usize, surface: &Clearance) -> bool {
    /// What rounding leaves of the angle between the slopes, and of slopes that are zero.
    const ANGLE: f64 = 1e-9;
    const ROUNDING: f64 = 1e-14;
    let s = &orbit.segments[k];
    if s.guard.is_none() || s.ends_on_jump.is_some() {
        return false;
    }
    let end = &s.transition.x;
    let (value, slopes, _) = derivatives(surface.function.as_ref(), end, &orbit.parameters, &[]);
    // Both are to be negative beyond the end.
    let inwards = -s.direction * surface.sign * dot(&slopes, &s.guard_dx);
    if !(inwards > 0.0 && value.abs() <= on_surface(orbit, z, k, surface, end)) {
        return false;
    }
    let largest = |v: &[f64]| v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let nothing = ROUNDING * largest(&slopes) * largest(&s.guard_dx);
    // Whatever the units of the states.
    let alike = |i: usize, j: usize| {
        let (a, b) = (slopes[i] * s.guard_dx[j], slopes[j] * s.guard_dx[i]);
        (a - b).abs() <= ANGLE * (a.abs() + b.abs()) + nothing
    };
    (0..slopes.len()).all(|i| (0..i).all(|j| alike(i, j)))
}

/// How far from zero the function of a surface may be, at a place of segment `k`, that lies on it: orbits are solved to
/// about this accuracy, and no better than rounding makes of their states and times where they are large or fast.
pub(crate) fn on_surface(orbit: &PeriodicOrbit<'_>, z: &[f64], k: usize, surface: &Clearance, x: &[f64]) -> f64 {
    /// What elimination leaves of states, and of what they do in a lap.
    const ROUNDING: f64 = 1e-13;
    let (_, slopes, _) = derivatives(surface.function.as_ref(), x, &orbit.parameters, &[]);
    let mut speed = vec![0.0; x.len()];
    let mode = &orbit.system.modes[orbit.word.letters[k].mode];
    mode.field.value(x, &orbit.parameters, &mut speed);
    let sizes = slopes.iter().zip(x).map(|(slope, x)| (slope * x).abs());
    let rounding = ROUNDING * (sizes.sum::<f64>() + dot(&slopes, &speed).abs() * orbit.lap(z));
    ON_SURFACE.max(rounding)
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
