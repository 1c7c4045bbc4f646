//! Does a motion that does not repeat itself come back? What attracts is visited again and again, in all its parts; a
//! motion that still grows or declines does not come back to where it was.

use crate::compute::diagram::points::apart;
use slipstick_flow::SectionPoint;
use slipstick_system::System;

/// What is said of such a motion.
pub(crate) const NOT_BACK: &str =
    "the motion does not come back to where these points are: it still grows or declines, or its transient is long";

/// Do `later` points of a motion come near the earlier ones, as near as so many of both would by chance? They lie as
/// densely at least as if they were spread evenly.
pub(crate) fn comes_back(system: &System, earlier: &[SectionPoint], later: &[SectionPoint]) -> bool {
    /// So many pairs would be near.
    const PAIRS: f64 = 36.0;
    /// No part of the whole is nearer than this.
    const NEAREST: f64 = 1e-3;
    let extent = |i: usize| {
        let own = earlier.iter().map(|p| p.states[i]).filter(|v| v.is_finite());
        let (lo, hi) = own.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
        match system.states[i].period {
            Some(period) => period,
            None if lo < hi => hi - lo,
            None => f64::INFINITY,
        }
    };
    let extents: Vec<f64> = (0..system.states.len()).map(extent).collect();
    // A state that stays where it is, to rounding, tells nothing.
    let moving = extents.iter().filter(|e| e.is_finite()).count().max(1);
    let pairs = (earlier.len() * later.len()) as f64;
    let near = (0.5 * (PAIRS / pairs).powf(1.0 / moving as f64)).max(NEAREST);
    later.iter().any(|b| {
        let mut own = earlier.iter().filter(|a| a.mode == b.mode);
        own.any(|a| apart(system, &a.states, &b.states, &extents) <= near)
    })
}
