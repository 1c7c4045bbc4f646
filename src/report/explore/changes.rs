//! What changed between two runs, in three lines: parameters, labels, curves.

use super::FinishedRun;
use crate::{Column, ReportError, Table};
use slipstick_numerics::number::rounded;

/// What is named in a line, at most.
const MOST: usize = 4;

/// Three lines: which parameters have other values, which labelled points moved and how far, which curves have more or
/// fewer points or end otherwise.
pub(super) fn changes(a: &FinishedRun, b: &FinishedRun, tolerance: f64) -> Result<Vec<String>, ReportError> {
    let common = common_curves(a, b);
    Ok(vec![
        parameters(a, b, &common),
        labels(a, b, &common, tolerance)?,
        curves(a, b, &common),
    ])
}

/// The curves of both runs, in the order of the first.
fn common_curves<'a>(a: &'a FinishedRun, b: &FinishedRun) -> Vec<&'a str> {
    let others = b.data.points.distinct("curve");
    let curves = a.data.points.distinct("curve").into_iter();
    curves.filter(|curve| others.contains(curve)).collect()
}

/// The first few, and how many more.
fn listed(mut words: Vec<String>) -> String {
    let more = words.len().saturating_sub(MOST);
    words.truncate(MOST);
    let mut text = words.join(", ");
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

/// The columns of parameters, which stand between the label and the period.
fn parameter_columns(table: &Table) -> Vec<(&str, &Column)> {
    let columns = table.columns().skip_while(|(name, _)| *name != "label").skip(1);
    columns.take_while(|(name, _)| *name != "period").collect()
}

/// The value of a parameter that stays the same along a curve.
fn constant(column: &Column) -> Option<f64> {
    let Column::Number(values) = column else { return None };
    let first = *values.first()?;
    (first.is_finite() && values.iter().all(|value| *value == first)).then_some(first)
}

fn parameters(a: &FinishedRun, b: &FinishedRun, common: &[&str]) -> String {
    let mut changed: Vec<String> = vec![];
    for curve in common {
        let (x, y) = (
            a.data.points.rows_where("curve", curve),
            b.data.points.rows_where("curve", curve),
        );
        for (name, column) in parameter_columns(&x) {
            if let (Some(before), Some(after)) = (constant(column), y.get(name).and_then(constant))
                && before != after
            {
                let change = format!("{name} {} → {}", rounded(before, 12), rounded(after, 12));
                if !changed.contains(&change) {
                    changed.push(change);
                }
            }
        }
    }
    // Parameters that only one of the runs has.
    let names = |run: &FinishedRun| -> Vec<String> {
        let columns = parameter_columns(&run.data.points);
        columns.into_iter().map(|(name, _)| name.to_owned()).collect()
    };
    let (before, after) = (names(a), names(b));
    let only = |own: &[String], other: &[String], run: &str| {
        let own: Vec<String> = own.iter().filter(|name| !other.contains(name)).cloned().collect();
        (!own.is_empty()).then(|| format!("{} of the {run} run only", listed(own)))
    };
    changed.extend(only(&before, &after, "first"));
    changed.extend(only(&after, &before, "second"));
    // What no curve shows is known from the command line.
    for (name, value) in &b.summary.set {
        let before = a.summary.set.iter().find(|(other, _)| other == name).map(|(_, v)| *v);
        if before != Some(*value) && !changed.iter().any(|change| change.starts_with(&format!("{name} "))) {
            changed.push(format!("{name} set to {}", rounded(*value, 12)));
        }
    }
    let mut line = if changed.is_empty() {
        "parameters: the same".to_owned()
    } else {
        format!("parameters: {}", listed(changed))
    };
    if a.summary.study_sha256 != b.summary.study_sha256 {
        line.push_str("; another text of the study");
    }
    line
}

fn labels(a: &FinishedRun, b: &FinishedRun, common: &[&str], tolerance: f64) -> Result<String, ReportError> {
    let (mut moved, mut count) = (vec![], 0);
    let mut alone = [vec![], vec![]];
    for curve in common {
        let summary = a.summary.curves.iter().find(|c| c.name == **curve);
        let (x, y) = (
            a.data.special.rows_where("curve", curve),
            b.data.special.rows_where("curve", curve),
        );
        let free = summary.map_or("", |c| c.free.as_str()).split(", ");
        let free: Vec<&str> = free.filter(|name| x.has(name) && y.has(name)).collect();
        let Some(first) = free.first() else { continue };
        for (side, (own, other)) in [(&x, &y), (&y, &x)].into_iter().enumerate() {
            let others = numbered(other, first)?;
            let only = numbered(own, first)?.into_iter();
            let only = only.filter(|p| !others.iter().any(|q| (&p.0, p.1) == (&q.0, q.1)));
            alone[side].extend(only.map(|(label, number, _)| format!("`{curve}, {label} {number}`")));
        }
        let mut farthest: Vec<(f64, String)> = vec![];
        for name in &free {
            let others = numbered(&y, name)?;
            for (k, (label, number, here)) in numbered(&x, name)?.into_iter().enumerate() {
                let Some((.., there)) = others.iter().find(|q| (&q.0, q.1) == (&label, number)) else {
                    continue;
                };
                let by = apart(here, *there, here.abs().max(there.abs()));
                let words = format!(
                    "`{curve}, {label} {number}` by {} to {name} = {}",
                    rounded(there - here, 3),
                    rounded(*there, 12)
                );
                if farthest.len() <= k {
                    farthest.resize(k + 1, (f64::NAN, String::new()));
                }
                if farthest[k].0.is_nan() || farthest[k].0 < by {
                    farthest[k] = (by, words);
                }
            }
        }
        let matched = farthest.into_iter().filter(|(by, _)| !by.is_nan());
        for (by, words) in matched {
            count += 1;
            if by > tolerance {
                moved.push((by, words));
            }
        }
    }
    // The farthest first.
    moved.sort_by(|p, q| q.0.total_cmp(&p.0));
    let mut line = match moved.len() {
        0 => format!("labels: {count} in both, none moved"),
        n => {
            let words = moved.into_iter().map(|(_, words)| words).collect();
            format!("labels: {n} of {count} moved: {}", listed(words))
        }
    };
    for (which, only) in ["the first", "the second"].into_iter().zip(alone) {
        if !only.is_empty() {
            line.push_str(&format!("; only in {which}: {}", listed(only)));
        }
    }
    Ok(line)
}

fn curves(a: &FinishedRun, b: &FinishedRun, common: &[&str]) -> String {
    let mut changed = vec![];
    for curve in common {
        let points = |run: &FinishedRun| run.data.points.rows_where("curve", curve).rows();
        let ended = |run: &FinishedRun| {
            let summary = run.summary.curves.iter().find(|c| c.name == **curve);
            summary.map(|c| c.ended.clone())
        };
        let (before, after) = (points(a), points(b));
        let mut words = vec![];
        if before != after {
            words.push(format!("{before} → {after} points"));
        }
        if ended(a) != ended(b) {
            words.push("another end".to_owned());
        }
        if !words.is_empty() {
            changed.push(format!("`{curve}` {}", words.join(" and ")));
        }
    }
    let only = |run: &FinishedRun| -> Vec<String> {
        let all = run.data.points.distinct("curve").into_iter();
        all.filter(|curve| !common.contains(curve))
            .map(|curve| format!("`{curve}`"))
            .collect()
    };
    let mut line = match (common.len(), changed.is_empty()) {
        (0, _) => "curves: none in both".to_owned(),
        (_, true) => "curves: as many points, the same ends".to_owned(),
        (_, false) => format!("curves: {}", listed(changed)),
    };
    for (which, only) in [("the first", only(a)), ("the second", only(b))] {
        if !only.is_empty() {
            line.push_str(&format!("; only in {which}: {}", listed(only)));
        }
    }
    line
}

/// The special points of a curve but its ends: label, number among those with that label along the curve, and the value
/// of a column.
pub(super) fn numbered(special: &Table, column: &str) -> Result<Vec<(String, usize, f64)>, ReportError> {
    let (labels, values) = (special.texts("label")?, special.numbers(column)?);
    let number = |row: usize| labels[..=row].iter().filter(|label| **label == labels[row]).count();
    let rows = (0..special.rows()).filter(|&row| labels[row] != "EP");
    Ok(rows
        .map(|row| (labels[row].clone(), number(row), values[row]))
        .collect())
}

/// How far apart two numbers are, relative to the larger of them or the scale of their column; infinite where only one
/// is a number.
pub(super) fn apart(a: f64, b: f64, scale: f64) -> f64 {
    if a == b || (a.is_nan() && b.is_nan()) {
        0.0
    } else if a.is_finite() && b.is_finite() {
        (a - b).abs() / scale.max(f64::MIN_POSITIVE)
    } else {
        f64::INFINITY
    }
}
