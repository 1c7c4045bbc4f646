//! Basins: which attractor each initial state comes to, how large the basins are, and how fine their boundary is.

use crate::compute::attractors::census::Census;
use crate::compute::attractors::cycles::Iterations;
use crate::compute::attractors::explorer::Explorer;
use crate::compute::attractors::initial::{drawn, located};
use crate::compute::attractors::orbits::{Motions, monitors};
use crate::compute::attractors::units::{attractor_in_own, in_region_units};
use crate::compute::divided::in_parts;
use crate::compute::error::ComputeError;
use crate::compute::region::search_region;
use crate::compute::task::{Around, Needs, Task};
use crate::compute::tasks::orbits::{self, orbit};
use crate::compute::tasks::places::{places, turns};
use crate::plan::axis::{Grid, tiles};
use crate::plan::basins::{BasinsPlan, Starts};
use crate::results::analysis::AnalysisResult;
use crate::results::attractors::Attractor;
use crate::results::curve::CurveResult;
use crate::results::run::RunResult;
use slipstick_flow::NonUniqueness;
use slipstick_report::{Cell, Kind, ReportError, Table};
use slipstick_system::System;
use std::ops::Range;

/// What a tile gives: its attractors, and for each cell the number of its own among them, none where no mode has such a
/// state.
type Tile = (Vec<Attractor>, Vec<Option<usize>>);

impl Task for BasinsPlan {
    fn name(&self) -> &str {
        &self.sweep.name
    }

    fn needs(&self) -> Needs {
        Needs::Curves
    }

    fn parts(&self) -> Vec<Range<usize>> {
        tiles(self.len())
    }

    fn run(&self, around: &Around<'_>) -> Result<RunResult, ComputeError> {
        let sweep = &self.sweep;
        let system = &around.plan.systems[sweep.system].system;
        let curves: Vec<&CurveResult> = around
            .curves
            .iter()
            .copied()
            .filter(|c| c.system == Some(sweep.system))
            .collect();
        let value = sweep.parameters[sweep.sweep];
        let scaled = in_region_units(system, &self.region(system), &sweep.parameters);
        let of = scaled.as_ref().unwrap_or(system);
        let names = monitors(system, sweep);
        let named: Vec<&CurveResult> = curves
            .into_iter()
            .filter(|c| c.free == system.parameters[sweep.sweep].name)
            .collect();
        let (mut attractors, cells) = if system.is_map() {
            self.of_all(around, of, &Iterations::new((of, system), sweep, value, &named))?
        } else {
            self.of_all(
                around,
                of,
                &Motions::new(around.plan, sweep, of, value, names.len(), &named),
            )?
        };
        if let Some(scaled) = &scaled {
            let units = scaled.units_of_columns(&names);
            attractors.iter_mut().for_each(|a| attractor_in_own(a, &units, scaled));
        }
        let mut notes = vec![in_words(&attractors, &cells)];
        let mut tables = vec![
            (sweep.name.clone(), self.cells(system, &cells)?),
            (self.attractors_name(), self.attractors(system, &attractors, &cells)?),
        ];
        if let Starts::Grid(grid) = &self.starts {
            let boundary = Boundary::of(grid, &cells);
            notes.extend(boundary.in_words(grid));
            tables.push((self.boundary_name(), boundary.table()?));
            tables.push((self.points_name(), self.points(system, &attractors)?));
        }
        tables.push((self.orbits_name(), self.orbits(system, &attractors, &cells)?));
        Ok(RunResult {
            analyses: vec![AnalysisResult {
                name: sweep.name.clone(),
                notes,
                tables,
                ..AnalysisResult::default()
            }],
            ..RunResult::default()
        })
    }
}

