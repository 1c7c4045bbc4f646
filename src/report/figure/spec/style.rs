//! Size and look of a figure.

use super::names::bare;
use serde::Deserialize;

/// Size and look of a figure.
///
/// ```
/// use slipstick_report::figure::{Palette, Style, Width};
/// let print = Style { width: Width::TwoColumns, palette: Palette::Monochrome, ..Style::default() };
/// assert_eq!((print.width.millimetres(), print.font_size), (174.0, 8.0));
/// ```
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
///
/// ```
/// use slipstick_report::figure::Width;
/// assert_eq!([Width::OneColumn, Width::Millimetres(60.0)].map(Width::millimetres), [84.0, 60.0]);
/// ```
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
///
/// ```
/// use slipstick_report::figure::{Palette, Style};
/// assert_eq!(Style::default().palette, Palette::Colour);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Palette {
    /// Okabe and Ito's palette: distinguishable with any colour vision.
    #[default]
    Colour,
    /// Black and greys, distinguished by line width.
    Monochrome,
}
