//! Where a vector that is carried along a curve vanishes between two of its points, and turns round.

use nalgebra::DVector;
use slipstick_continuation::Point;

/// By how much the directions of what vanishes between two points may differ, up to their sign.
const ASIDE: f64 = 0.2;

/// How far between two points a vector vanishes that has turned round on the way, or that is smaller than this at both.
pub(crate) fn vanishes_between(before: &DVector<f64>, after: &DVector<f64>, small: f64) -> Option<f64> {
    let (a, b) = (before.norm(), after.norm());
    let turned = before.dot(after) < 0.0 && (before / a + after / b).norm() <= ASIDE;
    (turned || a.max(b) <= small).then_some(a / (a + b))
}

/// The point so far between two points of a curve.
pub(crate) fn on_the_way(base: &Point, next: &Point, part: f64) -> Point {
    Point {
        z: base.cubic(next, part * base.arclength_to(next)),
        ..base.clone()
    }
}
