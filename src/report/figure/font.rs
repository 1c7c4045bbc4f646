//! The bundled font: Latin, Greek, mathematical signs and mathematical italic letters.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// Its family.
pub(super) const FAMILY: &str = "Slipstick Serif";

/// The font file.
pub(super) const BYTES: &[u8] = include_bytes!("fonts/SlipstickSerif-Regular.otf");

static PARSED: LazyLock<Option<Face<'static>>> = LazyLock::new(|| Face::parse(BYTES, 0).ok());

/// Width of a letter the font does not have, in em.
const UNKNOWN_WIDTH: f64 = 0.5;

/// The letters that [`italic`] makes, with those it makes them of.
static UPRIGHT: LazyLock<BTreeMap<char, char>> = LazyLock::new(|| {
    let letters = ('A'..='Z').chain('a'..='z').chain('Α'..='ω').chain(['∂', 'ϕ', 'ϵ']);
    letters.filter_map(|letter| Some((italic(letter)?, letter))).collect()
});

/// The parsed font.
pub(super) fn face() -> Option<&'static Face<'static>> {
    PARSED.as_ref()
}

/// Whether the font has a glyph for this letter.
pub(super) fn has(letter: char) -> bool {
    face().is_some_and(|face| face.glyph_index(letter).is_some())
}

/// Width of a text in em. The font carries no kerning, so this is what every viewer shows.
pub(super) fn width(text: &str) -> f64 {
    text.chars()
        .map(|letter| advance(letter).unwrap_or(UNKNOWN_WIDTH))
        .sum()
}

/// The mathematical italic form of a Latin or Greek letter (Unicode block U+1D400 to U+1D7FF).
pub(super) fn italic(letter: char) -> Option<char> {
    let from = |start: u32, first: char| char::from_u32(start + (letter as u32 - first as u32));
    match letter {
        // Planck's constant had taken the place of the italic h.
        'h' => Some('\u{210E}'),
        'A'..='Z' => from(0x1D434, 'A'),
        'a'..='z' => from(0x1D44E, 'a'),
        'Α'..='Ω' => from(0x1D6E2, 'Α'),
        'α'..='ω' => from(0x1D6FC, 'α'),
        '∂' => Some('\u{1D715}'),
        'ϕ' => Some('\u{1D719}'),
        'ϵ' => Some('\u{1D716}'),
        _ => None,
    }
}

/// The letter that somebody types who looks for this one: of mathematical italics the ordinary letter.
pub(super) fn typed(letter: char) -> char {
    UPRIGHT.get(&letter).copied().unwrap_or(letter)
}

/// A letter as it is drawn: its glyph, and where it begins, in em from the beginning of the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placed {
    pub(super) letter: char,
    pub(super) glyph: u16,
    pub(super) x: f64,
}

/// The letters of a text side by side. What the font does not have is the glyph for that, a box.
pub(super) fn placed(text: &str) -> Vec<Placed> {
    let mut x = 0.0;
    text.chars()
        .map(|letter| {
            let glyph = face()
                .and_then(|face| face.glyph_index(letter))
                .map_or(0, |glyph| glyph.0);
            let here = Placed { letter, glyph, x };
            x += advance(letter).unwrap_or(UNKNOWN_WIDTH);
            here
        })
        .collect()
}

/// A piece of an outline, in em to the right of and above the beginning of the base line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stroke {
    Move([f64; 2]),
    Line([f64; 2]),
    Curve([[f64; 2]; 3]),
    Close,
}

/// The outline of a glyph.
pub(super) fn outline(glyph: u16) -> Vec<Stroke> {
    let mut pen = Pen::default();
    if let Some(face) = face() {
        pen.em = f64::from(face.units_per_em());
        face.outline_glyph(GlyphId(glyph), &mut pen);
    }
    pen.strokes
}

/// Width of a glyph in em.
pub(super) fn glyph_width(glyph: u16) -> f64 {
    let units = face().and_then(|face| Some((face.glyph_hor_advance(GlyphId(glyph))?, face.units_per_em())));
    units.map_or(UNKNOWN_WIDTH, |(width, em)| f64::from(width) / f64::from(em))
}

fn advance(letter: char) -> Option<f64> {
    face()?.glyph_index(letter).map(|glyph| glyph_width(glyph.0))
}

#[derive(Default)]
struct Pen {
    em: f64,
    at: [f64; 2],
    strokes: Vec<Stroke>,
}

impl Pen {
    fn to(&mut self, x: f32, y: f32) -> [f64; 2] {
        self.at = [f64::from(x) / self.em, f64::from(y) / self.em];
        self.at
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let to = self.to(x, y);
        self.strokes.push(Stroke::Move(to));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let to = self.to(x, y);
        self.strokes.push(Stroke::Line(to));
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let from = self.at;
        let (by, to) = (self.to(x1, y1), self.to(x, y));
        let towards = |end: [f64; 2]| [0, 1].map(|k| end[k] + 2.0 / 3.0 * (by[k] - end[k]));
        self.strokes.push(Stroke::Curve([towards(from), towards(to), to]));
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let curve = [self.to(x1, y1), self.to(x2, y2), self.to(x, y)];
        self.strokes.push(Stroke::Curve(curve));
    }

    fn close(&mut self) {
        self.strokes.push(Stroke::Close);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_is_sound_and_has_the_letters_of_the_field() {
        assert!("Aaz09(),ΩμθεφνξŷΓωé−×·≤≥∞π∂∈→ˆ˙".chars().all(has));
        assert!(!has('語'));
        for letter in ('A'..='Z').chain('a'..='z').chain('α'..='ω') {
            assert!(italic(letter).is_some_and(has), "{letter}");
            assert_eq!(italic(letter).map(typed), Some(letter));
        }
        assert_eq!((italic('x'), italic('θ'), italic('3')), (Some('𝑥'), Some('𝜃'), None));
        assert_eq!(['3', 'Ω', '−'].map(typed), ['3', 'Ω', '−']);
    }

    #[test]
    fn widths_add_up() {
        assert!((width("00") - 1.0).abs() < 1e-12, "digits are half an em wide");
        assert!((width("Ωmax") - width("Ω") - width("max")).abs() < 1e-12);
        let text = "Ω語0";
        let last = placed(text)[2];
        assert!((last.x + width("0") - width(text)).abs() < 1e-12);
        assert_eq!((placed(text)[1].glyph, last.letter), (0, '0'));
    }

    #[test]
    fn outlines_are_closed_and_of_the_size_of_letters() {
        // From the base line to the height of capitals, inside its width.
        let strokes = outline(placed("H")[0].glyph);
        assert!(matches!(
            (strokes.first(), strokes.last()),
            (Some(Stroke::Move(_)), Some(Stroke::Close))
        ));
        let ends = strokes.iter().filter_map(|stroke| match stroke {
            Stroke::Move(to) | Stroke::Line(to) | Stroke::Curve([_, _, to]) => Some(*to),
            Stroke::Close => None,
        });
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for to in ends {
            low = [0, 1].map(|k| low[k].min(to[k]));
            high = [0, 1].map(|k| high[k].max(to[k]));
        }
        assert!(
            low[0] >= 0.0 && high[0] <= width("H") && low[1].abs() < 1e-12,
            "{low:?} {high:?}"
        );
        assert!((0.6..0.7).contains(&high[1]), "{high:?}");
        assert!(outline(placed(" ")[0].glyph).is_empty());
    }
}
