//! The page: how large the frames are and where they stand, given the room that numbers and labels need.

use super::geometry::Rect;
use super::legend_rows::{Heading, heading};
use super::markup::Label;
use super::scene::{AxisScale, Panel, Sheet};
use super::ticks::{Scale, Ticks, ticks};
use super::typeset::TextLine;

/// A point (1/72 inch) in millimetres.
pub(super) const POINT: f64 = 25.4 / 72.0;
/// Length of long and short ticks.
pub(super) const TICK: f64 = 1.2;
pub(super) const SHORT_TICK: f64 = 0.7;
/// Gaps: axis to numbers, numbers to label, page margin, between panels, between panels that share an axis.
pub(super) const NUMBER_GAP: f64 = 0.9;
const LABEL_GAP: f64 = 1.2;
pub(super) const MARGIN: f64 = 0.8;
const PANEL_GAP: f64 = 3.0;
const SHARED_GAP: f64 = 2.2;
/// From a legend to the frame below it.
pub(super) const LEGEND_GAP: f64 = 0.9;
/// No figure is higher than this unless it is told to be.
const HIGHEST: f64 = 180.0;
/// Frames wider than this do not grow higher.
const WIDEST: f64 = 105.0;
/// Distance of a bar of colours from its frame, and its width.
pub(super) const BAR_GAP: f64 = 2.2;
pub(super) const BAR_WIDTH: f64 = 2.6;

/// Letter sizes in millimetres.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) label: f64,
    pub(super) number: f64,
    pub(super) name: f64,
}

impl Sizes {
    pub(super) fn new(font_size: f64) -> Self {
        let label = font_size * POINT;
        Self {
            label,
            number: 0.9 * label,
            name: 0.86 * label,
        }
    }
}

/// A frame with its ticks and the room around it.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) area: Rect,
    pub(super) x: Ticks,
    pub(super) y: Ticks,
    /// The ticks of the bar of colours, if there is one.
    pub(super) bar: Option<Ticks>,
    /// Whether numbers and label are written at the axis, or belong to a panel below or beside.
    pub(super) write_x: bool,
    pub(super) write_y: bool,
    /// Distance of the labels' base line (x) or right edge (y) from the frame.
    pub(super) x_label_at: f64,
    pub(super) y_label_at: f64,
    /// The legend above the frame, and how far to the left of it it starts.
    pub(super) heading: Heading,
    pub(super) heading_out: f64,
}

impl Frame {
    /// Height of the power of ten that stands over the vertical axis.
    pub(super) fn power_height(&self, sizes: Sizes) -> f64 {
        let of_bar = self.bar.as_ref().is_some_and(|ticks| ticks.common.is_some());
        if of_bar || (self.y.common.is_some() && self.write_y) {
            1.1 * sizes.number
        } else {
            0.0
        }
    }
}

/// A page ready to be inked.
#[derive(Clone, Debug)]
pub(super) struct Page {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) sizes: Sizes,
    pub(super) frames: Vec<Frame>,
    /// The legend for all panels, and where it starts.
    pub(super) heading: Heading,
    pub(super) heading_left: f64,
}

