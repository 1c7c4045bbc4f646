//! The `analyses: [...]` of a study: computations by a system's own solver, which are neither curves nor simulations.
//!
//! Each gives tables (`tables/<name>.csv`), motions (`trajectories/<name>.csv`) or curves (`points.csv`); figures draw them all.

mod bearing;
mod bowed;
mod bowed_branch;
mod bowed_convergence;
mod bowed_modes;
mod convergence;
mod elastic;
mod ensemble;
mod forcing;
mod kernel;
mod shaw;
mod shoe;
mod slow_forcing;
mod validate;
mod wear;

pub use bearing::{CalibrationSpec, RecordSource};
pub use bowed::{BowedSpec, MotionMethod};
pub use bowed_branch::BowedBranchSpec;
pub use bowed_convergence::BowedConvergenceSpec;
pub use bowed_modes::BowedModesSpec;
pub use convergence::ConvergenceSpec;
pub use elastic::{BowSpec, Positions, StructureSpec};
pub use ensemble::EnsembleSpec;
pub use forcing::ForcingSpec;
pub use kernel::KernelSpec;
pub use shaw::{ShawSpec, SolverSpec};
pub use shoe::ShoeSpec;
pub use slow_forcing::SlowForcingSpec;
pub use wear::WearSpec;

pub(super) use validate::{announce, check, set};

use super::limits::Limit;
use super::results::CurveResult;
use super::run::Observer;
use serde::Deserialize;
use slipstick_models::friction::shaw::{Oscillator, ParameterError};
use slipstick_report::{Cell, Kind, ReportError, Table};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// One analysis.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::analysis::AnalysisSpec;
/// let text = r#"Study(
///     title: "An analysis",
///     analyses: [Shaw(name: "motion"), Kernel(name: "memory")],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let AnalysisSpec::Shaw(spec) = &study.analyses[0] else { panic!("it is one") };
/// assert!(spec.name == "motion" && study.analyses[1].name() == "memory");
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum AnalysisSpec {
    /// The motion of Shaw's oscillator under any forcing.
    Shaw(ShawSpec),
    /// The error of the Euler scheme against the exact motion of Shaw's oscillator.
    Convergence(ConvergenceSpec),
    /// Shaw's oscillator under random forcing, many paths.
    Ensemble(EnsembleSpec),
    /// The quasi-static limit of Shaw's oscillator against the exact motion.
    SlowForcing(SlowForcingSpec),
    /// Identification of a bridge bearing from a record.
    Calibration(CalibrationSpec),
    /// Wear power of a mass on a vibrating base, over the amplitude.
    WearPower(WearSpec),
    /// A sliding shoe that comes to rest.
    SlidingShoe(ShoeSpec),
    /// The memory kernel of an elastic structure.
    Kernel(KernelSpec),
    /// The motion of an elastic structure under friction at one point.
    Bowed(BowedSpec),
    /// The error of the Euler scheme of the reduced equation against the motion of all modes.
    BowedConvergence(BowedConvergenceSpec),
    /// The periodic stick-slip motion of an elastic structure for several numbers of modes, and its limit.
    BowedModes(BowedModesSpec),
    /// The branch of periodic stick-slip motions of an elastic structure over one parameter.
    BowedBranch(BowedBranchSpec),
}

/// What an analysis needs from its study.
///
/// ```
/// use slipstick_study::{self as study, Silent, analysis::Surroundings};
/// let text = r#"Study(
///     title: "A shoe",
///     analyses: [SlidingShoe(name: "shoe")],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let around = Surroundings { folder: ".".as_ref(), seed: 1, observer: &Silent, stop: &false.into() };
/// let result = study.analyses[0].run(around)?;
/// assert_eq!(result.name, "shoe");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The folder of the study, which file names are relative to.
    pub folder: &'a Path,
    /// The seed of all random numbers.
    pub seed: u64,
    /// Who wants to know how it goes.
    pub observer: &'a dyn Observer,
    /// Ends it early when true.
    pub stop: &'a AtomicBool,
}

