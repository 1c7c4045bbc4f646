//! Families: the curves of a study for every value of further parameters.

use crate::spec::axis::AxisSpec;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The curves of a study for every value of further parameters, as one result.
///
/// ```
/// use slipstick_study as study;
/// use slipstick_study::spec::TaskSpec;
/// let text = r#"Study(
///     title: "Folds of a cubic",
///     system: Smooth(states: ["x"], parameters: {"a": 0, "b": 3}, equations: ["x' = a + b*x - x^3"]),
///     curves: [Curve(name: "rest", orbit: Equilibrium, start: All(at: {"a": 0}), free: "a", range: (-3, 3))],
///     tasks: [Family(name: "folds", over: {"b": Linear(0.5, 3, 6)})],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let TaskSpec::Family(family) = &study.tasks[0] else { panic!("it is one") };
/// assert!(family.curves.is_empty() && family.over.contains_key("b"));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "Family")]
pub struct FamilySpec {
    /// The name of its tables.
    pub name: String,
    /// The parameters to go over, with their values: `{"epsilon": Log(1e-6, 1e-2, 41)}`.
    pub over: BTreeMap<String, AxisSpec>,
    /// The curves; by default all of the study.
    #[serde(default)]
    pub curves: Vec<String>,
    /// Parameter values of all members that differ from the systems'.
    #[serde(default)]
    pub set: BTreeMap<String, f64>,
}
