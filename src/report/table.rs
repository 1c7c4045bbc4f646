//! Named columns of numbers, texts and flags.

use super::ReportError;
use super::column::{Cell, Column, Kind};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// A table: named columns of equal length, in a fixed order.
///
/// ```
/// use slipstick_report::{Kind, Table};
/// let mut table = Table::new([("curve", Kind::Text), ("Omega", Kind::Number), ("stable", Kind::Flag)]);
/// table.push_row(["stiff".into(), 2.0.into(), true.into()])?;
/// table.push_row(["stiff".into(), 2.5.into(), false.into()])?;
/// assert_eq!(table.numbers("Omega")?, [2.0, 2.5]);
/// let stable = table.flags("stable")?;
/// assert_eq!(table.filter(|row| stable[row]).rows(), 1);
/// assert_eq!(table.to_csv(), "curve,Omega,stable\nstiff,2,true\nstiff,2.5,false\n");
/// # Ok::<(), slipstick_report::ReportError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(into = "Vec<(String, Column)>", try_from = "Vec<(String, Column)>")]
pub struct Table {
    names: Vec<String>,
    columns: Vec<Column>,
    rows: usize,
}

impl From<Table> for Vec<(String, Column)> {
    fn from(table: Table) -> Self {
        table.names.into_iter().zip(table.columns).collect()
    }
}

impl TryFrom<Vec<(String, Column)>> for Table {
    type Error = ReportError;

    fn try_from(columns: Vec<(String, Column)>) -> Result<Self, ReportError> {
        let mut table = Self::default();
        for (name, column) in columns {
            table.set_column(name, column)?;
        }
        Ok(table)
    }
}

impl Table {
    /// An empty table with these columns. A name given twice keeps its first kind.
    #[must_use]
    pub fn new<S: Into<String>>(columns: impl IntoIterator<Item = (S, Kind)>) -> Self {
        let mut table = Self::default();
        let mut seen = HashSet::new();
        for (name, kind) in columns {
            let name = name.into();
            if seen.insert(name.clone()) {
                table.names.push(name);
                table.columns.push(Column::new(kind));
            }
        }
        table
    }

    /// An empty table with these columns, as [`new`](Self::new), and room for so many rows.
    #[must_use]
    pub fn with_room<S: Into<String>>(columns: impl IntoIterator<Item = (S, Kind)>, rows: usize) -> Self {
        let mut table = Self::new(columns);
        table.columns.iter_mut().for_each(|column| column.reserve(rows));
        table
    }

    /// How many rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The column names in order.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Names and columns in order.
    pub fn columns(&self) -> impl Iterator<Item = (&str, &Column)> {
        self.names.iter().map(String::as_str).zip(&self.columns)
    }

