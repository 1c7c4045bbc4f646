//! How large states are along an orbit: what distances and tolerances are measured by.

use super::PeriodicOrbit;
use super::angles::{is_straight, radian};
use super::measured_states::{EIGHTHS, largest_straight, look_along, measured_states};
use super::phase_condition::Phase;
use super::sizes_at_rest::{sizes_by_angles, sizes_by_field};
use super::sizes_in_stick::{sizes_by_forces, sticks};
use crate::segment::Segment;
use slipstick_continuation::{Meshes, Problem};
use slipstick_flow::measure::unit_of_time;
use slipstick_system::{jacobian, keep_sign};
use std::f64::consts::TAU;

/// Fill `target` with the first `n` numbers of `own` again and again.
#[inline(always)]
fn repeat(target: &mut [f64], own: &[f64], n: usize) {
    for x in target.chunks_exact_mut(n) {
        for (x, size) in x.iter_mut().zip(&own[..n]) {
            *x = *size;
        }
    }
}

/// A forced orbit that passes through zero keeps this part of the size that it had.
const KEPT: f64 = 1e-4;
/// A state of it that does so while others do not keeps this part of what it would have if it had shrunk as they did.
/// The parameter may turn there, and follows the square of the state: with a smaller part it would turn by rounding.
const KEPT_BESIDE_OTHERS: f64 = 1e-2;

/// May the orbit pass through zero as its parameter does? Its phase and its period are those of a forcing, or of
/// clocks, so that zero is an orbit as good as any other; corners of resets may lie there.
fn may_pass_zero(orbit: &PeriodicOrbit<'_>) -> bool {
    is_forced(orbit) || orbit.plan.stirred_by_clocks
}

/// Are its phase and its period those of a forcing, without events?
fn is_forced(orbit: &PeriodicOrbit<'_>) -> bool {
    orbit.segments.iter().all(|s| s.guard.is_none()) && !orbit.is_free()
}

/// May some states of the orbit pass through zero as its parameter does, all along it, while others do not? So do those
/// that another part of an autonomous system drives.
fn may_pass_zero_in_part(orbit: &PeriodicOrbit<'_>) -> bool {
    orbit.is_free() && !orbit.system.is_hybrid()
}

/// Remember how large the states of an accepted orbit are.
pub(super) fn note_sizes(orbit: &mut PeriodicOrbit<'_>, z: &[f64]) {
    if !may_pass_zero(orbit) && !may_pass_zero_in_part(orbit) {
        return;
    }
    // Those of the point, whatever was evaluated last: an attempt that is taken up again must find the same.
    orbit.take_parameters(z);
    let here = measured_states(orbit, z);
    orbit.met.resize(here.len(), 0.0);
    for (met, size) in orbit.met.iter_mut().zip(here) {
        *met = met.max(size);
    }
}

/// The same for an orbit that an earlier attempt has accepted.
pub(super) fn recall_sizes(orbit: &mut PeriodicOrbit<'_>, z: &[f64], meshes: &Option<Meshes>) {
    if !may_pass_zero(orbit) && !may_pass_zero_in_part(orbit) {
        return;
    }
    if *meshes == orbit.meshes {
        note_sizes(orbit, z);
        return;
    }
    let kept = orbit.save_phase();
    orbit.restore(meshes);
    note_sizes(orbit, z);
    orbit.return_to_phase(kept);
}

