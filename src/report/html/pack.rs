//! Tables packed for the page: numbers as bytes, repeated texts as runs.

use crate::column::Column;
use crate::table::Table;
use base64::Engine as _;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// A table with its columns packed.
pub(super) struct Packed {
    rows: usize,
    pub(super) columns: Vec<(String, PackedColumn)>,
}

impl Serialize for Packed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Columns<'a>(&'a [(String, PackedColumn)]);
        impl Serialize for Columns<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_map(self.0.iter().map(|(name, column)| (name, column)))
            }
        }
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("rows", &self.rows)?;
        map.serialize_entry("columns", &Columns(&self.columns))?;
        map.end()
    }
}

/// A column: one number for all rows, or numbers as bytes in base64 (little endian), or repeated texts and flags as
/// runs.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PackedColumn {
    Same(f64),
    F64(String),
    F32(String),
    Runs(Vec<(Value, usize)>),
}

#[derive(Serialize, PartialEq)]
#[serde(untagged)]
pub(super) enum Value {
    Text(String),
    Flag(bool),
}

/// How many bytes a number takes.
#[derive(Clone, Copy)]
pub(super) enum Precision {
    Single,
    Double,
}

/// Multipliers are for looking at; everything else keeps its digits, so that one can zoom in.
pub(super) fn precision_of_points(column: &str) -> Precision {
    if is_multiplier(column) {
        Precision::Single
    } else {
        Precision::Double
    }
}

/// Is this `mult1_log10`, `nu2_arg`, …? Parameters may begin with the same letters.
fn is_multiplier(column: &str) -> bool {
    let numbered = column.strip_prefix("mult").or_else(|| column.strip_prefix("nu"));
    let Some((number, part)) = numbered.and_then(|rest| rest.split_once('_')) else {
        return false;
    };
    !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()) && ["log10", "arg"].contains(&part)
}

pub(super) fn pack(table: &Table, without: &[&str], precision: fn(&str) -> Precision) -> Packed {
    let packed = |(name, column): (&str, &Column)| {
        let column = match (column, precision(name)) {
            (Column::Number(values), _) if same(values) => PackedColumn::Same(values[0]),
            (Column::Number(values), Precision::Single) => PackedColumn::F32(encode(
                values.iter().flat_map(|value| (*value as f32).to_le_bytes()).collect(),
            )),
            (Column::Number(values), Precision::Double) => {
                PackedColumn::F64(encode(values.iter().flat_map(|value| value.to_le_bytes()).collect()))
            }
            (Column::Text(values), _) => {
                PackedColumn::Runs(runs(values.iter().map(|value| Value::Text(value.clone()))))
            }
            (Column::Flag(values), _) => PackedColumn::Runs(runs(values.iter().map(|value| Value::Flag(*value)))),
        };
        (name.to_owned(), column)
    };
    let columns = table
        .columns()
        .filter(|(name, _)| !without.contains(name))
        .map(packed)
        .collect();
    Packed {
        rows: table.rows(),
        columns,
    }
}

/// Bytes as text.
pub(super) fn encode(bytes: Vec<u8>) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

fn same(values: &[f64]) -> bool {
    values
        .first()
        .is_some_and(|first| first.is_finite() && values.iter().all(|value| value == first))
}

fn runs(values: impl Iterator<Item = Value>) -> Vec<(Value, usize)> {
    let mut runs: Vec<(Value, usize)> = Vec::new();
    for value in values {
        match runs.last_mut() {
            Some((last, length)) if *last == value => *length += 1,
            _ => runs.push((value, 1)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_multipliers_are_stored_with_fewer_digits() {
        for multiplier in ["mult1_log10", "mult12_arg", "nu1_log10", "nu3_arg"] {
            assert!(is_multiplier(multiplier), "{multiplier}");
        }
        for other in [
            "nu",
            "nu1",
            "number",
            "multi",
            "mult",
            "mult_log10",
            "nu_arg",
            "nu1_logs",
            "multi1_arg",
            "nu1a_arg",
            "x_log10",
        ] {
            assert!(!is_multiplier(other), "{other}");
        }
    }
}
