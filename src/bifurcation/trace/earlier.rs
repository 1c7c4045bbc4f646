//! Inequalities that fail before what seems to end a curve, and do not show it at the end of the step.
//!
//! A segment that turns back just behind its start comes to a surface a little before its start does. Once it begins
//! beyond the surface nothing is wrong with it any more, as far as that inequality can say: it fails on a short stretch
//! of the curve only, which a step may lead across. What ends the curve then, a little later, is the inequality of the
//! segment before; or nothing does.

use super::super::{BranchPoint, Rank, Record, TraceOptions};
use super::one_way::{Event, OneWay};
use super::passage::Hit;
use slipstick_continuation::Point;

/// A value that is negative by this part of what it was is more than rounding, as is this one where it was large.
const FAILED: f64 = 1e-10;
/// An inequality that would come to zero within so many steps is looked at, if it does not go on to fall.
const AHEAD: f64 = 2.0;
/// Where it jumps up is found to this part of a step; after so many halvings a jump is still this part of the change.
const NARROW: f64 = 1e-9;
const SMOOTH: usize = 6;
const JUMP: f64 = 0.25;
/// How many points back one is looked for that tells how it has fallen.
const LOOK: usize = 3;
/// Nearer than this part of the step to where a segment or a rate vanishes is there.
const TOGETHER: f64 = 1e-3;
/// How often something earlier still is looked for.
const MOST: usize = 4;

/// Is the value that of an inequality that comes nowhere near its border?
fn is_far(value: f64) -> bool {
    value >= Record::FAR
}

impl OneWay<'_> {
    /// The borders that are passed on the way `from` a point before the first of the `hits` that ends the curve there,
    /// or before `to`, if none does, and that do not show at `to`.
    pub(super) fn earlier_ends(
        &mut self,
        from: (&Point, &Record),
        to: (&Point, &Record),
        hits: &[Hit],
        options: &TraceOptions,
    ) -> Vec<Hit> {
        let first = hits.iter().filter(|hit| hit.event.ends());
        let first = first.min_by(|a, b| a.s.total_cmp(&b.s));
        let mut known: Vec<usize> = hits
            .iter()
            .filter_map(|hit| match hit.event {
                Event::Boundary(i) => Some(i),
                _ => None,
            })
            .collect();
        let ends = first.is_some();
        let (mut point, mut record) = match first {
            Some(hit) => (hit.point.clone(), hit.record.clone()),
            None => (to.0.clone(), to.1.clone()),
        };
        // What vanishes together with a segment, or with a rate, says less of it.
        let last = first.and_then(|hit| match hit.event {
            Event::Boundary(i) if self.inequalities[i].rank > Rank::Other => {
                Some(hit.s - TOGETHER * from.0.arclength_to(to.0))
            }
            _ => None,
        });
        let mut earlier = vec![];
        let jumps = self.jumps;
        for turn in 0..MOST {
            let failed = (ends || turn > 0).then(|| self.first_failed(from, (&point, &record), &known));
            let found = match failed.flatten() {
                Some(inequality) => Some((inequality, point.clone(), record.clone())),
                None => self.fails_for_a_while(from, (&point, &record), &known),
            };
            let Some((inequality, beyond, measured)) = found else {
                break;
            };
            known.push(inequality);
            let event = Event::Boundary(inequality);
            if let Ok(Some((s, at, there))) = self.locate(from, (&beyond, &measured), &event, options)
                && last.is_none_or(|end| s < end)
            {
                (point, record) = (at.clone(), there.clone());
                earlier.push(Hit {
                    s,
                    event,
                    point: at,
                    record: there,
                });
            }
        }
        self.jumps = jumps;
        earlier
    }

    /// An inequality about the inside of a segment that has failed between two points, other than those `known`.
    fn first_failed(&self, from: (&Point, &Record), to: (&Point, &Record), known: &[usize]) -> Option<usize> {
        let (before, record) = (from.1, to.1);
        let failed = |i: &usize| {
            let (a, b) = (before.inequalities[*i], record.inequalities[*i]);
            self.inequalities[*i].rank <= Rank::Other
                && a > 0.0
                && b < -FAILED * a.min(1.0)
                && !self.is_instant(before, record, *i)
        };
        let count = before.inequalities.len().min(record.inequalities.len());
        (0..count).find(|i| failed(i) && !known.contains(i))
    }

    /// An inequality of this kind that falls towards zero, is larger again at the second of two points, and fails in
    /// between, with a point where it has failed. It jumps up where its segment begins beyond the surface.
    fn fails_for_a_while(
        &mut self,
        from: (&Point, &Record),
        to: (&Point, &Record),
        known: &[usize],
    ) -> Option<(usize, Point, Record)> {
        let h = from.0.arclength_to(to.0);
        let count = from.1.inequalities.len().min(to.1.inequalities.len());
        let suspect = |i: &usize| {
            let (a, b) = (from.1.inequalities[*i], to.1.inequalities[*i]);
            let falls = self.slopes.get(*i).is_some_and(|slope| a + AHEAD * slope * h < 0.0);
            self.inequalities[*i].rank <= Rank::Other
                && a > 0.0
                && b > a
                && (falls || is_far(b))
                && !is_far(a)
                && !known.contains(i)
        };
        let suspects: Vec<usize> = (0..count).filter(suspect).collect();
        suspects.into_iter().find_map(|inequality| {
            let (a, b) = (from.1.inequalities[inequality], to.1.inequalities[inequality]);
            let (mut low, mut high) = ((0.0, a), (h, b));
            for halvings in 0.. {
                // What comes up again without a jump has been seen to stay positive.
                let smooth = halvings > SMOOTH && high.1 - low.1 < JUMP * (b - a);
                if smooth || high.0 - low.0 <= NARROW * h {
                    break;
                }
                let s = 0.5 * (low.0 + high.0);
                let at = self.curve.between(from.0, s).ok()?;
                let mut record = Record::default();
                self.curve.problem().inspect(&at, &mut record).ok()?;
                let value = *record.inequalities.get(inequality)?;
                if value < 0.0 {
                    return Some((inequality, at, record));
                }
                if value > a {
                    high = (s, value);
                } else {
                    low = (s, value);
                }
            }
            None
        })
    }

    /// Note how fast inequalities have fallen on the way to the last point.
    pub(super) fn note_slopes(&mut self, base: &Point, found: &[BranchPoint]) {
        let last = &self.last.1.inequalities;
        let earlier = found.iter().rev().filter(|p| p.label.is_none());
        let comparable = |p: &&BranchPoint| {
            let values = &p.record.inequalities;
            p.point.z.len() == base.z.len() && values.len() == last.len() && values != last
        };
        let slopes = earlier.take(LOOK).find(comparable).map(|p| {
            let way = base.distance(&p.point);
            let pairs = last.iter().zip(&p.record.inequalities);
            pairs.map(|(now, then)| (now - then) / way).collect()
        });
        self.slopes = slopes.unwrap_or_default();
    }
}
