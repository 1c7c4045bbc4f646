//! The objects of a portrait, in the order in which one looks at a slow–fast system.

use crate::checkpoint::log::NumberedLog;
use crate::compute::error::ComputeError;
use crate::compute::portrait_units::{in_own_units, in_region_units};
use crate::compute::task::{self, Task};
use crate::plan::portrait::{OutcomesPlan, PortraitPlan};
use crate::results::portrait::{OutcomeOfStart, PortraitResult};
use crate::results::run::{Missing, RunResult};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use slipstick_numerics::stop::Scope;
use slipstick_slow_fast::{
    Axis, CanardKind, FibreReturn, FoldKind, FoldLine, FoldedBranch, FoldedClass, FoldedSingularity, ManifoldMesh,
    ManifoldOrbit, ManifoldPoint, MaximalCanard, Outcome, OwnUnits, ReducedPoint, Separatrix, SingularCanard,
    SingularCycle, SlowFastError, SlowFastProblem, Stability, separatrices,
};
use slipstick_system::System;
use std::sync::atomic::AtomicBool;

/// The critical manifold and what lies on it.
#[derive(Default, Serialize, Deserialize)]
struct Basis {
    mesh: Option<ManifoldMesh>,
    curve: Vec<ManifoldPoint>,
    folds: Vec<FoldLine>,
    singularities: Vec<FoldedSingularity>,
    reduced_orbits: Vec<Vec<ReducedPoint>>,
}

/// A family of starts, what becomes of them, and where that changes.
#[derive(Default, Serialize, Deserialize)]
struct Family {
    outcomes: Vec<OutcomeOfStart>,
    separatrices: Vec<(bool, Separatrix)>,
}

/// What belongs to one folded singularity.
#[derive(Default, Serialize, Deserialize)]
struct Around {
    canards: Vec<SingularCanard>,
    families: Vec<(f64, ManifoldOrbit)>,
    maximal: Option<MaximalCanard>,
    section: Option<[Vec<[f64; 2]>; 2]>,
    returns: Vec<FibreReturn>,
    cycles: Vec<SingularCycle>,
    branch: Option<FoldedBranch>,
    missing: Vec<String>,
}

/// Points on each side of the crossing of the curves in which the manifolds cut the section, and the ratio of their
/// distances from it: beside the canard, orbits separate at exponential rates.
const SECTION_POINTS: usize = 64;
const SECTION_RATIO: f64 = 0.85;

/// The parts of a portrait by their numbers in its log; what belongs to a folded singularity has those from [`AROUND`]
/// on.
const BASIS: usize = 0;
const FAMILY: usize = 1;
const CYCLE: usize = 2;
const AROUND: usize = 3;

impl Task for PortraitPlan {
    fn name(&self) -> &str {
        &self.name
    }

    fn run(&self, around: &task::Around<'_>) -> Result<RunResult, ComputeError> {
        let system = &around.plan.systems[self.system].system;
        let log = around.numbered();
        let found = around.observed(&self.name, || compute(system, self, around.stop, &log))??;
        Ok(RunResult {
            missing: found
                .missing
                .iter()
                .map(|why| Missing::part_of(&self.name, why))
                .collect(),
            portraits: vec![found],
            ..RunResult::default()
        })
    }
}

/// Compute a portrait, but for what its log knows. `stop` leaves out what has not begun.
///
/// # Errors
/// What is wrong if not even the critical manifold can be had.
fn compute(
    system: &System,
    plan: &PortraitPlan,
    stop: &AtomicBool,
    log: &NumberedLog<'_>,
) -> Result<PortraitResult, ComputeError> {
    let own = SlowFastProblem::new(system, &plan.parameters, plan.reduction)?;
    let Some((expressed, of)) = in_region_units(system, plan) else {
        return in_its_units(&own, plan, stop, log);
    };
    let problem = SlowFastProblem::new(&expressed, &of.parameters, of.reduction)?;
    let mut found = in_its_units(&problem, &of, stop, log)?;
    in_own_units(&mut found, &OwnUnits::of(&problem), &own, plan);
    Ok(found)
}

