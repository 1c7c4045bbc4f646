//! The table of a sweep.

use crate::results::attractors::{AttractorKind, AttractorsResult};
use slipstick_report::{Cell, Kind, ReportError, Table};

/// One row for each row of each attractor.
///
/// # Errors
/// [`ReportError`] when names of the system clash with columns of the table.
pub(crate) fn table(result: &AttractorsResult) -> Result<Table, ReportError> {
    let mut columns = vec![(result.parameter.clone(), Kind::Number), ("kind".into(), Kind::Text)];
    columns.extend([
        ("starts".to_owned(), Kind::Number),
        ("word".into(), Kind::Text),
        ("period".into(), Kind::Number),
        ("exponent".into(), Kind::Number),
    ]);
    for k in 1..=result.exponents {
        columns.extend([format!("exponent{k}"), format!("exponent{k}_error")].map(|name| (name, Kind::Number)));
    }
    columns.extend(result.monitors.iter().map(|n| (n.clone(), Kind::Number)));
    columns.extend([("curve".to_owned(), Kind::Text), ("message".into(), Kind::Text)]);
    let mut table = Table::new(columns);
    for a in &result.found {
        let (word, period) = a.kind.word_and_period();
        let exponent = match a.kind {
            AttractorKind::Chaos { exponent } => exponent,
            _ => f64::NAN,
        };
        let empty = vec![f64::NAN; result.monitors.len()];
        let nothing = [empty];
        let rows = if a.rows.is_empty() { &nothing[..] } else { &a.rows[..] };
        for values in rows {
            let mut row = vec![
                Cell::Number(a.value),
                Cell::Text(a.kind.name().into()),
                Cell::Number(a.starts as f64),
                Cell::Text(word.to_owned()),
                Cell::Number(period),
                Cell::Number(exponent),
            ];
            for k in 0..result.exponents {
                let unknown = (f64::NAN, f64::NAN);
                let (value, error) = a.exponents.get(k).map_or(unknown, |e| (e.value, e.error));
                row.extend([value, error].map(Cell::Number));
            }
            row.extend(values.iter().map(|&v| Cell::Number(v)));
            row.extend([
                Cell::Text(a.curve.clone().unwrap_or_default()),
                Cell::Text(a.message.clone()),
            ]);
            table.push_row(row)?;
        }
    }
    Ok(table)
}
