//! From branches in memory to the tables of the output contract.

use crate::plan::object::Object;
use crate::results::curve::CurveResult;
use crate::results::trajectory::TrajectoryResult;
use slipstick_bifurcation::{BranchPoint, Label};
use slipstick_floquet::Multiplier;
use slipstick_orbit::OrbitSample;
use slipstick_report::{Cell, Column, Kind, ReportError, Table};
use slipstick_system::System;

/// The columns of `points.csv`, with so many multipliers, half-map multipliers ν and eigenvalues; `special.csv` has the
/// message besides.
pub(crate) fn columns(
    parameters: &[String],
    monitors: &[String],
    [multipliers, nus, eigenvalues]: [usize; 3],
    special_only: bool,
) -> Vec<(String, Kind)> {
    let mut columns: Vec<(String, Kind)> = vec![
        ("curve".into(), Kind::Text),
        ("index".into(), Kind::Number),
        ("label".into(), Kind::Text),
    ];
    columns.extend(parameters.iter().map(|n| (n.clone(), Kind::Number)));
    columns.push(("period".into(), Kind::Number));
    columns.extend(monitors.iter().map(|n| (n.clone(), Kind::Number)));
    columns.extend([
        ("word".into(), Kind::Text),
        ("admissible".into(), Kind::Flag),
        ("margin".into(), Kind::Number),
        ("stable".into(), Kind::Flag),
        ("unstable".into(), Kind::Number),
    ]);
    for (name, count) in [("mult", multipliers), ("nu", nus)] {
        for i in 1..=count {
            columns.push((format!("{name}{i}_log10"), Kind::Number));
            columns.push((format!("{name}{i}_arg"), Kind::Number));
        }
    }
    for i in 1..=eigenvalues {
        columns.push((format!("eig{i}_re"), Kind::Number));
        columns.push((format!("eig{i}_im"), Kind::Number));
    }
    if special_only {
        columns.push(("message".into(), Kind::Text));
    }
    columns
}

/// By how much inequalities may be missed at a point that is located on one of them: by rounding. Where a segment
/// vanishes, it is located with 1e-8 of the period left, and its other inequalities are differences over that.
fn rounding(label: Option<Label>) -> f64 {
    if label == Some(Label::VS) { 1e-7 } else { 1e-9 }
}

/// The table of all points of a curve, or only of its special points with their messages.
///
/// # Errors
/// [`ReportError`] when a name clashes with a column of the contract.
pub(crate) fn points(result: &CurveResult, special_only: bool) -> Result<Table, ReportError> {
    let count = |f: fn(&BranchPoint) -> usize| result.points().map(|(_, _, p)| f(p)).max().unwrap_or(0);
    let multipliers = count(|p| p.record.multipliers.len());
    let nus = count(|p| p.record.nu.len());
    let eigenvalues = count(|p| p.record.eigenvalues.len());
    let wanted = |p: &BranchPoint| !special_only || p.label.is_some();
    let rows = result.points().filter(|(_, _, p)| wanted(p)).count();
    let counts = [multipliers, nus, eigenvalues];
    let columns = columns(&result.parameters, &result.monitors, counts, special_only);
    let mut table = Table::with_room(columns, rows);
    for (index, piece, p) in result.points().filter(|(_, _, p)| wanted(p)) {
        let r = &p.record;
        let mut row: Vec<Cell> = vec![
            Cell::Text(result.name.clone()),
            Cell::Number(index as f64),
            Cell::Text(p.label.map_or_else(String::new, |l| l.code().into())),
        ];
        row.extend(r.parameters.iter().map(|&v| Cell::Number(v)));
        row.push(Cell::Number(r.period));
        row.extend(r.monitors.iter().map(|&v| Cell::Number(v)));
        row.extend([
            Cell::Text(piece.word.clone()),
            Cell::Flag(r.margin() >= -rounding(p.label)),
            Cell::Number(r.margin()),
            Cell::Flag(r.stable()),
            Cell::Number(r.unstable as f64),
        ]);
        push_multipliers(&mut row, &r.multipliers, multipliers);
        push_multipliers(&mut row, &r.nu, nus);
        for i in 0..eigenvalues {
            let (re, im) = r.eigenvalues.get(i).map_or((f64::NAN, f64::NAN), |v| (v.re, v.im));
            row.extend([Cell::Number(re), Cell::Number(im)]);
        }
        if special_only {
            row.push(Cell::Text(p.message.clone()));
        }
        table.push_row(row)?;
    }
    Ok(table)
}

