//! Special points where Newton's matrix is singular along the curve itself, as at crossings of two curves: found
//! between points on both sides.

use super::{InspectedCurve, Record};
use slipstick_continuation::{Failure, Point, StepOptions};
use slipstick_numerics::roots::bracketed_root;

/// Parts of the step at which points are asked for on both sides of the place.
const DISTANCES: [f64; 3] = [0.1, 0.02, 0.004];

/// A value below this part of those at the ends is next to zero.
const NEAR_ZERO: f64 = 1e-4;

/// Steps turn by less than this angle, in radians: a point with another tangent is on another curve.
pub(super) const MOST_TURN: f64 = 0.4;
const _: () = assert!(StepOptions::MOST_TURN < MOST_TURN);

/// The point where `value` vanishes between `base` (at arclength 0) and `next` (at `h`), on the cubic through converged
/// points on both sides and their tangents: accurate to the fourth power of their distance, a small part of the step.
/// `ga` and `gb` are the values at the ends. None where those points are on two curves, if there are `doubts`: the step
/// has gone from one to the other.
///
/// # Errors
/// [`Failure`] when something cannot be evaluated next to it.
pub(super) fn interpolated_root(
    curve: &mut InspectedCurve<'_>,
    (base, ga): (&Point, f64),
    (next, gb): (&Point, f64),
    h: f64,
    doubts: bool,
    value: &dyn Fn(&Point, &Record) -> f64,
) -> Result<Option<(f64, Point, Record)>, Failure> {
    let mut record = Record::default();
    let mut left = (0.0, base.clone(), ga);
    let mut right = (h, next.clone(), gb);
    for distance in DISTANCES {
        let middle = left.0 + left.2 / (left.2 - right.2) * (right.0 - left.0);
        for s in [middle - distance * h, middle + distance * h] {
            if s <= left.0 || s >= right.0 {
                continue;
            }
            let Ok(at) = curve.between(base, s) else { continue };
            if curve.problem().inspect(&at, &mut record).is_err() {
                continue;
            }
            // Newton may have gone over to the other curve.
            if base.turn_to(&at) > MOST_TURN {
                continue;
            }
            let g = value(&at, &record);
            if g * ga > 0.0 {
                left = (s, at, g);
            } else if g * gb > 0.0 {
                right = (s, at, g);
            }
        }
    }
    if doubts && !on_one_curve(base, (left.0, &left.1), (right.0, &right.1)) {
        return Ok(None);
    }
    let cubic = Cubic::new(base, (left.0, &left.1), (right.0, &right.1));
    let mut residual = vec![0.0; base.z.len() - 1];
    let mut look = |s: f64| {
        let at = cubic.point(s);
        curve.problem().linearise(&at.z, &mut residual)?;
        curve.problem().inspect(&at, &mut record)?;
        Ok::<_, Failure>((at, record.clone()))
    };
    // Where the rate at an event is zero the equations have no values: the nearest point that has them is taken then.
    let mut nearest: Option<(f64, f64, Point, Record)> = None;
    let found = bracketed_root(left.0, left.2, right.0, right.2, 1e-15 * h, |s| {
        let (at, record) = look(s)?;
        let g = value(&at, &record);
        if nearest.as_ref().is_none_or(|known| g.abs() <= known.1.abs()) {
            nearest = Some((s, g, at, record));
        }
        Ok(g)
    });
    let there = found.and_then(|s| look(s).map(|(at, record)| (s, at, record)));
    match (there, nearest) {
        (Err(_), Some((s, g, at, record))) if g.abs() <= NEAR_ZERO * ga.abs().max(gb.abs()) => {
            Ok(Some((s, at, record)))
        }
        (there, _) => there.map(Some),
    }
}

