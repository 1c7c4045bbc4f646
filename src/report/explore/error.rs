//! Why there is nothing to show.

use crate::ReportError;
use slipstick_system::text::nearest;

/// Why there is nothing to show.
///
/// ```
/// use slipstick_report::explore::{FinishedRun, Selection, ShowError};
/// let empty = FinishedRun::default();
/// assert!(matches!(Selection::parse("cycles", false, &empty), Err(ShowError::Unknown { name, .. }) if name == "cycles"));
/// ```
#[derive(Debug, thiserror::Error)]
pub enum ShowError {
    /// Nothing in the run is called that.
    #[error(
        "the run has no curve, trajectory or table `{name}`; {}it has: {}. Its points are called CURVE-INDEX, \"CURVE, LABEL\" or \"CURVE, LABEL NUMBER\"",
        meant(name, known), known.join(", ")
    )]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// The curve has no such point.
    #[error("`{curve}` has no point {index}; its points are 0 to {last}")]
    NoPoint {
        /// The curve.
        curve: String,
        /// The index asked for.
        index: usize,
        /// The index of its last point.
        last: usize,
    },
    /// The curve has no point with this label or at this level.
    #[error("`{curve}` has no point {wanted}; its special points are {}", known.join(", "))]
    NoSuch {
        /// The curve.
        curve: String,
        /// What was asked for.
        wanted: String,
        /// Its special points: name and label.
        known: Vec<String>,
    },
    /// The tables lack a column of the contract.
    #[error(transparent)]
    Report(#[from] ReportError),
}

/// What may have been meant.
fn meant(name: &str, known: &[String]) -> String {
    let near = nearest(name, known.iter().map(String::as_str));
    near.map_or_else(String::new, |near| format!("did you mean `{near}`? "))
}
