//! The sides of the corners of resets that are held along a curve of orbits.

use slipstick_system::text::OneSided;
use std::sync::Arc;

/// Whose sides of the corners are held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sides {
    /// None: resets are as they are written, corners and all.
    #[default]
    Written,
    /// Those of the first point of a curve.
    OfCurve,
    /// Those given for the curve to come.
    Given,
}

/// The sides of the corners of the resets of a word, segment by segment.
#[doc(hidden)]
#[derive(Clone)]
pub struct FixedSides(pub(crate) Vec<Option<Arc<OneSided>>>);
