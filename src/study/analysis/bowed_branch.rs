//! A branch of periodic stick-slip motions of an elastic structure.

use crate::analysis::bowed::{START, finite_start, motion_table};
use crate::analysis::bowed_modes::TRANSIENT;
use crate::analysis::elastic::{BowSpec, StructureSpec};
use crate::analysis::error::AnalysisError;
use crate::analysis::fault::Fault;
use crate::analysis::tabulate::{evenly, layout};
use crate::analysis::task::{Analysis, Outputs, Surroundings};
use crate::results::analysis::AnalysisResult;
use crate::results::curve::{CurveResult, Piece};
use crate::text::limits::{self, Limit};
use serde::Deserialize;
use slipstick_bifurcation::{Branch, Column, Inspect, Level, TraceOptions};
use slipstick_continuation::StepOptions;
use slipstick_models::elastic::{
    BowedOrbit, BowedParameter, BowedProblem, BowedStructure, ElasticError, OrbitOptions, Resolution,
};
use slipstick_report::{ReportError, Table};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// The periodic orbit that the motion settles to, continued over one parameter: a curve of `points.csv` with the
/// parameters `v0`, `mu`, `kappa`, `sigma` and the monitors `stick`, `y1_stick`, `y1_slip`, `gap`, `force_stick`,
/// `y1_max`, `y1_min`; the orbits at its labelled points in `orbits/`.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::analysis::AnalysisSpec;
/// let text = r#"Study(
///     title: "An analysis",
///     analyses: [BowedBranch(name: "speed", range: (0.1, 3), levels: {"v0": [1]})],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let AnalysisSpec::BowedBranch(spec) = &study.analyses[0] else { panic!("it is one") };
/// assert_eq!((spec.range, spec.levels["v0"].as_slice()), ((0.1, 3.0), &[1.0][..]));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BowedBranchSpec {
    /// The name of the curve.
    pub name: String,
    /// The structure.
    pub structure: StructureSpec,
    /// Number of modes.
    pub modes: usize,
    /// The bow and its friction at the start.
    pub bow: BowSpec,
    /// Contact displacement and velocity that the search starts from.
    pub start: (f64, f64),
    /// How long to wait before the motion is taken for nearly periodic.
    pub transient: f64,
    /// Onsets of stick in one period.
    pub sticks: usize,
    /// The free parameter: `v0`, `mu`, `kappa` or `sigma`.
    pub free: BowedParameter,
    /// Its range.
    pub range: (f64, f64),
    /// Values of parameters or monitors at which points are computed (label UZ).
    pub levels: BTreeMap<String, Vec<f64>>,
    /// How many multipliers are computed.
    pub multipliers: usize,
    /// The most points in each direction.
    pub points: usize,
}

impl Default for BowedBranchSpec {
    fn default() -> Self {
        Self {
            name: "bowed-branch".into(),
            structure: StructureSpec::default(),
            modes: 20,
            bow: BowSpec::default(),
            start: START,
            transient: TRANSIENT,
            sticks: 1,
            free: BowedParameter::V0,
            range: (0.1, 3.0),
            levels: BTreeMap::new(),
            multipliers: 8,
            points: 1000,
        }
    }
}

const MONITORS: [&str; 7] = ["stick", "y1_stick", "y1_slip", "gap", "force_stick", "y1_max", "y1_min"];

/// Rows of an orbit, besides events.
const ORBIT_ROWS: usize = 401;

impl BowedBranchSpec {
    fn options(&self) -> OrbitOptions {
        OrbitOptions {
            multipliers: self.multipliers,
            sticks: self.sticks,
            ..OrbitOptions::default()
        }
    }

    fn levels(&self) -> Result<Vec<Level>, Fault> {
        let mut levels = vec![];
        for (name, values) in &self.levels {
            let parameter = BowedParameter::ALL.iter().find(|p| p.name() == name);
            let monitor = MONITORS.iter().position(|m| m == name);
            let column = match (parameter, monitor) {
                (Some(p), _) => Column::Parameter(p.index()),
                (None, Some(i)) => Column::Monitor(i),
                (None, None) if name == "period" => Column::Period,
                (None, None) => {
                    let parameters: Vec<&str> = BowedParameter::ALL.iter().map(|p| p.name()).collect();
                    let known = format!("{}, {}, period", parameters.join(", "), MONITORS.join(", "));
                    let message = format!("unknown parameter or monitor `{name}`; this analysis has: {known}");
                    return Err(Fault::new(format!("levels.\"{name}\"#"), message));
                }
            };
            levels.extend(values.iter().map(|&value| Level {
                column,
                name: name.clone(),
                value,
                unit: 1.0,
            }));
        }
        Ok(levels)
    }

