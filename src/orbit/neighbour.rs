//! Words next to a word: what an orbit may turn into where one of its inequalities stops holding.

use super::PeriodicOrbit;
use super::admissibility::{Subject, gives_way, subjects};
use super::clearance::Clearance;
use super::dense_output::DenseOutput;
use super::passed::nearest;
use super::touching_throughout::touches_throughout;
use super::word::{Letter, Word};
use crate::derivatives::derivatives;
use crate::discontinuity::leaves_continuously;
use crate::segment_end::end_state;
use slipstick_continuation::Point;
use slipstick_flow::{FlowOptions, Junction, SimulationOptions, mirror_image, simulate};
use slipstick_system::{Event, ModeKind};
use std::sync::Arc;

/// A word valid beyond a boundary, with the boundary orbit written in it.
///
/// ```
/// use slipstick_bifurcation::{End, TraceOptions, Tracer};
/// use slipstick_flow::FlowOptions;
/// use slipstick_orbit::{PeriodicOrbit, SearchOptions, Word, find_all, neighbours};
/// use slipstick_system::catalogue::stiction;
/// use std::f64::consts::TAU;
/// let system = stiction();
/// let word = Word::parse("slip- stick", true, &system)?;
/// let mut orbit = PeriodicOrbit::new(&system, word, system.default_parameters(), vec![0], FlowOptions::default());
/// let options = SearchOptions { seeds: None, longest: TAU, region: vec![(-2.0, 2.0), (-2.0, 2.0), (0.0, TAU)] };
/// let found = find_all(&mut orbit, &options, &mut |_| true)?;
/// let start = found[0].begin(&mut orbit)?;
/// let downwards = TraceOptions { directions: vec![-1.0], ..TraceOptions::over((1.2, 2.0)) };
/// let branch = Tracer::new(&mut orbit, &downwards).from_guess(start)?;
/// // Below Ω = 1.3545… there is no time left to stick. Beyond, the mass only slips.
/// let Some(End::Boundary { inequality, .. }) = branch.ends.last() else { panic!("the branch ends at a border") };
/// let last = branch.points.last().ok_or("no points")?;
/// let beyond = neighbours(&mut orbit, &last.point, *inequality);
/// assert!(beyond.iter().any(|next| !next.word.describe(&system).contains("stick")), "{beyond:?}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbour {
    /// The word.
    pub word: Word,
    /// Start of each segment.
    pub starts: Vec<Vec<f64>>,
    /// Duration of each segment; zero for one that is about to appear.
    pub durations: Vec<f64>,
    /// For each segment that follows the boundary orbit: in which of its segments that begins, and how long after its
    /// start.
    pub along: Vec<Option<(usize, f64)>>,
    /// What happens, in words.
    pub change: String,
}

/// The words that may be valid beyond the boundary at `point`, where the inequality of index `broken` vanishes.
pub fn neighbours(orbit: &mut PeriodicOrbit<'_>, point: &Point, broken: usize) -> Vec<Neighbour> {
    if orbit.be_at(point).is_err() {
        return vec![];
    }
    let subjects = subjects(orbit);
    let Some(&subject) = subjects.get(broken) else {
        return vec![];
    };
    if let Subject::Rate(k) | Subject::Condition(k) = subject
        && orbit.segments[k].ends_on_jump.is_some()
    {
        return vec![];
    }
    let found = match subject {
        Subject::Duration(k) => joined(orbit, &point.z, k)
            .into_iter()
            .chain(without(orbit, &point.z, k))
            .collect(),
        Subject::Condition(k) => with_another_ending(orbit, &point.z, k),
        // The word stays the same.
        Subject::Corner(..) => vec![],
        Subject::Rate(k) => without_event(orbit, &point.z, k)
            .into_iter()
            .chain(without_excursion(orbit, &point.z, k))
            .chain(without_short_excursion(orbit, &point.z, k))
            .collect(),
        Subject::Clearance(k, w) => with_another_segment(orbit, &point.z, k, w),
    };
    found.into_iter().filter(|n| n.word != orbit.word).collect()
}

