//! Lyapunov exponents of a motion, or of orbits of a curve.

use crate::compute::attractors::exponents;
use crate::compute::error::ComputeError;
use crate::compute::task::{Around, Needs, Task};
use crate::compute::units::states_in;
use crate::plan::lyapunov::{LyapunovOf, LyapunovPlan};
use crate::plan::source::Source;
use crate::results::analysis::AnalysisResult;
use crate::results::curve::CurveResult;
use crate::results::run::RunResult;
use slipstick_bifurcation::Record;
use slipstick_flow::exponents::{CovariantPoint, Exponent, Spectrum, covariant_vectors, spectrum};
use slipstick_flow::measure::{Known, measured_motion};
use slipstick_report::{Cell, Kind, ReportError, Table};
use slipstick_system::System;

/// Exponents with the parameters at which they are, and the index of their orbit on its curve.
struct Found {
    parameters: Vec<f64>,
    point: f64,
    spectrum: Spectrum,
}

impl Task for LyapunovPlan {
    fn name(&self) -> &str {
        &self.name
    }

    fn needs(&self) -> Needs {
        match self.of {
            LyapunovOf::Motion { .. } => Needs::Nothing,
            LyapunovOf::Orbits(_) => Needs::Curves,
        }
    }

    fn run(&self, around: &Around<'_>) -> Result<RunResult, ComputeError> {
        let system = &around.plan.systems[self.system].system;
        let log = around.numbered();
        let work = || {
            log.remember_outcome(0, around.stop, || match &self.of {
                LyapunovOf::Motion { mode, from } => self.of_motion(system, *mode, from),
                LyapunovOf::Orbits(source) => self.of_orbits(system, source, &around.curves),
            })
        };
        Ok(RunResult {
            analyses: vec![around.observed(&self.name, work)??],
            ..RunResult::default()
        })
    }
}

impl LyapunovPlan {
    fn of_motion(&self, system: &System, mode: usize, from: &[f64]) -> Result<AnalysisResult, ComputeError> {
        let p = &self.parameters;
        let known = Known {
            parameters: p.clone(),
            starts: vec![(mode, from.to_vec())],
            period: None,
        };
        let in_measured = measured_motion(system, &[known]);
        let of = in_measured.as_ref().unwrap_or(system);
        let time = of.units.time;
        let start = states_in(from, mode, of);
        let mut options = self.options.clone();
        options.time /= time;
        options.transient /= time;
        let mut found = spectrum(of, mode, &start, p, &options)?;
        // Batches do not show what the whole time is too short for: that lengths at its ends differ by a factor.
        let lost = |e: &Exponent| e.value == f64::NEG_INFINITY;
        for exponent in found.exponents.iter_mut().filter(|e| !lost(e)) {
            exponent.error = exponent.error.hypot(options.time.recip());
        }
        for exponent in found.exponents.iter_mut().chain([&mut found.sum]) {
            exponent.value /= time;
            exponent.error /= time;
        }
        found.events /= time;
        let mut notes = vec![in_words(&found)];
        let mut tables = vec![];
        if self.vectors > 0 {
            let points = covariant_vectors(of, mode, &start, p, &options, self.vectors)?;
            notes.push(format!("covariant vectors at {} points", points.len()));
            tables.push((self.vectors_name(), vectors(of, &points)?));
        }
        let found = Found {
            parameters: p.clone(),
            point: f64::NAN,
            spectrum: found,
        };
        tables.insert(0, (self.name.clone(), table(system, &[found])?));
        Ok(AnalysisResult {
            name: self.name.clone(),
            tables,
            notes,
            ..AnalysisResult::default()
        })
    }

    fn of_orbits(
        &self,
        system: &System,
        source: &Source,
        curves: &[&CurveResult],
    ) -> Result<AnalysisResult, ComputeError> {
        let points = source.points(curves)?;
        let found: Vec<Found> = points
            .into_iter()
            .map(|(index, record)| Found {
                parameters: record.parameters.clone(),
                point: index as f64,
                spectrum: of_record(system, record, self.options.count),
            })
            .collect();
        let notes = found
            .iter()
            .map(|f| format!("point {}: {}", f.point, in_words(&f.spectrum)));
        Ok(AnalysisResult {
            name: self.name.clone(),
            notes: notes.collect(),
            tables: vec![(self.name.clone(), table(system, &found)?)],
            ..AnalysisResult::default()
        })
    }
}

