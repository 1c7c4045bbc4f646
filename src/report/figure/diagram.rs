//! Bifurcation diagrams: from rows of `points.csv` to curves by stability and marked points.

use super::data_drawn::{DataDrawn, data_drawn};
use super::error::FigureError;
use super::formula::{Constants, places};
use super::groups::Groups;
use super::markup::{Label, LabelError};
use super::scene::{
    AxisScale, Entry, Ink, InsetScene, Mark, NoteScene, Panel, Rule, Sample, Series, Shape, Stroke, fitting_range,
};
use super::seen::STABLE;
use super::select::Expression;
use super::spec::{Axis, Diagram, Inset, Line, Marks, Note, Place};
use super::symbol::{column_label, is_angle};
use super::ticks::Scale;
use super::trace::Trace;
use crate::RunData;
use crate::column::Column;
use crate::explore::rounded;
use crate::table::Table;

/// Room left at the ends of an axis that fits itself to the data.
const ROOM_X: f64 = 0.02;
const ROOM_Y: f64 = 0.06;
/// Of more curves than these no points are shown, however few each has.
const MANY_TRACES: usize = 6;
/// Height of a diagram as a part of its width.
const ASPECT: f64 = 0.68;

/// The curves a diagram draws: those it names, else all but the two-parameter curves whose plane of parameters it does
/// not show.
pub(super) fn curves(spec: &Diagram, data: &RunData) -> Vec<String> {
    if !spec.of.is_empty() {
        return spec.of.clone();
    }
    let all: Vec<String> = data.points.distinct("curve").into_iter().map(str::to_owned).collect();
    let shown = |name: &str, free: &[String]| free.iter().any(|free| free == Expression::parse(name).column);
    let belongs = |curve: &&String| {
        let free = free_parameters(&data.points.rows_where("curve", curve));
        free.len() < 2 || (shown(&spec.x, &free) && spec.y.0.iter().any(|name| shown(name, &free)))
    };
    let belonging: Vec<String> = all.iter().filter(belongs).cloned().collect();
    if belonging.is_empty() { all } else { belonging }
}

/// The parameters that vary along a curve: one, or the two of a two-parameter curve.
pub(super) fn free_parameters(rows: &Table) -> Vec<String> {
    // Parameters of other systems have no value.
    let differ = |a: f64, b: f64| a != b && !(a.is_nan() && b.is_nan());
    let varies = |column: &Column| match column {
        Column::Number(values) => values.windows(2).any(|pair| differ(pair[0], pair[1])),
        _ => false,
    };
    let columns: Vec<(&str, &Column)> = rows.columns().collect();
    let place = |wanted: &str| columns.iter().position(|(name, _)| *name == wanted);
    match (place("label"), place("period")) {
        (Some(label), Some(period)) if label < period => columns[label + 1..period]
            .iter()
            .filter(|(_, column)| varies(column))
            .map(|(name, _)| (*name).to_owned())
            .collect(),
        _ => vec![],
    }
}

/// The columns, perhaps wrapped in functions, that a diagram draws of these curves.
pub(super) fn columns(spec: &Diagram, data: &RunData, curves: &[String]) -> Vec<String> {
    let mut known = data.points.names().to_vec();
    for table in spec.attractors.iter().filter_map(|name| data.seen(name)) {
        let further: Vec<String> = table.names().iter().filter(|n| !known.contains(n)).cloned().collect();
        known.extend(further);
    }
    let names = spec.y.0.iter();
    let columns: Vec<String> = names.flat_map(|name| Expression::parse(name).expand(&known)).collect();
    // Columns without a single number for these curves (a multiplier that is always zero) would only fill the legend.
    let mine = data.points.texts("curve").ok();
    let of_curves = |row: usize| mine.is_none_or(|names| curves.contains(&names[row]));
    let shows = |column: &String| {
        let Some(values) = Expression::parse(column).values(&data.points) else {
            return true;
        };
        values
            .iter()
            .enumerate()
            .any(|(row, value)| value.is_finite() && of_curves(row))
    };
    let shown: Vec<String> = columns.iter().filter(|column| shows(column)).cloned().collect();
    if shown.is_empty() { columns } else { shown }
}

