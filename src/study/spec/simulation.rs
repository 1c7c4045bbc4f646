//! Trajectories.

use serde::Deserialize;
use std::collections::BTreeMap;

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
    /// How long.
    pub time: f64,
    /// What to do where two futures are legal.
    #[serde(default)]
    pub policy: PolicySpec,
    /// The time between rows of the table; events are always included. By default a four-hundredth of `time`.
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
