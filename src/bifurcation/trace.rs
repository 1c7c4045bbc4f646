//! Trace a curve with everything that happens on it.

use super::interpolate::{MOST_TURN, interpolated_root};
use super::locate::bracketed_root;
use super::logbook::{Forgetful, Logbook, Pace, Past};
use super::plateau::Plateau;
use super::settle::{settle_flat_stretches, settle_folds};
use super::touch::touching;
use super::{Branch, BranchPoint, Column, End, InequalitySpec, Inspect, Label, Level, Record, TestSpec, TraceOptions};
use crate::continuation::{Curve, Failure, Newton, NewtonOptions, Point, StepOptions};
use std::convert::Infallible;

/// A test function as small as this is zero where a walk begins.
const ZERO_TEST: f64 = 1e-11;

/// What may end a walk from within an interval, and what is merely noted.
enum Event {
    Fold,
    Test(usize),
    Touch(usize),
    Level(usize),
    Boundary(usize),
    RangeEnd(f64),
    Bound(usize, bool),
}

/// Trace the curve through `start` both ways (or as the options say), labelling what happens. `watch` is called after each point and
/// stops the trace by returning false.
///
/// # Errors
/// [`Failure`] when the start does not converge or cannot be measured; everything later ends the curve with a reason.
pub fn trace<P: Inspect>(
    problem: &mut P,
    start: Vec<f64>,
    options: &TraceOptions,
    watch: &mut dyn FnMut(&BranchPoint) -> bool,
) -> Result<Branch, Failure> {
    trace_logged(problem, start, options, &mut Forgetful(watch))
}

/// As [`trace`], with a logbook that may know a part of the curve from an earlier attempt; what it knows is not computed again, and the rest
/// comes out to the last bit as if the trace had never been broken off.
///
/// # Errors
/// As [`trace`].
pub fn trace_logged<P: Inspect>(
    problem: &mut P,
    start: Vec<f64>,
    options: &TraceOptions,
    log: &mut dyn Logbook,
) -> Result<Branch, Failure> {
    both_ways(problem, &Begin::Guess(start), options, log)
}

/// Trace the curve through a known point both ways along its tangent (or as the options say, +1 for along), labelling what happens: for
/// curves that may be vertical in their parameter where they start.
///
/// # Errors
/// [`Failure`] when the point cannot be measured; everything later ends the curve with a reason.
pub fn trace_through<P: Inspect>(
    problem: &mut P,
    start: &Point,
    options: &TraceOptions,
    watch: &mut dyn FnMut(&BranchPoint) -> bool,
) -> Result<Branch, Failure> {
    trace_through_logged(problem, start, options, &mut Forgetful(watch))
}

/// As [`trace_through`], with a logbook, as [`trace_logged`].
///
/// # Errors
/// As [`trace_through`].
pub fn trace_through_logged<P: Inspect>(
    problem: &mut P,
    start: &Point,
    options: &TraceOptions,
    log: &mut dyn Logbook,
) -> Result<Branch, Failure> {
    both_ways(problem, &Begin::Point(start.clone()), options, log)
}

/// What a curve begins with.
enum Begin {
    /// A guess, to be corrected at fixed parameter; directions are those of the parameter.
    Guess(Vec<f64>),
    /// A point of the curve; directions are along its tangent and against it.
    Point(Point),
}

impl Begin {
    fn set_off<'p, P: Inspect>(
        &self,
        problem: &'p mut P,
        direction: f64,
        steps: StepOptions,
    ) -> Result<Curve<'p, P>, Failure> {
        match self {
            Self::Guess(z) => {
                problem.set_off(z);
                Curve::start(problem, z.clone(), direction, steps)
            }
            Self::Point(point) => {
                let mut point = point.clone();
                point.tangent.iter_mut().for_each(|t| *t *= direction);
                problem.set_off(&point.z);
                let mut residual = vec![0.0; problem.unknowns() - problem.free()];
                problem.linearise(&point.z, &mut residual)?;
                Ok(Curve::resume(problem, point, steps))
            }
        }
    }
}

