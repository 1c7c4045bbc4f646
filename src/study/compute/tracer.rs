//! The tracer of one entry of a study: it traces branches, samples their orbits and knows what was traced before.

use crate::checkpoint::log::{EntryLog, TraceLog};
use crate::compute::error::ComputeError;
use crate::compute::family::Family;
use crate::compute::passing::{pairs, passes_near};
use crate::plan::entries::CurvePlan;
use crate::results::curve::{CurveResult, Piece};
use crate::results::observer::Observer;
use slipstick_bifurcation::{Branch, BranchPoint, End, Inspect, Monitor};
use slipstick_continuation::{Failure, Point};
use slipstick_numerics::number::exact;
use slipstick_numerics::stop::to_the_end;
use slipstick_orbit::{SAME_ORBIT, Searched};
use slipstick_system::System;
use std::sync::atomic::{AtomicBool, Ordering};

/// How many rows an orbit is sampled to; where it needs more for readers to join them, it has them.
pub(crate) const ORBIT_ROWS: usize = 400;

/// How many orbits between labelled points are kept for a walk along the branch (a report holds no more), and with how
/// many rows.
const BETWEEN_ORBITS: usize = 600;
const BETWEEN_ROWS: usize = 160;

/// How many starts that led to no curve are listed.
const MOST_FAILURES_REPORTED: usize = 3;

/// Errors of this many times what was asked for are reported.
pub(crate) const REPORTED: f64 = 3.0;

/// Traces the curves of one entry of the study, one for each start that does not lie on a curve already traced.
pub(crate) struct CurveTracer<'a> {
    pub(crate) curve: &'a CurvePlan,
    pub(crate) observer: &'a dyn Observer,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) log: &'a EntryLog<'a>,
    /// The curves so far.
    pub(crate) results: Vec<CurveResult>,
    /// The first stretch of each branch, from the point that it sets off from to its first one, with its word.
    pub(crate) stretches: Vec<(String, Point, Point)>,
    /// The first failure, for when there are no curves.
    pub(crate) failure: Option<ComputeError>,
    /// What is to be said of the starts to come.
    pub(crate) note: String,
    /// The value asked for, and what is to be said of a curve that does not reach it since it starts elsewhere.
    elsewhere: Option<(f64, String)>,
    /// Why starts gave no curve.
    failed_starts: Vec<String>,
    /// Branches that were asked for and not traced, and why.
    pub(crate) untraced: Vec<String>,
}

impl<'a> CurveTracer<'a> {
    pub(crate) fn new(
        curve: &'a CurvePlan,
        observer: &'a dyn Observer,
        stop: &'a AtomicBool,
        log: &'a EntryLog<'a>,
    ) -> Self {
        Self {
            curve,
            observer,
            stop,
            log,
            results: vec![],
            stretches: vec![],
            failure: None,
            note: String::new(),
            elsewhere: None,
            failed_starts: vec![],
            untraced: vec![],
        }
    }

    /// Tell of a search at a value of the free parameter; should it go on?
    pub(crate) fn searching(&self, value: f64, so_far: Searched) -> bool {
        self.observer.searching(&self.curve.name, value, so_far);
        !self.stop.load(Ordering::Relaxed)
    }

    /// The values of the free parameter at which starts are searched for: those asked for, else that of the curve, then
    /// the others, which are marked by `false`.
    pub(crate) fn values_to_search(&self, asked: &[f64], others: &[f64]) -> Vec<(f64, bool)> {
        let own = [self.curve.parameters[self.curve.free]];
        let first = if asked.is_empty() { &own } else { asked };
        // One of the other values may be one asked for.
        let others = others.iter().filter(|value| !first.contains(value));
        let first = first.iter().map(|&value| (value, true));
        first.chain(others.map(|&value| (value, false))).collect()
    }

    /// Is there a search at a value, after what those before have found? Other values than those asked for are looked
    /// at only where nothing was found, and the note says so.
    pub(crate) fn searches_at(&mut self, system: &System, (value, asked): (f64, bool)) -> bool {
        if self.stop.load(Ordering::Relaxed) || (!self.results.is_empty() && !asked) {
            return false;
        }
        if !asked {
            let what = self.curve.object.describe(system);
            self.found_elsewhere(&what, &system.parameters[self.curve.free].name, value);
        }
        true
    }

    /// Say that the starts to come were found at this value of the free parameter, since at the one asked for there was
    /// nothing.
    fn found_elsewhere(&mut self, what: &str, parameter: &str, value: f64) {
        let asked = self.curve.parameters[self.curve.free];
        self.note = format!(
            "no {what} was found at {parameter} = {} as requested; the curve starts from one at {parameter} = {} instead",
            exact(asked),
            exact(value)
        );
    }

    /// A motion was followed to an orbit at this value of the free parameter, since at the one asked for it was not
    /// seen to come to one: a curve that does not reach the value asked for says so.
    pub(crate) fn started_elsewhere(&mut self, parameter: &str, value: f64) {
        let asked = self.curve.parameters[self.curve.free];
        let said = format!(
            "the motion at {parameter} = {}, as requested, was not seen to come to an orbit of this kind; the curve, which starts from one at \
             {parameter} = {}, does not reach that value",
            exact(asked),
            exact(value)
        );
        self.elsewhere = Some((asked, said));
    }

