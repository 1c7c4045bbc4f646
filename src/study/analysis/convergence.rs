//! The order of the Euler scheme for Shaw's oscillator, measured.

use crate::analysis::error::AnalysisError;
use crate::analysis::fault::Fault;
use crate::analysis::oscillator::oscillator_settings;
use crate::analysis::tabulate::{layout, numbers, positive};
use crate::analysis::task::{Analysis, Outputs, Surroundings};
use crate::results::analysis::AnalysisResult;
use crate::text::limits::{self, Limit};
use serde::Deserialize;
use slipstick_models::friction::shaw::{Forcing, Oscillator, convergence};
use std::path::Path;

/// The error of the Euler scheme under cos(ω t): `tables/<name>.csv`.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::analysis::AnalysisSpec;
/// let text = r#"Study(
///     title: "An analysis",
///     analyses: [Convergence(name: "order", steps: [0.1, 0.01, 0.001])],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let AnalysisSpec::Convergence(spec) = &study.analyses[0] else { panic!("it is one") };
/// assert_eq!(spec.steps.len(), 3);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConvergenceSpec {
    /// Its name.
    pub name: String,
    /// The oscillator.
    pub oscillator: Oscillator,
    /// ω.
    pub omega: f64,
    /// Initial displacement, at rest.
    pub start: f64,
    /// How long.
    pub time: f64,
    /// Errors are taken at multiples of this time.
    pub every: f64,
    /// The time steps.
    pub steps: Vec<f64>,
}

impl Default for ConvergenceSpec {
    fn default() -> Self {
        Self {
            name: "convergence".into(),
            oscillator: Oscillator::default(),
            omega: 0.5,
            start: 5.0,
            time: 28.0,
            every: 0.1,
            steps: vec![1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4],
        }
    }
}

const CONVERGENCE: [&str; 4] = ["step", "displacement", "velocity", "order"];

impl Analysis for ConvergenceSpec {
    fn name(&self) -> &str {
        &self.name
    }

    fn outputs(&self) -> Outputs {
        vec![layout(self.name.clone(), CONVERGENCE)]
    }

    fn settings(&mut self) -> Vec<(&'static str, &mut f64)> {
        let mut settings = oscillator_settings(&mut self.oscillator);
        settings.push(("omega", &mut self.omega));
        settings
    }

    fn sizes(&self) -> Vec<(&'static str, &'static Limit, f64)> {
        let step = self.steps.iter().copied().fold(f64::INFINITY, f64::min);
        vec![
            ("steps", &limits::STEPS, self.time / step),
            ("every", &limits::ROWS, self.time / self.every),
        ]
    }

    fn check(&self, _: &Path) -> Result<(), Fault> {
        self.oscillator.check().map_err(Fault::of_oscillator)?;
        if !(self.omega.is_finite() && self.start.is_finite()) {
            return Err(Fault::new("omega", "omega and start must be finite numbers"));
        }
        positive("time", self.time)?;
        positive("every", self.every)?;
        self.steps.iter().try_for_each(|&s| positive("steps", s))
    }

    fn run(&self, _: Surroundings<'_>) -> Result<AnalysisResult, AnalysisError> {
        let forcing = Forcing::harmonic(self.omega);
        let start = (0.0, self.start, 0.0);
        let rows = convergence(self.oscillator, &forcing, start, self.time, self.every, &self.steps);
        let rows = rows?.into_iter();
        let table = numbers(CONVERGENCE, rows.map(|r| [r.step, r.displacement, r.velocity, r.order]))?;
        Ok(AnalysisResult {
            tables: vec![(self.name.clone(), table)],
            ..AnalysisResult::default()
        })
    }
}
