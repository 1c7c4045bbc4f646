//! The folder of a run's results: where it is by default, held for one command, with its checkpoint.

use super::{INCOMPLETE, WRONG, complain};
use slipstick_study::{Checkpoint, CheckpointError, Claim, ClaimError, Loaded};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(super) fn default_folder(study: &Path) -> PathBuf {
    Path::new("output").join(study.file_stem().unwrap_or(study.as_os_str()))
}

/// Hold a folder; the exit code where it cannot be used: the call is wrong, or the file system or another run is in the
/// way.
pub(super) fn hold(folder: &Path) -> Result<Claim, ExitCode> {
    let claim = Claim::take(folder).map_err(|e| {
        complain(&format!("error: {e}"));
        ExitCode::from(match e {
            ClaimError::Unwritable { .. } | ClaimError::Taken { .. } => INCOMPLETE,
            ClaimError::Foreign { .. } | ClaimError::OtherFormat { .. } | ClaimError::NoFolder { .. } => WRONG,
        })
    })?;
    report(claim.reported());
    Ok(claim)
}

/// Begin the checkpoint of a study in a folder that is held, or go on with it.
pub(super) fn begin<'c>(
    claim: &'c Claim,
    study: &Loaded,
    set: &[(String, f64)],
    inputs: &BTreeMap<String, String>,
    resume: bool,
) -> Result<Checkpoint<'c>, ExitCode> {
    Checkpoint::begin(claim, &study.text, set, inputs, resume).map_err(|e| {
        complain(&format!("error: {e}"));
        ExitCode::from(match e {
            CheckpointError::Other(_) => WRONG,
            CheckpointError::Io { .. } => INCOMPLETE,
        })
    })
}

/// What was done with files that are not a run's is reported even when nothing else is.
pub(super) fn report<S: AsRef<str>>(lines: impl IntoIterator<Item = S>) {
    for line in lines {
        complain(line.as_ref());
    }
}

/// Names with the verb that they need.
pub(super) fn verb(names: &[String], [one, many]: [&str; 2]) -> String {
    format!("{} {}", names.join(", "), if names.len() == 1 { one } else { many })
}
