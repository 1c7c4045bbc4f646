//! Tables of numbers and words, and the checks that several analyses share.

use crate::analysis::fault::Fault;
use slipstick_report::{Cell, Kind, ReportError, Table};

/// A table's name with its number columns.
pub(crate) fn layout<S: Into<String>>(
    name: impl Into<String>,
    columns: impl IntoIterator<Item = S>,
) -> (String, Vec<String>) {
    (name.into(), columns.into_iter().map(Into::into).collect())
}

/// A table of numbers.
pub(crate) fn numbers<S: Into<String>, R: IntoIterator<Item = f64>>(
    columns: impl IntoIterator<Item = S>,
    rows: impl IntoIterator<Item = R>,
) -> Result<Table, ReportError> {
    let mut table = Table::new(columns.into_iter().map(|c| (c, Kind::Number)));
    for row in rows {
        table.push_row(row.into_iter().map(Cell::Number))?;
    }
    Ok(table)
}

/// A table whose first columns are words.
pub(crate) fn worded<const W: usize, const N: usize>(
    texts: [&'static str; W],
    columns: [&'static str; N],
    rows: impl IntoIterator<Item = ([String; W], [f64; N])>,
) -> Result<Table, ReportError> {
    let kinds = texts.map(|c| (c, Kind::Text)).into_iter();
    let mut table = Table::new(kinds.chain(columns.map(|c| (c, Kind::Number))));
    for (words, values) in rows {
        let cells = words.map(Cell::Text).into_iter().chain(values.map(Cell::Number));
        table.push_row(cells)?;
    }
    Ok(table)
}

/// `n` evenly spaced values from `from` to `to`.
pub(crate) fn evenly(from: f64, to: f64, n: usize) -> impl Iterator<Item = f64> {
    (0..n).map(move |i| from + (to - from) * (i as f64 / (n.max(2) - 1) as f64))
}

/// A number that must be positive.
pub(crate) fn positive(key: &str, value: f64) -> Result<(), Fault> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(Fault::new(
            key,
            format!("{key} = {value} is not possible: give a positive number"),
        ))
    }
}
