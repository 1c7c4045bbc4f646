//! Carry out a validated study: find starts, trace curves, keep everything that was computed.

use super::analysis::{AnalysisResult, Surroundings};
use super::attractors::{AttractorsResult, run_attractors, trace_missing};
use super::checkpoint::{Checkpoint, EntryLog, PartsLog};
use super::loci_run::run_locus;
use super::plan::{CurvePlan, Plan, SimulationPlan};
use super::portrait::{self, PortraitResult};
use super::starts::run_curve;
use crate::bifurcation::{Branch, BranchPoint, End, InequalitySpec, Label};
use crate::flow::{Ending, FlowError, Iterates, Sample, Trajectory, simulate};
use crate::orbit::{OrbitSample, Searched};
use crate::system::System;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// Who wants to know how a run is going, and may stop it.
///
/// ```
/// use slipstick::bifurcation::BranchPoint;
/// use slipstick::study::{self, Observer};
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// struct Count(AtomicUsize);
/// impl Observer for Count {
///     fn point(&self, _: &str, _: &BranchPoint) {
///         self.0.fetch_add(1, Ordering::Relaxed);
///     }
/// }
/// let text = r#"Study(
///     title: "Steady states of x' = r - x²",
///     system: Smooth(states: ["x"], parameters: {"r": 1}, equations: ["x' = r - x^2"]),
///     curves: [Curve(name: "fold", orbit: Equilibrium, start: Guess(at: {"r": 1}, states: [{"x": 1}]), free: "r", range: (-1, 2))],
/// )"#;
/// let plan = study::parse("fold.ron".as_ref(), text.into())?.plan(&[])?;
/// let count = Count(AtomicUsize::new(0));
/// let result = study::run(&plan, &count, &false.into());
/// assert!(count.0.into_inner() >= result.curves[0].len() - 1);
/// # Ok::<(), slipstick::study::Rejected>(())
/// ```
pub trait Observer: Sync {
    /// A curve begins.
    fn curve_begins(&self, name: &str) {
        let _ = name;
    }
    /// A start of the curve is looked for at this value of its free parameter.
    fn searching(&self, name: &str, value: f64, so_far: Searched) {
        let _ = (name, value, so_far);
    }
    /// A point was computed.
    fn point(&self, name: &str, point: &BranchPoint) {
        let _ = (name, point);
    }
    /// A curve has ended.
    fn curve_ends(&self, result: &CurveResult) {
        let _ = result;
    }
}

/// An observer who does not look.
///
/// ```
/// use slipstick::study::{self, Silent};
/// let text = r#"Study(
///     title: "One curve",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     curves: [Curve(name: "stiff", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2}), free: "Omega", range: (1.9, 2.1))],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let result = study::run(&plan, &Silent, &false.into());
/// assert_eq!(result.curves[0].covered(), (1.9, 2.1));
/// # Ok::<(), slipstick::study::Rejected>(())
/// ```
pub struct Silent;
impl Observer for Silent {}

/// One traced curve.
///
/// ```
/// use slipstick::study::{self, Silent};
/// let text = r#"Study(
///     title: "Steady states of x' = r - x²",
///     system: Smooth(states: ["x"], parameters: {"r": 1}, equations: ["x' = r - x^2"]),
///     curves: [Curve(name: "fold", orbit: Equilibrium, start: Guess(at: {"r": 1}, states: [{"x": 1}]), free: "r", range: (-1, 2))],
/// )"#;
/// let plan = study::parse("fold.ron".as_ref(), text.into())?.plan(&[])?;
/// let fold = &study::run(&plan, &Silent, &false.into()).curves[0];
/// assert_eq!((fold.free.as_str(), fold.special().as_str()), ("r", "2 EP, LP"));
/// assert!(fold.covered().0.abs() < 1e-9);
/// # Ok::<(), slipstick::study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CurveResult {
    /// Its name in tables.
    pub name: String,
    /// Index of its system in the plan; none for the curve of an analysis, which samples its own orbits.
    pub system: Option<usize>,
    /// Names of all parameters.
    pub parameters: Vec<String>,
    /// The name of the free parameter; of a two-parameter curve both: `Omega, mu_s`.
    pub free: String,
    /// Names of the monitors.
    pub monitors: Vec<String>,
    /// The pieces in order along the curve; a curve has more than one where its word was switched.
    pub pieces: Vec<Piece>,
    /// What is to be said of its start, where it is not the one asked for.
    pub note: String,
    /// Computing time.
    pub seconds: f64,
}

