//! The text of a study, as written: every key, its default and what it means.

use super::analysis::AnalysisSpec;
use super::system::SystemSpec;
use crate::orbit::MeshOptions;
use crate::report::figure::Figure;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A study: systems, the curves to trace, trajectories to compute, figures to draw.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// One line that says what the study shows.
    pub title: String,
    /// The system that curves and simulations are about, unless they name another.
    #[serde(default)]
    pub system: Option<SystemSpec>,
    /// Further systems by name, for studies that compare several.
    #[serde(default)]
    pub systems: BTreeMap<String, SystemSpec>,
    /// Seed of all random numbers.
    #[serde(default)]
    pub seed: u64,
    /// The curves to trace.
    #[serde(default)]
    pub curves: Vec<CurveSpec>,
    /// Two-parameter curves of special points.
    #[serde(default)]
    pub loci: Vec<LocusSpec>,
    /// Trajectories to compute.
    #[serde(default)]
    pub simulations: Vec<SimulationSpec>,
    /// Brute-force looks for everything that attracts, to be compared with the curves.
    #[serde(default)]
    pub attractors: Vec<AttractorsSpec>,
    /// Tables of distances between curves.
    #[serde(default)]
    pub distances: Vec<DistancesSpec>,
    /// Slow–fast objects of systems declared slow–fast.
    #[serde(default)]
    pub slow_fast: Vec<PortraitSpec>,
    /// Computations by a system's own solver.
    #[serde(default)]
    pub analyses: Vec<AnalysisSpec>,
    /// Figures to draw from the tables.
    #[serde(default)]
    pub figures: Vec<Figure>,
    /// Write each curve of a smooth system as AUTO's text files, too: `auto/b.NAME` and `auto/s.NAME`.
    #[serde(default)]
    pub auto: bool,
}

/// One curve (or several, when its start finds several orbits that do not lie on one curve).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "Curve")]
pub struct CurveSpec {
    /// The name in tables and figures.
    pub name: String,
    /// The name of one of the study's `systems`; by default its `system`.
    #[serde(default)]
    pub system: Option<String>,
    /// Parameter values that differ from the system's.
    #[serde(default)]
    pub set: BTreeMap<String, f64>,
    /// What kind of object is followed.
    pub orbit: OrbitSpec,
    /// Where the curve starts.
    pub start: StartSpec,
    /// The free parameter.
    pub free: String,
    /// The range of the free parameter.
    pub range: (f64, f64),
    /// Values of parameters or monitors at which points are wanted (label UZ).
    #[serde(default)]
    pub levels: BTreeMap<String, Vec<f64>>,
    /// Intervals that parameters or monitors must stay in; the curve ends (EP) where one leaves its interval.
    #[serde(default)]
    pub within: BTreeMap<String, (f64, f64)>,
    /// How segments without a closed form are discretised.
    #[serde(default)]
    pub method: MethodSpec,
    /// Step control; the defaults adapt.
    #[serde(default)]
    pub step: StepSpec,
    /// What to do where the word of the orbits stops being valid.
    #[serde(default)]
    pub switch: SwitchSpec,
    /// Labels at which the branches that cross or branch off are traced as well: SB, PD, BP.
    #[serde(default)]
    pub branches: Vec<BranchLabel>,
    /// How many generations of such branches to follow.
    #[serde(default = "default_generations")]
    pub generations: usize,
    /// Which way to set off from the start.
    #[serde(default)]
    pub directions: Directions,
    /// The most points in each direction.
    #[serde(default = "default_points")]
    pub points: usize,
}

fn default_generations() -> usize {
    1
}

fn default_points() -> usize {
    100_000
}

