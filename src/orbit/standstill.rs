//! Segments that vanish together since a state moves in them alone, as a block that ceases to slip for good: beyond, it
//! stands still along the whole orbit, wherever it is.

use crate::constant_states::moves_in;
use crate::periodic::PeriodicOrbit;
use slipstick_continuation::{Point, Problem};

/// What stands still beyond a boundary.
#[doc(hidden)]
pub struct Standstill {
    /// The states of the system that do.
    pub states: Vec<usize>,
    /// The segments in which they moved, in the order of the word.
    pub segments: Vec<usize>,
}

/// Do all segments in which a state moves vanish at this point? No event changes that state, so that it returns to any
/// value without them.
#[doc(hidden)]
pub fn standstill(orbit: &mut PeriodicOrbit<'_>, point: &Point) -> Option<Standstill> {
    /// What moves less, as part of its size, has not moved. Segments are known less well: as slip begins without speed
    /// and ends without it, a block moves by the fourth power of how long it slips.
    const MOVES: f64 = 1e-12;
    const SHORT: f64 = 1e-2;
    /// In segments that last no longer, as part of the period, nothing moves: ends that were extrapolated have such.
    const INSTANT: f64 = 1e-7;
    if orbit.word.symmetric || orbit.vectors > 0 {
        return None;
    }
    orbit.restore(&point.meshes);
    orbit.take_parameters(&point.z);
    let (z, count) = (&point.z, orbit.segments.len());
    let (lap, sizes) = (orbit.lap(z), orbit.sizes_at(z));
    let mode = |k: usize| &orbit.system.modes[orbit.word.letters[k % count].mode];
    // Does a state come anywhere within a segment?
    let moved = |k: usize, state: usize| {
        let place = |k: usize| mode(k).states.iter().position(|&s| s == state);
        let (own, next) = place(k).zip(place(k + 1))?;
        let (from, to) = (orbit.start(z, k)[own], orbit.start(z, (k + 1) % count)[next]);
        let size = sizes[orbit.segments[k].offset + own].max(from.abs());
        Some((to - from).abs() > MOVES * size)
    };
    let mut found = Standstill {
        states: vec![],
        segments: vec![],
    };
    for &state in &mode(0).states {
        let Some(moves) = moves_in(orbit.system, &orbit.word, state, &orbit.parameters) else {
            continue;
        };
        let vanishes = |k: &usize| {
            let lasts = orbit.duration(z, *k).abs();
            lasts <= INSTANT * lap || lasts <= SHORT * lap && moved(*k, state) == Some(false)
        };
        // It comes back from where it moves: a single segment has no displacement in any case.
        if moves.len() > 1 && moves.len() < count && moves.iter().all(vanishes) {
            found.states.push(state);
            found.segments.extend(moves);
        }
    }
    found.segments.sort_unstable();
    found.segments.dedup();
    (!found.states.is_empty()).then_some(found)
}
