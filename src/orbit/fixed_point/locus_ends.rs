//! Where curves of folds in two parameters end on solutions of higher symmetry: cycles of maps on those of half as many
//! points, equilibria and fixed points on those that are their own mirror images.
//!
//! Reference: Yu. A. Kuznetsov, *Elements of Applied Bifurcation Theory*, Springer (2004), ch. 7 and 9.

use super::FixedPoint;
use super::corners::parameters_of;
use super::locus::PointLocus;
use super::search;
use nalgebra::{DMatrix, DVector};
use slipstick_bifurcation::Label;
use slipstick_continuation::Point;
use slipstick_system::jacobian;

/// How far along a curve the coincidence may lie from where the rates of the parameters vanish, in scaled arclength;
/// what is left there of a difference that vanishes linearly, as a part of its rate.
const NEAR: f64 = 0.02;
const OFF: f64 = 1e-3;

/// Where a vector that changes at this rate vanishes, if it does nearby.
fn vanishes_ahead(value: &DVector<f64>, rate: &DVector<f64>) -> Option<f64> {
    let ahead = -value.dot(rate) / rate.norm_squared();
    let left = (value + rate * ahead).norm();
    (ahead.abs() <= NEAR && left <= OFF * rate.norm()).then_some(ahead)
}

impl PointLocus<'_> {
    /// At what looks like a cusp of a curve of folds: the label of the point where the curve ends instead, what happens
    /// there, and how far along the curve it lies.
    pub(super) fn coincides(&self, point: &Point) -> Option<(Label, String, f64)> {
        if self.condition.label() != Label::LP {
            return None;
        }
        let at = self.point_at(point);
        if let Some(ahead) = halves_coincide(&self.plain, &at) {
            let meaning = "generalised period doubling: the two halves of the cycle coincide with a cycle of half as many points, one of whose multipliers is -1, and the curve of folds ends here; beyond it the same cycles recur, started from another point";
            return Some((Label::GPD, meaning.into(), ahead));
        }
        let ahead = parameters_drop_out(&self.plain, &at)?;
        let meaning = "degenerate pitchfork: the solutions coincide with their mirror images, and the curve of folds ends here; beyond it the mirror images follow";
        Some((Label::DP, meaning.into(), ahead))
    }
}

/// How far along the curve the two halves of a cycle coincide.
fn halves_coincide(plain: &FixedPoint<'_>, at: &Point) -> Option<f64> {
    if plain.rest || plain.length % 2 == 1 {
        return None;
    }
    let half = plain.n * plain.length / 2;
    let apart = DVector::from_fn(half, |k, _| {
        let (a, b) = (at.z[k], at.z[half + k]);
        let turned = b + search::turns(plain, k % plain.n, b, a);
        (a - turned) * at.weights[k].sqrt()
    });
    let rate = DVector::from_fn(half, |k, _| {
        (at.tangent[k] - at.tangent[half + k]) * at.weights[k].sqrt()
    });
    vanishes_ahead(&apart, &rate)
}

/// How far along a curve of folds the derivatives by both parameters lie in the range of that by the states, ⟨w, F_p⟩ =
/// 0 with its left null vector w. At a cusp one of them does not; where an equilibrium is its own mirror image neither
/// parameter moves it along the direction in which the symmetry breaks.
fn parameters_drop_out(plain: &FixedPoint<'_>, at: &Point) -> Option<f64> {
    /// The distance along the tangent at which rates are taken.
    const BESIDE: f64 = 1e-3;
    if plain.length != 1 {
        return None;
    }
    let n = plain.n;
    let field = plain.system.modes[plain.mode].field.as_ref();
    let mut known: Option<DVector<f64>> = None;
    let mut projected = |s: f64| {
        let z: Vec<f64> = at.z.iter().zip(&at.tangent).map(|(z, t)| z + s * t).collect();
        let (mut f, mut dx, mut dp) = (vec![0.0; n], vec![0.0; n * n], vec![0.0; 2 * n]);
        let p = parameters_of(plain, &z);
        jacobian(field, &z[..n], &p, &plain.free, &mut f, &mut dx, &mut dp);
        if !plain.rest {
            (0..n).for_each(|i| dx[i * (n + 1)] -= 1.0);
        }
        if !dx.iter().chain(&dp).all(|v| v.is_finite()) {
            return None;
        }
        // The left null vector, in the sizes of the states.
        let scaled = |i: usize, j: usize| dx[i * n + j] * (at.weights[i] / at.weights[j]).sqrt();
        let svd = DMatrix::from_fn(n, n, scaled).svd(true, false);
        let mut w: DVector<f64> = svd.u?.column(n - 1).into();
        if known.get_or_insert_with(|| w.clone()).dot(&w) < 0.0 {
            w.neg_mut();
        }
        let size = |k: usize| at.weights[n + k].sqrt().recip();
        Some(DVector::from_fn(2, |k, _| {
            let along = (0..n).map(|i| w[i] * dp[2 * i + k] * at.weights[i].sqrt());
            along.sum::<f64>() * size(k)
        }))
    };
    let [before, here, after] = [-BESIDE, 0.0, BESIDE].map(&mut projected);
    let rate = (after? - before?) / (2.0 * BESIDE);
    vanishes_ahead(&here?, &rate)
}