/// What an analysis gives.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "A shoe",
///     analyses: [SlidingShoe(name: "shoe")],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let result = study::run(&plan, &study::Silent, &false.into());
/// let shoe = &result.analyses[0];
/// // The motion over time, and a table of its turning points.
/// assert_eq!((shoe.motions[0].0.as_str(), shoe.tables[0].0.as_str()), ("shoe", "shoe-turns"));
/// assert!(shoe.tables[0].1.rows() > 1);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct AnalysisResult {
    /// Its name.
    pub name: String,
    /// Motions over time, by name.
    pub motions: Vec<(String, Table)>,
    /// Other tables, by name.
    pub tables: Vec<(String, Table)>,
    /// Curves.
    pub curves: Vec<CurveResult>,
    /// Orbits of the curves, by the name of the curve and the index of the point.
    pub orbits: Vec<((String, usize), Table)>,
    /// What was noticed, in words.
    pub notes: Vec<String>,
}

/// Something about an analysis that is wrong, or suspicious.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(title: "A shoe", analyses: [SlidingShoe(name: "shoe", shoe: (mass: -1))])"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let fault = study.analyses[0].check(".".as_ref()).unwrap_err();
/// // The key to blame, and what is wrong with it.
/// assert!(fault.key.contains("mass") && !fault.message.is_empty());
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The key it is about, as a path within the analysis; empty for the analysis as a whole.
    pub key: String,
    /// What it is, in words.
    pub message: String,
}

impl Fault {
    fn new(key: impl Into<String>, message: impl ToString) -> Self {
        Self {
            key: key.into(),
            message: message.to_string(),
        }
    }
}