/// The largest |value| of each state along the orbit; a radian for angles, and one for states that are zero wherever a
/// segment starts.
pub(super) fn largest_states(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> Vec<f64> {
    /// Along a smooth orbit, a state that is smaller than this part of the largest other state is zero.
    const ZERO: f64 = 1e-8;
    let mut largest = measured_states(orbit, z);
    let driven = sticks(orbit).then(|| sizes_by_forces(orbit, z, &largest[..orbit.system.states.len()]));
    raise_to_what_was_met(orbit, z, &mut largest);
    for (size, least) in largest.iter_mut().zip(least_sizes(orbit).unwrap_or_default()) {
        *size = size.max(*least);
    }
    // A state that stays zero counts as one; along a smooth orbit, where no start hides what a state does later, as
    // the largest of the others. Eigenvectors have sizes of their own, whatever those of the states are.
    let smooth = !orbit.system.is_hybrid();
    let states = largest.len() / (1 + orbit.vectors);
    let (unit, zero) = match largest_straight(orbit, &largest[..states]) {
        most if most > 0.0 && smooth => (most, ZERO * most),
        _ => (1.0, 0.0),
    };
    let counted = if smooth { states } else { largest.len() };
    // Units of states may be further apart than rounding is from one. With eigenvectors beside them a state may vanish
    // on purpose, as at a branch point.
    let mut small = (0..counted)
        .filter(|&state| is_straight(orbit.system, state) && (f64::MIN_POSITIVE..=zero).contains(&largest[state]));
    let small = orbit.vectors == 0 && small.next().is_some();
    let known = if small {
        known_states(orbit, z, &largest, ZERO)
    } else {
        vec![]
    };
    for (state, size) in largest[..counted].iter_mut().enumerate() {
        if let Some(radian) = radian(orbit.system, state) {
            *size = radian;
        } else if *size <= zero && !known.get(state).is_some_and(|known| *known) {
            *size = unit;
        }
    }
    for (size, least) in largest[..states].iter_mut().zip(driven.unwrap_or_default()) {
        *size = size.max(least);
    }
    raise_to_what_is_known(orbit, z, &mut largest);
    raise_what_stays(orbit, z, &mut largest);
    raise_vectors(orbit, &mut largest);
    largest
}

/// An orbit that passes through zero keeps a part of the sizes that it had. Of a cycle without a forcing, which is no
/// orbit if all states vanish, each state keeps that part of what it would have if it had shrunk as little as any
/// other; one that keeps its sign ends at zero instead.
fn raise_to_what_was_met(orbit: &PeriodicOrbit<'_>, z: &[f64], sizes: &mut [f64]) {
    let states = sizes.len() / (1 + orbit.vectors);
    let own = |state: usize| orbit.met.get(state).copied().unwrap_or(0.0);
    let left = (0..states).filter(|&state| is_straight(orbit.system, state) && own(state) > 0.0);
    let left = left.map(|state| sizes[state] / own(state)).fold(0.0, f64::max).min(1.0);
    if may_pass_zero(orbit) {
        let beside = if is_forced(orbit) {
            KEPT_BESIDE_OTHERS * left
        } else {
            0.0
        };
        for (state, (size, met)) in sizes.iter_mut().zip(&orbit.met).enumerate() {
            let kept = if state < states { KEPT.max(beside) } else { KEPT };
            *size = size.max(kept * met);
        }
        return;
    }
    let least: Vec<f64> = (0..states).map(|state| KEPT * left * own(state)).collect();
    let small = |state: usize| is_straight(orbit.system, state) && sizes[state] < least[state];
    let small: Vec<usize> = (0..states).filter(|&state| small(state)).collect();
    let (Some(s), false) = (orbit.segments.first(), small.is_empty()) else {
        return;
    };
    let mode = &orbit.system.modes[s.mode];
    // What drives a state may vanish just here.
    let mut beside = orbit.parameters.clone();
    let free = orbit.free.iter().zip(&orbit.least_parameters);
    free.for_each(|(&i, least)| beside[i] += least.max(KEPT * beside[i].abs()));
    let kept = keep_sign(mode.field.as_ref(), &z[s.offset..s.offset + s.n], &beside);
    for state in small {
        let keeps = mode
            .states
            .iter()
            .position(|&own| own == state)
            .is_some_and(|i| kept[i]);
        if !keeps {
            sizes[state] = least[state];
        }
    }
}

/// Which states of a smooth orbit, of these sizes, are above this part of what the others that drive them make of them:
/// in whatever unit they count, they are no rounding.
fn known_states(orbit: &PeriodicOrbit<'_>, z: &[f64], sizes: &[f64], part: f64) -> Vec<bool> {
    /// So many places along the orbit are looked at.
    const PLACES: usize = 8;
    let Some(s) = orbit.segments.first() else {
        return vec![];
    };
    let (mode, n) = (&orbit.system.modes[s.mode], s.n);
    let (mut f, mut jac) = (vec![0.0; n], vec![0.0; n * n]);
    let mut driven = vec![0.0f64; n];
    let nodes: Vec<usize> = s.nodes().collect();
    let slowest = TAU / orbit.period(z).abs();
    for &at in nodes.iter().step_by(nodes.len().div_ceil(PLACES)) {
        let x = &z[at..at + n];
        jacobian(&*mode.field, x, &orbit.parameters, &[], &mut f, &mut jac, &mut []);
        for (i, row) in jac.chunks_exact(n).enumerate() {
            let others = row.iter().zip(&mode.states).enumerate().filter(|(j, _)| *j != i);
            let most = others.fold(0.0f64, |most, (_, (a, &by))| most.max(a.abs() * sizes[by]));
            driven[i] = driven[i].max(most / row[i].abs().max(slowest));
        }
    }
    // A state whose rate vanishes with it may be zero all along, but for what is left of a start.
    let kept = keep_sign(mode.field.as_ref(), &z[s.offset..s.offset + n], &orbit.parameters);
    let mut known = vec![false; sizes.len()];
    for ((driven, kept), &state) in driven.iter().zip(kept).zip(&mode.states) {
        known[state] = !kept && *driven > 0.0 && sizes[state] > part * driven;
    }
    known
}

/// A component of an eigenvector counts at least as this part of the largest one, both in sizes of the states: that of
/// the phase of a forcing is the same all along an orbit, and may pass zero from orbit to orbit.
fn raise_vectors(orbit: &PeriodicOrbit<'_>, sizes: &mut [f64]) {
    const LEAST: f64 = 1e-2;
    /// A vector smaller than this part of another one is rounding, as the second one at a symmetric crossing may be.
    const ROUNDING: f64 = 1e-8;
    let n = sizes.len() / (1 + orbit.vectors);
    let (states, vectors) = sizes.split_at_mut(n);
    let largest = |vector: &[f64]| {
        let parts = vector.iter().zip(&*states).map(|(v, state)| v / state);
        parts.fold(0.0, f64::max)
    };
    let known = vectors.chunks_exact(n).map(largest).fold(0.0, f64::max);
    for vector in vectors.chunks_exact_mut(n) {
        let most = match largest(vector) {
            own if own > ROUNDING * known => own,
            _ if known > 0.0 => known,
            // Vectors that are not known yet count as the states do.
            _ => LEAST.recip(),
        };
        for (v, state) in vector.iter_mut().zip(&*states) {
            *v = v.max(LEAST * most * state);
        }
    }
}

/// The least sizes that count along orbits of a forced system that may rest at zero, as a pendulum does whose support
/// moves up and down, or that has angles of its own; `None` for others. They are those at the default parameters: an
/// attempt that is taken up again must find the same.
pub(super) fn least_sizes<'a>(orbit: &'a PeriodicOrbit<'_>) -> Option<&'a [f64]> {
    if !is_forced(orbit) {
        return None;
    }
    let sizes = orbit
        .sizes_at_rest
        .get_or_init(|| sizes_by_field(orbit).or_else(|| sizes_by_angles(orbit)));
    sizes.as_deref()
}

/// A state that hardly moves while large forces on it cancel is known to the rounding of those forces only, as the
/// speed of a block far down a chain: raise its size to a small part of what each of them would make of it in the time
/// of a radian.
fn raise_to_what_is_known(orbit: &PeriodicOrbit<'_>, z: &[f64], sizes: &mut [f64]) {
    /// Rounding of the forces, divided by this, is well below the tolerance of Newton's method.
    const KNOWN: f64 = 1e-5;
    /// States larger than this part of the largest are above all of that.
    const SMALL: f64 = 1e-3;
    let most = largest_straight(orbit, sizes);
    let small = |state: usize, size: f64| is_straight(orbit.system, state) && size < SMALL * most;
    if !(0..sizes.len()).any(|state| small(state, sizes[state])) {
        return;
    }
    let (mut f, mut jac) = (vec![], vec![]);
    let before = sizes.to_vec();
    // On meshes the rounding of each step is that of the step alone.
    for s in orbit.segments.iter().filter(|s| !s.on_mesh()) {
        let mode = &orbit.system.modes[s.mode];
        let (n, u, duration) = (s.n, &z[s.offset..s.offset + s.n], z[s.offset + s.n]);
        f.resize(n, 0.0);
        jac.resize(n * n, 0.0);
        jacobian(&*mode.field, u, &orbit.parameters, &[], &mut f, &mut jac, &mut []);
        let rate = fastest_rate(&jac, n, duration);
        for (i, row) in jac.chunks_exact(n).enumerate() {
            let state = mode.states[i];
            let linear: f64 = row.iter().zip(u).map(|(a, u)| a * u).sum();
            let driven: f64 = row.iter().zip(&mode.states).map(|(a, &j)| a.abs() * before[j]).sum();
            let least = KNOWN * (driven + (f[i] - linear).abs()) / rate;
            if small(state, before[state]) && least.is_finite() {
                sizes[state] = sizes[state].max(least);
            }
        }
    }
}

/// A state that stays where it is all along, as that of a mass that sticks, may do so at zero, where its own size says
/// nothing: raise its size to a part of what would move another state by the size of that in the time of a radian.
fn raise_what_stays(orbit: &PeriodicOrbit<'_>, z: &[f64], sizes: &mut [f64]) {
    const PART: f64 = 0.1;
    if !orbit.system.is_hybrid() {
        return;
    }
    let (mut f, mut jac) = (vec![], vec![]);
    let mut moves = vec![false; orbit.system.states.len()];
    let starts = |s: &Segment| s.offset..s.offset + s.n;
    for s in &orbit.segments {
        let mode = &orbit.system.modes[s.mode];
        f.clear();
        f.resize(s.n, 0.0);
        mode.field.value(&z[starts(s)], &orbit.parameters, &mut f);
        let rates = mode.states.iter().zip(&f);
        rates.for_each(|(&state, f)| moves[state] |= *f != 0.0);
    }
    let mut reach = vec![f64::INFINITY; moves.len()];
    for s in &orbit.segments {
        let mode = &orbit.system.modes[s.mode];
        if mode.states.iter().all(|&state| moves[state]) {
            continue;
        }
        let n = s.n;
        f.resize(n, 0.0);
        jac.resize(n * n, 0.0);
        let x = &z[starts(s)];
        jacobian(
            &*mode.field,
            x,
            &orbit.parameters,
            &[],
            &mut f[..n],
            &mut jac[..n * n],
            &mut [],
        );
        let rate = fastest_rate(&jac[..n * n], n, z[s.offset + n]);
        for (i, row) in jac[..n * n].chunks_exact(n).enumerate() {
            let (own, straight) = (mode.states[i], is_straight(orbit.system, mode.states[i]));
            // What has no rate here may have one elsewhere.
            moves[own] |= row.iter().any(|a| *a != 0.0);
            for (a, &by) in row.iter().zip(&mode.states) {
                if straight && *a != 0.0 {
                    reach[by] = reach[by].min(rate * sizes[own] / a.abs());
                }
            }
        }
    }
    for (state, size) in sizes[..moves.len()].iter_mut().enumerate() {
        if !moves[state] && reach[state].is_finite() && is_straight(orbit.system, state) {
            *size = size.max(PART * reach[state]);
        }
    }
}

/// The fastest of the rates by which states drive themselves and each other, whatever their units; at least one over
/// the duration.
fn fastest_rate(jac: &[f64], n: usize, duration: f64) -> f64 {
    let both = |i: usize, j: usize| (jac[i * n + j] * jac[j * n + i]).abs().sqrt();
    (0..n * n)
        .map(|e| both(e / n, e % n))
        .fold(duration.abs().recip(), f64::max)
}

/// How far each state moves along the orbit, by its values at some places; one for angles and for states that are zero
/// there.
pub(super) fn extents(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> Vec<f64> {
    /// What moves by less than this part of its value may be told by the errors of that.
    const LEAST: f64 = 1e-5;
    let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); orbit.system.states.len()];
    for s in &orbit.segments {
        let states = &orbit.system.modes[s.mode].states;
        let mut take = |x: &[f64]| {
            for (v, &state) in x.iter().zip(states).filter(|(v, _)| v.is_finite()) {
                let (low, high) = &mut ranges[state];
                (*low, *high) = (low.min(*v), high.max(*v));
            }
        };
        take(&z[s.offset..s.offset + s.n]);
        if s.on_mesh() {
            z[s.block()].chunks_exact(s.n).for_each(take);
        } else {
            look_along(orbit, s, z, 1..=EIGHTHS - 1, &mut take);
        }
    }
    // A state of a smooth orbit that passes through zero keeps a part of the size that it had.
    let sizes = (!orbit.system.is_hybrid()).then(|| largest_states(orbit, z));
    let extent = |(state, (low, high)): (usize, (f64, f64))| {
        let value = low.abs().max(high.abs());
        let kept = sizes.as_ref().map_or(1.0, |sizes| (sizes[state] / value).max(1.0));
        let extent = kept * (high - low).max(LEAST * value);
        match radian(orbit.system, state) {
            Some(radian) => radian,
            None if value > 0.0 && extent.is_finite() => extent,
            None => 1.0,
        }
    };
    ranges.into_iter().enumerate().map(extent).collect()
}

