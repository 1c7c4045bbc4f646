//! By how much errors of the equations of an orbit are enlarged in its unknowns.

use crate::periodic::PeriodicOrbit;
use crate::segment::Segment;
use slipstick_continuation::Problem;

/// By how much errors with which segments join are enlarged in the unknowns, both relative to the sizes of the
/// states, at the last linearisation; none of orbits that are followed by flows, whose linearisations are dear.
pub(super) fn enlarged(orbit: &mut PeriodicOrbit<'_>, border: &[f64]) -> Option<f64> {
    if !orbit.segments.iter().all(Segment::on_mesh) {
        return None;
    }
    let mut sizes = vec![0.0; orbit.unknowns];
    orbit.sizes(&orbit.at, &mut sizes);
    let mut errors = vec![0.0; orbit.unknowns];
    let count = orbit.segments.len();
    let mut row = 0;
    for (i, s) in orbit.segments.iter().enumerate() {
        row += s.block().len() + 1;
        let next = &orbit.segments[(i + 1) % count];
        for (r, size) in sizes[next.offset..next.offset + next.n].iter().enumerate() {
            // Fixed vectors keep results reproducible.
            errors[row + r] = size * (1.0 + 0.5 * (1.7 * r as f64).sin());
        }
        row += next.n;
    }
    if orbit.solve(border, &mut errors).is_err() {
        return Some(f64::INFINITY);
    }
    let enlarged = errors.iter().zip(&sizes).map(|(v, size)| (v / size).abs());
    Some(enlarged.fold(0.0, f64::max))
}
