//! Identification of a bridge bearing from a record.

use crate::analysis::error::AnalysisError;
use crate::analysis::fault::Fault;
use crate::analysis::tabulate::{layout, numbers, worded};
use crate::analysis::task::{Analysis, Outputs, Surroundings};
use crate::results::analysis::AnalysisResult;
use crate::text::limits::{self, Limit};
use serde::Deserialize;
use slipstick_models::friction::bearing::{
    Bearing, Calibration, CalibrationError, Record, RecordError, RecordFormat, Spread,
};
use std::path::Path;

/// Where the record comes from.
///
/// ```
/// use slipstick_study::{self as study, analysis::{AnalysisSpec, RecordSource}};
/// let text = r#"Study(title: "Bearing", analyses: [Calibration(name: "fit", record: Synthetic(beta: 3e-4))])"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let AnalysisSpec::Calibration(fit) = &study.analyses[0] else { panic!("it is one") };
/// assert!(matches!(&fit.record, RecordSource::Synthetic(bearing) if bearing.beta == 3e-4));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum RecordSource {
    /// A CSV file.
    Csv {
        /// The file, relative to the study.
        file: String,
        /// How to read it.
        #[serde(default)]
        format: RecordFormat,
        /// Only its longest stretch without a gap.
        #[serde(default)]
        longest_unbroken: bool,
    },
    /// The synthetic record of a bearing, without random numbers.
    Synthetic(Bearing),
}

/// A calibration (times in days, temperatures in °C, lengths in metres): runs in `tables/<name>-runs.csv`, mean and
/// spread in `-spread.csv`, what is identified in `-identified.csv`; record, model and residual in
/// `trajectories/<name>.csv`.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::analysis::AnalysisSpec;
/// let text = r#"Study(
///     title: "An analysis",
///     analyses: [Calibration(name: "bearing", runs: 4)],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let AnalysisSpec::Calibration(spec) = &study.analyses[0] else { panic!("it is one") };
/// assert_eq!(spec.runs, 4);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CalibrationSpec {
    /// Its name.
    pub name: String,
    /// The record.
    pub record: RecordSource,
    /// The range of f_d/K to search, m.
    pub dynamic_reach: (f64, f64),
    /// The range of (f_s - f_d)/K to search, m.
    pub half_jump: (f64, f64),
    /// The range of β to search, m/K.
    pub beta: (f64, f64),
    /// Standard deviation of noise added to the displacements before they are fitted, m.
    pub noise: f64,
    /// A stretch of time, in days, that is also written to `trajectories/<name>-window.csv`.
    pub window: Option<(f64, f64)>,
    /// Is x(0) unknown?
    pub free_start: bool,
    /// K_BP, N/m; `None` for a rigid bearing.
    pub shear_stiffness: Option<f64>,
    /// How many runs, from as many seeds.
    pub runs: usize,
    /// Particles of the swarm.
    pub particles: usize,
    /// Iterations of the swarm.
    pub iterations: u64,
}

impl Default for CalibrationSpec {
    fn default() -> Self {
        let c = Calibration::default();
        Self {
            name: "calibration".into(),
            record: RecordSource::Synthetic(Bearing::default()),
            dynamic_reach: c.dynamic_reach,
            half_jump: c.half_jump,
            beta: c.beta,
            noise: 0.0,
            window: None,
            free_start: c.free_start,
            shear_stiffness: c.shear_stiffness,
            runs: c.runs,
            particles: c.particles,
            iterations: c.iterations,
        }
    }
}

const RUNS: [&str; 12] = [
    "seed", "rms", "f_s/K", "D", "beta", "lead", "z0", "r", "K", "f_s", "f_d", "slips",
];

const SPREAD: [&str; 3] = ["mean", "deviation", "variation"];

const IDENTIFIED: [&str; 4] = ["best", "low", "high", "relative"];

const RECORD: [&str; 5] = ["t", "temperature", "measured", "model", "residual"];

impl CalibrationSpec {
    fn calibration(&self, seed: u64) -> Calibration {
        Calibration {
            dynamic_reach: self.dynamic_reach,
            half_jump: self.half_jump,
            beta: self.beta,
            free_start: self.free_start,
            shear_stiffness: self.shear_stiffness,
            runs: self.runs,
            seed,
            particles: self.particles,
            iterations: self.iterations,
        }
    }

    fn read(&self, folder: &Path) -> Result<Record, RecordError> {
        match &self.record {
            RecordSource::Synthetic(bearing) => bearing.synthetic_record(),
            RecordSource::Csv {
                file,
                format,
                longest_unbroken,
            } => {
                let whole = Record::read(&folder.join(file), format);
                whole.map(|r| if *longest_unbroken { r.longest_unbroken() } else { r })
            }
        }
    }
}

impl Analysis for CalibrationSpec {
    fn name(&self) -> &str {
        &self.name
    }

