//! Curves: what object, which way, how finely.

use crate::spec::start::StartSpec;
use serde::Deserialize;
use slipstick_orbit::{HarmonicOptions, MeshOptions};
use std::collections::BTreeMap;

/// One curve (or several, when its start finds several orbits that do not lie on one curve).
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "One curve",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     curves: [
///         Curve(
///             name: "stiff", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2}), free: "Omega", range: (1, 15),
///             levels: {"Omega": [2, 5]},
///         ),
///     ],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let curve = &study.curves[0];
/// assert_eq!((curve.free.as_str(), curve.range, curve.levels["Omega"].len()), ("Omega", (1.0, 15.0), 2));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
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
    /// The kind of solutions.
    pub orbit: OrbitSpec,
    /// Where the curve starts.
    pub start: StartSpec,
    /// The free parameter.
    pub free: String,
    /// The range of the free parameter.
    pub range: (f64, f64),
    /// Values of parameters or monitors at which points are computed (label UZ).
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
    /// What to do where the word stops being valid.
    #[serde(default)]
    pub switch: SwitchSpec,
    /// Which word continues the curve where several are valid (label NU).
    #[serde(default)]
    pub choice: ChoiceSpec,
    /// Labels at which bifurcating branches are traced: SB, PD, BP.
    #[serde(default)]
    pub branches: Vec<BranchLabel>,
    /// The number of generations of such branches.
    #[serde(default = "default_generations")]
    pub generations: usize,
    /// The directions from the start.
    #[serde(default)]
    pub directions: Directions,
    /// The most points in each direction.
    #[serde(default = "default_points")]
    pub points: usize,
}

fn default_generations() -> usize {
    1
}

pub(crate) fn default_points() -> usize {
    100_000
}

/// How segments without a closed form are discretised.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::spec::MethodSpec;
/// let text = r#"Study(
///     title: "Collocation",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     curves: [
///         Curve(
///             name: "stiff", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2}), free: "Omega", range: (1, 15),
///             method: Collocation(tolerance: 1e-8),
///         ),
///     ],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// assert!(matches!(study.curves[0].method, MethodSpec::Collocation { tolerance: 1e-8, .. }));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Copy, Debug, Deserialize, Default, PartialEq)]
#[serde(deny_unknown_fields)]
pub enum MethodSpec {
    /// Collocation for smooth periodic orbits (but for linear ones of more than twelve states), in modes declared
    /// slow–fast, and along curves on which rounding in the flow takes over; the flow elsewhere.
    #[default]
    Auto,
    /// The flow of each mode: closed form, matrix exponential or integrator; one shooting interval per segment.
    Flow,
    /// Multiple shooting. Smooth orbits: `shots` intervals of equal length (1: single shooting). In modes without a
    /// closed form: a stiff integrator, and as many intervals as the growth of perturbations requires.
    Shooting {
        /// The number of shooting intervals of smooth orbits; 8 by default.
        #[serde(default)]
        shots: Option<usize>,
        /// The tolerance, relative to the size of each state, in modes without a closed form.
        #[serde(default = "default_tolerance")]
        tolerance: f64,
    },
    /// Orthogonal collocation on an adaptive mesh.
    Collocation {
        /// Collocation points in each interval.
        #[serde(default = "default_stages")]
        stages: usize,
        /// The tolerance, relative to the size of each state.
        #[serde(default = "default_tolerance")]
        tolerance: f64,
    },
    /// Trigonometric collocation (harmonic balance): smooth periodic orbits as Fourier series of as many harmonics as
    /// the tolerance asks for.
    Harmonic {
        /// The most harmonics of the orbit's frequency; a curve on which more are needed ends there.
        #[serde(default = "default_harmonics")]
        harmonics: usize,
        /// The tolerance, relative to the size of each state.
        #[serde(default = "default_harmonic_tolerance")]
        tolerance: f64,
    },
}

fn default_harmonics() -> usize {
    HarmonicOptions::default().harmonics
}

fn default_harmonic_tolerance() -> f64 {
    HarmonicOptions::default().tolerance
}

fn default_stages() -> usize {
    MeshOptions::default().stages
}

fn default_tolerance() -> f64 {
    MeshOptions::default().tolerance
}

