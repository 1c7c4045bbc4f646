//! Charts over two parameters: which regime each cell shows, and the curves over them.

use super::diagram;
use super::error::FigureError;
use super::formula::Constants;
use super::groups::Groups;
use super::markup::Label;
use super::plane::{Around, Asked, Name, Picture, Plane, axes};
use super::regime::{Regime, exponents};
use super::scene::{Entry, Hue, Ink, Panel, Stroke, Tint};
use super::spec::{Chart, Diagram, Names, Shown};
use crate::RunData;
use crate::table::Table;
use std::collections::BTreeMap;

/// The names that a table of a chart goes over, if it is one: numbers, then the kind of motion and how many initial
/// states came to it.
pub(crate) fn parameters(table: &Table) -> Option<Vec<String>> {
    let kind = table.names().iter().position(|name| name == "kind")?;
    let starts = table.names().get(kind + 1)?;
    let over = table.names()[..kind].to_vec();
    let numbers = over.iter().all(|name| table.numbers(name).is_ok());
    (!over.is_empty() && numbers && starts == "starts" && table.texts("kind").is_ok()).then_some(over)
}

/// The panel of a chart. `sheet_curves`: all curves of the sheet, each of which looks the same in all its panels.
pub(super) fn panel(figure: &str, spec: &Chart, data: &RunData, sheet_curves: &[String]) -> Result<Panel, FigureError> {
    let around = around(figure, spec);
    let picture = picture(figure, spec, data)?;
    let mut panel = around.panel(&picture)?;
    let (x, y) = (&picture.plane.x, &picture.plane.y);
    let curves = curves(spec, data);
    if curves.is_empty() {
        return Ok(panel);
    }
    // Curves are drawn as a diagram in the same axes draws them.
    let over = Diagram {
        name: String::new(),
        x: x.name.clone(),
        y: Names(vec![y.name.clone()]),
        of: curves.clone(),
        attractors: vec![],
        data: vec![],
        log: vec![],
        x_range: Some((panel.x.low, panel.x.high)),
        y_range: Some((panel.y.low, panel.y.high)),
        mark: spec.mark.clone(),
        lines: vec![],
        notes: vec![],
        inset: None,
        legend: spec.legend,
        labels: spec.labels.clone(),
        style: None,
    };
    let drawn = diagram::panel(figure, &over, data, sheet_curves)?;
    let groups = Groups::new(sheet_curves, &spec.labels);
    if let [only] = groups.leaders(&curves)[..] {
        let label = match spec.labels.get(only) {
            Some(own) => Label::parse(own).map_err(|why| around.unfit(own, &why))?,
            None => Label::plain(groups.name(only)),
        };
        panel
            .entries
            .push(Entry::line(Ink::Series(groups.of(only)), Stroke::Solid, label));
    }
    panel.entries.extend(drawn.entries);
    panel.series.splice(0..0, drawn.series);
    panel.marks = drawn.marks;
    let constants: Vec<Constants> = curves
        .iter()
        .map(|curve| Constants::of(&data.points.rows_where("curve", curve), Ink::Neutral))
        .collect();
    panel.rules = diagram::rules(&spec.lines, &constants, &mut vec![], &mut vec![]);
    Ok(panel)
}

fn around<'a>(figure: &'a str, spec: &'a Chart) -> Around<'a> {
    Around {
        figure,
        x_range: spec.x_range,
        y_range: spec.y_range,
        lines: &spec.lines,
        notes: &spec.notes,
        legend: spec.legend,
        labels: &spec.labels,
    }
}

/// The curves drawn over the cells: those named, else all whose free parameters are the axes.
pub(super) fn curves(spec: &Chart, data: &RunData) -> Vec<String> {
    if let Some(named) = &spec.curves {
        return named.clone();
    }
    let over = data.tables.get(&spec.of).and_then(parameters).unwrap_or_default();
    let Some((x, y)) = axes(&over, spec.x.as_ref(), spec.y.as_ref()) else {
        return vec![];
    };
    let belongs = |curve: &&str| {
        let free = diagram::free_parameters(&data.points.rows_where("curve", curve));
        free.len() == 2 && free.iter().all(|name| name == x || name == y)
    };
    let all = data.points.distinct("curve").into_iter();
    all.filter(belongs).map(str::to_owned).collect()
}

/// The cells of a chart.
pub(super) fn picture(figure: &str, spec: &Chart, data: &RunData) -> Result<Picture, FigureError> {
    let empty = |message: String| FigureError::Empty {
        figure: figure.to_owned(),
        message,
    };
    let table = data
        .tables
        .get(&spec.of)
        .ok_or_else(|| empty(format!("the run has no chart `{}`", spec.of)))?;
    let over = parameters(table).ok_or_else(|| empty(format!("the table `{}` is no chart", spec.of)))?;
    let asked = Asked {
        x: spec.x.as_ref(),
        y: spec.y.as_ref(),
        at: &spec.at,
        log: &spec.log,
    };
    let plane = Plane::of(table, &over, &asked, figure)?;
    match spec.show {
        Shown::Largest => largest(table, plane, &around(figure, spec), spec),
        Shown::Number => Ok(numbers(table, plane)),
    }
}

