//! A plane of cells in a table: the values along its axes, and the rows of each cell.

use super::diagram;
use super::error::FigureError;
use super::markup::{Label, LabelError};
use super::scene::{AxisScale, Cells, Entry, Hue, Panel, Sample, Tint};
use super::spec::{Axis, Legend, Line, Note};
use super::symbol::{column_label, is_angle};
use super::ticks::Scale;
use crate::table::Table;
use std::collections::{BTreeMap, BTreeSet};

/// Height of the panel as a part of its width.
const ASPECT: f64 = 0.72;
/// Steps of a logarithmic or an even grid are the same to this part.
const EVEN: f64 = 1e-6;

/// The values along an axis, upwards.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Along {
    pub(super) name: String,
    pub(super) values: Vec<f64>,
    pub(super) scale: Scale,
}

impl Along {
    fn of(name: &str, column: &[f64], log: bool) -> Self {
        let values = distinct(column);
        let scale = if log || is_logarithmic(&values) {
            Scale::Log
        } else if is_angle(name) {
            Scale::Angle
        } else {
            Scale::Linear
        };
        Self {
            name: name.to_owned(),
            values,
            scale,
        }
    }

    fn index(&self, value: f64) -> Option<usize> {
        self.values.binary_search_by(|v| v.total_cmp(&value)).ok()
    }

    /// The edges between cells: half-way between the values along the axis, and as far beyond the outermost.
    pub(super) fn edges(&self) -> Vec<f64> {
        let log = self.scale == Scale::Log;
        let place = |v: f64| if log { v.log10() } else { v };
        let places: Vec<f64> = self.values.iter().map(|&v| place(v)).collect();
        let step = match places[..] {
            [.., a, b] => b - a,
            [a] if a != 0.0 && !log => 0.1 * a.abs(),
            _ => 1.0,
        };
        let first = places.get(1).map_or(step, |second| second - places[0]);
        let between = places.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
        let (low, high) = (places[0] - 0.5 * first, places[places.len() - 1] + 0.5 * step);
        let edges = std::iter::once(low).chain(between).chain([high]);
        edges.map(|e| if log { 10f64.powf(e) } else { e }).collect()
    }
}

/// The values that occur, upwards.
pub(super) fn distinct(column: &[f64]) -> Vec<f64> {
    let mut values: Vec<f64> = column.iter().copied().filter(|v| v.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

/// Do the values grow by the same factor, and not by the same step?
pub(super) fn is_logarithmic(values: &[f64]) -> bool {
    let even = |of: &dyn Fn(f64) -> f64| {
        let steps: Vec<f64> = values.windows(2).map(|pair| of(pair[1]) - of(pair[0])).collect();
        let size = values.iter().map(|&v| of(v).abs()).fold(0.0, f64::max);
        steps
            .iter()
            .all(|s| (s - steps[0]).abs() <= EVEN * steps[0].abs() + 1e-12 * size)
    };
    values.len() > 2 && values[0] > 0.0 && !even(&|v| v) && even(&f64::log10)
}

/// The rows of each cell of a plane.
#[derive(Clone, Debug)]
pub(super) struct Plane {
    pub(super) x: Along,
    pub(super) y: Along,
    /// The rows of the cells, row by row from the lowest.
    pub(super) rows: Vec<Vec<usize>>,
}

/// Which plane of a table.
pub(super) struct Asked<'a> {
    pub(super) x: Option<&'a String>,
    pub(super) y: Option<&'a String>,
    pub(super) at: &'a BTreeMap<String, f64>,
    pub(super) log: &'a [Axis],
}

impl Plane {
    /// The plane asked for of a table that goes over these names.
    pub(super) fn of(table: &Table, over: &[String], asked: &Asked<'_>, figure: &str) -> Result<Self, FigureError> {
        let empty = |message: String| FigureError::Empty {
            figure: figure.to_owned(),
            message,
        };
        let (x, y) = axes(over, asked.x, asked.y)
            .ok_or_else(|| empty(format!("there are no two axes among {}", over.join(", "))))?;
        let column = |name: &str| table.numbers(name).map_err(|e| empty(e.to_string()));
        let along = |name: &str, axis: Axis| Ok(Along::of(name, column(name)?, asked.log.contains(&axis)));
        let (x, y): (Along, Along) = (along(x, Axis::X)?, along(y, Axis::Y)?);
        for axis in [&x, &y] {
            if axis.values.is_empty() {
                return Err(empty(format!("the table has no values of `{}`", axis.name)));
            }
            if axis.scale == Scale::Log && axis.values[0] <= 0.0 {
                return Err(FigureError::Unfit {
                    figure: figure.to_owned(),
                    word: "log".to_owned(),
                    message: format!(
                        "a logarithmic axis has no place for `{}` = {}",
                        axis.name, axis.values[0]
                    ),
                    help: "leave the axis out of `log`".to_owned(),
                });
            }
        }
        let mut others = vec![];
        for name in over.iter().filter(|name| **name != x.name && **name != y.name) {
            let values = distinct(column(name)?);
            let wanted = asked.at.get(name).or(values.first()).copied().unwrap_or(0.0);
            let nearest = values
                .into_iter()
                .min_by(|a, b| (a - wanted).abs().total_cmp(&(b - wanted).abs()));
            others.push((column(name)?, nearest.unwrap_or(wanted)));
        }
        let (xs, ys) = (column(&x.name)?, column(&y.name)?);
        let mut rows = vec![vec![]; x.values.len() * y.values.len()];
        for row in 0..table.rows() {
            if others.iter().all(|(column, value)| column[row] == *value)
                && let (Some(i), Some(j)) = (x.index(xs[row]), y.index(ys[row]))
            {
                rows[j * x.values.len() + i].push(row);
            }
        }
        Ok(Self { x, y, rows })
    }
}

/// The two axes: those asked for, else the first that are left.
pub(super) fn axes<'a>(over: &'a [String], x: Option<&'a String>, y: Option<&'a String>) -> Option<(&'a str, &'a str)> {
    let free = |taken: Option<&String>| over.iter().find(|name| Some(*name) != taken);
    let x = x.or_else(|| free(y))?;
    let y = y.or_else(|| free(Some(x)))?;
    Some((x, y))
}

