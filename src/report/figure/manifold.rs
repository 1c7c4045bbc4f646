//! Slow–fast objects in a plane of two states: sheets shaded by stability, folds, canards, slow manifolds, and orbits
//! laid over them.

use super::diagram::{inset_scene, note_scene, rules};
use super::error::FigureError;
use super::markup::Label;
use super::orbits::{Laid, laid_over, smooth_out};
use super::region::{Node, joined, outlines};
use super::scene::{
    Arrow, AxisScale, Entry, Fill, Ink, Mark, Panel, Sample, Series, Shape, Stroke, Tone, fitting_range,
};
use super::select::Expression;
use super::spec::{Axis, Legend, Manifold, Object};
use super::symbol::column_label;
use super::ticks::Scale;
use super::wrap::wrap;
use crate::RunData;
use crate::table::Table;
use std::collections::BTreeMap;
use std::f64::consts::TAU;

/// Height of a panel as a part of its width, and room left at the ends of its axes.
const ASPECT: f64 = 0.72;
const ROOM: f64 = 0.03;
/// The inks of the attracting and the repelling slow manifold, of fates that jump, of landings, and of the first orbit
/// laid over.
const ATTRACTING: Ink = Ink::Series(0);
const REPELLING: Ink = Ink::Series(2);
const LANDINGS: Ink = Ink::Series(1);
const ORBITS: usize = 0;

/// A panel in the making.
struct Plot<'a> {
    spec: &'a Manifold,
    tables: &'a BTreeMap<String, Table>,
    angles: (bool, bool),
    fills: Vec<Fill>,
    series: Vec<Series>,
    arrows: Vec<Arrow>,
    marks: Vec<Mark>,
    entries: Vec<Entry>,
}

/// The panel of slow–fast objects.
pub(super) fn panel(figure: &str, spec: &Manifold, data: &RunData) -> Result<Panel, FigureError> {
    let empty = |message: String| FigureError::Empty {
        figure: figure.to_owned(),
        message,
    };
    let tables =
        (data.portraits.get(&spec.of)).ok_or_else(|| empty(format!("the run has no portrait `{}`", spec.of)))?;
    let is_angle = |name: &str| spec.angles.iter().any(|angle| angle == name);
    let mut plot = Plot {
        spec,
        tables,
        angles: (is_angle(&spec.x), is_angle(&spec.y)),
        fills: vec![],
        series: vec![],
        arrows: vec![],
        marks: vec![],
        entries: vec![],
    };
    for object in &spec.show {
        plot.draw(*object);
    }
    let label = |column: &str| {
        column_label(column, &spec.labels).map_err(|why| FigureError::Unfit {
            figure: figure.to_owned(),
            word: column.to_owned(),
            message: why.to_string(),
            help: String::new(),
        })
    };
    let manner = Laid {
        x: &spec.x,
        y: &spec.y,
        angles: plot.angles,
        first_ink: ORBITS,
        labels: &spec.labels,
    };
    let (series, entries) = laid_over(figure, &manner, &spec.orbits, data)?;
    plot.series.extend(series);
    for entry in entries {
        plot.report(entry);
    }
    let drawn = plot.series.len();
    let rules = rules(&spec.lines, &[], &mut plot.series, &mut plot.entries);
    let points = || {
        let lines = plot.series.iter().flat_map(|s| s.points.iter().copied());
        let fills = plot.fills.iter().flat_map(|f| f.outline.iter().copied());
        lines.chain(fills).chain(plot.marks.iter().map(|m| m.at))
    };
    let axis = |own: Option<(f64, f64)>, angle: bool, pick: fn((f64, f64)) -> f64, log: bool| {
        let scale = match (log, angle) {
            (true, _) => Scale::Log,
            (false, true) => Scale::Angle,
            (false, false) => Scale::Linear,
        };
        let fitted = || {
            if angle {
                Some((0.0, TAU))
            } else {
                fitting_range(points().map(pick), scale, ROOM)
            }
        };
        own.or_else(fitted).map(|range| (scale, range))
    };
    let nothing = || {
        empty(format!(
            "`{}` has none of the objects in `show` in the plane ({}, {})",
            spec.of, spec.x, spec.y
        ))
    };
    let x = axis(spec.x_range, plot.angles.0, |p| p.0, spec.log.contains(&Axis::X)).ok_or_else(nothing)?;
    let y = axis(spec.y_range, plot.angles.1, |p| p.1, spec.log.contains(&Axis::Y)).ok_or_else(nothing)?;
    if points().next().is_none() {
        return Err(nothing());
    }
    let scale = |(scale, (low, high)): (Scale, (f64, f64)), label: Label| AxisScale {
        label,
        scale,
        low,
        high,
    };
    let (x, y) = (scale(x, label(&spec.x)?), scale(y, label(&spec.y)?));
    for piece in &mut plot.series[..drawn] {
        smooth_out(&mut piece.points, &x, &y);
    }
    let shaded = !plot.fills.is_empty();
    // Canards on top of what they are part of.
    plot.series.sort_by_key(|piece| piece.ink == Ink::Canard);
    Ok(Panel {
        x,
        y,
        aspect: ASPECT,
        cells: None,
        named: Vec::new(),
        bar: None,
        front: None,
        space: None,
        fills: plot.fills,
        series: plot.series,
        arrows: plot.arrows,
        dots: Vec::new(),
        marks: plot.marks,
        bands: Vec::new(),
        strips: Vec::new(),
        rules,
        inset: spec.inset.as_ref().and_then(|inset| inset_scene(inset, &[])),
        notes: spec.notes.iter().map(note_scene).collect(),
        legend: match spec.legend {
            // Beside shades, samples of shades are hard to see.
            Legend::Auto if shaded => Legend::Outside,
            asked => asked,
        },
        entries: plot.entries,
    })
}

