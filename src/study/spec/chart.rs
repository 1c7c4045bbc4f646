//! Charts: what attracts, over several parameters.

use crate::spec::axis::AxisSpec;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A chart over parameters: in each cell random initial states are followed until they settle.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::spec::TaskSpec;
/// let text = r#"Study(
///     title: "Regimes",
///     system: Stiction(mu_d: 0.4),
///     tasks: [Chart(name: "regimes", over: {"Omega": Linear(0.4, 2.2, 10), "mu_s": Linear(1, 1.4, 5)}, starts: 4)],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let TaskSpec::Chart(chart) = &study.tasks[0] else { panic!("it is one") };
/// assert_eq!((chart.starts, chart.exponents), (4, 0));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "Chart")]
pub struct ChartSpec {
    /// The name of its table.
    pub name: String,
    /// The name of one of the study's `systems`; by default its `system`.
    #[serde(default)]
    pub system: Option<String>,
    /// Parameter values that differ from the system's.
    #[serde(default)]
    pub set: BTreeMap<String, f64>,
    /// The parameters to go over, with their values: `{"Omega": Linear(0.4, 2.2, 100)}`.
    pub over: BTreeMap<String, AxisSpec>,
    /// How many initial states in each cell.
    #[serde(default = "task_starts")]
    pub starts: usize,
    /// For each state the interval to start in; by default what a trajectory at the study's parameters visits, widened.
    /// Angles take their whole period.
    #[serde(default)]
    pub within: BTreeMap<String, (f64, f64)>,
    /// The seed of the random initial states.
    #[serde(default = "task_seed")]
    pub seed: u64,
    /// The largest number of events of a transient.
    #[serde(default = "task_events")]
    pub events: usize,
    /// How many Lyapunov exponents of each attractor, the largest first.
    #[serde(default)]
    pub exponents: usize,
    /// Two-parameter curves of the study, in the two parameters of the chart, that its borders are compared with.
    #[serde(default)]
    pub borders: Vec<String>,
    /// Of how many cells, spread evenly, the orbits are stored for the report.
    #[serde(default = "task_orbits")]
    pub orbits: usize,
}

pub(crate) fn task_orbits() -> usize {
    40
}

pub(crate) fn task_starts() -> usize {
    8
}

pub(crate) fn task_seed() -> u64 {
    1
}

pub(crate) fn task_events() -> usize {
    4000
}
