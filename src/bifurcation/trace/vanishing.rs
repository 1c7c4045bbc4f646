//! Families of cycles that shrink to an equilibrium end there. The branch goes on through amplitude zero, and beyond it
//! the same cycles come again, half a period on; on the way their equations are singular. So the end is looked for
//! where cycles become small, from the last two of them, and steps that lead across it are taken back. Segments that
//! last shorter and shorter while the parameter comes to rest end the curve likewise.

use super::super::{BranchPoint, Column, End, Label, Logbook, Rank, Record, TraceOptions};
use super::border::INSTANT;
use super::continuum::size_of_parameter;
use super::one_way::OneWay;
use slipstick_continuation::{Point, Stride};
use slipstick_numerics::tableau::quadrature::lagrange;

/// Cycles that one step makes so much smaller could vanish in the next one.
const FAST: f64 = 2.0 / 3.0;
/// Cycles of this part of the largest on the curve are small.
const SMALL: f64 = 0.01;
/// Orbits of this part have shrunk to a point.
const POINT: f64 = 1e-6;
/// Where the tracer gives up, those of this part.
const LOST: f64 = 0.1;
/// A segment that lasts no longer than this part of the period is short.
const SHORT: f64 = 1e-3;
/// From one point to the next it must fall to this part; where it hardly changes, any law fits.
const FALLS: f64 = 0.98;
/// The highest power of its duration that the way of the parameter may follow, and how far off that law may be.
const MOST_POWER: i32 = 6;
const OFF: f64 = 0.02;
/// What may be left of the way of the parameter to the end of a segment, as part of the range: where steps still
/// succeed, and where the tracer gave up.
pub(super) const AT_REST: f64 = 1e-12;
pub(super) const GIVEN_UP: f64 = 1e-9;
/// When the limit of a parameter is known as orbits become ever shorter: what may be left of the way to it, and by how
/// much limits from three points and from four may differ, as parts of the size of the parameter.
pub(super) struct Known {
    left: f64,
    agree: f64,
}
pub(super) const WHEN_SHORT: Known = Known {
    left: 1e-5,
    agree: 1e-9,
};
const WHEN_LOST: Known = Known {
    left: 1e-3,
    agree: 1e-7,
};
/// After so many short steps on end a curve hardly gets on.
pub(super) const HARDLY: usize = 10;
/// How many points farther back are looked at, where the tracer gave up.
const MOST_BACK: usize = 1000;
/// How many steps across the end are taken back.
const MOST: usize = 60;

