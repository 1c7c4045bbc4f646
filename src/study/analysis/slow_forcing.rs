//! Shaw's oscillator as its forcing slows, against the quasi-static map.

use crate::analysis::error::AnalysisError;
use crate::analysis::fault::Fault;
use crate::analysis::oscillator::oscillator_settings;
use crate::analysis::tabulate::{layout, numbers, positive};
use crate::analysis::task::{Analysis, Outputs, Surroundings};
use crate::results::analysis::AnalysisResult;
use crate::text::limits::{self, Limit};
use serde::Deserialize;
use slipstick_models::friction::shaw::Oscillator;
use slipstick_models::friction::shaw::quasi_static::{first_slips, slow_forcing};
use std::path::Path;

/// The quasi-static limit under cos(ω t): the whole motion in `tables/<name>.csv`, the first slip in
/// `tables/<name>-slips.csv`.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::analysis::AnalysisSpec;
/// let text = r#"Study(
///     title: "An analysis",
///     analyses: [SlowForcing(name: "slow", omegas: [0.1, 0.01])],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let AnalysisSpec::SlowForcing(spec) = &study.analyses[0] else { panic!("it is one") };
/// assert_eq!(spec.omegas, [0.1, 0.01]);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SlowForcingSpec {
    /// Its name.
    pub name: String,
    /// The oscillator.
    pub oscillator: Oscillator,
    /// Initial displacement, at rest.
    pub start: f64,
    /// The forcing frequencies.
    pub omegas: Vec<f64>,
    /// How many periods of the forcing are compared.
    pub periods: f64,
}

impl Default for SlowForcingSpec {
    fn default() -> Self {
        Self {
            name: "slow".into(),
            oscillator: Oscillator::default(),
            start: 5.0,
            omegas: vec![1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5],
            periods: 1.25,
        }
    }
}

const SLOW: [&str; 3] = ["omega", "distance", "rms"];

const SLIPS: [&str; 8] = [
    "omega",
    "rate",
    "jump",
    "ramp_jump",
    "frozen_jump",
    "duration",
    "ramp_duration",
    "frozen_duration",
];

impl Analysis for SlowForcingSpec {
    fn name(&self) -> &str {
        &self.name
    }

    fn outputs(&self) -> Outputs {
        vec![
            layout(self.name.clone(), SLOW),
            layout(format!("{}-slips", self.name), SLIPS),
        ]
    }

    fn settings(&mut self) -> Vec<(&'static str, &mut f64)> {
        oscillator_settings(&mut self.oscillator)
    }

    fn sizes(&self) -> Vec<(&'static str, &'static Limit, f64)> {
        vec![("omegas", &limits::VALUES, self.omegas.len() as f64)]
    }

    fn check(&self, _: &Path) -> Result<(), Fault> {
        self.oscillator.check().map_err(Fault::of_oscillator)?;
        positive("periods", self.periods)?;
        self.omegas.iter().try_for_each(|&w| positive("omegas", w))
    }

    fn run(&self, _: Surroundings<'_>) -> Result<AnalysisResult, AnalysisError> {
        let rows = slow_forcing(self.oscillator, self.start, &self.omegas, self.periods)?;
        let whole = numbers(SLOW, rows.into_iter().map(|r| [r.omega, r.distance, r.rms]))?;
        let slips = first_slips(self.oscillator, self.start, &self.omegas)?;
        let slips = slips.into_iter().flatten().map(|s| {
            [
                s.omega,
                s.rate,
                s.exact.jump,
                s.ramp.jump,
                s.frozen.jump,
                s.exact.duration,
                s.ramp.duration,
                s.frozen.duration,
            ]
        });
        let slips = numbers(SLIPS, slips)?;
        let tables = vec![(self.name.clone(), whole), (format!("{}-slips", self.name), slips)];
        Ok(AnalysisResult {
            tables,
            ..AnalysisResult::default()
        })
    }
}
