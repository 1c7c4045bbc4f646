//! A column along a curve: pieces by stability, and special points.

use super::scene::{AxisScale, Ink, Mark, Series, Shape, Stroke};
use super::select::Expression;
use super::smooth::{Vertex, between};
use super::spec::Marks;
use super::symbol::is_angle;
use crate::table::Table;
use std::f64::consts::PI;

/// Labels that say nothing about the dynamics: marked small, not named unless asked for.
pub(super) const QUIET: [&str; 2] = ["EP", "UZ"];
/// Labels of points where curves are smooth, however sharply they turn.
const SMOOTH: [&str; 4] = ["LP", "HB", "NS", "PD"];
/// Labels of points where the orbit changes its word, and curves may have corners.
const CORNERS: [&str; 9] = ["VS", "GR", "VT", "OV", "BE", "TF", "CT", "NU", "MX"];
/// Curves of no more points than these show them.
const FEW: usize = 8;

/// One column along one curve.
pub(super) struct Trace {
    pub(super) ink: Ink,
    pub(super) x: Vec<f64>,
    y: Vec<f64>,
    angle: bool,
    /// Whether it is a two-parameter curve: its points lie on the border of stability.
    locus: bool,
    rows: Table,
}

impl Trace {
    /// A column, or an expression of one, along the curve that has these rows.
    pub(super) fn of(rows: &Table, (x, column): (&str, &str), ink: Ink, locus: bool) -> Option<Self> {
        Some(Self {
            ink,
            x: Expression::parse(x).values(rows)?,
            y: Expression::parse(column).values(rows)?,
            angle: is_angle(column),
            locus,
            rows: rows.clone(),
        })
    }

    pub(super) fn pairs(&self) -> impl Iterator<Item = (f64, f64)> {
        self.x.iter().copied().zip(self.y.iter().copied())
    }

    /// The curve cut where its stability or admissibility changes, where it has no value, and where an angle wraps;
    /// smooth between its points as far as these axes show them.
    pub(super) fn pieces(&self, x: &AxisScale, y: &AxisScale) -> Vec<Series> {
        let points: Vec<(f64, f64)> = self.pairs().collect();
        let inner = self.between(&points, x, y);
        let mut pieces: Vec<Series> = Vec::new();
        let mut joined = false;
        for at in 0..points.len().saturating_sub(1) {
            if !self.joins(points[at], points[at + 1]) {
                joined = false;
                continue;
            }
            let stroke = self.stroke(at);
            let more = inner[at].iter().copied().chain([points[at + 1]]);
            match pieces.last_mut() {
                Some(piece) if joined && piece.stroke == stroke => piece.points.extend(more),
                _ => pieces.push(Series {
                    ink: self.ink,
                    stroke,
                    points: [points[at]].into_iter().chain(more).collect(),
                }),
            }
            joined = true;
        }
        pieces
    }

    /// Whether the curve leads from one point to the next: both are numbers, and no angle wraps between them.
    fn joins(&self, a: (f64, f64), b: (f64, f64)) -> bool {
        let finite = [a.0, a.1, b.0, b.1].iter().all(|value| value.is_finite());
        finite && !(self.angle && (b.1 - a.1).abs() > PI)
    }

    /// What lies between each point and the next.
    fn between(&self, points: &[(f64, f64)], x: &AxisScale, y: &AxisScale) -> Vec<Vec<(f64, f64)>> {
        let placed: Vec<Option<(f64, f64)>> = points.iter().map(|at| x.part(at.0).zip(y.part(at.1))).collect();
        let mut inner = vec![vec![]; points.len().saturating_sub(1)];
        let mut first = 0;
        while first < points.len() {
            let runs_on =
                |at: usize| at + 1 < points.len() && placed[at + 1].is_some() && self.joins(points[at], points[at + 1]);
            let mut last = first;
            while placed[first].is_some() && runs_on(last) {
                last += 1;
            }
            let run: Vec<(f64, f64)> = placed[first..=last].iter().flatten().copied().collect();
            let vertex = |k: usize| match self.label(first + k) {
                Some(label) if SMOOTH.contains(&label) => Vertex::Smooth,
                Some(label) if CORNERS.contains(&label) => Vertex::Corner,
                _ => Vertex::Any,
            };
            for (k, between) in between(&run, vertex).into_iter().enumerate() {
                inner[first + k] = between.into_iter().map(|at| (x.value(at.0), y.value(at.1))).collect();
            }
            first = last + 1;
        }
        inner
    }

