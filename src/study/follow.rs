//! Follow a curve over its words and into its branches.

use super::checkpoint::{EntryLog, TraceLog};
use super::family::Family;
use super::plan::CurvePlan;
use super::run::{CurveResult, Observer, Piece};
use crate::bifurcation::{
    Branch, BranchPoint, End, Inspect, TraceOptions, other_branch, trace, trace_from, trace_from_logged, trace_logged,
};
use crate::continuation::{Newton, NewtonOptions, Point, Problem};
use crate::orbit::{Neighbour, PeriodicOrbit, SLACK, Word};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// How many rows an orbit is sampled to.
pub(super) const ORBIT_ROWS: usize = 400;
/// How many orbits between labelled points are kept for a walk along the branch, and with how many rows.
const WALK_ORBITS: usize = 80;
const WALK_ROWS: usize = 160;
/// How many points of a branch are looked at before it counts as a new one.
const PROBE: usize = 8;
/// The most words a curve is followed through in one direction.
const MOST_WORDS: usize = 32;

/// A continuation in another word: its problem, the points there, and what changed.
type Entered<'s> = (PeriodicOrbit<'s>, Piece, String);

/// Traces the curves of one entry of the study, one for each start that does not lie on a curve already traced.
pub(super) struct Tracer<'a> {
    curve: &'a CurvePlan,
    observer: &'a dyn Observer,
    pub(super) stop: &'a AtomicBool,
    pub(super) log: &'a EntryLog<'a>,
    /// The curves so far.
    pub(super) results: Vec<CurveResult>,
    /// The first failure, for when there are no curves.
    pub(super) failure: Option<String>,
}

