//! Two events at once: a segment meets the surface of another event just where it ends, at an angle.
//!
//! A motion that ends its segment on the surface g₁ at an edge passes the surface g₂ there as well. One nearby that is
//! a little later on g₁ has passed g₂ by y = |dg₂/dt| Δ, a time Δ before. It spends a time Δ' = r Δ in the mode beyond
//! g₂, with r = (dg₁/dt)/(dg₁/dt beyond), until it comes to g₁ from there. With the resets R₁ and, through that mode,
//! R₃ ∘ R₂, and the fields f, f₂ and, behind g₁, f₁, this shifts its state by
//!
//! (R₃' f₂ r - R₁' f - f₁ (r - 1)) y / |dg₂/dt|
//!
//! to first order, and not at all where it does not pass g₂: the discontinuity map is piecewise linear.
//!
//! Reference: M. di Bernardo, C. J. Budd, A. R. Champneys, P. Kowalczyk, *Piecewise-smooth Dynamical Systems*, Springer
//! (2008), ch. 6.

use crate::derivatives::derivatives;
use slipstick_flow::Junction;
use slipstick_numerics::linalg::dot;
use slipstick_system::System;

/// Differences up to this, relative to what they are differences of, are zero.
const ZERO: f64 = 1e-6;

/// How motions that pass the surface go on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Passing {
    /// They come to the first surface at once, shifted by this vector times y.
    Linear(Vec<f64>),
    /// They stay in the mode beyond, or are elsewhere.
    Jump,
    /// They end elsewhere on the first surface, or by another event.
    Unknown,
}

/// The rate at which a motion in `mode` at `x` meets the surface of its event `e`, relative to what states of these
/// `sizes` make of the surface within the time `t`: positive where it meets it in the direction of the event.
pub(crate) fn relative_rate(
    system: &System,
    (mode, x): (usize, &[f64]),
    e: usize,
    p: &[f64],
    (sizes, t): (&[f64], f64),
) -> f64 {
    let event = &system.modes[mode].events[e];
    let (_, slopes, _) = derivatives(event.guard.as_ref(), x, p, &[]);
    let terms: f64 = slopes.iter().zip(sizes).map(|(slope, size)| (slope * size).abs()).sum();
    event.direction.sign() * dot(&slopes, &rates(system, (mode, x), p)) * t / terms.max(f64::MIN_POSITIVE)
}

/// What becomes of motions near the one that comes to `x` in `mode`, where its event `ends` it and it meets the surface
/// of the event `met`; the states behind it have these `sizes`.
pub(crate) fn passing(
    system: &System,
    (mode, x): (usize, &[f64]),
    (ends, met): (usize, usize),
    p: &[f64],
    sizes: &[f64],
) -> Passing {
    let own = &system.modes[mode].events;
    let (behind, beyond) = (own[ends].target, own[met].target);
    let (end, by_end) = reset(system, (mode, x), ends, p);
    let (start, by_start) = reset(system, (mode, x), met, p);
    let (field, field_beyond) = (rates(system, (mode, x), p), rates(system, (beyond, &start), p));
    let field_behind = rates(system, (behind, &end), p);
    let guard = |mode: usize, e: usize, x: &[f64]| {
        let event = &system.modes[mode].events[e];
        let sign = event.direction.sign();
        let (value, slopes, _) = derivatives(event.guard.as_ref(), x, p, &[]);
        (value, slopes.iter().map(|slope| sign * slope).collect::<Vec<f64>>())
    };
    let slopes = guard(mode, ends, x).1;
    let surface = guard(mode, met, x).1;
    let (rate, passes) = (dot(&slopes, &field), dot(&surface, &field));
    // The event that ends the stay beyond, and how steep its guard is beside that of the first one along the surface
    // that is met, on which the stay begins.
    let along = |v: &[f64]| -> Vec<f64> {
        let part = dot(v, &surface) / dot(&surface, &surface);
        v.iter().zip(&surface).map(|(v, s)| v - part * s).collect()
    };
    let n = x.len();
    let comes = system.modes[beyond].events.iter().enumerate().find_map(|(e, event)| {
        let (value, there) = guard(beyond, e, &start);
        let terms: f64 = there.iter().zip(&start).map(|(slope, x)| (slope * x).abs()).sum();
        if event.target != behind || value.abs() > ZERO * terms.max(f64::MIN_POSITIVE) {
            return None;
        }
        let pulled: Vec<f64> = (0..n)
            .map(|j| (0..there.len()).map(|i| there[i] * by_start[i * n + j]).sum())
            .collect();
        let (off, whole) = (along(&pulled), along(&slopes));
        let steepness = dot(&off, &whole) / dot(&whole, &whole);
        let apart: f64 = off.iter().zip(&whole).map(|(a, b)| (a - steepness * b).abs()).sum();
        let size: f64 = off.iter().map(|v| v.abs()).sum();
        Some((e, there, (apart <= ZERO * size && steepness > 0.0).then_some(steepness)))
    });
    let Some((e, there, steepness)) = comes else {
        return Passing::Jump;
    };
    let Some(steepness) = steepness else {
        return Passing::Unknown;
    };
    let comes_at = dot(&there, &field_beyond);
    let (arrives, by_arrival) = reset(system, (beyond, &start), e, p);
    let mut places = arrives.iter().zip(&end).zip(sizes);
    let apart = places.any(|((a, b), size)| (a - b).abs() > ZERO * size);
    if !(comes_at > 0.0) || !(rate > 0.0) || !(passes > 0.0) || apart {
        return Passing::Jump;
    }
    let longer = steepness * rate / comes_at;
    let product =
        |matrix: &[f64], v: &[f64]| -> Vec<f64> { matrix.chunks_exact(v.len()).map(|row| dot(row, v)).collect() };
    let (through, straight) = (product(&by_arrival, &field_beyond), product(&by_end, &field));
    let shift = (0..end.len()).map(|i| through[i] * longer - straight[i] - field_behind[i] * (longer - 1.0));
    Passing::Linear(shift.map(|v| v / passes).collect())
}

/// The field of a mode.
fn rates(system: &System, (mode, x): (usize, &[f64]), p: &[f64]) -> Vec<f64> {
    let mut rates = vec![0.0; x.len()];
    system.modes[mode].field.value(x, p, &mut rates);
    rates
}

/// The state behind event `e` of a mode, with its derivatives by the state before.
fn reset(system: &System, (mode, x): (usize, &[f64]), e: usize, p: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mut junction = Junction::new(system, mode, Some(e), false);
    let (mut next, mut by) = (vec![0.0; junction.outputs()], vec![0.0; junction.outputs() * x.len()]);
    junction.linearise(x, p, &[], &mut next, &mut by, &mut []);
    (next, by)
}