/// Walk in each direction.
fn both_ways<P: Inspect>(
    problem: &mut P,
    begin: &Begin,
    options: &TraceOptions,
    log: &mut dyn Logbook,
) -> Result<Branch, Failure> {
    let mut points: Vec<BranchPoint> = vec![];
    let mut ends = vec![];
    let mut start_index = 0;
    let mut closed = false;
    let meshes = problem.meshes();
    for (k, &direction) in options.directions.iter().enumerate() {
        if closed {
            break;
        }
        let mut past = log.past(k);
        let (mut found, end) = match past.end.take() {
            Some(end) => (past.points, end),
            None => {
                problem.restore(&meshes);
                match begin.set_off(problem, direction, options.steps).and_then(Walk::on) {
                    Ok(mut walk) => {
                        let mut found = walk.take_up(past);
                        // The start belongs to the first direction.
                        if k == 0 && found.is_empty() {
                            found.push(walk.enter(options, k, log));
                        }
                        let end = walk.run(options, &mut found, k, log);
                        (found, end)
                    }
                    Err(e) if k == 0 => return Err(e),
                    // What the first direction found stays.
                    Err(e) => (vec![], End::Failed(e.to_string())),
                }
            }
        };
        if k == 0 {
            points.append(&mut found);
            closed = end == End::Closed;
            ends.push(end);
        } else {
            // The second half runs backwards: reverse it and put it in front, tangents turned along the whole curve.
            start_index = found.len();
            for p in &mut found {
                p.point.tangent.iter_mut().for_each(|t| *t = -*t);
            }
            found.reverse();
            found.append(&mut points);
            points = found;
            ends.insert(0, end);
        }
    }
    settle_flat_stretches(&mut points);
    settle_folds(&mut points);
    Ok(Branch {
        points,
        ends,
        start: start_index,
    })
}

/// The lower or upper end of an interval.
fn bound(pair: &(Level, Level), upper: bool) -> &Level {
    if upper { &pair.1 } else { &pair.0 }
}

/// Trace the curve from a known point along its tangent, in that direction only.
///
/// # Errors
/// [`Failure`] when the point cannot be measured.
pub fn trace_from<P: Inspect>(
    problem: &mut P,
    start: Point,
    options: &TraceOptions,
    watch: &mut dyn FnMut(&BranchPoint) -> bool,
) -> Result<Branch, Failure> {
    trace_from_logged(problem, start, options, &mut Forgetful(watch))
}

/// As [`trace_from`], with a logbook, as [`trace_logged`].
///
/// # Errors
/// As [`trace_from`].
pub fn trace_from_logged<P: Inspect>(
    problem: &mut P,
    start: Point,
    options: &TraceOptions,
    log: &mut dyn Logbook,
) -> Result<Branch, Failure> {
    let mut past = log.past(0);
    if let Some(end) = past.end.take() {
        let mut points = past.points;
        settle_flat_stretches(&mut points);
        settle_folds(&mut points);
        return Ok(Branch {
            points,
            ends: vec![end],
            start: 0,
        });
    }
    let mut residual = vec![0.0; problem.unknowns() - problem.free()];
    problem.linearise(&start.z, &mut residual)?;
    let curve = Curve::resume(problem, start, options.steps);
    let mut walk = Walk::on(curve)?;
    let mut points = walk.take_up(past);
    if points.is_empty() {
        points.push(walk.enter(options, 0, log));
    }
    let end = walk.run(options, &mut points, 0, log);
    settle_flat_stretches(&mut points);
    settle_folds(&mut points);
    Ok(Branch {
        points,
        ends: vec![end],
        start: 0,
    })
}

