//! Trace the two-parameter curves of a study from the points of its curves.

use crate::checkpoint::log::EntryLog;
use crate::compute::error::ComputeError;
use crate::compute::levels::{is_at_level, largest};
use crate::compute::locus_known::{Known, lies_between};
use crate::compute::locus_touch::{Touching, solved_as, touching};
use crate::compute::no_start::outside_range;
use crate::compute::task::{Around, Needs, Task};
use crate::compute::together::explained;
use crate::compute::tracer::ORBIT_ROWS;
use crate::plan::entries::CurvePlan;
use crate::plan::locus::{LocusPlan, Wanted};
use crate::plan::object::Object;
use crate::results::canards;
use crate::results::curve::{CurveResult, Piece};
use crate::results::observer::Observer;
use crate::results::run::{Missing, RunResult};
use slipstick_bifurcation::{
    Branch, BranchPoint, InequalitySpec, Inspect, Label, Level, Rank, Record, TraceOptions, Tracer,
};
use slipstick_continuation::{Failure, Point};
use slipstick_numerics::stop::{to_the_end, unless_stopped};
use slipstick_orbit::{
    Discretisation, FixedPoint, FixedScalar, Locus, LocusCondition, PeriodicOrbit, PointCondition, PointLocus, Scalar,
    Word, bound_reached, guess_beyond, halved, least_cycle, whole_period,
};
use slipstick_system::{OrbitMonitor, System};
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// How many numbers stand before the monitors in what an orbit is described by.
const OTHERS: usize = 3;

impl Task for LocusPlan {
    fn name(&self) -> &str {
        &self.name
    }

    fn needs(&self) -> Needs {
        Needs::Curves
    }

    fn run(&self, around: &Around<'_>) -> Result<RunResult, ComputeError> {
        around.observer.curve_begins(&self.name);
        let log = around.log("");
        let work = || run_locus(self, around, &log);
        let (curves, lost) = around.stop.until(work).unwrap_or(Err(ComputeError::CutShort))?;
        Ok(RunResult {
            curves,
            missing: lost.iter().map(|why| Missing::part_of(&self.name, why)).collect(),
            ..RunResult::default()
        })
    }
}

/// All two-parameter curves of one entry of the study, and why there is none through some of the points that it starts
/// from; or why there are none at all.
fn run_locus(
    locus: &LocusPlan,
    around: &Around<'_>,
    log: &EntryLog<'_>,
) -> Result<(Vec<CurveResult>, Vec<String>), ComputeError> {
    let Around {
        plan, observer, stop, ..
    } = *around;
    let curves = &around.curves;
    let source = &plan.curves[locus.from];
    let family: Vec<&CurveResult> = curves
        .iter()
        .copied()
        .filter(|c| branch_of(&c.name, &source.name).is_some_and(|b| b == locus.branch || is_exactly(c, source, locus)))
        .collect();
    if family.is_empty() {
        let known: Vec<String> = curves
            .iter()
            .filter(|c| branch_of(&c.name, &source.name).is_some())
            .map(|c| c.name.clone())
            .collect();
        return Err(if known.is_empty() {
            let curve = source.name.clone();
            ComputeError::NoFamily { curve }
        } else {
            ComputeError::NoBranch { known }
        });
    }
    let mut tracer = LocusTracer {
        system: &plan.systems[source.system].system,
        source,
        locus,
        observer,
        stop,
        log,
        results: vec![],
        starts: vec![],
        failure: None,
        failed: vec![],
    };
    let (mut found, mut count) = (false, 0);
    for result in &family {
        for (_, piece, point) in result.points() {
            if !tracer.is_wanted(result, point) {
                continue;
            }
            count += 1;
            if locus.number.is_none_or(|number| number == count) && !stop.load(Ordering::Relaxed) {
                found = true;
                let _ = unless_stopped(|| tracer.follow((result, piece), point, count));
            }
        }
    }
    if !tracer.results.is_empty() {
        let lost: Vec<String> = tracer.lost().map(|lost| lost.in_words.clone()).collect();
        return Ok((tracer.results, lost));
    }
    Err(tracer.failure.unwrap_or_else(|| {
        if found {
            return ComputeError::StoppedBefore;
        }
        let what = match &locus.wanted {
            Wanted::Label(label) => {
                let number = locus.number.map_or_else(String::new, |k| format!(" number {k}"));
                format!("{label}{number} ({})", label.meaning())
            }
            Wanted::Level(level) => format!("point at {}", level.reported()),
        };
        let known = family.iter().map(|c| format!("`{}`: {}", c.name, c.special()));
        ComputeError::NoStartOfLocus {
            what,
            known: known.collect(),
        }
    }))
}