impl BasinsPlan {
    /// Follow all starts; the attractors of all tiles as one list.
    fn of_all<E: Explorer + Sync>(
        &self,
        around: &Around<'_>,
        system: &System,
        explorer: &E,
    ) -> Result<Tile, ComputeError> {
        let region = self.region(&around.plan.systems[self.sweep.system].system);
        let tiles = self.parts();
        let one = |tile: usize| -> Tile {
            let mut census = explorer.census();
            let entries: Vec<_> = tiles[tile]
                .clone()
                .map(|cell| {
                    let (mode, x) = self.start(system, &region, cell)?;
                    Some(explorer.follow(mode, &x, &mut census))
                })
                .collect();
            let numbers = entries.into_iter().map(|entry| Some(census.number(entry?))).collect();
            (census.finish(), numbers)
        };
        let gathered = in_parts(around, &self.sweep.name, &tiles, one)?;
        joined(explorer, gathered.all()?)
    }

    /// The intervals of the states that motions start in, in the units of the study.
    fn region(&self, system: &System) -> Vec<(f64, f64)> {
        match &self.starts {
            Starts::Random(_) => search_region(system, &self.sweep.parameters, &self.sweep.region, self.sweep.flow),
            Starts::Grid(grid) => {
                let mut region: Vec<(f64, f64)> = self.from.iter().map(|&v| (v, v)).collect();
                for axis in &grid.axes {
                    let range = |(lo, hi): (f64, f64), v: &f64| (lo.min(*v), hi.max(*v));
                    region[axis.index] = axis.values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), range);
                }
                region
            }
        }
    }

    /// All states of the system where cell number `cell` starts, in the units of the study.
    fn states(&self, system: &System, region: &[(f64, f64)], cell: usize) -> Vec<f64> {
        match &self.starts {
            Starts::Random(_) => drawn(system, region, self.sweep.seed, cell),
            Starts::Grid(grid) => {
                let mut full = self.from.clone();
                for (axis, v) in grid.cell(cell) {
                    full[axis.index] = v;
                }
                full
            }
        }
    }

    /// The mode and the states that cell number `cell` starts in, in the units of the system; none if no mode has such
    /// a state.
    fn start(&self, system: &System, region: &[(f64, f64)], cell: usize) -> Option<(usize, Vec<f64>)> {
        let mut full = self.states(system, region, cell);
        full.iter_mut()
            .enumerate()
            .for_each(|(i, v)| *v /= system.units.state(i));
        match self.mode {
            Some(mode) => Some((mode, system.own_states(mode, &full))),
            None => located(system, &full, &self.sweep.parameters),
        }
    }

    /// One row for each cell.
    fn cells(&self, system: &System, cells: &[Option<usize>]) -> Result<Table, ReportError> {
        let region = self.region(system);
        let names: Vec<String> = match &self.starts {
            Starts::Grid(grid) => grid.axes.iter().map(|a| a.name.clone()).collect(),
            Starts::Random(_) => system.states.iter().map(|s| s.name.clone()).collect(),
        };
        let named = names.into_iter().chain(["attractor".to_owned()]);
        let mut table = Table::new(named.map(|name| (name, Kind::Number)).collect::<Vec<_>>());
        for (k, number) in cells.iter().enumerate() {
            let mut row: Vec<f64> = match &self.starts {
                Starts::Grid(grid) => grid.cell(k).map(|(_, v)| v).collect(),
                Starts::Random(_) => self.states(system, &region, k),
            };
            row.push(number.map_or(f64::NAN, |n| (n + 1) as f64));
            table.push_row(row.into_iter().map(Cell::Number))?;
        }
        Ok(table)
    }

    /// One row for each attractor, with the size of its basin: the fraction of the cells and the standard error that so
    /// many random ones would have.
    fn attractors(
        &self,
        system: &System,
        attractors: &[Attractor],
        cells: &[Option<usize>],
    ) -> Result<Table, ReportError> {
        let mut columns = vec![("attractor".to_owned(), Kind::Number)];
        columns.extend(["kind", "word"].map(|n| (n.to_owned(), Kind::Text)));
        columns
            .extend(["period", "turns", "cells", "fraction", "fraction_error"].map(|n| (n.to_owned(), Kind::Number)));
        columns.extend((1..=self.sweep.exponents).map(|k| (format!("exponent{k}"), Kind::Number)));
        // What is done where the future of a motion is not unique.
        columns.extend(system.is_hybrid().then(|| ("policy".to_owned(), Kind::Text)));
        columns.extend(["curve", "message"].map(|n| (n.to_owned(), Kind::Text)));
        let mut table = Table::new(columns);
        let all = cells.iter().flatten().count() as f64;
        for (k, a) in attractors.iter().enumerate() {
            let own = cells.iter().filter(|c| **c == Some(k)).count() as f64;
            let fraction = own / all;
            let (word, period) = a.kind.word_and_period();
            let mut row = vec![
                Cell::Number((k + 1) as f64),
                Cell::Text(a.kind.name().into()),
                Cell::Text(word.to_owned()),
            ];
            let turns = turns(system, &self.sweep.parameters, a);
            row.extend([period, turns, own, fraction, (fraction * (1.0 - fraction) / all).sqrt()].map(Cell::Number));
            let exponent = |k: usize| a.exponents.get(k).map_or(f64::NAN, |e| e.value);
            row.extend((0..self.sweep.exponents).map(|k| Cell::Number(exponent(k))));
            let policy = match self.sweep.policy {
                NonUniqueness::Slip => "Slip",
                NonUniqueness::Stick | NonUniqueness::Both => "Stick",
            };
            row.extend(system.is_hybrid().then(|| Cell::Text(policy.to_owned())));
            row.extend([a.curve.clone().unwrap_or_default(), a.message.clone()].map(Cell::Text));
            table.push_row(row)?;
        }
        Ok(table)
    }

    /// The orbits of the first attractors.
    fn orbits(&self, system: &System, attractors: &[Attractor], cells: &[Option<usize>]) -> Result<Table, ReportError> {
        /// More are left out.
        const MOST: usize = 40;
        let region = self.region(system);
        let of = |(k, attractor): (usize, &Attractor)| {
            let cell = cells.iter().position(|cell| *cell == Some(k));
            let start = cell.and_then(|cell| self.start(system, &region, cell));
            let orbit = orbit(system, &self.sweep, &self.sweep.parameters, attractor, start)?;
            Some((k + 1, orbit))
        };
        let found: Vec<_> = attractors.iter().enumerate().take(MOST).filter_map(of).collect();
        orbits::table(
            system,
            "attractor",
            found.iter().map(|(number, orbit)| (*number, orbit)),
        )
    }

    /// One row for each state of each attractor in the plane of initial states.
    fn points(&self, system: &System, attractors: &[Attractor]) -> Result<Table, ReportError> {
        let states = system.states.iter().map(|s| s.name.clone());
        let named = std::iter::once("attractor".to_owned()).chain(states);
        let mut table = Table::new(named.map(|name| (name, Kind::Number)).collect::<Vec<_>>());
        for (k, attractor) in attractors.iter().enumerate() {
            for place in places(system, &self.sweep, &self.from, attractor) {
                let number = std::iter::once((k + 1) as f64);
                table.push_row(number.chain(place).map(Cell::Number))?;
            }
        }
        Ok(table)
    }
}

