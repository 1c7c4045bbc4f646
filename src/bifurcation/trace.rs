//! One direction of a trace, with everything that happens on the way.

mod border;
mod closed_in_one_mode;
mod closing;
mod continuum;
mod crossing;
mod earlier;
mod ends;
mod entries;
mod events;
mod hidden;
mod kernel;
mod last_stretch;
mod neutral;
mod one_way;
mod passage;
mod recurring;
mod reversal;
mod singular_end;
mod together;
mod touch_at_end;
mod turning;
mod vanished;
mod vanishing;
mod zero_side;

pub use self::kernel::is_confirmed;
pub use self::together::passed_the_axis;

pub(super) use self::events::TURNS_BACK;
pub(super) use self::one_way::OneWay;

use self::continuum::size_of_parameter;
use self::one_way::SHORTER;
use self::reversal::Again;
use super::homoclinic::{Plateau, Standstill, long_enough};
use super::logbook::{Logbook, Pace, Past};
use super::{BranchPoint, End, Inspect, InspectedCurve, Label, Monitor, MonitorKind, Record, Rest, TraceOptions};
use slipstick_continuation::{Failure, Point};
use slipstick_floquet::Neutral;

/// The most points in each direction along a family at one value of the parameter.
const MOST_OF_A_FAMILY: usize = 1000;

/// Cycles along two parameters that are smaller than this part of what they were at the start have shrunk to a point,
/// if they shrink to an equilibrium.
const VANISHED: f64 = 1e-3;

/// Tell the problem of the points that an earlier attempt has stepped over.
pub(super) fn recall(problem: &mut dyn Inspect, points: &[BranchPoint]) {
    for known in points.iter().filter(|p| p.label.is_none()) {
        problem.recall(&known.point.z, &known.point.meshes);
    }
}

/// Is the parameter the same at two points of a family at one value of it?
fn same_parameter(a: &Point, b: &Point) -> bool {
    /// Unfolded equations are solved to this accuracy.
    const SAME: f64 = 1e-9;
    (a.parameter() - b.parameter()).abs() <= SAME * size_of_parameter(a)
}

/// Does a change of the parameter lead outside from a border of the range?
fn leaves_border(from: f64, change: f64, range: (f64, f64)) -> bool {
    (from == range.0 && change < 0.0) || (from == range.1 && change > 0.0)
}

