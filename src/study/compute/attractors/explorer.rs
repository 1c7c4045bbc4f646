//! What a motion from one start comes to, and whether another start came to the same.

use crate::compute::attractors::census::{Census, Entry};
use crate::compute::attractors::initial::initial;
use crate::plan::attractors::AttractorsPlan;
use crate::results::attractors::Attractor;
use slipstick_system::System;
use std::sync::atomic::{AtomicBool, Ordering};

/// Motions of one kind of system at fixed parameters. `Key` is what tells orbits apart.
pub(crate) trait Explorer {
    type Key;

    /// The attractor that the motion from the states `x` of a mode comes to, entered into the census.
    fn follow(&self, mode: usize, x: &[f64], census: &mut Census<Self::Key>) -> Entry;

    /// What tells an orbit that was found elsewhere from others; none of what is no orbit.
    fn key(&self, attractor: &Attractor) -> Option<Self::Key>;

    /// Are these one orbit?
    fn same(&self, a: &Self::Key, b: &Self::Key) -> bool;

    /// A census of nothing.
    fn census(&self) -> Census<Self::Key>;
}

/// Everything that random starts come to, orbits first, in the order in which they came there. `k` tells this value of
/// the parameter from others.
pub(crate) fn all_of<E: Explorer>(
    explorer: &E,
    system: &System,
    sweep: &AttractorsPlan,
    (k, region, p): (usize, &[(f64, f64)], &[f64]),
    stop: &AtomicBool,
) -> Vec<Attractor> {
    let mut census = explorer.census();
    for i in 0..sweep.starts {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        if let Some((mode, x)) = initial(system, sweep, region, p, (k, i)) {
            explorer.follow(mode, &x, &mut census);
        }
    }
    census.finish()
}
