//! A finished run in a terminal: overviews, the story of one point, the difference between two runs.

mod changes;
mod columns;
mod compare;
mod error;
mod point;
mod show;
mod stored;

pub use compare::{Comparison, compare};
pub use error::ShowError;
pub use show::{Selection, show};
pub use slipstick_numerics::number::rounded;

use super::{ReportError, RunData, RunSummary};
use std::path::{Path, PathBuf};

/// A finished run, read back from its folder.
///
/// ```
/// use slipstick_report::explore::{FinishedRun, Selection, compare, show};
/// use slipstick_report::{CurveSummary, Kind, RunData, RunSummary, Table};
/// let mut points = Table::new([("curve", Kind::Text), ("index", Kind::Number), ("label", Kind::Text), ("r", Kind::Number)]);
/// points.push_row(["fold".into(), 0usize.into(), "LP".into(), 0.5.into()])?;
/// let mut special = points.clone();
/// special.set_column("message", slipstick_report::Column::Text(vec!["the branch turns back".into()]))?;
/// let curve = CurveSummary { name: "fold".into(), free: "r".into(), points: 1, from: 0.5, to: 0.5, ..CurveSummary::default() };
/// let run = FinishedRun {
///     data: RunData { points, special, ..RunData::default() },
///     summary: RunSummary { curves: vec![curve], ..RunSummary::default() },
///     ..FinishedRun::default()
/// };
/// assert!(show(&run, &Selection::Everything)?.contains("fold-0  LP  r = 0.5  the branch turns back"));
/// assert!(compare(&run, &run, 0.0)?.same());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    /// [`ReportError::NoFolder`]; [`ReportError::NotARun`] when a file that every run has is missing; [`ReportError`]
    /// when one cannot be read.
    pub fn read(folder: impl AsRef<Path>) -> Result<Self, ReportError> {
        let folder = folder.as_ref();
        if !folder.is_dir() {
            return Err(ReportError::NoFolder {
                folder: folder.to_path_buf(),
                runs: folder.parent().map_or_else(Vec::new, runs_in),
            });
        }
        let written = || std::fs::read(folder.join("run.json")).ok();
        let before = written();
        let summary = RunSummary::read(folder);
        if summary.is_err() && folder.join(".checkpoint/commit").is_file() {
            return Err(ReportError::HalfPlaced(folder.to_path_buf()));
        }
        for file in ["points.csv", "special.csv", "run.json"] {
            if !folder.join(file).is_file() {
                return Err(ReportError::NotARun {
                    folder: folder.to_path_buf(),
                    missing: file,
                    runs: runs_in(folder),
                });
            }
        }
        let summary = summary?;
        let data = RunData::read_of(folder, &summary)?;
        // Files take their places while there is no `run.json`, or the one before: what was read then may be of two
        // runs.
        if written() != before {
            return Err(ReportError::Replaced(folder.to_path_buf()));
        }
        Ok(Self {
            folder: folder.to_path_buf(),
            data,
            summary,
        })
    }
}

/// The folders in a folder that hold runs, in the order of their names.
fn runs_in(folder: &Path) -> Vec<PathBuf> {
    let here = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let entries = std::fs::read_dir(here).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .map(|entry| folder.join(entry.file_name()))
        .filter(|path| path.join("run.json").is_file())
        .collect();
    found.sort();
    found
}
