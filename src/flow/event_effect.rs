//! What an event does to the surface that it is met on, and which surfaces are the same: both judged by a few generic
//! states.

use super::junction::Junction;
use slipstick_system::{Function, System, jacobian};
use smallvec::SmallVec;
use std::sync::Arc;

/// Are two guards the same surface: the same object, or equal in value and gradient at a few generic points?
pub(super) fn same_surface(a: &Arc<dyn Function>, b: &Arc<dyn Function>, n: usize, p: &[f64]) -> bool {
    if Arc::ptr_eq(a, b) {
        return true;
    }
    generic_states(n).all(|x| {
        let (mut u, mut v) = (vec![0.0; n], vec![0.0; n]);
        let (mut g, mut h) = ([0.0], [0.0]);
        jacobian(&**a, &x, p, &[], &mut g, &mut u, &mut []);
        jacobian(&**b, &x, p, &[], &mut h, &mut v, &mut []);
        g == h && u == v
    })
}

/// What an event does to the surface that it is met on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing: the motion goes on through it as it came.
    Passage,
    /// It leaves the guard as it is and changes its rate, not always into one that leads back.
    Passable,
    /// It leads into another mode, moves the motion off the surface, or turns it back.
    Other,
}

/// What an event does, to judge by a few generic states.
pub(super) fn effect(system: &System, mode: usize, event: usize, p: &[f64]) -> Effect {
    /// The same up to the rounding of a reset.
    const SAME: f64 = 1e-9;
    let m = &system.modes[mode];
    let (e, n) = (&m.events[event], m.states.len());
    if e.target != mode {
        return Effect::Other;
    }
    if e.reset.is_none() {
        return Effect::Passage;
    }
    let mut junction = Junction::new(system, mode, Some(event), false);
    let same = |a: f64, b: f64| (a - b).abs() <= SAME * (1.0 + a.abs());
    let (mut alike, mut through) = (true, false);
    let opposite = |x: Vec<f64>| [x.iter().map(|x| -x).collect(), x];
    for x in generic_states(n).flat_map(opposite) {
        let mut next = vec![0.0; n];
        junction.apply(&x, p, &mut next);
        if !same(value(&*e.guard, &x, p), value(&*e.guard, &next, p)) {
            return Effect::Other;
        }
        let [before, after] = [&x, &next].map(|x| rate(&*m.field, &*e.guard, x, p));
        alike &= same(before, after);
        through |= [before, after].iter().all(|rate| rate * e.direction.sign() > 0.0);
    }
    match (alike, through) {
        (true, _) => Effect::Passage,
        (false, true) => Effect::Passable,
        (false, false) => Effect::Other,
    }
}

/// A few states that are in no way special.
fn generic_states(n: usize) -> impl Iterator<Item = Vec<f64>> {
    (1..=3).map(move |k| {
        (0..n)
            .map(|i| ((i * 7 + k * 13) as f64 * 0.618_034).fract() * 2.0 - 1.0)
            .collect()
    })
}

/// The rate of a function along a field.
pub(super) fn rate(field: &dyn Function, function: &dyn Function, x: &[f64], p: &[f64]) -> f64 {
    let mut f: SmallVec<[f64; 8]> = SmallVec::from_elem(0.0, x.len());
    let mut gradient = f.clone();
    field.value(x, p, &mut f);
    jacobian(function, x, p, &[], &mut [0.0], &mut gradient, &mut []);
    gradient.iter().zip(&f).map(|(g, f)| g * f).sum()
}

/// A scalar function at a point.
pub(super) fn value(f: &dyn Function, x: &[f64], p: &[f64]) -> f64 {
    let mut v = [0.0];
    f.value(x, p, &mut v);
    v[0]
}

/// Take a state that a motion is in where a guard is zero, but for a time of `most`, along the field onto the surface:
/// where the motion is so fast that the time tells no better where it is. `None` where that is further away.
pub(super) fn onto(
    field: &dyn Function,
    guard: &dyn Function,
    x: &[f64],
    p: &[f64],
    most: f64,
) -> Option<SmallVec<[f64; 8]>> {
    const ROUNDS: usize = 4;
    let mut here: SmallVec<[f64; 8]> = SmallVec::from_slice(x);
    let mut f: SmallVec<[f64; 8]> = SmallVec::from_elem(0.0, x.len());
    let (mut off, mut time) = (value(guard, x, p), 0.0);
    for _ in 0..ROUNDS {
        if off == 0.0 {
            break;
        }
        let by = -off / rate(field, guard, &here, p);
        time += by;
        if !(time.abs() <= most) {
            return None;
        }
        field.value(&here, p, &mut f);
        let next: SmallVec<[f64; 8]> = here.iter().zip(&f).map(|(x, f)| x + f * by).collect();
        let left = value(guard, &next, p);
        if !(left.abs() < off.abs()) {
            break;
        }
        (here, off) = (next, left);
    }
    Some(here)
}
