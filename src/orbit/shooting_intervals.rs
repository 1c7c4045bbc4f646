//! Shots of like length: multiple shooting of smooth autonomous orbits.
//!
//! Each shot starts on a plane across the flow, so along a curve the starts move along the orbit at rates of their own,
//! and some shot would shrink to nothing although nothing happens to the orbit. Where they have become uneven the orbit
//! is divided into shooting intervals of equal length again.

use super::PeriodicOrbit;
use slipstick_flow::Transition;
use slipstick_numerics::linalg::dot;

/// A shot shorter than this part of the mean is too short.
const SHORT: f64 = 0.5;

/// Tell a smooth orbit in shots of equal length where they have become uneven; the tangent follows. Returns true
/// when both were rewritten.
pub(super) fn even_intervals(orbit: &mut PeriodicOrbit<'_>, z: &mut [f64], tangent: &mut [f64]) -> bool {
    let count = orbit.segments.len();
    if count < 2 || orbit.meshed() || !orbit.is_free() || orbit.system.is_hybrid() || orbit.vectors > 0 {
        return false;
    }
    let durations: Vec<f64> = (0..count).map(|k| orbit.duration(z, k)).collect();
    let mean = durations.iter().sum::<f64>() / count as f64;
    if durations.iter().all(|d| *d >= SHORT * mean) {
        return false;
    }
    match evened(orbit, z, tangent, &durations, mean) {
        Some((new_z, new_tangent)) => {
            z.copy_from_slice(&new_z);
            tangent.copy_from_slice(&new_tangent);
            true
        }
        None => false,
    }
}

fn evened(
    orbit: &mut PeriodicOrbit<'_>,
    z: &[f64],
    tangent: &[f64],
    durations: &[f64],
    mean: f64,
) -> Option<(Vec<f64>, Vec<f64>)> {
    let count = durations.len();
    orbit.take_parameters(z);
    let rates = &tangent[tangent.len() - orbit.free.len()..];
    let (mut new_z, mut new_tangent) = (z.to_vec(), tangent.to_vec());
    // When each new start is reached, and how fast that changes along the curve.
    let mut shifts = vec![0.0];
    let (mut k, mut begin, mut delay) = (0, 0.0, 0.0);
    for j in 1..count {
        let at = j as f64 * mean;
        while k + 1 < count && begin + durations[k] < at {
            begin += durations[k];
            delay += tangent[orbit.segments[k].offset + orbit.segments[k].n];
            k += 1;
        }
        let s = &orbit.segments[k];
        let (n, mut moved) = (s.n, Transition::default());
        let u = &z[s.offset..s.offset + n];
        s.flow
            .linearise(u, at - begin, &orbit.parameters, &orbit.free, &mut moved)
            .ok()?;
        let du = &tangent[s.offset..s.offset + n];
        let mut dx: Vec<f64> = moved.dx.chunks_exact(n).map(|row| dot(row, du)).collect();
        for (dx, row) in dx.iter_mut().zip(moved.dp.chunks_exact(rates.len())) {
            *dx += dot(row, rates);
        }
        // It stays on the plane across the flow by being reached at another time.
        let own = -dot(&moved.f, &dx) / dot(&moved.f, &moved.f);
        dx.iter_mut().zip(&moved.f).for_each(|(dx, f)| *dx += own * f);
        let to = orbit.segments[j].offset;
        new_z[to..to + n].copy_from_slice(&moved.x);
        new_tangent[to..to + n].copy_from_slice(&dx);
        shifts.push(delay + own);
    }
    let whole: f64 = orbit.segments.iter().map(|s| tangent[s.offset + s.n]).sum();
    shifts.push(whole);
    for (s, pair) in orbit.segments.iter().zip(shifts.windows(2)) {
        new_z[s.offset + s.n] = mean;
        new_tangent[s.offset + s.n] = pair[1] - pair[0];
    }
    let finite = |v: &Vec<f64>| v.iter().all(|v| v.is_finite());
    (finite(&new_z) && finite(&new_tangent)).then_some((new_z, new_tangent))
}
