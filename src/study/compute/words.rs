//! Beyond the ends of a curve: the words that are valid there, entered and followed.

use crate::compute::error::{ComputeError, Hindrance};
use crate::compute::family::Family;
use crate::compute::family::problem_like;
use crate::compute::leaving::{Entered, Start, starts_along};
use crate::compute::openings::{
    Opening, fills_continuum, is_continuum, lasts_beyond, opens_nowhere, rebounds_untold, stands_still, vanishing,
};
use crate::compute::standstill::{name_end, stands_still_beyond};
use crate::compute::tracer::{CurveTracer, join};
use crate::results::curve::{CurveResult, Piece};
use crate::spec::curve::ChoiceSpec;
use slipstick_bifurcation::{BranchPoint, End, Inspect, Monitor, MonitorKind, Record, TraceOptions, Tracer};
use slipstick_continuation::{NewtonOptions, Point, Problem, solution_next_to};
use slipstick_flow::ON_SURFACE;
use slipstick_numerics::number::exact;
use slipstick_orbit::{
    Neighbour, PeriodicOrbit, SAME_ORBIT, begun_elsewhere, crossed_instead, events_before_jump, grazing_together,
    guess_beyond, invariants, is_repeated, is_symmetric, neighbours, opened_along, opened_beyond, parts_beyond,
    simulated_beyond, solved_near, solved_with_duration, standstill, without_all,
};
use slipstick_system::ModeKind;
use std::sync::atomic::Ordering;

/// The most words a curve is followed through in one direction.
const MOST_WORDS: usize = 32;

