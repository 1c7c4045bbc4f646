//! Axes: where numbers lie on the page, ticks, and what is written at them.

use super::canvas::Canvas;
use super::geometry::{Point, Rect, simplify};
use super::layout::tallest;
use super::palette::BLACK;
use super::scene::AxisScale;
use super::ticks::Ticks;
use super::typeset::TextLine;

/// Points nearer than this to the line through their neighbours are not drawn, in millimetres.
const INVISIBLE: f64 = 0.006;
/// Width of frames.
pub(super) const FRAME_LINE: f64 = 0.18;
const TICK_LINE: f64 = 0.14;

/// Axes of a panel or of an inset over an area of the page.
pub(super) struct View<'a> {
    pub(super) x: &'a AxisScale,
    pub(super) y: &'a AxisScale,
    pub(super) area: Rect,
}

impl View<'_> {
    pub(super) fn place(&self, (x, y): (f64, f64)) -> Option<Point> {
        let (x, y) = (self.x.part(x)?, self.y.part(y)?);
        Some((
            self.area.left + x * self.area.width(),
            self.area.bottom - y * self.area.height(),
        ))
    }

    /// The visible pieces of a curve. Numbers without a place on the axes break it.
    pub(super) fn line(&self, points: &[(f64, f64)]) -> Vec<Vec<Point>> {
        let placed: Vec<Option<Point>> = points.iter().map(|&point| self.place(point)).collect();
        let pieces = placed.split(Option::is_none).filter(|piece| piece.len() > 1);
        pieces
            .flat_map(|piece| {
                let piece: Vec<Point> = piece.iter().flatten().copied().collect();
                self.area.clip_line(&piece)
            })
            .map(|piece| simplify(&piece, INVISIBLE))
            .collect()
    }
}

/// Ticks inwards on all four sides.
pub(super) fn paint_ticks(canvas: &mut Canvas, view: &View<'_>, x: &Ticks, y: &Ticks, long: f64, short: f64) {
    let area = view.area;
    let majors = |ticks: &Ticks| ticks.major.iter().map(|(value, _)| (*value, long)).collect::<Vec<_>>();
    let minors = |ticks: &Ticks| ticks.minor.iter().map(|value| (*value, short)).collect::<Vec<_>>();
    let inner = |part: f64| part > 1e-6 && part < 1.0 - 1e-6;
    for (value, length) in [majors(x), minors(x)].concat() {
        let Some(part) = view.x.part(value).filter(|part| inner(*part) && length > 0.0) else {
            continue;
        };
        let at = area.left + part * area.width();
        canvas.line(vec![(at, area.bottom), (at, area.bottom - length)], BLACK, TICK_LINE);
        canvas.line(vec![(at, area.top), (at, area.top + length)], BLACK, TICK_LINE);
    }
    for (value, length) in [majors(y), minors(y)].concat() {
        let Some(part) = view.y.part(value).filter(|part| inner(*part) && length > 0.0) else {
            continue;
        };
        let at = area.bottom - part * area.height();
        canvas.line(vec![(area.left, at), (area.left + length, at)], BLACK, TICK_LINE);
        canvas.line(vec![(area.right, at), (area.right - length, at)], BLACK, TICK_LINE);
    }
}

pub(super) fn write_numbers(
    canvas: &mut Canvas,
    view: &View<'_>,
    x: Option<&Ticks>,
    y: Option<&Ticks>,
    size: f64,
    gap: f64,
) {
    let area = view.area;
    if let Some(ticks) = x {
        let base = area.bottom + gap + tallest(ticks, size);
        for (value, label) in &ticks.major {
            let Some(part) = view.x.part(*value) else { continue };
            let line = TextLine::new(label, size);
            canvas.text(&line, (area.left + part * area.width() - 0.5 * line.width, base), BLACK);
        }
    }
    if let Some(ticks) = y {
        for (value, label) in &ticks.major {
            let Some(part) = view.y.part(*value) else { continue };
            let line = TextLine::new(label, size);
            let base = area.bottom - part * area.height() + 0.33 * size;
            canvas.text(&line, (area.left - gap - line.width, base), BLACK);
        }
    }
}
