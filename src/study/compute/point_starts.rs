//! Starts of curves of equilibria and of cycles of maps.

use crate::compute::error::ComputeError;
use crate::compute::family::Family;
use crate::compute::given::own_states;
use crate::compute::given_orbits::set_parameters;
use crate::compute::region::search_box;
use crate::compute::tracer::CurveTracer;
use crate::compute::transient::{LONGER, options_for, patience_for};
use crate::plan::entries::{CurvePlan, StartPlan};
use crate::plan::object::Object;
use crate::plan::orbit_files::{Given, read_auto, read_orbit};
use crate::plan::study::Plan;
use crate::results::curve::CurveResult;
use slipstick_bifurcation::BranchPoint;
use slipstick_continuation::{ParameterScale, Problem};
use slipstick_flow::{AfterTransient, Iterates, run_transient};
use slipstick_orbit::{
    FixedPoint, PointSearch, SAME_ORBIT, border_passed, escapes_to, filled_surface, find_points, is_admissible,
    is_degenerate, is_in_reach, least_cycle, on_corner, surface_at, surface_near,
};
use slipstick_system::{ModeKind, System};
use std::sync::atomic::Ordering;

/// From so many seeds single solutions are looked for where others fill a surface.
const BESIDE_SURFACE: usize = 32;

/// How many iterates a map is given to settle, and how many are then looked at.
const ITERATES: usize = 20_000;