impl<'a> Tracer<'a> {
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
        }
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
            trace_logged(problem, start, &self.curve.trace, log)
        }) {
            Ok(branch) => self.complete(problem, name, branch, clock, 0),
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
            trace_from_logged(problem, start, &self.curve.trace, log)
        }) {
            Ok(branch) => self.complete(problem, name, branch, clock, 0),
            Err(why) => {
                self.failure.get_or_insert(why);
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
        if let Some(start) = branch.points.get(branch.start) {
            problem.go_to(&start.point);
        }
        Ok(branch)
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
        let mut pieces = vec![self.piece(problem, branch)];
        if self.curve.switch {
            problem.extend(self, &name, &mut pieces);
        }
        let result = CurveResult {
            name: name.clone(),
            system: Some(self.curve.system),
            parameters: problem.parameter_names(),
            free: problem.parameter_names().swap_remove(self.curve.free),
            monitors: problem.columns(),
            pieces,
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
        self.mark_choices(problem, &mut branch);
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
            .filter(|(_, p)| p.label.is_none());
        let walk = between.filter_map(|(i, p)| Some((i, sample(p, WALK_ROWS)?))).collect();
        Piece {
            walk,
            word: Inspect::word(problem),
            inequalities: problem.inequalities(),
            branch,
            orbits,
        }
    }

    /// Say of the ends of a branch where the orbit there is not the only solution.
    fn mark_choices<F: Family>(&self, problem: &mut F, branch: &mut Branch) {
        let last = branch.points.len().saturating_sub(1);
        let places = if branch.ends.len() > 1 {
            vec![0, last]
        } else {
            vec![last]
        };
        for (end, at) in branch.ends.iter().zip(places) {
            let (End::Boundary { inequality, .. }, Some(p)) = (end, branch.points.get_mut(at)) else {
                continue;
            };
            if let Some(choice) = problem.choice_at(self.curve, &p.point, *inequality) {
                p.message
                    .push_str(&format!("; the future is not unique here (NU): {choice}"));
            }
        }
    }

    /// Go on beyond both ends with the words that are valid there.
    pub(super) fn switch_words(&mut self, problem: &mut PeriodicOrbit<'_>, name: &str, pieces: &mut Vec<Piece>) {
        self.extend(problem, name, pieces, false);
        if pieces[0].branch.ends.len() > 1 {
            self.extend(problem, name, pieces, true);
        }
    }

    /// Go on beyond the last point (or the first) with the words that are valid there, as long as there are any.
    fn extend<'s>(&mut self, problem: &mut PeriodicOrbit<'s>, name: &str, pieces: &mut Vec<Piece>, at_start: bool) {
        let mut owner: Option<PeriodicOrbit<'s>> = None;
        for _ in 0..MOST_WORDS {
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            let at = if at_start { 0 } else { pieces.len() - 1 };
            let branch = &mut pieces[at].branch;
            let (end, point) = if at_start {
                (branch.ends.first(), branch.points.first())
            } else {
                (branch.ends.last(), branch.points.last())
            };
            let (Some(End::Boundary { inequality, .. }), Some(point)) = (end, point) else {
                return;
            };
            let (inequality, point) = (*inequality, point.clone());
            let current = owner.as_mut().unwrap_or(problem);
            let neighbours = current.neighbours(&point.point, inequality);
            let mut reasons = vec![];
            let mut entered = vec![];
            for neighbour in neighbours {
                let word = neighbour.word.describe(current.system());
                match self.enter(current, name, &point, neighbour) {
                    Ok(piece) => entered.push(piece),
                    Err(why) => reasons.push(format!("`{word}`: {why}")),
                }
            }
            let mut entered = entered.into_iter();
            let found = entered.next();
            let offered = self.offer(current, name, entered.collect());
            let last = if at_start {
                pieces[at].branch.points.first_mut()
            } else {
                pieces[at].branch.points.last_mut()
            };
            let Some((mut next, mut piece, change)) = found else {
                if let Some(p) = last {
                    p.message.push_str("; no neighbouring word continues the branch");
                    if !reasons.is_empty() {
                        p.message.push_str(&format!(" ({})", reasons.join("; ")));
                    }
                }
                return;
            };
            if let Some(p) = last {
                p.message.push_str(&format!("; {change}{offered}"));
            }
            let joins = piece
                .branch
                .points
                .last()
                .is_some_and(|p| !next.word().symmetric && next.is_symmetric(&p.point.z));
            let points = &piece.branch.points;
            let middle = points.get(points.len() / 2).map(|p| p.point.clone());
            let repeats = middle.as_ref().is_some_and(|p| next.is_repeated(&p.z));
            let passed = middle.as_ref().is_some_and(|p| {
                let ends = next.ends(&p.z);
                let same = |old: &Piece, next: &mut PeriodicOrbit<'_>| {
                    old.word == piece.word && passes_through(next, &old.branch, &ends, p.parameter())
                };
                pieces.iter().any(|old| same(old, &mut next))
            });
            let why = if joins {
                Some("these orbits are symmetric and belong to the symmetric branch")
            } else if repeats {
                Some("these orbits are shorter ones, passed several times, and belong to their branch")
            } else if passed {
                Some("these orbits were passed before: the curve is closed")
            } else {
                None
            };
            if let Some(why) = why {
                if let Some(p) = last_of(pieces, at_start) {
                    p.message.push_str(&format!("; {why}"));
                }
                return;
            }
            if at_start {
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
            } else {
                pieces.push(piece);
            }
            next.restore(&None);
            owner = Some(next);
        }
    }

    /// Continue the boundary orbit in a neighbouring word: in the one direction in which it is admissible.
    fn enter<'s>(
        &self,
        problem: &PeriodicOrbit<'s>,
        name: &str,
        at: &BranchPoint,
        neighbour: Neighbour,
    ) -> Result<Entered<'s>, String> {
        let mut next = Self::problem_like(self.curve, problem, neighbour.word.clone(), &at.record.parameters);
        let mut starts = neighbour.starts.clone();
        let guess = next
            .unwrap_angles(&mut starts, &neighbour.durations)
            .and_then(|()| next.guess(&starts, &neighbour.durations))
            .map_err(|e| e.to_string())?;
        let wanted = next.ends(&guess);
        let mut why = vec![];
        let direction = [1.0, -1.0].into_iter().find(|&d| {
            let options = TraceOptions {
                points: 3,
                levels: vec![],
                directions: vec![d],
                ..self.curve.trace.clone()
            };
            let branch = match trace(&mut next, guess.clone(), &options, &mut |_| true) {
                Ok(branch) => branch,
                Err(e) => {
                    why.push(e.to_string());
                    return false;
                }
            };
            let near = branch
                .points
                .first()
                .is_some_and(|p| next.match_ends(&next.ends(&p.point.z), &wanted, 1e-5));
            if !near {
                why.push("its nearest orbit is another one".into());
            } else if branch.points.len() <= 2 {
                why.extend(branch.ends.first().map(End::describe));
            }
            near && branch.points.len() > 2
        });
        let Some(direction) = direction else {
            why.dedup();
            return Err(why.join(", "));
        };
        let options = TraceOptions {
            directions: vec![direction],
            ..self.curve.trace.clone()
        };
        let branch = self.trace(name, &mut next, |next, log| trace_logged(next, guess, &options, log))?;
        let piece = self.piece(&mut next, branch);
        Ok((next, piece, neighbour.change))
    }

    /// Further continuations of a boundary orbit become curves of their own; returns what is to be said of them.
    fn offer(&mut self, problem: &PeriodicOrbit<'_>, name: &str, others: Vec<Entered<'_>>) -> String {
        let mut said = String::new();
        for (own, piece, change) in others {
            let system = problem.system();
            let count = self
                .results
                .iter()
                .filter(|r| r.name.starts_with(&format!("{name}-or")))
                .count();
            let called = format!("{name}-or{}", count + 1);
            said.push_str(&format!("; the other continuation is curve `{called}`: {change}"));
            let result = CurveResult {
                name: called,
                system: Some(self.curve.system),
                parameters: own.parameter_names(),
                free: system.parameters[self.curve.free].name.clone(),
                monitors: own.columns(),
                pieces: vec![piece],
                seconds: 0.0,
            };
            self.observer.curve_ends(&result);
            self.results.push(result);
        }
        said
    }

    pub(super) fn problem_like<'s>(
        curve: &CurvePlan,
        problem: &PeriodicOrbit<'s>,
        word: Word,
        parameters: &[f64],
    ) -> PeriodicOrbit<'s> {
        PeriodicOrbit::discretised(
            problem.system(),
            word,
            parameters.to_vec(),
            problem.free_parameters().to_vec(),
            curve.flow,
            &curve.discretisations,
        )
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
            let unfolded = problem.branching(self.curve, &text, &p, label);
            let (mut long, at) = match unfolded {
                Ok(both) => both,
                Err(e) => {
                    self.note(
                        index,
                        i,
                        &format!("; the branch could not be told in a longer word: {e}"),
                    );
                    continue;
                }
            };
            for (side, suffix) in [(1.0, "a"), (-1.0, "b")] {
                let clock = Instant::now();
                let child = format!("{stem}{suffix}");
                // The first branch may have changed the meshes.
                long.restore(&at.meshes);
                let first = match other_branch(&mut long, &at, side) {
                    Ok(p) => p,
                    Err(e) => {
                        self.note(index, i, &format!("; branch {suffix} was not reached: {e}"));
                        continue;
                    }
                };
                let options = self.curve.trace.clone();
                // Next to the branch point the branches are hard to tell apart: a little further on it shows whether this one is known.
                let probe = TraceOptions {
                    points: PROBE,
                    levels: vec![],
                    ..options.clone()
                };
                let probed = trace_from(&mut long, first.clone(), &probe, &mut |_| true);
                let away = probed.ok().and_then(|b| b.points.last().map(|p| p.point.clone()));
                let away = away.unwrap_or_else(|| first.clone());
                long.restore(&away.meshes);
                let ends = long.marks(&away.z);
                if self.known(&mut long, &ends, away.parameter()) {
                    continue;
                }
                long.begin_again(&first);
                match self.trace(&child, &mut long, |long, log| {
                    trace_from_logged(long, first, &options, log)
                }) {
                    Ok(branch) => self.complete(&mut long, child, branch, clock, generation + 1),
                    Err(e) => self.note(index, i, &format!("; branch {suffix} could not be traced: {e}")),
                }
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

/// Where the error asked of the meshes was not met, the worst of the labelled points says so, and what was reached at worst on the branch.
fn report_error<F: Family>(problem: &F, branch: &mut Branch) {
    let column = problem.monitors().iter().position(|m| m == "error");
    let (Some(column), Some(asked)) = (column, problem.error_asked()) else {
        return;
    };
    let error = |i: &usize| branch.points[*i].record.monitors[column];
    let worse = |a: &usize, b: &usize| error(a).total_cmp(&error(b));
    let all = 0..branch.points.len();
    let Some(worst) = all.clone().max_by(worse) else { return };
    let (reached, place) = (error(&worst), branch.points[worst].point.parameter());
    if reached <= SLACK * asked {
        return;
    }
    let labelled = all.filter(|i| branch.points[*i].label.is_some()).max_by(worse);
    if let Some(p) = branch.points.get_mut(labelled.unwrap_or(worst)) {
        if !p.message.is_empty() {
            p.message.push_str("; ");
        }
        let free = problem.free_parameters().last().copied().unwrap_or(0);
        let name = problem.parameter_names().swap_remove(free);
        p.message.push_str(&format!(
            "the error asked for, {asked:e}, was not met: {reached:.1e} was reached at worst, at {name} = {place}"
        ));
    }
}

/// The point at which the curve was left.
fn last_of(pieces: &mut [Piece], at_start: bool) -> Option<&mut BranchPoint> {
    if at_start {
        pieces.first_mut()?.branch.points.first_mut()
    } else {
        pieces.last_mut()?.branch.points.last_mut()
    }
}

/// Does a traced branch pass through an orbit? Decided by correcting the branch at its parameter and comparing.
pub(super) fn passes_through<F: Family>(problem: &mut F, branch: &Branch, wanted: &[Vec<f64>], level: f64) -> bool {
    let meshes = problem.meshes();
    let mut newton = Newton::default();
    let found = branch.points.windows(2).any(|w| {
        let (a, b) = (&w[0].point, &w[1].point);
        let (pa, pb) = (a.parameter() - level, b.parameter() - level);
        if pa * pb > 0.0 || pa == pb {
            return false;
        }
        problem.restore(&a.meshes);
        if a.z.len() != problem.unknowns() {
            return false;
        }
        let fraction = pa / (pa - pb);
        let mut mid: Vec<f64> = if a.meshes == b.meshes && a.z.len() == b.z.len() {
            a.z.iter().zip(&b.z).map(|(x, y)| x + fraction * (y - x)).collect()
        } else {
            a.z.clone()
        };
        if problem.unknowns() != mid.len() {
            return false;
        }
        let n = mid.len();
        let mut row = vec![0.0; n];
        row[n - 1] = 1.0;
        let anchor = vec![0.0; n];
        let options = NewtonOptions::default();
        newton
            .solve(problem, &mut mid, &row, &anchor, &[level], &options)
            .is_ok()
            && problem.same(&problem.marks(&mid), wanted, 1e-6)
    });
    problem.restore(&meshes);
    found
}
