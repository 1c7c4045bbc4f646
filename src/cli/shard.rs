//! `slipstick run --shard`: compute one share of a study, for `slipstick merge` to put together with the others.

use super::execution::{stop_on_request, threads};
use super::progress::Progress;
use super::run::{default_folder, refused, report};
use super::{INCOMPLETE, RunArgs, WRONG, complain, say};
use slipstick_study::{self as study, Manifest, Shard};
use std::process::ExitCode;

pub(super) fn run(args: &RunArgs, shard: Shard, study: &study::Loaded, plan: &study::Plan) -> ExitCode {
    let run = args.out.clone().unwrap_or_else(|| default_folder(&args.study));
    let folder = shard.folder(&run);
    let claim = match study::Claim::take(&folder) {
        Ok(claim) => claim,
        Err(e) => return refused(&e),
    };
    report(claim.reported());
    let inputs = plan.inputs();
    let checkpoint = match study::Checkpoint::begin(&claim, &study.text, &args.set, &inputs, args.resume) {
        Ok(checkpoint) => checkpoint,
        Err(e) => {
            complain(&format!("error: {e}"));
            return ExitCode::from(match e {
                study::CheckpointError::Other(_) => WRONG,
                study::CheckpointError::Io { .. } => INCOMPLETE,
            });
        }
    };
    let manifest = Manifest::new(shard, (&study.path, &study.text), &args.set, plan);
    let written = |manifest: &Manifest| {
        manifest.write(&folder).inspect_err(|e| {
            complain(&format!("error: {} cannot be written: {e}", folder.display()));
        })
    };
    if written(&manifest).is_err() {
        return ExitCode::from(INCOMPLETE);
    }
    let pool = match threads(args.jobs) {
        Ok(pool) => pool,
        Err(code) => return code,
    };
    let stop = stop_on_request();
    let progress = Progress::new(plan, args.quiet);
    let result = pool.install(|| study::run_share(plan, &progress, &stop, Some(&checkpoint), &shard.share()));
    progress.finish();
    let trouble = checkpoint.trouble();
    // What is in the logs must be on the disk before the share is called done.
    drop(checkpoint);
    if let Some(trouble) = &trouble {
        complain(&format!(
            "error: the shard could not be written: {trouble}; run it again with --resume"
        ));
    } else if result.stopped {
        complain("stopped before the end; the same command with --resume continues from here");
    } else if written(&manifest.done()).is_ok() {
        if !args.quiet {
            say(&format!(
                "shard {shard} is computed; when all are, `slipstick merge {}` puts them together",
                run.display()
            ));
        }
        return ExitCode::SUCCESS;
    }
    ExitCode::from(INCOMPLETE)
}
