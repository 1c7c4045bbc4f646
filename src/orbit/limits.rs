//! Where families end because the system does: a requirement on the parameters ceases to hold, or a function in the
//! equations stops being defined, along the whole orbit or next to one of its points.

use super::PeriodicOrbit;
use super::dense_output::DenseOutput;
use crate::segment::Segment;
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
    states_along(orbit, point).find_map(|along| {
        let mut near: Vec<usize> = vec![];
        for x in along.states() {
            near.extend(along.corners.edges_near(x, &p, &along.sizes, NEAR_ALONG));
        }
        along.first_reached(near, orbit, &p)
    })
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
    let segments = states_along(orbit, point);
    segments.filter(|along| along.corners.has_poles()).find_map(|along| {
        let mut largest = vec![0.0f64; along.corners.count()];
        let mut near: Vec<(usize, f64)> = vec![];
        for x in along.states() {
            for (k, size, part) in along.corners.denominators(x, &p, &along.sizes) {
                largest[k] = largest[k].max(size);
                if part <= OF_ITS_NUMBERS {
                    near.push((k, size));
                }
            }
        }
        near.retain(|(k, size)| *size <= OF_ITS_LARGEST * largest[*k]);
        along.first_reached(near.into_iter().map(|(k, _)| k).collect(), orbit, &p)
    })
}

/// A segment of which the equations are known by their text: its operations that are not smooth, and how large its
/// states are.
struct SegmentAlong<'o, 's> {
    segment: &'o Segment<'s>,
    z: &'o [f64],
    corners: &'o Corners,
    sizes: Vec<f64>,
}

impl<'o> SegmentAlong<'o, '_> {
    /// The states among its unknowns.
    fn states(&self) -> impl Iterator<Item = &'o [f64]> {
        let s = self.segment;
        let start = &self.z[s.offset..s.offset + s.n];
        std::iter::once(start).chain(self.z[s.block()].chunks_exact(s.n))
    }

    /// The first of these operations whose argument the segment takes to zero, in words.
    fn first_reached(&self, mut near: Vec<usize>, orbit: &PeriodicOrbit<'_>, p: &[f64]) -> Option<String> {
        near.sort_unstable();
        near.dedup();
        let reached = near
            .into_iter()
            .find(|&k| is_reached(&self.argument_over_time(k, orbit, p)))?;
        Some(self.corners.describe(reached))
    }

    /// The size of the argument of operation number `index` over time; empty where the segment cannot be followed.
    fn argument_over_time(&self, index: usize, orbit: &PeriodicOrbit<'_>, p: &[f64]) -> Vec<(f64, f64)> {
        /// Times in each interval of the mesh.
        const PARTS: usize = 6;
        let Ok(dense) = DenseOutput::new(orbit.system(), self.segment, self.z, p) else {
            return vec![];
        };
        let nodes = dense.nodes();
        let inside = |pair: &[f64]| {
            let (from, length) = (pair[0], pair[1] - pair[0]);
            (0..PARTS).map(move |i| from + length * i as f64 / PARTS as f64)
        };
        let times = nodes.windows(2).flat_map(inside).chain(nodes.last().copied());
        let mut x = vec![0.0; self.segment.n];
        times
            .map(|t| {
                dense.eval(t, &mut x);
                (t, self.corners.arguments(&x, p, &self.sizes)[index].0)
            })
            .collect()
    }
}

/// Does something that is small somewhere along a motion come to zero there, or does it only pass through many
/// decades, as a population does that recovers from little? What comes to zero at a finite speed, or like a power of
/// the time, spends ever less time in each decade; what decays and grows by itself spends as much in each of them.
fn is_reached(argument: &[(f64, f64)]) -> bool {
    /// What is within this factor of the least value, and within which other one at most.
    const NEAR: f64 = 10.0;
    const FAR: f64 = 1e4;
    /// The time spent grows at least like this power of the factor: halfway between what has a least value in
    /// logarithms (0.2) and a parabola (0.5).
    const POWER: f64 = 1.0 / 3.0;
    let values = || argument.iter().map(|(_, v)| *v);
    let (least, most) = values().fold((f64::INFINITY, 0.0f64), |(least, most), v| {
        (least.min(v.abs()), most.max(v.abs()))
    });
    let changes_sign = values().any(|v| v < 0.0) && values().any(|v| v > 0.0);
    let far = FAR.min(most / least);
    if !(least > 0.0) || !(far > NEAR * NEAR) || changes_sign {
        return true;
    }
    // The logarithm between two times is taken as linear.
    let time_within = |factor: f64| -> f64 {
        let level = (factor * least).ln();
        let pairs = argument.windows(2).map(|pair| {
            let (a, b) = (pair[0].1.abs().ln() - level, pair[1].1.abs().ln() - level);
            let part = match (a <= 0.0, b <= 0.0) {
                (true, true) => 1.0,
                (false, false) => 0.0,
                _ => a.min(b).abs() / (a - b).abs(),
            };
            part * (pair[1].0 - pair[0].0)
        });
        pairs.sum()
    };
    (time_within(far) / time_within(NEAR)).ln() >= POWER * (far / NEAR).ln()
}

/// The segments of which the equations are known by their text.
fn states_along<'o, 's>(orbit: &'o PeriodicOrbit<'s>, point: &'o Point) -> impl Iterator<Item = SegmentAlong<'o, 's>> {
    let sizes = orbit.sizes_at(&point.z);
    orbit.segments.iter().filter_map(move |segment| {
        Some(SegmentAlong {
            segment,
            z: &point.z,
            corners: orbit.system().modes[segment.mode].field.corners()?,
            sizes: sizes[segment.offset..segment.offset + segment.n].to_vec(),
        })
    })
}
