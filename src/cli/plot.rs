//! `slipstick plot`: draw figures of a finished run without computing anything again.

use super::{INCOMPLETE, PlotArgs, WRONG, complain, say};
use crate::report::RunData;
use crate::report::RunSummary;
use crate::report::figure::{Figure, draw};
use crate::study;
use std::path::Path;
use std::process::ExitCode;

pub(super) fn plot(args: &PlotArgs) -> ExitCode {
    let figures = match &args.figures {
        Some(file) => study::load_figures(file),
        None => figures_of(&args.run),
    };
    let (figures, data) = match (figures, RunData::read(&args.run)) {
        (Ok(figures), Ok(data)) => (figures, data),
        (Err(e), _) => {
            complain(&e.to_string());
            return ExitCode::from(WRONG);
        }
        (_, Err(e)) => {
            complain(&format!("error: {e}"));
            return ExitCode::from(WRONG);
        }
    };
    let folder = args.out.clone().unwrap_or_else(|| args.run.join("figures"));
    let mut code = ExitCode::SUCCESS;
    for figure in &figures {
        let drawing = match draw(figure, &data) {
            Ok(drawing) => drawing,
            Err(e) => {
                complain(&format!("error: figure `{}` could not be drawn: {e}", figure.name()));
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
fn figures_of(run: &Path) -> Result<Vec<Figure>, study::Rejected> {
    match RunSummary::read(run) {
        Ok(summary) => Ok(study::parse(&run.join("run.json"), summary.study)?.spec.figures),
        Err(e) => Err(study::Rejected::because(format!("error: {e}"))),
    }
}
