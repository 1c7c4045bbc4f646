//! Follow a curve over its words and into its branches.

mod corners;
mod words;

use super::checkpoint::{EntryLog, TraceLog};
use super::family::Family;
use super::passing::passes_through;
use super::plan::CurvePlan;
use super::results::{CurveResult, Piece};
use super::run::Observer;
use slipstick_bifurcation::{
    Branch, BranchPoint, End, Inspect, Label, TraceOptions, Tracer, first_within, other_branch,
};
use slipstick_continuation::Point;
use slipstick_numerics::stop::{to_the_end, unless_stopped};
use slipstick_orbit::Searched;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// How many rows an orbit is sampled to.
pub(super) const ORBIT_ROWS: usize = 400;
/// How many orbits between labelled points are kept for a walk along the branch (a report holds no more), and with how many rows.
const WALK_ORBITS: usize = 600;
const WALK_ROWS: usize = 160;
/// How many points of a branch are looked at before it counts as a new one.
const PROBE: usize = 8;
/// How many starts that gave nothing are told of.
const MOST_FAILURES_TOLD: usize = 3;
/// Errors of this many times what was asked for are told.
const TOLD: f64 = 3.0;

/// Traces the curves of one entry of the study, one for each start that does not lie on a curve already traced.
pub(super) struct CurveTracer<'a> {
    pub(super) curve: &'a CurvePlan,
    observer: &'a dyn Observer,
    pub(super) stop: &'a AtomicBool,
    pub(super) log: &'a EntryLog<'a>,
    /// The curves so far.
    pub(super) results: Vec<CurveResult>,
    /// The first failure, for when there are no curves.
    pub(super) failure: Option<String>,
    /// What is to be said of the starts to come.
    pub(super) note: String,
    /// Why starts gave no curve.
    failed_starts: Vec<String>,
    /// Branches that were asked for and not traced, and why.
    pub(super) untraced: Vec<String>,
}

/// How a branch is entered.
enum Way {
    /// Along the null vector of F' across the known curve, or against it.
    Side(f64),
    /// From a point on it.
    From(Point),
}

/// The letters that name branch number `k` at a point: a, b, …, z, aa, ab, ….
fn letters(k: usize) -> String {
    let letter = char::from(b'a' + (k % 26) as u8).to_string();
    if k < 26 { letter } else { letters(k / 26 - 1) + &letter }
}

/// The ways to leave a branch point, the last one first; others to be taken where those lead nowhere; and what is to be said of them where it is not a
/// simple crossing of two curves.
fn ways_from<F: Family>(problem: &mut F, at: &Point, range: f64) -> (Vec<Way>, Vec<Way>, String) {
    let both = vec![Way::Side(-1.0), Way::Side(1.0)];
    let Some(found) = problem.half_branches(at, range) else {
        return (both, vec![], String::new());
    };
    let simple = found.kernel == 1 && (found.continuum || found.starts.len() <= 4);
    if found.continuum && !simple {
        return (vec![], vec![], "; it is not followed".into());
    }
    let none = found.starts.is_empty();
    let starts = found.starts.into_iter().rev().map(Way::From).collect();
    // Two curves that cross leave in four directions.
    if simple || none {
        (both, starts, String::new())
    } else {
        (starts, vec![], String::new())
    }
}

/// Do two points lie the same way from a third?
fn is_one_way(at: &Point, a: &Point, b: &Point) -> bool {
    /// The cosine between the two ways.
    const ALONG: f64 = 0.999;
    let product = |p: &Point, q: &Point| -> f64 {
        let offsets = p.z.iter().zip(&q.z).zip(&at.z).zip(&at.weights);
        offsets.map(|(((p, q), z), w)| (p - z) * (q - z) * w).sum()
    };
    product(a, b) > ALONG * (product(a, a) * product(b, b)).sqrt()
}

