//! From a label to letters with positions and sizes.

use super::font;
use super::markup::{Atom, Face, Label};

/// Letters of one size, placed relative to the start of the base line; `y` grows downwards. Lengths in millimetres.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) size: f64,
    pub(super) text: String,
}

/// A label set in a size: runs, and the box around them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TextLine {
    pub(super) runs: Vec<Run>,
    pub(super) width: f64,
    /// Height above and depth below the base line.
    pub(super) ascent: f64,
    pub(super) descent: f64,
}

/// Height of capitals and digits, and depth of letters such as g, in em.
const CAPITAL: f64 = 0.67;
const DEPTH: f64 = 0.2;
/// Scripts: their size, how far they are raised and lowered, in em of the letter they belong to.
const SCRIPT_SIZE: f64 = 0.7;
const RAISED: f64 = 0.36;
const LOWERED: f64 = 0.2;
/// Smaller scripts than these 5.5 points are not read in print, in millimetres.
pub(super) const SMALLEST: f64 = 5.5 * 25.4 / 72.0;
/// An italic letter leans out of its box; what stands upright behind it keeps this distance, in em.
const ITALIC_CORRECTION: f64 = 0.06;

impl TextLine {
    /// Set `label` with letters of `size` millimetres.
    pub(super) fn new(label: &Label, size: f64) -> Self {
        let mut line = Self {
            ascent: CAPITAL * size,
            descent: DEPTH * size,
            ..Self::default()
        };
        line.width = line.row(&label.atoms, 0.0, 0.0, size);
        line
    }

    /// Set `label` no wider than `width`: with smaller letters if need be, and what has no room even so is cut.
    pub(super) fn fitting(label: &Label, size: f64, width: f64) -> Self {
        let line = Self::new(label, size);
        if line.width <= width || width <= 0.0 {
            return line;
        }
        let smaller = size.min((size * width / line.width).max(SMALLEST));
        let line = Self::new(label, smaller);
        if line.width <= width {
            return line;
        }
        let mut cut = label.clone();
        while let Some(last) = cut.atoms.last_mut() {
            match last {
                Atom::Run(_, text) if text.chars().count() > 1 => {
                    text.pop();
                }
                _ => {
                    cut.atoms.pop();
                }
            }
            let mut shown = cut.clone();
            shown.atoms.push(Atom::Run(Face::Upright, "…".to_owned()));
            let line = Self::new(&shown, smaller);
            if line.width <= width {
                return line;
            }
        }
        Self::default()
    }

    /// Height from the deepest to the highest point.
    pub(super) fn height(&self) -> f64 {
        self.ascent + self.descent
    }

    /// Add atoms from `x` on a base line shifted by `y`; returns where they end.
    fn row(&mut self, atoms: &[Atom], mut x: f64, y: f64, size: f64) -> f64 {
        let mut leaning = false;
        for atom in atoms {
            match atom {
                Atom::Run(face, text) => {
                    if leaning && *face == Face::Upright {
                        x += ITALIC_CORRECTION * size;
                    }
                    x = self.run(*face, text, x, y, size);
                    leaning = *face == Face::Italic;
                }
                Atom::Scripts { above, below } => {
                    let small = (SCRIPT_SIZE * size).max(SMALLEST.min(size));
                    let lean = if leaning { ITALIC_CORRECTION * size } else { 0.0 };
                    let mut end = x;
                    if !above.is_empty() {
                        self.ascent = self.ascent.max(RAISED * size - y + CAPITAL * small);
                        end = self.row(above, x + lean, y - RAISED * size, small);
                    }
                    if !below.is_empty() {
                        self.descent = self.descent.max(LOWERED * size + y + DEPTH * small);
                        end = end.max(self.row(below, x, y + LOWERED * size, small));
                    }
                    x = end + 0.03 * size;
                    leaning = false;
                }
                Atom::Accent(accent, over) => {
                    let end = self.row(over, x, y, size);
                    let mark = accent.to_string();
                    let raise = if is_tall(over) { 0.22 * size } else { 0.0 };
                    let lean = if raise > 0.0 { 0.12 } else { 0.06 } * size;
                    let at = 0.5 * (x + end - font::width(&mark) * size) + lean;
                    self.ascent = self.ascent.max(CAPITAL * size - y + raise);
                    self.run(Face::Upright, &mark, at, y - raise, size);
                    x = end;
                    leaning = true;
                }
                Atom::Space(width) => {
                    x += width * size;
                    leaning = false;
                }
            }
        }
        x
    }

    fn run(&mut self, face: Face, text: &str, x: f64, y: f64, size: f64) -> f64 {
        let slanted = |letter: char| font::italic(letter).unwrap_or(letter);
        let text: String = if face == Face::Italic {
            text.chars().map(slanted).collect()
        } else {
            text.to_owned()
        };
        let end = x + font::width(&text) * size;
        // SVG drops white space at the ends of a text: make it part of the position.
        let shown = text.trim_start();
        let start = end - font::width(shown) * size;
        let shown = shown.trim_end();
        if !shown.is_empty() {
            self.runs.push(Run {
                x: start,
                y,
                size,
                text: shown.to_owned(),
            });
        }
        end
    }
}

/// Whether an accent has to be lifted over these letters.
fn is_tall(atoms: &[Atom]) -> bool {
    let tall = |c: char| c.is_uppercase() || c.is_ascii_digit() || "bdfhkltβδζθλξφψ".contains(c);
    atoms
        .iter()
        .any(|atom| matches!(atom, Atom::Run(_, text) if text.chars().any(tall)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_exact_and_scripts_are_small_and_shifted() {
        let line = TextLine::new(&Label::math(r"\Omega^2").unwrap(), 10.0);
        let wanted = 10.0 * font::width("Ω") + 7.0 * font::width("2") + 0.3;
        assert!((line.width - wanted).abs() < 1e-12, "{} {wanted}", line.width);
        assert!((line.runs[1].y + 3.6).abs() < 1e-12 && line.runs[1].size == 7.0);
        assert!(line.ascent > 6.7 && line.descent == 2.0);
    }

    #[test]
    fn scripts_above_and_below_start_together() {
        let line = TextLine::new(&Label::math("1_a^b").unwrap(), 1.0);
        assert!((line.runs[1].x - line.runs[2].x).abs() < 1e-12);
        assert!(line.runs[1].y * line.runs[2].y < 0.0);
    }

    #[test]
    fn accents_sit_over_the_middle() {
        let line = TextLine::new(&Label::math(r"\hat y").unwrap(), 1.0);
        let letter = font::width("𝑦");
        assert!((line.width - letter).abs() < 1e-12);
        let middle = line.runs[1].x + 0.5 * font::width("ˆ");
        assert!((middle - 0.5 * letter).abs() < 0.1);
    }
}
