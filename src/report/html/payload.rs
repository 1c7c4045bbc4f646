//! The run packed for the page: columns by curve, orbits, special points, views.

use super::Story;
use super::budget;
use super::cells::{Cells, cells};
use super::pack::{Packed, PackedColumn, Precision, pack, precision_of_points};
use super::thin::thin;
use super::views::{View, views};
use crate::RunData;
use crate::column::Column;
use crate::figure::{is_locus, label_pieces, series_colour, symbol_of};
use crate::reference_parts;
use crate::table::Table;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};

/// Numbers of points that a browser loads at once.
const NUMBERS: usize = 2_000_000;
/// Points an orbit is thinned to: what a screen shows.
const ORBIT_POINTS: usize = 600;
/// Columns of an orbit that a page holds, and states of a system: of more than that nobody picks one from a list.
const ORBIT_COLUMNS: usize = 256;

#[derive(Serialize)]
struct Payload<'a> {
    columns: Vec<ColumnStory>,
    curves: Vec<Curve<'a>>,
    orbits: Vec<Orbit<'a>>,
    special: Vec<Special<'a>>,
    views: Vec<View>,
    cells: Vec<Cells>,
    /// The symbol of each label.
    symbols: BTreeMap<&'a str, &'static str>,
    /// The colours of print, and as many more as there are curves.
    palette: Vec<[u8; 3]>,
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
    /// Whether it is a two-parameter curve.
    locus: bool,
    /// The position of the curve it starts from, and where on that.
    parent: Option<(usize, String)>,
    /// The states of its system.
    states: &'a [String],
    /// How many points the tables have; the page may hold fewer.
    points: usize,
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

/// The payload as JSON.
pub(super) fn json(data: &RunData, story: &Story<'_>) -> String {
    let names = data.points.distinct("curve");
    let kept = fewer_points(data, &names);
    let curves = names
        .iter()
        .zip(&kept)
        .map(|(name, kept)| {
            let reported = story.curves.get(name);
            let rows = data.points.rows_where("curve", name);
            let shown = |table: &Table| {
                kept.as_ref()
                    .map_or_else(|| table.clone(), |kept| table.filter(|row| kept[row]))
            };
            Curve {
                name,
                free: reported.map_or_else(Vec::new, |reported| reported.free.clone()),
                ended: reported.map_or("", |reported| reported.ended.as_str()),
                map: reported.is_some_and(|reported| reported.map),
                locus: is_locus(&rows),
                parent: parent(name, reported.map_or("", |reported| reported.from.as_str()), &names),
                states: reported.map_or(&[], |reported| {
                    &reported.states[..reported.states.len().min(ORBIT_COLUMNS)]
                }),
                points: rows.rows(),
                table: pack(&shown(&rows), &["curve"], precision_of_points),
                inequalities: data.inequalities.get(*name).map_or_else(Vec::new, |margins| {
                    let margins = if margins.rows() == rows.rows() {
                        shown(margins)
                    } else {
                        margins.clone()
                    };
                    pack(&margins, &["index"], |_| Precision::Single).columns
                }),
            }
        })
        .collect();
    let payload = Payload {
        columns: columns(data, story),
        curves,
        orbits: orbits(data, story, &names),
        special: special(data, &names),
        views: views(data, story, &names),
        cells: cells(data, story),
        symbols: symbols(data),
        palette: (0..names.len() + 16).map(series_colour).collect(),
    };
    // Every map has string keys and every number is finite, so this cannot fail; an empty page would say so.
    serde_json::to_string(&payload).unwrap_or_default()
}

