//! The study that a command is about: read, planned, and what is wrong with it reported.

use super::{WRONG, complain};
use slipstick_study::{self as study, Loaded, Plan};
use std::path::Path;
use std::process::ExitCode;

/// The study of a file; the exit code where it cannot be read.
pub(super) fn loaded(file: &Path) -> Result<Loaded, ExitCode> {
    study::load(file).map_err(|e| {
        complain(&e.to_string());
        ExitCode::from(WRONG)
    })
}

/// The study of a file with its plan; the exit code where it is wrong.
pub(super) fn planned(file: &Path, set: &[(String, f64)]) -> Result<(Loaded, Plan), ExitCode> {
    let study = loaded(file)?;
    let plan = study.plan(set).map_err(|e| {
        complain(&e.to_string());
        ExitCode::from(WRONG)
    })?;
    Ok((study, plan))
}

/// Report what a reader of the study should look at.
pub(super) fn warn(study: &Loaded, plan: &Plan) {
    for warning in &plan.warnings {
        complain(&study.warn(warning));
    }
}
