//! A sheet inked: legends above frames where they would cover something inside, and names beside what they mean where
//! a legend has no room for all.

use super::canvas::Canvas;
use super::layout::{Page, lay_out};
use super::paint::{Stand, paint};
use super::palette::Look;
use super::scene::{Entry, Ink, Panel, Sample, Sheet};
use super::spec::Legend;

/// Legends are shortened so often: what is named beside it the first time may lose its place.
const ROUNDS: usize = 3;

/// A sheet, its page, and what is on it.
pub(super) struct Inked {
    pub(super) sheet: Sheet,
    pub(super) page: Page,
    pub(super) canvas: Canvas,
    pub(super) stands: Vec<Stand>,
}

impl Inked {
    /// Ink a sheet.
    pub(super) fn new(sheet: Sheet, look: Look) -> Self {
        let whole = Self::with_legends(sheet, look);
        let mut shorter = whole.sheet.clone();
        if !whole.move_names(&mut shorter) {
            return whole;
        }
        for _ in 0..ROUNDS {
            let inked = Self::with_legends(shorter, look);
            let lost = inked.lost();
            if lost.iter().all(Vec::is_empty) {
                return inked;
            }
            shorter = inked.sheet;
            for (panel, lost) in shorter.panels.iter_mut().zip(lost) {
                panel.named.retain(|entry| !lost.contains(entry));
                panel.entries.splice(0..0, lost);
            }
        }
        whole
    }

    /// Ink a sheet with the legends it has, and with those reference lines in them that have no room for their names. A
    /// legend that would cover something inside goes above the frame: paint, look, and lay out again if need be.
    fn with_legends(mut sheet: Sheet, look: Look) -> Self {
        let outside = |panel: &Panel| panel.legend == Legend::Outside && !panel.entries.is_empty();
        let mut above: Vec<bool> = sheet.panels.iter().map(outside).collect();
        let mut page = lay_out(&sheet, &above);
        let (mut canvas, mut stands) = paint(&sheet, &page, look);
        while list_nameless(&mut sheet, &stands) {
            above = sheet.panels.iter().map(outside).collect();
            page = lay_out(&sheet, &above);
            (canvas, stands) = paint(&sheet, &page, look);
        }
        if stands.iter().any(|stand| !stand.laid_out) {
            for (above, stand) in above.iter_mut().zip(&stands) {
                *above |= !stand.laid_out;
            }
            page = lay_out(&sheet, &above);
            (canvas, stands) = paint(&sheet, &page, look);
        }
        Self {
            sheet,
            page,
            canvas,
            stands,
        }
    }

    /// How many entries the legends leave out.
    pub(super) fn left_out(&self) -> usize {
        let of_panels: usize = self.page.frames.iter().map(|frame| frame.heading.left_out).sum();
        of_panels + self.page.heading.left_out
    }

    /// Take out of crowded legends what has its name beside it, and out of the legend of a lone panel all curves if all
    /// have; returns whether there is anything to take out.
    fn move_names(&self, sheet: &mut Sheet) -> bool {
        let lone = sheet.panels.len() == 1;
        let mut moved = false;
        for ((panel, frame), stand) in sheet.panels.iter_mut().zip(&self.page.frames).zip(&self.stands) {
            let stands = |entry: &Entry| stand.names.iter().any(|(_, named)| named == entry);
            let curves: Vec<&Entry> = panel.entries.iter().filter(|entry| is_curve(entry)).collect();
            let all = lone && !curves.is_empty() && curves.iter().all(|entry| stands(entry));
            if !frame.heading.crowded && !all {
                continue;
            }
            let (named, listed): (Vec<Entry>, Vec<Entry>) = panel.entries.drain(..).partition(|entry| stands(entry));
            moved |= !named.is_empty();
            (panel.entries, panel.named) = (listed, named);
        }
        if self.page.heading.crowded {
            let beside = |stand: &Stand, entry: &Entry| stand.names.iter().any(|(_, named)| named == entry);
            let (named, listed): (Vec<Entry>, Vec<Entry>) = sheet
                .heading
                .drain(..)
                .partition(|entry| self.stands.iter().any(|stand| beside(stand, entry)));
            moved |= !named.is_empty();
            sheet.heading = listed;
            for (panel, stand) in sheet.panels.iter_mut().zip(&self.stands) {
                panel
                    .named
                    .extend(named.iter().filter(|entry| beside(stand, entry)).cloned());
            }
        }
        moved
    }

    /// What should be named beside it and is not, by panel.
    fn lost(&self) -> Vec<Vec<Entry>> {
        let lost = |(panel, stand): (&Panel, &Stand)| {
            let stands = |entry: &&Entry| stand.names.iter().any(|(_, named)| named == *entry);
            panel.named.iter().filter(|entry| !stands(entry)).cloned().collect()
        };
        self.sheet.panels.iter().zip(&self.stands).map(lost).collect()
    }
}

/// Put reference lines that have no room for their names into the legends; returns whether there are any.
fn list_nameless(sheet: &mut Sheet, stands: &[Stand]) -> bool {
    for (panel, stand) in sheet.panels.iter_mut().zip(stands) {
        for entry in &stand.nameless {
            panel.rules.iter_mut().for_each(|rule| {
                rule.label.take_if(|label| *label == entry.label);
            });
            if !panel.entries.contains(entry) {
                panel.entries.push(entry.clone());
            }
        }
    }
    stands.iter().any(|stand| !stand.nameless.is_empty())
}

fn is_curve(entry: &Entry) -> bool {
    matches!(entry.sample, Sample::Line(Ink::Series(_), _))
}