/// Follow equilibria or cycles of a map from the curve's start.
pub(crate) fn follow_points(
    plan: &Plan,
    curve: &CurvePlan,
    earlier: &[&CurveResult],
    tracer: &mut CurveTracer<'_>,
) -> Result<(), ComputeError> {
    let system = &plan.systems[curve.system].system;
    let (mode, length) = match &curve.object {
        Object::Cycle { mode, length } => (*mode, Some(*length)),
        Object::Equilibrium { mode } => (*mode, None),
        Object::Orbit(_) => return Ok(()),
    };
    let fresh = || {
        let (parameters, free) = (curve.parameters.clone(), vec![curve.free]);
        let mut problem = match length {
            Some(length) => FixedPoint::cycle(system, mode, length, parameters, free),
            None => FixedPoint::equilibrium(system, mode, parameters, free),
        };
        problem.set_range(curve.trace.range);
        problem
    };
    let mut problem = fresh();
    match &curve.start {
        StartPlan::Search {
            values,
            otherwise,
            seeds,
            region,
            ..
        } => {
            let search = PointSearch {
                seeds: seeds.unwrap_or(512),
                region: search_box(system, mode, &curve.parameters, region, curve.flow),
            };
            // Beyond which border the solutions lie that were found, where all lie beyond one.
            let (mut beyond, mut escaping) = (None, None);
            let mut all_beyond = true;
            for (value, asked) in tracer.values_to_search(values, otherwise) {
                if !tracer.searches_at(system, (value, asked)) {
                    break;
                }
                problem.set_parameter(curve.free, value);
                // Where solutions fill a surface Newton's method finds any of them, to what rounding leaves.
                let fills = || {
                    let mut own = fresh();
                    own.set_parameter(curve.free, value);
                    filled_surface(&mut own, &search, curve.trace.range)
                };
                let filled = tracer.log.remember(tracer.stop, fills);
                let few = PointSearch {
                    seeds: search.seeds.min(BESIDE_SURFACE),
                    region: search.region.clone(),
                };
                let search = if filled.is_some() { &few } else { &search };
                let mut observe = |so_far| tracer.searching(value, so_far);
                let mut found = tracer
                    .log
                    .remember(tracer.stop, || find_points(&mut problem, search, &mut observe));
                for z in &found {
                    // Others of them may lie beyond one border only, where nothing is at rest in any mode.
                    escaping = escaping.or_else(|| escapes_to(&problem, z).map(|modes| (value, modes)));
                    match border_passed(&mut problem, z) {
                        Some(border) => beyond = beyond.or(Some((value, border))),
                        None => all_beyond = false,
                    }
                }
                if let Some(dimension) = filled {
                    // Single ones may lie beside the surface.
                    let mut own = fresh();
                    own.set_parameter(curve.free, value);
                    let range = curve.trace.range;
                    found.retain(|z| {
                        let single = is_in_reach(search, z) && !is_degenerate(&mut own, z);
                        single && surface_near(&mut own, z.clone(), search, range).is_none()
                    });
                    if found.is_empty() {
                        let kind = kind_of(&problem);
                        return Err(ComputeError::OnContinuum { kind, dimension });
                    }
                }
                follow_all(&mut problem, found, search, curve, tracer);
            }
            if tracer.results.is_empty()
                && all_beyond
                && let Some((value, border)) = beyond
            {
                if let Some((value, modes)) = escaping {
                    return Err(escape(system, curve, (value, &modes)));
                }
                let elsewhere = tracer
                    .log
                    .remember(tracer.stop, || mode_with_rest(system, mode, curve, region));
                return Err(ComputeError::OnlyBeyond {
                    what: match &curve.object {
                        Object::Equilibrium { .. } => format!("equilibrium in mode `{}`", system.modes[mode].name),
                        other => other.describe(system),
                    },
                    parameter: system.parameters[curve.free].name.clone(),
                    value,
                    border,
                    elsewhere: elsewhere.map(|mode| system.modes[mode].name.clone()),
                });
            }
            if tracer.results.is_empty() && tracer.failure.is_none() && !tracer.stop.load(Ordering::Relaxed) {
                let shorter = tracer
                    .log
                    .remember(tracer.stop, || shorter_found(system, mode, curve, &search));
                let elsewhere = tracer
                    .log
                    .remember(tracer.stop, || mode_with_rest(system, mode, curve, region));
                return Err(ComputeError::NoPointFound {
                    what: curve.object.describe(system),
                    parameter: system.parameters[curve.free].name.clone(),
                    range: curve.trace.range,
                    shorter,
                    elsewhere: elsewhere.map(|mode| system.modes[mode].name.clone()),
                });
            }
        }
        StartPlan::Settle {
            mode: first,
            from,
            patience,
        } => {
            let points = match &curve.object {
                Object::Cycle { length, .. } => {
                    cycle_after_transient(system, *first, from, &curve.parameters, *length)?
                }
                _ => {
                    let modes = (*first, mode);
                    let usual = || patience_for(system, (*first, from), &curve.parameters);
                    let state = rest_after_transient(system, curve, modes, from, patience.unwrap_or_else(usual))?;
                    vec![if patience.is_none() {
                        later_at_rest(system, curve, &mut problem, mode, state)
                    } else {
                        state
                    }]
                }
            };
            correct(&mut problem, &points, curve, tracer)?;
        }
        StartPlan::Guess { states, .. } => correct(&mut problem, states, curve, tracer)?,
        StartPlan::Point { source, given, .. } => {
            for orbit in source.find(system, &plan.systems, earlier)? {
                set_parameters(system, curve, &orbit, given, |i, v| problem.set_parameter(i, v));
                let points = points_of(system, &problem, &orbit)?;
                correct(&mut problem, &points, curve, tracer)?;
            }
        }
        StartPlan::Auto {
            path,
            label,
            numbers,
            given,
        } => {
            let orbit = read_auto(path, *label, numbers, system)?;
            set_parameters(system, curve, &orbit, given, |i, v| problem.set_parameter(i, v));
            let points = points_of(system, &problem, &orbit)?;
            correct(&mut problem, &points, curve, tracer)?;
        }
        StartPlan::File(path) => {
            let orbit = read_orbit(path, system)?;
            let points = points_of(system, &problem, &orbit)?;
            correct(&mut problem, &points, curve, tracer)?;
        }
    }
    Ok(())
}

/// Follow the curves through all solutions found at one value of the parameter. Where solutions meet just there, the
/// curves set off from those beside it, and pass the place.
fn follow_all(
    problem: &mut FixedPoint<'_>,
    found: Vec<Vec<f64>>,
    search: &PointSearch,
    curve: &CurvePlan,
    tracer: &mut CurveTracer<'_>,
) {
    /// How far beside, as a part of the range.
    const BESIDE: f64 = 1e-2;
    /// Newton's method finds a multiple root to this part of the size of the states.
    const NEAR: f64 = 1e-3;
    let (low, high) = curve.trace.range;
    let (degenerate, apart): (Vec<_>, Vec<_>) = found.into_iter().partition(|z| is_degenerate(problem, z));
    let mut set_off = |problem: &mut FixedPoint<'_>, z: Vec<f64>| {
        problem.anchor(&z);
        follow(problem, z, curve, tracer);
    };
    apart.into_iter().for_each(|z| set_off(problem, z));
    let Some(value) = degenerate.first().and_then(|z| z.last().copied()) else {
        return;
    };
    for beside in [value - BESIDE * (high - low), value + BESIDE * (high - low)] {
        if (low..=high).contains(&beside) {
            problem.set_parameter(curve.free, beside);
            let found = find_points(problem, search, &mut |_| true);
            found.into_iter().for_each(|z| set_off(problem, z));
        }
    }
    problem.set_parameter(curve.free, value);
    for z in degenerate {
        let points = problem.points(&z);
        let just_there = |p: &BranchPoint| {
            let apart = (p.point.parameter() - value).abs();
            apart <= NEAR * BESIDE * (high - low) && problem.same(&problem.invariants(&p.point.z), &points, NEAR)
        };
        let located = tracer
            .results
            .iter()
            .flat_map(CurveResult::points)
            .any(|(_, _, p)| just_there(p));
        if !located && !tracer.passes(problem, (&points, value), NEAR) {
            problem.anchor(&z);
            follow(problem, z, curve, tracer);
        }
    }
}

