//! Families of curves: those of a diagram, member by member in the colours of a parameter.

use super::diagram::Content;
use super::error::FigureError;
use super::formula::Constants;
use super::markup::{Label, LabelError};
use super::oblique::Oblique;
use super::plane::{distinct, is_logarithmic};
use super::scene::{AxisScale, Entry, Ink, Mark, Panel, Sample, Series, Shape, Stroke, fitting_range};
use super::select::Expression;
use super::spec::{Diagram, Family, Marks, Members};
use super::symbol::column_label;
use super::ticks::Scale;
use super::trace::{QUIET, Trace};
use crate::RunData;
use crate::table::Table;
use std::collections::BTreeMap;

/// Special points of neighbours farther apart, in axis lengths, than this, or than the first number over the steps
/// between members, do not belong together.
const FAR: (f64, f64) = (2.0, 0.15);
/// Lines through special points shorter than this part of the axes have no name.
const SHORT: f64 = 0.1;

/// The table of the members of a family.
fn members_of<'a>(name: &str, data: &'a RunData) -> Option<&'a Table> {
    data.tables.get(&format!("{name}-members"))
}

/// The parameters that a table of a family goes over, if it is one: those between the members and their curves.
pub(crate) fn parameters(name: &str, data: &RunData) -> Option<Vec<String>> {
    let members = members_of(name, data)?;
    let curve = members.names().iter().position(|name| name == "curve")?;
    let over = members.names().get(1..curve)?.to_vec();
    let numbers = over.iter().all(|name| members.numbers(name).is_ok());
    let numbered = data.tables.get(name)?.numbers("member").is_ok() && members.numbers("member").is_ok();
    (!over.is_empty() && numbers && numbered).then_some(over)
}

/// One curve of one member.
struct Strand {
    curve: String,
    /// The value of the parameter of the colours, and those of the others.
    value: f64,
    others: Vec<f64>,
    rows: Table,
}

/// The panel of a family.
pub(super) fn panel(figure: &str, spec: &Family, data: &RunData) -> Result<Panel, FigureError> {
    let empty = |message: String| FigureError::Empty {
        figure: figure.to_owned(),
        message,
    };
    let unfit = |word: &str, why: &LabelError| FigureError::Unfit {
        figure: figure.to_owned(),
        word: word.to_owned(),
        message: why.to_string(),
        help: String::new(),
    };
    let over = parameters(&spec.of, data).ok_or_else(|| empty(format!("the run has no family `{}`", spec.of)))?;
    let free = || over.iter().find(|name| !spec.at.contains_key(*name));
    let colour = spec.colour.as_ref().or_else(free).unwrap_or(&over[0]);
    let strands = strands(spec, data, &over, colour);
    let values = distinct(&strands.iter().map(|strand| strand.value).collect::<Vec<_>>());
    let scale = if is_logarithmic(&values) {
        Scale::Log
    } else {
        Scale::Linear
    };
    let (low, high) = match values[..] {
        [low, .., high] => (low, high),
        _ => fitting_range(values.iter().copied(), scale, 0.0)
            .ok_or_else(|| empty(format!("no member of `{}` has a curve", spec.of)))?,
    };
    let bar = AxisScale {
        label: column_label(colour, &spec.labels).map_err(|why| unfit(colour, &why))?,
        scale,
        low,
        high,
    };
    let known = data.tables.get(&spec.of).map(Table::names).unwrap_or_default();
    let columns: Vec<String> = spec
        .y
        .0
        .iter()
        .flat_map(|name| Expression::parse(name).expand(known))
        .collect();
    let (mut traces, mut marks, mut joints) = (vec![], vec![], vec![]);
    for strand in &strands {
        let ink = Ink::ramp(bar.part(strand.value).unwrap_or(0.0));
        for (at, column) in columns.iter().enumerate() {
            let Some(trace) = Trace::of(&strand.rows, (&spec.x, column), ink, false) else {
                continue;
            };
            let special = trace.special();
            marks.extend(special.iter().filter_map(|(label, at)| mark(spec, label, *at, ink)));
            joints.push(Joint {
                key: (
                    strand.curve.clone(),
                    at,
                    strand.others.iter().map(|v| v.to_bits()).collect(),
                ),
                special,
                depth: bar.part(strand.value).unwrap_or(0.0),
            });
            traces.push(trace);
        }
    }
    let constants = strands
        .iter()
        .map(|strand| Constants::of(&strand.rows, Ink::Neutral))
        .collect();
    let content = Content {
        columns,
        traces,
        constants,
        entries: vec![],
        marks,
        dots: vec![],
        limits: vec![],
        data: vec![],
    };
    let mut panel = content.panel(figure, &as_diagram(spec))?;
    for (k, name) in symbols(spec).iter().enumerate() {
        let shown = || panel.marks.iter().any(|mark| mark.shape == Shape::of(name));
        if !symbols(spec)[..k].contains(name) && shown() {
            let label = match spec.labels.get(name) {
                Some(own) => Label::parse(own).map_err(|why| unfit(own, &why))?,
                None => Label::plain(name),
            };
            let sample = Sample::Mark(Shape::of(name), Ink::Neutral);
            panel.entries.push(Entry { sample, label });
        }
    }
    let far = (FAR.0 / values.len().saturating_sub(1).max(1) as f64).max(FAR.1);
    let mut loci = vec![];
    for label in &spec.trace {
        let own = chains(label, &joints, &panel, far);
        loci.extend(own.into_iter().map(|chain| (label, chain)));
    }
    let oblique = (spec.view == Members::Surface).then(|| Oblique::of(&panel));
    if let Some(oblique) = &oblique {
        oblique.project(&mut panel);
    }
    let place = |(at, depth): &Placed| oblique.as_ref().map_or(Some(*at), |oblique| oblique.place(*at, *depth));
    for (label, chain) in loci {
        let points: Vec<(f64, f64)> = chain.iter().filter_map(place).collect();
        // Named where it ends, at the largest value that it reaches.
        if let Some(&at) = points.last().filter(|_| length(&points, &panel) > SHORT) {
            panel.marks.push(Mark {
                at,
                shape: Shape::Dot,
                name: Some(spec.labels.get(label).unwrap_or(label).clone()),
                ink: Ink::Locus,
            });
        }
        panel.series.push(Series {
            ink: Ink::Locus,
            stroke: Stroke::Solid,
            points,
        });
    }
    panel.bar = Some(bar);
    Ok(panel)
}

