//! The rows of a table that may have more of them than the memory should hold.

use crate::checkpoint::Checkpoint;
use crate::compute::task::Around;
use crate::plan::axis::Grid;
use crate::results::big_table::BigTable;
use slipstick_report::{ReportError, Table, TableWriter};

/// Tables of grids with more cells than this are written as they come; figures and the report show evenly spaced cells
/// of them, about so many.
const MOST: usize = 100_000;

/// The rows of a table of the cells of a grid, tile by tile.
pub(super) struct Rows {
    name: String,
    /// What figures and the report show.
    shown: Table,
    /// Every so many cells along each axis are shown.
    step: usize,
    writer: Option<(Box<dyn TableWriter>, &'static str)>,
}

impl Rows {
    pub(super) fn begin(around: &Around<'_>, name: &str, grid: &Grid) -> Result<Self, ReportError> {
        let large = grid.len() > MOST;
        let format = around.checkpoint.map(Checkpoint::format);
        let format = format.filter(|format| large || format.ending() != "csv");
        let writer = match (around.checkpoint, format) {
            (Some(checkpoint), Some(format)) => Some((format.begin(checkpoint.unnamed_file()?)?, format.ending())),
            _ => None,
        };
        let thinned = grid.len() as f64 / MOST as f64;
        let step = match &writer {
            Some(_) if large => thinned.powf(1.0 / grid.axes.len() as f64).ceil() as usize,
            _ => 1,
        };
        Ok(Self {
            name: name.to_owned(),
            shown: Table::default(),
            step,
            writer,
        })
    }

    /// Is this cell shown?
    pub(super) fn shows(&self, grid: &Grid, cell: usize) -> bool {
        self.step == 1 || grid.places(cell).all(|(_, at)| at.is_multiple_of(self.step))
    }

    /// How many rows are shown so far.
    pub(super) fn shown(&self) -> usize {
        self.shown.rows()
    }

    /// Add rows, `shown` those of cells that are shown.
    pub(super) fn push(&mut self, rows: &Table, shown: Table) -> Result<(), ReportError> {
        if let Some((writer, _)) = &mut self.writer {
            writer.write(rows)?;
        }
        self.shown.append(shown)
    }

    /// The table that is shown, and the file of all rows where there is one.
    pub(super) fn finish(self) -> Result<(Table, Option<BigTable>), ReportError> {
        let big = match self.writer {
            None => None,
            Some((writer, ending)) => Some(BigTable {
                name: self.name,
                ending,
                contents: writer.finish()?,
                replaces: self.step > 1,
            }),
        };
        Ok((self.shown, big))
    }
}
