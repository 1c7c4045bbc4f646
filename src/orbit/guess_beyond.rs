//! The boundary orbit as unknowns of a neighbouring word, where a curve goes on in that.

use super::PeriodicOrbit;
use super::dense_output::DenseOutput;
use super::neighbour::Neighbour;
use super::phase_condition::Phase;
use crate::adopt;
use slipstick_continuation::{Failure, Point, Problem};

/// Unknowns of this problem, that of a neighbouring word, at the boundary orbit `at` of the `old` problem: along
/// the course of that orbit, since where solutions part fast trajectories would not find it again.
///
/// # Errors
/// [`Failure`] when a flow cannot be evaluated.
pub fn guess_beyond(
    orbit: &mut PeriodicOrbit<'_>,
    old: &mut PeriodicOrbit<'_>,
    at: &Point,
    beyond: &Neighbour,
) -> Result<Vec<f64>, Failure> {
    let mut starts = beyond.starts.clone();
    let unknown = |k: usize| beyond.along[k].is_none() && beyond.durations[k] > 0.0 && orbit.segments[k].on_mesh();
    if !orbit.meshed() || (0..starts.len()).any(unknown) {
        adopt::unwrap_angles(orbit, &mut starts, &beyond.durations)?;
        return orbit.guess(&starts, &beyond.durations);
    }
    keep_jumps(orbit);
    old.restore(&at.meshes);
    let (z, p, count) = (&at.z, old.parameters_at(&at.z), old.segments.len());
    let segments = old.segments.iter();
    let dense_outputs = segments
        .map(|s| DenseOutput::new(old.system, s, z, &p))
        .collect::<Result<Vec<_>, _>>()?;
    let angle = |mode: usize, i: usize| old.system.states[old.system.modes[mode].states[i]].period;
    // Each angle brought next to where it was.
    let unwrap = |mode: usize, x: &mut [f64], near: &[f64]| {
        for (i, (x, near)) in x.iter_mut().zip(near).enumerate() {
            if let Some(period) = angle(mode, i) {
                *x += ((near - *x) / period).round() * period;
            }
        }
    };
    // The states of a segment of the old orbit, so long after its start, as a mode has them that may have others.
    let modes: Vec<usize> = orbit.segments.iter().map(|s| s.mode).collect();
    let as_in = |segment: usize, x: &[f64], mode: usize, out: &mut [f64]| {
        let own = old.segments[segment].mode;
        let wanted = &old.system.modes[mode].states;
        if old.system.modes[own].states == *wanted {
            return out.copy_from_slice(x);
        }
        let full = old.system.full_state(own, x, &p);
        out.iter_mut().zip(wanted).for_each(|(out, &state)| *out = full[state]);
    };
    let states_of = |segment: usize, t: f64| {
        let mut x = vec![0.0; old.segments[segment].n];
        dense_outputs[segment].eval(t, &mut x);
        x
    };
    // The same, as the end of the segment before the first one has them: across the seam of the word.
    let beyond_seam = |last: usize, x: Vec<f64>| {
        if x.len() != old.segments[last].n {
            return x;
        }
        let mut turned = x.clone();
        old.segments[last].junction.clone().apply(&x, &p, &mut turned);
        turned
    };
    let known = |k: usize, t: f64, out: &mut [f64]| {
        let Some((first, offset)) = beyond.along[k] else {
            out.copy_from_slice(&starts[k]);
            return;
        };
        let length = old.duration(z, first);
        if offset + t <= length {
            as_in(first, &states_of(first, offset + t), modes[k], out);
            return;
        }
        // On in the next segment, or in the next lap.
        let next = (first + 1) % count;
        let on = |t: f64| {
            let x = states_of(next, t);
            if next <= first { beyond_seam(first, x) } else { x }
        };
        as_in(
            next,
            &on((offset + t - length).min(old.duration(z, next))),
            modes[k],
            out,
        );
        let (mut end, mut begin) = (vec![0.0; out.len()], vec![0.0; out.len()]);
        as_in(first, &states_of(first, length), modes[k], &mut end);
        as_in(next, &on(0.0), modes[k], &mut begin);
        let mut unwrapped = begin.clone();
        unwrap(modes[k], &mut unwrapped, &end);
        for ((x, unwrapped), begin) in out.iter_mut().zip(&unwrapped).zip(&begin) {
            *x += unwrapped - begin;
        }
    };
    // What brings the angles of each segment next to where the one before it ends.
    let mut shifts: Vec<Vec<f64>> = starts.iter().map(|s| vec![0.0; s.len()]).collect();
    let mut unwrapped = starts.clone();
    for k in 0..starts.len() {
        known(k, 0.0, &mut unwrapped[k]);
        if k == 0 {
            continue;
        }
        let mut end = vec![0.0; unwrapped[k - 1].len()];
        known(k - 1, beyond.durations[k - 1], &mut end);
        end.iter_mut().zip(&shifts[k - 1]).for_each(|(x, shift)| *x += shift);
        let mut entered = vec![0.0; unwrapped[k].len()];
        orbit.enter(k, &end, &mut entered);
        let plain = unwrapped[k].clone();
        unwrap(orbit.segments[k].mode, &mut unwrapped[k], &entered);
        shifts[k] = unwrapped[k]
            .iter()
            .zip(&plain)
            .map(|(unwrapped, plain)| unwrapped - plain)
            .collect();
    }
    orbit.guess_along(&unwrapped, &beyond.durations, &|k, t, out| {
        known(k, t, out);
        out.iter_mut().zip(&shifts[k]).for_each(|(x, shift)| *x += shift);
    })
}

/// Tell a forced orbit of a slow–fast system that is one segment on a mesh at the phase of its jumps, of which the
/// guess must have all: they happen at phases of the forcing that change from orbit to orbit by more than they last.
fn keep_jumps(orbit: &mut PeriodicOrbit<'_>) {
    if let [s] = &mut orbit.segments[..]
        && orbit.system.slow_fast.is_some()
        && s.on_mesh()
        && matches!(s.phase, Phase::Pin { .. })
    {
        s.phase = Phase::Integral {
            reference: vec![],
            row: vec![],
        };
    }
}
