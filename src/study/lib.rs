//! Studies: one text file that says what to compute, from its text to the files it leaves behind.

pub mod analysis;
mod attractors;
mod canards;
mod checkpoint;
mod complaint;
mod correction;
mod diagnostic;
mod distances;
mod family;
mod follow;
mod given_orbits;
mod inputs;
mod interpolation;
mod least_period;
mod limits;
pub mod locate;
mod loci;
mod loci_run;
mod object;
mod output;
mod passing;
mod plan;
mod point_starts;
mod portrait;
mod reading;
mod results;
mod run;
mod run_folder;
mod source;
pub mod spec;
mod starts;
pub mod system;
mod tables;
mod units;

pub use attractors::{Attractor, AttractorKind, AttractorsPlan, AttractorsResult};
pub use checkpoint::{Checkpoint, CheckpointError};
pub use complaint::Complaint;
pub use diagnostic::{Diagnostic, Severity};
pub use loci::LocusPlan;
pub use object::Object;
pub use plan::{CurvePlan, NamedSystem, Plan, SimulationPlan, StartPlan};
pub use portrait::{FateResult, FatesPlan, PortraitPlan, PortraitResult};
pub use reading::read_text;
pub use results::{CurveResult, Missing, Piece, RunResult, TrajectoryResult};
pub use run::{Observer, Silent, run, run_kept};
pub use run_folder::Staging;
pub use run_folder::{Claim, ClaimError};
pub use slipstick_numerics::stop::Stop;
pub use source::{Pick, Source};

use slipstick_report::ReportError;
use slipstick_report::figure::Figure;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A study that was read, with its text.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(title: "Shaw", system: Shaw(), simulations: [Simulation(name: "motion", time: 10)])"#;
/// let loaded = study::parse("shaw.ron".as_ref(), text.into())?;
/// assert_eq!(loaded.spec.title, "Shaw");
/// assert_eq!(loaded.plan(&[("beta".into(), 7.0)])?.simulations.len(), 1);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
pub struct Loaded {
    /// Where it came from.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// What it says.
    pub spec: spec::Study,
}

/// What a run is given from outside.
///
/// ```
/// use slipstick_study::Settings;
/// let settings = Settings { set: &[("mu_s".into(), 1.2)], ..Settings::default() };
/// assert!(settings.inputs.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Settings<'a> {
    /// Parameter values.
    pub set: &'a [(String, f64)],
    /// The files that it reads, with their hashes.
    pub inputs: BTreeMap<String, String>,
}

/// What is to be told of the files that were written.
///
/// ```
/// use slipstick_study::{self as study, Claim, Settings, Silent};
/// let text = r#"Study(title: "Shaw", analyses: [Shaw(name: "shaw", time: 10)])"#;
/// let study = study::parse("shaw.ron".as_ref(), text.into())?;
/// let plan = study.plan(&[])?;
/// let folder = tempfile::tempdir()?;
/// let claim = Claim::take(folder.path())?;
/// let result = study::run(&plan, &Silent, &false.into());
/// let written = study::write_run(&claim, &study, &plan, &Settings::default(), &result, 0.0)?;
/// assert!(written.missing.is_empty() && written.told.is_empty());
/// assert!(claim.run().is_some_and(|run| run.files.contains_key("report.html")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// What could not be drawn.
    pub missing: Vec<String>,
    /// What was found in the folder that is not as a run wrote it, and how it was kept.
    pub told: Vec<String>,
}

/// A study that is wrong: everything that is, rendered with lines and carets.
///
/// ```
/// use slipstick_study as study;
/// let wrong = study::parse("study.ron".as_ref(), "Study(titel: \"x\")".into()).err().unwrap();
/// assert!(wrong.to_string().contains("study.ron:1:7"), "{wrong}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Rejected(String);

impl Rejected {
    /// A rejection in these words.
    #[must_use]
    pub fn because(words: impl Into<String>) -> Self {
        Self(words.into())
    }
}

/// Read a study file.
///
/// # Errors
/// [`Rejected`] when the file cannot be read or is not a study.
pub fn load(path: &Path) -> Result<Loaded, Rejected> {
    let text = reading::read_text(path, "study")?;
    parse(path, text)
}

