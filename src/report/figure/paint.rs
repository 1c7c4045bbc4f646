//! Ink a laid-out page: shades, curves, axes, insets, legends, names.

use super::axes::{FRAME_LINE, View, paint_ticks, write_numbers};
use super::bar;
use super::canvas::Canvas;
use super::direct::paint_names;
use super::dots::paint_dots;
use super::geometry::{Point, Rect, distance};
use super::layout::{
    Frame, LEGEND_GAP, MARGIN, NUMBER_GAP, Page, SHORT_TICK, TICK, letter, letter_height, tallest, widest, x_ticks,
    y_ticks,
};
use super::legend::{paint_entries, stroke_line};
use super::legend_rows::{SAMPLE_GAP, list, sample_width};
use super::markup::Label;
use super::oblique;
use super::palette::{BLACK, GREY, Look, SHADE, WHITE};
use super::place::{Occupied, inside_places};
use super::raster::Raster;
use super::region::clipped;
use super::region_names::paint_region_names;
use super::scene::{AxisScale, Entry, Ink, InsetScene, Panel, Sheet, Stroke};
use super::space_axes;
use super::spec::{Corner, Legend};
use super::symbols::{paint_grounds, paint_marks, reserve_marks};
use super::tags::Tag;
use super::ticks::Ticks;
use super::typeset::TextLine;

const LEADER_LINE: f64 = 0.12;
/// Bars that stand for stick phases when several orbits share a panel: height and distance.
const STRIP: f64 = 0.8;
const STRIP_STEP: f64 = 1.1;
/// What a line over cells has of white at its sides.
const RIM: f64 = 0.16;
/// Length of an arrowhead.
const ARROW: f64 = 1.5;

/// Where the words of a panel stand on the page.
#[derive(Clone, Debug)]
pub(super) struct Stand {
    /// The frame.
    pub(super) area: Rect,
    /// Names of marks.
    pub(super) tags: Vec<Tag>,
    /// Names beside curves.
    pub(super) names: Vec<(Rect, Entry)>,
    /// Names of reference lines that have no room beside them.
    pub(super) nameless: Vec<Entry>,
    /// The frame of the inset, and the names in it.
    pub(super) inset: Option<(Rect, Vec<Tag>)>,
    /// The box of the legend, if it is inside.
    pub(super) legend: Option<Rect>,
    /// Whether the legend, if it was to go inside, covers nothing.
    pub(super) laid_out: bool,
}

/// The page inked; and where the words of each panel stand.
pub(super) fn paint(sheet: &Sheet, page: &Page, look: Look) -> (Canvas, Vec<Stand>) {
    let mut canvas = Canvas::new(page.width, page.height);
    let mut laid_out = Vec::new();
    for (at, (panel, frame)) in sheet.panels.iter().zip(&page.frames).enumerate() {
        let painter = Painter {
            panel,
            frame,
            page,
            look,
            heading: &sheet.heading,
        };
        laid_out.push(painter.paint(&mut canvas));
        if sheet.panels.len() > 1 {
            let line = TextLine::new(&letter(at), page.sizes.label);
            let left = frame.area.left
                - if frame.write_y {
                    frame.y_label_at + 0.5 * line.width
                } else {
                    0.0
                };
            canvas.text(&line, (left.max(0.4), frame.area.top - 0.35 * page.sizes.label), BLACK);
        }
    }
    for (row, entries) in page.heading.rows.iter().enumerate() {
        let base = 0.8 + (row as f64 + 0.8) * 1.35 * page.sizes.name;
        paint_entries(&mut canvas, entries, (page.heading_left, base), look, page.sizes.name);
    }
    (canvas, laid_out)
}

struct Painter<'a> {
    panel: &'a Panel,
    frame: &'a Frame,
    page: &'a Page,
    look: Look,
    heading: &'a [Entry],
}

