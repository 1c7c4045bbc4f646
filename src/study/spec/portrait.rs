//! Slow–fast portraits.

use serde::Deserialize;
use std::collections::BTreeMap;

/// What the slow–fast structure of a system looks like at fixed parameters: critical manifold, fold lines, folded
/// singularities, canards, slow manifolds, and on request who jumps and who turns, the return of the fast fibres, the
/// cycle on the slow manifold.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "The layer",
///     system: RegularisedStiction(mu_s: 1.1, mu_d: 0.4),
///     slow_fast: [Portrait(name: "layer")],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// assert_eq!(study.slow_fast[0].mesh, (48, 80));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
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
    /// The reduction: singular or at finite ε.
    #[serde(default)]
    pub reduction: ReductionSpec,
    /// The region looked at: an interval for each state of the slow–fast mode. An angle left out turns once, a fast
    /// state left out runs between the events that end the mode, and one slow state left out reaches as far as the
    /// critical manifold does.
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
    /// A family of initial conditions; each is classified as jumping or turning.
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
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::spec::ReductionSpec;
/// let text = r#"Study(
///     title: "The layer at finite ε",
///     system: RegularisedStiction(mu_s: 1.1, mu_d: 0.4),
///     slow_fast: [Portrait(name: "layer", reduction: Finite)],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// assert_eq!(study.slow_fast[0].reduction, ReductionSpec::Finite);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Copy, Debug, Deserialize, Default, PartialEq, Eq)]
pub enum ReductionSpec {
    /// The small parameter goes to zero wherever it stands.
    #[default]
    Singular,
    /// Only the product of the small parameter and the rate of the fast state is neglected: correct where a large
    /// parameter compensates the small one.
    Finite,
}

/// A family of starts over one state.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "Who jumps, who turns",
///     system: RegularisedStiction(mu_s: 1.1, mu_d: 0.4),
///     slow_fast: [Portrait(name: "layer", fates: Fates(over: "x", samples: 41))],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// assert_eq!(study.slow_fast[0].fates.as_ref().map(|fates| fates.samples), Some(41));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
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
    /// The time after which an orbit in the layer counts as turning; by default the portrait's `time`.
    #[serde(default)]
    pub horizon: Option<f64>,
}

fn default_fates() -> usize {
    121
}

/// How fast fibres are followed from the repelling part of a vrai canard through other modes back onto an attracting
/// sheet.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "Where fast fibres land",
///     system: RegularisedStiction(mu_s: 1.1, mu_d: 0.4),
///     slow_fast: [Portrait(name: "layer", returns: Returns(symmetric: true))],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// assert_eq!(study.slow_fast[0].returns.map(|returns| returns.count), Some(60));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
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
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "Folded singularities over Ω",
///     system: RegularisedStiction(mu_s: 1.1, mu_d: 0.4),
///     slow_fast: [Portrait(name: "layer", over: Over(parameter: "Omega", range: (1, 3)))],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// assert_eq!(study.slow_fast[0].over.as_ref().map(|over| over.range), Some((1.0, 3.0)));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "Over")]
pub struct OverSpec {
    /// The parameter.
    pub parameter: String,
    /// Its range; the present value must lie in it.
    pub range: (f64, f64),
}
