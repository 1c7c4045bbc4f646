//! What the words of a figure may refer to.

use super::basins::states;
use super::chart::parameters;
use super::family;
use super::select::is_level;
use super::twins;
use crate::RunData;
use crate::column::Column;
use crate::table::Table;
use std::collections::{BTreeMap, HashSet};

/// What the words of a figure may refer to.
///
/// ```
/// use slipstick_report::figure::{Figure, Known, check};
/// use slipstick_report::{Kind, RunData, Table};
/// let mut points = Table::new([("curve", Kind::Text), ("index", Kind::Number), ("r", Kind::Number), ("x", Kind::Number)]);
/// points.push_row(["fold".into(), 0usize.into(), 1.0.into(), 1.0.into()]).unwrap();
/// let known = Known::of(&RunData { points, ..RunData::default() });
/// assert!(known.curves == ["fold"] && known.columns.contains(&"r".to_owned()));
/// let figure = Figure::from_ron(r#"Diagram(name: "parabola", x: "r", y: "xx")"#).unwrap();
/// assert_eq!(check(&figure, &known).unwrap_err().word(), Some("xx"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// Curves, in the order of the study.
    pub curves: Vec<String>,
    /// Further curves that a run may give: branches, curves through further starts.
    pub further: Vec<String>,
    /// What is known of the points of these curves before they are traced; those of others may be any.
    pub points: BTreeMap<String, KnownPoints>,
    /// Number columns of `points.csv`.
    pub columns: Vec<String>,
    /// Number columns of the orbit files.
    pub orbit_columns: Vec<String>,
    /// Simulated trajectories and other tables.
    pub trajectories: Vec<String>,
    /// Number columns of the trajectories.
    pub trajectory_columns: Vec<String>,
    /// Sweeps for attractors.
    pub attractors: Vec<String>,
    /// Charts with the parameters that they go over.
    pub charts: BTreeMap<String, Vec<String>>,
    /// Basins over grids with the states that they go over.
    pub basins: BTreeMap<String, Vec<String>>,
    /// Families of curves with the parameters that they go over.
    pub families: BTreeMap<String, Vec<String>>,
    /// Number columns of their points.
    pub family_columns: Vec<String>,
    /// Comparisons of twins, with the columns that they compare.
    pub twins: BTreeMap<String, Vec<String>>,
    /// Slow–fast portraits.
    pub portraits: Vec<String>,
    /// States and observables in their tables.
    pub portrait_columns: Vec<String>,
}

/// Which points of a curve can be chosen: those with a label, at levels that it is asked for, at the ends of its range.
///
/// ```
/// use slipstick_report::figure::{Figure, Known, KnownPoints, check};
/// let at = [("v0".to_owned(), vec![0.1, 0.2])].into();
/// let known = Known {
///     curves: vec!["slip".into()],
///     points: [("slip".to_owned(), KnownPoints { at, ..KnownPoints::default() })].into(),
///     columns: vec!["v0".into()],
///     orbit_columns: vec!["t".into(), "x".into()],
///     ..Known::default()
/// };
/// let orbits = |of: &str| Figure::from_ron(&format!(r#"Orbits(name: "o", of: ["slip: v0={of}"], panels: [Time("x")])"#)).unwrap();
/// assert!(check(&orbits("0.2"), &known).is_ok());
/// assert!(check(&orbits("0.25"), &known).unwrap_err().to_string().contains("levels: {\"v0\": [0.1, 0.2, 0.25]}"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KnownPoints {
    /// What the curve consists of, in words: equilibria.
    pub of: String,
    /// Labels that no curve of these can have.
    pub never: Vec<String>,
    /// The values asked for, by column.
    pub at: BTreeMap<String, Vec<f64>>,
    /// The ends of the curve's range, by column: it has orbits there, too.
    pub ends: BTreeMap<String, Vec<f64>>,
    /// The columns that are the same all along the curve.
    pub fixed: Vec<String>,
}

