//! The way from the last point of a curve to the branch point on another curve at which it ends.
//!
//! Such an end is noticed by what follows beyond it: the same solutions, in reverse order. The step that leads across
//! the end passes everything that lies just before it twice, and test functions have the same sign at both of its
//! ends. The way to the end is searched by itself: at the end they have the sign that they come there with.

use super::super::{BranchPoint, End, Label, Logbook, TraceOptions};
use super::one_way::{Event, MOST_SHORTER, OneWay};
use super::passage::Hit;
use crate::Record;
use crate::interpolate::MOST_TURN;
use slipstick_continuation::{Point, Stride};

impl OneWay<'_> {
    /// Enter what happens between the last point and the `end`, a branch point on another curve; `next` is a point of
    /// the curve beyond it. Returns another end of the curve where one comes before.
    pub(super) fn enter_last_stretch(
        &mut self,
        (end, next): (&BranchPoint, &Point),
        options: &TraceOptions,
        found: &mut Vec<BranchPoint>,
        log: (usize, &mut dyn Logbook),
    ) -> Option<End> {
        let ((at, record), place) = self.last_beside(&end.point, next)?;
        self.last = (at.clone(), record);
        // The curve has no other step here that could be shorter.
        self.shorter = MOST_SHORTER;
        let searched = self.passage(&at, &place, &end.record, options, found);
        let mut hits = searched.ok().flatten()?;
        let h = at.arclength_to(&place);
        hits.retain(|hit| self.is_before(hit, h));
        self.enter(hits, &at, options, found, log)
    }

    /// Does something happen before the end of a stretch of this length, rather than being the end itself?
    fn is_before(&self, hit: &Hit, h: f64) -> bool {
        /// What is located nearer to an end is there, or was there before.
        const END: f64 = 1e-9;
        let of_end = match hit.event {
            Event::Fold | Event::FlatFold | Event::PitchforkBranch(_) | Event::Multiple(..) => true,
            Event::Test(i) | Event::Touch(i) | Event::Together { test: i, .. } => self.tests[i].label == Label::BP,
            Event::Level(_) | Event::Boundary(_) | Event::RangeEnd(_) | Event::Bound(..) => false,
        };
        !of_end && hit.s > END * h && hit.s < (1.0 - END) * h
    }

    /// The last point as one on the discretisation on which the `end` was found, at the same parameter, with its
    /// measurements; and the end with the tangent of this curve, which is not known at a place where two curves cross.
    /// Both lie on the way back from the point `next`, beyond the end. None where that way leads elsewhere.
    fn last_beside(&mut self, end: &Point, next: &Point) -> Option<((Point, Record), Point)> {
        /// A step back, as a part of the way from beyond the end: none ends where the curves cross. Behind it steps
        /// grow by a factor.
        const PART: f64 = 0.3;
        const GROWTH: f64 = 1.5;
        const STEPS: usize = 40;
        /// Beside the end, for its tangent, as a part of the way.
        const BESIDE: f64 = 1e-3;
        let (last, unstable) = (self.last.0.parameter(), self.last.1.unstable);
        let way = -next.arclength_to(end);
        if !(way > 0.0) {
            return None;
        }
        self.curve.take_up(next.clone(), Stride::first(way));
        let (mut from, mut gone, mut step) = (next.clone(), 0.0, PART * way);
        for _ in 0..STEPS {
            let back = self.curve.between(&from, -step).ok()?;
            if from.turn_to(&back) > MOST_TURN {
                return None;
            }
            gone += step;
            let behind = gone > way;
            if behind && (back.parameter() - last) * (end.parameter() - last) <= 0.0 {
                let s = back.arclength_to(end);
                let beside = [s - BESIDE * way, s + BESIDE * way].map(|s| back.cubic(next, s));
                let tangent: Vec<f64> = beside[1].iter().zip(&beside[0]).map(|(b, a)| b - a).collect();
                let square: f64 = tangent.iter().zip(&end.weights).map(|(t, w)| t * t * w).sum();
                let place = Point {
                    tangent: tangent.iter().map(|t| t / square.sqrt()).collect(),
                    ..end.clone()
                };
                self.curve.take_up(place.clone(), Stride::first(way));
                let (_, at, record) = self.at_parameter(&back, &place, last).ok()??;
                return (record.unstable == unstable).then_some(((at, record), place));
            }
            from = back;
            step *= if behind { GROWTH } else { 1.0 };
        }
        None
    }
}