/// The margins of all inequalities at the points of a curve: one column for each inequality, headed by the label and
/// label where it is zero, empty where the word does not have it. `None` for a curve without inequalities.
///
/// # Errors
/// [`ReportError`] never in practice: headings are made unique.
pub(crate) fn inequalities(result: &CurveResult) -> Result<Option<Table>, ReportError> {
    let mut columns = vec![("index".to_owned(), Kind::Number)];
    let mut places = vec![];
    for piece in &result.pieces {
        let mut own: Vec<usize> = vec![];
        for spec in &piece.inequalities {
            let plain = format!("{}: {}", spec.label.code(), spec.meaning);
            let mut heading = plain.clone();
            let mut count = 1;
            // Pieces share a column where they have the same inequality; twice in one piece, it is two.
            let at = loop {
                match columns.iter().position(|(name, _)| *name == heading) {
                    Some(known) if own.contains(&known) => {
                        count += 1;
                        heading = format!("{plain} ({count})");
                    }
                    Some(known) => break known,
                    None => {
                        columns.push((heading, Kind::Number));
                        break columns.len() - 1;
                    }
                }
            };
            own.push(at);
        }
        places.push(own);
    }
    if columns.len() == 1 {
        return Ok(None);
    }
    let width = columns.len();
    let mut table = Table::new(columns);
    let mut index = 0;
    for (piece, own) in result.pieces.iter().zip(&places) {
        for p in &piece.branch.points {
            let mut row = vec![f64::NAN; width];
            row[0] = index as f64;
            for (&at, &margin) in own.iter().zip(&p.record.inequalities) {
                row[at] = margin;
            }
            table.push_row(row.into_iter().map(Cell::Number))?;
            index += 1;
        }
    }
    Ok(Some(table))
}

/// The table of a simulated trajectory.
///
/// # Errors
/// As for [`orbit`].
pub(crate) fn trajectory(system: &System, result: &TrajectoryResult) -> Result<Table, ReportError> {
    let mut columns: Vec<(String, Kind)> = vec![("t".into(), Kind::Number)];
    columns.extend(system.states.iter().map(|s| (s.name.clone(), Kind::Number)));
    columns.push(("mode".into(), Kind::Text));
    columns.extend(system.observables.iter().map(|o| (o.name.clone(), Kind::Number)));
    columns.push(("label".into(), Kind::Text));
    let mut table = Table::new(columns);
    for r in &result.rows {
        let own: Vec<f64> = system.modes[r.mode].states.iter().map(|&i| r.states[i]).collect();
        let mut row = vec![Cell::Number(r.t)];
        row.extend(r.states.iter().map(|&v| Cell::Number(v)));
        row.push(Cell::Text(system.modes[r.mode].name.clone()));
        for o in &system.observables {
            let mut v = [0.0];
            o.by_mode[r.mode].value(&own, &result.parameters, &mut v);
            row.push(Cell::Number(v[0]));
        }
        let here = result.nonunique.iter().any(|(t, _)| *t == r.t);
        row.push(Cell::Text(if here { Label::NU.code().into() } else { String::new() }));
        table.push_row(row)?;
    }
    Ok(table)
}

/// So many multipliers or eigenvalues a table has at most: of more states the leading ones.
pub(crate) fn most_multipliers(system: &System) -> usize {
    const MOST: usize = 2000;
    system.states.len().min(MOST)
}

