//! Orbits and trajectories as time series and in phase planes.

use super::diagram::{inset_scene, rules};
use super::error::FigureError;
use super::groups::title;
use super::markup::{Label, LabelError};
use super::scene::{AxisScale, Entry, Ink, Panel, Sample, Series, Stroke, fitting_range};
use super::select::{ChosenOrbit, Expression, OrbitChoice};
use super::smooth::{Vertex, between};
use super::spec::{Axis, Legend, Orbits, Trajectories, View};
use super::symbol::column_label;
use super::ticks::Scale;
use super::wrap::wrap;
use crate::RunData;
use crate::column::Column;
use crate::table::Table;
use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, TAU};

/// Heights of time series and planes as parts of their width, and room left at the ends of their axes.
const TIME_ASPECT: f64 = 0.36;
const PLANE_ASPECT: f64 = 0.72;
const ROOM: f64 = 0.06;
/// Room for one row of bars at the foot of a time series, as a part of its height.
const STRIP_ROOM: f64 = 0.05;
/// Letters in a mode's name that make it a stick phase.
const STICKING: [&str; 2] = ["stick", "layer"];
/// Stick phases shorter than this part of the axis would be a line of the legend about nothing that can be seen.
const NARROWEST_BAND: f64 = 1e-3;

/// Something with a time axis: an orbit or a trajectory.
struct Source<'a> {
    name: Label,
    table: &'a Table,
}

/// How orbits and trajectories are shown; the two specs have these in common.
struct Manner<'a> {
    figure: &'a str,
    shade: bool,
    angles: &'a [String],
    legend: Legend,
    labels: &'a BTreeMap<String, String>,
}

/// Panels and the legend they have in common.
pub(super) struct Views {
    pub(super) panels: Vec<Panel>,
    pub(super) entries: Vec<Entry>,
}

/// The panels of an orbit figure.
pub(super) fn orbit_views(figure: &str, spec: &Orbits, data: &RunData) -> Result<Views, FigureError> {
    let chosen: Vec<ChosenOrbit<'_>> = spec
        .of
        .iter()
        .flat_map(|text| OrbitChoice::parse(text).find(data))
        .collect();
    if chosen.is_empty() {
        let have: Vec<String> = data
            .orbits
            .keys()
            .map(|(curve, index)| format!("{curve}-{index}"))
            .collect();
        let message = format!(
            "no orbit of the run is meant by {:?}; it has: {}",
            spec.of,
            have.join(", ")
        );
        return Err(FigureError::Empty {
            figure: figure.to_owned(),
            message,
        });
    }
    let sources = chosen
        .iter()
        .map(|orbit| {
            Ok(Source {
                name: orbit_name(orbit, &chosen, data, &spec.labels)?,
                table: orbit.table,
            })
        })
        .collect::<Result<Vec<_>, LabelError>>();
    let manner = Manner {
        figure,
        shade: spec.shade,
        angles: &spec.angles,
        legend: spec.legend,
        labels: &spec.labels,
    };
    let sources = sources.map_err(|why| manner.unfit("labels", &why))?;
    views(&manner, &spec.panels, &sources)
}

/// The panels of a trajectory figure.
pub(super) fn trajectory_views(figure: &str, spec: &Trajectories, data: &RunData) -> Result<Views, FigureError> {
    let manner = Manner {
        figure,
        shade: spec.shade,
        angles: &spec.angles,
        legend: spec.legend,
        labels: &spec.labels,
    };
    let mut sources = Vec::new();
    // In the order in which they are named; tables are drawn only where they are.
    let named = spec.of.iter().filter_map(|name| {
        let found = data.trajectories.get_key_value(name);
        found.or_else(|| data.tables.get_key_value(name))
    });
    let all = data.trajectories.iter().filter(|_| spec.of.is_empty());
    for (name, table) in all.chain(named) {
        let label = match spec.labels.get(name) {
            Some(own) => Label::parse(own).map_err(|why| manner.unfit(own, &why))?,
            None => Label::plain(name),
        };
        sources.push(Source { name: label, table });
    }
    if sources.is_empty() {
        return Err(FigureError::Empty {
            figure: figure.to_owned(),
            message: "the run has no trajectories".to_owned(),
        });
    }
    views(&manner, &spec.panels, &sources)
}

