//! Trace a curve with everything that happens on it.

mod closing;
mod continuum;
mod crossing;
mod ends;
mod events;
mod hidden;
mod kernel;
mod neutral;
mod passage;
mod reversal;
mod vanishing;

pub use self::kernel::is_confirmed;

use self::passage::Hit;
use super::homoclinic::{Plateau, Standstill, long_enough};
use super::logbook::{Forgetful, Logbook, Pace, Past};
use super::settle::{settle_flat_stretches, settle_folds};
use super::track::Track;
use super::{Branch, BranchPoint, End, InequalitySpec, Inspect, Label, Record, TestSpec, TraceOptions};
use slipstick_continuation::{Curve, Failure, ParameterScale, Point, StepOptions};
use slipstick_numerics::stop::unless_stopped;
use std::ops::Range;
use std::rc::Rc;

/// A test function as small as this is zero where a walk begins.
const ZERO_TEST: f64 = 1e-11;

/// The most points in each direction along a family at one value of the parameter.
const MOST_OF_A_FAMILY: usize = 1000;

/// Cycles along two parameters that are smaller than this part of what they were at the start have shrunk to a point, if they shrink to an equilibrium; and
/// those that are smaller than this where the tracer gives up.
const VANISHED: f64 = 1e-3;
const LOST_SMALL: f64 = 0.05;

/// How often a step that has left its curve is repeated, each time shorter by this factor.
const MOST_SHORTER: usize = 6;
const SHORTER: f64 = 0.25;

/// What may end a walk from within an interval, and what is merely noted.
enum Event {
    Fold,
    Test(usize),
    Touch(usize),
    /// The curve turns back where a test function changes sign: a pitchfork seen from its prongs.
    Prong(usize),
    /// A test function for branch points has a zero of this order.
    Multiple(usize, usize),
    Level(usize),
    Boundary(usize),
    RangeEnd(f64),
    Bound(usize, bool),
}

impl Event {
    /// Does the curve end where this happens?
    fn ends(&self) -> bool {
        matches!(self, Self::Boundary(_) | Self::RangeEnd(_) | Self::Bound(..))
    }
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
        (steps, range): (StepOptions, (f64, f64)),
    ) -> Result<Curve<'p, P>, Failure> {
        match self {
            Self::Guess(z) => {
                problem.set_off(z);
                problem.set_scales(z, parameter_scale(z, range));
                Curve::start(problem, z.clone(), direction, steps)
            }
            Self::Point(point) => {
                let mut point = point.clone();
                point.tangent.iter_mut().for_each(|t| *t *= direction);
                problem.set_off(&point.z);
                problem.set_scales(&point.z, parameter_scale(&point.z, range));
                let mut residual = vec![0.0; problem.unknowns() - problem.free()];
                problem.linearise(&point.z, &mut residual)?;
                Ok(Curve::resume(problem, point, steps))
            }
        }
    }
}

