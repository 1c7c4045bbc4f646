//! Colours and line widths.

use super::scene::{Hue, Ink, Stroke, Surface, Tint, Tone};
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

/// Colours of further curves: Tol (2021), "muted" and "dark".
const FURTHER: [Colour; 9] = [
    [136, 34, 85],
    [51, 34, 136],
    [153, 153, 51],
    [17, 119, 51],
    [170, 68, 153],
    [221, 51, 51],
    [68, 170, 153],
    [102, 51, 0],
    [140, 110, 220],
];

/// Colours of cells: those of Okabe & Ito with yellow, which fills well, and two of Tol (2021) that stand apart from
/// them. Lines over cells have the full colours.
const CELLS: [Colour; 10] = [
    [0, 114, 178],
    [230, 159, 0],
    [0, 158, 115],
    [204, 121, 167],
    [86, 180, 233],
    [213, 94, 0],
    [240, 228, 66],
    [117, 92, 168],
    [153, 153, 51],
    [136, 34, 85],
];
/// How much white is mixed into them: at the weakest attraction, without exponents, and at the strongest attraction.
const PALE: (f64, f64, f64) = (0.1, 0.3, 0.72);
/// Greys of chaos: at the smallest exponents, without exponents, and at the largest.
const CHAOS: (f64, f64, f64) = (150.0, 110.0, 45.0);
/// Blue at one attractor more than none, and what is taken from it for each more.
const COUNTED: Colour = [222, 235, 247];
const ONE_MORE: [f64; 3] = [42.0, 34.0, 20.0];

/// Greys with the line widths that tell them apart.
const GREYS: [(Colour, f64); 6] = [
    ([0; 3], 1.0),
    ([150; 3], 1.6),
    ([90; 3], 0.6),
    ([190; 3], 2.4),
    ([60; 3], 2.0),
    ([120; 3], 1.0),
];

/// Colours that grow evenly lighter: van der Walt and Smith (2015), "plasma", as far as its orange; its yellow is too
/// pale for lines.
const RAMP: [Colour; 9] = [
    [13, 8, 135],
    [65, 4, 157],
    [106, 0, 168],
    [143, 13, 164],
    [177, 42, 144],
    [203, 70, 121],
    [225, 100, 98],
    [242, 132, 75],
    [252, 166, 54],
];
/// The lightest grey of a ramp.
const LIGHTEST: f64 = 185.0;

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
            (Ink::Locus, _) => BLACK,
            (Ink::Ramp(place), Palette::Monochrome) => [(f64::from(place) / f64::from(u8::MAX) * LIGHTEST) as u8; 3],
            (Ink::Ramp(place), Palette::Colour) => {
                let at = f64::from(place) / f64::from(u8::MAX) * (RAMP.len() - 1) as f64;
                let below = (at as usize).min(RAMP.len() - 2);
                [0, 1, 2].map(|k| mixed(RAMP[below][k], f64::from(RAMP[below + 1][k]), at - below as f64))
            }
            (Ink::Series(n), Palette::Monochrome) => GREYS[n % GREYS.len()].0,
            (Ink::Series(n), Palette::Colour) => {
                let free: Vec<Colour> = (0..OKABE_ITO.len())
                    .filter(|&k| !(self.canards && k == VERMILION))
                    .map(|k| OKABE_ITO[k])
                    .collect();
                free.get(n).copied().unwrap_or_else(|| further(n - free.len()))
            }
            (Ink::Canard, Palette::Colour) => OKABE_ITO[VERMILION],
            (Ink::Canard, Palette::Monochrome) => BLACK,
        }
    }

    /// Colour of a shaded region.
    pub(super) fn shade(&self, tone: Tone) -> Colour {
        match (tone, self.palette) {
            (Tone::Band(ink), _) => self.colour(ink).map(|part| mixed(part, 255.0, 0.65)),
            (Tone::Facet(surface, light), palette) => {
                let base: Colour = match (surface, palette) {
                    (Surface::Attracting, Palette::Colour) => [176, 207, 236],
                    (Surface::Repelling, Palette::Colour) => [246, 208, 176],
                    (Surface::Given(n), Palette::Colour) => {
                        [[200, 212, 224], [206, 226, 206], [228, 210, 228]][n as usize % 3]
                    }
                    (Surface::Attracting, _) => [215; 3],
                    (Surface::Repelling, _) => [180; 3],
                    (Surface::Given(n), _) => [[210; 3], [190; 3], [225; 3]][n as usize % 3],
                };
                let white = 0.5 * f64::from(light) / f64::from(Tone::LIGHTS);
                base.map(|part| mixed(part, 255.0, white))
            }
            (Tone::Attracting, Palette::Colour) => [220, 234, 246],
            (Tone::Repelling, Palette::Colour) => [252, 233, 218],
            (Tone::Attracting, Palette::Monochrome) => [240; 3],
            (Tone::Repelling, Palette::Monochrome) => [214; 3],
        }
    }

    /// Colour of a cell.
    pub(super) fn tint(&self, tint: Tint) -> Colour {
        let monochrome = self.palette == Palette::Monochrome;
        // From the first of three values at level zero to the last at the largest; the middle one without a level.
        let of_level = |(weak, middle, strong): (f64, f64, f64)| match tint.level {
            None => middle,
            Some(level) => weak + (strong - weak) * f64::from(level) / f64::from(Tint::LEVELS),
        };
        match tint.hue {
            Hue::Named(n) if monochrome => [(235.0 - 150.0 * (n as f64 * 0.618_034).fract()) as u8; 3],
            Hue::Named(n) => {
                let white = of_level(PALE);
                CELLS[n % CELLS.len()].map(|part| mixed(part, 255.0, white))
            }
            Hue::Chaos => [of_level(CHAOS) as u8; 3],
            Hue::Count(0) | Hue::Blank | Hue::Lost => WHITE,
            Hue::Count(n) => {
                let part = |k: usize| (f64::from(COUNTED[k]) - ONE_MORE[k] * (n - 1) as f64).max(0.0) as u8;
                if monochrome { [part(1); 3] } else { [0, 1, 2].map(part) }
            }
            Hue::Other => [206; 3],
            Hue::Unsettled if monochrome => [178; 3],
            Hue::Unsettled => [238, 190, 186],
            Hue::Rest if monochrome => [245; 3],
            Hue::Torus if monochrome => [225; 3],
            Hue::Rest => [226, 233, 240],
            Hue::Torus => [246, 238, 220],
        }
    }

    /// Width of a line in millimetres.
    pub(super) fn width(&self, ink: Ink, stroke: Stroke) -> f64 {
        let of_ink = match (ink, self.palette) {
            (Ink::Series(n), Palette::Monochrome) => GREYS[n % GREYS.len()].1,
            // Members are many.
            (Ink::Ramp(_), _) => 0.7,
            _ => 1.0,
        };
        let of_stroke = match stroke {
            Stroke::Solid | Stroke::Dashed | Stroke::Dotted | Stroke::Over => 1.0,
            Stroke::Thick => 2.2,
            Stroke::Thin | Stroke::Hidden => 0.6,
            Stroke::Fine => 0.45,
        };
        self.line_width * of_ink * of_stroke
    }
}