impl CurveResult {
    /// All points with their indices along the curve, and the piece each belongs to.
    pub fn points(&self) -> impl Iterator<Item = (usize, &Piece, &BranchPoint)> {
        self.pieces
            .iter()
            .flat_map(|p| p.branch.points.iter().map(move |q| (p, q)))
            .enumerate()
            .map(|(i, (p, q))| (i, p, q))
    }
    /// The number of points.
    pub fn len(&self) -> usize {
        self.pieces.iter().map(|p| p.branch.points.len()).sum()
    }
    /// Has it no points?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The range of the (first) free parameter that the curve covers.
    pub fn covered(&self) -> (f64, f64) {
        self.points()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), (_, _, p)| {
                let v = p.point.parameter();
                (lo.min(v), hi.max(v))
            })
    }
    /// The range of each free parameter in words: `Omega from 0.5 to 2, mu_s from 1 to 1.5`; numbers as `written`.
    pub fn ranges(&self, written: impl Fn(f64) -> String) -> String {
        let range = |name: &str| {
            let (from, to) = match self.parameters.iter().position(|p| p == name) {
                Some(i) if self.free.contains(", ") => self
                    .points()
                    .map(|(_, _, p)| p.record.parameters[i])
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v))),
                _ => self.covered(),
            };
            format!("{name} from {} to {}", written(from), written(to))
        };
        let all: Vec<String> = self.free.split(", ").map(range).collect();
        all.join(", ")
    }
    /// The special points in words: `LP, SB, 5 UZ`.
    pub fn special(&self) -> String {
        let mut counts: Vec<(Label, usize)> = vec![];
        for label in self.points().filter_map(|(_, _, p)| p.label) {
            match counts.iter_mut().find(|c| c.0 == label) {
                Some(c) => c.1 += 1,
                None => counts.push((label, 1)),
            }
        }
        let words: Vec<String> = counts
            .iter()
            .map(|(l, n)| {
                if *n == 1 {
                    l.code().to_string()
                } else {
                    format!("{n} {l}")
                }
            })
            .collect();
        if words.is_empty() {
            "none".into()
        } else {
            words.join(", ")
        }
    }
    /// The words of its orbits in order.
    pub fn words(&self) -> String {
        let words: Vec<&str> = self.pieces.iter().map(|p| p.word.as_str()).collect();
        words.join(" → ")
    }
    /// Why it ended, at its first point (for curves traced both ways) and at its last.
    pub fn ends(&self) -> Vec<&End> {
        let (Some(first), Some(last)) = (self.pieces.first(), self.pieces.last()) else {
            return vec![];
        };
        let begin = (first.branch.ends.len() > 1)
            .then(|| first.branch.ends.first())
            .flatten();
        begin.into_iter().chain(last.branch.ends.last()).collect()
    }
    /// The same in words.
    pub fn ended(&self) -> String {
        let words: Vec<String> = self.ends().into_iter().map(End::describe).collect();
        words.join(" | ")
    }
}

