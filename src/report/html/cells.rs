//! Charts and basins packed for the page.

use super::Story;
use super::pack::{Packed, Precision, encode, pack};
use crate::RunData;
use crate::figure::{CellAxis, CellView, LabelPieces, cell_views};
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
    marks: Vec<(f64, f64)>,
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
            marks: view.marks,
        }
    }
}

/// The pictures of cells among the figures of the study.
pub(super) fn cells(data: &RunData, story: &Story<'_>) -> Vec<Cells> {
    let views = story.figures.iter().flat_map(|figure| cell_views(figure, data));
    views.map(Cells::from).collect()
}
