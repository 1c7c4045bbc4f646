//! Carry out a validated study: every task as soon as what it needs is there, in parallel; results in the order of the
//! study.

use crate::checkpoint::Checkpoint;
use crate::compute::error::ComputeError;
use crate::compute::task::{Around, Needs, Task};
use crate::plan::study::Plan;
use crate::results::curve::CurveResult;
use crate::results::observer::Observer;
use crate::results::run::{Missing, RunResult};
use crate::run::units::{in_measured_units, in_own_units};
use rayon::prelude::*;
use slipstick_numerics::stop::Stop;

/// Run all tasks of a plan, in parallel over the threads of the current rayon pool. `stop` ends the run early, keeping
/// what is there.
pub fn run(plan: &Plan, observer: &dyn Observer, stop: &Stop) -> RunResult {
    run_with_checkpoint(plan, observer, stop, None)
}

/// As [`run`], with a checkpoint: what it holds is not computed again, and what is computed goes into it.
pub fn run_with_checkpoint(plan: &Plan, observer: &dyn Observer, stop: &Stop, kept: Option<&Checkpoint>) -> RunResult {
    let measured = in_measured_units(plan);
    let of_motions = measured.as_ref().unwrap_or(plan);
    let mut result = run_tasks(of_motions, &motions(of_motions), None, observer, stop, kept);
    if let Some(measured) = &measured {
        in_own_units(&mut result, measured);
    }
    let others = run_tasks(
        plan,
        &studies_of_systems(plan),
        Some(&result.curves),
        observer,
        stop,
        kept,
    );
    result.append(others);
    result.stopped = stop.is_requested();
    result
}

/// A task with the name of its log.
type Keyed<'p> = (String, &'p dyn Task);

/// The tasks of one kind.
fn keyed<'p, T: Task>(kind: &'static str, tasks: &'p [T]) -> impl Iterator<Item = Keyed<'p>> {
    let number = move |(k, task)| (format!("{kind}-{k}"), task as &dyn Task);
    tasks.iter().enumerate().map(number)
}

/// The curves, which come first and in their order, the simulations and the sweeps: what is computed in measured units.
fn motions(plan: &Plan) -> Vec<Keyed<'_>> {
    keyed("curve", &plan.curves)
        .chain(keyed("locus", &plan.loci))
        .chain(keyed("simulation", &plan.simulations))
        .chain(keyed("attractors", &plan.attractors))
        .collect()
}

/// The portraits, the analyses and what else is asked for.
fn studies_of_systems(plan: &Plan) -> Vec<Keyed<'_>> {
    keyed("portrait", &plan.portraits)
        .chain(keyed("analysis", &plan.analyses))
        .chain(keyed("task", &plan.tasks))
        .collect()
}

/// Run tasks, each as soon as those that it needs are done. The curves of the study are the first of them, or were
/// computed `before`.
fn run_tasks(
    plan: &Plan,
    tasks: &[Keyed<'_>],
    before: Option<&[CurveResult]>,
    observer: &dyn Observer,
    stop: &Stop,
    checkpoint: Option<&Checkpoint>,
) -> RunResult {
    let mut outcomes: Vec<Option<RunResult>> = tasks.iter().map(|_| None).collect();
    let needed = |i: usize| match tasks[i].1.needs() {
        Needs::AllBefore => 0..i,
        _ if before.is_some() => 0..0,
        Needs::Nothing => 0..0,
        Needs::Curve(k) => k..k + 1,
        Needs::Curves => 0..plan.curves.len(),
    };
    loop {
        let is_ready = |i: &usize| outcomes[*i].is_none() && outcomes[needed(*i)].iter().all(Option::is_some);
        let ready: Vec<usize> = (0..tasks.len()).filter(is_ready).collect();
        if ready.is_empty() {
            break;
        }
        let run_one = |&i: &usize| {
            let (key, task) = &tasks[i];
            let own = outcomes[needed(i)].iter().flatten();
            let earlier = before.into_iter().flatten();
            let around = Around {
                plan,
                curves: earlier.chain(own.flat_map(|result| &result.curves)).collect(),
                observer,
                stop,
                checkpoint,
                key,
            };
            let outcome = if stop.is_requested() {
                Err(ComputeError::StoppedBefore)
            } else {
                task.run(&around)
            };
            outcome.unwrap_or_else(|reason| RunResult {
                missing: vec![Missing::of(task.name(), reason.to_string())],
                ..RunResult::default()
            })
        };
        let done: Vec<RunResult> = ready.par_iter().map(run_one).collect();
        for (i, outcome) in ready.into_iter().zip(done) {
            outcomes[i] = Some(outcome);
        }
    }
    let mut result = RunResult::default();
    for outcome in outcomes.into_iter().flatten() {
        result.append(outcome);
    }
    result
}
