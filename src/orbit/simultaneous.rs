//! Words beyond a border at which several events change together.
//!
//! Of oscillators that move in phase all graze their walls, or lose a segment, at one value of the parameter. And two
//! events that do not depend on each other may exchange their order: the segment between them shrinks to nothing, and
//! beyond they happen the other way round. Where they commute to first order as well, which their saltation matrices
//! tell, the return map has the same derivative on both sides, and nothing happens to the orbit.

use super::PeriodicOrbit;
use super::admissibility::{Subject, measure, subjects};
use super::dense_output::DenseOutput;
use super::neighbour::{Draft, Neighbour};
use super::passed::nearest;
use crate::derivatives::derivatives;
use crate::segment_end::{INSTANT, end_state};
use nalgebra::DMatrix;
use slipstick_continuation::{Point, Problem};
use slipstick_floquet::saltation;
use slipstick_flow::{Junction, agree, exchanged, mirror_image};
use slipstick_numerics::linalg::dot;
use slipstick_system::rate_gradient;
use std::sync::Arc;

/// Distances from surfaces up to this are zero where another one is.
const TOUCHES: f64 = 1e-7;
/// And so are rates that a motion loses within this part of the lap: the place of a grazing is known to the square.
const GRAZES: f64 = 1e-4;
/// Touches nearer in time than this, as part of the lap, are of one instant: minima are known to the root of rounding.
const SAME_TIME: f64 = 1e-6;

/// What the place of a border leaves of derivatives there: of each, and of the largest.
const PLACE: (f64, f64) = (1e-6, 1e-10);

/// A word in which events happen in another order.
#[doc(hidden)]
pub struct Exchange {
    /// The word beyond, with an orbit next to the boundary written in it.
    pub neighbour: Neighbour,
    /// The value of the parameter for which it is written.
    pub parameter: f64,
    /// Do the events commute, to first order too?
    pub commutes: bool,
    /// The segments that open beyond.
    pub opening: Vec<usize>,
}

/// Two events of a word that exchange their places: the segment between them, and the two in the opposite order.
struct Swap {
    at: usize,
    events: (usize, usize),
}

/// The word beyond a boundary at which these segments have vanished, each between two events that do not depend on
/// each other: they happen in the opposite order. It is written for orbits a little beyond, to which the way from an
/// orbit `inside` leads on: so that what opens has a length of `part` of the lap. None where one of the events depends
/// on what came before it.
#[doc(hidden)]
pub fn exchanged_beyond(
    orbit: &mut PeriodicOrbit<'_>,
    point: &Point,
    inside: &Point,
    (vanished, part): (&[usize], f64),
) -> Option<Exchange> {
    orbit.be_at(point).ok()?;
    let (z, count) = (&point.z, orbit.segments.len());
    let (instant, wanted) = (INSTANT * orbit.lap(z), part * orbit.lap(z));
    let lasts: Vec<bool> = (0..count)
        .map(|k| !vanished.contains(&k) && orbit.duration(z, k).abs() > instant)
        .collect();
    let first = lasts.iter().position(|lasts| *lasts).filter(|_| !vanished.is_empty())?;
    // Events that stay together all along keep their order; the groups of them are turned round.
    let place = |k: usize| (k + first) % count;
    let mut group = vec![0; count];
    for k in 1..count {
        group[k] = group[k - 1] + usize::from(vanished.contains(&place(k)));
    }
    let lasts: Vec<bool> = (0..count).map(|k| lasts[place(k)]).collect();
    let mut here = Turning::of(orbit, z, first)?;
    let (mut swaps, mut commutes) = (vec![], true);
    while let Some(at) = (1..count).find(|&k| !lasts[k] && group[k - 1] < group[k]) {
        let (events, commute) = here.other_order(orbit, at, instant)?;
        commutes &= commute;
        swaps.push(Swap { at, events });
        here.exchange(orbit, swaps.last()?);
        group.swap(at - 1, at);
    }
    if inside.z.len() != z.len() || inside.meshes != point.meshes {
        return None;
    }
    let length = |k: &usize| orbit.duration(&inside.z, *k);
    let shortest = vanished.iter().map(length).fold(f64::INFINITY, f64::min);
    let by = (wanted / shortest).min(1.0);
    let ahead: Vec<f64> = z
        .iter()
        .zip(&inside.z)
        .map(|(z, inside)| z + by * (z - inside))
        .collect();
    orbit.take_parameters(&ahead);
    let mut beyond = Turning::of(orbit, &ahead, first)?;
    swaps.iter().for_each(|swap| beyond.exchange(orbit, swap));
    let opens = |k: &usize| !lasts[*k] && group[*k - 1] != group[*k];
    let opening = (1..count).filter(opens).map(place).collect();
    let mut draft = beyond.draft.begun_at(orbit, count - first)?;
    if orbit.word.symmetric && first > 0 {
        draft = draft.begun_at(orbit, count)?;
    }
    let change = match commutes {
        true => "events that do not depend on each other exchange their order, and nothing else changes",
        false => "events exchange their order, and do not commute: the derivative of the return map jumps",
    };
    Some(Exchange {
        neighbour: draft.finished(orbit, change),
        parameter: ahead.last().copied()?,
        commutes,
        opening,
    })
}

