//! Tables as CSV text: numbers in the shortest form that reads back to the same bits.

use super::column::Column;
use super::table::Table;
use super::{ReportError, write_atomically};
use slipstick_numerics::stop::look;
use std::fmt::Write;
use std::path::Path;

/// Columns of the output contract that hold text even when all their cells look like numbers or are empty.
const TEXT_COLUMNS: [&str; 5] = ["curve", "label", "word", "mode", "message"];

/// The shortest decimal that reads back to the same number: `2`, `0.1`, `1e-7`, `-inf`; nothing for what is no number.
/// Zero has no sign.
pub(super) fn shortest(value: f64) -> String {
    let mut text = String::new();
    push_number(&mut text, value);
    text
}

fn push_number(text: &mut String, value: f64) {
    if value.is_nan() {
        return;
    }
    // Debug is the shortest round-trip form with an exponent where one belongs; it writes whole numbers as `2.0`. A
    // string takes all.
    write!(text, "{:?}", value + 0.0).ok();
    if text.ends_with(".0") {
        text.truncate(text.len() - 2);
    }
}

impl Table {
    /// The table as CSV (RFC 4180 quoting, `\n` line ends): a line of names, then one line per row.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut text = String::new();
        push_line(&mut text, self.names().iter(), |text, name| push_text(text, name));
        for row in 0..self.rows() {
            if row % 4096 == 0 {
                look();
            }
            push_line(&mut text, self.columns(), |text, (_, column)| match column {
                Column::Number(values) => push_number(text, values[row]),
                Column::Text(values) => push_text(text, &values[row]),
                Column::Flag(values) => text.push_str(if values[row] { "true" } else { "false" }),
            });
        }
        text
    }

    /// Read CSV text back. `origin` names the text in errors.
    ///
    /// Kinds are recognised: a column whose cells all read as numbers, or are empty, holds numbers, all `true`/`false`
    /// flags, anything else text. `curve`, `label`, `word`, `mode` and `message` always hold text. A column without
    /// cells holds numbers.
    ///
    /// # Errors
    /// [`ReportError::Csv`] with the line when the text is not UTF-8, a line has another number of cells than the
    /// first, or a name appears twice.
    pub fn from_csv(text: &[u8], origin: &str) -> Result<Self, ReportError> {
        let mut reader = csv::ReaderBuilder::new().from_reader(text);
        let broken = |error: &csv::Error| ReportError::Csv {
            origin: origin.to_owned(),
            line: error.position().map_or(1, csv::Position::line),
            message: plain_words(error),
        };
        let names: Vec<String> = reader
            .headers()
            .map_err(|error| broken(&error))?
            .iter()
            .map(str::to_owned)
            .collect();
        if let Some(twice) = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name)) {
            let message = format!("the column `{}` appears twice", twice.1);
            return Err(ReportError::Csv {
                origin: origin.to_owned(),
                line: 1,
                message,
            });
        }
        let mut cells: Vec<Vec<String>> = vec![Vec::new(); names.len()];
        for record in reader.into_records() {
            let record = record.map_err(|error| broken(&error))?;
            for (column, cell) in cells.iter_mut().zip(&record) {
                column.push(cell.to_owned());
            }
        }
        let mut table = Self::default();
        for (name, cells) in names.into_iter().zip(cells) {
            let column = recognise(&name, cells);
            table.set_column(name, column)?;
        }
        Ok(table)
    }

    /// Write the table to a file, whole or not at all.
    ///
    /// # Errors
    /// [`ReportError::Io`].
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), ReportError> {
        write_atomically(path, self.to_csv().as_bytes())
    }

    /// Read a table from a file.
    ///
    /// # Errors
    /// [`ReportError::Io`]; as [`from_csv`](Self::from_csv).
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ReportError> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|source| ReportError::io(path, source))?;
        Self::from_csv(&bytes, &path.display().to_string())
    }
}

