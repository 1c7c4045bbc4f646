//! The views of the page: the diagrams among the figures of the study, as the print shows them.

use super::Story;
use super::pack::encode;
use super::ron::besides_axes;
use crate::RunData;
use crate::column::Column;
use crate::figure::{DiagramView, Figure, LabelPieces, Marks, ViewSample, diagram_views};
use serde::Serialize;
use std::collections::BTreeSet;

/// Dots of sweeps at most: more are taken on a grid finer than a screen.
const DOTS: usize = 40_000;
const GRID: f64 = 1500.0;

type Rgb = [u8; 3];

/// Columns on the axes of a diagram, and all that is drawn between them.
#[derive(Serialize)]
pub(super) struct View {
    /// The name of the figure, and which of its diagrams.
    figure: String,
    part: Option<usize>,
    x: Axis,
    y: Axis,
    columns: Vec<String>,
    by_column: bool,
    /// Positions of curves with the colour of each column; none stands for all curves.
    traces: Vec<(usize, Vec<Rgb>)>,
    /// Labels that are marked and named; none: all but the quiet ones.
    mark: Option<Vec<String>>,
    /// Pairs of single numbers in base64.
    dots: String,
    lines: Vec<Line>,
    rules: Vec<Rule>,
    notes: Vec<Note>,
    inset: Option<[(f64, f64); 2]>,
    legend: Vec<(Sample, LabelPieces)>,
    /// The rest of what the study says, for the text of a figure.
    besides: String,
}

#[derive(Serialize)]
struct Axis {
    column: String,
    label: LabelPieces,
    log: bool,
    angle: bool,
    /// None: whatever shows everything.
    range: Option<(f64, f64)>,
}

#[derive(Serialize)]
struct Line {
    points: Vec<(f64, f64)>,
    colour: Rgb,
    stroke: &'static str,
}

#[derive(Serialize)]
struct Rule {
    vertical: bool,
    at: f64,
    colour: Rgb,
    label: LabelPieces,
}

