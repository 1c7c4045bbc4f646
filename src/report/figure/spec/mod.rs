//! The `figures: [...]` section of a study: what to draw, in words that read like a caption.

mod cells;
mod data;
mod diagram;
mod family;
mod manifold;
mod names;
mod orbits;
mod parts;
mod plain;
mod space;
mod style;
mod twins;

pub use cells::{Basins, Chart, Shown};
pub use data::{Data, DataColumn, Drawn};
pub use diagram::{Diagram, Marks};
pub use family::{Family, Members};
pub use manifold::{Manifold, Object};
pub use names::Names;
pub use orbits::{Orbits, Trajectories, View};
pub use parts::{Axis, Corner, Inset, Legend, Line, Note, Place};
pub use space::{Path, Space, Surface};
pub use style::{Palette, Style, Width};
pub use twins::Twins;

use crate::reference::reference_parts;
use names::bare;
use serde::Deserialize;

/// One figure of a study.
///
/// ```
/// use slipstick_report::figure::Figure;
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
    /// The curves of a family, in the colours of a parameter.
    Family(Family),
    /// The distances of regularisations from their limit over the small parameter.
    Twins(Twins),
    /// Orbits of labelled points as time series and in phase planes.
    Orbits(Orbits),
    /// Simulated trajectories as time series and in phase planes.
    Trajectories(Trajectories),
    /// Slow–fast objects of a portrait in a plane of two states.
    Manifold(Manifold),
    /// Curves and surfaces in the space of three columns.
    Space(Space),
    /// A chart over two parameters, cell by cell, with two-parameter curves over it.
    Chart(Chart),
    /// Basins of attraction in a plane of initial states.
    Basins(Basins),
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
            Self::Family(figure) => &figure.name,
            Self::Twins(figure) => &figure.name,
            Self::Orbits(figure) => &figure.name,
            Self::Trajectories(figure) => &figure.name,
            Self::Manifold(figure) => &figure.name,
            Self::Space(figure) => &figure.name,
            Self::Chart(figure) => &figure.name,
            Self::Basins(figure) => &figure.name,
            Self::Panels(figure) => &figure.name,
        }
    }

    /// Size and look asked for, if any.
    #[must_use]
    pub fn style(&self) -> Option<&Style> {
        match self {
            Self::Diagram(figure) => figure.style.as_ref(),
            Self::Family(figure) => figure.style.as_ref(),
            Self::Twins(figure) => figure.style.as_ref(),
            Self::Orbits(figure) => figure.style.as_ref(),
            Self::Trajectories(figure) => figure.style.as_ref(),
            Self::Manifold(figure) => figure.style.as_ref(),
            Self::Space(figure) => figure.style.as_ref(),
            Self::Chart(figure) => figure.style.as_ref(),
            Self::Basins(figure) => figure.style.as_ref(),
            Self::Panels(figure) => figure.style.as_ref(),
        }
    }

    /// Does it show cells, which are pictures beside its LaTeX document?
    #[must_use]
    pub fn has_cells(&self) -> bool {
        match self {
            Self::Chart(_) | Self::Basins(_) => true,
            Self::Panels(sheet) => sheet.panels.iter().any(Self::has_cells),
            _ => false,
        }
    }

    /// The curves that it names.
    #[must_use]
    pub fn curves(&self) -> Vec<&str> {
        fn curve(text: &str) -> &str {
            reference_parts(text)[0]
        }
        match self {
            Self::Diagram(diagram) => diagram.of.iter().map(String::as_str).collect(),
            Self::Orbits(orbits) => orbits.of.iter().map(|text| curve(text)).collect(),
            Self::Manifold(manifold) => manifold.orbits.iter().map(|text| curve(text)).collect(),
            Self::Space(space) => space.orbits.iter().map(|text| curve(text)).collect(),
            Self::Chart(chart) => chart.curves.iter().flatten().map(String::as_str).collect(),
            Self::Trajectories(_) | Self::Basins(_) | Self::Family(_) | Self::Twins(_) => vec![],
            Self::Panels(sheet) => sheet.panels.iter().flat_map(Self::curves).collect(),
        }
    }

    /// The figure without the curves and trajectories named in `absent`; `None` when nothing is left to draw.
    #[must_use]
    pub fn without(&self, absent: &[&str]) -> Option<Self> {
        let keep = |names: &mut Vec<String>| {
            let asked = !names.is_empty();
            names.retain(|name| !absent.contains(&reference_parts(name)[0]));
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
            Self::Space(space) => {
                let some = keep(&mut space.orbits) & keep(&mut space.trajectories);
                some || space.of.is_some() || !space.orbits.is_empty() || !space.trajectories.is_empty()
            }
            // Without its curves there are still the cells.
            Self::Chart(chart) => {
                chart.curves.iter_mut().for_each(|curves| {
                    keep(curves);
                });
                true
            }
            Self::Basins(_) | Self::Family(_) | Self::Twins(_) => true,
            Self::Panels(sheet) => {
                sheet.panels = sheet.panels.iter().filter_map(|panel| panel.without(absent)).collect();
                !sheet.panels.is_empty()
            }
        };
        something.then_some(figure)
    }
}

/// Several figures on one sheet.
///
/// ```
/// use slipstick_report::figure::Figure;
/// let text = r#"Panels(name: "both", share: [X], panels: [Diagram(x: "Omega", y: "x_max"), Diagram(x: "Omega", y: "theta0")])"#;
/// let Figure::Panels(sheet) = Figure::from_ron(text)? else { panic!("it is one") };
/// assert_eq!((sheet.panels.len(), sheet.columns), (2, 0));
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
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
