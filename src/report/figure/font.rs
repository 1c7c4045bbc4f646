//! The bundled font: Latin, Greek, mathematical signs and mathematical italic letters.

use std::sync::LazyLock;

/// Family name by which SVG, PDF and PNG find the font.
pub(super) const FAMILY: &str = "Slipstick Serif";

/// The font file.
pub(super) const BYTES: &[u8] = include_bytes!("fonts/SlipstickSerif-Regular.otf");

static PARSED: LazyLock<Option<ttf_parser::Face<'static>>> = LazyLock::new(|| ttf_parser::Face::parse(BYTES, 0).ok());

/// Width of a letter the font does not have, in em.
const UNKNOWN_WIDTH: f64 = 0.5;

/// Whether the font has a glyph for this letter.
pub(super) fn has(letter: char) -> bool {
    PARSED.as_ref().is_some_and(|face| face.glyph_index(letter).is_some())
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

fn advance(letter: char) -> Option<f64> {
    let face = PARSED.as_ref()?;
    let units = face.glyph_hor_advance(face.glyph_index(letter)?)?;
    Some(f64::from(units) / f64::from(face.units_per_em()))
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
        }
        assert_eq!((italic('x'), italic('θ'), italic('3')), (Some('𝑥'), Some('𝜃'), None));
    }

    #[test]
    fn widths_add_up() {
        assert!((width("00") - 1.0).abs() < 1e-12, "digits are half an em wide");
        assert!((width("Ωmax") - width("Ω") - width("max")).abs() < 1e-12);
    }
}
