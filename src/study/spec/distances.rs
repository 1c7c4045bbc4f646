//! Distances between curves.

use serde::Deserialize;

/// A table of distances between curves at the levels (UZ) of their free parameter that they have in common.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "How far apart",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     curves: [
///         Curve(
///             name: "stiff", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2}), free: "Omega", range: (1, 15),
///         ),
///     ],
///     distances: [
///         Distances(name: "to-stiff", reference: ["stiff"], of: ["soft"], column: "max_abs_x", over: "epsilon"),
///     ],
/// )"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// assert_eq!(study.distances[0].over, "epsilon");
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename = "Distances")]
pub struct DistancesSpec {
    /// The name of its file, `distances/<name>.csv`.
    pub name: String,
    /// The curves that distances are taken from.
    pub reference: Vec<String>,
    /// The curves compared with them, in the order in which the rate is measured.
    pub of: Vec<String>,
    /// The column compared.
    pub column: String,
    /// The parameter over which the rate of approach is measured.
    pub over: String,
}
