//! `slipstick run`: carry out a study.

use super::argument::Division;
use super::execution::{Job, changed_inputs, differences, execute, verb};
use super::{INCOMPLETE, RunArgs, WRONG, complain, say, shard};
use slipstick_study as study;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

pub(super) fn run(args: &RunArgs) -> ExitCode {
    let clock = Instant::now();
    let (study, plan) = match study::load(&args.study).and_then(|s| {
        let plan = s.plan(&args.set)?;
        Ok((s, plan))
    }) {
        Ok(both) => both,
        Err(e) => {
            complain(&e.to_string());
            return ExitCode::from(WRONG);
        }
    };
    #[cfg(feature = "mpi")]
    let ranks = args.shard.is_none().then(super::ranks::Ranks::here).flatten();
    #[cfg(feature = "mpi")]
    if let Some(ranks) = ranks.as_ref().filter(|ranks| !ranks.is_first()) {
        return ranks.work(&study.text, &args.set, &plan, args.jobs);
    }
    for w in &plan.warnings {
        complain(&study.warn(w));
    }
    if let Some(division) = args.shard {
        let shard = match division {
            Division::Given(shard) => Ok(shard),
            Division::Auto => study::Shard::from_environment(|name| std::env::var(name).ok()),
        };
        return match shard {
            Ok(shard) => shard::run(args, shard, &study, &plan),
            Err(e) => {
                complain(&format!("error: {e}"));
                ExitCode::from(WRONG)
            }
        };
    }
    let folder = args.out.clone().unwrap_or_else(|| default_folder(&args.study));
    let claim = match study::Claim::take(&folder) {
        Ok(c) => c,
        Err(e) => return refused(&e),
    };
    report(claim.reported());
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
            return ExitCode::from(WRONG);
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
            return ExitCode::SUCCESS;
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
        if !args.resume && !args.quiet && !others.is_empty() {
            complain(&format!(
                "this run replaces the finished run in {place}, which was of {}",
                others.join(" and ")
            ));
        }
    }
    let checkpoint = match study::Checkpoint::begin(&claim, &study.text, &args.set, &inputs, resume) {
        Ok(c) => c,
        Err(e @ study::CheckpointError::Other(_)) => {
            complain(&format!("error: {e}"));
            return ExitCode::from(WRONG);
        }
        Err(e) => {
            complain(&format!("error: {e}"));
            return ExitCode::from(INCOMPLETE);
        }
    };
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
    code
}
/// A folder that cannot be used: the call is wrong, or the file system or another run is in the way.
pub(super) fn refused(e: &study::ClaimError) -> ExitCode {
    complain(&format!("error: {e}"));
    match e {
        study::ClaimError::Unwritable { .. } | study::ClaimError::Taken { .. } => ExitCode::from(INCOMPLETE),
        study::ClaimError::Foreign { .. }
        | study::ClaimError::OtherFormat { .. }
        | study::ClaimError::NoFolder { .. } => ExitCode::from(WRONG),
    }
}

/// What was done with files that are not a run's is reported even when nothing else is.
pub(super) fn report<S: AsRef<str>>(lines: impl IntoIterator<Item = S>) {
    for line in lines {
        complain(line.as_ref());
    }
}

pub(super) fn default_folder(study: &Path) -> PathBuf {
    Path::new("output").join(study.file_stem().unwrap_or(study.as_os_str()))
}
