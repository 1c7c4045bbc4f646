//! Basins: which initial state comes to which attractor.

use crate::spec::axis::AxisSpec;
use crate::spec::chart::{task_events, task_seed};
use crate::spec::simulation::PolicySpec;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The basins of attraction over a grid of initial states, or over random ones.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::spec::TaskSpec;
/// let text = r#"Study(
///     title: "Two wells",
///     system: Smooth(states: ["x", "v"], parameters: {"c": 0.1}, equations: ["x' = v", "v' = x - x^3 - c*v"]),
///     tasks: [Basins(name: "wells", over: {"x": Linear(-2, 2, 20), "v": Linear(-2, 2, 20)})],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let TaskSpec::Basins(wells) = &study.tasks[0] else { panic!("it is one") };
/// assert!(wells.over.len() == 2 && wells.sample == 0);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "Basins")]
pub struct BasinsSpec {
    /// The name of its tables.
    pub name: String,
    /// The name of one of the study's `systems`; by default its `system`.
    #[serde(default)]
    pub system: Option<String>,
    /// Parameter values that differ from the system's.
    #[serde(default)]
    pub set: BTreeMap<String, f64>,
    /// The states to go over, with their values: `{"x": Linear(-1, 1, 100)}`.
    #[serde(default)]
    pub over: BTreeMap<String, AxisSpec>,
    /// Instead of a grid: how many random initial states.
    #[serde(default)]
    pub sample: usize,
    /// For each state the interval that random initial states are drawn from. Angles take their whole period.
    #[serde(default)]
    pub within: BTreeMap<String, (f64, f64)>,
    /// The states that are not gone over; the system's own start where left out.
    #[serde(default)]
    pub from: BTreeMap<String, f64>,
    /// The mode to start in; by default the first that the state lies in.
    #[serde(default)]
    pub mode: Option<String>,
    /// What to do at forward non-uniqueness; `Both` sticks.
    #[serde(default)]
    pub policy: PolicySpec,
    /// The seed of random initial states.
    #[serde(default = "task_seed")]
    pub seed: u64,
    /// The largest number of events of a transient.
    #[serde(default = "task_events")]
    pub events: usize,
    /// How many Lyapunov exponents of each attractor, the largest first.
    #[serde(default)]
    pub exponents: usize,
}