/// Do two points near each other, at their arclengths from a base point, lie on one curve? Then the chord is the mean
/// of their tangents.
fn on_one_curve(base: &Point, (a, left): (f64, &Point), (b, right): (f64, &Point)) -> bool {
    /// The chord is off by less than this part of its length, plus the turn between the tangents, and by more than
    /// errors of the points, as sizes.
    const PART: f64 = 0.05;
    const ERROR: f64 = 1e-8;
    let cubic = Cubic::new(base, (a, left), (b, right));
    let width = b - a;
    let slopes = left.tangent.iter().zip(&right.tangent);
    let off = left.z.iter().zip(&right.z).zip(slopes).zip(&base.weights);
    let off = off.map(|(((x, y), (s, t)), w)| {
        let d = y - x - 0.5 * width * (cubic.factors[0] * s + cubic.factors[1] * t);
        d * d * w
    });
    off.sum::<f64>().sqrt() <= (PART + left.turn_to(right)) * width.abs() + ERROR
}

/// The cubic with given points and tangents at its ends, over arclength along the tangent of a base point.
struct Cubic<'a> {
    ends: [(f64, &'a Point); 2],
    /// What turns each unit tangent into a rate of arclength.
    factors: [f64; 2],
}

impl<'a> Cubic<'a> {
    fn new(base: &Point, left: (f64, &'a Point), right: (f64, &'a Point)) -> Self {
        let factor = |p: &Point| {
            let along = base.tangent.iter().zip(&p.tangent).zip(&base.weights);
            1.0 / along.map(|((a, b), w)| a * b * w).sum::<f64>()
        };
        Self {
            factors: [factor(left.1), factor(right.1)],
            ends: [left, right],
        }
    }

    fn point(&self, s: f64) -> Point {
        let [(a, left), (b, right)] = self.ends;
        let width = b - a;
        let t = (s - a) / width;
        let u = 1.0 - t;
        let values = [
            u * u * (1.0 + 2.0 * t),
            t * u * u * width,
            t * t * (3.0 - 2.0 * t),
            -t * t * u * width,
        ];
        let rates = [
            -6.0 * t * u / width,
            u * (1.0 - 3.0 * t),
            6.0 * t * u / width,
            t * (3.0 * t - 2.0),
        ];
        let blend = |c: [f64; 4]| -> Vec<f64> {
            (0..left.z.len())
                .map(|i| {
                    c[0] * left.z[i]
                        + c[1] * self.factors[0] * left.tangent[i]
                        + c[2] * right.z[i]
                        + c[3] * self.factors[1] * right.tangent[i]
                })
                .collect()
        };
        let mut tangent = blend(rates);
        let length = tangent
            .iter()
            .zip(&left.weights)
            .map(|(t, w)| t * t * w)
            .sum::<f64>()
            .sqrt();
        tangent.iter_mut().for_each(|t| *t /= length);
        Point {
            z: blend(values),
            tangent,
            weights: left.weights.clone(),
            meshes: left.meshes.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_is_told_by_its_ends_and_their_tangents() {
        let exact = |s: f64| [s * s * s - 2.0 * s, 1.0 + s];
        let on = |s: f64| {
            let rate = [3.0 * s * s - 2.0, 1.0];
            let length = rate[0].hypot(rate[1]);
            Point {
                z: exact(s).to_vec(),
                tangent: rate.map(|r| r / length).to_vec(),
                weights: vec![1.0, 1.0],
                meshes: None,
            }
        };
        // Arclength counted along the second coordinate.
        let base = Point {
            tangent: vec![0.0, 1.0],
            ..on(0.0)
        };
        let (left, right) = (on(0.3), on(0.9));
        let cubic = Cubic::new(&base, (0.3, &left), (0.9, &right));
        for s in [0.3, 0.41, 0.7, 0.9] {
            let at = cubic.point(s);
            for (found, wanted) in at.z.iter().zip(exact(s)) {
                assert!((found - wanted).abs() < 1e-15);
            }
            assert!((at.tangent[0] / at.tangent[1] - (3.0 * s * s - 2.0)).abs() < 1e-13);
        }
    }
}
