//! The run packed for the page: columns by curve, orbits, special points, views.

use super::Story;
use super::budget;
use super::thin::thin;
use crate::RunData;
use crate::column::Column;
use crate::figure::{Axis, Figure, label_pieces};
use crate::table::Table;
use base64::Engine as _;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
/// Points an orbit is thinned to: what a screen shows.
const ORBIT_POINTS: usize = 600;

#[derive(Serialize)]
struct Payload<'a> {
    columns: Vec<ColumnStory>,
    curves: Vec<Curve<'a>>,
    orbits: Vec<Orbit<'a>>,
    special: Vec<Special<'a>>,
    views: Vec<View>,
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

/// A table with its columns packed.
struct Packed {
    rows: usize,
    columns: Vec<(String, PackedColumn)>,
}

impl Serialize for Packed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Columns<'a>(&'a [(String, PackedColumn)]);
        impl Serialize for Columns<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_map(self.0.iter().map(|(name, column)| (name, column)))
            }
        }
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("rows", &self.rows)?;
        map.serialize_entry("columns", &Columns(&self.columns))?;
        map.end()
    }
}

/// A column: one number for all rows, or numbers as bytes in base64 (little endian), or repeated texts and flags as
/// runs.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum PackedColumn {
    Same(f64),
    F64(String),
    F32(String),
    Runs(Vec<(Value, usize)>),
}

#[derive(Serialize, PartialEq)]
#[serde(untagged)]
enum Value {
    Text(String),
    Flag(bool),
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
            Figure::Orbits(_) | Figure::Trajectories(_) | Figure::Manifold(_) => {}
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

/// How many bytes a number takes.
#[derive(Clone, Copy)]
enum Precision {
    Single,
    Double,
}

/// Multipliers are for looking at; everything else keeps its digits, so that one can zoom in.
fn precision_of_points(column: &str) -> Precision {
    if is_multiplier(column) {
        Precision::Single
    } else {
        Precision::Double
    }
}

/// Is this `mult1_log10`, `nu2_arg`, …? Parameters may begin with the same letters.
fn is_multiplier(column: &str) -> bool {
    let numbered = column.strip_prefix("mult").or_else(|| column.strip_prefix("nu"));
    let Some((number, part)) = numbered.and_then(|rest| rest.split_once('_')) else {
        return false;
    };
    !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()) && ["log10", "arg"].contains(&part)
}

fn pack(table: &Table, without: &[&str], precision: fn(&str) -> Precision) -> Packed {
    let encode = |bytes: Vec<u8>| base64::engine::general_purpose::STANDARD.encode(bytes);
    let packed = |(name, column): (&str, &Column)| {
        let column = match (column, precision(name)) {
            (Column::Number(values), _) if same(values) => PackedColumn::Same(values[0]),
            (Column::Number(values), Precision::Single) => PackedColumn::F32(encode(
                values.iter().flat_map(|value| (*value as f32).to_le_bytes()).collect(),
            )),
            (Column::Number(values), Precision::Double) => {
                PackedColumn::F64(encode(values.iter().flat_map(|value| value.to_le_bytes()).collect()))
            }
            (Column::Text(values), _) => {
                PackedColumn::Runs(runs(values.iter().map(|value| Value::Text(value.clone()))))
            }
            (Column::Flag(values), _) => PackedColumn::Runs(runs(values.iter().map(|value| Value::Flag(*value)))),
        };
        (name.to_owned(), column)
    };
    let columns = table
        .columns()
        .filter(|(name, _)| !without.contains(name))
        .map(packed)
        .collect();
    Packed {
        rows: table.rows(),
        columns,
    }
}

fn same(values: &[f64]) -> bool {
    values
        .first()
        .is_some_and(|first| first.is_finite() && values.iter().all(|value| value == first))
}

fn runs(values: impl Iterator<Item = Value>) -> Vec<(Value, usize)> {
    let mut runs: Vec<(Value, usize)> = Vec::new();
    for value in values {
        match runs.last_mut() {
            Some((last, length)) if *last == value => *length += 1,
            _ => runs.push((value, 1)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_multipliers_are_stored_with_fewer_digits() {
        for multiplier in ["mult1_log10", "mult12_arg", "nu1_log10", "nu3_arg"] {
            assert!(is_multiplier(multiplier), "{multiplier}");
        }
        for other in [
            "nu",
            "nu1",
            "number",
            "multi",
            "mult",
            "mult_log10",
            "nu_arg",
            "nu1_logs",
            "multi1_arg",
            "nu1a_arg",
            "x_log10",
        ] {
            assert!(!is_multiplier(other), "{other}");
        }
    }
}
