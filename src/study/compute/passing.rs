//! Does a curve that was traced before pass through an orbit?

use crate::compute::family::Family;
use slipstick_bifurcation::Branch;
use slipstick_continuation::{Newton, NewtonOptions, Point, family_on_plane};
use slipstick_orbit::SAME_ORBIT;

/// Does a traced branch pass through an orbit?
pub(crate) fn passes_through<F: Family>(problem: &mut F, branch: &Branch, wanted: &[Vec<f64>], level: f64) -> bool {
    passes_near(problem, pairs(branch), (wanted, level), SAME_ORBIT)
}

/// The neighbouring points of a branch.
pub(crate) fn pairs(branch: &Branch) -> impl Iterator<Item = (&Point, &Point)> {
    branch.points.windows(2).map(|w| (&w[0].point, &w[1].point))
}

/// Does a curve, given by pairs of neighbouring points, pass this near to an orbit? Decided by correcting the curve at
/// its parameter and comparing. The problem's parameter is free afterwards.
pub(crate) fn passes_near<'p, F: Family>(
    problem: &mut F,
    mut pairs: impl Iterator<Item = (&'p Point, &'p Point)>,
    (wanted, level): (&[Vec<f64>], f64),
    near: f64,
) -> bool {
    /// Along a family at one value of the parameter it stays the same to this relative accuracy.
    const SAME: f64 = 1e-10;
    /// What is so far from the chord between two points, in parts of its length, is none of the curve between them.
    const ASTRAY: f64 = 0.1;
    let saved = problem.save();
    problem.release_parameter();
    let mut newton = Newton::default();
    let found = pairs.any(|(a, b)| {
        let (pa, pb) = (a.parameter() - level, b.parameter() - level);
        let size = a.weights.last().map_or(0.0, |w| w.sqrt().recip());
        // Where a branch ends steeply its last points are as close in the parameter, and no family: then as elsewhere.
        if pa.abs().max(pb.abs()) <= SAME * size && lies_between(problem, a, b, wanted) {
            return true;
        }
        if pa * pb > 0.0 || pa == pb {
            return false;
        }
        problem.restore(&a.meshes);
        if a.z.len() != problem.unknowns() {
            return false;
        }
        problem.go_to(a);
        let fraction = pa / (pa - pb);
        let alike = a.meshes == b.meshes && a.z.len() == b.z.len();
        let mut mid: Vec<f64> = if alike {
            a.z.iter().zip(&b.z).map(|(x, y)| x + fraction * (y - x)).collect()
        } else {
            a.z.clone()
        };
        if problem.unknowns() != mid.len() {
            return false;
        }
        let n = mid.len();
        let mut row = vec![0.0; n];
        row[n - 1] = 1.0;
        let anchor = vec![0.0; n];
        let options = NewtonOptions::default();
        let guess = mid.clone();
        // Next to a fold or a branch point rounding keeps Newton's method from coming to rest: what it reached is
        // compared all the same.
        let solved = newton.solve(problem, &mut mid, &row, &anchor, &[level], &options);
        if problem.same(&problem.invariants(&mid), wanted, near) {
            return true;
        }
        // Beside a fold it may run off, or come to the other solution there.
        let far = |z: &[f64]| distance(z, &guess, &a.weights) > ASTRAY * distance(&a.z, &b.z, &a.weights);
        alike
            && (solved.is_err() || far(&mid))
            && at_level(problem, &mut newton, (a, b), level)
                .is_some_and(|z| problem.same(&problem.invariants(&z), wanted, near))
    });
    problem.come_back(saved);
    found
}

