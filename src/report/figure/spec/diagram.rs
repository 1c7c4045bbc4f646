//! Columns of `points.csv` against each other.

use super::names::bare;
use super::{Axis, Data, Inset, Legend, Line, Names, Note, Style};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Columns of `points.csv` against each other. Stable parts are solid, unstable ones dashed, inadmissible ones dotted;
/// special points are marked and named.
///
/// A column may be wrapped: `abs(x_min)`, `log10(margin)`. A `*` stands for any letters: `mult*_log10` draws every
/// multiplier.
///
/// ```
/// use slipstick_report::figure::{Axis, Figure};
/// let figure = Figure::from_ron(r#"Diagram(name: "amplitude", x: "Omega", y: ["x_max", "x_min"], log: [X])"#)?;
/// let Figure::Diagram(diagram) = figure else { panic!("it is one") };
/// assert_eq!((diagram.y.0.len(), diagram.log), (2, vec![Axis::X]));
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Diagram {
    /// Name of the figure and of its files. Not needed inside `Panels`.
    #[serde(default)]
    pub name: String,
    /// Column on the horizontal axis.
    pub x: String,
    /// Column or columns on the vertical axis.
    pub y: Names,
    /// Curves to draw; none means all. Two-parameter curves are among these only where the axes are their two free
    /// parameters; they are neither stable nor unstable.
    #[serde(default)]
    pub of: Vec<String>,
    /// Sweeps for attractors, orbit diagrams and charts, drawn as dots under the curves; continua of states of rest by
    /// the lines along which they end.
    #[serde(default)]
    pub attractors: Vec<String>,
    /// Data of one's own, in a figure that `slipstick plot` draws from a file.
    #[serde(default)]
    pub data: Vec<Data>,
    /// Axes with a logarithmic scale.
    #[serde(default)]
    pub log: Vec<Axis>,
    /// Range of the horizontal axis; by default that of the data.
    #[serde(default, deserialize_with = "bare")]
    pub x_range: Option<(f64, f64)>,
    /// Range of the vertical axis; by default that of the data inside `x_range`.
    #[serde(default, deserialize_with = "bare")]
    pub y_range: Option<(f64, f64)>,
    /// Which special points are marked and named.
    #[serde(default)]
    pub mark: Marks,
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
    /// Names of curves and columns as they should read in this figure, e.g. `"Omega": "forcing ratio $\\Omega$"`. An
    /// axis that shows several columns goes by their list: `"x_max, x_min": "$x$"`. Curves of the same name share a
    /// colour and a line of the legend.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Size and look.
    #[serde(default, deserialize_with = "bare")]
    pub style: Option<Style>,
}

/// Which special points a diagram marks and names.
///
/// ```
/// use slipstick_report::figure::{Figure, Marks};
/// let Figure::Diagram(diagram) = Figure::from_ron(r#"Diagram(x: "Omega", y: "x_max", mark: Only(["LP", "SB"]))"#)? else { panic!("it is one") };
/// assert_eq!(diagram.mark, Marks::Only(vec!["LP".into(), "SB".into()]));
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub enum Marks {
    /// All of them but the ends of ranges; user levels are small and unnamed.
    #[default]
    All,
    /// None.
    None,
    /// Those with one of these labels, named.
    Only(Vec<String>),
}
