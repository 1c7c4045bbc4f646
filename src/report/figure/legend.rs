//! Legends: rows of samples with words beside them.

use super::canvas::Canvas;
use super::dots::{DOT, DOT_GREY};
use super::geometry::{Point, Rect, dash};
use super::legend_rows::{PlacedEntry, SAMPLE_GAP};
use super::palette::{BLACK, GREY, Look, SHADE, dashes};
use super::scene::{Ink, Sample, Stroke};
use super::symbols::draw_mark;

/// Outline of cells.
const CELL_LINE: f64 = 0.12;
/// Height of a bar that stands for stick phases.
const STRIP: f64 = 0.8;

/// Draw a line in the style of its stroke.
pub(super) fn stroke_line(canvas: &mut Canvas, piece: &[Point], ink: Ink, stroke: Stroke, look: Look) {
    let (colour, width) = (look.colour(ink), look.width(ink, stroke));
    match dashes(stroke) {
        None => canvas.line(piece.to_vec(), colour, width),
        Some((on, off)) => {
            for part in dash(piece, on * look.line_width, off * look.line_width) {
                canvas.line(part, colour, width);
            }
        }
    }
}

/// Draw a row of entries on a base line.
pub(super) fn paint_entries(canvas: &mut Canvas, entries: &[PlacedEntry], (left, base): Point, look: Look, size: f64) {
    let middle = base - 0.3 * size;
    for placed in entries {
        let from = left + placed.x;
        match placed.entry.sample {
            Sample::Line(ink, stroke) => {
                stroke_line(
                    canvas,
                    &[(from, middle), (from + placed.sample, middle)],
                    ink,
                    stroke,
                    look,
                );
            }
            Sample::Band => canvas.fill(Rect::new(from, base - 0.67 * size, placed.sample, 0.7 * size), SHADE),
            Sample::Dot => canvas.disc((from + 0.5 * placed.sample, middle), 1.2 * DOT, DOT_GREY),
            Sample::Shade(tone) => {
                canvas.fill(
                    Rect::new(from, base - 0.67 * size, placed.sample, 0.7 * size),
                    look.shade(tone),
                );
            }
            Sample::Cell(tint) => {
                let cell = Rect::new(from, base - 0.72 * size, placed.sample, 0.8 * size);
                canvas.fill(cell, look.tint(tint));
                canvas.frame(cell, GREY, CELL_LINE);
            }
            Sample::Mark(shape, ink) => {
                draw_mark(canvas, (from + 0.5 * placed.sample, middle), shape, look.colour(ink))
            }
            Sample::None => {
                canvas.text(&placed.text, (from, base), BLACK);
                continue;
            }
            Sample::Bar => canvas.fill(Rect::new(from, middle - 0.5 * STRIP, placed.sample, STRIP), GREY),
        }
        let left = from + placed.sample + SAMPLE_GAP;
        canvas.text(&placed.text, (left, base), BLACK);
    }
}