impl Painter<'_> {
    fn paint(&self, canvas: &mut Canvas) -> Stand {
        let (panel, area) = (self.panel, self.frame.area);
        let view = View {
            x: &panel.x,
            y: &panel.y,
            area,
        };
        if let Some(cells) = &panel.cells {
            canvas.picture(Raster::of(cells, (&panel.x, &panel.y), area, self.look));
        }
        if panel.space.is_none() {
            self.paint_fills(canvas, &view);
        }
        for &(from, to) in &panel.bands {
            if let (Some(from), Some(to)) = (panel.x.part(from), panel.x.part(to)) {
                let at = |part: f64| area.left + part.clamp(0.0, 1.0) * area.width();
                canvas.fill(
                    Rect {
                        left: at(from),
                        right: at(to),
                        ..area
                    },
                    SHADE,
                );
            }
        }
        // Words keep off the ticks.
        let mut occupied = Occupied::new(area.grown(-0.9));
        if let Some(space) = &panel.space {
            space_axes::paint_behind(canvas, space, &view, &mut occupied, self.page.sizes);
            self.paint_fills(canvas, &view);
        }
        if panel.front.is_some() {
            oblique::paint_behind(canvas, area, &mut occupied);
        }
        for edge in panel.bands.iter().flat_map(|&(from, to)| [from, to]) {
            if let Some(part) = panel.x.part(edge) {
                let x = area.left + part * area.width();
                occupied.add_line(&[(x, area.top), (x, area.bottom)]);
            }
        }
        self.paint_rules(canvas, &mut occupied);
        paint_dots(canvas, &panel.dots, &view, &mut occupied);
        paint_grounds(canvas, &panel.marks, &view);
        self.paint_series(canvas, &view, &mut occupied);
        self.paint_arrows(canvas, &view);
        self.paint_notes(canvas, &view, &mut occupied);
        self.paint_strips(canvas, &mut occupied);
        reserve_marks(&panel.marks, &view, &mut occupied);
        let size = self.page.sizes.name;
        let (mut names, nameless) = self.name_rules(canvas, &mut occupied);
        let magnified = panel
            .inset
            .as_ref()
            .and_then(|inset| self.paint_inset(canvas, inset, &view, &mut occupied));
        let (legend, laid_out) = self.paint_legend(canvas, &mut occupied);
        let (source, inset) = magnified.unzip();
        let tags = paint_marks(
            canvas,
            &panel.marks,
            &view,
            &mut occupied,
            source.flatten(),
            size,
            self.look,
        );
        let candidates: Vec<&Entry> = if self.frame.heading.crowded {
            panel.entries.iter().chain(&panel.named).collect()
        } else {
            panel.named.iter().collect()
        };
        names.extend(paint_region_names(
            canvas,
            panel,
            &candidates,
            &view,
            &mut occupied,
            size,
            self.look,
        ));
        names.extend(paint_names(
            canvas,
            (panel, self.heading),
            &view,
            &mut occupied,
            size,
            self.look,
        ));
        let ticks = (&self.frame.x, &self.frame.y);
        if let Some(space) = &panel.space {
            space_axes::paint_axes(canvas, space, &view);
        } else if panel.front.is_some() {
            oblique::paint_axes(canvas, panel, area, ticks, (TICK, SHORT_TICK));
        } else {
            canvas.frame(area, BLACK, FRAME_LINE);
            paint_ticks(canvas, &view, ticks.0, ticks.1, TICK, SHORT_TICK);
        }
        self.paint_numbers(canvas, &view);
        if let Some((axis, ticks)) = panel.bar.as_ref().zip(self.frame.bar.as_ref()) {
            bar::paint(canvas, axis, ticks, area, self.page.sizes, self.look);
        }
        Stand {
            area,
            tags,
            names,
            nameless,
            inset,
            legend,
            laid_out,
        }
    }

    fn paint_fills(&self, canvas: &mut Canvas, view: &View<'_>) {
        let area = view.area;
        for fill in &self.panel.fills {
            let outline: Option<Vec<Point>> = fill.outline.iter().map(|&at| view.place(at)).collect();
            let inside = clipped(
                &outline.unwrap_or_default(),
                (area.left, area.top),
                (area.right, area.bottom),
            );
            if inside.len() > 2 {
                canvas.area(inside, self.look.shade(fill.tone));
            }
        }
    }

    fn paint_arrows(&self, canvas: &mut Canvas, view: &View<'_>) {
        for arrow in &self.panel.arrows {
            let Some((from, to)) = view.place(arrow.from).zip(view.place(arrow.to)) else {
                continue;
            };
            let length = distance(from, to);
            let tip = (0.5 * (from.0 + to.0), 0.5 * (from.1 + to.1));
            if length == 0.0 || !view.area.grown(-ARROW).contains(tip) {
                continue;
            }
            let (dx, dy) = (ARROW * (to.0 - from.0) / length, ARROW * (to.1 - from.1) / length);
            let foot = (tip.0 - 0.5 * dx, tip.1 - 0.5 * dy);
            let side = |sign: f64| (foot.0 - 0.38 * sign * dy, foot.1 + 0.38 * sign * dx);
            let head = (tip.0 + 0.5 * dx, tip.1 + 0.5 * dy);
            canvas.area(vec![head, side(1.0), side(-1.0)], self.look.colour(arrow.ink));
        }
    }

    fn paint_series(&self, canvas: &mut Canvas, view: &View<'_>, occupied: &mut Occupied) {
        for series in &self.panel.series {
            for piece in view.line(&series.points) {
                if self.panel.cells.is_some() || self.panel.front.is_some() {
                    // A white rim keeps lines apart from the cells or the lines under them.
                    let width = self.look.width(series.ink, series.stroke) + 2.0 * RIM;
                    canvas.line(piece.clone(), WHITE, width);
                }
                self.stroke(canvas, &piece, series.ink, series.stroke);
                occupied.add_line(&piece);
            }
        }
    }

    fn stroke(&self, canvas: &mut Canvas, piece: &[Point], ink: Ink, stroke: Stroke) {
        stroke_line(canvas, piece, ink, stroke, self.look);
    }

    fn paint_rules(&self, canvas: &mut Canvas, occupied: &mut Occupied) {
        let area = self.frame.area;
        for rule in &self.panel.rules {
            let axis = if rule.vertical { &self.panel.x } else { &self.panel.y };
            let Some(part) = axis.part(rule.at).filter(|part| (0.0..=1.0).contains(part)) else {
                continue;
            };
            let (x, y) = (area.left + part * area.width(), area.bottom - part * area.height());
            let line = if rule.vertical {
                vec![(x, area.bottom), (x, area.top)]
            } else {
                vec![(area.left, y), (area.right, y)]
            };
            self.stroke(canvas, &line, rule.ink, Stroke::Thin);
            occupied.add_line(&line);
        }
    }

    /// Write what reference lines are called beside them, where it is free, from their ends on; returns where, and what
    /// has no room.
    fn name_rules(&self, canvas: &mut Canvas, occupied: &mut Occupied) -> (Vec<(Rect, Entry)>, Vec<Entry>) {
        let area = self.frame.area;
        let (mut named, mut nameless) = (Vec::new(), Vec::new());
        for rule in &self.panel.rules {
            let axis = if rule.vertical { &self.panel.x } else { &self.panel.y };
            let part = axis.part(rule.at).filter(|part| (0.0..=1.0).contains(part));
            let Some((part, label)) = part.zip(rule.label.as_ref()) else {
                continue;
            };
            let (x, y) = (area.left + part * area.width(), area.bottom - part * area.height());
            let text = TextLine::new(label, self.page.sizes.name);
            let (width, height) = (text.width, text.height());
            let mut along = (0..40).flat_map(|k| {
                let s = f64::from(k) / 40.0;
                let places = if rule.vertical {
                    let top = area.top + 1.4 + s * (area.height() - height - 2.8);
                    [(x + 0.6, top), (x - 0.6 - width, top)]
                } else {
                    let left = area.right - width - 1.4 - s * (area.width() - width - 2.8);
                    [(left, y - 0.5 - height), (left, y + 0.5)]
                };
                places.map(|(left, top)| Rect::new(left, top, width, height))
            });
            let entry = Entry::line(rule.ink, Stroke::Thin, label.clone());
            let Some(place) = along.find(|&place| occupied.is_free(place, 0.25)) else {
                nameless.push(entry);
                continue;
            };
            canvas.text(&text, (place.left, place.top + text.ascent), self.look.colour(rule.ink));
            occupied.add_box(place);
            let base = Rect {
                bottom: place.top + text.ascent,
                ..place
            };
            named.push((base, entry));
        }
        (named, nameless)
    }

    fn paint_notes(&self, canvas: &mut Canvas, view: &View<'_>, occupied: &mut Occupied) {
        for note in &self.panel.notes {
            let Some(middle) = view.place(note.at) else { continue };
            let lines: Vec<TextLine> = note
                .lines
                .iter()
                .map(|line| TextLine::new(line, self.page.sizes.name))
                .collect();
            let step = 1.35 * self.page.sizes.name;
            let width = lines.iter().map(|line| line.width).fold(0.0, f64::max);
            let height = lines.first().map_or(0.0, TextLine::height) + step * lines.len().saturating_sub(1) as f64;
            let block = Rect::new(middle.0 - 0.5 * width, middle.1 - 0.5 * height, width, height);
            if let Some(target) = note.to.and_then(|to| view.place(to)) {
                let leader = vec![block.grown(0.4).nearest(target), target];
                occupied.add_line(&leader);
                canvas.line(leader, GREY, FRAME_LINE);
            }
            for (at, line) in lines.iter().enumerate() {
                let base = block.top + line.ascent + step * at as f64;
                canvas.text(line, (middle.0 - 0.5 * line.width, base), BLACK);
            }
            occupied.add_box(block);
        }
    }

    fn paint_strips(&self, canvas: &mut Canvas, occupied: &mut Occupied) {
        let area = self.frame.area;
        for (row, (ink, ranges)) in self.panel.strips.iter().enumerate() {
            let top = area.bottom - 0.5 - STRIP - row as f64 * STRIP_STEP;
            for &(from, to) in ranges {
                let (Some(from), Some(to)) = (self.panel.x.part(from), self.panel.x.part(to)) else {
                    continue;
                };
                let at = |part: f64| area.left + part.clamp(0.0, 1.0) * area.width();
                let bar = Rect {
                    left: at(from),
                    right: at(to),
                    top,
                    bottom: top + STRIP,
                };
                canvas.fill(bar, self.look.colour(*ink));
                occupied.add_box(bar);
            }
        }
    }

    /// Draw the inset; returns the region it magnifies, whose marks are named in the inset, its frame and its names.
    fn paint_inset(
        &self,
        canvas: &mut Canvas,
        inset: &InsetScene,
        view: &View<'_>,
        occupied: &mut Occupied,
    ) -> Option<(Option<Rect>, (Rect, Vec<Tag>))> {
        let size = 0.85 * self.page.sizes.number;
        let x = AxisScale {
            low: inset.x.0,
            high: inset.x.1,
            label: Label::default(),
            ..self.panel.x.clone()
        };
        let y = AxisScale {
            low: inset.y.0,
            high: inset.y.1,
            label: Label::default(),
            ..self.panel.y.clone()
        };
        let area = self.frame.area;
        let (width, height) = (inset.size.0 * area.width(), inset.size.1 * area.height());
        let (x_marks, y_marks) = (x_ticks(&x, 0.8 * width, size), y_ticks(&y, 0.8 * height, size));
        // Its numbers belong to it: the box covers them too.
        let power = |ticks: &Ticks| if ticks.common.is_none() { 0.0 } else { 1.3 * size };
        let below = tallest(&x_marks, size) + 1.6 + power(&x_marks);
        let (left, above) = (widest(&y_marks, size) + 1.2, power(&y_marks).max(0.5 * size));
        let right = x_marks.major.last().map_or(0.0, |(value, label)| {
            let beyond = (1.0 - x.part(*value).unwrap_or(0.0)) * (width - left);
            (0.5 * TextLine::new(label, size).width - beyond).max(0.2)
        });
        let outer = place_in_corner(area, width, height, inset.corner, occupied)?;
        let inner = Rect {
            left: outer.left + left,
            bottom: outer.bottom - below,
            top: outer.top + above,
            right: outer.right - right,
        };
        let magnified = View {
            x: &x,
            y: &y,
            area: inner,
        };
        canvas.fill(outer.grown(-0.1), WHITE);
        occupied.add_box(outer);
        let source = view.place((x.low, y.low)).zip(view.place((x.high, y.high)));
        // A range beyond the axes is magnified as far as the panel shows it.
        let source = source.map(|(a, b)| Rect {
            left: a.0.max(area.left),
            right: b.0.min(area.right),
            top: b.1.max(area.top),
            bottom: a.1.min(area.bottom),
        });
        let source = source.filter(|seen| seen.left < seen.right && seen.top < seen.bottom);
        if let Some(source) = source {
            canvas.frame(source, GREY, LEADER_LINE);
            if let Some((from, to)) = join(source, inner, outer, occupied) {
                canvas.line(vec![from, to], GREY, LEADER_LINE);
                occupied.add_line(&[from, to]);
            }
        }
        let mut inside = Occupied::new(inner.grown(-0.6));
        paint_dots(canvas, &self.panel.dots, &magnified, &mut Occupied::new(inner));
        paint_grounds(canvas, &self.panel.marks, &magnified);
        for series in &self.panel.series {
            for piece in magnified.line(&series.points) {
                self.stroke(canvas, &piece, series.ink, series.stroke);
                inside.add_line(&piece);
            }
        }
        reserve_marks(&self.panel.marks, &magnified, &mut inside);
        let letters = self.page.sizes.name;
        let tags = paint_marks(
            canvas,
            &self.panel.marks,
            &magnified,
            &mut inside,
            None,
            letters,
            self.look,
        );
        canvas.frame(inner, BLACK, 0.8 * FRAME_LINE);
        paint_ticks(canvas, &magnified, &x_marks, &y_marks, 0.7 * TICK, 0.0);
        write_numbers(canvas, &magnified, Some(&x_marks), Some(&y_marks), size, 0.6);
        if let Some(common) = &x_marks.common {
            let line = TextLine::new(common, size);
            canvas.text(&line, (inner.right - line.width, outer.bottom - 0.3), BLACK);
        }
        if let Some(common) = &y_marks.common {
            let line = TextLine::new(common, size);
            canvas.text(&line, (inner.left, inner.top - 0.3), BLACK);
        }
        Some((source, (inner, tags)))
    }

    /// Draw the legend; returns its box if it is inside, and whether it covers nothing.
    fn paint_legend(&self, canvas: &mut Canvas, occupied: &mut Occupied) -> (Option<Rect>, bool) {
        let (area, size) = (self.frame.area, self.page.sizes.name);
        let step = 1.35 * size;
        let heading = &self.frame.heading;
        if !heading.rows.is_empty() {
            let rows = heading.rows.len() as f64;
            // What reaches over the numbers of the axis stands over the letter of the panel as well.
            let lettered = heading.whole && self.page.frames.len() > 1;
            let letter = if lettered { letter_height(self.page.sizes) } else { 0.0 };
            let foot = area.top - LEGEND_GAP - self.frame.power_height(self.page.sizes).max(letter);
            for (row, entries) in heading.rows.iter().enumerate() {
                let base = foot - (rows - 1.0 - row as f64) * step - 0.2 * size;
                let left = area.left - self.frame.heading_out;
                paint_entries(canvas, entries, (left, base), self.look, size);
            }
            return (None, true);
        }
        if self.panel.entries.is_empty() || self.panel.legend == Legend::None {
            return (None, true);
        }
        let rows = list(&self.panel.entries, 0.0, size);
        let widest = rows.iter().flatten().map(|entry| entry.text.width).fold(0.0, f64::max);
        let samples = self.panel.entries.iter().map(|entry| sample_width(entry.sample));
        let (width, height) = (
            samples.fold(0.0, f64::max) + SAMPLE_GAP + widest,
            rows.len() as f64 * step,
        );
        let corner = match self.panel.legend {
            Legend::TopLeft => Corner::TopLeft,
            Legend::TopRight => Corner::TopRight,
            Legend::BottomLeft => Corner::BottomLeft,
            Legend::BottomRight => Corner::BottomRight,
            _ => Corner::Auto,
        };
        let Some(place) = place_in_corner(area, width, height, corner, occupied) else {
            return (None, false);
        };
        let free = occupied.cost(place) == 0.0;
        if self.panel.cells.is_some() {
            canvas.fill(place.grown(0.5), WHITE);
        }
        for (row, entries) in rows.iter().enumerate() {
            let base = place.top + (row as f64 + 0.5) * step + 0.32 * size;
            paint_entries(canvas, entries, (place.left, base), self.look, size);
        }
        occupied.add_box(place.grown(0.5));
        (Some(place), free || corner != Corner::Auto)
    }

    fn paint_numbers(&self, canvas: &mut Canvas, view: &View<'_>) {
        let (frame, sizes) = (self.frame, self.page.sizes);
        let area = frame.area;
        let (x, y) = (frame.write_x.then_some(&frame.x), frame.write_y.then_some(&frame.y));
        write_numbers(canvas, view, x, y, sizes.number, NUMBER_GAP);
        if frame.write_x {
            // Labels longer than the axis are smaller, and those of a lone column may reach to the edges of the page.
            let lone = self.page.frames.iter().all(|other| other.area.left == area.left);
            let (left, right) = match lone {
                true => (MARGIN, self.page.width - MARGIN),
                false => (area.left, area.right),
            };
            let common = frame
                .x
                .common
                .as_ref()
                .map(|common| TextLine::new(common, sizes.number));
            let right = common.as_ref().map_or(right, |common| area.right - common.width - 1.0);
            let line = TextLine::fitting(&self.panel.x.label, sizes.label, right - left);
            let middle = area.left + 0.5 * self.panel.x_edge().part * area.width();
            let from = (middle - 0.5 * line.width).min(right - line.width).max(left);
            canvas.text(&line, (from, area.bottom + frame.x_label_at), BLACK);
            if let Some(common) = common {
                canvas.text(
                    &common,
                    (area.right - common.width, area.bottom + frame.x_label_at),
                    BLACK,
                );
            }
        }
        if frame.write_y {
            let line = TextLine::fitting(&self.panel.y.label, sizes.label, area.height());
            let at = (
                area.left - frame.y_label_at - line.descent,
                area.bottom - 0.5 * self.panel.y_edge().part * area.height() + 0.5 * line.width,
            );
            canvas.text_upwards(&line, at, BLACK);
            if let Some(common) = &frame.y.common {
                let common = TextLine::new(common, sizes.number);
                canvas.text(&common, (area.left, area.top - 0.6), BLACK);
            }
        }
    }
}

