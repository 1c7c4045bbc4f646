//! Words beyond a border at which another event comes together with a jump with time that sets one off.

use crate::admissibility::{Subject, subjects};
use crate::dense_output::DenseOutput;
use crate::neighbour::{Draft, Neighbour};
use crate::passed::nearest;
use crate::periodic::PeriodicOrbit;
use crate::segment_end::end_state;
use crate::time_jumps::NEAR;
use slipstick_continuation::Point;
use slipstick_flow::Junction;
use std::sync::Arc;

/// The words beyond the boundary at `point`, where the inequality of index `broken` vanishes, if a segment that a jump
/// with time ends meets the surface of an event just before the jump: that event happens first beyond, in place of the
/// one that the jump sets off or before it.
#[doc(hidden)]
pub fn events_before_jump(orbit: &mut PeriodicOrbit<'_>, point: &Point, broken: usize) -> Vec<Neighbour> {
    /// So near to the end of the segment, as part of its duration, is at its end.
    const AT_END: f64 = 1e-6;
    if orbit.be_at(point).is_err() {
        return vec![];
    }
    let (orbit, z) = (&*orbit, &point.z);
    let Some(&Subject::Clearance(k, w)) = subjects(orbit).get(broken) else {
        return vec![];
    };
    let (letter, surface) = (orbit.word.letters[k], &orbit.plan.clearances[k][w]);
    let (events, duration) = (&orbit.system.modes[letter.mode].events, orbit.duration(z, k));
    let Some(set_off) = letter.event.filter(|_| orbit.segments[k].ends_on_jump.is_some()) else {
        return vec![];
    };
    let mut end = vec![0.0; orbit.segments[k].n];
    let touch = end_state(orbit, z, k, &mut end)
        .and_then(|()| DenseOutput::new(orbit.system, &orbit.segments[k], z, &orbit.parameters))
        .and_then(|dense| nearest(orbit, z, k, &dense, surface));
    if !touch.is_ok_and(|touch| touch.is_some_and(|(at, _)| (at - duration).abs() <= AT_END * duration)) {
        return vec![];
    }
    let target = events[set_off].target;
    let mut found = vec![];
    for (e, event) in events.iter().enumerate() {
        if !Arc::ptr_eq(&event.guard, &surface.function) || -event.direction.sign() != surface.sign {
            continue;
        }
        let mut draft = Draft::of(orbit, z);
        draft.passages[k].1 = Some(e);
        // So long before the jump it is not taken for what sets the event off.
        draft.durations[k] -= 2.0 * NEAR * orbit.lap(z);
        if event.target == target {
            found.push(draft.finished(orbit, &format!("`{}` happens before the jump", event.name)));
            continue;
        }
        let mut junction = Junction::new(orbit.system, letter.mode, Some(e), false);
        let mut start = vec![0.0; junction.outputs()];
        junction.apply(&end, &orbit.parameters, &mut start);
        let between = &orbit.system.modes[event.target];
        // Of those of one surface the one declared first.
        let leads = |b: &usize| {
            let own = &between.events[*b];
            let mut before = between.events[..*b].iter();
            own.target == target && !before.any(|e| e.target == target && Arc::ptr_eq(&e.guard, &own.guard))
        };
        for b in (0..between.events.len()).filter(leads) {
            let mut draft = draft.clone();
            draft.insert(k + 1, (event.target, Some(b)), start.clone());
            found.push(draft.finished(orbit, &format!("a segment `{}` appears before the jump", between.name)));
        }
    }
    found
}