    fn outputs(&self) -> Outputs {
        let name = |part: &str| format!("{}-{part}", self.name);
        let mut outputs = vec![
            layout(self.name.clone(), RECORD),
            layout(name("runs"), RUNS),
            layout(name("spread"), SPREAD),
            layout(name("identified"), IDENTIFIED),
        ];
        if self.window.is_some() {
            outputs.push(layout(name("window"), RECORD));
        }
        outputs
    }

    /// Those of the bearing that makes the synthetic record.
    fn settings(&mut self) -> Vec<(&'static str, &mut f64)> {
        match &mut self.record {
            RecordSource::Csv { .. } => vec![],
            RecordSource::Synthetic(b) => vec![
                ("K", &mut b.stiffness),
                ("f_s", &mut b.f_s),
                ("f_d", &mut b.f_d),
                ("beta", &mut b.beta),
                ("z0", &mut b.offset),
            ],
        }
    }

    fn sizes(&self) -> Vec<(&'static str, &'static Limit, f64)> {
        vec![
            ("runs", &limits::RUNS, self.runs as f64),
            ("particles", &limits::PARTICLES, self.particles as f64),
        ]
    }

    fn inputs(&self) -> Vec<&str> {
        match &self.record {
            RecordSource::Synthetic(_) => vec![],
            RecordSource::Csv { file, .. } => vec![file],
        }
    }

    fn check(&self, folder: &Path) -> Result<(), Fault> {
        self.calibration(0).check().map_err(|e| {
            let key = match &e {
                CalibrationError::Range { name: "f_d/K", .. } => "dynamic_reach",
                CalibrationError::Range { name: "beta", .. } => "beta",
                CalibrationError::Range { .. } => "half_jump",
                CalibrationError::Shear { .. } => "shear_stiffness",
                _ => "runs",
            };
            Fault::new(key, e)
        })?;
        if !(self.noise >= 0.0 && self.noise.is_finite()) {
            let message = format!(
                "noise = {} is no standard deviation: give zero or a positive number",
                self.noise
            );
            return Err(Fault::new("noise", message));
        }
        if let Some((from, to)) = self.window
            && from >= to
        {
            let message = format!("the window ({from}, {to}) is empty: write the earlier time first");
            return Err(Fault::new("window", message));
        }
        self.read(folder).map(|_| ()).map_err(|e| Fault::new("record", e))
    }

    fn run(&self, around: Surroundings<'_>) -> Result<AnalysisResult, AnalysisError> {
        let record = self.read(around.folder)?.with_noise(self.noise, around.seed);
        let fitted = self.calibration(around.seed).fit(&record)?;
        let or_nan = |v: Option<f64>| v.unwrap_or(f64::NAN);
        let runs = fitted.fits.iter().map(|f| {
            let values = [
                f.seed as f64,
                f.rms,
                f.reach,
                f.half_jump,
                f.beta,
                f.lead,
                f.offset,
                f.shear_share,
                or_nan(f.stiffness),
                or_nan(f.f_s),
                or_nan(f.f_d),
                f.slips as f64,
            ];
            ([if f.reached { "yes" } else { "no" }.to_owned()], values)
        });
        let runs = worded(["reached"], RUNS, runs)?;
        let of = |which: &'static str, spread: &[Spread]| {
            let rows = spread.iter().map(|s| {
                (
                    [which.to_owned(), s.name.to_owned()],
                    [s.mean, s.deviation, s.variation],
                )
            });
            rows.collect::<Vec<_>>()
        };
        let spread = [of("all", &fitted.spread), of("reached", &fitted.spread_of_reached)].concat();
        let spread = worded(["runs", "quantity"], SPREAD, spread)?;
        let identified = fitted
            .identified
            .iter()
            .map(|q| ([q.name.to_owned()], [q.best, q.low, q.high, q.relative()]));
        let identified = worded(["quantity"], IDENTIFIED, identified)?;
        let row = |i: usize| {
            [
                record.t[i],
                record.temperature[i],
                record.displacement[i],
                fitted.model[i],
                fitted.residuals[i],
            ]
        };
        let mut motions = vec![(self.name.clone(), numbers(RECORD, (0..record.t.len()).map(row))?)];
        if let Some((from, to)) = self.window {
            let inside = (0..record.t.len()).filter(|&i| (from..=to).contains(&record.t[i]));
            motions.push((format!("{}-window", self.name), numbers(RECORD, inside.map(row))?));
        }
        let reached = fitted.fits.iter().filter(|f| f.reached).count();
        let mut notes = record.notes.clone();
        notes.push(format!(
            "{reached} of {} runs reached the best fit, rms {:.4e} m over time, with {} slips",
            fitted.fits.len(),
            fitted.best.rms,
            fitted.best.slips
        ));
        if self.shear_stiffness.is_none() {
            notes.push(
                "without K_BP only f_s/K, f_d/K, beta and z0 are identifiable, not K and the friction forces".into(),
            );
        }
        let name = |part: &str| format!("{}-{part}", self.name);
        Ok(AnalysisResult {
            motions,
            tables: vec![
                (name("runs"), runs),
                (name("spread"), spread),
                (name("identified"), identified),
            ],
            notes,
            ..AnalysisResult::default()
        })
    }
}
