//! Curves and surfaces in space: seen in parallel projection, with what surfaces hide cut out of the curves.

use super::error::FigureError;
use super::formula::evaluate;
use super::markup::{Label, LabelError};
use super::orbits::{canard_pieces, orbit_name};
use super::scene::{
    AxisScale, Entry, Fill, Ink, Mark, Panel, Sample, Series, Shape, Stroke, Surface, Tone, fitting_range,
};
use super::select::{ChosenOrbit, Expression, OrbitChoice};
use super::space_hidden::{Depth, Seen};
use super::space_view::{Mesh, Vector, Viewer};
use super::spec::{Legend, Object, Place, Space};
use super::symbol::column_label;
use super::ticks::Scale;
use crate::RunData;
use crate::column::Column;
use crate::table::Table;
use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

/// Points along each side of a surface, and along a curve, that formulas give.
const MESH: usize = 40;
const ALONG: usize = 200;
/// Room left at the ends of the axes.
const ROOM: f64 = 0.04;
/// Sheets less steep than this part of the steepest neither attract nor repel.
const LEVEL: f64 = 1e-9;
/// A line before it is projected.
struct Line {
    ink: Ink,
    stroke: Stroke,
    points: Vec<Vector>,
}

#[derive(Default)]
struct Scene {
    meshes: Vec<Mesh>,
    lines: Vec<Line>,
    marks: Vec<(Vector, Shape, String)>,
    entries: Vec<Entry>,
}

/// The panel of a picture of space.
pub(super) fn panel(figure: &str, spec: &Space, data: &RunData) -> Result<Panel, FigureError> {
    let unfit = |word: &str, why: &LabelError| FigureError::Unfit {
        figure: figure.to_owned(),
        word: word.to_owned(),
        message: why.to_string(),
        help: String::new(),
    };
    let chosen: Vec<ChosenOrbit<'_>> = spec
        .orbits
        .iter()
        .flat_map(|text| OrbitChoice::parse(text).find(data))
        .collect();
    let mut scene = Scene::default();
    let mut names: Vec<(Label, &Table)> = Vec::new();
    for orbit in &chosen {
        let name = orbit_name(orbit, &chosen, data, &spec.labels).map_err(|why| unfit("labels", &why))?;
        names.push((name, orbit.table));
    }
    for name in &spec.trajectories {
        let found = data.trajectories.get(name).or_else(|| data.tables.get(name));
        let label = spec
            .labels
            .get(name)
            .map_or_else(|| Ok(Label::plain(name)), |own| Label::parse(own));
        names.extend(
            found
                .map(|table| Ok((label.map_err(|why| unfit(name, &why))?, table)))
                .transpose()?,
        );
    }
    scene.orbits(spec, &names);
    if let Some(tables) = spec.of.as_ref().and_then(|of| data.portraits.get(of)) {
        spec.show.iter().for_each(|object| scene.object(*object, spec, tables));
    }
    let constants = constants(chosen.first(), spec, data);
    scene.given(spec, &constants, figure)?;
    scene.seen(figure, spec)
}

/// What formulas may use: the columns of the first orbit's point, else what is the same in all rows.
fn constants(first: Option<&ChosenOrbit<'_>>, spec: &Space, data: &RunData) -> BTreeMap<String, f64> {
    let points = &data.points;
    let value = |column: &Column| match (column, first) {
        (Column::Number(values), Some(orbit)) => values.get(orbit.row).copied(),
        (Column::Number(values), None) => {
            let one = values.first().copied()?;
            values.iter().all(|value| *value == one).then_some(one)
        }
        _ => None,
    };
    let axes = [&spec.x, &spec.y, &spec.z];
    points
        .columns()
        .filter(|(name, _)| !axes.iter().any(|axis| axis == name))
        .filter_map(|(name, column)| Some((name.to_owned(), value(column).filter(|value| value.is_finite())?)))
        .collect()
}

