//! A trace that can be taken up again where it was broken off.

use super::{BranchPoint, End};
use crate::continuation::Stride;

/// What the walker carries beyond a point: enough to go on from there as if it had never stopped.
#[derive(Clone, Debug, PartialEq)]
pub struct Pace {
    /// What the tracer carries.
    pub stride: Stride,
    /// The arclength travelled in this direction.
    pub travelled: f64,
    /// The steps taken in this direction.
    pub steps: usize,
}

/// What an earlier attempt has found in one direction of a trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    /// The points in the order in which they were found.
    pub points: Vec<BranchPoint>,
    /// What was carried beyond the last of them, if there is any.
    pub pace: Option<Pace>,
    /// Why the direction ended, if it did.
    pub end: Option<End>,
}

/// Who is told of each point as it is found, may stop the trace, and may know what an earlier attempt found.
pub trait Logbook {
    /// What is known of direction number `direction` (0 or 1); asked once, before it is walked.
    fn past(&mut self, direction: usize) -> Past {
        let _ = direction;
        Past::default()
    }
    /// A point was found. Points without a pace are special ones located on the way to the next that has one. Returns whether to go on.
    fn point(&mut self, direction: usize, point: &BranchPoint, pace: Option<&Pace>) -> bool;
    /// All but the first `points` points of the direction were taken back.
    fn rewind(&mut self, direction: usize, points: usize) {
        let _ = (direction, points);
    }
    /// The direction ended for good (not because [`Logbook::point`] said so), with its points as they are now.
    fn end(&mut self, direction: usize, points: &[BranchPoint], end: &End) {
        let _ = (direction, points, end);
    }
}

/// A logbook that forgets, from a closure that is told of each point.
pub(super) struct Forgetful<'w>(pub(super) &'w mut dyn FnMut(&BranchPoint) -> bool);

impl Logbook for Forgetful<'_> {
    fn point(&mut self, _: usize, point: &BranchPoint, _: Option<&Pace>) -> bool {
        (self.0)(point)
    }
}