/// The regime that most initial states of each cell came to.
fn largest(table: &Table, plane: Plane, around: &Around<'_>, spec: &Chart) -> Result<Picture, FigureError> {
    let regimes = Regime::of_rows(table);
    let starts = table.numbers("starts").unwrap_or(&[]);
    let shown: Vec<Option<usize>> = plane
        .rows
        .iter()
        .map(|rows| {
            // Each regime with its starts and its first row, in the order of the table.
            let mut found: Vec<(f64, usize)> = vec![];
            for &row in rows {
                let own = starts.get(row).copied().unwrap_or(1.0);
                match found.iter_mut().find(|(_, first)| regimes[*first] == regimes[row]) {
                    Some((count, _)) => *count += own,
                    None => found.push((own, row)),
                }
            }
            let most = found.iter().map(|(count, _)| *count).fold(0.0, f64::max);
            found.iter().find(|(count, _)| *count == most).map(|&(_, row)| row)
        })
        .collect();
    let mut counts: BTreeMap<&Regime, usize> = BTreeMap::new();
    for row in shown.iter().flatten() {
        *counts.entry(&regimes[*row]).or_default() += 1;
    }
    let hues = hues(&counts, spec.regimes);
    let levels = if spec.shade {
        levels(table, &regimes, &shown)
    } else {
        vec![None; shown.len()]
    };
    let tint = |(row, level): (&Option<usize>, &Option<u8>)| Tint {
        hue: row.map_or(Hue::Blank, |row| hues[&regimes[row]]),
        level: *level,
    };
    let tints = shown.iter().zip(&levels).map(tint).collect();
    let mut legend: Vec<(Tint, Name)> = vec![];
    for (regime, &hue) in &hues {
        if hue != Hue::Other {
            let name = regime
                .name(&spec.labels)
                .map_err(|why| around.unfit(&regime.plain(), &why))?;
            legend.push((Tint::plain(hue), name));
        }
    }
    if hues.values().any(|&hue| hue == Hue::Other) {
        let plain = "other orbits".to_owned();
        let label =
            Label::parse(spec.labels.get(&plain).unwrap_or(&plain)).map_err(|why| around.unfit(&plain, &why))?;
        legend.push((Tint::plain(Hue::Other), Name { plain, label }));
    }
    legend.sort_by_key(|(tint, _)| *tint);
    Ok(Picture {
        plane,
        tints,
        shown,
        legend,
    })
}

/// The colours of regimes: the `most` frequent orbits have their own, in the order of their periods.
fn hues<'a>(counts: &BTreeMap<&'a Regime, usize>, most: usize) -> BTreeMap<&'a Regime, Hue> {
    let alone = counts.keys().filter(|regime| regime.is_rest()).count() == 1;
    let mut hues = BTreeMap::new();
    let mut named: Vec<(&Regime, usize)> = vec![];
    for (&regime, &count) in counts {
        match regime.hue() {
            Some(hue) => {
                hues.insert(regime, hue);
            }
            None if alone && regime.is_rest() => {
                hues.insert(regime, Hue::Rest);
            }
            None => named.push((regime, count)),
        }
    }
    named.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let others = named.split_off(named.len().min(most));
    named.sort_by(|a, b| a.0.cmp(b.0));
    hues.extend(
        named
            .into_iter()
            .enumerate()
            .map(|(k, (regime, _))| (regime, Hue::Named(k))),
    );
    hues.extend(others.into_iter().map(|(regime, _)| (regime, Hue::Other)));
    hues
}

/// How strongly each cell attracts, and how chaotic it is, beside the others of the chart: half of the orbits, and half
/// of the chaotic cells, are below the middle level.
fn levels(table: &Table, regimes: &[Regime], shown: &[Option<usize>]) -> Vec<Option<u8>> {
    let exponents = exponents(table);
    let value = |row: usize| -> Option<f64> { regimes[row].exponent(&exponents, row) };
    let median = |chaos: bool| {
        let rows = shown.iter().flatten().filter(|row| regimes[**row].is_chaos() == chaos);
        let mut values: Vec<f64> = rows.filter_map(|&row| value(row)).map(f64::abs).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().filter(|v| *v > 0.0)
    };
    let medians = [median(false), median(true)];
    let level = |row: usize| {
        let size = value(row)?.abs();
        let middle = medians[usize::from(regimes[row].is_chaos())]?;
        let part = if size.is_infinite() {
            1.0
        } else {
            size / (size + middle)
        };
        Some((part * f64::from(Tint::LEVELS)).round() as u8)
    };
    shown.iter().map(|row| row.and_then(level)).collect()
}

/// How many attractors each cell has.
fn numbers(table: &Table, plane: Plane) -> Picture {
    let regimes = Regime::of_rows(table);
    let count = |rows: &Vec<usize>| {
        let separate = rows.iter().filter(|row| regimes[**row].is_separate()).count();
        let united = ["torus", "chaos"]
            .iter()
            .filter(|kind| rows.iter().any(|&row| regimes[row].kind == **kind));
        separate + united.count()
    };
    let tints: Vec<Tint> = plane
        .rows
        .iter()
        .map(|rows| {
            Tint::plain(if rows.is_empty() {
                Hue::Blank
            } else {
                Hue::Count(count(rows).min(MOST_COUNTED))
            })
        })
        .collect();
    let name = |n: usize| {
        let plain = match n {
            0 => "no attractor".to_owned(),
            1 => "1 attractor".to_owned(),
            MOST_COUNTED => format!("{n} attractors or more"),
            _ => format!("{n} attractors"),
        };
        let label = Label::plain(&plain);
        (Tint::plain(Hue::Count(n)), Name { plain, label })
    };
    let shown = plane.rows.iter().map(|rows| rows.first().copied()).collect();
    Picture {
        plane,
        tints,
        shown,
        legend: (0..=MOST_COUNTED).map(name).collect(),
    }
}

/// More attractors than these are not told apart.
const MOST_COUNTED: usize = 6;
