//! What happens at a boundary of admissibility, by the names of discontinuity-induced bifurcations.
//!
//! Where no motion is held on a surface, an orbit grazes it or meets the edge of two surfaces. Where it slides, the
//! modes before and after what appears or vanishes tell the four sliding bifurcations apart. Their names presume that
//! sliding begins and ends continuously, as between two fields of Filippov's. Where the force drops when stick ends, as
//! static friction does, orbits nearby part.
//!
//! Reference: M. di Bernardo, C. J. Budd, A. R. Champneys, P. Kowalczyk, *Piecewise-smooth Dynamical Systems*, Springer
//! (2008), ch. 6 to 8, with the orders of the maps in Table 8.1.

use crate::admissibility::{Subject, subjects};
use crate::contact::{Contact, Leading, contact};
use crate::corner::{Passing, passing, relative_rate};
use crate::dense_output::DenseOutput;
use crate::derivatives::derivatives;
use crate::normal_form::twelve_digits;
use crate::passed::nearest;
use crate::periodic::PeriodicOrbit;
use crate::segment_end::end_state;
use crate::sizes;
use crate::touching_throughout::touches_throughout;
use slipstick_bifurcation::Label;
use slipstick_continuation::Point;
use slipstick_flow::Junction;
use slipstick_system::{Event, Function, ModeKind, System};
use std::sync::Arc;

/// Rates that differ by less than this, relative to the largest, agree.
const AGREE: f64 = 1e-6;
/// And so do those that differ by less than this part of the fastest of all, whatever their units.
const ROUNDING: f64 = 1e-12;
/// Limits are reached within this: the flatter a touching is, the less certain is its moment.
const NEAR: f64 = 1e-3;
/// So near to the end of a segment, as part of its duration, is at its end; and a surface is met at an angle there if
/// its guard changes by at least this part of its size within a period, at the rate that it has.
const AT_END: f64 = 1e-6;
const TRANSVERSAL: f64 = 1e-3;
/// A component of a vector is left out below this part of the largest.
const NOTHING: f64 = 1e-9;

/// A bifurcation of a sliding orbit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sliding {
    Crossing,
    Grazing,
    Switching,
    Adding,
}

impl Sliding {
    /// Its name with the leading order of its map, where sliding ends `continuously` or not.
    fn in_words(self, continuously: bool) -> &'static str {
        match (self, continuously) {
            (Self::Crossing, true) => "; crossing-sliding: the discontinuity map begins with a quadratic term",
            (Self::Grazing, true) => "; grazing-sliding: the discontinuity map is piecewise linear to leading order",
            (Self::Switching, true) => "; switching-sliding: the discontinuity map begins with a cubic term",
            (Self::Adding, true) => "; adding-sliding: the discontinuity map begins with a quadratic term",
            (Self::Crossing, false) => {
                "; crossing-sliding with a jump of the force at the end of stick: the discontinuity map is piecewise linear to leading order"
            }
            (Self::Grazing, false) => "; grazing where stick would last: the discontinuity map jumps",
            (Self::Switching | Self::Adding, false) => {
                "; the force jumps where stick would end: the discontinuity map jumps"
            }
        }
    }
}

/// What happens at a boundary, to be told.
enum Happening {
    Sliding(Sliding, bool),
    Contact(usize, Contact),
    Corner,
    Throughout,
    Together(Together),
}

/// The end of a segment of this mode, by the event `ends`, on the surface of another event, `met` at an angle.
struct Together {
    mode: usize,
    ends: usize,
    met: usize,
    end: Vec<f64>,
}

/// What there is to be said of the orbit at `z`, where the inequality of index `broken` vanishes.
pub(crate) fn explain(orbit: &mut PeriodicOrbit<'_>, z: &[f64], broken: usize) -> Option<String> {
    orbit.take_parameters(z);
    let place = Place::of(orbit, z);
    Some(match happening(orbit, z, broken, &place)? {
        Happening::Sliding(sliding, continuously) => sliding.in_words(continuously).into(),
        Happening::Contact(mode, contact) => place.in_words(mode, &contact),
        Happening::Together(together) => place.corner_in_words(&together),
        Happening::Corner => {
            "; corner collision: the orbit meets an edge of the switching surfaces, and the discontinuity map is piecewise linear to leading order".into()
        }
        Happening::Throughout => "; the orbit touches the surface along its whole length".into(),
    })
}

