//! Where families end because the system does: a requirement on the parameters ceases to hold, or a function in the
//! equations stops being defined, along the whole orbit or next to one of its points.

use super::PeriodicOrbit;
use slipstick_continuation::Point;
use slipstick_system::System;
use slipstick_system::text::Corners;

/// Along an orbit the argument of a function at the edge of its domain is known between the points of the mesh only so
/// well.
const NEAR_ALONG: f64 = 1e-3;

/// A denominator below this part of the numbers that it is made of is next to its zero: a motion passes there in so
/// short a time that its perturbations cannot be followed.
const NEAR_POLE: f64 = 3e-7;

/// Where on the way of the parameter to a value a requirement ceases to hold, and which.
pub(super) fn limit_towards(orbit: &PeriodicOrbit<'_>, point: &Point, end: f64) -> Option<(f64, String)> {
    let free = *orbit.free_parameters().last()?;
    let p = orbit.parameters_at(&point.z);
    let (name, value) = orbit.system().requirement_limit(&p, free, end)?;
    Some((value, name.to_owned()))
}

/// Along the tangent of a point of a curve in two parameters, which are the last of its unknowns, not further than
/// `reach`: all parameters where a requirement last holds, and which.
pub(super) fn limit_ahead(
    system: &System,
    (p, free): (&[f64], &[usize]),
    tangent: &[f64],
    reach: f64,
) -> Option<(Vec<f64>, String)> {
    let rates = &tangent[tangent.len() - free.len()..];
    let changes: Vec<(usize, f64)> = free.iter().zip(rates).map(|(&i, rate)| (i, reach * rate)).collect();
    let (name, at) = system.requirement_limit_along(p, &changes)?;
    Some((at, name.to_owned()))
}

/// The edge of the domain of a function that the orbit touches, in words: of those whose equations are known by
/// their text.
pub(super) fn edge_touched(orbit: &PeriodicOrbit<'_>, point: &Point) -> Option<String> {
    found_along(
        orbit,
        point,
        |_| true,
        |corners, x, p, sizes| corners.edge_near(x, p, sizes, NEAR_ALONG),
    )
}

/// The zero of a denominator that the orbit comes to, in words.
pub(super) fn pole_touched(orbit: &PeriodicOrbit<'_>, point: &Point) -> Option<String> {
    found_along(orbit, point, Corners::has_poles, |corners, x, p, sizes| {
        corners.pole_near(x, p, sizes, NEAR_POLE)
    })
}

/// What is found first at the states among the unknowns of an orbit, in the segments that it is asked of.
fn found_along(
    orbit: &PeriodicOrbit<'_>,
    point: &Point,
    asked: impl Fn(&Corners) -> bool,
    find: impl Fn(&Corners, &[f64], &[f64], &[f64]) -> Option<String>,
) -> Option<String> {
    let p = orbit.parameters_at(&point.z);
    let sizes = orbit.sizes_at(&point.z);
    orbit.segments.iter().find_map(|s| {
        let corners = orbit.system().modes[s.mode].field.corners().filter(|c| asked(c))?;
        let start = &point.z[s.offset..s.offset + s.n];
        let along = point.z[s.block()].chunks_exact(s.n);
        let sizes = &sizes[s.offset..s.offset + s.n];
        std::iter::once(start)
            .chain(along)
            .find_map(|x| find(corners, x, &p, sizes))
    })
}
