//! Events of one instant that do not depend on each other: in both orders they lead to the same state.
//!
//! Oscillators that move in phase hit their walls together, and which of them comes first is one of rounding. So that
//! one motion has one sequence of events, the order is that in which the events are declared in the mode that the first
//! of them ends.

use super::event_effect::{rate, same_surface, value};
use super::junction::Junction;
use super::stay::Stay;
use slipstick_system::{Event, System};

/// A stay of no more than this part of the longest lasts no time.
const INSTANT: f64 = 1e-9;
/// Values this close to zero count as zero where side conditions and surfaces are judged.
const SLACK: f64 = 1e-10;
/// The longest of so many stays is what an instant is measured by.
const RECENT: usize = 64;
/// What rounding leaves of states: of each number, and of the largest.
const ROUNDING: (f64, f64) = (1e-9, 1e-13);

/// Event `first` happens in `mode` at state `x` of it, and within the time `between` event `second` of the next mode.
/// The same two in the opposite order, each by its number in the mode that it ends; none where they do not lead to the
/// same state then, or the one has no place before the other.
#[doc(hidden)]
pub fn exchanged(
    system: &System,
    mode: usize,
    (first, second): (usize, usize),
    x: &[f64],
    p: &[f64],
    between: f64,
) -> Option<(usize, usize)> {
    let own = &system.modes[mode];
    let through = |mode: usize, event: usize, x: &[f64]| {
        let mut junction = Junction::new(system, mode, Some(event), false);
        let mut next = vec![0.0; junction.outputs()];
        junction.apply(x, p, &mut next);
        next
    };
    // Is an event of a mode due at a state, or within the time between?
    let due = |mode: usize, event: usize, x: &[f64]| {
        let (field, event) = (&*system.modes[mode].field, &system.modes[mode].events[event]);
        let guard = &*event.guard;
        let rate = event.direction.sign() * rate(field, guard, x, p);
        value(guard, x, p).abs() <= SLACK + 2.0 * rate.abs() * between.abs()
            && rate >= -SLACK
            && event.when.iter().all(|when| value(&*when.function, x, p) >= -SLACK)
    };
    let between_them = own.events[first].target;
    let last = system.modes[between_them].events[second].target;
    let end = through(between_them, second, &through(mode, first, x));
    for (e, event) in own.events.iter().enumerate() {
        if e == first || same_surface(&event.guard, &own.events[first].guard, x.len(), p) || !due(mode, e, x) {
            continue;
        }
        let y = through(mode, e, x);
        let mut then = system.modes[event.target].events.iter().enumerate();
        let leads_there = |(b, back): &(usize, &Event)| {
            back.target == last && due(event.target, *b, &y) && agree(&through(event.target, *b, &y), &end, ROUNDING)
        };
        if let Some((b, _)) = then.find(leads_there) {
            return Some((e, b));
        }
    }
    None
}

/// Are two rows of numbers the same, to a part of each of them and another of the largest?
#[doc(hidden)]
pub fn agree(a: &[f64], b: &[f64], (own, of_largest): (f64, f64)) -> bool {
    let largest = a.iter().chain(b).fold(0.0f64, |m, v| m.max(v.abs()));
    a.len() == b.len()
        && a.iter()
            .zip(b)
            .all(|(a, b)| (a - b).abs() <= own * a.abs().max(b.abs()) + of_largest * largest)
}

/// Put the last of these stays where it belongs among those that end in one `instant`.
pub(super) fn put_in_order(system: &System, stays: &mut [Stay], p: &[f64], instant: f64) {
    let mut k = stays.len();
    // Since the event that the last one may come before.
    let mut since = 0.0;
    while k >= 2 {
        k -= 1;
        let [.., before, after] = &mut stays[..=k] else { return };
        since += after.duration;
        if since > instant {
            return;
        }
        match exchanged(system, before.mode, (before.event, after.event), &before.end, p, since) {
            Some((e, then)) if e < before.event => {
                let mut junction = Junction::new(system, before.mode, Some(e), false);
                let mut next = vec![0.0; junction.outputs()];
                junction.apply(&before.end, p, &mut next);
                after.mode = system.modes[before.mode].events[e].target;
                after.event = then;
                after.start.clone_from(&next);
                after.end = next;
                before.event = e;
            }
            _ => return,
        }
    }
}

/// How long a stay may last that lasts no time, among the last of these.
pub(super) fn instant_of(stays: &[Stay]) -> f64 {
    let recent = &stays[stays.len().saturating_sub(RECENT)..];
    INSTANT * recent.iter().fold(0.0f64, |m, s| m.max(s.duration))
}
