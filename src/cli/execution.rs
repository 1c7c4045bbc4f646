//! Carry out a run in a folder that is held, and report what came of it.

use super::folder::{report, verb};
use super::pool::{stop_on_request, threads};
use super::progress::Progress;
use super::{INCOMPLETE, complain, say};
use slipstick_bifurcation::End;
use slipstick_report::explore::rounded;
use slipstick_report::{ReportError, RunSummary};
use slipstick_study::{self as study, RunResult};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// What is to be run.
pub(super) struct Job<'a> {
    pub(super) study: &'a study::Loaded,
    pub(super) plan: &'a study::Plan,
    pub(super) set: &'a [(String, f64)],
    /// The hashes of its inputs when it began.
    pub(super) inputs: BTreeMap<String, String>,
    /// The folder that is held for it.
    pub(super) claim: &'a study::Claim,
    /// Who computes what.
    pub(super) share: &'a dyn study::Share,
    /// The ranks that compute it together.
    #[cfg(feature = "mpi")]
    pub(super) ranks: Option<&'a super::ranks::Ranks>,
    pub(super) jobs: Option<u16>,
    pub(super) quiet: bool,
    pub(super) clock: Instant,
}

/// Compute what the checkpoint does not hold, write the results, and say what is there and what is missing.
pub(super) fn execute(job: Job<'_>, checkpoint: study::Checkpoint<'_>) -> ExitCode {
    let Job {
        study,
        plan,
        set,
        claim,
        ..
    } = job;
    #[cfg(feature = "parquet")]
    let checkpoint = checkpoint.with_format(Box::new(super::parquet_tables::ParquetFormat {
        study: study.text.clone(),
    }));
    let folder = claim.folder();
    let before = claim.run();
    let stop = stop_on_request();
    let progress = Progress::new(plan, job.quiet);
    let result = match threads(job.jobs) {
        Ok(pool) => pool.install(|| {
            #[cfg(feature = "mpi")]
            if let Some(ranks) = job.ranks
                && let Err(e) = ranks.compute(plan, &checkpoint, folder, (&progress, &stop))
            {
                complain(&format!(
                    "what other ranks computed could not be kept: {e}; it is computed here"
                ));
            }
            study::run_share(plan, &progress, &stop, Some(&checkpoint), job.share)
        }),
        Err(code) => return code,
    };
    progress.writing();
    // A run replaces another only when it is whole, or what was known of itself when it was interrupted before.
    let goes_on =
        |before: &RunSummary| checkpoint.resumed() && before.stopped && differences(before, study, set).is_empty();
    let waits = result.stopped && before.as_ref().is_some_and(|before| !goes_on(before));
    let now = plan.inputs();
    let settings = study::Settings {
        set,
        inputs: job.inputs,
    };
    let seconds = job.clock.elapsed().as_secs_f64();
    let write = || study::write_run(claim, study, plan, &settings, &result, seconds);
    let written = if waits {
        None
    } else if result.stopped {
        Some(write())
    } else {
        // Who asks for the end now gets it; the checkpoint has everything that was computed.
        Some(stop.until(write).unwrap_or(Err(ReportError::Stopped)))
    };
    progress.finish();
    dispose_of_checkpoint(&checkpoint, &result, written.as_ref());
    drop(checkpoint);
    let changed = changed_inputs(&settings.inputs, &now);
    if !job.quiet {
        let mut summary = closing_summary(&result);
        if matches!(&written, Some(Ok(_))) {
            summary.push(format!("results in {}", folder.display()));
        }
        say(&summary.join("\n"));
    }
    let complete = conclude(&result, written, folder);
    if !changed.is_empty() {
        complain(&format!(
            "{} changed while the run read its inputs: run it again to compute with the new file",
            verb(&changed, ["has", "have"])
        ));
    }
    if complete && changed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(INCOMPLETE)
    }
}

