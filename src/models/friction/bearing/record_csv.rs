//! Reading records as loggers and spreadsheets write them.

use super::record::{Record, RecordError};
use serde::Deserialize;
use slipstick_system::fields::{Separator, days, doubled_commas, lines, number};
use std::path::Path;

/// Which column holds a quantity.
///
/// ```
/// use slipstick_models::friction::bearing::{Column, Record, RecordError, RecordFormat};
/// let text = "time,temperature,joint\n0,10,0\n";
/// // By its name; the message about one that is not there lists those that are.
/// let format = RecordFormat { displacement: Column::Named("join".into()), ..RecordFormat::default() };
/// assert!(matches!(Record::parse(text, &format), Err(RecordError::Column { known, .. }) if known.contains("joint")));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Column {
    /// By the usual names in the header, else time, temperature, displacement in this order.
    #[default]
    Usual,
    /// By its name in the header; case does not matter.
    Named(String),
    /// By its number, from 1.
    Numbered(usize),
}

/// How to read a record. The separator, a decimal comma, a header and dates are recognised.
///
/// ```
/// use slipstick_models::friction::bearing::{Column, Record, RecordFormat};
/// // Times in days, then two sensors in millimetres; the displacement is called `joint`.
/// let mut text = String::from("time,temperature,joint,span\n");
/// for k in 0..20 {
///     text += &format!("{k},{},{},7.0\n", 10.0 + k as f64, 0.1 * k as f64);
/// }
/// let format = RecordFormat {
///     displacement: Column::Named("joint".into()),
///     metres: 1e-3,
///     ..RecordFormat::default()
/// };
/// let record = Record::parse(&text, &format)?;
/// assert!(record.t.len() == 20 && (record.displacement[10] - 1e-3).abs() < 1e-15);
/// # Ok::<(), slipstick_models::friction::bearing::RecordError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecordFormat {
    /// The column of the time: numbers, or dates like `2015-08-31 13:20`.
    pub time: Column,
    /// The column of the temperature.
    pub temperature: Column,
    /// The column of the displacement.
    pub displacement: Column,
    /// How many metres the unit of displacement has: 1e-3 for millimetres.
    pub metres: f64,
}

impl Default for RecordFormat {
    fn default() -> Self {
        Self {
            time: Column::Usual,
            temperature: Column::Usual,
            displacement: Column::Usual,
            metres: 1.0,
        }
    }
}

/// What is looked for, with the beginnings of the names it goes by in headers.
const QUANTITIES: [(&str, &[&str]); 3] = [
    ("time", &["time", "date", "t_day", "days", "zeit", "heure", "temps"]),
    ("temperature", &["temperature", "temp", "t_xp", "txp", "température"]),
    (
        "displacement",
        &[
            "displacement",
            "disp",
            "déplacement",
            "deplacement",
            "z_xp",
            "zxp",
            "z",
            "weg",
        ],
    ),
];

impl Record {
    /// Read a file; bytes that are not UTF-8 (a degree sign, say) are no obstacle.
    ///
    /// # Errors
    /// A file that cannot be read, and those of [`Record::parse`].
    pub fn read(path: &Path, format: &RecordFormat) -> Result<Self, RecordError> {
        let bytes = std::fs::read(path).map_err(|e| RecordError::File {
            path: path.display().to_string(),
            reason: e.to_string(),
        })?;
        Self::parse(&String::from_utf8_lossy(&bytes), format)
    }