/// Does the parameter stay the same to this relative accuracy from one point to the next? The sign of its rate means little then.
fn is_flat(base: &Point, next: &Point, rounding: f64) -> bool {
    let (p, h) = (base.parameter().abs().max(next.parameter().abs()), base.distance(next));
    let rate = base.parameter_rate().abs().max(next.parameter_rate().abs());
    (next.parameter() - base.parameter()).abs() <= rounding * p && rate * h <= 10.0 * rounding * p
}

/// Is the parameter the same at two points of a family at one value of it?
fn same_parameter(a: &Point, b: &Point) -> bool {
    /// Unfolded equations are solved to this accuracy.
    const SAME: f64 = 1e-9;
    (a.parameter() - b.parameter()).abs() <= SAME * a.parameter().abs().max(0.1)
}

/// One direction of a trace.
struct Walk<'p, P: Inspect> {
    curve: Curve<'p, P>,
    tests: Vec<TestSpec>,
    inequalities: Vec<InequalitySpec>,
    parameter: usize,
    parameter_name: String,
    folds: bool,
    /// Does the walk go along a family at one value of the parameter?
    family: bool,
    fold_meaning: String,
    last: (Point, Record),
    trial: Record,
    /// Where the walk began, and how far it has come.
    begin: Point,
    begin_record: Record,
    travelled: f64,
    steps: usize,
}

impl<'p, P: Inspect> Walk<'p, P> {
    fn on(mut curve: Curve<'p, P>) -> Result<Self, Failure> {
        let problem = curve.problem();
        let names = problem.parameter_names();
        let parameter = problem.free_parameters().last().copied().unwrap_or(0);
        let parameter_name = names.get(parameter).cloned().unwrap_or_default();
        let fold_meaning = problem.fold_meaning(&parameter_name);
        let family = problem.holds_parameter();
        let (tests, inequalities, folds) = (problem.tests(), problem.inequalities(), problem.folds() && !family);
        let point = curve.point().clone();
        let mut record = Record::default();
        curve.problem().inspect(&point, &mut record)?;
        Ok(Self {
            curve,
            tests,
            inequalities,
            parameter,
            parameter_name,
            folds,
            family,
            fold_meaning,
            trial: record.clone(),
            begin: point.clone(),
            begin_record: record.clone(),
            travelled: 0.0,
            steps: 0,
            last: (point, record),
        })
    }

    /// Go to where an earlier attempt got to; returns the points it found on the way.
    fn take_up(&mut self, past: Past) -> Vec<BranchPoint> {
        let (Some(pace), Some(last)) = (past.pace, past.points.last()) else {
            return vec![];
        };
        self.last = (last.point.clone(), last.record.clone());
        self.travelled = pace.travelled;
        self.steps = pace.steps;
        self.curve.take_up(last.point.clone(), pace.stride);
        past.points
    }

    /// Enter the start into the logbook.
    fn enter(&self, options: &TraceOptions, direction: usize, log: &mut dyn Logbook) -> BranchPoint {
        let first = self.first(options);
        log.point(direction, &first, Some(&self.pace()));
        first
    }

    fn pace(&self) -> Pace {
        Pace {
            stride: self.curve.stride(),
            travelled: self.travelled,
            steps: self.steps,
        }
    }

    /// The start as a branch point, labelled if it lies on a wanted level.
    fn first(&self, options: &TraceOptions) -> BranchPoint {
        let (point, record) = self.last.clone();
        let hit = options.levels.iter().find(|l| {
            let v = l.column.of(&record);
            (v - l.value).abs() <= 1e-12 * (1.0 + l.value.abs())
        });
        if let Some(test) = self.tests_zero_at_start() {
            let spec = &self.tests[test];
            return BranchPoint {
                label: Some(spec.label),
                message: spec.meaning.clone(),
                point,
                record,
            };
        }
        BranchPoint {
            label: hit.map(|_| Label::UZ),
            message: hit.map_or_else(String::new, |l| format!("{} = {}", l.name, l.value)),
            point,
            record,
        }
    }

