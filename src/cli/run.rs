//! `slipstick run`: carry out a study.

use super::progress::Progress;
use super::{INCOMPLETE, RunArgs, WRONG, complain, say};
use crate::bifurcation::End;
use crate::report::explore::rounded;
use crate::report::{ReportError, RunSummary};
use crate::study::{self, RunResult};
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
        Err(e) => {
            complain(&format!("error: {e}"));
            return ExitCode::from(INCOMPLETE);
        }
    };
    let before = RunSummary::read(&folder)
        .ok()
        .filter(|_| !study::Checkpoint::is_in(&folder));
    if let Some(before) = &before {
        let others = differences(before, &study, &args.set);
        let place = folder.display();
        if args.resume && !others.is_empty() {
            complain(&format!(
                "error: the finished run in {place} was of {}; run without --resume to replace it, or choose another folder with --out",
                others.join(" and ")
            ));
            return ExitCode::from(WRONG);
        }
        if args.resume && !before.stopped && before.missing.is_empty() {
            if !args.quiet {
                say(&format!("the run in {place} is complete: nothing to resume"));
            }
            return ExitCode::SUCCESS;
        }
        if !args.resume && !args.quiet && !others.is_empty() {
            complain(&format!(
                "the finished run in {place} was of {}: this one replaces it",
                others.join(" and ")
            ));
        }
    }
    let checkpoint = match study::Checkpoint::begin(&folder, &study.text, &args.set, args.resume) {
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
    if args.resume && !args.quiet && !checkpoint.resumed() {
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
        Ok(pool) => pool.install(|| study::run_kept(&plan, &progress, &stop, Some(&checkpoint))),
        Err(e) => {
            complain(&format!("error: cannot start {} threads: {e}", args.jobs.unwrap_or(0)));
            return ExitCode::from(INCOMPLETE);
        }
    };
    progress.writing();
    let seconds = clock.elapsed().as_secs_f64();
    let write = || study::write_run(&folder, &study, &plan, &args.set, &result, seconds);
    let written = if result.stopped {
        write()
    } else {
        // Who asks for the end now gets it; the checkpoint has everything that was computed.
        stop.until(write).unwrap_or(Err(ReportError::Stopped))
    };
    progress.finish();
    settle(checkpoint, &result, &written);
    drop(claim);
    if !args.quiet {
        let mut summary = closing_summary(&result);
        if written.is_ok() {
            summary.push(format!("results in {}", folder.display()));
        }
        say(&summary.join("\n"));
    }
    conclude(&result, written)
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

/// A checkpoint goes when everything is written, and stays where there is something to resume.
fn settle(checkpoint: study::Checkpoint, result: &RunResult, written: &Result<Vec<String>, ReportError>) {
    let unfinished = result.stopped || written.is_err();
    match checkpoint.trouble() {
        Some(trouble) if unfinished => complain(&format!(
            "warning: the run can be resumed only in part, its checkpoint was refused: {trouble}; the same command with --resume goes on from what was kept"
        )),
        Some(trouble) => complain(&format!(
            "warning: while it computed, the run could not be resumed, its checkpoint was refused: {trouble}; it is complete all the same"
        )),
        None if unfinished => complain("the same command with --resume goes on from here"),
        None => {}
    }
    if !unfinished && let Err(e) = checkpoint.finish() {
        complain(&format!("warning: {e}"));
    }
}

fn default_folder(study: &Path) -> PathBuf {
    Path::new("output").join(study.file_stem().unwrap_or(study.as_os_str()))
}

/// What is missing goes to stderr and decides the exit code.
fn conclude(result: &RunResult, written: Result<Vec<String>, ReportError>) -> ExitCode {
    let mut complete = true;
    for m in &result.missing {
        complete = false;
        complain(&format!("`{}` gave nothing: {}", m.curve, m.reason));
    }
    if result.stopped {
        complete = false;
        complain("stopped before the end; what was computed is in the tables");
        for c in result.curves.iter().filter(|c| c.ends().contains(&&End::Stopped)) {
            complain(&format!("`{}` is cut short: it covers {}", c.name, c.ranges(short)));
        }
    }
    match written {
        Ok(warnings) => {
            for w in warnings {
                complete = false;
                complain(&w);
            }
        }
        Err(e) => {
            complete = false;
            complain(&format!("error: the results could not be written: {e}"));
        }
    }
    if complete {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(INCOMPLETE)
    }
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