    /// Whether there is a column of that name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.position(name).is_some()
    }

    /// The column of that name, if there is one.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Column> {
        self.position(name).map(|at| &self.columns[at])
    }

    /// The column of that name.
    ///
    /// # Errors
    /// [`ReportError::UnknownColumn`], which lists the names there are.
    pub fn column(&self, name: &str) -> Result<&Column, ReportError> {
        self.get(name).ok_or_else(|| ReportError::UnknownColumn {
            name: name.to_owned(),
            known: self.names.clone(),
        })
    }

    /// The numbers of a column.
    ///
    /// # Errors
    /// [`ReportError::UnknownColumn`]; [`ReportError::WrongKind`] if it holds something else.
    pub fn numbers(&self, name: &str) -> Result<&[f64], ReportError> {
        match self.column(name)? {
            Column::Number(values) => Ok(values),
            other => Err(wrong_kind(name, other.kind(), Kind::Number)),
        }
    }

    /// The words of a column.
    ///
    /// # Errors
    /// As [`numbers`](Self::numbers).
    pub fn texts(&self, name: &str) -> Result<&[String], ReportError> {
        match self.column(name)? {
            Column::Text(values) => Ok(values),
            other => Err(wrong_kind(name, other.kind(), Kind::Text)),
        }
    }

    /// The flags of a column.
    ///
    /// # Errors
    /// As [`numbers`](Self::numbers).
    pub fn flags(&self, name: &str) -> Result<&[bool], ReportError> {
        match self.column(name)? {
            Column::Flag(values) => Ok(values),
            other => Err(wrong_kind(name, other.kind(), Kind::Flag)),
        }
    }

    /// Append a row, one cell per column, in the order of the columns.
    ///
    /// # Errors
    /// [`ReportError::RowLength`], [`ReportError::WrongKind`]; the table is unchanged then.
    pub fn push_row(&mut self, cells: impl IntoIterator<Item = Cell>) -> Result<(), ReportError> {
        let cells: Vec<Cell> = cells.into_iter().collect();
        if cells.len() != self.columns.len() {
            return Err(ReportError::RowLength {
                found: cells.len(),
                wanted: self.columns.len(),
            });
        }
        self.check_kinds(self.names.iter().map(String::as_str).zip(&cells))?;
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.push(cell).ok();
        }
        self.rows += 1;
        Ok(())
    }

    /// Append a row given by names. Columns that do not exist yet are added at the end, with missing values above;
    /// columns not mentioned get a missing value (NaN or empty text).
    ///
    /// # Errors
    /// [`ReportError::WrongKind`]; [`ReportError::MissingFlag`] when a flag would be missing. The table is unchanged
    /// then.
    pub fn push_named<S: Into<String>>(
        &mut self,
        cells: impl IntoIterator<Item = (S, Cell)>,
    ) -> Result<(), ReportError> {
        let cells: Vec<(String, Cell)> = cells.into_iter().map(|(name, cell)| (name.into(), cell)).collect();
        self.check_kinds(cells.iter().map(|(name, cell)| (name.as_str(), cell)))?;
        let missing_above = cells
            .iter()
            .find(|(name, cell)| self.rows > 0 && cell.kind() == Kind::Flag && !self.has(name));
        let missing_here = self
            .columns()
            .find(|(name, column)| column.kind() == Kind::Flag && !cells.iter().any(|(given, _)| given == name));
        if let Some(name) = missing_above
            .map(|(name, _)| name.as_str())
            .or(missing_here.map(|(name, _)| name))
        {
            return Err(ReportError::MissingFlag { name: name.to_owned() });
        }
        for (name, cell) in cells {
            let at = self.position(&name).unwrap_or_else(|| {
                let mut column = Column::new(cell.kind());
                column.fill(self.rows);
                self.names.push(name);
                self.columns.push(column);
                self.columns.len() - 1
            });
            if self.columns[at].len() == self.rows {
                self.columns[at].push(cell).ok();
            }
        }
        self.rows += 1;
        for column in &mut self.columns {
            column.fill(self.rows);
        }
        Ok(())
    }

    /// Append the rows of `other`: the columns are the union of both, this table's first; missing values as in
    /// [`push_named`](Self::push_named).
    ///
    /// # Errors
    /// As [`push_named`](Self::push_named); the table is unchanged then.
    pub fn append(&mut self, mut other: Table) -> Result<(), ReportError> {
        if self.columns.is_empty() {
            *self = other;
            return Ok(());
        }
        for (name, column) in other.columns() {
            if let Some(mine) = self.get(name)
                && mine.kind() != column.kind()
            {
                return Err(wrong_kind(name, mine.kind(), column.kind()));
            }
        }
        let lone_flag = |from: &Self, to: &Self| {
            from.columns()
                .find(|(name, column)| column.kind() == Kind::Flag && to.rows > 0 && !to.has(name))
                .map(|(name, _)| name.to_owned())
        };
        if let Some(name) = lone_flag(self, &other).or_else(|| lone_flag(&other, self)) {
            return Err(ReportError::MissingFlag { name });
        }
        for (name, column) in other.columns() {
            if !self.has(name) {
                let mut fresh = Column::new(column.kind());
                fresh.fill(self.rows);
                self.names.push(name.to_owned());
                self.columns.push(fresh);
            }
        }
        let rows = self.rows + other.rows;
        for (name, column) in self.names.iter().zip(&mut self.columns) {
            match other.position(name) {
                Some(at) => column.append(&mut other.columns[at]),
                None => {
                    column.fill(rows);
                }
            }
        }
        self.rows = rows;
        Ok(())
    }

    /// Add a whole column at the end, or replace the one of that name.
    ///
    /// # Errors
    /// [`ReportError::RowLength`] when its length is not the number of rows (a table without columns takes any length).
    pub fn set_column(&mut self, name: impl Into<String>, column: Column) -> Result<(), ReportError> {
        let name = name.into();
        if self.columns.is_empty() {
            self.rows = column.len();
        } else if column.len() != self.rows {
            return Err(ReportError::RowLength {
                found: column.len(),
                wanted: self.rows,
            });
        }
        match self.position(&name) {
            Some(at) => self.columns[at] = column,
            None => {
                self.names.push(name);
                self.columns.push(column);
            }
        }
        Ok(())
    }

    /// Set several columns, as one after the other by [`Table::set_column`]. Of a table without columns names are not
    /// looked up one by one.
    ///
    /// # Errors
    /// As there.
    pub fn set_columns(&mut self, columns: Vec<(String, Column)>) -> Result<(), ReportError> {
        let mut names = HashSet::new();
        let fresh = self.columns.is_empty() && columns.iter().all(|(name, _)| names.insert(name.clone()));
        for (name, column) in columns {
            let wanted = if self.columns.is_empty() {
                column.len()
            } else {
                self.rows
            };
            if fresh && column.len() == wanted {
                self.rows = wanted;
                self.names.push(name);
                self.columns.push(column);
            } else {
                self.set_column(name, column)?;
            }
        }
        Ok(())
    }

    /// At most so many columns, the first ones.
    #[must_use]
    pub fn first_columns(&self, most: usize) -> Self {
        let names = self.names.iter().take(most).cloned().collect();
        let columns = self.columns.iter().take(most).cloned().collect();
        Self {
            names,
            columns,
            rows: self.rows,
        }
    }

    /// The rows for which `keep(row)` holds, in order.
    #[must_use]
    pub fn filter(&self, mut keep: impl FnMut(usize) -> bool) -> Self {
        let rows: Vec<usize> = (0..self.rows).filter(|&row| keep(row)).collect();
        self.take(&rows)
    }

    /// The rows whose text in column `name` is `value`; none if there is no such text column.
    #[must_use]
    pub fn rows_where(&self, name: &str, value: &str) -> Self {
        match self.get(name) {
            Some(Column::Text(texts)) => self.filter(|row| texts[row] == value),
            _ => self.take(&[]),
        }
    }

    /// The distinct texts of a column in order of first appearance; none if there is no such text column.
    #[must_use]
    pub fn distinct(&self, name: &str) -> Vec<&str> {
        let mut seen = Vec::new();
        if let Some(Column::Text(texts)) = self.get(name) {
            for text in texts {
                if seen.last() != Some(&text.as_str()) && !seen.contains(&text.as_str()) {
                    seen.push(text.as_str());
                }
            }
        }
        seen
    }

    fn take(&self, rows: &[usize]) -> Self {
        Self {
            names: self.names.clone(),
            columns: self.columns.iter().map(|column| column.take(rows)).collect(),
            rows: rows.len(),
        }
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    fn check_kinds<'a>(&self, cells: impl Iterator<Item = (&'a str, &'a Cell)>) -> Result<(), ReportError> {
        for (name, cell) in cells {
            if let Some(column) = self.get(name)
                && column.kind() != cell.kind()
            {
                return Err(wrong_kind(name, column.kind(), cell.kind()));
            }
        }
        Ok(())
    }
}

