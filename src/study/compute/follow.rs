//! Follow a curve over its words and corners, and into its branches.

use crate::compute::beyond::Beyond;
use crate::compute::by_either::SetOff;
use crate::compute::error::ComputeError;
use crate::compute::family::Family;
use crate::compute::no_start::no_start;
use crate::compute::openings::is_continuum;
use crate::compute::tracer::{CurveTracer, REPORTED, add_to};
use crate::results::curve::{CurveResult, Piece};
use slipstick_bifurcation::{
    Branch, BranchPoint, End, Label, Monitor, TraceOptions, Tracer, first_alike, first_within, other_branch,
    pairs_that_leave_the_axis, passed_the_axis,
};
use slipstick_continuation::Point;
use slipstick_floquet::Multiplier;
use slipstick_numerics::number::exact;
use slipstick_numerics::stop::{to_the_end, unless_stopped};
use slipstick_orbit::SAME_ORBIT;
use std::collections::BTreeMap;
use std::time::Instant;

/// How many points of a branch are looked at before it counts as a new one.
const PROBE: usize = 8;

/// How a branch is entered.
enum Way {
    /// Along the null vector of F' across the known curve, or against it.
    Side(f64),
    /// From a point on it.
    From(Point),
}

/// What passes at a period doubling, or is critical there, besides one multiplier -1: more than one family of doubled
/// orbits may leave it.
#[derive(Clone, Copy, PartialEq)]
enum Crowd {
    None,
    /// A multiplier is +1.
    One,
    /// More than one multiplier is -1.
    MinusOne,
}

impl Crowd {
    fn of(multipliers: &[Multiplier]) -> Self {
        if multipliers.iter().filter(|m| m.is_nearly_minus_one()).count() > 1 {
            Self::MinusOne
        } else if multipliers.iter().any(Multiplier::is_nearly_one) {
            Self::One
        } else {
            Self::None
        }
    }
}

/// The letters that name branch number `k` at a point: a, b, …, z, aa, ab, ….
fn letters(k: usize) -> String {
    let letter = char::from(b'a' + (k % 26) as u8).to_string();
    if k < 26 { letter } else { letters(k / 26 - 1) + &letter }
}