/// The curves to draw, from the least value to the largest.
fn strands(spec: &Family, data: &RunData, over: &[String], colour: &str) -> Vec<Strand> {
    let (Some(points), Some(members)) = (data.tables.get(&spec.of), members_of(&spec.of, data)) else {
        return vec![];
    };
    let numbers = |table: &Table, name: &str| table.numbers(name).map(<[f64]>::to_vec).unwrap_or_default();
    let columns: Vec<Vec<f64>> = over.iter().map(|name| numbers(members, name)).collect();
    // Of a parameter with a value to be at: the nearest there is.
    let at: Vec<Option<f64>> = over
        .iter()
        .zip(&columns)
        .map(|(name, column)| {
            let wanted = *spec.at.get(name)?;
            let nearest = |a: &f64, b: &f64| (a - wanted).abs().total_cmp(&(b - wanted).abs());
            distinct(column).into_iter().min_by(nearest)
        })
        .collect();
    let mut values: BTreeMap<u64, (f64, Vec<f64>)> = BTreeMap::new();
    for (row, number) in numbers(members, "member").into_iter().enumerate() {
        if at
            .iter()
            .zip(&columns)
            .any(|(at, column)| at.is_some_and(|at| column[row] != at))
        {
            continue;
        }
        let mut own = (f64::NAN, vec![]);
        for (name, column) in over.iter().zip(&columns) {
            if name == colour {
                own.0 = column[row];
            } else {
                own.1.push(column[row]);
            }
        }
        values.insert(number.to_bits(), own);
    }
    let (of_rows, curves) = (numbers(points, "member"), points.texts("curve").unwrap_or(&[]));
    let wanted = |curve: &str| {
        let belongs = |name: &String| {
            let rest = curve.strip_prefix(name.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        spec.curves.is_empty() || spec.curves.iter().any(belongs)
    };
    let mut found = vec![];
    let mut first = 0;
    while first < of_rows.len().min(curves.len()) {
        let same = |row: &usize| of_rows[*row] == of_rows[first] && curves[*row] == curves[first];
        let next = (first..curves.len()).find(|row| !same(row)).unwrap_or(curves.len());
        if let Some((value, others)) = values.get(&of_rows[first].to_bits())
            && wanted(&curves[first])
        {
            found.push(Strand {
                curve: curves[first].clone(),
                value: *value,
                others: others.clone(),
                rows: points.filter(|row| (first..next).contains(&row)),
            });
        }
        first = next;
    }
    found.sort_by(|a, b| a.value.total_cmp(&b.value));
    found
}

/// A diagram in the same axes.
fn as_diagram(spec: &Family) -> Diagram {
    Diagram {
        name: String::new(),
        x: spec.x.clone(),
        y: spec.y.clone(),
        of: vec![],
        attractors: vec![],
        data: vec![],
        log: spec.log.clone(),
        x_range: spec.x_range,
        y_range: spec.y_range,
        mark: Marks::None,
        lines: spec.lines.clone(),
        notes: spec.notes.clone(),
        inset: spec.inset.clone(),
        legend: spec.legend,
        labels: spec.labels.clone(),
        style: None,
    }
}

/// The labels whose points have symbols that the legend explains.
fn symbols(spec: &Family) -> &[String] {
    match &spec.mark {
        Marks::Only(labels) => labels,
        Marks::All | Marks::None => &[],
    }
}

/// The mark of a special point. Members are many: without being asked for, it is a dot in the colour of its curve.
fn mark(spec: &Family, label: &str, at: (f64, f64), ink: Ink) -> Option<Mark> {
    let shape = if symbols(spec).iter().any(|wanted| wanted == label) {
        Shape::of(label)
    } else if spec.mark == Marks::All && !QUIET.contains(&label) && !spec.trace.iter().any(|traced| traced == label) {
        Shape::Dot
    } else {
        return None;
    };
    Some(Mark {
        at,
        shape,
        name: None,
        ink,
    })
}

/// The special points of one column of a curve of a member, and what those of other members share that may be joined
/// to them: the curve, the column, the values of the other parameters.
struct Joint {
    key: (String, usize, Vec<u64>),
    special: Vec<(String, (f64, f64))>,
    depth: f64,
}

/// A point of a member, and how far back the member lies.
type Placed = ((f64, f64), f64);

/// How long a line is, in axis lengths.
fn length(points: &[(f64, f64)], panel: &Panel) -> f64 {
    let parts: Vec<(f64, f64)> = points
        .iter()
        .filter_map(|&(x, y)| panel.x.part(x).zip(panel.y.part(y)))
        .collect();
    parts
        .windows(2)
        .map(|pair| (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1))
        .sum()
}

/// Lines through the special points of this label from member to member: each goes on at the nearest.
fn chains(label: &str, joints: &[Joint], panel: &Panel, far: f64) -> Vec<Vec<Placed>> {
    let part = |((x, y), _): Placed| panel.x.part(x).zip(panel.y.part(y));
    let mut open: BTreeMap<&(String, usize, Vec<u64>), Vec<Vec<Placed>>> = BTreeMap::new();
    let mut done: Vec<Vec<Placed>> = vec![];
    for joint in joints {
        let own = joint
            .special
            .iter()
            .filter(|(other, at)| other == label && part((*at, joint.depth)).is_some());
        let mut points: Vec<Placed> = own.map(|(_, at)| (*at, joint.depth)).collect();
        let before = open.entry(&joint.key).or_default();
        let mut now: Vec<Vec<Placed>> = vec![];
        loop {
            let ends = before
                .iter()
                .enumerate()
                .filter_map(|(i, chain)| Some((i, part(*chain.last()?)?)));
            let pairs = ends.flat_map(|(i, end)| {
                let distance = move |at: (f64, f64)| (at.0 - end.0).hypot(at.1 - end.1);
                let starts = points.iter().enumerate();
                starts.filter_map(move |(j, at)| Some((distance(part(*at)?), i, j)))
            });
            match pairs.min_by(|a, b| a.0.total_cmp(&b.0)) {
                Some((distance, i, j)) if distance < far => {
                    let mut chain = before.remove(i);
                    chain.push(points.remove(j));
                    now.push(chain);
                }
                _ => break,
            }
        }
        now.extend(points.into_iter().map(|point| vec![point]));
        done.append(before);
        *before = now;
    }
    done.extend(open.into_values().flatten());
    done.retain(|chain| chain.len() > 1);
    done
}