impl OneWay<'_> {
    /// Does the step lead across the point where cycles vanish?
    pub(super) fn crosses_vanishing(&mut self, (base, next): (&Point, &Point), record: &Record) -> bool {
        let before = (base, &self.last.1);
        let recurrence = self.curve.problem().recurrence();
        self.crossings < MOST && recurrence.is_some_and(|r| r.turned_over(before, (next, record)))
    }

    /// Set off again from the last point with half a step of length `h`.
    pub(super) fn set_off_shorter(&mut self, h: f64) {
        self.crossings += 1;
        let (last, step) = (self.last.0.clone(), 0.5 * h);
        self.curve.take_up(last, Stride::first(step));
    }

    /// The end of the family where its cycles vanish, where the tracer gave up on small ones.
    pub(super) fn lost_small(
        &mut self,
        found: &mut Vec<BranchPoint>,
        options: &TraceOptions,
        direction: usize,
        log: &mut dyn Logbook,
    ) -> Option<End> {
        if self.part_of_largest(found)? > LOST {
            return None;
        }
        let end = self.vanish(found, options, direction, log);
        end.or_else(|| self.shrinks_to_point(found, (options, &WHEN_LOST), direction, log))
    }

    /// Are the last cycles so small that a step could be as long as they are large?
    pub(super) fn is_small(&mut self, found: &[BranchPoint]) -> bool {
        /// No larger than this part of the largest.
        const PART: f64 = 0.3;
        self.part_of_largest(found).is_some_and(|part| part <= PART)
    }

    /// How large the last cycle is next to the largest one on the curve, for cycles that may vanish.
    fn part_of_largest(&mut self, found: &[BranchPoint]) -> Option<f64> {
        let (last, _) = last_two(found, &self.begin_record)?;
        self.shrinkage_to(&last.record)
    }

    fn shrinkage_to(&mut self, record: &Record) -> Option<f64> {
        self.curve.problem().recurrence()?.shrinkage(&self.largest, record)
    }

    /// Are the last cycles so small, or become so much smaller from one to the next, that the point where they vanish
    /// should be looked for?
    pub(super) fn dwindles(&mut self, found: &[BranchPoint]) -> bool {
        let Some((last, before)) = last_two(found, &self.begin_record) else {
            return false;
        };
        let Some(recurrence) = self.curve.problem().recurrence() else {
            return false;
        };
        let Some(part) = recurrence.shrinkage(&self.largest, &last.record) else {
            return false;
        };
        let step = recurrence.shrinkage(before, &last.record).unwrap_or(1.0);
        if part > 1.0 {
            self.largest.clone_from(&last.record);
        }
        step <= FAST || part <= SMALL && step < 1.0
    }

    /// The end of the family where its cycles vanish, if the last two lead there, and nothing that is asked for comes
    /// before.
    pub(super) fn vanish(
        &mut self,
        found: &mut Vec<BranchPoint>,
        options: &TraceOptions,
        direction: usize,
        log: &mut dyn Logbook,
    ) -> Option<End> {
        let (last, before) = last_two(found, &self.begin_record)?;
        let mut end = self
            .curve
            .problem()
            .recurrence()?
            .vanishing_point(before, (&last.point, &last.record))?;
        if self.asked_for_before(&last.record, &end, options) {
            return None;
        }
        if self.family || self.continuum.is_some() {
            end.message.push_str(&self.said_of_continuum(&end.record));
        }
        log.point(direction, &end, None);
        let meaning = end.message.clone();
        found.push(end);
        Some(End::Shrunk { meaning })
    }

    /// Does a level, or the end of the range, come between what was measured last and the end of the curve?
    pub(super) fn asked_for_before(&self, last: &Record, end: &BranchPoint, options: &TraceOptions) -> bool {
        let (low, high) = options.range;
        let at = end.point.parameter();
        let outside = !self.family && self.continuum.is_none() && (at < low || at > high);
        let between = options.levels.iter().any(|level| {
            let [from, to] = [last, &end.record].map(|r| level.column.of(r) - level.value);
            from * to < 0.0 && to.abs() > level.rounding(&end.point, &end.record, self.parameter)
        });
        outside || between
    }

    /// The end of a family whose orbits shrink to a point that is no Hopf point, as of a system that switches on a
    /// surface through an equilibrium: they are so small that nothing more can be measured, or so short that where they
    /// lead to is known.
    pub(super) fn shrinks_to_point(
        &mut self,
        found: &mut Vec<BranchPoint>,
        (options, known): (&TraceOptions, &Known),
        direction: usize,
        log: &mut dyn Logbook,
    ) -> Option<End> {
        let part = self.part_of_largest(found)?;
        let short = self.limit_of_times(found, options, known).filter(|_| part <= SMALL);
        let (last, before) = last_two(found, &self.begin_record)?;
        let step = self.curve.problem().recurrence()?.shrinkage(before, &last.record)?;
        if part > POINT && short.is_none() || step >= 1.0 {
            return None;
        }
        let (now, then) = (
            last.record.parameters[self.parameter],
            before.parameters[self.parameter],
        );
        /// A limit of this part of the last two values is zero.
        const ZERO: f64 = 1e-6;
        let limit = short.unwrap_or(now + (now - then) * step / (1.0 - step));
        let limit = if limit.abs() <= ZERO * now.abs().max(then.abs()) {
            "0".to_owned()
        } else {
            format!("{limit:.9}")
        };
        let meaning = format!(
            "the orbits shrink to a point (here to {part:.1e} of the largest size) as {} tends to {limit}",
            self.parameter_name
        );
        let end = BranchPoint {
            label: Some(Label::EP),
            message: meaning.clone(),
            ..last.clone()
        };
        log.point(direction, &end, None);
        found.push(end);
        Some(End::Shrunk { meaning })
    }

    /// The end of a curve on which the parameter comes to rest as a segment becomes shorter and shorter. It is not
    /// crossed by a step: a segment that starts and ends on one surface satisfies its equations with any parameter once
    /// it lasts no time. No more than `left` of the range may be left of the way.
    pub(super) fn segment_vanishes(
        &mut self,
        found: &mut [BranchPoint],
        options: &TraceOptions,
        left: f64,
    ) -> Option<End> {
        if found.last()?.label.is_some() {
            return None;
        }
        let c = found.last()?;
        let of = |p: &BranchPoint, i: usize| p.record.inequalities[i];
        // Steps that have become short leave durations as they were: then points farther back tell.
        let farthest = if left == AT_REST { 1 } else { MOST_BACK };
        let before = |from: usize, i: usize| {
            let falls = |k: &usize| of(&found[from], i) <= FALLS * of(&found[*k], i);
            let unlabelled = (0..from).rev().filter(|k| found[*k].label.is_none());
            unlabelled.take(farthest).find(falls)
        };
        let (shortest, b, a) = (0..self.inequalities.len())
            .filter(|&i| self.inequalities[i].rank == Rank::Duration && of(c, i) <= SHORT * c.record.period)
            .filter_map(|i| {
                let b = before(found.len() - 1, i)?;
                let a = before(b, i)?;
                // Between events of one instant it is rounding.
                (of(&found[a], i) > INSTANT * c.record.period).then_some((i, b, a))
            })
            .min_by(|x, y| of(c, x.0).total_cmp(&of(c, y.0)))?;
        let ways = [a, b, found.len() - 1].map(|k| &found[k]);
        let at = |p: &BranchPoint| p.record.parameters[self.parameter];
        let (_, rest) = law(ways.map(at), ways.map(|p| of(p, shortest)), 2)?;
        let most = left * (options.range.1 - options.range.0);
        if rest.abs() > most {
            return None;
        }
        let limit = at(c) + rest;
        let limit = if limit.abs() <= most {
            "0".to_owned()
        } else {
            format!("{limit:.9}")
        };
        let spec = &self.inequalities[shortest];
        let (label, inequality) = (spec.label, shortest);
        let meaning = format!("{} as {} tends to {limit}", spec.meaning, self.parameter_name);
        let last = found.last_mut()?;
        last.label = Some(label);
        last.message.clone_from(&meaning);
        Some(End::Boundary {
            inequality,
            label,
            meaning,
        })
    }

    /// Where the parameter comes to rest as the period shrinks to zero, if points whose periods fall to the half agree
    /// on it, little is left of the way, and nothing that is asked for lies on it: shorter orbits are at the mercy of
    /// rounding. The way is a smooth function of a power of the period.
    fn limit_of_times(&self, found: &[BranchPoint], options: &TraceOptions, known: &Known) -> Option<f64> {
        const HALF: f64 = 0.5;
        let mut shorter: Vec<(f64, f64)> = vec![];
        for p in found.iter().rev().filter(|p| p.label.is_none()).take(MOST_BACK) {
            let (at, period) = (p.record.parameters[self.parameter], p.record.period);
            if shorter.last().is_none_or(|(_, last)| *last <= HALF * period) {
                shorter.push((at, period));
            }
            if shorter.len() == 4 {
                break;
            }
        }
        let [(d, last), (c, third), (b, second), (a, first)] = shorter[..] else {
            return None;
        };
        let (power, _) = law([b, c, d], [second, third, last], 1)?;
        let powers = [last, third, second, first].map(|period| period.powi(power));
        let limit = |count: usize| -> f64 {
            let weights = lagrange(&powers[..count], 0.0);
            weights.iter().zip([d, c, b, a]).map(|(w, v)| w * v).sum()
        };
        let (from_three, limit) = (limit(3), limit(4));
        let size = size_of_parameter(&found.last()?.point);
        let is_known = (d - limit).abs() <= known.left * size && (limit - from_three).abs() <= known.agree * size;
        let (low, high) = options.range;
        let on_the_way = options.levels.iter().any(|level| match level.column {
            Column::Parameter(i) if i == self.parameter => (level.value - d) * (level.value - limit) < 0.0,
            Column::Period => level.value > 0.0 && level.value < last,
            _ => false,
        });
        (is_known && low <= limit && limit <= high && !on_the_way).then_some(limit)
    }

    /// What was measured where the cycles found so far are largest.
    pub(super) fn note_largest(&mut self, found: &[BranchPoint]) {
        self.largest.clone_from(&self.begin_record);
        for known in found.iter().filter(|p| p.label.is_none()) {
            let part = self.shrinkage_to(&known.record);
            if part.is_some_and(|part| part > 1.0) {
                self.largest.clone_from(&known.record);
            }
        }
    }
}

/// The power of a duration that shrinks to zero, the `least` one or a higher one, that the way of the parameter follows
/// by three of its values, and what is left of it.
fn law([a, b, c]: [f64; 3], durations: [f64; 3], least: i32) -> Option<(i32, f64)> {
    let ratio = (c - b) / (b - a);
    (least..=MOST_POWER).find_map(|power| {
        let [to_a, to_b, to_c] = durations.map(|d| d.powi(power));
        let by_law = (to_c - to_b) / (to_b - to_a);
        ((ratio / by_law - 1.0).abs() <= OFF).then(|| (power, (b - c) * to_c / (to_c - to_b)))
    })
}

/// The last point that was stepped to, and what was measured at the one before; of the first one, where the walk began.
fn last_two<'f, 'r>(found: &'f [BranchPoint], begin: &'r Record) -> Option<(&'f BranchPoint, &'r Record)>
where
    'f: 'r,
{
    let mut unlabelled = found.iter().rev().filter(|p| p.label.is_none());
    let last = unlabelled.next()?;
    Some((last, unlabelled.next().map_or(begin, |p| &p.record)))
}