/// The part of a curve on which the word of its orbits stays the same.
///
/// ```
/// use slipstick::study;
/// let text = r#"Study(
///     title: "One curve",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     curves: [Curve(name: "stiff", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2}), free: "Omega", range: (1.9, 2.1))],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let result = study::run(&plan, &study::Silent, &false.into());
/// // One word all along, so one piece.
/// let [piece] = &result.curves[0].pieces[..] else { panic!("the word is switched") };
/// assert!(piece.word.starts_with("slip- land stick") && !piece.branch.points.is_empty());
/// // The orbits at labelled points are kept.
/// assert_eq!(piece.orbits.len(), piece.branch.special().count());
/// # Ok::<(), slipstick::study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Piece {
    /// The word.
    pub word: String,
    /// The points.
    pub branch: Branch,
    /// What each inequality of their records is about.
    pub inequalities: Vec<InequalitySpec>,
    /// Sampled orbits at the labelled points, by their index in this piece.
    pub orbits: Vec<(usize, OrbitSample)>,
    /// Some of the orbits in between, sampled more coarsely, for reports.
    pub walk: Vec<(usize, OrbitSample)>,
}

impl Piece {
    /// The first point, or the last.
    pub(super) fn end(&self, at_start: bool) -> Option<&BranchPoint> {
        if at_start {
            self.branch.points.first()
        } else {
            self.branch.points.last()
        }
    }

    /// The same, to be added to.
    pub(super) fn end_mut(&mut self, at_start: bool) -> Option<&mut BranchPoint> {
        if at_start {
            self.branch.points.first_mut()
        } else {
            self.branch.points.last_mut()
        }
    }

    /// Put a point of forward non-uniqueness beside an end, with the end's orbit; what there is to choose from is added to one that is there already.
    pub(super) fn mark_choice(&mut self, at_start: bool, message: String) {
        let count = self.branch.points.len();
        let Some(end) = self.end(at_start).cloned() else { return };
        let beside = if at_start { 1 } else { count.wrapping_sub(2) };
        if let Some(known) = self
            .branch
            .points
            .get_mut(beside)
            .filter(|p| p.label == Some(Label::NU))
        {
            known.message.push_str(&format!("; {message}"));
            return;
        }
        let place = if at_start { 1 } else { count - 1 };
        let old = if at_start { 0 } else { count - 1 };
        let orbit = self
            .orbits
            .iter()
            .find(|(i, _)| *i == old)
            .map(|(_, sample)| sample.clone());
        for (i, _) in self.orbits.iter_mut().chain(&mut self.walk) {
            *i += usize::from(*i >= place);
        }
        self.branch.start += usize::from(self.branch.start >= place);
        let label = Some(Label::NU);
        self.branch.points.insert(place, BranchPoint { label, message, ..end });
        if let Some(orbit) = orbit {
            let at = self
                .orbits
                .iter()
                .position(|(i, _)| *i > place)
                .unwrap_or(self.orbits.len());
            self.orbits.insert(at, (place, orbit));
        }
    }
}

/// One simulated trajectory (or one of its futures, where the solution forks).
///
/// ```
/// use slipstick::study;
/// let text = r#"Study(
///     title: "A ride",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     simulations: [Simulation(name: "ride", time: 20, every: 0.5)],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let result = study::run(&plan, &study::Silent, &false.into());
/// let ride = &result.trajectories[0];
/// assert!(ride.name == "ride" && ride.rows.first().is_some_and(|row| row.t == 0.0));
/// assert!(ride.rows.windows(2).all(|rows| rows[1].t - rows[0].t <= 0.5 + 1e-12));
/// # Ok::<(), slipstick::study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TrajectoryResult {
    /// Its name in tables.
    pub name: String,
    /// Index of its system in the plan.
    pub system: usize,
    /// All parameters.
    pub parameters: Vec<f64>,
    /// Rows of its table.
    pub rows: Vec<Sample>,
    /// Where the future was not unique: time and what was legal, in words.
    pub nonunique: Vec<(f64, String)>,
    /// Modes and events in order.
    pub word: String,
    /// Why it ended, in words.
    pub ended: String,
}

