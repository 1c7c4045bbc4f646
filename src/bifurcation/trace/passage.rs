//! What happens between two neighbouring points of a curve, and where.

use super::continuum::size_of_parameter;
use super::hidden::{Resolved, Sample};
use super::kernel::is_crossing;
use super::one_way::{Event, MOST_SHORTER, OneWay};
use super::vanished::{ROUNDING, is_rounding};
use crate::interpolate::MOST_TURN;
use crate::touch::touching;
use crate::{BranchPoint, Label, Rank, Record, TraceOptions};
use slipstick_continuation::{Failure, Point};

/// How often an interval is halved in which more eigenvalues or multipliers cross than has been located.
const HALVINGS: usize = 8;
/// Zeros of higher order nearer than this, in scaled arclength, are one.
pub(super) const ONE: f64 = 1e-7;
/// And those of order three or more, next to which the function is rounding, nearer than this.
pub(super) const SAME_PLACE: f64 = 1e-3;
/// And those that are touched.
const TOUCHED: f64 = 1e-5;
/// Among so many of the last points is the one that the step before found near its end.
const LAST: usize = 3;

/// |log₁₀| of a multiplier that is +1 but for how well a place is located in a canard explosion, where multipliers run
/// through all magnitudes, and elsewhere.
const UNRESOLVED: f64 = 1e-3;
const SHARP: f64 = 1e-6;
/// Beside the place, multipliers are as far from +1 as this in an explosion.
const DECADE: f64 = 1.0;

/// Is no multiplier as near as this to +1 where the curve turns back?
fn is_off_one(record: &Record, by: f64) -> bool {
    let all = record.of_return_map();
    !all.is_empty() && all.iter().all(|m| m.arg.abs() > by || m.log10.abs() > by)
}

/// Something that happens on the way from one point to the next.
pub(super) struct Hit {
    /// The arclength from the first point.
    pub(super) s: f64,
    pub(super) event: Event,
    pub(super) point: Point,
    pub(super) record: Record,
}

