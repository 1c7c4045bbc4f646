//! The values that something is computed for.

use serde::Deserialize;

/// The values along one axis.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::spec::{AxisSpec, TaskSpec};
/// let text = r#"Study(
///     title: "Regimes",
///     system: Stiction(mu_d: 0.4),
///     tasks: [Chart(name: "regimes", over: {"Omega": Linear(0.4, 2.2, 10), "mu_s": Values([1.1, 1.2])})],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let TaskSpec::Chart(chart) = &study.tasks[0] else { panic!("it is one") };
/// assert_eq!(chart.over["Omega"], AxisSpec::Linear(0.4, 2.2, 10));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum AxisSpec {
    /// From, to, how many: evenly spaced, both ends included.
    Linear(f64, f64, usize),
    /// The same in the logarithm.
    Log(f64, f64, usize),
    /// These.
    Values(Vec<f64>),
}