/// An orbit of which events are exchanged one by one, with the states in which its events find it.
struct Turning {
    draft: Draft,
    ends: Vec<Vec<f64>>,
}

impl Turning {
    /// The orbit at `z`, begun `first` segments later.
    fn of(orbit: &PeriodicOrbit<'_>, z: &[f64], first: usize) -> Option<Self> {
        let count = orbit.segments.len();
        let mut ends = Vec::with_capacity(count);
        for k in 0..count {
            let own = (k + first) % count;
            let mut end = vec![0.0; orbit.segments[own].n];
            end_state(orbit, z, own, &mut end).ok()?;
            if orbit.word.symmetric && k + first >= count {
                end = mirror_image(orbit.system, orbit.word.letters[own].mode, &end, &orbit.parameters);
            }
            ends.push(end);
        }
        let draft = Draft::of(orbit, z).begun_at(orbit, first)?;
        Some(Self { draft, ends })
    }

    /// The events at both ends of segment `k` in the opposite order, and whether they commute to first order as well.
    fn other_order(&self, orbit: &PeriodicOrbit<'_>, k: usize, instant: f64) -> Option<((usize, usize), bool)> {
        let ((mode, before), (between, after)) = (self.draft.passages[k - 1], self.draft.passages[k]);
        let ((before, after), x) = ((before?, after?), &self.ends[k - 1]);
        let (e, then) = exchanged(orbit.system, mode, (before, after), x, &orbit.parameters, instant)?;
        let target = orbit.system.modes[mode].events[e].target;
        let one_way = through_both(orbit, x, [(mode, before), (between, after)]);
        let other_way = through_both(orbit, x, [(mode, e), (target, then)]);
        let commute = one_way
            .zip(other_way)
            .is_some_and(|(a, b)| a.shape() == b.shape() && agree(a.as_slice(), b.as_slice(), PLACE));
        Some(((e, then), commute))
    }

    /// Let the events at both ends of a segment happen in the opposite order, each at its own time: the segment has
    /// the length that it lacked, and those beside it give that.
    fn exchange(&mut self, orbit: &PeriodicOrbit<'_>, Swap { at: k, events }: &Swap) {
        let (k, p, modes) = (*k, &orbit.parameters, &orbit.system.modes);
        let lacks = self.draft.durations[k];
        let moved = |mode: usize, x: &[f64], by: f64| -> Vec<f64> {
            let mut rates = vec![0.0; x.len()];
            modes[mode].field.value(x, p, &mut rates);
            x.iter().zip(&rates).map(|(x, rate)| x + by * rate).collect()
        };
        let mode = self.draft.passages[k - 1].0;
        let target = modes[mode].events[events.0].target;
        self.ends[k - 1] = moved(mode, &self.ends[k - 1], lacks);
        let mut junction = Junction::new(orbit.system, mode, Some(events.0), false);
        let mut start = vec![0.0; junction.outputs()];
        junction.apply(&self.ends[k - 1], p, &mut start);
        self.ends[k] = moved(target, &start, -lacks);
        self.draft.starts[k] = start;
        self.draft.passages[k - 1].1 = Some(events.0);
        self.draft.passages[k] = (target, Some(events.1));
        self.draft.along[k] = None;
        self.draft.durations[k - 1] += lacks;
        self.draft.durations[k] = -lacks;
        // What follows may be the first segment, of a word in which one lasts.
        let next = (k + 1) % self.ends.len();
        self.draft.durations[next] += lacks;
        let follows = self.draft.passages[next].0;
        self.draft.starts[next] = moved(follows, &self.draft.starts[next], -lacks);
    }
}

