//! How many eigenvalues there are to the right of a line, by the argument principle.
//!
//! All eigenvalues lie in a rectangle (see [`bounds`](super::bounds)). Along the border of the part of it to the right
//! of the line, the argument of `det(z - A)` grows by 2π for each eigenvalue inside. That of the eigenvalues already
//! known is taken out in closed form: what is left is nearly constant, few factorisations follow it, and it turns by 2π
//! for each eigenvalue that is missing.

use super::bounds::Bounds;
use super::lu::{Order, SparseFactors};
use super::matrix::SparseMatrix;
use nalgebra::Complex;
use std::f64::consts::{PI, TAU};

/// How the count went.
///
/// ```
/// use nalgebra::Complex;
/// use slipstick_numerics::linalg::sparse::{Order, SparseMatrix, bounds, count_right_of};
/// let a = SparseMatrix::from_rows(2, &[vec![(0, 1.0), (1, 1.0)], vec![(1, 3.0)]]);
/// // Of the eigenvalues 1 and 3, both to the right of zero, one is known.
/// let counted = count_right_of(&a, &Order::of(&a), 0.0, &bounds(&a), &[Complex::new(3.0, 0.0)]);
/// assert_eq!(counted.map(|c| c.missing), Some(1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counted {
    /// Eigenvalues to the right of the line that are not among the known ones.
    pub missing: usize,
    /// How many factorisations it took.
    pub factorisations: usize,
}

/// Between two places the logarithm of the determinant changes as its slopes there and halfway tell, within this:
/// turns by whole multiples of 2π do not pass unseen, nor do two eigenvalues next to the border.
const AGREE: f64 = 0.5;
/// Slopes are differences over this part of the size of the rectangle.
const NEAR: f64 = 1e-5;
/// Intervals are halved so often at most.
const HALVINGS: usize = 12;
/// The argument over the whole border is a multiple of π up to this.
const WHOLE: f64 = 1e-2;

/// Count the eigenvalues right of the line through `line` that are not `known`; conjugates of known ones are known as
/// well. None where the border passes through an eigenvalue, or the argument turns faster than can be followed.
pub fn count_right_of(
    matrix: &SparseMatrix,
    order: &Order,
    line: f64,
    bounds: &Bounds,
    known: &[Complex<f64>],
) -> Option<Counted> {
    if bounds.right <= line {
        return Some(Counted {
            missing: 0,
            factorisations: 0,
        });
    }
    let size = (bounds.right - line).max(bounds.height);
    let (right, top) = (bounds.right + 0.1 * size, bounds.height + 0.1 * size);
    let corners = [
        Complex::new(right, 0.0),
        Complex::new(right, top),
        Complex::new(line, top),
        Complex::new(line, 0.0),
    ];
    let mut factorisations = 0;
    let away = NEAR * size;
    let mut value = |z: Complex<f64>| -> Option<(Complex<f64>, f64)> {
        factorisations += 1;
        let factors = SparseFactors::of(matrix, order, z).ok()?;
        let (mut phase, mut log) = (factors.determinant_phase(), factors.log_determinant());
        for v in known {
            let factor = z - v;
            if factor.norm() == 0.0 {
                return None;
            }
            phase *= (factor / factor.norm()).conj();
            log -= factor.norm().ln();
        }
        Some((phase, log))
    };
    let mut rest = |z: Complex<f64>| -> Option<Rest> {
        let (phase, log) = value(z)?;
        let (beside, log_beside) = value(z + away)?;
        let slope = Complex::new(log_beside - log, (beside * phase.conj()).arg()) / away;
        Some(Rest { phase, log, slope })
    };
    let mut total = 0.0;
    let mut before = rest(corners[0])?;
    for side in corners.windows(2) {
        let after = rest(side[1])?;
        total += turn(&mut rest, (side[0], before), (side[1], after), HALVINGS)?;
        before = after;
    }
    let halves = total / PI;
    let missing = halves.round();
    if (halves - missing).abs() > WHOLE || missing < 0.0 {
        return None;
    }
    Some(Counted {
        missing: missing as usize,
        factorisations,
    })
}

/// The determinant at a place of the border, divided by the distances of the known eigenvalues: what is left of it, and
/// the slope of its logarithm.
#[derive(Clone, Copy)]
struct Rest {
    phase: Complex<f64>,
    log: f64,
    slope: Complex<f64>,
}

/// The change of the argument between two places.
fn turn(
    rest: &mut impl FnMut(Complex<f64>) -> Option<Rest>,
    (from, before): (Complex<f64>, Rest),
    (to, after): (Complex<f64>, Rest),
    halvings: usize,
) -> Option<f64> {
    let middle = (from + to) * 0.5;
    let between = rest(middle)?;
    // Simpson's rule.
    let expected = (to - from) * (before.slope + between.slope * 4.0 + after.slope) / 6.0;
    let turned = (after.phase * before.phase.conj()).arg();
    let turned = turned + ((expected.im - turned) / TAU).round() * TAU;
    if (turned - expected.im).abs() <= AGREE && (after.log - before.log - expected.re).abs() <= AGREE {
        return Some(turned);
    }
    let fewer = halvings.checked_sub(1)?;
    let first = turn(rest, (from, before), (middle, between), fewer)?;
    Some(first + turn(rest, (middle, between), (to, after), fewer)?)
}
