//! The guards of the mode that equilibria lie in: beyond one of them the mode does not apply, and its equilibria are
//! virtual.

use super::FixedPoint;
use crate::derivatives::derivatives;
use slipstick_bifurcation::{InequalitySpec, Label, Rank};
use slipstick_system::{Event, Inequality, Mode};
use std::sync::Arc;

/// A condition of an event counts as violated if it is that negative, relative to its change over the sizes of the
/// states: velocities are zero at equilibria, up to rounding.
const VIOLATED: f64 = 1e-9;

/// The events that bound a mode, each the first one with its guard and direction. A guard that leads out in both
/// directions bounds nothing, nor does a mark that is passed within the mode.
pub(super) fn bounds(problem: &FixedPoint<'_>) -> Vec<usize> {
    if !problem.rest {
        return vec![];
    }
    let events = &problem.system.modes[problem.mode].events;
    let leads = |k: usize| events[k].target != problem.mode || events[k].reset.is_some();
    let same = |a: usize, b: usize| Arc::ptr_eq(&events[a].guard, &events[b].guard);
    let both_ways =
        |k: usize| (0..events.len()).any(|other| same(k, other) && events[k].direction != events[other].direction);
    let first = |k: usize| !(0..k).any(|earlier| same(k, earlier) && leads(earlier));
    (0..events.len())
        .filter(|&k| leads(k) && first(k) && !both_ways(k))
        .collect()
}

/// The events that share the guard of one of them.
pub(super) fn sharing(mode: &Mode, event: usize) -> impl Iterator<Item = usize> {
    let guard = &mode.events[event].guard;
    let same = move |k: &usize| Arc::ptr_eq(&mode.events[*k].guard, guard);
    (0..mode.events.len()).filter(same)
}

/// Does a condition hold at a point, or nearly so? `sizes` are those of the states.
pub(super) fn holds(condition: &Inequality, x: &[f64], p: &[f64], sizes: &[f64]) -> bool {
    let (value, dx, _) = derivatives(condition.function.as_ref(), x, p, &[]);
    let scale: f64 = dx.iter().zip(sizes).map(|(d, s)| (d * s).abs()).sum();
    value >= -VIOLATED * scale
}

/// The height over a guard, on the side where the mode applies.
pub(super) fn height(problem: &FixedPoint<'_>, event: usize, z: &[f64]) -> f64 {
    let event = &problem.system.modes[problem.mode].events[event];
    let mut value = [0.0];
    event.guard.value(problem.point(z, 0), &problem.parameters, &mut value);
    inward(problem, event) * value[0]
}

/// The sign of a guard where the mode applies. In an escaping region the mode of sliding lies beyond all of its guards.
fn inward(problem: &FixedPoint<'_>, event: &Event) -> f64 {
    if problem.escaping {
        event.direction.sign()
    } else {
        -event.direction.sign()
    }
}

/// How far a point lies on the side of a guard where the mode applies: negative beyond it, where an event fires.
fn margin(problem: &FixedPoint<'_>, event: usize, z: &[f64]) -> f64 {
    let mode = &problem.system.modes[problem.mode];
    let (x, p) = (problem.point(z, 0), &problem.parameters);
    let inside = height(problem, event, z);
    if inside >= 0.0 {
        return inside;
    }
    let mut sizes = vec![0.0; z.len()];
    slipstick_continuation::Problem::sizes(problem, z, &mut sizes);
    let fires = |k: usize| {
        let mut conditions = mode.events[k].when.iter();
        conditions.all(|w| holds(w, x, p, &sizes[..problem.n]))
    };
    // Where nothing happens at a guard, it bounds nothing.
    if sharing(mode, event).any(fires) {
        inside
    } else {
        -inside
    }
}

/// How far the point lies from each bound of its mode.
pub(super) fn margins(problem: &FixedPoint<'_>, z: &[f64]) -> Vec<f64> {
    bounds(problem)
        .into_iter()
        .map(|event| margin(problem, event, z))
        .collect()
}

/// The gradient of the height by the unknowns.
pub(super) fn gradient(problem: &FixedPoint<'_>, event: usize, z: &[f64]) -> Vec<f64> {
    let event = &problem.system.modes[problem.mode].events[event];
    let sign = inward(problem, event);
    let (_, dx, dp) = derivatives(
        event.guard.as_ref(),
        problem.point(z, 0),
        &problem.parameters,
        &problem.free,
    );
    dx.iter().chain(&dp).map(|d| sign * d).collect()
}

/// The bounds as inequalities of admissibility.
pub(super) fn inequalities(problem: &FixedPoint<'_>) -> Vec<InequalitySpec> {
    let mode = &problem.system.modes[problem.mode];
    let spec = |event: usize| InequalitySpec {
        label: Label::BE,
        rank: Rank::Other,
        segment: 0,
        meaning: format!(
            "an equilibrium in mode `{}` reaches the guard of `{}`",
            mode.name, mode.events[event].name
        ),
    };
    bounds(problem).into_iter().map(spec).collect()
}