/// The label and the meaning of the boundary at `z`, where the inequality of index `broken` vanishes, if the surface
/// that a segment comes to there is not touched but met at an angle, just where the segment ends.
pub(crate) fn met_at_end(orbit: &mut PeriodicOrbit<'_>, z: &[f64], broken: usize) -> Option<(Label, String)> {
    orbit.take_parameters(z);
    let place = Place::of(orbit, z);
    let &Subject::Clearance(k, w) = subjects(orbit).get(broken)? else {
        return None;
    };
    let Some(Happening::Together(Together { mode, ends, met, .. })) = touched_inside(orbit, z, (k, w), &place) else {
        return None;
    };
    let mode = &orbit.system.modes[mode];
    let [ends, met] = [ends, met].map(|e| &mode.events[e].name);
    let number = k + 1;
    let meaning = format!(
        "segment {number} (`{}`) meets the surface of `{met}` where it ends by `{ends}`: the two events coincide, and beyond another segment appears \
         between them",
        mode.name
    );
    Some((Label::VS, meaning))
}

/// Do motions beyond the boundary at `point`, where the inequality of index `broken` vanishes, part from the orbit
/// there? Then no orbit that stays near it goes on beyond.
///
/// ```
/// use slipstick_continuation::Point;
/// use slipstick_flow::FlowOptions;
/// use slipstick_orbit::{PeriodicOrbit, Word, parts_beyond};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let word = Word::parse("slip- stick", true, &system)?;
/// let mut orbit = PeriodicOrbit::new(&system, word, system.default_parameters(), vec![0], FlowOptions::default());
/// let z = orbit.guess(&[vec![0.0, 0.5, 0.0], vec![0.5, 1.0]], &[1.0, 0.5])?;
/// let point = Point { z, tangent: vec![], weights: vec![], meshes: None };
/// // Where the first segment vanishes, no stick lasts.
/// assert!(!parts_beyond(&mut orbit, &point, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parts_beyond(orbit: &mut PeriodicOrbit<'_>, point: &Point, broken: usize) -> bool {
    if orbit.be_at(point).is_err() {
        return false;
    }
    let place = Place::of(orbit, &point.z);
    match happening(orbit, &point.z, broken, &place) {
        Some(Happening::Sliding(Sliding::Grazing, continuously)) => !continuously,
        Some(Happening::Contact(_, contact)) => matches!(contact.leading, Leading::Jump),
        _ => false,
    }
}

fn happening(orbit: &PeriodicOrbit<'_>, z: &[f64], broken: usize, place: &Place<'_>) -> Option<Happening> {
    match *subjects(orbit).get(broken)? {
        // The jump ceases to set the event off, and nothing is touched.
        Subject::Rate(k) | Subject::Condition(k) if orbit.segments[k].ends_on_jump.is_some() => None,
        Subject::Duration(k) => vanishing(orbit, z, k, place),
        Subject::Rate(k) => {
            let mut end = vec![0.0; orbit.segments[k].n];
            end_state(orbit, z, k, &mut end).ok()?;
            place.touching((orbit.word.letters[k].mode, &end), &[orbit.word.letters[k].event?])
        }
        Subject::Condition(k) => at_condition(orbit, z, k, place),
        Subject::Corner(..) => None,
        Subject::Clearance(k, w) => touched_inside(orbit, z, (k, w), place),
    }
}

