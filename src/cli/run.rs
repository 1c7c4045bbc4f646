//! `slipstick run`: carry out a study.

use super::progress::Progress;
use super::{INCOMPLETE, RunArgs, WRONG, complain, say};
use slipstick_bifurcation::End;
use slipstick_report::explore::rounded;
use slipstick_report::{ReportError, RunSummary};
use slipstick_study::{self as study, RunResult};
use std::collections::{BTreeMap, BTreeSet};
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
    for w in &plan.warnings {
        complain(&study.warn(w));
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
    let stop = study::Stop::default();
    let asked = stop.clone();
    // Without a handler the run simply cannot be interrupted cleanly; it is no reason not to run.
    let _ = ctrlc::set_handler(move || {
        // The second time somebody is in a hurry; files appear whole or not at all, so nothing is lost but the rest.
        if asked.request() {
            std::process::exit(130);
        }
    });
    let progress = Progress::new(&plan, args.quiet);
    let result = match rayon::ThreadPoolBuilder::new()
        .num_threads(args.jobs.map_or(0, usize::from))
        .build()
    {
        Ok(pool) => pool.install(|| study::run_with_checkpoint(&plan, &progress, &stop, Some(&checkpoint))),
        Err(e) => {
            complain(&format!("error: cannot start {} threads: {e}", args.jobs.unwrap_or(0)));
            return ExitCode::from(INCOMPLETE);
        }
    };
    progress.writing();
    // A run replaces another only when it is whole, or what was known of itself when it was interrupted before.
    let goes_on = |before: &RunSummary| {
        checkpoint.resumed() && before.stopped && differences(before, &study, &args.set).is_empty()
    };
    let waits = result.stopped && before.as_ref().is_some_and(|before| !goes_on(before));
    let now = plan.inputs();
    let settings = study::Settings { set: &args.set, inputs };
    let seconds = clock.elapsed().as_secs_f64();
    let write = || study::write_run(&claim, &study, &plan, &settings, &result, seconds);
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
    if !args.quiet {
        let mut summary = closing_summary(&result);
        if matches!(&written, Some(Ok(_))) {
            summary.push(format!("results in {}", folder.display()));
        }
        say(&summary.join("\n"));
    }
    let complete = conclude(&result, written, &folder);
    report(claim.release());
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

/// The inputs that are not the same in both.
fn changed_inputs(before: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Vec<String> {
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let changed = names.into_iter().filter(|name| before.get(*name) != now.get(*name));
    changed.cloned().collect()
}

/// Names with the verb that they need.
fn verb(names: &[String], [one, many]: [&str; 2]) -> String {
    format!("{} {}", names.join(", "), if names.len() == 1 { one } else { many })
}

/// In what a finished run differs from one of this study with these values set from outside, in words.
fn differences(done: &RunSummary, study: &study::Loaded, set: &[(String, f64)]) -> Vec<String> {
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

fn default_folder(study: &Path) -> PathBuf {
    Path::new("output").join(study.file_stem().unwrap_or(study.as_os_str()))
}

/// What is missing goes to stderr. Is everything there?
fn conclude(result: &RunResult, written: Option<Result<study::Written, ReportError>>, folder: &Path) -> bool {
    let mut complete = true;
    for m in &result.missing {
        complete = false;
        complain(&format!("`{}` produced no points: {}", m.curve, m.reason));
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
