//! The names by which equations of tangencies say what is special along their curves.

use slipstick_bifurcation::{Label, TestSpec};

/// The second derivative of the switching function along the field: positive where the tangency is visible.
pub const VISIBILITY: &str = "visibility";
/// The rate of the switching function along the field of the other side.
pub const OTHER_RATE: &str = "other_rate";
/// The visibility of a tangency of the other side's field.
pub const OTHER_VISIBILITY: &str = "other_visibility";
/// How fast the field runs along the surface, in the plane.
pub const SPEED: &str = "speed";
/// At two-folds: the visibility of the side where the switching function is positive.
pub const VISIBILITY_PLUS: &str = "visibility_plus";
/// And of the other side.
pub const VISIBILITY_MINUS: &str = "visibility_minus";

/// What a two-fold is.
pub(crate) const TWO_FOLD: &str = "two-fold: the fields of both sides are tangent to the surface";

/// What happens where a monitor of tangencies called like this is zero; in the plane, where the field's speed is among
/// them, a cubic tangency is a fold of the curve.
pub(crate) fn test(name: &str, planar: bool) -> Option<TestSpec> {
    let (label, meaning) = match name {
        VISIBILITY if !planar => (
            Label::CT,
            "cubic tangency: a curve of visible tangencies goes over into one of invisible ones",
        ),
        VISIBILITY_PLUS => (
            Label::CT,
            "cubic tangency of the field on the side +: two-folds change their kind",
        ),
        VISIBILITY_MINUS => (
            Label::CT,
            "cubic tangency of the field on the side -: two-folds change their kind",
        ),
        OTHER_RATE => (Label::TF, TWO_FOLD),
        SPEED => (
            Label::BE,
            "boundary equilibrium: the field vanishes at the tangency, which turns from visible to invisible",
        ),
        _ => return None,
    };
    Some(TestSpec::new(label, meaning.to_owned()))
}

/// The kind of a two-fold, from the visibilities on both sides.
pub(crate) fn kind(visibilities: [f64; 2]) -> &'static str {
    match visibilities.map(|v| v > 0.0) {
        [true, true] => "visible–visible",
        [false, false] => "invisible–invisible",
        _ => "visible–invisible",
    }
}