impl<'a> CurveTracer<'a> {
    pub(super) fn new(
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
            failure: None,
            note: String::new(),
            failed_starts: vec![],
            untraced: vec![],
        }
    }

    /// Tell of a search at a value of the free parameter; should it go on?
    pub(super) fn searching(&self, value: f64, so_far: Searched) -> bool {
        self.observer.searching(&self.curve.name, value, so_far);
        !self.stop.load(Ordering::Relaxed)
    }

    /// Say that the starts to come were found at this value of the free parameter, since at the one asked for there was nothing.
    pub(super) fn found_elsewhere(&mut self, what: &str, parameter: &str, value: f64) {
        let asked = self.curve.parameters[self.curve.free];
        self.note = format!(
            "no {what} was found at {parameter} = {asked}, which the start asks for; started from one at {parameter} = {value} instead"
        );
    }

    /// Trace the curve through `start`, unless it is known already.
    pub(super) fn follow<F: Family>(&mut self, problem: &mut F, start: Vec<f64>) {
        let wanted = problem.marks(&start);
        let level = start[start.len() - 1];
        if self.known(problem, &wanted, level) {
            return;
        }
        let clock = Instant::now();
        let name = self.next_name();
        match self.trace(&name, problem, |problem, log| {
            Tracer::new(problem, &self.curve.trace).logged(log).from_guess(start)
        }) {
            Ok(branch) => match Self::stillborn(problem, &branch) {
                Some(why) => {
                    self.failure.get_or_insert(why);
                }
                None => self.complete(problem, name, branch, clock, 0),
            },
            Err(why) => {
                self.failure.get_or_insert(why);
            }
        }
    }

    /// Trace the curve that sets off from `start` along its tangent, unless it is known already.
    pub(super) fn follow_from<F: Family>(&mut self, problem: &mut F, start: Point) {
        let wanted = problem.marks(&start.z);
        if self.known(problem, &wanted, start.parameter()) {
            return;
        }
        let clock = Instant::now();
        let name = self.next_name();
        match self.trace(&name, problem, |problem, log| {
            Tracer::new(problem, &self.curve.trace).logged(log).onward(start)
        }) {
            Ok(branch) => self.complete(problem, name, branch, clock, 0),
            Err(why) => {
                self.failure.get_or_insert(why);
            }
        }
    }

    /// Trace the curve through a solved `point` both ways along its tangent, unless it is known already.
    pub(super) fn follow_through<F: Family>(&mut self, problem: &mut F, point: Point) {
        let wanted = problem.marks(&point.z);
        if self.known(problem, &wanted, point.parameter()) {
            return;
        }
        problem.restore(&point.meshes);
        let clock = Instant::now();
        let name = self.next_name();
        match self.trace(&name, problem, |problem, log| {
            Tracer::new(problem, &self.curve.trace).logged(log).through(&point)
        }) {
            Ok(branch) => self.complete(problem, name, branch, clock, 0),
            Err(why) => {
                self.failure.get_or_insert(why);
            }
        }
    }

    /// One of several starts gave nothing: the others go on.
    pub(super) fn failed(&mut self, why: String) {
        if self.failed_starts.len() < MOST_FAILURES_TOLD {
            self.failed_starts.push(why.clone());
        }
        self.failure.get_or_insert(why);
    }

    /// The curves, or why there are none; starts that gave nothing are told with the first curve.
    pub(super) fn results(mut self) -> Result<Vec<CurveResult>, String> {
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
                    add_to(&mut first.note, &format!("one of the starts gave no curve: {why}"));
                }
                Ok(self.results)
            }
        }
    }

    /// The name of the next curve that has a start of its own.
    fn next_name(&self) -> String {
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

    /// Trace with everybody watching; afterwards the problem is as at the start of the curve, however much of it was known before.
    fn trace<F: Family, E: std::fmt::Display>(
        &self,
        name: &str,
        problem: &mut F,
        run: impl FnOnce(&mut F, &mut TraceLog<'_, '_>) -> Result<Branch, E>,
    ) -> Result<Branch, String> {
        let mut watch = |p: &BranchPoint| {
            self.observer.point(name, p);
            !self.stop.load(Ordering::Relaxed)
        };
        let branch = run(problem, &mut self.log.trace(&mut watch)).map_err(|e| e.to_string())?;
        let Some(start) = branch.points.get(branch.start) else {
            return Err("the run was stopped before it began".into());
        };
        to_the_end(|| problem.go_to(&start.point));
        Ok(branch)
    }

    /// Why a branch that does not leave its start in any direction is none: an inequality that is zero there already is named.
    fn stillborn<F: Family>(problem: &F, branch: &Branch) -> Option<String> {
        /// Values that are zero up to rounding.
        const ZERO: f64 = 1e-9;
        let start = branch.points.get(branch.start)?;
        let level = start.point.parameter();
        let moves = |p: &BranchPoint| (p.point.parameter() - level).abs() > ZERO * (1.0 + level.abs());
        let forced = |end: &End| matches!(end, End::Failed(_) | End::Boundary { .. });
        if branch.points.len() > 3 || branch.points.iter().any(moves) || !branch.ends.iter().all(forced) {
            return None;
        }
        let why = branch.ends.first()?.describe();
        let zero: Vec<String> = problem
            .inequalities()
            .into_iter()
            .zip(&start.record.inequalities)
            .filter(|(_, v)| v.abs() < ZERO)
            .map(|(spec, _)| spec.meaning)
            .collect();
        Some(if zero.is_empty() {
            format!("the curve does not leave its start: {why}")
        } else {
            format!(
                "the curve does not leave its start, where an inequality is zero already ({}); if the event that leads into the segment says the same, \
                 leave the inequality out",
                zero.join("; ")
            )
        })
    }

    /// Switch words at the ends, sample the special orbits, and go on into the branches.
    fn complete<F: Family>(
        &mut self,
        problem: &mut F,
        name: String,
        branch: Branch,
        clock: Instant,
        generation: usize,
    ) {
        // What is to be said of the whole curve stands at its start.
        let first = branch.points.get(branch.start).filter(|p| p.label.is_none());
        let remark = first.map(|p| p.message.clone()).filter(|said| !said.is_empty());
        let mut pieces = vec![to_the_end(|| self.piece(problem, branch))];
        // What is stopped here keeps the pieces that there are.
        let _ = unless_stopped(|| {
            problem.round_corners(self, &name, &mut pieces);
            if self.curve.switch {
                problem.extend(self, &name, &mut pieces);
            }
        });
        let mut note = if generation == 0 {
            self.note.clone()
        } else {
            String::new()
        };
        if let Some(said) = remark {
            add_to(&mut note, &said);
        }
        if let Some(said) = worst_error(problem, &pieces) {
            add_to(&mut note, &said);
        }
        let result = CurveResult {
            name: name.clone(),
            system: Some(self.curve.system),
            parameters: problem.parameter_names(),
            free: problem.parameter_names().swap_remove(self.curve.free),
            monitors: problem.columns(),
            pieces,
            note,
            seconds: clock.elapsed().as_secs_f64(),
        };
        self.observer.curve_ends(&result);
        self.results.push(result);
        if generation < self.curve.generations && !self.curve.branches.is_empty() {
            self.branch_off(problem, &name, generation);
        }
    }

    fn piece<F: Family>(&self, problem: &mut F, mut branch: Branch) -> Piece {
        report_error(problem, &mut branch);
        for p in &mut branch.points {
            problem.add_columns(p);
        }
        let mut sample = |p: &BranchPoint, rows: usize| problem.rows(p, rows);
        let orbits = branch
            .special()
            .filter_map(|(i, p)| Some((i, sample(p, ORBIT_ROWS)?)))
            .collect();
        let stride = branch.points.len().div_ceil(WALK_ORBITS).max(1);
        let between = branch
            .points
            .iter()
            .enumerate()
            .step_by(stride)
            .filter(|(_, p)| p.label.is_none() && !self.stop.load(Ordering::Relaxed));
        let walk = between.filter_map(|(i, p)| Some((i, sample(p, WALK_ROWS)?))).collect();
        let mut piece = Piece {
            walk,
            word: Inspect::word(problem),
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
                piece.mark_choice(at_start, format!("the future is not unique here: {choice}"));
            }
        }
    }

    /// Trace the branches that cross or branch off at the wanted labels of the curve called `name`.
    fn branch_off<F: Family>(&mut self, problem: &F, name: &str, generation: usize) {
        let Some(index) = self.results.iter().position(|r| r.name == name) else {
            return;
        };
        let wanted: Vec<(usize, String, BranchPoint)> = self.results[index]
            .points()
            .filter(|(_, _, p)| p.label.is_some_and(|l| self.curve.branches.contains(&l)))
            .map(|(i, piece, p)| (i, piece.word.clone(), p.clone()))
            .collect();
        let mut count = BTreeMap::new();
        for (i, text, p) in wanted {
            let Some(label) = p.label else { continue };
            let number = count.entry(label).and_modify(|k| *k += 1).or_insert(1);
            let stem = format!("{name}-{label}{number}");
            // A branch that ends where it was born leads back to the family that it was born from, both ways along it.
            let parent = if label == Label::PD { problem.ends_on(&p) } else { None };
            let ends_here = parent.is_some();
            let unfolded = parent.unwrap_or_else(|| problem.branching(self.curve, &text, &p, label));
            let (mut long, at) = match unfolded {
                Ok(both) => both,
                Err(e) => {
                    self.note(
                        index,
                        i,
                        &format!("; the branch could not be told in a longer word: {e}"),
                    );
                    self.untraced
                        .push(format!("the branches `{stem}` at {label} were not traced: {e}"));
                    continue;
                }
            };
            let (mut ways, mut spare) = (vec![Way::Side(-1.0), Way::Side(1.0)], vec![]);
            if label == Label::BP {
                let (lo, hi) = self.curve.trace.range;
                let said;
                (ways, spare, said) = ways_from(&mut long, &at, hi - lo);
                self.note(index, i, &said);
            }
            if ends_here {
                let mut back = at.clone();
                back.tangent.iter_mut().for_each(|t| *t = -*t);
                ways = vec![Way::From(back), Way::From(at.clone())];
            }
            let families = !problem.branch_bends(self.curve, &text, &p, label);
            let (mut known, mut followed, mut failed) = (0, 0, 0);
            let mut entered: Vec<Point> = vec![];
            while let Some(way) = ways.pop() {
                let clock = Instant::now();
                let suffix = match way {
                    Way::Side(side) if side > 0.0 => letters(0),
                    Way::Side(_) => letters(1),
                    Way::From(_) => letters(followed),
                };
                let child = format!("{stem}{suffix}");
                // The first branch may have changed the meshes.
                long.restore(&at.meshes);
                let from_sphere = matches!(way, Way::From(_));
                let first = match way {
                    Way::Side(side) => other_branch(&mut long, &at, side, families),
                    Way::From(start) => Ok(start),
                };
                let first = first.and_then(|first| first_within(&mut long, &at, first, self.curve.trace.range));
                let first = match first {
                    Ok(p) => p,
                    // A branch too steep for the null vector is found on the sphere.
                    Err(_) if !spare.is_empty() => {
                        ways = std::mem::take(&mut spare);
                        continue;
                    }
                    Err(e) => {
                        failed += 1;
                        self.note(index, i, &format!("; branch {suffix} was not reached: {e}"));
                        self.untraced
                            .push(format!("branch `{stem}{suffix}` at {label} was not traced: {e}"));
                        continue;
                    }
                };
                // Of the half-branches on the sphere those that were entered along the null vector are known, though they were traced from a point further on only.
                if from_sphere && entered.iter().any(|known| is_one_way(&at, known, &first)) {
                    known += 1;
                    continue;
                }
                if !from_sphere {
                    entered.push(first.clone());
                }
                let family = long.holds_parameter();
                let options = self.curve.trace.clone();
                // Next to the branch point the branches are hard to tell apart: a little further on it shows whether this one is known.
                let probe = TraceOptions {
                    points: PROBE,
                    levels: vec![],
                    ..options.clone()
                };
                let probed = Tracer::new(&mut long, &probe).onward(first.clone());
                let mut away: Vec<Point> = vec![];
                if let Ok(branch) = probed {
                    away.extend(branch.points.last().map(|p| p.point.clone()));
                    // Where it ends by itself the parameter may hardly change any more, and tells its members apart no longer.
                    if !branch.ends.contains(&End::Points) {
                        away.extend(branch.points.get(branch.points.len() / 2).map(|p| p.point.clone()));
                    }
                }
                if away.is_empty() {
                    away.push(first.clone());
                }
                let is_known = |away: &Point| {
                    long.restore(&away.meshes);
                    let ends = long.marks(&away.z);
                    self.known(&mut long, &ends, away.parameter())
                };
                if away.iter().any(is_known) {
                    known += 1;
                    continue;
                }
                followed += 1;
                // The next branch begins where this one did, on whichever side of corners it leads.
                let kept = long.keep();
                long.begin_again(&first);
                if family && long.hold_parameter(&first.z) {
                    let free = &self.results[index].free;
                    let said = format!(
                        "; a continuum of orbits at fixed {free} = {} leaves here: curve `{child}`",
                        first.parameter()
                    );
                    self.note(index, i, &said);
                }
                match self.trace(&child, &mut long, |long, log| {
                    Tracer::new(long, &options).logged(log).onward(first)
                }) {
                    Ok(branch) => self.complete(&mut long, child, branch, clock, generation + 1),
                    Err(e) => {
                        self.note(index, i, &format!("; branch {suffix} could not be traced: {e}"));
                        self.untraced
                            .push(format!("branch `{stem}{suffix}` at {label} was not traced: {e}"));
                    }
                }
                long.come_back(kept);
            }
            if known > 0 && followed == 0 && failed == 0 {
                self.note(index, i, "; the orbits that branch off lie on curves traced already");
            }
        }
    }

    /// Add to the message of a point of a curve.
    fn note(&mut self, curve: usize, point: usize, text: &str) {
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
    fn known<F: Family>(&self, problem: &mut F, wanted: &[Vec<f64>], level: f64) -> bool {
        let word = Inspect::word(problem);
        let pieces = self.results.iter().flat_map(|r| &r.pieces).filter(|p| p.word == word);
        let mut found = false;
        for piece in pieces {
            found |= passes_through(problem, &piece.branch, wanted, level);
        }
        found
    }
}