/// Compute a portrait in the units of the problem.
fn in_its_units(
    problem: &SlowFastProblem,
    plan: &PortraitPlan,
    stop: &AtomicBool,
    log: &NumberedLog<'_>,
) -> Result<PortraitResult, ComputeError> {
    let Basis {
        mesh,
        curve,
        folds,
        singularities,
        reduced_orbits,
    } = log.remember_outcome(BASIS, stop, || basis(problem, plan).map_err(ComputeError::from))?;
    let mut result = PortraitResult {
        name: plan.name.clone(),
        mesh,
        curve,
        fold_kinds: folds.iter().map(|line| fold_kinds(problem, line)).collect(),
        folds,
        singularities,
        reduced_orbits,
        ..PortraitResult::default()
    };
    let scope = Scope::here();
    let around: Vec<Around> = (result.singularities.par_iter().enumerate())
        .map(|(number, at)| scope.enter(|| log.remember(AROUND + number, stop, || look_around(problem, plan, at))))
        .collect();
    for (number, found) in around.into_iter().enumerate() {
        result.canards.extend(found.canards.into_iter().map(|c| (number, c)));
        result
            .manifolds
            .extend(found.families.into_iter().map(|(shift, orbit)| (number, shift, orbit)));
        result.maximal.extend(found.maximal.map(|c| (number, c)));
        result.sections.extend(found.section.map(|s| (number, s)));
        result.returns.extend(found.returns.into_iter().map(|r| (number, r)));
        result.cycles.extend(found.cycles.into_iter().map(|c| (number, c)));
        result.branches.extend(found.branch.map(|b| (number, b)));
        let name = |why: String| format!("folded singularity {number}: {why}");
        result.missing.extend(found.missing.into_iter().map(name));
    }
    if let Some(family) = &plan.outcomes {
        let Family { outcomes, separatrices } = log.remember(FAMILY, stop, || outcomes(problem, plan, family));
        if outcomes.is_empty() {
            let why = "fates: none of the initial conditions lies over the critical manifold; change `from`";
            result.missing.push(why.into());
        }
        (result.outcomes, result.separatrices) = (outcomes, separatrices);
    }
    if let Some(near) = &plan.cycle {
        let cycle = || problem.slow_cycle(near).map_err(ComputeError::from);
        match log.remember_outcome(CYCLE, stop, cycle) {
            Ok(cycle) => result.slow_cycle = Some(cycle),
            Err(e) => result.missing.push(format!("the cycle on the slow manifold: {e}")),
        }
    }
    Ok(result)
}

/// What the reduced flow does along a fold line.
fn fold_kinds(problem: &SlowFastProblem, line: &FoldLine) -> Vec<(Vec<f64>, FoldKind)> {
    let mut kinds = vec![];
    for (k, x) in line.points.iter().enumerate() {
        kinds.push((x.clone(), problem.fold_kind(x)));
        let next = line.points.get(k + 1);
        let turn = next.and_then(|next| problem.folded_between(x, next));
        kinds.extend(turn.map(|x| (x, FoldKind::Singular)));
    }
    kinds
}

fn basis(problem: &SlowFastProblem, plan: &PortraitPlan) -> Result<Basis, SlowFastError> {
    if problem.dimension() == 2 {
        return planar(problem, plan);
    }
    let mesh = mesh(problem, plan)?;
    let (folds, singularities) = problem.folds(&plan.region)?;
    Ok(Basis {
        reduced_orbits: reduced_orbits(problem, plan, &mesh),
        mesh: Some(mesh),
        folds,
        singularities,
        ..Basis::default()
    })
}

/// The critical manifold over the slow state that is not solved for and the fast one.
fn mesh(problem: &SlowFastProblem, plan: &PortraitPlan) -> Result<ManifoldMesh, SlowFastError> {
    let other = problem.slow().find(|&i| i != plan.solve_for).unwrap_or(0);
    let axis = |state: usize, nodes: usize| Axis {
        state,
        from: plan.region[state].0,
        to: plan.region[state].1,
        nodes,
    };
    let axes = [axis(other, plan.mesh.0), axis(problem.fast(), plan.mesh.1)];
    let at = vec![0.0; problem.dimension()];
    problem.manifold_mesh(axes, plan.solve_for, &at, plan.region[plan.solve_for])
}