impl Scene {
    fn orbits(&mut self, spec: &Space, names: &[(Label, &Table)]) {
        for (at, (name, table)) in names.iter().enumerate() {
            let ink = Ink::Series(at);
            self.entries.push(Entry::line(ink, Stroke::Solid, name.clone()));
            let Some(points) = columns(spec, table) else { continue };
            let pairs: Vec<(f64, f64)> = (0..points.len()).map(|k| (k as f64, 0.0)).collect();
            for (piece, canard) in canard_pieces(table, pairs) {
                let (Some(first), Some(last)) = (piece.first(), piece.last()) else {
                    continue;
                };
                let points = &points[first.0 as usize..=last.0 as usize];
                let (ink, stroke) = if canard {
                    (Ink::Canard, Stroke::Thick)
                } else {
                    (ink, Stroke::Solid)
                };
                self.line(spec, points, ink, stroke);
            }
        }
        if self.lines.iter().any(|line| line.ink == Ink::Canard) {
            self.entries
                .push(Entry::line(Ink::Canard, Stroke::Thick, Label::plain("canard")));
        }
    }

    /// A line in the box, cut where an angle wraps or a number is missing.
    fn line(&mut self, spec: &Space, points: &[Vector], ink: Ink, stroke: Stroke) {
        let axes = [&spec.x, &spec.y, &spec.z];
        let angles = axes.map(|name| spec.angles.contains(name));
        let mut piece: Vec<Vector> = Vec::new();
        for &point in points {
            let own = [0, 1, 2].map(|k| if angles[k] { turned(point[k]) } else { point[k] });
            let joins = piece
                .last()
                .is_none_or(|last: &Vector| (0..3).all(|k| !angles[k] || (own[k] - last[k]).abs() < PI));
            let finite = own.iter().all(|value| value.is_finite());
            if !(joins && finite) {
                let points = std::mem::take(&mut piece);
                self.lines.push(Line { ink, stroke, points });
            }
            if finite {
                piece.push(own);
            }
        }
        self.lines.push(Line {
            ink,
            stroke,
            points: piece,
        });
    }

    fn report(&mut self, entry: Entry) {
        if !self.entries.contains(&entry) {
            self.entries.push(entry);
        }
    }

    fn object(&mut self, object: Object, spec: &Space, tables: &BTreeMap<String, Table>) {
        let look = |key: &[String]| -> Option<(Ink, Stroke, &'static str)> {
            let says = |k: usize| key.get(k).map_or("", String::as_str);
            Some(match object {
                Object::Folds => match says(1) {
                    "singular" => return None,
                    "non-unique" => (Ink::Neutral, Stroke::Thick, "fold, non-unique"),
                    _ => (Ink::Neutral, Stroke::Solid, "fold, jump"),
                },
                Object::Canards | Object::VraiCanards => match (says(1), says(2)) {
                    (_, "weak") => (Ink::Canard, Stroke::Solid, "weak canard"),
                    (_, "strong") => (Ink::Canard, Stroke::Thick, "strong canard"),
                    ("vrai", _) => (Ink::Canard, Stroke::Thick, "vrai canard"),
                    _ if object == Object::VraiCanards => return None,
                    _ => (Ink::Canard, Stroke::Dashed, "faux canard"),
                },
                Object::SlowManifolds => match says(1) {
                    "attracting" => (Ink::Series(0), Stroke::Fine, "attracting slow manifold"),
                    _ => (Ink::Series(2), Stroke::Fine, "repelling slow manifold"),
                },
                Object::MaximalCanards => (Ink::Canard, Stroke::Thick, "maximal canard"),
                Object::Flow => (Ink::Neutral, Stroke::Fine, "reduced flow"),
                _ => return None,
            })
        };
        let (name, by): (&str, &[&str]) = match object {
            Object::Sheets => return self.sheets(spec, tables),
            Object::Singularities => return self.singularities(spec, tables),
            Object::Folds => ("fold_lines", &["line", "kind"]),
            Object::Canards | Object::VraiCanards => ("canards", &["singularity", "kind", "direction"]),
            Object::SlowManifolds => ("slow_manifolds", &["singularity", "manifold", "orbit"]),
            Object::MaximalCanards => ("maximal_canards", &["singularity"]),
            Object::Flow => ("reduced_orbits", &["orbit"]),
            _ => return,
        };
        let Some((table, points)) = tables.get(name).and_then(|table| Some((table, columns(spec, table)?))) else {
            return;
        };
        let mut first = 0;
        while first < points.len() {
            let key = said(table, first, by);
            let next = (first..points.len())
                .find(|&row| said(table, row, by) != key)
                .unwrap_or(points.len());
            if wanted(spec, table, first)
                && let Some((ink, stroke, words)) = look(&key)
            {
                self.line(spec, &points[first..next], ink, stroke);
                self.report(Entry::line(ink, stroke, Label::plain(words)));
            }
            first = next;
        }
    }

