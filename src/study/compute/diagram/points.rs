//! Points of a motion: what counts as the same, and after how many of them the motion repeats itself.

use slipstick_flow::SectionPoint;
use slipstick_system::System;

/// Points that agree to this, relative to how far states move, are one point.
pub(crate) const SAME: f64 = 1e-6;

/// What is left of a transient is smaller than this at last, over one round and over parts of it.
const REMAINS: f64 = 1e2 * SAME;
pub(crate) const OF_PARTS: f64 = 1e2 * REMAINS;

/// What counts as the same in each state: relative to how far it moves, to where it is, and to where motions are.
pub(crate) fn scales(system: &System, region: &[(f64, f64)], points: &[SectionPoint]) -> Vec<f64> {
    /// Parts of where a state is, and of where motions are, that count beside how far it moves.
    const PLACE: f64 = 1e-3;
    let of = |i: usize| {
        let own = points.iter().map(|p| p.states[i]).filter(|v| v.is_finite());
        let (lo, hi) = own.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
        let (spread, place) = if lo <= hi {
            (hi - lo, lo.abs().max(hi.abs()))
        } else {
            (0.0, 0.0)
        };
        match system.states[i].period {
            Some(period) => period,
            None => spread.max(PLACE * place).max(PLACE * (region[i].1 - region[i].0)),
        }
    };
    (0..system.states.len()).map(of).collect()
}

/// The largest difference of two states of a system, each in its scale; angles within a turn.
pub(crate) fn apart(system: &System, a: &[f64], b: &[f64], scales: &[f64]) -> f64 {
    let states = a.iter().zip(b).zip(&system.states).zip(scales);
    let off = states.map(|(((a, b), state), scale)| {
        let mut d = a - b;
        if let Some(period) = state.period {
            d -= (d / period).round() * period;
        }
        // A state that a mode does not have is no number there.
        if d.is_nan() { 0.0 } else { d.abs() / scale }
    });
    off.fold(0.0, f64::max)
}

/// After how many points a motion repeats itself, if it does so at least once within them. One that is still on its way
/// there, by ever smaller steps, counts: the remains of its transient turn about a fixed point as an orbit would.
pub(crate) fn period(system: &System, points: &[SectionPoint], scales: &[f64]) -> Option<usize> {
    let apart = |a: &SectionPoint, b: &SectionPoint| {
        let off = apart(system, &a.states, &b.states, scales);
        if a.mode == b.mode { off } else { f64::INFINITY }
    };
    /// What is left of a transient falls so far from one quarter of the points to the next.
    const FALL: f64 = 0.95;
    /// Fewer points show no decay.
    const FEW: usize = 8;
    let off = |k: usize| -> Vec<f64> { points.iter().zip(&points[k..]).map(|(a, b)| apart(a, b)).collect() };
    let largest = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
    let falls_below = |off: &[f64], bound: f64| {
        let quarter = off.len() / 4;
        let (before, last) = (off.len() - 2 * quarter, off.len() - quarter);
        off.len() >= FEW && largest(&off[last..]) <= bound.min(FALL * largest(&off[before..last]))
    };
    let repeats = |k: &usize| {
        let off = off(*k);
        largest(&off) <= SAME || falls_below(&off, REMAINS)
    };
    let round = (1..=points.len() / 2).find(repeats)?;
    // Remains that turn come nearer to themselves by chance after some points.
    Some((1..round).find(|&k| falls_below(&off(k), OF_PARTS)).unwrap_or(round))
}
