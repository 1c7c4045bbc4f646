//! Orbits to start from, as tables and files hold them.

use slipstick_continuation::Point;
use slipstick_report::{Column, Table, read_solutions};
use slipstick_system::{System, Units};
use std::path::Path;
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
pub(crate) fn read_orbit(path: &Path, system: &System) -> Result<Given, String> {
    let table = Table::read(path).map_err(|e| e.to_string())?;
    let numbers = |name: &str| table.numbers(name).map_err(|e| format!("{}: {e}", path.display()));
    let t = match table.get("t") {
        None if table.rows() == 1 => vec![0.0],
        _ => numbers("t")?.to_vec(),
    };
    let columns: Vec<&[f64]> = system
        .states
        .iter()
        .map(|s| numbers(&s.name))
        .collect::<Result<_, _>>()?;
    if t.is_empty() {
        return Err(format!("{} has no rows", path.display()));
    }
    let states: Vec<Vec<f64>> = (0..t.len()).map(|i| columns.iter().map(|c| c[i]).collect()).collect();
    if let Some(row) = (0..t.len()).find(|&i| !t[i].is_finite() || states[i].iter().any(|v| !v.is_finite())) {
        return Err(format!(
            "{}: row {} has a number that is not finite",
            path.display(),
            row + 1
        ));
    }
    if let Some(row) = (1..t.len()).find(|&i| t[i] < t[i - 1]) {
        return Err(format!("{}: time runs backwards in row {}", path.display(), row + 1));
    }
    let modes = match table.get("mode") {
        Some(Column::Text(names)) => names
            .iter()
            .map(|name| {
                let known = || {
                    let modes: Vec<&str> = system.modes.iter().map(|m| &*m.name).collect();
                    format!(
                        "{}: unknown mode `{name}`; this system has: {}",
                        path.display(),
                        modes.join(", ")
                    )
                };
                system.mode(name).ok_or_else(known)
            })
            .collect::<Result<_, _>>()?,
        _ if system.is_hybrid() => return Err(format!("{} has no column `mode`", path.display())),
        _ => vec![system.start.0; t.len()],
    };
    let given = Given {
        t,
        states,
        modes,
        ..Given::default()
    };
    Ok(given.in_units(&Units::default(), &system.units))
}
/// Read the solution with a label from a file of AUTO's; `numbers` are AUTO's numbers of the parameters.
pub(crate) fn read_auto(path: &Path, label: usize, numbers: &[usize], system: &System) -> Result<Given, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let solutions = read_solutions(&text, &path.display().to_string()).map_err(|e| e.to_string())?;
    let Some(solution) = solutions.iter().find(|s| s.label == label) else {
        let known: Vec<String> = solutions.iter().map(|s| s.label.to_string()).collect();
        return Err(format!(
            "{} has no solution with label {label}; it has: {}",
            path.display(),
            known.join(", ")
        ));
    };
    let n = solution.states[0].len();
    if n != system.states.len() {
        return Err(format!(
            "the solutions in {} have {n} states, the system has {}",
            path.display(),
            system.states.len()
        ));
    }
    let stretch = if solution.t.len() > 1 { solution.period() } else { 1.0 };
    if !(stretch > 0.0 && stretch.is_finite()) {
        return Err(format!("solution {label} in {} has no period, PAR(11)", path.display()));
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
        modes: vec![system.start.0; solution.t.len()],
        states: solution.states.clone(),
        known: None,
    };
    Ok(given.in_units(&Units::default(), &system.units))
}
