//! The test for branch points of many states.

use super::super::FixedPoint;
use super::Large;
use slipstick_continuation::Point;
use slipstick_numerics::linalg::{dot, norm};

/// Zeros up to this order are seen as such.
const VECTORS: usize = 3;
/// Fixed vectors keep results reproducible.
const FREQUENCIES: [f64; VECTORS] = [1.7, 2.3, 3.1];

/// Like the determinant of the equations bordered by the tangent, a smooth function that changes sign where another
/// family crosses: its sign, and as its size one over the volume that the solutions for a few fixed right-hand sides
/// span. Next to a branch point that volume grows like one over the product of what vanishes there. The determinant
/// itself, of many states, is beyond all numbers.
pub(in super::super) fn crossing(problem: &mut FixedPoint<'_>, point: &Point) -> f64 {
    let sizes: Vec<f64> = point.weights.iter().map(|w| w.sqrt().recip()).collect();
    let border: Vec<f64> = point.tangent.iter().zip(&point.weights).map(|(t, w)| t * w).collect();
    let columns = problem.columns.clone();
    let Some(large) = &mut problem.large else {
        return f64::NAN;
    };
    let usual = large.usual;
    let Ok(sign) = large.sign(&border, &columns) else {
        return 0.0;
    };
    match enlargement(large, &border, &columns, &sizes, &problem.usual_rows) {
        Some(volume) => sign * usual / volume,
        None => 0.0,
    }
}

/// The volume that the scaled solutions for fixed right-hand sides span.
pub(super) fn enlargement(
    large: &mut Large,
    border: &[f64],
    columns: &[f64],
    sizes: &[f64],
    rows: &[f64],
) -> Option<f64> {
    let mut volume = 1.0;
    let mut others: Vec<Vec<f64>> = vec![];
    for frequency in FREQUENCIES {
        let mut x: Vec<f64> = rows
            .iter()
            .enumerate()
            .map(|(i, row)| row * (frequency * (1.0 + i as f64)).sin())
            .collect();
        x.push(0.0);
        large.solve(border, columns, &mut x).ok()?;
        x.iter_mut().zip(sizes).for_each(|(x, s)| *x /= s);
        // In the scaled length of a single unknown: a mean, not a sum that grows with their number.
        for _ in 0..2 {
            for other in &others {
                let part = dot(other, &x);
                x.iter_mut().zip(other).for_each(|(x, o)| *x -= part * o);
            }
        }
        let length = norm(&x);
        if !(length > 0.0 && length.is_finite()) {
            return None;
        }
        volume *= length;
        x.iter_mut().for_each(|x| *x /= length);
        others.push(x);
    }
    Some(volume)
}
