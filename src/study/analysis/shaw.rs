//! Motions of Shaw's oscillator, exact or by time stepping.

use crate::analysis::error::AnalysisError;
use crate::analysis::fault::Fault;
use crate::analysis::forcing::ForcingSpec;
use crate::analysis::oscillator::oscillator_settings;
use crate::analysis::tabulate::{evenly, layout, positive, worded};
use crate::analysis::task::{Analysis, Outputs, Surroundings};
use crate::results::analysis::AnalysisResult;
use crate::text::limits::{self, Limit};
use serde::Deserialize;
use slipstick_models::friction::shaw::{Cascade, EulerScheme, Motion, Oscillator, Snapshot};
use std::path::Path;

/// How a motion is computed.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::analysis::AnalysisSpec;
/// let text = r#"Study(
///     title: "An analysis",
///     analyses: [Shaw(name: "euler", solver: Euler(step: 0.01))],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let AnalysisSpec::Shaw(spec) = &study.analyses[0] else { panic!("it is one") };
/// assert_eq!(spec.solver, slipstick_study::analysis::SolverSpec::Euler { step: 0.01 });
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub enum SolverSpec {
    /// Exactly, event by event.
    #[default]
    Exact,
    /// By the time stepping of the variational inequality.
    Euler {
        /// The time step.
        step: f64,
    },
}

/// A motion of Shaw's oscillator: `trajectories/<name>.csv`, and with the exact solver the instants τ in
/// `tables/<name>-instants.csv`.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::analysis::AnalysisSpec;
/// let text = r#"Study(
///     title: "An analysis",
///     analyses: [Shaw(name: "loud", oscillator: (beta: 9), time: 40)],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let AnalysisSpec::Shaw(spec) = &study.analyses[0] else { panic!("it is one") };
/// assert_eq!((spec.time, spec.oscillator.beta), (40.0, 9.0));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ShawSpec {
    /// Its name.
    pub name: String,
    /// The oscillator.
    pub oscillator: Oscillator,
    /// The forcing T(t).
    pub forcing: ForcingSpec,
    /// Initial displacement.
    pub start: f64,
    /// Initial velocity.
    pub velocity: f64,
    /// How long.
    pub time: f64,
    /// Rows of the table, besides the instants.
    pub rows: usize,
    /// How it is computed.
    pub solver: SolverSpec,
}

impl Default for ShawSpec {
    fn default() -> Self {
        Self {
            name: "shaw".into(),
            oscillator: Oscillator::default(),
            forcing: ForcingSpec::Harmonic { omega: 0.5 },
            start: 5.0,
            velocity: 0.0,
            time: 28.0,
            rows: 1200,
            solver: SolverSpec::default(),
        }
    }
}

/// Columns of a motion; `target` is β T, `extension` β T - x.
pub(crate) const MOTION: [&str; 7] = ["t", "x", "v", "b", "friction", "target", "extension"];

/// A row of a motion.
pub(crate) fn row(o: &Oscillator, s: &Snapshot) -> ([String; 1], [f64; 7]) {
    let extension = (s.force + 2.0 * o.alpha * s.v) / o.stiffness;
    let values = [s.t, s.x, s.v, s.force, s.friction, s.x + extension, extension];
    ([s.motion.to_string()], values)
}

impl Analysis for ShawSpec {
    fn name(&self) -> &str {
        &self.name
    }

    fn outputs(&self) -> Outputs {
        let mut outputs = vec![layout(self.name.clone(), MOTION)];
        if self.solver == SolverSpec::Exact {
            outputs.push(layout(format!("{}-instants", self.name), ["t", "x", "b"]));
        }
        outputs
    }

    fn settings(&mut self) -> Vec<(&'static str, &mut f64)> {
        let mut settings = oscillator_settings(&mut self.oscillator);
        if let ForcingSpec::Harmonic { omega } = &mut self.forcing {
            settings.push(("omega", omega));
        }
        settings
    }

    fn sizes(&self) -> Vec<(&'static str, &'static Limit, f64)> {
        let step = match self.solver {
            SolverSpec::Euler { step } => step,
            SolverSpec::Exact => self.time,
        };
        vec![
            ("rows", &limits::ROWS, self.rows as f64),
            ("solver.step", &limits::STEPS, self.time / step),
        ]
    }

    fn inputs(&self) -> Vec<&str> {
        self.forcing.input().into_iter().collect()
    }

    fn check(&self, folder: &Path) -> Result<(), Fault> {
        self.oscillator.check().map_err(Fault::of_oscillator)?;
        if let SolverSpec::Euler { step } = self.solver {
            positive("solver.step", step)?;
        }
        for (key, value) in [("start", self.start), ("velocity", self.velocity)] {
            if !value.is_finite() {
                return Err(Fault::new(key, format!("{key} = {value} is not a finite number")));
            }
        }
        positive("time", self.time)?;
        self.forcing.check(folder)
    }

    fn run(&self, around: Surroundings<'_>) -> Result<AnalysisResult, AnalysisError> {
        let forcing = self.forcing.build(around.folder, self.time)?;
        let start = (0.0, self.start, self.velocity);
        let mut result = AnalysisResult::default();
        match self.solver {
            SolverSpec::Exact => {
                let cascade = Cascade::new(self.oscillator, &forcing, start, self.time)?;
                // The instants are rows of their own, so that corners are sharp.
                let mut times: Vec<f64> = evenly(0.0, self.time, self.rows).collect();
                times.extend(cascade.instants().iter().map(|i| i.t));
                times.sort_by(f64::total_cmp);
                times.dedup();
                let rows = times.into_iter().map(|t| row(&self.oscillator, &cascade.at(t)));
                result
                    .motions
                    .push((self.name.clone(), worded(["mode"], MOTION, rows)?));
                let instants = cascade.instants().iter();
                let rows = instants.map(|i| ([i.tau.to_string(), i.begins.to_string()], [i.t, i.x, i.force]));
                let table = worded(["tau", "begins"], ["t", "x", "b"], rows)?;
                result.tables.push((format!("{}-instants", self.name), table));
            }
            SolverSpec::Euler { step } => {
                let scheme = EulerScheme::new(self.oscillator, step)?;
                let every = ((self.time / step) / self.rows.max(2) as f64).ceil().max(1.0) as usize;
                let o = self.oscillator;
                let rows = scheme
                    .path(|t| forcing.at(t), start, self.time)
                    .step_by(every)
                    .map(|(t, x, v)| {
                        let force = o.force(x, v, forcing.at(t));
                        let (motion, friction) = match v {
                            0.0 => (Motion::Stick, force.clamp(-o.f_s, o.f_s)),
                            v if v > 0.0 => (Motion::SlipUp, o.f_d),
                            _ => (Motion::SlipDown, -o.f_d),
                        };
                        let now = Snapshot {
                            t,
                            x,
                            v,
                            force,
                            friction,
                            motion,
                        };
                        row(&o, &now)
                    });
                result
                    .motions
                    .push((self.name.clone(), worded(["mode"], MOTION, rows)?));
            }
        }
        Ok(result)
    }
}
