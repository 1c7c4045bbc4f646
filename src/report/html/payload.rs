//! The run packed for the page: columns by curve, orbits, special points, views.

use super::Story;
use super::budget;
use super::cells::{Cells, cells};
use super::pack::{Packed, PackedColumn, Precision, pack, precision_of_points};
use super::thin::thin;
use crate::RunData;
use crate::column::Column;
use crate::figure::{Axis, Figure, label_pieces};
use crate::table::Table;
use serde::Serialize;
/// Points an orbit is thinned to: what a screen shows.
const ORBIT_POINTS: usize = 600;

#[derive(Serialize)]
struct Payload<'a> {
    columns: Vec<ColumnStory>,
    curves: Vec<Curve<'a>>,
    orbits: Vec<Orbit<'a>>,
    special: Vec<Special<'a>>,
    views: Vec<View>,
    cells: Vec<Cells>,
}

/// A column that some table has.
#[derive(Serialize)]
struct ColumnStory {
    name: String,
    /// Pieces of its label: text, italic, raised (1) or lowered (-1).
    label: Vec<(String, bool, i8)>,
    /// Whether a diagram can show it.
    number: bool,
    angle: bool,
}

#[derive(Serialize)]
struct Curve<'a> {
    name: &'a str,
    free: Vec<String>,
    ended: &'a str,
    /// Whether its orbits are those of a map: points, one after the other.
    map: bool,
    table: Packed,
    /// The margins of its inequalities, row by row as in `table`: each with its heading.
    inequalities: Vec<(String, PackedColumn)>,
}

#[derive(Serialize)]
struct Orbit<'a> {
    /// Position of its curve.
    curve: usize,
    index: usize,
    name: &'a str,
    table: Packed,
}

#[derive(Serialize)]
struct Special<'a> {
    curve: usize,
    index: usize,
    label: &'a str,
    message: &'a str,
}

/// Columns on the axes of a diagram.
#[derive(Serialize)]
struct View {
    name: String,
    x: String,
    y: String,
    log_x: bool,
    log_y: bool,
    /// Ranges the study asks for.
    x_range: Option<(f64, f64)>,
    y_range: Option<(f64, f64)>,
}

/// The payload as JSON.
pub(super) fn json(data: &RunData, story: &Story<'_>) -> String {
    let names = data.points.distinct("curve");
    let curves = names
        .iter()
        .map(|name| {
            let reported = story.curves.get(name);
            Curve {
                name,
                free: reported.map_or_else(Vec::new, |reported| reported.free.clone()),
                ended: reported.map_or("", |reported| reported.ended.as_str()),
                map: reported.is_some_and(|reported| reported.map),
                table: pack(&data.points.rows_where("curve", name), &["curve"], precision_of_points),
                inequalities: data.inequalities.get(*name).map_or_else(Vec::new, |margins| {
                    pack(margins, &["index"], |_| Precision::Single).columns
                }),
            }
        })
        .collect();
    let payload = Payload {
        columns: columns(data, story),
        curves,
        orbits: orbits(data, story, &names),
        special: special(data, &names),
        views: views(data, story),
        cells: cells(data, story),
    };
    // Every map has string keys and every number is finite, so this cannot fail; an empty page would say so.
    serde_json::to_string(&payload).unwrap_or_default()
}

fn columns(data: &RunData, story: &Story<'_>) -> Vec<ColumnStory> {
    let mut columns: Vec<ColumnStory> = Vec::new();
    let mut add = |table: &Table, of_points: bool| {
        for (name, column) in table.columns() {
            if !columns.iter().any(|known| known.name == name) {
                let number = of_points && matches!(column, Column::Number(_));
                let (label, angle) = label_pieces(name);
                columns.push(ColumnStory {
                    name: name.to_owned(),
                    label,
                    number,
                    angle,
                });
            }
        }
    };
    add(&data.points, true);
    for orbit in data.orbits.values().chain(story.orbits.values()) {
        add(orbit, false);
    }
    data.tables.values().for_each(|table| add(table, false));
    columns
}

fn orbits<'a>(data: &'a RunData, story: &'a Story<'_>, names: &[&'a str]) -> Vec<Orbit<'a>> {
    let pack_orbit = |chosen: budget::Chosen<'a>| Orbit {
        curve: chosen.curve,
        index: chosen.index,
        name: names[chosen.curve],
        table: pack(&thin(chosen.table, ORBIT_POINTS), &[], |_| Precision::Single),
    };
    budget::chosen(data, story, names).into_iter().map(pack_orbit).collect()
}

fn special<'a>(data: &'a RunData, names: &[&str]) -> Vec<Special<'a>> {
    let table = &data.special;
    let (Ok(curves), Ok(indices), Ok(labels)) = (table.texts("curve"), table.numbers("index"), table.texts("label"))
    else {
        return Vec::new();
    };
    let messages = table.texts("message").ok();
    let row = |row: usize| {
        Some(Special {
            curve: names.iter().position(|name| *name == curves[row])?,
            index: indices[row] as usize,
            label: &labels[row],
            message: messages.map_or("", |messages| messages[row].as_str()),
        })
    };
    (0..table.rows()).filter_map(row).collect()
}

/// The study's diagrams; without any, the first free parameter against the first monitor.
fn views(data: &RunData, story: &Story<'_>) -> Vec<View> {
    fn diagrams<'a>(figure: &'a Figure, name: &str, views: &mut Vec<View>, data: &'a RunData) {
        match figure {
            Figure::Diagram(diagram) => {
                let y = diagram.y.0.first().cloned().unwrap_or_default();
                if data.points.has(&diagram.x) && data.points.has(&y) {
                    let own = if diagram.name.is_empty() { name } else { &diagram.name };
                    views.push(View {
                        name: format!("{own}: {y}"),
                        x: diagram.x.clone(),
                        y,
                        log_x: diagram.log.contains(&Axis::X),
                        log_y: diagram.log.contains(&Axis::Y),
                        x_range: diagram.x_range,
                        y_range: diagram.y_range,
                    });
                }
            }
            Figure::Panels(sheet) => sheet
                .panels
                .iter()
                .for_each(|panel| diagrams(panel, &sheet.name, views, data)),
            _ => {}
        }
    }
    let mut views = Vec::new();
    story
        .figures
        .iter()
        .for_each(|figure| diagrams(figure, figure.name(), &mut views, data));
    if views.is_empty() {
        let free = story
            .curves
            .values()
            .find_map(|reported| reported.free.first().cloned());
        let varying: Vec<&str> = data
            .points
            .columns()
            .filter(|(name, column)| *name != "index" && varies(column))
            .map(|(name, _)| name)
            .collect();
        let x = free
            .filter(|free| data.points.has(free))
            .or_else(|| varying.first().map(|&name| name.to_owned()));
        if let Some(x) = x {
            // Monitors follow the period; a system without one has them behind the parameters.
            let behind = varying.iter().position(|name| *name == "period").map_or(0, |at| at + 1);
            let y = varying[behind..]
                .iter()
                .chain(&varying)
                .find(|name| **name != x)
                .map_or(x.clone(), |&name| name.to_owned());
            views.push(View {
                name: "diagram".to_owned(),
                x,
                y,
                log_x: false,
                log_y: false,
                x_range: None,
                y_range: None,
            });
        }
    }
    views
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
