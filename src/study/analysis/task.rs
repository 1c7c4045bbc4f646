//! What an analysis is: a computation by a system's own solver, which is neither a curve nor a simulation.

use crate::results::analysis::AnalysisResult;
use crate::results::observer::Observer;
use crate::text::limits::Limit;
use slipstick_models::friction::shaw::ParameterError;
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
    pub(crate) fn new(key: impl Into<String>, message: impl ToString) -> Self {
        Self {
            key: key.into(),
            message: message.to_string(),
        }
    }
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
    /// Do the work, or say why it gave nothing.
    fn run(&self, around: Surroundings<'_>) -> Result<AnalysisResult, String>;
}

impl Fault {
    /// About a parameter of the `oscillator`, or of the analysis itself.
    pub(crate) fn of_oscillator(e: ParameterError) -> Self {
        let own = ["mass", "stiffness", "beta", "alpha", "f_s", "f_d"].contains(&e.name);
        let key = if own {
            format!("oscillator.{}", e.name)
        } else {
            e.name.to_owned()
        };
        Self::new(key, e)
    }
}