impl CurveTracer<'_> {
    /// Go on beyond both ends with the words that are valid there, if the study wants that, and round corners of
    /// resets.
    pub(crate) fn switch_words(&mut self, problem: &mut PeriodicOrbit<'_>, name: &str, pieces: &mut Vec<Piece>) {
        self.extend(problem, name, pieces, false);
        if pieces[0].branch.ends.len() > 1 {
            self.extend(problem, name, pieces, true);
        }
    }

    /// Go on beyond the last point (or the first) with the words that are valid there, as long as there are any.
    fn extend<'s>(&mut self, problem: &mut PeriodicOrbit<'s>, name: &str, pieces: &mut Vec<Piece>, at_start: bool) {
        let mut owner: Option<PeriodicOrbit<'s>> = None;
        let columns = problem.columns();
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
            let (mut inequality, mut point) = (*inequality, point.clone());
            let current = owner.as_mut().unwrap_or(problem);
            if let Some(met) = self.at_reset_corner(current, &pieces[at], (&point, inequality), at_start) {
                match self.pass_reset_corner(current, name, (&point, met), (pieces, &columns), at_start) {
                    Some(next) => owner = Some(next),
                    None => return,
                }
                continue;
            }
            // What ceases to move beyond a boundary may lie anywhere there: no orbit continues this one.
            let still = (!is_continuum(&pieces[at].branch)).then(|| standstill(current, &point.point));
            let still = still.flatten();
            if let Some(still) = &still {
                name_end(current, &mut pieces[at], at_start, still);
            }
            if !self.curve.switch {
                return;
            }
            if let Some(still) = &still {
                let said = stands_still_beyond(current, &point.point, still);
                let said = format!("; no neighbouring word continues the branch ({said})");
                pieces[at]
                    .end_mut(at_start)
                    .into_iter()
                    .for_each(|p| p.message.push_str(&said));
                return;
            }
            if rebounds_untold(&point, inequality) {
                let said = format!(
                    "; the orbit leaves the surface by less than {}, the accuracy of surfaces, and the place is no more accurate: impacts accumulate there (chattering), \
                     and the curve is not followed through them",
                    exact(ON_SURFACE)
                );
                pieces[at]
                    .end_mut(at_start)
                    .into_iter()
                    .for_each(|p| p.message.push_str(&said));
                return;
            }
            let current = owner.as_mut().unwrap_or(problem);
            let begun = self.begin_elsewhere(current, &point, inequality);
            if let Some((other, at, touched)) = begun {
                owner = Some(other);
                point.point = at;
                inequality = touched;
            }
            let current = owner.as_mut().unwrap_or(problem);
            let inner = if at_start {
                pieces[at].branch.points.get(1)
            } else {
                pieces[at].branch.points.iter().rev().nth(1)
            };
            // A curve of symmetric orbits in a word of the whole period goes on along such orbits.
            let is_symmetric_here = inner.is_some_and(|p| {
                current.restore(&p.point.meshes);
                !current.word().symmetric && is_symmetric(current, &p.point.z)
            });
            let points = &pieces[at].branch.points;
            let together = if at_start {
                vanishing(current, &point, inequality, points.iter().skip(1))
            } else {
                vanishing(current, &point, inequality, points.iter().rev().skip(1))
            };
            // Where a continuum of orbits that stick all along ends, slip would lead back into it.
            let continuum = is_continuum(&pieces[at].branch);
            let sticks_on = continuum && {
                let modes = &current.system().modes;
                let mut letters = current.word().letters.iter();
                letters.any(|letter| modes[letter.mode].kind == ModeKind::Stick)
            };
            let (mut reasons, mut entered, mut continua) = (vec![], vec![], vec![]);
            // What oscillators do together that move in phase comes first.
            if let Some(neighbour) = grazing_together(current, &point.point, inequality) {
                let word = neighbour.word.describe(current.system());
                match self.enter(current, name, (&point, inequality), (neighbour, &together), sticks_on) {
                    Ok(piece) => entered.push(piece),
                    Err(why) => reasons.push(format!("`{word}`: {why}")),
                }
            }
            // Where events exchange their order, and commute, nothing happens to the orbit.
            let mut happens = true;
            let points = &pieces[at].branch.points;
            let exchanged = if !entered.is_empty() {
                None
            } else if at_start {
                self.enter_exchanged(current, name, (&point, &together), points.iter().skip(1))
            } else {
                self.enter_exchanged(current, name, (&point, &together), points.iter().rev().skip(1))
            };
            if let Some((piece, commutes)) = exchanged {
                entered.push(piece);
                happens = !commutes;
            }
            let mut found = match entered.is_empty() {
                true => {
                    let before_jump = events_before_jump(current, &point.point, inequality);
                    match before_jump.is_empty() {
                        true => {
                            let mut words = neighbours(current, &point.point, inequality);
                            words.extend(crossed_instead(current, &point.point, inequality));
                            words
                        }
                        false => before_jump,
                    }
                }
                false => vec![],
            };
            let mut last_resort = None;
            // Several segments vanish as one: the word without all of them comes last, since it may be a repetition.
            let all_gone =
                (together.len() > 1 && entered.is_empty()).then(|| without_all(current, &point.point, &together));
            if let Some(without) = all_gone.flatten() {
                let lasts = without.word.letters.iter().all(|letter| letter.event.is_none());
                if lasts && fills_continuum(self.curve, current, &point, &without) {
                    reasons.push(lasts_beyond(current, &together, &without));
                    found.clear();
                } else {
                    last_resort = Some(without);
                }
            }
            let mut found = found.into_iter();
            while let Some(neighbour) = found
                .next()
                .or_else(|| last_resort.take().filter(|_| entered.is_empty()))
            {
                let word = neighbour.word.describe(current.system());
                let mut letters = neighbour.word.letters.iter();
                if let Some(why) = letters.find_map(|letter| current.system().outside(letter.mode)) {
                    reasons.push(why);
                    continue;
                }
                match self.enter(current, name, (&point, inequality), (neighbour, &together), sticks_on) {
                    // A continuum that a branch meets may be one that it passes by: what moves on comes first.
                    Ok(piece) if !continuum && stands_still(&piece.1.branch) => continua.push(piece),
                    Ok(piece) => entered.push(piece),
                    Err(why) => reasons.push(format!("`{word}`: {why}")),
                }
            }
            if entered.is_empty() && !sticks_on && !parts_beyond(current, &point.point, inequality) {
                entered.extend(self.enter_simulated(current, name, &point, continuum));
            }
            if entered.is_empty() {
                entered = continua;
            }
            self.put_first(&mut entered);
            let words: Vec<String> = entered.iter().map(|e| format!("`{}`", e.1.word)).collect();
            let mut entered = entered.into_iter();
            let found = entered.next();
            let offered = self.offer(current, name, entered.collect());
            if words.len() > 1 {
                let said = format!(
                    "forward non-uniqueness: each of the words {} continues the branch",
                    words.join(" and ")
                );
                pieces[at].mark_choice(at_start, said);
            }
            let last = pieces[at].end_mut(at_start);
            let Some((mut next, mut piece, change)) = found else {
                if let Some(p) = last {
                    p.message.push_str("; no neighbouring word continues the branch");
                    if !reasons.is_empty() {
                        p.message.push_str(&format!(" ({})", reasons.join("; ")));
                    }
                }
                return;
            };
            match last {
                Some(p) if happens => {
                    let first = piece.branch.points.get(piece.branch.start);
                    let remark = first.filter(|first| first.label.is_none() && !first.message.is_empty());
                    let remark = remark.map_or(String::new(), |first| format!("; {}", first.message));
                    p.message.push_str(&format!("; {change}{remark}{offered}"));
                }
                Some(p) => {
                    p.label = None;
                    p.message.clear();
                }
                None => {}
            }
            let joins = piece.branch.points.last().is_some_and(|p| {
                next.restore(&p.point.meshes);
                !is_symmetric_here && !next.word().symmetric && is_symmetric(&next, &p.point.z)
            });
            let points = &piece.branch.points;
            let middle = points.get(points.len() / 2).map(|p| p.point.clone());
            if let Some(p) = &middle {
                next.restore(&p.meshes);
            }
            let repeats = middle.as_ref().is_some_and(|p| is_repeated(&next, &p.z));
            let passed = middle.as_ref().is_some_and(|p| {
                let invariants = invariants(&next, &p.z);
                let orbit = (&invariants[..], p.parameter());
                pieces
                    .iter()
                    .any(|old| self.piece_passes(old, &mut next, orbit, SAME_ORBIT))
            });
            let why = if joins {
                Some("these orbits are symmetric and belong to the symmetric branch")
            } else if repeats {
                Some("these orbits are repetitions of orbits with a shorter period, and belong to the branch of those")
            } else if passed && self.comes_round(pieces, at_start) {
                Some("these orbits were traced before: the curve is closed")
            } else if passed {
                Some("these orbits were traced before")
            } else {
                None
            };
            if let Some(why) = why {
                if let Some(p) = last_of(pieces, at_start) {
                    p.message.push_str(&format!("; {why}"));
                }
                return;
            }
            piece.keep_monitors(&next.columns(), &columns);
            join(pieces, piece, at_start);
            next.restore(&None);
            owner = Some(next);
        }
    }

    /// Are both ends of a curve at one value of its parameter?
    pub(crate) fn comes_round(&self, pieces: &[Piece], at_start: bool) -> bool {
        /// As near as this, as a part of the range.
        const AT: f64 = 1e-6;
        let end = |at_start: bool| {
            let piece = if at_start { pieces.first() } else { pieces.last() };
            piece.and_then(|piece| Some(piece.end(at_start)?.point.parameter()))
        };
        let (lo, hi) = self.curve.trace.range;
        end(at_start)
            .zip(end(!at_start))
            .is_some_and(|(a, b)| (a - b).abs() <= AT * (hi - lo))
    }

    /// The boundary orbit begun away from the surface that it touches, its problem, and the inequality that vanishes
    /// there; none where it begins well.
    fn begin_elsewhere<'s>(
        &self,
        problem: &mut PeriodicOrbit<'s>,
        at: &BranchPoint,
        inequality: usize,
    ) -> Option<(PeriodicOrbit<'s>, Point, usize)> {
        let like = begun_elsewhere(problem, &at.point, inequality)?;
        let mut other = problem_like(self.curve, problem, like.word.clone(), &at.record.parameters);
        let guess = guess_beyond(&mut other, problem, &at.point, &like).ok()?;
        // On a continuum at one value of the parameter the orbit does not follow from that.
        let begun = if at.point.stays_at_parameter() {
            other.set_off(&guess);
            solution_next_to(&mut other, &guess, 1.0, &NewtonOptions::default()).ok()
        } else {
            solved_near(&mut other, guess)
        }?;
        // In the other half of a symmetric orbit it is the mirror image of the surface that is touched.
        let mut record = Record::default();
        other.inspect(&begun, &mut record).ok()?;
        let values = record.inequalities.iter().enumerate();
        let (touched, _) = values.min_by(|a, b| a.1.total_cmp(b.1))?;
        Some((other, begun, touched))
    }

    /// Continue the boundary orbit in a neighbouring word: in the one direction in which it is admissible. Is it the
    /// end of a continuum of orbits that stick, so that it lies `beyond_stick`? Otherwise the first orbit is searched
    /// for further beyond, where it does not follow from the boundary orbit.
    fn enter<'s>(
        &self,
        problem: &mut PeriodicOrbit<'s>,
        name: &str,
        (at, inequality): (&BranchPoint, usize),
        (neighbour, together): (Neighbour, &[usize]),
        beyond_stick: bool,
    ) -> Result<Entered<'s>, ComputeError> {
        /// How far beyond the boundary a visit that appears there is looked for, in units of the range of the curve;
        /// and how much of what the orbit without it suggests for its length it must have, so as not to be a visit of
        /// no length.
        const BEYOND: [f64; 5] = [1e-8, 1e-6, 1e-5, 1e-4, 1e-3];
        const LENGTH: f64 = 0.1;
        /// Further away orbits must be seen to come from the boundary; so near, rounding would hide it.
        const NEXT_TO: f64 = 1e-6;
        /// Orbits at the boundary are met again to this, and those beyond it within what they change there.
        const AT: f64 = 1e-5;
        const NEAR: f64 = 0.1;
        const BOTH: [f64; 2] = [1.0, -1.0];
        /// So many times the part of the round that is left of what vanishes, where the end could not be located.
        const LEFT: f64 = 10.0;
        problem.restore(&at.point.meshes);
        let ends = problem.ends(&at.point.z);
        let lasts = |k: usize| ends.get(k).and_then(|end| end.last()).map_or(0.0, |lasts| lasts.abs());
        let round: f64 = (0..ends.len()).map(lasts).sum();
        let left = together.iter().map(|k| lasts(*k) / round).fold(0.0, f64::max);
        let met = AT.max(LEFT * left);
        let mut next = problem_like(self.curve, problem, neighbour.word.clone(), &at.record.parameters);
        let guess = guess_beyond(&mut next, problem, &at.point, &neighbour)?;
        // What vanished together must last beyond, and so must what appears: every orbit that is cut where it meets the
        // surface is a solution with a visit of no length. Beyond a continuum of orbits that stick, all must.
        let vanished = |k: usize| neighbour.along[k].is_some_and(|(own, _)| together.contains(&own));
        let appears = |k: usize| neighbour.durations[k] == 0.0 && neighbour.along[k].is_none();
        let is_short = |k: &usize| beyond_stick || vanished(*k) || appears(*k);
        let short: Vec<usize> = (0..neighbour.word.letters.len()).filter(is_short).collect();
        if beyond_stick && opens_nowhere(&mut next, &guess, &short, self.curve.trace.steps) {
            return Err(ComputeError::NotEntered(vec![Hindrance::Shortens]));
        }
        let why = match self.leave(
            &mut next,
            name,
            Start::Guess(guess),
            (met, &BOTH),
            Opening::Short(&short),
        ) {
            Ok(piece) => return Ok((next, piece, neighbour.change)),
            Err(why) => why,
        };
        // Where the velocity of an impact that begins grows like a root, the parameter nearly turns back there.
        if !(0..neighbour.durations.len()).any(appears) {
            for start in starts_along(problem, &mut next, at, &neighbour, AT) {
                if let Ok(piece) = self.leave(&mut next, name, start, (AT, &[1.0]), Opening::Short(&short)) {
                    return Ok((next, piece, neighbour.change));
                }
            }
        }
        if beyond_stick || parts_beyond(problem, &at.point, inequality) {
            return Err(why);
        }
        if let Some(entered) = self.enter_along(problem, name, (at, inequality), &neighbour) {
            return Ok(entered);
        }
        let (lo, hi) = self.curve.trace.range;
        for part in BEYOND {
            for shift in [part * (hi - lo), -part * (hi - lo)] {
                let opened = opened_beyond(problem, &at.point, inequality, &neighbour, shift);
                // The orbits with the visit may lie on this side of the boundary or on the other.
                for (opened, there) in opened.iter().flat_map(|opened| [(opened, shift), (opened, -shift)]) {
                    let mut parameters = opened.parameters.clone();
                    parameters[self.curve.free] = at.point.parameter() + there;
                    let mut next = problem_like(self.curve, problem, neighbour.word.clone(), &parameters);
                    let Ok(guess) = guess_beyond(&mut next, problem, &opened.orbit, &opened.neighbour) else {
                        continue;
                    };
                    if part > NEXT_TO && !self.comes_from(&mut next, at, &guess) {
                        continue;
                    }
                    let (stretch, length) = opened.stretch;
                    let opening = Opening::Stretch(stretch, LENGTH * length);
                    if let Ok(piece) = self.leave(&mut next, name, Start::Guess(guess), (NEAR, &BOTH), opening) {
                        return Ok((next, piece, neighbour.change));
                    }
                }
            }
        }
        Err(why)
    }

    /// Continue a continuum of orbits at one value of the parameter in a word with a visit that opens beyond its end.
    fn enter_along<'s>(
        &self,
        problem: &mut PeriodicOrbit<'s>,
        name: &str,
        (at, inequality): (&BranchPoint, usize),
        neighbour: &Neighbour,
    ) -> Option<Entered<'s>> {
        /// How far along, in scaled distance; how much of what is expected the visit lasts, and how near the first
        /// orbit is to what is expected.
        const ALONG: [f64; 4] = [1e-6, 1e-5, 1e-4, 1e-3];
        const LENGTH: f64 = 0.1;
        const NEAR: f64 = 0.1;
        if !at.point.stays_at_parameter() {
            return None;
        }
        let ways = ALONG.into_iter().flat_map(|distance| [distance, -distance]);
        ways.into_iter().find_map(|distance| {
            let opened = opened_along(problem, &at.point, inequality, neighbour, distance);
            opened.iter().find_map(|opened| {
                let mut next = problem_like(self.curve, problem, neighbour.word.clone(), &opened.parameters);
                let guess = guess_beyond(&mut next, problem, &opened.orbit, &opened.neighbour).ok()?;
                next.set_off(&guess);
                let (stretch, length) = opened.stretch;
                let start = solved_with_duration(&mut next, guess, stretch)?;
                let opening = Opening::Stretch(stretch, LENGTH * length);
                let piece = self
                    .leave(&mut next, name, Start::Orbit(start), (NEAR, &[1.0]), opening)
                    .ok()?;
                Some((next, piece, neighbour.change.clone()))
            })
        })
    }

    /// Continue beyond a boundary in the word that a simulation goes through there. Beyond the end of a `continuum`
    /// orbits that only touch it are no new ones.
    fn enter_simulated<'s>(
        &self,
        problem: &mut PeriodicOrbit<'s>,
        name: &str,
        at: &BranchPoint,
        continuum: bool,
    ) -> Option<Entered<'s>> {
        /// How far beyond the boundary, in units of the range of the curve: next to it first, since words may follow
        /// one another closely.
        const BEYOND: [f64; 5] = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4];
        /// How far the first orbit may be from the simulated one.
        const NEAR: f64 = 0.1;
        let (lo, hi) = self.curve.trace.range;
        let shifts = BEYOND.into_iter().flat_map(|part| [1.0, -1.0].map(|sign| (sign, part)));
        shifts.into_iter().find_map(|(sign, part)| {
            let simulated = simulated_beyond(problem, &at.point, sign * part * (hi - lo))?;
            let word = simulated.neighbour.word.clone();
            let outside = |mode: usize| problem.system().outside(mode).is_some();
            if word.letters.iter().any(|letter| outside(letter.mode)) {
                return None;
            }
            // Where the motion is that of a map with a root, the orbits may lie on this side of the boundary.
            [sign, -sign].into_iter().find_map(|side| {
                let mut parameters = simulated.parameters.clone();
                parameters[self.curve.free] = at.point.parameter() + side * part * (hi - lo);
                let mut next = problem_like(self.curve, problem, word.clone(), &parameters);
                let guess = guess_beyond(&mut next, problem, &simulated.orbit, &simulated.neighbour).ok()?;
                if !self.comes_from(&mut next, at, &guess) {
                    return None;
                }
                let all: Vec<usize> = (0..word.letters.len()).collect();
                let opening = Opening::Short(if continuum { &all } else { &[] });
                let start = Start::Guess(guess);
                let piece = self.leave(&mut next, name, start, (NEAR, &[side]), opening).ok()?;
                Some((next, piece, simulated.neighbour.change.clone()))
            })
        })
    }

    /// Does the curve through `guess` come from the boundary orbit `at`? It must lead most of the way back there, and
    /// to orbits ever more like it; otherwise another event lies between, and the orbits are those beyond that one.
    fn comes_from(&self, next: &mut PeriodicOrbit<'_>, at: &BranchPoint, guess: &[f64]) -> bool {
        /// The part of the way that is left, and how much nearer the orbits must be then: a root leaves a third.
        const LEFT: f64 = 0.1;
        const NEARER: f64 = 0.45;
        /// What agrees to this agrees, relative to its size.
        const ROUNDING: f64 = 1e-9;
        const POINTS: usize = 200;
        let level = at.point.parameter();
        let Some(&begin) = guess.last() else {
            return false;
        };
        let shift = begin - level;
        let near = level + LEFT * shift;
        let options = TraceOptions {
            points: POINTS,
            levels: vec![],
            directions: vec![-shift.signum()],
            range: (near.min(begin), near.max(begin)),
            ..self.curve.trace.clone()
        };
        let (meshes, limit) = (next.meshes(), next.limits_growth());
        // So short a way is followed as well as it can be.
        next.limit_growth(false);
        let traced = Tracer::new(next, &options).from_guess(guess.to_vec());
        next.limit_growth(limit);
        next.restore(&meshes);
        let Ok(branch) = traced else { return false };
        let [Some(first), Some(last)] = [branch.points.first(), branch.points.last()] else {
            return false;
        };
        // Extremes and the period do not jump where events are added.
        let tabulated = next.monitors().into_iter().filter(Monitor::is_tabulated);
        let steady: Vec<bool> = tabulated.map(|m| m.kind == MonitorKind::Extreme).collect();
        let part = |a: f64, b: f64| (a - b).abs() / (1.0 + b.abs());
        let apart = |p: &BranchPoint| -> f64 {
            let values = p.record.monitors.iter().zip(&at.record.monitors).zip(&steady);
            let extremes = values.filter(|(_, steady)| **steady).map(|((a, b), _)| part(*a, *b));
            let all = extremes.chain([part(p.record.period, at.record.period)]);
            all.filter(|part| part.is_finite()).fold(0.0, f64::max)
        };
        branch.ends.contains(&End::Range) && apart(last) <= NEARER * apart(first) + ROUNDING
    }

    /// Of several continuations, put the one first that the study wants to go on with.
    fn put_first(&self, entered: &mut [Entered<'_>]) {
        let sticks = |e: &Entered<'_>| {
            let modes = &e.0.system().modes;
            e.0.word()
                .letters
                .iter()
                .filter(|l| modes[l.mode].kind == ModeKind::Stick)
                .count()
        };
        match self.curve.choice {
            ChoiceSpec::Both => {}
            ChoiceSpec::Stick => entered.sort_by_key(|e| std::cmp::Reverse(sticks(e))),
            ChoiceSpec::Slip => entered.sort_by_key(sticks),
        }
    }

    /// Further continuations of a boundary orbit become curves of their own, if the study wants them; returns what is
    /// to be said of them.
    fn offer(&mut self, problem: &PeriodicOrbit<'_>, name: &str, others: Vec<Entered<'_>>) -> String {
        let mut said = String::new();
        for (own, piece, change) in others {
            if self.curve.choice != ChoiceSpec::Both {
                said.push_str(&format!("; the other continuation is not traced: {change}"));
                continue;
            }
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
                note: String::new(),
                seconds: 0.0,
            };
            self.observer.curve_ends(&result);
            self.results.push(result);
        }
        said
    }
}

/// The point at which the curve was left.
fn last_of(pieces: &mut [Piece], at_start: bool) -> Option<&mut BranchPoint> {
    let piece = if at_start {
        pieces.first_mut()
    } else {
        pieces.last_mut()
    };
    piece?.end_mut(at_start)
}
