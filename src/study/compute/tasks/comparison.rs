//! How far curves of regularisations are from those of their limit: at values of the free parameter, and at special
//! points.

use crate::plan::twins::TwinsPlan;
use slipstick_report::{Cell, Kind, ReportError, Table};

/// A labelled point of a curve.
pub(super) struct Spot {
    curve: String,
    label: String,
    /// The value of the free parameter.
    at: f64,
    stable: bool,
    /// The columns that are compared.
    values: Vec<f64>,
}

/// Solutions whose columns differ by less than this, relative to their size, are one.
const SAME: f64 = 1e-7;

/// Labels that say nothing about the system.
const OUTER: [&str; 4] = ["", "UZ", "EP", "MX"];

/// What a fold is labelled as.
const FOLD: &str = "LP";

/// Curve and index of the points labelled as corners at which the free parameter turns back.
fn corners_that_turn<'t>(points: &'t Table, free: &str) -> Result<Vec<(&'t str, f64)>, ReportError> {
    let (curves, labels) = (points.texts("curve")?, points.texts("label")?);
    let (at, index) = (points.numbers(free)?, points.numbers("index")?);
    // Where words change, a point may stand twice.
    let step = |row: usize, way: isize| {
        let mut next = row.checked_add_signed(way)?;
        while next < points.rows() && curves[next] == curves[row] {
            let step = at[next] - at[row];
            if step.abs() > SAME * at[row].abs().max(at[next].abs()) {
                return Some(step);
            }
            next = next.checked_add_signed(way)?;
        }
        None
    };
    let turns = |row: usize| matches!((step(row, -1), step(row, 1)), (Some(a), Some(b)) if a * b > 0.0);
    let corner = |row: &usize| CORNERS.contains(&&*labels[*row]);
    let rows = (0..points.rows()).filter(corner).filter(|row| turns(*row));
    Ok(rows.map(|row| (curves[row].as_str(), index[row])).collect())
}

/// Labels at which a curve may have a corner.
const CORNERS: [&str; 6] = ["VS", "GR", "VT", "OV", "NU", "BE"];

impl Spot {
    /// Those of a table of special points. A corner at which the curve of `points` turns back is a fold as well,
    /// beside what it is labelled as: smooth twins have a fold there.
    pub(super) fn all(
        special: &Table,
        points: &Table,
        free: &str,
        columns: &[String],
    ) -> Result<Vec<Self>, ReportError> {
        if special.rows() == 0 {
            return Ok(vec![]);
        }
        let (curves, labels) = (special.texts("curve")?, special.texts("label")?);
        let (at, stable) = (special.numbers(free)?, special.flags("stable")?);
        let values = columns.iter().map(|name| special.numbers(name));
        let values: Vec<&[f64]> = values.collect::<Result<_, _>>()?;
        let spot = |row: usize| Self {
            curve: curves[row].clone(),
            label: labels[row].clone(),
            at: at[row],
            stable: stable[row],
            values: values.iter().map(|column| column[row]).collect(),
        };
        let turning = corners_that_turn(points, free)?;
        let index = special.numbers("index")?;
        let mut all: Vec<Self> = vec![];
        for row in 0..special.rows() {
            all.push(spot(row));
            let is_corner = |(curve, at): &(&str, f64)| *curve == curves[row] && *at == index[row];
            if turning.iter().any(is_corner) {
                all.push(Self {
                    label: FOLD.to_owned(),
                    ..spot(row)
                });
            }
        }
        Ok(all)
    }

    fn is_same(&self, other: &Self) -> bool {
        let pairs = self.values.iter().zip(&other.values);
        self.stable == other.stable
            && pairs
                .into_iter()
                .all(|(a, b)| (a - b).abs() <= SAME * a.abs().max(b.abs()) || (a.is_nan() && b.is_nan()))
    }
}

/// The distance of one regularisation from one object of the limit.
pub(super) struct Distance {
    /// The curve of the limit, and what of it: `curve`, `Omega = 2`, `LP 1`.
    curve: String,
    object: String,
    column: String,
    /// The number of the regularisation.
    twin: usize,
    /// Where the limit has it, or is farthest from it.
    at: f64,
    target: f64,
    /// The curve of the regularisation with its value; none if there is none.
    found: Option<(String, f64)>,
}

