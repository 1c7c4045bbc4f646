//! Trajectories.

use serde::Deserialize;
use slipstick_flow::NonUniqueness;
use std::collections::BTreeMap;

/// A trajectory from an initial state.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "A motion",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     simulations: [Simulation(name: "from rest", from: {"x": 1}, time: 40)],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// assert_eq!((study.simulations[0].time, study.simulations[0].every), (40.0, None));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
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
    /// The mode it starts in; if left out, the system's own or that in which `from` lies.
    #[serde(default)]
    pub mode: Option<String>,
    /// Observables that are integrated along the motion, from zero: columns `integral_NAME`.
    #[serde(default)]
    pub integrate: Vec<String>,
    /// How long; of a map how many iterates.
    pub time: f64,
    /// What to do at forward non-uniqueness.
    #[serde(default)]
    pub policy: PolicySpec,
    /// The time between rows of the table; events are always included. By default a four-hundredth of `time`, with more
    /// rows where the motion is too fast for polynomials from row to row (if ten times as many are enough); of a map
    /// every iterate.
    #[serde(default)]
    pub every: Option<f64>,
}

/// What a simulation does at a point of forward non-uniqueness.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::spec::PolicySpec;
/// let text = r#"Study(
///     title: "Both futures",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     simulations: [Simulation(name: "fork", time: 40, policy: Both)],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// assert_eq!(study.simulations[0].policy, PolicySpec::Both);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Copy, Debug, Deserialize, Default, PartialEq, Eq)]
pub enum PolicySpec {
    /// Keep sticking.
    #[default]
    Stick,
    /// Slip.
    Slip,
    /// Compute both continuations.
    Both,
}

impl PolicySpec {
    /// What is done where the future is not unique.
    pub(crate) fn choice(self) -> NonUniqueness {
        match self {
            Self::Stick => NonUniqueness::Stick,
            Self::Slip => NonUniqueness::Slip,
            Self::Both => NonUniqueness::Both,
        }
    }

    /// The same where one motion is followed alone: `Both` sticks.
    pub(crate) fn alone(self) -> NonUniqueness {
        match self.choice() {
            NonUniqueness::Both => NonUniqueness::Stick,
            one => one,
        }
    }
}