    /// Dots for the points of a curve that has so few in these axes that they should be seen.
    pub(super) fn few(&self, x: &AxisScale, y: &AxisScale) -> Vec<Mark> {
        let inside = |part: Option<f64>| part.is_some_and(|part| (0.0..=1.0).contains(&part));
        let seen: Vec<(usize, (f64, f64))> = self
            .pairs()
            .enumerate()
            .filter(|(_, at)| inside(x.part(at.0)) && inside(y.part(at.1)))
            .collect();
        // Members of a family are many.
        if seen.len() > FEW || seen.len() < 3 || !matches!(self.ink, Ink::Series(_)) {
            return vec![];
        }
        let plain = seen.into_iter().filter(|(row, _)| self.label(*row).is_none());
        let dot = |(_, at)| Mark {
            at,
            shape: Shape::Dot,
            name: None,
            ink: self.ink,
        };
        plain.map(dot).collect()
    }

    /// Dots for points that no line leads to: they would not be seen.
    pub(super) fn lone(&self) -> Vec<Mark> {
        let points: Vec<(f64, f64)> = self.pairs().collect();
        let joined = |at: usize| at + 1 < points.len() && self.joins(points[at], points[at + 1]);
        let is_lone = |at: &usize| !joined(*at) && (*at == 0 || !joined(at - 1));
        let lone = (0..points.len()).filter(is_lone).filter(|&at| self.label(at).is_none());
        let dot = |at: usize| Mark {
            at: points[at],
            shape: Shape::Dot,
            name: None,
            ink: self.ink,
        };
        lone.map(dot).collect()
    }

    /// Style of the piece between rows `at` and `at + 1`. A special point belongs to both sides: its other neighbour
    /// decides.
    fn stroke(&self, at: usize) -> Stroke {
        let both = |column: &str| match self.rows.flags(column) {
            Err(_) => true,
            Ok(flags) => match (self.is_turning_point(at), self.is_turning_point(at + 1)) {
                (true, false) => flags[at + 1],
                (false, true) => flags[at],
                _ => flags[at] && flags[at + 1],
            },
        };
        if !both("admissible") {
            Stroke::Dotted
        } else if self.locus || both("stable") {
            Stroke::Solid
        } else {
            Stroke::Dashed
        }
    }

    fn is_turning_point(&self, row: usize) -> bool {
        self.label(row).is_some_and(|label| !QUIET.contains(&label))
    }

    fn label(&self, row: usize) -> Option<&str> {
        let label = self.rows.texts("label").ok()?.get(row)?.as_str();
        (!label.is_empty()).then_some(label)
    }

    /// The special points with their labels.
    pub(super) fn special(&self) -> Vec<(String, (f64, f64))> {
        let own = |(row, at)| Some((self.label(row)?.to_owned(), at));
        self.pairs().enumerate().filter_map(own).collect()
    }

    pub(super) fn marks(&self, wanted: &Marks) -> Vec<Mark> {
        let mut marks = Vec::new();
        for (row, at) in self.pairs().enumerate() {
            let Some(label) = self.label(row) else { continue };
            // A choice of futures is marked by what happens there; only alone, or when asked for, does it have a mark
            // of its own.
            let beside = [row.checked_sub(1), Some(row + 1)].into_iter().flatten();
            let reported = label == "NU" && beside.into_iter().any(|k| self.label(k).is_some());
            let name = match wanted {
                Marks::All if reported || label == "EP" => continue,
                Marks::None => continue,
                Marks::All => (!QUIET.contains(&label)).then(|| label.to_owned()),
                Marks::Only(labels) if labels.iter().any(|wanted| wanted == label) => Some(label.to_owned()),
                Marks::Only(_) => continue,
            };
            marks.push(Mark {
                at,
                shape: Shape::of(label),
                name,
                ink: self.ink,
            });
        }
        marks
    }
}
