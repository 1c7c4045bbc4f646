//! Solutions by the sides of corners that their points lie on.
//!
//! On fixed sides piecewise-linear equations are linear: a cycle with a given sequence of sides is the solution
//! of a linear system, wherever it lies, and Newton's method finds it from anywhere. The sequences of short cycles are
//! few, and each is tried; no box of seeds has to be right for that.

use super::FixedPoint;
use slipstick_numerics::stop::look;

/// The most sequences of sides that are tried, and the most regions that corners divide the states into.
const MOST: usize = 4096;
const MOST_REGIONS: usize = 16;

/// Guesses for solutions, one for each sequence of the regions that the corners divide the states into: points of these
/// regions. Sequences that begin at another point of the cycle are the same, and those that repeat a shorter one are
/// left to it. Places all over the box that is searched, by their numbers, are `seed`s.
pub(super) fn guesses(
    problem: &FixedPoint<'_>,
    searched: &[(f64, f64)],
    seed: &dyn Fn(usize) -> Vec<f64>,
) -> Vec<Vec<Vec<f64>>> {
    let points = points_of_regions(problem, searched, seed);
    let (count, length) = (points.len(), problem.length);
    let total = u32::try_from(length).ok().and_then(|length| count.checked_pow(length));
    let Some(total) = total.filter(|&total| count > 1 && total <= MOST) else {
        return vec![];
    };
    let sequence = |number: usize| -> Vec<usize> {
        let digits = std::iter::successors(Some(number), |rest| Some(rest / count));
        digits.take(length).map(|rest| rest % count).collect()
    };
    let comes_first = |sequence: &Vec<usize>| {
        let later = |shift: usize| (0..length).map(move |i| sequence[(i + shift) % length]);
        (1..length).all(|shift| sequence.iter().copied().lt(later(shift)))
    };
    let all = (0..total).map(sequence).filter(comes_first);
    all.map(|sequence| sequence.into_iter().map(|region| points[region].clone()).collect())
        .collect()
}

/// A point of each region that the corners divide the states into; none where there are no corners.
fn points_of_regions(
    problem: &FixedPoint<'_>,
    searched: &[(f64, f64)],
    seed: &dyn Fn(usize) -> Vec<f64>,
) -> Vec<Vec<f64>> {
    /// Places that are looked at, and the parts of the box that they are spread over, about zero or else its middle:
    /// where motions run off it is large.
    const PLACES: usize = 64;
    const PARTS: [f64; 4] = [1.0, 0.1, 1e-2, 1e-3];
    /// Places in the middle may lie on the corners of symmetric equations.
    const FIRST: usize = 2;
    let corners = problem.system.modes[problem.mode].field.corners();
    let Some(corners) = corners.filter(|corners| problem.large.is_none() && corners.has_sides()) else {
        return vec![];
    };
    let none = vec![0.0; problem.n];
    let about = |(lo, hi): &(f64, f64)| if lo * hi <= 0.0 { 0.0 } else { 0.5 * (lo + hi) };
    let middle: Vec<f64> = searched.iter().map(about).collect();
    let (mut points, mut known) = (vec![], vec![]);
    for part in PARTS {
        for k in FIRST..FIRST + PLACES {
            look();
            let place = seed(k).into_iter().zip(&middle);
            let x: Vec<f64> = place.map(|(v, middle)| middle + part * (v - middle)).collect();
            let sides = corners.sides(&x, &problem.parameters, &none);
            if known.contains(&sides) {
                continue;
            }
            if points.len() == MOST_REGIONS {
                return vec![];
            }
            known.push(sides);
            points.push(x);
        }
    }
    points
}