/// What else is legal at the boundary at `point`, where the inequality of index `broken` vanishes: in words, if the
/// future is not unique where the orbit sticks, or would begin to stick.
pub fn choice_beyond(
    orbit: &mut PeriodicOrbit<'_>,
    point: &Point,
    broken: usize,
    options: FlowOptions,
) -> Option<String> {
    /// Long enough to see which way a motion sets off.
    const MOMENT: f64 = 1e-6;
    let beyond = neighbours(orbit, point, broken);
    if let Some(&Subject::Rate(k)) = subjects(orbit).get(broken)
        && let Some(event) = orbit.word.letters[k].event
        && gives_way(orbit.system, &orbit.parameters, orbit.word.letters[k].mode, event)
    {
        // A touching from inside: rounding decides whether a simulation sees it.
        if leaves_continuously(orbit, &point.z, k) {
            return None;
        }
        let mode = &orbit.system.modes[orbit.word.letters[k].mode];
        let event = &mode.events[event];
        return Some(format!(
            "two continuations are admissible: staying in `{}`, and `{}` into `{}`",
            mode.name, event.name, orbit.system.modes[event.target].name
        ));
    }
    let here = Draft::of(orbit, &point.z);
    let own = orbit.word.letters.iter().zip(here.starts.iter().zip(&here.durations));
    let next = beyond
        .iter()
        .flat_map(|n| n.word.letters.iter().zip(n.starts.iter().zip(&n.durations)));
    own.chain(next)
        .filter(|(letter, _)| orbit.system.modes[letter.mode].kind == ModeKind::Stick)
        .find_map(|(letter, (start, duration))| {
            let options = SimulationOptions {
                t_end: duration.max(MOMENT),
                max_events: 2,
                flow: options,
                ..SimulationOptions::default()
            };
            let run = simulate(orbit.system, letter.mode, start, &orbit.parameters, &options).ok()?;
            run.nonunique.first().map(|n| n.choice.clone())
        })
}

/// A neighbour in the making: the boundary orbit by its segments.
#[derive(Clone, Default)]
pub(crate) struct Draft {
    /// The modes and how each is left.
    pub(crate) passages: Vec<(usize, Option<usize>)>,
    pub(crate) starts: Vec<Vec<f64>>,
    pub(crate) durations: Vec<f64>,
    pub(crate) along: Vec<Option<(usize, f64)>>,
}

