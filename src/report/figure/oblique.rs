//! Members one behind another: an oblique projection with the parameter of the colours as depth.

use super::axes::FRAME_LINE;
use super::canvas::Canvas;
use super::geometry::{Point, Rect};
use super::palette::{BLACK, GREY};
use super::place::Occupied;
use super::scene::{AxisScale, Front, Ink, Panel, SHIFT};
use super::ticks::Ticks;
use std::cmp::Reverse;
use std::fmt::Write as _;

const TICK_LINE: f64 = 0.14;
const HAIR_LINE: f64 = 0.1;

/// The projection of the numbers of a panel's axes to those of axes that reach to the back.
pub(super) struct Oblique {
    x: AxisScale,
    y: AxisScale,
}

impl Oblique {
    pub(super) fn of(panel: &Panel) -> Self {
        Self {
            x: panel.x.clone(),
            y: panel.y.clone(),
        }
    }

    /// Where a point at this depth, from 0 to 1, is drawn.
    pub(super) fn place(&self, (x, y): (f64, f64), depth: f64) -> Option<(f64, f64)> {
        let parts = (self.x.part(x)?, self.y.part(y)?);
        Some(self.at(parts, depth))
    }

    fn at(&self, (x, y): Point, depth: f64) -> (f64, f64) {
        let along = |axis: &AxisScale, part: f64, shift: f64| axis.value(part + depth * shift / (1.0 - shift));
        (along(&self.x, x, SHIFT.0), along(&self.y, y, SHIFT.1))
    }

    /// Draw what the panel has in the colours of the ramp at their depths, the back first.
    pub(super) fn project(&self, panel: &mut Panel) {
        let depth = |ink: Ink| match ink {
            Ink::Ramp(place) => f64::from(place) / f64::from(u8::MAX),
            _ => 0.0,
        };
        let box_of_axes = Rect::new(0.0, 0.0, 1.0, 1.0);
        let mut series = vec![];
        for own in std::mem::take(&mut panel.series) {
            let parts: Vec<Option<Point>> = own
                .points
                .iter()
                .map(|&(x, y)| self.x.part(x).zip(self.y.part(y)))
                .collect();
            for piece in parts.split(Option::is_none) {
                let piece: Vec<Point> = piece.iter().flatten().copied().collect();
                for inside in box_of_axes.clip_line(&piece) {
                    let mut drawn = own.clone();
                    drawn.points = inside.into_iter().map(|at| self.at(at, depth(own.ink))).collect();
                    series.push(drawn);
                }
            }
        }
        let order = |ink: Ink| match ink {
            Ink::Ramp(place) => place,
            _ => 0,
        };
        series.sort_by_key(|series| Reverse(order(series.ink)));
        panel.series = series;
        panel.marks.retain_mut(|mark| {
            let within = |part: Option<f64>| part.is_some_and(|part| (0.0..=1.0).contains(&part));
            let seen = within(self.x.part(mark.at.0)) && within(self.y.part(mark.at.1));
            if let Some(at) = self.place(mark.at, depth(mark.ink)) {
                mark.at = at;
            }
            seen
        });
        panel.front = Some(Front {
            x_high: panel.x.high,
            y_high: panel.y.high,
        });
        panel.x.high = self.x.value(1.0 / (1.0 - SHIFT.0));
        panel.y.high = self.y.value(1.0 / (1.0 - SHIFT.1));
    }
}

/// Edges that lie behind the curves, from one corner of the frame to another, in its parts.
const BEHIND: [[Point; 2]; 6] = [
    [(0.0, 0.0), SHIFT],
    [(0.0, 1.0 - SHIFT.1), (SHIFT.0, 1.0)],
    [SHIFT, (1.0, SHIFT.1)],
    [SHIFT, (SHIFT.0, 1.0)],
    [(1.0, SHIFT.1), (1.0, 1.0)],
    [(SHIFT.0, 1.0), (1.0, 1.0)],
];
/// The axes: those with numbers, and the one into depth.
const AXES: [[Point; 2]; 3] = [
    [(0.0, 0.0), (1.0 - SHIFT.0, 0.0)],
    [(0.0, 0.0), (0.0, 1.0 - SHIFT.1)],
    [(1.0 - SHIFT.0, 0.0), (1.0, SHIFT.1)],
];

fn on_page(area: Rect, (x, y): Point) -> Point {
    (area.left + x * area.width(), area.bottom - y * area.height())
}

/// Ink the edges behind the curves, and keep words off all edges.
pub(super) fn paint_behind(canvas: &mut Canvas, area: Rect, occupied: &mut Occupied) {
    for ends in AXES {
        occupied.add_line(&ends.map(|at| on_page(area, at)));
    }
    for ends in BEHIND {
        let line = ends.map(|at| on_page(area, at)).to_vec();
        occupied.add_line(&line);
        canvas.line(line, GREY, HAIR_LINE);
    }
}

/// Ink the axes, with ticks inwards.
pub(super) fn paint_axes(
    canvas: &mut Canvas,
    panel: &Panel,
    area: Rect,
    (x, y): (&Ticks, &Ticks),
    lengths: (f64, f64),
) {
    for ends in AXES {
        canvas.line(ends.map(|at| on_page(area, at)).to_vec(), BLACK, FRAME_LINE);
    }
    let all = |ticks: &Ticks| {
        let majors = ticks.major.iter().map(|(value, _)| (*value, lengths.0));
        let minors = ticks.minor.iter().map(|value| (*value, lengths.1));
        majors.chain(minors).collect::<Vec<_>>()
    };
    for (value, length) in all(x) {
        if let Some(part) = panel.x.part(value) {
            let (at, foot) = on_page(area, (part, 0.0));
            canvas.line(vec![(at, foot), (at, foot - length)], BLACK, TICK_LINE);
        }
    }
    for (value, length) in all(y) {
        if let Some(part) = panel.y.part(value) {
            let (left, at) = on_page(area, (0.0, part));
            canvas.line(vec![(left, at), (left + length, at)], BLACK, TICK_LINE);
        }
    }
}

/// The edges of the box in a LaTeX document.
pub(super) fn write(tex: &mut String) {
    for (edges, style) in [(&BEHIND[..], "black!50, ultra thin"), (&AXES[..], "black")] {
        for [from, to] in edges {
            let _ = writeln!(
                tex,
                "\\draw[{style}] (rel axis cs:{:.3},{:.3}) -- (rel axis cs:{:.3},{:.3});",
                from.0, from.1, to.0, to.1
            );
        }
    }
}
