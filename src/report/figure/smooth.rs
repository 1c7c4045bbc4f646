//! Curves between their points: monotone cubic pieces over the length of the chords, which pass through every point,
//! leave no box of two neighbours, and keep corners and ends as they are.

use super::geometry::{Point, distance};

/// Chords shorter than this, in axis lengths, are as good as the curve.
const SHORT: f64 = 0.012;
/// Points of the curve are about so far apart, and no more than so many stand between two neighbours.
const STEP: f64 = 0.006;
const MOST: usize = 32;
/// A turn of more than this, and of so many times what its neighbours turn, is a corner.
const SHARP: f64 = 0.45;
const SHARPER: f64 = 2.5;
/// Intervals longer than this many times the next ones are not bridged by a bend: nothing is known of what is between.
const LONELY: f64 = 0.35;

/// What a vertex of a curve is known to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vertex {
    /// Nothing is known: a sharp turn is a corner.
    Any,
    /// The curve is smooth there.
    Smooth,
    /// The curve has a corner there.
    Corner,
}

/// The points to be drawn between each point and the next.
pub(super) fn between(points: &[Point], vertex: impl Fn(usize) -> Vertex) -> Vec<Vec<Point>> {
    if points.len() < 3 {
        return vec![vec![]; points.len().saturating_sub(1)];
    }
    let chords: Vec<f64> = points.windows(2).map(|pair| distance(pair[0], pair[1])).collect();
    if chords.iter().all(|chord| *chord < SHORT) {
        return vec![vec![]; chords.len()];
    }
    let turn = |at: usize| -> f64 {
        if at == 0 || at + 1 >= points.len() {
            return 0.0;
        }
        let (a, b, c) = (points[at - 1], points[at], points[at + 1]);
        let (u, v) = ((b.0 - a.0, b.1 - a.1), (c.0 - b.0, c.1 - b.1));
        (u.0 * v.1 - u.1 * v.0).atan2(u.0 * v.0 + u.1 * v.1).abs()
    };
    let corner = |at: usize| match vertex(at) {
        Vertex::Corner => true,
        Vertex::Smooth => false,
        Vertex::Any => {
            let own = turn(at);
            let beside = turn(at.saturating_sub(1)).max(turn(at + 1));
            own > SHARP && own > SHARPER * beside
        }
    };
    let ends: Vec<bool> = (0..points.len())
        .map(|at| at == 0 || at + 1 == points.len() || corner(at))
        .collect();
    let xs: Vec<f64> = points.iter().map(|point| point.0).collect();
    let ys: Vec<f64> = points.iter().map(|point| point.1).collect();
    (0..chords.len())
        .map(|k| {
            let chord = chords[k];
            if !(SHORT..=LONELY).contains(&chord) || (ends[k] && ends[k + 1]) {
                return vec![];
            }
            let count = ((chord / STEP) as usize).min(MOST);
            let slopes = |values: &[f64]| {
                (
                    slope(values, &chords, &ends, k, k),
                    slope(values, &chords, &ends, k + 1, k),
                )
            };
            let (x, y) = (slopes(&xs), slopes(&ys));
            (1..=count)
                .map(|j| {
                    let s = j as f64 / (count + 1) as f64;
                    let at =
                        |values: &[f64], (m, n): (f64, f64)| hermite(values[k], values[k + 1], m * chord, n * chord, s);
                    (at(&xs, x), at(&ys, y))
                })
                .collect()
        })
        .collect()
}

fn hermite(a: f64, b: f64, m: f64, n: f64, s: f64) -> f64 {
    let (s2, s3) = (s * s, s * s * s);
    let value = (2.0 * s3 - 3.0 * s2 + 1.0) * a + (s3 - 2.0 * s2 + s) * m + (3.0 * s2 - 2.0 * s3) * b + (s3 - s2) * n;
    value.clamp(a.min(b), a.max(b))
}

