//! Distances of regularisations from their limit.

use super::names::bare;
use super::{Legend, Style};
use serde::Deserialize;
use std::collections::BTreeMap;

/// How far the curves of regularisations and their special points are from those of the limit, over the small parameter
/// in logarithmic axes. The legend says the order that fits each best.
///
/// ```
/// use slipstick_report::figure::Figure;
/// let figure = Figure::from_ron(r#"Twins(name: "orders", of: "twins", columns: ["max_abs_x"])"#)?;
/// let Figure::Twins(twins) = figure else { panic!("it is one") };
/// assert_eq!((twins.of.as_str(), twins.objects.len()), ("twins", 0));
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Twins {
    /// Name of the figure and of its files. Not needed inside `Panels`.
    #[serde(default)]
    pub name: String,
    /// The comparison: a task of the study.
    pub of: String,
    /// The columns whose distances are drawn; by default all that are compared, and the free parameter of special
    /// points.
    #[serde(default)]
    pub columns: Vec<String>,
    /// The objects: `"curve"`, a label (`"LP"`) or one special point (`"LP 1"`); by default curves and special points.
    #[serde(default)]
    pub objects: Vec<String>,
    /// Where the legend goes.
    #[serde(default)]
    pub legend: Legend,
    /// Names of curves and columns as they should read in this figure.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Size and look.
    #[serde(default, deserialize_with = "bare")]
    pub style: Option<Style>,
}