/// The size of each unknown.
pub(super) fn fill_sizes(orbit: &PeriodicOrbit<'_>, z: &[f64], sizes: &mut [f64]) {
    /// Segments that last longer than this count by ratios.
    const LONG: f64 = 8.0;
    // States count relative to their size along the orbit, angles in radians, and durations in units of time in which
    // something turns by about one.
    let largest = largest_states(orbit, z);
    let unit = *orbit.unit_of_time.get_or_init(|| unit_of_time(orbit.system));
    for s in &orbit.segments {
        let states = &orbit.system.modes[s.mode].states;
        for (size, &state) in sizes[s.offset..].iter_mut().zip(states) {
            *size = largest[state];
        }
        // The period of a smooth orbit may be anything and grow without bound; that of a forcing counts in radians,
        // whatever the unit of time.
        sizes[s.offset + s.n] = match s.phase {
            Phase::Event => (z[s.offset + s.n].abs() / LONG).max(unit),
            Phase::Pin { .. } if !s.lasts => (orbit.period(z).abs() / TAU).max(f64::MIN_POSITIVE),
            _ => z[s.offset + s.n].abs().max(f64::MIN_POSITIVE),
        };
        let (head, block) = sizes.split_at_mut(s.block().start);
        let (own, block) = (&head[s.offset..], &mut block[..s.block().len()]);
        match s.n {
            2 => repeat(block, own, 2),
            3 => repeat(block, own, 3),
            n => repeat(block, own, n),
        }
    }
    // Parameters count by ratios, those that may pass zero only down to some size; the small parameter never does.
    let small = orbit.system.slow_fast.as_ref().map(|s| s.epsilon);
    let parameters = z.len() - orbit.free.len();
    let own = sizes[parameters..].iter_mut().zip(&z[parameters..]);
    for ((size, v), (&index, &least)) in own.zip(orbit.free.iter().zip(&orbit.least_parameters)) {
        let least = if small == Some(index) { f64::MIN_POSITIVE } else { least };
        *size = v.abs().max(least);
    }
}

/// Weights of the unknowns: squares of relative sizes; along a mesh their integral over scaled time.
pub(super) fn fill_weights(orbit: &PeriodicOrbit<'_>, z: &[f64], weights: &mut [f64]) {
    fill_sizes(orbit, z, weights);
    weights.iter_mut().for_each(|w| *w = 1.0 / (*w * *w));
    for s in &orbit.segments {
        let Some(profile) = s.profile() else { continue };
        // By the trapezoidal rule over the nodes: rows that leave out what is between are cheap to condense.
        let (mesh, count, stride) = (profile.mesh(), profile.intervals(), profile.stride());
        for (j, own) in weights[s.block()].chunks_exact_mut(stride).enumerate() {
            let width = mesh[(j + 2).min(count)] - mesh[j];
            let (stages, node) = own.split_at_mut(stride - s.n);
            stages.fill(0.0);
            node.iter_mut().for_each(|w| *w *= 0.5 * width);
        }
    }
}