/// A curve or trajectory of the study that gave nothing, and why.
///
/// ```
/// use slipstick::study;
/// let text = r#"Study(
///     title: "Nothing there",
///     system: Smooth(states: ["x"], parameters: {"a": -1}, equations: ["x' = a - x^2"]),
///     curves: [Curve(name: "rest", orbit: Equilibrium, start: All(at: {"a": -1}), free: "a", range: (-2, -0.5))],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let result = study::run(&plan, &study::Silent, &false.into());
/// // There is no equilibrium below the fold, and the run says so.
/// assert!(result.missing.len() == 1 && result.missing[0].curve == "rest" && !result.missing[0].reason.is_empty());
/// # Ok::<(), slipstick::study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The curve's name.
    pub curve: String,
    /// The reason, in words.
    pub reason: String,
}

/// All results of a run.
///
/// ```
/// use slipstick::study::{self, Silent};
/// let text = r#"Study(title: "Motion", system: Shaw(), simulations: [Simulation(name: "motion", time: 10)])"#;
/// let plan = study::parse("shaw.ron".as_ref(), text.into())?.plan(&[])?;
/// let result = study::run(&plan, &Silent, &false.into());
/// assert!(result.missing.is_empty() && !result.stopped);
/// assert_eq!(result.trajectories[0].ended, "reached the end time");
/// # Ok::<(), slipstick::study::Rejected>(())
/// ```
#[derive(Default)]
pub struct RunResult {
    /// The traced curves, in the order of the study.
    pub curves: Vec<CurveResult>,
    /// The simulated trajectories, in the order of the study.
    pub trajectories: Vec<TrajectoryResult>,
    /// What the sweeps for attractors found, in the order of the study.
    pub attractors: Vec<AttractorsResult>,
    /// The slow–fast portraits, in the order of the study.
    pub portraits: Vec<PortraitResult>,
    /// The analyses, in the order of the study.
    pub analyses: Vec<AnalysisResult>,
    /// What gave nothing.
    pub missing: Vec<Missing>,
    /// Was the run stopped before its end?
    pub stopped: bool,
}

/// Run all curves of a plan, in parallel over the threads of the current rayon pool. `stop` ends the run early, keeping what is there.
pub fn run(plan: &Plan, observer: &dyn Observer, stop: &AtomicBool) -> RunResult {
    run_kept(plan, observer, stop, None)
}

