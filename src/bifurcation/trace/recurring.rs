//! Curves of folds that end where their solutions coincide with more symmetric ones, or shrink to an equilibrium.
//!
//! Both parameters turn back there, as at a cusp, but beyond it the same solutions recur: their mirror images, the same
//! cycles started from another of their points, or half a period on.

use super::super::{BranchPoint, End, Label, Logbook};
use super::LOST_SMALL;
use super::one_way::{Event, OneWay};
use super::passage::Hit;
use slipstick_continuation::Point;

impl OneWay<'_> {
    pub(super) fn is_cusp(&self, hit: &Hit) -> bool {
        matches!(hit.event, Event::Test(i) if self.tests[i].label == Label::CP)
    }

    /// The end of the curve at what looks like a cusp, where one of its solutions is of these kinds.
    pub(super) fn ends_at_cusp(
        &mut self,
        base: &Point,
        hit: &Hit,
        found: &mut Vec<BranchPoint>,
        direction: usize,
        log: &mut dyn Logbook,
    ) -> Option<End> {
        let mut special = BranchPoint {
            point: hit.point.clone(),
            record: hit.record.clone(),
            label: None,
            message: String::new(),
        };
        let recurs = self.curve.problem().two_parameters()?.recurs_beyond(&special.point);
        let end = if let Some((label, meaning, ahead)) = recurs {
            // A cusp is located by rates that vanish there, the coincidence by what differs linearly from it.
            let mut record = special.record.clone();
            if let Ok(point) = self.curve.between(base, hit.s + ahead)
                && self.curve.problem().inspect(&point, &mut record).is_ok()
            {
                (special.point, special.record) = (point, record);
            }
            special.label = Some(label);
            special.message.clone_from(&meaning);
            found.push(special);
            Some(End::Shrunk { meaning })
        } else {
            found.push(special);
            let end = self.shrunk(found, LOST_SMALL);
            if end.is_none() {
                found.pop();
            }
            end
        };
        if let (Some(_), Some(last)) = (&end, found.last()) {
            log.point(direction, last, None);
        }
        end
    }

    /// The end of a curve of folds that the tracer gave up on next to such a place.
    pub(super) fn recurs_at_last(&mut self, found: &mut [BranchPoint]) -> Option<End> {
        let last = found.last_mut().filter(|p| p.label.is_none())?;
        let (label, meaning, _) = self.curve.problem().two_parameters()?.recurs_beyond(&last.point)?;
        last.label = Some(label);
        last.message.clone_from(&meaning);
        Some(End::Shrunk { meaning })
    }
}