/// The labels at which the curve called `name` branched off the entry's: `SB-PD` for `stiff-SB30a-PD12b`, nothing for
/// `stiff` and `stiff-2`; `None` if it is no curve of the entry.
fn branch_of(name: &str, entry: &str) -> Option<String> {
    let rest = name.strip_prefix(entry)?;
    if !rest.is_empty() && !rest.starts_with('-') {
        return None;
    }
    let label = |part: &str| part.chars().take_while(char::is_ascii_uppercase).collect::<String>();
    let labels: Vec<String> = rest.split('-').map(label).filter(|l| !l.is_empty()).collect();
    Some(labels.join("-"))
}

/// Is the curve the one that the study calls by its full name?
fn is_exactly(curve: &CurveResult, source: &CurvePlan, locus: &LocusPlan) -> bool {
    !locus.branch.is_empty() && curve.name == format!("{}-{}", source.name, locus.branch)
}

struct LocusTracer<'a> {
    pub(crate) system: &'a System,
    source: &'a CurvePlan,
    locus: &'a LocusPlan,
    pub(crate) observer: &'a dyn Observer,
    stop: &'a AtomicBool,
    log: &'a EntryLog<'a>,
    results: Vec<CurveResult>,
    starts: Vec<Known>,
    failure: Option<ComputeError>,
    failed: Vec<Failed>,
}

/// A point from which nothing could be traced, with the word of its orbit, and why.
struct Failed {
    word: String,
    point: BranchPoint,
    in_words: String,
}

