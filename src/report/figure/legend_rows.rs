//! Legends above frames: what fits into two rows, and how.

use super::markup::Label;
use super::scene::{Entry, Ink, Sample};
use super::typeset::{SMALLEST, TextLine};

/// A legend above a frame has no more rows than these.
const MOST_ROWS: usize = 2;
/// Length of a sample, and the gaps beside it and between entries of a row.
const SAMPLE: f64 = 6.0;
pub(super) const SAMPLE_GAP: f64 = 1.2;
const ENTRY_GAP: f64 = 3.5;
/// Samples and gaps where there are many entries.
const SHORT_SAMPLE: f64 = 4.2;
const SHORT_GAP: f64 = 2.0;
/// Length of a cell.
const CELL: f64 = 3.2;

/// A legend entry and where its sample starts, relative to the left end of its row.
#[derive(Clone, Debug)]
pub(super) struct PlacedEntry {
    pub(super) entry: Entry,
    pub(super) x: f64,
    /// Length of the sample.
    pub(super) sample: f64,
    pub(super) text: TextLine,
}

impl PlacedEntry {
    fn width(&self) -> f64 {
        if self.sample == 0.0 {
            self.text.width
        } else {
            self.sample + SAMPLE_GAP + self.text.width
        }
    }
}

/// The rows of a legend.
#[derive(Clone, Debug, Default)]
pub(super) struct Heading {
    pub(super) rows: Vec<Vec<PlacedEntry>>,
    /// Whether it needs the room over the numbers of the axis as well.
    pub(super) whole: bool,
    /// Whether it needs smaller letters, another order, or leaves entries out: what can be named elsewhere should be.
    pub(super) crowded: bool,
    /// How many entries have no room at all.
    pub(super) left_out: usize,
}

/// A legend in at most two rows over a frame, or over frame and numbers: closer together, then wider, then in another
/// order, then with smaller letters; at last it says how many curves it leaves out.
pub(super) fn heading(entries: &[Entry], (frame, whole): (f64, f64), letters: f64) -> Heading {
    if entries.is_empty() {
        return Heading::default();
    }
    let small = (0.8 * letters).max(SMALLEST.min(letters));
    let (wide, short) = ((SAMPLE, ENTRY_GAP), (SHORT_SAMPLE, SHORT_GAP));
    let set = |size: f64, (sample, gap): (f64, f64), width: f64| (placed(entries, size, sample, width), gap);
    for (at, (set, width)) in [
        (set(letters, wide, frame), frame),
        (set(letters, short, frame), frame),
        (set(letters, short, whole), whole),
    ]
    .into_iter()
    .enumerate()
    {
        let rows = in_order(set.0, set.1, width);
        if rows.len() <= MOST_ROWS {
            return Heading {
                rows,
                whole: at == 2,
                ..Heading::default()
            };
        }
    }
    let crowded = |rows, left_out| Heading {
        rows,
        whole: true,
        crowded: true,
        left_out,
    };
    for size in [letters, small] {
        if let Some(rows) = packed(placed(entries, size, SHORT_SAMPLE, whole), SHORT_GAP, whole) {
            return crowded(rows, 0);
        }
    }
    // The last curves go first: keys to strokes and marks say something about all curves.
    let mut kept = entries.to_vec();
    while kept.len() > 1 {
        let is_curve = |entry: &Entry| matches!(entry.sample, Sample::Line(Ink::Series(_), _) | Sample::Cell(_));
        let last = kept.iter().rposition(is_curve).unwrap_or(kept.len() - 1);
        kept.remove(last);
        let left_out = entries.len() - kept.len();
        let mut shown = kept.clone();
        shown.insert(
            last,
            Entry {
                sample: Sample::None,
                label: Label::plain(&format!("and {left_out} more")),
            },
        );
        if let Some(rows) = packed(placed(&shown, small, SHORT_SAMPLE, whole), SHORT_GAP, whole) {
            return crowded(rows, left_out);
        }
    }
    let mut rows = in_order(placed(&kept, small, SHORT_SAMPLE, whole), SHORT_GAP, whole);
    rows.truncate(MOST_ROWS);
    crowded(rows, entries.len() - 1)
}

/// Entries one below the other.
pub(super) fn list(entries: &[Entry], width: f64, size: f64) -> Vec<Vec<PlacedEntry>> {
    placed(entries, size, SAMPLE, width)
        .into_iter()
        .map(|entry| vec![entry])
        .collect()
}

/// Entries in rows of this width, however many.
pub(super) fn rows_of_entries(entries: &[Entry], width: f64, size: f64) -> Vec<Vec<PlacedEntry>> {
    in_order(placed(entries, size, SAMPLE, width), ENTRY_GAP, width)
}

/// Entries set in letters of this size, none of them wider than `width`.
fn placed(entries: &[Entry], size: f64, sample: f64, width: f64) -> Vec<PlacedEntry> {
    let one = |entry: &Entry| {
        let sample = sample_width(entry.sample).min(sample);
        PlacedEntry {
            entry: entry.clone(),
            x: 0.0,
            sample,
            text: TextLine::fitting(&entry.label, size, width - sample - SAMPLE_GAP),
        }
    };
    entries.iter().map(one).collect()
}

fn in_order(entries: Vec<PlacedEntry>, gap: f64, width: f64) -> Vec<Vec<PlacedEntry>> {
    let mut rows: Vec<Vec<PlacedEntry>> = Vec::new();
    let mut x = 0.0;
    for mut entry in entries {
        if rows.is_empty() || x + entry.width() > width + 1e-9 {
            rows.push(Vec::new());
            x = 0.0;
        }
        entry.x = x;
        x += entry.width() + gap;
        if let Some(row) = rows.last_mut() {
            row.push(entry);
        }
    }
    rows
}

/// Entries in two rows, the longest first where there is room, each row in their order.
fn packed(entries: Vec<PlacedEntry>, gap: f64, width: f64) -> Option<Vec<Vec<PlacedEntry>>> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by(|&a, &b| entries[b].width().total_cmp(&entries[a].width()).then(a.cmp(&b)));
    let mut rows = [(0.0, vec![]), (0.0, vec![])];
    for at in order {
        let own = entries[at].width();
        let (filled, row) = rows.iter_mut().find(|(filled, _)| filled + own <= width + 1e-9)?;
        *filled += own + gap;
        row.push(at);
    }
    let [mut first, mut second] = rows.map(|(_, row)| row);
    first.sort_unstable();
    second.sort_unstable();
    if second.first() < first.first() && !second.is_empty() {
        std::mem::swap(&mut first, &mut second);
    }
    let row = |places: Vec<usize>| -> Vec<PlacedEntry> {
        let mut x = 0.0;
        let mut set = |at: usize| {
            let mut entry = entries[at].clone();
            entry.x = x;
            x += entry.width() + gap;
            entry
        };
        places.into_iter().map(&mut set).collect()
    };
    Some(
        [first, second]
            .into_iter()
            .filter(|row| !row.is_empty())
            .map(row)
            .collect(),
    )
}

/// Length of a sample.
pub(super) fn sample_width(sample: Sample) -> f64 {
    match sample {
        Sample::Cell(_) => CELL,
        Sample::None => 0.0,
        _ => SAMPLE,
    }
}
