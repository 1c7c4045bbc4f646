//! A validated study: names resolved to indices, numbers checked, everything ready to run.
pub use crate::plan::named_system::NamedSystem;
use crate::plan::object::Object;
use crate::plan::source::Source;
use crate::spec::curve::ChoiceSpec;
use slipstick_bifurcation::{Label, TraceOptions};
use slipstick_flow::{FlowOptions, SimulationOptions};
use slipstick_orbit::{Discretisation, MeshOptions};
use std::path::PathBuf;

/// Where a curve starts.
///
/// ```
/// use slipstick_study::{self as study, StartPlan};
/// let text = r#"Study(
///     title: "One curve",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     curves: [Curve(name: "stiff", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2}), free: "Omega", range: (1.9, 2.1))],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let StartPlan::Search { values, otherwise, .. } = &plan.curves[0].start else { panic!("all orbits are looked for") };
/// // At Ω = 2 first; were nothing there, at values all over the range.
/// assert!(values.is_empty() && otherwise.len() > 10 && plan.curves[0].parameters[0] == 2.0);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone)]
pub enum StartPlan {
    /// A systematic search.
    Search {
        /// Values of the free parameter to search at.
        values: Vec<f64>,
        /// Values to try when there is nothing at the first ones.
        otherwise: Vec<f64>,
        /// Number of seeds.
        seeds: Option<usize>,
        /// Interval of each state, where the study gives one.
        region: Vec<Option<(f64, f64)>>,
        /// The longest segment looked for.
        longest: f64,
    },
    /// The motion that a trajectory settles to.
    Settle {
        /// The mode it starts in.
        mode: usize,
        /// The states of that mode.
        from: Vec<f64>,
        /// The longest time to wait, where the study says so.
        patience: Option<f64>,
    },
    /// A guess for Newton.
    Guess {
        /// Start state of each segment.
        states: Vec<Vec<f64>>,
        /// Duration of each segment.
        durations: Vec<f64>,
    },
    /// Points of other curves.
    Point {
        /// Which.
        source: Source,
        /// For a curve of this study, its number.
        after: Option<usize>,
        /// Parameters that the study gives, by index; the others are those of the point.
        given: Vec<(usize, f64)>,
    },
    /// An orbit in a file.
    File(PathBuf),
    /// A solution in a file of AUTO's.
    Auto {
        /// The file.
        path: PathBuf,
        /// The label of the solution.
        label: usize,
        /// AUTO's number of each parameter.
        numbers: Vec<usize>,
        /// Parameters that the study gives, by index.
        given: Vec<(usize, f64)>,
    },
}

/// A curve, ready to trace.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "One curve",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     curves: [Curve(name: "stiff", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2}), free: "Omega", range: (1.9, 2.1))],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let curve = &plan.curves[0];
/// // Names have become indices, and the parameters at the start are complete.
/// assert_eq!((curve.name.as_str(), curve.free, curve.parameters.as_slice()), ("stiff", 0, &[2.0, 1.1, 0.4][..]));
/// assert!(curve.after().is_none(), "it starts from no other curve");
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone)]
pub struct CurvePlan {
    /// Its name.
    pub name: String,
    /// Index of its system.
    pub system: usize,
    /// What it follows.
    pub object: Object,
    /// Names of its monitors.
    pub monitors: Vec<String>,
    /// All parameters at the start.
    pub parameters: Vec<f64>,
    /// The index of the free one.
    pub free: usize,
    /// Where it starts.
    pub start: StartPlan,
    /// How it is traced.
    pub trace: TraceOptions,
    /// How flows are computed.
    pub flow: FlowOptions,
    /// The mesh of periodic orbits of many states, each equation of which sees few, where they are followed with sparse
    /// factors.
    pub large: Option<MeshOptions>,
    /// How segments are discretised, for each mode.
    pub discretisations: Vec<Discretisation>,
    /// The same where rounding within a shot grows by more than it can be followed; empty where the study says how.
    pub otherwise: Vec<Discretisation>,
    /// Is the word switched where it stops being valid?
    pub switch: bool,
    /// Which word goes on where several do.
    pub choice: ChoiceSpec,
    /// Labels at which branches are switched.
    pub branches: Vec<Label>,
    /// How many generations of branches are followed.
    pub generations: usize,
}

impl CurvePlan {
    /// The number of the curve of this study that this one starts from, if it does.
    pub fn after(&self) -> Option<usize> {
        match &self.start {
            StartPlan::Point { after, .. } => *after,
            _ => None,
        }
    }
}

/// A trajectory, ready to compute.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "A ride",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     simulations: [Simulation(name: "ride", time: 20, every: 0.5)],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let ride = &plan.simulations[0];
/// assert_eq!((ride.every, ride.options.t_end), (0.5, 20.0));
/// // It starts where the system says.
/// assert_eq!((ride.mode, ride.from.clone()), plan.systems[0].system.start_at(&ride.parameters));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone)]
pub struct SimulationPlan {
    /// Its name.
    pub name: String,
    /// Index of its system.
    pub system: usize,
    /// All parameters.
    pub parameters: Vec<f64>,
    /// The mode it starts in.
    pub mode: usize,
    /// The states of that mode.
    pub from: Vec<f64>,
    /// The time between rows of the table.
    pub every: f64,
    /// Are there more rows where polynomials from row to row need them?
    pub joined: bool,
    /// How it is computed.
    pub options: SimulationOptions,
}
