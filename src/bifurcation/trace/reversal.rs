//! A walk that turns back along the way it came, noticed by the points that it passes again.
//!
//! Where the parameter turns, the points found before the turn are compared, each at its own value of the parameter,
//! with those found beyond it. At a fold they lie on the other sheet, and what is measured there has moved away from
//! what was measured before the turn at least as far as the turn lies off. Where the same is measured again the walk
//! has turned back: by a mistake of the tracer, which tries again more slowly from the last point before the turn; or
//! because the curve ends on another one, as a branch of doubled orbits does, and the same orbits follow started from
//! another of their points.

use super::super::{BranchPoint, End, Label, Logbook, Record, TraceOptions};
use super::closing::{between, multiplier_values, values};
use super::one_way::OneWay;
use slipstick_continuation::{Point, Stride};
use slipstick_floquet::Multiplier;
use slipstick_numerics::number::exact;

/// How far back from a point the last turn is looked for, and how many points before it that are passed again are
/// compared.
const LOOK: usize = 240;
const COMPARED: usize = 8;
/// How often a walk that has turned back tries again.
const RETRIES: usize = 3;
/// A retry steps this much shorter.
const SHORTER: f64 = 0.05;

/// What has come again.
pub(super) enum Again {
    /// The same points: the tracer has turned round.
    Points,
    /// The same solutions, expressed in another way.
    Retold,
}

