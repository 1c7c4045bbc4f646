//! Portraits in units in which the region looked at and the rates in it are about one: manifolds, canards and sections
//! are found with steps and tolerances that are no system's own.

use crate::plan::portrait::{OutcomesPlan, PortraitPlan};
use crate::results::portrait::PortraitResult;
use slipstick_flow::measure::{Known, measured};
use slipstick_slow_fast::{OwnUnits, SlowFastProblem, Stability};
use slipstick_system::{SharedFunction, System, Units};

/// Portraits all of whose sizes are within this factor of one are computed as they are.
const ORDINARY: f64 = 64.0;

/// Values of each state at which the critical manifold and the rates on it are looked at.
const LOOKS: usize = 7;

/// The system in units of the region of a portrait and of the rates in it, and the portrait in these; none where all
/// are about one.
pub(crate) fn in_region_units(system: &System, plan: &PortraitPlan) -> Option<(System, PortraitPlan)> {
    let problem = SlowFastProblem::new(system, &plan.parameters, plan.reduction).ok()?;
    let looks = looks(&problem, plan);
    let units = units(&problem, plan, &looks)?;
    let home = problem.mode_index();
    let guard = |mode: usize, function: &SharedFunction| {
        let size = |x: &Vec<f64>| {
            let mut value = [0.0];
            function.value(x, &plan.parameters, &mut value);
            value[0].abs()
        };
        let sizes = looks.iter().map(size).filter(|v| v.is_finite());
        if mode == home {
            unit(sizes.fold(0.0, f64::max))
        } else {
            1.0
        }
    };
    let expressed = system.in_units(units, &guard);
    let plan = in_units(
        plan,
        &OwnUnits::of(&SlowFastProblem::new(&expressed, &plan.parameters, plan.reduction).ok()?),
    );
    Some((expressed, plan))
}

/// The power of two next to a size: it rounds nothing.
fn unit(size: f64) -> f64 {
    if size.is_normal() {
        size.log2().round().exp2()
    } else {
        1.0
    }
}

/// Points of the critical manifold over a grid of the region, by every other state.
fn looks(problem: &SlowFastProblem, plan: &PortraitPlan) -> Vec<Vec<f64>> {
    let others: Vec<usize> = (0..problem.dimension()).filter(|&i| i != plan.solve_for).collect();
    let part = |k: usize, digit: u32| (k / LOOKS.pow(digit) % LOOKS) as f64 / (LOOKS - 1) as f64;
    let node = |k: usize| {
        let mut x = vec![0.0; problem.dimension()];
        for (&i, digit) in others.iter().zip(0..) {
            let (low, high) = plan.region[i];
            x[i] = low + (high - low) * part(k, digit);
        }
        x
    };
    let nodes = (0..LOOKS.pow(others.len() as u32)).map(node);
    let on = |x: Vec<f64>| problem.manifold_along(plan.solve_for, &x, plan.region[plan.solve_for]);
    nodes.filter_map(|x| on(x).ok()).flatten().map(|at| at.state).collect()
}

/// The units of the states and of time; none where they are about one.
fn units(problem: &SlowFastProblem, plan: &PortraitPlan, looks: &[Vec<f64>]) -> Option<Units> {
    let straight = |i: usize| problem.period(i).is_none();
    let mut sizes: Vec<f64> = plan.region.iter().map(|(low, high)| 0.5 * (high - low)).collect();
    // The interval of the state solved for need only be wide enough.
    let reach = |most: fn(f64, f64) -> f64, from: f64| looks.iter().map(|x| x[plan.solve_for]).fold(from, most);
    let reach = 0.5 * (reach(f64::max, f64::NEG_INFINITY) - reach(f64::min, f64::INFINITY));
    if reach > 0.0 && reach.is_finite() {
        sizes[plan.solve_for] = sizes[plan.solve_for].min(reach);
    }
    let rate = |x: &Vec<f64>| {
        let slow = problem.local(x).slow;
        problem.slow().map(|i| slow[i].abs() / sizes[i]).fold(0.0, f64::max)
    };
    let mut rates: Vec<f64> = looks.iter().map(rate).filter(|r| r.is_normal()).collect();
    rates.sort_by(f64::total_cmp);
    let time = rates.get(rates.len() / 2).map_or(1.0, |rate| rate.recip());
    let ordinary = |v: f64| (ORDINARY.recip()..=ORDINARY).contains(&v);
    if (0..sizes.len()).filter(|&i| straight(i)).all(|i| ordinary(sizes[i])) && ordinary(time) {
        return None;
    }
    let system = problem.system();
    // States of other modes are measured by the motions.
    let start: Vec<f64> = plan.region.iter().map(|(low, high)| 0.5 * (low + high)).collect();
    let known = Known {
        parameters: plan.parameters.clone(),
        starts: vec![(problem.mode_index(), start)],
        period: None,
    };
    let elsewhere = measured(system, &[known]).map_or_else(Units::default, |system| system.units);
    let mut states: Vec<f64> = (0..system.states.len()).map(|s| elsewhere.state(s)).collect();
    for (i, &s) in problem.mode().states.iter().enumerate() {
        states[s] = if straight(i) { unit(sizes[i]) } else { 1.0 };
    }
    // States that a symmetry exchanges have one unit.
    for (s, &source) in system.symmetry.iter().flat_map(|s| s.source.iter().enumerate()) {
        let larger = states[s].max(states[source]);
        (states[s], states[source]) = (larger, larger);
    }
    Some(Units {
        states,
        time: unit(time),
    })
}

