//! Regions of a mesh where a scalar is positive, as closed outlines.
//!
//! Each cell of the mesh is cut along the straight lines on which the scalar, linear along the cell's edges, vanishes.
//! Edges between two cells cancel; what is left are the outlines, so that a region can be filled at once and shows no
//! seams.

use std::collections::BTreeMap;

/// A corner of the outline: a node of the mesh, or the point where the scalar vanishes between two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Corner {
    Node(usize),
    Cut(usize, usize),
}

/// A node of the mesh: its place in the plane and the scalar.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) at: (f64, f64),
    pub(super) value: f64,
}

/// The outlines of the region with `sign · value > 0` of a mesh of `columns` × `rows` nodes (rows run fastest); cells
/// with a missing node are left out. Outer outlines and holes turn in opposite directions.
pub(super) fn outlines(nodes: &[Option<Node>], (columns, rows): (usize, usize), sign: f64) -> Vec<Vec<(f64, f64)>> {
    let mut edges: BTreeMap<Corner, Vec<Corner>> = BTreeMap::new();
    for i in 1..columns {
        for j in 1..rows {
            let at = |a: usize, b: usize| a * rows + b;
            let corners = [at(i - 1, j - 1), at(i, j - 1), at(i, j), at(i - 1, j)];
            let Some(values) = corners
                .iter()
                .map(|&k| nodes[k].map(|n| sign * n.value))
                .collect::<Option<Vec<_>>>()
            else {
                continue;
            };
            let mut polygon = Vec::with_capacity(6);
            for k in 0..4 {
                let next = (k + 1) % 4;
                if values[k] > 0.0 {
                    polygon.push(Corner::Node(corners[k]));
                }
                if (values[k] > 0.0) != (values[next] > 0.0) {
                    polygon.push(Corner::Cut(
                        corners[k].min(corners[next]),
                        corners[k].max(corners[next]),
                    ));
                }
            }
            for k in 0..polygon.len() {
                let (from, to) = (polygon[k], polygon[(k + 1) % polygon.len()]);
                let back = edges
                    .get_mut(&to)
                    .and_then(|ends| Some(ends.swap_remove(ends.iter().position(|&e| e == from)?)));
                if back.is_none() {
                    edges.entry(from).or_default().push(to);
                }
            }
        }
    }
    let place = |corner: Corner| match corner {
        Corner::Node(k) => nodes[k].map_or((f64::NAN, f64::NAN), |n| n.at),
        Corner::Cut(a, b) => match (nodes[a], nodes[b]) {
            (Some(a), Some(b)) => {
                let part = a.value / (a.value - b.value);
                (a.at.0 + part * (b.at.0 - a.at.0), a.at.1 + part * (b.at.1 - a.at.1))
            }
            _ => (f64::NAN, f64::NAN),
        },
    };
    let mut found = Vec::new();
    while let Some((&start, _)) = edges.iter().find(|(_, ends)| !ends.is_empty()) {
        let mut outline = vec![place(start)];
        let mut at = start;
        while let Some(next) = edges.get_mut(&at).and_then(Vec::pop) {
            if next == start {
                break;
            }
            outline.push(place(next));
            at = next;
        }
        found.push(outline);
    }
    found
}

/// One closed outline that fills like all of them together: from the first corner of the first to each of the others
/// and back.
pub(super) fn joined(outlines: &[Vec<(f64, f64)>]) -> Vec<(f64, f64)> {
    let Some(&anchor) = outlines.first().and_then(|o| o.first()) else {
        return vec![];
    };
    let mut all = Vec::new();
    for outline in outlines {
        all.push(anchor);
        all.extend(outline.iter().copied());
        all.extend(outline.first().copied());
    }
    all.push(anchor);
    all
}

/// The part of a closed outline inside the rectangle between two corners.
pub(super) fn clipped(outline: &[(f64, f64)], low: (f64, f64), high: (f64, f64)) -> Vec<(f64, f64)> {
    type Side = (fn(&(f64, f64)) -> f64, f64, f64);
    let sides: [Side; 4] = [
        (|p| p.0, low.0, 1.0),
        (|p| p.0, high.0, -1.0),
        (|p| p.1, low.1, 1.0),
        (|p| p.1, high.1, -1.0),
    ];
    let mut points = outline.to_vec();
    for (coordinate, limit, sign) in sides {
        let inside = |p: &(f64, f64)| sign * (coordinate(p) - limit) >= 0.0;
        let mut kept = Vec::with_capacity(points.len());
        for k in 0..points.len() {
            let (a, b) = (points[k], points[(k + 1) % points.len()]);
            if inside(&a) {
                kept.push(a);
            }
            if inside(&a) != inside(&b) {
                let part = (limit - coordinate(&a)) / (coordinate(&b) - coordinate(&a));
                kept.push((a.0 + part * (b.0 - a.0), a.1 + part * (b.1 - a.1)));
            }
        }
        points = kept;
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(outline: &[(f64, f64)]) -> f64 {
        let next = outline.iter().cycle().skip(1);
        0.5 * outline
            .iter()
            .zip(next)
            .map(|(a, b)| a.0 * b.1 - b.0 * a.1)
            .sum::<f64>()
    }

    /// The square [-1, 1]² with the scalar r² - |x|².
    fn disc(r: f64, n: usize) -> Vec<Option<Node>> {
        let value = |k: usize| 2.0 * k as f64 / (n - 1) as f64 - 1.0;
        (0..n * n)
            .map(|k| (value(k / n), value(k % n)))
            .map(|at| {
                Some(Node {
                    at,
                    value: r * r - at.0 * at.0 - at.1 * at.1,
                })
            })
            .collect()
    }

    #[test]
    fn a_disc_and_its_complement_fill_the_square() {
        let nodes = disc(0.7, 41);
        let inside = outlines(&nodes, (41, 41), 1.0);
        let outside = outlines(&nodes, (41, 41), -1.0);
        assert_eq!((inside.len(), outside.len()), (1, 2));
        let disc: f64 = inside.iter().map(|o| area(o)).sum();
        let rest: f64 = outside.iter().map(|o| area(o)).sum();
        assert!((disc - std::f64::consts::PI * 0.49).abs() < 3e-3, "{disc}");
        assert!((disc + rest - 4.0).abs() < 1e-12);
        assert!((area(&joined(&outside)) - rest).abs() < 1e-12);
        let half = clipped(&joined(&outside), (0.0, -1.0), (1.0, 1.0));
        assert!((area(&half) - 0.5 * rest).abs() < 1e-9);
        assert!(clipped(&inside[0], (2.0, 2.0), (3.0, 3.0)).is_empty());
    }

    #[test]
    fn a_missing_node_takes_its_cells_away() {
        let mut nodes = disc(5.0, 3);
        assert_eq!(outlines(&nodes, (3, 3), -1.0), Vec::<Vec<(f64, f64)>>::new());
        nodes[0] = None;
        let left: f64 = outlines(&nodes, (3, 3), 1.0).iter().map(|o| area(o)).sum();
        assert!((left - 3.0).abs() < 1e-12);
        assert!(joined(&[]).is_empty());
    }
}
