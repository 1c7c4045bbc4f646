//! The tables of a portrait: one for each kind of object, with the system's states and observables by name.

use crate::plan::portrait::{PortraitPlan, columns};
use crate::results::portrait::PortraitResult;
use slipstick_report::{Cell, Kind, ReportError, Table};
use slipstick_slow_fast::{
    CanardDirection, CanardKind, FoldKind, FoldedClass, FoldedSingularity, FoldedTransition, Outcome, SlowFastProblem,
    Stability,
};
use slipstick_system::System;
use std::collections::BTreeMap;
use std::f64::consts::LN_10;

/// Writes states of the slow–fast mode as cells.
struct Points<'a> {
    pub(crate) system: &'a System,
    mode: usize,
    parameters: &'a [f64],
}

impl Points<'_> {
    /// The columns, each with `prefix` before its name.
    fn columns(&self, prefix: &str) -> Vec<(String, Kind)> {
        columns(self.system)
            .into_iter()
            .map(|name| (format!("{prefix}{name}"), Kind::Number))
            .collect()
    }
    fn cells(&self, x: &[f64]) -> Vec<Cell> {
        let full = self.system.full_state(self.mode, x, self.parameters);
        let observed = self.system.observables.iter().map(|o| {
            let mut value = [0.0];
            o.by_mode[self.mode].value(x, self.parameters, &mut value);
            value[0]
        });
        full.into_iter().chain(observed).map(Cell::Number).collect()
    }
    /// A table of points with columns before and after.
    fn table(&self, before: &[(&str, Kind)], after: &[(&str, Kind)]) -> Table {
        let owned = |columns: &[(&str, Kind)]| -> Vec<(String, Kind)> {
            columns.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect()
        };
        Table::new(owned(before).into_iter().chain(self.columns("")).chain(owned(after)))
    }
    fn push(&self, table: &mut Table, before: Vec<Cell>, x: &[f64], after: Vec<Cell>) -> Result<(), ReportError> {
        table.push_row(before.into_iter().chain(self.cells(x)).chain(after))
    }
}

fn sheet(of: Stability) -> Cell {
    Cell::from(match of {
        Stability::Attracting => "attracting",
        Stability::Repelling => "repelling",
        Stability::Fold => "fold",
    })
}

fn class(of: FoldedClass) -> Cell {
    Cell::from(match of {
        FoldedClass::Saddle => "saddle",
        FoldedClass::Node => "node",
        FoldedClass::Focus => "focus",
        FoldedClass::Centre => "centre",
        FoldedClass::SaddleNode => "saddle-node",
    })
}

fn outcome(of: Option<Outcome>) -> [Cell; 2] {
    match of {
        Some(Outcome::Jumps(time)) => ["jumps".into(), time.into()],
        Some(Outcome::Turns) => ["turns".into(), f64::NAN.into()],
        None => ["".into(), f64::NAN.into()],
    }
}

const NUMBER: Kind = Kind::Number;
const TEXT: Kind = Kind::Text;

