//! Colours and line widths.

use super::scene::{Ink, Stroke, Tone};
use super::spec::Palette;

/// Red, green, blue.
pub(super) type Colour = [u8; 3];

pub(super) const BLACK: Colour = [0, 0, 0];
pub(super) const WHITE: Colour = [255, 255, 255];
/// Ticks of insets, leader lines.
pub(super) const GREY: Colour = [110, 110, 110];
/// Stick phases.
pub(super) const SHADE: Colour = [228, 228, 228];

/// Okabe & Ito (2008), "Color universal design", without yellow, which is too pale for lines. Their vermilion is kept
/// for canards where there are any.
const OKABE_ITO: [Colour; 7] = [
    [0, 114, 178],
    [213, 94, 0],
    [0, 158, 115],
    [204, 121, 167],
    [86, 180, 233],
    [230, 159, 0],
    [70, 70, 70],
];
const VERMILION: usize = 1;

/// Greys with the line widths that tell them apart.
const GREYS: [(Colour, f64); 6] = [
    ([0; 3], 1.0),
    ([150; 3], 1.6),
    ([90; 3], 0.6),
    ([190; 3], 2.4),
    ([60; 3], 2.0),
    ([120; 3], 1.0),
];

/// The look of inks in one figure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) palette: Palette,
    /// Whether the figure shows canard segments, whose colour nothing else may have.
    pub(super) canards: bool,
    /// Width of an ordinary curve in millimetres.
    pub(super) line_width: f64,
}

impl Look {
    /// Colour of an ink.
    pub(super) fn colour(&self, ink: Ink) -> Colour {
        match (ink, self.palette) {
            (Ink::Neutral, _) => GREY,
            (Ink::Series(n), Palette::Monochrome) => GREYS[n % GREYS.len()].0,
            (Ink::Series(n), Palette::Colour) => {
                let free: Vec<Colour> = (0..OKABE_ITO.len())
                    .filter(|&k| !(self.canards && k == VERMILION))
                    .map(|k| OKABE_ITO[k])
                    .collect();
                free[n % free.len()]
            }
            (Ink::Canard, Palette::Colour) => OKABE_ITO[VERMILION],
            (Ink::Canard, Palette::Monochrome) => BLACK,
        }
    }

    /// Colour of a shaded region.
    pub(super) fn shade(&self, tone: Tone) -> Colour {
        match (tone, self.palette) {
            (Tone::Attracting, Palette::Colour) => [220, 234, 246],
            (Tone::Repelling, Palette::Colour) => [252, 233, 218],
            (Tone::Attracting, Palette::Monochrome) => [240; 3],
            (Tone::Repelling, Palette::Monochrome) => [214; 3],
        }
    }

    /// Width of a line in millimetres.
    pub(super) fn width(&self, ink: Ink, stroke: Stroke) -> f64 {
        let of_ink = match (ink, self.palette) {
            (Ink::Series(n), Palette::Monochrome) => GREYS[n % GREYS.len()].1,
            _ => 1.0,
        };
        let of_stroke = match stroke {
            Stroke::Solid | Stroke::Dashed | Stroke::Dotted | Stroke::Over => 1.0,
            Stroke::Thick => 2.2,
            Stroke::Thin => 0.6,
            Stroke::Fine => 0.45,
        };
        self.line_width * of_ink * of_stroke
    }
}

/// Lengths of dash and gap in widths of an ordinary line; `None` for an unbroken line.
pub(super) fn dashes(stroke: Stroke) -> Option<(f64, f64)> {
    match stroke {
        Stroke::Solid | Stroke::Thick | Stroke::Fine => None,
        Stroke::Dashed => Some((4.2, 2.4)),
        Stroke::Over => Some((4.0, 4.0)),
        Stroke::Dotted => Some((1.2, 2.2)),
        Stroke::Thin => Some((3.0, 3.0)),
    }
}
