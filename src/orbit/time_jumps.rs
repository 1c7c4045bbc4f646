//! Events that a jump with time sets off: sticking that ends where the force or the belt jumps.
//!
//! The guard of such an event jumps over zero and says nothing of when: the segment ends where the clock is, on the
//! surface at which the driver jumps. States do not jump with it. The segment is before the jump all along, the next
//! one behind it, and what a perturbation does there is what it does at any event, with the clock for a guard.

use crate::clearance::Clearance;
use crate::periodic::PeriodicOrbit;
use crate::segment::Segment;
use crate::segment_end::end_state;
use slipstick_continuation::Failure;
use slipstick_flow::{ON_SURFACE, TimeJump, TimeJumps};
use std::sync::Arc;

/// A jump this near to the end of a segment, as part of the lap, may be what ends it.
pub(crate) const NEAR: f64 = 1e-7;
/// And one this near does.
const ON_JUMP: f64 = 1e-11;
/// A guard this near to zero before a jump has been crossed there.
const CROSSED: f64 = 1e-10;

/// A segment whose end is beyond a jump with time that it must not pass: the one before an event that the jump sets
/// off, on the way to a border where nothing is left between them, or the one behind it, back to front.
pub(crate) struct BeyondJump {
    jumps: TimeJumps,
    /// The jump is so long after the end.
    after: f64,
    behind: bool,
}

impl BeyondJump {
    /// The end with its clocks on the side of the jump on which it should be.
    pub(crate) fn place(&self, x: &[f64], p: &[f64]) -> Vec<f64> {
        let [before, behind] = self.jumps.sides(x, p, self.after);
        if self.behind { behind } else { before }
    }
}

/// The segments of the unknowns `z` that end beyond jumps that they must not pass.
pub(crate) fn beyond_jumps(segments: &mut [Segment<'_>], z: &[f64]) -> Vec<Option<BeyondJump>> {
    /// A segment of this part of the lap has no length.
    const NO_LENGTH: f64 = 1e-11;
    let count = segments.len();
    let mut found: Vec<Option<BeyondJump>> = (0..count).map(|_| None).collect();
    if segments.iter().all(|s| s.ends_on_jump.is_none()) {
        return found;
    }
    let lap: f64 = segments.iter().map(|s| z[s.offset + s.n]).sum();
    for k in 0..count {
        let (s, next) = (&segments[k], &segments[(k + 1) % count]);
        let (own, follows) = (z[s.offset + s.n], z[next.offset + next.n]);
        if s.ends_on_jump.is_some() || s.guard.is_none() {
            continue;
        }
        let late = next
            .ends_on_jump
            .as_ref()
            .filter(|_| follows < NO_LENGTH * lap)
            .cloned();
        let early = s.begins_on_jump.as_ref().filter(|_| own < NO_LENGTH * lap).cloned();
        let (begins, ends) = (s.begins_on_jump.is_some(), late.is_some());
        let late = late.map(|jumps| (jumps, follows, false));
        let beyond = late.or(early.map(|jumps| (jumps, -own, true)));
        found[k] = beyond.map(|(jumps, after, behind)| BeyondJump { jumps, after, behind });
        segments[k].flow.lies_between_jumps(begins, ends);
    }
    found
}

impl PeriodicOrbit<'_> {
    /// Find the segments of the orbit near `z` that a jump with time ends, and let them end there.
    pub(crate) fn mark_time_jumps(&mut self, z: &[f64]) -> Result<(), Failure> {
        let count = self.segments.len();
        self.take_parameters(z);
        let ends: Vec<_> = (0..count).map(|k| self.jump_at_end(z, k)).collect();
        if !self.has_time_jumps() && ends.iter().all(|end| matches!(end, Ok(None))) {
            return Ok(());
        }
        for (k, end) in ends.into_iter().enumerate() {
            let end = end?;
            if end.is_some() && self.segments[k].on_mesh() {
                return Err(Failure::Evaluation(
                    "a jump with time sets off an event of this orbit: such orbits are followed by `method: Flow`"
                        .into(),
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
        let s = &mut self.segments[k];
        s.returns &= jump.is_none();
        s.guard = Some(jump.as_ref().map_or(&event.guard, |(_, jump)| &jump.surface).clone());
        s.direction = event.direction.sign();
        s.junction
            .set_off_by_jump(&self.system.modes[letter.mode], jump.is_some());
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
        // At the border an orbit is what it was, and one that ends on the jump itself is set off by it.
        let was_set_off = self.segments[k].ends_on_jump.is_some() || jump.after.abs() <= ON_JUMP * self.lap(z);
        let crossed = if was_set_off { ON_SURFACE } else { -CROSSED };
        Ok((height(&before) < crossed && height(&behind) > ON_SURFACE).then_some((jumps, jump)))
    }
}