    /// The test function that vanishes where the walk begins, if one does. Tests for branch points vanish without meaning where a parameter stands still.
    fn tests_zero_at_start(&self) -> Option<usize> {
        (0..self.tests.len()).find(|&i| {
            self.tests[i].label != Label::BP
                && self.begin_record.tests.get(i).is_some_and(|t| t.abs() <= ZERO_TEST)
                && self.curve.problem_ref().confirm(i, &self.begin_record)
        })
    }

    fn run(
        &mut self,
        options: &TraceOptions,
        found: &mut Vec<BranchPoint>,
        direction: usize,
        log: &mut dyn Logbook,
    ) -> End {
        let end = self.walk(options, found, direction, log);
        if end != End::Stopped {
            log.end(direction, found, &end);
        }
        end
    }

    fn walk(
        &mut self,
        options: &TraceOptions,
        found: &mut Vec<BranchPoint>,
        direction: usize,
        log: &mut dyn Logbook,
    ) -> End {
        let start = self.begin.clone();
        let outside = |p: f64| p < options.range.0 || p > options.range.1;
        if self.steps == 0 {
            if let Some(i) = self.last.1.inequalities.iter().position(|&v| v < -1e-8) {
                return End::Failed(format!("the start is not admissible: {}", self.inequalities[i].meaning));
            }
            if outside(start.parameter()) {
                return End::Failed(format!("the start is outside the range of {}", self.parameter_name));
            }
        }
        let rate = start.parameter_rate();
        let leaves = (start.parameter() == options.range.0 && rate < 0.0)
            || (start.parameter() == options.range.1 && rate > 0.0);
        if leaves && !self.family {
            return End::Range;
        }
        let mut plateau = Plateau::new(self.curve.problem().shape(), &self.begin_record, self.parameter);
        for known in found.iter().filter(|p| p.label.is_none()) {
            plateau.endless(&known.record, options);
        }
        for _ in self.steps..options.points {
            let next = match self.curve.next() {
                Some(Ok(p)) => p,
                Some(Err(e)) => return self.fail(found, e.to_string()),
                None => return End::Stopped,
            };
            if self.family && !same_parameter(&self.begin, &next) {
                return self.fail(
                    found,
                    format!(
                        "beyond it no such orbits exist at this value of {}",
                        self.parameter_name
                    ),
                );
            }
            let mut record = std::mem::take(&mut self.trial);
            if let Err(e) = self.curve.problem().inspect(&next, &mut record) {
                return self.fail(found, e.to_string());
            }
            let base = self.curve.base().clone();
            let h = base.arclength_to(&next);
            let mut hits = vec![];
            for event in self.events(&base, &next, &record, options) {
                match self.locate(&base, &next, h, &record, &event, options) {
                    Ok(Some((s, at, measured))) => hits.push((s, event, at, measured)),
                    Ok(None) => {}
                    Err(e) => {
                        if matches!(event, Event::Boundary(_) | Event::RangeEnd(_) | Event::Bound(..)) {
                            return self.fail(found, e.to_string());
                        }
                    }
                }
            }
            for test in 0..self.tests.len() {
                let values = (self.last.1.tests[test], record.tests[test]);
                let which = (test, self.tests[test].label == Label::BP);
                if !self.family
                    && let Ok(Some((s, at, measured))) = touching(&mut self.curve, which, (&base, &next), values, h)
                {
                    hits.push((s, Event::Touch(test), at, measured));
                }
            }
            hits.sort_by(|a, b| a.0.total_cmp(&b.0));
            self.drop_folds_at_crossings(&mut hits);
            // Of inequalities that vanish together the one that says best what happens is also the one that vanishes simply.
            let rank = |e: &Event| match e {
                Event::Boundary(i) => Some(self.inequalities[*i].rank),
                _ => None,
            };
            if let Some(first) = hits.iter().position(|hit| rank(&hit.1).is_some()) {
                let together = |hit: &(f64, Event, Point, Record)| hit.0 - hits[first].0 <= 1e-5 * h;
                let better =
                    (first + 1..hits.len()).find(|&k| rank(&hits[k].1) > rank(&hits[first].1) && together(&hits[k]));
                if let Some(better) = better {
                    let hit = hits.remove(better);
                    hits.insert(first, hit);
                }
            }
            for (_, event, at, measured) in hits {
                let (label, mut message, end) = self.name(&event, &measured, options);
                if self.family {
                    message.push_str(&format!(
                        "; along a continuum at fixed parameters: all these orbits exist at {} = {}, and one of their multipliers is exactly +1",
                        self.parameter_name, measured.parameters[self.parameter]
                    ));
                }
                if matches!(event, Event::Fold | Event::Test(_) | Event::Touch(_))
                    && let Some(more) = self.curve.problem().explain(label, &at, &measured)
                {
                    message.push_str(&more);
                }
                let special = BranchPoint {
                    point: at,
                    record: measured,
                    label: Some(label),
                    message,
                };
                let go_on = log.point(direction, &special, None);
                found.push(special);
                if let Some(end) = end {
                    return end;
                }
                if !go_on {
                    return End::Stopped;
                }
            }
            if (outside(next.parameter()) && !self.family) || !record.admissible() {
                return self.fail(found, "the end of the curve could not be located".into());
            }
            self.travelled += h;
            self.steps += 1;
            let travelled = self.travelled;
            if start.z.len() == next.z.len()
                && travelled > 4.0 * h
                && start.distance(&next) < h
                && travelled > 3.0 * start.distance(&next)
            {
                let aligned: f64 = start
                    .tangent
                    .iter()
                    .zip(&next.tangent)
                    .zip(&start.weights)
                    .map(|((a, b), w)| a * b * w)
                    .sum();
                let passed: f64 = start
                    .tangent
                    .iter()
                    .zip(next.z.iter().zip(&start.z))
                    .zip(&start.weights)
                    .map(|((t, (a, b)), w)| t * (a - b) * w)
                    .sum();
                if aligned > 0.9 && passed >= 0.0 {
                    return End::Closed;
                }
            }
            let point = BranchPoint {
                point: next.clone(),
                record: record.clone(),
                label: None,
                message: String::new(),
            };
            let go_on = log.point(direction, &point, Some(&self.pace()));
            let endless = plateau.endless(&point.record, options);
            found.push(point);
            if endless {
                return self.endless(found);
            }
            self.trial = std::mem::replace(&mut self.last, (next, record)).1;
            if !go_on {
                return End::Stopped;
            }
        }
        End::Points
    }