/// The exponents of an equilibrium or an orbit. What differs from zero by rounding, as at a Hopf point, is zero.
fn of_record(system: &System, record: &Record, count: Option<usize>) -> Spectrum {
    /// Parts of what eigenvalues are made of, and logarithms of multipliers, that are rounding.
    const ROUNDING: f64 = 1e-10;
    let mut exponents = exponents::of_record(system, record, count.unwrap_or(usize::MAX));
    let size = if record.multipliers.is_empty() && !record.eigenvalues.is_empty() {
        record.scaled_eigenvalues().fold(0.0, |m: f64, (_, scale)| m.max(scale))
    } else {
        record.period.recip()
    };
    for exponent in exponents.iter_mut().filter(|e| e.value.abs() <= ROUNDING * size) {
        exponent.value = 0.0;
    }
    Spectrum {
        dimension: system.dimension(),
        sum: Exponent {
            value: exponents.iter().map(|e| e.value).sum(),
            error: 0.0,
        },
        exponents,
        events: f64::NAN,
    }
}

/// A line about a spectrum.
fn in_words(found: &Spectrum) -> String {
    let one = |e: &Exponent| match e.error {
        error if error > 0.0 => format!("{:.6} ± {error:.1e}", e.value),
        _ => format!("{:.6}", e.value),
    };
    let all: Vec<String> = found.exponents.iter().map(one).collect();
    let dimension = match found.kaplan_yorke() {
        unknown if unknown.is_nan() => String::new(),
        known => format!(", Kaplan-Yorke dimension {known:.4}"),
    };
    format!("exponents {}; sum {}{dimension}", all.join(", "), one(&found.sum))
}

/// One row for each exponent.
fn table(system: &System, found: &[Found]) -> Result<Table, ReportError> {
    let names = [
        "point",
        "index",
        "exponent",
        "error",
        "sum",
        "sum_error",
        "kaplan_yorke",
        "events",
    ];
    let mut columns: Vec<(String, Kind)> = system
        .parameters
        .iter()
        .map(|p| (p.name.clone(), Kind::Number))
        .collect();
    columns.extend(names.map(|name| (name.to_owned(), Kind::Number)));
    let mut table = Table::new(columns);
    for f in found {
        let dimension = f.spectrum.kaplan_yorke();
        for (k, e) in f.spectrum.exponents.iter().enumerate() {
            let sum = &f.spectrum.sum;
            let own = [
                f.point,
                (k + 1) as f64,
                e.value,
                e.error,
                sum.value,
                sum.error,
                dimension,
                f.spectrum.events,
            ];
            table.push_row(f.parameters.iter().chain(&own).map(|&v| Cell::Number(v)))?;
        }
    }
    Ok(table)
}

/// One row for each point: time, states, the vectors in the states of the system, and the least angle between two of
/// them.
fn vectors(system: &System, points: &[CovariantPoint]) -> Result<Table, ReportError> {
    let count = points.first().map_or(0, |p| p.vectors.len());
    let mut columns = vec![("t".to_owned(), Kind::Number)];
    columns.extend(system.states.iter().map(|s| (s.name.clone(), Kind::Number)));
    if system.is_hybrid() {
        columns.push(("mode".into(), Kind::Text));
    }
    for k in 1..=count {
        columns.extend(system.states.iter().map(|s| (format!("v{k}_{}", s.name), Kind::Number)));
    }
    columns.push(("angle".into(), Kind::Number));
    let mut table = Table::new(columns);
    for point in points {
        let own = &system.modes[point.mode].states;
        // A state that the mode does not have is not perturbed there.
        let spread = |x: &[f64], absent: f64| {
            let mut all = vec![absent; system.states.len()];
            for (x, &s) in x.iter().zip(own) {
                all[s] = x * system.units.state(s);
            }
            all
        };
        let mut row = vec![Cell::Number(point.t * system.units.time)];
        row.extend(spread(&point.state, f64::NAN).into_iter().map(Cell::Number));
        if system.is_hybrid() {
            row.push(Cell::Text(system.modes[point.mode].name.clone()));
        }
        let vectors: Vec<Vec<f64>> = point.vectors.iter().map(|v| unit(spread(v, 0.0))).collect();
        row.extend(vectors.iter().flatten().map(|&v| Cell::Number(v)));
        row.push(Cell::Number(least_angle(&vectors)));
        table.push_row(row)?;
    }
    Ok(table)
}

fn unit(mut v: Vec<f64>) -> Vec<f64> {
    let size = v.iter().map(|c| c * c).sum::<f64>().sqrt();
    v.iter_mut().for_each(|c| *c /= size);
    v
}

/// The least angle between two of these vectors of length one, as directions; a right one if there are fewer than two.
fn least_angle(vectors: &[Vec<f64>]) -> f64 {
    let mut least = std::f64::consts::FRAC_PI_2;
    for (k, a) in vectors.iter().enumerate() {
        for b in &vectors[..k] {
            let along: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
            // By the sine, which keeps its digits where directions nearly agree.
            let apart = |sign: f64| a.iter().zip(b).map(|(a, b)| (a - sign * b).powi(2)).sum::<f64>().sqrt();
            least = least.min(2.0 * (0.5 * apart(along.signum())).min(1.0).asin());
        }
    }
    least
}
