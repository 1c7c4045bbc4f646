//! The `figures: [...]` section of a study: what to draw, in words that read like a caption.

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;

/// One figure of a study.
///
/// ```
/// use slipstick::report::figure::Figure;
/// let figure = Figure::from_ron(r#"
///     Diagram(name: "amplitude", x: "Omega", y: "max_abs_x", of: ["stiff", "compliant"], log: [X], x_range: (0.3, 15),
///             inset: Inset(x_range: (0.47, 0.53), y_range: (1.1, 1.4)))
/// "#)?;
/// assert_eq!(figure.name(), "amplitude");
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Figure {
    /// Columns of `points.csv` against each other: a bifurcation diagram.
    Diagram(Diagram),
    /// Orbits of labelled points as time series and in phase planes.
    Orbits(Orbits),
    /// Simulated trajectories as time series and in phase planes.
    Trajectories(Trajectories),
    /// Slow–fast objects of a portrait in a plane of two states.
    Manifold(Manifold),
    /// Several of the above on one sheet, lettered (a), (b), ….
    Panels(Panels),
}

impl Figure {
    /// Read one figure from RON text, as in a study.
    ///
    /// # Errors
    /// What is wrong, with line and column.
    pub fn from_ron(text: &str) -> Result<Self, ron::error::SpannedError> {
        ron::Options::default()
            .with_default_extension(ron::extensions::Extensions::UNWRAP_VARIANT_NEWTYPES)
            .from_str(text)
    }

    /// The name of the figure and of its files.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Diagram(figure) => &figure.name,
            Self::Orbits(figure) => &figure.name,
            Self::Trajectories(figure) => &figure.name,
            Self::Manifold(figure) => &figure.name,
            Self::Panels(figure) => &figure.name,
        }
    }

    /// Size and look asked for, if any.
    #[must_use]
    pub fn style(&self) -> Option<&Style> {
        match self {
            Self::Diagram(figure) => figure.style.as_ref(),
            Self::Orbits(figure) => figure.style.as_ref(),
            Self::Trajectories(figure) => figure.style.as_ref(),
            Self::Manifold(figure) => figure.style.as_ref(),
            Self::Panels(figure) => figure.style.as_ref(),
        }
    }

    /// The figure without the curves and trajectories named in `absent`; `None` when nothing is left to draw.
    #[must_use]
    pub fn without(&self, absent: &[&str]) -> Option<Self> {
        let keep = |names: &mut Vec<String>| {
            let asked = !names.is_empty();
            names.retain(|name| !absent.contains(&name.split(':').next().unwrap_or(name).trim()));
            !(asked && names.is_empty())
        };
        let mut figure = self.clone();
        let something = match &mut figure {
            Self::Diagram(diagram) => keep(&mut diagram.of),
            Self::Orbits(orbits) => keep(&mut orbits.of),
            Self::Trajectories(trajectories) => keep(&mut trajectories.of),
            // Without its orbits there is still the portrait.
            Self::Manifold(manifold) => {
                keep(&mut manifold.orbits);
                true
            }
            Self::Panels(sheet) => {
                sheet.panels = sheet.panels.iter().filter_map(|panel| panel.without(absent)).collect();
                !sheet.panels.is_empty()
            }
        };
        something.then_some(figure)
    }
}

/// Columns of `points.csv` against each other. Stable parts are solid, unstable ones dashed, inadmissible ones dotted; special
/// points are marked and named.
///
/// A column may be wrapped: `abs(x_min)`, `log10(margin)`. A `*` stands for any letters: `mult*_log10` draws every multiplier.
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
    /// Curves to draw; none means all.
    #[serde(default)]
    pub of: Vec<String>,
    /// Sweeps for attractors, drawn as dots under the curves; continua of states of rest by the lines along which they end.
    #[serde(default)]
    pub attractors: Vec<String>,
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
    /// Names of curves and columns as they should read in this figure, e.g. `"Omega": "forcing ratio $\\Omega$"`. An axis that shows several columns
    /// goes by their list: `"x_max, x_min": "$x$"`. Curves of the same name share a colour and a line of the legend.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Size and look.
    #[serde(default, deserialize_with = "bare")]
    pub style: Option<Style>,
}

/// Orbits of labelled points.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Orbits {
    /// Name of the figure and of its files. Not needed inside `Panels`.
    #[serde(default)]
    pub name: String,
    /// Which orbits: a curve, then what to take from it: labels, `column=value`, or indices, e.g. `"stiff: LP, SB, Omega=2, 17"`.
    /// The curve's name alone takes every orbit it has.
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
    /// Names of curves, orbits and columns as they should read in this figure; an axis with several columns goes by their list, `"x, y"`.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Size and look.
    #[serde(default, deserialize_with = "bare")]
    pub style: Option<Style>,
}