/// The inputs that are not the same in both.
pub(super) fn changed_inputs(before: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Vec<String> {
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let changed = names.into_iter().filter(|name| before.get(*name) != now.get(*name));
    changed.cloned().collect()
}

/// In what a finished run differs from one of this study with these values set from outside, in words.
pub(super) fn differences(done: &RunSummary, study: &study::Loaded, set: &[(String, f64)]) -> Vec<String> {
    let mut found = vec![];
    if done.study != study.text {
        found.push("another study".to_owned());
    }
    if done.set != set {
        let values: Vec<String> = done
            .set
            .iter()
            .map(|(name, value)| format!("--set {name}={value}"))
            .collect();
        found.push(if values.is_empty() {
            "the study's own values, without --set".to_owned()
        } else {
            format!("other values: {}", values.join(" "))
        });
    }
    if done.slipstick != env!("CARGO_PKG_VERSION") {
        found.push(format!("version {} of slipstick", done.slipstick));
    }
    found
}

/// A checkpoint goes with the run's files into their places, and stays where there is something to resume.
fn dispose_of_checkpoint(
    checkpoint: &study::Checkpoint<'_>,
    result: &RunResult,
    written: Option<&Result<study::Written, ReportError>>,
) {
    let unfinished = result.stopped || !matches!(written, Some(Ok(_)));
    match checkpoint.trouble() {
        Some(trouble) if unfinished => complain(&format!(
            "warning: part of the checkpoint could not be written: {trouble}; the same command with --resume continues from the part that was written"
        )),
        Some(trouble) => complain(&format!(
            "warning: the checkpoint could not be written: {trouble}; an interruption would have lost the results, but the run is complete"
        )),
        None if unfinished => complain("the same command with --resume continues from here"),
        None => {}
    }
}

/// What is missing goes to stderr. Is everything there?
fn conclude(result: &RunResult, written: Option<Result<study::Written, ReportError>>, folder: &Path) -> bool {
    let mut complete = true;
    for m in &result.missing {
        complete = false;
        complain(&m.in_words());
    }
    if result.stopped {
        complete = false;
        complain(&match written {
            Some(_) => "stopped before the end; what was computed is in the tables".to_owned(),
            None => format!(
                "stopped before the end; the earlier run in {} stays until this one is complete",
                folder.display()
            ),
        });
        for c in result.curves.iter().filter(|c| c.ends().contains(&&End::Stopped)) {
            complain(&format!("`{}` is incomplete: it covers {}", c.name, c.ranges(short)));
        }
    }
    match written {
        Some(Ok(written)) => {
            complete &= written.missing.is_empty();
            report(written.missing);
            report(written.reported);
        }
        Some(Err(e)) => {
            complete = false;
            complain(&format!("error: the results could not be written: {e}"));
        }
        None => {}
    }
    complete
}

fn closing_summary(result: &RunResult) -> Vec<String> {
    let mut lines = vec![];
    for c in &result.curves {
        lines.push(format!(
            "{}: {} points, {}; special points: {}; {:.3} s",
            c.name,
            c.len(),
            c.ranges(short),
            c.special(),
            c.seconds,
        ));
        if !c.note.is_empty() {
            lines.push(format!("    {}", c.note));
        }
        let ends = c.ends();
        let names: &[&str] = if ends.len() > 1 { &["first", "last"] } else { &["last"] };
        for (end, which) in ends.iter().zip(names) {
            lines.push(format!("    {which} point: {}", end.describe()));
        }
    }
    for t in &result.trajectories {
        lines.push(format!("{}: trajectory, {}", t.name, t.ended));
        for (time, choice) in &t.nonunique {
            lines.push(format!("    NU at t = {}: {choice}", short(*time)));
        }
    }
    for a in &result.attractors {
        lines.push(format!("{}: {}", a.name, a.verdict()));
        lines.extend(a.missing.iter().map(|m| format!("    missing: {m}")));
    }
    for p in &result.portraits {
        lines.push(format!("{}: portrait, {}", p.name, p.describe()));
    }
    for a in &result.analyses {
        lines.extend(a.notes.iter().map(|note| format!("{}: {note}", a.name)));
    }
    lines
}

/// Seven significant digits for the eye; the tables have them all.
fn short(v: f64) -> String {
    rounded(v, 7)
}
