//! A finished run in a terminal: overviews, the story of one point, the difference between two runs.

mod columns;
mod compare;
mod point;
mod show;

pub use compare::{Comparison, compare};
pub use show::{Selection, ShowError, show};

use super::{ReportError, RunData, RunSummary};
use std::path::{Path, PathBuf};

/// A finished run, read back from its folder.
#[derive(Clone, Debug, Default)]
pub struct FinishedRun {
    /// The folder.
    pub folder: PathBuf,
    /// Its tables.
    pub data: RunData,
    /// What it says of itself.
    pub summary: RunSummary,
}

impl FinishedRun {
    /// Read a run's folder.
    ///
    /// # Errors
    /// [`ReportError::NotARun`] when a file that every run has is missing; [`ReportError`] when one cannot be read.
    pub fn read(folder: impl AsRef<Path>) -> Result<Self, ReportError> {
        let folder = folder.as_ref();
        for file in ["points.csv", "special.csv", "run.json"] {
            if !folder.join(file).is_file() {
                return Err(ReportError::NotARun {
                    folder: folder.to_path_buf(),
                    missing: file,
                });
            }
        }
        Ok(Self {
            folder: folder.to_path_buf(),
            data: RunData::read(folder)?,
            summary: RunSummary::read(folder)?,
        })
    }
}
