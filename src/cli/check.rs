//! `slipstick check`: is the study right?

use super::study_file::{planned, warn};
use super::{CheckArgs, say};
use std::process::ExitCode;

pub(super) fn check(args: &CheckArgs) -> Result<ExitCode, ExitCode> {
    let (study, plan) = planned(&args.study, &args.set)?;
    warn(&study, &plan);
    say(&format!(
        "{}: fine. {}: {} curve{}, {} figure{}.",
        args.study.display(),
        study.spec.title,
        plan.curves.len(),
        if plan.curves.len() == 1 { "" } else { "s" },
        study.spec.figures.len(),
        if study.spec.figures.len() == 1 { "" } else { "s" },
    ));
    Ok(ExitCode::SUCCESS)
}
