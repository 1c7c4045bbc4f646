//! Where families end because the system does: a requirement on the parameters ceases to hold, or a function in the
//! equations stops being defined, along the whole orbit or next to one of its points.

use super::PeriodicOrbit;
use slipstick_continuation::{Point, Problem};
use slipstick_system::System;
use slipstick_system::text::Corners;

/// Along an orbit the argument of a function at the edge of its domain is known between the points of the mesh only so
/// well.
const NEAR_ALONG: f64 = 1e-3;

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
    let p = orbit.parameters_at(&point.z);
    states_along(orbit, point)
        .find_map(|(corners, mut states, sizes)| states.find_map(|x| corners.edge_near(x, &p, &sizes, NEAR_ALONG)))
}

/// The zero of a denominator that the orbit comes to, in words. Nothing is said of a point on other meshes than those
/// that the orbit is on.
pub(super) fn pole_touched(orbit: &PeriodicOrbit<'_>, point: &Point) -> Option<String> {
    /// A denominator below this part of the numbers that it is made of, and this part of its largest value along the
    /// orbit, is next to its zero: a motion passes there in so short a time that its perturbations cannot be followed.
    const OF_ITS_NUMBERS: f64 = 3e-7;
    const OF_ITS_LARGEST: f64 = 1e-6;
    if orbit.meshes() != point.meshes {
        return None;
    }
    let p = orbit.parameters_at(&point.z);
    states_along(orbit, point)
        .filter(|(corners, _, _)| corners.has_poles())
        .find_map(|(corners, states, sizes)| {
            let mut largest = vec![0.0f64; corners.count()];
            let mut near: Vec<(usize, f64)> = vec![];
            for x in states {
                for (k, size, part) in corners.denominators(x, &p, &sizes) {
                    largest[k] = largest[k].max(size);
                    if part <= OF_ITS_NUMBERS {
                        near.push((k, size));
                    }
                }
            }
            let pole = near.iter().find(|(k, size)| *size <= OF_ITS_LARGEST * largest[*k])?;
            Some(corners.describe(pole.0))
        })
}

/// For each segment of which the equations are known by their text: its operations that are not smooth, the states
/// among its unknowns, and their sizes.
fn states_along<'o>(
    orbit: &'o PeriodicOrbit<'_>,
    point: &'o Point,
) -> impl Iterator<Item = (&'o Corners, impl Iterator<Item = &'o [f64]>, Vec<f64>)> {
    let sizes = orbit.sizes_at(&point.z);
    orbit.segments.iter().filter_map(move |s| {
        let corners = orbit.system().modes[s.mode].field.corners()?;
        let start = &point.z[s.offset..s.offset + s.n];
        let along = point.z[s.block()].chunks_exact(s.n);
        let own = sizes[s.offset..s.offset + s.n].to_vec();
        Some((corners, std::iter::once(start).chain(along), own))
    })
}