/// As [`run`], with a checkpoint: what it holds is not computed again, and what is computed goes into it.
pub fn run_kept(plan: &Plan, observer: &dyn Observer, stop: &AtomicBool, kept: Option<&Checkpoint>) -> RunResult {
    let mut outcomes: Vec<Option<Result<Vec<CurveResult>, Missing>>> = plan.curves.iter().map(|_| None).collect();
    // A curve that starts from another one waits for it.
    while outcomes.iter().any(Option::is_none) {
        let ready: Vec<usize> = (0..outcomes.len())
            .filter(|&i| outcomes[i].is_none() && plan.curves[i].after().is_none_or(|k| outcomes[k].is_some()))
            .collect();
        if ready.is_empty() {
            break;
        }
        let done: Vec<Result<Vec<CurveResult>, Missing>> = ready
            .par_iter()
            .map(|&i| {
                let earlier = plan.curves[i].after().and_then(|k| outcomes[k].as_ref()?.as_ref().ok());
                let earlier: Vec<&CurveResult> = earlier.into_iter().flatten().collect();
                let log = kept.map_or_else(EntryLog::none, |c| c.log(&format!("curve-{i}")));
                follow_one(plan, &plan.curves[i], &earlier, observer, stop, &log)
            })
            .collect();
        for (i, outcome) in ready.into_iter().zip(done) {
            outcomes[i] = Some(outcome);
        }
    }
    let mut result = RunResult::default();
    for outcome in outcomes.into_iter().flatten() {
        match outcome {
            Ok(curves) => result.curves.extend(curves),
            Err(missing) => result.missing.push(missing),
        }
    }
    let loci: Vec<Result<Vec<CurveResult>, Missing>> = plan
        .loci
        .par_iter()
        .enumerate()
        .map(|(k, locus)| {
            let missing = |reason| Missing {
                curve: locus.name.clone(),
                reason,
            };
            if stop.load(Ordering::Relaxed) {
                return Err(missing("the run was stopped before it began".into()));
            }
            observer.curve_begins(&locus.name);
            let log = kept.map_or_else(EntryLog::none, |c| c.log(&format!("locus-{k}")));
            run_locus(plan, locus, &result.curves, observer, stop, &log).map_err(missing)
        })
        .collect();
    for outcome in loci {
        match outcome {
            Ok(curves) => result.curves.extend(curves),
            Err(missing) => result.missing.push(missing),
        }
    }
    // A log for each kind of result that there will be.
    let parts = |name: &str, count: usize| {
        let kept = kept.filter(|_| count > 0);
        kept.map_or_else(PartsLog::none, |c| c.parts(name))
    };
    let log = parts("simulations", plan.simulations.len());
    let simulated: Vec<Result<Vec<TrajectoryResult>, String>> = plan
        .simulations
        .par_iter()
        .enumerate()
        .map(|(k, s)| {
            if stop.load(Ordering::Relaxed) {
                return Err("the run was stopped before it began".into());
            }
            log.remember(k, stop, || run_simulation(plan, s).map_err(|e| e.to_string()))
        })
        .collect();
    for (outcome, simulation) in simulated.into_iter().zip(&plan.simulations) {
        match outcome {
            Ok(trajectories) => result.trajectories.extend(trajectories),
            Err(reason) => result.missing.push(Missing {
                curve: simulation.name.clone(),
                reason,
            }),
        }
    }
    for (k, sweep) in plan.attractors.iter().enumerate() {
        let log = parts(&format!("attractors-{k}"), sweep.values.len());
        let mut found = run_attractors(plan, sweep, &result.curves, stop, &log);
        if sweep.trace {
            let log = kept.map_or_else(EntryLog::none, |c| c.log(&format!("attractors-{k}-traced")));
            trace_missing(plan, sweep, &mut found, &mut result.curves, observer, stop, &log);
        }
        result.attractors.push(found);
    }
    let drawn: Vec<Result<PortraitResult, String>> = plan
        .portraits
        .par_iter()
        .enumerate()
        .map(|(k, p)| {
            if stop.load(Ordering::Relaxed) {
                return Err("the run was stopped before it began".into());
            }
            portrait::compute(
                &plan.systems[p.system].system,
                p,
                stop,
                &parts(&format!("portrait-{k}"), 1),
            )
        })
        .collect();
    for (outcome, portrait) in drawn.into_iter().zip(&plan.portraits) {
        let name = &portrait.name;
        match outcome {
            Ok(found) => {
                result.missing.extend(found.missing.iter().map(|reason| Missing {
                    curve: name.clone(),
                    reason: reason.clone(),
                }));
                result.portraits.push(found);
            }
            Err(reason) => result.missing.push(Missing {
                curve: name.clone(),
                reason,
            }),
        }
    }
    let around = Surroundings {
        folder: &plan.folder,
        seed: plan.seed,
        observer,
        stop,
    };
    let log = parts("analyses", plan.analyses.len());
    let analysed: Vec<Result<AnalysisResult, String>> = plan
        .analyses
        .par_iter()
        .enumerate()
        .map(|(k, analysis)| {
            if stop.load(Ordering::Relaxed) {
                return Err("the run was stopped before it began".into());
            }
            log.remember(k, stop, || analysis.run(around))
        })
        .collect();
    for (outcome, analysis) in analysed.into_iter().zip(&plan.analyses) {
        match outcome {
            Ok(mut outcome) => {
                result.curves.append(&mut outcome.curves);
                result.analyses.push(outcome);
            }
            Err(reason) => result.missing.push(Missing {
                curve: analysis.name().to_owned(),
                reason,
            }),
        }
    }
    result.stopped = stop.load(Ordering::Relaxed);
    result
}

