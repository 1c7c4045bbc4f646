//! Where the points of a cycle of a map come together on a corner of its equations: the cycle is born there, of one of
//! fewer points.
//!
//! In the unknowns of n points the shorter cycle, gone through several times, is a solution on both sides of the
//! corner, and so is the cycle itself, begun at another of its points. Neither continues the curve.

use super::FixedPoint;
use slipstick_continuation::{Point, tangent_at};

/// A cycle that has come down to one of fewer points, and the way in which it came.
pub(super) struct Born {
    /// The number of points of the shorter cycle.
    pub(super) least: usize,
    arriving: Point,
    /// Where the shorter cycle meets the corner, to all digits of the side on which the equations are smoothest, and
    /// how steep they are there.
    place: Option<(f64, Vec<f64>)>,
}

impl Born {
    /// The shorter cycle that the points at `at` are; none where they are no shorter one.
    pub(super) fn at(problem: &mut FixedPoint<'_>, at: &Point) -> Option<Self> {
        let least = problem.least_length(&at.z)?;
        let row: Vec<f64> = at.tangent.iter().zip(&at.weights).map(|(t, w)| t * w).collect();
        let arriving = tangent_at(problem, at.z.clone(), &row, 1.0).unwrap_or_else(|_| at.clone());
        Some(Self {
            least,
            arriving,
            place: None,
        })
    }

    /// As [`Born::at`], where it is seen only at a `place` on the corner that the points at `at` are next to: a root
    /// makes much of what is missing.
    pub(super) fn beside(problem: &FixedPoint<'_>, place: &[f64], at: &Point) -> Option<Self> {
        Some(Self {
            least: problem.least_length(place)?,
            arriving: at.clone(),
            place: None,
        })
    }

    /// Are the sides that are held beyond the corner those of the cycles that came here, from a later point on? Then
    /// the cycles next to the corner are these, begun at that point.
    pub(super) fn begins_later(&self, before: &FixedPoint<'_>, beyond: &FixedPoint<'_>) -> bool {
        let count = before.one_sided.len();
        let same = |by: usize, i: usize| beyond.one_sided[i].sides == before.one_sided[(i + by) % count].sides;
        let mut later = (self.least..count).step_by(self.least);
        later.any(|by| (0..count).all(|i| same(by, i)))
    }

    /// Note where the shorter cycle meets the corner.
    pub(super) fn note_place(&mut self, steepness: f64, z: &[f64]) {
        if self.place.as_ref().is_none_or(|(least, _)| steepness < *least) {
            self.place = Some((steepness, z.to_vec()));
        }
    }

    /// Where the cycle is born.
    pub(super) fn place(self) -> Vec<f64> {
        self.place.map_or(self.arriving.z, |(_, z)| z)
    }

    /// Does a curve that sets off from `start` consist of shorter cycles, or of the cycles that came here?
    pub(super) fn leads_to_no_other(&self, problem: &FixedPoint<'_>, start: &Point) -> bool {
        let shifts = || (self.least..problem.length).step_by(self.least);
        let back: Vec<f64> = self.arriving.tangent.iter().map(|t| -t).collect();
        let alike = |other: &[f64], by: usize| shifted_alike(problem, start, other, by);
        shifts().any(|by| alike(&start.tangent, by)) || shifts().any(|by| alike(&back, by))
    }
}

/// Is the tangent at `start` another one, begun `by` points later?
fn shifted_alike(problem: &FixedPoint<'_>, start: &Point, other: &[f64], by: usize) -> bool {
    /// Relative to what the points move; tangents are solved to more digits.
    const SAME: f64 = 1e-5;
    let points = problem.n * problem.length;
    let shifted = |i: usize| match i < points {
        true => other[(i + by * problem.n) % points],
        false => other[i],
    };
    let square = |i: usize, v: f64| v * v * start.weights[i];
    let apart: f64 = (0..other.len()).map(|i| square(i, start.tangent[i] - shifted(i))).sum();
    let moves: f64 = (0..points).map(|i| square(i, start.tangent[i])).sum();
    apart <= SAME * SAME * moves
}