/// Does the motion go on without a jump of its rates through the event that ends segment `k`? Then what it touches from
/// inside it need not leave: to leave is no motion of its own, as between two fields of Filippov's.
pub(crate) fn leaves_continuously(orbit: &PeriodicOrbit<'_>, z: &[f64], k: usize) -> bool {
    let letter = orbit.word.letters[k];
    let mut end = vec![0.0; orbit.segments[k].n];
    let (Some(event), Ok(())) = (letter.event, end_state(orbit, z, k, &mut end)) else {
        return false;
    };
    let place = Place::of(orbit, z);
    let (next, start) = place.through((letter.mode, &end), event);
    place.agree((letter.mode, &end), (next, &start))
}

/// A system at the parameters of an orbit whose states have these sizes.
struct Place<'s> {
    system: &'s System,
    p: Vec<f64>,
    sizes: Vec<f64>,
}

impl<'s> Place<'s> {
    fn of(orbit: &PeriodicOrbit<'s>, z: &[f64]) -> Self {
        Self {
            system: orbit.system,
            p: orbit.parameters.clone(),
            sizes: sizes::largest_states(orbit, z)
                .into_iter()
                .map(|s| if s > 0.0 { s } else { 1.0 })
                .collect(),
        }
    }

    fn sticks(&self, mode: usize) -> bool {
        self.system.modes[mode].kind == ModeKind::Stick
    }

    fn sizes_in(&self, mode: usize) -> Vec<f64> {
        self.system.modes[mode].states.iter().map(|&s| self.sizes[s]).collect()
    }

    /// The mode that an event leads to, and the state there.
    fn through(&self, (mode, x): (usize, &[f64]), event: usize) -> (usize, Vec<f64>) {
        let mut junction = Junction::new(self.system, mode, Some(event), false);
        let mut next = vec![0.0; junction.outputs()];
        junction.apply(x, &self.p, &mut next);
        (self.system.modes[mode].events[event].target, next)
    }

    /// Do two modes move all states alike?
    fn agree(&self, (mode, x): (usize, &[f64]), (other, y): (usize, &[f64])) -> bool {
        let (a, b) = (
            self.system.full_rates(mode, x, &self.p),
            self.system.full_rates(other, y, &self.p),
        );
        let size = |v: &f64, i: usize| (v / self.sizes[i]).abs();
        let largest = (0..a.len()).fold(0.0f64, |m, i| m.max(size(&a[i], i)).max(size(&b[i], i)));
        // States of orbits that have come to rest are as small as their rates, which are rounding then.
        let fastest = a.iter().chain(&b).fold(0.0f64, |m, v| m.max(v.abs()));
        (0..a.len()).all(|i| {
            let apart = a[i] - b[i];
            size(&apart, i) <= AGREE * largest || apart.abs() <= ROUNDING * fastest
        })
    }

    /// The value of a function at a state of a mode, relative to what the sizes of the states make of it.
    fn relative(&self, function: &dyn Function, (mode, x): (usize, &[f64])) -> f64 {
        let (value, slopes, _) = derivatives(function, x, &self.p, &[]);
        let sizes = self.sizes_in(mode);
        let terms: f64 = slopes
            .iter()
            .zip(&sizes)
            .map(|(slope, size)| (slope * size).abs())
            .sum();
        value / terms.max(f64::MIN_POSITIVE)
    }

    /// May stick end at once at a state? Where it may not, as below the level of static friction, it lasts.
    fn may_leave(&self, at: (usize, &[f64])) -> bool {
        let mut events = self.system.modes[at.0].events.iter();
        events.any(|event| !self.sticks(event.target) && self.relative(event.guard.as_ref(), at).abs() <= NEAR)
    }

    /// Are the conditions of an event true at a state, or nearly so? A wall that is touched from inside keeps nothing.
    fn may_happen(&self, at: (usize, &[f64]), event: &Event) -> bool {
        let mut conditions = event.when.iter();
        conditions.all(|condition| self.relative(condition.function.as_ref(), at) >= -NEAR)
    }