fn wrong_kind(name: &str, found: Kind, wanted: Kind) -> ReportError {
    ReportError::WrongKind {
        name: name.to_owned(),
        found,
        wanted,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn two_rows() -> Table {
        let mut table = Table::new([("curve", Kind::Text), ("Omega", Kind::Number), ("stable", Kind::Flag)]);
        table.push_row(["a".into(), 1.0.into(), true.into()]).unwrap();
        table.push_row(["b".into(), 2.0.into(), false.into()]).unwrap();
        table
    }

    #[test]
    fn rows_that_do_not_fit_are_refused_and_change_nothing() {
        let mut table = two_rows();
        let before = table.clone();
        assert!(matches!(
            table.push_row(["a".into()]),
            Err(ReportError::RowLength { found: 1, wanted: 3 })
        ));
        assert!(matches!(
            table.push_row(["a".into(), "b".into(), true.into()]),
            Err(ReportError::WrongKind {
                found: Kind::Number,
                wanted: Kind::Text,
                ..
            })
        ));
        assert!(matches!(
            table.push_named([("curve", Cell::from("c"))]),
            Err(ReportError::MissingFlag { name }) if name == "stable"
        ));
        assert!(matches!(
            table.push_named([("stable", Cell::from(true)), ("admissible", Cell::from(true))]),
            Err(ReportError::MissingFlag { name }) if name == "admissible"
        ));
        assert_eq!(table, before);
    }

    #[test]
    fn named_rows_grow_the_table() {
        let mut table = two_rows();
        table
            .push_named([
                ("stable", Cell::from(true)),
                ("nu", Cell::from(-1.0)),
                ("word", "slip stick".into()),
            ])
            .unwrap();
        assert_eq!(table.names(), ["curve", "Omega", "stable", "nu", "word"]);
        assert_eq!(table.texts("curve").unwrap(), ["a", "b", ""]);
        assert!(table.numbers("Omega").unwrap()[2].is_nan());
        assert!(table.numbers("nu").unwrap()[..2].iter().all(|value| value.is_nan()));
        assert_eq!(table.texts("word").unwrap(), ["", "", "slip stick"]);
    }

    #[test]
    fn append_unites_the_columns() {
        let mut table = two_rows();
        let mut other = Table::new([("stable", Kind::Flag), ("nu", Kind::Number)]);
        other.push_row([true.into(), 3.0.into()]).unwrap();
        table.append(other).unwrap();
        assert_eq!((table.rows(), table.names().len()), (3, 4));
        assert_eq!(table.flags("stable").unwrap(), [true, false, true]);
        assert_eq!(table.numbers("nu").unwrap()[2], 3.0);
        assert_eq!(table.texts("curve").unwrap()[2], "");
        let lacking = Table::new([("nu", Kind::Number)]);
        table.append(lacking).unwrap();
        assert_eq!(table.rows(), 3);
    }

    #[test]
    fn unknown_names_are_answered_with_the_known_ones() {
        let message = two_rows().numbers("omega").unwrap_err().to_string();
        assert_eq!(message, "unknown column `omega`; this table has: curve, Omega, stable");
        let message = two_rows().numbers("curve").unwrap_err().to_string();
        assert_eq!(message, "column `curve` holds text, not numbers");
    }

    #[test]
    fn rows_and_distinct_texts() {
        let mut table = two_rows();
        table.append(two_rows()).unwrap();
        assert_eq!(table.distinct("curve"), ["a", "b"]);
        assert_eq!(table.rows_where("curve", "b").numbers("Omega").unwrap(), [2.0, 2.0]);
        assert_eq!(table.rows_where("nothing", "b").rows(), 0);
    }
}
