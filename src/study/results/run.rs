//! All results of a run, and what produced none.

use crate::results::analysis::AnalysisResult;
use crate::results::attractors::AttractorsResult;
use crate::results::big_table::BigTable;
use crate::results::curve::CurveResult;
use crate::results::portrait::PortraitResult;
use crate::results::trajectory::TrajectoryResult;

/// A curve or trajectory of the study that produced no points, or one of which a part is missing, and why.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "Nothing there",
///     system: Smooth(states: ["x"], parameters: {"a": -1}, equations: ["x' = a - x^2"]),
///     curves: [Curve(name: "rest", orbit: Equilibrium, start: All(at: {"a": -1}), free: "a", range: (-2, -0.5))],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let result = study::run(&plan, &study::Silent, &false.into());
/// // There is no equilibrium below the fold, and the run says so.
/// assert!(result.missing.len() == 1 && result.missing[0].curve == "rest" && !result.missing[0].reason.is_empty());
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The curve's name.
    pub curve: String,
    /// The reason, in words.
    pub reason: String,
    /// Is it a part of the results only, as one of the branches of a curve?
    pub partly: bool,
}

impl Missing {
    /// What is missing of the entry called `name`.
    pub(crate) fn of(name: &str, reason: impl Into<String>) -> Self {
        Self {
            curve: name.to_owned(),
            reason: reason.into(),
            partly: false,
        }
    }

    /// A part that is missing of the entry called `name`, as one of the branches of a curve.
    pub(crate) fn part_of(name: &str, reason: impl Into<String>) -> Self {
        Self {
            partly: true,
            ..Self::of(name, reason)
        }
    }

    /// What is missing, in words.
    pub fn in_words(&self) -> String {
        let Self { curve, reason, partly } = self;
        match partly {
            true => format!("`{curve}`: {reason}"),
            false => format!("`{curve}` produced no points: {reason}"),
        }
    }
}

/// All results of a run.
///
/// ```
/// use slipstick_study::{self as study, Silent};
/// let text = r#"Study(title: "Motion", system: Shaw(), simulations: [Simulation(name: "motion", time: 10)])"#;
/// let plan = study::parse("shaw.ron".as_ref(), text.into())?.plan(&[])?;
/// let result = study::run(&plan, &Silent, &false.into());
/// assert!(result.missing.is_empty() && !result.stopped);
/// assert_eq!(result.trajectories[0].ended, "reached the end time");
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Default)]
pub struct RunResult {
    /// The traced curves, in the order of the study.
    pub curves: Vec<CurveResult>,
    /// The simulated trajectories, in the order of the study.
    pub trajectories: Vec<TrajectoryResult>,
    /// What the sweeps for attractors found, in the order of the study.
    pub attractors: Vec<AttractorsResult>,
    /// The slow–fast portraits, in the order of the study.
    pub portraits: Vec<PortraitResult>,
    /// The analyses, in the order of the study.
    pub analyses: Vec<AnalysisResult>,
    /// Tables that are files already.
    pub(crate) big_tables: Vec<BigTable>,
    /// What produced no results.
    pub missing: Vec<Missing>,
    /// Was the run stopped before its end?
    pub stopped: bool,
}

impl RunResult {
    /// Add the results of a task, after those that are there.
    pub(crate) fn append(&mut self, mut other: Self) {
        self.curves.append(&mut other.curves);
        self.big_tables.append(&mut other.big_tables);
        self.trajectories.append(&mut other.trajectories);
        self.attractors.append(&mut other.attractors);
        self.portraits.append(&mut other.portraits);
        self.analyses.append(&mut other.analyses);
        self.missing.append(&mut other.missing);
    }
}
