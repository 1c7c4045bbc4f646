//! Twins: a discontinuous system and its regularisation, for smaller and smaller layers.

use crate::spec::axis::AxisSpec;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The curves of a discontinuous system, those of its regularisation for several values of the small parameter, and how
/// far these are from those.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::spec::TaskSpec;
/// let text = r#"Study(
///     title: "Relay",
///     systems: {
///         "relay": Filippov(states: ["x", "y"], parameters: {"a": 0.5}, surfaces: {"h": "x"}, equations: ["x' = a - sgn(h)", "y' = x - y"]),
///         "soft": Regularised(
///             of: Filippov(states: ["x", "y"], parameters: {"a": 0.5}, surfaces: {"h": "x"}, equations: ["x' = a - sgn(h)", "y' = x - y"]),
///             by: Tanh, epsilon: 1e-2,
///         ),
///     },
///     curves: [
///         Curve(name: "rest", system: "relay", orbit: Equilibrium, start: All(at: {"a": 0.5}), free: "a", range: (-0.9, 0.9)),
///         Curve(name: "soft", system: "soft", orbit: Equilibrium, start: All(at: {"a": 0.5}), free: "a", range: (-0.9, 0.9)),
///     ],
///     tasks: [Twins(name: "twins", limit: ["rest"], twin: ["soft"], over: {"epsilon": Log(1e-4, 1e-2, 3)}, columns: ["y"])],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let TaskSpec::Twins(twins) = &study.tasks[0] else { panic!("it is one") };
/// assert!(twins.at.is_none() && twins.over.contains_key("epsilon"));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "Twins")]
pub struct TwinsSpec {
    /// The name of its tables.
    pub name: String,
    /// The curves of the discontinuous system.
    pub limit: Vec<String>,
    /// The curves of the regularisation, with the same free parameter.
    pub twin: Vec<String>,
    /// The small parameter with its values: `{"epsilon": Log(1e-5, 1e-2, 4)}`.
    pub over: BTreeMap<String, AxisSpec>,
    /// The columns of `points.csv` that are compared.
    pub columns: Vec<String>,
    /// The values of the free parameter at which curves are compared; by default 12 over the range that all of them
    /// have.
    #[serde(default)]
    pub at: Option<AxisSpec>,
    /// Parameter values that differ from the systems'.
    #[serde(default)]
    pub set: BTreeMap<String, f64>,
}
