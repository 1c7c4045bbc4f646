//! Orbits of labelled points, and simulated trajectories.

use super::names::bare;
use super::parts::theta;
use super::{Axis, Inset, Legend, Line, Names, Style};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Orbits of labelled points.
///
/// ```
/// use slipstick_report::figure::Figure;
/// let text = r#"Orbits(name: "orbits", of: ["stiff: SB", "stiff: Omega=5"], panels: [Time("x"), Plane("x", "y")])"#;
/// let Figure::Orbits(orbits) = Figure::from_ron(text)? else { panic!("it is one") };
/// assert_eq!((orbits.of.len(), orbits.panels.len()), (2, 2));
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Orbits {
    /// Name of the figure and of its files. Not needed inside `Panels`.
    #[serde(default)]
    pub name: String,
    /// Which orbits: a curve, then what to take from it: labels, `column=value`, or indices, e.g.
    /// `"stiff: LP, SB, Omega=2, 17"`. The curve's name alone takes every orbit it has.
    pub of: Vec<String>,
    /// The views.
    pub panels: Vec<View>,
    /// Panels side by side; 0 lets the page width decide.
    #[serde(default)]
    pub columns: usize,
    /// Shade the stick phases in time series.
    #[serde(default = "yes")]
    pub shade: bool,
    /// Columns that are angles: drawn modulo 2π, broken where they wrap.
    #[serde(default = "theta")]
    pub angles: Vec<String>,
    /// Where the legend goes.
    #[serde(default)]
    pub legend: Legend,
    /// Names of curves, orbits and columns as they should read in this figure; an axis with several columns goes by
    /// their list, `"x, y"`. Canard segments go by `"canard"`.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Size and look.
    #[serde(default, deserialize_with = "bare")]
    pub style: Option<Style>,
}

/// Simulated trajectories.
///
/// ```
/// use slipstick_report::figure::Figure;
/// let text = r#"Trajectories(name: "motion", of: ["fig1"], panels: [Time(["x", "v"])], shade: false)"#;
/// let Figure::Trajectories(motion) = Figure::from_ron(text)? else { panic!("it is one") };
/// assert!(!motion.shade && motion.angles == ["theta"]);
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trajectories {
    /// Name of the figure and of its files. Not needed inside `Panels`.
    #[serde(default)]
    pub name: String,
    /// Names of the trajectories; none means all.
    #[serde(default)]
    pub of: Vec<String>,
    /// The views.
    pub panels: Vec<View>,
    /// Panels side by side; 0 lets the page width decide.
    #[serde(default)]
    pub columns: usize,
    /// Shade the stick phases in time series.
    #[serde(default = "yes")]
    pub shade: bool,
    /// Columns that are angles: drawn modulo 2π, broken where they wrap.
    #[serde(default = "theta")]
    pub angles: Vec<String>,
    /// Where the legend goes.
    #[serde(default)]
    pub legend: Legend,
    /// Names of trajectories and columns as they should read in this figure; an axis with several columns goes by their
    /// list, `"x, y"`.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Size and look.
    #[serde(default, deserialize_with = "bare")]
    pub style: Option<Style>,
}

/// One view of orbits or trajectories.
///
/// ```
/// use slipstick_report::figure::View;
/// let views: Vec<View> = ron::from_str(r#"[Time("x"), Plane("x", "y"), Axes(x: "t", y: "x", log: [Y])]"#)?;
/// assert_eq!(views[1], View::Plane("x".into(), "y".into()));
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum View {
    /// A column or several over time.
    Time(Names),
    /// One column against another: `Plane("theta", "y")`.
    Plane(String, String),
    /// Either of these with ranges and scales of its own.
    Axes {
        /// Column on the horizontal axis.
        x: String,
        /// Column or columns on the vertical axis.
        y: Names,
        /// Axes with a logarithmic scale.
        #[serde(default)]
        log: Vec<Axis>,
        /// Range of the horizontal axis.
        #[serde(default, deserialize_with = "bare")]
        x_range: Option<(f64, f64)>,
        /// Range of the vertical axis.
        #[serde(default, deserialize_with = "bare")]
        y_range: Option<(f64, f64)>,
        /// Reference lines.
        #[serde(default)]
        lines: Vec<Line>,
        /// A magnified part in a corner.
        #[serde(default, deserialize_with = "bare")]
        inset: Option<Inset>,
    },
}

fn yes() -> bool {
    true
}
