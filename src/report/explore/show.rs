//! `slipstick show`: what a run computed, one of its curves, one of its points.

use super::columns::aligned;
use super::error::ShowError;
use super::{FinishedRun, point};
use crate::{Column, CurveSummary, Table};
use slipstick_bifurcation::Label;
use slipstick_numerics::number::rounded;
use slipstick_system::text::plain_name;

/// What of a run to show.
///
/// ```
/// use slipstick_report::explore::{FinishedRun, Selection};
/// use slipstick_report::{CurveSummary, Kind, RunData, RunSummary, Table};
/// let mut points = Table::new([("curve", Kind::Text), ("index", Kind::Number), ("label", Kind::Text)]);
/// points.push_row(["fold".into(), 0usize.into(), "LP".into()])?;
/// let run = FinishedRun {
///     data: RunData { special: points.clone(), points, ..RunData::default() },
///     summary: RunSummary { curves: vec![CurveSummary { name: "fold".into(), ..CurveSummary::default() }], ..RunSummary::default() },
///     ..FinishedRun::default()
/// };
/// let point = Selection::parse("fold-0", false, &run)?;
/// assert!(matches!(point, Selection::Point { curve, index: 0 } if curve == "fold"));
/// assert!(matches!(Selection::parse("fold", true, &run)?, Selection::Curve { all: true, .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    /// Several points of a curve.
    Points {
        /// The curve's name.
        curve: String,
        /// Their indices.
        indices: Vec<usize>,
    },
    /// A simulated trajectory.
    Trajectory(String),
    /// A table of an analysis, or a sweep for attractors.
    Table(String),
}

impl Selection {
    /// What `CURVE`, `CURVE-INDEX` or, as starts of curves are written, `CURVE, LABEL` or `CURVE: LABEL` stands for in
    /// a run. A name that fits a curve as a whole is that curve; `CURVE:INDEX` always is a point. Behind the comma (or
    /// `-`, or `:`) stands a label (`PD`: all such points), a label with a number along the curve (`PD 2`), a level
    /// (`Omega=2`), or an index.
    ///
    /// # Errors
    /// [`ShowError::Unknown`], [`ShowError::NoPoint`], [`ShowError::NoSuch`].
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
        if table_of(run, text).is_some() {
            return Ok(Self::Table(text.to_owned()));
        }
        for separator in [',', ':', '-'] {
            let Some((curve, point)) = text.rsplit_once(separator) else {
                continue;
            };
            let (curve, point) = (curve.trim(), point.trim());
            if !curves.contains(&curve) {
                continue;
            }
            if let Ok(index) = point.parse() {
                let last = run.data.points.rows_where("curve", curve).rows().saturating_sub(1);
                if index > last {
                    let curve = curve.to_owned();
                    return Err(ShowError::NoPoint { curve, index, last });
                }
                let curve = curve.to_owned();
                return Ok(Self::Point { curve, index });
            }
            if separator != '-'
                || Label::parse(point.split(' ').next().unwrap_or(point)).is_some()
                || point.contains('=')
            {
                return special(run, curve, point);
            }
        }
        let data = &run.data;
        let others = data
            .trajectories
            .keys()
            .chain(data.attractors.keys())
            .chain(data.tables.keys());
        let known = curves.into_iter().map(str::to_owned).chain(others.cloned());
        Err(ShowError::Unknown {
            name: text.to_owned(),
            known: known.collect(),
        })
    }
}

/// The table of an analysis or of a sweep for attractors.
fn table_of<'a>(run: &'a FinishedRun, name: &str) -> Option<&'a Table> {
    run.data.tables.get(name).or_else(|| run.data.attractors.get(name))
}

