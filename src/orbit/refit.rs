//! Meshes that follow the solution along a curve.

use crate::periodic::PeriodicOrbit;
use crate::segment::Segment;
use crate::segment::mesh::FINEST;
use crate::segment::scheme::Transfer;

/// By so much the error may exceed the tolerance on the mesh of the point before.
const SLACK: f64 = 30.0;

/// The estimated error of the states along meshed segments, relative to the size of each state.
pub(crate) fn mesh_error(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> f64 {
    let sizes = orbit.sizes_at(z);
    let of_segment = |s: &Segment<'_>| {
        let own = s.offset..s.offset + s.n;
        Some(s.profile()?.error(&z[own.clone()], &z[s.block()], &sizes[own]))
    };
    orbit.segments.iter().filter_map(of_segment).fold(0.0, f64::max)
}

/// The smallest error asked of a mesh, if there are any.
pub fn mesh_tolerance(orbit: &PeriodicOrbit<'_>) -> Option<f64> {
    let profiles = orbit.segments.iter().filter_map(Segment::profile);
    profiles.map(|p| p.tolerance()).reduce(f64::min)
}

/// Is the estimated error within reach of the tolerance on all meshes that may still be refined?
pub(crate) fn meshes_fit(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> bool {
    let profiles = orbit.segments.iter().filter_map(Segment::profile);
    let tolerance = profiles
        .filter(|p| p.may_be_refined())
        .map(|p| p.tolerance().max(FINEST))
        .fold(f64::INFINITY, f64::min);
    tolerance == f64::INFINITY || mesh_error(orbit, z) <= SLACK * tolerance
}

/// Fit the meshes to the solution at `z` where its error estimates ask for it; it and its companions are carried over.
pub(crate) fn adapt_meshes(orbit: &mut PeriodicOrbit<'_>, z: &mut Vec<f64>, companions: &mut [&mut Vec<f64>]) -> bool {
    let sizes = orbit.sizes_at(z);
    let wanted = |s: &Segment<'_>| {
        let own = s.offset..s.offset + s.n;
        s.scheme.refitted(&z[own.clone()], &z[s.block()], &sizes[own])
    };
    let fresh: Vec<Option<Vec<f64>>> = orbit.segments.iter().map(wanted).collect();
    if fresh.iter().all(Option::is_none) {
        return false;
    }
    let transfers: Vec<Option<Transfer<'_>>> = orbit
        .segments
        .iter()
        .zip(&fresh)
        .map(|(s, fresh)| Some(s.profile()?.transfer(fresh.as_ref()?)))
        .collect();
    let transferred_vector = |v: &[f64]| {
        let mut out = Vec::with_capacity(v.len());
        for (s, transfer) in orbit.segments.iter().zip(&transfers) {
            let (start, block) = (&v[s.offset..s.offset + s.n], &v[s.block()]);
            out.extend_from_slice(&v[s.offset..=s.offset + s.n]);
            match transfer {
                Some(transfer) => out.extend(transfer(start, block)),
                None => out.extend_from_slice(block),
            }
        }
        out.extend_from_slice(&v[v.len() - orbit.free.len()..]);
        out
    };
    let transferred: Vec<Vec<f64>> = companions.iter().map(|v| transferred_vector(v)).collect();
    *z = transferred_vector(z);
    drop(transfers);
    for (v, transferred) in companions.iter_mut().zip(transferred) {
        **v = transferred;
    }
    for (s, fresh) in orbit.segments.iter_mut().zip(fresh) {
        if let (Some(profile), Some(nodes)) = (s.scheme.profile_mut(), fresh) {
            profile.set_mesh(&nodes);
        }
    }
    orbit.lay_out();
    true
}
