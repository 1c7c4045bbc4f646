//! `slipstick merge`: put the shards of a run together.

use super::execution::{Job, execute};
use super::folder::{begin, hold, report};
use super::{INCOMPLETE, MergeArgs, WRONG, complain};
use slipstick_study::{Assembly, MergeError, Shares};
use std::process::ExitCode;
use std::time::Instant;

pub(super) fn merge(args: &MergeArgs) -> Result<ExitCode, ExitCode> {
    let clock = Instant::now();
    let shares = Shares::of(&args.run).map_err(|e| failed(&e))?;
    let lacking = shares.lacking();
    if !lacking.is_empty() {
        complain(&lacking.join("\n"));
        return Err(ExitCode::from(INCOMPLETE));
    }
    let (study, set) = shares.study().map_err(|e| failed(&e.into()))?;
    let plan = study.plan(&set).map_err(|e| failed(&e.into()))?;
    let claim = hold(&args.run)?;
    let inputs = plan.inputs();
    // The logs are put together before the checkpoint is read.
    drop(begin(&claim, &study, &set, &inputs, false)?);
    shares.gather(&claim).map_err(|e| failed(&e))?;
    let checkpoint = begin(&claim, &study, &set, &inputs, true)?;
    let job = Job {
        study: &study,
        plan: &plan,
        set: &set,
        inputs,
        claim: &claim,
        share: &Assembly,
        #[cfg(feature = "mpi")]
        ranks: None,
        jobs: args.jobs,
        quiet: args.quiet,
        clock,
    };
    let code = execute(job, checkpoint);
    report(claim.release());
    if code == ExitCode::SUCCESS
        && let Err(e) = shares.remove()
    {
        complain(&format!("the shards are merged, but could not be removed: {e}"));
    }
    Ok(code)
}

fn failed(e: &MergeError) -> ExitCode {
    match e {
        // What is wrong with a study names its place itself.
        MergeError::Study(rejected) => complain(&rejected.to_string()),
        _ => complain(&format!("error: {e}")),
    }
    ExitCode::from(match e {
        MergeError::None(_) | MergeError::Divisions { .. } | MergeError::Different { .. } | MergeError::Study(_) => {
            WRONG
        }
        MergeError::Outdated | MergeError::Unavailable { .. } | MergeError::Damaged { .. } | MergeError::Io { .. } => {
            INCOMPLETE
        }
    })
}
