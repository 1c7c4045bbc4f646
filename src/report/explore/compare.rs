//! `slipstick diff`: what differs between two runs.

use super::FinishedRun;
use super::changes::{apart, changes, numbered};
use crate::{Column, ReportError, Table};
use slipstick_numerics::number::rounded;

/// What two runs have in common and what not.
///
/// ```
/// use slipstick_report::explore::{FinishedRun, compare};
/// use slipstick_report::{Kind, RunData, Table};
/// let run = |x: f64| {
///     let mut points = Table::new([("curve", Kind::Text), ("index", Kind::Number), ("label", Kind::Text), ("x", Kind::Number)]);
///     points.push_row(["main".into(), 0usize.into(), "".into(), x.into()])?;
///     Ok::<_, slipstick_report::ReportError>(FinishedRun { data: RunData { special: points.clone(), points, ..RunData::default() }, ..FinishedRun::default() })
/// };
/// let (one, near) = (run(1.0)?, run(1.0 + 1e-12)?);
/// assert!(compare(&one, &near, 1e-9)?.same());
/// let comparison = compare(&one, &near, 0.0)?;
/// assert!(!comparison.same() && !comparison.differences.is_empty());
/// # Ok::<(), slipstick_report::ReportError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// What changed, in three lines: parameters, labels, curves; nothing where the runs agree.
    pub summary: Vec<String>,
    /// Differences in words, the ones that explain others first.
    pub differences: Vec<String>,
    /// What was compared and agrees.
    pub agreements: Vec<String>,
}

impl Comparison {
    /// Do the runs agree?
    #[must_use]
    pub fn same(&self) -> bool {
        self.differences.is_empty()
    }
}

/// Compare the study, the curves and their special points, and all tables, of two runs. Numbers count as equal when
/// they differ by no more than `tolerance` times the larger one, or times the largest in their column.
///
/// # Errors
/// [`ReportError`] when a table lacks a column of the contract.
pub fn compare(a: &FinishedRun, b: &FinishedRun, tolerance: f64) -> Result<Comparison, ReportError> {
    let mut found = Comparison::default();
    if a.summary.slipstick != b.summary.slipstick {
        let versions = format!("{} and {}", a.summary.slipstick, b.summary.slipstick);
        found
            .differences
            .push(format!("the versions of slipstick differ: {versions}"));
    }
    if a.summary.study_sha256 != b.summary.study_sha256 {
        found.differences.push("the studies differ in their text".into());
    }
    if a.summary.set != b.summary.set {
        let words = |run: &FinishedRun| {
            let set: Vec<String> = run.summary.set.iter().map(|(n, v)| format!("{n}={v}")).collect();
            if set.is_empty() {
                "nothing".into()
            } else {
                set.join(" ")
            }
        };
        let (x, y) = (words(a), words(b));
        found.differences.push(format!("--set values differ: {x} | {y}"));
    }
    let (curves_a, curves_b) = (a.data.points.distinct("curve"), b.data.points.distinct("curve"));
    let mut only = |names: &[&str], others: &[&str], which: &str| {
        for name in names.iter().filter(|n| !others.contains(n)) {
            found.differences.push(format!("curve `{name}` is only in {which}"));
        }
    };
    only(&curves_a, &curves_b, "the first");
    only(&curves_b, &curves_a, "the second");
    for curve in curves_a.iter().filter(|c| curves_b.contains(c)) {
        compare_curve(a, b, curve, tolerance, &mut found)?;
    }
    for (name, table) in &a.data.trajectories {
        match b.data.trajectories.get(name) {
            Some(other) => compare_tables(&format!("trajectory `{name}`"), table, other, tolerance, &mut found),
            None => found
                .differences
                .push(format!("trajectory `{name}` is only in the first")),
        }
    }
    for name in b.data.trajectories.keys() {
        if !a.data.trajectories.contains_key(name) {
            found
                .differences
                .push(format!("trajectory `{name}` is only in the second"));
        }
    }
    if !found.same() {
        found.summary = changes(a, b, tolerance)?;
    }
    Ok(found)
}

fn compare_curve(
    a: &FinishedRun,
    b: &FinishedRun,
    curve: &str,
    tolerance: f64,
    found: &mut Comparison,
) -> Result<(), ReportError> {
    let (x, y) = (
        a.data.special.rows_where("curve", curve),
        b.data.special.rows_where("curve", curve),
    );
    let (labels_x, labels_y) = (x.texts("label")?, y.texts("label")?);
    let what = format!("special points of `{curve}`");
    if labels_x == labels_y {
        // Indices depend on the steps that were taken, and are no property of the curve.
        compare_tables(&what, &without_index(&x), &without_index(&y), tolerance, found);
    } else {
        let (all_x, all_y) = (labels_x.join(" "), labels_y.join(" "));
        found.differences.push(format!("{what}: {all_x} | {all_y}"));
    }
    let free = a
        .summary
        .curves
        .iter()
        .find(|c| c.name == curve)
        .map(|c| c.free.as_str());
    for name in free
        .unwrap_or_default()
        .split(", ")
        .filter(|name| x.has(name) && y.has(name))
    {
        compare_places(
            curve,
            name,
            &numbered(&x, name)?,
            &numbered(&y, name)?,
            tolerance,
            found,
        );
    }
    let (x, y) = (
        a.data.points.rows_where("curve", curve),
        b.data.points.rows_where("curve", curve),
    );
    if x.rows() == y.rows() {
        compare_tables(&format!("points of `{curve}`"), &x, &y, tolerance, found);
    } else {
        let (m, n) = (x.rows(), y.rows());
        found.differences.push(format!("points of `{curve}`: {m} | {n}"));
    }
    let own = |run: &FinishedRun| {
        run.summary
            .curves
            .iter()
            .find(|c| c.name == curve)
            .map(|c| c.ended.clone())
    };
    if let (Some(x), Some(y)) = (own(a), own(b))
        && x != y
    {
        found.differences.push(format!("`{curve}` ended: {x} | {y}"));
    }
    Ok(())
}