/// Find and trace the curves of one entry.
fn follow_one(
    plan: &Plan,
    curve: &CurvePlan,
    earlier: &[&CurveResult],
    observer: &dyn Observer,
    stop: &AtomicBool,
    log: &EntryLog<'_>,
) -> Result<Vec<CurveResult>, Missing> {
    let missing = |reason| Missing {
        curve: curve.name.clone(),
        reason,
    };
    if stop.load(Ordering::Relaxed) {
        return Err(missing("the run was stopped before it began".into()));
    }
    observer.curve_begins(&curve.name);
    let curves = run_curve(plan, curve, earlier, observer, stop, log).map_err(missing)?;
    if curves.is_empty() {
        return Err(missing("the run was stopped before a start was found".into()));
    }
    Ok(curves)
}

fn run_simulation(plan: &Plan, simulation: &SimulationPlan) -> Result<Vec<TrajectoryResult>, FlowError> {
    let system = &plan.systems[simulation.system].system;
    let p = &simulation.parameters;
    if system.is_map() {
        return iterated(system, simulation).map(|result| vec![result]);
    }
    let trajectory = simulate(system, simulation.mode, &simulation.from, p, &simulation.options)?;
    let mut results = vec![];
    collect_futures(plan, simulation, &trajectory, simulation.name.clone(), &mut results)?;
    Ok(results)
}

/// The iterates of a map, as many as its time; those that leave the finite numbers end it.
fn iterated(system: &System, simulation: &SimulationPlan) -> Result<TrajectoryResult, FlowError> {
    let (mode, p) = (simulation.mode, &simulation.parameters);
    let mut orbit = Iterates::new(system, mode, &simulation.from, p)?;
    let mut rows = vec![];
    let ended = loop {
        let t = orbit.count() as f64;
        if t % simulation.every == 0.0 {
            rows.push(Sample {
                t,
                mode,
                states: system.full_state(mode, orbit.point(), p),
            });
        }
        if t + 1.0 > simulation.options.t_end {
            break format!("reached {t} iterates");
        }
        match orbit.advance() {
            Ok(()) => {}
            Err(why @ FlowError::Escapes { .. }) => break why.to_string(),
            Err(why) => return Err(why),
        }
    };
    Ok(TrajectoryResult {
        name: simulation.name.clone(),
        system: simulation.system,
        parameters: p.clone(),
        rows,
        nonunique: vec![],
        word: system.modes[mode].name.clone(),
        ended,
    })
}

/// The trajectory as a result, followed by its futures where it forks.
fn collect_futures(
    plan: &Plan,
    simulation: &SimulationPlan,
    trajectory: &Trajectory,
    name: String,
    results: &mut Vec<TrajectoryResult>,
) -> Result<(), FlowError> {
    let system = &plan.systems[simulation.system].system;
    let p = &simulation.parameters;
    results.push(TrajectoryResult {
        name: name.clone(),
        system: simulation.system,
        parameters: p.clone(),
        rows: trajectory.table(system, p, simulation.every, simulation.options.flow)?,
        nonunique: trajectory.nonunique.iter().map(|n| (n.t, n.choice.clone())).collect(),
        word: trajectory.describe(system),
        ended: match &trajectory.ending {
            Ending::Time => "reached the end time".into(),
            Ending::Events => "reached the allowed number of events".into(),
            Ending::Rest { mode } => format!("comes to rest in mode `{}`", system.modes[*mode].name),
            Ending::Accumulation { message, .. } => message.clone(),
            Ending::Fork => "forks: both futures are legal and both are followed".into(),
        },
    });
    for (future, kind) in trajectory.futures.iter().zip(["stick", "slip"]) {
        collect_futures(plan, simulation, future, format!("{name}-{kind}"), results)?;
    }
    Ok(())
}
