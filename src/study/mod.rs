//! Studies: one text file that says what to compute, from its text to the files it leaves behind.

mod claim;
mod complaint;
mod output;
mod plan;
mod run;
pub mod spec;
pub mod system;
mod tables;

pub use claim::Claim;
pub use complaint::Complaint;
pub use plan::{CurvePlan, NamedSystem, Plan, StartPlan};
pub use run::{CurveResult, Missing, Observer, RunResult, Silent, run};

use crate::report::ReportError;
use std::path::{Path, PathBuf};

/// A study that was read, with its text.
pub struct Loaded {
    /// Where it came from.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// What it says.
    pub spec: spec::Study,
}

/// A study that is wrong: everything that is, rendered with lines and carets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Rejected(String);

/// Read a study file.
///
/// # Errors
/// [`Rejected`] when the file cannot be read or is not a study.
pub fn load(path: &Path) -> Result<Loaded, Rejected> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| Rejected(format!("error: cannot read the study {}: {e}", path.display())))?;
    parse(path, text)
}

/// Read a study from its text; `path` names it in messages.
///
/// # Errors
/// [`Rejected`] when the text is not a study.
pub fn parse(path: &Path, text: String) -> Result<Loaded, Rejected> {
    match ron_options().from_str::<spec::Study>(&text) {
        Ok(spec) => Ok(Loaded {
            path: path.to_path_buf(),
            text,
            spec,
        }),
        Err(e) => Err(Rejected(format!("{}: {e}", path.display()))),
    }
}

/// The dialect of RON that studies are written in: `Some(…)` may be left out.
fn ron_options() -> ron::Options {
    ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME)
}

impl Loaded {
    /// Resolve and check everything, with parameter values from outside.
    ///
    /// # Errors
    /// [`Rejected`] with all complaints.
    pub fn plan(&self, overrides: &[(String, f64)]) -> Result<Plan, Rejected> {
        plan::plan(&self.spec, overrides).map_err(|complaints| {
            let all: Vec<String> = complaints.iter().map(|c| format!("{}: {}", c.path, c.message)).collect();
            Rejected(all.join("\n"))
        })
    }
}

/// Write the files of a run into `folder`. What could not be drawn comes back as warnings.
///
/// # Errors
/// [`ReportError`] when the file system refuses.
pub fn write_run(
    folder: &Path,
    study: &Loaded,
    plan: &Plan,
    overrides: &[(String, f64)],
    result: &RunResult,
    seconds: f64,
) -> Result<Vec<String>, ReportError> {
    let data = output::tables_of(plan, result)?;
    let json = output::summary(&study.text, overrides, result, seconds).map_err(|e| ReportError::Io {
        path: folder.join("run.json"),
        source: e.into(),
    })?;
    output::write(folder, &data, &json)?;
    Ok(vec![])
}

/// The known name nearest to `name`, if one is near.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        .map(|k| (edit_distance(&name.to_lowercase(), &k.to_lowercase()), *k))
        .filter(|(d, k)| *d <= 1 + k.chars().count().min(name.chars().count()) / 3)
        .min()
        .map(|(_, k)| k)
}

/// The number of insertions, deletions and substitutions between two words.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
