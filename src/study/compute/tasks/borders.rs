//! The borders between the regimes of a chart, compared with two-parameter curves: a border without a curve is a
//! bifurcation that was not traced, a curve without a border one that no attractor takes part in.

use crate::plan::axis::{Axis, Grid};
use crate::results::curve::CurveResult;
use slipstick_report::{Cell, Kind, ReportError, Table};
use std::collections::{BTreeMap, BTreeSet};

/// How often each attractor was met in a cell, by what it is.
pub(crate) type Regimes = BTreeMap<String, usize>;

/// Cells on each side of a border that together decide where few starts come to an attractor.
const BESIDE: usize = 3;

/// A border and a curve agree if they are not further apart than this, in cells: the curve passes through one of the
/// two cells that the border is between, or a neighbour of one.
const APART: f64 = 1.5;

/// Steps along a curve, in cells.
const STEP: f64 = 0.25;

/// Between two neighbouring cells an attractor appears or vanishes.
struct Edge {
    /// The place between the cells, counted in cells along each axis.
    at: [f64; 2],
    /// What is there on one side only.
    attractor: String,
    /// Is that beyond chance?
    certain: bool,
}

/// A place where borders and curves disagree.
struct Disagreement {
    /// The curve without a border, if it is one.
    locus: Option<String>,
    /// What appears or vanishes at a border without a curve.
    attractor: String,
    /// From where to where, in cells along each axis.
    from: [f64; 2],
    to: [f64; 2],
    /// How many cells it is long.
    cells: usize,
}

/// What borders and curves say of each other.
pub(crate) struct Comparison {
    edges: usize,
    unexplained: usize,
    found: Vec<Disagreement>,
}

impl Comparison {
    /// Of a grid over two parameters, with the regimes of its cells, and the curves in these parameters.
    pub(crate) fn of(grid: &Grid, regimes: &[Regimes], starts: usize, loci: &[&CurveResult]) -> Self {
        let [a, b] = &grid.axes[..] else {
            return Self {
                edges: 0,
                unexplained: 0,
                found: vec![],
            };
        };
        let lines: Vec<(&str, Vec<[f64; 2]>)> = loci.iter().flat_map(|locus| along(locus, a, b)).collect();
        let edges = edges([a.values.len(), b.values.len()], regimes, starts);
        let near = |at: &[f64; 2]| lines.iter().any(|(_, line)| line.iter().any(|p| apart(p, at) <= APART));
        let certain = || edges.iter().filter(|edge| edge.certain);
        let bare: Vec<&Edge> = certain().filter(|edge| !near(&edge.at)).collect();
        let unexplained = bare.len();
        let mut found = grouped(&bare);
        for (name, line) in &lines {
            found.extend(without_border(name, line, &edges));
        }
        Self {
            edges: certain().count(),
            unexplained,
            found,
        }
    }

    /// A line about it, and one for each of the largest disagreements.
    pub(crate) fn in_words(&self, grid: &Grid) -> Vec<String> {
        /// As many are named; the table has all.
        const NAMED: usize = 12;
        let curves = self.found.iter().filter(|d| d.locus.is_some()).count();
        let mut lines = vec![format!(
            "borders between cells: {}, of which {} are not within a cell of a two-parameter curve; pieces of two-parameter curves without a border: {curves}",
            self.edges, self.unexplained
        )];
        let mut largest: Vec<&Disagreement> = self.found.iter().collect();
        largest.sort_by_key(|d| std::cmp::Reverse(d.cells));
        lines.extend(largest.iter().take(NAMED).map(|d| {
            let place = |at: &[f64; 2]| -> String {
                let named = grid.axes.iter().zip(at).map(|(axis, at)| {
                    let value = slipstick_report::explore::rounded(value_at(axis, *at), 5);
                    format!("{} = {value}", axis.name)
                });
                named.collect::<Vec<_>>().join(", ")
            };
            let what = match &d.locus {
                Some(locus) => format!("no border along `{locus}`"),
                None => format!("no curve at a border of {}", d.attractor),
            };
            format!("{what}: {} to {} ({} cells)", place(&d.from), place(&d.to), d.cells)
        }));
        lines
    }