/// A portrait in the units of the system that it is computed in.
fn in_units(plan: &PortraitPlan, units: &OwnUnits) -> PortraitPlan {
    let state = |(i, x): (usize, &f64)| x / units.of_state(i);
    let interval = |(i, (low, high)): (usize, &(f64, f64))| (low / units.of_state(i), high / units.of_state(i));
    let outcomes = plan.outcomes.as_ref().map(|family| OutcomesPlan {
        at: family.at.iter().enumerate().map(state).collect(),
        horizon: family.horizon / units.of_time(),
        ..family.clone()
    });
    let mut expressed = PortraitPlan {
        region: plan.region.iter().enumerate().map(interval).collect(),
        time: plan.time / units.of_time(),
        cycle: plan.cycle.as_ref().map(|x| x.iter().enumerate().map(state).collect()),
        outcomes,
        ..plan.clone()
    };
    if let Some(returns) = &mut expressed.returns {
        returns.horizon /= units.of_time();
    }
    expressed
}

/// Express a portrait that was computed in other units in those of `own`, the problem as the study has it.
pub(crate) fn in_own_units(found: &mut PortraitResult, units: &OwnUnits, own: &SlowFastProblem, plan: &PortraitPlan) {
    found.mesh.iter_mut().for_each(|mesh| units.mesh(mesh));
    found.curve.iter_mut().for_each(|at| units.point(at));
    found.folds.iter_mut().for_each(|line| units.line(line));
    for (x, _) in found.fold_kinds.iter_mut().flatten() {
        units.state(x);
    }
    found.singularities.iter_mut().for_each(|at| units.singularity(at));
    found.canards.iter_mut().for_each(|(_, canard)| units.canard(canard));
    found
        .reduced_orbits
        .iter_mut()
        .flatten()
        .for_each(|at| units.reduced(at));
    // Shifts and sections are measured along directions that the maximal canard knows.
    for (number, canard) in &mut found.maximal {
        let [attracting, repelling, section] = &canard.across;
        for (_, shift, orbit) in found.manifolds.iter_mut().filter(|(of, ..)| of == number) {
            let across = if orbit.sheet == Stability::Attracting {
                attracting
            } else {
                repelling
            };
            *shift *= units.along(across);
            units.orbit(orbit);
        }
        let sections = found.sections.iter_mut().filter(|(of, _)| of == number);
        for at in sections.flat_map(|(_, cuts)| cuts).flatten() {
            units.cut(at, section);
        }
        units.maximal(canard);
    }
    if let Some(family) = &plan.outcomes {
        let over = units.of_state(family.over);
        for one in &mut found.outcomes {
            one.value *= over;
            units.state(&mut one.start);
            one.reduced
                .iter_mut()
                .chain(&mut one.full)
                .for_each(|outcome| units.outcome(outcome));
        }
        found.separatrices.iter_mut().for_each(|(_, at)| at.value *= over);
    }
    found.returns.iter_mut().for_each(|(_, fibre)| units.fibre(fibre));
    let symmetric = plan.returns.is_some_and(|r| r.symmetric);
    for (_, cycle) in &mut found.cycles {
        units.cycle(cycle, own, symmetric);
    }
    if let Some(cycle) = &mut found.slow_cycle {
        units.slow_cycle(cycle);
    }
    found.branches.iter_mut().for_each(|(_, branch)| units.branch(branch));
}