/// A two-parameter curve: where a special point stays what it is while two parameters change.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "Locus")]
pub struct LocusSpec {
    /// The name in tables and figures.
    pub name: String,
    /// A curve of this study and one of its labels, or the level of a user point: `"compliant: LP"`, `"stiff: theta0=0.3"`. Branches are called by
    /// the curve and the labels where they leave: `"stiff-SB: PD"`.
    pub from: String,
    /// Intervals of parameters or monitors that the points to start from must lie in, where the curve has several with this label.
    #[serde(default)]
    pub among: BTreeMap<String, (f64, f64)>,
    /// The two free parameters.
    pub free: (String, String),
    /// The range of each of them, in the same order.
    pub range: ((f64, f64), (f64, f64)),
    /// Values of parameters or monitors at which points are wanted (label UZ).
    #[serde(default)]
    pub levels: BTreeMap<String, Vec<f64>>,
    /// Intervals that other parameters or monitors must stay in; the curve ends (EP) where one leaves its interval.
    #[serde(default)]
    pub within: BTreeMap<String, (f64, f64)>,
    /// Step control, in units of the first parameter; the defaults adapt.
    #[serde(default)]
    pub step: StepSpec,
    /// The most points in each direction.
    #[serde(default = "default_points")]
    pub points: usize,
}

/// How segments without a closed form are discretised.
#[derive(Clone, Copy, Debug, Deserialize, Default, PartialEq)]
#[serde(deny_unknown_fields)]
pub enum MethodSpec {
    /// Collocation for smooth periodic orbits and in modes declared slow–fast, the flow elsewhere.
    #[default]
    Auto,
    /// The flow of each mode: closed form, matrix exponential or integrator; one shot for each segment.
    Flow,
    /// Multiple shooting. Smooth orbits: so many shots of equal length in a period (of one shot: single shooting). In modes without a closed form:
    /// an integrator for stiff modes, and as many shots as the growth along them asks for.
    Shooting {
        /// How many shots, for smooth orbits; 8 if left out.
        #[serde(default)]
        shots: Option<usize>,
        /// The error aimed at, relative to the size of each state, in modes without a closed form.
        #[serde(default = "default_tolerance")]
        tolerance: f64,
    },
    /// Orthogonal collocation on an adaptive mesh.
    Collocation {
        /// Collocation points in each interval.
        #[serde(default = "default_stages")]
        stages: usize,
        /// The error aimed at, relative to the size of each state.
        #[serde(default = "default_tolerance")]
        tolerance: f64,
    },
}

fn default_stages() -> usize {
    MeshOptions::default().stages
}

fn default_tolerance() -> f64 {
    MeshOptions::default().tolerance
}

/// The kind of object.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub enum OrbitSpec {
    /// A symmetric periodic orbit, by the word of its first half: `Symmetric("slip- stick")`.
    Symmetric(String),
    /// A periodic orbit, by the word of its full period: `Periodic("slip- stick slip+ stick")`.
    Periodic(String),
    /// A periodic orbit of a smooth system, forced in time or not.
    PeriodicOrbit,
    /// An equilibrium of a smooth system.
    Equilibrium,
    /// A fixed point of a map.
    FixedPoint,
    /// A cycle of so many points of a map: `Cycle(2)`.
    Cycle(usize),
}