/// A computation by a system's own solver.
trait Analysis: Sync {
    /// Its name, which its tables begin with.
    fn name(&self) -> &str;
    /// The names of the tables and motions it will give, with their number columns.
    fn outputs(&self) -> Outputs;
    /// The same of its curves.
    fn curves(&self) -> Outputs {
        vec![]
    }
    /// The parameters that `--set` reaches, by name.
    fn settings(&mut self) -> Vec<(&'static str, &mut f64)>;
    /// How much of what it asks for, by key.
    fn sizes(&self) -> Vec<(&'static str, &'static Limit, f64)>;
    /// What is wrong with it, found without doing the work; `folder` is that of the study.
    fn check(&self, folder: &Path) -> Result<(), Fault>;
    /// The files that it reads, relative to the folder of the study.
    fn inputs(&self) -> Vec<&str> {
        vec![]
    }
    /// What is suspicious about it, though it can be done.
    fn warnings(&self, _folder: &Path) -> Vec<Fault> {
        vec![]
    }
    /// Do the work, or say why it gave nothing.
    fn run(&self, around: Surroundings<'_>) -> Result<AnalysisResult, String>;
}

impl AnalysisSpec {
    fn inner(&self) -> &dyn Analysis {
        match self {
            Self::Shaw(s) => s,
            Self::Convergence(s) => s,
            Self::Ensemble(s) => s,
            Self::SlowForcing(s) => s,
            Self::Calibration(s) => s,
            Self::WearPower(s) => s,
            Self::SlidingShoe(s) => s,
            Self::Kernel(s) => s,
            Self::Bowed(s) => s,
            Self::BowedConvergence(s) => s,
            Self::BowedModes(s) => s,
            Self::BowedBranch(s) => s,
        }
    }

    fn inner_mut(&mut self) -> &mut dyn Analysis {
        match self {
            Self::Shaw(s) => s,
            Self::Convergence(s) => s,
            Self::Ensemble(s) => s,
            Self::SlowForcing(s) => s,
            Self::Calibration(s) => s,
            Self::WearPower(s) => s,
            Self::SlidingShoe(s) => s,
            Self::Kernel(s) => s,
            Self::Bowed(s) => s,
            Self::BowedConvergence(s) => s,
            Self::BowedModes(s) => s,
            Self::BowedBranch(s) => s,
        }
    }

    /// Its name, which its tables begin with.
    pub fn name(&self) -> &str {
        self.inner().name()
    }

    /// The names of the tables and motions it will give, with their number columns; for checking figures before any work starts.
    pub fn outputs(&self) -> Vec<(String, Vec<String>)> {
        self.inner().outputs()
    }

    /// The names of the curves it will give, with their number columns.
    pub fn curves(&self) -> Vec<(String, Vec<String>)> {
        self.inner().curves()
    }

    /// The parameters that can be set from outside the study, by name.
    pub fn settings(&mut self) -> Vec<(&'static str, &mut f64)> {
        self.inner_mut().settings()
    }

    /// Check it without doing the work. File names are relative to `folder`.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn check(&self, folder: &Path) -> Result<(), Fault> {
        let sizes = self.inner().sizes();
        let excess = |finite: bool| {
            let counts = sizes.iter().filter(|(_, _, count)| count.is_finite() == finite);
            let mut faults = counts.filter_map(|(key, limit, count)| Some(Fault::new(*key, limit.excess(*count)?)));
            faults.next().map_or(Ok(()), Err)
        };
        excess(true)?;
        // An infinite count comes from a step of zero, which the check itself says better.
        self.inner().check(folder)?;
        excess(false)
    }

    /// The files that it reads, relative to the folder of the study.
    pub fn inputs(&self) -> Vec<&str> {
        self.inner().inputs()
    }

    /// What is suspicious about it, though it can be done.
    pub fn warnings(&self, folder: &Path) -> Vec<Fault> {
        self.inner().warnings(folder)
    }

    /// Do the work.
    ///
    /// # Errors
    /// Why it gave nothing, in words.
    pub fn run(&self, around: Surroundings<'_>) -> Result<AnalysisResult, String> {
        let mut result = self.inner().run(around)?;
        self.name().clone_into(&mut result.name);
        Ok(result)
    }
}

/// Names of tables with their number columns.
type Outputs = Vec<(String, Vec<String>)>;

/// A table's name with its number columns.
fn layout<S: Into<String>>(name: impl Into<String>, columns: impl IntoIterator<Item = S>) -> (String, Vec<String>) {
    (name.into(), columns.into_iter().map(Into::into).collect())
}

/// A table of numbers.
fn numbers<S: Into<String>, R: IntoIterator<Item = f64>>(
    columns: impl IntoIterator<Item = S>,
    rows: impl IntoIterator<Item = R>,
) -> Result<Table, String> {
    let mut table = Table::new(columns.into_iter().map(|c| (c, Kind::Number)));
    for row in rows {
        table.push_row(row.into_iter().map(Cell::Number)).map_err(words)?;
    }
    Ok(table)
}

/// A table whose first columns are words.
fn worded<const W: usize, const N: usize>(
    texts: [&'static str; W],
    columns: [&'static str; N],
    rows: impl IntoIterator<Item = ([String; W], [f64; N])>,
) -> Result<Table, String> {
    let kinds = texts.map(|c| (c, Kind::Text)).into_iter();
    let mut table = Table::new(kinds.chain(columns.map(|c| (c, Kind::Number))));
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

/// A number that must be positive.
fn positive(key: &str, value: f64) -> Result<(), Fault> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(Fault::new(
            key,
            format!("{key} = {value} is not possible: give a positive number"),
        ))
    }
}

/// The parameters of Shaw's oscillator by the names that the built-in system gives them.
fn oscillator_settings(o: &mut Oscillator) -> Vec<(&'static str, &mut f64)> {
    vec![
        ("m", &mut o.mass),
        ("K", &mut o.stiffness),
        ("beta", &mut o.beta),
        ("alpha", &mut o.alpha),
        ("f_s", &mut o.f_s),
        ("f_d", &mut o.f_d),
    ]
}

impl Fault {
    /// About a parameter of the `oscillator`, or of the analysis itself.
    fn of_oscillator(e: ParameterError) -> Self {
        let own = ["mass", "stiffness", "beta", "alpha", "f_s", "f_d"].contains(&e.name);
        let key = if own {
            format!("oscillator.{}", e.name)
        } else {
            e.name.to_owned()
        };
        Self::new(key, e)
    }
}
