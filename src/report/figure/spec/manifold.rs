//! Slow–fast objects of a portrait.

use super::names::bare;
use super::parts::theta;
use super::{Axis, Inset, Legend, Line, Note, Style};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Slow–fast objects of a portrait (`slow_fast` in the study) in a plane of two states: sheets of the critical manifold
/// shaded by stability, folds, folded singularities, canards, slow manifolds, and orbits of curves laid over them,
/// their canard segments in the colour of canards.
///
/// ```
/// use slipstick_report::figure::Figure;
/// let text = r#"Manifold(name: "sheets", of: "layer", x: "theta", y: "yhat", orbits: ["family: LP"])"#;
/// let Figure::Manifold(sheets) = Figure::from_ron(text)? else { panic!("it is one") };
/// assert!(sheets.of == "layer" && sheets.show.len() > 1);
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifold {
    /// Name of the figure and of its files. Not needed inside `Panels`.
    #[serde(default)]
    pub name: String,
    /// The portrait.
    pub of: String,
    /// State or observable on the horizontal axis.
    pub x: String,
    /// State or observable on the vertical axis.
    pub y: String,
    /// What is drawn, from the back to the front.
    #[serde(default = "usual_objects")]
    pub show: Vec<Object>,
    /// The folded singularities (by their numbers in the tables) whose canards, manifolds and returns are drawn; none
    /// means all.
    #[serde(default)]
    pub through: Vec<usize>,
    /// Orbits laid over it, chosen as in `Orbits`: `"family: Omega=3"`.
    #[serde(default)]
    pub orbits: Vec<String>,
    /// Columns that are angles: drawn modulo 2π, broken where they wrap.
    #[serde(default = "theta")]
    pub angles: Vec<String>,
    /// Axes with a logarithmic scale.
    #[serde(default)]
    pub log: Vec<Axis>,
    /// Range of the horizontal axis; by default that of what is drawn.
    #[serde(default, deserialize_with = "bare")]
    pub x_range: Option<(f64, f64)>,
    /// Range of the vertical axis.
    #[serde(default, deserialize_with = "bare")]
    pub y_range: Option<(f64, f64)>,
    /// Reference lines.
    #[serde(default)]
    pub lines: Vec<Line>,
    /// Words inside the panel.
    #[serde(default)]
    pub notes: Vec<Note>,
    /// A magnified part in a corner.
    #[serde(default, deserialize_with = "bare")]
    pub inset: Option<Inset>,
    /// Where the legend goes.
    #[serde(default)]
    pub legend: Legend,
    /// Names of columns and orbits as they should read in this figure.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Size and look.
    #[serde(default, deserialize_with = "bare")]
    pub style: Option<Style>,
}

/// Something to draw in a `Manifold`.
///
/// ```
/// use slipstick_report::figure::Object;
/// let show: Vec<Object> = ron::from_str("[Sheets, Folds, Canards, SlowManifolds]")?;
/// assert_eq!(show[3], Object::SlowManifolds);
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Object {
    /// The sheets of the critical manifold, shaded by stability; with one slow state, lines.
    Sheets,
    /// The critical manifold as lines along the fast state: attracting solid, repelling dashed.
    Slices,
    /// Fold lines; thick at forward non-uniqueness.
    Folds,
    /// Orbits of the reduced flow with arrows.
    Flow,
    /// The singular canards: vrai solid, faux dashed.
    Canards,
    /// The vrai canards alone.
    VraiCanards,
    /// Orbits on the slow manifolds of the full system.
    SlowManifolds,
    /// The maximal canards.
    MaximalCanards,
    /// The intersection of the slow manifolds with the section through the singularity; in the plane of `across` and
    /// `fast`.
    Sections,
    /// The family of initial conditions: filled if they jump, open if they turn.
    Fates,
    /// The landing points of the fast fibres of the vrai canards.
    Returns,
    /// The singular canard cycles.
    Cycles,
    /// The folded singularities with their class.
    Singularities,
    /// The folded singularities over a parameter (`over` in the portrait), with their changes of class; one axis is
    /// that parameter.
    Branches,
}

fn usual_objects() -> Vec<Object> {
    vec![Object::Sheets, Object::Folds, Object::Canards, Object::Singularities]
}
