//! Names of regions written into them, where a legend has no room for all.

use super::axes::View;
use super::canvas::Canvas;
use super::geometry::{Point, Rect};
use super::palette::{BLACK, Look, letters_on};
use super::place::Occupied;
use super::scene::{Cells, Entry, Fill, Panel, Sample, Tone};
use super::typeset::TextLine;

/// The grid on which regions are looked at, in millimetres.
const STEP: f64 = 0.5;
/// Room around a name that has to be inside its region as well.
const ROOM: f64 = 0.5;
/// Places are tried so many steps apart.
const APART: usize = 2;

/// Write the names of regions into them; returns where each stands.
pub(super) fn paint_region_names(
    canvas: &mut Canvas,
    panel: &Panel,
    entries: &[&Entry],
    view: &View<'_>,
    occupied: &mut Occupied,
    size: f64,
    look: Look,
) -> Vec<(Rect, Entry)> {
    let kinds: Vec<(Sample, &&Entry)> = entries
        .iter()
        .filter(|entry| matches!(entry.sample, Sample::Cell(_) | Sample::Shade(_)))
        .map(|entry| (entry.sample, entry))
        .collect();
    if kinds.is_empty() {
        return vec![];
    }
    let grid = Grid::of(
        panel,
        view,
        &kinds.iter().map(|(sample, _)| *sample).collect::<Vec<_>>(),
    );
    let mut named = Vec::new();
    for (at, (sample, entry)) in kinds.into_iter().enumerate() {
        let text = TextLine::new(&entry.label, size);
        let (width, height) = (text.width, text.height());
        let Some(area) = grid.roomiest(at, (width, height), occupied) else {
            continue;
        };
        let colour = match sample {
            Sample::Cell(tint) => letters_on(look.tint(tint)),
            Sample::Shade(tone) => letters_on(look.shade(tone)),
            _ => BLACK,
        };
        canvas.text(&text, (area.left, area.top + text.ascent), colour);
        occupied.add_box(area);
        let base = Rect {
            bottom: area.top + text.ascent,
            ..area
        };
        named.push((base, (*entry).clone()));
    }
    named
}

/// Which region each place of a frame belongs to.
struct Grid {
    area: Rect,
    columns: usize,
    rows: usize,
    kinds: Vec<Option<usize>>,
}

impl Grid {
    fn of(panel: &Panel, view: &View<'_>, samples: &[Sample]) -> Self {
        let area = view.area;
        let (columns, rows) = ((area.width() / STEP) as usize, (area.height() / STEP) as usize);
        let mut grid = Self {
            area,
            columns,
            rows,
            kinds: vec![None; columns * rows],
        };
        let kind_of = |sample: Sample| samples.iter().position(|&own| alike(own, sample));
        if let Some(cells) = &panel.cells {
            grid.take_cells(cells, view, &kind_of);
        }
        for fill in &panel.fills {
            grid.take_fill(fill, view, kind_of(Sample::Shade(fill.tone)));
        }
        grid
    }

    fn place(&self, column: usize, row: usize) -> Point {
        (
            self.area.left + (column as f64 + 0.5) * STEP,
            self.area.top + (row as f64 + 0.5) * STEP,
        )
    }

    fn take_cells(&mut self, cells: &Cells, view: &View<'_>, kind_of: &dyn Fn(Sample) -> Option<usize>) {
        let edges = |edges: &[f64], part: &dyn Fn(f64) -> Option<f64>| -> Vec<f64> {
            edges.iter().map(|&edge| part(edge).unwrap_or(0.0)).collect()
        };
        let x = edges(&cells.x, &|value| view.x.part(value));
        let y = edges(&cells.y, &|value| view.y.part(value));
        let cell = |edges: &[f64], part: f64| {
            let at = edges.partition_point(|&edge| edge <= part);
            (at > 0 && at < edges.len()).then(|| at - 1)
        };
        let across = cells.x.len() - 1;
        for row in 0..self.rows {
            for column in 0..self.columns {
                let (left, top) = self.place(column, row);
                let i = cell(&x, (left - self.area.left) / self.area.width());
                let j = cell(&y, (self.area.bottom - top) / self.area.height());
                let tint = i.zip(j).map(|(i, j)| cells.tints[j * across + i]);
                self.kinds[row * self.columns + column] = tint.and_then(|tint| kind_of(Sample::Cell(tint)));
            }
        }
    }

