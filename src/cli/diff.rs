//! `slipstick diff`: what differs between two runs.

use super::{DiffArgs, INCOMPLETE, WRONG, complain, say};
use slipstick_report::explore::{FinishedRun, compare};
use std::process::ExitCode;

pub(super) fn diff(args: &DiffArgs) -> ExitCode {
    let compared = FinishedRun::read(&args.first)
        .and_then(|a| Ok((a, FinishedRun::read(&args.second)?)))
        .and_then(|(a, b)| compare(&a, &b, args.tolerance));
    match compared {
        Ok(comparison) => {
            if !comparison.summary.is_empty() {
                say(&comparison.summary.join("\n"));
                say("");
            }
            for line in &comparison.differences {
                say(line);
            }
            for line in comparison.agreements.iter().filter(|_| args.verbose) {
                say(line);
            }
            if comparison.same() {
                ExitCode::SUCCESS
            } else {
                ExitCode::from(INCOMPLETE)
            }
        }
        Err(e) => {
            complain(&format!("error: {e}"));
            ExitCode::from(WRONG)
        }
    }
}