/// Put a piece that was traced away from an end of a curve there.
fn join(pieces: &mut Vec<Piece>, mut piece: Piece, at_start: bool) {
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
    for (i, _) in &mut piece.walk {
        *i = count - 1 - *i;
    }
    piece.walk.reverse();
    let end = piece.branch.ends.pop().unwrap_or(End::Stopped);
    piece.branch.ends = vec![end, End::Stopped];
    pieces.insert(0, piece);
}

/// Add a clause to what is said.
fn add_to(said: &mut String, clause: &str) {
    if !said.is_empty() {
        said.push_str("; ");
    }
    said.push_str(clause);
}

/// What is to be said of the error of a whole curve, where what was asked for was not met.
fn worst_error<F: Family>(problem: &F, pieces: &[Piece]) -> Option<String> {
    let asked = problem.error_asked()?;
    let column = problem.error_monitor()?;
    let errors = pieces.iter().flat_map(|p| &p.branch.points);
    let errors = errors.map(|p| p.record.monitors[column]);
    let reached = errors.max_by(f64::total_cmp)?;
    (reached > TOLD * asked).then(|| format!("errors of the orbits up to {reached:.1e}, where {asked:e} was asked for"))
}

/// Where the error asked of the meshes was not met, the worst of the labelled points says so, and what was reached at worst on the branch.
fn report_error<F: Family>(problem: &F, branch: &mut Branch) {
    let column = problem.error_monitor();
    let (Some(column), Some(asked)) = (column, problem.error_asked()) else {
        return;
    };
    let error = |i: &usize| branch.points[*i].record.monitors[column];
    let worse = |a: &usize, b: &usize| error(a).total_cmp(&error(b));
    let all = 0..branch.points.len();
    let Some(worst) = all.clone().max_by(worse) else { return };
    let (reached, place) = (error(&worst), branch.points[worst].point.parameter());
    if reached <= TOLD * asked {
        return;
    }
    let labelled = all.filter(|i| branch.points[*i].label.is_some()).max_by(worse);
    if let Some(p) = branch.points.get_mut(labelled.unwrap_or(worst)) {
        let free = problem.free_parameters().last().copied().unwrap_or(0);
        let name = problem.parameter_names().swap_remove(free);
        let said = format!(
            "the error asked for, {asked:e}, was not met: {reached:.1e} was reached at worst, at {name} = {place}"
        );
        add_to(&mut p.message, &said);
    }
}
