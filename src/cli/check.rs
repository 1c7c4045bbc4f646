//! `slipstick check`: is the study right?

use super::{CheckArgs, WRONG, complain, say};
use slipstick_study as study;
use std::process::ExitCode;

pub(super) fn check(args: &CheckArgs) -> ExitCode {
    match study::load(&args.study).and_then(|s| {
        let plan = s.plan(&args.set)?;
        Ok((s, plan))
    }) {
        Ok((study, plan)) => {
            for w in &plan.warnings {
                complain(&study.warn(w));
            }
            say(&format!(
                "{}: fine. {}: {} curve{}, {} figure{}.",
                args.study.display(),
                study.spec.title,
                plan.curves.len(),
                if plan.curves.len() == 1 { "" } else { "s" },
                study.spec.figures.len(),
                if study.spec.figures.len() == 1 { "" } else { "s" },
            ));
            ExitCode::SUCCESS
        }
        Err(e) => {
            complain(&e.to_string());
            ExitCode::from(WRONG)
        }
    }
}
