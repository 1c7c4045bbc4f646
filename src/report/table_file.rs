//! Tables that are too large for the memory, written to a file piece by piece.

use super::{ReportError, Table};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// A format of table files.
///
/// ```
/// use slipstick_report::{Cell, CsvFormat, Kind, Table, TableFormat};
/// use std::io::{Read, Seek};
/// let piece = |x: f64| -> Result<Table, slipstick_report::ReportError> {
///     let mut table = Table::new([("x", Kind::Number)]);
///     table.push_row([Cell::Number(x)])?;
///     Ok(table)
/// };
/// let mut writer = CsvFormat.begin(tempfile::tempfile()?)?;
/// writer.write(&piece(1.0)?)?;
/// writer.write(&piece(0.5)?)?;
/// let mut file = writer.finish()?;
/// file.rewind()?;
/// let mut text = String::new();
/// file.read_to_string(&mut text)?;
/// assert_eq!(text, "x\n1\n0.5\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait TableFormat: Send + Sync + std::fmt::Debug {
    /// What names of such files end with, without a dot.
    fn ending(&self) -> &'static str;

    /// Begin a table in an empty file.
    ///
    /// # Errors
    /// [`ReportError`].
    fn begin(&self, file: File) -> Result<Box<dyn TableWriter>, ReportError>;
}

/// A table file under way.
///
/// ```
/// use slipstick_report::{CsvFormat, ReportError, Table, TableFormat, TableWriter};
/// fn write_twice(writer: &mut dyn TableWriter, rows: &Table) -> Result<(), ReportError> {
///     writer.write(rows)?;
///     writer.write(rows)
/// }
/// let mut writer = CsvFormat.begin(tempfile::tempfile()?)?;
/// assert!(write_twice(&mut *writer, &Table::default()).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait TableWriter {
    /// Add rows. Every piece has the same columns.
    ///
    /// # Errors
    /// [`ReportError`].
    fn write(&mut self, rows: &Table) -> Result<(), ReportError>;

    /// Write what is left.
    ///
    /// # Errors
    /// [`ReportError`].
    fn finish(self: Box<Self>) -> Result<File, ReportError>;
}

/// The text format of all tables.
///
/// ```
/// use slipstick_report::{CsvFormat, TableFormat};
/// assert_eq!(CsvFormat.ending(), "csv");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CsvFormat;

struct CsvWriter {
    file: BufWriter<File>,
    named: bool,
}

impl TableFormat for CsvFormat {
    fn ending(&self) -> &'static str {
        "csv"
    }

    fn begin(&self, file: File) -> Result<Box<dyn TableWriter>, ReportError> {
        Ok(Box::new(CsvWriter {
            file: BufWriter::new(file),
            named: false,
        }))
    }
}

impl TableWriter for CsvWriter {
    fn write(&mut self, rows: &Table) -> Result<(), ReportError> {
        let text = rows.to_csv();
        let named = std::mem::replace(&mut self.named, true);
        let own = match text.split_once('\n') {
            Some((_, rest)) if named => rest,
            _ => &text,
        };
        self.file.write_all(own.as_bytes()).map_err(unwritable)
    }

    fn finish(self: Box<Self>) -> Result<File, ReportError> {
        self.file.into_inner().map_err(|e| unwritable(e.into_error()))
    }
}

/// A table that could not be written.
pub fn unwritable(source: std::io::Error) -> ReportError {
    ReportError::Io {
        path: PathBuf::from("tables"),
        source,
    }
}