    /// One row for each disagreement.
    pub(crate) fn table(&self, grid: &Grid) -> Result<Table, ReportError> {
        let mut columns = vec![];
        columns.extend(["what", "locus", "attractor"].map(|n| (n.to_owned(), Kind::Text)));
        for axis in &grid.axes {
            columns.extend(["from", "to"].map(|end| (format!("{}_{end}", axis.name), Kind::Number)));
        }
        columns.push(("cells".to_owned(), Kind::Number));
        let mut table = Table::new(columns);
        for d in &self.found {
            let what = match d.locus {
                Some(_) => "locus without border",
                None => "border without locus",
            };
            let mut row = vec![
                Cell::Text(what.into()),
                Cell::Text(d.locus.clone().unwrap_or_default()),
                Cell::Text(d.attractor.clone()),
            ];
            for (k, axis) in grid.axes.iter().enumerate() {
                row.extend([d.from[k], d.to[k]].map(|at| Cell::Number(value_at(axis, at))));
            }
            row.push(Cell::Number(d.cells as f64));
            table.push_row(row)?;
        }
        Ok(table)
    }
}

/// The larger distance along the axes.
fn apart(a: &[f64; 2], b: &[f64; 2]) -> f64 {
    (a[0] - b[0]).abs().max((a[1] - b[1]).abs())
}

/// The place of a value along an axis, counted in cells; before and behind it in cells as wide as the outermost.
fn place_of(axis: &Axis, value: f64) -> f64 {
    let values = &axis.values;
    let n = values.len();
    if n < 2 {
        return 0.0;
    }
    let behind = values.partition_point(|v| *v < value).clamp(1, n - 1);
    (behind - 1) as f64 + (value - values[behind - 1]) / (values[behind] - values[behind - 1])
}

/// The value at a place along an axis.
fn value_at(axis: &Axis, at: f64) -> f64 {
    let last = axis.values.len() - 1;
    let below = (at.max(0.0) as usize).min(last);
    let above = (below + 1).min(last);
    axis.values[below] + (at - below as f64).clamp(0.0, 1.0) * (axis.values[above] - axis.values[below])
}

/// The points of a two-parameter curve in steps of a part of a cell, by its pieces inside of the grid.
fn along<'c>(locus: &'c CurveResult, a: &Axis, b: &Axis) -> Vec<(&'c str, Vec<[f64; 2]>)> {
    let last = |axis: &Axis| (axis.values.len() - 1) as f64;
    let inside = |p: &[f64; 2]| (0.0..=last(a)).contains(&p[0]) && (0.0..=last(b)).contains(&p[1]);
    let mut lines = vec![];
    for piece in &locus.pieces {
        let place = |p: &Vec<f64>| [place_of(a, p[a.index]), place_of(b, p[b.index])];
        let points: Vec<[f64; 2]> = piece
            .branch
            .points
            .iter()
            .map(|p| place(&p.record.parameters))
            .collect();
        let mut line: Vec<[f64; 2]> = vec![];
        for pair in points.windows(2) {
            let [from, to] = [pair[0], pair[1]];
            let steps = (apart(&from, &to) / STEP).ceil().clamp(1.0, 1e5) as usize;
            for k in 0..=steps {
                let part = k as f64 / steps as f64;
                let p = [0, 1].map(|i| from[i] + part * (to[i] - from[i]));
                if inside(&p) {
                    line.push(p);
                } else if !line.is_empty() {
                    lines.push((locus.name.as_str(), std::mem::take(&mut line)));
                }
            }
        }
        if !line.is_empty() {
            lines.push((locus.name.as_str(), line));
        }
    }
    lines
}

/// The borders of a grid of `n` cells along its axes: where an attractor that is met on one side is not met on the
/// other. That is beyond chance if all starts come to it on that side, or two of three in several cells and none in
/// several cells beyond.
fn edges(n: [usize; 2], regimes: &[Regimes], starts: usize) -> Vec<Edge> {
    let stride = [1, n[0]];
    let met = |cell: usize, what: &str| regimes[cell].get(what).copied().unwrap_or(0);
    let mut edges = vec![];
    for cell in 0..n[0] * n[1] {
        let at = [cell % n[0], cell / n[0]];
        for axis in [0, 1] {
            if at[axis] + 1 == n[axis] {
                continue;
            }
            let next = cell + stride[axis];
            let known: BTreeSet<&String> = regimes[cell].keys().chain(regimes[next].keys()).collect();
            // Cells of one side, away from the border.
            let before = |k: usize| (at[axis] >= k).then(|| cell - k * stride[axis]);
            let behind = |k: usize| (at[axis] + 1 + k < n[axis]).then(|| next + k * stride[axis]);
            for what in known {
                let (here, there) = (met(cell, what), met(next, what));
                if (here == 0) == (there == 0) {
                    continue;
                }
                let sum = |side: &dyn Fn(usize) -> Option<usize>| -> Option<usize> {
                    (0..BESIDE).map(|k| side(k).map(|c| met(c, what))).sum()
                };
                let several = match (sum(&before), sum(&behind)) {
                    (Some(x), Some(y)) => x.min(y) == 0 && 3 * x.max(y) >= 2 * BESIDE * starts,
                    _ => false,
                };
                let mut place = at.map(|k| k as f64);
                place[axis] += 0.5;
                edges.push(Edge {
                    at: place,
                    attractor: what.clone(),
                    certain: here.max(there) == starts || several,
                });
            }
        }
    }
    edges
}