/// The kind of object.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::spec::OrbitSpec;
/// let text = r#"Study(
///     title: "One curve",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     curves: [
///         Curve(
///             name: "stiff", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2}), free: "Omega", range: (1, 15),
///         ),
///     ],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// assert_eq!(study.curves[0].orbit, OrbitSpec::Symmetric("slip- stick".into()));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub enum OrbitSpec {
    /// A symmetric periodic orbit, by the word of its first half: `Symmetric("slip- stick")`.
    Symmetric(String),
    /// A periodic orbit, by the word of its full period: `Periodic("slip- stick slip+ stick")`.
    Periodic(String),
    /// A periodic orbit of a smooth system, forced in time or not.
    PeriodicOrbit,
    /// An equilibrium: of a smooth system, or in the mode where trajectories of a hybrid one start.
    Equilibrium,
    /// An equilibrium in a mode of a hybrid system, as rest in sliding: `EquilibriumIn("stick")`.
    EquilibriumIn(String),
    /// A fixed point of a map.
    FixedPoint,
    /// A cycle of so many points of a map: `Cycle(2)`.
    Cycle(usize),
}

/// Step control in units of the free parameter. Everything adapts; these are bounds.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "Short steps",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     curves: [
///         Curve(
///             name: "stiff", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2}), free: "Omega", range: (1, 15),
///             step: Step(largest: 0.01),
///         ),
///     ],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// assert_eq!((study.curves[0].step.largest, study.curves[0].step.turn), (Some(0.01), None));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Copy, Debug, Deserialize, Default)]
#[serde(deny_unknown_fields, rename = "Step")]
pub struct StepSpec {
    /// The first step of the free parameter.
    #[serde(default)]
    pub initial: Option<f64>,
    /// The largest change of the free parameter in one step.
    #[serde(default)]
    pub largest: Option<f64>,
    /// The turn of the curve's tangent that a step should make, in radians (default 0.1): smaller gives more points
    /// where the curve bends. No step turns by more than 0.3.
    #[serde(default)]
    pub turn: Option<f64>,
}

/// What to do where the word stops being valid.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::spec::SwitchSpec;
/// let text = r#"Study(
///     title: "Through the words",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     curves: [
///         Curve(
///             name: "stiff", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2}), free: "Omega", range: (1, 15),
///             switch: Auto,
///         ),
///     ],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// assert_eq!(study.curves[0].switch, SwitchSpec::Auto);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Copy, Debug, Deserialize, Default, PartialEq, Eq)]
pub enum SwitchSpec {
    /// End the curve there.
    #[default]
    Stop,
    /// Continue with the neighbouring word if there is one.
    Auto,
}

/// Which word a curve goes on with where the future is not unique and several words continue it.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::spec::ChoiceSpec;
/// let text = r#"Study(title: "t", system: Stiction(), curves: [Curve(
///     name: "c", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2}), free: "Omega", range: (1, 3),
///     switch: Auto, choice: Stick,
/// )])"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// assert_eq!(study.curves[0].choice, ChoiceSpec::Stick);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Copy, Debug, Deserialize, Default, PartialEq, Eq)]
pub enum ChoiceSpec {
    /// All of them: the curve goes on with the first, the others become curves of their own, `NAME-or1`, `NAME-or2`, ….
    #[default]
    Both,
    /// The one with the most segments of stick; the others are only named.
    Stick,
    /// The one with the fewest.
    Slip,
}

/// A label at which branches are switched.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::spec::BranchLabel;
/// let text = r#"Study(
///     title: "Into the branches",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     curves: [
///         Curve(
///             name: "stiff", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2}), free: "Omega", range: (1, 15),
///             branches: [SB, PD], generations: 2,
///         ),
///     ],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// assert_eq!(study.curves[0].branches, [BranchLabel::SB, BranchLabel::PD]);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
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
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::spec::Directions;
/// let text = r#"Study(
///     title: "Upwards only",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     curves: [
///         Curve(
///             name: "stiff", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2}), free: "Omega", range: (1, 15),
///             directions: Up,
///         ),
///     ],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// assert_eq!(study.curves[0].directions, Directions::Up);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
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
