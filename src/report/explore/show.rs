//! `slipstick show`: what a run computed, one of its curves, one of its points.

use super::columns::{aligned, rounded};
use super::{FinishedRun, point};
use crate::report::table::Column;
use crate::report::{ReportError, Table};

/// What of a run to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// All curves with their special points.
    Everything,
    /// The special points of a curve, or all of its points.
    Curve {
        /// Its name.
        name: String,
        /// Ordinary points, too?
        all: bool,
    },
    /// One point of a curve.
    Point {
        /// The curve's name.
        curve: String,
        /// The point's index.
        index: usize,
    },
    /// A simulated trajectory.
    Trajectory(String),
}

/// Why there is nothing to show.
#[derive(Debug, thiserror::Error)]
pub enum ShowError {
    /// Nothing in the run is called that.
    #[error("the run has no curve or trajectory `{name}`; it has: {}", known.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// The curve has no such point.
    #[error("`{curve}` has no point {index}; its points are 0 to {last}")]
    NoPoint {
        /// The curve.
        curve: String,
        /// The index asked for.
        index: usize,
        /// The index of its last point.
        last: usize,
    },
    /// The tables lack a column of the contract.
    #[error(transparent)]
    Report(#[from] ReportError),
}

impl Selection {
    /// What `CURVE` or `CURVE-INDEX` stands for in a run. A name that fits a curve as a whole is that curve; `CURVE:INDEX` always is a point.
    ///
    /// # Errors
    /// [`ShowError::Unknown`], [`ShowError::NoPoint`].
    pub fn parse(text: &str, all: bool, run: &FinishedRun) -> Result<Self, ShowError> {
        let curves = run.data.points.distinct("curve");
        if curves.contains(&text) {
            return Ok(Self::Curve {
                name: text.to_owned(),
                all,
            });
        }
        if run.data.trajectories.contains_key(text) {
            return Ok(Self::Trajectory(text.to_owned()));
        }
        for separator in [':', '-'] {
            if let Some((curve, index)) = text.rsplit_once(separator)
                && curves.contains(&curve)
                && let Ok(index) = index.parse()
            {
                let last = run.data.points.rows_where("curve", curve).rows().saturating_sub(1);
                if index > last {
                    let curve = curve.to_owned();
                    return Err(ShowError::NoPoint { curve, index, last });
                }
                let curve = curve.to_owned();
                return Ok(Self::Point { curve, index });
            }
        }
        let trajectories = run.data.trajectories.keys().map(String::as_str);
        Err(ShowError::Unknown {
            name: text.to_owned(),
            known: curves.into_iter().chain(trajectories).map(str::to_owned).collect(),
        })
    }
}

/// The selected part of a run as text for a terminal.
///
/// # Errors
/// [`ShowError`] when the tables lack a column of the contract.
pub fn show(run: &FinishedRun, selection: &Selection) -> Result<String, ShowError> {
    match selection {
        Selection::Everything => everything(run),
        Selection::Curve { name, all } => curve(run, name, *all),
        Selection::Point { curve, index } => point::story(run, curve, *index),
        Selection::Trajectory(name) => trajectory(run, name),
    }
}

fn everything(run: &FinishedRun) -> Result<String, ShowError> {
    let mut text = String::new();
    let settings: Vec<String> = run.summary.set.iter().map(|(n, v)| format!("{n} = {v}")).collect();
    if !settings.is_empty() {
        text.push_str(&format!("set from outside: {}\n\n", settings.join(", ")));
    }
    if run.summary.stopped {
        text.push_str("the run was stopped before its end\n\n");
    }
    for c in &run.summary.curves {
        text.push_str(&format!(
            "{}: {} points, {} from {} to {}\n",
            c.name,
            c.points,
            c.free,
            rounded(c.from, 7),
            rounded(c.to, 7)
        ));
        if !c.words.is_empty() {
            text.push_str(&format!("  word   {}\n", c.words));
        }
        text.push_str(&format!("  ended  {}\n", c.ended));
        text.push_str(&indented(&specials(run, &c.name, &c.free)?));
        text.push('\n');
    }
    for t in &run.summary.trajectories {
        text.push_str(&format!("{}: trajectory, {}\n", t.name, t.ended));
    }
    for m in &run.summary.missing {
        text.push_str(&format!("{} gave nothing: {}\n", m.curve, m.reason));
    }
    Ok(text.trim_end().to_owned())
}

/// Name, label, value of the free parameter and message of each special point of a curve.
fn specials(run: &FinishedRun, curve: &str, free: &str) -> Result<String, ShowError> {
    let rows = run.data.special.rows_where("curve", curve);
    let (indices, labels) = (rows.numbers("index")?, rows.texts("label")?);
    let messages = rows.texts("message")?;
    let at = rows.get(free);
    let lines: Vec<Vec<String>> = (0..rows.rows())
        .map(|row| {
            let value = match at {
                Some(Column::Number(v)) => format!("{free} = {}", rounded(v[row], 12)),
                _ => String::new(),
            };
            vec![
                format!("{curve}-{}", indices[row]),
                labels[row].clone(),
                value,
                messages[row].clone(),
            ]
        })
        .collect();
    Ok(aligned(&lines))
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

fn curve(run: &FinishedRun, name: &str, all: bool) -> Result<String, ShowError> {
    let source = if all { &run.data.points } else { &run.data.special };
    let rows = source.rows_where("curve", name);
    let mut text = String::new();
    if let Some(c) = run.summary.curves.iter().find(|c| c.name == name) {
        text.push_str(&format!(
            "{name}: {} points{}; {}\n\n",
            c.points,
            if c.words.is_empty() {
                String::new()
            } else {
                format!(", word {}", c.words)
            },
            c.ended
        ));
    }
    text.push_str(&aligned(&table(&rows, &["curve", "word", "message"])));
    Ok(text.trim_end().to_owned())
}

fn trajectory(run: &FinishedRun, name: &str) -> Result<String, ShowError> {
    let mut text = String::new();
    if let Some(t) = run.summary.trajectories.iter().find(|t| t.name == name) {
        text.push_str(&format!("{name}: {}\n", t.ended));
        for (time, choice) in &t.nonunique {
            text.push_str(&format!("  NU at t = {}: {choice}\n", rounded(*time, 9)));
        }
        text.push('\n');
    }
    if let Some(rows) = run.data.trajectories.get(name) {
        text.push_str(&aligned(&table(rows, &[])));
    }
    Ok(text.trim_end().to_owned())
}

/// The rows of a table under the names of its columns. Columns without any value are left out.
fn table(rows: &Table, without: &[&str]) -> Vec<Vec<String>> {
    let shown: Vec<(&str, &Column)> = rows
        .columns()
        .filter(|(name, column)| !without.contains(name) && told(column))
        .collect();
    let mut lines = vec![shown.iter().map(|(name, _)| (*name).to_owned()).collect()];
    for row in 0..rows.rows() {
        lines.push(shown.iter().map(|(_, column)| cell(column, row)).collect());
    }
    lines
}

fn told(column: &Column) -> bool {
    match column {
        Column::Number(values) => values.iter().any(|v| !v.is_nan()),
        Column::Text(values) => values.iter().any(|v| !v.is_empty()),
        Column::Flag(_) => true,
    }
}

fn cell(column: &Column, row: usize) -> String {
    match column {
        Column::Number(values) => rounded(values[row], 7),
        Column::Text(values) => values[row].clone(),
        Column::Flag(values) => values[row].to_string(),
    }
}
