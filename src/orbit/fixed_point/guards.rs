//! The guards of the mode that equilibria lie in: beyond one of them the mode does not apply, and its equilibria are
//! virtual.

use super::FixedPoint;
use crate::derivatives::derivatives;
use slipstick_bifurcation::{InequalitySpec, Label, Rank};
use slipstick_numerics::linalg::dot;
use slipstick_system::{Event, Function, Inequality, Mode, rate_gradient};
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
    // Where motions pass a guard and nothing happens, it bounds nothing.
    if sharing(mode, event).any(fires) || !is_passed(problem, event, x, &sizes[..problem.n]) {
        inside
    } else {
        -inside
    }
}

/// Do motions leave through the guard of an event next to a point beyond it, while none of its events is possible?
/// Where all of them move inwards, as a body that a friction force overcomes, nothing comes to the point.
fn is_passed(problem: &FixedPoint<'_>, event: usize, x: &[f64], sizes: &[f64]) -> bool {
    let (mode, p) = (&problem.system.modes[problem.mode], &problem.parameters);
    let guard = mode.events[event].guard.as_ref();
    let outward = -inward(problem, &mode.events[event]);
    let rate = |x: &[f64]| rate_gradient(guard, mode.field.as_ref(), x, p, &[]);
    let Some(mut place) = on_guard(guard, x, p, sizes) else {
        return false;
    };
    let (here, slope, _) = rate(&place);
    if outward * here < 0.0 {
        // Along the guard to where motions leave as fast as they enter here.
        let scaled = |v: &[f64]| -> Vec<f64> { v.iter().zip(sizes).map(|(v, size)| v * size).collect() };
        let (normal, slope) = (scaled(&derivatives(guard, &place, p, &[]).1), scaled(&slope));
        let across = dot(&slope, &normal) / dot(&normal, &normal);
        let along: Vec<f64> = slope.iter().zip(&normal).map(|(s, n)| s - across * n).collect();
        let square = dot(&along, &along);
        if square <= VIOLATED * dot(&slope, &slope) {
            return false;
        }
        for ((x, along), size) in place.iter_mut().zip(&along).zip(sizes) {
            *x -= 2.0 * here / square * along * size;
        }
        match on_guard(guard, &place, p, sizes) {
            Some(there) if outward * rate(&there).0 > 0.0 => place = there,
            _ => return false,
        }
    }
    let possible = |k: usize| mode.events[k].when.iter().all(|w| holds(w, &place, p, sizes));
    !sharing(mode, event).any(possible)
}

/// The point of a guard next to `x`, in the sizes of the states.
fn on_guard(guard: &dyn Function, x: &[f64], p: &[f64], sizes: &[f64]) -> Option<Vec<f64>> {
    /// A guard may be curved: so often its zero is looked for.
    const ROUNDS: usize = 20;
    const ROUNDING: f64 = 1e-12;
    let mut place = x.to_vec();
    for _ in 0..ROUNDS {
        let (value, slope, _) = derivatives(guard, &place, p, &[]);
        let square: f64 = slope.iter().zip(sizes).map(|(g, size)| (g * size).powi(2)).sum();
        if !(square > 0.0 && value.is_finite()) {
            return None;
        }
        for ((x, g), size) in place.iter_mut().zip(&slope).zip(sizes) {
            *x -= value * g * size * size / square;
        }
        if value.abs() <= ROUNDING * square.sqrt() {
            return Some(place);
        }
    }
    None
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
