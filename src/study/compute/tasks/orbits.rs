//! Orbits of attractors, for a look at cells: few, short, and the same whatever the tiles are.

use crate::compute::tasks::places::at_rest;
use crate::plan::attractors::AttractorsPlan;
use crate::plan::axis::Grid;
use crate::results::attractors::{Attractor, AttractorKind};
use slipstick_flow::{Iterates, Sample, Section, SectionOptions, SimulationOptions, section_points, simulate};
use slipstick_report::{Cell, Kind, ReportError, Table};
use slipstick_system::System;
use std::collections::BTreeSet;

/// Rows of a periodic orbit, besides the ends of its segments, and of other motions.
const PERIODIC: f64 = 120.0;
const WANDERING: f64 = 400.0;

/// Points on a section, of a map iterates, that a motion passes before it is shown, and over how many it is.
const PASSED: usize = 200;
const SHOWN: usize = 12;
const ITERATES: usize = 200;

/// At most so many cells, spread evenly over the grid (the additive sequence of M. Roberts, 2018, in every dimension).
pub(super) fn spread(grid: &Grid, count: usize) -> BTreeSet<usize> {
    // The root above one of x^(d+1) = x + 1.
    let dimension = grid.axes.len() as i32;
    let root = (0..64).fold(2.0f64, |x, _| (1.0 + x).powf(1.0 / f64::from(dimension + 1)));
    let cell = |k: usize| {
        let mut stride = 1;
        let mut at = 0;
        for (d, axis) in grid.axes.iter().enumerate() {
            let n = axis.values.len();
            let part = (0.5 + (k + 1) as f64 / root.powi(d as i32 + 1)).fract();
            at += stride * ((part * n as f64) as usize).min(n - 1);
            stride *= n;
        }
        at
    };
    (0..count.min(grid.len())).map(cell).collect()
}

/// The orbit of an attractor at these parameters; of a motion that does not repeat itself a stretch, from a state that
/// comes to it if one is known.
pub(super) fn orbit(
    system: &System,
    sweep: &AttractorsPlan,
    p: &[f64],
    attractor: &Attractor,
    start: Option<(usize, Vec<f64>)>,
) -> Option<Vec<Sample>> {
    match &attractor.kind {
        AttractorKind::Orbit { .. } if system.is_map() => {
            let n = system.states.len();
            let sample = |(k, row): (usize, &Vec<f64>)| {
                let states = row.get(..n)?.to_vec();
                let (t, mode) = (k as f64, system.start.mode());
                Some(Sample { t, mode, states })
            };
            attractor.rows.iter().enumerate().map(sample).collect()
        }
        AttractorKind::Orbit { period, .. } => {
            let known = attractor.attracting.as_ref()?;
            let start = (known.word.first()?.0, known.starts.first()?.as_slice());
            sampled(system, sweep, start, p, (*period, PERIODIC))
        }
        AttractorKind::Rest { mode } => {
            let mode = system.modes.iter().position(|m| m.name == *mode)?;
            let states = at_rest(system, sweep, attractor).into_iter().next()?;
            Some(vec![Sample { t: 0.0, mode, states }])
        }
        AttractorKind::Chaos { .. } | AttractorKind::Torus => {
            let (mode, x) = start?;
            if system.is_map() {
                return iterated(system, (mode, &x), p);
            }
            let options = SectionOptions {
                skip: PASSED,
                count: SHOWN + 1,
                policy: sweep.policy,
                flow: sweep.flow,
                ..SectionOptions::default()
            };
            let run = section_points(system, &Section::natural(system, p), (mode, &x), p, &options).ok()?;
            let time = run.points.last()?.t - run.points.first()?.t;
            sampled(system, sweep, (run.end.0, &run.end.1), p, (time, WANDERING))
        }
        AttractorKind::Undecided | AttractorKind::Lost => None,
    }
}

/// A trajectory in so many rows.
fn sampled(
    system: &System,
    sweep: &AttractorsPlan,
    (mode, x): (usize, &[f64]),
    p: &[f64],
    (time, rows): (f64, f64),
) -> Option<Vec<Sample>> {
    let options = SimulationOptions {
        t_end: time,
        policy: sweep.policy,
        flow: sweep.flow,
        ..SimulationOptions::default()
    };
    let run = simulate(system, mode, x, p, &options).ok()?;
    run.table(system, p, time / rows, sweep.flow).ok()
}

/// Iterates of a map after the transient.
fn iterated(system: &System, (mode, x): (usize, &[f64]), p: &[f64]) -> Option<Vec<Sample>> {
    let mut iterates = Iterates::new(system, mode, x, p).ok()?;
    let mut rows = vec![];
    while rows.len() < ITERATES {
        iterates.advance().ok()?;
        if iterates.count() > 10 * PASSED {
            rows.push(Sample {
                t: rows.len() as f64,
                mode,
                states: system.full_state(mode, iterates.point(), p),
            });
        }
    }
    Some(rows)
}

/// The table of orbits, each with the number of what it is the orbit of.
pub(super) fn table<'a>(
    system: &System,
    of: &str,
    orbits: impl Iterator<Item = (usize, &'a Vec<Sample>)>,
) -> Result<Table, ReportError> {
    let mut columns = vec![(of.to_owned(), Kind::Number), ("t".to_owned(), Kind::Number)];
    columns.extend(system.states.iter().map(|s| (s.name.clone(), Kind::Number)));
    columns.extend(system.is_hybrid().then(|| ("mode".to_owned(), Kind::Text)));
    let mut table = Table::new(columns);
    for (number, rows) in orbits {
        for sample in rows {
            let numbers = [number as f64, sample.t]
                .into_iter()
                .chain(sample.states.iter().copied());
            let mut row: Vec<Cell> = numbers.map(Cell::Number).collect();
            row.extend(
                system
                    .is_hybrid()
                    .then(|| Cell::Text(system.modes[sample.mode].name.clone())),
            );
            table.push_row(row)?;
        }
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::axis::Axis;

    /// No hole of a grid is much wider than if the cells lay on a square lattice.
    #[test]
    fn cells_are_spread_evenly() {
        for (nx, ny, count) in [(300, 200, 60), (64, 64, 30), (1000, 10, 40)] {
            let axis = |n: usize| Axis {
                name: "a".into(),
                index: 0,
                values: vec![0.0; n],
            };
            let grid = Grid {
                axes: vec![axis(nx), axis(ny)],
            };
            let cells = spread(&grid, count);
            assert!(cells.len() > count * 9 / 10 && cells.iter().all(|&cell| cell < nx * ny));
            let places: Vec<(f64, f64)> = cells
                .iter()
                .map(|cell| ((cell % nx) as f64 / nx as f64, (cell / nx) as f64 / ny as f64))
                .collect();
            for k in 0..400 {
                let at = ((f64::from(k % 20) + 0.5) / 20.0, (f64::from(k / 20) + 0.5) / 20.0);
                let far = |&(x, y): &(f64, f64)| (x - at.0).hypot(y - at.1);
                let nearest = places.iter().map(far).fold(f64::INFINITY, f64::min);
                assert!(nearest < 1.6 / (count as f64).sqrt(), "{nx} {ny} {at:?}: {nearest}");
            }
        }
        let line = Grid {
            axes: vec![Axis {
                name: "a".into(),
                index: 0,
                values: vec![0.0; 3],
            }],
        };
        assert!(spread(&line, 10).len() <= 3 && spread(&line, 0).is_empty());
    }
}
