//! Orbits to start from, as tables and files hold them.

use slipstick_continuation::Point;
use slipstick_report::{Column, ReportError, Table, read_solutions};
use slipstick_system::{System, Units};
use std::path::{Path, PathBuf};

/// Why a file holds no orbit to start from.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OrbitFileError {
    /// It is no table, or none of AUTO's files.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A column of a table.
    #[error("{}: {error}", path.display())]
    Column {
        path: PathBuf,
        #[source]
        error: ReportError,
    },
    /// It cannot be read.
    #[error("{}: {error}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        error: std::io::Error,
    },
    /// A table without rows.
    #[error("{} has no rows", path.display())]
    NoRows { path: PathBuf },
    /// A state or a time in a row, counted from 1.
    #[error("{}: row {row} has a number that is not finite", path.display())]
    NotFinite { path: PathBuf, row: usize },
    /// Time in a row, counted from 1.
    #[error("{}: time runs backwards in row {row}", path.display())]
    Backwards { path: PathBuf, row: usize },
    /// A mode that the system does not have.
    #[error("{}: unknown mode `{mode}`; this system has: {}", path.display(), known.join(", "))]
    UnknownMode {
        path: PathBuf,
        mode: String,
        known: Vec<String>,
    },
    /// A hybrid system's orbit without modes.
    #[error("{} has no column `mode`", path.display())]
    NoModes { path: PathBuf },
    /// No solution of AUTO's has the label.
    #[error("{} has no solution with label {label}; it has: {}", path.display(), list(known))]
    NoSolution {
        path: PathBuf,
        label: usize,
        known: Vec<usize>,
    },
    /// Solutions of another system.
    #[error("the solutions in {} have {found} states, the system has {wanted}", path.display())]
    States { path: PathBuf, found: usize, wanted: usize },
    /// A solution without a period.
    #[error("solution {label} in {} has no period, PAR(11)", path.display())]
    NoPeriod { path: PathBuf, label: usize },
}

fn list(labels: &[usize]) -> String {
    let labels: Vec<String> = labels.iter().map(ToString::to_string).collect();
    labels.join(", ")
}

/// An orbit to start from, as tables hold it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Given {
    /// The label of the point it was, if it was one.
    pub(crate) label: String,
    /// Parameters by name.
    pub(crate) parameters: Vec<(String, f64)>,
    /// Times of the rows.
    pub(crate) t: Vec<f64>,
    /// All states of the system in each row.
    pub(crate) states: Vec<Vec<f64>>,
    /// The mode in each row.
    pub(crate) modes: Vec<usize>,
    /// The point itself, where it is one of a curve of the same run.
    pub(crate) known: Option<Known>,
}
/// A point of a curve of the same run: solved already, on its own meshes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Known {
    /// The word of the piece that it lies on.
    pub(crate) word: String,
    /// Is it half of a symmetric orbit?
    pub(crate) half: bool,
    pub(crate) point: Point,
}
impl Given {
    /// The same orbit in other units. Its unknowns are those of the units that it was solved in.
    pub(crate) fn in_units(mut self, from: &Units, to: &Units) -> Self {
        if from != to {
            self.t.iter_mut().for_each(|t| *t *= from.time / to.time);
            for (i, x) in self.states.iter_mut().flat_map(|x| x.iter_mut().enumerate()) {
                *x *= from.state(i) / to.state(i);
            }
            self.known = None;
        }
        self
    }
}
/// Read an orbit file: `t`, the states by name and, for hybrid systems, `mode`.
pub(crate) fn read_orbit(path: &Path, system: &System) -> Result<Given, OrbitFileError> {
    let table = Table::read(path)?;
    let file = || path.to_path_buf();
    let numbers = |name: &str| {
        let column = table.numbers(name);
        column.map_err(|error| OrbitFileError::Column { path: file(), error })
    };
    let mut t = match table.get("t") {
        None if table.rows() == 1 => vec![0.0],
        _ => numbers("t")?.to_vec(),
    };
    let columns: Vec<&[f64]> = system
        .states
        .iter()
        .map(|s| numbers(&s.name))
        .collect::<Result<_, _>>()?;
    if t.is_empty() {
        return Err(OrbitFileError::NoRows { path: file() });
    }
    let states: Vec<Vec<f64>> = (0..t.len()).map(|i| columns.iter().map(|c| c[i]).collect()).collect();
    if let Some(row) = (0..t.len()).find(|&i| !t[i].is_finite() || states[i].iter().any(|v| !v.is_finite())) {
        return Err(OrbitFileError::NotFinite {
            path: file(),
            row: row + 1,
        });
    }
    level_rounding(&mut t);
    if let Some(row) = (1..t.len()).find(|&i| t[i] < t[i - 1]) {
        return Err(OrbitFileError::Backwards {
            path: file(),
            row: row + 1,
        });
    }
    let modes = match table.get("mode") {
        Some(Column::Text(names)) => names
            .iter()
            .map(|name| {
                let unknown = || OrbitFileError::UnknownMode {
                    path: file(),
                    mode: name.clone(),
                    known: system.modes.iter().map(|m| m.name.clone()).collect(),
                };
                system.mode(name).ok_or_else(unknown)
            })
            .collect::<Result<_, _>>()?,
        _ if system.is_hybrid() => return Err(OrbitFileError::NoModes { path: file() }),
        _ => vec![system.start.mode(); t.len()],
    };
    let given = Given {
        t,
        states,
        modes,
        ..Given::default()
    };
    Ok(given.in_units(&Units::default(), &system.units))
}
/// Where one segment ends and the next begins, rounding may turn the order of their times around: they are made equal.
fn level_rounding(t: &mut [f64]) {
    let rounding = 8.0 * f64::EPSILON * t.iter().fold(0.0, |largest, t| f64::max(largest, t.abs()));
    for row in 1..t.len() {
        if t[row] < t[row - 1] && t[row - 1] - t[row] <= rounding {
            t[row] = t[row - 1];
        }
    }
}

/// Read the solution with a label from a file of AUTO's; `numbers` are AUTO's numbers of the parameters.
pub(crate) fn read_auto(
    path: &Path,
    label: usize,
    numbers: &[usize],
    system: &System,
) -> Result<Given, OrbitFileError> {
    let file = || path.to_path_buf();
    let text = std::fs::read_to_string(path).map_err(|error| OrbitFileError::Io { path: file(), error })?;
    let solutions = read_solutions(&text, &path.display().to_string())?;
    let Some(solution) = solutions.iter().find(|s| s.label == label) else {
        return Err(OrbitFileError::NoSolution {
            path: file(),
            label,
            known: solutions.iter().map(|s| s.label).collect(),
        });
    };
    let n = solution.states[0].len();
    if n != system.states.len() {
        return Err(OrbitFileError::States {
            path: file(),
            found: n,
            wanted: system.states.len(),
        });
    }
    let stretch = if solution.t.len() > 1 { solution.period() } else { 1.0 };
    if !(stretch > 0.0 && stretch.is_finite()) {
        return Err(OrbitFileError::NoPeriod { path: file(), label });
    }
    let parameters = system
        .parameters
        .iter()
        .zip(numbers)
        .filter_map(|(p, &k)| Some((p.name.clone(), *solution.parameters.get(k - 1)?)));
    let given = Given {
        label: String::new(),
        parameters: parameters.collect(),
        t: solution.t.iter().map(|t| t * stretch).collect(),
        modes: vec![system.start.mode(); solution.t.len()],
        states: solution.states.clone(),
        known: None,
    };
    Ok(given.in_units(&Units::default(), &system.units))
}
