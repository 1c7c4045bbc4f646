//! What happens between two neighbouring points of a curve, and where.

use super::{Event, Walk, bound};
use crate::bifurcation::interpolate::{MOST_TURN, interpolated_root};
use crate::bifurcation::locate::bracketed_root;
use crate::bifurcation::{Column, Inspect, Label, Record, TraceOptions};
use crate::continuation::{Failure, Newton, NewtonOptions, Point};
use std::convert::Infallible;

/// How often an interval is halved in which more eigenvalues or multipliers cross than has been located.
const HALVINGS: usize = 8;

/// Something that happens on the way from one point to the next.
pub(super) struct Hit {
    /// The arclength from the first point.
    pub(super) s: f64,
    pub(super) event: Event,
    pub(super) point: Point,
    pub(super) record: Record,
}

impl<P: Inspect> Walk<'_, P> {
    /// Everything that happens on the way from the last point, `base` in the discretisation of the step, to the next, in order.
    ///
    /// # Errors
    /// [`Failure`] when an end of the curve cannot be located.
    pub(super) fn passage(
        &mut self,
        base: &Point,
        next: &Point,
        record: &Record,
        options: &TraceOptions,
    ) -> Result<Vec<Hit>, Failure> {
        let before = self.last.1.clone();
        let mut hits = self.between((base, &before), (next, record), options, HALVINGS)?;
        for hit in &mut hits {
            hit.s = base.arclength_to(&hit.point);
        }
        hits.sort_by(|a, b| a.s.total_cmp(&b.s));
        self.drop_folds_at_crossings(&mut hits);
        self.prefer_ranks(&mut hits, base.arclength_to(next));
        Ok(hits)
    }

    /// The same in an interval, halved while two crossings hide each other in it: test functions that change sign twice do not.
    fn between(
        &mut self,
        from: (&Point, &Record),
        to: (&Point, &Record),
        options: &TraceOptions,
        halvings: usize,
    ) -> Result<Vec<Hit>, Failure> {
        let mut hits = vec![];
        for event in self.events(from, to, options) {
            match self.locate(from, to, &event, options) {
                Ok(Some((s, point, record))) => hits.push(Hit {
                    s,
                    event,
                    point,
                    record,
                }),
                Ok(None) => {}
                Err(e) if event.ends() => return Err(e),
                Err(_) => {}
            }
        }
        if halvings == 0 || self.explains(&hits, from.1, to.1) {
            return Ok(hits);
        }
        let Some((middle, measured)) = self.middle(from.0, to.0) else {
            return Ok(hits);
        };
        let mut halves = self.between(from, (&middle, &measured), options, halvings - 1)?;
        halves.extend(self.between((&middle, &measured), to, options, halvings - 1)?);
        Ok(halves)
    }

    /// Do the crossings that were located account for the change of the number of unstable directions?
    fn explains(&self, hits: &[Hit], before: &Record, after: &Record) -> bool {
        let crossing = |hit: &Hit| match hit.event {
            Event::Fold => 1,
            Event::Test(i) if matches!(self.tests[i].label, Label::HB | Label::NS) => 2,
            Event::Test(_) => 1,
            _ => 0,
        };
        let crossed: usize = hits.iter().map(crossing).sum();
        before.unstable.abs_diff(after.unstable) <= crossed || hits.iter().any(|hit| hit.event.ends())
    }

    /// The point half way, measured; none where it is not on the same curve.
    fn middle(&mut self, from: &Point, to: &Point) -> Option<(Point, Record)> {
        let h = from.arclength_to(to);
        let at = self.curve.between(from, 0.5 * h).ok()?;
        if from.turn_to(&at) > MOST_TURN {
            return None;
        }
        let mut record = Record::default();
        self.curve.problem().inspect(&at, &mut record).ok()?;
        Some((at, record))
    }

    /// Of inequalities that vanish together the one that says best what happens is also the one that vanishes simply: it comes first.
    fn prefer_ranks(&self, hits: &mut Vec<Hit>, h: f64) {
        let rank = |hit: &Hit| match hit.event {
            Event::Boundary(i) => Some(self.inequalities[i].rank),
            _ => None,
        };
        let Some(first) = hits.iter().position(|hit| rank(hit).is_some()) else {
            return;
        };
        let together = |hit: &Hit| hit.s - hits[first].s <= 1e-5 * h;
        let better = (first + 1..hits.len()).find(|&k| rank(&hits[k]) > rank(&hits[first]) && together(&hits[k]));
        if let Some(better) = better {
            let hit = hits.remove(better);
            hits.insert(first, hit);
        }
    }

    /// What changes sign between the base point and the next.
    fn events(&self, from: (&Point, &Record), to: (&Point, &Record), options: &TraceOptions) -> Vec<Event> {
        let ((base, before), (next, record)) = (from, to);
        let mut events = vec![];
        if self.folds && base.parameter_rate() * next.parameter_rate() < 0.0 && !is_flat(base, next, 1e-12) {
            events.push(Event::Fold);
        }
        for (i, (a, b)) in before.tests.iter().zip(&record.tests).enumerate() {
            // The tests for branch points use the sign of the parameter's rate, which conditioning spoils before the parameter itself.
            if a * b < 0.0 && !(self.tests[i].label == Label::BP && is_flat(base, next, 1e-10)) {
                events.push(Event::Test(i));
            }
        }
        for (i, l) in options.levels.iter().enumerate() {
            let (a, b) = (l.column.of(before) - l.value, l.column.of(record) - l.value);
            if (a * b < 0.0 || b == 0.0) && a.abs() > 1e-12 * (1.0 + l.value.abs()) {
                events.push(Event::Level(i));
            }
        }
        for (i, (&a, &b)) in before.inequalities.iter().zip(&record.inequalities).enumerate() {
            if b < 0.0 && a >= 0.0 {
                events.push(Event::Boundary(i));
            }
        }
        for end in [options.range.0, options.range.1] {
            let (a, b) = (base.parameter() - end, next.parameter() - end);
            if a * b < 0.0 || (b == 0.0 && a != 0.0) {
                events.push(Event::RangeEnd(end));
            }
        }
        for (i, pair) in options.within.iter().enumerate() {
            for upper in [false, true] {
                let b = bound(pair, upper);
                let sign = if upper { 1.0 } else { -1.0 };
                let (x, y) = (
                    sign * (b.column.of(before) - b.value),
                    sign * (b.column.of(record) - b.value),
                );
                if x <= 0.0 && y > 0.0 {
                    events.push(Event::Bound(i, upper));
                }
            }
        }
        events
    }

    /// The point where an event happens between two neighbours, with its arclength from the first and its measurements.
    fn locate(
        &mut self,
        (base, before): (&Point, &Record),
        (next, record): (&Point, &Record),
        event: &Event,
        options: &TraceOptions,
    ) -> Result<Option<(f64, Point, Record)>, Failure> {
        let h = base.arclength_to(next);
        let parameter_level = match event {
            Event::RangeEnd(v) => Some(*v),
            Event::Level(i) => {
                let l = &options.levels[*i];
                (l.column == Column::Parameter(self.parameter)).then_some(l.value)
            }
            _ => None,
        };
        if let Some(level) = parameter_level
            && let Some(hit) = self.at_parameter(base, next, level)?
        {
            return Ok(Some(hit));
        }
        let value = |point: &Point, record: &Record| match event {
            Event::Fold => point.parameter_rate(),
            Event::Test(i) => record.tests[*i],
            Event::Level(i) => options.levels[*i].column.of(record) - options.levels[*i].value,
            Event::Boundary(i) => record.inequalities[*i],
            Event::RangeEnd(v) => point.parameter() - v,
            Event::Bound(i, upper) => {
                let bound = bound(&options.within[*i], *upper);
                bound.column.of(record) - bound.value
            }
        };
        let (ga, gb) = (value(base, before), value(next, record));
        if ga == 0.0 {
            return Ok(None);
        }
        if let Event::Test(i) = event
            && self.tests[*i].label == Label::BP
        {
            return self.crossing_at(*i, base, next, h, (ga, gb));
        }
        let mut best: Option<(f64, f64, Point, Record)> = None;
        let mut scratch = Record::default();
        let curve = &mut self.curve;
        // Folds and parameters can be told from the point alone.
        let measures = !matches!(event, Event::Fold | Event::RangeEnd(_));
        let found = bracketed_root(0.0, ga, h, gb, 1e-12 * h, |s| {
            let at = curve.between(base, s)?;
            if measures {
                curve.problem().inspect(&at, &mut scratch)?;
            }
            let g = value(&at, &scratch);
            if best.as_ref().is_none_or(|b| g.abs() <= b.1.abs()) {
                best = Some((s, g, at, scratch.clone()));
            }
            Ok::<_, Failure>(g)
        });
        let curve = &mut self.curve;
        let same_curve = best.as_ref().is_none_or(|b| base.turn_to(&b.2) <= MOST_TURN);
        let s = match found {
            Ok(s) if same_curve => s,
            // Else the place is found between points on both sides. Newton may also have gone over to the other curve.
            _ => {
                let (s, at, measured) = interpolated_root(curve, (base, ga), (next, gb), h, &value)?;
                let left = value(&at, &measured).abs();
                return Ok(self
                    .is_zero(event, left, ga, gb, &measured)
                    .then_some((s, at, measured)));
            }
        };
        let Some((nearest, left, mut at, mut measured)) = best else {
            return Ok(None);
        };
        if !measures {
            at = curve.between(base, nearest)?;
            curve.problem().inspect(&at, &mut measured)?;
        }
        Ok(self
            .is_zero(event, left.abs(), ga, gb, &measured)
            .then_some((s, at, measured)))
    }

    /// Is what was located a zero? A jump of a test function, between `ga` and `gb`, is none.
    fn is_zero(&mut self, event: &Event, left: f64, ga: f64, gb: f64, measured: &Record) -> bool {
        match event {
            Event::Test(i) => left <= 1e-4 * ga.abs().max(gb.abs()) && self.curve.problem().confirm(*i, measured),
            _ => true,
        }
    }

    /// A branch point: interpolated from both sides, then by the problem's own equations for it, if it has any.
    fn crossing_at(
        &mut self,
        test: usize,
        base: &Point,
        next: &Point,
        h: f64,
        (ga, gb): (f64, f64),
    ) -> Result<Option<(f64, Point, Record)>, Failure> {
        let curve = &mut self.curve;
        let value = |_: &Point, record: &Record| record.tests[test];
        let (mut s, mut at, mut record) = interpolated_root(curve, (base, ga), (next, gb), h, &value)?;
        if !self.is_zero(&Event::Test(test), record.tests[test].abs(), ga, gb, &record) {
            return Ok(None);
        }
        let problem = self.curve.problem();
        if let Some(z) = problem.refine(test, &at) {
            at.z = z;
            s = base.arclength_to(&at);
        }
        let mut residual = vec![0.0; at.z.len() - problem.free()];
        problem.linearise(&at.z, &mut residual)?;
        problem.inspect(&at, &mut record)?;
        Ok(Some((s, at, record)))
    }

    /// A curve that turns back just where another one crosses it (a pitchfork seen from its prongs) has one special point there, not two.
    fn drop_folds_at_crossings(&self, hits: &mut Vec<Hit>) {
        let crossings: Vec<Point> = hits
            .iter()
            .filter(|hit| matches!(&hit.event, Event::Test(i) if self.tests[*i].label == Label::BP))
            .map(|hit| hit.point.clone())
            .collect();
        hits.retain(|hit| !matches!(hit.event, Event::Fold) || crossings.iter().all(|c| c.distance(&hit.point) > 1e-6));
    }

    /// The point between `base` and `next` at a given value of the parameter, by Newton at fixed parameter.
    fn at_parameter(
        &mut self,
        base: &Point,
        next: &Point,
        level: f64,
    ) -> Result<Option<(f64, Point, Record)>, Failure> {
        // Where the cubic between the two points meets the level.
        let (a, b, length) = (base.parameter(), next.parameter(), base.arclength_to(next));
        let fraction = bracketed_root(0.0, a - level, 1.0, b - level, 1e-9, |u| {
            Ok::<_, Infallible>(base.cubic_parameter(next, u * length) - level)
        });
        let mut z = base.cubic(next, length * fraction.unwrap_or((level - a) / (b - a)).clamp(0.0, 1.0));
        let n = z.len();
        let mut row = vec![0.0; n];
        row[n - 1] = 1.0;
        let anchor = vec![0.0; n];
        z[n - 1] = level;
        let options = NewtonOptions {
            polish: true,
            ..self.curve.options().newton
        };
        let mut newton = Newton::default();
        if newton
            .solve(self.curve.problem(), &mut z, &row, &anchor, &[level], &options)
            .is_err()
        {
            return Ok(None);
        }
        z[n - 1] = level;
        // Oriented like the curve: the base tangent decides.
        let border: Vec<f64> = base.tangent.iter().zip(&base.weights).map(|(t, w)| t * w).collect();
        let at = crate::continuation::tangent_at(self.curve.problem(), z, &border, 1.0)?;
        let s = base.arclength_to(&at);
        if !(s >= -1e-9 * length && s <= length * (1.0 + 1e-9)) || base.distance(&at) > 2.0 * base.distance(next) {
            return Ok(None);
        }
        let mut record = Record::default();
        self.curve.problem().inspect(&at, &mut record)?;
        Ok(Some((s, at, record)))
    }
}

/// Does the parameter stay the same to this relative accuracy from one point to the next? The sign of its rate means little then.
fn is_flat(base: &Point, next: &Point, rounding: f64) -> bool {
    let (p, h) = (base.parameter().abs().max(next.parameter().abs()), base.distance(next));
    let rate = base.parameter_rate().abs().max(next.parameter_rate().abs());
    (next.parameter() - base.parameter()).abs() <= rounding * p && rate * h <= 10.0 * rounding * p
}
