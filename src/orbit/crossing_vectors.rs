//! The two vectors at a crossing of families of cycles, with a rate and a shift along the flow each.

use crate::null_space::{Component, NullSpace};
use crate::periodic::PeriodicOrbit;
use slipstick_continuation::Point;
use slipstick_system::Closure;

/// Where the further parameters of the vectors are among so many unknowns: the rates, then the shifts. What unfolds
/// the crossing stands between them.
fn places(unknowns: usize) -> [[usize; 2]; 2] {
    let first = unknowns - 7;
    [[first, first + 1], [first + 3, first + 4]]
}

/// What unfolds the crossing.
pub(super) fn unfolding(z: &[f64]) -> f64 {
    z[z.len() - 5]
}

/// The conditions on the vectors for the points that follow the one with the unknowns `z`: over all nodes in the mean,
/// in sizes of states and of the parameter along which the rates are; none along other curves. Rates are about one
/// then, and shifts as large as they are for rates of one: Newton's tolerances count on that.
pub(super) fn null_space(orbit: &PeriodicOrbit<'_>, z: &[f64], closure: Closure) -> Option<NullSpace> {
    let Closure::Crossing { parameter } = closure else {
        return None;
    };
    let sizes = orbit.sizes_at(z);
    let free = orbit.free.iter().position(|&i| i == parameter)?;
    let unit = sizes[z.len() - orbit.free.len() + free];
    let count: usize = orbit.segments.iter().map(|s| s.nodes().count()).sum();
    let mean = (count as f64).sqrt() / unit;
    let (mut components, mut further) = (vec![], vec![]);
    for s in &orbit.segments {
        let n = s.n / 3;
        let nodes: Vec<usize> = s.nodes().collect();
        for at in std::iter::once(s.offset).chain(s.block().step_by(s.n)) {
            let counts = nodes.binary_search(&at).is_ok();
            for i in 0..n {
                let [first, second] = [at + n + i, at + 2 * n + i];
                if counts {
                    let size = mean * sizes[s.offset + i];
                    components.push(Component { first, second, size });
                } else {
                    further.push([first, second]);
                }
            }
        }
    }
    let [[first, second], shifts] = places(z.len());
    components.push(Component {
        first,
        second,
        size: 1.0,
    });
    further.push(shifts);
    Some(NullSpace::at(z, components, further))
}

/// Start the second vector with the rates of the orbits along the known family, if it is determined by its parameter.
pub(super) fn embed_second(orbit: &PeriodicOrbit<'_>, plain: &PeriodicOrbit<'_>, z: &mut [f64], at: &Point) {
    /// A family whose parameter changes less than this along its tangent is not determined by it.
    const STEEP: f64 = 1e-3;
    let [[_, rate], [_, shift]] = places(z.len());
    z[rate] = 1.0;
    let along = at.parameter_rate();
    if along.abs() < STEEP {
        return;
    }
    let tangent: Vec<f64> = at.tangent.iter().map(|t| t / along).collect();
    for (s, p) in orbit.segments.iter().zip(&plain.segments) {
        let second = |first: usize| first + 2 * p.n..first + 3 * p.n;
        z[second(s.offset)].copy_from_slice(&tangent[p.offset..p.offset + p.n]);
        let own = z[s.block()].chunks_exact_mut(s.n);
        for (to, from) in own.zip(tangent[p.block()].chunks_exact(p.n)) {
            to[2 * p.n..].copy_from_slice(from);
        }
    }
    if let (Some(s), Some(p)) = (orbit.segments.first(), plain.segments.first()) {
        // The relative rate of the period.
        z[shift] = tangent[p.offset + p.n] / z[s.offset + s.n];
    }
}