    /// Label the last point reached as the end of a family whose period grows without bound.
    fn endless(&self, found: &mut [BranchPoint]) -> End {
        let mut period = f64::INFINITY;
        if let Some(last) = found.last_mut() {
            period = last.record.period;
            last.label = Some(Label::EP);
            last.message = format!(
                "homoclinic end: the period grows without bound (here {period:.6}) while {} and the shape of the orbit no longer change; the orbit \
                 approaches one that starts and ends at rest, and lingers ever longer at an equilibrium",
                self.parameter_name
            );
        }
        End::Homoclinic { period }
    }

    /// Label the last point reached as the place where the tracer gave up.
    fn fail(&self, found: &mut [BranchPoint], why: String) -> End {
        if let Some(last) = found.last_mut()
            && last.label.is_none()
        {
            last.label = Some(Label::MX);
            last.message = format!("the curve could not be followed beyond this point: {why}");
        }
        End::Failed(why)
    }

    /// What changes sign between the base point and the next.
    fn events(&self, base: &Point, next: &Point, record: &Record, options: &TraceOptions) -> Vec<Event> {
        let before = &self.last.1;
        let mut events = vec![];
        if self.folds && base.parameter_rate() * next.parameter_rate() < 0.0 && !is_flat(base, next, 1e-12) {
            events.push(Event::Fold);
        }
        for (i, (a, b)) in before.tests.iter().zip(&record.tests).enumerate() {
            // The tests for branch points use the sign of the parameter's rate, which conditioning spoils before the parameter itself.
            let branch_point = self.tests[i].label == Label::BP;
            let told = self.steps == 0 && !branch_point && a.abs() <= ZERO_TEST;
            if a * b < 0.0 && !told && !(branch_point && (self.family || is_flat(base, next, 1e-10))) {
                events.push(Event::Test(i));
            }
        }
        for (i, l) in options.levels.iter().enumerate() {
            let (a, b) = (l.column.of(before) - l.value, l.column.of(record) - l.value);
            let still = self.family && l.column == Column::Parameter(self.parameter);
            if (a * b < 0.0 || b == 0.0) && a.abs() > 1e-12 * (1.0 + l.value.abs()) && !still {
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
            if (a * b < 0.0 || (b == 0.0 && a != 0.0)) && !self.family {
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

    /// The point where an event happens between `base` and `next` (at arclength 0 and `h`), with its arclength and measurements.
    fn locate(
        &mut self,
        base: &Point,
        next: &Point,
        h: f64,
        record: &Record,
        event: &Event,
        options: &TraceOptions,
    ) -> Result<Option<(f64, Point, Record)>, Failure> {
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
            Event::Test(i) | Event::Touch(i) => record.tests[*i],
            Event::Level(i) => options.levels[*i].column.of(record) - options.levels[*i].value,
            Event::Boundary(i) => record.inequalities[*i],
            Event::RangeEnd(v) => point.parameter() - v,
            Event::Bound(i, upper) => {
                let bound = bound(&options.within[*i], *upper);
                bound.column.of(record) - bound.value
            }
        };
        let (ga, gb) = (value(base, &self.last.1), value(next, record));
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
    fn drop_folds_at_crossings(&self, hits: &mut Vec<(f64, Event, Point, Record)>) {
        let crossings: Vec<Point> = hits
            .iter()
            .filter(|h| matches!(&h.1, Event::Test(i) if self.tests[*i].label == Label::BP))
            .map(|h| h.2.clone())
            .collect();
        hits.retain(|h| !matches!(h.1, Event::Fold) || crossings.iter().all(|c| c.distance(&h.2) > 1e-6));
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

    /// Label, message and (for terminal events) the end that an event stands for.
    fn name(&self, event: &Event, record: &Record, options: &TraceOptions) -> (Label, String, Option<End>) {
        match event {
            Event::Fold => (Label::LP, self.fold_meaning.clone(), None),
            Event::Test(i) => (self.tests[*i].label, self.tests[*i].meaning.clone(), None),
            Event::Touch(i) => (
                self.tests[*i].label,
                format!(
                    "{}; the multiplier comes to this value and turns back without passing it, as where a continuum of orbits exists at one value of {}",
                    self.tests[*i].meaning, self.parameter_name
                ),
                None,
            ),
            Event::Level(i) => {
                let l = &options.levels[*i];
                (Label::UZ, format!("{} = {}", l.name, l.value), None)
            }
            Event::Boundary(i) => {
                let inequality = self
                    .inequalities
                    .iter()
                    .zip(&record.inequalities)
                    .position(|(s, v)| s.rank > self.inequalities[*i].rank && v.abs() < 1e-9)
                    .unwrap_or(*i);
                let spec = &self.inequalities[inequality];
                (
                    spec.label,
                    spec.meaning.clone(),
                    Some(End::Boundary {
                        inequality,
                        label: spec.label,
                        meaning: spec.meaning.clone(),
                    }),
                )
            }
            Event::Bound(i, upper) => {
                let b = bound(&options.within[*i], *upper);
                (
                    Label::EP,
                    format!("end of the allowed interval, {} = {}", b.name, b.value),
                    Some(End::Range),
                )
            }
            Event::RangeEnd(v) => (
                Label::EP,
                format!("end of the range, {} = {v}", self.parameter_name),
                Some(End::Range),
            ),
        }
    }
}
