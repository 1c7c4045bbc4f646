//! Charts and basins packed for the page.

use super::Story;
use super::pack::{Packed, Precision, encode, pack};
use crate::RunData;
use crate::figure::{CellAxis, CellOrbit, CellView, LabelPieces, cell_views};
use serde::Serialize;

/// A picture of cells.
#[derive(Serialize)]
pub(super) struct Cells {
    name: String,
    x: Axis,
    y: Axis,
    colours: Vec<[u8; 3]>,
    /// For each cell the number of its colour, as bytes in base64.
    looks: String,
    legend: Vec<(LabelPieces, [u8; 3])>,
    /// For each cell the number of its name in the legend, from 1.
    names: String,
    known: Packed,
    curves: Vec<String>,
    curve_colours: Vec<[u8; 3]>,
    curve_labels: Vec<LabelPieces>,
    marks: Vec<(f64, f64)>,
    signs: Vec<((f64, f64), &'static str, Option<String>)>,
    /// For each cell the number of its motion, as pairs of bytes in base64 (little endian).
    motions: String,
    orbits: Vec<Orbit>,
    /// Whether the orbits are iterates of a map.
    map: bool,
}

/// The orbit of a cell, or of all cells with its motion.
#[derive(Serialize)]
struct Orbit {
    motion: u16,
    cell: Option<usize>,
    table: Packed,
}

#[derive(Serialize)]
struct Axis {
    name: String,
    label: LabelPieces,
    values: Vec<f64>,
    edges: Vec<f64>,
    log: bool,
}

impl From<CellAxis> for Axis {
    fn from(axis: CellAxis) -> Self {
        Self {
            name: axis.name,
            label: axis.label,
            values: axis.values,
            edges: axis.edges,
            log: axis.log,
        }
    }
}

impl From<CellView> for Cells {
    fn from(view: CellView) -> Self {
        // The time of a map counts.
        let counts = |orbit: &CellOrbit| {
            let times = orbit.table.numbers("t").unwrap_or(&[]);
            times.iter().enumerate().all(|(k, t)| *t == k as f64)
        };
        let map = !view.orbits.is_empty() && view.orbits.iter().all(counts);
        let orbit = |orbit: CellOrbit| Orbit {
            motion: orbit.motion,
            cell: orbit.cell,
            table: pack(&orbit.table, &["row", "attractor"], |_| Precision::Single),
        };
        Self {
            name: view.name,
            x: view.x.into(),
            y: view.y.into(),
            colours: view.colours,
            looks: encode(view.looks),
            legend: view.legend,
            names: encode(view.names),
            known: pack(&view.known, &[], |_| Precision::Single),
            curves: view.curves,
            curve_colours: view.curve_colours,
            curve_labels: view.curve_labels,
            marks: view.marks,
            signs: view.signs,
            motions: encode(view.motions.iter().flat_map(|number| number.to_le_bytes()).collect()),
            orbits: view.orbits.into_iter().map(orbit).collect(),
            map,
        }
    }
}

/// The pictures of cells among the figures of the study.
pub(super) fn cells(data: &RunData, story: &Story<'_>) -> Vec<Cells> {
    let views = story.figures.iter().flat_map(|figure| cell_views(figure, data));
    views.map(Cells::from).collect()
}