/// Lay the sheet out. `above[k]`: the legend of panel k stands above its frame.
pub(super) fn lay_out(sheet: &Sheet, above: &[bool]) -> Page {
    let sizes = Sizes::new(sheet.style.font_size);
    let width = sheet.style.width.millimetres();
    let columns = sheet.columns.clamp(1, sheet.panels.len().max(1));
    let rows = sheet.panels.len().div_ceil(columns);
    let lettered = sheet.panels.len() > 1;
    let row_height = 1.35 * sizes.name;

    let gap_x = if sheet.share_y { SHARED_GAP } else { PANEL_GAP };
    let cell = (width - 2.0 * MARGIN - (columns - 1) as f64 * gap_x) / columns as f64;
    // A first guess of the frames, good enough to choose ticks.
    let guess_width = (cell - 10.0).max(8.0);
    let row_aspect = |row: usize| {
        sheet
            .panels
            .iter()
            .skip(row * columns)
            .take(columns)
            .map(|panel| panel.aspect)
            .fold(0.0, f64::max)
    };
    let whole = width - 2.0 * MARGIN;
    let over_all = heading(&sheet.heading, (whole - 12.0, whole), sizes.name);
    let heading_height = over_all.rows.len() as f64 * row_height;
    let guess_height = |aspect: f64| match sheet.style.height {
        Some(height) => ((height - heading_height) / rows as f64 - 9.0).max(8.0),
        None => guess_width.min(WIDEST) * aspect,
    };

    let mut frames: Vec<Frame> = sheet
        .panels
        .iter()
        .enumerate()
        .map(|(at, panel)| {
            let (front_x, front_y) = (panel.x_edge(), panel.y_edge());
            let height = front_y.part * guess_height(row_aspect(at / columns));
            let (x, y) = if panel.space.is_some() {
                (Ticks::default(), Ticks::default())
            } else {
                let x = x_ticks(&front_x.axis, front_x.part * guess_width, sizes.number);
                (x, y_ticks(&front_y.axis, height, sizes.number))
            };
            Frame {
                area: Rect::new(0.0, 0.0, 0.0, 0.0),
                write_x: panel.space.is_none()
                    && !(sheet.share_x
                        && sheet
                            .panels
                            .get(at + columns)
                            .is_some_and(|next| same_axis(&next.x, &panel.x))),
                write_y: panel.space.is_none()
                    && !(sheet.share_y && at % columns > 0 && same_axis(&sheet.panels[at - 1].y, &panel.y)),
                x_label_at: 0.0,
                y_label_at: 0.0,
                heading: Heading::default(),
                heading_out: 0.0,
                bar: (panel.bar.as_ref()).map(|bar| y_ticks(bar, guess_height(row_aspect(at / columns)), sizes.number)),
                x,
                y,
            }
        })
        .collect();

    // Room around the frames: the widest numbers of a column, the tallest labels of a row.
    let mut left = vec![0.0f64; columns];
    let mut below = vec![0.0f64; rows];
    let mut over = vec![0.0f64; rows];
    for (at, (frame, panel)) in frames.iter_mut().zip(&sheet.panels).enumerate() {
        let row = at / columns;
        if frame.write_y {
            let numbers = widest(&frame.y, sizes.number);
            frame.y_label_at = NUMBER_GAP + numbers + LABEL_GAP;
        }
        if frame.write_x {
            let numbers = tallest(&frame.x, sizes.number);
            frame.x_label_at = NUMBER_GAP + numbers + LABEL_GAP + TextLine::new(&panel.x.label, sizes.label).ascent;
            let label = TextLine::new(&panel.x.label, sizes.label);
            below[row] = below[row].max(frame.x_label_at + label.descent);
        }
    }
    // Labels below each other stand in line.
    for (column, left) in left.iter_mut().enumerate() {
        let widest = frames
            .iter()
            .skip(column)
            .step_by(columns)
            .map(|frame| frame.y_label_at)
            .fold(0.0, f64::max);
        let mine = frames.iter_mut().zip(&sheet.panels).skip(column).step_by(columns);
        for (frame, panel) in mine.filter(|(frame, _)| frame.write_y) {
            frame.y_label_at = widest;
            *left = left.max(widest + TextLine::new(&panel.y.label, sizes.label).height());
        }
    }
    // Numbers at the right end stick out by half their width.
    let overhang = |frame: &Frame| {
        let last = frame
            .x
            .major
            .last()
            .map_or(0.0, |(_, label)| 0.5 * TextLine::new(label, sizes.number).width);
        if frame.write_x && frame.bar.is_none() {
            last
        } else {
            0.0
        }
    };
    let right = frames
        .iter()
        .skip(columns - 1)
        .step_by(columns)
        .map(overhang)
        .fold(0.3, f64::max);

    let bars: Vec<f64> = (0..columns)
        .map(|column| {
            let mine = frames.iter().zip(&sheet.panels).skip(column).step_by(columns);
            mine.map(|(frame, panel)| bar_room(panel, frame, sizes))
                .fold(0.0, f64::max)
        })
        .collect();

    let gaps = (columns - 1) as f64 * gap_x + bars.iter().sum::<f64>();
    let frame_width = ((width - 2.0 * MARGIN - left.iter().sum::<f64>() - right - gaps) / columns as f64).max(5.0);
    for (at, (frame, panel)) in frames.iter_mut().zip(&sheet.panels).enumerate() {
        if above[at] {
            // Many entries may stand over the numbers of the axis as well.
            let out = left[at % columns];
            frame.heading = heading(&panel.entries, (frame_width, frame_width + out), sizes.name);
            frame.heading_out = if frame.heading.whole { out } else { 0.0 };
        }
        let rows = frame.heading.rows.len() as f64;
        let legend = rows * row_height + if rows == 0.0 { 0.0 } else { LEGEND_GAP };
        let letter = if lettered { letter_height(sizes) } else { 0.0 };
        let row = at / columns;
        over[row] = over[row].max((0.5 * sizes.number).max(frame.power_height(sizes)).max(letter) + legend);
    }
    let row_gap = |row: usize| {
        let written = frames
            .iter()
            .skip(row * columns)
            .take(columns)
            .any(|frame| frame.write_x);
        if row + 1 == rows {
            0.0
        } else if written {
            PANEL_GAP - 1.0
        } else {
            0.4
        }
    };
    let gaps_y: Vec<f64> = (0..rows).map(row_gap).collect();
    let around = 2.0 * MARGIN
        + below.iter().sum::<f64>()
        + over.iter().sum::<f64>()
        + heading_height
        + gaps_y.iter().sum::<f64>();
    let natural: Vec<f64> = (0..rows).map(|row| row_aspect(row) * frame_width.min(WIDEST)).collect();
    let stretch = match sheet.style.height {
        Some(height) => (height - around).max(5.0 * rows as f64) / natural.iter().sum::<f64>(),
        // Rows that would run off the page are lower.
        None => ((HIGHEST - around) / natural.iter().sum::<f64>()).clamp(0.2, 1.0),
    };

    let mut top = MARGIN + heading_height;
    for row in 0..rows {
        let height = natural[row] * stretch;
        let mut x = MARGIN;
        for (column, (left, bar)) in left.iter().zip(&bars).enumerate() {
            x += left;
            if let Some(frame) = frames.get_mut(row * columns + column) {
                frame.area = Rect::new(x, top + over[row], frame_width, height);
            }
            x += frame_width + bar + gap_x;
        }
        top += over[row] + height + below[row] + gaps_y[row];
    }
    for (frame, panel) in frames.iter_mut().zip(&sheet.panels) {
        let front = panel.x_edge();
        if panel.space.is_some() {
            continue;
        }
        frame.x = x_ticks(&front.axis, front.part * frame.area.width(), sizes.number);
    }
    let height = sheet.style.height.unwrap_or(top + MARGIN);
    let heading_left = frames
        .first()
        .filter(|_| !over_all.whole)
        .map_or(MARGIN, |frame| frame.area.left);
    Page {
        width,
        height,
        sizes,
        frames,
        heading: over_all,
        heading_left,
    }
}

