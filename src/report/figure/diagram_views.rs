//! Diagrams for a page: the same curves, colours, marks and lines as the print, by the names of columns, so that the
//! page draws them at any size.

use super::assemble::assemble;
use super::check::check;
use super::diagram::{self, free_parameters};
use super::groups::Groups;
use super::known::Known;
use super::palette::{Colour, Look};
use super::scene::{AxisScale, Entry, Ink, NoteScene, Panel, Rule, Sample, Series, Shape, Sheet, Stroke};
use super::spec::{Diagram, Figure, Palette};
use super::symbol::{LabelPieces, pieces};
use super::ticks::Scale;
use crate::RunData;

/// A diagram of a figure.
pub(crate) struct DiagramView {
    /// The name of the figure.
    pub(crate) figure: String,
    /// Which of the diagrams of the figure, from 1; none if it is the only one.
    pub(crate) part: Option<usize>,
    /// What the study says of it.
    pub(crate) spec: Diagram,
    /// The columns, perhaps wrapped in functions, that it draws.
    pub(crate) columns: Vec<String>,
    /// Whether columns, not curves, have colours.
    pub(crate) by_column: bool,
    /// Its curves, each with the colours of its columns.
    pub(crate) traces: Vec<(String, Vec<Colour>)>,
    pub(crate) x: ViewAxis,
    pub(crate) y: ViewAxis,
    /// What sweeps found.
    pub(crate) dots: Vec<(f64, f64)>,
    /// Reference lines through points, limits of continua.
    pub(crate) lines: Vec<ViewLine>,
    /// Reference lines across.
    pub(crate) rules: Vec<ViewRule>,
    pub(crate) notes: Vec<ViewNote>,
    /// The part that an inset magnifies.
    pub(crate) inset: Option<[(f64, f64); 2]>,
    pub(crate) legend: Vec<(ViewSample, LabelPieces)>,
}

/// An axis of a diagram.
pub(crate) struct ViewAxis {
    pub(crate) label: LabelPieces,
    pub(crate) log: bool,
    pub(crate) angle: bool,
    pub(crate) range: (f64, f64),
}

/// A line through points.
pub(crate) struct ViewLine {
    pub(crate) points: Vec<(f64, f64)>,
    pub(crate) colour: Colour,
    pub(crate) stroke: &'static str,
}

/// A straight line across.
pub(crate) struct ViewRule {
    pub(crate) vertical: bool,
    pub(crate) at: f64,
    pub(crate) colour: Colour,
    pub(crate) label: LabelPieces,
}

/// Words in a diagram.
pub(crate) struct ViewNote {
    pub(crate) at: (f64, f64),
    pub(crate) lines: Vec<LabelPieces>,
    pub(crate) to: Option<(f64, f64)>,
}

/// What stands beside the words of a legend.
pub(crate) enum ViewSample {
    Line(Colour, &'static str),
    Mark(&'static str, Colour),
    Dot,
    None,
}

/// The diagrams of a figure as the print shows them; none of a figure that cannot be drawn.
pub(crate) fn diagram_views(figure: &Figure, data: &RunData) -> Vec<DiagramView> {
    let parts: Vec<(usize, &Diagram)> = match figure {
        Figure::Diagram(diagram) => vec![(0, diagram)],
        Figure::Panels(sheet) => {
            let mut at = 0;
            let mut found = vec![];
            for part in &sheet.panels {
                if let Figure::Diagram(diagram) = part {
                    found.push((at, diagram));
                }
                at += panels(part);
            }
            found
        }
        _ => vec![],
    };
    if parts.is_empty() {
        return vec![];
    }
    let checked = check(figure, &Known::of(data));
    let Ok(sheet) = checked.and_then(|()| assemble(figure, data)) else {
        return vec![];
    };
    let whole = match figure {
        Figure::Panels(of) => of.panels.iter().map(panels).sum(),
        _ => 1,
    };
    if whole != sheet.panels.len() {
        return vec![];
    }
    let curves = sheet_curves(figure, data);
    let look = Look {
        palette: sheet.style.palette,
        canards: sheet
            .panels
            .iter()
            .flat_map(|p| &p.series)
            .any(|s| s.ink == Ink::Canard),
        line_width: 0.0,
    };
    let several = parts.len() > 1;
    let drawn = Drawn {
        figure: figure.name(),
        sheet: &sheet,
        data,
        curves: &curves,
        look,
    };
    let view = |(k, (at, spec)): (usize, (usize, &Diagram))| drawn.view(at, spec, several.then_some(k + 1));
    parts.into_iter().enumerate().map(view).collect()
}

/// How many panels a part of a sheet fills.
fn panels(part: &Figure) -> usize {
    match part {
        Figure::Orbits(orbits) => orbits.panels.len(),
        Figure::Trajectories(trajectories) => trajectories.panels.len(),
        Figure::Panels(sheet) => sheet.panels.iter().map(panels).sum(),
        _ => 1,
    }
}

/// The curves of all diagrams of a figure: each looks the same in all of them.
fn sheet_curves(figure: &Figure, data: &RunData) -> Vec<String> {
    let of = |part: &Figure| match part {
        Figure::Diagram(diagram) => diagram::curves(diagram, data),
        Figure::Chart(chart) => super::chart::curves(chart, data),
        _ => vec![],
    };
    let Figure::Panels(sheet) = figure else {
        return of(figure);
    };
    let mut curves: Vec<String> = vec![];
    for curve in sheet.panels.iter().flat_map(of) {
        if !curves.contains(&curve) {
            curves.push(curve);
        }
    }
    curves
}

/// A figure as it is drawn.
struct Drawn<'a> {
    figure: &'a str,
    sheet: &'a Sheet,
    data: &'a RunData,
    /// The curves of all its diagrams.
    curves: &'a [String],
    look: Look,
}

impl Drawn<'_> {
    /// The diagram that fills a panel.
    fn view(&self, at: usize, spec: &Diagram, part: Option<usize>) -> DiagramView {
        let (panel, look) = (&self.sheet.panels[at], self.look);
        let curves = diagram::curves(spec, self.data);
        let columns = diagram::columns(spec, self.data, &curves);
        let by_column = columns.len() > 1;
        let groups = Groups::new(self.curves, &spec.labels);
        let traces = curves
            .into_iter()
            .map(|curve| {
                let ink = |k: usize| Ink::Series(if by_column { k } else { groups.of(&curve) });
                let colours = (0..columns.len()).map(|k| look.colour(ink(k))).collect();
                (curve, colours)
            })
            .collect();
        DiagramView {
            figure: self.figure.to_owned(),
            part,
            spec: spec.clone(),
            columns,
            by_column,
            traces,
            x: axis(&panel.x),
            y: axis(&panel.y),
            dots: panel.dots.clone(),
            lines: lines(panel, look),
            rules: panel.rules.iter().map(|rule| rule_of(rule, look)).collect(),
            notes: panel.notes.iter().map(note).collect(),
            inset: panel.inset.as_ref().map(|inset| [inset.x, inset.y]),
            legend: panel.entries.iter().map(|entry| legend(entry, look)).collect(),
        }
    }
}

