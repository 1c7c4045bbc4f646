//! Basins of attraction: the attractor that each initial state comes to, and where attractors meet the plane.

use super::error::FigureError;
use super::markup::{Label, LabelError};
use super::plane::{Around, Asked, Name, Picture, Plane};
use super::regime::Regime;
use super::scene::{Hue, Ink, Mark, Panel, Shape, Tint};
use super::spec::Basins;
use crate::RunData;
use crate::table::Table;

/// The names that a table of basins goes over, if it is one: numbers, then the number of an attractor of another table.
pub(crate) fn states(name: &str, data: &RunData) -> Option<Vec<String>> {
    let (last, over) = data.tables.get(name)?.names().split_last()?;
    let attractors = data.tables.get(&attractors_name(name))?;
    (last == "attractor" && !over.is_empty() && attractors.texts("kind").is_ok()).then(|| over.to_vec())
}

fn attractors_name(of: &str) -> String {
    format!("{of}-attractors")
}

/// The panel of basins.
pub(super) fn panel(figure: &str, spec: &Basins, data: &RunData) -> Result<Panel, FigureError> {
    let picture = picture(figure, spec, data)?;
    let mut panel = around(figure, spec).panel(&picture)?;
    if spec.mark {
        panel.marks = marks(spec, data, &picture).unwrap_or_default();
    }
    Ok(panel)
}

/// Rings where attractors meet the plane, each attractor named once by its number.
fn marks(spec: &Basins, data: &RunData, picture: &Picture) -> Option<Vec<Mark>> {
    let points = data.tables.get(&format!("{}-points", spec.of))?;
    let column = |name: &str| points.numbers(name).ok();
    let (x, y) = (column(&picture.plane.x.name)?, column(&picture.plane.y.name)?);
    let numbers = column("attractor")?;
    let seen = |row: &usize| x[*row].is_finite() && y[*row].is_finite();
    let mut named = vec![];
    let mark = |row: usize| {
        let first = !named.contains(&numbers[row]);
        named.push(numbers[row]);
        Mark {
            at: (x[row], y[row]),
            shape: Shape::Circle,
            name: first.then(|| format!("{}", numbers[row])),
            ink: Ink::Neutral,
        }
    };
    Some((0..points.rows()).filter(seen).map(mark).collect())
}

fn around<'a>(figure: &'a str, spec: &'a Basins) -> Around<'a> {
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

/// The cells of basins.
pub(super) fn picture(figure: &str, spec: &Basins, data: &RunData) -> Result<Picture, FigureError> {
    let empty = |message: String| FigureError::Empty {
        figure: figure.to_owned(),
        message,
    };
    let missing = || empty(format!("the run has no basins `{}`", spec.of));
    let over = states(&spec.of, data).ok_or_else(missing)?;
    let table = data.tables.get(&spec.of).ok_or_else(missing)?;
    let attractors = data.tables.get(&attractors_name(&spec.of)).ok_or_else(missing)?;
    let asked = Asked {
        x: spec.x.as_ref(),
        y: spec.y.as_ref(),
        at: &spec.at,
        log: &spec.log,
    };
    let plane = Plane::of(table, &over, &asked, figure)?;
    let around = around(figure, spec);
    let numbers = table.numbers("attractor").map_err(|e| empty(e.to_string()))?;
    let shown: Vec<Option<usize>> = plane.rows.iter().map(|rows| rows.first().copied()).collect();
    let attractor = |row: usize| (numbers[row] >= 1.0).then(|| numbers[row] as usize - 1);
    let own: Vec<Option<usize>> = shown.iter().map(|row| row.and_then(attractor)).collect();

    let regimes = Regime::of_rows(attractors);
    let mut counts = vec![0usize; regimes.len()];
    for &k in own.iter().flatten() {
        if let Some(count) = counts.get_mut(k) {
            *count += 1;
        }
    }
    let mut named: Vec<usize> = (0..regimes.len())
        .filter(|&k| counts[k] > 0 && regimes[k].hue().is_none())
        .collect();
    named.sort_by_key(|&k| (std::cmp::Reverse(counts[k]), k));
    named.truncate(spec.attractors);
    named.sort_unstable();
    let hue = |k: usize| match (regimes.get(k).map(Regime::hue), named.iter().position(|&n| n == k)) {
        (Some(Some(hue)), _) => hue,
        (_, Some(at)) => Hue::Named(at),
        (_, None) => Hue::Other,
    };
    let tints = own.iter().map(|k| Tint::plain(k.map_or(Hue::Blank, hue))).collect();
    let mut legend: Vec<(Tint, Name)> = vec![];
    for k in (0..regimes.len()).filter(|&k| counts[k] > 0) {
        let tint = Tint::plain(hue(k));
        if tint.hue == Hue::Other || legend.iter().any(|(other, _)| *other == tint) {
            continue;
        }
        let name = name(attractors, &regimes, k, spec).map_err(|why| around.unfit(&regimes[k].plain(), &why))?;
        legend.push((tint, name));
    }
    let plain = |hue: Hue, words: &str| {
        let plain = words.to_owned();
        let label = Label::parse(spec.labels.get(words).map_or(words, String::as_str));
        label
            .map(|label| (Tint::plain(hue), Name { plain, label }))
            .map_err(|why| around.unfit(words, &why))
    };
    legend.push(plain(Hue::Other, "other attractors")?);
    legend.sort_by_key(|(tint, _)| *tint);
    Ok(Picture {
        plane,
        tints,
        shown,
        legend,
    })
}

/// What an attractor is called: by its number and the curve that passes through it, else its word and period.
fn name(attractors: &Table, regimes: &[Regime], k: usize, spec: &Basins) -> Result<Name, LabelError> {
    if regimes[k].hue().is_some() {
        return regimes[k].name(&spec.labels);
    }
    let number = (k + 1).to_string();
    let curves = attractors.texts("curve").ok();
    let curve = curves
        .map(|curves| curves[k].as_str())
        .filter(|curve| !curve.is_empty());
    let known = match curve {
        Some(curve) => Name {
            plain: curve.to_owned(),
            label: spec
                .labels
                .get(curve)
                .map_or_else(|| Ok(Label::plain(curve)), |own| Label::parse(own))?,
        },
        None => regimes[k].name(&spec.labels)?,
    };
    let known = match spec.labels.get(&number) {
        Some(own) => Name {
            plain: own.clone(),
            label: Label::parse(own)?,
        },
        None => known,
    };
    let mut label = Label::plain(&format!("{number}: "));
    label.append(known.label);
    Ok(Name {
        plain: format!("{number}: {}", known.plain),
        label,
    })
}