    fn sheets(&mut self, spec: &Space, tables: &BTreeMap<String, Table>) {
        let Some(table) = tables.get("critical_manifold") else {
            return;
        };
        let numbers = |name: &str| table.numbers(name).ok();
        let (Some(i), Some(j), Some(slope), Some(points)) =
            (numbers("i"), numbers("j"), numbers("slope"), columns(spec, table))
        else {
            return;
        };
        let size = |numbers: &[f64]| numbers.iter().fold(0.0_f64, |most, v| most.max(*v)) as usize + 1;
        let (rows, long) = (size(i), size(j));
        // No finer than can be seen.
        let (step_i, step_j) = (rows.div_ceil(MESH + 9), long.div_ceil(MESH + 9));
        let kept = |k: f64, step: usize, count: usize| {
            let k = k as usize;
            if k.is_multiple_of(step) {
                Some(k / step)
            } else {
                (k + 1 == count).then_some(count.div_ceil(step))
            }
        };
        let columns = long.div_ceil(step_j) + 1;
        let mut mesh = Mesh {
            columns,
            points: vec![None; (rows.div_ceil(step_i) + 1) * columns],
            kinds: vec![None; (rows.div_ceil(step_i) + 1) * columns],
        };
        let steepest = slope.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        for (row, point) in points.iter().enumerate() {
            if let Some((a, b)) = kept(i[row], step_i, rows).zip(kept(j[row], step_j, long)) {
                mesh.points[a * columns + b] = Some(*point);
                if slope[row].abs() > LEVEL * steepest {
                    mesh.kinds[a * columns + b] = Some(if slope[row] > 0.0 {
                        Surface::Repelling
                    } else {
                        Surface::Attracting
                    });
                }
            }
        }
        for (kind, words) in [
            (Surface::Attracting, "attracting sheet"),
            (Surface::Repelling, "repelling sheet"),
        ] {
            if mesh.kinds.contains(&Some(kind)) {
                self.report(shade(kind, Label::plain(words)));
            }
        }
        self.meshes.push(mesh);
    }

    fn singularities(&mut self, spec: &Space, tables: &BTreeMap<String, Table>) {
        let Some(table) = tables.get("folded_singularities") else {
            return;
        };
        let (Some(points), Ok(classes)) = (columns(spec, table), table.texts("class")) else {
            return;
        };
        for (row, (point, class)) in points.into_iter().zip(classes).enumerate() {
            if wanted(spec, table, row) {
                let shape = match class.as_str() {
                    "saddle" => Shape::Disc,
                    "node" => Shape::Square,
                    "focus" => Shape::OpenSquare,
                    "centre" => Shape::Circle,
                    _ => Shape::Star,
                };
                self.marks.push((point, shape, class.clone()));
            }
        }
    }