    /// A state of a mode touches the surface of these events of it.
    fn touching(&self, at: (usize, &[f64]), events: &[usize]) -> Option<Happening> {
        let own = &self.system.modes[at.0].events;
        let sticky = events
            .iter()
            .find(|&&e| self.sticks(own[e].target) != self.sticks(at.0) && self.may_happen(at, &own[e]));
        let &e = sticky.or(events.first())?;
        if sticky.is_some() {
            let (other, y) = self.through(at, e);
            let continuously = self.agree(at, (other, &y)) && (self.sticks(at.0) || self.may_leave((other, &y)));
            let kind = if self.sticks(at.0) {
                Sliding::Adding
            } else {
                Sliding::Grazing
            };
            return Some(Happening::Sliding(kind, continuously));
        }
        if self.sticks(at.0) {
            return None;
        }
        let found = contact(self.system, at.0, e, at.1, &self.p, &self.sizes_in(at.0))?;
        Some(Happening::Contact(at.0, found))
    }

    /// Two events at once in words.
    fn corner_in_words(&self, Together { mode, ends, met, end }: &Together) -> String {
        let events = &self.system.modes[*mode].events;
        let surface = &events[*met].name;
        let sizes = self.sizes_in(events[*ends].target);
        let begins = match passing(self.system, (*mode, end), (*ends, *met), &self.p, &sizes) {
            Passing::Linear(c) => format!(
                "the discontinuity map is piecewise linear to leading order and begins with c y, c = {} (y: how far an orbit would pass the surface of `{surface}`)",
                self.vector(events[*ends].target, &c)
            ),
            Passing::Unknown => "the discontinuity map is piecewise linear to leading order".into(),
            Passing::Jump => format!(
                "an orbit that passes the surface of `{surface}` does not come to that of `{}` at once: the discontinuity map jumps",
                events[*ends].name
            ),
        };
        format!("; corner collision: {begins}")
    }

    /// A change of the states of a mode, component by component.
    fn vector(&self, mode: usize, c: &[f64]) -> String {
        let states = &self.system.modes[mode].states;
        let size = |i: usize| (c[i] / self.sizes[states[i]]).abs();
        let largest = (0..c.len()).map(size).fold(0.0, f64::max);
        let parts = (0..c.len()).filter(|&i| size(i) > NOTHING * largest);
        let parts = parts.map(|i| format!("{} in {}", twelve_digits(c[i]), self.system.states[states[i]].name));
        let parts: Vec<String> = parts.collect();
        if parts.is_empty() { "0".into() } else { parts.join(", ") }
    }

    /// A touching in words.
    fn in_words(&self, mode: usize, contact: &Contact) -> String {
        let begins = match &contact.leading {
            Leading::Root(Some(c)) => format!(
                "grazing with a square-root singularity: the discontinuity map begins with c √y, c = {}",
                self.vector(mode, c)
            ),
            Leading::Root(None) => "grazing with a square-root singularity of the discontinuity map in y".into(),
            Leading::ThreeHalves(Some(c)) => format!(
                "grazing with a 3/2 singularity: the discontinuity map begins with c y^(3/2), c = {}",
                self.vector(mode, c)
            ),
            Leading::ThreeHalves(None) => "grazing with a 3/2 singularity of the discontinuity map in y".into(),
            Leading::Higher => "grazing with a singularity of order 5/2 or higher of the discontinuity map in y".into(),
            Leading::Jump => {
                "grazing where the motion beyond does not stay near: the discontinuity map jumps at y = 0".into()
            }
        };
        format!(
            "; {begins} (y: how far an orbit would pass the surface; the second derivative of its guard along the flow is {})",
            twelve_digits(contact.curvature)
        )
    }
}

