//! Words beyond the grazing of an event in a state in which another surface is crossed: there the other event happens
//! instead. A mass with dry friction that turns round at a wall reverses its slip where it would hit the wall.

use crate::admissibility::{Subject, subjects};
use crate::derivatives::derivatives;
use crate::neighbour::{Draft, Neighbour};
use crate::periodic::PeriodicOrbit;
use crate::segment_end::end_state;
use slipstick_continuation::Point;
use slipstick_flow::{Junction, distance};
use slipstick_numerics::linalg::dot;
use slipstick_system::{Event, Function};
use std::sync::Arc;

/// Another surface is crossed at the grazing where that is so near in time, as part of a lap, and leads to the same
/// states, relative to one plus their size.
const NEAR: f64 = 1e-6;

/// The words beyond the boundary at `point`, where the inequality of index `broken` vanishes, if the event that ends a
/// segment is met with zero rate there: those in which the segment ends by another event of the same instant, one that
/// is crossed and leads to the same state of the same mode.
#[doc(hidden)]
pub fn crossed_instead(orbit: &mut PeriodicOrbit<'_>, point: &Point, broken: usize) -> Vec<Neighbour> {
    if orbit.be_at(point).is_err() {
        return vec![];
    }
    let (orbit, z) = (&*orbit, &point.z);
    let Some(&Subject::Rate(k)) = subjects(orbit).get(broken) else {
        return vec![];
    };
    let letter = orbit.word.letters[k];
    let mode = &orbit.system.modes[letter.mode];
    let mut draft = Draft::of(orbit, z);
    let (mut k, count) = (k, draft.passages.len());
    let mut end = vec![0.0; orbit.segments[k].n];
    let Some(grazed) = letter.event.map(|e| &mode.events[e]) else {
        return vec![];
    };
    if count < 2 || end_state(orbit, z, k, &mut end).is_err() {
        return vec![];
    }
    if orbit.word.symmetric && k + 1 == count {
        let Some(later) = draft.begun_at(orbit, 1) else {
            return vec![];
        };
        (draft, k) = (later, k - 1);
    }
    let next = (k + 1) % count;
    let crossed = |event: &Event| {
        let sign = event.direction.sign();
        let (value, slopes, _) = derivatives(event.guard.as_ref(), &end, &orbit.parameters, &[]);
        let mut speed = vec![0.0; end.len()];
        mode.field.value(&end, &orbit.parameters, &mut speed);
        let rate = sign * dot(&slopes, &speed);
        let holds = |function: &dyn Function| {
            let mut value = [0.0];
            function.value(&end, &orbit.parameters, &mut value);
            value[0] > 0.0
        };
        rate > 0.0
            && value.abs() <= NEAR * rate * orbit.lap(z)
            && event.when.iter().all(|when| holds(when.function.as_ref()))
    };
    let follows = |e: usize| {
        let mut junction = Junction::new(orbit.system, letter.mode, Some(e), false);
        let mut start = vec![0.0; junction.outputs()];
        junction.apply(&end, &orbit.parameters, &mut start);
        distance(orbit.system, draft.passages[next].0, &draft.starts[next], &start) <= NEAR
    };
    let others = mode.events.iter().enumerate().filter(|(e, event)| {
        event.target == draft.passages[next].0
            && !Arc::ptr_eq(&event.guard, &grazed.guard)
            && crossed(event)
            && follows(*e)
    });
    let instead = |(e, event): (usize, &Event)| {
        let mut other = draft.clone();
        other.passages[k].1 = Some(e);
        other.finished(orbit, &format!("`{}` happens instead of `{}`", event.name, grazed.name))
    };
    others.map(instead).collect()
}