fn axis(of: &AxisScale) -> ViewAxis {
    ViewAxis {
        label: pieces(&of.label),
        log: of.scale == Scale::Log,
        angle: of.scale == Scale::Angle,
        range: (of.low, of.high),
    }
}

/// What is drawn as lines beside the curves.
fn lines(panel: &Panel, look: Look) -> Vec<ViewLine> {
    let aside = |series: &&Series| !matches!(series.ink, Ink::Series(_)) || series.stroke == Stroke::Thin;
    let line = |series: &Series| ViewLine {
        points: series.points.clone(),
        colour: look.colour(series.ink),
        stroke: stroke(series.stroke),
    };
    panel.series.iter().filter(aside).map(line).collect()
}

fn rule_of(rule: &Rule, look: Look) -> ViewRule {
    ViewRule {
        vertical: rule.vertical,
        at: rule.at,
        colour: look.colour(rule.ink),
        label: rule.label.as_ref().map(pieces).unwrap_or_default(),
    }
}

fn note(of: &NoteScene) -> ViewNote {
    ViewNote {
        at: of.at,
        lines: of.lines.iter().map(pieces).collect(),
        to: of.to,
    }
}

fn legend(entry: &Entry, look: Look) -> (ViewSample, LabelPieces) {
    let sample = match entry.sample {
        Sample::Line(ink, of) => ViewSample::Line(look.colour(ink), stroke(of)),
        Sample::Mark(of, ink) => ViewSample::Mark(shape_name(of), look.colour(ink)),
        Sample::Dot => ViewSample::Dot,
        _ => ViewSample::None,
    };
    (sample, pieces(&entry.label))
}

/// Is the curve a two-parameter curve? Its points lie on the border of stability.
pub(crate) fn is_locus(curve: &crate::Table) -> bool {
    free_parameters(curve).len() > 1
}

/// The name of the symbol that a label has in print.
pub(crate) fn symbol_of(label: &str) -> &'static str {
    shape_name(Shape::of(label))
}

/// The name of a symbol.
pub(super) fn shape_name(of: Shape) -> &'static str {
    match of {
        Shape::Disc => "disc",
        Shape::Circle => "circle",
        Shape::Square => "square",
        Shape::OpenSquare => "open-square",
        Shape::Diamond => "diamond",
        Shape::OpenDiamond => "open-diamond",
        Shape::Triangle => "triangle",
        Shape::OpenTriangle => "open-triangle",
        Shape::OpenTriangleDown => "open-triangle-down",
        Shape::Star => "star",
        Shape::Cross => "cross",
        Shape::Dot => "dot",
        Shape::Ring => "ring",
    }
}

fn stroke(of: Stroke) -> &'static str {
    match of {
        Stroke::Solid => "solid",
        Stroke::Dashed => "dashed",
        Stroke::Dotted => "dotted",
        Stroke::Thick => "thick",
        Stroke::Thin => "thin",
        Stroke::Fine => "fine",
        Stroke::Over => "over",
        Stroke::Hidden => "dotted",
    }
}

/// The colour of the n-th curve on a page.
pub(crate) fn series_colour(n: usize) -> Colour {
    let look = Look {
        palette: Palette::Colour,
        canards: false,
        line_width: 0.0,
    };
    look.colour(Ink::Series(n))
}