/// The attractors of all tiles, each once, orbits first, and the number of its own for each cell.
fn joined<E: Explorer>(
    explorer: &E,
    tiles: impl Iterator<Item = Result<Tile, ComputeError>>,
) -> Result<Tile, ComputeError> {
    let mut census: Census<E::Key> = explorer.census();
    let mut entries = vec![];
    for tile in tiles {
        let (attractors, numbers) = tile?;
        let own: Vec<_> = attractors
            .into_iter()
            .map(|attractor| match explorer.key(&attractor) {
                Some(key) => match census.meet_orbit(|other, _| explorer.same(other, &key)) {
                    Some(entry) => entry,
                    None => census.enter_orbit(key, attractor),
                },
                None => census.enter_other(attractor),
            })
            .collect();
        entries.extend(numbers.into_iter().map(|number| Some(own[number?])));
    }
    let numbers = entries.into_iter().map(|entry| Some(census.number(entry?))).collect();
    Ok((census.finish(), numbers))
}

/// A line about the basins.
fn in_words(attractors: &[Attractor], cells: &[Option<usize>]) -> String {
    let all = cells.iter().flatten().count();
    let one = |(k, a): (usize, &Attractor)| {
        let own = cells.iter().filter(|c| **c == Some(k)).count();
        let (word, _) = a.kind.word_and_period();
        let what = format!("{} {word}", a.kind.name());
        format!(
            "{:.2} % to {} ({})",
            100.0 * own as f64 / all as f64,
            k + 1,
            what.trim_end()
        )
    };
    /// As many are named.
    const NAMED: usize = 8;
    let mut named: Vec<String> = attractors.iter().enumerate().take(NAMED).map(one).collect();
    if attractors.len() > NAMED {
        named.push(format!("{} more", attractors.len() - NAMED));
    }
    let outside = match cells.len() - all {
        0 => String::new(),
        count => format!("; {count} states lie in no mode"),
    };
    format!("{all} initial states: {}{outside}", named.join(", "))
}