/// The number of points of the longest cycles that close before those asked for and are there at the start's
/// parameters, if there are any.
fn shorter_found(system: &System, mode: usize, curve: &CurvePlan, search: &PointSearch) -> Option<usize> {
    let Object::Cycle { length, .. } = curve.object else {
        return None;
    };
    let divisors = (1..length).rev().filter(|d| length.is_multiple_of(*d));
    divisors.into_iter().find(|&d| {
        let mut shorter = FixedPoint::cycle(system, mode, d, curve.parameters.clone(), vec![curve.free]);
        shorter.set_range(curve.trace.range);
        !find_points(&mut shorter, search, &mut |_| true).is_empty()
    })
}

/// Another mode with an admissible equilibrium at the start's parameters, if equilibria are looked for.
fn mode_with_rest(system: &System, mode: usize, curve: &CurvePlan, region: &[Option<(f64, f64)>]) -> Option<usize> {
    /// A search for a hint need not be thorough.
    const SEEDS: usize = 128;
    let Object::Equilibrium { .. } = curve.object else {
        return None;
    };
    let may_rest = |kind: ModeKind| matches!(kind, ModeKind::Free | ModeKind::Stick);
    let others = (0..system.modes.len()).filter(|&m| m != mode && may_rest(system.modes[m].kind));
    others.into_iter().find(|&m| {
        let mut problem = FixedPoint::equilibrium(system, m, curve.parameters.clone(), vec![curve.free]);
        problem.set_range(curve.trace.range);
        let search = PointSearch {
            seeds: SEEDS,
            region: search_box(system, m, &curve.parameters, region, curve.flow),
        };
        let found = find_points(&mut problem, &search, &mut |_| true);
        found.iter().any(|z| is_admissible(&mut problem, z))
    })
}

/// Why no curve begins at pseudo-equilibria from which the fields of these modes lead away.
fn escape(system: &System, curve: &CurvePlan, (value, away): (f64, &[usize])) -> ComputeError {
    ComputeError::Escaping {
        parameter: system.parameters[curve.free].name.clone(),
        value,
        modes: away.iter().map(|&mode| system.modes[mode].name.clone()).collect(),
    }
}

/// Correct a guess by Newton's method with all the patience a far start needs, and follow the curve through it.
fn correct(
    problem: &mut FixedPoint<'_>,
    points: &[Vec<f64>],
    curve: &CurvePlan,
    tracer: &mut CurveTracer<'_>,
) -> Result<(), ComputeError> {
    let guess = if points.len() == problem.length() {
        problem.guess_points(points)
    } else {
        problem.guess(&points[0])
    };
    let z = problem.corrected(guess).map_err(ComputeError::PointNotCorrected)?;
    if let Some(modes) = escapes_to(problem, &z) {
        let value = z.last().copied().unwrap_or_default();
        return Err(escape(problem.system(), curve, (value, &modes)));
    }
    if let Some((mut once, z)) = least_cycle(problem, &z) {
        let points = |length: usize| match length {
            1 => "a fixed point".to_owned(),
            k => format!("a cycle of {k} points"),
        };
        tracer.note = format!(
            "the start is {}, gone through {} times; the curve is that of {}",
            points(once.length()),
            problem.length() / once.length(),
            points(once.length())
        );
        follow(&mut once, z, curve, tracer);
        return Ok(());
    }
    follow(problem, z, curve, tracer);
    Ok(())
}

