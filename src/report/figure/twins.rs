//! Distances of regularisations from their limit, over the small parameter.

use super::error::FigureError;
use super::markup::{Label, LabelError};
use super::scene::{AxisScale, Entry, Ink, Mark, Panel, Series, Shape, Stroke, fitting_range};
use super::spec::Twins;
use super::symbol::column_label;
use super::ticks::Scale;
use crate::RunData;
use crate::table::Table;

/// Room left at the ends of the axes.
const ROOM: f64 = 0.06;
/// Height of the panel as a part of its width.
const ASPECT: f64 = 0.68;
/// What a table of distances has before its parameter.
const TEXTS: [&str; 3] = ["limit", "object", "column"];

/// The columns that a table compares, if it is one of distances.
pub(super) fn columns(name: &str, data: &RunData) -> Option<Vec<String>> {
    let table = data.tables.get(name)?;
    let is_one = table.names().iter().zip(TEXTS).all(|(own, wanted)| own == wanted)
        && table.numbers("distance").is_ok()
        && table.numbers("slope").is_ok();
    let columns = table.distinct("column").into_iter().map(str::to_owned).collect();
    is_one.then_some(columns)
}

/// The distances of one object.
struct Strand {
    /// The curve of the limit, the object, the column.
    of: [String; 3],
    points: Vec<(f64, f64)>,
    slope: f64,
}

/// Those of a table that the figure shows.
fn strands(spec: &Twins, table: &Table) -> Option<Vec<Strand>> {
    let texts = TEXTS.map(|name| table.texts(name).ok());
    let [limits, objects, columns] = [texts[0]?, texts[1]?, texts[2]?];
    let parameter = table.numbers(table.names().get(TEXTS.len())?).ok()?;
    let (distances, slopes) = (table.numbers("distance").ok()?, table.numbers("slope").ok()?);
    let mut all: Vec<Strand> = vec![];
    for row in 0..table.rows() {
        let label = objects[row].split(' ').next().unwrap_or_default();
        let is_level = objects[row].contains('=');
        let named = |wanted: &String| *wanted == objects[row] || (wanted == label && !is_level);
        let shown = if spec.objects.is_empty() {
            !is_level
        } else {
            spec.objects.iter().any(named)
        };
        let wanted = spec.columns.is_empty() || spec.columns.contains(&columns[row]);
        if !(shown && wanted && distances[row] > 0.0) {
            continue;
        }
        let of = [&limits[row], &objects[row], &columns[row]].map(String::clone);
        if all.last().is_none_or(|last| last.of != of) {
            let (points, slope) = (vec![], slopes[row]);
            all.push(Strand { of, points, slope });
        }
        if let Some(last) = all.last_mut() {
            last.points.push((parameter[row], distances[row]));
        }
    }
    Some(all)
}

/// The panel.
pub(super) fn panel(figure: &str, spec: &Twins, data: &RunData) -> Result<Panel, FigureError> {
    let empty = |message: String| FigureError::Empty {
        figure: figure.to_owned(),
        message,
    };
    let unfit = |why: LabelError| FigureError::Unfit {
        figure: figure.to_owned(),
        word: "labels".to_owned(),
        message: why.to_string(),
        help: String::new(),
    };
    let table = data.tables.get(&spec.of);
    let found = table.and_then(|table| Some((table.names().get(TEXTS.len())?, strands(spec, table)?)));
    let (parameter, strands) = found.ok_or_else(|| empty(format!("the run has no distances `{}`", spec.of)))?;
    let points = || strands.iter().flat_map(|strand| strand.points.iter());
    let axis = |label: Label, values: Vec<f64>| {
        let (low, high) = fitting_range(values.into_iter(), Scale::Log, ROOM)
            .ok_or_else(|| empty(format!("`{}` has no distances of these objects and columns", spec.of)))?;
        Ok(AxisScale {
            label,
            scale: Scale::Log,
            low,
            high,
        })
    };
    let mut y_label = Label::plain("distance");
    let mut shown: Vec<&str> = vec![];
    for strand in &strands {
        if !shown.contains(&&*strand.of[2]) {
            shown.push(&strand.of[2]);
        }
    }
    if let [column] = shown[..] {
        y_label = Label::plain("distance in ");
        y_label.append(column_label(column, &spec.labels).map_err(unfit)?);
    }
    let curves: Vec<&String> = strands.iter().map(|strand| &strand.of[0]).collect();
    let several = curves.iter().any(|curve| *curve != curves[0]);
    let (mut series, mut marks, mut entries) = (vec![], vec![], vec![]);
    for (k, strand) in strands.iter().enumerate() {
        let ink = Ink::Series(k);
        let [curve, object, column] = &strand.of;
        let mut label = Label::default();
        if several || object == "curve" {
            label.append(match spec.labels.get(curve) {
                Some(own) => Label::parse(own).map_err(unfit)?,
                None => Label::plain(curve),
            });
        }
        if object != "curve" {
            label.append(Label::plain(&if several {
                format!(": {object}")
            } else {
                object.clone()
            }));
        }
        if shown.len() > 1 {
            label.append(Label::plain(" in "));
            label.append(column_label(column, &spec.labels).map_err(unfit)?);
        }
        if strand.slope.is_finite() {
            label.append(Label::plain(&format!(", order {:.2}", strand.slope)));
        }
        entries.push(Entry::line(ink, Stroke::Solid, label));
        series.push(Series {
            ink,
            stroke: Stroke::Solid,
            points: strand.points.clone(),
        });
        marks.extend(strand.points.iter().map(|&at| Mark {
            at,
            shape: Shape::Dot,
            name: None,
            ink,
        }));
    }
    Ok(Panel {
        x: axis(
            column_label(parameter, &spec.labels).map_err(unfit)?,
            points().map(|p| p.0).collect(),
        )?,
        y: axis(y_label, points().map(|p| p.1).collect())?,
        aspect: ASPECT,
        cells: None,
        fills: vec![],
        series,
        arrows: vec![],
        marks,
        dots: vec![],
        bands: vec![],
        strips: vec![],
        rules: vec![],
        notes: vec![],
        inset: None,
        legend: spec.legend,
        entries,
        named: Vec::new(),
        bar: None,
        front: None,
        space: None,
    })
}
