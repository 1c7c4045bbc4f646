//! What a run leaves behind: tables, orbit files, figures.
//!
//! Everything printed or drawn is made from [`Table`]s and nothing else. A run hands its [`RunData`] over once; the
//! same data read back from the run's folder gives the same bytes, so a figure can be redrawn years later without
//! computing anything again.

mod atomic;
mod auto_files;
mod column;
pub mod explore;
pub mod figure;
pub mod html;
mod reference;
mod run_data;
mod run_summary;
mod table;
mod table_csv;
mod table_file;

pub use atomic::write_atomically;
pub use auto_files::{AutoSolution, auto_number, branch_files, read_solutions};
pub use column::{Cell, Column, Kind};
pub use reference::reference_parts;
pub use run_data::check_file_name;
pub use run_data::{RunData, orbit_file_name};
pub use run_summary::sha256;
pub use run_summary::{
    AnalysisSummary, AttractorsSummary, CurveSummary, MissingSummary, RunSummary, TrajectorySummary,
};
pub use table::Table;
pub use table_file::{CsvFormat, TableFormat, TableWriter, unwritable};

use std::path::PathBuf;

/// Why a table, a run folder or a figure could not be made, read or written.
///
/// ```
/// use slipstick_report::{Kind, ReportError, Table};
/// let mut table = Table::new([("curve", Kind::Text), ("x", Kind::Number)]);
/// let error = table.push_row(["fold".into()]).unwrap_err();
/// assert!(matches!(error, ReportError::RowLength { found: 1, wanted: 2 }));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// Somebody asked for the end while figures were drawn.
    #[error("stopped while the figures were drawn")]
    Stopped,
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder concerned.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A CSV text that is not a table.
    #[error("{origin}: line {line}: {message}")]
    Csv {
        /// The file, or what else the text came from.
        origin: String,
        /// Line in that text, from 1.
        line: u64,
        /// What is wrong with it.
        message: String,
    },
    /// A folder that does not exist.
    #[error("there is no folder {}{}", folder.display(), listed(runs))]
    NoFolder {
        /// The folder.
        folder: PathBuf,
        /// Folders next to where it would be that hold runs.
        runs: Vec<PathBuf>,
    },
    /// A folder without the files of a run.
    #[error("{} holds no finished run: there is no {missing} in it{}", folder.display(), listed(runs))]
    NotARun {
        /// The folder.
        folder: PathBuf,
        /// The file that is missing.
        missing: &'static str,
        /// Folders in it that hold runs.
        runs: Vec<PathBuf>,
    },
    /// A run was killed while its files took their places.
    #[error(
        "a run was killed while it moved its results to {}: the same `slipstick run` with --resume completes it",
        .0.display()
    )]
    HalfPlaced(PathBuf),
    /// A run was replaced by another while it was read.
    #[error("another run replaced the run in {} while it was read: try again", .0.display())]
    Replaced(PathBuf),
    /// A JSON text that is not what it should be.
    #[error("{origin}: {source}")]
    Json {
        /// The file.
        origin: String,
        /// What is wrong with it, and where.
        source: serde_json::Error,
    },
    /// A column that the table does not have.
    #[error("unknown column `{name}`; this table has: {}", known.join(", "))]
    UnknownColumn {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A column or cell of another kind than the one asked for.
    #[error("column `{name}` holds {found}, not {wanted}")]
    WrongKind {
        /// The column.
        name: String,
        /// What it holds.
        found: Kind,
        /// What was asked for or offered.
        wanted: Kind,
    },
    /// A row with too many or too few cells.
    #[error("a row of {found} cells does not fit a table of {wanted} columns")]
    RowLength {
        /// Cells offered.
        found: usize,
        /// Columns of the table.
        wanted: usize,
    },
    /// A true/false column without a value in some row: there is no neutral value to fill in.
    #[error("column `{name}` is true or false in some rows and missing in others; give it in every row")]
    MissingFlag {
        /// The column.
        name: String,
    },
    /// A figure whose description does not fit the run.
    #[error(transparent)]
    Figure(#[from] figure::FigureError),
    /// A drawing that could not be set as SVG, PDF or PNG.
    #[error("the drawing failed: {message}")]
    Drawing {
        /// What the drawing library said.
        message: String,
    },
    /// A name that cannot be part of a file name.
    #[error("`{name}` cannot name a file: use letters, digits, spaces and any of . _ + - = ( )")]
    FileName {
        /// The name of a curve, a trajectory or a figure.
        name: String,
    },
}

/// Where there are runs instead.
fn listed(runs: &[PathBuf]) -> String {
    /// So many are named.
    const NAMED: usize = 6;
    if runs.is_empty() {
        return String::new();
    }
    let named: Vec<String> = runs.iter().take(NAMED).map(|run| run.display().to_string()).collect();
    let more = if runs.len() > NAMED { ", …" } else { "" };
    format!("; there are runs in {}{more}", named.join(", "))
}

impl ReportError {
    fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Self::Io {
            path: path.into(),
            source,
        }
    }
}