impl Plot<'_> {
    fn draw(&mut self, object: Object) {
        match object {
            Object::Sheets => self.sheets(),
            Object::Slices => self.slices(),
            Object::Folds => self.folds(),
            Object::Flow => self.flow(),
            Object::Canards => {
                let by = ["singularity", "kind", "direction"];
                self.lines("canards", &by, |key| match (key[1].as_str(), key[2].as_str()) {
                    (_, "strong") => (Ink::Canard, Stroke::Thick, "strong canard"),
                    (_, "weak") => (Ink::Canard, Stroke::Solid, "weak canard"),
                    ("vrai", _) => (Ink::Canard, Stroke::Thick, "vrai canard"),
                    _ => (Ink::Canard, Stroke::Dashed, "faux canard"),
                });
            }
            Object::VraiCanards => {
                let vrai = |key: &[String]| key[1] == "vrai";
                let by = ["singularity", "kind", "direction"];
                self.lines_where("canards", &by, vrai, |key| match key[2].as_str() {
                    "strong" => (Ink::Canard, Stroke::Thick, "strong canard"),
                    "weak" => (Ink::Canard, Stroke::Solid, "weak canard"),
                    _ => (Ink::Canard, Stroke::Thick, "vrai canard"),
                });
            }
            Object::SlowManifolds => {
                self.lines("slow_manifolds", &["orbit", "manifold"], |key| match key[1].as_str() {
                    "attracting" => (ATTRACTING, Stroke::Fine, "attracting slow manifold"),
                    _ => (REPELLING, Stroke::Fine, "repelling slow manifold"),
                });
            }
            Object::MaximalCanards => {
                self.lines("maximal_canards", &["singularity"], |_| {
                    (Ink::Canard, Stroke::Thick, "maximal canard")
                });
            }
            Object::Sections => {
                self.lines("sections", &["singularity", "manifold"], |key| match key[1].as_str() {
                    "attracting" => (ATTRACTING, Stroke::Solid, "attracting slow manifold"),
                    _ => (REPELLING, Stroke::Solid, "repelling slow manifold"),
                });
            }
            Object::Returns => {
                self.lines("returns", &["singularity"], |_| {
                    (LANDINGS, Stroke::Solid, "landing of its fibres")
                });
            }
            Object::Fates => self.fates(),
            Object::Singularities => self.points("folded_singularities", |table, row| {
                let class = table.texts("class").ok()?.get(row)?.clone();
                let shape = match class.as_str() {
                    "saddle" => Shape::Disc,
                    "node" => Shape::Square,
                    "focus" => Shape::OpenSquare,
                    "centre" => Shape::Circle,
                    _ => Shape::Star,
                };
                Some((shape, Some(class), Ink::Neutral))
            }),
            Object::Branches => self.branches(),
            Object::Cycles => self.points("singular_cycles", |_, _| {
                Some((Shape::Diamond, Some("cycle".into()), LANDINGS))
            }),
        }
    }

    /// Is this row about one of the singularities asked for?
    fn wanted(&self, table: &Table, row: usize) -> bool {
        let about = table.numbers("singularity").ok().and_then(|numbers| numbers.get(row));
        match about {
            Some(number) => self.spec.through.is_empty() || self.spec.through.iter().any(|&k| k as f64 == *number),
            None => true,
        }
    }

    /// The plane's two columns of a table.
    fn columns(&self, name: &str) -> Option<(&Table, Vec<(f64, f64)>)> {
        let table = self.tables.get(name)?;
        let x = Expression::parse(&self.spec.x).values(table)?;
        let y = Expression::parse(&self.spec.y).values(table)?;
        Some((table, x.into_iter().zip(y).collect()))
    }

    /// A legend entry, once.
    fn report(&mut self, entry: Entry) {
        if !self.entries.contains(&entry) {
            self.entries.push(entry);
        }
    }

    fn wrapped(&self, points: Vec<(f64, f64)>) -> Vec<Vec<(f64, f64)>> {
        let lines = wrap(vec![points], self.angles.0, |point| &mut point.0);
        wrap(lines, self.angles.1, |point| &mut point.1)
    }

    /// One line of a table for each run of rows that agree in the columns `by`.
    fn lines(&mut self, name: &str, by: &[&str], look: impl Fn(&[String]) -> (Ink, Stroke, &'static str)) {
        self.lines_where(name, by, |_| true, look);
    }

    /// The same of the runs that are `meant`.
    fn lines_where(
        &mut self,
        name: &str,
        by: &[&str],
        meant: impl Fn(&[String]) -> bool,
        look: impl Fn(&[String]) -> (Ink, Stroke, &'static str),
    ) {
        for (key, points) in self.runs(name, by) {
            if meant(&key) {
                let (ink, stroke, words) = look(&key);
                self.line(points, ink, stroke, words);
            }
        }
    }

    /// One line with its entry in the legend.
    fn line(&mut self, points: Vec<(f64, f64)>, ink: Ink, stroke: Stroke, words: &str) {
        let lines = self.wrapped(points);
        self.series
            .extend(lines.into_iter().map(|points| Series { ink, stroke, points }));
        self.report(Entry::line(ink, stroke, Label::plain(words)));
    }

    /// The points of a table, a list for each run of rows that agree in the columns `by`, with what they say there.
    fn runs(&self, name: &str, by: &[&str]) -> Vec<(Vec<String>, Vec<(f64, f64)>)> {
        let mut pieces: Vec<(Vec<String>, Vec<(f64, f64)>)> = Vec::new();
        let Some((table, points)) = self.columns(name) else {
            return pieces;
        };
        for (row, point) in points.iter().enumerate().filter(|(row, _)| self.wanted(table, *row)) {
            let own = key(table, row, by);
            match pieces.last_mut() {
                Some((last, piece)) if *last == own => piece.push(*point),
                _ => pieces.push((own, vec![*point])),
            }
        }
        pieces
    }

    /// Marked points of a table.
    fn points(&mut self, name: &str, look: impl Fn(&Table, usize) -> Option<(Shape, Option<String>, Ink)>) {
        let Some((table, points)) = self.columns(name) else {
            return;
        };
        let rows = (0..table.rows()).filter(|&row| self.wanted(table, row));
        let marks: Vec<Mark> = rows
            .filter_map(|row| {
                let (shape, name, ink) = look(table, row)?;
                let at = *self.wrapped(vec![points[row], points[row]]).first()?.first()?;
                Some(Mark { at, shape, name, ink })
            })
            .collect();
        self.marks.extend(marks);
    }

    /// The critical manifold shaded by stability; that of a system with one slow state is a line.
    fn sheets(&mut self) {
        let Some((table, points)) = self.columns("critical_manifold") else {
            return;
        };
        let (Ok(i), Ok(j), Ok(slope)) = (table.numbers("i"), table.numbers("j"), table.numbers("slope")) else {
            return;
        };
        let size = |numbers: &[f64]| numbers.iter().fold(0.0_f64, |most, v| most.max(*v)) as usize + 1;
        let (columns, rows) = (size(i), size(j));
        if columns == 1 {
            return self.slices();
        }
        let mut nodes: Vec<Option<Node>> = vec![None; columns * rows];
        let mut twice = vec![false; columns * rows];
        for (row, at) in points.iter().enumerate() {
            let k = i[row] as usize * rows + j[row] as usize;
            twice[k] |= nodes[k].is_some();
            nodes[k] = Some(Node {
                at: *at,
                value: slope[row],
            });
        }
        for (node, twice) in nodes.iter_mut().zip(twice) {
            *node = node.filter(|_| !twice);
        }
        for (tone, sign, words) in [
            (Tone::Attracting, -1.0, "attracting sheet"),
            (Tone::Repelling, 1.0, "repelling sheet"),
        ] {
            let outline = joined(&outlines(&nodes, (columns, rows), sign));
            if !outline.is_empty() {
                self.fills.push(Fill { tone, outline });
                self.report(Entry {
                    sample: Sample::Shade(tone),
                    label: Label::plain(words),
                });
            }
        }
    }

    /// The critical manifold along the fast state, at a few values of the slow state of its mesh.
    fn slices(&mut self) {
        const SLICES: usize = 12;
        let Some((table, points)) = self.columns("critical_manifold") else {
            return;
        };
        let (Ok(i), Ok(slope)) = (table.numbers("i"), table.numbers("slope")) else {
            return;
        };
        let last = i.iter().fold(0.0_f64, |most, v| most.max(*v));
        let every = (last / SLICES as f64).ceil().max(1.0);
        let mut pieces: Vec<((f64, bool), Vec<(f64, f64)>)> = Vec::new();
        for (row, point) in points.iter().enumerate() {
            if i[row] % every != 0.0 {
                continue;
            }
            let key = (i[row], slope[row] > 0.0);
            match pieces.last_mut() {
                Some((last, piece)) if *last == key => piece.push(*point),
                Some((last, piece)) if last.0 == key.0 => {
                    // The point between two sheets belongs to both.
                    piece.push(*point);
                    pieces.push((key, vec![*point]));
                }
                _ => pieces.push((key, vec![*point])),
            }
        }
        for ((_, repelling), points) in pieces {
            let (stroke, words) = if repelling {
                (Stroke::Dashed, "repelling sheet")
            } else {
                (Stroke::Solid, "attracting sheet")
            };
            // A single line must not look like one of the orbits.
            let ink = if last > 0.0 { Ink::Series(0) } else { Ink::Neutral };
            self.line(points, ink, stroke, words);
        }
    }

    /// Fold lines: where orbits jump, and where the future is not unique.
    fn folds(&mut self) {
        let single = |table: &Table| {
            table
                .numbers("line")
                .is_ok_and(|line| line.windows(2).all(|w| w[0] != w[1]))
        };
        if self.tables.get("fold_lines").is_some_and(single) {
            self.points("fold_lines", |_, _| {
                Some((Shape::Disc, Some("fold".into()), Ink::Neutral))
            });
            return;
        }
        let mut runs = self.runs("fold_lines", &["line", "kind"]);
        for k in 1..runs.len() {
            // The point between two kinds belongs to both.
            if runs[k].0[0] == runs[k - 1].0[0]
                && let Some(&first) = runs[k].1.first()
            {
                runs[k - 1].1.push(first);
                if runs[k - 1].0[1] == "singular" {
                    let between = runs[k - 1].1[0];
                    runs[k].1.insert(0, between);
                }
            }
        }
        for (key, points) in runs {
            match key[1].as_str() {
                "singular" => {}
                "non-unique" => self.line(points, Ink::Neutral, Stroke::Thick, "fold, non-unique"),
                _ => self.line(points, Ink::Neutral, Stroke::Solid, "fold, jump"),
            }
        }
    }

    /// Orbits of the reduced flow with their direction.
    fn flow(&mut self) {
        let Some((table, points)) = self.columns("reduced_orbits") else {
            return;
        };
        let (Ok(orbit), Ok(time)) = (table.numbers("orbit"), table.numbers("t")) else {
            return;
        };
        let mut arrows = Vec::new();
        for row in 1..table.rows() {
            // The start of each orbit lies in the middle of its sheet.
            if orbit[row] == orbit[row - 1] && time[row - 1] <= 0.0 && time[row] > 0.0 {
                let pair = self.wrapped(vec![points[row - 1], points[row]]);
                if let Some([from, to]) = pair.first().map(Vec::as_slice) {
                    arrows.push(Arrow {
                        ink: Ink::Neutral,
                        from: *from,
                        to: *to,
                    });
                }
            }
        }
        self.arrows.extend(arrows);
        self.lines("reduced_orbits", &["orbit"], |_| {
            (Ink::Neutral, Stroke::Fine, "reduced flow")
        });
    }

    /// Folded singularities over a parameter, by class, and where they change it.
    fn branches(&mut self) {
        self.lines("folded_branches", &["singularity", "class", "label"], |key| {
            match (key[1].as_str(), key[2].as_str()) {
                ("saddle", "") => (ATTRACTING, Stroke::Solid, "folded saddle"),
                ("focus" | "centre", "") => (REPELLING, Stroke::Dashed, "folded focus"),
                _ => (REPELLING, Stroke::Solid, "folded node"),
            }
        });
        self.points("folded_branches", |table, row| {
            let label = table.texts("label").ok()?.get(row)?;
            let shape = if label == "saddle-node" {
                Shape::Star
            } else {
                Shape::Square
            };
            (!label.is_empty()).then(|| (shape, Some(label.clone()), Ink::Neutral))
        });
    }

    /// The starts of the family: full where the full system jumps, open where it turns.
    fn fates(&mut self) {
        self.points("fates", |table, row| {
            match table.texts("full").ok()?.get(row)?.as_str() {
                "jumps" => Some((Shape::Dot, None, ATTRACTING)),
                "turns" => Some((Shape::Ring, None, ATTRACTING)),
                _ => None,
            }
        });
        for (shape, words) in [(Shape::Dot, "jumps"), (Shape::Ring, "turns")] {
            if self.marks.iter().any(|mark| mark.shape == shape) {
                self.report(Entry {
                    sample: Sample::Mark(shape, ATTRACTING),
                    label: Label::plain(words),
                });
            }
        }
    }
}

/// What a row says in the columns `by`.
fn key(table: &Table, row: usize, by: &[&str]) -> Vec<String> {
    let cell = |name: &&str| match table.get(name).and_then(|column| column.get(row)) {
        Some(crate::Cell::Text(text)) => text,
        Some(crate::Cell::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    by.iter().map(cell).collect()
}
