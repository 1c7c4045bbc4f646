//! `slipstick plot`: draw figures of a finished run without computing anything again.

use super::folder::{hold, report};
use super::{INCOMPLETE, PlotArgs, WRONG, complain, say};
use slipstick_report::explore::FinishedRun;
use slipstick_report::figure::{Drawing, Figure, draw};
use slipstick_report::{ReportError, RunSummary};
use slipstick_study::{self as study, Staging};
use std::path::Path;
use std::process::ExitCode;

pub(super) fn plot(args: &PlotArgs) -> ExitCode {
    match &args.out {
        Some(folder) => draw_all(args, None, |drawing| drawing.write(folder), folder),
        None => plot_into_run(args),
    }
}

/// Draw into the run's own folder, whose list of files they join.
fn plot_into_run(args: &PlotArgs) -> ExitCode {
    // What is wrong with the folder is said before it is held.
    let account = || std::fs::read(args.run.join("run.json")).ok();
    let first = account();
    let before = match FinishedRun::read(&args.run) {
        Ok(run) => run,
        Err(e) => {
            complain(&format!("error: {e}"));
            return ExitCode::from(WRONG);
        }
    };
    let claim = match hold(&args.run) {
        Ok(claim) => claim,
        Err(code) => return code,
    };
    // Another run may have taken its place in between.
    let before = (account() == first).then_some(before);
    let text = match args
        .figures
        .as_ref()
        .map(|file| study::read_text(file, "figures file"))
        .transpose()
    {
        Ok(text) => text,
        Err(e) => {
            complain(&e.to_string());
            return ExitCode::from(WRONG);
        }
    };
    let mut files = match Staging::begin(&claim) {
        Ok(files) => files,
        Err(e) => return unwritten(&e),
    };
    let mut account = claim.run().unwrap_or_default();
    let put = |drawing: &Drawing| {
        for (file, bytes) in drawing.contents()? {
            let path = format!("figures/{file}");
            files.put(&path, &bytes)?;
            let hash = files.files().get(&path).cloned().unwrap_or_default();
            match &text {
                // The study's own, once more.
                None => {
                    account.drawn.remove(&path);
                    account.drawings.remove(drawing.name());
                    account.files.insert(path, hash);
                }
                Some(text) => {
                    account.files.remove(&path);
                    account.drawn.insert(path, hash);
                    account.drawings.insert(drawing.name().to_owned(), text.clone());
                }
            }
        }
        Ok(())
    };
    let code = draw_all(args, before, put, &args.run.join("figures"));
    if files.files().is_empty() {
        return code;
    }
    match files.commit(&account, study::Checkpoint::is_in(&args.run)) {
        Ok(reported) => report(reported),
        Err(e) => return unwritten(&e),
    }
    report(claim.release());
    code
}

fn unwritten(e: &ReportError) -> ExitCode {
    complain(&format!("error: {e}"));
    ExitCode::from(INCOMPLETE)
}

/// Draw the figures that were asked for, from the run as it was read, or as it is now; `put` takes each, and `folder`
/// is where it will be.
fn draw_all(
    args: &PlotArgs,
    run: Option<FinishedRun>,
    mut put: impl FnMut(&Drawing) -> Result<(), ReportError>,
    folder: &Path,
) -> ExitCode {
    let run = match run.map_or_else(|| FinishedRun::read(&args.run), Ok) {
        Ok(run) => run,
        Err(e) => {
            complain(&format!("error: {e}"));
            return ExitCode::from(WRONG);
        }
    };
    let figures = match &args.figures {
        Some(file) => study::load_figures(file),
        None => figures_of(&args.run, run.summary),
    };
    let figures = match figures {
        Ok(figures) => figures,
        Err(e) => {
            complain(&e.to_string());
            return ExitCode::from(WRONG);
        }
    };
    let mut code = ExitCode::SUCCESS;
    for figure in &figures {
        let drawing = match draw(figure, &run.data) {
            Ok(drawing) => drawing,
            Err(e) => {
                // What is wrong with a figure names it already.
                match e {
                    ReportError::Figure(e) => complain(&format!("error: {e}")),
                    e => complain(&format!("error: figure `{}` could not be drawn: {e}", figure.name())),
                }
                code = ExitCode::from(WRONG);
                continue;
            }
        };
        match put(&drawing) {
            Ok(()) => say(&format!(
                "{}",
                folder.join(format!("{}.{{svg,pdf,png,tex}}", figure.name())).display()
            )),
            Err(e) => return unwritten(&e),
        }
    }
    code
}

/// The figures of the study that was run.
fn figures_of(run: &Path, summary: RunSummary) -> Result<Vec<Figure>, study::Rejected> {
    Ok(study::parse(&run.join("run.json"), summary.study)?.spec.figures)
}