impl LocusTracer<'_> {
    fn is_wanted(&self, curve: &CurveResult, point: &BranchPoint) -> bool {
        let within = |(low, high): &(Level, Level)| {
            let v = low.column.of(&point.record);
            v >= low.value && v <= high.value
        };
        self.locus.among.iter().all(within)
            && match &self.locus.wanted {
                Wanted::Label(label) => point.label == Some(*label),
                Wanted::Level(level) => {
                    let all = curve.points().map(|(_, _, p)| level.column.of(&p.record));
                    let is_at = || is_at_level(level.column.of(&point.record), level.value, largest(all));
                    point.label == Some(Label::UZ) && is_at()
                }
            }
    }

    /// Trace the two-parameter curve through a point of a curve, the one of this `number` among those asked for, unless
    /// it is known already.
    fn follow(&mut self, (result, piece): (&CurveResult, &Piece), at: &BranchPoint, number: usize) {
        let clock = Instant::now();
        let name = match self.results.len() {
            0 => self.locus.name.clone(),
            n => format!("{}-{}", self.locus.name, n + 1),
        };
        let label = match &self.locus.wanted {
            Wanted::Label(label) => *label,
            Wanted::Level(_) => Label::UZ,
        };
        let known = Known::of((result, at), label, self.locus.free);
        if self.starts.iter().any(|k| k.is(&known)) || self.passes(&piece.word, at) {
            return;
        }
        if let Some((parameter, range)) = outside_range(&self.locus.trace, self.locus.free, at) {
            let parameter = self.system.parameters[parameter].name.clone();
            let why = ComputeError::BeginsOutside { parameter, range };
            return self.fails((result, piece), at, number, why);
        }
        let outcome = match self.source.object {
            Object::Orbit(_) => {
                let Some(word) = self.word(&piece.word, at) else { return };
                let (word, at) = match self.whole(&word, at, label).or_else(|| self.parent(&word, at, label)) {
                    Some((word, at)) => (word, Cow::Owned(at)),
                    None => (word, Cow::Borrowed(at)),
                };
                match self.touch(&word, &at, label) {
                    Some(touch) if self.passes(&touch.word.describe(self.system), &touch.at) => return,
                    Some(touch) => {
                        let (word, at) = (touch.word, touch.at);
                        self.trace(&name, &word, vanishes(label, touch.inequality), &at)
                    }
                    None => match self.condition(&word, &at, label) {
                        Some(condition) => self.trace(&name, &word, condition, &at),
                        None => Err(ComputeError::OrbitLabel { label }),
                    },
                }
            }
            Object::Equilibrium { mode } => {
                let p = at.record.parameters.clone();
                // A curve may have passed into another mode.
                let mode = self.system.mode(&piece.word).unwrap_or(mode);
                let problem = FixedPoint::equilibrium(self.system, mode, p, vec![self.locus.free.0]);
                let reached = || bound_reached(&problem, &at.point.z).filter(|_| label == Label::BE);
                let boundary = || reached().map(|event| PointCondition::Boundary { event });
                let special = PointCondition::of_tangencies(&problem, label, &at.record).or_else(boundary);
                let condition = match special {
                    Some(condition) => Ok(condition),
                    None => self.kept_point(&[Label::LP, Label::BP, Label::HB], "equilibria"),
                };
                condition.and_then(|condition| self.trace_points(&name, &problem, condition, at))
            }
            Object::Cycle { mode, .. } => {
                let p = at.record.parameters.clone();
                // A cycle that has doubled has more points than the study's curve began with.
                let length = at.record.period.round().max(1.0) as usize;
                let mut problem = FixedPoint::cycle(self.system, mode, length, p, vec![self.locus.free.0]);
                let mut at = at.clone();
                // At the end of a branch that doubled the cycle it was born from is gone through twice.
                if at.label == Some(Label::PD)
                    && let Some((once, z)) = least_cycle(&problem, &at.point.z)
                {
                    problem = once;
                    at.point.z = z;
                }
                self.kept_point(&[Label::LP, Label::BP, Label::PD, Label::NS], "points of a map")
                    .and_then(|condition| self.trace_points(&name, &problem, condition, &at))
            }
        };
        match outcome {
            Ok(piece) => {
                self.starts.push(known);
                let free = [self.locus.free.0, self.locus.free.1].map(|i| self.system.parameters[i].name.clone());
                let result = CurveResult {
                    name,
                    system: Some(self.source.system),
                    parameters: result.parameters.clone(),
                    free: free.join(", "),
                    monitors: result.monitors.clone(),
                    pieces: vec![piece],
                    note: String::new(),
                    seconds: clock.elapsed().as_secs_f64(),
                };
                self.observer.curve_ends(&result);
                self.results.push(result);
            }
            Err(why) => self.fails((result, piece), at, number, explained(why, label, &at.record)),
        }
    }

    /// Note why nothing is traced from a point of a curve.
    fn fails(&mut self, (result, piece): (&CurveResult, &Piece), at: &BranchPoint, number: usize, why: ComputeError) {
        let free = self.source.free;
        let (parameter, value) = (&self.system.parameters[free].name, at.record.parameters[free]);
        let label = at.label.map_or_else(|| "point".to_owned(), |label| label.to_string());
        let from = format!("from {label} {number} of `{}` ({parameter} = {value})", result.name);
        self.failed.push(Failed {
            word: piece.word.clone(),
            point: at.clone(),
            in_words: format!("{from} no curve was traced: {why}"),
        });
        self.failure.get_or_insert(why);
    }

    /// The points from which nothing could be traced, and through which no other curve passes.
    fn lost(&self) -> impl Iterator<Item = &Failed> {
        self.failed.iter().filter(|f| !self.passes(&f.word, &f.point))
    }

    /// The word of the orbit at a point of a piece with this word; those of smooth orbits are not written.
    fn word(&self, text: &str, at: &BranchPoint) -> Option<Word> {
        if text.is_empty() {
            return Some(self.source.object.word()?.of_smooth_orbit(self.system, at));
        }
        Word::parse(text, text.ends_with("| mirrored"), self.system).ok()
    }

    /// What stays along a curve of equilibria or of points of a map, which can keep `possible` labels and levels.
    fn kept_point(&self, possible: &[Label], kind: &'static str) -> Result<PointCondition, ComputeError> {
        match &self.locus.wanted {
            Wanted::Level(level) => Ok(PointCondition::Level(level.column, level.value)),
            Wanted::Label(Label::BP) => Ok(PointCondition::Crossing {
                parameters: match self.locus.free {
                    (other, free) if free == self.source.free => [free, other],
                    (free, other) => [free, other],
                },
            }),
            Wanted::Label(label) if possible.contains(label) => Ok(PointCondition::Bifurcation(*label)),
            Wanted::Label(label) => Err(ComputeError::PointLabel { label: *label, kind }),
        }
    }

    /// By what the curve that a point lies on was traced.
    fn discretisations(&self, at: &BranchPoint) -> &[Discretisation] {
        let own = &self.source.discretisations;
        let shots = own.iter().all(|d| *d == Discretisation::Flow);
        if shots && at.point.meshes.is_some() {
            &self.source.otherwise
        } else {
            own
        }
    }

    /// The orbits of a word as the curve that the point lies on has them.
    fn orbits(&self, word: &Word, at: &BranchPoint) -> PeriodicOrbit<'_> {
        PeriodicOrbit::discretised(
            self.system,
            word.clone(),
            at.record.parameters.clone(),
            vec![self.source.free],
            self.source.flow,
            self.discretisations(at),
        )
    }

    /// The whole period of a symmetric orbit without events that touches a surface. In two parameters the touching may
    /// wander from one half into the other, where it is that of the mirror image.
    fn whole(&self, word: &Word, at: &BranchPoint, label: Label) -> Option<(Word, BranchPoint)> {
        if label != Label::GR {
            return None;
        }
        let mut half = self.orbits(word, at);
        let period = whole_period(&mut half, &at.point)?;
        let mut whole = self.orbits(&period.word, at);
        let guess = guess_beyond(&mut whole, &mut half, &at.point, &period).ok()?;
        solved_as(at, &mut whole, guess)
    }

    /// At the end of a branch that doubled, the orbit that it was born from, which is gone through twice.
    fn parent(&self, word: &Word, at: &BranchPoint, label: Label) -> Option<(Word, BranchPoint)> {
        if label != Label::PD {
            return None;
        }
        let (mut twice, by) = (self.orbits(word, at), self.discretisations(at));
        let (mut half, point) = halved(&mut twice, &at.point, self.source.flow, by)?.ok()?;
        solved_as(at, &mut half, point.z)
    }

    /// What stays along the curve.
    fn condition(&self, word: &Word, at: &BranchPoint, label: Label) -> Option<LocusCondition> {
        if let Wanted::Level(level) = &self.locus.wanted {
            let fixed = FixedScalar {
                scalar: Scalar::Column(level.column),
                level: level.value,
            };
            return Some(LocusCondition::Scalar(label, fixed));
        }
        Some(match label {
            Label::LP | Label::SB | Label::PD | Label::NS => LocusCondition::Multiplier(label),
            Label::BP => LocusCondition::Crossing {
                parameter: self.source.free,
            },
            Label::HB => return None,
            _ => {
                let orbit = self.orbits(word, at);
                vanishes(label, vanishing(label, &orbit.inequalities(), &at.record.inequalities)?)
            }
        })
    }

    /// Where a stay away from stick vanishes, the orbit without it.
    fn touch(&self, word: &Word, at: &BranchPoint, label: Label) -> Option<Touching> {
        let vanishes = label == Label::VS && matches!(self.locus.wanted, Wanted::Label(_));
        vanishes.then(|| touching(&mut self.orbits(word, at), &|word| self.orbits(word, at), at))?
    }

    /// Does a curve traced before pass through the orbit of this point? Meshes differ along curves, so orbits are
    /// compared by parameters, period and monitors, between neighbouring points of the curve.
    fn passes(&self, word: &str, at: &BranchPoint) -> bool {
        /// The monitors that say how an orbit was computed, not what it is.
        const OF_COMPUTATION: [&str; 2] = ["liouville", "error"];
        // Those that are made of others, and have a corner where a state passes zero.
        let has_corner = |name: &String| name.starts_with("max_abs_") || name == "l2_norm";
        let wanted = self.numbers(&at.record);
        let is_boundary = at.label == Some(Label::BE);
        self.results.iter().any(|result| {
            let at_start = |name: &String| {
                let own = self.system.monitors.iter().find(|m| m.name == *name);
                own.is_some_and(OrbitMonitor::is_read_at_start)
            };
            let distinguishes = |i: usize| {
                i.checked_sub(OTHERS)
                    .and_then(|m| result.monitors.get(m))
                    .is_none_or(|name| !OF_COMPUTATION.contains(&name.as_str()) && !has_corner(name) && !at_start(name))
            };
            // A boundary equilibrium is one in both modes.
            let pieces = result.pieces.iter().filter(|p| p.word == word || is_boundary);
            pieces.map(|p| &p.branch.points).any(|points| {
                let rows: Vec<Vec<f64>> = points.iter().map(|p| self.numbers(&p.record)).collect();
                let columns: Vec<(usize, f64)> = (0..wanted.len())
                    .filter(|&i| distinguishes(i))
                    .map(|i| {
                        (
                            i,
                            rows.iter()
                                .filter_map(|r| r.get(i))
                                .fold(1e-8, |m: f64, v| m.max(v.abs())),
                        )
                    })
                    .collect();
                rows.windows(2)
                    .any(|pair| lies_between(&pair[0], &pair[1], &wanted, &columns))
            })
        })
    }

    /// What an orbit is described by: the two parameters, the period, the monitors.
    fn numbers(&self, record: &Record) -> Vec<f64> {
        let p = &record.parameters;
        let mut numbers = vec![p[self.locus.free.0], p[self.locus.free.1], record.period];
        numbers.extend_from_slice(&record.monitors);
        numbers
    }

    pub(crate) fn trace(
        &self,
        name: &str,
        word: &Word,
        condition: LocusCondition,
        at: &BranchPoint,
    ) -> Result<Piece, ComputeError> {
        let extended_system = condition.extended_system(self.system, word);
        let mut options = self.locus.trace.clone();
        options.steps.newton.rests = matches!(condition, LocusCondition::Multiplier(_));
        let (mut locus, start) = Locus::through(
            self.system,
            &extended_system,
            word,
            condition,
            self.locus.free,
            at,
            self.source.flow,
            self.discretisations(at),
        )?;
        let mut branch = self.trace_from(name, &mut locus, &start, &options)?;
        let mut orbits = vec![];
        to_the_end(|| {
            for (i, p) in branch.points.iter_mut().enumerate() {
                p.point = locus.orbit_at(&p.point);
                if self.system.slow_fast.is_some() {
                    canards::measure(locus.orbits(), p);
                }
                if p.label.is_some()
                    && let Ok(mut sample) = locus.tabulated(&p.point, ORBIT_ROWS)
                {
                    canards::mark(locus.orbits(), p, &mut sample);
                    let _ = locus.orbits().begin_at_phase_zero(&p.point, &mut sample);
                    orbits.push((i, sample));
                }
            }
        });
        Ok(Piece {
            word: locus.word(),
            half: word.symmetric,
            inequalities: locus.inequalities(),
            branch,
            orbits,
            between: vec![],
        })
    }

    /// The same for equilibria and points of maps.
    fn trace_points(
        &self,
        name: &str,
        problem: &FixedPoint<'_>,
        condition: PointCondition,
        at: &BranchPoint,
    ) -> Result<Piece, ComputeError> {
        let extended_system = condition.extended_system(self.system);
        let (mut locus, start) = PointLocus::through(problem, &extended_system, condition, self.locus.free, at)
            .map_err(|failure| ComputeError::LocusOfPoints {
                label: condition.label(),
                failure,
            })?;
        let mut options = self.locus.trace.clone();
        // Where the pair becomes real rounding is enlarged by the inverse square of its angle.
        options.steps.newton.rests = !problem.is_rest() && matches!(condition, PointCondition::Bifurcation(Label::NS));
        let mut branch = self.trace_from(name, &mut locus, &start, &options)?;
        let mut orbits = vec![];
        for (i, p) in branch.points.iter_mut().enumerate() {
            p.point = locus.point_at(&p.point);
            if p.label.is_some() {
                orbits.push((i, locus.sample(&p.point)));
            }
        }
        Ok(Piece {
            word: locus.word(),
            half: false,
            inequalities: locus.inequalities(),
            branch,
            orbits,
            between: vec![],
        })
    }

    fn trace_from(
        &self,
        name: &str,
        problem: &mut dyn Inspect,
        start: &Point,
        options: &TraceOptions,
    ) -> Result<Branch, Failure> {
        let mut observe = |p: &BranchPoint| {
            self.observer.point(name, p);
            !self.stop.load(Ordering::Relaxed)
        };
        Tracer::new(problem, options)
            .logged(&mut self.log.trace(&mut observe))
            .through(start)
    }
}