/// How orbits are laid over a panel of another kind.
pub(super) struct Laid<'a> {
    /// The plane's columns.
    pub(super) x: &'a str,
    pub(super) y: &'a str,
    /// Which of them are angles.
    pub(super) angles: (bool, bool),
    /// The ink of the first orbit.
    pub(super) first_ink: usize,
    pub(super) labels: &'a BTreeMap<String, String>,
}

/// The orbits chosen by `of` as curves in a plane, canard segments in a colour of their own, and their legend.
pub(super) fn laid_over(
    figure: &str,
    manner: &Laid<'_>,
    of: &[String],
    data: &RunData,
) -> Result<(Vec<Series>, Vec<Entry>), FigureError> {
    let chosen: Vec<ChosenOrbit<'_>> = of.iter().flat_map(|text| OrbitChoice::parse(text).find(data)).collect();
    let (mut series, mut entries) = (Vec::new(), Vec::new());
    for (at, orbit) in chosen.iter().enumerate() {
        let expression = |word: &str| Expression::parse(word).values(orbit.table);
        let (Some(xs), Some(ys)) = (expression(manner.x), expression(manner.y)) else {
            continue;
        };
        let own = Ink::Series(manner.first_ink + at);
        let name = orbit_name(orbit, &chosen, data, manner.labels).map_err(|why| FigureError::Unfit {
            figure: figure.to_owned(),
            word: "labels".to_owned(),
            message: why.to_string(),
            help: String::new(),
        })?;
        entries.push(Entry::line(own, Stroke::Solid, name));
        let points: Vec<(f64, f64)> = xs.into_iter().zip(ys).collect();
        for (points, canard) in canard_pieces(orbit.table, points) {
            let (ink, stroke) = if canard {
                (Ink::Canard, Stroke::Thick)
            } else {
                (own, Stroke::Solid)
            };
            let wrapped = wrap(vec![points], manner.angles.0, |point| &mut point.0);
            let wrapped = wrap(wrapped, manner.angles.1, |point| &mut point.1);
            series.extend(wrapped.into_iter().map(|points| Series { ink, stroke, points }));
        }
    }
    if series.iter().any(|piece| piece.ink == Ink::Canard) {
        entries.push(Entry::line(Ink::Canard, Stroke::Thick, Label::plain("canard")));
    }
    Ok((series, entries))
}

/// What an orbit is called in the legend: the level or label it was chosen by, with the parameter that varies along its
/// curve.
pub(super) fn orbit_name(
    orbit: &ChosenOrbit<'_>,
    all: &[ChosenOrbit<'_>],
    data: &RunData,
    labels: &BTreeMap<String, String>,
) -> Result<Label, LabelError> {
    let own = [
        format!("{}-{}", orbit.curve, orbit.index),
        format!("{}: {}", orbit.curve, orbit.label),
    ];
    if let Some(text) = own.iter().find_map(|key| labels.get(key)) {
        return Label::parse(text);
    }
    let mut name = Label::default();
    if all.iter().any(|other| other.curve != orbit.curve) {
        let curve = labels
            .get(&orbit.curve)
            .map_or_else(|| Ok(Label::plain(&title(&orbit.curve))), |own| Label::parse(own))?;
        name.append(curve);
        name.append(Label::plain(": "));
    }
    let level = orbit.level.clone().or_else(|| {
        let column = free_parameter(&orbit.curve, data)?;
        Some((column.clone(), data.points.numbers(&column).ok()?[orbit.row]))
    });
    if orbit.level.is_none() && !orbit.label.is_empty() {
        name.append(Label::plain(&orbit.label));
        name.append(Label::plain(if level.is_some() { ", " } else { "" }));
    }
    let Some((column, value)) = level else {
        if name.atoms.is_empty() {
            name.append(Label::plain(&format!("{}-{}", orbit.curve, orbit.index)));
        }
        return Ok(name);
    };
    name.append(column_label(&column, labels)?);
    name.append(Label::math(&format!("{{}}={}", four_digits(value)))?);
    // Two orbits at the same level, on two sheets: say which is which.
    let twin = |other: &&ChosenOrbit<'_>| {
        other.index != orbit.index && other.curve == orbit.curve && other.level.is_some() && other.level == orbit.level
    };
    if let (Some(twin), Ok(stable)) = (all.iter().find(twin), data.points.flags("stable"))
        && stable[twin.row] != stable[orbit.row]
    {
        name.append(Label::plain(if stable[orbit.row] {
            " (stable)"
        } else {
            " (unstable)"
        }));
    }
    Ok(name)
}

