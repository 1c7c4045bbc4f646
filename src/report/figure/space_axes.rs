//! The box around a picture of space: its edges, ticks, numbers and the names of its axes.

use super::axes::{FRAME_LINE, View};
use super::canvas::Canvas;
use super::geometry::{Point, Rect};
use super::layout::Sizes;
use super::palette::{BLACK, GREY};
use super::place::Occupied;
use super::scene::SpaceAxes;
use super::typeset::TextLine;
use std::fmt::Write as _;

const TICK_LINE: f64 = 0.14;
const HAIR_LINE: f64 = 0.1;
/// Distance of numbers and of names from the edges, in millimetres.
const NUMBERS: f64 = 0.7;
const NAMES: f64 = 5.4;

/// Ink what is behind the picture, and write at the axes.
pub(super) fn paint_behind(
    canvas: &mut Canvas,
    space: &SpaceAxes,
    view: &View<'_>,
    occupied: &mut Occupied,
    sizes: Sizes,
) {
    for ends in &space.behind {
        if let Some(line) = on_page(ends, view) {
            occupied.add_line(&line);
            canvas.line(line, GREY, HAIR_LINE);
        }
    }
    // These are drawn on top later; names of curves keep off them.
    for line in space.axes.iter().chain(&space.ticks) {
        if let Some(line) = on_page(line, view) {
            occupied.add_line(&line);
        }
    }
    for words in &space.words {
        let Some(at) = view.place(words.at) else { continue };
        let size = if words.names_axis { sizes.label } else { sizes.number };
        let off = if words.names_axis { NAMES } else { NUMBERS };
        let line = TextLine::new(&words.label, size);
        // The nearest point of the box of words lies so far off the axis.
        let half = (0.5 * line.width, 0.5 * line.ascent);
        let reach = off + (words.away.0.abs() * half.0 + words.away.1.abs() * half.1);
        let centre = (at.0 + reach * words.away.0, at.1 - reach * words.away.1);
        let area = Rect::new(centre.0 - half.0, centre.1 - half.1, line.width, line.ascent);
        canvas.text(&line, (area.left, area.bottom), BLACK);
        occupied.add_box(area);
    }
}

/// Ink the axes with their ticks.
pub(super) fn paint_axes(canvas: &mut Canvas, space: &SpaceAxes, view: &View<'_>) {
    for (lines, width) in [(&space.axes, FRAME_LINE), (&space.ticks, TICK_LINE)] {
        for line in lines.iter().filter_map(|ends| on_page(ends, view)) {
            canvas.line(line, BLACK, width);
        }
    }
}

fn on_page(ends: &[(f64, f64); 2], view: &View<'_>) -> Option<Vec<Point>> {
    ends.iter().map(|&at| view.place(at)).collect()
}

/// The box in a LaTeX document.
pub(super) fn write(tex: &mut String, space: &SpaceAxes) {
    for (lines, style) in [
        (&space.behind, "black!50, ultra thin"),
        (&space.axes, "black"),
        (&space.ticks, "black, very thin"),
    ] {
        for [from, to] in lines {
            let _ = writeln!(
                tex,
                "\\draw[{style}] (rel axis cs:{:.4},{:.4}) -- (rel axis cs:{:.4},{:.4});",
                from.0, from.1, to.0, to.1
            );
        }
    }
    for words in &space.words {
        let (off, font) = if words.names_axis {
            (NAMES, "\\small")
        } else {
            (NUMBERS, "\\footnotesize")
        };
        let turned = words.away.1.atan2(words.away.0).to_degrees() + 180.0;
        let _ = writeln!(
            tex,
            "\\node[anchor={turned:.0}, inner sep=0pt, font={font}] at \
             ([shift={{({:.2}mm,{:.2}mm)}}]rel axis cs:{:.4},{:.4}) {{{}}};",
            off * words.away.0,
            off * words.away.1,
            words.at.0,
            words.at.1,
            words.label.tex
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::AxisScale;
    use super::super::ticks::Scale;
    use super::*;

    #[test]
    fn names_of_curves_keep_off_the_axes() {
        let unit = AxisScale {
            low: 0.0,
            high: 1.0,
            ..AxisScale::new(Scale::Linear)
        };
        let view = View {
            x: &unit,
            y: &unit,
            area: Rect::new(0.0, 0.0, 80.0, 60.0),
        };
        let axes = SpaceAxes {
            behind: vec![],
            axes: vec![[(0.2, 0.0), (0.2, 1.0)]],
            ticks: vec![],
            words: vec![],
        };
        let mut occupied = Occupied::new(view.area);
        paint_behind(
            &mut Canvas::new(80.0, 60.0),
            &axes,
            &view,
            &mut occupied,
            Sizes::new(8.0),
        );
        assert!(!occupied.is_free(Rect::new(10.0, 20.0, 12.0, 3.0), 0.0));
        assert!(occupied.is_free(Rect::new(20.0, 20.0, 12.0, 3.0), 0.0));
    }
}
