//! Sweeps for everything that attracts.

use serde::Deserialize;
use std::collections::BTreeMap;

/// A sweep over a parameter: at each value many initial states are followed until they settle, and what they settle to
/// is compared with the traced curves. Orbits that attract and lie on no curve are named in the run's summary.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "What attracts",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     attractors: [Attractors(name: "seen", sweep: "Omega", range: (0.4, 2.2), within: {"x": (-2, 2), "y": (-2, 2)})],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// assert!(study.attractors[0].count > 1 && !study.attractors[0].trace);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
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
    /// For each state the interval to start in; by default what a trajectory visits, widened. Angles take their whole
    /// period.
    #[serde(default)]
    pub within: BTreeMap<String, (f64, f64)>,
    /// The seed of the random initial states.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// The largest number of events of a transient.
    #[serde(default = "default_events")]
    pub events: usize,
    /// How many Lyapunov exponents of each attractor, the largest first: columns `exponent1`, `exponent2`, … with their
    /// errors. Those of orbits follow from their multipliers.
    #[serde(default)]
    pub exponents: usize,
    /// The curves to compare with, with their branches; by default all of the same system over the same parameter.
    #[serde(default)]
    pub compare: Vec<String>,
    /// Trace the orbits that lie on no curve as curves of their own, called `NAME-1`, `NAME-2`, …, as the first of the
    /// curves compared with is traced.
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
