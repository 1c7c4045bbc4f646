//! Where families end because the system does: a requirement on the parameters ceases to hold, or a function in the
//! equations stops being defined.

use super::PeriodicOrbit;
use slipstick_continuation::{Point, Problem};

/// Along an orbit the argument of a function at the edge of its domain is known between the points of the mesh only so
/// well.
const NEAR_ALONG: f64 = 1e-3;

impl PeriodicOrbit<'_> {
    /// Where on the way of the parameter to a value a requirement ceases to hold, and which.
    pub(super) fn limit_towards(&self, point: &Point, end: f64) -> Option<(f64, String)> {
        let free = *self.free_parameters().last()?;
        let p = self.parameters_at(&point.z);
        let (name, value) = self.system().requirement_limit(&p, free, end)?;
        Some((value, name.to_owned()))
    }

    /// The edge of the domain of a function that the orbit touches, in words: of those whose equations are known by
    /// their text.
    pub(super) fn edge_touched(&self, point: &Point) -> Option<String> {
        let p = self.parameters_at(&point.z);
        let mut sizes = vec![0.0; point.z.len()];
        self.sizes(&point.z, &mut sizes);
        self.segments.iter().find_map(|s| {
            let corners = self.system().modes[s.mode].field.corners()?;
            let start = &point.z[s.offset..s.offset + s.n];
            let along = point.z[s.block()].chunks_exact(s.n);
            let sizes = &sizes[s.offset..s.offset + s.n];
            std::iter::once(start)
                .chain(along)
                .find_map(|x| corners.edge_near(x, &p, sizes, NEAR_ALONG))
        })
    }
}
