//! Lyapunov exponents.

use crate::spec::simulation::PolicySpec;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Lyapunov exponents of a motion from an initial state, or of orbits of a curve.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::spec::TaskSpec;
/// let text = r#"Study(
///     title: "Stick-slip",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     tasks: [Lyapunov(name: "motion", set: {"Omega": 1.4}, time: 2000, count: 2)],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let TaskSpec::Lyapunov(motion) = &study.tasks[0] else { panic!("it is one") };
/// assert_eq!((motion.time, motion.transient, motion.count), (Some(2000.0), None, Some(2)));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "Lyapunov")]
pub struct LyapunovSpec {
    /// The name of its tables.
    pub name: String,
    /// The name of one of the study's `systems`; by default its `system`.
    #[serde(default)]
    pub system: Option<String>,
    /// Parameter values that differ from the system's.
    #[serde(default)]
    pub set: BTreeMap<String, f64>,
    /// The orbits of a curve, `"curve, label"`, as for starts: their exponents follow from their multipliers. Instead
    /// of a motion; the system is that of the curve.
    #[serde(default)]
    pub of: Option<String>,
    /// Initial state; the system's own where left out.
    #[serde(default)]
    pub from: BTreeMap<String, f64>,
    /// The mode it starts in; if left out, the system's own or that in which `from` lies.
    #[serde(default)]
    pub mode: Option<String>,
    /// What to do at forward non-uniqueness; `Both` sticks.
    #[serde(default)]
    pub policy: PolicySpec,
    /// The time (of a map: iterates) before averaging begins; 100 by default.
    #[serde(default)]
    pub transient: Option<f64>,
    /// The time averaged over; 1000 by default.
    #[serde(default)]
    pub time: Option<f64>,
    /// How many exponents, the largest first; all by default.
    #[serde(default)]
    pub count: Option<usize>,
    /// At how many points of the motion covariant vectors are computed, evenly over `time`.
    #[serde(default)]
    pub vectors: usize,
}
