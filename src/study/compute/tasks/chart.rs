//! A chart: what attracts in each cell of a grid over parameters.

use crate::compute::attractors::initial::initial;
use crate::compute::attractors::orbits::monitors;
use crate::compute::attractors::sweep::at_value;
use crate::compute::divided::in_parts;
use crate::compute::error::ComputeError;
use crate::compute::region::search_region;
use crate::compute::task::{Around, Needs, Task};
use crate::compute::tasks::borders::{Comparison, Regimes};
use crate::compute::tasks::orbits::{self, orbit, spread};
use crate::compute::tasks::places::turns;
use crate::compute::tasks::rows::Rows;
use crate::plan::attractors::{AttractorsPlan, belongs};
use crate::plan::chart::ChartPlan;
use crate::results::analysis::AnalysisResult;
use crate::results::attractors::{Attractor, AttractorKind};
use crate::results::curve::CurveResult;
use crate::results::run::RunResult;
use serde::{Deserialize, Serialize};
use slipstick_flow::exponents::Exponent;
use slipstick_flow::{AttractingOrbit, Sample};
use slipstick_orbit::{Letter, Word};
use slipstick_report::{Cell, Kind, ReportError, Table};
use slipstick_system::System;
use std::collections::BTreeMap;
use std::ops::Range;

/// An attractor in one cell.
#[derive(Serialize, Deserialize)]
struct Found {
    cell: usize,
    kind: AttractorKind,
    turns: f64,
    starts: usize,
    exponents: Vec<Exponent>,
    message: String,
    /// What it is, the same for its mirror image.
    class: String,
    /// Its orbit, of few cells.
    orbit: Option<Vec<Sample>>,
}

/// What an attractor is, in the same words as its mirror image.
fn class(a: &Attractor, system: &System, p: &[f64]) -> String {
    let (word, _) = a.kind.word_and_period();
    let word = match &a.attracting {
        Some(orbit) if !orbit.symmetric => least_word(orbit, system, p).describe(system),
        _ => word.to_owned(),
    };
    format!("{} {word}", a.kind.name()).trim_end().to_owned()
}

/// Of the rotations of the word of an orbit and of its mirror image, the first in the order of modes and events.
fn least_word(orbit: &AttractingOrbit, system: &System, p: &[f64]) -> Word {
    let images = [Some(orbit.clone()), orbit.mirrored(system, p)];
    let rotations = images.iter().flatten().flat_map(|image| {
        (0..image.word.len()).map(|k| {
            let mut letters = image.word.clone();
            letters.rotate_left(k);
            letters
        })
    });
    Word {
        letters: rotations
            .min()
            .unwrap_or_default()
            .into_iter()
            .map(|(mode, event)| Letter { mode, event })
            .collect(),
        symmetric: false,
    }
}

impl Task for ChartPlan {
    fn name(&self) -> &str {
        &self.sweep.name
    }

    fn parts(&self) -> Vec<Range<usize>> {
        self.grid.tiles()
    }

    fn needs(&self) -> Needs {
        if self.borders.is_empty() {
            Needs::Nothing
        } else {
            Needs::CurvesAndLoci
        }
    }

    fn parts_need(&self) -> Needs {
        Needs::Nothing
    }