/// The derivative of the way through two events, one at once after the other, each in its mode.
fn through_both(orbit: &PeriodicOrbit<'_>, x: &[f64], events: [(usize, usize); 2]) -> Option<DMatrix<f64>> {
    let (system, p) = (orbit.system, &orbit.parameters);
    let mut x = x.to_vec();
    let mut all = DMatrix::identity(x.len(), x.len());
    for (mode, event) in events {
        let own = &system.modes[mode];
        let guard = own.events[event].guard.as_ref();
        let mut junction = Junction::new(system, mode, Some(event), false);
        let (n, m) = (x.len(), junction.outputs());
        let (mut next, mut jump) = (vec![0.0; m], vec![0.0; n * m]);
        junction.linearise(&x, p, &[], &mut next, &mut jump, &mut []);
        let (mut before, mut after) = (vec![0.0; n], vec![0.0; m]);
        own.field.value(&x, p, &mut before);
        system.modes[own.events[event].target].field.value(&next, p, &mut after);
        let (_, slopes, _) = derivatives(guard, &x, p, &[]);
        let mut by_event = vec![0.0; n * m];
        saltation(&before, &after, &slopes, &jump, &mut by_event).ok()?;
        all = DMatrix::from_row_slice(m, n, &by_event) * all;
        x = next;
    }
    Some(all)
}

/// The word beyond a boundary at which several segments vanish `together`, with none of them: where an element slips as
/// far one way as the other, say, both end as one.
#[doc(hidden)]
pub fn without_all(orbit: &mut PeriodicOrbit<'_>, point: &Point, together: &[usize]) -> Option<Neighbour> {
    orbit.restore(&point.meshes);
    orbit.take_parameters(&point.z);
    without_segments(Draft::of(orbit, &point.z), orbit, together)?.connected(
        orbit,
        &format!("{} segments vanish together and are removed", together.len()),
    )
}

/// Leave segments out that are `gone`: the lasting one before them leads straight to the lasting one after them, and
/// two of one mode become one. None where nothing lasts.
fn without_segments(draft: Draft, orbit: &PeriodicOrbit<'_>, gone: &[usize]) -> Option<Draft> {
    let count = draft.passages.len();
    let lasting: Vec<usize> = (0..count).filter(|k| !gone.contains(k)).collect();
    let before = |i: usize| lasting[(i + lasting.len() - 1) % lasting.len()];
    let follows = |i: usize| (before(i) + 1) % count == lasting[i];
    // Half of a symmetric orbit is preceded by its mirror image.
    let mirror = orbit.system.symmetry.as_ref().filter(|_| orbit.word.symmetric);
    let mode_before = |i: usize| {
        let mode = draft.passages[before(i)].0;
        mirror.filter(|_| i == 0).map_or(mode, |symmetry| symmetry.modes[mode])
    };
    let goes_on = |i: usize| !follows(i) && mode_before(i) == draft.passages[lasting[i]].0;
    // Begun where none goes on; where all do, they are one segment without an end.
    let first = *lasting.get((0..lasting.len()).find(|i| !goes_on(*i)).unwrap_or(0))?;
    let draft = draft.begun_at(orbit, first)?;
    let is_gone = |k: usize| gone.contains(&((k + first) % count));
    let mut left = Draft::default();
    for k in (0..count).filter(|&k| !is_gone(k)) {
        let ends_alike = !is_gone((k + 1) % count);
        let passage = (draft.passages[k].0, draft.passages[k].1.filter(|_| ends_alike));
        let joins = k > 0 && is_gone(k - 1) && left.passages.last().is_some_and(|last| last.0 == passage.0);
        if joins {
            left.extend_last(passage.1, draft.durations[k])?;
        } else {
            left.push(passage, draft.starts[k].clone(), draft.durations[k], draft.along[k]);
        }
    }
    Some(left)
}