/// Where points with the same label and number lie in both runs, and which are only in one.
fn compare_places(
    curve: &str,
    column: &str,
    x: &[(String, usize, f64)],
    y: &[(String, usize, f64)],
    tolerance: f64,
    found: &mut Comparison,
) {
    let partner = |points: &[(String, usize, f64)], label: &str, number: usize| {
        points.iter().find(|p| p.0 == label && p.1 == number).map(|p| p.2)
    };
    for (label, number, here) in x {
        let name = format!("`{curve}, {label} {number}`");
        match partner(y, label, *number) {
            Some(there) if apart(*here, there, here.abs().max(there.abs())) > tolerance => {
                let by = rounded(there - here, 6);
                found
                    .differences
                    .push(format!("{name}: {column} = {here} | {there}, a difference of {by}"));
            }
            Some(_) => {}
            None => found
                .differences
                .push(format!("{name}: {column} = {here}, only in the first")),
        }
    }
    for (label, number, there) in y.iter().filter(|p| partner(x, &p.0, p.1).is_none()) {
        let only = format!("`{curve}, {label} {number}`: {column} = {there}, only in the second");
        found.differences.push(only);
    }
}

fn without_index(table: &Table) -> Table {
    let mut kept = Table::default();
    for (name, column) in table.columns().filter(|(name, _)| *name != "index") {
        // Columns of one table have one length.
        let _ = kept.set_column(name, column.clone());
    }
    kept
}

/// Say in which columns two tables differ, and where most.
fn compare_tables(what: &str, x: &Table, y: &Table, tolerance: f64, found: &mut Comparison) {
    if x == y {
        found.agreements.push(format!("{what}: identical"));
        return;
    }
    let before = found.differences.len();
    if x.rows() != y.rows() {
        let (m, n) = (x.rows(), y.rows());
        found.differences.push(format!("{what}: {m} rows | {n} rows"));
        return;
    }
    for name in x.names().iter().filter(|n| !y.has(n)) {
        found
            .differences
            .push(format!("{what}: column `{name}` is only in the first"));
    }
    for name in y.names().iter().filter(|n| !x.has(n)) {
        found
            .differences
            .push(format!("{what}: column `{name}` is only in the second"));
    }
    let mut largest = 0.0f64;
    for (name, column) in x.columns() {
        match (column, y.get(name)) {
            (Column::Number(p), Some(Column::Number(q))) => {
                let scale = p
                    .iter()
                    .chain(q)
                    .filter(|v| v.is_finite())
                    .fold(0.0f64, |m, v| m.max(v.abs()));
                let off = |i: &usize| apart(p[*i], q[*i], scale);
                let worst = (0..p.len()).max_by(|i, j| off(i).total_cmp(&off(j)));
                if let Some(row) = worst {
                    let by = off(&row);
                    if by > tolerance {
                        let count = (0..p.len()).filter(|i| off(i) > tolerance).count();
                        found.differences.push(format!(
                            "{what}: `{name}` differs in {count} of {} rows, most in row {row}: {} | {}",
                            p.len(),
                            p[row],
                            q[row]
                        ));
                    } else {
                        largest = largest.max(by);
                    }
                }
            }
            (p, Some(q)) if p == q => {}
            (p, Some(q)) => {
                let row = (0..p.len()).find(|i| format!("{:?}", p.get(*i)) != format!("{:?}", q.get(*i)));
                let cell = |c: &Column| row.map_or_else(String::new, |i| written(c, i));
                let (p, q) = (cell(p), cell(q));
                let row = row.unwrap_or(0);
                found
                    .differences
                    .push(format!("{what}: `{name}` differs, first in row {row}: {p} | {q}"));
            }
            _ => {}
        }
    }
    if found.differences.len() == before {
        found
            .agreements
            .push(format!("{what}: equal to within {}", rounded(largest, 2)));
    }
}

fn written(column: &Column, row: usize) -> String {
    match column {
        Column::Number(values) => values[row].to_string(),
        Column::Text(values) => format!("`{}`", values[row]),
        Column::Flag(values) => values[row].to_string(),
    }
}