/// The panel of a diagram. `sheet_curves`: all curves of the sheet, each of which looks the same in all its panels.
pub(super) fn panel(
    figure: &str,
    spec: &Diagram,
    data: &RunData,
    sheet_curves: &[String],
) -> Result<Panel, FigureError> {
    let unfit = |why: LabelError| FigureError::Unfit {
        figure: figure.to_owned(),
        word: spec.x.clone(),
        message: why.to_string(),
        help: String::new(),
    };
    let curves = curves(spec, data);
    let groups = Groups::new(sheet_curves, &spec.labels);
    let columns = columns(spec, data, &curves);
    let by_column = columns.len() > 1;

    let mut traces = Vec::new();
    for curve in &curves {
        let rows = data.points.rows_where("curve", curve);
        let locus = free_parameters(&rows).len() > 1;
        for (column_at, column) in columns.iter().enumerate() {
            let ink = Ink::Series(if by_column { column_at } else { groups.of(curve) });
            traces.extend(Trace::of(&rows, (&spec.x, column), ink, locus));
        }
    }
    let constants = curves
        .iter()
        .map(|curve| Constants::of(&data.points.rows_where("curve", curve), Ink::Series(groups.of(curve))))
        .collect();
    let mut entries = Vec::new();
    let named: Vec<&String> = if by_column {
        columns.iter().collect()
    } else {
        groups.leaders(&curves)
    };
    if named.len() > 1 {
        for (at, name) in named.into_iter().enumerate() {
            let label = match (by_column, spec.labels.get(name)) {
                (true, _) => column_label(name, &spec.labels).map_err(unfit)?,
                (false, Some(own)) => Label::parse(own).map_err(unfit)?,
                (false, None) => Label::plain(groups.name(name)),
            };
            let ink = Ink::Series(if by_column { at } else { groups.of(name) });
            entries.push(Entry::line(ink, Stroke::Solid, label));
        }
    }
    let marks = traces.iter().flat_map(|trace| trace.marks(&spec.mark)).collect();
    let (dots, limits) = attractors(spec, data, &columns);
    let inks = if by_column { columns.len() } else { groups.count() };
    let data = data_drawn(spec, inks).map_err(unfit)?;
    Content {
        columns,
        traces,
        constants,
        entries,
        marks,
        dots,
        limits,
        data,
    }
    .panel(figure, spec)
}

/// What a panel of curves shows.
pub(super) struct Content {
    /// The columns on the vertical axis.
    pub(super) columns: Vec<String>,
    pub(super) traces: Vec<Trace>,
    /// What stays the same along the curves.
    pub(super) constants: Vec<Constants>,
    /// Lines of the legend that stand before the strokes.
    pub(super) entries: Vec<Entry>,
    pub(super) marks: Vec<Mark>,
    /// What sweeps found.
    pub(super) dots: Vec<(f64, f64)>,
    pub(super) limits: Vec<Series>,
    /// Data of one's own.
    pub(super) data: Vec<DataDrawn>,
}