impl Distance {
    fn size(&self) -> f64 {
        self.found
            .as_ref()
            .map_or(f64::NAN, |(_, value)| (value - self.target).abs())
    }

    fn is_of(&self, other: &Self) -> bool {
        (&self.curve, &self.object, &self.column) == (&other.curve, &other.object, &other.column)
    }
}

/// What is counted: solutions at a level, or special points of a label.
enum Object {
    Level(f64),
    Label(String),
}

/// Of what; of which regularisation; how many the limit has, and the regularisation.
type Count = (Object, usize, usize, usize);

/// The limit and its regularisations.
pub(super) struct Comparison<'a> {
    pub(super) plan: &'a TwinsPlan,
    /// The values of the small parameter.
    pub(super) values: Vec<f64>,
    pub(super) limit: Vec<Spot>,
    pub(super) twins: Vec<Vec<Spot>>,
}

impl Comparison<'_> {
    /// All distances: of each curve of the limit its largest one, then those at its levels, then those of its special
    /// points; of each for one regularisation after the other.
    pub(super) fn distances(&self) -> Vec<Distance> {
        let mut curves: Vec<&str> = vec![];
        for spot in &self.limit {
            if !curves.contains(&spot.curve.as_str()) {
                curves.push(&spot.curve);
            }
        }
        let special = self.special();
        let mut all = vec![];
        for curve in curves {
            for column in 0..self.plan.columns.len() {
                all.extend(self.levels(curve, column));
            }
            all.extend(special.iter().filter(|d| d.curve == curve).map(|d| Distance {
                curve: d.curve.clone(),
                object: d.object.clone(),
                column: d.column.clone(),
                found: d.found.clone(),
                ..*d
            }));
        }
        all
    }

    fn at_level(spots: &[Spot], level: f64) -> impl Iterator<Item = &Spot> {
        spots.iter().filter(move |spot| spot.label == "UZ" && spot.at == level)
    }

    /// The distances of a curve at the levels, each from the nearest solution of the same stability, behind the largest
    /// of those levels at which all regularisations have one.
    fn levels(&self, curve: &str, column: usize) -> Vec<Distance> {
        let mut rows: Vec<Vec<Distance>> = vec![];
        for &level in &self.plan.levels {
            let own: Vec<&Spot> = Self::at_level(&self.limit, level)
                .filter(|s| s.curve == curve)
                .collect();
            for (k, spot) in own.iter().enumerate() {
                let number = if own.len() > 1 {
                    format!(" ({})", k + 1)
                } else {
                    String::new()
                };
                let target = spot.values[column];
                let nearest = |twin: &Vec<Spot>| {
                    let there = Self::at_level(twin, level).filter(|s| s.stable == spot.stable);
                    let distance = |s: &&Spot| (s.values[column] - target).abs();
                    let nearest = there.min_by(|a, b| distance(a).total_cmp(&distance(b)));
                    nearest.map(|s| (s.curve.clone(), s.values[column]))
                };
                let row = self.twins.iter().enumerate().map(|(twin, spots)| Distance {
                    curve: curve.to_owned(),
                    object: format!("{} = {level}{number}", self.plan.free),
                    column: self.plan.columns[column].clone(),
                    twin,
                    at: level,
                    target,
                    found: nearest(spots),
                });
                rows.push(row.collect());
            }
        }
        let common: Vec<&Vec<Distance>> = rows
            .iter()
            .filter(|row| row.iter().all(|distance| distance.size().is_finite()))
            .collect();
        let largest = |twin: usize| {
            let farthest = common.iter().map(|row| &row[twin]);
            farthest.max_by(|a, b| a.size().total_cmp(&b.size())).map(|d| Distance {
                object: "curve".to_owned(),
                curve: d.curve.clone(),
                column: d.column.clone(),
                found: d.found.clone(),
                ..*d
            })
        };
        let mut all: Vec<Distance> = (0..self.twins.len()).filter_map(largest).collect();
        all.extend(rows.into_iter().flatten());
        all
    }

    /// The distances of the special points, each from one of the same label, the nearest first.
    fn special(&self) -> Vec<Distance> {
        let mut all = vec![];
        let own: Vec<&Spot> = self.limit.iter().filter(|s| !OUTER.contains(&&*s.label)).collect();
        let matches: Vec<Vec<Option<&Spot>>> = self.twins.iter().map(|twin| matched(&own, twin)).collect();
        for (k, spot) in own.iter().enumerate() {
            let same = |s: &&&Spot| s.label == spot.label && s.curve == spot.curve;
            let number = own[..=k].iter().filter(same).count();
            let object = format!("{} {number}", spot.label);
            let columns = std::iter::once(&self.plan.free).chain(&self.plan.columns);
            for (c, column) in columns.enumerate() {
                let value = |s: &Spot| if c == 0 { s.at } else { s.values[c - 1] };
                all.extend(matches.iter().enumerate().map(|(twin, found)| Distance {
                    curve: spot.curve.clone(),
                    object: object.clone(),
                    column: column.clone(),
                    twin,
                    at: spot.at,
                    target: value(spot),
                    found: found[k].map(|s| (s.curve.clone(), value(s))),
                }));
            }
        }
        all
    }

    /// The points of a series of distances that have a logarithm.
    fn series(&self, all: &[Distance], of: &Distance) -> Vec<(f64, f64)> {
        let own = all.iter().filter(|d| d.is_of(of));
        let points = own.map(|d| (self.values[d.twin].ln(), d.size().ln()));
        points.filter(|(x, y)| x.is_finite() && y.is_finite()).collect()
    }

    /// A row for each distance, with the order from the value of the parameter before, and that which fits all.
    pub(super) fn table(&self, all: &[Distance]) -> Result<Table, ReportError> {
        let number = |name: &str| (name.to_owned(), Kind::Number);
        let text = |name: &str| (name.to_owned(), Kind::Text);
        let mut table = Table::new([
            text("limit"),
            text("object"),
            text("column"),
            number(self.plan.parameter()),
            text("twin"),
            number("at"),
            number("target"),
            number("value"),
            number("distance"),
            number("order"),
            number("slope"),
        ]);
        for (k, own) in all.iter().enumerate() {
            let before = all[..k].last().filter(|before| before.is_of(own));
            let order = before.map_or(f64::NAN, |before| {
                (own.size() / before.size()).ln() / (self.values[own.twin] / self.values[before.twin]).ln()
            });
            let (curve, value) = own.found.clone().unwrap_or((String::new(), f64::NAN));
            table.push_row([
                Cell::Text(own.curve.clone()),
                Cell::Text(own.object.clone()),
                Cell::Text(own.column.clone()),
                Cell::Number(self.values[own.twin]),
                Cell::Text(curve),
                Cell::Number(own.at),
                Cell::Number(own.target),
                Cell::Number(value),
                Cell::Number(own.size()),
                Cell::Number(order),
                Cell::Number(slope(&self.series(all, own))),
            ])?;
        }
        Ok(table)
    }

    /// How many solutions the limit and each regularisation have at each level, and how many points of each label.
    fn counts(&self) -> Vec<Count> {
        let at = |spots: &[Spot], level: f64| {
            let mut different: Vec<&Spot> = vec![];
            for spot in Self::at_level(spots, level) {
                if !different.iter().any(|known| known.is_same(spot)) {
                    different.push(spot);
                }
            }
            different.len()
        };
        let mut all = vec![];
        for &level in &self.plan.levels {
            for (twin, spots) in self.twins.iter().enumerate() {
                all.push((Object::Level(level), twin, at(&self.limit, level), at(spots, level)));
            }
        }
        let mut labels: Vec<&str> = vec![];
        for spot in self.limit.iter().chain(self.twins.iter().flatten()) {
            if !OUTER.contains(&&*spot.label) && !labels.contains(&&*spot.label) {
                labels.push(&spot.label);
            }
        }
        let with = |spots: &[Spot], label: &str| spots.iter().filter(|spot| spot.label == label).count();
        for label in labels {
            for (twin, spots) in self.twins.iter().enumerate() {
                let object = Object::Label(label.to_owned());
                all.push((object, twin, with(&self.limit, label), with(spots, label)));
            }
        }
        all
    }

    /// The table of these numbers.
    pub(super) fn solutions(&self) -> Result<Table, ReportError> {
        let mut table = Table::new([
            ("object", Kind::Text),
            (self.plan.parameter(), Kind::Number),
            ("limit", Kind::Number),
            ("twin", Kind::Number),
        ]);
        for (object, twin, limit, own) in self.counts() {
            let object = match object {
                Object::Level(level) => format!("{} = {level}", self.plan.free),
                Object::Label(label) => label,
            };
            table.push_row([
                Cell::Text(object),
                Cell::Number(self.values[twin]),
                Cell::Number(limit as f64),
                Cell::Number(own as f64),
            ])?;
        }
        Ok(table)
    }

    /// Of what one twin has more than the limit.
    fn more<'c>(&self, counts: impl Iterator<Item = &'c Count>) -> Vec<String> {
        let more = counts.filter(|(_, _, limit, found)| found > limit);
        let (levels, labels): (Vec<&Count>, Vec<&Count>) =
            more.partition(|(object, ..)| matches!(object, Object::Level(_)));
        let mut all = vec![];
        let value = |count: &&Count| match count.0 {
            Object::Level(level) => level,
            Object::Label(_) => f64::NAN,
        };
        let most = levels.iter().max_by_key(|(_, _, limit, found)| found - limit);
        if let Some((_, _, limit, found)) = most {
            let (low, high) = levels
                .iter()
                .map(value)
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
                    (low.min(v), high.max(v))
                });
            let (count, of) = (levels.len(), self.plan.levels.len());
            let free = &self.plan.free;
            all.push(format!(
                "at {count} of {of} values of {free}, from {low:.4} to {high:.4} ({found} instead of {limit})"
            ));
        }
        all.extend(labels.into_iter().filter_map(|(object, _, limit, found)| match object {
            Object::Label(label) => Some(format!("{label} ({found} instead of {limit})")),
            Object::Level(_) => None,
        }));
        all
    }

    /// What it comes to: the orders, and where the regularisation has more solutions than its limit.
    pub(super) fn in_words(&self, all: &[Distance]) -> Vec<String> {
        let parameter = self.plan.parameter();
        let mut notes = vec![];
        let summarised = |d: &&Distance| d.object == "curve" || d.column == self.plan.free;
        let size = |twin: &usize| self.values[*twin].abs();
        let last = (0..self.twins.len()).min_by(|a, b| size(a).total_cmp(&size(b)));
        for own in all.iter().filter(summarised).filter(|d| Some(d.twin) == last) {
            let what = if own.object == "curve" {
                format!("`{}` of {}", own.column, own.curve)
            } else {
                format!("{} of {} at {} = {:.6}", own.object, own.curve, own.column, own.at)
            };
            let order = slope(&self.series(all, own));
            let value = self.values[own.twin];
            notes.push(match &own.found {
                None => format!("{what}: for {parameter} = {value:e} the twin has no such point"),
                Some(_) if order.is_finite() => format!(
                    "{what}: the twin is within {:.2e} for {parameter} = {value:e}; order {order:.2} in {parameter}",
                    own.size()
                ),
                Some(_) => format!(
                    "{what}: the twin is within {:.2e} for {parameter} = {value:e}",
                    own.size()
                ),
            });
        }
        let counts = self.counts();
        for (twin, value) in self.values.iter().enumerate() {
            let more = self.more(counts.iter().filter(|(_, own, ..)| *own == twin));
            if !more.is_empty() {
                notes.push(format!(
                    "for {parameter} = {value:e} the twin has more solutions than its limit: {}",
                    more.join(", ")
                ));
            }
        }
        notes
    }
}

/// For each special point of the limit one of the same label of a regularisation: pairs are made by distance.
fn matched<'s>(limit: &[&Spot], twin: &'s [Spot]) -> Vec<Option<&'s Spot>> {
    let distance = |a: f64, b: f64| {
        if a > 0.0 && b > 0.0 {
            (a / b).ln().abs()
        } else {
            (a - b).abs()
        }
    };
    let mut pairs: Vec<(f64, usize, usize)> = vec![];
    for (i, own) in limit.iter().enumerate() {
        let same = twin.iter().enumerate().filter(|(_, other)| other.label == own.label);
        pairs.extend(same.map(|(j, other)| (distance(own.at, other.at), i, j)));
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut found = vec![None; limit.len()];
    let mut taken = vec![false; twin.len()];
    for (_, i, j) in pairs {
        if found[i].is_none() && !taken[j] {
            found[i] = Some(&twin[j]);
            taken[j] = true;
        }
    }
    found
}

/// The slope of the line that fits points best.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let spread: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
    let together: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    if points.len() < 2 || spread == 0.0 {
        f64::NAN
    } else {
        together / spread
    }
}
