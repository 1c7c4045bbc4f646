//! What a file says about its drawing, for those who search and for those who do not see.

use super::scene::{AxisScale, Panel, Sheet};
use super::ticks::Scale;

/// The program, as PDF names it.
pub(super) const CREATOR: &str = concat!("slipstick ", env!("CARGO_PKG_VERSION"));

/// Title, description and author.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct About {
    pub(super) title: String,
    pub(super) author: Option<String>,
    pub(super) description: String,
}

impl About {
    /// A figure by its name, with what its panels show.
    pub(super) fn of(sheet: &Sheet) -> Self {
        let mut words: Vec<String> = sheet.panels.iter().map(panel).collect();
        let heading: Vec<String> = sheet.heading.iter().map(|entry| entry.label.words()).collect();
        if !heading.is_empty() {
            words.push(format!("Legend: {}.", heading.join(", ")));
        }
        Self {
            title: sheet.name.clone(),
            author: None,
            description: words.join(" "),
        }
    }
}

fn panel(panel: &Panel) -> String {
    let axis = |axis: &AxisScale| {
        let scale = if axis.scale == Scale::Log { " (logarithmic)" } else { "" };
        format!("{}{scale}", axis.label.words())
    };
    let mut words = format!("{} against {}.", axis(&panel.y), axis(&panel.x));
    if let Some(bar) = &panel.bar {
        words += &format!(" Colours: {}.", axis(bar));
    }
    let legend: Vec<String> = panel.entries.iter().map(|entry| entry.label.words()).collect();
    if !legend.is_empty() {
        words += &format!(" Legend: {}.", legend.join(", "));
    }
    let mut marks: Vec<&str> = panel.marks.iter().filter_map(|mark| mark.name.as_deref()).collect();
    marks.sort_unstable();
    marks.dedup();
    if !marks.is_empty() {
        words += &format!(" Marked: {}.", marks.join(", "));
    }
    words
}