/// An inequality that stays zero, under this label.
fn vanishes(label: Label, inequality: usize) -> LocusCondition {
    let fixed = FixedScalar {
        scalar: Scalar::Inequality(inequality),
        level: 0.0,
    };
    LocusCondition::Scalar(label, fixed)
}

/// The inequality with this label that vanishes; the duration of a segment says best what happens. Where two events
/// coincide it is the clearance of one of them, whatever its own label.
fn vanishing(label: Label, specs: &[InequalitySpec], values: &[f64]) -> Option<usize> {
    const ZERO: f64 = 1e-6;
    let nearest = |a: &(usize, &f64), b: &(usize, &f64)| a.1.abs().total_cmp(&b.1.abs());
    let least = values.iter().enumerate().min_by(nearest)?;
    let of_label = || {
        specs
            .iter()
            .zip(values)
            .enumerate()
            .filter(|(_, (s, _))| s.label == label)
    };
    of_label()
        .find(|(_, (s, v))| s.rank == Rank::Duration && v.abs() < 1e-9)
        .or_else(|| of_label().min_by(|a, b| a.1.1.abs().total_cmp(&b.1.1.abs())))
        .map(|(i, (_, v))| {
            if v.abs() > ZERO && least.1.abs() <= ZERO {
                least.0
            } else {
                i
            }
        })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn branches_are_told_by_the_labels_where_they_leave() {
        assert_eq!(branch_of("stiff", "stiff").unwrap(), "");
        assert_eq!(branch_of("stiff-2", "stiff").unwrap(), "");
        assert_eq!(branch_of("stiff-SB30a-PD12b", "stiff").unwrap(), "SB-PD");
        assert_eq!(branch_of("stiffer-SB1a", "stiff"), None);
    }
}
