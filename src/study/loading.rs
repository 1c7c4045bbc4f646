//! Read a study from its file, and plan it.

use crate::plan::study::Plan;
use crate::plan::study::plan;
use crate::spec::study::Study;
use crate::text::complaint::{Complaint, place_of_word};
use crate::text::diagnostic::Diagnostic;
use crate::text::reading::{read_text, second_keys};
use crate::text::rejected::{Flaw, Rejected};
use slipstick_report::figure::{Figure, FigureError};
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
    pub spec: Study,
}

/// Read a study file.
///
/// # Errors
/// [`Rejected`] when the file cannot be read or is not a study.
pub fn load(path: &Path) -> Result<Loaded, Rejected> {
    let text = read_text(path, "study")?;
    parse(path, text)
}

/// Read a study from its text; `path` names it in messages.
///
/// # Errors
/// [`Rejected`] when the text is not a study.
pub fn parse(path: &Path, text: String) -> Result<Loaded, Rejected> {
    let file = path.display().to_string();
    let spec = Diagnostic::read::<Study>(&ron_options(), &text)
        .map_err(|why| unreadable(&why, &file, &text))?
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
    let second = second_keys(text);
    if second.is_empty() {
        return Ok(());
    }
    let shown: Vec<String> = second.iter().map(|key| key.render(file, text, false)).collect();
    let flaws = second.iter().map(|key| Flaw::of(key, text)).collect();
    Err(Rejected::with(shown.join("\n\n"), flaws))
}

/// A text that is no study, because of this.
fn unreadable(why: &Diagnostic, file: &str, text: &str) -> Rejected {
    Rejected::with(why.render(file, text, false), vec![Flaw::of(why, text)])
}

/// The figures in the text of a file that holds one figure, a list of figures, or a study; `path` names it in messages.
///
/// # Errors
/// [`Rejected`] when the text is none of these.
pub fn figures_in(path: &Path, text: String) -> Result<Vec<Figure>, Rejected> {
    let file = path.display().to_string();
    let begin = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with("#!"))
        .unwrap_or_default();
    let read = if begin.starts_with("Study") || begin.starts_with('(') {
        return Ok(parse(path, text)?.spec.figures);
    } else if begin.starts_with('[') {
        Diagnostic::read::<Vec<Figure>>(&ron_options(), &text)
    } else {
        Diagnostic::read::<Figure>(&ron_options(), &text).map(|figure| vec![figure])
    };
    let mut figures = read.map_err(|why| unreadable(&why, &file, &text))?;
    check_keys(&file, &text)?;
    figures.iter_mut().for_each(Figure::spell_plainly);
    Ok(figures)
}

/// What is wrong with a figure of the file `path`, which holds this text, with its place in it.
///
/// ```
/// use slipstick_report::figure::FigureError;
/// use slipstick_study::figure_complaint;
/// let text = "Diagram(\n    name: \"amplitude\",\n    x: \"Omga\",\n    y: \"x\",\n)";
/// let error = FigureError::Unknown {
///     figure: "amplitude".into(),
///     what: "column",
///     word: "Omga".into(),
///     known: vec!["Omega".into()],
/// };
/// let shown = figure_complaint("figure.ron".as_ref(), text, &error);
/// assert!(shown.contains("figure.ron:3:9") && shown.contains("did you mean `Omega`?"), "{shown}");
/// ```
#[must_use]
pub fn figure_complaint(path: &Path, text: &str, error: &FigureError) -> String {
    let mut shown = Diagnostic::at(text, "", None, error.message(), error.help());
    let name = place_of_word(text, &(0..text.len()), error.figure());
    // Other figures of the file may have the same word.
    let own = name.as_ref().map_or(0, |name| name.end)..text.len();
    let place = |word: &str| place_of_word(text, &own, word).or_else(|| place_of_word(text, &(0..text.len()), word));
    if let Some(span) = error.word().and_then(place).or(name) {
        shown.span = span;
    }
    shown.render(&path.display().to_string(), text, false)
}

/// The dialect of RON that studies are written in: `Some(…)` and doubled parentheses may be left out.
pub(crate) fn ron_options() -> ron::Options {
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
        plan(&self.spec, overrides, self.path.parent().unwrap_or(Path::new(""))).map_err(|c| self.reject(&c))
    }

    /// The study is refused because of these.
    pub(crate) fn reject(&self, complaints: &[Complaint]) -> Rejected {
        let mut all: Vec<String> = complaints.iter().take(MOST_SHOWN).map(|c| self.show(c)).collect();
        if complaints.len() > MOST_SHOWN {
            all.push(format!("... and {} more like these", complaints.len() - MOST_SHOWN));
        }
        let flaw = |c: &Complaint| {
            let found = Flaw::of(&c.diagnostic(&self.text), &self.text);
            let place = found.place.filter(|_| !c.path.is_empty());
            Flaw { place, ..found }
        };
        Rejected::with(all.join("\n\n"), complaints.iter().map(flaw).collect())
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
