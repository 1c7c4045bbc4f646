//! Distances between curves.

use serde::Deserialize;

/// A table of distances between curves at the levels (UZ) of their free parameter that they have in common.
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
