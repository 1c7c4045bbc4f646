//! `slipstick run`: carry out a study.

use super::argument::Division;
use super::execution::{Job, changed_inputs, differences, execute};
use super::folder::{begin, default_folder, hold, report, verb};
use super::study_file::{planned, warn};
use super::{RunArgs, WRONG, complain, say, shard};
use slipstick_report::RunSummary;
use slipstick_study as study;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// The exit code; the error is that of a run that did not begin.
pub(super) fn run(args: &RunArgs) -> Result<ExitCode, ExitCode> {
    let clock = Instant::now();
    let (study, plan) = planned(&args.study, &args.set)?;
    #[cfg(feature = "mpi")]
    let ranks = args.shard.is_none().then(super::ranks::Ranks::here).flatten();
    #[cfg(feature = "mpi")]
    if let Some(ranks) = ranks.as_ref().filter(|ranks| !ranks.is_first()) {
        return Ok(ranks.work(&study.text, &args.set, &plan, args.jobs));
    }
    warn(&study, &plan);
    if let Some(division) = args.shard {
        let shard = match division {
            Division::Given(shard) => Ok(shard),
            Division::Auto => study::Shard::from_environment(|name| std::env::var(name).ok()),
        };
        let shard = shard.map_err(|e| {
            complain(&format!("error: {e}"));
            ExitCode::from(WRONG)
        })?;
        return shard::run(args, shard, &study, &plan);
    }
    let folder = args.out.clone().unwrap_or_else(|| default_folder(&args.study));
    let claim = hold(&folder)?;
    let inputs = plan.inputs();
    let before = claim.run();
    let interrupted = study::Checkpoint::is_in(&folder);
    let mut resume = args.resume;
    if let Some(before) = before.as_ref().filter(|_| !interrupted) {
        let others = differences(before, &study, &args.set);
        let place = folder.display();
        if args.resume && !others.is_empty() {
            complain(&format!(
                "error: the finished run in {place} was of {}; omit --resume to replace it, or choose another folder with --out",
                others.join(" and ")
            ));
            return Err(ExitCode::from(WRONG));
        }
        let changed = changed_inputs(&before.inputs, &inputs);
        let (gone, edited) = if args.resume {
            claim.damage(before)
        } else {
            (vec![], vec![])
        };
        if args.resume && changed.is_empty() && gone.is_empty() && !before.stopped && before.missing.is_empty() {
            if !args.quiet {
                say(&format!("the run in {place} is complete: nothing to resume"));
            }
            if !edited.is_empty() {
                complain(&format!(
                    "since it was computed, {} changed",
                    verb(&edited, ["has", "have"])
                ));
            }
            report(claim.release());
            return Ok(ExitCode::SUCCESS);
        }
        if args.resume && !changed.is_empty() {
            complain(&format!(
                "{} changed since the run in {place} was computed: everything is computed again",
                verb(&changed, ["has", "have"])
            ));
            resume = false;
        } else if args.resume && !gone.is_empty() {
            complain(&format!(
                "files of the run in {place} are missing ({}): everything is computed again",
                gone.join(", ")
            ));
            resume = false;
        }
        if !args.resume && !args.quiet {
            say_what_is_replaced(&folder, before, &others);
        }
    } else if interrupted && !args.resume && !args.quiet {
        say_what_is_given_up(&folder, before.as_ref());
    }
    let checkpoint = begin(&claim, &study, &args.set, &inputs, resume)?;
    if !checkpoint.changed().is_empty() {
        complain(&format!(
            "{1} changed since the run in {0} was interrupted: the run starts from the beginning",
            folder.display(),
            verb(checkpoint.changed(), ["has", "have"])
        ));
    } else if resume && !args.quiet && !checkpoint.resumed() {
        complain(&format!(
            "there is no interrupted run in {}: starting from the beginning",
            folder.display()
        ));
    }
    let job = Job {
        study: &study,
        plan: &plan,
        set: &args.set,
        inputs,
        claim: &claim,
        share: &study::Alone::default(),
        #[cfg(feature = "mpi")]
        ranks: ranks.as_ref(),
        #[cfg(feature = "mpi")]
        jobs: args.jobs.or(ranks.as_ref().map(|_| 1)),
        #[cfg(not(feature = "mpi"))]
        jobs: args.jobs,
        quiet: args.quiet,
        clock,
    };
    let code = execute(job, checkpoint);
    report(claim.release());
    Ok(code)
}

/// A run that goes to the folder of a finished one says at its start what is there and what becomes of it.
fn say_what_is_replaced(folder: &Path, before: &RunSummary, others: &[String]) {
    let mut there: Vec<String> = vec![];
    let mut count = |number: usize, one: &str, many: &str| match number {
        0 => {}
        1 => there.push(format!("1 {one}")),
        n => there.push(format!("{n} {many}")),
    };
    count(before.curves.len(), "curve", "curves");
    count(before.trajectories.len(), "trajectory", "trajectories");
    count(before.attractors.len(), "sweep", "sweeps");
    count(before.analyses.len(), "analysis", "analyses");
    count(
        before.drawings.len(),
        "figure that was added",
        "figures that were added",
    );
    let what = if before.stopped { "stopped" } else { "finished" };
    let of = if others.is_empty() {
        "of this study".to_owned()
    } else {
        format!("of {}", others.join(" and "))
    };
    let holds = if there.is_empty() {
        String::new()
    } else {
        format!(" ({})", there.join(", "))
    };
    complain(&format!(
        "{} holds a {what} run {of}{holds}: it stays until this run is complete, which then replaces it",
        folder.display()
    ));
}

/// An interrupted run that is not resumed is begun anew.
fn say_what_is_given_up(folder: &Path, before: Option<&RunSummary>) {
    let earlier = match before {
        Some(before) if !before.stopped => "; the finished run in it stays until this one is complete",
        _ => "",
    };
    complain(&format!(
        "{} holds an interrupted run: everything is computed again, and what it had computed is given up (--resume would go on with it){earlier}",
        folder.display()
    ));
}
