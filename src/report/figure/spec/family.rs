//! The curves of a family.

use super::names::bare;
use super::{Axis, Inset, Legend, Line, Marks, Names, Note, Style};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The curves of a family in the colours of a parameter, with a bar that says which colour is which value. Stable parts
/// are solid, unstable ones dashed, inadmissible ones dotted, as in a diagram.
///
/// ```
/// use slipstick_report::figure::Figure;
/// let figure = Figure::from_ron(r#"Family(name: "friction", of: "friction", x: "Omega", y: "x_max", colour: "mu_d", trace: ["LP"])"#)?;
/// let Figure::Family(family) = figure else { panic!("it is one") };
/// assert_eq!((family.colour.as_deref(), family.trace.as_slice()), (Some("mu_d"), &["LP".to_owned()][..]));
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// Name of the figure and of its files. Not needed inside `Panels`.
    #[serde(default)]
    pub name: String,
    /// The family: a task of the study.
    pub of: String,
    /// Column on the horizontal axis.
    pub x: String,
    /// Column or columns on the vertical axis.
    pub y: Names,
    /// The parameter of the colours; by default the first of the family that has no value in `at`.
    #[serde(default, deserialize_with = "bare")]
    pub colour: Option<String>,
    /// Where the family goes over further parameters: the values that the members drawn have, or the nearest to them.
    /// Of parameters without a value here all members are drawn.
    #[serde(default)]
    pub at: BTreeMap<String, f64>,
    /// How members lie.
    #[serde(default)]
    pub view: Members,
    /// Curves to draw, with their branches; none means all of the family.
    #[serde(default)]
    pub curves: Vec<String>,
    /// Which special points are marked: all by dots, or those with one of these labels by its symbol, which the legend
    /// explains.
    #[serde(default)]
    pub mark: Marks,
    /// Labels whose special points are joined from member to member by black lines, named at their ends.
    #[serde(default)]
    pub trace: Vec<String>,
    /// Axes with a logarithmic scale. Colours follow the logarithm where the values of the family do.
    #[serde(default)]
    pub log: Vec<Axis>,
    /// Range of the horizontal axis; by default that of the data.
    #[serde(default, deserialize_with = "bare")]
    pub x_range: Option<(f64, f64)>,
    /// Range of the vertical axis; by default that of the data inside `x_range`.
    #[serde(default, deserialize_with = "bare")]
    pub y_range: Option<(f64, f64)>,
    /// Reference lines.
    #[serde(default)]
    pub lines: Vec<Line>,
    /// Words inside the panel, to name its regions.
    #[serde(default)]
    pub notes: Vec<Note>,
    /// A magnified part in a corner.
    #[serde(default, deserialize_with = "bare")]
    pub inset: Option<Inset>,
    /// Where the legend goes.
    #[serde(default)]
    pub legend: Legend,
    /// Names of columns and of the parameter of the colours as they should read in this figure, and of
    /// labels: `"LP": "fold"`.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Size and look.
    #[serde(default, deserialize_with = "bare")]
    pub style: Option<Style>,
}

/// How the members of a family lie.
///
/// ```
/// use slipstick_report::figure::{Figure, Members};
/// let figure = Figure::from_ron(r#"Family(name: "cusp", of: "folds", x: "a", y: "x", view: Surface)"#)?;
/// let Figure::Family(family) = figure else { panic!("it is one") };
/// assert_eq!(family.view, Members::Surface);
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Members {
    /// All in one plane, larger values over smaller ones.
    #[default]
    Plane,
    /// One behind another, larger values farther back, in an oblique projection: lines in front have a white rim.
    Surface,
}