    /// What is to be said of the curve of these pieces, if a motion came to it elsewhere only.
    pub(crate) fn said_of_elsewhere(&self, pieces: &[Piece]) -> Option<&str> {
        let (asked, said) = self.elsewhere.as_ref()?;
        let mut steps = pieces.iter().flat_map(|piece| piece.branch.points.windows(2));
        let reaches = |pair: &[BranchPoint]| {
            let [a, b] = [&pair[0], &pair[1]].map(|p| p.point.parameter() - asked);
            a * b <= 0.0
        };
        (!steps.any(reaches)).then_some(said)
    }

    /// One of several starts led to no curve: the others go on.
    pub(crate) fn failed(&mut self, why: ComputeError) {
        if self.failed_starts.len() < MOST_FAILURES_REPORTED {
            self.failed_starts.push(why.to_string());
        }
        self.failure.get_or_insert(why);
    }

    /// The curves, or why there are none; starts that led to no curve are listed with the first one.
    pub(crate) fn results(mut self) -> Result<Vec<CurveResult>, ComputeError> {
        match (self.results.first(), self.failure) {
            (None, Some(why)) => Err(why),
            (None, None) => Ok(self.results),
            (Some(_), _) => {
                let wanted = &self.curve.branches;
                let has = |r: &CurveResult| r.points().any(|(_, _, p)| p.label.is_some_and(|l| wanted.contains(&l)));
                let none = !wanted.is_empty() && self.curve.generations > 0 && !self.results.iter().any(has);
                let names: Vec<&str> = wanted.iter().map(|l| l.code()).collect();
                let said = format!("no branches were traced: the curve has no {}", names.join(" and no "));
                let Some(first) = self.results.first_mut() else {
                    return Ok(self.results);
                };
                if none {
                    add_to(&mut first.note, &said);
                }
                for why in self.failed_starts {
                    add_to(
                        &mut first.note,
                        &format!("no curve could be traced from one of the starts: {why}"),
                    );
                }
                Ok(self.results)
            }
        }
    }

    /// The name of the next curve that has a start of its own.
    pub(crate) fn next_name(&self) -> String {
        let own = |name: &str| {
            name == self.curve.name
                || name[self.curve.name.len()..]
                    .trim_start_matches('-')
                    .parse::<usize>()
                    .is_ok()
        };
        match self.results.iter().filter(|r| own(&r.name)).count() {
            0 => self.curve.name.clone(),
            count => format!("{}-{}", self.curve.name, count + 1),
        }
    }

    /// Trace with everybody watching; afterwards the problem is as at the start of the curve, however much of it was
    /// known before.
    pub(crate) fn trace<F: Family>(
        &self,
        name: &str,
        problem: &mut F,
        run: impl FnOnce(&mut F, &mut TraceLog<'_, '_>) -> Result<Branch, Failure>,
    ) -> Result<Branch, ComputeError> {
        let mut observe = |p: &BranchPoint| {
            self.observer.point(name, p);
            !self.stop.load(Ordering::Relaxed)
        };
        let branch = run(problem, &mut self.log.trace(&mut observe))?;
        let Some(start) = branch.points.get(branch.start) else {
            return Err(ComputeError::StoppedBefore);
        };
        to_the_end(|| problem.go_to(&start.point));
        Ok(branch)
    }

    pub(crate) fn piece<F: Family>(&self, problem: &mut F, mut branch: Branch) -> Piece {
        report_error(problem, &mut branch);
        for p in &mut branch.points {
            problem.add_columns(p);
        }
        let orbits = branch
            .special()
            .filter_map(|(i, p)| Some((i, problem.table(p, ORBIT_ROWS)?)))
            .collect();
        let stride = branch.points.len().div_ceil(BETWEEN_ORBITS).max(1);
        let unlabelled_points = branch
            .points
            .iter()
            .enumerate()
            .step_by(stride)
            .filter(|(_, p)| p.label.is_none() && !self.stop.load(Ordering::Relaxed));
        let between = unlabelled_points
            .filter_map(|(i, p)| Some((i, problem.rows(p, BETWEEN_ROWS)?)))
            .collect();
        let mut piece = Piece {
            between,
            word: Inspect::word(problem),
            half: problem.is_half(),
            inequalities: problem.inequalities(),
            branch,
            orbits,
        };
        self.mark_choices(problem, &mut piece);
        piece
    }

    /// Where the orbit at an end of a branch is not the only solution, a point of its own says so.
    fn mark_choices<F: Family>(&self, problem: &mut F, piece: &mut Piece) {
        let sides: &[bool] = if piece.branch.ends.len() > 1 {
            &[true, false]
        } else {
            &[false]
        };
        for (end, &at_start) in piece.branch.ends.clone().iter().zip(sides) {
            let Some(p) = piece.end(at_start) else { continue };
            let End::Boundary { inequality, .. } = end else {
                continue;
            };
            if let Some(choice) = problem.choice_at(self.curve, &p.point, *inequality) {
                piece.mark_choice(at_start, format!("forward non-uniqueness: {choice}"));
            }
        }
    }