    /// From the text of a CSV file: columns separated by semicolons, tabs, commas or blanks; decimal points or commas;
    /// with or without a header; comments after `#`; a missing value empty, `NaN`, `NA`, `null` or `-`.
    ///
    /// # Errors
    /// In words, with the line: see [`RecordError`].
    ///
    /// ```
    /// use slipstick_models::friction::bearing::{Record, RecordFormat};
    /// let text = "date;T [°C];z [mm]\n".to_string()
    ///     + &(10..40).map(|m| format!("2016-01-01 00:{m};3,{m};9,{m}\n")).collect::<String>();
    /// let record = Record::parse(&text, &RecordFormat { metres: 1e-3, ..RecordFormat::default() })?;
    /// assert_eq!((record.t.len(), record.temperature[0], record.displacement[0]), (30, 3.1, 9.1e-3));
    /// # Ok::<(), slipstick_models::friction::bearing::RecordError>(())
    /// ```
    pub fn parse(text: &str, format: &RecordFormat) -> Result<Self, RecordError> {
        let lines = lines(text);
        let separator = Separator::of(lines.iter().map(|(_, l)| *l));
        let mut rows = lines.iter().map(|(n, l)| (*n, separator.split(l))).peekable();
        // A header is a first line without any number or date in it.
        let is_header = |(_, fields): &(usize, Vec<&str>)| {
            fields
                .iter()
                .all(|f| number(f).is_none_or(f64::is_nan) && days(f).is_none())
        };
        let header = rows.next_if(is_header).map(|(_, fields)| fields);
        let header_width = header.as_ref().map(Vec::len);
        let asked = [&format.time, &format.temperature, &format.displacement];
        let mut columns = [0; 3];
        for (i, column) in asked.into_iter().enumerate() {
            columns[i] = locate(column, header.as_deref(), i)?;
        }
        let mut data = vec![];
        for (line, fields) in rows {
            if separator == Separator::Comma {
                check_commas(line, &fields, header_width)?;
            }
            let mut row = [0.0; 3];
            for (i, (what, _)) in QUANTITIES.into_iter().enumerate() {
                let short = RecordError::Short {
                    line,
                    fields: fields.len(),
                    what,
                    column: columns[i] + 1,
                };
                let field = fields.get(columns[i]).ok_or(short)?;
                row[i] = read(field, what, line)?;
            }
            row[2] *= format.metres;
            data.push((line, row));
        }
        Self::from_rows(data, vec![])
    }
}

/// Refuse lines in which commas separate both columns and decimals.
fn check_commas(line: usize, fields: &[&str], header_width: Option<usize>) -> Result<(), RecordError> {
    if doubled_commas(fields, header_width) {
        return Err(RecordError::Commas {
            line,
            fields: fields.len(),
        });
    }
    Ok(())
}

/// The index of a column.
fn locate(column: &Column, header: Option<&[&str]>, quantity: usize) -> Result<usize, RecordError> {
    let names: Vec<String> = header.unwrap_or_default().iter().map(|h| h.to_lowercase()).collect();
    match column {
        Column::Numbered(n) => Ok(n.saturating_sub(1)),
        Column::Named(name) => {
            names
                .iter()
                .position(|h| *h == name.to_lowercase())
                .ok_or_else(|| RecordError::Column {
                    name: name.clone(),
                    known: if names.is_empty() {
                        "nothing, there is no header".into()
                    } else {
                        names.join(", ")
                    },
                })
        }
        Column::Usual => {
            let usual = |q: usize| {
                names
                    .iter()
                    .position(|h| QUANTITIES[q].1.iter().any(|known| h.starts_with(known)))
            };
            // All three by name, or all three by place: a mixture would be a guess.
            let found = [0, 1, 2].map(usual);
            Ok(if found.iter().all(Option::is_some) {
                found[quantity].unwrap_or(quantity)
            } else {
                quantity
            })
        }
    }
}

