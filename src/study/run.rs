//! Carry out a validated study: find starts, trace curves, keep everything that was computed.

use super::analysis::{AnalysisResult, Surroundings};
use super::attractors::{run_attractors, trace_missing};
use super::checkpoint::{Checkpoint, EntryLog, PartsLog};
use super::loci_run::run_locus;
use super::plan::{CurvePlan, Plan, SimulationPlan};
use super::portrait::{self, PortraitResult};
use super::results::{CurveResult, Missing, RunResult, TrajectoryResult};
use super::starts::run_curve;
use super::units::{in_measured_units, tell_in_own};
use rayon::prelude::*;
use slipstick_bifurcation::BranchPoint;
use slipstick_flow::{Ending, FlowError, Iterates, Sample, Trajectory, simulate};
use slipstick_numerics::stop::Stop;
use slipstick_orbit::Searched;
use slipstick_system::System;

/// Who wants to know how a run is going, and may stop it.
///
/// ```
/// use slipstick_bifurcation::BranchPoint;
/// use slipstick_study::{self as study, Observer};
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
/// # Ok::<(), slipstick_study::Rejected>(())
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
    /// Work on something else begins: a simulation, a sweep, a portrait, an analysis.
    fn work_begins(&self, name: &str) {
        let _ = name;
    }
    /// So many of its parts are done.
    fn work_done(&self, name: &str, parts: usize, of: usize) {
        let _ = (name, parts, of);
    }
    /// That work has ended.
    fn work_ends(&self, name: &str) {
        let _ = name;
    }
}

/// An observer who does not look.
///
/// ```
/// use slipstick_study::{self as study, Silent};
/// let text = r#"Study(
///     title: "One curve",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     curves: [Curve(name: "stiff", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2}), free: "Omega", range: (1.9, 2.1))],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let result = study::run(&plan, &Silent, &false.into());
/// assert_eq!(result.curves[0].covered(), (1.9, 2.1));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
pub struct Silent;
impl Observer for Silent {}

/// Run all curves of a plan, in parallel over the threads of the current rayon pool. `stop` ends the run early, keeping what is there.
pub fn run(plan: &Plan, observer: &dyn Observer, stop: &Stop) -> RunResult {
    run_kept(plan, observer, stop, None)
}

/// As [`run`], with a checkpoint: what it holds is not computed again, and what is computed goes into it.
pub fn run_kept(plan: &Plan, observer: &dyn Observer, stop: &Stop, kept: Option<&Checkpoint>) -> RunResult {
    let told = in_measured_units(plan);
    let mut result = follow_motions(told.as_ref().unwrap_or(plan), observer, stop, kept);
    if let Some(told) = &told {
        tell_in_own(&mut result, told);
    }
    analyse(plan, &mut result, observer, stop, kept);
    result.stopped = stop.is_requested();
    result
}

