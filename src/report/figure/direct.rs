//! Names beside curves where more of them stand in one panel than greys tell apart.

use super::axes::View;
use super::canvas::Canvas;
use super::geometry::{Point, Rect, distance};
use super::palette::Look;
use super::place::Occupied;
use super::scene::{Entry, Ink, Panel, Sample};
use super::typeset::TextLine;

/// Of so many curves a reader of a grey print knows which is which.
const FEW: usize = 3;
/// Longer names stay in the legend alone, in millimetres.
const LONGEST: f64 = 17.0;
/// Distance from curve to name, room around it, and the room to other curves that leaves no doubt.
const GAP: f64 = 0.55;
const ROOM: f64 = 0.3;
const CLEAR: f64 = 1.1;
/// Places are tried so far apart along a curve.
const STEP: f64 = 1.5;

/// Write the names of curves beside them, where there are many; returns where each stands.
pub(super) fn paint_names(
    canvas: &mut Canvas,
    (panel, heading): (&Panel, &[Entry]),
    view: &View<'_>,
    occupied: &mut Occupied,
    size: f64,
    look: Look,
) -> Vec<(Rect, Entry)> {
    let mut entries: Vec<(Ink, &Entry)> = Vec::new();
    for entry in heading.iter().chain(&panel.entries) {
        if let Sample::Line(ink @ Ink::Series(_), _) = entry.sample
            && panel.series.iter().any(|series| series.ink == ink)
            && !entries.iter().any(|(other, _)| *other == ink)
        {
            entries.push((ink, entry));
        }
    }
    if entries.len() <= FEW {
        return vec![];
    }
    let lines: Vec<(Ink, Vec<Point>)> = panel
        .series
        .iter()
        .flat_map(|series| view.line(&series.points).into_iter().map(|line| (series.ink, line)))
        .collect();
    let mut named = Vec::new();
    for (ink, entry) in entries {
        let text = TextLine::new(&entry.label, size);
        if text.width > LONGEST {
            continue;
        }
        let others = |area: Rect| {
            let grown = area.grown(CLEAR);
            let foreign = lines.iter().filter(|(other, _)| *other != ink);
            foreign
                .flat_map(|(_, line)| line.windows(2))
                .any(|pair| grown.clip(pair[0], pair[1]).is_some())
        };
        let mut free: Option<(bool, Rect)> = None;
        for at in lines
            .iter()
            .filter(|(own, _)| *own == ink)
            .flat_map(|(_, line)| spread(line))
        {
            for (x, y) in [
                (0.0, -1.0),
                (0.0, 1.0),
                (1.0, 0.0),
                (-1.0, 0.0),
                (0.8, -0.9),
                (-0.8, -0.9),
                (0.8, 0.9),
                (-0.8, 0.9),
            ] {
                let centre = (
                    at.0 + x * (0.5 * text.width + GAP),
                    at.1 + y * (0.5 * text.height() + GAP),
                );
                let area = Rect::new(
                    centre.0 - 0.5 * text.width,
                    centre.1 - 0.5 * text.height(),
                    text.width,
                    text.height(),
                );
                if free.is_some_and(|(doubtful, _)| !doubtful) || !occupied.is_free(area, ROOM) {
                    continue;
                }
                let doubtful = others(area);
                if free.is_none() || !doubtful {
                    free = Some((doubtful, area));
                }
            }
        }
        if let Some((_, area)) = free {
            canvas.text(&text, (area.left, area.top + text.ascent), look.colour(ink));
            occupied.add_box(area);
            let base = Rect {
                bottom: area.top + text.ascent,
                ..area
            };
            named.push((base, entry.clone()));
        }
    }
    named
}

/// Points along a line, those near its middle first.
fn spread(line: &[Point]) -> Vec<Point> {
    let length: f64 = line.windows(2).map(|pair| distance(pair[0], pair[1])).sum();
    let (mut found, mut before, mut next) = (Vec::new(), 0.0, 0.5 * STEP);
    for pair in line.windows(2) {
        let own = distance(pair[0], pair[1]);
        while own > 0.0 && next <= before + own {
            let s = (next - before) / own;
            let at = (
                pair[0].0 + s * (pair[1].0 - pair[0].0),
                pair[0].1 + s * (pair[1].1 - pair[0].1),
            );
            found.push(((next - 0.5 * length).abs(), at));
            next += STEP;
        }
        before += own;
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.into_iter().map(|(_, at)| at).collect()
}
