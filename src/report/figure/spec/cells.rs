//! Pictures of cells: charts over two parameters, and basins in a plane of states.

use super::names::bare;
use super::{Axis, Legend, Line, Marks, Note, Style};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A chart over two parameters, cell by cell: one colour for each word and period, lighter the more strongly the orbit
/// attracts, darker the more chaotic, where the chart has exponents. Two-parameter curves are drawn over it.
///
/// ```
/// use slipstick_report::figure::{Figure, Shown};
/// let figure = Figure::from_ron(r#"Chart(name: "tongues", of: "regimes", x: "Omega", y: "K")"#)?;
/// let Figure::Chart(chart) = figure else { panic!("it is one") };
/// assert_eq!((chart.show, chart.regimes, chart.shade), (Shown::Largest, 8, true));
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chart {
    /// Name of the figure and of its files. Not needed inside `Panels`.
    #[serde(default)]
    pub name: String,
    /// The chart: a task of the study.
    pub of: String,
    /// Parameter on the horizontal axis; by default the first of the chart that `y` is not.
    #[serde(default, deserialize_with = "bare")]
    pub x: Option<String>,
    /// Parameter on the vertical axis; by default the next.
    #[serde(default, deserialize_with = "bare")]
    pub y: Option<String>,
    /// Where the chart has further parameters: the values that the picture is at, by default the first of each. The
    /// nearest cells are shown.
    #[serde(default)]
    pub at: BTreeMap<String, f64>,
    /// What is shown of cells with several attractors.
    #[serde(default)]
    pub show: Shown,
    /// How many regimes, the most frequent, have a colour of their own; the others share one.
    #[serde(default = "regimes")]
    pub regimes: usize,
    /// Whether exponents shade the colours.
    #[serde(default = "yes")]
    pub shade: bool,
    /// Curves to draw over the cells; left out, all two-parameter curves whose free parameters are the axes.
    #[serde(default, deserialize_with = "bare")]
    pub curves: Option<Vec<String>>,
    /// Which special points of the curves are marked and named.
    #[serde(default)]
    pub mark: Marks,
    /// Axes with a logarithmic scale, besides those along which the values of the chart are logarithmic.
    #[serde(default)]
    pub log: Vec<Axis>,
    /// Range of the horizontal axis; by default that of the cells.
    #[serde(default, deserialize_with = "bare")]
    pub x_range: Option<(f64, f64)>,
    /// Range of the vertical axis; by default that of the cells.
    #[serde(default, deserialize_with = "bare")]
    pub y_range: Option<(f64, f64)>,
    /// Reference lines.
    #[serde(default)]
    pub lines: Vec<Line>,
    /// Words inside the panel, to name its regions.
    #[serde(default)]
    pub notes: Vec<Note>,
    /// Where the legend goes: above the panel unless a corner is named.
    #[serde(default)]
    pub legend: Legend,
    /// Names of parameters, curves and regimes as they should read in this figure. Regimes go by their words or by
    /// what the legend calls them, e.g. `"period 3": "$1/3$"`, `"chaos": "chaotic"`.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Size and look.
    #[serde(default, deserialize_with = "bare")]
    pub style: Option<Style>,
}

/// What is shown of cells with several attractors.
///
/// ```
/// use slipstick_report::figure::{Figure, Shown};
/// let Figure::Chart(chart) = Figure::from_ron(r#"Chart(of: "regimes", show: Number)"#)? else { panic!("it is one") };
/// assert_eq!(chart.show, Shown::Number);
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Shown {
    /// The regime that most initial states came to; of equals the one that comes first in the table.
    #[default]
    Largest,
    /// How many attractors there are: orbits and states of rest each count; all tori of a cell count once, and so does
    /// chaos.
    Number,
}

/// Basins of attraction in a plane of initial states: a colour for each attractor, and rings where attractors meet the
/// plane, with their numbers in the table.
///
/// ```
/// use slipstick_report::figure::Figure;
/// let figure = Figure::from_ron(r#"Basins(name: "wells", of: "wells", x: "x", y: "v")"#)?;
/// let Figure::Basins(basins) = figure else { panic!("it is one") };
/// assert_eq!((basins.attractors, basins.mark), (8, true));
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Basins {
    /// Name of the figure and of its files. Not needed inside `Panels`.
    #[serde(default)]
    pub name: String,
    /// The basins: a task of the study, over a grid.
    pub of: String,
    /// State on the horizontal axis; by default the first of the grid that `y` is not.
    #[serde(default, deserialize_with = "bare")]
    pub x: Option<String>,
    /// State on the vertical axis; by default the next.
    #[serde(default, deserialize_with = "bare")]
    pub y: Option<String>,
    /// Where the grid has further states: the values that the picture is at, by default the first of each. The nearest
    /// cells are shown.
    #[serde(default)]
    pub at: BTreeMap<String, f64>,
    /// How many attractors, those with the largest basins, have a colour of their own; the others share one.
    #[serde(default = "regimes")]
    pub attractors: usize,
    /// Whether rings mark where attractors meet the plane.
    #[serde(default = "yes")]
    pub mark: bool,
    /// Axes with a logarithmic scale, besides those along which the values of the grid are logarithmic.
    #[serde(default)]
    pub log: Vec<Axis>,
    /// Range of the horizontal axis; by default that of the cells.
    #[serde(default, deserialize_with = "bare")]
    pub x_range: Option<(f64, f64)>,
    /// Range of the vertical axis; by default that of the cells.
    #[serde(default, deserialize_with = "bare")]
    pub y_range: Option<(f64, f64)>,
    /// Reference lines.
    #[serde(default)]
    pub lines: Vec<Line>,
    /// Words inside the panel, to name its regions.
    #[serde(default)]
    pub notes: Vec<Note>,
    /// Where the legend goes: above the panel unless a corner is named.
    #[serde(default)]
    pub legend: Legend,
    /// Names of states and attractors as they should read in this figure. Attractors go by their numbers, by the
    /// curves that pass through them, or by what the legend calls them: `"1": "left well"`.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Size and look.
    #[serde(default, deserialize_with = "bare")]
    pub style: Option<Style>,
}

fn regimes() -> usize {
    8
}

fn yes() -> bool {
    true
}