impl KnownPoints {
    /// Why there will be no point with this label on the curve called `curve`; what to write stands behind a semicolon.
    #[must_use]
    pub fn refuses_label(&self, curve: &str, label: &str) -> Option<String> {
        let never = self.never.iter().any(|other| other == label);
        never.then(|| {
            format!(
                "curve `{curve}` consists of {}, which have no point with label {label}; name another label or another curve",
                self.of
            )
        })
    }

    /// Why there will be no point at this level of a column on the curve called `curve`; what to write stands behind a
    /// semicolon.
    #[must_use]
    pub fn refuses_level(&self, curve: &str, column: &str, value: f64) -> Option<String> {
        let of = |all: &BTreeMap<String, Vec<f64>>| all.get(column).cloned().unwrap_or_default();
        let mut given = of(&self.at);
        let known = given.iter().chain(&of(&self.ends)).any(|level| is_level(*level, value));
        if known || self.fixed.iter().any(|fixed| fixed == column) {
            return None;
        }
        given.push(value);
        given.sort_by(f64::total_cmp);
        let given: Vec<String> = given.iter().map(f64::to_string).collect();
        Some(format!(
            "curve `{curve}` is not asked for a point at {column} = {value}; add it to the curve: `levels: {{\"{column}\": [{}]}}`",
            given.join(", ")
        ))
    }
}

impl Known {
    /// What is known of the points of a curve, or of the one from which it is derived: `slip` of `slip-PD1a`.
    pub(super) fn points_of(&self, curve: &str) -> Option<&KnownPoints> {
        let derived = |base: &str| curve.strip_prefix(base).is_some_and(|rest| rest.starts_with('-'));
        let bases = self.points.iter().filter(|(base, _)| derived(base));
        let base = || bases.max_by_key(|(base, _)| base.len()).map(|(_, points)| points);
        self.points.get(curve).or_else(base)
    }

    /// What a finished run has.
    #[must_use]
    pub fn of(data: &RunData) -> Self {
        let mut known = Self {
            curves: data.points.distinct("curve").into_iter().map(str::to_owned).collect(),
            columns: number_columns(&data.points),
            trajectories: data.trajectories.keys().chain(data.tables.keys()).cloned().collect(),
            attractors: data
                .attractors
                .keys()
                .chain(data.tables.keys().filter(|name| data.seen(name).is_some()))
                .cloned()
                .collect(),
            charts: over(data, |name| parameters(data.tables.get(name)?)),
            basins: over(data, |name| states(name, data)),
            families: over(data, |name| family::parameters(name, data)),
            twins: over(data, |name| twins::columns(name, data)),
            portraits: data.portraits.keys().cloned().collect(),
            ..Self::default()
        };
        unite(&mut known.orbit_columns, data.orbits.values());
        unite(
            &mut known.trajectory_columns,
            data.trajectories.values().chain(data.tables.values()),
        );
        let of_families = known.families.keys().filter_map(|name| data.tables.get(name));
        unite(&mut known.family_columns, of_families);
        let of_tasks = data.tables.keys().filter_map(|name| data.seen(name));
        unite(&mut known.columns, of_tasks);
        for objects in data.portraits.values() {
            let reported = ["critical_manifold", "folded_branches"];
            unite(
                &mut known.portrait_columns,
                reported.iter().filter_map(|name| objects.get(*name)),
            );
        }
        known
    }
}

/// The tables that go over names, with these.
fn over(data: &RunData, names: impl Fn(&str) -> Option<Vec<String>>) -> BTreeMap<String, Vec<String>> {
    let own = |name: &String| Some((name.clone(), names(name)?));
    data.tables.keys().filter_map(own).collect()
}

fn number_columns(table: &Table) -> Vec<String> {
    let numbers = table
        .columns()
        .filter(|(_, column)| matches!(column, Column::Number(_)));
    numbers.map(|(name, _)| name.to_owned()).collect()
}

fn unite<'a>(names: &mut Vec<String>, tables: impl Iterator<Item = &'a Table>) {
    let mut seen: HashSet<String> = names.iter().cloned().collect();
    names.extend(tables.flat_map(number_columns).filter(|name| seen.insert(name.clone())));
}
