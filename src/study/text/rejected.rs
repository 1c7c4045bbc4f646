//! A study that was refused.

use crate::text::diagnostic::Diagnostic;

/// A study that is wrong: everything that is, rendered with lines and carets.
///
/// ```
/// use slipstick_study as study;
/// let wrong = study::parse("study.ron".as_ref(), "Study(titel: \"x\")".into()).err().unwrap();
/// assert!(wrong.to_string().contains("study.ron:1:7"), "{wrong}");
/// assert_eq!(wrong.flaws()[0].place, Some((1, 7)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Rejected {
    text: String,
    flaws: Vec<Flaw>,
}

/// One thing that is wrong with a study, for programs.
///
/// ```
/// use slipstick_study as study;
/// let wrong = study::parse("study.ron".as_ref(), "Study(titel: \"x\")".into()).err().unwrap();
/// let flaw = &wrong.flaws()[0];
/// assert!(flaw.message.contains("titel") && flaw.help.as_ref().is_some_and(|help| help.contains("title")));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// What is wrong.
    pub message: String,
    /// Line and column, from 1; none where the study as a whole is concerned.
    pub place: Option<(usize, usize)>,
    /// What to write instead.
    pub help: Option<String>,
}

impl Flaw {
    /// What a diagnostic of this text says.
    pub(crate) fn of(diagnostic: &Diagnostic, text: &str) -> Self {
        Self {
            message: diagnostic.message.clone(),
            place: Some(diagnostic.line_and_column(text)),
            help: diagnostic.help.clone(),
        }
    }
}

impl Rejected {
    /// A rejection in these words.
    #[must_use]
    pub fn because(words: impl Into<String>) -> Self {
        Self::with(words, vec![])
    }

    /// A rejection in these words, for these reasons.
    pub(crate) fn with(words: impl Into<String>, flaws: Vec<Flaw>) -> Self {
        let text = words.into();
        Self { text, flaws }
    }

    /// What is wrong, in the order of the text; empty where no text could be read.
    #[must_use]
    pub fn flaws(&self) -> &[Flaw] {
        &self.flaws
    }
}
