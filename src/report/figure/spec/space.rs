//! Curves and surfaces in space.

use super::names::bare;
use super::parts::theta;
use super::{Legend, Object, Place, Style};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Curves and surfaces in the space of three columns: orbits, trajectories, objects of a portrait, surfaces and curves
/// given by formulas. What a surface hides is drawn by fine dashes.
///
/// ```
/// use slipstick_report::figure::Figure;
/// let figure = Figure::from_ron(r#"
///     Space(
///         name: "orbits", x: "theta", y: "y", z: "x", orbits: ["stiff: Omega=2"],
///         surfaces: [Surface(x: "u", y: "0", z: "v", u: (0, 6.28), v: (-1, 1), label: "switching plane")],
///     )
/// "#)?;
/// let Figure::Space(space) = figure else { panic!("it is one") };
/// assert_eq!((space.surfaces.len(), space.view), (1, (-60.0, 24.0)));
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Space {
    /// Name of the figure and of its files. Not needed inside `Panels`.
    #[serde(default)]
    pub name: String,
    /// Column along the first axis.
    pub x: String,
    /// Column along the second axis.
    pub y: String,
    /// Column along the axis that points upwards.
    pub z: String,
    /// Orbits, chosen as in `Orbits`. Formulas take the parameters of the first.
    #[serde(default)]
    pub orbits: Vec<String>,
    /// Simulated trajectories.
    #[serde(default)]
    pub trajectories: Vec<String>,
    /// The portrait whose objects are shown.
    #[serde(default, deserialize_with = "bare")]
    pub of: Option<String>,
    /// What of the portrait is drawn: `Sheets`, `Folds`, `Flow`, `Canards`, `VraiCanards`, `SlowManifolds`,
    /// `MaximalCanards`, `Singularities`.
    #[serde(default)]
    pub show: Vec<Object>,
    /// The folded singularities whose canards and manifolds are drawn; none means all.
    #[serde(default)]
    pub through: Vec<usize>,
    /// Surfaces given by formulas.
    #[serde(default)]
    pub surfaces: Vec<Surface>,
    /// Curves given by formulas.
    #[serde(default)]
    pub paths: Vec<Path>,
    /// Columns that are angles: drawn modulo 2π, broken where they wrap.
    #[serde(default = "theta")]
    pub angles: Vec<String>,
    /// Range of the first axis; by default that of what is drawn.
    #[serde(default, deserialize_with = "bare")]
    pub x_range: Option<(f64, f64)>,
    /// Range of the second axis.
    #[serde(default, deserialize_with = "bare")]
    pub y_range: Option<(f64, f64)>,
    /// Range of the axis upwards.
    #[serde(default, deserialize_with = "bare")]
    pub z_range: Option<(f64, f64)>,
    /// Where the viewer stands: the direction in the plane of the first two axes, and the height above it, in degrees.
    #[serde(default = "usual_view")]
    pub view: (f64, f64),
    /// Where the legend goes: above the panel unless a corner is named.
    #[serde(default)]
    pub legend: Legend,
    /// Names of columns and orbits as they should read in this figure.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Size and look.
    #[serde(default, deserialize_with = "bare")]
    pub style: Option<Style>,
}

/// A surface given by formulas of `u`, `v` and the parameters.
///
/// ```
/// use slipstick_report::figure::Surface;
/// let strip: Surface = ron::from_str(r#"(x: "u", y: "0", z: "(v*mu_s - sin(u))/Omega^2", u: (0, 6.28), v: (-1, 1), lines: 7)"#)?;
/// assert_eq!((strip.lines, strip.label.as_str()), (7, ""));
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Surface {
    /// The first coordinate.
    pub x: String,
    /// The second.
    pub y: String,
    /// The third.
    pub z: String,
    /// From where to where `u` goes: numbers or formulas of parameters.
    pub u: (Place, Place),
    /// From where to where `v` goes.
    pub v: (Place, Place),
    /// So many lines along `u` are drawn on it.
    #[serde(default)]
    pub lines: usize,
    /// Its name in the legend.
    #[serde(default)]
    pub label: String,
}

/// A curve in space given by formulas of `u` and the parameters.
///
/// ```
/// use slipstick_report::figure::Path;
/// let edge: Path = ron::from_str(r#"(x: "u", y: "0", z: "mu_s - sin(u)", u: (0, 6.28), label: "edge")"#)?;
/// assert_eq!((edge.y.as_str(), edge.dashed), ("0", false));
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Path {
    /// The first coordinate.
    pub x: String,
    /// The second.
    pub y: String,
    /// The third.
    pub z: String,
    /// From where to where `u` goes; a point if it does not.
    pub u: (Place, Place),
    /// Whether it is dashed.
    #[serde(default)]
    pub dashed: bool,
    /// Its name in the legend.
    #[serde(default)]
    pub label: String,
}

fn usual_view() -> (f64, f64) {
    (-60.0, 24.0)
}