/// Read a study from its text; `path` names it in messages.
///
/// # Errors
/// [`Rejected`] when the text is not a study.
pub fn parse(path: &Path, text: String) -> Result<Loaded, Rejected> {
    let file = path.display().to_string();
    let spec = ron_options()
        .from_str::<spec::Study>(&text)
        .map_err(|e| Rejected(Diagnostic::syntax(&text, &e).render(&file, &text, false)))?
        .with_plain_names();
    check_keys(&file, &text)?;
    Ok(Loaded {
        path: path.to_path_buf(),
        text,
        spec,
    })
}

/// No map has a key twice.
fn check_keys(file: &str, text: &str) -> Result<(), Rejected> {
    let second: Vec<String> = reading::second_keys(text)
        .iter()
        .map(|key| key.render(file, text, false))
        .collect();
    if second.is_empty() {
        Ok(())
    } else {
        Err(Rejected(second.join("\n\n")))
    }
}

/// Read the figures of a file that holds one figure, a list of figures, or a study.
///
/// # Errors
/// [`Rejected`] when the file cannot be read or is none of these.
pub fn load_figures(path: &Path) -> Result<Vec<Figure>, Rejected> {
    figures_in(path, reading::read_text(path, "figures file")?)
}

/// The same from the text of such a file; `path` names it in messages.
///
/// # Errors
/// [`Rejected`] when the text is none of these.
pub(crate) fn figures_in(path: &Path, text: String) -> Result<Vec<Figure>, Rejected> {
    let file = path.display().to_string();
    let begin = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with("#!"))
        .unwrap_or_default();
    let read = if begin.starts_with("Study") || begin.starts_with('(') {
        return Ok(parse(path, text)?.spec.figures);
    } else if begin.starts_with('[') {
        ron_options().from_str::<Vec<Figure>>(&text)
    } else {
        ron_options().from_str::<Figure>(&text).map(|figure| vec![figure])
    };
    let mut figures = read.map_err(|e| Rejected(Diagnostic::syntax(&text, &e).render(&file, &text, false)))?;
    check_keys(&file, &text)?;
    figures.iter_mut().for_each(Figure::spell_plainly);
    Ok(figures)
}

/// The dialect of RON that studies are written in: `Some(…)` and doubled parentheses may be left out.
fn ron_options() -> ron::Options {
    use ron::extensions::Extensions;
    ron::Options::default().with_default_extension(Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES)
}

/// More complaints at once help nobody.
const MOST_SHOWN: usize = 30;

impl Loaded {
    /// Resolve and check everything, with parameter values from outside.
    ///
    /// # Errors
    /// [`Rejected`] with all complaints.
    pub fn plan(&self, overrides: &[(String, f64)]) -> Result<Plan, Rejected> {
        plan::plan(&self.spec, overrides, self.path.parent().unwrap_or(Path::new(""))).map_err(|complaints| {
            let mut all: Vec<String> = complaints.iter().take(MOST_SHOWN).map(|c| self.show(c)).collect();
            if complaints.len() > MOST_SHOWN {
                all.push(format!("... and {} more like these", complaints.len() - MOST_SHOWN));
            }
            Rejected(all.join("\n\n"))
        })
    }

    /// A complaint with its place in the text.
    pub fn show(&self, complaint: &Complaint) -> String {
        let file = self.path.display().to_string();
        if complaint.path.is_empty() {
            let help = complaint
                .help
                .as_ref()
                .map_or_else(String::new, |h| format!("\n  help: {h}"));
            return format!("error: {} ({file}){help}", complaint.message);
        }
        complaint.diagnostic(&self.text).render(&file, &self.text, false)
    }

    /// A complaint that is no error, with its place in the text.
    pub fn warn(&self, complaint: &Complaint) -> String {
        complaint
            .diagnostic(&self.text)
            .warning()
            .render(&self.path.display().to_string(), &self.text, false)
    }
}

/// Write the files of a run into the folder that is held; they take their places there when they are whole. `inputs` are the files that it read, as
/// [`Plan::inputs`] gave them before it did.
///
/// # Errors
/// [`ReportError`] when the file system refuses.
pub fn write_run(
    claim: &Claim,
    study: &Loaded,
    plan: &Plan,
    settings: &Settings<'_>,
    result: &RunResult,
    seconds: f64,
) -> Result<Written, ReportError> {
    output::write(claim, study, plan, settings, result, seconds)
}