fn same_axis(a: &AxisScale, b: &AxisScale) -> bool {
    a.label == b.label && (a.low, a.high, a.scale) == (b.low, b.high, b.scale)
}

/// As many ticks as their numbers fit beside each other.
pub(super) fn x_ticks(axis: &AxisScale, width: f64, size: f64) -> Ticks {
    let most = (width / (2.6 * size)).floor().clamp(2.0, 9.0) as usize;
    let fits = |found: &Ticks| {
        let boxes: Vec<(f64, f64)> = found
            .major
            .iter()
            .filter_map(|(value, label)| Some((axis.part(*value)? * width, TextLine::new(label, size).width)))
            .collect();
        boxes
            .windows(2)
            .all(|pair| (pair[1].0 - pair[0].0).abs() > 0.5 * (pair[0].1 + pair[1].1) + 0.8 * size)
    };
    let tries = (2..=most)
        .rev()
        .map(|room| ticks(axis.scale, axis.low, axis.high, room));
    let mut last = Ticks::default();
    for found in tries {
        if fits(&found) {
            return found;
        }
        last = found;
    }
    last
}

/// Ticks of a vertical axis.
pub(super) fn y_ticks(axis: &AxisScale, height: f64, size: f64) -> Ticks {
    let spacing = if axis.scale == Scale::Log { 1.9 } else { 2.3 };
    ticks(
        axis.scale,
        axis.low,
        axis.high,
        (height / (spacing * size)).floor().clamp(2.0, 8.0) as usize,
    )
}

/// The room to the right of a frame that its bar takes.
fn bar_room(panel: &Panel, frame: &Frame, sizes: Sizes) -> f64 {
    let Some((axis, ticks)) = panel.bar.as_ref().zip(frame.bar.as_ref()) else {
        return 0.0;
    };
    bar_label_at(ticks, sizes) + TextLine::new(&axis.label, sizes.label).height()
}

/// Distance of the label from the frame.
pub(super) fn bar_label_at(ticks: &Ticks, sizes: Sizes) -> f64 {
    BAR_GAP + BAR_WIDTH + NUMBER_GAP + widest(ticks, sizes.number) + LABEL_GAP
}

/// Width of the widest number of an axis.
pub(super) fn widest(ticks: &Ticks, size: f64) -> f64 {
    ticks
        .major
        .iter()
        .map(|(_, label)| TextLine::new(label, size).width)
        .fold(0.0, f64::max)
}

/// Height of the tallest number of an axis above its base line.
pub(super) fn tallest(ticks: &Ticks, size: f64) -> f64 {
    ticks
        .major
        .iter()
        .map(|(_, label)| TextLine::new(label, size).ascent)
        .fold(0.0, f64::max)
}

/// The room that the letter of a panel takes over its frame.
pub(super) fn letter_height(sizes: Sizes) -> f64 {
    1.25 * sizes.label
}

/// The letter of a panel: (a), (b), ….
pub(super) fn letter(at: usize) -> Label {
    Label::plain(&format!("({})", char::from(b'a' + (at % 26) as u8)))
}