fn read(field: &str, what: &'static str, line: usize) -> Result<f64, RecordError> {
    let value = if what == "time" {
        number(field).or_else(|| days(field))
    } else {
        number(field)
    };
    value.ok_or_else(|| RecordError::Field {
        line,
        text: field.into(),
        what,
        hint: if what == "time" {
            "; write dates as 2015-08-31 13:20"
        } else {
            "; leave missing values empty"
        },
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
        (0..n).map(|i| line(i) + "\n").collect()
    }
    fn parse(text: &str) -> Result<Record, RecordError> {
        Record::parse(text, &RecordFormat::default())
    }

    #[test]
    fn every_usual_way_of_writing_the_same_numbers() {
        let t = |i: usize| i as f64 * 0.25;
        let c = |i: usize| 10.0 + i as f64 * 0.5;
        let z = |i: usize| 0.01 - i as f64 * 0.001;
        let comma = |v: f64| v.to_string().replace('.', ",");
        let variants = [
            lines(12, |i| format!("{},{},{}", t(i), c(i), z(i))),
            "time,temp,disp\n".to_string() + &lines(12, |i| format!("{},{},{}", t(i), c(i), z(i))),
            lines(12, |i| format!("{};{};{}", comma(t(i)), comma(c(i)), comma(z(i)))),
            lines(12, |i| format!("{}\t{}\t{}", comma(t(i)), c(i), z(i))),
            lines(12, |i| format!("{} {}   {}", comma(t(i)), comma(c(i)), comma(z(i)))),
            lines(12, |i| format!("  {} {} {}  # a comment", t(i), c(i), z(i))),
            "\u{feff}# logger 7\n\"z_xp\";\"Date\";\"Temperature [C]\"\n".to_string()
                + &lines(12, |i| format!("\"{}\";{};{}", comma(z(i)), t(i), c(i))),
        ];
        let expected = parse(&variants[0]).unwrap();
        assert_eq!(
            (expected.t.len(), expected.t[3], expected.temperature[3]),
            (12, 0.75, 11.5)
        );
        for (i, text) in variants.iter().enumerate() {
            assert_eq!(parse(text).unwrap(), expected, "variant {i}");
        }
    }

    #[test]
    fn dates_become_days() {
        assert_eq!(days("1970-01-01"), Some(0.0));
        assert_eq!(days("2000-03-01 12:00"), Some(11_017.5));
        assert_eq!(days("2016-02-29T06:00:00Z"), Some(16_860.25));
        assert_eq!(days("31/08/2015"), None);
    }

    #[test]
    fn holes_are_left_out_and_noted() {
        let text = lines(15, |i| match i {
            4 => "4;NaN;1".into(),
            9 => "9;;2\n9;1;-".into(),
            11 => "11;2;3\n11;7;7".into(),
            _ => format!("{i};{};{}", i % 3, i % 5),
        }) + "20.5;1;2\n";
        let record = parse(&text).unwrap();
        assert_eq!(record.t.len(), 14);
        let notes = record.notes.join("; ");
        for words in [
            "3 of 18 samples left out",
            "1 samples left out",
            "1 gaps longer",
            "begins at t = 14",
            "2 uneven",
        ] {
            assert!(notes.contains(words), "{words}: {notes}");
        }
        let weights = record.weights();
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        // The gap counts as one step; a sample between longer steps weighs more.
        assert!((weights[13] / weights[0] - 1.0).abs() < 1e-12);
        assert!((weights[3] / weights[1] - 1.5).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_its_line() {
        let twelve = |f: &dyn Fn(usize) -> String| lines(12, f);
        let cases = [
            (
                twelve(&|i| format!("{i},5,10,{i},0,1{i}")),
                "commas seem to separate both",
            ),
            (
                twelve(&|i| {
                    if i == 4 {
                        "4;abc;1".into()
                    } else {
                        format!("{i};{i};{i}")
                    }
                }),
                "line 5 of the record: cannot read \"abc\"",
            ),
            (
                twelve(&|i| if i == 7 { "3;1;1".into() } else { format!("{i};{i};{i}") }),
                "time goes back from 6 to 3",
            ),
            (
                twelve(&|i| format!("{i};{i}")),
                "has 2 fields, but the displacement is in column 3",
            ),
            (twelve(&|i| format!("{i};3;{i}")), "the temperature never changes"),
            (twelve(&|i| format!("31/08/2015;{i};{i}")), "write dates as 2015-08-31"),
            (lines(4, |i| format!("{i};{i};{i}")), "only 4 of"),
            (String::new(), "only 0 of"),
        ];
        for (text, message) in cases {
            let error = parse(&text).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
        let format = RecordFormat {
            temperature: Column::Named("air".into()),
            ..RecordFormat::default()
        };
        let text = "t;bridge;z\n".to_string() + &lines(12, |i| format!("{i};{i};{i}"));
        let error = Record::parse(&text, &format).unwrap_err().to_string();
        assert!(
            error.contains("no column \"air\"; its header has: t, bridge, z"),
            "{error}"
        );
        assert!(
            Record::read(std::path::Path::new("no/such/file.csv"), &format)
                .unwrap_err()
                .to_string()
                .contains("no/such/file.csv")
        );
    }
}