    fn run(&self, around: &Around<'_>) -> Result<RunResult, ComputeError> {
        let sweep = &self.sweep;
        let system = &around.plan.systems[sweep.system].system;
        let width = monitors(system, sweep).len();
        let region = search_region(system, &sweep.parameters, &sweep.region, sweep.flow);
        let shown = spread(&self.grid, self.orbits);
        let cell = |cell: usize| {
            let mut own: AttractorsPlan = sweep.clone();
            let mut value = 0.0;
            for (axis, v) in self.grid.cell(cell) {
                own.parameters[axis.index] = v;
                if axis.index == sweep.sweep {
                    value = v;
                }
            }
            let found = at_value(around.plan, &own, (cell, value), &region, (width, &[]), around.stop);
            let mut p = own.parameters.clone();
            p[sweep.sweep] = value;
            // Which of several attractors a start comes to is not known here.
            let alone = found.len() == 1 && shown.contains(&cell);
            let start = alone.then(|| initial(system, &own, &region, &p, (cell, 0))).flatten();
            let of = |a: &Attractor| orbit(system, &own, &p, a, start.clone());
            let summary = |a: Attractor| Found {
                cell,
                class: class(&a, system, &p),
                orbit: shown.contains(&cell).then(|| of(&a)).flatten(),
                turns: turns(system, &p, &a),
                kind: a.kind,
                starts: a.starts,
                exponents: a.exponents,
                message: a.message,
            };
            found.into_iter().map(summary).collect::<Vec<_>>()
        };
        let tiles = self.parts();
        let of_tile = |tile: usize| tiles[tile].clone().flat_map(cell).collect::<Vec<Found>>();
        let gathered = in_parts(around, &sweep.name, &tiles, of_tile)?;
        let mut rows = Rows::begin(around, &sweep.name, &self.grid)?;
        let mut counts = BTreeMap::new();
        let mut regimes = vec![Regimes::new(); if self.borders.is_empty() { 0 } else { self.grid.len() }];
        let mut orbits = vec![];
        for tile in gathered.known() {
            let tile = tile?;
            self.count(&tile, &mut counts);
            for f in tile.iter().filter(|_| !self.borders.is_empty()) {
                *regimes[f.cell].entry(f.class.clone()).or_default() += f.starts;
            }
            let all = self.table(tile.iter())?;
            let shown: Vec<&Found> = tile.iter().filter(|f| rows.shows(&self.grid, f.cell)).collect();
            let numbered = shown.iter().enumerate();
            let own = numbered.filter_map(|(k, f)| Some((rows.shown() + k + 1, f.orbit.clone()?)));
            orbits.extend(own);
            let shown = self.table(shown.into_iter())?;
            rows.push(&all, shown)?;
        }
        let mut notes = vec![self.in_words(counts)];
        let (table, big) = rows.finish()?;
        let mut tables = vec![(sweep.name.clone(), table)];
        if !self.borders.is_empty() {
            let compared = self.compared(&regimes, &around.curves);
            notes.extend(compared.in_words(&self.grid));
            tables.push((self.borders_name(), compared.table(&self.grid)?));
        }
        if self.orbits > 0 {
            let own = orbits.iter().map(|(row, orbit)| (*row, orbit));
            tables.push((self.orbits_name(), orbits::table(system, "row", own)?));
        }
        Ok(RunResult {
            analyses: vec![AnalysisResult {
                name: sweep.name.clone(),
                notes,
                tables,
                ..AnalysisResult::default()
            }],
            big_tables: big.into_iter().collect(),
            ..RunResult::default()
        })
    }
}

impl ChartPlan {
    /// The borders between cells, compared with two-parameter curves.
    fn compared(&self, regimes: &[Regimes], curves: &[&CurveResult]) -> Comparison {
        let named = |curve: &&CurveResult| self.borders.iter().any(|name| belongs(&curve.name, name));
        let loci: Vec<&CurveResult> = curves.iter().copied().filter(named).collect();
        Comparison::of(&self.grid, regimes, self.sweep.starts, &loci)
    }

    /// One row for each attractor of each cell.
    fn table<'f>(&self, found: impl Iterator<Item = &'f Found>) -> Result<Table, ReportError> {
        let numbers = |names: &[&str]| names.iter().map(|&n| (n.to_owned(), Kind::Number)).collect::<Vec<_>>();
        let mut columns: Vec<(String, Kind)> = self.grid.axes.iter().map(|a| (a.name.clone(), Kind::Number)).collect();
        columns.push(("kind".into(), Kind::Text));
        columns.extend(numbers(&["starts"]));
        columns.push(("word".into(), Kind::Text));
        columns.extend(numbers(&["period", "turns"]));
        columns.extend((1..=self.sweep.exponents).map(|k| (format!("exponent{k}"), Kind::Number)));
        columns.push(("message".into(), Kind::Text));
        let mut table = Table::new(columns);
        for f in found {
            let (word, period) = f.kind.word_and_period();
            let mut row: Vec<Cell> = self.grid.cell(f.cell).map(|(_, v)| Cell::Number(v)).collect();
            row.extend([
                Cell::Text(f.kind.name().into()),
                Cell::Number(f.starts as f64),
                Cell::Text(word.to_owned()),
                Cell::Number(period),
                Cell::Number(f.turns),
            ]);
            let exponent = |k: usize| f.exponents.get(k).map_or(f64::NAN, |e| e.value);
            row.extend((0..self.sweep.exponents).map(|k| Cell::Number(exponent(k))));
            row.push(Cell::Text(f.message.clone()));
            table.push_row(row)?;
        }
        Ok(table)
    }

    /// Count what there is.
    fn count(&self, found: &[Found], counts: &mut BTreeMap<String, usize>) {
        for f in found {
            let (word, _) = f.kind.word_and_period();
            let what = format!("{} {word}", f.kind.name());
            *counts.entry(what.trim_end().to_owned()).or_default() += 1;
        }
    }

    /// What there is, the most frequent first.
    fn in_words(&self, counts: BTreeMap<String, usize>) -> String {
        /// As many are named.
        const NAMED: usize = 8;
        let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let more = counts.len().saturating_sub(NAMED);
        let mut named: Vec<String> = counts
            .iter()
            .take(NAMED)
            .map(|(what, count)| format!("{count} × {what}"))
            .collect();
        if more > 0 {
            named.push(format!("{more} other kinds"));
        }
        format!(
            "{} cells with {} initial states each: {}",
            self.grid.len(),
            self.sweep.starts,
            named.join(", ")
        )
    }
}
