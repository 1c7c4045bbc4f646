//! Shaw's oscillator under random forcing.

use crate::analysis::error::AnalysisError;
use crate::analysis::fault::Fault;
use crate::analysis::oscillator::oscillator_settings;
use crate::analysis::shaw::{MOTION, row};
use crate::analysis::tabulate::{evenly, layout, numbers, worded};
use crate::analysis::task::{Analysis, Outputs, Surroundings};
use crate::results::analysis::AnalysisResult;
use crate::text::limits::{self, Limit};
use serde::Deserialize;
use slipstick_models::friction::shaw::{Ensemble, OrnsteinUhlenbeck, Oscillator, PathSolver};
use std::path::Path;

/// An ensemble under T = cos(ω t) + ρ v(t): statistics in `tables/<name>.csv`, one row a path in
/// `tables/<name>-paths.csv`, and the exact motion of the first paths in `trajectories/<name>-path<i>.csv`.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::analysis::AnalysisSpec;
/// let text = r#"Study(
///     title: "An analysis",
///     analyses: [Ensemble(name: "noise", paths: 500)],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let AnalysisSpec::Ensemble(spec) = &study.analyses[0] else { panic!("it is one") };
/// assert_eq!(spec.paths, 500);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EnsembleSpec {
    /// Its name.
    pub name: String,
    /// The oscillator.
    pub oscillator: Oscillator,
    /// ω.
    pub omega: f64,
    /// Strength ρ of the noise.
    pub rho: f64,
    /// The noise v.
    pub noise: OrnsteinUhlenbeck,
    /// Initial displacement, at rest.
    pub start: f64,
    /// Statistics are taken from this time …
    pub from: f64,
    /// … to this one.
    pub to: f64,
    /// The step of the noise and of the Euler scheme.
    pub step: f64,
    /// How paths are solved.
    pub solver: PathSolver,
    /// How many paths.
    pub paths: usize,
    /// How many of them are written out as motions.
    pub show: u64,
    /// Rows of a motion.
    pub rows: usize,
}

impl Default for EnsembleSpec {
    fn default() -> Self {
        let e = Ensemble::default();
        Self {
            name: "ensemble".into(),
            oscillator: e.oscillator,
            omega: e.omega,
            rho: e.rho,
            noise: e.noise,
            start: e.start,
            from: e.from,
            to: e.to,
            step: e.step,
            solver: e.solver,
            paths: e.paths,
            show: 1,
            rows: 1500,
        }
    }
}

const STATISTICS: [&str; 3] = ["mean", "standard_error", "deviation"];

const PATHS: [&str; 8] = [
    "path",
    "dynamic_phases",
    "sub_phases",
    "departures",
    "stick_fraction",
    "mean_square",
    "max_abs_x",
    "final_x",
];

impl EnsembleSpec {
    fn ensemble(&self, seed: u64) -> Ensemble {
        Ensemble {
            oscillator: self.oscillator,
            omega: self.omega,
            rho: self.rho,
            noise: self.noise,
            start: self.start,
            from: self.from,
            to: self.to,
            step: self.step,
            solver: self.solver,
            paths: self.paths,
            seed,
        }
    }
}

impl Analysis for EnsembleSpec {
    fn name(&self) -> &str {
        &self.name
    }

    fn outputs(&self) -> Outputs {
        let shown = (0..self.show).map(|i| layout(format!("{}-path{i}", self.name), MOTION));
        let tables = [
            layout(self.name.clone(), STATISTICS),
            layout(format!("{}-paths", self.name), PATHS),
        ];
        tables.into_iter().chain(shown).collect()
    }

    fn settings(&mut self) -> Vec<(&'static str, &mut f64)> {
        let mut settings = oscillator_settings(&mut self.oscillator);
        settings.extend([("omega", &mut self.omega), ("rho", &mut self.rho)]);
        settings
    }

    fn sizes(&self) -> Vec<(&'static str, &'static Limit, f64)> {
        vec![
            ("paths", &limits::PATHS, self.paths as f64),
            ("rows", &limits::ROWS, self.rows as f64),
            ("step", &limits::STEPS, self.to / self.step),
        ]
    }

    fn check(&self, _: &Path) -> Result<(), Fault> {
        self.ensemble(0).check().map_err(|e| match e.name {
            "rate" | "intensity" => Fault::new(format!("noise.{}", e.name), e),
            _ => Fault::of_oscillator(e),
        })
    }

    fn run(&self, around: Surroundings<'_>) -> Result<AnalysisResult, AnalysisError> {
        let ensemble = self.ensemble(around.seed);
        let statistics = ensemble.run()?;
        let rows = statistics
            .named()
            .map(|(name, s)| ([name.to_owned()], [s.mean, s.standard_error, s.deviation]));
        let summary = worded(["statistic"], STATISTICS, rows)?;
        let rows = statistics.paths.iter().enumerate().map(|(i, p)| {
            [
                i as f64,
                p.dynamic_phases,
                p.sub_phases,
                p.departures,
                p.stick_fraction,
                p.mean_square,
                p.max_abs,
                p.final_x,
            ]
        });
        let mut result = AnalysisResult {
            tables: vec![
                (self.name.clone(), summary),
                (format!("{}-paths", self.name), numbers(PATHS, rows)?),
            ],
            ..AnalysisResult::default()
        };
        for i in 0..self.show {
            let cascade = ensemble.exact_path(i)?;
            let mut times: Vec<f64> = evenly(0.0, cascade.end(), self.rows).collect();
            times.extend(cascade.instants().iter().map(|n| n.t));
            times.sort_by(f64::total_cmp);
            times.dedup();
            let rows = times.into_iter().map(|t| row(&self.oscillator, &cascade.at(t)));
            result
                .motions
                .push((format!("{}-path{i}", self.name), worded(["mode"], MOTION, rows)?));
        }
        Ok(result)
    }
}
