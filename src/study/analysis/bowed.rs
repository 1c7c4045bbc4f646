//! Motions of an elastic structure under friction at one point.

use crate::analysis::elastic::{BowSpec, StructureSpec};
use crate::analysis::error::AnalysisError;
use crate::analysis::fault::Fault;
use crate::analysis::tabulate::{evenly, layout, positive, worded};
use crate::analysis::task::{Analysis, Outputs, Surroundings};
use crate::results::analysis::AnalysisResult;
use crate::text::limits::{self, Limit};
use serde::Deserialize;
use slipstick_models::elastic::{
    ContactEvent, ContactSample, EulerRun, EulerSetting, ModalKernel, Phase, ReducedEquation, Resolution, Side, euler,
    euler_modal,
};
use slipstick_report::{ReportError, Table};
use std::path::Path;

/// A motion: `trajectories/<name>.csv` with contact displacement `y1`, velocity `y2`, force on the structure and mode,
/// and its changes of phase in `tables/<name>-events.csv`, with the jump of the force (`gap`).
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::analysis::AnalysisSpec;
/// let text = r#"Study(
///     title: "An analysis",
///     analyses: [Bowed(name: "bowed", modes: 20, time: 12)],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let AnalysisSpec::Bowed(spec) = &study.analyses[0] else { panic!("it is one") };
/// assert_eq!((spec.modes, spec.time), (20, 12.0));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BowedSpec {
    /// Its name.
    pub name: String,
    /// The structure.
    pub structure: StructureSpec,
    /// Number of modes.
    pub modes: usize,
    /// The bow and its friction.
    pub bow: BowSpec,
    /// Contact displacement and velocity at the start; the first mode alone is excited.
    pub start: (f64, f64),
    /// How long.
    pub time: f64,
    /// Rows of the table, besides events; the Euler scheme writes every so many steps.
    pub rows: usize,
    /// How it is computed.
    pub method: MotionMethod,
}

impl Default for BowedSpec {
    fn default() -> Self {
        Self {
            name: "bowed".into(),
            structure: StructureSpec::default(),
            modes: 160,
            bow: BowSpec::default(),
            start: START,
            time: 12.0,
            rows: 2401,
            method: MotionMethod::default(),
        }
    }
}

/// Contact displacement and velocity from which the source lets the string go.
pub(crate) const START: (f64, f64) = (-2.9224, -2.7668);

/// How a motion is computed.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::analysis::AnalysisSpec;
/// let text = r#"Study(
///     title: "An analysis",
///     analyses: [Bowed(name: "bowed", method: Reduced)],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let AnalysisSpec::Bowed(spec) = &study.analyses[0] else { panic!("it is one") };
/// assert_eq!(spec.method, slipstick_study::analysis::MotionMethod::Reduced);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub enum MotionMethod {
    /// All modes, event by event, to rounding. O(N) operations for each step.
    #[default]
    Full,
    /// The reduced equation with memory, to the same order: the memory is one complex number for each mode, so that a
    /// step costs O(N) however long the past is.
    Reduced,
    /// The reduced equation by the Euler scheme of the source, of first order.
    Euler {
        /// The time step.
        step: f64,
        /// With the kernel of all modes (strings)? Its convolution is summed: O(t) operations for each step.
        #[serde(default)]
        continuum: bool,
    },
}

const MOTION: [&str; 4] = ["t", "y1", "y2", "force"];

const EVENTS: [&str; 5] = ["t", "y1", "force_before", "force_after", "gap"];

/// The table of contact samples.
pub(crate) fn motion_table(samples: &[ContactSample]) -> Result<Table, ReportError> {
    let rows = samples
        .iter()
        .map(|s| ([s.phase.name().to_owned()], [s.t, s.y1, s.y2, s.force]));
    worded(["mode"], MOTION, rows)
}

/// Every `every`-th step and those around changes of phase.
fn samples_of(run: &EulerRun, every: usize) -> Vec<ContactSample> {
    let phase = |q: usize| match (run.stick[q], run.force[q] > 0.0) {
        (true, _) => Phase::Stick,
        (false, true) => Phase::Slip(Side::Behind),
        (false, false) => Phase::Slip(Side::Ahead),
    };
    let sample = |q: usize| ContactSample {
        t: q as f64 * run.step,
        y1: run.y1[q],
        y2: run.y2[q],
        acceleration: f64::NAN,
        force: run.force[q],
        phase: phase(q),
    };
    let corner = |q: usize| {
        let differs = |p: usize| run.stick.get(p).is_some_and(|&s| s != run.stick[q]);
        differs(q + 1) || q.checked_sub(1).is_some_and(differs)
    };
    (0..run.force.len())
        .filter(|&q| q % every == 0 || corner(q))
        .map(sample)
        .collect()
}

