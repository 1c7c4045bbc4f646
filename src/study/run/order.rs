//! Carry out a validated study: find starts, trace curves, keep everything that was computed.

use crate::analysis::task::Surroundings;
use crate::checkpoint::Checkpoint;
use crate::checkpoint::log::{EntryLog, PartsLog};
use crate::compute;
use crate::compute::attractors::sweep::run_attractors;
use crate::compute::attractors::trace::trace_missing;
use crate::compute::locus::run_locus;
use crate::compute::simulation::run_simulation;
use crate::compute::starts::run_curve;
use crate::plan::entries::CurvePlan;
use crate::plan::study::Plan;
use crate::results::analysis::AnalysisResult;
use crate::results::curve::CurveResult;
use crate::results::observer::Observer;
use crate::results::portrait::PortraitResult;
use crate::results::run::{Missing, RunResult};
use crate::results::trajectory::TrajectoryResult;
use crate::run::units::{in_measured_units, tell_in_own};
use rayon::prelude::*;
use slipstick_numerics::stop::Stop;

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
pub(crate) fn parts<'c>(kept: Option<&'c Checkpoint>, name: &str, count: usize) -> PartsLog<'c> {
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
            let work = || compute::portrait::compute(system, p, stop, &parts(kept, &format!("portrait-{k}"), 1));
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
