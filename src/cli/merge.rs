//! `slipstick merge`: put the shares of a run together.

use super::execution::{Job, execute};
use super::run::{refused, report};
use super::{INCOMPLETE, MergeArgs, WRONG, complain};
use slipstick_study::{self as study, MergeError};
use std::process::ExitCode;
use std::time::Instant;

pub(super) fn merge(args: &MergeArgs) -> ExitCode {
    let clock = Instant::now();
    let shares = match study::Shares::of(&args.run) {
        Ok(shares) => shares,
        Err(e) => return failed(&e),
    };
    let lacking = shares.lacking();
    if !lacking.is_empty() {
        complain(&lacking.join("\n"));
        return ExitCode::from(INCOMPLETE);
    }
    let planned = shares.study().and_then(|(study, set)| {
        let plan = study.plan(&set)?;
        Ok((study, set, plan))
    });
    let (study, set, plan) = match planned {
        Ok(planned) => planned,
        Err(e) => {
            complain(&e.to_string());
            return ExitCode::from(WRONG);
        }
    };
    let claim = match study::Claim::take(&args.run) {
        Ok(claim) => claim,
        Err(e) => return refused(&e),
    };
    report(claim.reported());
    let inputs = plan.inputs();
    let begin = |resume| study::Checkpoint::begin(&claim, &study.text, &set, &inputs, resume);
    // Logs are put together before the checkpoint is read.
    let checkpoint = match begin(false).map(drop).and_then(|()| {
        shares
            .gather(&claim)
            .map_or_else(|e| Ok(Err(e)), |()| begin(true).map(Ok))
    }) {
        Ok(Ok(checkpoint)) => checkpoint,
        Ok(Err(e)) => return failed(&e),
        Err(e) => {
            complain(&format!("error: {e}"));
            return ExitCode::from(INCOMPLETE);
        }
    };
    let job = Job {
        study: &study,
        plan: &plan,
        set: &set,
        inputs,
        claim: &claim,
        share: &study::Assembly,
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
    code
}

fn failed(e: &MergeError) -> ExitCode {
    complain(&format!("error: {e}"));
    ExitCode::from(match e {
        MergeError::None(_) | MergeError::Divisions { .. } | MergeError::Different { .. } | MergeError::Study(_) => {
            WRONG
        }
        MergeError::Outdated | MergeError::Unavailable { .. } | MergeError::Damaged { .. } | MergeError::Io { .. } => {
            INCOMPLETE
        }
    })
}
