//! Where curves of folds in two parameters end on solutions of higher symmetry: cycles of maps on those of half as many
//! points, equilibria and fixed points on those that are their own mirror images.
//!
//! Reference: Yu. A. Kuznetsov, *Elements of Applied Bifurcation Theory*, Springer (2004), ch. 7 and 9.

use super::FixedPoint;
use super::corners::parameters_of;
use super::locus::PointLocus;
use super::search;
use crate::turned_round::vanishes_between;
use nalgebra::{DMatrix, DVector};
use slipstick_bifurcation::Label;
use slipstick_continuation::Point;
use slipstick_system::jacobian;

/// Halves that are no further apart, in sizes, have directions that rounding of singular equations may turn.
const NEAR: f64 = 1e-2;

impl PointLocus<'_> {
    /// Between two points of a curve of folds on both sides of what looks like a cusp: the label of the point where the
    /// curve ends instead, what happens there, and how far along the step it lies.
    pub(super) fn coincides(&self, base: &Point, next: &Point) -> Option<(Label, String, f64)> {
        if self.condition.label() != Label::LP {
            return None;
        }
        let [base, next] = [base, next].map(|point| self.point_at(point));
        let halves = |at: &Point| halves_apart(&self.plain, at, &base);
        if let (Some(before), Some(after)) = (halves(&base), halves(&next)) {
            let meaning = "generalised period doubling: the two halves of the cycle coincide with a cycle of half as many points, one of whose multipliers is -1, and the curve of folds ends here; beyond it the same cycles recur, started from another point";
            let part = vanishes_between(&before, &after, NEAR)?;
            return Some((Label::GPD, meaning.into(), part));
        }
        let (w, before) = moved_by_parameters(&self.plain, &base, &base)?;
        let (v, after) = moved_by_parameters(&self.plain, &next, &base)?;
        let after = if w.dot(&v) < 0.0 { -after } else { after };
        let meaning = "degenerate pitchfork: the solutions coincide with their mirror images, and the curve of folds ends here; beyond it the mirror images follow";
        let part = vanishes_between(&before, &after, 0.0)?;
        Some((Label::DP, meaning.into(), part))
    }
}

/// The difference of the two halves of a cycle, in the sizes of another one.
fn halves_apart(plain: &FixedPoint<'_>, at: &Point, sizes: &Point) -> Option<DVector<f64>> {
    if plain.rest || plain.length % 2 == 1 {
        return None;
    }
    let half = plain.n * plain.length / 2;
    Some(DVector::from_fn(half, |k, _| {
        let (a, b) = (at.z[k], at.z[half + k]);
        let turned = b + search::turns(plain, k % plain.n, b, a);
        (a - turned) * sizes.weights[k].sqrt()
    }))
}

/// The left null vector w at a fold, and how both parameters move the solution along it, ⟨w, F_p⟩. At a cusp one of
/// them does; where an equilibrium is its own mirror image neither moves it in the direction in which the symmetry
/// breaks.
fn moved_by_parameters(plain: &FixedPoint<'_>, at: &Point, sizes: &Point) -> Option<(DVector<f64>, DVector<f64>)> {
    if plain.length != 1 {
        return None;
    }
    let n = plain.n;
    let field = plain.system.modes[plain.mode].field.as_ref();
    let (mut f, mut dx, mut dp) = (vec![0.0; n], vec![0.0; n * n], vec![0.0; 2 * n]);
    let p = parameters_of(plain, &at.z);
    jacobian(field, &at.z[..n], &p, &plain.free, &mut f, &mut dx, &mut dp);
    if !plain.rest {
        (0..n).for_each(|i| dx[i * (n + 1)] -= 1.0);
    }
    if !dx.iter().chain(&dp).all(|v| v.is_finite()) {
        return None;
    }
    let size = |k: usize| sizes.weights[k].sqrt().recip();
    let scaled = |i: usize, j: usize| dx[i * n + j] * size(j) / size(i);
    let svd = DMatrix::from_fn(n, n, scaled).svd(true, false);
    let w: DVector<f64> = svd.u?.column(n - 1).into();
    let moved = DVector::from_fn(2, |k, _| {
        let along = (0..n).map(|i| w[i] * dp[2 * i + k] / size(i));
        along.sum::<f64>() * size(n + k)
    });
    Some((w, moved))
}