impl Content {
    /// The panel, in axes as `spec` has them.
    pub(super) fn panel(self, figure: &str, spec: &Diagram) -> Result<Panel, FigureError> {
        let Self {
            columns,
            traces,
            constants,
            mut entries,
            mut marks,
            dots,
            limits,
            data,
        } = self;
        let own = || data.iter().flat_map(DataDrawn::pairs);
        let unfit = |why: LabelError| FigureError::Unfit {
            figure: figure.to_owned(),
            word: spec.x.clone(),
            message: why.to_string(),
            help: String::new(),
        };
        let scale = |axis: Axis, name: &str| match (spec.log.contains(&axis), is_angle(name)) {
            (true, _) => Scale::Log,
            (false, true) => Scale::Angle,
            (false, false) => Scale::Linear,
        };
        let (x_scale, y_scale) = (scale(Axis::X, &spec.x), scale(Axis::Y, &columns[0]));
        let empty = |axis: &str, scale: Scale| FigureError::Empty {
            figure: figure.to_owned(),
            message: match (scale, axis, spec.x_range) {
                (Scale::Log, ..) => {
                    format!(
                        "no numbers the {axis} axis could show (a logarithmic one needs positive numbers: write abs(…))"
                    )
                }
                (_, "vertical", Some((low, high))) => {
                    let xs = traces.iter().flat_map(|trace| trace.x.iter().copied());
                    let (from, to) = xs
                        .filter(|x| x.is_finite())
                        .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
                    let (from, to) = (rounded(from, 6), rounded(to, 6));
                    let between = format!(": `{}` lies between {from} and {to}", spec.x);
                    format!("nothing lies in its `x_range`, from {low} to {high}{between}")
                }
                _ => format!("no numbers the {axis} axis could show"),
            },
        };
        // A line that is asked for is seen.
        let asked = |vertical: bool| {
            let at = spec.lines.iter().filter_map(move |line| match line {
                Line::Vertical { at, .. } if vertical => Some(at),
                Line::Horizontal { at, .. } if !vertical => Some(at),
                _ => None,
            });
            let values = at.flat_map(|at| places(at, &constants)).map(|(value, _)| value);
            values.collect::<Vec<f64>>()
        };
        let xs = traces
            .iter()
            .flat_map(|trace| trace.x.iter().copied())
            .chain(dots.iter().map(|dot| dot.0))
            .chain(own().map(|(x, _)| x))
            .chain(asked(true));
        let (x_low, x_high) = spec
            .x_range
            .or_else(|| fitting_range(xs, x_scale, ROOM_X))
            .ok_or_else(|| empty("horizontal", x_scale))?;
        let visible = |&(x, _): &(f64, f64)| (x_low..=x_high).contains(&x);
        let seen = traces
            .iter()
            .flat_map(Trace::pairs)
            .chain(dots.iter().copied())
            .chain(own());
        let ys = seen.filter(visible).map(|(_, y)| y);
        let ys = ys.chain(asked(false));
        let (y_low, y_high) = spec
            .y_range
            .or_else(|| fitting_range(ys, y_scale, ROOM_Y))
            .ok_or_else(|| empty("vertical", y_scale))?;

        let mut y_label = Label::default();
        for (at, column) in columns.iter().enumerate() {
            if at > 0 {
                y_label.append(Label::plain(", "));
            }
            y_label.append(column_label(column, &spec.labels).map_err(unfit)?);
        }
        if let Some(own) = spec.labels.get(&spec.y.0.join(", ")) {
            y_label = Label::parse(own).map_err(unfit)?;
        } else if columns.len() > 3 {
            // Too many to list at the axis: the name with its star says what they have in common.
            y_label = match spec.y.0.iter().find_map(|name| spec.labels.get(name)) {
                Some(own) => Label::parse(own).map_err(unfit)?,
                None => column_label(&spec.y.0[0].replace('*', ""), &spec.labels).map_err(unfit)?,
            };
        }
        let x_label = column_label(&spec.x, &spec.labels).map_err(unfit)?;

        let axis = |label, scale, low, high| AxisScale {
            label,
            scale,
            low,
            high,
        };
        let (x, y) = (
            axis(x_label, x_scale, x_low, x_high),
            axis(y_label, y_scale, y_low, y_high),
        );
        let mut series: Vec<Series> = traces.iter().flat_map(|trace| trace.pieces(&x, &y)).collect();
        if traces.len() <= MANY_TRACES {
            marks.extend(traces.iter().flat_map(|trace| trace.few(&x, &y)));
        }
        marks.extend(traces.iter().flat_map(Trace::lone));
        let has = |stroke: Stroke| series.iter().any(|piece| piece.stroke == stroke);
        let key = |stroke, words| Entry::line(Ink::Neutral, stroke, Label::plain(words));
        if has(Stroke::Dashed) {
            if has(Stroke::Solid) {
                entries.push(key(Stroke::Solid, STABLE));
            }
            entries.push(key(Stroke::Dashed, "unstable"));
        }
        if has(Stroke::Dotted) {
            entries.push(key(Stroke::Dotted, "not admissible"));
        }
        if spec.mark == Marks::All && marks.iter().any(|mark| mark.shape == Shape::Ring) {
            entries.push(Entry {
                sample: Sample::Mark(Shape::Ring, Ink::Neutral),
                label: Label::plain("user level"),
            });
        }
        if !dots.is_empty() {
            entries.push(Entry {
                sample: Sample::Dot,
                label: Label::plain("attractors"),
            });
        }
        if !limits.is_empty() {
            series.extend(limits);
            entries.push(Entry::line(Ink::Neutral, Stroke::Thin, Label::plain("limits of rest")));
        }
        series.extend(data.iter().flat_map(DataDrawn::series));
        marks.extend(data.iter().flat_map(DataDrawn::marks));
        entries.extend(data.iter().map(DataDrawn::entry));
        let rules = rules(&spec.lines, &constants, &mut series, &mut entries);
        Ok(Panel {
            x,
            y,
            aspect: ASPECT,
            cells: None,
            fills: Vec::new(),
            series,
            arrows: Vec::new(),
            marks,
            dots,
            bands: Vec::new(),
            strips: Vec::new(),
            rules,
            notes: spec.notes.iter().map(note_scene).collect(),
            inset: spec.inset.as_ref().and_then(|inset| inset_scene(inset, &constants)),
            legend: spec.legend,
            entries,
            named: Vec::new(),
            bar: None,
            front: None,
            space: None,
        })
    }
}