    /// The orbits at the labelled points, by index.
    fn orbits(
        &self,
        bowed: &BowedStructure,
        start: &BowedOrbit,
        branch: &Branch,
    ) -> Result<Vec<((String, usize), Table)>, ReportError> {
        let options = OrbitOptions {
            multipliers: 0,
            ..self.options()
        };
        let mut orbits = vec![];
        for (index, point) in branch.special() {
            let table = || -> Result<_, ElasticError> {
                let mut problem = BowedProblem::new(bowed, &start.phases, &[self.free], options)?;
                let orbit = problem.orbit(&point.point.z)?;
                let at: Vec<f64> = evenly(0.0, orbit.period, ORBIT_ROWS).collect();
                orbit.motion(bowed, &at, &Resolution::default())
            };
            // An orbit at the very end of its word may leave it within rounding, and is then not drawn.
            if let Ok(motion) = table() {
                orbits.push(((self.name.clone(), index), motion_table(&motion.tabulated())?));
            }
        }
        Ok(orbits)
    }
}

impl Analysis for BowedBranchSpec {
    fn name(&self) -> &str {
        &self.name
    }

    fn outputs(&self) -> Outputs {
        vec![]
    }

    fn curves(&self) -> Outputs {
        let mut columns = vec!["index".to_owned(), "period".to_owned()];
        columns.extend(BowedParameter::ALL.iter().map(|p| p.name().to_owned()));
        columns.extend(MONITORS.map(str::to_owned));
        columns.extend(["margin".to_owned(), "unstable".to_owned()]);
        for i in 1..=self.multipliers {
            columns.extend([format!("mult{i}_log10"), format!("mult{i}_arg")]);
        }
        vec![layout(self.name.clone(), columns)]
    }

    fn settings(&mut self) -> Vec<(&'static str, &mut f64)> {
        self.bow.settings(&mut self.structure)
    }

    fn sizes(&self) -> Vec<(&'static str, &'static Limit, f64)> {
        vec![
            ("modes", &limits::MODES, self.modes as f64),
            ("sticks", &limits::STICKS, self.sticks as f64),
            ("multipliers", &limits::MULTIPLIERS, self.multipliers as f64),
            ("points", &limits::POINTS, self.points as f64),
        ]
    }

    fn inputs(&self) -> Vec<&str> {
        self.structure.input().into_iter().collect()
    }

    fn check(&self, folder: &Path) -> Result<(), Fault> {
        self.bow.check(&self.structure, self.modes, folder)?;
        finite_start(self.start)?;
        self.levels()?;
        let now = [self.bow.v0, self.bow.mu, self.bow.kappa, self.bow.sigma][self.free.index()];
        let ((low, high), name) = (self.range, self.free.name());
        if !(low < high && low.is_finite() && high.is_finite()) {
            let message = format!("({low}, {high}) is no range: write two finite numbers, the smaller first");
            return Err(Fault::new("range", message));
        }
        if !(low..=high).contains(&now) {
            let message = format!("the start has {name} = {now}, which is not within the range ({low}, {high})");
            return Err(Fault::new("range", message));
        }
        Ok(())
    }

    fn warnings(&self, folder: &Path) -> Vec<Fault> {
        self.bow.warnings(&self.structure, self.modes, folder)
    }

    fn run(&self, around: Surroundings<'_>) -> Result<AnalysisResult, AnalysisError> {
        around.observer.curve_begins(&self.name);
        let clock = Instant::now();
        let bowed = self.bow.on(&self.structure, self.modes, around.folder)?;
        let start = bowed.start(self.start.0, self.start.1)?;
        let orbit = bowed.find_orbit(&start, self.transient, &self.options())?;
        let trace = TraceOptions {
            range: self.range,
            levels: self.levels()?,
            within: vec![],
            steps: StepOptions::default(),
            points: self.points,
            directions: vec![1.0, -1.0],
        };
        let mut observe = |point: &_| {
            around.observer.point(&self.name, point);
            !around.stop.load(Ordering::Relaxed)
        };
        let branch = bowed.trace(&orbit, self.free, self.options(), &trace, &mut observe)?;
        let orbits = self.orbits(&bowed, &orbit, &branch)?;
        let problem = BowedProblem::new(&bowed, &orbit.phases, &[self.free], self.options())?;
        let result = CurveResult {
            name: self.name.clone(),
            system: None,
            parameters: problem.parameter_names(),
            free: self.free.name().to_owned(),
            monitors: problem.monitor_names(),
            pieces: vec![Piece {
                word: orbit.word(),
                half: false,
                inequalities: problem.inequalities(),
                branch,
                orbits: vec![],
                between: vec![],
            }],
            note: String::new(),
            seconds: clock.elapsed().as_secs_f64(),
        };
        around.observer.curve_ends(&result);
        Ok(AnalysisResult {
            curves: vec![result],
            orbits,
            notes: self.warnings(around.folder).into_iter().map(|f| f.message).collect(),
            ..AnalysisResult::default()
        })
    }
}
