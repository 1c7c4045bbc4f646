//! The curve next to places where Newton's method tells little of it.
//!
//! Where two curves cross, and all the more between two crossings next to each other, points of them lie nearer to each
//! other than what rounding leaves of Newton's iteration. The curve itself is smooth there: it is interpolated from
//! points on both sides, far enough from the place for their digits, by Hermite's polynomial of degree eleven.

use super::InspectedCurve;
use slipstick_continuation::{Point, hermite_rates, hermite_weights};

/// The nodes on either side, in parts of the reach.
const NODES: [f64; 3] = [0.4, 0.7, 1.0];
/// The reaches that are tried one after the other, in scaled arclength.
const REACHES: [f64; 5] = [1.0, 0.5, 0.25, 0.12, 0.06];
/// The curve turns by about this angle at most within the reach, in radians, and by no more than the second at a node.
const BEND: f64 = 0.2;
const MOST_BEND: f64 = 0.6;
/// What the polynomial through the four inner nodes may be off by, as sizes. Where the curve is analytic that is x⁴ for
/// some x, and the one through all six is off by about x⁶. Below the first nothing better is looked for; above the
/// second the nodes are not on one curve.
const FINE: f64 = 1e-10;
const COARSE: f64 = 1e-7;
/// Places within this part of the reach from the middle are located well.
const INNER: f64 = 0.4;

/// A polynomial that follows a curve, over arclength along the tangent of the point where it has its origin.
#[derive(Clone, Debug)]
pub(super) struct Track {
    origin: Point,
    middle: f64,
    reach: f64,
    arclengths: Vec<f64>,
    nodes: Vec<Point>,
    /// By how much polynomials of two degrees differ, as sizes.
    pub(super) error: f64,
}

impl Track {
    /// The curve around arclength `place` from `base`, in a step to `next`; none where points on both sides do not lie
    /// on one smooth curve.
    pub(super) fn around(curve: &mut InspectedCurve<'_>, (base, next): (&Point, &Point), place: f64) -> Option<Self> {
        let bend = base.turn_to(next) / base.arclength_to(next).abs();
        let most = if bend > 0.0 { BEND / bend } else { f64::INFINITY };
        let mut best: Option<Self> = None;
        for (i, reach) in REACHES.iter().enumerate() {
            if *reach > most && i + 1 < REACHES.len() {
                continue;
            }
            let Some(track) = Self::through(curve, (base, next), place, reach.min(most)) else {
                continue;
            };
            if best.as_ref().is_none_or(|b| track.error < b.error) {
                best = Some(track);
            }
            if best.as_ref().is_some_and(|b| b.error <= FINE) {
                break;
            }
        }
        best.filter(|track| track.error <= COARSE)
    }

    fn through(
        curve: &mut InspectedCurve<'_>,
        (base, next): (&Point, &Point),
        middle: f64,
        reach: f64,
    ) -> Option<Self> {
        let mut track = Self {
            origin: base.clone(),
            middle,
            reach,
            arclengths: vec![],
            nodes: vec![],
            error: f64::INFINITY,
        };
        for part in NODES {
            for s in [middle + part * reach, middle - part * reach] {
                let guess = match track.nodes.len() {
                    0 | 1 => base.cubic(next, s),
                    _ => track.values(s),
                };
                let at = curve.onto(base, s, guess).ok()?;
                if !(base.turn_to(&at) <= MOST_BEND) {
                    return None;
                }
                track.arclengths.push(s);
                track.nodes.push(at);
            }
        }
        let inner = Self {
            arclengths: track.arclengths[..4].to_vec(),
            nodes: track.nodes[..4].to_vec(),
            ..track.clone()
        };
        let places = [-0.5, 0.0, 0.5].map(|part| middle + part * INNER * reach);
        let off = places.map(|s| distance(&track.values(s), &inner.values(s), &base.weights));
        track.error = off.into_iter().fold(0.0, f64::max);
        track.error.is_finite().then_some(track)
    }

    /// Is a place located well?
    pub(super) fn reaches(&self, s: f64) -> bool {
        (s - self.middle).abs() <= INNER * self.reach
    }

    /// Where it begins and ends.
    pub(super) fn ends(&self) -> (f64, f64) {
        (self.middle - self.reach, self.middle + self.reach)
    }

    /// How far it reaches on either side.
    pub(super) fn reach(&self) -> f64 {
        self.reach
    }

    /// The points next to the middle that it goes through, on both sides.
    pub(super) fn inner(&self) -> [&Point; 2] {
        [&self.nodes[1], &self.nodes[0]]
    }

    /// The unknowns at arclength `s`.
    fn values(&self, s: f64) -> Vec<f64> {
        let (values, slopes) = hermite_weights(&self.arclengths, s);
        let mut z = self.origin.z.clone();
        for ((point, value), slope) in self.nodes.iter().zip(values).zip(slopes) {
            let slope = slope * self.rate(point);
            for ((z, from), (at, t)) in z.iter_mut().zip(&self.origin.z).zip(point.z.iter().zip(&point.tangent)) {
                *z += value * (at - from) + slope * t;
            }
        }
        z
    }

    /// What turns the unit tangent of a node into a rate of arclength along the tangent of the origin.
    fn rate(&self, node: &Point) -> f64 {
        let along = self.origin.tangent.iter().zip(&node.tangent).zip(&self.origin.weights);
        1.0 / along.map(|((a, b), w)| a * b * w).sum::<f64>()
    }

    /// The point at arclength `s`, with its tangent.
    pub(super) fn point(&self, s: f64) -> Point {
        let (values, slopes) = hermite_rates(&self.arclengths, s);
        let mut tangent = vec![0.0; self.origin.z.len()];
        for ((point, value), slope) in self.nodes.iter().zip(values).zip(slopes) {
            let slope = slope * self.rate(point);
            for ((t, from), (at, s)) in tangent
                .iter_mut()
                .zip(&self.origin.z)
                .zip(point.z.iter().zip(&point.tangent))
            {
                *t += value * (at - from) + slope * s;
            }
        }
        let weights = self.nodes[0].weights.clone();
        let length = tangent.iter().zip(&weights).map(|(t, w)| t * t * w).sum::<f64>().sqrt();
        tangent.iter_mut().for_each(|t| *t /= length);
        Point {
            z: self.values(s),
            tangent,
            weights,
            meshes: self.origin.meshes.clone(),
        }
    }

    /// How far a point lies off, in the metric of the origin; none of one beyond the reach.
    pub(super) fn passes(&self, point: &Point) -> Option<f64> {
        let s = self.origin.arclength_to(point);
        let within = (s - self.middle).abs() <= self.reach;
        within.then(|| distance(&self.values(s), &point.z, &self.origin.weights))
    }
}

fn distance(a: &[f64], b: &[f64], weights: &[f64]) -> f64 {
    let squares = a.iter().zip(b).zip(weights).map(|((a, b), w)| (a - b) * (a - b) * w);
    squares.sum::<f64>().sqrt()
}
