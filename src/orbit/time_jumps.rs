//! Events that a jump with time sets off: sticking that ends where the force or the belt jumps.
//!
//! The guard of such an event jumps over zero and says nothing of when: the segment ends where the clock is, on the
//! surface at which the driver jumps. States do not jump with it. The segment is before the jump all along, the next
//! one behind it, and what a perturbation does there is what it does at any event, with the clock for a guard.

use crate::clearance::Clearance;
use crate::periodic::PeriodicOrbit;
use crate::segment_end::end_state;
use slipstick_continuation::Failure;
use slipstick_flow::{TimeJump, TimeJumps};
use std::sync::Arc;

/// A jump this near to the end of a segment, as part of the lap, may be what ends it.
const NEAR: f64 = 1e-7;
/// A guard this near to zero before a jump has been crossed there.
const CROSSED: f64 = 1e-10;

impl PeriodicOrbit<'_> {
    /// Find the segments of the orbit near `z` that a jump with time ends, and let them end there.
    pub(crate) fn mark_time_jumps(&mut self, z: &[f64]) -> Result<(), Failure> {
        let count = self.segments.len();
        if self.segments.iter().any(|s| s.ends_on_jump.is_some()) {
            (0..count).for_each(|k| self.end_segment(k, None));
        }
        let ends: Vec<_> = (0..count).map(|k| self.jump_at_end(z, k)).collect();
        if ends.iter().all(|end| matches!(end, Ok(None))) {
            return Ok(());
        }
        for (k, end) in ends.into_iter().enumerate() {
            let end = end?;
            if end.is_some() && self.segments[k].on_mesh() {
                return Err(Failure::Evaluation(
                    "a jump with time sets off an event of this orbit: such orbits are followed by `method: Flow`".into(),
                ));
            }
            self.end_segment(k, end);
        }
        for k in 0..count {
            let begins = self.segments[(k + count - 1) % count].ends_on_jump.is_some();
            let s = &mut self.segments[k];
            s.begins_on_jump = TimeJumps::of(self.system, s.mode).filter(|_| begins);
            s.returns &= !begins;
            s.flow.lies_between_jumps(begins, s.ends_on_jump.is_some());
        }
        Ok(())
    }

    /// Does a jump with time set off an event of the orbit?
    pub(crate) fn has_time_jumps(&self) -> bool {
        self.segments.iter().any(|s| s.ends_on_jump.is_some())
    }

    /// Where segment `k` begins: behind the jump with time, if it begins on one.
    pub(crate) fn start_behind_jump(&self, z: &[f64], k: usize) -> Vec<f64> {
        let (start, s) = (self.start(z, k), &self.segments[k]);
        match &s.begins_on_jump {
            Some(jumps) => {
                let [_, behind] = jumps.sides(start, &self.parameters, 0.0);
                behind
            }
            None => start.to_vec(),
        }
    }

    /// Where segment `k` ends, if a jump with time ends it: before and behind the jump.
    pub(crate) fn sides_of_end(&self, k: usize) -> Option<[Vec<f64>; 2]> {
        let s = &self.segments[k];
        let jumps = s.ends_on_jump.as_ref()?;
        Some(jumps.sides(&s.transition.x, &self.parameters, 0.0))
    }

    /// Let a jump with time end segment `k`, or the guard of its event again.
    fn end_segment(&mut self, k: usize, jump: Option<(TimeJumps, TimeJump)>) {
        let letter = self.word.letters[k];
        let Some(e) = letter.event else { return };
        let event = &self.system.modes[letter.mode].events[e];
        let sign = -event.direction.sign();
        let own = |w: &&mut Clearance| Arc::ptr_eq(&w.function, &event.guard) && w.sign == sign;
        if let Some(surface) = self.plan.clearances[k].iter_mut().find(own) {
            surface.ends_here = jump.is_none();
        }
        let (system, s) = (self.system, &mut self.segments[k]);
        s.returns &= jump.is_none();
        s.guard = Some(jump.as_ref().map_or(&event.guard, |(_, jump)| &jump.surface).clone());
        s.direction = event.direction.sign();
        s.junction.set_off_by_jump(system, letter.mode, jump.is_some());
        s.ends_on_jump = jump.map(|(jumps, _)| jumps);
    }

    /// The jump with time that ends segment `k`, if one does: it takes the guard from inside to beyond.
    fn jump_at_end(&self, z: &[f64], k: usize) -> Result<Option<(TimeJumps, TimeJump)>, Failure> {
        let (letter, p) = (self.word.letters[k], &self.parameters);
        let Some(event) = letter.event.map(|e| &self.system.modes[letter.mode].events[e]) else {
            return Ok(None);
        };
        if !event.guard.corners().is_some_and(|corners| corners.has_sides()) {
            return Ok(None);
        }
        let Some(jumps) = TimeJumps::of(self.system, letter.mode) else {
            return Ok(None);
        };
        let mut end = vec![0.0; self.segments[k].n];
        end_state(self, z, k, &mut end)?;
        let Some(jump) = jumps.nearest(&end, p, NEAR * self.lap(z)) else {
            return Ok(None);
        };
        let height = |x: &[f64]| {
            let mut v = [0.0];
            event.guard.value(x, p, &mut v);
            event.direction.sign() * v[0]
        };
        let [before, behind] = jumps.sides(&end, p, jump.after);
        Ok((height(&before) < -CROSSED && height(&behind) > 0.0).then_some((jumps, jump)))
    }
}