/// Simulated trajectories.
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
    /// Names of trajectories and columns as they should read in this figure; an axis with several columns goes by their list, `"x, y"`.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Size and look.
    #[serde(default, deserialize_with = "bare")]
    pub style: Option<Style>,
}

/// Slow–fast objects of a portrait (`slow_fast` in the study) in a plane of two states: sheets of the critical manifold shaded by stability,
/// folds, folded singularities, canards, slow manifolds, and orbits of curves laid over them, their canard segments in the colour of canards.
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
    /// The folded singularities (by their numbers in the tables) whose canards, manifolds and returns are drawn; none means all.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Object {
    /// The sheets of the critical manifold, shaded by stability.
    Sheets,
    /// The critical manifold as lines along the fast state: attracting solid, repelling dashed.
    Slices,
    /// Fold lines; thick where the future is not unique.
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
    /// Where the slow manifolds cut the section through the singularity; in the plane of `across` and `fast`.
    Sections,
    /// The family of starts: full where they jump, open where they turn.
    Fates,
    /// Where the fast fibres of the vrai canards land.
    Returns,
    /// The singular canard cycles.
    Cycles,
    /// The folded singularities with their class.
    Singularities,
    /// The folded singularities over a parameter (`over` in the portrait), with their changes of class; one axis is that parameter.
    Branches,
}

fn usual_objects() -> Vec<Object> {
    vec![Object::Sheets, Object::Folds, Object::Canards, Object::Singularities]
}

/// Several figures on one sheet.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Panels {
    /// Name of the figure and of its files.
    pub name: String,
    /// The parts, row by row.
    pub panels: Vec<Figure>,
    /// Panels side by side; 0 lets the page width decide.
    #[serde(default)]
    pub columns: usize,
    /// Axes that panels below (X) or beside (Y) each other have in common.
    #[serde(default)]
    pub share: Vec<Axis>,
    /// Size and look.
    #[serde(default, deserialize_with = "bare")]
    pub style: Option<Style>,
}

/// One view of orbits or trajectories.
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

/// An axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Axis {
    /// The horizontal one.
    X,
    /// The vertical one.
    Y,
}

/// Which special points a diagram marks and names.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub enum Marks {
    /// All of them; range ends and user levels are small and unnamed.
    #[default]
    All,
    /// None.
    None,
    /// Those with one of these labels, named.
    Only(Vec<String>),
}

/// A line for reference.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Line {
    /// A horizontal line across the panel.
    Horizontal {
        /// Where.
        at: Place,
        /// Text beside it.
        #[serde(default)]
        label: String,
    },
    /// A vertical line across the panel.
    Vertical {
        /// Where.
        at: Place,
        /// Text beside it.
        #[serde(default)]
        label: String,
    },
    /// A line through points.
    Through {
        /// The points.
        points: Vec<(f64, f64)>,
        /// Its name in the legend.
        #[serde(default)]
        label: String,
    },
}

/// Where a line stands: a number, or in quotation marks a formula of parameters (and other columns) that stay the same along the curves drawn,
/// `"1/sqrt(epsilon*delta)"`; a diagram draws one line for each value it has.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Place {
    /// A number.
    Number(f64),
    /// A formula.
    Formula(String),
}

/// Words inside a panel.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// Where their middle is, in the units of the axes.
    pub at: (f64, f64),
    /// The words; several lines are separated by `\n`.
    pub text: String,
    /// A point of the panel that a thin line leads to from the words.
    #[serde(default, deserialize_with = "bare")]
    pub to: Option<(f64, f64)>,
}

/// A magnified part of a panel.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inset {
    /// Horizontal range magnified.
    pub x_range: (f64, f64),
    /// Vertical range magnified.
    pub y_range: (f64, f64),
    /// The corner it sits in; by default the emptiest.
    #[serde(default)]
    pub corner: Corner,
    /// Its width and height as parts of the panel's.
    #[serde(default = "inset_size")]
    pub size: (f64, f64),
}

/// Where an inset sits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Corner {
    /// The emptiest corner.
    #[default]
    Auto,
    /// Top left.
    TopLeft,
    /// Top right.
    TopRight,
    /// Bottom left.
    BottomLeft,
    /// Bottom right.
    BottomRight,
}

/// Where a legend goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Legend {
    /// Inside where it covers nothing, else above the panel. No legend when there is nothing to tell apart.
    #[default]
    Auto,
    /// No legend.
    None,
    /// Above the panel.
    Outside,
    /// Inside, top left.
    TopLeft,
    /// Inside, top right.
    TopRight,
    /// Inside, bottom left.
    BottomLeft,
    /// Inside, bottom right.
    BottomRight,
}

