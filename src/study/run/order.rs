//! Carry out a validated study: every task as soon as what it needs is there, in parallel; results in the order of the
//! study.

use crate::checkpoint::Checkpoint;
use crate::compute::error::ComputeError;
use crate::compute::task::{Around, Needs, Task};
use crate::plan::study::Plan;
use crate::results::curve::CurveResult;
use crate::results::observer::{Observer, Silent};
use crate::results::run::{Missing, RunResult};
use crate::run::levels::note_unreached;
use crate::run::units::{in_measured_units, in_own_units};
use crate::share::{Alone, Share};
use rayon::ScopeFifo;
use slipstick_numerics::stop::Stop;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Run all tasks of a plan, in parallel over the threads of the current rayon pool. `stop` ends the run early, keeping
/// what is there.
pub fn run(plan: &Plan, observer: &dyn Observer, stop: &Stop) -> RunResult {
    run_with_checkpoint(plan, observer, stop, None)
}

/// As [`run`], with a checkpoint: what it holds is not computed again, and what is computed goes into it.
pub fn run_with_checkpoint(plan: &Plan, observer: &dyn Observer, stop: &Stop, kept: Option<&Checkpoint>) -> RunResult {
    run_share(plan, observer, stop, kept, &Alone::default())
}

/// As [`run_with_checkpoint`], for a process that computes a share of the run: the parts and tasks that the share
/// takes, and what they need. The result is that of the run only where the share puts everything together.
pub fn run_share(
    plan: &Plan,
    observer: &dyn Observer,
    stop: &Stop,
    kept: Option<&Checkpoint>,
    share: &dyn Share,
) -> RunResult {
    let measured = in_measured_units(plan);
    let of_motions = measured.as_ref().unwrap_or(plan);
    let motions = motions(of_motions);
    let others = studies_of_systems(plan);
    let taken = Taken::of(&motions, &others, plan, share);
    let hands = Hands {
        observer,
        stop,
        checkpoint: kept,
        share,
    };
    // What needs no curve is computed beside those that do.
    let free: Vec<bool> = others.iter().map(|(_, task)| task.needs() == Needs::Nothing).collect();
    let chosen = |of_free: bool| -> Vec<bool> {
        let all = taken.others.iter().zip(&free);
        all.map(|(taken, free)| *taken && *free == of_free).collect()
    };
    let (moved, mut beside) = rayon::join(
        || run_tasks(of_motions, &motions, &taken.motions, None, &hands),
        || run_tasks(plan, &others, &chosen(true), Some(&[]), &hands),
    );
    let mut result = RunResult::default();
    moved.into_iter().flatten().for_each(|outcome| result.append(outcome));
    if let Some(measured) = &measured {
        in_own_units(&mut result, measured);
    }
    let after = run_tasks(plan, &others, &chosen(false), Some(&result.curves), &hands);
    for (beside, after) in beside.iter_mut().zip(after) {
        for outcome in [beside.take(), after].into_iter().flatten() {
            result.append(outcome);
        }
    }
    result.stopped = stop.is_requested();
    if share.assembles() && !result.stopped {
        note_unreached(plan, &mut result);
    }
    result
}

/// A task with the name of its log.
pub(crate) type Keyed<'p> = (String, &'p dyn Task);

/// The tasks of one kind.
fn keyed<'p, T: Task>(kind: &'static str, tasks: &'p [T]) -> impl Iterator<Item = Keyed<'p>> {
    let number = move |(k, task)| (format!("{kind}-{k}"), task as &dyn Task);
    tasks.iter().enumerate().map(number)
}

/// All tasks of a plan.
pub(crate) fn keyed_tasks(plan: &Plan) -> Vec<Keyed<'_>> {
    [motions(plan), studies_of_systems(plan)].concat()
}

