//! Names beside curves where more of them stand in one panel than greys tell apart.

use super::axes::View;
use super::canvas::Canvas;
use super::geometry::{Point, Rect, distance};
use super::palette::{BLACK, GREY, Look, letters_on};
use super::place::Occupied;
use super::scene::{Entry, Ink, Panel, Sample};
use super::typeset::TextLine;

/// Of so many curves a reader of a grey print knows which is which.
const FEW: usize = 3;
/// Longer names stay in the legend alone, in millimetres.
const LONGEST: f64 = 24.0;
/// Distance from curve to name, room around it, and the room to other curves that leaves no doubt.
const GAP: f64 = 0.55;
const ROOM: f64 = 0.3;
const CLEAR: f64 = 1.1;
/// Places are tried so far apart along a curve.
const STEP: f64 = 1.5;
/// Where no name can stand beside its curve alone, a line leads to it: from a place that is so far from other curves,
/// over one of these lengths.
const ALONE: f64 = 0.7;
const LEADERS: [f64; 4] = [3.0, 4.5, 6.5, 9.0];
const LEADER_LINE: f64 = 0.12;

/// The sides of a place on a curve, the best first.
const SIDES: [(f64, f64); 8] = [
    (0.0, -1.0),
    (0.0, 1.0),
    (1.0, 0.0),
    (-1.0, 0.0),
    (0.8, -0.9),
    (-0.8, -0.9),
    (0.8, 0.9),
    (-0.8, 0.9),
];

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
    for entry in heading.iter().chain(&panel.entries).chain(&panel.named) {
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
        let mut foreign = Occupied::new(view.area.grown(CLEAR + ALONE));
        lines
            .iter()
            .filter(|(other, _)| *other != ink)
            .for_each(|(_, line)| foreign.add_line(line));
        let alone = |area: Rect| foreign.is_free(area, 0.0);
        let own = lines.iter().filter(|(own, _)| *own == ink);
        let places: Vec<Point> = own.flat_map(|(_, line)| spread(line)).collect();
        let (width, height) = (text.width, text.height());
        let beside = places
            .iter()
            .flat_map(|&at| SIDES.map(|(x, y)| (at.0 + x * (0.5 * width + GAP), at.1 + y * (0.5 * height + GAP))));
        let around = |centre: Point| Rect::new(centre.0 - 0.5 * width, centre.1 - 0.5 * height, width, height);
        let mut free = beside
            .map(around)
            .find(|&area| occupied.is_free(area, ROOM) && alone(area.grown(CLEAR)));
        if free.is_none() {
            let feet = places.iter().filter(|&&at| alone(Rect::around(at, ALONE)));
            let led = feet.flat_map(|&at| {
                LEADERS.into_iter().flat_map(move |length| {
                    SIDES.map(|(x, y)| {
                        let far = length / (x * x + y * y).sqrt();
                        let centre = (at.0 + x * (0.5 * width + far), at.1 + y * (0.5 * height + far));
                        (at, around(centre))
                    })
                })
            });
            let clear = |&(at, area): &(Point, Rect)| {
                let end = area.grown(0.25).nearest(at);
                let start = (at.0 + 0.1 * (end.0 - at.0), at.1 + 0.1 * (end.1 - at.1));
                occupied.is_free(area, ROOM) && occupied.crossed(start, end) == (0, 0)
            };
            if let Some((at, area)) = { led }.find(clear) {
                let leader = [at, area.grown(0.25).nearest(at)];
                occupied.add_line(&leader);
                let colour = if panel.cells.is_some() { BLACK } else { GREY };
                canvas.line(leader.to_vec(), colour, LEADER_LINE);
                free = Some(area);
            }
        }
        if let Some(area) = free {
            // Over cells a curve's own colour might be that of the cell.
            let cell = canvas.pictures().iter().find_map(|picture| picture.at(area.centre()));
            let colour = cell
                .filter(|_| panel.cells.is_some())
                .map_or(look.colour(ink), letters_on);
            canvas.text(&text, (area.left, area.top + text.ascent), colour);
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
