//! What is wrong with an analysis, or suspicious about it.

use slipstick_models::friction::shaw::ParameterError;

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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
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