/// The special points of a curve that `point` means: `PD`, `PD 2`, `Omega=2`.
fn special(run: &FinishedRun, curve: &str, point: &str) -> Result<Selection, ShowError> {
    let rows = run.data.special.rows_where("curve", curve);
    let (indices, labels) = (rows.numbers("index")?, rows.texts("label")?);
    let all = 0..rows.rows();
    let fitting: Vec<usize> = if let Some((column, value)) = point.split_once('=') {
        let column = rows.numbers(&plain_name(column.trim()))?;
        let value: f64 = value.trim().parse().unwrap_or(f64::NAN);
        all.filter(|&row| (column[row] - value).abs() <= 1e-9 * (1.0 + value.abs()))
            .collect()
    } else {
        let (label, number) = point.split_once(' ').unwrap_or((point, ""));
        let having = all.filter(|&row| labels[row] == label);
        match number.trim().parse::<usize>() {
            Ok(k) => having.skip(k.wrapping_sub(1)).take(1).collect(),
            Err(_) if number.is_empty() => having.collect(),
            Err(_) => vec![],
        }
    };
    let curve = curve.to_owned();
    match fitting[..] {
        [] => Err(ShowError::NoSuch {
            wanted: point.to_owned(),
            known: (0..rows.rows())
                .map(|row| format!("{curve}-{} {}", indices[row], labels[row]))
                .collect(),
            curve,
        }),
        [row] => Ok(Selection::Point {
            curve,
            index: indices[row] as usize,
        }),
        _ => Ok(Selection::Points {
            curve,
            indices: fitting.into_iter().map(|row| indices[row] as usize).collect(),
        }),
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
        Selection::Points { curve, indices } => {
            let stories: Result<Vec<String>, ShowError> =
                indices.iter().map(|&index| point::story(run, curve, index)).collect();
            Ok(stories?.join("\n\n"))
        }
        Selection::Trajectory(name) => trajectory(run, name),
        Selection::Table(name) => {
            let rows = table_of(run, name).map(|rows| aligned(&table(rows, &[])));
            Ok(rows.unwrap_or_default().trim_end().to_owned())
        }
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
        text.push_str(&format!("{}: {} points, {}\n", c.name, c.points, covered(run, c)));
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
    for a in &run.summary.attractors {
        text.push_str(&format!("{}: attractors, {}\n", a.name, a.verdict));
        for missing in &a.missing {
            text.push_str(&format!("  missing: {missing}\n"));
        }
    }
    for (name, objects) in &run.data.portraits {
        let objects: Vec<&str> = objects.keys().map(String::as_str).collect();
        text.push_str(&format!("{name}: slow–fast portrait, {}\n", objects.join(", ")));
    }
    for a in &run.summary.analyses {
        text.push_str(&format!("{}: analysis\n", a.name));
        for note in &a.notes {
            text.push_str(&format!("  {note}\n"));
        }
    }
    for (name, rows) in &run.data.trajectories {
        if !run.summary.trajectories.iter().any(|t| t.name == *name) {
            text.push_str(&format!("{name}: motion over time, {} rows\n", rows.rows()));
        }
    }
    for (name, rows) in &run.data.tables {
        text.push_str(&format!("{name}: table, {} rows\n", rows.rows()));
    }
    for m in &run.summary.missing {
        let what = if m.partly { "" } else { " produced no points" };
        text.push_str(&format!("{}{what}: {}\n", m.curve, m.reason));
    }
    Ok(text.trim_end().to_owned())
}

/// The range of each free parameter of a curve.
fn covered(run: &FinishedRun, curve: &CurveSummary) -> String {
    let ranges: Vec<String> = (curve.free.split(", ").enumerate())
        .map(|(k, name)| {
            let rows = run.data.points.rows_where("curve", &curve.name);
            let (from, to) = match rows.get(name) {
                Some(Column::Number(values)) if k > 0 => (values.iter())
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| {
                        (lo.min(*v), hi.max(*v))
                    }),
                _ => (curve.from, curve.to),
            };
            format!("{name} from {} to {}", rounded(from, 12), rounded(to, 12))
        })
        .collect();
    ranges.join(", ")
}

/// Name, label, value of the free parameters and message of each special point of a curve.
fn specials(run: &FinishedRun, curve: &str, free: &str) -> Result<String, ShowError> {
    let rows = run.data.special.rows_where("curve", curve);
    let (indices, labels) = (rows.numbers("index")?, rows.texts("label")?);
    let messages = rows.texts("message")?;
    let at: Vec<(&str, &Column)> = free
        .split(", ")
        .filter_map(|name| Some((name, rows.get(name)?)))
        .collect();
    let lines: Vec<Vec<String>> = (0..rows.rows())
        .map(|row| {
            let values: Vec<String> = (at.iter())
                .filter_map(|(name, column)| match column {
                    Column::Number(v) => Some(format!("{name} = {}", rounded(v[row], 12))),
                    _ => None,
                })
                .collect();
            vec![
                format!("{curve}-{}", indices[row]),
                labels[row].clone(),
                values.join(", "),
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
            text.push_str(&format!("  NU at t = {}: {choice}\n", rounded(*time, 12)));
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
        .filter(|(name, column)| !without.contains(name) && reported(column))
        .collect();
    let mut lines = vec![shown.iter().map(|(name, _)| (*name).to_owned()).collect()];
    for row in 0..rows.rows() {
        lines.push(shown.iter().map(|(_, column)| cell(column, row)).collect());
    }
    lines
}

fn reported(column: &Column) -> bool {
    match column {
        Column::Number(values) => values.iter().any(|v| !v.is_nan()),
        Column::Text(values) => values.iter().any(|v| !v.is_empty()),
        Column::Flag(_) => true,
    }
}

fn cell(column: &Column, row: usize) -> String {
    match column {
        Column::Number(values) => rounded(values[row], 12),
        Column::Text(values) => values[row].clone(),
        Column::Flag(values) => values[row].to_string(),
    }
}
