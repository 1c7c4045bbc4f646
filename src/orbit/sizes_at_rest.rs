//! How large states are that count beside rest at zero, where zero is an orbit of a forced system, and beside angles.
//!
//! Motions come to rest there to any number of digits, so that their own sizes say nothing. The distances over which
//! the equations change, and those of surfaces, decide what is rounding.

use super::PeriodicOrbit;
use super::angles::phase;
use super::derivatives::derivatives;
use slipstick_system::{Mode, jacobian};

/// A system that may rest at zero has orbits that are born there: smaller than this part of what its field says, sizes
/// say nothing.
const PART_AT_REST: f64 = 0.05;
/// The field is looked at so often in a period.
const TIMES: usize = 8;
/// Sizes are tried in powers of two, from one up and down.
const POWERS: i32 = 60;
/// Linear to this part.
const PART: f64 = 0.1;

/// Of a field that vanishes at zero at all times: how far from zero it is linear in each state, or nearer to zero a
/// guard, of which a part counts. States in which it is linear throughout count by what the others make of them. Where
/// it is linear in all of them no other orbit is near, and one is as good a size as any.
pub(super) fn sizes_by_field(orbit: &PeriodicOrbit<'_>) -> Option<Vec<f64>> {
    let segment = orbit.segments.first()?;
    let mode = &orbit.system.modes[segment.mode];
    // Eigenvectors beside an orbit are linear in themselves and in the states: they say nothing about where it rests.
    let (all, p) = (segment.n, orbit.system.default_parameters());
    let n = all / (1 + orbit.vectors);
    let period = |k: usize| orbit.system.states[mode.states[k]].period;
    let straight: Vec<usize> = (0..n).filter(|&k| period(k).is_none()).collect();
    let (mut f, mut dx, mut y) = (vec![0.0; all], vec![0.0; all * all], vec![0.0; all]);
    let mut drives = vec![0.0f64; n * n];
    let mut reach = vec![f64::INFINITY; n];
    let mut is_linear_in_all = true;
    // The time of a radian.
    let mut radian = 0.0f64;
    let places: Vec<Vec<f64>> = (0..TIMES)
        .map(|time| time as f64 / TIMES as f64)
        .map(|turn| {
            (0..all)
                .map(|k| period(k).map_or(0.0, |period| turn * period))
                .collect()
        })
        .collect();
    for x in &places {
        jacobian(&*mode.field, x, &p, &[], &mut f, &mut dx, &mut []);
        if straight.iter().any(|&k| f[k] != 0.0) {
            return None;
        }
        let lap = (0..n).filter_map(|k| Some(period(k)? / f[k].abs()));
        radian = lap.fold(radian, |longest, lap| longest.max(lap / std::f64::consts::TAU));
        for (own, row) in drives.chunks_exact_mut(n).zip(dx.chunks_exact(all)) {
            own.iter_mut().zip(row).for_each(|(d, v)| *d = d.max(v.abs()));
        }
        let mut is_linear = |moved: &[usize], size: f64| {
            [-size, size].into_iter().all(|step| {
                let mut at = x.clone();
                moved.iter().for_each(|&k| at[k] += step);
                mode.field.value(&at, &p, &mut y);
                let (mut off, mut whole) = (0.0f64, 0.0f64);
                for (i, row) in dx.chunks_exact(all).enumerate().take(n) {
                    let change = step * moved.iter().map(|&k| row[k]).sum::<f64>();
                    off += (y[i] - f[i] - change).powi(2);
                    whole += change.powi(2);
                }
                // Where the field does not depend on the state at all both are zero.
                off.sqrt() <= PART * whole.sqrt()
            })
        };
        for &k in &straight {
            let power = (-POWERS..=POWERS)
                .rev()
                .find(|&power| is_linear(&[k], 2f64.powi(power)));
            let size = match power {
                Some(POWERS) => f64::INFINITY,
                Some(power) => 2f64.powi(power),
                None => 1.0,
            };
            reach[k] = reach[k].min(size);
        }
        is_linear_in_all &= is_linear(&straight, 2f64.powi(POWERS));
    }
    for (reach, distance) in reach.iter_mut().zip(distances(mode, &places, &p)) {
        *reach = reach.min(distance);
    }
    if !radian.is_finite() {
        return None;
    }
    if straight.iter().all(|&k| reach[k].is_infinite()) {
        if !is_linear_in_all || !rests_at_other_parameters(mode, (&places, &straight), &p) {
            return None;
        }
        straight.iter().for_each(|&k| reach[k] = 1.0);
    }
    let least = straight.iter().map(|&k| reach[k]).fold(f64::INFINITY, f64::min);
    let driven = |k: usize| {
        let by = straight.iter().filter(|&&j| reach[j].is_finite());
        let most = by.map(|&j| drives[k * n + j] * reach[j]).fold(0.0, f64::max);
        if most > 0.0 { radian * most } else { least }
    };
    let mut sizes = vec![0.0; orbit.system.states.len()];
    for &k in &straight {
        let own = if reach[k].is_finite() { reach[k] } else { driven(k) };
        sizes[mode.states[k]] = PART_AT_REST * own;
    }
    Some(sizes)
}