/// The first column after `label` that varies along the curve: parameters come first.
fn free_parameter(curve: &str, data: &RunData) -> Option<String> {
    let rows = data.points.rows_where("curve", curve);
    let varies = |column: &Column| match column {
        Column::Number(values) => values
            .windows(2)
            .any(|pair| pair[0] != pair[1] && pair.iter().all(|v| v.is_finite())),
        _ => false,
    };
    let found = rows.columns().find(|(name, column)| *name != "index" && varies(column));
    found.map(|(name, _)| name.to_owned())
}

/// A number for a caption.
pub(super) fn four_digits(value: f64) -> String {
    if value != 0.0 && value.is_finite() && !(1e-3..1e5).contains(&value.abs()) {
        let power = value.abs().log10().floor() as i32;
        let digits = trimmed(value / 10f64.powi(power), 3);
        return format!(r"{digits}\times 10^{{{power}}}");
    }
    let whole = if value == 0.0 {
        0
    } else {
        value.abs().log10().floor().max(0.0) as usize
    };
    trimmed(value, 3usize.saturating_sub(whole) + usize::from(value.abs() < 1.0))
}

fn trimmed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

fn views(manner: &Manner<'_>, specs: &[View], sources: &[Source<'_>]) -> Result<Views, FigureError> {
    let mut entries = Vec::new();
    if sources.len() > 1 {
        let named =
            |(at, source): (usize, &Source<'_>)| Entry::line(Ink::Series(at), Stroke::Solid, source.name.clone());
        entries.extend(sources.iter().enumerate().map(named));
    }
    let panels = specs
        .iter()
        .map(|view| manner.panel(view, sources))
        .collect::<Result<Vec<_>, _>>()?;
    let stick = |sample| Entry {
        sample,
        label: Label::plain("stick"),
    };
    if panels.iter().any(|panel| !panel.bands.is_empty()) {
        entries.push(stick(Sample::Band));
    }
    if panels.iter().any(|panel| !panel.strips.is_empty()) {
        entries.push(stick(Sample::Bar));
    }
    if panels
        .iter()
        .flat_map(|panel| &panel.series)
        .any(|piece| piece.ink == Ink::Canard)
    {
        let plain = "canard".to_owned();
        let words = manner.labels.get(&plain).unwrap_or(&plain);
        let label = Label::parse(words).map_err(|why| manner.unfit(words, &why))?;
        entries.push(Entry::line(Ink::Canard, Stroke::Thick, label));
    }
    Ok(Views { panels, entries })
}

impl Manner<'_> {
    fn unfit(&self, word: &str, why: &LabelError) -> FigureError {
        FigureError::Unfit {
            figure: self.figure.to_owned(),
            word: word.to_owned(),
            message: why.to_string(),
            help: String::new(),
        }
    }

    fn panel(&self, view: &View, sources: &[Source<'_>]) -> Result<Panel, FigureError> {
        let (x, y, log) = match view {
            View::Time(names) => ("t", names.0.clone(), [].as_slice()),
            View::Plane(x, y) => (x.as_str(), vec![y.clone()], [].as_slice()),
            View::Axes { x, y, log, .. } => (x.as_str(), y.0.clone(), log.as_slice()),
        };
        let tables = || sources.iter().map(|source| source.table);
        let mut columns: Vec<String> = Vec::new();
        for column in tables().flat_map(|table| y.iter().flat_map(|name| Expression::parse(name).expand(table.names())))
        {
            if !columns.contains(&column) {
                columns.push(column);
            }
        }
        let is_angle = |name: &str| self.angles.iter().any(|angle| angle == name);
        let (x_angle, y_angle) = (is_angle(x), columns.iter().any(|column| is_angle(column)));

        let mut series = Vec::new();
        let mut entries = Vec::new();
        for (source_at, source) in sources.iter().enumerate() {
            let Some(xs) = Expression::parse(x).values(source.table) else {
                continue;
            };
            for (column_at, column) in columns.iter().enumerate() {
                let Some(ys) = Expression::parse(column).values(source.table) else {
                    continue;
                };
                // Alone, an orbit has a colour for each column; among others its colour is its own and dashes tell
                // columns apart.
                let (ink, stroke) = match sources.len() {
                    1 => (Ink::Series(column_at), Stroke::Solid),
                    _ => (
                        Ink::Series(source_at),
                        [Stroke::Solid, Stroke::Dashed, Stroke::Dotted][column_at % 3],
                    ),
                };
                let points: Vec<(f64, f64)> = xs.iter().copied().zip(ys.iter().copied()).collect();
                for (points, canard) in canard_pieces(source.table, points) {
                    let (ink, stroke) = if canard {
                        (Ink::Canard, Stroke::Thick)
                    } else {
                        (ink, stroke)
                    };
                    let wrapped = wrap(vec![points], x_angle, |point| &mut point.0);
                    let wrapped = wrap(wrapped, y_angle, |point| &mut point.1);
                    series.extend(wrapped.into_iter().map(|points| Series { ink, stroke, points }));
                }
                if columns.len() > 1 && source_at == 0 {
                    let label = column_label(column, self.labels).map_err(|why| self.unfit(column, &why))?;
                    let ink = if sources.len() == 1 { ink } else { Ink::Neutral };
                    entries.push(Entry {
                        sample: Sample::Line(ink, stroke),
                        label,
                    });
                }
            }
        }

        let all = |pick: fn(&(f64, f64)) -> f64| {
            series
                .iter()
                .flat_map(move |piece: &Series| piece.points.iter().map(pick))
        };
        let time = x == "t";
        let own = |axis: Axis, angle: bool| match (log.contains(&axis), angle) {
            (true, _) => Scale::Log,
            (false, true) => Scale::Angle,
            (false, false) => Scale::Linear,
        };
        let (mut x_scale, y_scale) = (own(Axis::X, x_angle), own(Axis::Y, y_angle));
        let empty = || FigureError::Empty {
            figure: self.figure.to_owned(),
            message: format!("`{x}` has no numbers"),
        };
        let (ranges, lines, inset) = match view {
            View::Axes {
                x_range,
                y_range,
                lines,
                inset,
                ..
            } => ((*x_range, *y_range), lines.as_slice(), inset.as_ref()),
            _ => ((None, None), [].as_slice(), None),
        };
        let own_range = |angle: bool, pick: fn(&(f64, f64)) -> f64, scale: Scale, room: f64| {
            if angle {
                Some((0.0, TAU))
            } else {
                fitting_range(all(pick), scale, room)
            }
        };
        let room = if time { 0.0 } else { ROOM };
        let x_range = ranges
            .0
            .or_else(|| own_range(x_angle, |p| p.0, x_scale, room))
            .ok_or_else(empty)?;
        let y_range = ranges
            .1
            .or_else(|| own_range(y_angle, |p| p.1, y_scale, ROOM))
            .ok_or_else(empty)?;
        if time && x_scale == Scale::Linear && counts_quarters(x_range.1 - x_range.0) {
            x_scale = Scale::Angle;
        }
        let visible = (x_range.1 - x_range.0) * NARROWEST_BAND;
        let sticks = || sources.iter().map(|source| stick_ranges(source.table, visible));
        let (bands, strips) = match (time && self.shade, sources.len()) {
            (false, _) => (Vec::new(), Vec::new()),
            (true, 1) => (sticks().flatten().collect(), Vec::new()),
            (true, _) => {
                let strips = sticks().enumerate().map(|(at, ranges)| (Ink::Series(at), ranges));
                (Vec::new(), strips.filter(|(_, ranges)| !ranges.is_empty()).collect())
            }
        };
        let label = |column: &str| column_label(column, self.labels).map_err(|why| self.unfit(column, &why));
        let mut y_label = Label::default();
        for (at, column) in columns.iter().enumerate() {
            if at > 0 {
                y_label.append(Label::plain(", "));
            }
            y_label.append(label(column)?);
        }
        if let Some(own) = self.labels.get(&columns.join(", ")) {
            y_label = Label::parse(own).map_err(|why| self.unfit("labels", &why))?;
        }
        let axis = |scale, (low, high)| AxisScale {
            low,
            high,
            ..AxisScale::new(scale)
        };
        let (x_axis, y_axis) = (axis(x_scale, x_range), axis(y_scale, y_range));
        for piece in &mut series {
            smooth_out(&mut piece.points, &x_axis, &y_axis);
        }
        let rules = rules(lines, &[], &mut series, &mut entries);
        // Canards on top of what they are part of.
        series.sort_by_key(|piece| piece.ink == Ink::Canard);
        let mut y_range = y_range;
        if ranges.1.is_none() && y_scale == Scale::Linear {
            y_range.0 -= STRIP_ROOM * strips.len() as f64 * (y_range.1 - y_range.0);
        }
        Ok(Panel {
            x: AxisScale {
                label: label(x)?,
                scale: x_scale,
                low: x_range.0,
                high: x_range.1,
            },
            y: AxisScale {
                label: y_label,
                scale: y_scale,
                low: y_range.0,
                high: y_range.1,
            },
            aspect: if time { TIME_ASPECT } else { PLANE_ASPECT },
            cells: None,
            named: Vec::new(),
            bar: None,
            front: None,
            space: None,
            fills: Vec::new(),
            series,
            arrows: Vec::new(),
            marks: Vec::new(),
            dots: Vec::new(),
            bands,
            strips,
            rules,
            notes: Vec::new(),
            inset: inset.and_then(|inset| inset_scene(inset, &[])),
            legend: self.legend,
            entries,
        })
    }
}

/// A line with what lies between its points; what the axes have no place for stays as it is.
pub(super) fn smooth_out(points: &mut Vec<(f64, f64)>, x: &AxisScale, y: &AxisScale) {
    let placed: Option<Vec<(f64, f64)>> = points.iter().map(|at| x.part(at.0).zip(y.part(at.1))).collect();
    let Some(placed) = placed else { return };
    let mut smooth = Vec::with_capacity(points.len());
    for (k, inner) in between(&placed, |_| Vertex::Any).into_iter().enumerate() {
        smooth.push(points[k]);
        smooth.extend(inner.into_iter().map(|at| (x.value(at.0), y.value(at.1))));
    }
    smooth.extend(points.last());
    *points = smooth;
}

/// Whether a length is a few quarters of 2π, as the period of a forced system is.
fn counts_quarters(length: f64) -> bool {
    let quarters = length / FRAC_PI_2;
    (0.5..40.0).contains(&quarters) && (quarters - quarters.round()).abs() < 1e-6
}

/// Stretches of time spent in stick phases, those that are longer than `visible`.
fn stick_ranges(table: &Table, visible: f64) -> Vec<(f64, f64)> {
    let (Ok(times), Ok(modes)) = (table.numbers("t"), table.texts("mode")) else {
        return Vec::new();
    };
    let mut ranges: Vec<(f64, f64)> = Vec::new();
    for at in 0..times.len().saturating_sub(1) {
        let mode = modes[at].to_lowercase();
        if !STICKING.iter().any(|word| mode.contains(word)) || times[at + 1] <= times[at] {
            continue;
        }
        match ranges.last_mut() {
            Some(last) if last.1 == times[at] => last.1 = times[at + 1],
            _ => ranges.push((times[at], times[at + 1])),
        }
    }
    ranges.retain(|(from, to)| to - from > visible);
    ranges
}

/// A line cut where the column `canard` changes, with what it says.
pub(super) fn canard_pieces(table: &Table, points: Vec<(f64, f64)>) -> Vec<(Vec<(f64, f64)>, bool)> {
    let Ok(flags) = table.flags("canard") else {
        return vec![(points, false)];
    };
    let mut pieces: Vec<(Vec<(f64, f64)>, bool)> = Vec::new();
    for at in 0..points.len().saturating_sub(1) {
        let canard = flags[at] && flags[at + 1];
        match pieces.last_mut() {
            Some((piece, same)) if *same == canard => piece.push(points[at + 1]),
            _ => pieces.push((vec![points[at], points[at + 1]], canard)),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captions_have_four_digits() {
        let cases = [
            (2.0, "2"),
            (0.475_765_67, "0.4758"),
            (12.345_67, "12.35"),
            (1e-4, r"1\times 10^{-4}"),
            (1627.7, "1628"),
            (0.0, "0"),
        ];
        for (value, text) in cases {
            assert_eq!(four_digits(value), text);
        }
    }
}
