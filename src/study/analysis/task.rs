//! What an analysis is: a computation by a system's own solver, which is neither a curve nor a simulation.

use crate::analysis::error::AnalysisError;
use crate::analysis::fault::Fault;
use crate::results::analysis::AnalysisResult;
use crate::results::observer::Observer;
use crate::text::limits::Limit;
use std::path::Path;
use std::sync::atomic::AtomicBool;

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

/// Names of tables with their number columns.
pub(crate) type Outputs = Vec<(String, Vec<String>)>;

/// A computation by a system's own solver.
pub(crate) trait Analysis: Sync {
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
    /// Do the work.
    fn run(&self, around: Surroundings<'_>) -> Result<AnalysisResult, AnalysisError>;
}