/// The word beyond a boundary at which several surfaces are grazed together, as those of oscillators in phase, where
/// the inequality of index `broken` vanishes: none of these events happens any more, or all of them begin to.
#[doc(hidden)]
pub fn grazing_together(orbit: &mut PeriodicOrbit<'_>, point: &Point, broken: usize) -> Option<Neighbour> {
    orbit.be_at(point).ok()?;
    let z = &point.z;
    let mut residual = vec![0.0; z.len() - orbit.free()];
    orbit.linearise(z, &mut residual).ok()?;
    let mut values = vec![];
    for k in 0..orbit.segments.len() {
        let dense = DenseOutput::new(orbit.system, &orbit.segments[k], z, &orbit.parameters).ok()?;
        measure(orbit, z, k, &dense, &mut values).ok()?;
    }
    let subjects = subjects(orbit);
    let is_zero = |(subject, value): &(&Subject, &f64)| match **subject {
        Subject::Rate(k) => value.abs() <= GRAZES * orbit.lap(z) * bend(orbit, k),
        _ => value.abs() <= TOUCHES,
    };
    let zero = subjects.iter().zip(&values).filter(is_zero);
    let zero: Vec<Subject> = zero.map(|(subject, _)| *subject).collect();
    match *subjects.get(broken).filter(|_| values.len() == subjects.len())? {
        Subject::Rate(_) | Subject::Duration(_) => {
            let ends = zero.into_iter().filter_map(|s| match s {
                Subject::Rate(k) => Some(k),
                _ => None,
            });
            without_events(orbit, z, &ends.collect::<Vec<_>>())
        }
        Subject::Clearance(..) => {
            let touched = zero.into_iter().filter_map(|s| match s {
                Subject::Clearance(k, w) => Some((k, w)),
                _ => None,
            });
            with_events(orbit, z, &touched.collect::<Vec<_>>())
        }
        Subject::Condition(_) | Subject::Corner(..) => None,
    }
}

/// How fast the rate changes at which segment `k` meets its surface.
fn bend(orbit: &PeriodicOrbit<'_>, k: usize) -> f64 {
    let (segment, letter) = (&orbit.segments[k], orbit.word.letters[k]);
    let own = &orbit.system.modes[letter.mode];
    let Some(event) = letter.event.map(|e| &own.events[e]) else {
        return 0.0;
    };
    let (x, p) = (&segment.transition.x, &orbit.parameters);
    let (_, slopes, _) = rate_gradient(event.guard.as_ref(), own.field.as_ref(), x, p, &[]);
    dot(&slopes, &segment.transition.f).abs()
}

/// Several events lead back into their modes and are met with zero speed: beyond, they do not happen.
fn without_events(orbit: &PeriodicOrbit<'_>, z: &[f64], gone: &[usize]) -> Option<Neighbour> {
    let count = orbit.segments.len();
    if gone.len() < 2 {
        return None;
    }
    let draft = Draft::of(orbit, z);
    let mut left = Draft::default();
    match (0..count).find(|k| !gone.contains(k)) {
        Some(last) => {
            let first = (last + 1) % count;
            let draft = draft.begun_at(orbit, first)?;
            for k in 0..count {
                let (mode, event) = draft.passages[k];
                if k > 0 && gone.contains(&((k - 1 + first) % count)) {
                    if draft.passages[k - 1].0 != mode {
                        return None;
                    }
                    left.extend_last(event, draft.durations[k])?;
                } else {
                    left.push(
                        (mode, event),
                        draft.starts[k].clone(),
                        draft.durations[k],
                        draft.along[k],
                    );
                }
            }
        }
        None => {
            let mode = draft.passages[0].0;
            let mirror = orbit.system.symmetry.as_ref().filter(|_| orbit.word.symmetric);
            let stays = draft.passages.iter().all(|passage| passage.0 == mode);
            if !stays || mirror.is_some_and(|symmetry| symmetry.modes[mode] != mode) {
                return None;
            }
            left.push(
                (mode, None),
                draft.starts[0].clone(),
                draft.durations.iter().sum(),
                None,
            );
        }
    }
    Some(left.finished(orbit, "events are no longer reached"))
}