/// Of a mode with an angle beside the phase of the forcing: a part of what the other states become when it moves by
/// one. However small they are along an orbit, as those of a pendulum that hardly swings, equations change over that.
/// `None` where there is no such angle.
pub(super) fn sizes_by_angles(orbit: &PeriodicOrbit<'_>) -> Option<Vec<f64>> {
    let segment = orbit.segments.first()?;
    let mode = &orbit.system.modes[segment.mode];
    let (n, p) = (segment.n, orbit.system.default_parameters());
    let period = |k: usize| orbit.system.states[mode.states[k]].period;
    let clock = phase(orbit.system, mode)?;
    let swings = |k: usize| k != clock && period(k).is_some();
    if !(0..n).any(swings) {
        return None;
    }
    let (mut f, mut dx) = (vec![0.0; n], vec![0.0; n * n]);
    let mut largest = vec![0.0f64; n * n];
    let mut rate = 0.0f64;
    for time in 0..TIMES {
        let turn = |k: usize| period(k).map_or(0.0, |period| period * time as f64 / TIMES as f64);
        let x: Vec<f64> = (0..n).map(turn).collect();
        jacobian(&*mode.field, &x, &p, &[], &mut f, &mut dx, &mut []);
        rate = rate.max(std::f64::consts::TAU * f[clock].abs() / period(clock)?);
        largest
            .iter_mut()
            .zip(&dx)
            .for_each(|(most, v)| *most = most.max(v.abs()));
    }
    // The fastest of the rates by which states drive each other, whatever their units.
    for (i, j) in (0..n * n).map(|e| (e / n, e % n)) {
        rate = rate.max((largest[i * n + j] * largest[j * n + i]).sqrt());
    }
    let mut reached: Vec<f64> = (0..n).map(|k| if swings(k) { 1.0 } else { 0.0 }).collect();
    // Each round reaches those that are driven by what the round before has reached.
    for _ in 0..n {
        for k in (0..n)
            .filter(|&k| period(k).is_none() && reached[k] == 0.0)
            .collect::<Vec<_>>()
        {
            let driven = (0..n).map(|j| largest[k * n + j] * reached[j]).fold(0.0, f64::max) / rate;
            reached[k] = if driven.is_finite() { driven } else { 0.0 };
        }
    }
    let mut sizes = vec![0.0; orbit.system.states.len()];
    for k in (0..n).filter(|&k| period(k).is_none()) {
        sizes[mode.states[k]] = PART_AT_REST * reached[k];
    }
    Some(sizes)
}

/// How far from zero, along each state, the guards of a mode are, the nearest of them where it is farthest in a period.
fn distances(mode: &Mode, places: &[Vec<f64>], p: &[f64]) -> Vec<f64> {
    let n = mode.states.len();
    let mut nearest = vec![f64::INFINITY; n];
    let guards = mode.events.iter().map(|event| &event.guard);
    for guard in guards.chain(mode.inequalities.iter().map(|inequality| &inequality.function)) {
        let mut farthest = vec![0.0f64; n];
        for x in places {
            let (value, dx, _) = derivatives(guard.as_ref(), x, p, &[]);
            for (farthest, slope) in farthest.iter_mut().zip(&dx) {
                let distance = (value / slope).abs();
                if distance.is_finite() {
                    *farthest = farthest.max(distance);
                }
            }
        }
        // A guard that does not depend on a state, or is zero at rest at all times, tells nothing.
        for (nearest, farthest) in nearest.iter_mut().zip(farthest) {
            if farthest > 0.0 {
                *nearest = nearest.min(farthest);
            }
        }
    }
    nearest
}

/// Does the field vanish at zero whatever the parameters? A force may be zero at their defaults only.
fn rests_at_other_parameters(mode: &Mode, (places, straight): (&[Vec<f64>], &[usize]), p: &[f64]) -> bool {
    let others: Vec<f64> = p.iter().map(|v| 1.37 * v + 0.41).collect();
    let mut f = vec![0.0; mode.states.len()];
    places.iter().all(|x| {
        mode.field.value(x, &others, &mut f);
        straight.iter().all(|&k| f[k] == 0.0)
    })
}
