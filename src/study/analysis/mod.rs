//! The `analyses: [...]` of a study: computations by a system's own solver, which are neither curves nor simulations.
//!
//! Each gives tables (`tables/<name>.csv`) and motions (`trajectories/<name>.csv`); figures draw either with `Trajectories`.

mod bearing;
mod ensemble;
mod shaw;
mod shoe;
mod wear;

pub use bearing::{CalibrationSpec, RecordSource};
pub use ensemble::EnsembleSpec;
pub use shaw::{ConvergenceSpec, ForcingSpec, ShawSpec, SlowForcingSpec, SolverSpec};
pub use shoe::ShoeSpec;
pub use wear::WearSpec;

use crate::report::{Cell, Kind, ReportError, Table};
use serde::Deserialize;
use std::path::Path;

/// One analysis.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum AnalysisSpec {
    /// The motion of Shaw's oscillator under any forcing.
    Shaw(ShawSpec),
    /// The error of the Euler scheme against the exact motion.
    Convergence(ConvergenceSpec),
    /// Random forcing, many paths.
    Ensemble(EnsembleSpec),
    /// The quasi-static limit against the exact motion.
    SlowForcing(SlowForcingSpec),
    /// Identification of a bridge bearing.
    Calibration(CalibrationSpec),
    /// Wear power of a mass on a vibrating base, over the amplitude.
    WearPower(WearSpec),
    /// A sliding shoe.
    SlidingShoe(ShoeSpec),
}

/// What an analysis needs from its study.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// The folder of the study, which file names are relative to.
    pub folder: &'a Path,
    /// The seed of all random numbers.
    pub seed: u64,
}

/// What an analysis gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnalysisResult {
    /// Its name.
    pub name: String,
    /// Motions over time, by name.
    pub motions: Vec<(String, Table)>,
    /// Other tables, by name.
    pub tables: Vec<(String, Table)>,
    /// What was noticed, in words.
    pub notes: Vec<String>,
}

impl AnalysisSpec {
    /// Its name, which its tables begin with.
    pub fn name(&self) -> &str {
        match self {
            Self::Shaw(s) => &s.name,
            Self::Convergence(s) => &s.name,
            Self::Ensemble(s) => &s.name,
            Self::SlowForcing(s) => &s.name,
            Self::Calibration(s) => &s.name,
            Self::WearPower(s) => &s.name,
            Self::SlidingShoe(s) => &s.name,
        }
    }

    /// The names of the tables and motions it will give, with their number columns; for checking figures before any work starts.
    pub fn outputs(&self) -> Vec<(String, Vec<String>)> {
        let layout = match self {
            Self::Shaw(s) => s.outputs(),
            Self::Convergence(s) => s.outputs(),
            Self::Ensemble(s) => s.outputs(),
            Self::SlowForcing(s) => s.outputs(),
            Self::Calibration(s) => s.outputs(),
            Self::WearPower(s) => s.outputs(),
            Self::SlidingShoe(s) => s.outputs(),
        };
        layout
            .into_iter()
            .map(|(name, columns)| (name, columns.iter().map(|c| (*c).to_owned()).collect()))
            .collect()
    }

    /// Check it without doing the work.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::Shaw(s) => s.check(),
            Self::Convergence(s) => s.check(),
            Self::Ensemble(s) => s.check(),
            Self::SlowForcing(s) => s.check(),
            Self::Calibration(s) => s.check(),
            Self::WearPower(s) => s.check(),
            Self::SlidingShoe(s) => s.check(),
        }
    }

    /// Do the work.
    ///
    /// # Errors
    /// Why it gave nothing, in words.
    pub fn run(&self, around: Surroundings<'_>) -> Result<AnalysisResult, String> {
        let mut result = match self {
            Self::Shaw(s) => s.run(around),
            Self::Convergence(s) => s.run(),
            Self::Ensemble(s) => s.run(around),
            Self::SlowForcing(s) => s.run(),
            Self::Calibration(s) => s.run(around),
            Self::WearPower(s) => s.run(),
            Self::SlidingShoe(s) => s.run(),
        }?;
        self.name().clone_into(&mut result.name);
        Ok(result)
    }
}

/// The names of an analysis's tables with their number columns.
type Outputs = Vec<(String, Vec<&'static str>)>;

/// A table of numbers.
fn numbers<const N: usize>(
    columns: [&'static str; N],
    rows: impl IntoIterator<Item = [f64; N]>,
) -> Result<Table, String> {
    let mut table = Table::new(columns.map(|c| (c, Kind::Number)));
    for row in rows {
        table.push_row(row.map(Cell::Number)).map_err(words)?;
    }
    Ok(table)
}

/// A table whose first columns are words.
fn worded<const W: usize, const N: usize>(
    texts: [&'static str; W],
    columns: [&'static str; N],
    rows: impl IntoIterator<Item = ([String; W], [f64; N])>,
) -> Result<Table, String> {
    let kinds = texts
        .map(|c| (c, Kind::Text))
        .into_iter()
        .chain(columns.map(|c| (c, Kind::Number)));
    let mut table = Table::new(kinds);
    for (words_here, values) in rows {
        let cells = words_here.map(Cell::Text).into_iter().chain(values.map(Cell::Number));
        table.push_row(cells).map_err(words)?;
    }
    Ok(table)
}

fn words(e: ReportError) -> String {
    e.to_string()
}

/// `n` evenly spaced values from `from` to `to`.
fn evenly(from: f64, to: f64, n: usize) -> impl Iterator<Item = f64> {
    (0..n).map(move |i| from + (to - from) * (i as f64 / (n.max(2) - 1) as f64))
}