/// A touch: of which event, when in its segment, and in which state.
struct Touch {
    event: usize,
    at: f64,
    state: Vec<f64>,
}

/// The touches of segment `k`, in the order of time and, of one instant, of declaration. None where an event leads into
/// another mode.
fn touches(orbit: &PeriodicOrbit<'_>, z: &[f64], k: usize, touched: &[(usize, usize)]) -> Option<Vec<Touch>> {
    let segment = &orbit.segments[k];
    let mode = orbit.word.letters[k].mode;
    let events = &orbit.system.modes[mode].events;
    let dense = DenseOutput::new(orbit.system, segment, z, &orbit.parameters).ok()?;
    let mut found: Vec<Touch> = vec![];
    for (_, w) in touched.iter().filter(|(of, _)| *of == k) {
        let surface = &orbit.plan.clearances[k][*w];
        let of_surface = |e: &usize| {
            let event = &events[*e];
            Arc::ptr_eq(&event.guard, &surface.function) && -event.direction.sign() == surface.sign
        };
        let event = (0..events.len()).find(of_surface)?;
        let (at, _) = nearest(orbit, z, k, &dense, surface).ok()??;
        if events[event].target != mode {
            return None;
        }
        let near = |t: &&Touch| (t.at - at).abs() <= SAME_TIME * orbit.lap(z);
        let at = found.iter().find(near).map_or(at, |known| known.at);
        let mut state = vec![0.0; segment.n];
        dense.eval(at, &mut state);
        found.push(Touch { event, at, state });
    }
    found.sort_by(|a, b| a.at.total_cmp(&b.at).then(a.event.cmp(&b.event)));
    Some(found)
}

/// Several surfaces are touched from inside by segments whose modes their events lead back into: beyond, these happen.
fn with_events(orbit: &PeriodicOrbit<'_>, z: &[f64], touched: &[(usize, usize)]) -> Option<Neighbour> {
    if touched.len() < 2 {
        return None;
    }
    let (system, p) = (orbit.system, &orbit.parameters);
    let draft = Draft::of(orbit, z);
    let free = orbit.word.letters[0].event.is_none();
    let through = |mode: usize, touch: &Touch, mirror: bool| {
        let mut junction = Junction::new(system, mode, Some(touch.event), mirror);
        let mut start = vec![0.0; junction.outputs()];
        junction.apply(&touch.state, p, &mut start);
        start
    };
    let mut all = Draft::default();
    for k in 0..orbit.segments.len() {
        let (mode, ending) = draft.passages[k];
        let touches = touches(orbit, z, k, touched)?;
        let Some(last) = touches.last() else {
            all.push(
                draft.passages[k],
                draft.starts[k].clone(),
                draft.durations[k],
                draft.along[k],
            );
            continue;
        };
        // An orbit without an end begins where the last of its events leaves it.
        let mut start = match free {
            true => through(mode, last, orbit.word.symmetric),
            false => draft.starts[k].clone(),
        };
        let mut since = if free { last.at - draft.durations[k] } else { 0.0 };
        for touch in &touches {
            let along = (free && orbit.word.symmetric).then_some(None);
            let along = along.unwrap_or(Some((k, since.max(0.0))));
            all.push((mode, Some(touch.event)), start, touch.at - since, along);
            start = through(mode, touch, false);
            since = touch.at;
        }
        if !free {
            all.push((mode, ending), start, draft.durations[k] - since, Some((k, since)));
        }
    }
    all.connected(orbit, "events begin where several surfaces are touched together")
}