/// The names of all that a plan computes, in the order of the study: curves first.
pub fn names_of_tasks(plan: &Plan) -> Vec<&str> {
    keyed_tasks(plan).into_iter().map(|(_, task)| task.name()).collect()
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

/// Which tasks a process computes.
struct Taken {
    motions: Vec<bool>,
    others: Vec<bool>,
}

impl Taken {
    /// Those that the share takes, those that are divided, and those that these need.
    fn of(motions: &[Keyed<'_>], others: &[Keyed<'_>], plan: &Plan, share: &dyn Share) -> Self {
        let whole = |(_, task): &&Keyed<'_>| task.parts().is_empty();
        let numbers: BTreeMap<&str, usize> = motions
            .iter()
            .chain(others)
            .filter(whole)
            .enumerate()
            .map(|(number, (key, _))| (key.as_str(), number))
            .collect();
        // A process that puts nothing together needs only what the parts do.
        let wants = |task: &dyn Task| {
            if share.assembles() || task.parts().is_empty() {
                task.needs()
            } else {
                task.parts_need()
            }
        };
        let takes = |(key, _): &Keyed<'_>| numbers.get(key.as_str()).is_none_or(|number| share.takes(key, *number));
        let mut taken = Self {
            motions: motions.iter().map(takes).collect(),
            others: others.iter().map(takes).collect(),
        };
        // What stands later needs only what stands before it.
        for ((_, task), _) in others.iter().zip(&taken.others).filter(|(_, taken)| **taken) {
            taken.motions[needed(wants(*task), plan, 0)].fill(true);
        }
        for i in (0..motions.len()).rev() {
            if taken.motions[i] {
                taken.motions[needed(wants(motions[i].1), plan, i)].fill(true);
            }
        }
        taken
    }
}

/// The tasks, among those that begin with the curves, that are needed; by number `at` of them, or by what follows them.
fn needed(needs: Needs, plan: &Plan, at: usize) -> Range<usize> {
    match needs {
        Needs::AllBefore => 0..at,
        Needs::Nothing => 0..0,
        Needs::Curve(k) => k..k + 1,
        Needs::Curves => 0..plan.curves.len(),
        Needs::CurvesAndLoci => 0..plan.curves.len() + plan.loci.len(),
    }
}

/// What tasks are carried out with.
struct Hands<'a> {
    observer: &'a dyn Observer,
    stop: &'a Stop,
    checkpoint: Option<&'a Checkpoint<'a>>,
    share: &'a dyn Share,
}

/// Run those of the tasks that are taken, each as soon as those that it needs are done, and their outcomes. The curves
/// of the study are the first of the tasks, or were computed `before`.
fn run_tasks(
    plan: &Plan,
    tasks: &[Keyed<'_>],
    taken: &[bool],
    before: Option<&[CurveResult]>,
    hands: &Hands<'_>,
) -> Vec<Option<RunResult>> {
    let needed = |i: usize| match before {
        Some(_) => 0..0,
        None => needed(tasks[i].1.needs(), plan, i),
    };
    let run_one = |i: usize, outcomes: &[OnceLock<RunResult>]| {
        let (key, task) = &tasks[i];
        let own = outcomes[needed(i)].iter().filter_map(OnceLock::get);
        let earlier = before.into_iter().flatten();
        let around = Around {
            plan,
            curves: earlier.chain(own.flat_map(|result| &result.curves)).collect(),
            observer: hands.observer,
            stop: hands.stop,
            checkpoint: hands.checkpoint,
            share: hands.share,
            run_alone: |plan, stop, share| run_share(plan, &Silent, stop, None, share),
            key,
        };
        let outcome = if hands.stop.is_requested() {
            Err(ComputeError::StoppedBefore)
        } else {
            task.run(&around)
        };
        outcome.unwrap_or_else(|reason| RunResult {
            missing: vec![Missing::of(task.name(), reason.to_string())],
            ..RunResult::default()
        })
    };
    let queue = Queue {
        outcomes: taken.iter().map(|_| OnceLock::new()).collect(),
        open: Mutex::new((0..tasks.len()).filter(|&i| taken[i]).collect()),
        is_ready: &|i, outcomes| needed(i).all(|k| !taken[k] || outcomes[k].get().is_some()),
        run_one: &run_one,
    };
    rayon::scope_fifo(|scope| queue.begin_ready(scope));
    queue.outcomes.into_iter().map(OnceLock::into_inner).collect()
}

/// Tasks that wait for each other.
struct Queue<'q> {
    outcomes: Vec<OnceLock<RunResult>>,
    /// Those that have not begun.
    open: Mutex<Vec<usize>>,
    is_ready: &'q (dyn Fn(usize, &[OnceLock<RunResult>]) -> bool + Sync),
    run_one: &'q (dyn Fn(usize, &[OnceLock<RunResult>]) -> RunResult + Sync),
}

impl Queue<'_> {
    /// Begin, in the order of the study, what waits for nothing any more; what it leaves ready follows it.
    fn begin_ready<'s>(&'s self, scope: &ScopeFifo<'s>) {
        let ready: Vec<usize> = {
            // Whoever comes second here sees what both have done.
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            let (ready, others) = open.iter().partition(|&&i| (self.is_ready)(i, &self.outcomes));
            *open = others;
            ready
        };
        for i in ready {
            scope.spawn_fifo(move |scope| {
                let outcome = (self.run_one)(i, &self.outcomes);
                if self.outcomes[i].set(outcome).is_ok() {
                    self.begin_ready(scope);
                }
            });
        }
    }
}
