//! Two-parameter curves along which a segment touches a surface: how near the touch is to an end of the segment.

use crate::admissibility::{Subject, boundaries, subjects};
use crate::dense_output::DenseOutput;
use crate::fixed_scalar::{FixedScalar, Scalar};
use crate::locus::{Locus, LocusCondition};
use crate::passed::nearest;
use slipstick_bifurcation::{Label, subject};
use slipstick_continuation::Point;

impl Locus<'_> {
    /// How far the touch that stays along the curve is from the nearer end of its segment that an event makes, as part
    /// of the duration, with the label of the point at which it comes there, and what happens.
    pub(super) fn touch_from_end(&mut self, point: &Point) -> Option<(f64, Label, String)> {
        let LocusCondition::Scalar(
            condition,
            FixedScalar {
                scalar: Scalar::Inequality(touch),
                ..
            },
        ) = self.condition
        else {
            return None;
        };
        let orbit = self.orbit_at(point);
        self.plain.take_parameters(&orbit.z);
        let (plain, z) = (&self.plain, &orbit.z);
        let Subject::Clearance(k, w) = *subjects(plain).get(touch)? else {
            return None;
        };
        let segment = &plain.segments[k];
        let count = plain.segments.len();
        let dense = DenseOutput::new(plain.system, segment, z, &plain.parameters).ok()?;
        let (t, _) = nearest(plain, z, k, &dense, &plain.plan.clearances[k][w]).ok()??;
        let duration = plain.duration(z, k);
        let begins = plain.word.letters[(k + count - 1) % count].event.is_some();
        let ends = segment.guard.is_some();
        let (part, end) = match (begins, ends) {
            (true, true) if t > 0.5 * duration => (1.0 - t / duration, "end"),
            (true, _) => (t / duration, "beginning"),
            (false, true) => (1.0 - t / duration, "end"),
            (false, false) => return None,
        };
        let meaning = format!(
            "{} ends: {}, and this comes to the {end} of the segment, where the limit of the event there is reached as well",
            subject(condition),
            boundaries(plain).get(touch)?.meaning,
        );
        Some((part, Label::codimension_two(condition, Label::VS), meaning))
    }
}
