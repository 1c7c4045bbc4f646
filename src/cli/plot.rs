//! `slipstick plot`: draw figures of a finished run without computing anything again.

use super::{INCOMPLETE, PlotArgs, WRONG, complain, say};
use crate::report::explore::FinishedRun;
use crate::report::figure::{Figure, draw};
use crate::report::{ReportError, RunSummary};
use crate::study;
use std::path::Path;
use std::process::ExitCode;

pub(super) fn plot(args: &PlotArgs) -> ExitCode {
    let run = match FinishedRun::read(&args.run) {
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
    let folder = args.out.clone().unwrap_or_else(|| args.run.join("figures"));
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
        match drawing.write(&folder) {
            Ok(()) => say(&format!(
                "{}",
                folder.join(format!("{}.{{svg,pdf,png,tex}}", figure.name())).display()
            )),
            Err(e) => {
                complain(&format!("error: {e}"));
                return ExitCode::from(INCOMPLETE);
            }
        }
    }
    code
}

/// The figures of the study that was run.
fn figures_of(run: &Path, summary: RunSummary) -> Result<Vec<Figure>, study::Rejected> {
    Ok(study::parse(&run.join("run.json"), summary.study)?.spec.figures)
}
