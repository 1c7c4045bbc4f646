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
        let mut mid: Vec<f64> = if a.meshes == b.meshes && a.z.len() == b.z.len() {
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
        // Next to a fold or a branch point rounding keeps Newton's method from coming to rest: what it reached is
        // compared all the same.
        let _ = newton.solve(problem, &mut mid, &row, &anchor, &[level], &options);
        problem.same(&problem.invariants(&mid), wanted, near)
    });
    problem.come_back(saved);
    found
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