    /// Add to the message of a point of a curve.
    pub(crate) fn note(&mut self, curve: usize, point: usize, text: &str) {
        let mut left = point;
        for piece in &mut self.results[curve].pieces {
            if let Some(p) = piece.branch.points.get_mut(left) {
                p.message.push_str(text);
                return;
            }
            left -= piece.branch.points.len();
        }
    }

    /// Does a curve traced before pass through the orbit with these segment ends, at this value of the parameter?
    pub(crate) fn known<F: Family>(&self, problem: &mut F, wanted: &[Vec<f64>], level: f64) -> bool {
        self.passes(problem, (wanted, level), SAME_ORBIT)
    }

    /// Does a curve traced before pass this near to it?
    pub(crate) fn passes<F: Family>(&self, problem: &mut F, orbit: (&[Vec<f64>], f64), near: f64) -> bool {
        self.among_first(self.results.len(), problem, orbit, near)
    }

    /// Does a piece of a curve, whose orbits may begin with another segment, pass this near to an orbit?
    pub(crate) fn piece_passes<F: Family>(
        &self,
        piece: &Piece,
        problem: &mut F,
        orbit: (&[Vec<f64>], f64),
        near: f64,
    ) -> bool {
        if piece.word == Inspect::word(problem) {
            let meshes = piece.branch.points.first().and_then(|p| p.point.meshes.clone());
            let mut other = problem.on_meshes(self.curve, &meshes);
            let problem = other.as_mut().unwrap_or(problem);
            return passes_near(problem, pairs(&piece.branch), orbit, near);
        }
        let ways = problem.begun_later(self.curve, &piece.word, orbit);
        ways.into_iter()
            .any(|(mut other, ends)| passes_near(&mut other, pairs(&piece.branch), (&ends, orbit.1), near))
    }

    /// Does one of so many curves that were traced first pass this near to it?
    pub(crate) fn among_first<F: Family>(
        &self,
        count: usize,
        problem: &mut F,
        orbit: (&[Vec<f64>], f64),
        near: f64,
    ) -> bool {
        let word = Inspect::word(problem);
        let mut found = false;
        let half = problem.is_half();
        let pieces = self.results.iter().take(count).flat_map(|r| &r.pieces);
        for piece in pieces.filter(|piece| piece.half == half) {
            found |= self.piece_passes(piece, problem, orbit, near);
        }
        for (_, from, first) in self.stretches.iter().filter(|(own, ..)| *own == word) {
            let mut other = problem.on_meshes(self.curve, &first.meshes);
            let problem = other.as_mut().unwrap_or(problem);
            found |= passes_near(problem, std::iter::once((from, first)), orbit, near);
        }
        found
    }
}

/// Put a piece that was traced away from an end of a curve there.
pub(crate) fn join(pieces: &mut Vec<Piece>, mut piece: Piece, at_start: bool) {
    if !at_start {
        pieces.push(piece);
        return;
    }
    piece.branch.points.reverse();
    for p in &mut piece.branch.points {
        p.point.tangent.iter_mut().for_each(|t| *t = -*t);
    }
    let count = piece.branch.points.len();
    for (i, _) in &mut piece.orbits {
        *i = count - 1 - *i;
    }
    piece.orbits.reverse();
    for (i, _) in &mut piece.between {
        *i = count - 1 - *i;
    }
    piece.between.reverse();
    piece.branch.start = count - 1 - piece.branch.start;
    let end = piece.branch.ends.pop().unwrap_or(End::Stopped);
    piece.branch.ends = vec![end, End::Stopped];
    pieces.insert(0, piece);
}

/// Add a clause to what is said.
pub(crate) fn add_to(said: &mut String, clause: &str) {
    if !said.is_empty() {
        said.push_str("; ");
    }
    said.push_str(clause);
}

/// Where the error asked of the meshes was not met, the worst of the labelled points says so, and what was reached at
/// worst on the branch.
fn report_error<F: Family>(problem: &F, branch: &mut Branch) {
    let column = Monitor::error(&problem.monitors());
    let (Some(column), Some(asked)) = (column, problem.error_asked()) else {
        return;
    };
    let error = |i: &usize| branch.points[*i].record.monitors[column];
    let worse = |a: &usize, b: &usize| error(a).total_cmp(&error(b));
    let all = 0..branch.points.len();
    let Some(worst) = all.clone().max_by(worse) else { return };
    let (reached, place) = (error(&worst), branch.points[worst].point.parameter());
    if reached <= REPORTED * asked {
        return;
    }
    let labelled = all.filter(|i| branch.points[*i].label.is_some()).max_by(worse);
    if let Some(p) = branch.points.get_mut(labelled.unwrap_or(worst)) {
        let free = problem.free_parameters().last().copied().unwrap_or(0);
        let name = problem.parameter_names().swap_remove(free);
        let said =
            format!("the tolerance {asked:e} was not met: the largest error is {reached:.1e}, at {name} = {place}");
        add_to(&mut p.message, &said);
    }
}
