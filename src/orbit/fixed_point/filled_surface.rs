//! Solutions that fill a surface at each value of the parameter, as where a quantity is conserved: the matrix of
//! Newton's method is singular on all of it, and a search for single ones finds none.

use super::FixedPoint;
use super::half_branches::surface_at;
use super::search::{PointSearch, seed};
use nalgebra::{DMatrix, DVector};
use slipstick_continuation::{ParameterScale, Problem};
use slipstick_numerics::stop::look;

/// The dimension of a surface of solutions, in states and parameter, if one is found from a few of the seeds of a
/// search; the parameter runs over this range.
pub fn filled_surface(problem: &mut FixedPoint<'_>, search: &PointSearch, range: (f64, f64)) -> Option<usize> {
    /// From so many seeds, of so many unknowns.
    const SEEDS: usize = 8;
    const MOST: usize = 32;
    if problem.large.is_some() || problem.n * problem.length > MOST {
        return None;
    }
    (0..search.seeds.min(SEEDS)).find_map(|k| {
        let guess = problem.guess(&seed(search, k));
        surface_near(problem, guess, search, range)
    })
}

/// Does a point, with its parameter behind it, lie within the region of a search, or no more than its width beside it?
/// Far from it rounding hides which solutions are single.
pub fn is_in_reach(search: &PointSearch, z: &[f64]) -> bool {
    let near = |(x, (lo, hi)): (&f64, &(f64, f64))| (x - 0.5 * (lo + hi)).abs() <= 1.5 * (hi - lo);
    let states = &z[..z.len().saturating_sub(1)];
    states
        .chunks_exact(search.region.len())
        .all(|x| x.iter().zip(&search.region).all(near))
}

/// The dimension of the surface of solutions next to `z`, if there is one: where the matrix is singular Newton's method
/// comes near to it only.
pub fn surface_near(
    problem: &mut FixedPoint<'_>,
    z: Vec<f64>,
    search: &PointSearch,
    range: (f64, f64),
) -> Option<usize> {
    let widths: Vec<f64> = search.region.iter().map(|(lo, hi)| hi - lo).collect();
    let z = nearest_solution(problem, z, &widths)?;
    problem.anchor(&z);
    let value = z.last().copied().unwrap_or_default();
    problem.set_scales(&z, &[ParameterScale::over(range, value)]);
    surface_at(problem, &z)
}

/// A solution by the method of Gauss and Newton, whose steps are the shortest ones, measured in the `widths` of the
/// region.
fn nearest_solution(problem: &mut FixedPoint<'_>, mut z: Vec<f64>, widths: &[f64]) -> Option<Vec<f64>> {
    const ITERATIONS: usize = 60;
    /// Singular values below this part of the largest are zero on the surface.
    const ZERO: f64 = 1e-7;
    const CONVERGED: f64 = 1e-12;
    const LONGEST: f64 = 0.5;
    let size = problem.n * problem.length;
    let width = z.len();
    let mut residual = vec![0.0; size];
    let unit = |c: usize| widths[c % widths.len()];
    for _ in 0..ITERATIONS {
        look();
        problem.linearise(&z, &mut residual).ok()?;
        // Rows in units of their largest entry, so that those of slow states count.
        let scaled = DMatrix::from_fn(size, size, |r, c| problem.jacobian[r * width + c] * unit(c));
        let rows: Vec<f64> = (0..size).map(|r| scaled.row(r).amax()).collect();
        let by_row = |r: usize| if rows[r] > 0.0 { rows[r].recip() } else { 0.0 };
        let matrix = DMatrix::from_fn(size, size, |r, c| scaled[(r, c)] * by_row(r));
        let left = DVector::from_fn(size, |r, _| residual[r] * by_row(r));
        if !matrix.iter().chain(left.iter()).all(|v| v.is_finite()) {
            return None;
        }
        let step = matrix.svd(true, true).solve(&left, ZERO).ok()?;
        let long = step.amax();
        let part = if long > LONGEST { LONGEST / long } else { 1.0 };
        (0..size).for_each(|c| z[c] -= part * step[c] * unit(c));
        if long <= CONVERGED {
            return problem.linearise(&z, &mut residual).is_ok().then_some(z);
        }
    }
    None
}
