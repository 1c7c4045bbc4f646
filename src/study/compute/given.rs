//! Orbits to start from: points of other curves, of finished runs, orbits in files.

use crate::compute::error::ComputeError;
use crate::compute::levels::{is_at_level, largest};
use crate::plan::entries::NamedSystem;
use crate::plan::orbit_files::{Given, Known, read_orbit};
use crate::plan::source::{Pick, Source};
use crate::results::curve::{CurveResult, counted};
use slipstick_bifurcation::{Label, Record};
use slipstick_numerics::number::exact;
use slipstick_report::{Table, orbit_file_name};
use slipstick_system::System;
use std::path::Path;

impl Source {
    /// In words.
    fn describe(&self) -> String {
        let point = match &self.pick {
            Pick::Label(label, None) => format!("with label {label}"),
            Pick::Label(label, Some(k)) => format!("number {k} with label {label}"),
            Pick::Level(column, value) => format!("with {column} = {}", exact(*value)),
            Pick::Index(index) => format!("with index {index}"),
        };
        match &self.folder {
            Some(folder) => format!("point {point} on curve `{}` in {}", self.curve, folder.display()),
            None => format!("point {point} on curve `{}`", self.curve),
        }
    }

    /// The points meant, with their orbits.
    pub(crate) fn find(
        &self,
        system: &System,
        systems: &[NamedSystem],
        earlier: &[&CurveResult],
    ) -> Result<Vec<Given>, ComputeError> {
        let found = match &self.folder {
            Some(folder) => self.in_folder(folder, system)?,
            None => self.in_study(system, systems, earlier)?,
        };
        if found.is_empty() {
            let (there, siblings) = match &self.folder {
                Some(folder) => (self.there_in(folder)?, vec![]),
                None => (self.curve_in(earlier)?.special(), self.siblings(earlier)),
            };
            return Err(ComputeError::NoSuchPoint {
                what: self.describe(),
                there,
                siblings,
            });
        }
        Ok(found)
    }