/// The ways to leave a branch point, the last one first; others to be taken where those lead nowhere; and what is to be
/// said of them where it is not a simple crossing of two curves.
fn ways_from<F: Family>(problem: &mut F, at: &Point, range: f64) -> (Vec<Way>, Vec<Way>, String) {
    let both = vec![Way::Side(-1.0), Way::Side(1.0)];
    let Some(found) = problem.half_branches(at, range) else {
        return (both, vec![], String::new());
    };
    let simple = found.kernel == 1 && (found.continuum || found.starts.len() <= 4);
    if found.continuum && !simple {
        return (vec![], vec![], "; it is not traced".into());
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

/// Of equilibria of many states the leading eigenvalues are computed: are they all that are unstable?
fn leading_eigenvalues(pieces: &[Piece]) -> Option<String> {
    let points = || pieces.iter().flat_map(|piece| &piece.branch.points);
    let states = |p: &BranchPoint| p.point.z.len() - 1;
    let found = |p: &BranchPoint| p.record.eigenvalues.len();
    let some = |p: &&BranchPoint| p.record.uncounted || found(p) > 0 && found(p) < states(p);
    let first = points().find(some)?;
    let of_all = format!("of the {} eigenvalues the leading ones are tabulated", states(first));
    let uncounted = points().filter(|p| p.record.uncounted).count();
    Some(match uncounted {
        0 => format!(
            "{of_all}; a count by the argument principle found no others that are unstable, at every fifth point and where their number changes"
        ),
        count => format!(
            "{of_all}; at {count} of {} points it could not be confirmed that no others are unstable: `stable` and `unstable` \
             count those that were found",
            points().count()
        ),
    })
}

/// Where the number of unstable eigenvalues or multipliers changes between two points, and nothing was located between
/// them: something was missed.
fn change_without_a_point<F: Family>(problem: &F, pieces: &[Piece], parameter: &str) -> Option<String> {
    let pairs = pieces.iter().flat_map(|piece| piece.branch.points.windows(2));
    let changes = |pair: &[BranchPoint]| passed_the_axis(problem, &pair[0].record, &pair[1].record).is_some();
    let plain = |p: &BranchPoint| matches!(p.label, None | Some(Label::EP | Label::UZ));
    let mut missed = pairs.filter(|pair| pair.iter().all(plain) && changes(pair));
    let first = missed.next()?;
    let more = match missed.count() {
        0 => "",
        _ => ", and elsewhere",
    };
    let what = if first[0].record.eigenvalues.is_empty() {
        "multipliers"
    } else {
        "eigenvalues"
    };
    Some(format!(
        "the number of unstable {what} changes from {} to {} between {parameter} = {} and {}{more}, but no special point was \
         located there: look closer, with shorter steps, as `step: Step(largest: ...)`",
        first[0].record.unstable,
        first[1].record.unstable,
        first[0].point.parameter(),
        first[1].point.parameter()
    ))
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
    /// Trace the curve through `start`, unless it is known already.
    pub(crate) fn follow<F: Beyond>(&mut self, problem: &mut F, start: Vec<f64>) {
        let wanted = problem.invariants(&start);
        let level = start[start.len() - 1];
        if self.known(problem, &wanted, level) {
            return;
        }
        if let Err(why) = self.set_off(problem, &SetOff::Guess(start)) {
            self.failure.get_or_insert(why);
        }
    }

    /// Trace the curve that sets off from `start` along its tangent, unless it is known already.
    pub(crate) fn follow_from<F: Beyond>(&mut self, problem: &mut F, start: Point) {
        self.follow_apart(problem, start, self.results.len());
    }

    /// Trace the curve that sets off from `start`, unless one of so many that were traced first passes it: others that
    /// set off from the same place may be alike there.
    pub(crate) fn follow_apart<F: Beyond>(&mut self, problem: &mut F, start: Point, earlier: usize) {
        let wanted = problem.invariants(&start.z);
        if self.among_first(earlier, problem, (&wanted, start.parameter()), SAME_ORBIT) {
            return;
        }
        if let Err(why) = self.set_off(problem, &SetOff::Onward(start)) {
            self.failed(why);
        }
    }

    /// Trace the curve through a solved `point` both ways along its tangent, unless it is known already.
    pub(crate) fn follow_through<F: Beyond>(&mut self, problem: &mut F, point: Point) {
        let wanted = problem.invariants(&point.z);
        if self.known(problem, &wanted, point.parameter()) {
            return;
        }
        problem.restore(&point.meshes);
        if let Err(why) = self.set_off(problem, &SetOff::Through(point)) {
            self.failure.get_or_insert(why);
        }
    }

    /// Trace a curve and what follows from it, unless it has no start.
    fn set_off<F: Beyond>(&mut self, problem: &mut F, from: &SetOff) -> Result<(), ComputeError> {
        let clock = Instant::now();
        let name = self.next_name();
        let period = problem.period_of(match from {
            SetOff::Guess(z) | SetOff::Beside(z) => z,
            SetOff::Through(point) | SetOff::Onward(point) => &point.z,
        });
        let (branch, mut other) = self.trace_by_either(&name, problem, from, self.options_of(problem))?;
        no_start(problem, &branch, self.curve.trace.range, period)?;
        if let Some(why) = Self::stillborn(problem, &branch).filter(|_| matches!(from, SetOff::Guess(_))) {
            return Err(why);
        }
        self.complete(other.as_mut().unwrap_or(problem), name, branch, clock, 0);
        Ok(())
    }

    /// Why a branch that does not leave its start in any direction is none: an inequality that is zero there already is
    /// named.
    fn stillborn<F: Family>(problem: &F, branch: &Branch) -> Option<ComputeError> {
        /// Values that are zero up to rounding.
        const ZERO: f64 = 1e-9;
        let start = branch.points.get(branch.start)?;
        let level = start.point.parameter();
        let moves = |p: &BranchPoint| (p.point.parameter() - level).abs() > ZERO * (1.0 + level.abs());
        let forced = |end: &End| matches!(end, End::Failed(_) | End::Boundary { .. });
        let leaves = branch.points.len() > 3 || branch.points.iter().any(moves) || is_continuum(branch);
        if leaves || !branch.ends.iter().all(forced) {
            return None;
        }
        let end = branch.ends.first()?;
        let zero: Vec<String> = problem
            .inequalities()
            .into_iter()
            .zip(&start.record.inequalities)
            .filter(|(_, v)| v.abs() < ZERO)
            .map(|(spec, _)| spec.meaning)
            .collect();
        Some(if zero.is_empty() {
            ComputeError::NoStep { end: end.clone() }
        } else {
            ComputeError::ZeroAtStart { inequalities: zero }
        })
    }

    /// Switch words at the ends, sample the special orbits, and go on into the branches.
    fn complete<F: Beyond>(
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
            problem.extend(self, &name, &mut pieces);
        });
        let mut note = if generation == 0 {
            self.note.clone()
        } else {
            String::new()
        };
        if let Some(said) = self.said_of_elsewhere(&pieces).filter(|_| generation == 0) {
            add_to(&mut note, said);
        }
        if let Some(said) = remark {
            add_to(&mut note, &said);
        }
        if let Some(said) = worst_error(problem, &pieces) {
            add_to(&mut note, &said);
        }
        if let Some(said) = leading_eigenvalues(&pieces) {
            add_to(&mut note, &said);
        }
        let free = &problem.parameter_names()[self.curve.free];
        if let Some(said) = change_without_a_point(problem, &pieces, free) {
            add_to(&mut note, &said);
        }
        if let Some(said) = resonances(problem, &pieces, free) {
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

    /// Trace the branches that cross or branch off at the wanted labels of the curve called `name`.
    fn branch_off<F: Beyond>(&mut self, problem: &F, name: &str, generation: usize) {
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
            let parent = match label {
                Label::PD => problem.ends_on(self.curve, &text, &p),
                _ => None,
            };
            let ends_here = parent.is_some();
            let unfolded = parent.unwrap_or_else(|| problem.branching(self.curve, &text, &p, label));
            let (mut long, at) = match unfolded {
                Ok(both) => both,
                Err(e) => {
                    self.note(
                        index,
                        i,
                        &format!("; the orbit could not be represented over the longer period: {e}"),
                    );
                    self.untraced
                        .push(format!("the branches `{stem}` at {label} were not traced: {e}"));
                    continue;
                }
            };
            let (mut ways, mut spare) = (vec![Way::Side(-1.0), Way::Side(1.0)], vec![]);
            let crowd = if label == Label::PD && !ends_here {
                Crowd::of(&p.record.multipliers)
            } else {
                Crowd::None
            };
            let mut several = false;
            if label == Label::BP || crowd != Crowd::None {
                let (lo, hi) = self.curve.trace.range;
                let (all, others, said) = ways_from(&mut long, &at, hi - lo);
                several = crowd != Crowd::None && matches!(all.last(), Some(Way::From(_)));
                // Of doubled orbits that are not resolved here one is looked for along the null vector.
                let unresolved = crowd == Crowd::MinusOne && all.is_empty();
                if !unresolved {
                    (ways, spare) = (all, others);
                    self.note(index, i, &said);
                }
                if several {
                    // Each begins twice, a lap apart.
                    let families = ways.len().div_ceil(2);
                    self.note(index, i, &format!("; {families} families of doubled orbits begin here"));
                }
                if crowd == Crowd::MinusOne && !several {
                    self.note(index, i, "; of the families of doubled orbits at most one is traced");
                }
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
                    Ok(p) if long.fixes_parameter() => p,
                    Ok(p) => first_alike(&mut long, &at, p),
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
                // Of the half-branches on the sphere those that were entered along the null vector are known, though
                // they were traced from a point further on only.
                if from_sphere && entered.iter().any(|known| is_one_way(&at, known, &first)) {
                    known += 1;
                    continue;
                }
                if !from_sphere {
                    entered.push(first.clone());
                }
                let family = long.fixes_parameter();
                let options = self.curve.trace.clone();
                // Next to the branch point the branches are hard to tell apart: a little further on it shows whether
                // this one is known.
                let probe = TraceOptions {
                    points: PROBE,
                    levels: vec![],
                    ..options.clone()
                };
                let probed = Tracer::new(&mut long, &probe).onward(first.clone());
                let mut away: Vec<Point> = vec![];
                if let Ok(branch) = probed {
                    away.extend(branch.points.last().map(|p| p.point.clone()));
                    // Where it ends by itself the parameter may hardly change any more, and tells its members apart no
                    // longer.
                    if !branch.ends.contains(&End::Points) {
                        away.extend(branch.points.get(branch.points.len() / 2).map(|p| p.point.clone()));
                    }
                }
                if away.is_empty() {
                    away.push(first.clone());
                }
                let is_known = |away: &Point| {
                    long.restore(&away.meshes);
                    let ends = long.invariants(&away.z);
                    self.known(&mut long, &ends, away.parameter())
                };
                // On both sides of a doubling there are the same orbits, begun a lap later: one side is enough, and
                // errors of their discretisation do not make two curves of them.
                let is_known = away.iter().any(is_known);
                if label == Label::PD && !ends_here && !several {
                    ways.clear();
                }
                if is_known {
                    known += 1;
                    continue;
                }
                followed += 1;
                // The next branch begins where this one did, on whichever side of corners it leads.
                let saved = long.save();
                long.begin_again(&first);
                if family && long.fix_parameter(&first.z) {
                    let free = &self.results[index].free;
                    let said = format!(
                        "; a continuum of orbits at {free} = {} begins here: curve `{child}`",
                        exact(first.parameter())
                    );
                    self.note(index, i, &said);
                }
                let options = self.options_of(&long);
                match self.trace_by_either(&child, &mut long, &SetOff::Onward(first.clone()), options) {
                    Ok((branch, mut other)) => {
                        self.stretches.push((long.word(), at.clone(), first));
                        let long = other.as_mut().unwrap_or(&mut long);
                        self.complete(long, child, branch, clock, generation + 1);
                    }
                    Err(e) => {
                        self.note(index, i, &format!("; branch {suffix} could not be traced: {e}"));
                        self.untraced
                            .push(format!("branch `{stem}{suffix}` at {label} was not traced: {e}"));
                    }
                }
                long.come_back(saved);
            }
            if known > 0 && followed == 0 && failed == 0 {
                self.note(
                    index,
                    i,
                    "; the bifurcating orbits lie on curves that are traced already",
                );
            }
        }
    }
}

/// What is to be said of the error of a whole curve, where what was asked for was not met.
fn worst_error<F: Family>(problem: &F, pieces: &[Piece]) -> Option<String> {
    let asked = problem.error_asked()?;
    let column = Monitor::error(&problem.monitors())?;
    let errors = pieces.iter().flat_map(|p| &p.branch.points);
    let errors = errors.map(|p| p.record.monitors[column]);
    let reached = errors.max_by(f64::total_cmp)?;
    (reached > REPORTED * asked).then(|| format!("the error of the orbits reaches {reached:.1e} (tolerance {asked:e})"))
}

/// What is to be said of imaginary pairs that leave the axis together, where something is conserved: no label tells of
/// them.
fn resonances<F: Family>(problem: &F, pieces: &[Piece], free: &str) -> Option<String> {
    let points: Vec<&BranchPoint> = pieces.iter().flat_map(|p| &p.branch.points).collect();
    let conserves = |p: &&BranchPoint| !p.record.eigenvalues.is_empty() && problem.neutral(&p.record).pairs > 1;
    if !points.iter().any(conserves) {
        return None;
    }
    // The places are interpolated: to six digits.
    let clause = |place: f64| {
        let rounded: f64 = format!("{place:.5e}").parse().unwrap_or(place);
        format!(
            "two pairs of imaginary eigenvalues collide and leave the axis near {free} = {rounded} (a Hamiltonian Hopf bifurcation, 1:1 resonance); it has no label"
        )
    };
    let said: Vec<String> = pairs_that_leave_the_axis(&points).into_iter().map(clause).collect();
    (!said.is_empty()).then(|| said.join("; "))
}