/// What sweeps found, in these columns: dots, and for continua of states of rest the lines along which they end.
fn attractors(spec: &Diagram, data: &RunData, columns: &[String]) -> (Vec<(f64, f64)>, Vec<Series>) {
    let (mut dots, mut limits) = (vec![], vec![]);
    for table in spec.attractors.iter().filter_map(|name| data.seen(name)) {
        let (Some(x), Ok(kinds)) = (Expression::parse(&spec.x).values(table), table.texts("kind")) else {
            continue;
        };
        for column in columns {
            let Some(y) = Expression::parse(column).values(table) else {
                continue;
            };
            let mut ends = [vec![], vec![]];
            let mut row = 0;
            while row < x.len() {
                let next = row + 1;
                if next < x.len() && kinds[row] == "rest" && kinds[next] == "rest" && x[row] == x[next] {
                    ends[0].push((x[row], y[row]));
                    ends[1].push((x[row], y[next]));
                    row += 1;
                } else if x[row].is_finite() && y[row].is_finite() {
                    dots.push((x[row], y[row]));
                }
                row += 1;
            }
            limits.extend(ends.into_iter().filter(|points| points.len() > 1).map(|points| Series {
                ink: Ink::Neutral,
                stroke: Stroke::Thin,
                points,
            }));
        }
    }
    (dots, limits)
}

/// Reference lines across the panel; those through points become series with a legend entry. A formula is evaluated for
/// each of the `curves`, and the line is drawn wherever it leads to; its text stands beside the first.
pub(super) fn rules(
    lines: &[Line],
    curves: &[Constants],
    series: &mut Vec<Series>,
    entries: &mut Vec<Entry>,
) -> Vec<Rule> {
    let label = |text: &str| if text.is_empty() { None } else { Label::parse(text).ok() };
    let mut found = Vec::new();
    for line in lines {
        let (vertical, at, text) = match line {
            Line::Horizontal { at, label } => (false, at, label),
            Line::Vertical { at, label } => (true, at, label),
            Line::Through { points, label: text } => {
                series.push(Series {
                    ink: Ink::Neutral,
                    stroke: Stroke::Thin,
                    points: points.clone(),
                });
                if let Some(label) = label(text) {
                    entries.push(Entry::line(Ink::Neutral, Stroke::Thin, label));
                }
                continue;
            }
        };
        found.extend(places(at, curves).into_iter().enumerate().map(|(k, (at, ink))| Rule {
            vertical,
            at,
            ink,
            label: label(text).filter(|_| k == 0),
        }));
    }
    found
}

pub(super) fn note_scene(note: &Note) -> NoteScene {
    NoteScene {
        at: note.at,
        lines: note.text.lines().filter_map(|line| Label::parse(line).ok()).collect(),
        to: note.to,
    }
}

/// An inset whose ranges have values; formulas take those of the first curve that has them.
pub(super) fn inset_scene(inset: &Inset, curves: &[Constants]) -> Option<InsetScene> {
    let value = |at: &Place| places(at, curves).first().map(|(value, _)| *value);
    let range = |(low, high): &(Place, Place)| Some((value(low)?, value(high)?)).filter(|(low, high)| low < high);
    Some(InsetScene {
        x: range(&inset.x_range)?,
        y: range(&inset.y_range)?,
        corner: inset.corner,
        size: inset.size,
    })
}
