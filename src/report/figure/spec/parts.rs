//! What several kinds of figures are made of: axes, reference lines, words, insets, legends.

use super::names::bare;
use serde::Deserialize;

/// An axis.
///
/// ```
/// use slipstick_report::figure::{Axis, Figure};
/// let Figure::Diagram(diagram) = Figure::from_ron(r#"Diagram(x: "Omega", y: "x_max", log: [X, Y])"#)? else { panic!("it is one") };
/// assert_eq!(diagram.log, [Axis::X, Axis::Y]);
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Axis {
    /// The horizontal one.
    X,
    /// The vertical one.
    Y,
}

/// A line for reference.
///
/// ```
/// use slipstick_report::figure::{Figure, Line};
/// let Figure::Diagram(diagram) = Figure::from_ron(r#"Diagram(x: "Omega", y: "x_max", lines: [Horizontal(at: 0), Vertical(at: 1, label: "resonance")])"#)? else { panic!("it is one") };
/// assert!(matches!(&diagram.lines[1], Line::Vertical { label, .. } if label == "resonance"));
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
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

/// Where a line stands: a number, or in quotation marks a formula of parameters (and other columns) that stay the same
/// along the curves drawn, `"1/sqrt(epsilon*delta)"`; a diagram draws one line for each value it has.
///
/// ```
/// use slipstick_report::figure::{Figure, Line, Place};
/// let Figure::Diagram(diagram) = Figure::from_ron(r#"Diagram(x: "Omega", y: "x_max", lines: [Vertical(at: "1/sqrt(epsilon*delta)")])"#)? else { panic!("it is one") };
/// assert!(matches!(&diagram.lines[0], Line::Vertical { at: Place::Formula(_), .. }));
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Place {
    /// A number.
    Number(f64),
    /// A formula.
    Formula(String),
}

/// Words inside a panel.
///
/// ```
/// use slipstick_report::figure::{Figure};
/// let Figure::Diagram(diagram) = Figure::from_ron(r#"Diagram(x: "Omega", y: "x_max", notes: [Note(at: (2, 0.5), text: "canards", to: (3, 0.1))])"#)? else { panic!("it is one") };
/// assert_eq!((diagram.notes[0].text.as_str(), diagram.notes[0].to), ("canards", Some((3.0, 0.1))));
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
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
///
/// ```
/// use slipstick_report::figure::{Corner, Figure};
/// let Figure::Diagram(diagram) = Figure::from_ron(r#"Diagram(x: "Omega", y: "x_max", inset: Inset(x_range: (0.47, 0.53), y_range: (0.3, 0.9)))"#)? else { panic!("it is one") };
/// assert_eq!(diagram.inset.map(|inset| (inset.corner, inset.size)), Some((Corner::Auto, (0.4, 0.4))));
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inset {
    /// Horizontal range magnified, by numbers or formulas of parameters as for lines.
    pub x_range: (Place, Place),
    /// Vertical range magnified.
    pub y_range: (Place, Place),
    /// The corner it sits in; by default the emptiest.
    #[serde(default)]
    pub corner: Corner,
    /// Its width and height as parts of the panel's.
    #[serde(default = "inset_size")]
    pub size: (f64, f64),
}

/// Where an inset sits.
///
/// ```
/// use slipstick_report::figure::{Corner, Figure};
/// let Figure::Diagram(diagram) = Figure::from_ron(r#"Diagram(x: "Omega", y: "x_max", inset: Inset(x_range: (0, 1), y_range: (0, 1), corner: TopLeft))"#)? else { panic!("it is one") };
/// assert_eq!(diagram.inset.map(|inset| inset.corner), Some(Corner::TopLeft));
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
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
///
/// ```
/// use slipstick_report::figure::{Figure, Legend};
/// let Figure::Diagram(diagram) = Figure::from_ron(r#"Diagram(x: "Omega", y: "x_max", legend: Outside)"#)? else { panic!("it is one") };
/// assert_eq!(diagram.legend, Legend::Outside);
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Legend {
    /// Inside the panel if it covers nothing, otherwise above. No legend if there is only one kind of line.
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

/// Angles of the usual systems.
pub(super) fn theta() -> Vec<String> {
    vec!["theta".to_owned()]
}

fn inset_size() -> (f64, f64) {
    (0.4, 0.4)
}
