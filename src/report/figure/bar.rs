//! Bars of colours beside a frame: what the ramp of colours stands for.

use super::axes::FRAME_LINE;
use super::canvas::Canvas;
use super::geometry::Rect;
use super::layout::{BAR_GAP, BAR_WIDTH, NUMBER_GAP, SHORT_TICK, Sizes, bar_label_at, y_ticks};
use super::palette::{BLACK, Look, rgb};
use super::scene::{AxisScale, Ink};
use super::ticks::Ticks;
use super::typeset::TextLine;
use std::fmt::Write as _;

const TICK_LINE: f64 = 0.14;
/// Steps of colour.
const STEPS: u32 = 96;
/// Of those in a LaTeX document.
const TEX_STEPS: u32 = 48;
/// Room for a bar with its numbers and its label in a LaTeX document, in millimetres.
pub(super) const TEX_ROOM: f64 = 15.0;

/// Ink the bar of a frame over this area.
pub(super) fn paint(canvas: &mut Canvas, axis: &AxisScale, ticks: &Ticks, beside: Rect, sizes: Sizes, look: Look) {
    let area = Rect::new(beside.right + BAR_GAP, beside.top, BAR_WIDTH, beside.height());
    // Each step reaches to the top, so that no paper shows between two.
    for step in 0..STEPS {
        let bottom = area.bottom - area.height() * f64::from(step) / f64::from(STEPS);
        canvas.fill(Rect { bottom, ..area }, look.colour(ink(step, STEPS)));
    }
    canvas.frame(area, BLACK, FRAME_LINE);
    let at = |value: f64| axis.part(value).map(|part| area.bottom - part * area.height());
    for (y, length) in ticks
        .major
        .iter()
        .filter_map(|(value, _)| Some((at(*value)?, 1.0)))
        .chain(ticks.minor.iter().filter_map(|&value| Some((at(value)?, 0.6))))
    {
        let from = area.right - length * SHORT_TICK;
        canvas.line(vec![(from, y), (area.right, y)], BLACK, TICK_LINE);
    }
    for (value, label) in &ticks.major {
        let Some(y) = at(*value) else { continue };
        let line = TextLine::new(label, sizes.number);
        canvas.text(&line, (area.right + NUMBER_GAP, y + 0.33 * sizes.number), BLACK);
    }
    if let Some(common) = &ticks.common {
        let power = TextLine::new(common, sizes.number);
        canvas.text(&power, (area.left, area.top - 0.6), BLACK);
    }
    let line = TextLine::fitting(&axis.label, sizes.label, area.height());
    let base = beside.right + bar_label_at(ticks, sizes) + line.ascent;
    canvas.text_upwards(&line, (base, area.centre().1 + 0.5 * line.width), BLACK);
}

/// The same among the options of the axes of a LaTeX document.
pub(super) fn write(tex: &mut String, axis: &AxisScale, height: f64, number: f64, look: Look) {
    let ticks = y_ticks(axis, height, number);
    let (left, right) = (BAR_GAP, BAR_GAP + BAR_WIDTH);
    tex.push_str("  extra description/.append code={\n");
    for step in 0..TEX_STEPS {
        let (colour, from) = (
            rgb(look.colour(ink(step, TEX_STEPS))),
            f64::from(step) / f64::from(TEX_STEPS),
        );
        let _ = writeln!(
            tex,
            "    \\fill[color={colour}] ([xshift={left}mm]1,{from:.4}) rectangle ([xshift={right:.2}mm]1,1);"
        );
    }
    let _ = writeln!(
        tex,
        "    \\draw ([xshift={left}mm]1,0) rectangle ([xshift={right:.2}mm]1,1);"
    );
    for (value, label) in &ticks.major {
        let (Some(part), tick) = (axis.part(*value), right - SHORT_TICK) else {
            continue;
        };
        let _ = writeln!(
            tex,
            "    \\draw ([xshift={tick:.2}mm]1,{part:.4}) -- ([xshift={right:.2}mm]1,{part:.4}) \
             node[anchor=west, font=\\footnotesize] {{{}}};",
            label.tex
        );
    }
    if let Some(common) = &ticks.common {
        let common = &common.tex;
        let _ = writeln!(
            tex,
            "    \\node[anchor=south west, inner sep=1pt, font=\\footnotesize] at ([xshift={left}mm]1,1) \
             {{{common}}};"
        );
    }
    let middle = right + TEX_ROOM - 4.0;
    let _ = writeln!(
        tex,
        "    \\node[rotate=90, font=\\small] at ([xshift={middle:.2}mm]1,0.5) {{{}}};\n  }},",
        axis.label.tex
    );
}

/// The colour in the middle of a step.
fn ink(step: u32, of: u32) -> Ink {
    Ink::ramp((f64::from(step) + 0.5) / f64::from(of))
}