#[derive(Serialize)]
struct Note {
    at: (f64, f64),
    lines: Vec<LabelPieces>,
    to: Option<(f64, f64)>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Sample {
    Line(Rgb, &'static str),
    Mark(&'static str, Rgb),
    Dot,
    None,
}

/// The study's diagrams; without any, the first free parameter against the first monitor.
pub(super) fn views(data: &RunData, story: &Story<'_>, names: &[&str]) -> Vec<View> {
    let drawn = |figure: &Figure| {
        let absent: Vec<&str> = figure
            .curves()
            .into_iter()
            .filter(|name| !names.contains(name))
            .collect();
        let figure = figure.without(&absent);
        figure.map_or_else(Vec::new, |figure| diagram_views(&figure, data))
    };
    let of_figures = story.figures.iter().flat_map(drawn);
    let views: Vec<View> = of_figures.map(|view| packed(view, names)).collect();
    if views.is_empty() {
        return default_view(data, story, names).into_iter().collect();
    }
    views
}

fn packed(view: DiagramView, names: &[&str]) -> View {
    let place = |name: &String| names.iter().position(|other| other == name);
    let axis = |column: String, axis: crate::figure::ViewAxis| Axis {
        column,
        label: axis.label,
        log: axis.log,
        angle: axis.angle,
        range: Some(axis.range),
    };
    let besides = besides_axes(&view.spec);
    View {
        figure: view.figure,
        part: view.part,
        x: axis(view.spec.x.clone(), view.x),
        y: axis(view.spec.y.0.join(", "), view.y),
        columns: view.columns,
        by_column: view.by_column,
        traces: view
            .traces
            .into_iter()
            .filter_map(|(name, colours)| Some((place(&name)?, colours)))
            .collect(),
        mark: match view.spec.mark {
            Marks::All => None,
            Marks::None => Some(vec![]),
            Marks::Only(labels) => Some(labels),
        },
        dots: dots(&view.dots),
        lines: view
            .lines
            .into_iter()
            .map(|line| Line {
                points: line.points.into_iter().filter(finite).collect(),
                colour: line.colour,
                stroke: line.stroke,
            })
            .collect(),
        rules: view
            .rules
            .into_iter()
            .map(|rule| Rule {
                vertical: rule.vertical,
                at: rule.at,
                colour: rule.colour,
                label: rule.label,
            })
            .collect(),
        notes: view
            .notes
            .into_iter()
            .map(|note| Note {
                at: note.at,
                lines: note.lines,
                to: note.to,
            })
            .collect(),
        inset: view.inset,
        legend: view
            .legend
            .into_iter()
            .map(|(sample, label)| (sampled(sample), label))
            .collect(),
        besides,
    }
}

fn sampled(sample: ViewSample) -> Sample {
    match sample {
        ViewSample::Line(colour, stroke) => Sample::Line(colour, stroke),
        ViewSample::Mark(shape, colour) => Sample::Mark(shape, colour),
        ViewSample::Dot => Sample::Dot,
        ViewSample::None => Sample::None,
    }
}

fn finite(&(x, y): &(f64, f64)) -> bool {
    x.is_finite() && y.is_finite()
}

/// Dots as bytes; of very many, one in each cell of a grid.
fn dots(dots: &[(f64, f64)]) -> String {
    let mut kept: Vec<(f64, f64)> = dots.iter().copied().filter(finite).collect();
    if kept.len() > DOTS {
        let span = |of: fn(&(f64, f64)) -> f64| {
            let ends = kept
                .iter()
                .map(of)
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
            (ends.0, (ends.1 - ends.0).max(f64::MIN_POSITIVE))
        };
        let (x, y) = (span(|dot| dot.0), span(|dot| dot.1));
        let cell = |value: f64, (low, wide): (f64, f64)| ((value - low) / wide * GRID) as u32;
        let mut taken = BTreeSet::new();
        kept.retain(|dot| taken.insert((cell(dot.0, x), cell(dot.1, y))));
    }
    encode(
        kept.iter()
            .flat_map(|dot| [dot.0, dot.1])
            .flat_map(|v| (v as f32).to_le_bytes())
            .collect(),
    )
}

/// The first free parameter against the first monitor, as a diagram in print would show them.
fn default_view(data: &RunData, story: &Story<'_>, names: &[&str]) -> Option<View> {
    let mut free = story.curves.values().filter_map(|reported| reported.free.first());
    let varying: Vec<&str> = data
        .points
        .columns()
        .filter(|(name, column)| *name != "index" && varies(column))
        .map(|(name, _)| name)
        .collect();
    let free = free.find(|free| data.points.has(free)).cloned();
    let x = free.or_else(|| varying.first().map(|&name| name.to_owned()))?;
    // Monitors follow the period; a system without one has them behind the parameters.
    let behind = varying.iter().position(|name| *name == "period").map_or(0, |at| at + 1);
    let y = varying[behind..]
        .iter()
        .chain(&varying)
        .find(|name| **name != x)
        .map_or(x.clone(), |&name| name.to_owned());
    let text = format!("Diagram(name: \"diagram\", x: {x:?}, y: {y:?})");
    let drawn = Figure::from_ron(&text).map_or_else(|_| vec![], |figure| diagram_views(&figure, data));
    if let Some(view) = drawn.into_iter().next() {
        return Some(packed(view, names));
    }
    // What print refuses, such as a single point without a range: the page shows its axes.
    let axis = |column: String| {
        let (label, angle) = crate::figure::label_pieces(&column);
        Axis {
            column,
            label,
            log: false,
            angle,
            range: None,
        }
    };
    Some(View {
        figure: "diagram".to_owned(),
        part: None,
        columns: vec![y.clone()],
        x: axis(x),
        y: axis(y),
        by_column: false,
        traces: vec![],
        mark: None,
        dots: String::new(),
        lines: vec![],
        rules: vec![],
        notes: vec![],
        inset: None,
        legend: vec![],
        besides: String::new(),
    })
}

fn varies(column: &Column) -> bool {
    match column {
        Column::Number(values) => {
            let first = values.iter().find(|value| value.is_finite());
            first.is_some_and(|first| values.iter().any(|value| value.is_finite() && value != first))
        }
        _ => false,
    }
}
