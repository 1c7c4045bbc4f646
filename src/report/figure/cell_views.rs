//! Figures of cells for a page: what each cell looks like and what is known of it.

use super::basins;
use super::chart;
use super::diagram_views::shape_name;
use super::groups::Groups;
use super::markup::Label;
use super::palette::{Colour, Look};
use super::plane::{Along, Picture};
use super::regime::Regime;
use super::scene::{Ink, Mark};
use super::spec::{Figure, Palette};
use super::symbol::{LabelPieces, pieces};
use super::ticks::Scale;
use crate::{Cell, Column, Kind, RunData, Table};
use std::collections::BTreeMap;

/// A figure of cells, without its size.
pub(crate) struct CellView {
    pub(crate) name: String,
    pub(crate) x: CellAxis,
    pub(crate) y: CellAxis,
    /// The colours of cells, and which each has, row by row from the lowest.
    pub(crate) colours: Vec<Colour>,
    pub(crate) looks: Vec<u8>,
    /// What the cells are called, with a colour for each name; which each cell has, from 1, or 0 for none.
    pub(crate) legend: Vec<(LabelPieces, Colour)>,
    pub(crate) names: Vec<u8>,
    /// What is known of each cell.
    pub(crate) known: Table,
    /// Curves to draw over the cells, with their colours and what they are called.
    pub(crate) curves: Vec<String>,
    pub(crate) curve_colours: Vec<Colour>,
    pub(crate) curve_labels: Vec<LabelPieces>,
    /// Places to mark.
    pub(crate) marks: Vec<(f64, f64)>,
    /// Special points of the curves: where, by which symbol, by which name.
    pub(crate) signs: Vec<((f64, f64), &'static str, Option<String>)>,
    /// What tells the motions of cells apart: cells of one number move alike; 0 where nothing is known.
    pub(crate) motions: Vec<u16>,
    /// Orbits, each with its motion and its cell, if it is that of one.
    pub(crate) orbits: Vec<CellOrbit>,
}

/// The orbit of a cell.
pub(crate) struct CellOrbit {
    pub(crate) motion: u16,
    pub(crate) cell: Option<usize>,
    pub(crate) table: Table,
}

/// An axis of cells.
pub(crate) struct CellAxis {
    pub(crate) name: String,
    pub(crate) label: LabelPieces,
    pub(crate) values: Vec<f64>,
    /// The edges between cells, one more than there are values.
    pub(crate) edges: Vec<f64>,
    pub(crate) log: bool,
}

/// Pictures of more cells are left to the drawings.
const MOST: usize = 400_000;

/// The views of a figure: one for each picture of cells in it.
pub(crate) fn cell_views(figure: &Figure, data: &RunData) -> Vec<CellView> {
    fn collect(figure: &Figure, sheet: &str, data: &RunData, views: &mut Vec<CellView>) {
        match figure {
            Figure::Panels(panels) => panels
                .panels
                .iter()
                .for_each(|part| collect(part, &panels.name, data, views)),
            _ => views.extend(view(figure, sheet, data)),
        }
    }
    let mut views = vec![];
    collect(figure, figure.name(), data, &mut views);
    views
}

fn view(figure: &Figure, sheet: &str, data: &RunData) -> Option<CellView> {
    let name = if figure.name().is_empty() { sheet } else { figure.name() };
    let (picture, of, table) = match figure {
        Figure::Chart(spec) => (
            chart::picture(name, spec, data).ok()?,
            &spec.of,
            data.tables.get(&spec.of)?,
        ),
        Figure::Basins(spec) => (
            basins::picture(name, spec, data).ok()?,
            &spec.of,
            data.tables.get(&spec.of)?,
        ),
        _ => return None,
    };
    if picture.tints.len() > MOST {
        return None;
    }
    let panel = match figure {
        Figure::Chart(spec) => chart::panel(name, spec, data, &chart::curves(spec, data)).ok()?,
        Figure::Basins(spec) => basins::panel(name, spec, data).ok()?,
        _ => return None,
    };
    let curves = match figure {
        Figure::Chart(spec) => chart::curves(spec, data),
        _ => vec![],
    };
    let look = Look {
        palette: figure.style().map_or(Palette::Colour, |style| style.palette),
        canards: false,
        line_width: 0.0,
    };
    let curve_colours = match figure {
        Figure::Chart(spec) => {
            let groups = Groups::new(&curves, &spec.labels);
            let of_curve = |curve: &String| look.colour(Ink::Series(groups.of(curve)));
            curves.iter().map(of_curve).collect()
        }
        _ => vec![],
    };
    let called = |curve: &String| {
        let own = match figure {
            Figure::Chart(spec) => spec.labels.get(curve).and_then(|text| Label::parse(text).ok()),
            _ => None,
        };
        pieces(&own.unwrap_or_else(|| Label::plain(curve)))
    };
    let curve_labels = curves.iter().map(called).collect();
    let mut colours: Vec<Colour> = vec![];
    let looks = picture
        .tints
        .iter()
        .map(|&tint| place(&mut colours, look.tint(tint)))
        .collect();
    let named = |cell: usize| {
        let hue = picture.tints[cell].hue;
        let at = picture.legend.iter().position(|(tint, _)| tint.hue == hue);
        at.and_then(|at| u8::try_from(at + 1).ok()).unwrap_or(0)
    };
    let axis = |along: &Along, label: LabelPieces| CellAxis {
        name: along.name.clone(),
        label,
        values: along.values.clone(),
        edges: along.edges(),
        log: along.scale == Scale::Log,
    };
    let motion = motions(table);
    Some(CellView {
        name: name.to_owned(),
        x: axis(&picture.plane.x, pieces(&panel.x.label)),
        y: axis(&picture.plane.y, pieces(&panel.y.label)),
        colours,
        looks,
        legend: picture
            .legend
            .iter()
            .map(|(tint, name)| (pieces(&name.label), look.tint(*tint)))
            .collect(),
        names: (0..picture.tints.len()).map(named).collect(),
        known: known(table, &picture),
        motions: picture
            .shown
            .iter()
            .map(|row| row.map_or(0, |row| motion[row]))
            .collect(),
        orbits: data
            .tables
            .get(&format!("{of}-orbits"))
            .map_or_else(Vec::new, |orbits| stored(orbits, table, &motion, &picture)),
        curves,
        curve_colours,
        curve_labels,
        marks: match figure {
            Figure::Basins(_) => panel.marks.iter().map(|mark| mark.at).collect(),
            _ => vec![],
        },
        signs: match figure {
            Figure::Chart(_) => {
                let sign = |mark: &Mark| (mark.at, shape_name(mark.shape), mark.name.clone());
                panel.marks.iter().map(sign).collect()
            }
            _ => vec![],
        },
    })
}

/// The place of a colour in a list of them.
fn place(colours: &mut Vec<Colour>, colour: Colour) -> u8 {
    let at = colours.iter().position(|&known| known == colour).unwrap_or_else(|| {
        colours.push(colour);
        colours.len() - 1
    });
    u8::try_from(at).unwrap_or(0)
}

/// The row that each cell shows, without what the axes tell; empty where it shows none. Texts repeat themselves, unlike
/// messages.
fn known(table: &Table, picture: &Picture) -> Table {
    let kept = |name: &str| ![&*picture.plane.x.name, &*picture.plane.y.name, "message"].contains(&name);
    let columns: Vec<(&str, &Column)> = table.columns().filter(|(name, _)| kept(name)).collect();
    let kind = |column: &Column| match column {
        Column::Text(_) => Kind::Text,
        _ => Kind::Number,
    };
    let mut known = Table::new(columns.iter().map(|(name, column)| (*name, kind(column))));
    for row in &picture.shown {
        let cell = |(_, column): &(&str, &Column)| match (row.and_then(|row| column.get(row)), kind(column)) {
            (Some(cell), _) => cell,
            (None, Kind::Text) => Cell::Text(String::new()),
            (None, _) => Cell::Number(f64::NAN),
        };
        // Every cell is of the kind of its column.
        let _ = known.push_row(columns.iter().map(cell));
    }
    known
}

/// Of each row the number of its motion: that of its regime, or of its attractor.
fn motions(table: &Table) -> Vec<u16> {
    if let Ok(numbers) = table.numbers("attractor") {
        return numbers.iter().map(|&number| number as u16).collect();
    }
    let regimes = Regime::of_rows(table);
    let mut known: BTreeMap<&Regime, u16> = BTreeMap::new();
    let number = |regime| {
        let next = u16::try_from(known.len() + 1).unwrap_or(0);
        *known.entry(regime).or_insert(next)
    };
    regimes.iter().map(number).collect()
}

/// The orbits that are stored of a plane: those of its rows, or of attractors.
fn stored(orbits: &Table, table: &Table, motion: &[u16], picture: &Picture) -> Vec<CellOrbit> {
    let of_rows = orbits.numbers("row").ok();
    let Some(numbers) = of_rows.or_else(|| orbits.numbers("attractor").ok()) else {
        return vec![];
    };
    let mut cells: BTreeMap<usize, usize> = BTreeMap::new();
    for (cell, rows) in picture.plane.rows.iter().enumerate() {
        cells.extend(rows.iter().map(|&row| (row, cell)));
    }
    let mut found = vec![];
    let mut first = 0;
    while first < numbers.len() {
        let next = (first..numbers.len()).find(|&at| numbers[at] != numbers[first]);
        let next = next.unwrap_or(numbers.len());
        let number = numbers[first] as usize;
        let (motion, cell) = match (of_rows, number.checked_sub(1)) {
            (Some(_), Some(row)) if row < table.rows() => (motion[row], cells.get(&row).copied()),
            (None, _) => (number as u16, None),
            _ => (0, None),
        };
        if motion > 0 && (cell.is_some() || of_rows.is_none()) {
            let table = orbits.filter(|row| (first..next).contains(&row));
            found.push(CellOrbit { motion, cell, table });
        }
        first = next;
    }
    found
}