/// How the continuation parameter is measured along a curve that sets off from `z`.
fn parameter_scale(z: &[f64], range: (f64, f64)) -> ParameterScale {
    ParameterScale::over(range, z.last().copied().unwrap_or(0.0))
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
        if closed || ends.contains(&End::Stopped) {
            break;
        }
        let mut past = log.past(k);
        let (mut found, end) = match past.end.take() {
            Some(end) => {
                recall(problem, &past.points);
                (past.points, end)
            }
            None => {
                problem.restore(&meshes);
                let mut found = vec![];
                let outcome = unless_stopped(|| {
                    let mut walk = begin
                        .set_off(problem, direction, (options.steps, options.range))
                        .and_then(Walk::on)?;
                    found = walk.take_up(past);
                    // The start belongs to the first direction.
                    if k == 0 && found.is_empty() {
                        found.push(walk.enter(options, k, log));
                    }
                    Ok(walk.run(options, &mut found, k, log))
                });
                match outcome {
                    Some(Ok(end)) => (found, end),
                    Some(Err(e)) if k == 0 => return Err(e),
                    // What the first direction found stays.
                    Some(Err(e)) => (vec![], End::Failed(e.to_string())),
                    None => (found, End::Stopped),
                }
            }
        };
        if k == 0 {
            if end == End::Range && found.len() == 1 {
                let border = at_the_border(problem, &mut found[0]);
                found.extend(border);
            }
            points.append(&mut found);
            closed = end == End::Closed;
            ends.push(end);
        } else {
            if end == End::Range
                && found.is_empty()
                && let Some(start) = points.first_mut()
            {
                found.extend(at_the_border(problem, start));
            }
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
    settle_flat_stretches(&mut points, problem.error_monitor());
    settle_folds(&mut points, problem.error_monitor());
    Ok(Branch {
        points,
        ends,
        start: start_index,
    })
}

/// Tell the problem of the points that an earlier attempt has stepped over.
fn recall<P: Inspect>(problem: &mut P, points: &[BranchPoint]) {
    for known in points.iter().filter(|p| p.label.is_none()) {
        problem.recall(&known.point.z);
    }
}

/// Label a start from which there is nowhere to go as the end of the range; the same point again if it has a label of its own.
fn at_the_border<P: Inspect>(problem: &mut P, start: &mut BranchPoint) -> Option<BranchPoint> {
    let names = problem.parameter_names();
    let free = problem.free_parameters().last().and_then(|&i| names.get(i));
    let message = format!(
        "end of the range, {} = {}",
        free.map_or("", |name| name),
        start.point.parameter()
    );
    if start.label.is_some() {
        return Some(BranchPoint {
            label: Some(Label::EP),
            message,
            ..start.clone()
        });
    }
    start.label = Some(Label::EP);
    start.message = message;
    None
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
        settle_flat_stretches(&mut points, problem.error_monitor());
        settle_folds(&mut points, problem.error_monitor());
        return Ok(Branch {
            points,
            ends: vec![end],
            start: 0,
        });
    }
    let mut points = vec![];
    let outcome = unless_stopped(|| {
        let mut residual = vec![0.0; problem.unknowns() - problem.free()];
        problem.set_scales(&start.z, parameter_scale(&start.z, options.range));
        problem.linearise(&start.z, &mut residual)?;
        let curve = Curve::resume(problem, start, options.steps);
        let mut walk = Walk::on(curve)?;
        points = walk.take_up(past);
        if points.is_empty() {
            points.push(walk.enter(options, 0, log));
        }
        Ok::<_, Failure>(walk.run(options, &mut points, 0, log))
    });
    let end = outcome.unwrap_or(Ok(End::Stopped))?;
    settle_flat_stretches(&mut points, problem.error_monitor());
    settle_folds(&mut points, problem.error_monitor());
    Ok(Branch {
        points,
        ends: vec![end],
        start: 0,
    })
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
    /// What times are told in.
    time_unit: f64,
    folds: bool,
    /// Does the walk go along a family at one value of the parameter?
    family: bool,
    fold_meaning: String,
    /// The monitors that tell the shape of orbits whose phase is free.
    shape: Option<Range<usize>>,
    last: (Point, Record),
    trial: Record,
    /// Where the walk began, and how far it has come.
    begin: Point,
    begin_record: Record,
    travelled: f64,
    steps: usize,
    /// How often it was begun again before a turn that was none.
    retries: usize,
    /// How many of the last steps were so short that the curve hardly got on.
    short_steps: usize,
    /// How many pairs of eigenvalues or multipliers stay neutral along the curve.
    neutral: usize,
    /// How often the present step was made shorter since it had left its curve.
    shorter: usize,
    /// Has the step been seen to leave its curve?
    left: bool,
    /// The curve around a crossing in the present step, interpolated; and whether that was tried in vain.
    track: Option<Rc<Track>>,
    trackless: bool,
    /// What was measured where cycles were largest, and how often the walk stepped across the point where they vanish.
    largest: Record,
    crossings: usize,
    /// How many of the last steps led along a continuum, at one value of the parameter.
    still: usize,
    /// Where the range ends because a requirement on the parameters ceases to hold, and its name.
    limits: Vec<(f64, String)>,
}