impl<'p> OneWay<'p> {
    pub(super) fn on(mut curve: InspectedCurve<'p>) -> Result<Self, Failure> {
        let problem = curve.problem();
        let names = problem.parameter_names();
        let parameter = problem.free_parameters().last().copied().unwrap_or(0);
        let parameter_name = names.get(parameter).cloned().unwrap_or_default();
        let (time_unit, fold_meaning) = (problem.time_unit(), problem.fold_meaning(&parameter_name));
        let family = problem.fixes_parameter();
        let (tests, inequalities, folds) = (
            problem.tests(),
            problem.inequalities(),
            problem.two_parameters().is_none() && !family,
        );
        let monitors = problem.monitors();
        let extremes = Monitor::positions(&monitors, &MonitorKind::Extreme);
        let lasts = problem.recurrence().is_some_and(|r| r.may_last());
        let error = Monitor::error(&monitors);
        let mut incidental = Monitor::positions(&monitors, &MonitorKind::Incidental);
        incidental.extend(error);
        let point = curve.point().clone();
        let mut record = Record::default();
        curve.problem().leave_out_neutral(Neutral::default());
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
            extremes,
            lasts,
            incidental,
            error,
            trial: record.clone(),
            begin: point.clone(),
            begin_record: record.clone(),
            largest: record.clone(),
            crossings: 0,
            still: 0,
            continuum: None,
            left_continuum: None,
            limits: vec![],
            travelled: 0.0,
            steps: 0,
            short_steps: 0,
            retries: 0,
            neutral,
            shorter: 0,
            left: false,
            jumps: None,
            slopes: vec![],
            track: None,
            trackless: false,
            last: (point, record),
        })
    }

    /// Go to where an earlier attempt got to; returns the points it found on the way.
    pub(super) fn take_up(&mut self, past: Past) -> Vec<BranchPoint> {
        let (Some(pace), Some(last)) = (past.pace, past.points.last()) else {
            return vec![];
        };
        self.last = (last.point.clone(), last.record.clone());
        self.travelled = pace.travelled;
        self.steps = pace.steps;
        self.short_steps = pace.short_steps;
        let unlabelled: Vec<&BranchPoint> = past.points.iter().filter(|p| p.label.is_none()).collect();
        for pair in unlabelled.windows(2) {
            let [before, after] = [pair[0], pair[1]].map(|p| (&p.point, &p.record));
            self.note_still(before, after);
            self.left_continuum = None;
        }
        recall(self.curve.problem(), &past.points);
        self.curve.take_up(last.point.clone(), pace.stride);
        self.curve.problem().set_memory(&pace.memory);
        for _ in 0..pace.retries {
            self.slow_down();
        }
        past.points
    }

    /// Enter the start into the logbook.
    pub(super) fn enter_start(
        &mut self,
        options: &TraceOptions,
        direction: usize,
        log: &mut dyn Logbook,
    ) -> BranchPoint {
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
        // Where the step was taken on another discretisation than the last point was found on, those before were
        // carried over to it.
        if self.curve.base().meshes != self.last.0.meshes {
            stride.previous.clear();
        }
        self.curve.take_up(self.last.0.clone(), stride);
    }

    fn pace(&mut self) -> Pace {
        Pace {
            memory: self.curve.problem().memory(),
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
        let level = hit.map(|l| l.reported());
        let remarks = self.neutral_remark().into_iter().chain(self.outside_bounds(options));
        let said: Vec<String> = level.into_iter().chain(remarks).collect();
        BranchPoint {
            label: hit.map(|_| Label::UZ),
            message: said.join("; "),
            point,
            record,
        }
    }

    pub(super) fn run(
        &mut self,
        options: &TraceOptions,
        found: &mut Vec<BranchPoint>,
        direction: usize,
        log: &mut dyn Logbook,
    ) -> End {
        let options = self.within_requirements(options);
        let lost = self.is_lost_in_rounding(found);
        let end = lost.unwrap_or_else(|| self.follow(&options, found, direction, log));
        if end != End::Stopped {
            log.end(direction, found, &end);
        }
        end
    }

    /// May one and the same orbit start from different of its points along the curve?
    fn may_start_anywhere(&mut self) -> bool {
        let recurrence = self.curve.problem().recurrence();
        recurrence.is_some_and(|r| r.may_start_anywhere())
    }

    /// Where the orbit at `point` comes almost to rest.
    fn rest(&mut self, point: &Point) -> Option<Rest> {
        self.curve.problem().recurrence()?.rest(point)
    }

    /// How the points found so far approach an end at infinite period.
    fn approach(&self, found: &[BranchPoint]) -> (Plateau, Standstill) {
        let error = self.curve.problem_ref().discretisation_error();
        let mut plateau = Plateau::new(
            self.lasts.then(|| self.extremes.clone()),
            &self.begin_record,
            self.parameter,
            error,
        );
        let mut standstill = Standstill::new(error);
        for known in found.iter().filter(|p| p.label.is_none()) {
            plateau.endless(&known.record, self.continuum.is_some());
            standstill.note(&known.record, self.parameter);
        }
        (plateau, standstill)
    }

    fn follow(
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
                return End::Failed(format!(
                    "the start is not admissible: it lies beyond the border at which {}; start at another {}, or from another solution",
                    self.inequalities[i].meaning, self.parameter_name
                ));
            }
            if outside(start.parameter()) {
                return End::Failed(format!("the start is outside the range of {}", self.parameter_name));
            }
        }
        let rate = start.parameter_rate();
        let leaves = leaves_border(start.parameter(), rate, options.range);
        // At a fold on the border both ways may lead inside: where the first step leads tells.
        let turns_there = self.steps == 0 && start.stays_at_parameter();
        if leaves && !self.family && !turns_there {
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
        for taken in self.steps..most {
            if taken >= MOST_OF_A_FAMILY && self.continuum.is_some() {
                break;
            }
            let next = match self.curve.next() {
                Some(Ok(p)) => p,
                Some(Err(e)) => return self.give_up(found, (&standstill, options), e.to_string(), direction, log),
                None => return End::Stopped,
            };
            if self.family && !same_parameter(&self.begin, &next) {
                return self.fail(
                    found,
                    format!(
                        "there are no such orbits beyond it at this value of {}",
                        self.parameter_name
                    ),
                );
            }
            let mut record = std::mem::take(&mut self.trial);
            if let Err(e) = self.curve.problem().inspect(&next, &mut record) {
                return self.give_up(found, (&standstill, options), e.to_string(), direction, log);
            }
            self.hold_instants(&mut record);
            self.keep_sides(&self.last.1, &mut record);
            let base = self.curve.base().clone();
            let h = base.arclength_to(&next);
            if self.crosses_vanishing((&base, &next), &record) {
                if let Some(end) = self.vanish(found, options, direction, log) {
                    return end;
                }
                self.set_off_shorter(h);
                self.trial = record;
                continue;
            }
            if let Some(end) = self.ends_before(&base, (&next, &record), found, direction, log) {
                return end;
            }
            let turned = self.turned_back(&base, (&next, &record), found).or_else(|| {
                let turn = self.retraced(&base, (&next, &record), found)?;
                Some((turn, Again::Retold))
            });
            if let Some((turn, again)) = turned {
                self.trial = record;
                if let Some(end) = self.take_back((turn, again), options, found, direction, log) {
                    return end;
                }
                (plateau, standstill) = self.approach(found);
                continue;
            }
            let leaves_range = leaves_border(start.parameter(), next.parameter() - start.parameter(), options.range);
            if self.steps == 0 && (leaves_range && !self.family || self.leaves_bounds_at_once(&record, options)) {
                return End::Range;
            }
            if let Some(end) = self.ends_at_start(&record, found) {
                return end;
            }
            let before = self.last.1.clone();
            self.note_still((&self.last.0.clone(), &before), (&next, &record));
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
                Err(e) => return self.give_up(found, (&standstill, options), e.to_string(), direction, log),
            };
            hits.retain(|hit| again.is_none_or(|s| hit.s < s));
            let closed = self.ends_in_one_mode(&mut hits);
            self.leave_out_border(&mut hits, h);
            if let Some(end) = self.ends_beside_rounding(&hits, found, options, direction, log) {
                return end;
            }
            if let Some(end) = self.enter(hits, &base, options, found, (direction, &mut *log)) {
                return end;
            }
            if let Some(closed) = closed {
                return Self::enter_last(closed, found, (direction, log));
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
            self.left_continuum = None;
            self.travelled += h;
            self.steps += 1;
            self.shorter = 0;
            self.measure_beside(&base, &next, &mut record, None);
            let point = BranchPoint {
                point: next.clone(),
                record: record.clone(),
                label: None,
                message: String::new(),
            };
            let pace = log.wants_pace().then(|| self.pace());
            let go_on = log.point(direction, &point, pace.as_ref());
            let at_rest = plateau.endless(&point.record, self.continuum.is_some());
            standstill.note(&point.record, self.parameter);
            let wanted = long_enough(&point.record, options);
            found.push(point);
            if let Some(end) = self.shrunk(found, VANISHED) {
                return end;
            }
            let left = if self.short_steps >= vanishing::HARDLY {
                vanishing::GIVEN_UP
            } else {
                vanishing::AT_REST
            };
            let vanished = self.segment_vanishes(found, options, left);
            let end = vanished
                .map(|end| self.last_in_one_mode(found).unwrap_or(end))
                .or_else(|| self.ends_at_known_rest(found, options, direction, log));
            if let Some(end) = end {
                return end;
            }
            if self.dwindles(found) {
                let end = self.vanish(found, options, direction, log);
                if let Some(end) =
                    end.or_else(|| self.shrinks_to_point(found, (options, &vanishing::WHEN_SHORT), direction, log))
                {
                    return end;
                }
            }
            if wanted && let Some(end) = self.endless(found, &next, (at_rest, &standstill), options) {
                return end;
            }
            self.trial = std::mem::replace(&mut self.last, (next, record)).1;
            if let Some(end) = self.creeps(found, &base, h).or_else(|| self.outgrows(found)) {
                return end;
            }
            if let Some(end) = self.comes_to_pole(found).or_else(|| self.is_lost_in_rounding(found)) {
                return end;
            }
            if self.has_seen_continuum(&self.last.1) {
                let end = self.recurs_at_last(found).or_else(|| self.ends_at_limit(found));
                if let Some(end) = end.or_else(|| self.end_in_continuum(found, direction, log)) {
                    return end;
                }
            }
            if !go_on {
                return End::Stopped;
            }
        }
        self.end_in_continuum(found, direction, log).unwrap_or(End::Points)
    }
}
