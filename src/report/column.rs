//! One column of a table, its kind of values, and single cells.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What a column holds.
///
/// ```
/// use slipstick_report::{Kind, Table};
/// let table = Table::new([("curve", Kind::Text), ("Omega", Kind::Number), ("stable", Kind::Flag)]);
/// assert_eq!(table.column("Omega")?.kind(), Kind::Number);
/// # Ok::<(), slipstick_report::ReportError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Floating-point numbers; a missing one is NaN.
    Number,
    /// Words; a missing one is empty.
    Text,
    /// True or false; none may be missing.
    Flag,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Number => "numbers",
            Self::Text => "text",
            Self::Flag => "true/false",
        })
    }
}

/// One value of a row.
///
/// ```
/// use slipstick_report::Cell;
/// assert_eq!(Cell::from("LP"), Cell::Text("LP".into()));
/// assert_eq!(Cell::from(0.5), Cell::Number(0.5));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A number.
    Number(f64),
    /// A word.
    Text(String),
    /// True or false.
    Flag(bool),
}

impl Cell {
    /// The kind of column this value belongs to.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Number(_) => Kind::Number,
            Self::Text(_) => Kind::Text,
            Self::Flag(_) => Kind::Flag,
        }
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}
impl From<usize> for Cell {
    fn from(value: usize) -> Self {
        Self::Number(value as f64)
    }
}
impl From<bool> for Cell {
    fn from(value: bool) -> Self {
        Self::Flag(value)
    }
}
impl From<&str> for Cell {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}
impl From<String> for Cell {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

/// The values of one column, one per row.
///
/// ```
/// use slipstick_report::{Cell, Column, Kind};
/// let column = Column::Number(vec![1.0, 2.0]);
/// assert_eq!((column.kind(), column.len(), column.get(1)), (Kind::Number, 2, Some(Cell::Number(2.0))));
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Column {
    /// Numbers.
    Number(Vec<f64>),
    /// Words.
    Text(Vec<String>),
    /// True or false.
    Flag(Vec<bool>),
}

impl Column {
    /// An empty column.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        match kind {
            Kind::Number => Self::Number(Vec::new()),
            Kind::Text => Self::Text(Vec::new()),
            Kind::Flag => Self::Flag(Vec::new()),
        }
    }

    /// What it holds.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Number(_) => Kind::Number,
            Self::Text(_) => Kind::Text,
            Self::Flag(_) => Kind::Flag,
        }
    }

    /// How many rows.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Number(values) => values.len(),
            Self::Text(values) => values.len(),
            Self::Flag(values) => values.len(),
        }
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value in `row`; `None` beyond the end.
    #[must_use]
    pub fn get(&self, row: usize) -> Option<Cell> {
        match self {
            Self::Number(values) => values.get(row).map(|&value| Cell::Number(value)),
            Self::Text(values) => values.get(row).map(|value| Cell::Text(value.clone())),
            Self::Flag(values) => values.get(row).map(|&value| Cell::Flag(value)),
        }
    }

    /// Append a value of the same kind; the value comes back when the kind differs.
    pub(super) fn push(&mut self, cell: Cell) -> Result<(), Cell> {
        match (self, cell) {
            (Self::Number(values), Cell::Number(value)) => values.push(value),
            (Self::Text(values), Cell::Text(value)) => values.push(value),
            (Self::Flag(values), Cell::Flag(value)) => values.push(value),
            (_, cell) => return Err(cell),
        }
        Ok(())
    }

    /// Append missing values up to `rows` rows: NaN or empty text. A flag cannot be missing.
    pub(super) fn fill(&mut self, rows: usize) -> bool {
        match self {
            Self::Number(values) => values.resize(rows, f64::NAN),
            Self::Text(values) => values.resize(rows, String::new()),
            Self::Flag(values) => return values.len() == rows,
        }
        true
    }

    /// Room for so many more values.
    pub(super) fn reserve(&mut self, rows: usize) {
        match self {
            Self::Number(values) => values.reserve_exact(rows),
            Self::Text(values) => values.reserve_exact(rows),
            Self::Flag(values) => values.reserve_exact(rows),
        }
    }

    /// Append the values of a column of the same kind, which has none then.
    pub(super) fn append(&mut self, more: &mut Self) {
        match (self, more) {
            (Self::Number(mine), Self::Number(more)) => mine.append(more),
            (Self::Text(mine), Self::Text(more)) => mine.append(more),
            (Self::Flag(mine), Self::Flag(more)) => mine.append(more),
            _ => {}
        }
    }

    pub(super) fn take(&self, rows: &[usize]) -> Self {
        match self {
            Self::Number(values) => Self::Number(rows.iter().map(|&row| values[row]).collect()),
            Self::Text(values) => Self::Text(rows.iter().map(|&row| values[row].clone()).collect()),
            Self::Flag(values) => Self::Flag(rows.iter().map(|&row| values[row]).collect()),
        }
    }
}

/// Equal as files are equal: NaN equals NaN.
impl PartialEq for Column {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => {
                let same = |(a, b): (&f64, &f64)| a == b || (a.is_nan() && b.is_nan());
                a.len() == b.len() && a.iter().zip(b).all(same)
            }
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Flag(a), Self::Flag(b)) => a == b,
            _ => false,
        }
    }
}