impl Draft {
    pub(crate) fn of(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> Self {
        let segments = || 0..orbit.segments.len();
        Self {
            passages: orbit.word.letters.iter().map(|l| (l.mode, l.event)).collect(),
            starts: segments().map(|k| orbit.start(z, k).to_vec()).collect(),
            durations: segments().map(|k| orbit.duration(z, k)).collect(),
            along: segments().map(|k| Some((k, 0.0))).collect(),
        }
    }

    /// The same orbit, symmetric, begun `by` segments later: what was before comes at the end, as its mirror image.
    fn begun_later(mut self, orbit: &PeriodicOrbit<'_>, by: usize) -> Option<Self> {
        let system = orbit.system;
        let symmetry = system.symmetry.as_ref()?;
        for k in 0..by.min(self.passages.len()) {
            let (mode, event) = self.passages[k];
            let event = match event {
                Some(event) => Some(system.mirrored_event(mode, event)?),
                None => None,
            };
            self.passages[k] = (symmetry.modes[mode], event);
            self.starts[k] = mirror_image(system, mode, &self.starts[k], &orbit.parameters);
            self.along[k] = None;
        }
        self.passages.rotate_left(by);
        self.starts.rotate_left(by);
        self.durations.rotate_left(by);
        self.along.rotate_left(by);
        Some(self)
    }

    /// The same orbit, begun `by` segments later, at most one round.
    pub(crate) fn begun_at(mut self, orbit: &PeriodicOrbit<'_>, by: usize) -> Option<Self> {
        if orbit.word.symmetric {
            return self.begun_later(orbit, by);
        }
        self.passages.rotate_left(by);
        self.starts.rotate_left(by);
        self.durations.rotate_left(by);
        self.along.rotate_left(by);
        Some(self)
    }

    /// The same orbit, begun with that of its segments, or of their mirror images, that starts most like the first one
    /// of the boundary orbit: so a word that comes again is written in the same way.
    pub(crate) fn begun_alike(self, orbit: &PeriodicOrbit<'_>, z: &[f64]) -> Self {
        let (system, wanted) = (orbit.system, orbit.start(z, 0));
        let mode = orbit.word.letters[0].mode;
        let straight = |i: usize| system.states[system.modes[mode].states[i]].period.is_none();
        let distance = |draft: &Self| -> f64 {
            if draft.passages[0].0 != mode {
                return f64::INFINITY;
            }
            let own = draft.starts[0].iter().zip(wanted).enumerate();
            own.filter(|(i, _)| straight(*i))
                .map(|(_, (a, b))| (a - b).powi(2))
                .sum()
        };
        let laps = if orbit.word.symmetric { 2 } else { 1 };
        let (mut nearest, mut next) = (self.clone(), self);
        for _ in 1..laps * nearest.passages.len() {
            let Some(later) = next.begun_at(orbit, 1) else { break };
            next = later;
            if distance(&next) < distance(&nearest) {
                nearest = next.clone();
            }
        }
        nearest
    }

    fn remove(&mut self, k: usize) {
        self.passages.remove(k);
        self.starts.remove(k);
        self.durations.remove(k);
        self.along.remove(k);
    }

    /// Add a segment of no length.
    pub(crate) fn insert(&mut self, k: usize, passage: (usize, Option<usize>), start: Vec<f64>) {
        self.passages.insert(k, passage);
        self.starts.insert(k, start);
        self.durations.insert(k, 0.0);
        self.along.insert(k, None);
    }

    /// Leave segment `k` out: the one before it leads straight to the one after it.
    fn leave_out(&mut self, k: usize) {
        let count = self.passages.len();
        self.passages[(k + count - 1) % count].1 = None;
        self.remove(k);
    }

    /// Leave segment `k` out between two of one mode, which become one; false, and nothing changes, between others.
    fn join_over(&mut self, k: usize) -> bool {
        let count = self.passages.len();
        let (before, after) = ((k + count - 1) % count, (k + 1) % count);
        if before == after || self.passages[before].0 != self.passages[after].0 {
            return false;
        }
        self.passages[before].1 = self.passages[after].1;
        self.durations[before] += self.durations[after];
        self.along[before] = None;
        self.remove(k.max(after));
        self.remove(k.min(after));
        true
    }

    /// Add a segment.
    pub(crate) fn push(
        &mut self,
        passage: (usize, Option<usize>),
        start: Vec<f64>,
        duration: f64,
        along: Option<(usize, f64)>,
    ) {
        self.passages.push(passage);
        self.starts.push(start);
        self.durations.push(duration);
        self.along.push(along);
    }

    /// Let the last segment go on for so long, and end by this event.
    pub(crate) fn extend_last(&mut self, event: Option<usize>, duration: f64) -> Option<()> {
        self.passages.last_mut()?.1 = event;
        *self.durations.last_mut()? += duration;
        *self.along.last_mut()? = None;
        Some(())
    }

    /// The neighbour, as it stands.
    pub(crate) fn finished(self, orbit: &PeriodicOrbit<'_>, change: &str) -> Neighbour {
        let letters = self.passages.iter().map(|&(mode, event)| Letter { mode, event });
        let word = Word {
            letters: letters.collect(),
            symmetric: orbit.word.symmetric,
        };
        self.in_word(orbit, word, change)
    }

    /// The neighbour, where events that lead from each segment to the next are found.
    pub(crate) fn connected(self, orbit: &PeriodicOrbit<'_>, change: &str) -> Option<Neighbour> {
        let word = Word::connected(orbit.system, &self.passages, orbit.word.symmetric).ok()?;
        Some(self.in_word(orbit, word, change))
    }

    fn in_word(self, orbit: &PeriodicOrbit<'_>, word: Word, change: &str) -> Neighbour {
        Neighbour {
            change: format!("{change}: the word becomes `{}`", word.describe(orbit.system)),
            word,
            starts: self.starts,
            durations: self.durations,
            along: self.along,
        }
    }
}

/// Segment `k` has vanished: the one before it leads straight to the one after it.
fn without(orbit: &PeriodicOrbit<'_>, z: &[f64], k: usize) -> Option<Neighbour> {
    let mut draft = Draft::of(orbit, z);
    let count = draft.passages.len();
    if count < 2 {
        return None;
    }
    draft.leave_out(k);
    let gone = &orbit.system.modes[orbit.word.letters[k].mode].name;
    draft.connected(orbit, &format!("segment `{gone}` is removed"))
}

/// Segment `k` has vanished between two segments of one mode: the motion goes on in that mode as if it had not been
/// left.
fn joined(orbit: &PeriodicOrbit<'_>, z: &[f64], k: usize) -> Option<Neighbour> {
    let count = orbit.segments.len();
    let mut draft = Draft::of(orbit, z);
    let mut k = k;
    // A symmetric orbit meets its mirror image at the ends of the word: it is begun where the three are inside.
    if orbit.word.symmetric && count > 2 && (k == 0 || k + 1 == count) {
        let by = if k == 0 { 2 } else { 1 };
        draft = draft.begun_later(orbit, by)?;
        k = count - 2;
    }
    let gone = &orbit.system.modes[draft.passages[k].0].name;
    if !draft.join_over(k) {
        return None;
    }
    let change = format!("segment `{gone}` is left out, and those before and after it are one");
    Some(draft.finished(orbit, &change))
}

/// A side condition of the event that ends segment `k` fails: events on the same surface take over, each through a
/// segment that appears.
pub(super) fn with_another_ending(orbit: &PeriodicOrbit<'_>, z: &[f64], k: usize) -> Vec<Neighbour> {
    let letter = orbit.word.letters[k];
    let mode = &orbit.system.modes[letter.mode];
    let Some(old) = letter.event.map(|e| &mode.events[e]) else {
        return vec![];
    };
    let mut end = vec![0.0; orbit.segments[k].n];
    if end_state(orbit, z, k, &mut end).is_err() {
        return vec![];
    }
    let others = mode.events.iter().enumerate().filter(|(e, event)| {
        Some(*e) != letter.event && Arc::ptr_eq(&event.guard, &old.guard) && event.direction == old.direction
    });
    let through = |(e, event): (usize, &Event)| {
        let mut draft = Draft::of(orbit, z);
        draft.passages[k].1 = Some(e);
        let mut junction = Junction::new(orbit.system, letter.mode, Some(e), false);
        let mut start = vec![0.0; junction.outputs()];
        junction.apply(&end, &orbit.parameters, &mut start);
        draft.insert(k + 1, (event.target, None), start);
        let appears = &orbit.system.modes[event.target].name;
        draft.connected(orbit, &format!("a segment `{appears}` appears"))
    };
    others.filter_map(through).collect()
}

/// Stick, segment `k`, is left tangentially: where that begins a visit elsewhere continuously, the visit has no length,
/// and beyond stick lasts.
fn without_excursion(orbit: &PeriodicOrbit<'_>, z: &[f64], k: usize) -> Option<Neighbour> {
    let next = (k + 1) % orbit.segments.len();
    let sticks = orbit.system.modes[orbit.word.letters[k].mode].kind == ModeKind::Stick;
    (sticks && next != k).then(|| joined(orbit, z, next))?
}

/// Stick, segment `k`, is left tangentially for a visit of no length that leads to stick of its mirror image, as where
/// a motion ceases: beyond, stick lasts.
fn without_short_excursion(orbit: &PeriodicOrbit<'_>, z: &[f64], k: usize) -> Option<Neighbour> {
    /// As part of the stick before it.
    const NO_LENGTH: f64 = 1e-3;
    let next = (k + 1) % orbit.segments.len();
    let sticks = orbit.system.modes[orbit.word.letters[k].mode].kind == ModeKind::Stick;
    let vanished = orbit.duration(z, next) <= NO_LENGTH * orbit.duration(z, k);
    (orbit.word.symmetric && sticks && next != k && vanished).then(|| without(orbit, z, next))?
}

/// The event that ends segment `k` is met with zero speed and leads back to the same mode: beyond, it does not happen.
fn without_event(orbit: &PeriodicOrbit<'_>, z: &[f64], k: usize) -> Option<Neighbour> {
    let mut draft = Draft::of(orbit, z);
    let own = orbit.word.letters[k].mode;
    let count = draft.passages.len();
    let (mut k, mut next) = (k, (k + 1) % count);
    if orbit.word.symmetric && count > 1 && next == 0 {
        draft = draft.begun_later(orbit, 1)?;
        (k, next) = (count - 2, count - 1);
    }
    if next == k {
        let mirrored = orbit.system.symmetry.as_ref().filter(|_| orbit.word.symmetric);
        if mirrored.is_some_and(|s| s.modes[own] != own) {
            return None;
        }
        draft.passages[k].1 = None;
    } else {
        if draft.passages[next].0 != own {
            return None;
        }
        draft.passages[k].1 = draft.passages[next].1;
        draft.durations[k] += draft.durations[next];
        draft.remove(next);
    }
    Some(draft.finished(orbit, "an event is no longer reached"))
}

/// Segment `k` touches the surface of an event from inside: beyond, the event happens there, and a short visit
/// elsewhere leads back.
fn with_another_segment(orbit: &PeriodicOrbit<'_>, z: &[f64], k: usize, w: usize) -> Vec<Neighbour> {
    let segment = &orbit.segments[k];
    let surface = &orbit.plan.clearances[k][w];
    let beyond = match touches_throughout(orbit, z, surface) {
        true => beyond_surface(orbit, z, surface),
        false => vec![],
    };
    if !beyond.is_empty() {
        return beyond;
    }
    let mut touch = vec![0.0; segment.n];
    let Ok(dense) = DenseOutput::new(orbit.system, segment, z, &orbit.parameters) else {
        return vec![];
    };
    let Ok(Some((at, _))) = nearest(orbit, z, k, &dense, surface) else {
        return vec![];
    };
    dense.eval(at, &mut touch);
    segments_at(orbit, z, k, w, &touch, at)
}

/// The orbit, one segment without an end, is on a surface all along: beyond, it is in a mode on the other side.
fn beyond_surface(orbit: &PeriodicOrbit<'_>, z: &[f64], surface: &Clearance) -> Vec<Neighbour> {
    let modes = &orbit.system.modes;
    let own = orbit.word.letters[0].mode;
    let meets = |event: &&Event| {
        Arc::ptr_eq(&event.guard, &surface.function) && -event.direction.sign() == surface.sign && event.reset.is_none()
    };
    let others = modes[own].events.iter().filter(meets).map(|event| event.target);
    let alike = others.filter(|&mode| mode != own && modes[mode].states == modes[own].states);
    let in_mode = |mode: usize| {
        let mut draft = Draft::of(orbit, z);
        draft.passages = vec![(mode, None)];
        draft.connected(orbit, "the orbit is beyond the surface all along")
    };
    alike.filter_map(in_mode).collect()
}

/// Are the side conditions of an event true at `x`, or nearly so, where states count as these sizes?
fn may_happen(event: &Event, x: &[f64], p: &[f64], sizes: &[f64]) -> bool {
    /// What is located where it touches is known to the root of rounding.
    const NEAR: f64 = 1e-6;
    event.when.iter().all(|condition| {
        let (value, slopes, _) = derivatives(condition.function.as_ref(), x, p, &[]);
        let terms: f64 = slopes.iter().zip(sizes).map(|(slope, size)| (slope * size).abs()).sum();
        value >= -NEAR * terms
    })
}

/// The words in which segment `k` meets the surface of its clearance `w` in state `touch`, after the time `at`. What
/// cannot happen in that state, as that a contact far below its static level gives way where another one is touched,
/// cannot beyond either.
pub(super) fn segments_at(
    orbit: &PeriodicOrbit<'_>,
    z: &[f64],
    k: usize,
    w: usize,
    touch: &[f64],
    at: f64,
) -> Vec<Neighbour> {
    let letter = orbit.word.letters[k];
    let mode = &orbit.system.modes[letter.mode];
    let surface = &orbit.plan.clearances[k][w];
    let (guard, sign) = (&surface.function, surface.sign);
    let sizes = orbit.sizes_at(z);
    let own = &sizes[orbit.segments[k].offset..][..touch.len()];
    let mut found = vec![];
    for (e, event) in mode.events.iter().enumerate() {
        let meets = Arc::ptr_eq(&event.guard, guard) && -event.direction.sign() == sign;
        if !meets || !may_happen(event, touch, &orbit.parameters, own) {
            continue;
        }
        // Straight back to the same mode, or by one visit of another.
        let back: Vec<Option<usize>> = if event.target == letter.mode {
            vec![None]
        } else {
            let events = orbit.system.modes[event.target].events.iter().enumerate();
            events
                .filter(|(_, b)| b.target == letter.mode)
                .map(|(b, _)| Some(b))
                .collect()
        };
        for b in back {
            found.extend(within(orbit, z, k, (e, b), touch, at));
        }
    }
    found
}

/// The word in which segment `k` is cut where it is in state `touch` after the time `at`, by event `e`, after which
/// event `back` of the mode it leads to returns at once.
fn within(
    orbit: &PeriodicOrbit<'_>,
    z: &[f64],
    k: usize,
    (e, back): (usize, Option<usize>),
    touch: &[f64],
    at: f64,
) -> Option<Neighbour> {
    let letter = orbit.word.letters[k];
    let mode = &orbit.system.modes[letter.mode];
    let target = mode.events[e].target;
    let mut passages = vec![(letter.mode, Some(e))];
    // A symmetric orbit without events begins anew at the mirror image of where it touches, or with the visit itself.
    let free = letter.event.is_none();
    let mirror = free && orbit.word.symmetric && back.is_none();
    if free && orbit.word.symmetric && back.is_some() {
        passages.clear();
    }
    let through = |mode: usize, event: usize, x: &[f64]| {
        let mut junction = Junction::new(orbit.system, mode, Some(event), mirror);
        let mut start = vec![0.0; junction.outputs()];
        junction.apply(x, &orbit.parameters, &mut start);
        start
    };
    let mut new_starts = vec![];
    let mut new_durations = vec![];
    let mut start = through(letter.mode, e, touch);
    if let Some(b) = back {
        passages.push((target, Some(b)));
        let next = through(target, b, &start);
        new_starts.push(start);
        new_durations.push(0.0);
        start = next;
    }
    new_starts.push(start);
    let mut draft = Draft::of(orbit, z);
    if free {
        let along = if passages[0].0 == letter.mode {
            new_starts.rotate_right(1);
            new_durations.insert(0, draft.durations[0]);
            let first = (!mirror).then_some((0, at));
            std::iter::once(first)
                .chain(new_durations[1..].iter().map(|_| None))
                .collect()
        } else {
            passages.push((letter.mode, None));
            new_durations.push(draft.durations[0]);
            vec![None, Some((0, at))]
        };
        draft = Draft {
            passages,
            starts: new_starts,
            durations: new_durations,
            along,
        };
    } else {
        let (after, appear) = (k + 1, new_durations.len());
        passages.push((letter.mode, letter.event));
        new_durations.insert(0, at);
        new_durations.push(draft.durations[k] - at);
        draft.passages.splice(k..=k, passages);
        draft.durations.splice(k..=k, new_durations);
        draft.starts.splice(after..after, new_starts);
        let added = std::iter::repeat_n(None, appear).chain([Some((k, at))]);
        draft.along.splice(after..after, added);
    }
    let event = &mode.events[e].name;
    let change = match back {
        Some(_) => {
            let name = &orbit.system.modes[target].name;
            format!("a segment `{name}` appears at the tangency with `{event}`")
        }
        None => format!("`{event}` occurs at the tangency from here on"),
    };
    draft.connected(orbit, &change)
}