/// The slope at a point, seen from the interval `of`: that of the parabola through the neighbours, reduced until the
/// curve does not overshoot (Fritsch and Carlson 1980).
fn slope(values: &[f64], chords: &[f64], ends: &[bool], at: usize, of: usize) -> f64 {
    let secant = |k: usize| {
        if chords[k] > 0.0 {
            (values[k + 1] - values[k]) / chords[k]
        } else {
            0.0
        }
    };
    if ends[at] {
        // From one side: the parabola through the next two points.
        let own = secant(of);
        let next = if of == at { of + 1 } else { of.wrapping_sub(1) };
        let beyond = if of == at { at + 1 } else { at.wrapping_sub(1) };
        if next >= chords.len() || ends.get(beyond).copied().unwrap_or(true) {
            return own;
        }
        let (h, g) = (chords[of], chords[next]);
        let other = secant(next);
        let found = ((2.0 * h + g) * own - h * other) / (h + g);
        return if found * own <= 0.0 {
            0.0
        } else if own * other <= 0.0 && found.abs() > 3.0 * own.abs() {
            3.0 * own
        } else {
            found
        };
    }
    let (before, after) = (secant(at - 1), secant(at));
    if before * after <= 0.0 {
        return 0.0;
    }
    let (h, g) = (chords[at - 1], chords[at]);
    let parabola = (g * before + h * after) / (h + g);
    let most = 3.0 * before.abs().min(after.abs());
    parabola.signum() * parabola.abs().min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(points: &[Point]) -> Vec<Point> {
        let inner = between(points, |_| Vertex::Any);
        let mut all = vec![points[0]];
        for (k, inner) in inner.into_iter().enumerate() {
            all.extend(inner);
            all.push(points[k + 1]);
        }
        all
    }

    #[test]
    fn a_coarse_circle_becomes_round() {
        let at = |angle: f64| (0.5 + 0.2 * angle.cos(), 0.5 + 0.2 * angle.sin());
        let points: Vec<Point> = (0..=24)
            .map(|k| at(std::f64::consts::TAU * f64::from(k) / 24.0))
            .collect();
        let off = |point: &Point| (distance(*point, (0.5, 0.5)) - 0.2).abs();
        let chord = 0.2 * (1.0 - (std::f64::consts::PI / 24.0).cos());
        let worst = whole(&points).iter().map(off).fold(0.0, f64::max);
        assert!(worst < 0.5 * chord, "{worst:e} {chord:e}");
    }

    #[test]
    fn steps_and_corners_stay() {
        let step = [(0.0, 0.1), (0.2, 0.1), (0.4, 0.1), (0.4, 0.9), (0.6, 0.9), (0.8, 0.9)];
        assert!(whole(&step).iter().all(|&(x, y)| y == 0.1 || y == 0.9 || x == 0.4));
        let vee: Vec<Point> = (0..=10)
            .map(|k| f64::from(k) * 0.1)
            .map(|x| (x, (x - 0.5).abs()))
            .collect();
        assert!(whole(&vee).iter().all(|&(x, y)| (y - (x - 0.5).abs()).abs() < 1e-12));
    }

    /// However points lie, the curve between two of them stays in their box.
    #[test]
    fn random_curves_do_not_overshoot() {
        let mut state = 88_172_645_463_325_252_u64;
        let mut random = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        for _ in 0..300 {
            let mut points = vec![(random(), random())];
            for _ in 0..2 + (random() * 20.0) as usize {
                let (x, y) = points[points.len() - 1];
                let size = 0.2 * random() * random();
                points.push((x + size * (random() - 0.4), y + size * (random() - 0.5)));
            }
            let kinds: Vec<Vertex> = points
                .iter()
                .map(|_| [Vertex::Any, Vertex::Smooth, Vertex::Corner][(random() * 3.0) as usize])
                .collect();
            for (k, inner) in between(&points, |at| kinds[at]).into_iter().enumerate() {
                let (a, b) = (points[k], points[k + 1]);
                let inside = |low: f64, high: f64, v: f64| v >= low.min(high) && v <= low.max(high);
                assert!(inner.iter().all(|&(x, y)| inside(a.0, b.0, x) && inside(a.1, b.1, y)));
                assert!(inner.is_empty() || (kinds[k], kinds[k + 1]) != (Vertex::Corner, Vertex::Corner));
            }
        }
    }
}
