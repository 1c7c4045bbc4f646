//! Curves of folds that end where their solutions coincide with more symmetric ones, or shrink to an equilibrium.
//!
//! Both parameters turn back there, as at a cusp, but beyond it the same solutions recur: their mirror images, the same
//! cycles started from another of their points, or half a period on. The equations of folds are singular there, since
//! more symmetric solutions satisfy them, too.

use super::super::{BranchPoint, End, Label, Logbook, Record};
use super::one_way::OneWay;
use slipstick_continuation::Point;

/// Cycles of this part of the first are small where both parameters turn back.
const TURNED: f64 = 0.3;

impl OneWay<'_> {
    /// The end of the curve between `base` and `next`, where both parameters turn back between the two and one of these
    /// places lies there.
    pub(super) fn ends_before(
        &mut self,
        base: &Point,
        (next, record): (&Point, &Record),
        found: &mut Vec<BranchPoint>,
        direction: usize,
        log: &mut dyn Logbook,
    ) -> Option<End> {
        let cusp = self.tests.iter().position(|test| test.label == Label::CP)?;
        if !(self.last.1.tests[cusp] * record.tests[cusp] < 0.0) {
            return None;
        }
        // Solutions that recur have the same parameters on both sides. Where one of these goes on, the other one turns
        // back alone, which looks like a cusp where its unit is the smaller one.
        let n = next.tangent.len();
        if (n - 2..n).any(|i| base.tangent[i] * next.tangent[i] > 0.0) {
            return None;
        }
        let two = self.curve.problem().two_parameters()?;
        let Some((label, meaning, point)) = two.recurs_between(base, next) else {
            return self.recurs_at_last(found).or_else(|| self.shrunk(found, TURNED));
        };
        let mut special = BranchPoint {
            point,
            record: self.last.1.clone(),
            label: Some(label),
            message: meaning.clone(),
        };
        let mut record = Record::default();
        if self.curve.problem().inspect(&special.point, &mut record).is_ok() {
            special.record = record;
        }
        log.point(direction, &special, None);
        found.push(special);
        Some(End::Shrunk { meaning })
    }

    /// The end of a curve of folds whose last point lies next to such a place.
    pub(super) fn recurs_at_last(&mut self, found: &mut [BranchPoint]) -> Option<End> {
        let last = found.last_mut().filter(|p| p.label.is_none())?;
        let (label, meaning, place) = self.curve.problem().two_parameters()?.recurs_at(&last.point)?;
        let mut record = Record::default();
        if place != last.point && self.curve.problem().inspect(&place, &mut record).is_ok() {
            (last.point, last.record) = (place, record);
        }
        last.label = Some(label);
        last.message.clone_from(&meaning);
        Some(End::Shrunk { meaning })
    }
}