    /// The curve of this study that is meant.
    fn curve_in<'c>(&self, curves: &[&'c CurveResult]) -> Result<&'c CurveResult, ComputeError> {
        let found = curves.iter().copied().find(|c| c.name == self.curve);
        found.ok_or_else(|| ComputeError::NoPoints {
            curve: self.curve.clone(),
        })
    }

    /// The points meant of a curve of this study, in the study's units, with their indices.
    pub(crate) fn points<'c>(&self, curves: &[&'c CurveResult]) -> Result<Vec<(usize, &'c Record)>, ComputeError> {
        let curve = self.curve_in(curves)?;
        let largest = self.largest(curve);
        let mut count = 0;
        let mut found = vec![];
        for (index, _, p) in curve.points() {
            let label = p.label.map_or("", Label::code);
            if matches!(&self.pick, Pick::Label(wanted, _) if wanted == label) {
                count += 1;
            }
            let column = |name: &str| column(curve, &p.record, name);
            if self.fits(index, label, count, column, largest) {
                found.push((index, &p.record));
            }
        }
        if found.is_empty() {
            return Err(ComputeError::NoSuchPoint {
                what: self.describe(),
                there: curve.special(),
                siblings: self.siblings(curves),
            });
        }
        Ok(found)
    }

    /// The special points of the curve in a finished run, in words.
    fn there_in(&self, folder: &Path) -> Result<String, ComputeError> {
        let special = Table::read(folder.join("special.csv")).map_err(ComputeError::NotARun)?;
        let rows = special.rows_where("curve", &self.curve);
        Ok(counted(rows.texts("label")?.iter().map(String::as_str)))
    }

    /// The curves that the same entry of the study gave besides (`rest-2`, …) and that have a point with the label.
    fn siblings(&self, earlier: &[&CurveResult]) -> Vec<String> {
        let Pick::Label(wanted, _) = &self.pick else {
            return vec![];
        };
        let of_entry = |name: &str| name.strip_prefix(&self.curve).is_some_and(|rest| rest.starts_with('-'));
        let has = |c: &CurveResult| c.points().any(|(_, _, p)| p.label.is_some_and(|l| l.code() == wanted));
        let fitting = earlier.iter().filter(|c| of_entry(&c.name) && has(c));
        fitting.map(|c| format!("`{}`", c.name)).collect()
    }

    /// The largest magnitude along a curve of the column that a level is about.
    fn largest(&self, curve: &CurveResult) -> f64 {
        match &self.pick {
            Pick::Level(name, _) => largest(curve.points().filter_map(|(_, _, p)| column(curve, &p.record, name))),
            _ => 0.0,
        }
    }

    /// Does the `count`-th point with this label (from 1) fit? The column of a level has this largest magnitude.
    fn fits(
        &self,
        index: usize,
        label: &str,
        count: usize,
        column: impl Fn(&str) -> Option<f64>,
        largest: f64,
    ) -> bool {
        match &self.pick {
            Pick::Label(wanted, number) => wanted == label && number.is_none_or(|k| k == count),
            Pick::Level(name, level) => column(name).is_some_and(|value| is_at_level(value, *level, largest)),
            Pick::Index(wanted) => *wanted == index,
        }
    }

    fn in_study(
        &self,
        system: &System,
        systems: &[NamedSystem],
        earlier: &[&CurveResult],
    ) -> Result<Vec<Given>, ComputeError> {
        let curve = self.curve_in(earlier)?;
        let of = curve
            .system
            .and_then(|k| systems.get(k))
            .map_or(system, |named| &named.system);
        let unit = |name: &str| match name {
            "period" => of.units.time,
            name if curve.monitors.iter().any(|n| n == name) => of.unit_of_column(name),
            _ => 1.0,
        };
        let largest = match &self.pick {
            Pick::Level(name, _) => self.largest(curve) * unit(name),
            _ => 0.0,
        };
        let mut found = vec![];
        let mut first = 0;
        let mut count = 0;
        for piece in &curve.pieces {
            for (at, sample) in &piece.orbits {
                let p = &piece.branch.points[*at];
                let label = p.label.map_or("", Label::code);
                if matches!(&self.pick, Pick::Label(wanted, _) if wanted == label) {
                    count += 1;
                }
                let column = |name: &str| Some(column(curve, &p.record, name)? * unit(name));
                if self.fits(first + at, label, count, column, largest) {
                    let given = Given {
                        label: label.into(),
                        parameters: curve
                            .parameters
                            .iter()
                            .cloned()
                            .zip(p.record.parameters.iter().copied())
                            .collect(),
                        t: sample.t.clone(),
                        states: sample.states.clone(),
                        modes: sample.modes.clone(),
                        known: Some(Known {
                            word: piece.word.clone(),
                            half: piece.half,
                            point: p.point.clone(),
                        }),
                    };
                    found.push(given.in_units(&of.units, &system.units));
                }
            }
            first += piece.branch.points.len();
        }
        Ok(found)
    }

    fn in_folder(&self, folder: &Path, system: &System) -> Result<Vec<Given>, ComputeError> {
        let special = Table::read(folder.join("special.csv")).map_err(ComputeError::NotARun)?;
        let (curves, labels) = (special.texts("curve")?, special.texts("label")?);
        let indices = special.numbers("index")?;
        let own = (0..special.rows()).filter(|&k| curves[k] == self.curve);
        let most = match &self.pick {
            Pick::Level(name, _) => special.numbers(name).map_or(0.0, |v| largest(own.map(|k| v[k]))),
            _ => 0.0,
        };
        let mut found = vec![];
        let mut count = 0;
        for row in 0..special.rows() {
            if curves[row] != self.curve {
                continue;
            }
            if matches!(&self.pick, Pick::Label(wanted, _) if *wanted == labels[row]) {
                count += 1;
            }
            let column = |name: &str| special.numbers(name).ok().map(|v| v[row]);
            let index = indices[row] as usize;
            if !self.fits(index, &labels[row], count, column, most) {
                continue;
            }
            let name = orbit_file_name(&self.curve, index)?;
            let mut given = read_orbit(&folder.join("orbits").join(name), system)?;
            given.label.clone_from(&labels[row]);
            given.parameters = system
                .parameters
                .iter()
                .filter_map(|p| Some((p.name.clone(), column(&p.name)?)))
                .filter(|p| p.1.is_finite())
                .collect();
            found.push(given);
        }
        if found.is_empty() && !curves.contains(&self.curve) {
            let mut known = curves.to_vec();
            known.dedup();
            return Err(ComputeError::NoCurve {
                folder: folder.to_path_buf(),
                curve: self.curve.clone(),
                known,
            });
        }
        Ok(found)
    }
}

/// The states that live in a mode, of all states of the system.
pub(crate) fn own_states(system: &System, mode: usize, all: &[f64]) -> Vec<f64> {
    system.modes[mode].states.iter().map(|&i| all[i]).collect()
}

/// The value of a column that a level may be about, in the units of the record.
fn column(curve: &CurveResult, record: &Record, name: &str) -> Option<f64> {
    let parameter = curve.parameters.iter().position(|n| n == name);
    let monitor = curve.monitors.iter().position(|n| n == name);
    parameter
        .map(|i| record.parameters[i])
        .or_else(|| monitor.map(|i| record.monitors[i]))
        .or_else(|| (name == "period").then_some(record.period))
}