impl BowedSpec {
    fn motion(
        &self,
        folder: &Path,
    ) -> Result<(Vec<ContactSample>, Vec<ContactEvent>), slipstick_models::elastic::ElasticError> {
        let bowed = self.bow.on(&self.structure, self.modes, folder)?;
        let (law, v0) = (self.bow.law()?, self.bow.v0);
        let z = bowed.start(self.start.0, self.start.1)?;
        let resolution = Resolution::default();
        let at: Vec<f64> = evenly(0.0, self.time, self.rows).collect();
        let modal = || ModalKernel::new(&self.structure.build(self.modes, folder)?);
        Ok(match self.method {
            MotionMethod::Full => {
                let motion = bowed.simulate(&z, self.time, &at, &resolution)?;
                (motion.tabulated(), motion.events)
            }
            MotionMethod::Reduced => {
                let reduced = ReducedEquation::new(&modal()?)?;
                let motion = reduced.simulate(law, v0, &z, self.time, &at, &resolution)?;
                (motion.tabulated(), motion.events)
            }
            MotionMethod::Euler { step, continuum } => {
                let setting = EulerSetting {
                    law,
                    v0,
                    start: [self.start.0, self.start.1],
                    step,
                    until: self.time,
                };
                let run = match self.structure.continuum() {
                    Ok(kernel) if continuum => euler(&kernel, &setting)?,
                    _ => euler_modal(&modal()?, &setting)?,
                };
                let every = (run.force.len() / self.rows.max(2)).max(1);
                (samples_of(&run, every), run.events)
            }
        })
    }
}

impl Analysis for BowedSpec {
    fn name(&self) -> &str {
        &self.name
    }

    fn outputs(&self) -> Outputs {
        vec![
            layout(self.name.clone(), MOTION),
            layout(format!("{}-events", self.name), EVENTS),
        ]
    }

    fn settings(&mut self) -> Vec<(&'static str, &mut f64)> {
        self.bow.settings(&mut self.structure)
    }

    fn sizes(&self) -> Vec<(&'static str, &'static Limit, f64)> {
        let step = match self.method {
            MotionMethod::Euler { step, .. } => step,
            _ => self.time,
        };
        vec![
            ("modes", &limits::MODES, self.modes as f64),
            ("rows", &limits::ROWS, self.rows as f64),
            ("method.step", &limits::STEPS, self.time / step),
        ]
    }

    fn inputs(&self) -> Vec<&str> {
        self.structure.input().into_iter().collect()
    }

    fn check(&self, folder: &Path) -> Result<(), Fault> {
        self.bow.check(&self.structure, self.modes, folder)?;
        finite_start(self.start)?;
        positive("time", self.time)?;
        if let MotionMethod::Euler { step, continuum } = self.method {
            fitting_step("method.step", step, self.time)?;
            if continuum {
                let kernel = self.structure.continuum().map(|_| ());
                return kernel.map_err(|e| Fault::new("method.continuum", e.message));
            }
        }
        Ok(())
    }

    fn warnings(&self, folder: &Path) -> Vec<Fault> {
        self.bow.warnings(&self.structure, self.modes, folder)
    }

    fn run(&self, around: Surroundings<'_>) -> Result<AnalysisResult, AnalysisError> {
        let (samples, events) = self.motion(around.folder)?;
        let rows = events.iter().map(|e| {
            let values = [e.t, e.y1, e.force_before, e.force_after, e.gap()];
            ([e.to.name().to_owned()], values)
        });
        let events = worded(["to"], EVENTS, rows)?;
        Ok(AnalysisResult {
            motions: vec![(self.name.clone(), motion_table(&samples)?)],
            tables: vec![(format!("{}-events", self.name), events)],
            notes: self.warnings(around.folder).into_iter().map(|f| f.message).collect(),
            ..AnalysisResult::default()
        })
    }
}

/// A time step must be positive and shorter than the time it divides.
pub(crate) fn fitting_step(key: &str, step: f64, time: f64) -> Result<(), Fault> {
    if step > 0.0 && step < time {
        return Ok(());
    }
    let message = format!("a step of {step} does not fit a time of {time}: give a positive one below it");
    Err(Fault::new(key, message))
}

pub(crate) fn finite_start((y1, y2): (f64, f64)) -> Result<(), Fault> {
    if y1.is_finite() && y2.is_finite() {
        Ok(())
    } else {
        Err(Fault::new(
            "start",
            format!("({y1}, {y2}) is no start: write two finite numbers, displacement and velocity"),
        ))
    }
}
