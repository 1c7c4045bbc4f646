//! What forces Shaw's oscillator.

use crate::analysis::error::AnalysisError;
use crate::analysis::fault::Fault;
use serde::Deserialize;
use slipstick_models::friction::shaw::{Forcing, Interpolation, Tone};
use slipstick_system::text::{Expression, Scope, TextError};
use std::path::Path;

/// The forcing T(t).
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::analysis::AnalysisSpec;
/// let text = r#"Study(
///     title: "An analysis",
///     analyses: [Shaw(name: "beat", forcing: Tones([(1, 1, 0), (0.5, 1.1, 0)]))],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let AnalysisSpec::Shaw(spec) = &study.analyses[0] else { panic!("it is one") };
/// assert!(matches!(&spec.forcing, slipstick_study::analysis::ForcingSpec::Tones(tones) if tones.len() == 2));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub enum ForcingSpec {
    /// cos(ω t).
    Harmonic {
        /// ω.
        omega: f64,
    },
    /// A sum of tones `(amplitude, omega, phase)`.
    Tones(Vec<(f64, f64, f64)>),
    /// An expression of `t`, followed by cubics to `tolerance`.
    Expression {
        /// The expression.
        of: String,
        /// The largest error of the cubics.
        #[serde(default = "default_tolerance")]
        tolerance: f64,
    },
    /// The first two columns of a CSV file, times and values, as loggers and spreadsheets write them; rows with a
    /// missing value are left out.
    Csv {
        /// The file, relative to the study.
        file: String,
        /// Between samples.
        #[serde(default)]
        interpolation: Interpolation,
    },
}

fn default_tolerance() -> f64 {
    1e-10
}

impl ForcingSpec {
    fn parse(of: &str) -> Result<impl Fn(f64) -> f64 + use<>, AnalysisError> {
        let wrong = |error: TextError| AnalysisError::Formula {
            formula: of.to_owned(),
            error,
        };
        let expression = Expression::parse(of).map_err(wrong)?;
        let mut scope = Scope::new();
        scope.state("t").map_err(wrong)?;
        let tape = scope.compile(&[&expression]).map_err(|fault| wrong(fault.error))?;
        Ok(move |t: f64| {
            let mut out = [0.0];
            slipstick_system::Function::value(&tape, &[t], &[], &mut out);
            out[0]
        })
    }

    /// The file that it is read from.
    pub(crate) fn input(&self) -> Option<&str> {
        match self {
            Self::Csv { file, .. } => Some(file),
            Self::Harmonic { .. } | Self::Tones(_) | Self::Expression { .. } => None,
        }
    }

    pub(crate) fn check(&self, folder: &Path) -> Result<(), Fault> {
        let fault = |why: &dyn ToString| Fault::new("forcing", why.to_string());
        match self {
            Self::Harmonic { omega } if !omega.is_finite() => {
                Err(fault(&format!("omega = {omega} is not a finite number")))
            }
            Self::Tones(list)
                if list
                    .iter()
                    .any(|&(a, w, p)| !(a.is_finite() && w.is_finite() && p.is_finite())) =>
            {
                Err(fault(&"a tone is three finite numbers: (amplitude, omega, phase)"))
            }
            Self::Expression { of, .. } => Self::parse(of).map(|_| ()).map_err(|why| fault(&why)),
            Self::Csv { .. } => self.build(folder, 0.0).map(|_| ()).map_err(|why| fault(&why)),
            _ => Ok(()),
        }
    }

    pub(crate) fn build(&self, folder: &Path, to: f64) -> Result<Forcing, AnalysisError> {
        match self {
            Self::Harmonic { omega } => Ok(Forcing::harmonic(*omega)),
            Self::Tones(list) => Ok(Forcing::tones(
                list.iter()
                    .map(|&(amplitude, omega, phase)| Tone {
                        amplitude,
                        omega,
                        phase,
                    })
                    .collect(),
            )),
            Self::Expression { of, tolerance } => Ok(Forcing::function(Self::parse(of)?, 0.0, to, *tolerance)?),
            Self::Csv { file, interpolation } => {
                let path = folder.join(file);
                match std::fs::read_to_string(&path) {
                    Ok(text) => {
                        Forcing::from_csv(&text, *interpolation).map_err(|error| AnalysisError::Samples { path, error })
                    }
                    Err(error) => Err(AnalysisError::File { path, error }),
                }
            }
        }
    }
}
