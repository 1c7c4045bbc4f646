//! A study that was refused.

/// A study that is wrong: everything that is, rendered with lines and carets.
///
/// ```
/// use slipstick_study as study;
/// let wrong = study::parse("study.ron".as_ref(), "Study(titel: \"x\")".into()).err().unwrap();
/// assert!(wrong.to_string().contains("study.ron:1:7"), "{wrong}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Rejected(pub(crate) String);

impl Rejected {
    /// A rejection in these words.
    #[must_use]
    pub fn because(words: impl Into<String>) -> Self {
        Self(words.into())
    }
}
