//! How large states are seen to be along an orbit: where segments start, and on the way where starts do not tell.

use super::PeriodicOrbit;
use super::angles::is_straight;
use super::derivatives::derivatives;
use crate::segment::Segment;
use slipstick_system::{ModeKind, jacobian};
use std::cell::OnceCell;
use std::f64::consts::TAU;
use std::ops::RangeInclusive;

/// Raise each entry of `largest` to the largest |value| of its component among vectors of `n`.
#[inline(always)]
pub(super) fn enlarge(largest: &mut [f64], vectors: &[f64], n: usize) {
    let largest = &mut largest[..n];
    for x in vectors.chunks_exact(n) {
        for (l, v) in largest.iter_mut().zip(x) {
            let size = v.abs();
            *l = if size > *l { size } else { *l };
        }
    }
}

/// The largest of the sizes of states that are no angles.
pub(super) fn largest_straight(orbit: &PeriodicOrbit<'_>, sizes: &[f64]) -> f64 {
    let sizes = sizes.iter().enumerate().filter(|&(s, _)| is_straight(orbit.system, s));
    sizes.fold(0.0f64, |m, (_, size)| m.max(*size))
}

/// The largest |value| of each state along the orbit; zero for states that are zero wherever a segment starts.
pub(super) fn measured_states(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> Vec<f64> {
    /// A state that is smaller than this where segments start may be zero there.
    const SMALL: f64 = 1e-8;
    /// It is, if it is small beside what it moves by during a segment, or rounding of the largest state.
    const ROUNDING: f64 = 1e-13;
    /// Starts tell the size of a state unless it can move by this many times as much during a segment.
    const MOVES: f64 = 20.0;
    /// Starts of smooth orbits do so unless the state would, in harmonic motion, become larger by this factor.
    const HARMONIC: f64 = 2.0;
    let mut largest = vec![0.0f64; orbit.system.states.len()];
    let mut take = |mode: usize, x: &[f64]| {
        for (v, &state) in x.iter().zip(&orbit.system.modes[mode].states) {
            largest[state] = largest[state].max(v.abs());
        }
    };
    let mut own = vec![];
    for s in &orbit.segments {
        own.clear();
        own.extend(z[s.offset..s.offset + s.n].iter().map(|v| v.abs()));
        match s.n {
            2 => enlarge(&mut own, &z[s.block()], 2),
            3 => enlarge(&mut own, &z[s.block()], 3),
            n => enlarge(&mut own, &z[s.block()], n),
        }
        take(s.mode, &own);
    }
    let straight = |state: usize| is_straight(orbit.system, state);
    let most = largest_straight(orbit, &largest);
    let mut f = vec![];
    let small = |state: usize| straight(state) && largest[state] > 0.0 && largest[state] <= SMALL;
    let small: Vec<usize> = (0..largest.len())
        .filter(|&state| orbit.system.is_hybrid() && small(state))
        .collect();
    // The rate of a state at the start may vanish, too, as that of a speed where sliding begins: what counts is how far
    // it goes.
    let mut moves = vec![0.0f64; small.len()];
    for s in orbit.segments.iter().filter(|s| !s.on_mesh()) {
        let own = |state: &usize| orbit.system.modes[s.mode].states.iter().position(|own| own == state);
        let places: Vec<Option<usize>> = small.iter().map(own).collect();
        if places.iter().all(Option::is_none) {
            continue;
        }
        let u = &z[s.offset..s.offset + s.n];
        look_along(orbit, s, z, 1..=EIGHTHS, &mut |x| {
            for (moves, i) in moves.iter_mut().zip(&places) {
                *moves = i.map_or(*moves, |i| moves.max((x[i] - u[i]).abs()));
            }
        });
    }
    for (state, moves) in small.into_iter().zip(moves) {
        if largest[state] <= (SMALL * moves).max(ROUNDING * most) {
            largest[state] = 0.0;
        }
    }
    // An impact that grazes leaves with no speed at all, an event may find another body where its coordinate passes
    // zero, and so may a smooth orbit begin: what a state is in between says how large it is.
    let starts = largest.clone();
    let turn = orbit.period(z) / TAU;
    let smooth = !orbit.system.is_hybrid();
    // Unless the events are at values of that very state, which count however small they are, or the motion sticks on
    // its way: segments next to stick may vanish with a state.
    let located = OnceCell::new();
    let is_stuck = |s: &Segment| orbit.system.modes[s.mode].kind == ModeKind::Stick;
    let sticks = orbit.segments.iter().any(is_stuck);
    for (k, s) in orbit.segments.iter().enumerate() {
        let mode = &orbit.system.modes[s.mode];
        let event = orbit.word.letters.get(k).and_then(|letter| letter.event);
        let lands = event.is_some_and(|e| mode.events[e].reset.is_some());
        if s.on_mesh() {
            continue;
        }
        let (u, t) = (&z[s.offset..s.offset + s.n], z[s.offset + s.n]);
        f.clear();
        f.resize(s.n, 0.0);
        mode.field.value(u, &orbit.parameters, &mut f);
        let is_located = |state: usize| located.get_or_init(|| located_states(orbit, z))[state];
        // Fast modes of a structure are anywhere where a segment starts, also if it sticks.
        let turning = if sticks && !lands {
            turning_states(orbit, s, z)
        } else {
            vec![]
        };
        let hides = |state: usize| !is_located(state) && (!sticks || turning.contains(&state));
        let counts = |state: usize| straight(state) && (smooth || starts[state] > 0.0 && (lands || hides(state)));
        let hidden = |(f, &state): (&f64, &usize)| {
            let moves = if smooth { f * turn / HARMONIC } else { f * t / MOVES };
            moves.abs() > starts[state] && counts(state)
        };
        if f.iter().zip(&mode.states).any(hidden) {
            look_along(orbit, s, z, 1..=EIGHTHS - 1, &mut |x| {
                for (v, &state) in x.iter().zip(&mode.states) {
                    if v.is_finite() && counts(state) {
                        largest[state] = largest[state].max(v.abs());
                    }
                }
            });
        }
    }
    largest
}

/// In so many parts a segment is looked at.
pub(super) const EIGHTHS: usize = 8;

/// Look at the states after these eighths of a segment that has no mesh, if it can be followed.
pub(super) fn look_along(
    orbit: &PeriodicOrbit<'_>,
    s: &Segment,
    z: &[f64],
    eighths: RangeInclusive<usize>,
    look: &mut dyn FnMut(&[f64]),
) {
    let (u, t) = (&z[s.offset..s.offset + s.n], z[s.offset + s.n]);
    let Ok(path) = s.flow.path(u, t, &orbit.parameters) else {
        return;
    };
    let mut x = vec![0.0; s.n];
    for j in eighths {
        path.eval(t * j as f64 / EIGHTHS as f64, &mut x);
        look(&x);
    }
}

/// The states that turn by many radians during a segment, each together with another one.
fn turning_states(orbit: &PeriodicOrbit<'_>, s: &Segment, z: &[f64]) -> Vec<usize> {
    const MANY: f64 = 20.0;
    let (mode, n, t) = (&orbit.system.modes[s.mode], s.n, z[s.offset + s.n]);
    let (mut f, mut jac) = (vec![0.0; n], vec![0.0; n * n]);
    let u = &z[s.offset..s.offset + n];
    jacobian(&*mode.field, u, &orbit.parameters, &[], &mut f, &mut jac, &mut []);
    let turns = |i: &usize| (0..n).any(|j| -jac[i * n + j] * jac[j * n + i] * t * t > MANY * MANY);
    (0..n).filter(turns).map(|i| mode.states[i]).collect()
}

/// The states of which one alone decides where an event of the word is.
fn located_states(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> Vec<bool> {
    let mut located = vec![false; orbit.system.states.len()];
    for s in &orbit.segments {
        let Some(guard) = &s.guard else { continue };
        let u = &z[s.offset..s.offset + s.n];
        let (_, gradient, _) = derivatives(guard.as_ref(), u, &orbit.parameters, &[]);
        let states = orbit.system.modes[s.mode].states.iter().zip(&gradient);
        let mut decide = states.filter(|(_, g)| **g != 0.0);
        if let (Some((&state, _)), None) = (decide.next(), decide.next()) {
            located[state] = true;
        }
    }
    located
}
