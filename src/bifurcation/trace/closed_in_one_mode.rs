//! Curves of cycles with events that end where all their segments vanish but those in one mode, as a sliding cycle does
//! where the equilibrium of the sliding mode is a centre: the closed orbits of that mode fill a continuum there, at one
//! value of the parameter.

use super::super::{BranchPoint, End, Logbook};
use super::continuum::size_of_parameter;
use super::one_way::{Event, OneWay};
use super::passage::Hit;

/// Changes of the parameter up to this part of its size are rounding there.
const ROUNDING: f64 = 1e-9;

impl OneWay<'_> {
    /// The end of the curve at the border among the `hits` of a step, if it is such an end. A multiplier tends to +1
    /// there while the parameter comes to rest: folds and crossings next to it are rounding, and are left out.
    pub(super) fn ends_in_one_mode(&mut self, hits: &mut Vec<Hit>) -> Option<BranchPoint> {
        let border = hits.iter().position(|hit| matches!(hit.event, Event::Boundary(_)))?;
        let Hit { point, record, .. } = &hits[border];
        let end = self.curve.problem().recurrence()?.closed_in_one_mode((point, record))?;
        let (place, near) = (end.point.parameter(), ROUNDING * size_of_parameter(point));
        hits.truncate(border);
        hits.retain(|hit| {
            let stays = matches!(hit.event, Event::Level(_) | Event::RangeEnd(_) | Event::Bound(..));
            stays || (hit.point.parameter() - place).abs() > near
        });
        Some(end)
    }

    /// Enter the last point of a curve, whose message says why it ends there.
    pub(super) fn enter_last(
        end: BranchPoint,
        found: &mut Vec<BranchPoint>,
        (direction, log): (usize, &mut dyn Logbook),
    ) -> End {
        let meaning = end.message.clone();
        log.point(direction, &end, None);
        found.push(end);
        End::Shrunk { meaning }
    }

    /// The same where the last point found, with which a segment vanishes, has come to rest next to such an end.
    pub(super) fn last_in_one_mode(&mut self, found: &mut [BranchPoint]) -> Option<End> {
        let last = found.last_mut()?;
        let end = self.curve.problem().recurrence()?;
        *last = end.closed_in_one_mode((&last.point, &last.record))?;
        let meaning = last.message.clone();
        Some(End::Shrunk { meaning })
    }
}
