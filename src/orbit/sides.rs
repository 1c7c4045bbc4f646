//! The sides of corners: whose are held along a curve of orbits, and how those of corners that are met at once change.

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

/// Arguments of corners up to this, relative to what they are made of, vanish together with the one whose corner is
/// met.
pub(crate) const TOGETHER: f64 = 1e-8;
/// Of so many corners that are met at once all combinations of sides are looked at.
pub(crate) const MOST_AT_ONCE: usize = 8;

/// Which of the corners that are met at once change sides: the first one always, the others together or not, all of
/// them before fewer.
pub(crate) fn changes<C: Copy>(at_once: &[C]) -> impl Iterator<Item = Vec<C>> {
    (0..1usize << (at_once.len() - 1)).map(|kept| {
        let changed = |n: &usize| *n == 0 || (kept >> (n - 1)) & 1 == 0;
        (0..at_once.len()).filter(changed).map(|n| at_once[n]).collect()
    })
}