/// The curves, the simulations and the sweeps.
fn follow_motions(plan: &Plan, observer: &dyn Observer, stop: &Stop, kept: Option<&Checkpoint>) -> RunResult {
    let mut outcomes: Vec<Option<Result<Traced, Missing>>> = plan.curves.iter().map(|_| None).collect();
    // A curve that starts from another one waits for it.
    while outcomes.iter().any(Option::is_none) {
        let ready: Vec<usize> = (0..outcomes.len())
            .filter(|&i| outcomes[i].is_none() && plan.curves[i].after().is_none_or(|k| outcomes[k].is_some()))
            .collect();
        if ready.is_empty() {
            break;
        }
        let done: Vec<Result<Traced, Missing>> = ready
            .par_iter()
            .map(|&i| {
                let earlier = plan.curves[i].after().and_then(|k| outcomes[k].as_ref()?.as_ref().ok());
                let earlier: Vec<&CurveResult> = earlier.into_iter().flat_map(|traced| &traced.curves).collect();
                let log = kept.map_or_else(EntryLog::none, |c| c.log(&format!("curve-{i}")));
                stop.until(|| follow_one(plan, &plan.curves[i], &earlier, observer, stop, &log))
                    .unwrap_or_else(|| Err(cut_short(&plan.curves[i].name)))
            })
            .collect();
        for (i, outcome) in ready.into_iter().zip(done) {
            outcomes[i] = Some(outcome);
        }
    }
    let mut result = RunResult::default();
    for outcome in outcomes.into_iter().flatten() {
        match outcome {
            Ok(traced) => {
                result.curves.extend(traced.curves);
                result.missing.extend(traced.untraced);
            }
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
            if stop.is_requested() {
                return Err(missing("the run was stopped before it began".into()));
            }
            observer.curve_begins(&locus.name);
            let log = kept.map_or_else(EntryLog::none, |c| c.log(&format!("locus-{k}")));
            stop.until(|| run_locus(plan, locus, &result.curves, observer, stop, &log).map_err(missing))
                .unwrap_or_else(|| Err(cut_short(&locus.name)))
        })
        .collect();
    for outcome in loci {
        match outcome {
            Ok(curves) => result.curves.extend(curves),
            Err(missing) => result.missing.push(missing),
        }
    }
    let log = parts(kept, "simulations", plan.simulations.len());
    let simulated: Vec<Result<Vec<TrajectoryResult>, String>> = plan
        .simulations
        .par_iter()
        .enumerate()
        .map(|(k, s)| {
            if stop.is_requested() {
                return Err("the run was stopped before it began".into());
            }
            let work = || log.remember(k, stop, || run_simulation(plan, s).map_err(|e| e.to_string()));
            watched(observer, &s.name, || stop.until(work)).unwrap_or_else(|| Err(CUT_SHORT.into()))
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
        let log = parts(kept, &format!("attractors-{k}"), sweep.values.len());
        let work = || run_attractors(plan, sweep, &result.curves, observer, stop, &log);
        let Some(mut found) = watched(observer, &sweep.name, || stop.until(work)) else {
            result.missing.push(cut_short(&sweep.name));
            continue;
        };
        if sweep.trace {
            let log = kept.map_or_else(EntryLog::none, |c| c.log(&format!("attractors-{k}-traced")));
            // What is stopped keeps the curves that there are.
            let _ = stop.until(|| trace_missing(plan, sweep, &mut found, &mut result.curves, observer, stop, &log));
        }
        result.attractors.push(found);
    }
    result
}

/// A log for each kind of result that there will be.
fn parts<'c>(kept: Option<&'c Checkpoint>, name: &str, count: usize) -> PartsLog<'c> {
    let kept = kept.filter(|_| count > 0);
    kept.map_or_else(PartsLog::none, |c| c.parts(name))
}

/// The portraits and the analyses.
fn analyse(plan: &Plan, result: &mut RunResult, observer: &dyn Observer, stop: &Stop, kept: Option<&Checkpoint>) {
    let drawn: Vec<Result<PortraitResult, String>> = plan
        .portraits
        .par_iter()
        .enumerate()
        .map(|(k, p)| {
            if stop.is_requested() {
                return Err("the run was stopped before it began".into());
            }
            let system = &plan.systems[p.system].system;
            let work = || portrait::compute(system, p, stop, &parts(kept, &format!("portrait-{k}"), 1));
            watched(observer, &p.name, || stop.until(work)).unwrap_or_else(|| Err(CUT_SHORT.into()))
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
    let log = parts(kept, "analyses", plan.analyses.len());
    let analysed: Vec<Result<AnalysisResult, String>> = plan
        .analyses
        .par_iter()
        .enumerate()
        .map(|(k, analysis)| {
            if stop.is_requested() {
                return Err("the run was stopped before it began".into());
            }
            let work = || log.remember(k, stop, || analysis.run(around));
            watched(observer, analysis.name(), || stop.until(work)).unwrap_or_else(|| Err(CUT_SHORT.into()))
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
}

/// The curves of one entry, and which of their branches gave nothing.
struct Traced {
    curves: Vec<CurveResult>,
    untraced: Vec<Missing>,
}

/// Do work that is no curve, with the observer told when it begins and ends.
fn watched<R>(observer: &dyn Observer, name: &str, work: impl FnOnce() -> R) -> R {
    observer.work_begins(name);
    let done = work();
    observer.work_ends(name);
    done
}

/// Why there is nothing of what was ended from outside.
const CUT_SHORT: &str = "the run was stopped before it was done";

fn cut_short(name: &str) -> Missing {
    Missing {
        curve: name.to_owned(),
        reason: CUT_SHORT.into(),
    }
}

/// Find and trace the curves of one entry.
fn follow_one(
    plan: &Plan,
    curve: &CurvePlan,
    earlier: &[&CurveResult],
    observer: &dyn Observer,
    stop: &Stop,
    log: &EntryLog<'_>,
) -> Result<Traced, Missing> {
    let missing = |reason| Missing {
        curve: curve.name.clone(),
        reason,
    };
    if stop.is_requested() {
        return Err(missing("the run was stopped before it began".into()));
    }
    observer.curve_begins(&curve.name);
    let (curves, untraced) = run_curve(plan, curve, earlier, observer, stop, log).map_err(missing)?;
    if curves.is_empty() {
        return Err(missing("the run was stopped before a start was found".into()));
    }
    let untraced = untraced.into_iter().map(missing).collect();
    Ok(Traced { curves, untraced })
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