/// All tables of a portrait by the names of their files.
///
/// # Errors
/// [`ReportError`] when a state is named like a column of these tables.
pub(crate) fn tables(
    system: &System,
    plan: &PortraitPlan,
    result: &PortraitResult,
) -> Result<BTreeMap<String, Table>, ReportError> {
    let mut all = BTreeMap::new();
    let Ok(problem) = SlowFastProblem::new(system, &plan.parameters, plan.reduction) else {
        return Ok(all);
    };
    let points = Points {
        system,
        mode: problem.mode_index(),
        parameters: &plan.parameters,
    };
    let mut add = |name: &str, table: Table| {
        if !table.is_empty() {
            all.insert(name.to_owned(), table);
        }
    };
    add("critical_manifold", critical_manifold(&points, result)?);
    add("fold_lines", fold_lines(&points, result)?);
    add("folded_singularities", folded_singularities(&problem, &points, result)?);
    let mut canards = points.table(
        &[
            ("singularity", NUMBER),
            ("kind", TEXT),
            ("direction", TEXT),
            ("t", NUMBER),
        ],
        &[("sheet", TEXT)],
    );
    for (number, canard) in &result.canards {
        let kind = match canard.kind {
            CanardKind::Vrai => "vrai",
            CanardKind::Faux => "faux",
        };
        let direction = match canard.direction {
            Some(CanardDirection::Strong) => "strong",
            Some(CanardDirection::Weak) => "weak",
            None => "",
        };
        for p in &canard.points {
            let before = vec![(*number).into(), kind.into(), direction.into(), p.time.into()];
            points.push(&mut canards, before, &p.state, vec![sheet(p.stability())])?;
        }
    }
    add("canards", canards);
    let mut reduced = points.table(&[("orbit", NUMBER), ("t", NUMBER)], &[("sheet", TEXT)]);
    for (number, orbit) in result.reduced_orbits.iter().enumerate() {
        for p in orbit {
            points.push(
                &mut reduced,
                vec![number.into(), p.time.into()],
                &p.state,
                vec![sheet(p.stability())],
            )?;
        }
    }
    add("reduced_orbits", reduced);
    slow_manifolds(&points, result, &mut add)?;
    outcomes(&points, result, &mut add)?;
    let symmetric = plan.returns.is_some_and(|r| r.symmetric);
    returns(&problem, &points, symmetric, result, &mut add)?;
    if let Some(cycle) = &result.slow_cycle {
        let names = [
            ("period", NUMBER),
            ("centre", NUMBER),
            ("mult1_log10", NUMBER),
            ("mult2_log10", NUMBER),
        ];
        let mut table = points.table(&names, &[]);
        let before = [
            cycle.period,
            cycle.centre,
            cycle.multiplier.ln() / LN_10,
            cycle.fast_log10,
        ];
        points.push(&mut table, before.map(Cell::Number).to_vec(), &cycle.start, vec![])?;
        add("slow_cycle", table);
    }
    add("folded_branches", folded_branches(&problem, &points, plan, result)?);
    Ok(all)
}

fn critical_manifold(points: &Points, result: &PortraitResult) -> Result<Table, ReportError> {
    let mut table = points.table(&[("i", NUMBER), ("j", NUMBER)], &[("slope", NUMBER), ("sheet", TEXT)]);
    let mut push = |i: usize, j: usize, p: &slipstick_slow_fast::ManifoldPoint| {
        points.push(
            &mut table,
            vec![i.into(), j.into()],
            &p.state,
            vec![p.slope.into(), sheet(p.stability())],
        )
    };
    if let Some(mesh) = &result.mesh {
        for i in 0..mesh.axes[0].nodes {
            for j in 0..mesh.axes[1].nodes {
                for p in mesh.at(i, j) {
                    push(i, j, p)?;
                }
            }
        }
    }
    for (j, p) in result.curve.iter().enumerate() {
        push(0, j, p)?;
    }
    Ok(table)
}

fn fold_lines(points: &Points, result: &PortraitResult) -> Result<Table, ReportError> {
    let mut table = points.table(&[("line", NUMBER)], &[("kind", TEXT)]);
    for (number, line) in result.fold_kinds.iter().enumerate() {
        for (x, kind) in line {
            let kind = match kind {
                FoldKind::Jump => "jump",
                FoldKind::NonUnique => "non-unique",
                FoldKind::Singular => "singular",
            };
            points.push(&mut table, vec![number.into()], x, vec![kind.into()])?;
        }
    }
    Ok(table)
}

/// Columns of class, eigenvalues and eigenvectors.
fn class_columns(problem: &SlowFastProblem) -> Vec<(String, Kind)> {
    let mut names: Vec<(String, Kind)> = vec![
        ("class".into(), TEXT),
        ("trace".into(), NUMBER),
        ("determinant".into(), NUMBER),
    ];
    for k in 1..=2 {
        names.extend(["re", "im"].map(|part| (format!("eigenvalue{k}_{part}"), NUMBER)));
    }
    for k in 1..=2 {
        for &state in &problem.mode().states {
            let name = &problem.system().states[state].name;
            names.extend(["re", "im"].map(|part| (format!("vector{k}_{name}_{part}"), NUMBER)));
        }
    }
    names
}