/// Orbits of the reduced flow through the middle of each sheet, at phases evenly spread.
fn reduced_orbits(problem: &SlowFastProblem, plan: &PortraitPlan, mesh: &ManifoldMesh) -> Vec<Vec<ReducedPoint>> {
    let [columns, rows] = mesh.axes.map(|axis| axis.nodes);
    let mut starts: Vec<&ManifoldPoint> = Vec::new();
    for k in 0..plan.orbits {
        let i = (columns - 1) * (2 * k + 1) / (2 * plan.orbits);
        let kind = |j: usize| match mesh.at(i, j) {
            [point] => point.stability(),
            _ => Stability::Fold,
        };
        let mut begin = 0;
        while begin < rows {
            let end = (begin..rows)
                .take_while(|&j| kind(j) == kind(begin))
                .last()
                .unwrap_or(begin);
            if kind(begin) != Stability::Fold && end > begin {
                starts.extend(mesh.at(i, usize::midpoint(begin, end)).first());
            }
            begin = end + 1;
        }
    }
    let orbit = |start: &ManifoldPoint| {
        let mut before = problem.reduced_orbit(&start.state, -plan.time).ok()?.points;
        let after = problem.reduced_orbit(&start.state, plan.time).ok()?.points;
        before.reverse();
        before.pop();
        before.extend(after);
        Some(before)
    };
    let scope = Scope::here();
    starts
        .par_iter()
        .filter_map(|start| scope.enter(|| orbit(start)))
        .collect()
}

/// With one slow state: the critical manifold as a curve over the fast state, its folds, and its reduced flow.
fn planar(problem: &SlowFastProblem, plan: &PortraitPlan) -> Result<Basis, SlowFastError> {
    let fast = problem.fast();
    let (from, to) = plan.region[fast];
    let point = |y: f64| -> Result<Option<ManifoldPoint>, SlowFastError> {
        let mut x = vec![0.0; problem.dimension()];
        x[fast] = y;
        let found = problem.manifold_along(plan.solve_for, &x, plan.region[plan.solve_for])?;
        Ok(found.into_iter().next())
    };
    let mut result = Basis::default();
    let nodes = plan.mesh.1;
    for j in 0..nodes {
        let found = point(from + (to - from) * j as f64 / (nodes - 1) as f64)?;
        result.curve.extend(found);
    }
    let at = vec![0.0; problem.dimension()];
    let folds = problem.fold_points(plan.solve_for, &at, (from, to), plan.region[plan.solve_for])?;
    let one = |fold| FoldLine {
        points: vec![fold],
        closed: false,
    };
    result.folds.extend(folds.into_iter().map(one));
    Ok(result)
}

/// Everything that belongs to one folded singularity.
fn look_around(problem: &SlowFastProblem, plan: &PortraitPlan, at: &FoldedSingularity) -> Around {
    let mut found = Around::default();
    if matches!(at.class, FoldedClass::Saddle | FoldedClass::Node) {
        match problem.singular_canards(at, plan.time) {
            Ok(canards) => found.canards = canards,
            Err(e) => found.missing.push(format!("singular canards: {e}")),
        }
        if at.class == FoldedClass::Node
            && found.canards.len() == 1
            && let Err(e) = problem.weak_canard(at, plan.time)
        {
            found.missing.push(format!("weak canard: {e}"));
        }
        if plan.manifolds > 0 && found.canards.iter().any(|c| c.kind == CanardKind::Vrai) {
            slow_manifolds(problem, plan, at, &mut found);
        }
    }
    if let Some(returns) = plan.returns
        && let Some(vrai) = found.canards.iter().find(|c| c.kind == CanardKind::Vrai)
    {
        let range = plan.region[problem.fast()];
        match problem.fibre_returns(vrai, returns.count, range, returns.horizon) {
            Ok(fibres) => found.returns = fibres,
            Err(e) => found.missing.push(format!("returns of fast fibres: {e}")),
        }
        match problem.singular_cycles(vrai, returns.symmetric, returns.count, range, returns.horizon) {
            Ok(cycles) => found.cycles = cycles,
            Err(e) => found.missing.push(format!("singular canard cycles: {e}")),
        }
    }
    if let Some((parameter, range)) = plan.over {
        match problem.folded_branch(at, parameter, range) {
            Ok(branch) => found.branch = Some(thinned(branch, plan, range)),
            Err(e) => found.missing.push(format!("its branch: {e}")),
        }
    }
    found
}

/// A branch without points that no figure could tell from their neighbours.
fn thinned(mut branch: FoldedBranch, plan: &PortraitPlan, range: (f64, f64)) -> FoldedBranch {
    const FINE: f64 = 4e-3;
    let total = branch.points.len();
    let mut kept: Vec<(f64, FoldedSingularity)> = Vec::new();
    for (k, (value, at)) in branch.points.into_iter().enumerate() {
        let near = kept.last().is_some_and(|(before, there)| {
            // The state solved for follows the others, over a region that changes with the parameter.
            let moved = (0..at.state.len()).filter(|&i| i != plan.solve_for).map(|i| {
                let (low, high) = plan.region[i];
                (at.state[i] - there.state[i]).abs() / (high - low)
            });
            let most = moved.fold(0.0, f64::max);
            most.max((value - before).abs() / (range.1 - range.0)) < FINE && at.class == there.class
        });
        if !near || k + 1 == total {
            kept.push((value, at));
        }
    }
    branch.points = kept;
    branch
}

