//! Why an analysis produced no result.

use crate::analysis::fault::Fault;
use slipstick_models::elastic::ElasticError;
use slipstick_models::friction::bearing::{CalibrationError, RecordError};
use slipstick_models::friction::shaw::{CascadeError, ForcingError, ParameterError};
use slipstick_models::friction::shoe::ShoeError;
use slipstick_models::friction::wear::WearError;
use slipstick_report::ReportError;
use slipstick_system::text::TextError;
use std::path::PathBuf;

/// Why an analysis produced no result.
///
/// ```
/// use slipstick_study::{self as study, Silent};
/// use slipstick_study::analysis::{AnalysisError, Surroundings};
/// let text = r#"Study(title: "No record", analyses: [Shaw(name: "motion", forcing: Csv(file: "no such file.csv"))])"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let around = Surroundings { folder: ".".as_ref(), seed: 1, observer: &Silent, stop: &false.into() };
/// let error = study.analyses[0].run(around).err().unwrap();
/// assert!(matches!(&error, AnalysisError::File { path, .. } if path.ends_with("no such file.csv")), "{error}");
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// It asks for what cannot be.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// A parameter of the oscillator.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The motion of Shaw's oscillator.
    #[error(transparent)]
    Cascade(#[from] CascadeError),
    /// A forcing.
    #[error(transparent)]
    Forcing(#[from] ForcingError),
    /// A forcing written as a formula.
    #[error("the forcing `{formula}`: {error}")]
    Formula {
        /// The formula.
        formula: String,
        /// What is wrong with it.
        #[source]
        error: TextError,
    },
    /// The file of a forcing cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        error: std::io::Error,
    },
    /// The file of a forcing holds none.
    #[error("{}: {error}", path.display())]
    Samples {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        error: ForcingError,
    },
    /// A bearing's record.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The identification of a bearing.
    #[error(transparent)]
    Calibration(#[from] CalibrationError),
    /// The wear of a mass on a vibrating base.
    #[error(transparent)]
    Wear(#[from] WearError),
    /// A sliding shoe.
    #[error(transparent)]
    Shoe(#[from] ShoeError),
    /// An elastic structure.
    #[error(transparent)]
    Elastic(#[from] ElasticError),
    /// A table.
    #[error(transparent)]
    Table(#[from] ReportError),
}