/// Where a curve starts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum StartSpec {
    /// Every orbit of the word at these parameter values starts a curve; found by a systematic search. Where there is none, other values of the free
    /// parameter in the range are tried, and the run's summary says so.
    All {
        /// Parameter values, among them the free one.
        at: BTreeMap<String, f64>,
        /// How many seeds the search spreads; chosen by the dimension when left out.
        #[serde(default)]
        seeds: Option<usize>,
        /// For each state the interval to search; by default what a trajectory visits, widened.
        #[serde(default)]
        within: BTreeMap<String, (f64, f64)>,
    },
    /// As `All`, at many values of the free parameter spread over the range, so that every branch that reaches into it is found.
    Everywhere {
        /// Values of other parameters.
        #[serde(default)]
        at: BTreeMap<String, f64>,
        /// How many values of the free parameter to search at.
        #[serde(default = "default_samples")]
        samples: usize,
        /// How many seeds each search spreads; chosen by the dimension when left out.
        #[serde(default)]
        seeds: Option<usize>,
        /// For each state the interval to search; by default what a trajectory visits, widened.
        #[serde(default)]
        within: BTreeMap<String, (f64, f64)>,
    },
    /// Simulate at these parameter values until the motion repeats, and start from the orbit reached.
    Settle {
        /// Parameter values, among them the free one.
        at: BTreeMap<String, f64>,
        /// Initial state; the system's own where left out.
        #[serde(default)]
        from: BTreeMap<String, f64>,
        /// The mode the trajectory starts in; the system's own if left out.
        #[serde(default)]
        mode: Option<String>,
        /// The longest time to wait.
        #[serde(default = "default_patience")]
        patience: f64,
    },
    /// Start from a guess that Newton corrects.
    Guess {
        /// Parameter values, among them the free one.
        at: BTreeMap<String, f64>,
        /// For each segment of the word: its start state. An equilibrium has one, a cycle of a map as many as it has points or only the first.
        states: Vec<BTreeMap<String, f64>>,
        /// For each segment: its duration; of a smooth periodic orbit the period. Not for equilibria and maps.
        #[serde(default)]
        durations: Vec<f64>,
    },
    /// Start from a point of another curve: one above in this study, or one of a finished run. From a Hopf point (HB) of equilibria a curve of
    /// periodic orbits sets off.
    Point {
        /// `"curve, label"` in this study, `"folder, curve, label"` in the output folder of another run (relative to the study file). The label
        /// is a code (`HB`: every such point), a code with a number (`HB 2`: the second along the curve), a level (`Omega=2`) or the
        /// index of a point that has an orbit file.
        from: String,
        /// Parameter values that differ from those of the point.
        #[serde(default)]
        at: BTreeMap<String, f64>,
    },
    /// Start from an orbit in a CSV file: a column `t`, one for each state by its name, and `mode` for hybrid systems; rows from the beginning of
    /// the period to its end. One row for an equilibrium, one for each point of a cycle of a map.
    File {
        /// The file, relative to the study.
        path: String,
        /// Parameter values, among them the free one.
        at: BTreeMap<String, f64>,
    },
    /// Start from a solution in a file of AUTO's (`s.NAME` or `fort.8`).
    Auto {
        /// The file, relative to the study.
        path: String,
        /// The label of the solution, a number.
        label: usize,
        /// The number under which AUTO knows each parameter: `{"rho": 1}` for PAR(1). By default they are numbered in the order of the system, without
        /// 11, the period.
        #[serde(default)]
        numbers: BTreeMap<String, usize>,
        /// Parameter values that differ from those of the solution.
        #[serde(default)]
        at: BTreeMap<String, f64>,
    },
}

impl StartSpec {
    /// Does the start bring parameter values of its own, so that the free one need not be given?
    pub(super) fn brings_parameters(&self) -> bool {
        matches!(self, Self::Point { .. } | Self::Auto { .. })
    }
}

fn default_samples() -> usize {
    24
}

fn default_patience() -> f64 {
    5000.0
}

impl StartSpec {
    /// The parameter values of the start.
    pub fn at(&self) -> &BTreeMap<String, f64> {
        match self {
            Self::All { at, .. }
            | Self::Everywhere { at, .. }
            | Self::Settle { at, .. }
            | Self::Guess { at, .. }
            | Self::Point { at, .. }
            | Self::File { at, .. }
            | Self::Auto { at, .. } => at,
        }
    }
}

/// Step control in units of the free parameter. Everything adapts; these are bounds.
#[derive(Clone, Copy, Debug, Deserialize, Default)]
#[serde(deny_unknown_fields, rename = "Step")]
pub struct StepSpec {
    /// The first change of the free parameter to try.
    #[serde(default)]
    pub initial: Option<f64>,
    /// The largest change of the free parameter in one step.
    #[serde(default)]
    pub largest: Option<f64>,
    /// The turn of the curve's tangent that a step should make, in radians (default 0.1): smaller gives more points where the curve bends.
    #[serde(default)]
    pub turn: Option<f64>,
}

/// What to do where the word of the orbits stops being valid.
#[derive(Clone, Copy, Debug, Deserialize, Default, PartialEq, Eq)]
pub enum SwitchSpec {
    /// End the curve there.
    #[default]
    Stop,
    /// Go on with the neighbouring word where one continues the branch.
    Auto,
}

/// A label at which branches are switched.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub enum BranchLabel {
    /// Symmetry breaking: both asymmetric orbits.
    SB,
    /// Period doubling.
    PD,
    /// A branch point.
    BP,
}