    /// Surfaces and curves given by formulas.
    fn given(&mut self, spec: &Space, constants: &BTreeMap<String, f64>, figure: &str) -> Result<(), FigureError> {
        let value = |text: &str, at: &[(&str, f64)]| {
            let mut own = constants.clone();
            own.extend(at.iter().map(|(name, value)| ((*name).to_owned(), *value)));
            evaluate(text, &own).map_err(|why| FigureError::Unfit {
                figure: figure.to_owned(),
                word: text.to_owned(),
                message: why.to_string(),
                help: "formulas take u, v and the parameters of the first orbit".to_owned(),
            })
        };
        let place = |place: &Place| match place {
            Place::Number(value) => Ok(*value),
            Place::Formula(text) => value(text, &[]),
        };
        let label = |text: &str| (!text.is_empty()).then(|| Label::parse(text).ok()).flatten();
        for (n, surface) in spec.surfaces.iter().enumerate() {
            let kind = Surface::Given(n as u8);
            let ends = [
                place(&surface.u.0)?,
                place(&surface.u.1)?,
                place(&surface.v.0)?,
                place(&surface.v.1)?,
            ];
            let at = |s: f64, r: f64| -> Result<Vector, FigureError> {
                let here = [
                    ("u", ends[0] + s * (ends[1] - ends[0])),
                    ("v", ends[2] + r * (ends[3] - ends[2])),
                ];
                Ok([
                    value(&surface.x, &here)?,
                    value(&surface.y, &here)?,
                    value(&surface.z, &here)?,
                ])
            };
            let part = |k: usize| k as f64 / MESH as f64;
            let mut points = Vec::new();
            for i in 0..=MESH {
                for j in 0..=MESH {
                    points.push(Some(at(part(i), part(j))?));
                }
            }
            for k in 0..surface.lines {
                let r = (k as f64 + 0.5) / surface.lines as f64;
                let line = (0..=ALONG)
                    .map(|s| at(s as f64 / ALONG as f64, r))
                    .collect::<Result<Vec<_>, _>>()?;
                self.lines.push(Line {
                    ink: Ink::Neutral,
                    stroke: Stroke::Fine,
                    points: line,
                });
            }
            self.meshes.push(Mesh {
                columns: MESH + 1,
                kinds: vec![Some(kind); points.len()],
                points,
            });
            if let Some(label) = label(&surface.label) {
                self.report(shade(kind, label));
            }
        }
        let mut named: Vec<&str> = Vec::new();
        for path in &spec.paths {
            let (from, to) = (place(&path.u.0)?, place(&path.u.1)?);
            let mut points = Vec::new();
            for k in 0..=ALONG {
                let here = [("u", from + (to - from) * k as f64 / ALONG as f64)];
                points.push([value(&path.x, &here)?, value(&path.y, &here)?, value(&path.z, &here)?]);
            }
            // A colour for each name; what has none looks like a reference line.
            let ink = match named.iter().position(|name| *name == path.label) {
                _ if path.label.is_empty() => Ink::Neutral,
                Some(at) => Ink::Series(spec.orbits.len() + at),
                None => {
                    named.push(&path.label);
                    Ink::Series(spec.orbits.len() + named.len() - 1)
                }
            };
            let stroke = if path.dashed { Stroke::Dashed } else { Stroke::Solid };
            if let Some(label) = label(&path.label) {
                self.report(Entry::line(ink, stroke, label));
            }
            self.line(spec, &points, ink, stroke);
        }
        Ok(())
    }