/// Borders without a curve, those of one attractor that lie side by side as one.
fn grouped(edges: &[&Edge]) -> Vec<Disagreement> {
    let mut open: Vec<&Edge> = edges.to_vec();
    let mut found = vec![];
    while let Some(first) = open.pop() {
        let mut group = vec![first];
        let mut looked = 0;
        while looked < group.len() {
            let here = group[looked];
            let (near, far): (Vec<&Edge>, Vec<&Edge>) = open
                .iter()
                .partition(|e| e.attractor == here.attractor && apart(&e.at, &here.at) <= 1.0);
            group.extend(near);
            open = far;
            looked += 1;
        }
        let extreme = |pick: fn(f64, f64) -> f64| [0, 1].map(|i| group.iter().map(|e| e.at[i]).fold(first.at[i], pick));
        found.push(Disagreement {
            locus: None,
            attractor: first.attractor.clone(),
            from: extreme(f64::min),
            to: extreme(f64::max),
            cells: group.len(),
        });
    }
    found
}

/// The stretches of a curve longer than a cell that no border is near.
fn without_border(name: &str, line: &[[f64; 2]], edges: &[Edge]) -> Vec<Disagreement> {
    let mut found: Vec<Disagreement> = vec![];
    let mut length = 0.0;
    let mut begun: Option<[f64; 2]> = None;
    let mut end = |begun: &mut Option<[f64; 2]>, length: &mut f64, to: [f64; 2]| {
        if let Some(from) = begun.take().filter(|_| *length > 1.0) {
            found.push(Disagreement {
                locus: Some(name.to_owned()),
                attractor: String::new(),
                from,
                to,
                cells: length.round() as usize,
            });
        }
        *length = 0.0;
    };
    let mut before = line.first().copied().unwrap_or_default();
    for p in line {
        if edges.iter().any(|edge| apart(&edge.at, p) <= APART) {
            end(&mut begun, &mut length, before);
        } else if begun.is_some() {
            length += apart(&before, p);
        } else {
            begun = Some(*p);
        }
        before = *p;
    }
    end(&mut begun, &mut length, before);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two regimes that meet along a straight line of random slope: a border all along it, at most half a cell away;
    /// an attractor that few starts come to makes no borders by chance.
    #[test]
    fn borders_lie_where_regimes_meet() {
        let mut seed = 5_u64;
        let mut random = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        for _ in 0..40 {
            let n = [30, 20];
            let (slope, offset) = (4.0 * random() - 2.0, 5.0 + 20.0 * random());
            let line = |y: f64| offset + slope * (y - 10.0);
            let cells: Vec<Regimes> = (0..n[0] * n[1])
                .map(|cell| {
                    let (x, y) = ((cell % n[0]) as f64, (cell / n[0]) as f64);
                    let name = if x < line(y) { "left" } else { "right" };
                    // Few starts come to rest, as chance wills.
                    let few = (0..8).filter(|_| random() < 0.1).count();
                    let mut regimes = Regimes::from([(name.to_owned(), 8 - few)]);
                    if few > 0 {
                        regimes.insert("rest".into(), few);
                    }
                    regimes
                })
                .collect();
            let mut found = edges(n, &cells, 8);
            found.retain(|e| e.certain);
            assert!(found.iter().all(|e| e.attractor != "rest"));
            let off = |e: &Edge| (e.at[0] - line(e.at[1])).abs() / (1.0 + slope.abs());
            assert!(found.iter().all(|e| off(e) <= 0.5 + 1e-9));
            for y in 0..n[1] {
                let inside = (2.5..n[0] as f64 - 3.5).contains(&line(y as f64));
                let near = found.iter().filter(|e| (e.at[1] - y as f64).abs() < 0.1);
                assert!(!inside || near.count() >= 1);
            }
        }
    }
}