fn class_cells(at: &FoldedSingularity) -> Vec<Cell> {
    let mut cells = vec![class(at.class), at.invariants.0.into(), at.invariants.1.into()];
    cells.extend(at.eigenvalues.iter().flat_map(|l| [Cell::from(l.re), Cell::from(l.im)]));
    cells.extend(
        at.eigenvectors
            .iter()
            .flatten()
            .flat_map(|v| [Cell::from(v.re), Cell::from(v.im)]),
    );
    cells
}

fn folded_singularities(
    problem: &SlowFastProblem,
    points: &Points,
    result: &PortraitResult,
) -> Result<Table, ReportError> {
    let names = [("singularity".to_owned(), NUMBER)];
    let mut table = Table::new(
        names
            .into_iter()
            .chain(points.columns(""))
            .chain(class_columns(problem)),
    );
    for (number, at) in result.singularities.iter().enumerate() {
        points.push(&mut table, vec![number.into()], &at.state, class_cells(at))?;
    }
    Ok(table)
}

fn folded_branches(
    problem: &SlowFastProblem,
    points: &Points,
    plan: &PortraitPlan,
    result: &PortraitResult,
) -> Result<Table, ReportError> {
    let parameter = plan
        .over
        .map_or("parameter", |(i, _)| &points.system.parameters[i].name);
    let names = [
        ("singularity".to_owned(), NUMBER),
        ("label".into(), TEXT),
        (parameter.to_owned(), NUMBER),
    ];
    let mut table = Table::new(
        names
            .into_iter()
            .chain(points.columns(""))
            .chain(class_columns(problem)),
    );
    for (number, branch) in &result.branches {
        let plain = branch.points.iter().map(|(value, at)| ("", *value, at));
        let changes = branch.transitions.iter().map(|(kind, value, at)| {
            let label = match kind {
                FoldedTransition::SaddleNode => "saddle-node",
                FoldedTransition::NodeFocus => "node-focus",
            };
            (label, *value, at)
        });
        for (label, value, at) in plain.chain(changes) {
            points.push(
                &mut table,
                vec![(*number).into(), label.into(), value.into()],
                &at.state,
                class_cells(at),
            )?;
        }
    }
    Ok(table)
}

/// Receives finished tables.
type Add<'a> = &'a mut dyn FnMut(&str, Table);

fn slow_manifolds(points: &Points, result: &PortraitResult, add: Add) -> Result<(), ReportError> {
    let names = [
        ("singularity", NUMBER),
        ("manifold", TEXT),
        ("orbit", NUMBER),
        ("shift", NUMBER),
        ("t", NUMBER),
    ];
    let mut families = points.table(&names, &[]);
    for (orbit, (number, shift, found)) in result.manifolds.iter().enumerate() {
        for p in &found.points {
            let before = vec![
                (*number).into(),
                sheet(found.sheet),
                orbit.into(),
                (*shift).into(),
                p.time.into(),
            ];
            points.push(&mut families, before, &p.state, vec![])?;
        }
    }
    add("slow_manifolds", families);
    let mut trajectories = points.table(&[("singularity", NUMBER), ("t", NUMBER)], &[]);
    let names = [
        "shift_attracting",
        "shift_repelling",
        "slope_attracting",
        "slope_repelling",
        "mismatch",
    ]
    .map(|n| (n, NUMBER));
    let mut crossings = points.table(&[("singularity", NUMBER)], &names);
    for (number, canard) in &result.maximal {
        for p in &canard.points {
            points.push(
                &mut trajectories,
                vec![(*number).into(), p.time.into()],
                &p.state,
                vec![],
            )?;
        }
        let numbers = [
            canard.shifts[0],
            canard.shifts[1],
            canard.slopes[0],
            canard.slopes[1],
            canard.mismatch,
        ];
        points.push(
            &mut crossings,
            vec![(*number).into()],
            &canard.crossing,
            numbers.map(Cell::Number).to_vec(),
        )?;
    }
    add("maximal_canards", trajectories);
    add("maximal_crossings", crossings);
    let mut sections = Table::new([
        ("singularity", NUMBER),
        ("manifold", TEXT),
        ("across", NUMBER),
        ("fast", NUMBER),
    ]);
    for (number, both) in &result.sections {
        for (cut, of) in both.iter().zip([Stability::Attracting, Stability::Repelling]) {
            for at in cut {
                sections.push_row([(*number).into(), sheet(of), at[0].into(), at[1].into()])?;
            }
        }
    }
    add("sections", sections);
    Ok(())
}

