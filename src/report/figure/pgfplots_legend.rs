//! Legends in the version for pgfplots.

use super::layout::Sizes;
use super::legend_rows::rows_of_entries;
use super::palette::{Look, rgb};
use super::pgfplots_words::{colour_name, mark_style, shade_colour, stroke_style};
use super::scene::{Entry, Ink, Panel, Sample, Sheet};
use super::spec::Legend;
use std::fmt::Write as _;

/// Of the width of a panel, what its legend may take: TeX sets its words wider than they are measured here.
const TEX_WIDTH: f64 = 0.8;

/// The entries of a panel's legend, and in how many columns they fit.
pub(super) fn legend(panel: &Panel, heading: &[Entry], width: f64, sheet: &Sheet) -> (Vec<Entry>, usize) {
    if panel.legend == Legend::None {
        return (vec![], 1);
    }
    let entries: Vec<Entry> = heading.iter().chain(&panel.entries).cloned().collect();
    let rows = rows_of_entries(&entries, TEX_WIDTH * width, Sizes::new(sheet.style.font_size).name);
    // The last row has what is left.
    let full = &rows[..rows.len().saturating_sub(1).max(1).min(rows.len())];
    let columns = full.iter().map(Vec::len).min().unwrap_or(1);
    (entries, columns)
}

pub(super) fn legend_place(legend: Legend, columns: usize) -> String {
    let place = match legend {
        Legend::TopLeft => "legend pos=north west",
        Legend::BottomLeft => "legend pos=south west",
        Legend::BottomRight => "legend pos=south east",
        Legend::TopRight => "legend pos=north east",
        Legend::Auto | Legend::None | Legend::Outside => {
            return format!(
                "legend style={{at={{(0,1.03)}}, anchor=south west, legend columns={columns}, column sep=2mm}}"
            );
        }
    };
    place.to_owned()
}

/// The lines of a legend.
pub(super) fn write_legend(tex: &mut String, entries: &[Entry], look: Look) {
    for Entry { sample, label } in entries {
        let image = match sample {
            Sample::Line(ink, stroke) => format!("{}, {}", colour_name(*ink), stroke_style(*ink, *stroke, look)),
            Sample::Band => "black!11, line width=4pt".to_owned(),
            Sample::Dot => "black!45, only marks, mark=*, mark size=0.8pt".to_owned(),
            Sample::Bar => format!("{}, line width=2pt", colour_name(Ink::Neutral)),
            Sample::Cell(tint) => format!("color={}, line width=4pt", rgb(look.tint(*tint))),
            Sample::Shade(tone) => format!("color={}, line width=4pt", shade_colour(*tone, look)),
            Sample::None => "empty legend".to_owned(),
            Sample::Mark(shape, ink) => format!("only marks, {}, {}", mark_style(*shape), colour_name(*ink)),
        };
        let _ = writeln!(tex, "\\addlegendimage{{{image}}}\n\\addlegendentry{{{}}}", label.tex);
    }
}