/// Below this brightness a region has white letters.
const DARK: f64 = 120.0;

/// Letters that are read on this colour.
pub(super) fn letters_on([red, green, blue]: Colour) -> Colour {
    let brightness = 0.3 * f64::from(red) + 0.59 * f64::from(green) + 0.11 * f64::from(blue);
    if brightness < DARK { WHITE } else { BLACK }
}

/// A colour in LaTeX.
pub(super) fn rgb([red, green, blue]: Colour) -> String {
    format!("{{rgb,255:red,{red};green,{green};blue,{blue}}}")
}

/// A part of a colour with so much of another in it.
fn mixed(part: u8, other: f64, share: f64) -> u8 {
    (f64::from(part) * (1.0 - share) + other * share).round() as u8
}

/// Lengths of dash and gap in widths of an ordinary line; `None` for an unbroken line.
pub(super) fn dashes(stroke: Stroke) -> Option<(f64, f64)> {
    match stroke {
        Stroke::Solid | Stroke::Thick | Stroke::Fine => None,
        Stroke::Dashed => Some((4.2, 2.4)),
        Stroke::Over => Some((4.0, 4.0)),
        Stroke::Dotted => Some((1.2, 2.2)),
        Stroke::Thin => Some((3.0, 3.0)),
        Stroke::Hidden => Some((1.6, 1.8)),
    }
}

/// The n-th colour beyond the first ones; no two are the same.
fn further(n: usize) -> Colour {
    match FURTHER.get(n) {
        Some(&colour) => colour,
        None => {
            // Steps of the golden angle around the circle of hues, darker from round to round.
            let hue = 6.0 * (n as f64 * 0.618_034).fract();
            let dark = 0.45 + 0.3 * (n as f64 * 0.381_966).fract();
            let part = |shift: f64| {
                let turned = ((hue + shift) % 6.0 - 3.0).abs() - 1.0;
                (255.0 * dark * (0.25 + 0.75 * turned.clamp(0.0, 1.0))).round() as u8
            };
            [part(0.0), part(4.0), part(2.0)]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_hundred_curves_have_a_hundred_colours() {
        for canards in [false, true] {
            let look = Look {
                palette: Palette::Colour,
                canards,
                line_width: 1.0,
            };
            let all: BTreeSet<Colour> = (0..100).map(|n| look.colour(Ink::Series(n))).collect();
            assert_eq!(all.len(), 100);
        }
    }
}