/// Size and look of a figure.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Style {
    /// Width.
    pub width: Width,
    /// Height in millimetres; by default what suits the panels.
    #[serde(deserialize_with = "bare")]
    pub height: Option<f64>,
    /// Colours.
    pub palette: Palette,
    /// Size of axis labels in points; the rest follows.
    pub font_size: f64,
    /// Width of curves in points.
    pub line_width: f64,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            width: Width::OneColumn,
            height: None,
            palette: Palette::Colour,
            font_size: 8.0,
            line_width: 0.9,
        }
    }
}

/// Width of a figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
pub enum Width {
    /// One column of a journal page: 84 mm.
    #[default]
    OneColumn,
    /// The full page: 174 mm.
    TwoColumns,
    /// Any other.
    Millimetres(f64),
}

impl Width {
    /// In millimetres.
    #[must_use]
    pub fn millimetres(self) -> f64 {
        match self {
            Self::OneColumn => 84.0,
            Self::TwoColumns => 174.0,
            Self::Millimetres(width) => width,
        }
    }
}

/// Colours of a figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Palette {
    /// Okabe and Ito's palette: told apart with any colour vision.
    #[default]
    Colour,
    /// Black and greys, told apart by line width.
    Monochrome,
}

/// One name or several: `"x"` or `["x", "y"]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names(pub Vec<String>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrMany;
        impl<'de> Visitor<'de> for OneOrMany {
            type Value = Vec<String>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a column name in quotes or a list of them")
            }
            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Self::Value, E> {
                Ok(vec![name.to_owned()])
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut names = Vec::new();
                while let Some(name) = seq.next_element()? {
                    names.push(name);
                }
                if names.is_empty() {
                    return Err(A::Error::custom("the list of column names is empty"));
                }
                Ok(names)
            }
        }
        deserializer.deserialize_any(OneOrMany).map(Names)
    }
}

/// A value that may be left out but is written without `Some(…)`.
fn bare<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

fn yes() -> bool {
    true
}

fn theta() -> Vec<String> {
    vec!["theta".to_owned()]
}

fn inset_size() -> (f64, f64) {
    (0.4, 0.4)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_enough() {
        let Figure::Diagram(diagram) = Figure::from_ron(r#"Diagram(x: "Omega", y: "x_max")"#).unwrap() else {
            panic!("not a diagram");
        };
        assert_eq!(
            (diagram.y.0, diagram.mark, diagram.legend),
            (vec!["x_max".to_owned()], Marks::All, Legend::Auto)
        );
        assert!(diagram.of.is_empty() && diagram.log.is_empty() && diagram.x_range.is_none());
    }

    #[test]
    fn everything_can_be_said() {
        let text = r#"
            Panels(name: "sheet", columns: 2, share: [X], style: Style(width: TwoColumns, height: 90, palette: Monochrome), panels: [
                Diagram(x: "Omega", y: ["x_max", "x_min"], of: ["stiff"], log: [X, Y], x_range: (1, 15), y_range: (-1.5, 2),
                    mark: Only(["LP"]), lines: [Vertical(at: 1), Horizontal(at: 0.5, label: "level"),
                    Through(points: [(1, 2), (3, 4)], label: "asymptote")], legend: Outside,
                    inset: Inset(x_range: (1, 2), y_range: (0, 1), corner: TopLeft, size: (0.3, 0.3)),
                    labels: {"Omega": "\\Omega"}),
                Orbits(of: ["stiff: LP"], panels: [Time("x"), Time(["x", "y"]), Plane("theta", "y"), Axes(x: "t", y: "x", log: [Y])]),
                Trajectories(panels: [Time("x")], shade: false, angles: []),
            ])"#;
        let Figure::Panels(sheet) = Figure::from_ron(text).unwrap() else {
            panic!("not a sheet")
        };
        assert_eq!(sheet.panels.len(), 3);
        assert_eq!(sheet.style.unwrap().height, Some(90.0));
    }

    #[test]
    fn typos_are_found_where_they_are() {
        let error = Figure::from_ron("Diagram(x: \"Omega\",\n  yy: \"x_max\")").unwrap_err();
        assert_eq!(error.span.start.line, 2, "{error}");
        assert!(error.to_string().contains("yy"), "{error}");
        assert!(
            Figure::from_ron(r#"Diagram(x: "Omega", y: [])"#)
                .unwrap_err()
                .to_string()
                .contains("empty")
        );
        assert!(
            Figure::from_ron(r#"Diagram(x: "Omega", y: 3)"#)
                .unwrap_err()
                .to_string()
                .contains("column name")
        );
        assert!(Figure::from_ron(r#"Diagram(x: "Omega", y: "a", legend: Inside)"#).is_err());
    }
}