/// How often cells at a distance belong to different basins.
struct Boundary {
    /// Distances in cells, and the fraction of cells that differ from the one at this distance.
    uncertain: Vec<(f64, f64)>,
}

impl Boundary {
    fn of(grid: &Grid, cells: &[Option<usize>]) -> Self {
        /// Pairs further apart than this part of the grid say nothing about small distances.
        const FURTHEST: usize = 8;
        let shortest = grid.axes.iter().map(|a| a.values.len()).min().unwrap_or(0);
        let distances = (0..).map(|k| 1usize << k).take_while(|d| d * FURTHEST <= shortest);
        let uncertain = distances.map(|d| (d as f64, differing(grid, cells, d))).collect();
        Self { uncertain }
    }

    /// The dimension of the boundary, `D - α` where the fraction grows like the distance to the power α, with the
    /// standard error of the slope (C. Grebogi et al., Phys. Lett. A 99 (1983) 415).
    fn dimension(&self, grid: &Grid) -> Option<(f64, f64)> {
        let points: Vec<(f64, f64)> = self
            .uncertain
            .iter()
            .filter(|(_, f)| *f > 0.0)
            .map(|(d, f)| (d.ln(), f.ln()))
            .collect();
        let n = points.len() as f64;
        if points.len() < 3 {
            return None;
        }
        let mean = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
        let (mx, my) = (mean(&|p| p.0), mean(&|p| p.1));
        let sxx: f64 = points.iter().map(|p| (p.0 - mx).powi(2)).sum();
        let alpha = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum::<f64>() / sxx;
        let rest: f64 = points.iter().map(|p| (p.1 - my - alpha * (p.0 - mx)).powi(2)).sum();
        Some((grid.axes.len() as f64 - alpha, (rest / (n - 2.0) / sxx).sqrt()))
    }

    fn in_words(&self, grid: &Grid) -> Option<String> {
        let (dimension, error) = self.dimension(grid)?;
        let uncertain = self.uncertain.first()?.1;
        Some(format!(
            "{:.2} % of the cells differ from a neighbour along an axis; dimension of the boundary {dimension:.3} ± {error:.3}",
            100.0 * uncertain
        ))
    }

    fn table(&self) -> Result<Table, ReportError> {
        let mut table = Table::new(["distance", "uncertain"].map(|n| (n.to_owned(), Kind::Number)).to_vec());
        for &(d, f) in &self.uncertain {
            table.push_row([d, f].map(Cell::Number))?;
        }
        Ok(table)
    }
}

/// The fraction of the cells, over all axes, that belong to another basin than the cell this far along the axis. Of all
/// cells, not of all pairs, of which there are fewer the farther they are apart: a straight line gives a fraction in
/// proportion to the distance.
fn differing(grid: &Grid, cells: &[Option<usize>], distance: usize) -> f64 {
    let mut differ = 0;
    let mut stride = 1;
    for axis in &grid.axes {
        let n = axis.values.len();
        let pairs = cells.iter().zip(cells.iter().skip(distance * stride)).enumerate();
        let apart = |(cell, pair): (usize, (&Option<usize>, &Option<usize>))| {
            cell / stride % n + distance < n && matches!(pair, (Some(a), Some(b)) if a != b)
        };
        differ += pairs.filter(|pair| apart(*pair)).count();
        stride *= n;
    }
    let known = cells.iter().flatten().count() * grid.axes.len();
    differ as f64 / known.max(1) as f64
}