    /// The scene as the viewer sees it.
    fn seen(mut self, figure: &str, spec: &Space) -> Result<Panel, FigureError> {
        let names = [&spec.x, &spec.y, &spec.z];
        let own = [spec.x_range, spec.y_range, spec.z_range];
        let mut axes = Vec::new();
        for k in 0..3 {
            let angle = spec.angles.contains(names[k]);
            let scale = if angle { Scale::Angle } else { Scale::Linear };
            let lines = self.lines.iter().flat_map(|line| line.points.iter());
            let meshes = self.meshes.iter().flat_map(|mesh| mesh.points.iter().flatten());
            let values = lines
                .chain(meshes)
                .chain(self.marks.iter().map(|mark| &mark.0))
                .map(|point| point[k]);
            let fitted = || {
                if angle {
                    Some((0.0, TAU))
                } else {
                    fitting_range(values, scale, ROOM)
                }
            };
            let (low, high) = own[k].or_else(fitted).ok_or_else(|| FigureError::Empty {
                figure: figure.to_owned(),
                message: format!("nothing has numbers in ({}, {}, {})", spec.x, spec.y, spec.z),
            })?;
            let label = column_label(names[k], &spec.labels).map_err(|why| FigureError::Unfit {
                figure: figure.to_owned(),
                word: names[k].clone(),
                message: why.to_string(),
                help: String::new(),
            })?;
            axes.push(AxisScale {
                label,
                scale,
                low,
                high,
            });
        }
        let viewer = Viewer::new(spec.view, &axes);
        let unit = |high: f64| AxisScale {
            low: 0.0,
            high,
            ..AxisScale::new(Scale::Linear)
        };
        let mut panel = Panel::empty(unit(1.0), unit(1.0));
        panel.aspect = viewer.aspect;
        panel.legend = if spec.legend == Legend::Auto {
            Legend::Outside
        } else {
            spec.legend
        };
        let mut depth = Depth::new();
        let mut facets: Vec<(f64, Fill)> = Vec::new();
        for mesh in &self.meshes {
            viewer.facets(mesh, &mut depth, &mut facets);
        }
        facets.sort_by(|a, b| a.0.total_cmp(&b.0));
        panel.fills = facets.into_iter().map(|(_, fill)| fill).collect();
        // Canards on top of what they are part of.
        self.lines.sort_by_key(|line| line.ink == Ink::Canard);
        let mut hidden = Vec::new();
        for line in &self.lines {
            let inside: Vec<Option<Seen>> = line.points.iter().map(|point| viewer.inside(*point)).collect();
            for piece in inside.split(Option::is_none).filter(|piece| piece.len() > 1) {
                let piece: Vec<Seen> = piece.iter().flatten().copied().collect();
                for (seen, points) in depth.cut(&piece) {
                    let stroke = if seen { line.stroke } else { Stroke::Hidden };
                    let series = Series {
                        ink: line.ink,
                        stroke,
                        points,
                    };
                    if seen {
                        panel.series.push(series);
                    } else if line.stroke != Stroke::Fine {
                        // Of many fine lines those behind would be no help.
                        hidden.push(series);
                    }
                }
            }
        }
        if !hidden.is_empty() {
            self.entries
                .push(Entry::line(Ink::Neutral, Stroke::Hidden, Label::plain("hidden")));
        }
        panel.series.splice(0..0, hidden);
        for (point, shape, name) in self.marks {
            if let Some(seen) = viewer.inside(point) {
                panel.marks.push(Mark {
                    at: seen.at,
                    shape,
                    name: Some(name),
                    ink: Ink::Neutral,
                });
            }
        }
        panel.entries = self.entries;
        panel.space = Some(viewer.axes());
        Ok(panel)
    }
}

fn shade(kind: Surface, label: Label) -> Entry {
    Entry {
        sample: Sample::Shade(Tone::Facet(kind, 1)),
        label,
    }
}

fn turned(angle: f64) -> f64 {
    if (0.0..=TAU).contains(&angle) {
        angle
    } else {
        angle.rem_euclid(TAU)
    }
}

/// The three columns of a table.
fn columns(spec: &Space, table: &Table) -> Option<Vec<Vector>> {
    let [x, y, z] = [&spec.x, &spec.y, &spec.z].map(|name| Expression::parse(name).values(table));
    let (x, y, z) = (x?, y?, z?);
    Some((0..x.len()).map(|k| [x[k], y[k], z[k]]).collect())
}

fn wanted(spec: &Space, table: &Table, row: usize) -> bool {
    let about = table.numbers("singularity").ok().and_then(|numbers| numbers.get(row));
    about.is_none_or(|number| spec.through.is_empty() || spec.through.iter().any(|&k| k as f64 == *number))
}

/// What a row says in the columns `by`.
fn said(table: &Table, row: usize, by: &[&str]) -> Vec<String> {
    let cell = |name: &&str| match table.get(name).and_then(|column| column.get(row)) {
        Some(crate::Cell::Text(text)) => text,
        Some(crate::Cell::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    by.iter().map(cell).collect()
}