/// Segment `k` vanishes.
fn vanishing(orbit: &PeriodicOrbit<'_>, z: &[f64], k: usize, place: &Place<'_>) -> Option<Happening> {
    let letters = &orbit.word.letters;
    let (own, event) = (letters[k].mode, letters[k].event?);
    let last = letters.last()?;
    let mirrored = |mode: usize| match orbit.system.symmetry.as_ref().filter(|_| orbit.word.symmetric) {
        Some(symmetry) => symmetry.modes[mode],
        None => mode,
    };
    let before = match k.checked_sub(1) {
        Some(k) => letters[k].mode,
        None => mirrored(last.mode),
    };
    let start = (own, orbit.start(z, k));
    let (after, next) = place.through(start, event);
    let continuously = place.agree(start, (after, &next));
    let sliding = |kind| Some(Happening::Sliding(kind, continuously));
    match [before, own, after].map(|mode| place.sticks(mode)) {
        [false, true, false] if before == after => sliding(Sliding::Grazing),
        [false, true, false] => sliding(Sliding::Crossing),
        [true, false, true] if before == after => sliding(Sliding::Adding),
        [false, false, true] => sliding(Sliding::Switching),
        [false, false, false] if before != own => {
            let came = match k.checked_sub(1) {
                Some(k) => letters[k].event?,
                None if orbit.word.symmetric => return None,
                None => last.event?,
            };
            let modes = &orbit.system.modes;
            if before == after && modes[before].states == modes[own].states {
                return place.touching((before, start.1), &[came]);
            }
            let edge =
                before != after && !Arc::ptr_eq(&modes[before].events[came].guard, &modes[own].events[event].guard);
            edge.then_some(Happening::Corner)
        }
        _ => None,
    }
}

/// A side condition of the event that ends segment `k` reaches its limit.
fn at_condition(orbit: &PeriodicOrbit<'_>, z: &[f64], k: usize, place: &Place<'_>) -> Option<Happening> {
    let (own, event) = (orbit.word.letters[k].mode, orbit.word.letters[k].event?);
    let events = &orbit.system.modes[own].events;
    if place.sticks(own) {
        return None;
    }
    let mut end = vec![0.0; orbit.segments[k].n];
    end_state(orbit, z, k, &mut end).ok()?;
    let same = |e: &usize| Arc::ptr_eq(&events[*e].guard, &events[event].guard) && *e != event;
    let others: Vec<usize> = (0..events.len()).filter(same).collect();
    let lands = place.sticks(events[event].target);
    let kind = if lands { Sliding::Switching } else { Sliding::Crossing };
    let other = others.iter().find(|&&e| place.sticks(events[e].target) != lands);
    match other {
        Some(&other) => {
            let (a, x) = place.through((own, &end), event);
            let (b, y) = place.through((own, &end), other);
            Some(Happening::Sliding(kind, place.agree((a, &x), (b, &y))))
        }
        None => (!lands && !others.is_empty()).then_some(Happening::Corner),
    }
}

/// Segment `k` touches the surface of its clearance `w` from inside.
fn touched_inside(
    orbit: &PeriodicOrbit<'_>,
    z: &[f64],
    (k, w): (usize, usize),
    place: &Place<'_>,
) -> Option<Happening> {
    let (mode, surface) = (orbit.word.letters[k].mode, &orbit.plan.clearances[k][w]);
    if touches_throughout(orbit, z, surface) {
        return Some(Happening::Throughout);
    }
    let dense = DenseOutput::new(orbit.system, &orbit.segments[k], z, &place.p).ok()?;
    let (at, _) = nearest(orbit, z, k, &dense, surface).ok()??;
    let mut touch = vec![0.0; orbit.segments[k].n];
    dense.eval(at, &mut touch);
    let events = orbit.system.modes[mode].events.iter().enumerate();
    let here = events.filter(|(_, e)| Arc::ptr_eq(&e.guard, &surface.function) && -e.direction.sign() == surface.sign);
    let here: Vec<usize> = here.map(|(e, _)| e).collect();
    let (duration, period) = (orbit.duration(z, k), orbit.period(z));
    if let (Some(ends), true) = (orbit.word.letters[k].event, (at - duration).abs() <= AT_END * duration)
        && let Some(&met) = here
            .iter()
            .find(|&&e| e != ends && place.may_happen((mode, &touch), &orbit.system.modes[mode].events[e]))
        && relative_rate(
            orbit.system,
            (mode, &touch),
            met,
            &place.p,
            (&place.sizes_in(mode), period),
        ) > TRANSVERSAL
    {
        return Some(Happening::Together(Together {
            mode,
            ends,
            met,
            end: touch,
        }));
    }
    place.touching((mode, &touch), &here)
}
