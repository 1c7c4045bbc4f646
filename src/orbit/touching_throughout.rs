//! Orbits that touch a surface along their whole length, as a circle about the axis of a round wall: there is no point
//! at which they graze it, and beyond they are in another mode all along.

use crate::clearance::Clearance;
use crate::dense_output::DenseOutput;
use crate::derivatives::derivatives;
use crate::periodic::PeriodicOrbit;

/// Does the orbit at `z`, one segment without an end, touch this surface all along if it touches it anywhere?
pub(crate) fn touches_throughout(orbit: &PeriodicOrbit<'_>, z: &[f64], surface: &Clearance) -> bool {
    /// Distances that differ by this part of what they are made of are alike: orbits are solved to less.
    const ALIKE: f64 = 1e-7;
    let [segment] = &orbit.segments[..] else { return false };
    if segment.guard.is_some() {
        return false;
    }
    let (guard, p) = (surface.function.as_ref(), &orbit.parameters);
    let start = orbit.start(z, 0);
    let (_, slopes, _) = derivatives(guard, start, p, &[]);
    let size: f64 = slopes.iter().zip(start).map(|(slope, x)| (slope * x).abs()).sum();
    let dense = DenseOutput::new(orbit.system, segment, z, p);
    let extremes = dense.and_then(|dense| dense.extrema(guard, p));
    extremes.is_ok_and(|(least, most)| most - least <= ALIKE * size)
}