/// A plane with what its cells look like.
pub(super) struct Picture {
    pub(super) plane: Plane,
    /// The look of each cell.
    pub(super) tints: Vec<Tint>,
    /// The row of the table that tells what the cell shows.
    pub(super) shown: Vec<Option<usize>>,
    /// What the looks stand for: without a level, in the order of the legend, and in plain letters.
    pub(super) legend: Vec<(Tint, Name)>,
}

/// What something is called, in plain letters and as it is typeset.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Name {
    pub(super) plain: String,
    pub(super) label: Label,
}

/// What a figure of cells says about its panel.
pub(super) struct Around<'a> {
    pub(super) figure: &'a str,
    pub(super) x_range: Option<(f64, f64)>,
    pub(super) y_range: Option<(f64, f64)>,
    pub(super) lines: &'a [Line],
    pub(super) notes: &'a [Note],
    pub(super) legend: Legend,
    pub(super) labels: &'a BTreeMap<String, String>,
}

impl Around<'_> {
    pub(super) fn unfit(&self, word: &str, why: &LabelError) -> FigureError {
        FigureError::Unfit {
            figure: self.figure.to_owned(),
            word: word.to_owned(),
            message: why.to_string(),
            help: String::new(),
        }
    }

    /// The axis along which values lie, with the edges of the cells.
    fn axis(&self, along: &Along, range: Option<(f64, f64)>) -> Result<(AxisScale, Vec<f64>), FigureError> {
        let edges = along.edges();
        let (low, high) = range.unwrap_or((edges[0], edges[edges.len() - 1]));
        let label = column_label(&along.name, self.labels).map_err(|why| self.unfit(&along.name, &why))?;
        let axis = AxisScale {
            label,
            scale: along.scale,
            low,
            high,
        };
        Ok((axis, edges))
    }

    /// The panel of a picture: its cells and its legend; lines and marks may follow.
    pub(super) fn panel(&self, picture: &Picture) -> Result<Panel, FigureError> {
        let (x, x_edges) = self.axis(&picture.plane.x, self.x_range)?;
        let (y, y_edges) = self.axis(&picture.plane.y, self.y_range)?;
        let (mut series, mut entries) = (vec![], vec![]);
        // The legend speaks of what the axes show.
        let within = |axis: &AxisScale, edges: &[f64], k: usize| edges[k + 1] > axis.low && edges[k] < axis.high;
        let columns = picture.plane.x.values.len();
        let visible = |cell: usize| within(&x, &x_edges, cell % columns) && within(&y, &y_edges, cell / columns);
        let shown: BTreeSet<Hue> = (0..picture.tints.len())
            .filter(|&cell| visible(cell))
            .map(|cell| picture.tints[cell].hue)
            .collect();
        let seen = |tint: &Tint| shown.contains(&tint.hue);
        for (tint, name) in picture.legend.iter().filter(|(tint, _)| seen(tint)) {
            entries.push(Entry {
                sample: Sample::Cell(*tint),
                label: name.label.clone(),
            });
        }
        let rules = diagram::rules(self.lines, &[], &mut series, &mut entries);
        Ok(Panel {
            x,
            y,
            aspect: ASPECT,
            named: Vec::new(),
            bar: None,
            front: None,
            space: None,
            cells: Some(Cells {
                x: x_edges,
                y: y_edges,
                tints: picture.tints.clone(),
            }),
            fills: vec![],
            series,
            arrows: vec![],
            marks: vec![],
            dots: vec![],
            bands: vec![],
            strips: vec![],
            rules,
            notes: self.notes.iter().map(diagram::note_scene).collect(),
            inset: None,
            legend: if self.legend == Legend::Auto {
                Legend::Outside
            } else {
                self.legend
            },
            entries,
        })
    }
}
