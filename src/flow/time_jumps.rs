//! Jumps with time that set off events: when they are, and the states on either side of them.

use super::clock::Clock;
use slipstick_system::{SharedFunction, System};
use std::sync::Arc;

/// A jump that a motion begins or ends on is so near to its end, as part of its duration, while it is corrected.
pub(super) const NEAR: f64 = 1e-3;

/// What jumps with time in a mode: its field, and the guards of its events.
#[doc(hidden)]
#[derive(Clone)]
pub struct TimeJumps {
    clock: Arc<Clock>,
}

/// A jump with time.
#[doc(hidden)]
#[derive(Clone)]
pub struct TimeJump {
    /// A scalar of the states of the mode that vanishes there.
    pub surface: SharedFunction,
    /// So long after the state that it was looked for at; negative before it.
    pub after: f64,
}

impl TimeJumps {
    /// Those of a mode, if it has any.
    pub fn of(system: &System, mode: usize) -> Option<Self> {
        Clock::of(system, mode, true).map(|clock| Self { clock: Arc::new(clock) })
    }

    /// The jump nearest to a state, at most so long before or after it.
    pub fn nearest(&self, x: &[f64], p: &[f64], within: f64) -> Option<TimeJump> {
        let mut ahead = self.clock.ahead(&self.clock.moved(x, -within, p), 2.0 * within, p);
        let aside = ahead.aside();
        let (mut passed, mut nearest): (f64, Option<TimeJump>) = (-within, None);
        while let Some(jump) = ahead.next() {
            let after = passed + jump.before + aside;
            if nearest.as_ref().is_none_or(|known| after.abs() < known.after.abs()) {
                let surface = self.clock.surface(&jump).clone();
                nearest = Some(TimeJump { surface, after });
            }
            passed += jump.before + jump.over;
        }
        nearest
    }

    /// The state with its clocks moved to just before the jump that lies so long after it, and to just behind it.
    pub fn sides(&self, x: &[f64], p: &[f64], after: f64) -> [Vec<f64>; 2] {
        let aside = 2.0 * self.clock.ahead(x, 0.0, p).aside();
        [-aside, aside].map(|by| self.clock.moved(x, after + by, p))
    }

    /// The stretches of time from a state on between which there are jumps, one of which may lie on either end.
    pub(super) fn stretches(&self, x: &[f64], time: f64, p: &[f64], (begins, ends): (bool, bool)) -> Vec<(f64, f64)> {
        let mut ahead = self.clock.ahead(x, time, p);
        let mut from = if begins { ahead.leave_start(0.0) } else { 0.0 };
        if ends {
            ahead.reach_beyond_end();
        }
        let mut found = vec![];
        while let Some(jump) = ahead.next() {
            found.push((from, from + jump.before));
            from += jump.before + jump.over;
            // A motion that lasts slightly too long still ends on the jump.
            if ends && time - from <= NEAR * time && ahead.was_last() {
                return found;
            }
        }
        if from < time {
            found.push((from, time));
        }
        found
    }
}
