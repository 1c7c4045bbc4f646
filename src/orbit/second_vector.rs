//! Where along a curve in two parameters a second eigenvalue or multiplier comes to the one that is kept: with an
//! eigenvector of its own, or with one eigenvector for both.
//!
//! Singular values of the derivatives less the kept eigenvalue tell: the least of them is zero all along the curve, and
//! the second one vanishes where there is a second eigenvector.

use slipstick_bifurcation::{Label, subject};

/// What vanishes where `zero` does, and has its sign, as a second eigenvalue comes to the one that is kept with an
/// eigenvector of its own; `second` is the second smallest singular value.
pub(crate) fn own_vector(zero: f64, second: f64) -> f64 {
    zero.signum() * second / (1.0 + second)
}

/// What is zero where `zero` is as a second eigenvalue comes to the one that is kept, unless it has an eigenvector of
/// its own: there it changes its sign by a jump, also at the very place, where both are no more than `rounding`.
pub(crate) fn one_vector(zero: f64, second: f64, rounding: f64) -> f64 {
    if second <= rounding {
        return 1f64.copysign(zero);
    }
    zero / (zero.abs() + second)
}

/// Label and meaning of such a point with an eigenvector of its own, along a curve of folds, period doublings or
/// symmetry breakings; `second` says what comes to the kept one.
pub(crate) fn own_vector_meaning(condition: Label, second: &str) -> (Label, String) {
    let (other, passes) = match condition {
        Label::LP => (Label::BP, ", as where a curve of branch points passes"),
        other => (other, ""),
    };
    let subject = subject(condition);
    (
        Label::codimension_two(condition, other),
        format!("codimension-two point on {subject}: a second {second}, with an eigenvector of its own{passes}"),
    )
}
