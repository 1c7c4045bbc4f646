//! `slipstick show`: what a run computed.

use super::{ShowArgs, WRONG, complain, say};
use slipstick_report::explore::{FinishedRun, Selection, show as reported};
use std::process::ExitCode;

pub(super) fn show(args: &ShowArgs) -> ExitCode {
    let run = match FinishedRun::read(&args.run) {
        Ok(run) => run,
        Err(e) => {
            complain(&format!("error: {e}"));
            return ExitCode::from(WRONG);
        }
    };
    let selection = match &args.what {
        None => Ok(Selection::Everything),
        Some(text) => Selection::parse(text, args.all, &run),
    };
    match selection.and_then(|s| reported(&run, &s)) {
        Ok(text) => {
            say(&text);
            ExitCode::SUCCESS
        }
        Err(e) => {
            complain(&format!("error: {e}"));
            ExitCode::from(WRONG)
        }
    }
}