/// Where a curve takes a value of its parameter between two points on both sides of it. It is found along the curve, on
/// planes across the chord: at a fixed parameter Newton's method fails next to a fold.
fn at_level<F: Family>(problem: &mut F, newton: &mut Newton, (a, b): (&Point, &Point), level: f64) -> Option<Vec<f64>> {
    /// The most planes; how near the parameter comes in its size, or the part of the chord that is left.
    const PLANES: usize = 90;
    const LEVEL: f64 = 1e-15;
    const NARROW: f64 = 1e-11;
    let options = NewtonOptions::default();
    let chord = b.z.iter().zip(&a.z).zip(&a.weights);
    let row: Vec<f64> = chord.map(|((b, a), w)| (b - a) * w).collect();
    let off = |z: &[f64]| z.last().map(|p| p - level);
    let size = a.weights.last().map_or(0.0, |w| w.sqrt().recip());
    // Each side: its place along the chord, how far off its parameter is, as the secant weighs it, and itself.
    let mut sides = [(0.0, off(&a.z)?, a.z.clone()), (1.0, off(&b.z)?, b.z.clone())];
    let mut last = None;
    for plane in 0..PLANES {
        let [(from, low, at), (to, high, there)] = &sides;
        // Every third plane halves, in case that the secant does not advance.
        let share = if plane % 3 == 2 { 0.5 } else { low / (low - high) };
        let mut z: Vec<f64> = at.iter().zip(there).map(|(x, y)| x + share * (y - x)).collect();
        let place = from + share * (to - from);
        let guess = z.clone();
        newton.solve(problem, &mut z, &row, &guess, &[0.0], &options).ok()?;
        let value = off(&z)?;
        if value.abs() <= LEVEL * size || to - from <= NARROW {
            return Some(z);
        }
        let side = usize::from((value > 0.0) == (*high > 0.0));
        sides[side] = (place, value, z);
        // The other side counts half if it has stayed before.
        if last == Some(side) {
            sides[1 - side].1 *= 0.5;
        }
        last = Some(side);
    }
    None
}

/// The distance of two points in sizes of the unknowns.
fn distance(x: &[f64], y: &[f64], weights: &[f64]) -> f64 {
    let parts = x.iter().zip(y).zip(weights);
    parts.map(|((x, y), w)| (x - y) * (x - y) * w).sum::<f64>().sqrt()
}

/// Does a family at one value of the parameter pass through an orbit between two of its members?
fn lies_between<F: Family>(problem: &mut F, a: &Point, b: &Point, wanted: &[Vec<f64>]) -> bool {
    /// A chord may miss the family's end by a little.
    const REACH: std::ops::RangeInclusive<f64> = -0.01..=1.01;
    problem.restore(&a.meshes);
    if a.meshes != b.meshes || a.z.len() != problem.unknowns() || b.z.len() != a.z.len() {
        return false;
    }
    let flat = |invariants: &[Vec<f64>]| invariants.concat();
    let (from, to, there) = (
        flat(&problem.invariants(&a.z)),
        flat(&problem.invariants(&b.z)),
        flat(wanted),
    );
    if from.len() != to.len() || from.len() != there.len() {
        return false;
    }
    let chord: Vec<f64> = from.iter().zip(&to).map(|(a, b)| b - a).collect();
    let along = |at: &[f64]| -> f64 {
        let offset = there.iter().zip(at).map(|(w, a)| w - a);
        offset.zip(&chord).map(|(o, c)| o * c).sum::<f64>() / chord.iter().map(|c| c * c).sum::<f64>()
    };
    let mut fraction = along(&from);
    if !REACH.contains(&fraction) {
        return false;
    }
    let row: Vec<f64> = a.tangent.iter().zip(&a.weights).map(|(t, w)| t * w).collect();
    let found = (0..3).any(|_| {
        let guess: Vec<f64> = a.z.iter().zip(&b.z).map(|(x, y)| x + fraction * (y - x)).collect();
        let Some(point) = family_on_plane(problem, &guess, (&row, &guess, 0.0), &NewtonOptions::default()) else {
            return false;
        };
        let invariants = problem.invariants(&point.z);
        fraction += along(&flat(&invariants));
        problem.same(&invariants, wanted, 1e-6)
    });
    problem.release_parameter();
    found
}