fn outcomes(points: &Points, result: &PortraitResult, add: Add) -> Result<(), ReportError> {
    let after = [
        ("reduced", TEXT),
        ("reduced_time", NUMBER),
        ("full", TEXT),
        ("full_time", NUMBER),
    ];
    let mut table = points.table(&[("value", NUMBER)], &after);
    for start in &result.outcomes {
        let reported = outcome(start.reduced).into_iter().chain(outcome(start.full)).collect();
        points.push(&mut table, vec![start.value.into()], &start.start, reported)?;
    }
    add("fates", table);
    let mut changes = Table::new([("flow", TEXT), ("value", NUMBER), ("above", TEXT)]);
    for (full, at) in &result.separatrices {
        let flow = if *full { "full" } else { "reduced" };
        let above = if at.jumps_above { "jumps" } else { "turns" };
        changes.push_row([flow.into(), at.value.into(), above.into()])?;
    }
    add("separatrices", changes);
    Ok(())
}

/// Launches and landings (mirrored if the cycles close by the symmetry), and the singular cycles.
fn returns(
    problem: &SlowFastProblem,
    points: &Points,
    symmetric: bool,
    result: &PortraitResult,
    add: Add,
) -> Result<(), ReportError> {
    let names = |more: &[&str]| -> Vec<(String, Kind)> {
        let mut names = vec![("singularity".to_owned(), NUMBER), ("launch_t".into(), NUMBER)];
        names.extend(points.columns("launch_"));
        names.extend(points.columns(""));
        names.extend(more.iter().map(|name| ((*name).to_owned(), NUMBER)));
        names
    };
    let tangents = problem
        .mode()
        .states
        .iter()
        .map(|&s| format!("tangent_{}", points.system.states[s].name));
    let mut table = Table::new(names(&["away"]).into_iter().chain(tangents.map(|name| (name, NUMBER))));
    for (number, found) in &result.returns {
        let away: f64 = found.segments.iter().map(|segment| segment.1).sum();
        let (mut landing, mut tangent) = (found.landing.state.clone(), found.tangent.clone());
        if symmetric {
            (landing, tangent) = problem.mirror(&landing, &tangent);
        }
        let mut row: Vec<Cell> = vec![(*number).into(), found.launch.time.into()];
        row.extend(points.cells(&found.launch.state));
        row.extend(points.cells(&landing));
        row.push(Cell::Number(away));
        row.extend(tangent.into_iter().map(Cell::Number));
        table.push_row(row)?;
    }
    add("returns", table);
    let mut cycles = Table::new(names(&["slow_time", "duration", "transversality"]));
    for (number, found) in &result.cycles {
        let mut row: Vec<Cell> = vec![(*number).into(), found.jump.launch.time.into()];
        row.extend(points.cells(&found.jump.launch.state));
        row.extend(points.cells(&found.arrival.state));
        row.extend([found.slow_time, found.duration, found.transversality].map(Cell::Number));
        cycles.push_row(row)?;
    }
    add("singular_cycles", cycles);
    Ok(())
}