    /// What is filled later lies over what is there.
    fn take_fill(&mut self, fill: &Fill, view: &View<'_>, kind: Option<usize>) {
        let Some(outline) = fill
            .outline
            .iter()
            .map(|&at| view.place(at))
            .collect::<Option<Vec<Point>>>()
        else {
            return;
        };
        for row in 0..self.rows {
            let y = self.place(0, row).1;
            let mut crossings: Vec<f64> = vec![];
            for (at, &(x0, y0)) in outline.iter().enumerate() {
                let (x1, y1) = outline[(at + 1) % outline.len()];
                if (y0 > y) != (y1 > y) {
                    crossings.push(x0 + (y - y0) / (y1 - y0) * (x1 - x0));
                }
            }
            crossings.sort_by(f64::total_cmp);
            for pair in crossings.chunks_exact(2) {
                let column = |x: f64| {
                    ((x - self.area.left) / STEP - 0.5)
                        .ceil()
                        .clamp(0.0, self.columns as f64) as usize
                };
                let (from, to) = (column(pair[0]), column(pair[1]));
                self.kinds[row * self.columns + from..row * self.columns + to.max(from)].fill(kind);
            }
        }
    }

    /// The place for a box of this size in a region that has most of the region around it.
    fn roomiest(&self, kind: usize, (width, height): (f64, f64), occupied: &Occupied) -> Option<Rect> {
        let (columns, rows) = (self.columns, self.rows);
        // How much of the region lies above and to the left of each place.
        let mut sums = vec![0_u32; (columns + 1) * (rows + 1)];
        for row in 0..rows {
            for column in 0..columns {
                let own = u32::from(self.kinds[row * columns + column] == Some(kind));
                let at = (row + 1) * (columns + 1) + column + 1;
                sums[at] = own + sums[at - 1] + sums[at - columns - 1] - sums[at - columns - 2];
            }
        }
        let inside = |(left, top): (usize, usize), (wide, high): (usize, usize)| {
            let sum = |column: usize, row: usize| sums[row * (columns + 1) + column];
            let all = sum(left + wide, top + high) + sum(left, top) - sum(left + wide, top) - sum(left, top + high);
            all as usize == wide * high
        };
        let count = |length: f64| ((length + 2.0 * ROOM) / STEP).ceil() as usize;
        let (wide, high) = (count(width), count(height));
        let mut best: Option<(usize, Rect)> = None;
        for top in (0..(rows + 1).saturating_sub(high)).step_by(APART) {
            for left in (0..(columns + 1).saturating_sub(wide)).step_by(APART) {
                if !inside((left, top), (wide, high)) {
                    continue;
                }
                let more = (1..40)
                    .take_while(|&by| {
                        let fits = left >= by && top >= by && left + wide + by <= columns && top + high + by <= rows;
                        fits && inside((left - by, top - by), (wide + 2 * by, high + 2 * by))
                    })
                    .count();
                if best.as_ref().is_some_and(|(most, _)| more <= *most) {
                    continue;
                }
                let middle = (
                    self.area.left + (left as f64 + 0.5 * wide as f64) * STEP,
                    self.area.top + (top as f64 + 0.5 * high as f64) * STEP,
                );
                let area = Rect::new(middle.0 - 0.5 * width, middle.1 - 0.5 * height, width, height);
                if occupied.is_free(area, ROOM) {
                    best = Some((more, area));
                }
            }
        }
        best.map(|(_, area)| area)
    }
}

/// Whether two samples stand for the same kind of region, in whatever light or strength.
fn alike(a: Sample, b: Sample) -> bool {
    match (a, b) {
        (Sample::Cell(a), Sample::Cell(b)) => a.hue == b.hue,
        (Sample::Shade(Tone::Facet(a, _)), Sample::Shade(Tone::Facet(b, _))) => a == b,
        _ => a == b,
    }
}