impl<'p, P: Inspect> Walk<'p, P> {
    fn on(mut curve: Curve<'p, P>) -> Result<Self, Failure> {
        let problem = curve.problem();
        let names = problem.parameter_names();
        let parameter = problem.free_parameters().last().copied().unwrap_or(0);
        let parameter_name = names.get(parameter).cloned().unwrap_or_default();
        let (time_unit, fold_meaning) = (problem.time_unit(), problem.fold_meaning(&parameter_name));
        let family = problem.holds_parameter();
        let (tests, inequalities, folds) = (problem.tests(), problem.inequalities(), problem.folds() && !family);
        let shape = problem.shape();
        let point = curve.point().clone();
        let mut record = Record::default();
        curve.problem().leave_out_neutral(0);
        curve.problem().inspect(&point, &mut record)?;
        let neutral = neutral::staying(&mut curve, &point, &mut record)?;
        Ok(Self {
            curve,
            tests,
            inequalities,
            parameter,
            parameter_name,
            time_unit,
            folds,
            family,
            fold_meaning,
            shape,
            trial: record.clone(),
            begin: point.clone(),
            begin_record: record.clone(),
            largest: record.clone(),
            crossings: 0,
            still: 0,
            limits: vec![],
            travelled: 0.0,
            steps: 0,
            short_steps: 0,
            retries: 0,
            neutral,
            shorter: 0,
            left: false,
            track: None,
            trackless: false,
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
        self.short_steps = pace.short_steps;
        recall(self.curve.problem(), &past.points);
        self.curve.take_up(last.point.clone(), pace.stride);
        for _ in 0..pace.retries {
            self.slow_down();
        }
        past.points
    }

    /// Enter the start into the logbook.
    fn enter(&mut self, options: &TraceOptions, direction: usize, log: &mut dyn Logbook) -> BranchPoint {
        let first = self.first(options);
        let pace = log.wants_pace().then(|| self.pace());
        log.point(direction, &first, pace.as_ref());
        first
    }

    /// Go back to the last point, for a step that is shorter than the one taken from it.
    fn step_back(&mut self) {
        self.shorter += 1;
        let mut stride = self.curve.stride();
        let taken = self.curve.base().arclength_to(self.curve.point());
        stride.step = SHORTER * taken;
        // The last point itself is among those before the one that is taken back.
        stride.previous = stride.previous.split_off(stride.previous.len().min(1));
        // Where the step was taken on another discretisation than the last point was found on, those before were carried over to it.
        if self.curve.base().meshes != self.last.0.meshes {
            stride.previous.clear();
        }
        self.curve.take_up(self.last.0.clone(), stride);
    }

    fn pace(&self) -> Pace {
        Pace {
            stride: self.curve.stride(),
            travelled: self.travelled,
            steps: self.steps,
            short_steps: self.short_steps,
            retries: self.retries,
        }
    }

    /// The start as a branch point, labelled if it lies on a wanted level.
    fn first(&mut self, options: &TraceOptions) -> BranchPoint {
        let (point, record) = self.last.clone();
        let hit = options.levels.iter().find(|l| {
            let v = l.column.of(&record);
            (v - l.value).abs() <= l.rounding(&point, &record, self.parameter)
        });
        if let Some(event) = self.event_at_start() {
            let (label, message, _) = self.name(&event, &record, options);
            let more = self.curve.problem().explain(label, &point, &record);
            return BranchPoint {
                label: Some(label),
                message: message + &more.unwrap_or_default(),
                point,
                record,
            };
        }
        let level = hit.map(|l| l.told());
        let said: Vec<String> = level.into_iter().chain(self.neutral_remark()).collect();
        BranchPoint {
            label: hit.map(|_| Label::UZ),
            message: said.join("; "),
            point,
            record,
        }
    }

    fn run(
        &mut self,
        options: &TraceOptions,
        found: &mut Vec<BranchPoint>,
        direction: usize,
        log: &mut dyn Logbook,
    ) -> End {
        let options = self.within_requirements(options);
        let end = self.walk(&options, found, direction, log);
        if end != End::Stopped {
            log.end(direction, found, &end);
        }
        end
    }

    /// How the points found so far approach an end at infinite period.
    fn approach(&self, found: &[BranchPoint]) -> (Plateau, Standstill) {
        let mut plateau = Plateau::new(self.shape.clone(), &self.begin_record, self.parameter);
        let mut standstill = Standstill::default();
        for known in found.iter().filter(|p| p.label.is_none()) {
            plateau.endless(&known.record);
            standstill.note(&known.record, self.parameter);
        }
        (plateau, standstill)
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
        let (mut plateau, mut standstill) = self.approach(found);
        self.note_largest(found);
        // A continuum may go on to any size.
        let most = if self.family {
            options.points.min(MOST_OF_A_FAMILY)
        } else {
            options.points
        };
        for walked in self.steps..most {
            if walked >= MOST_OF_A_FAMILY && self.is_continuum() {
                break;
            }
            let next = match self.curve.next() {
                Some(Ok(p)) => p,
                Some(Err(e)) => {
                    let why = e.to_string();
                    let end = self.lost_at_rest(found, &standstill, options, &why);
                    let end = end.or_else(|| self.shrunk(found, LOST_SMALL));
                    let end = end.or_else(|| self.lost_small(found, direction, log));
                    let end = end.or_else(|| self.segment_vanishes(found, options, vanishing::GIVEN_UP));
                    return end.unwrap_or_else(|| self.fail(found, why));
                }
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
            if self.crosses_vanishing((&base, &next), &record) {
                if let Some(end) = self.vanish(found, direction, log) {
                    return end;
                }
                self.set_off_shorter(h);
                self.trial = record;
                continue;
            }
            if let Some((turn, again)) = self.turned_back(&base, &next, found) {
                self.trial = record;
                if let Some(end) = self.take_back(turn, again, found, direction, log) {
                    return end;
                }
                (plateau, standstill) = self.approach(found);
                continue;
            }
            self.note_still((&base, &next), &record);
            let before = self.last.1.clone();
            let again = self
                .comes_again((&base, &before), (&next, &record), found)
                .or_else(|| self.passes_start(&base, &next));
            let mut hits = match self.passage(&base, &next, &record, options, found) {
                Ok(Some(hits)) => hits,
                Ok(None) => {
                    self.trial = record;
                    self.step_back();
                    continue;
                }
                Err(e) => return self.fail(found, e.to_string()),
            };
            hits.retain(|hit| again.is_none_or(|s| hit.s < s));
            for Hit {
                event,
                point: at,
                record: measured,
                ..
            } in hits
            {
                let (label, mut message, end) = self.name(&event, &measured, options);
                if matches!(
                    event,
                    Event::Fold | Event::Test(_) | Event::Touch(_) | Event::Prong(_) | Event::Multiple(..)
                ) && let Some(more) = self.curve.problem().explain(label, &at, &measured)
                {
                    message.push_str(&more);
                }
                if self.family {
                    message.push_str(&format!(
                        "; along a continuum at fixed parameters: all these orbits exist at {} = {}, and one of their multipliers is exactly +1",
                        self.parameter_name, measured.parameters[self.parameter]
                    ));
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
            if again.is_some() {
                return End::Closed;
            }
            if (outside(next.parameter()) && !self.family) || !record.admissible() {
                return self.fail(found, "the end of the curve could not be located".into());
            }
            if let Some(end) = self.runs_off(&next, &record, found, direction, log) {
                return end;
            }
            self.travelled += h;
            self.steps += 1;
            self.shorter = 0;
            let point = BranchPoint {
                point: next.clone(),
                record: record.clone(),
                label: None,
                message: String::new(),
            };
            let pace = log.wants_pace().then(|| self.pace());
            let go_on = log.point(direction, &point, pace.as_ref());
            let settled = plateau.endless(&point.record);
            standstill.note(&point.record, self.parameter);
            let wanted = long_enough(&point.record, options);
            found.push(point);
            if let Some(end) = self.shrunk(found, VANISHED) {
                return end;
            }
            if let Some(end) = self.segment_vanishes(found, options, vanishing::AT_REST) {
                return end;
            }
            if self.dwindles(found) {
                let end = self.vanish(found, direction, log);
                if let Some(end) = end.or_else(|| self.shrinks_to_point(found, direction, log)) {
                    return end;
                }
            }
            if wanted && let Some(end) = self.endless(found, &next, settled, &standstill) {
                return end;
            }
            self.trial = std::mem::replace(&mut self.last, (next, record)).1;
            if let Some(end) = self.creeps(found, &base, h) {
                return end;
            }
            if !go_on {
                return End::Stopped;
            }
        }
        if self.is_continuum() {
            self.end_in_continuum(found, direction, log)
        } else {
            End::Points
        }
    }
}