/// Follow the curve through a solution, unless solutions fill a surface there, or it lies on a corner of the equations.
fn follow(problem: &mut FixedPoint<'_>, z: Vec<f64>, curve: &CurvePlan, tracer: &mut CurveTracer<'_>) {
    // What is near is measured as along the curve.
    let value = z.last().copied().unwrap_or_default();
    problem.set_scales(&z, &[ParameterScale::over(curve.trace.range, value)]);
    if let Some(corner) = on_corner(problem, &z) {
        tracer.failed(ComputeError::OnCorner { corner });
        return;
    }
    let Some(dimension) = surface_at(problem, &z) else {
        return tracer.follow(problem, z);
    };
    let kind = kind_of(problem);
    tracer.failed(ComputeError::OnContinuum { kind, dimension });
}

/// What is followed, in words.
fn kind_of(problem: &FixedPoint<'_>) -> &'static str {
    if problem.is_rest() {
        "equilibria"
    } else {
        "points of the map"
    }
}

/// The points of a given orbit, which must be as many as are followed.
fn points_of(system: &System, problem: &FixedPoint<'_>, orbit: &Given) -> Result<Vec<Vec<f64>>, ComputeError> {
    let points: Vec<Vec<f64>> = orbit
        .states
        .iter()
        .zip(&orbit.modes)
        .map(|(x, &mode)| own_states(system, mode, x))
        .collect();
    let length = problem.length();
    let repeats = |points: &[Vec<f64>]| {
        points.len() > length
            && points.len().is_multiple_of(length)
            && (length..points.len())
                .all(|i| problem.match_points(&points[i..=i], &points[i - length..=i - length], SAME_ORBIT))
    };
    match points.len() {
        1 => Ok(points),
        // The end of a branch at the doubling that it was born at goes through the cycle there twice.
        _ if repeats(&points) => Ok(points[..length].to_vec()),
        count if count == problem.length() => Ok(points),
        rows if problem.is_rest() => Err(ComputeError::NoEquilibrium { rows }),
        found => Err(ComputeError::OtherCycle { found, wanted: length }),
    }
}

/// A motion that is still under way along a slow state looks quiet: where Newton's method finds no equilibrium from
/// `state`, it is followed for longer.
fn later_at_rest(
    system: &System,
    curve: &CurvePlan,
    problem: &mut FixedPoint<'_>,
    mode: usize,
    mut state: Vec<f64>,
) -> Vec<f64> {
    let patience = patience_for(system, (mode, &state), &curve.parameters);
    for factor in LONGER {
        let guess = problem.guess(&state);
        if problem.corrected(guess).is_ok() {
            break;
        }
        match rest_after_transient(system, curve, (mode, mode), &state, factor * patience) {
            Ok(later) => state = later,
            Err(_) => break,
        }
    }
    state
}

/// The equilibrium in mode `wanted` that a trajectory from mode `first` comes to rest at.
fn rest_after_transient(
    system: &System,
    curve: &CurvePlan,
    (first, wanted): (usize, usize),
    from: &[f64],
    patience: f64,
) -> Result<Vec<f64>, ComputeError> {
    let options = options_for(system, curve, (first, from), patience);
    let time = system.units.time;
    let after_transient = run_transient(system, first, from, &curve.parameters, &options);
    match after_transient.map_err(|error| ComputeError::Transient { error, time })? {
        AfterTransient::Rest { mode, state } if mode == wanted => Ok(state),
        AfterTransient::Rest { mode, .. } => Err(ComputeError::RestsElsewhere {
            mode: system.modes[mode].name.clone(),
            wanted: system.modes[wanted].name.clone(),
        }),
        AfterTransient::Orbit(orbit) => Err(ComputeError::NotAtRest {
            period: orbit.period * time,
        }),
    }
}

/// The cycle of `length` points that a map settles to.
fn cycle_after_transient(
    system: &System,
    mode: usize,
    from: &[f64],
    p: &[f64],
    length: usize,
) -> Result<Vec<Vec<f64>>, ComputeError> {
    let mut orbit = Iterates::new(system, mode, from, p)?;
    let arrived = orbit.advance_by(ITERATES).and_then(|()| orbit.take(length));
    let mut points = arrived.map_err(ComputeError::Iterates)?;
    points.push(orbit.point().to_vec());
    let apart = |i: usize| orbit.apart(&points[0], &points[i]);
    let miss = apart(length);
    if miss > 1e-3 {
        return Err(ComputeError::NoCycle {
            iterates: ITERATES,
            length,
            deviation: miss,
        });
    }
    points.truncate(length);
    Ok(points)
}
