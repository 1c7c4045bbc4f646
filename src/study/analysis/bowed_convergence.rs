//! The order of the Euler scheme of the reduced equation, measured against the motion of all modes.

use crate::analysis::bowed::{START, finite_start, fitting_step};
use crate::analysis::elastic::{BowSpec, StructureSpec};
use crate::analysis::error::AnalysisError;
use crate::analysis::fault::Fault;
use crate::analysis::tabulate::{layout, numbers, positive};
use crate::analysis::task::{Analysis, Outputs, Surroundings};
use crate::results::analysis::AnalysisResult;
use crate::text::limits::{self, Limit};
use rayon::prelude::*;
use serde::Deserialize;
use slipstick_models::elastic::{ElasticError, EulerSetting, ModalKernel, Resolution, euler_modal};
use slipstick_numerics::stop::Scope;
use std::path::Path;

/// The largest error of the contact displacement at the grid points of the scheme, for several steps:
/// `tables/<name>.csv`.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::analysis::AnalysisSpec;
/// let text = r#"Study(
///     title: "An analysis",
///     analyses: [BowedConvergence(name: "order", modes: 5)],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let AnalysisSpec::BowedConvergence(spec) = &study.analyses[0] else { panic!("it is one") };
/// assert_eq!(spec.modes, 5);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BowedConvergenceSpec {
    /// Its name.
    pub name: String,
    /// The structure.
    pub structure: StructureSpec,
    /// Number of modes.
    pub modes: usize,
    /// The bow and its friction.
    pub bow: BowSpec,
    /// Contact displacement and velocity at the start.
    pub start: (f64, f64),
    /// How long.
    pub time: f64,
    /// The time steps.
    pub steps: Vec<f64>,
}

impl Default for BowedConvergenceSpec {
    fn default() -> Self {
        Self {
            name: "bowed-convergence".into(),
            structure: StructureSpec::default(),
            modes: 160,
            bow: BowSpec::default(),
            start: START,
            time: 12.0,
            steps: vec![2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4],
        }
    }
}

const COLUMNS: [&str; 4] = ["step", "displacement", "order", "events"];

impl BowedConvergenceSpec {
    fn rows(&self, folder: &Path) -> Result<Vec<[f64; 4]>, ElasticError> {
        let bowed = self.bow.on(&self.structure, self.modes, folder)?;
        let kernel = ModalKernel::new(&self.structure.build(self.modes, folder)?)?;
        let z = bowed.start(self.start.0, self.start.1)?;
        let exact = bowed.simulate(&z, self.time, &[], &Resolution::default())?;
        let run = |&step: &f64| -> Result<[f64; 4], ElasticError> {
            let setting = EulerSetting {
                law: self.bow.law()?,
                v0: self.bow.v0,
                start: [self.start.0, self.start.1],
                step,
                until: self.time,
            };
            let run = euler_modal(&kernel, &setting)?;
            let error = |(q, y1): (usize, &f64)| exact.at(q as f64 * step).map_or(0.0, |[y, _]| (y - y1).abs());
            let largest = run.y1.iter().enumerate().map(error).fold(0.0, f64::max);
            Ok([step, largest, f64::NAN, run.events.len() as f64])
        };
        let scope = Scope::here();
        let rows = self.steps.par_iter().map(|step| scope.enter(|| run(step)));
        let mut rows = rows.collect::<Result<Vec<_>, _>>()?;
        for i in 1..rows.len() {
            rows[i][2] = (rows[i][1] / rows[i - 1][1]).ln() / (rows[i][0] / rows[i - 1][0]).ln();
        }
        Ok(rows)
    }
}

impl Analysis for BowedConvergenceSpec {
    fn name(&self) -> &str {
        &self.name
    }

    fn outputs(&self) -> Outputs {
        vec![layout(self.name.clone(), COLUMNS)]
    }

    fn settings(&mut self) -> Vec<(&'static str, &mut f64)> {
        self.bow.settings(&mut self.structure)
    }

    fn sizes(&self) -> Vec<(&'static str, &'static Limit, f64)> {
        let step = self.steps.iter().copied().fold(f64::INFINITY, f64::min);
        vec![
            ("modes", &limits::MODES, self.modes as f64),
            ("steps", &limits::STEPS, self.time / step),
        ]
    }

    fn inputs(&self) -> Vec<&str> {
        self.structure.input().into_iter().collect()
    }

    fn check(&self, folder: &Path) -> Result<(), Fault> {
        self.bow.check(&self.structure, self.modes, folder)?;
        finite_start(self.start)?;
        positive("time", self.time)?;
        self.steps
            .iter()
            .try_for_each(|&step| fitting_step("steps", step, self.time))
    }

    fn warnings(&self, folder: &Path) -> Vec<Fault> {
        self.bow.warnings(&self.structure, self.modes, folder)
    }

    fn run(&self, around: Surroundings<'_>) -> Result<AnalysisResult, AnalysisError> {
        let rows = self.rows(around.folder)?;
        Ok(AnalysisResult {
            tables: vec![(self.name.clone(), numbers(COLUMNS, rows)?)],
            ..AnalysisResult::default()
        })
    }
}
