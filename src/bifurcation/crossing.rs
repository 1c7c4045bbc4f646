//! Branch points located from a little way off.
//!
//! Where two curves cross, Newton's matrix is singular: points next to the crossing are found with few digits or not at all. The test function and the
//! curve are smooth there, so the crossing is interpolated from points that keep a distance.

use super::locate::bracketed_root;
use crate::continuation::{Failure, Point};

/// The bracket is closed in to this fraction of the step, no further.
const DISTANCE: f64 = 1e-2;

/// A point of the curve: its arclength from the base, the test function there, and the point.
pub(super) type Sample = (f64, f64, Point);

/// The zero of a test function between `first` and `last`, with the point there; `None` where it jumps. `look` computes points in between; where it
/// fails, what is known is used.
pub(super) fn crossing(
    first: Sample,
    last: Sample,
    mut look: impl FnMut(f64) -> Result<(f64, Point), Failure>,
) -> Option<(f64, Point)> {
    let (h, largest) = (last.0, first.1.abs().max(last.1.abs()));
    let base = first.2.clone();
    let (ga, gb) = (first.1, last.1);
    let mut samples = vec![first, last];
    // A failure ends the search early; the samples so far remain.
    let _ = bracketed_root(0.0, ga, h, gb, DISTANCE * h, |s| {
        let (g, point) = look(s)?;
        samples.push((s, g, point));
        Ok::<f64, Failure>(g)
    });
    samples.sort_by(|a, b| a.0.total_cmp(&b.0));
    let k = samples.windows(2).position(|w| w[0].1 * w[1].1 <= 0.0)?;
    if samples[k].1.abs().min(samples[k + 1].1.abs()) > 0.2 * largest {
        return None;
    }
    let (left, right) = (&samples[k], &samples[k + 1]);
    let s = zero(&samples, k).filter(|s| (left.0..=right.0).contains(s));
    let s = s.unwrap_or_else(|| left.0 + (right.0 - left.0) * left.1 / (left.1 - right.1));
    Some((s, hermite(&base, left, right, s)?))
}

/// Inverse interpolation through the up to five samples next to the sign change between `k` and `k + 1`.
fn zero(samples: &[Sample], k: usize) -> Option<f64> {
    let centre = 0.5 * (samples[k].0 + samples[k + 1].0);
    let mut near: Vec<&Sample> = samples.iter().collect();
    near.sort_by(|a, b| (a.0 - centre).abs().total_cmp(&(b.0 - centre).abs()));
    near.truncate(5);
    let value: f64 = near
        .iter()
        .enumerate()
        .map(|(i, a)| {
            let others = near.iter().enumerate().filter(|(j, _)| *j != i);
            a.0 * others.map(|(_, b)| b.1 / (b.1 - a.1)).product::<f64>()
        })
        .sum();
    value.is_finite().then_some(value)
}

/// The cubic through two points with their tangents, at arclength `s` from `base`.
fn hermite(base: &Point, left: &Sample, right: &Sample, s: f64) -> Option<Point> {
    if left.2.z.len() != right.2.z.len() {
        return None;
    }
    let width = right.0 - left.0;
    let t = (s - left.0) / width;
    // Tangents as derivatives by the arclength along the base's tangent.
    let slope = |p: &Point| {
        let rate: f64 = base
            .tangent
            .iter()
            .zip(&p.tangent)
            .zip(&base.weights)
            .map(|((a, b), w)| a * b * w)
            .sum();
        width / rate
    };
    let (a, b) = (slope(&left.2), slope(&right.2));
    let mut point = left.2.clone();
    for i in 0..point.z.len() {
        let (x, y) = (left.2.z[i], right.2.z[i]);
        let (u, v) = (a * left.2.tangent[i], b * right.2.tangent[i]);
        point.z[i] = x + t * u + t * t * (3.0 * (y - x) - 2.0 * u - v) + t * t * t * (2.0 * (x - y) + u + v);
        point.tangent[i] = u + 2.0 * t * (3.0 * (y - x) - 2.0 * u - v) + 3.0 * t * t * (2.0 * (x - y) + u + v);
    }
    let squares = point.tangent.iter().zip(&point.weights).map(|(t, w)| t * t * w);
    let length = squares.sum::<f64>().sqrt();
    point.tangent.iter_mut().for_each(|t| *t /= length);
    length.is_finite().then_some(point)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The curve (s, sin s) with a test function that vanishes at s = 0.1234, computable only at a distance from there.
    #[test]
    fn a_crossing_is_found_without_going_near() {
        let point = |s: f64| Point {
            z: vec![s, s.sin()],
            tangent: vec![1.0, s.cos()],
            weights: vec![1.0, 0.0],
            meshes: None,
        };
        let g = |s: f64| (s - 0.1234) * (2.0 + s);
        let sample = |s: f64| (s, g(s), point(s));
        let found = crossing(sample(0.0), sample(0.3), |s| {
            if (s - 0.1234).abs() < 1e-4 {
                return Err(Failure::Evaluation("too near".into()));
            }
            Ok((g(s), point(s)))
        });
        let (s, at) = found.unwrap();
        assert!((s - 0.1234).abs() < 1e-7 && (at.z[1] - 0.1234f64.sin()).abs() < 1e-6);
        let jump = |s: f64| if s < 0.17 { -1.0 } else { 1.0 };
        let sample = |s: f64| (s, jump(s), point(s));
        assert!(crossing(sample(0.0), sample(0.3), |s| Ok((jump(s), point(s)))).is_none());
    }
}