/// What tells how stable the points of a curve are: half-map multipliers besides multipliers, of symmetric orbits only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spectrum {
    Eigenvalues,
    Multipliers,
    HalfMap,
}

impl Spectrum {
    /// That of what a curve follows.
    pub(crate) fn of(object: &Object) -> Self {
        match object {
            Object::Equilibrium { .. } => Self::Eigenvalues,
            Object::Orbit(word) if word.symmetric => Self::HalfMap,
            Object::Orbit(_) | Object::Cycle { .. } => Self::Multipliers,
        }
    }

    fn columns(self, number: usize) -> Vec<String> {
        let multiplier = |name: &str| [format!("{name}{number}_log10"), format!("{name}{number}_arg")];
        match self {
            Self::Eigenvalues => vec![format!("eig{number}_re"), format!("eig{number}_im")],
            Self::Multipliers => multiplier("mult").into(),
            Self::HalfMap => [multiplier("mult"), multiplier("nu")].concat(),
        }
    }
}

/// The number columns that a curve of `system` with these monitors can have.
pub(crate) fn number_columns(system: &System, monitors: &[String], spectrum: Spectrum) -> Vec<String> {
    let mut names = vec!["index".to_string()];
    names.extend(system.parameters.iter().map(|p| p.name.clone()));
    names.push("period".into());
    names.extend_from_slice(monitors);
    names.extend(["margin".into(), "unstable".into()]);
    // Of orbits the multiplier along the flow is left out.
    let of_flow = spectrum != Spectrum::Eigenvalues && !system.is_map();
    let count = most_multipliers(system);
    for i in 1..=if of_flow { count.saturating_sub(1).max(1) } else { count } {
        names.extend(spectrum.columns(i));
    }
    names
}

/// The number columns of orbit and trajectory files.
pub(crate) fn orbit_columns(system: &System) -> Vec<String> {
    let mut names = vec!["t".to_string()];
    names.extend(system.states.iter().map(|s| s.name.clone()));
    names.extend(system.observables.iter().map(|o| o.name.clone()));
    names
}

fn push_multipliers(row: &mut Vec<Cell>, multipliers: &[Multiplier], columns: usize) {
    for i in 0..columns {
        let (log10, arg) = multipliers.get(i).map_or((f64::NAN, f64::NAN), |m| (m.log10, m.arg));
        row.push(Cell::Number(log10));
        row.push(Cell::Number(arg));
    }
}

/// The table of one sampled orbit or trajectory.
///
/// # Errors
/// [`ReportError`] when a state or observable is named like a column of the contract.
pub(crate) fn orbit(system: &System, sample: &OrbitSample) -> Result<Table, ReportError> {
    let numbers = |of: &dyn Fn(usize) -> f64| Column::Number((0..sample.t.len()).map(of).collect());
    let mut table = Table::default();
    let mut columns = vec![("t".to_owned(), Column::Number(sample.t.clone()))];
    let states = system.states.iter().enumerate();
    columns.extend(states.map(|(i, state)| (state.name.clone(), numbers(&|row| sample.states[row][i]))));
    table.set_columns(columns)?;
    if system.is_hybrid() {
        let names = sample.modes.iter().map(|&mode| system.modes[mode].name.clone());
        table.set_column("mode", Column::Text(names.collect()))?;
    }
    for (i, observable) in system.observables.iter().enumerate() {
        table.set_column(&observable.name, numbers(&|row| sample.observables[row][i]))?;
    }
    if !sample.canard.is_empty() {
        table.set_column("canard", Column::Flag(sample.canard.clone()))?;
    }
    let one = usize::from;
    let found =
        1 + system.states.len() + one(system.is_hybrid()) + system.observables.len() + one(!sample.canard.is_empty());
    match table.names().len() {
        wanted if wanted == found => Ok(table),
        wanted => Err(ReportError::RowLength { found, wanted }),
    }
}
