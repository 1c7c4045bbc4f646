//! Steps that do not end where two curves lie so near to each other that rounding cannot distinguish them.
//!
//! Next to a crossing of two curves, and all the more between two crossings, errors of rounding are enlarged in a point
//! and once more in its tangent. Newton's iteration does not come to rest there, or comes to rest on the other curve,
//! and what is predicted from such a point is wrong. The curve itself is smooth: a step somewhat longer or shorter ends
//! on the far or on the near side of the place.

use super::super::{Failure, NewtonOptions, Problem};
use super::Curve;
use crate::point::Point;

/// What errors may leave of a tangent.
const TANGENT: f64 = 2e-4;
/// And by so many times more than at the point that the step sets off from, or one of those before: equations may be
/// ill-conditioned everywhere.
const STANDS_OUT: f64 = 100.0;
/// Updates of Newton's iteration below the first that shrink by less than the second are errors of rounding.
const SMALL: f64 = 1e-6;
const RESTING: f64 = 0.05;
/// Linearisations may be kept from points off by a millionth: errors of so much, enlarged by more than this, spoil
/// tangents, and those of rounding spoil points.
const SPOILS: f64 = 100.0;
/// A first update, if it is larger than this, that is followed by one of more than this part of it is too large for
/// Newton's iteration to end on the curve that it set out from.
const LARGE: f64 = 1e-7;
const SAFE: f64 = 0.25;
/// The lengths that are tried instead, in parts of the step.
const LENGTHS: [f64; 6] = [1.5, 0.6, 2.2, 0.36, 3.0, 4.0];

impl<P: Problem + ?Sized> Curve<'_, P> {
    /// A point at another distance along the curve, and its distance, where a step of length `h` from `from` ends next
    /// to a singular place, at `next` or where no point was found; the problem was linearised there. None where it does
    /// not end at such a place, or no other length does better.
    pub(super) fn past_crowded(&mut self, from: &Point, h: f64, next: Option<&Point>) -> Option<(Point, f64)> {
        let error = self.tangent_error(from).filter(|error| *error > TANGENT)?;
        let report = self.newton.report.clone();
        let mut residual = vec![0.0; from.z.len() - self.problem.free()];
        let usual = self.usual_error(from, &mut residual);
        let mut best: Option<(Point, f64, f64)> = None;
        if error > STANDS_OUT * usual {
            let most = TANGENT.max(STANDS_OUT * usual);
            for part in LENGTHS {
                let Some(at) = self.clear_at(from, part * h) else {
                    continue;
                };
                let Some(found) = self.tangent_error(from) else {
                    continue;
                };
                let known = best.as_ref().map_or(error / STANDS_OUT, |best| best.2);
                if found < known {
                    best = Some((at, part * h, found));
                }
                if found <= most {
                    break;
                }
            }
        }
        if best.is_none() {
            self.newton.report = report;
        }
        // The problem is linearised where the curve goes on.
        if let Some(at) = best.as_ref().map(|best| &best.0).or(next) {
            self.problem.linearise(&at.z, &mut residual).ok()?;
        }
        best.map(|(at, h, _)| (at, h))
    }

    /// What errors leave of the tangent of the last point that was computed, in a step from `from`: those of rounding,
    /// or those that Newton's iteration came to rest on, enlarged in the point, unless it is right to rounding, and in
    /// the tangent.
    fn tangent_error(&mut self, from: &Point) -> Option<f64> {
        let enlarged = self.enlargement(from)?;
        if self.sharp {
            return Some(enlarged * f64::EPSILON);
        }
        let shrinks_no_more = |w: &&[f64]| w[0] <= SMALL && w[1] > RESTING * w[0] && w[1] <= SMALL;
        let updates = self.newton.report.updates.windows(2).filter(shrinks_no_more);
        let resting = updates.fold(0.0f64, |m, w| m.max(w[1]));
        Some(enlarged * resting.max(enlarged * f64::EPSILON))
    }

    /// By how much errors are enlarged where the problem is linearised, with the tangent of a point as border.
    fn enlargement(&mut self, at: &Point) -> Option<f64> {
        let row: Vec<f64> = at.tangent.iter().zip(&at.weights).map(|(t, w)| t * w).collect();
        self.problem.amplification(&row)
    }

    /// Did Newton's iteration, from `from`, come to rest, or nearly, where errors are enlarged so much that its point
    /// or its tangent suffer?
    pub(super) fn is_spoilt(&mut self, from: &Point, outcome: &Result<(), Failure>) -> bool {
        let near = match outcome {
            Ok(()) => true,
            Err(Failure::Newton(updates)) => updates.last().is_some_and(|last| *last <= SMALL),
            Err(_) => false,
        };
        near && self.enlargement(from).is_some_and(|enlarged| enlarged > SPOILS)
    }

    /// Newton's iteration once more from where it ended: with twice the digits, or at least with a linearisation that
    /// is not that of another point. What it did at first counts as the effort of the step.
    pub(super) fn solve_again(
        &mut self,
        from: &Point,
        s: f64,
        z: &mut Vec<f64>,
        options: &NewtonOptions,
        outcome: Result<(), Failure>,
    ) -> Result<(), Failure> {
        let sharp = self.problem.sharpen(true);
        if !sharp && (options.polish || outcome.is_err() || !self.problem.renew()) {
            return outcome;
        }
        let row: Vec<f64> = from.tangent.iter().zip(&from.weights).map(|(t, w)| t * w).collect();
        let report = self.newton.report.clone();
        let known = z.clone();
        let again = self.newton.solve(self.problem, z, &row, &from.z, &[s], options);
        self.problem.sharpen(false);
        self.newton.report = report;
        self.sharp = sharp && again.is_ok();
        if again.is_err() {
            outcome?;
            *z = known;
            self.problem
                .linearise(z, &mut vec![0.0; from.z.len() - self.problem.free()])?;
        }
        Ok(())
    }

    /// The least of what rounding leaves of tangents at the point that a step sets off from and at those before.
    fn usual_error(&mut self, from: &Point, residual: &mut [f64]) -> f64 {
        let before = self.previous.iter().take_while(|p| p.z.len() == from.z.len());
        let places: Vec<Point> = before.cloned().chain([from.clone()]).collect();
        let mut least = f64::INFINITY;
        for at in &places {
            if self.problem.linearise(&at.z, residual).is_ok()
                && let Some(found) = self.enlargement(at)
            {
                least = least.min(found * found * f64::EPSILON);
            }
        }
        least
    }

    /// Did Newton's iteration set out so far from the curve, in the last step from `from`, that it may have gone over
    /// to another one? Only asked of problems whose linearisation is always that of the last iterate.
    pub(super) fn may_have_changed(&mut self, from: &Point) -> bool {
        let far = matches!(self.newton.report.updates[..], [a, b, ..] if a > LARGE && b > SAFE * a);
        far && self.enlargement(from).is_some()
    }

    /// The point at this distance, if the step there is one that may be taken.
    fn clear_at(&mut self, from: &Point, h: f64) -> Option<Point> {
        let guess = self.predict(from, h);
        let at = self.correct(from, h, guess).ok()?;
        let turn = from.turn_to(&at);
        let change = (at.parameter() - from.parameter()).abs();
        let taken = change <= 1.0001 * self.options.largest_parameter
            && turn <= self.options.most_turn()
            && self.problem.fits(&at.z)
            && self.stays(from, &at, turn)
            && !self.may_have_changed(from);
        taken.then_some(at)
    }
}
