//! `slipstick run --shard`: compute one shard of a study, for `slipstick merge` to put together with the others.

use super::folder::{begin, default_folder, hold, verb};
use super::pool::{stop_on_request, threads};
use super::progress::Progress;
use super::{INCOMPLETE, RunArgs, complain, say};
use slipstick_study::{self as study, Manifest, Shard};
use std::process::ExitCode;

pub(super) fn run(
    args: &RunArgs,
    shard: Shard,
    study: &study::Loaded,
    plan: &study::Plan,
) -> Result<ExitCode, ExitCode> {
    let run = args.out.clone().unwrap_or_else(|| default_folder(&args.study));
    let folder = shard.folder(&run);
    let claim = hold(&folder)?;
    let inputs = plan.inputs();
    let checkpoint = begin(&claim, study, &args.set, &inputs, args.resume)?;
    if !checkpoint.changed().is_empty() {
        complain(&format!(
            "{} changed since the shard was interrupted: it starts from the beginning",
            verb(checkpoint.changed(), ["has", "have"])
        ));
    }
    let manifest = Manifest::new(shard, (&study.path, &study.text), &args.set, plan);
    let write = |manifest: &Manifest| {
        manifest.write(&folder).map_err(|e| {
            complain(&format!("error: {} cannot be written: {e}", folder.display()));
            ExitCode::from(INCOMPLETE)
        })
    };
    write(&manifest)?;
    let pool = threads(args.jobs)?;
    let stop = stop_on_request();
    let progress = Progress::new(plan, args.quiet);
    let result = pool.install(|| study::run_share(plan, &progress, &stop, Some(&checkpoint), &shard.share()));
    progress.finish();
    let trouble = checkpoint.trouble();
    // What is in the logs must be on the disk before the shard is called done.
    drop(checkpoint);
    if let Some(trouble) = &trouble {
        complain(&format!(
            "error: the shard could not be written: {trouble}; run it again with --resume"
        ));
        return Err(ExitCode::from(INCOMPLETE));
    }
    if result.stopped {
        complain("stopped before the end; the same command with --resume continues from here");
        return Err(ExitCode::from(INCOMPLETE));
    }
    write(&manifest.done())?;
    if !args.quiet {
        say(&format!(
            "shard {shard} is computed; when all are, `slipstick merge {}` puts them together",
            run.display()
        ));
    }
    Ok(ExitCode::SUCCESS)
}