/// Which way to set off.
#[derive(Clone, Copy, Debug, Deserialize, Default, PartialEq, Eq)]
pub enum Directions {
    /// Both ways.
    #[default]
    Both,
    /// Towards larger values of the free parameter.
    Up,
    /// Towards smaller values.
    Down,
}

/// A table of distances between curves at the levels (UZ) of their free parameter that they have in common.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "Distances")]
pub struct DistancesSpec {
    /// The name of its file, `distances/<name>.csv`.
    pub name: String,
    /// The curves that distances are taken from.
    pub reference: Vec<String>,
    /// The curves compared with them, in the order in which the rate is measured.
    pub of: Vec<String>,
    /// The column compared.
    pub column: String,
    /// The parameter over which the rate of approach is measured.
    pub over: String,
}

/// A sweep over a parameter: at each value many initial states are followed until they settle, and what they settle to is compared with the traced
/// curves. Orbits that attract and lie on no curve are named in the run's summary.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "Attractors")]
pub struct AttractorsSpec {
    /// The name of its table, `attractors/<name>.csv`, and in figures.
    pub name: String,
    /// The name of one of the study's `systems`; by default its `system`.
    #[serde(default)]
    pub system: Option<String>,
    /// Parameter values that differ from the system's.
    #[serde(default)]
    pub set: BTreeMap<String, f64>,
    /// The parameter to sweep over.
    pub sweep: String,
    /// The interval of its values, both ends included.
    pub range: (f64, f64),
    /// How many values.
    #[serde(default = "default_count")]
    pub count: usize,
    /// How many initial states at each value.
    #[serde(default = "default_starts")]
    pub starts: usize,
    /// For each state the interval to start in; by default what a trajectory visits, widened. Angles take their whole period.
    #[serde(default)]
    pub within: BTreeMap<String, (f64, f64)>,
    /// The seed of the random initial states.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// How many events to wait for a motion to settle.
    #[serde(default = "default_events")]
    pub events: usize,
    /// The curves to compare with, with their branches; by default all of the same system over the same parameter.
    #[serde(default)]
    pub compare: Vec<String>,
    /// Trace the orbits that lie on no curve as curves of their own, called `NAME-1`, `NAME-2`, …, as the first of the curves compared with is traced.
    #[serde(default)]
    pub trace: bool,
}

fn default_count() -> usize {
    48
}

fn default_starts() -> usize {
    16
}

fn default_seed() -> u64 {
    1
}

fn default_events() -> usize {
    4000
}

/// A trajectory from an initial state.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "Simulation")]
pub struct SimulationSpec {
    /// The name of its table and in figures.
    pub name: String,
    /// The name of one of the study's `systems`; by default its `system`.
    #[serde(default)]
    pub system: Option<String>,
    /// Parameter values that differ from the system's.
    #[serde(default)]
    pub set: BTreeMap<String, f64>,
    /// Initial state; the system's own where left out.
    #[serde(default)]
    pub from: BTreeMap<String, f64>,
    /// The mode it starts in; the system's own if left out.
    #[serde(default)]
    pub mode: Option<String>,
    /// Observables that are integrated along the motion, from zero: columns `integral_NAME`.
    #[serde(default)]
    pub integrate: Vec<String>,
    /// How long; of a map how many iterates.
    pub time: f64,
    /// What to do where two futures are legal.
    #[serde(default)]
    pub policy: PolicySpec,
    /// The time between rows of the table; events are always included. By default a four-hundredth of `time`; of a map every iterate.
    #[serde(default)]
    pub every: Option<f64>,
}

/// What a simulation does at a point of forward non-uniqueness.
#[derive(Clone, Copy, Debug, Deserialize, Default, PartialEq, Eq)]
pub enum PolicySpec {
    /// Keep sticking.
    #[default]
    Stick,
    /// Slip.
    Slip,
    /// Follow both futures.
    Both,
}