fn columns(data: &RunData, story: &Story<'_>) -> Vec<ColumnStory> {
    let mut columns: Vec<ColumnStory> = Vec::new();
    let mut seen: HashSet<String> = HashSet::new();
    let mut add = |table: &Table, of_points: bool, most: usize| {
        for (name, column) in table.columns().take(most) {
            if seen.insert(name.to_owned()) {
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
    add(&data.points, true, usize::MAX);
    for orbit in data.orbits.values().chain(story.orbits.values()) {
        add(orbit, false, ORBIT_COLUMNS);
    }
    data.tables.values().for_each(|table| add(table, false, usize::MAX));
    columns
}

fn orbits<'a>(data: &'a RunData, story: &'a Story<'_>, names: &[&'a str]) -> Vec<Orbit<'a>> {
    let pack_orbit = |chosen: budget::Chosen<'a>| Orbit {
        curve: chosen.curve,
        index: chosen.index,
        name: names[chosen.curve],
        table: pack(
            &thin(&chosen.table.first_columns(ORBIT_COLUMNS), ORBIT_POINTS),
            &[],
            |_| Precision::Single,
        ),
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

/// The rows of each curve that the page holds; none where it holds all. Of a large run every curve gives up the same
/// part of its points, but none that is labelled, none beside these, and no end.
fn fewer_points(data: &RunData, names: &[&str]) -> Vec<Option<Vec<bool>>> {
    let numbers = data
        .points
        .columns()
        .filter(|(_, column)| matches!(column, Column::Number(_)));
    let most = NUMBERS / numbers.count().max(1);
    let all = data.points.rows();
    if all <= most {
        return vec![None; names.len()];
    }
    let stride = all.div_ceil(most);
    let of_curve = |name: &&str| {
        let rows = data.points.rows_where("curve", name);
        let mut kept: Vec<bool> = (0..rows.rows())
            .map(|row| row % stride == 0 || row + 1 == rows.rows())
            .collect();
        for (row, label) in rows.texts("label").into_iter().flatten().enumerate() {
            if !label.is_empty() {
                let beside = row.saturating_sub(1)..=(row + 1).min(kept.len() - 1);
                kept[beside].fill(true);
            }
        }
        Some(kept)
    };
    names.iter().map(of_curve).collect()
}

/// The curve that a curve starts from: its name tells where branches leave (`steady-BP1a`), the study tells it of
/// others (`steady, HB`).
fn parent(name: &str, from: &str, names: &[&str]) -> Option<(usize, String)> {
    let leaves = |other: &&str| name.strip_prefix(*other)?.strip_prefix('-').map(str::to_owned);
    let longest = names
        .iter()
        .enumerate()
        .filter_map(|(at, other)| Some((at, leaves(other)?)));
    if let Some(found) = longest.max_by_key(|(at, _)| names[*at].len()) {
        return Some(found);
    }
    let parts = reference_parts(from);
    let [curve, place] = parts.as_slice() else {
        return None;
    };
    // Branches are called by the curve and the labels where they leave: `stiff-SB` is `stiff-SB1a`, too.
    let numbered = |other: &&str| {
        other
            .strip_prefix(curve)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let exact = names.iter().position(|other| other == curve);
    let at = exact
        .or_else(|| names.iter().position(numbered))
        .filter(|&at| names[at] != name)?;
    Some((at, (*place).to_owned()))
}

/// The symbol of each label there is.
fn symbols(data: &RunData) -> BTreeMap<&str, &'static str> {
    let labels = data.special.texts("label").into_iter().flatten();
    labels.map(|label| (label.as_str(), symbol_of(label))).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Kind;

    #[test]
    fn a_curve_knows_where_it_comes_from() {
        let names = ["steady", "steady-BP1a", "steady-BP1a-PD1", "cycles", "steady-2"];
        let of = |name, from| parent(name, from, &names).map(|(at, place)| (names[at], place));
        assert_eq!(of("steady-BP1a-PD1", ""), Some(("steady-BP1a", "PD1".to_owned())));
        assert_eq!(of("cycles", "steady: HB 2"), Some(("steady", "HB 2".to_owned())));
        assert_eq!(of("doubling", "steady-BP: PD"), Some(("steady-BP1a", "PD".to_owned())));
        assert_eq!(of("cycles", "../output/other, steady, HB"), None);
        assert_eq!(of("steady", ""), None);
    }

    #[test]
    fn a_large_run_gives_up_points_but_no_labelled_one() {
        let mut points = Table::new([
            ("curve", Kind::Text),
            ("index", Kind::Number),
            ("label", Kind::Text),
            ("r", Kind::Number),
        ]);
        for index in 0..2_100_000_usize {
            let label = if index == 1_234_567 { "LP" } else { "" };
            points
                .push_row(["long".into(), index.into(), label.into(), 1.0.into()])
                .unwrap();
        }
        let data = RunData {
            points,
            ..RunData::default()
        };
        let kept = fewer_points(&data, &["long"]).remove(0).unwrap();
        let count = kept.iter().filter(|&&kept| kept).count();
        assert!(count <= NUMBERS / 2 && count > NUMBERS / 3, "{count}");
        assert!(
            [0, 1_234_566, 1_234_567, 1_234_568, 2_099_999]
                .iter()
                .all(|&row| kept[row])
        );
    }
}