/// A line of cells that `push` appends.
fn push_line<T>(text: &mut String, cells: impl Iterator<Item = T>, push: impl Fn(&mut String, T)) {
    let start = text.len();
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            text.push(',');
        }
        push(text, cell);
    }
    // A line of one empty cell would read as no line at all.
    if text.len() == start {
        text.push_str("\"\"");
    }
    text.push('\n');
}

fn push_text(text: &mut String, cell: &str) {
    if cell.contains(['"', ',', '\n', '\r']) {
        text.push('"');
        text.push_str(&cell.replace('"', "\"\""));
        text.push('"');
    } else {
        text.push_str(cell);
    }
}

fn recognise(name: &str, cells: Vec<String>) -> Column {
    if TEXT_COLUMNS.contains(&name) {
        return Column::Text(cells);
    }
    let number = |cell: &String| {
        if cell.is_empty() {
            Some(f64::NAN)
        } else {
            cell.parse().ok()
        }
    };
    if let Some(numbers) = cells.iter().map(number).collect::<Option<Vec<f64>>>() {
        return Column::Number(numbers);
    }
    match cells
        .iter()
        .map(|cell| cell.parse().ok())
        .collect::<Option<Vec<bool>>>()
    {
        Some(flags) => Column::Flag(flags),
        None => Column::Text(cells),
    }
}

fn plain_words(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} cells where the line of names has {expected_len}")
        }
        csv::ErrorKind::Utf8 { .. } => "the text is not UTF-8".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::Kind;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_written_short() {
        let cases = [
            (2.0, "2"),
            (-0.0, "0"),
            (0.1, "0.1"),
            (1e-7, "1e-7"),
            (1e300, "1e300"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::INFINITY, "inf"),
            (f64::NAN, ""),
            (0.4757656678212827, "0.4757656678212827"),
            (5e-324, "5e-324"),
            (123_456_789.0, "123456789"),
        ];
        for (value, text) in cases {
            assert_eq!(shortest(value), text);
        }
    }

    #[test]
    fn broken_texts_are_refused_with_their_line() {
        let message = |text: &[u8]| Table::from_csv(text, "points.csv").unwrap_err().to_string();
        assert_eq!(
            message(b"a,b\n1,2\n1\n"),
            "points.csv: line 3: 1 cells where the line of names has 2"
        );
        assert_eq!(message(b"a,a\n"), "points.csv: line 1: the column `a` appears twice");
        assert_eq!(message(b"a,b\n1,\xff\n"), "points.csv: line 2: the text is not UTF-8");
    }

    #[test]
    fn contract_columns_stay_text() {
        let table = Table::from_csv(b"curve,index,label\n1,2,\n1,3,\n", "x").unwrap();
        assert_eq!(table.texts("curve").unwrap(), ["1", "1"]);
        assert_eq!(table.texts("label").unwrap(), ["", ""]);
        assert_eq!(table.numbers("index").unwrap(), [2.0, 3.0]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn what_is_written_is_read_back(
            rows in proptest::collection::vec(
                (any::<u64>(), any::<bool>(), "[a-z,\"\n\r é;]{0,6}"), 1..12),
        ) {
            let mut table = Table::new([("message", Kind::Text), ("value", Kind::Number), ("stable", Kind::Flag)]);
            for (bits, flag, text) in rows {
                table.push_row([text.into(), f64::from_bits(bits).into(), flag.into()]).unwrap();
            }
            let text = table.to_csv();
            let back = Table::from_csv(text.as_bytes(), "x").unwrap();
            prop_assert_eq!(&back, &table);
            prop_assert_eq!(back.to_csv(), text);
        }

        #[test]
        fn a_lone_text_column_survives(texts in proptest::collection::vec("[a\r\n\"]{0,2}", 0..6)) {
            let mut table = Table::new([("message", Kind::Text)]);
            for text in texts {
                table.push_row([text.into()]).unwrap();
            }
            prop_assert_eq!(Table::from_csv(table.to_csv().as_bytes(), "x").unwrap(), table);
        }
    }
}