/// The place asked for, or the cheapest of the usual ones; `None` if it does not fit into the frame at all.
fn place_in_corner(area: Rect, width: f64, height: f64, corner: Corner, occupied: &Occupied) -> Option<Rect> {
    const GAP: f64 = 2.0;
    if width + 2.0 * GAP > area.width() || height + 2.0 * GAP > area.height() {
        return None;
    }
    let places = inside_places(area, width, height, GAP);
    match corner {
        Corner::Auto => occupied.cheapest(&places).map(|(place, _)| place),
        Corner::TopRight => places.first().copied(),
        Corner::TopLeft => places.get(1).copied(),
        Corner::BottomRight => places.get(2).copied(),
        Corner::BottomLeft => places.get(3).copied(),
    }
}

/// The line that joins a magnified region to its inset: from corner to corner, crossing as little as possible.
fn join(source: Rect, inner: Rect, outer: Rect, occupied: &Occupied) -> Option<(Point, Point)> {
    let corners = |r: Rect| {
        [
            (r.left, r.top),
            (r.right, r.top),
            (r.right, r.bottom),
            (r.left, r.bottom),
        ]
    };
    let inside = |r: Rect, from: Point, to: Point| r.grown(-1e-6).clip(from, to).map_or(0.0, |(a, b)| distance(a, b));
    let pairs = corners(source)
        .into_iter()
        .flat_map(|from| corners(inner).map(|to| (from, to)));
    let price = |&(from, to): &(Point, Point)| {
        let through = 20.0 * (inside(source, from, to) + inside(inner, from, to)) + 4.0 * inside(outer, from, to);
        through + occupied.crossings(from, to) + 0.05 * distance(from, to)
    };
    pairs.min_by(|a, b| price(a).total_cmp(&price(b)))
}