/// What the slow–fast structure of a system looks like at fixed parameters: critical manifold, fold lines, folded singularities, canards, slow
/// manifolds, and on request who jumps and who turns, the return of the fast fibres, the cycle on the slow manifold.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "Portrait")]
pub struct PortraitSpec {
    /// The name of its folder of tables, `slow_fast/<name>/`, and in figures.
    pub name: String,
    /// The name of one of the study's `systems`; by default its `system`. It must be declared slow–fast.
    #[serde(default)]
    pub system: Option<String>,
    /// Parameter values that differ from the system's.
    #[serde(default)]
    pub set: BTreeMap<String, f64>,
    /// What is neglected in the reduced flow.
    #[serde(default)]
    pub reduction: ReductionSpec,
    /// The region looked at: an interval for each state of the slow–fast mode. An angle left out turns once, a fast state left out runs
    /// between the events that end the mode, and one slow state left out reaches as far as the critical manifold does.
    #[serde(default)]
    pub within: BTreeMap<String, (f64, f64)>,
    /// Nodes of the critical manifold's mesh, along the slow and along the fast state.
    #[serde(default = "default_mesh")]
    pub mesh: (usize, usize),
    /// The slow time for which orbits and canards are followed, to each side; by default half a turn of the angle.
    #[serde(default)]
    pub time: Option<f64>,
    /// How many orbits of the reduced flow are drawn from each sheet; 0 for none.
    #[serde(default = "default_orbits")]
    pub orbits: usize,
    /// How many orbits are followed on each slow manifold of the full system; 0 for none, and no maximal canards.
    #[serde(default = "default_manifold_orbits")]
    pub manifolds: usize,
    /// How far they are spread to both sides of the singular canard, as a part of the region.
    #[serde(default = "default_spread")]
    pub spread: f64,
    /// A family of starts of which each is told to jump or to turn.
    #[serde(default)]
    pub fates: Option<FatesSpec>,
    /// Where the fast fibres of the vrai canards lead, and the singular canard cycles.
    #[serde(default)]
    pub returns: Option<ReturnsSpec>,
    /// Near which slow states the limit cycle on the attracting slow manifold is sought by averaging: `{"x": 0}`.
    #[serde(default)]
    pub cycle: Option<BTreeMap<String, f64>>,
    /// A parameter over which the folded singularities are followed, with their changes of class.
    #[serde(default)]
    pub over: Option<OverSpec>,
}

fn default_mesh() -> (usize, usize) {
    (48, 80)
}

fn default_orbits() -> usize {
    12
}

fn default_manifold_orbits() -> usize {
    9
}

fn default_spread() -> f64 {
    0.05
}

/// What is neglected in the reduced flow of a slow–fast system.
#[derive(Clone, Copy, Debug, Deserialize, Default, PartialEq, Eq)]
pub enum ReductionSpec {
    /// The small parameter goes to zero wherever it stands.
    #[default]
    Singular,
    /// Only the product of the small parameter and the fast state's rate is neglected: right where a large parameter makes up for the small one.
    Finite,
}

/// A family of starts over one state.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "Fates")]
pub struct FatesSpec {
    /// The slow state that varies over its interval of `within`.
    pub over: String,
    /// Values of the others. A slow state left out is that of the critical manifold.
    #[serde(default)]
    pub from: BTreeMap<String, f64>,
    /// How many starts.
    #[serde(default = "default_fates")]
    pub samples: usize,
    /// How long a start must stay to count as turning; by default the portrait's `time`.
    #[serde(default)]
    pub horizon: Option<f64>,
}

fn default_fates() -> usize {
    121
}

/// How fast fibres are followed from the repelling part of a vrai canard through other modes back onto an attracting sheet.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "Returns")]
pub struct ReturnsSpec {
    /// How many fibres.
    #[serde(default = "default_fibres")]
    pub count: usize,
    /// The longest time away.
    #[serde(default = "default_horizon")]
    pub horizon: f64,
    /// Are cycles closed by the system's symmetry after one jump?
    #[serde(default)]
    pub symmetric: bool,
}

fn default_fibres() -> usize {
    60
}

fn default_horizon() -> f64 {
    10.0
}

/// A parameter and its range.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "Over")]
pub struct OverSpec {
    /// The parameter.
    pub parameter: String,
    /// Its range; the present value must lie in it.
    pub range: (f64, f64),
}