impl OneWay<'_> {
    /// Everything that happens on the way from the last point, `base` in the discretisation of the step, to the next,
    /// in order; `found` are the points so far. None where the next point turns out to be on another curve.
    ///
    /// # Errors
    /// [`Failure`] when an end of the curve cannot be located.
    pub(super) fn passage(
        &mut self,
        base: &Point,
        next: &Point,
        record: &Record,
        options: &TraceOptions,
        found: &[BranchPoint],
    ) -> Result<Option<Vec<Hit>>, Failure> {
        let before = self.last.1.clone();
        self.left = false;
        self.track = None;
        self.trackless = false;
        self.note_slopes(base, found);
        let Some(Resolved { mut samples, touched }) = self.resolve((base, &before), (next, record), found) else {
            return Ok(None);
        };
        for k in 1..samples.len() {
            let (earlier, later) = samples.split_at_mut(k);
            self.keep_sides(&earlier[k - 1].record, &mut later[0].record);
        }
        let mut hits = vec![];
        self.jumps = None;
        for pair in samples.windows(2) {
            let [from, to] = [&pair[0], &pair[1]].map(|p| (&p.point, &p.record));
            hits.extend(self.between(from, to, (base, next), options, HALVINGS)?);
        }
        if let Some(inequality) = self.jumps
            && !hits.iter().any(|hit| hit.event.ends())
        {
            if self.may_step_back() {
                return Ok(None);
            }
            let what = &self.inequalities[inequality].meaning;
            return Err(Failure::Evaluation(format!(
                "beyond this point {what}, without coming near it before: Newton's method finds other orbits there, or orbits are known to rounding only"
            )));
        }
        self.join_multiple(&mut hits);
        self.join_touching((base, &before), (next, record), &mut hits);
        for test in touched.iter().copied() {
            self.join_flat(test, &samples, &mut hits);
        }
        if record.tests.iter().chain(&before.tests).any(|v| v.abs() <= ROUNDING) {
            hits.retain(|hit| !self.is_classified(hit, (&before, record), found));
        }
        self.join_exponents((base, &before), (next, record), &mut hits, options);
        if self.left && self.may_step_back() {
            return Ok(None);
        }
        let touches = self.touches((base, &before), (next, record), &hits, (&samples, &touched));
        hits.extend(touches);
        hits.retain(|hit| !self.touches_at_border(&hit.event, &hit.record, [&before, record]));
        hits.retain(|hit| self.lies_on_axis(hit));
        // A place where two steps meet may be found in both.
        let known = |hit: &Hit| {
            let (test, same) = match hit.event {
                Event::Multiple(test, order) if order > 2 => (test, SAME_PLACE),
                Event::Multiple(test, _) => (test, ONE),
                Event::Touch(test) => (test, TOUCHED),
                _ => return false,
            };
            let label = Some(self.tests[test].label);
            let mut last = found.iter().rev().take(LAST).filter(|p| p.label == label);
            last.any(|p| p.point.distance(&hit.point) <= same)
        };
        hits.retain(|hit| !known(hit));
        for hit in &mut hits {
            hit.s = base.arclength_to(&hit.point);
            // What touches zero lies on neither side of it, whatever rounding makes of it.
            if matches!(hit.event, Event::Touch(_)) && before.unstable == record.unstable {
                hit.record.unstable = record.unstable;
            }
        }
        hits.sort_by(|a, b| a.s.total_cmp(&b.s));
        self.join_folds_and_crossings((base, &before), (next, record), &mut hits);
        self.separate_folds_and_ends((base, &before), &mut hits, options);
        self.prefer_ranks(&mut hits, base.arclength_to(next));
        Ok(Some(hits))
    }

    /// May the step be repeated shorter?
    pub(super) fn may_step_back(&self) -> bool {
        self.shorter < MOST_SHORTER
    }

    /// Is a change of sign one of rounding, next to a branch point that was found before on the stretch on which the
    /// test is no more than that?
    fn is_classified(&self, hit: &Hit, (before, record): (&Record, &Record), found: &[BranchPoint]) -> bool {
        let Event::Test(test) = hit.event else { return false };
        let vanished = |record: &Record| is_rounding(record, test, found);
        let branch_point = |p: &&BranchPoint| p.label == Some(Label::BP);
        self.tests[test].label == Label::BP
            && vanished(before)
            && vanished(record)
            && found
                .iter()
                .rev()
                .take_while(|p| vanished(&p.record))
                .any(|p| branch_point(&p))
    }

    /// Where a test for branch points has a zero of order three or more, and next to it is no more than rounding, that
    /// is the one place: changes of its sign around are those of rounding. It is none of the double zeros, either, that
    /// the square root of the function locates.
    fn join_flat(&mut self, test: usize, samples: &[Sample], hits: &mut Vec<Hit>) {
        if self.family || self.tests.get(test).is_none_or(|t| t.label != Label::BP) {
            return;
        }
        let Some(flat) = self.flat_touch(test, samples).filter(|flat| flat.order > 2) else {
            return;
        };
        let joined = |hit: &Hit| match hit.event {
            Event::Test(i) => i == test && (hit.s - flat.s).abs() <= flat.around,
            Event::Multiple(i, _) => i == test && (hit.s - flat.s).abs() <= SAME_PLACE,
            _ => false,
        };
        let base = self.curve.base().clone();
        hits.iter_mut().for_each(|hit| hit.s = base.arclength_to(&hit.point));
        hits.retain(|hit| !joined(hit));
        hits.extend(flat.hit);
    }

    /// A test function of equilibria along two parameters that rounding has passing zero to and fro at one place
    /// touches it there: as the eigenvalue of a curve of Hopf points on which a transcritical point lies.
    fn join_touching(
        &mut self,
        (base, before): (&Point, &Record),
        (next, record): (&Point, &Record),
        hits: &mut Vec<Hit>,
    ) {
        if self.folds || self.family || record.eigenvalues.is_empty() {
            return;
        }
        let h = base.arclength_to(next);
        for test in 0..self.tests.len() {
            let values = (before.tests[test], record.tests[test]);
            let own = |hit: &Hit| matches!(hit.event, Event::Test(i) if i == test);
            let places: Vec<Point> = hits
                .iter()
                .filter(|hit| own(hit))
                .map(|hit| hit.point.clone())
                .collect();
            let together = places.windows(2).all(|pair| pair[0].distance(&pair[1]) <= ONE);
            if places.len() < 2 || !together || values.0 * values.1 <= 0.0 {
                continue;
            }
            let mut first = true;
            hits.retain(|hit| !own(hit) || std::mem::take(&mut first));
            let located = touching(&mut self.curve, (test, false), (base, next), values, h);
            for hit in hits.iter_mut().filter(|hit| own(hit)) {
                hit.event = Event::Touch(test);
                if let Ok(Some((s, point, record))) = &located {
                    (hit.s, hit.point, hit.record) = (*s, point.clone(), record.clone());
                }
            }
        }
    }

    /// Where a test function touches zero and turns back; not those that are `crossed`: two crossings next to each
    /// other look like one touch from afar.
    fn touches(
        &mut self,
        (base, before): (&Point, &Record),
        (next, record): (&Point, &Record),
        crossed: &[Hit],
        (samples, touched): (&[Sample], &[usize]),
    ) -> Vec<Hit> {
        let mut hits = vec![];
        if self.family {
            return hits;
        }
        let h = base.arclength_to(next);
        let tests = self.tests.len();
        for test in touched.iter().copied().filter(|test| *test < tests) {
            let known = |hit: &Hit| match hit.event {
                Event::Test(i) | Event::Touch(i) | Event::Multiple(i, _) | Event::Together { test: i, .. } => i == test,
                _ => false,
            };
            if crossed.iter().any(known) {
                continue;
            }
            let values = (before.tests[test], record.tests[test]);
            let which = (test, self.tests[test].label == Label::BP);
            let event = Event::Touch(test);
            if let Ok(Some((s, point, record))) = touching(&mut self.curve, which, (base, next), values, h)
                && self.is_confirmed(&event, (&point, &record), [base, next])
            {
                hits.push(Hit {
                    s,
                    event,
                    point,
                    record,
                });
            } else if which.1 {
                hits.extend(self.flat_touch(test, samples).and_then(|flat| flat.hit));
            }
        }
        hits
    }

    /// A curve that turns back just where another one crosses it, a pitchfork seen from its prongs, has one special
    /// point there, not two. The test for branch points, with the rate of the parameter as a factor, has a triple zero
    /// there, and the fold tells its place far better.
    fn join_folds_and_crossings(
        &mut self,
        (base, before): (&Point, &Record),
        (next, record): (&Point, &Record),
        hits: &mut Vec<Hit>,
    ) {
        let Some(fold) = hits.iter().position(|hit| matches!(hit.event, Event::Fold)) else {
            return;
        };
        let crossing = |hit: &Hit| match hit.event {
            Event::Test(i) | Event::Multiple(i, _) if self.tests[i].label == Label::BP => Some(i),
            _ => None,
        };
        let found = hits
            .iter()
            .enumerate()
            .find_map(|(k, hit)| crossing(hit).map(|test| (k, test)));
        let Some((crossed, test)) = found else { return };
        let together = self.is_one_place((base, before), (next, record), test, (&hits[fold], &hits[crossed]));
        let explodes = is_off_one(before, DECADE) && is_off_one(record, DECADE);
        let blurred = explodes && is_off_one(&hits[fold].record, SHARP);
        let joined = together && (!blurred || self.is_mirrored(before, record, &hits[fold].record));
        let place = hits[if together { fold } else { crossed }].point.clone();
        let distinct = joined || !(together && is_off_one(&hits[fold].record, UNRESOLVED));
        if !distinct || !is_crossing(self.curve.problem(), &place, [base, next]) {
            hits.remove(crossed);
        } else if joined {
            hits[fold].event = Event::PitchforkBranch(test);
            hits.remove(crossed);
        }
    }

    /// Where a curve ends at a grazing, its parameter may stand still without turning, and a fold beyond the end be
    /// located there. A fold is one before the end only where the curve has turned before it.
    fn separate_folds_and_ends(
        &mut self,
        (base, before): (&Point, &Record),
        hits: &mut Vec<Hit>,
        options: &TraceOptions,
    ) {
        /// The same value of the parameter, relative to its size.
        const SAME: f64 = 1e-12;
        /// So much of the way to the end is before it.
        const BEFORE: f64 = 0.99;
        let end = hits.iter().find(|hit| matches!(hit.event, Event::Boundary(_)));
        let Some((s, level)) = end.map(|end| (end.s, end.point.parameter())) else {
            return;
        };
        let near = |hit: &Hit| (hit.point.parameter() - level).abs() <= SAME * size_of_parameter(base);
        let at_end = |hit: &Hit| matches!(hit.event, Event::Fold) && hit.s <= s && near(hit);
        let Some(fold) = hits.iter().position(at_end) else {
            return;
        };
        let Ok(at) = self.curve.between(base, BEFORE * s) else {
            return;
        };
        let fold = hits.remove(fold);
        let mut record = Record::default();
        if at.parameter_rate() * base.parameter_rate() < 0.0
            && self.curve.problem().inspect(&at, &mut record).is_ok()
            && let Ok(Some((s, point, record))) = self.locate((base, before), (&at, &record), &fold.event, options)
        {
            hits.push(Hit {
                s,
                event: fold.event,
                point,
                record,
            });
            hits.sort_by(|a, b| a.s.total_cmp(&b.s));
        }
    }

    /// The solutions before and behind a pitchfork, seen from its prongs, are images of each other: what images have in
    /// common, as their size, is stationary there. At a fold next to a crossing it goes on.
    fn is_mirrored(&self, before: &Record, record: &Record, fold: &Record) -> bool {
        /// Changes of this part are errors.
        const ROUNDING: f64 = 1e-8;
        // Of each state the first extreme is the largest modulus; an image may exchange states.
        let size = |r: &Record| -> f64 {
            let largest = self
                .extremes
                .chunks_exact(3)
                .filter_map(|three| r.monitors.get(three[0]));
            largest.map(|v| v * v).sum()
        };
        let [a, at, b] = [before, fold, record].map(size);
        let noise = ROUNDING * at;
        !((at - a) * (b - at) > 0.0 && (at - a).abs().min((b - at).abs()) > noise)
    }

    /// Are a fold and a zero of the test function for branch points in the same step one place? At a pitchfork the
    /// multiplier touches +1, and is nearer to it between the two than at either.
    fn is_one_place(
        &mut self,
        (base, before): (&Point, &Record),
        (next, record): (&Point, &Record),
        test: usize,
        (fold, crossed): (&Hit, &Hit),
    ) -> bool {
        /// Closer than this, relative to the ends of the step or in scaled arclength, is the same place.
        const TOGETHER: f64 = 1e-6;
        /// As part of the step, the error of a triple zero.
        const NEAR: f64 = 0.1;
        /// A product of distances of the multipliers from +1 that may be rounding.
        const ROUNDING: f64 = 1e-9;
        /// So many times as far from +1 as at two places that can hardly be told apart, a multiplier has passed it.
        const BETWEEN: f64 = 10.0;
        let distance = (fold.s - crossed.s).abs();
        let together = crossed.point.distance(&fold.point) <= TOGETHER;
        // A test that does not have the rate as a factor has a simple zero at the crossing, and tells that the fold is
        // elsewhere.
        let largest = before.tests[test].abs().max(record.tests[test].abs());
        let elsewhere = fold.record.tests[test].abs() > TOGETHER * largest;
        if !together && (distance > NEAR * base.arclength_to(next) || elsewhere) {
            return false;
        }
        // Between a fold and a crossing near it the multiplier is on the other side of +1. At a pitchfork it is not, or
        // Newton's matrix is singular.
        let beyond = record.tests[test] / next.parameter_rate();
        let ends = [fold, crossed].map(|hit| hit.record.distance_from_one().abs());
        let most = if together { BETWEEN * ends[0].max(ends[1]) } else { 0.0 };
        let mut there = Record::default();
        let between = self.curve.between(base, 0.5 * (fold.s + crossed.s));
        let apart = between.is_ok_and(|at| {
            self.curve.problem().inspect(&at, &mut there).is_ok() && {
                let value = there.tests[test] / at.parameter_rate();
                value * beyond < 0.0 && value.abs() > ROUNDING && there.distance_from_one().abs() >= most
            }
        });
        !apart
    }

    /// What crosses zero in an interval, halved while two crossings hide each other in it: test functions that change
    /// sign twice do not.
    fn between(
        &mut self,
        from: (&Point, &Record),
        to: (&Point, &Record),
        step: (&Point, &Point),
        options: &TraceOptions,
        halvings: usize,
    ) -> Result<Vec<Hit>, Failure> {
        let mut hits = vec![];
        for event in self.events(from, to, step, options) {
            match self.locate(from, to, &event, options) {
                Ok(Some((s, _, _))) if self.is_pole(&event, from, to, s) => {}
                Ok(Some((s, point, record))) => {
                    let hit = Hit {
                        s,
                        event,
                        point,
                        record,
                    };
                    hits.push(self.sharpened(hit, from, to, options));
                }
                Ok(None) => {}
                Err(e) if event.ends() => return Err(e),
                Err(_) => {}
            }
        }
        let earlier = self.earlier_ends(from, to, &hits, options);
        hits.extend(earlier);
        // On a continuum the side of +1 on which a multiplier lies is one of errors.
        let blurred = self.continuum.is_some() || self.is_blurred(step.0, step.1);
        if halvings > 0
            && !blurred
            && let Some(hits) = self.before_the_end(&hits, from, step, options, halvings)?
        {
            return Ok(hits);
        }
        if halvings == 0 || blurred || self.explains(&hits, from.1, to.1) {
            return Ok(hits);
        }
        let Some((middle, measured)) = self.middle(from, to.0) else {
            return Ok(hits);
        };
        let mut halves = self.between(from, (&middle, &measured), step, options, halvings - 1)?;
        halves.extend(self.between((&middle, &measured), to, step, options, halvings - 1)?);
        Ok(halves)
    }

    /// What happens on the way to where a curve of equilibria ends, with that end, where it is not all among `hits`:
    /// beyond the end the equations go on, and eigenvalues that have passed the axis before it may have come back. None
    /// where nothing is missing.
    fn before_the_end(
        &mut self,
        hits: &[Hit],
        from: (&Point, &Record),
        step: (&Point, &Point),
        options: &TraceOptions,
        halvings: usize,
    ) -> Result<Option<Vec<Hit>>, Failure> {
        let ends = hits.iter().filter(|hit| hit.event.ends());
        let Some(end) = ends.min_by(|a, b| a.s.total_cmp(&b.s)) else {
            return Ok(None);
        };
        let earlier = hits.iter().filter(|hit| hit.s < end.s && !hit.event.ends());
        let crossed: usize = earlier.map(|hit| self.crossed_at(hit)).sum();
        if end.record.eigenvalues.is_empty() || from.1.unstable.abs_diff(end.record.unstable) <= crossed {
            return Ok(None);
        }
        let mut before = self.between(from, (&end.point, &end.record), step, options, halvings - 1)?;
        before.retain(|hit| !hit.event.ends());
        before.push(Hit {
            s: end.s,
            event: end.event.clone(),
            point: end.point.clone(),
            record: end.record.clone(),
        });
        Ok(Some(before))
    }

    /// A fold of cycles at which rounding hides where the parameter turns, as in a steep canard explosion, is located
    /// where the multiplier passes +1, if the parameter is the same there.
    fn sharpened(&mut self, hit: Hit, from: (&Point, &Record), to: (&Point, &Record), options: &TraceOptions) -> Hit {
        /// A multiplier this near to +1, as a part of how far those at the ends are off, needs no other place.
        const SHARP: f64 = 1e-7;
        /// The same value of the parameter, relative to its size.
        const SAME: f64 = 1e-9;
        let [a, b] = [from.1, to.1].map(Record::distance_from_one);
        let blurred = matches!(hit.event, Event::Fold)
            && self.tests.iter().any(|test| test.at_folds)
            && a * b < 0.0
            && hit.record.distance_from_one().abs() > SHARP * a.abs().max(b.abs());
        if blurred && let Ok(Some((s, point, record))) = self.locate(from, to, &Event::FlatFold, options) {
            let apart = (point.parameter() - hit.point.parameter()).abs();
            if apart <= SAME * size_of_parameter(&point) {
                return Hit {
                    s,
                    event: hit.event,
                    point,
                    record,
                };
            }
        }
        hit
    }

    /// Do the crossings that were located account for the change of the number of unstable directions?
    fn explains(&self, hits: &[Hit], before: &Record, after: &Record) -> bool {
        let crossed: usize = hits.iter().map(|hit| self.crossed_at(hit)).sum();
        before.unstable.abs_diff(after.unstable) <= crossed || hits.iter().any(|hit| hit.event.ends())
    }

    /// How many directions change their stability at what was located.
    fn crossed_at(&self, hit: &Hit) -> usize {
        match hit.event {
            Event::Multiple(_, order) => order,
            _ => self.directions_of(&hit.event),
        }
    }

    /// How many directions change their stability at a simple bifurcation.
    pub(super) fn directions_of(&self, event: &Event) -> usize {
        match event {
            Event::Fold | Event::FlatFold | Event::PitchforkBranch(_) => 1,
            Event::Test(i) if matches!(self.tests[*i].label, Label::HB | Label::NS) => 2,
            Event::Test(_) => 1,
            _ => 0,
        }
    }

    /// The point half way, measured; none where it is not on the same curve.
    fn middle(&mut self, (from, before): (&Point, &Record), to: &Point) -> Option<(Point, Record)> {
        let h = from.arclength_to(to);
        let at = self.curve.between(from, 0.5 * h).ok()?;
        if from.turn_to(&at) > MOST_TURN {
            return None;
        }
        let mut record = Record::default();
        self.curve.problem().inspect(&at, &mut record).ok()?;
        self.keep_sides(before, &mut record);
        Some((at, record))
    }

    /// Of inequalities that vanish together the one that says best what happens is also the one that vanishes simply:
    /// it comes first. Of those by which no segment vanishes at one place, whose order is that of rounding, it is that
    /// of the highest rank, and the first of the list.
    fn prefer_ranks(&self, hits: &mut Vec<Hit>, h: f64) {
        const TOGETHER: f64 = 1e-5;
        /// As a part of the step, and in scaled arclength, to which places are located.
        const ONE_PLACE: (f64, f64) = (1e-8, 1e-9);
        let boundary = |hit: &Hit| match hit.event {
            Event::Boundary(i) => Some((self.inequalities[i].rank, i)),
            _ => None,
        };
        let Some(first) = hits.iter().position(|hit| boundary(hit).is_some()) else {
            return;
        };
        let mut best = first;
        for k in first + 1..hits.len() {
            let (Some((rank, i)), Some((of_best, own))) = (boundary(&hits[k]), boundary(&hits[best])) else {
                continue;
            };
            let near = |most: f64, from: usize| hits[k].s - hits[from].s <= most;
            let says_more = rank > of_best.max(Rank::Other) && near(TOGETHER * h, first);
            let one_place = near((ONE_PLACE.0 * h).max(ONE_PLACE.1), best);
            let inside = rank <= Rank::Other && of_best <= Rank::Other;
            let before = rank > of_best || rank == of_best && i < own;
            if says_more || inside && before && one_place {
                best = k;
            }
        }
        if best != first {
            let hit = hits.remove(best);
            hits.insert(first, hit);
        }
    }
}