/// The slow manifolds of the full system near a canard, and the maximal canard in which they cross.
fn slow_manifolds(problem: &SlowFastProblem, plan: &PortraitPlan, at: &FoldedSingularity, found: &mut Around) {
    let width = problem
        .slow()
        .map(|i| plan.region[i].1 - plan.region[i].0)
        .fold(f64::INFINITY, f64::min);
    let spread = |centre: f64, count: usize| -> Vec<f64> {
        let half = plan.spread * width;
        let part = |k: usize| {
            if count > 1 {
                2.0 * k as f64 / (count - 1) as f64 - 1.0
            } else {
                0.0
            }
        };
        (0..count).map(|k| centre + half * part(k)).collect()
    };
    match problem.maximal_canard(at, plan.time) {
        Ok(maximal) => {
            // The curves in the section pass through the crossing: each manifold is shifted around its own.
            let around = maximal.shifts.map(|centre| {
                let far = |k: usize| plan.spread * width * SECTION_RATIO.powi(k as i32);
                let below = (0..SECTION_POINTS).map(|k| centre - far(k));
                let above = (0..SECTION_POINTS).rev().map(|k| centre + far(k));
                below.chain([centre]).chain(above).collect::<Vec<f64>>()
            });
            match problem.manifold_sections(at, maximal.followed, [&around[0], &around[1]]) {
                Ok(section) => found.section = Some(section),
                Err(e) => found.missing.push(format!("sections of the slow manifolds: {e}")),
            }
            let shifts = maximal.shifts.map(|centre| spread(centre, plan.manifolds));
            match problem.manifold_families(at, maximal.followed, [&shifts[0], &shifts[1]]) {
                Ok(families) => found.families.extend(families.into_iter().flatten()),
                Err(e) => found.missing.push(format!("slow manifolds: {e}")),
            }
            found.maximal = Some(maximal);
        }
        Err(e) => found.missing.push(format!("maximal canard: {e}")),
    }
}

/// Which starts jump and which turn, and where that changes.
fn outcomes(problem: &SlowFastProblem, plan: &PortraitPlan, family: &OutcomesPlan) -> Family {
    let start = |value: f64| -> Option<Vec<f64>> {
        let mut x = family.at.clone();
        x[family.over] = value;
        let Some(i) = family.solve_for else { return Some(x) };
        let found = problem.manifold_along(i, &x, plan.region[i]).ok()?;
        found.into_iter().next().map(|p| p.state)
    };
    let (from, to) = plan.region[family.over];
    let node = |k: usize| from + (to - from) * k as f64 / (family.samples - 1) as f64;
    let report = |value: f64, full: bool| -> Option<Outcome> {
        let x = start(value)?;
        let outcome = if full {
            problem.outcome(&x, family.horizon)
        } else {
            problem.reduced_outcome(&x, family.horizon)
        };
        outcome.ok()
    };
    let outcome_at = |value: f64| {
        Some(OutcomeOfStart {
            value,
            start: start(value)?,
            reduced: report(value, false),
            full: report(value, true),
        })
    };
    let scope = Scope::here();
    let outcomes: Vec<OutcomeOfStart> = (0..family.samples)
        .into_par_iter()
        .filter_map(|k| scope.enter(|| outcome_at(node(k))))
        .collect();
    let mut changed = Vec::new();
    for full in [false, true] {
        let outcome = |r: &OutcomeOfStart| if full { r.full } else { r.reduced };
        let changes: Vec<Vec<Separatrix>> = (outcomes.par_windows(2))
            .map(|w| match (outcome(&w[0]), outcome(&w[1])) {
                (Some(a), Some(b)) if a.jumps() != b.jumps() => {
                    let outcome_at = |value: f64| {
                        report(value, full).ok_or_else(|| SlowFastError::Absent("the family has a gap".into()))
                    };
                    scope.enter(|| separatrices(outcome_at, (w[0].value, w[1].value), 2).unwrap_or_default())
                }
                _ => vec![],
            })
            .collect();
        changed.extend(changes.into_iter().flatten().map(|s| (full, s)));
    }
    Family {
        outcomes,
        separatrices: changed,
    }
}