impl OneWay<'_> {
    /// Does the step from `base` to `next` pass a point again that was found before the last turn of the parameter?
    /// Returns where the last point before the turn stands among those `found`.
    pub(super) fn turned_back(
        &mut self,
        base: &Point,
        (next, record): (&Point, &Record),
        found: &[BranchPoint],
    ) -> Option<(usize, Again)> {
        if self.family || self.continuum.is_some() || next.stays_at_parameter() {
            return None;
        }
        let onwards = next.parameter_rate().signum();
        let unlabelled = |p: &&(usize, &BranchPoint)| p.1.label.is_none();
        let along = |p: &(usize, &BranchPoint)| p.1.point.parameter_rate() * onwards > 0.0;
        let mut back = found
            .iter()
            .enumerate()
            .rev()
            .filter(|p| unlabelled(&p))
            .take(LOOK)
            .skip_while(along);
        let (turn, last) = back.next()?;
        let (a, b) = (base.parameter(), next.parameter());
        let before = self.last.1.clone();
        let passed = |known: &&BranchPoint| {
            let level = known.point.parameter();
            (a - level) * (b - level) < 0.0
                && !known.point.stays_at_parameter()
                && between(&known.record, &before, record)
        };
        let earlier = back.take_while(|p| !along(p)).map(|p| p.1).filter(passed);
        let earlier: Vec<&BranchPoint> = earlier.take(COMPARED).collect();
        for known in earlier {
            let level = known.point.parameter();
            let Ok(Some((_, at, record))) = self.at_parameter(base, next, level) else {
                continue;
            };
            match self.compare(known, last, &at, &record) {
                None => {}
                Some(None) => return None,
                Some(Some(again)) => return Some((turn, again)),
            }
        }
        None
    }

    /// Does the step from `base` to `next` pass a point again, in the other direction, that was found before several
    /// turns? Next to the place where a curve ends on another one it may have folds that are nearer to it than steps
    /// are long. Returns where the last point before that place stands among those `found`.
    pub(super) fn retraced(
        &mut self,
        base: &Point,
        (next, record): (&Point, &Record),
        found: &[BranchPoint],
    ) -> Option<usize> {
        if self.family || self.continuum.is_some() || next.meshes.is_none() || next.stays_at_parameter() {
            return None;
        }
        let unlabelled = |p: &(usize, &BranchPoint)| p.1.label.is_none();
        // In the middle of the way there and back.
        let count = found.len();
        let ends = |p: &(usize, &BranchPoint)| {
            matches!(p.1.label, Some(Label::BP | Label::LP)) && p.1.record.multipliers.iter().any(is_one)
        };
        let before = self.last.1.clone();
        let bounds = [&before, record].map(|r| values(r, &self.incidental));
        let (a, b) = (base.parameter(), next.parameter());
        let passed = |p: &(usize, &BranchPoint)| {
            let level = p.1.point.parameter();
            (a - level) * (b - level) < 0.0
                && p.1.point.parameter_rate() * next.parameter_rate() < 0.0
                && between(&p.1.record, &before, record)
                && lies_between(&values(&p.1.record, &self.incidental), &bounds)
        };
        let known = found.iter().enumerate().rev().filter(unlabelled).find(passed)?;
        let apart = |i: usize| (2 * i).abs_diff(known.0 + count);
        let place = found.iter().enumerate().skip(known.0).filter(ends);
        let place = place.min_by_key(|p| apart(p.0))?.0;
        let turn = (known.0..place).rev().find(|&i| found[i].label.is_none())?;
        let (_, at, there) = self.at_parameter(base, next, known.1.point.parameter()).ok()??;
        matches!(self.compare(known.1, &found[turn], &at, &there), Some(Some(_))).then_some(turn)
    }

    /// Is what was found `at` the parameter of a `known` point the same again, as far as can be decided from the change
    /// between it and the `last` point before the turn? None where nothing has changed enough to tell.
    fn compare(
        &mut self,
        known: &BranchPoint,
        last: &BranchPoint,
        at: &Point,
        record: &Record,
    ) -> Option<Option<Again>> {
        /// What differs by this much of the change is different.
        const PART: f64 = 0.02;
        /// Changes of this relative size can be distinguished from errors, and differences of that size cannot.
        const DECISIVE: f64 = 1e-4;
        const ROUNDING: f64 = 1e-6;
        /// Multipliers of stiff orbits have fewer digits.
        const LOOSE: f64 = 1e-4;
        let records = [&known.record, &last.record, record];
        let parts = [
            (records.map(|r| values(r, &self.incidental)), ROUNDING),
            (records.map(multiplier_values), LOOSE),
        ];
        let mut decisive = false;
        for ([known, last, found], rounding) in &parts {
            if known.len() != found.len() || known.len() != last.len() {
                return Some(None);
            }
            for ((k, l), f) in known.iter().zip(last).zip(found) {
                if k.is_nan() && f.is_nan() {
                    continue;
                }
                let (change, size) = ((k - l).abs(), k.abs().max(l.abs()));
                decisive |= change > DECISIVE * size && change > 1e-9;
                if !((f - k).abs() <= PART * change + rounding * size + 1e-9) {
                    return Some(None);
                }
            }
        }
        if !decisive {
            return None;
        }
        let same_unknowns = |a: &Point, b: &Point| a.z.len() == b.z.len() && a.meshes == b.meshes;
        let orbit = !record.multipliers.is_empty();
        if same_unknowns(&known.point, at) && same_unknowns(&known.point, &last.point) {
            let near = known.point.distance(at) <= PART * known.point.distance(&last.point) + ROUNDING;
            return Some(match (near, orbit) {
                (true, _) => Some(Again::Points),
                (false, true) => Some(Again::Retold),
                (false, false) => None,
            });
        }
        // On other meshes the start of the orbit says whether it starts from the same point.
        let far = known.point.z.iter().zip(&at.z).zip(&known.point.weights).take(3);
        let apart = far.fold(0.0, |m: f64, ((a, b), w)| m.max((a - b).abs() * w.sqrt()));
        let anywhere = self.may_start_anywhere();
        Some(Some(if orbit && apart > PART && !anywhere {
            Again::Retold
        } else {
            Again::Points
        }))
    }

    /// Take back what was found beyond a turn that is none, and go on from the last point before it; returns the end of
    /// the walk where that has failed before, or where the curve ends there.
    pub(super) fn take_back(
        &mut self,
        (turn, again): (usize, Again),
        options: &TraceOptions,
        found: &mut Vec<BranchPoint>,
        direction: usize,
        log: &mut dyn Logbook,
    ) -> Option<End> {
        let beyond = found.split_off(turn + 1);
        let last = found[turn].clone();
        self.last = (last.point.clone(), last.record.clone());
        self.curve.problem().restore(&last.point.meshes);
        if let Again::Retold = again {
            // Cycles that shrink to an equilibrium come again as well, where a step was as long as they are large.
            log.rewind(direction, turn + 1);
            if let Some(end) = self.vanish(found, options, direction, log) {
                return Some(end);
            }
            // Small ones are tried in shorter steps first.
            let tried = self.retries > 0 || !self.is_small(found);
            if tried && let Some(end) = self.ends_on_another(&beyond, options, found, direction, log) {
                return Some(end);
            }
        }
        if self.retries == RETRIES {
            log.rewind(direction, turn + 1);
            // Where the meshes have changed, nothing says from which of its points an orbit starts.
            let end = self.recurs_at_last(found);
            if let Some(end) = end.or_else(|| self.ends_on_another(&beyond, options, found, direction, log)) {
                return Some(end);
            }
            let why = format!(
                "the continuation reversed its direction at {} = {}, also with shorter steps",
                self.parameter_name,
                exact(last.point.parameter())
            );
            return Some(self.fail(found, why));
        }
        self.slow_down();
        let step = SHORTER * self.curve.stride().step;
        self.curve.take_up(last.point.clone(), Stride::first(step));
        log.rewind(direction, turn);
        log.point(direction, &last, Some(&self.pace()));
        None
    }

    /// The end of a curve on another one, if that is what was found `beyond` the turn says: a multiplier is +1 there.
    /// Without one, what turned is where orbits start.
    fn ends_on_another(
        &mut self,
        beyond: &[BranchPoint],
        options: &TraceOptions,
        found: &mut Vec<BranchPoint>,
        direction: usize,
        log: &mut dyn Logbook,
    ) -> Option<End> {
        let labelled = |label| beyond.iter().find(|p| p.label == Some(label));
        let known = labelled(Label::BP).or_else(|| labelled(Label::LP));
        let known = known.filter(|p| p.record.multipliers.iter().any(is_one)).cloned();
        let located = known.is_some();
        let p = &known.or_else(|| self.where_laps_meet(beyond, found))?;
        let behind = beyond.iter().filter(|_| located).skip_while(|q| q.point != p.point);
        let same = |q: &&BranchPoint| q.label.is_none() && q.point.meshes == p.point.meshes;
        let next = behind.filter(same).find(|q| q.point.z.len() == p.point.z.len());
        let stretch = next.map(|next| (p, &next.point));
        if let Some(end) = stretch.and_then(|s| self.enter_last_stretch(s, options, found, (direction, &mut *log))) {
            return Some(end);
        }
        let recurrence = self.curve.problem().recurrence();
        let doubled = recurrence.is_some_and(|orbits| orbits.is_doubled(&p.point));
        self.curve.problem().restore(&self.last.0.meshes.clone());
        let (name, value) = (&self.parameter_name, exact(p.point.parameter()));
        let (label, meaning) = match doubled {
            true => (
                Label::PD,
                format!(
                    "period doubling: this branch ends at {name} = {value} on the orbit that it is born from, one of whose multipliers is -1; beyond it the same \
                     orbits recur, begun half a period later"
                ),
            ),
            false => (
                Label::BP,
                format!(
                    "branch point: this branch ends on another one at {name} = {value}; beyond it the same solutions recur with another initial point"
                ),
            ),
        };
        let special = BranchPoint {
            label: Some(label),
            message: meaning.clone(),
            ..p.clone()
        };
        log.point(direction, &special, None);
        found.push(special);
        Some(End::Shrunk { meaning })
    }

    /// Where rounding hides the place at which a branch of doubled orbits turns, though steps have become short: the
    /// point next to it, if the laps are one there.
    fn where_laps_meet(&mut self, beyond: &[BranchPoint], found: &[BranchPoint]) -> Option<BranchPoint> {
        if self.retries < RETRIES {
            return None;
        }
        let off = |p: &&BranchPoint| p.record.distance_from_one().abs();
        let nearest = beyond.iter().chain(found.last());
        let nearest = nearest.min_by(|a, b| off(a).total_cmp(&off(b)))?.clone();
        let one = nearest.record.multipliers.iter().any(is_one);
        let orbits = self.curve.problem().recurrence();
        let doubled = one && orbits.is_some_and(|orbits| orbits.is_doubled(&nearest.point));
        self.curve.problem().restore(&self.last.0.meshes.clone());
        doubled.then_some(nearest)
    }

    /// Smaller turns and shorter steps from now on.
    pub(super) fn slow_down(&mut self) {
        self.retries += 1;
        self.curve.slow_down();
    }
}

/// May a multiplier be +1 where a curve turns?
fn is_one(multiplier: &Multiplier) -> bool {
    /// The turn is located as well as the rate of the parameter allows.
    const NEAR: f64 = 1e-2;
    multiplier.log10.abs() <= NEAR && multiplier.arg.abs() <= NEAR
}

/// Do all values lie between those at two points, or as near to them as these are to each other?
fn lies_between(values: &[f64], [a, b]: &[Vec<f64>; 2]) -> bool {
    /// Values that do not change along the curve differ by errors.
    const ERROR: f64 = 1e-5;
    let within = |(v, (a, b)): (&f64, (&f64, &f64))| {
        let room = (a - b).abs() + ERROR * a.abs().max(b.abs()) + ERROR;
        !(*v < a.min(*b) - room || *v > a.max(*b) + room)
    };
    values.len() == a.len() && values.iter().zip(a.iter().zip(b)).all(within)
}
