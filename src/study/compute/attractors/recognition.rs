//! Motions that come to an attractor that is known already, recognised before they have settled to it: by following a
//! known orbit round after round, ever closer, or by filling the place of a known chaotic motion.

use slipstick_flow::{AttractingOrbit, Passage, Segment};
use slipstick_system::System;
use std::collections::BTreeMap;

/// A motion that is this close to an orbit, relative to 1 + |state|, and comes closer, settles to it.
const NEAR: f64 = 1e-4;

/// Rounds that are compared.
const ROUNDS: usize = 2;

/// Events of a chaotic motion that are compared with the place of a known one, and the part of them that may be
/// outside of it.
const COMPARED: usize = 400;
const OUTSIDE: f64 = 0.03;

/// Events that make up this part of all must fill this part of their place.
const FREQUENT: f64 = 0.05;
const FILLED: f64 = 0.5;

/// A chaotic motion may leave the place of a known one, which was seen for a while only, by this part of it.
const BEYOND: f64 = 0.05;

/// Motions that return as closely as this are about to repeat themselves.
const REPEATS: f64 = 1e-6;

/// A mode, and the event that ends a stay there.
type Letter = (usize, usize);

/// The events of a full round of an orbit, each with the states at the beginning of the stay that it ends.
#[derive(Clone)]
pub(crate) struct Round(Vec<(Letter, Vec<f64>)>);

impl Round {
    /// That of a settled orbit; none without events.
    pub(crate) fn of(attracting: &AttractingOrbit, system: &System, p: &[f64]) -> Option<Self> {
        let half = |orbit: &AttractingOrbit| -> Option<Vec<(Letter, Vec<f64>)>> {
            let letters = orbit.word.iter().zip(&orbit.starts);
            letters
                .map(|(&(mode, event), start)| Some(((mode, event?), start.clone())))
                .collect()
        };
        let mut stays = half(attracting)?;
        if attracting.symmetric {
            stays.extend(half(&attracting.mirrored(system, p)?)?);
        }
        Some(Self(stays))
    }
}

/// Where the events of a chaotic motion happen.
#[derive(Clone, Default)]
pub(crate) struct Place {
    letters: BTreeMap<Letter, Spread>,
    events: usize,
}

/// How often an event happens, with the smallest and the largest value of each state.
#[derive(Clone, Default)]
struct Spread {
    events: usize,
    ranges: Vec<(f64, f64)>,
}

impl Place {
    /// That of a motion.
    pub(crate) fn of(segments: &[Segment], system: &System) -> Self {
        let mut place = Self::default();
        for segment in segments {
            if let Some(event) = segment.event {
                place.include(system, (segment.mode, event), &segment.start);
            }
        }
        place
    }

    fn include(&mut self, system: &System, letter: Letter, start: &[f64]) {
        self.events += 1;
        let spread = self.letters.entry(letter).or_default();
        spread.events += 1;
        spread.ranges.resize(start.len(), (f64::INFINITY, f64::NEG_INFINITY));
        for ((range, v), &state) in spread.ranges.iter_mut().zip(start).zip(&system.modes[letter.0].states) {
            let v = system.states[state].period.map_or(*v, |period| v.rem_euclid(period));
            *range = (range.0.min(v), range.1.max(v));
        }
    }

    fn contains(&self, system: &System, letter: Letter, start: &[f64]) -> bool {
        let Some(Spread { ranges, .. }) = self.letters.get(&letter) else {
            return false;
        };
        let within = |((range, v), &state): ((&(f64, f64), &f64), &usize)| {
            let v = system.states[state].period.map_or(*v, |period| v.rem_euclid(period));
            let beyond = BEYOND * (range.1 - range.0);
            (range.0 - beyond..=range.1 + beyond).contains(&v)
        };
        let states = &system.modes[letter.0].states;
        ranges.iter().zip(start).zip(states).all(within)
    }

    /// Does a motion whose events happen in `other` fill this place?
    fn is_filled_by(&self, other: &Self) -> bool {
        let frequent = |spread: &Spread| spread.events as f64 >= FREQUENT * self.events as f64;
        self.letters
            .iter()
            .filter(|(_, s)| frequent(s))
            .all(|(letter, spread)| {
                other.letters.get(letter).is_some_and(|own| {
                    let mut pairs = spread.ranges.iter().zip(&own.ranges);
                    pairs.all(|(range, own)| own.1 - own.0 >= FILLED * (range.1 - range.0))
                })
            })
    }
}

/// A motion under way, compared with what is known. `E` is the name of what is known.
pub(crate) struct Recognition<'a, E> {
    system: &'a System,
    rounds: Vec<Following<'a, E>>,
    places: Vec<Filling<'a, E>>,
}

/// How far a motion has followed an orbit.
struct Following<'a, E> {
    round: &'a Round,
    entry: E,
    /// The events of the orbit that the motion went along with, and how far it was from each.
    at: usize,
    apart: Vec<f64>,
}

/// How long a motion has been in the place of a chaotic one.
struct Filling<'a, E> {
    place: &'a Place,
    entry: E,
    outside: usize,
    own: Place,
}

impl<'a, E: Copy> Recognition<'a, E> {
    pub(crate) fn new(
        system: &'a System,
        rounds: impl Iterator<Item = (&'a Round, E)>,
        places: impl Iterator<Item = (&'a Place, E)>,
    ) -> Self {
        Self {
            system,
            rounds: rounds
                .map(|(round, entry)| Following {
                    round,
                    entry,
                    at: 0,
                    apart: vec![],
                })
                .collect(),
            places: places
                .map(|(place, entry)| Filling {
                    place,
                    entry,
                    outside: 0,
                    own: Place::default(),
                })
                .collect(),
        }
    }

    /// One more event: what the motion is recognised by now.
    pub(crate) fn passes(&mut self, passage: &Passage<'_>) -> Option<E> {
        let (system, letter) = (self.system, (passage.mode, passage.event));
        let mut rounds = self.rounds.iter_mut();
        let follows = rounds.find_map(|f| f.passes(system, letter, passage).then_some(f.entry));
        let mut places = self.places.iter_mut();
        follows.or_else(|| places.find_map(|f| f.passes(system, letter, passage).then_some(f.entry)))
    }
}

impl<E> Following<'_, E> {
    fn passes(&mut self, system: &System, letter: Letter, passage: &Passage<'_>) -> bool {
        let stays = &self.round.0;
        let apart = |k: usize| {
            let (own, start) = &stays[k];
            if *own == letter {
                slipstick_flow::distance(system, letter.0, start, passage.start)
            } else {
                f64::INFINITY
            }
        };
        let next = (self.at + 1) % stays.len();
        let (at, off) = match self.apart.is_empty() {
            false => (next, apart(next)),
            true => (0..stays.len())
                .map(|k| (k, apart(k)))
                .min_by(|a, b| a.1.total_cmp(&b.1))
                .unwrap_or((0, f64::INFINITY)),
        };
        if off > NEAR {
            self.apart.clear();
            return false;
        }
        self.at = at;
        self.apart.push(off);
        let n = stays.len();
        let Some(before) = self.apart.len().checked_sub(ROUNDS * n) else {
            return false;
        };
        let worst = |from: usize| self.apart[from..from + n].iter().copied().fold(0.0, f64::max);
        worst(before + n) < worst(before)
    }
}

impl<E> Filling<'_, E> {
    fn passes(&mut self, system: &System, letter: Letter, passage: &Passage<'_>) -> bool {
        if self.place.contains(system, letter, passage.start) {
            self.own.include(system, letter, passage.start);
        } else {
            self.outside += 1;
        }
        let events = self.own.events + self.outside;
        if events < COMPARED && passage.closest > REPEATS {
            return false;
        }
        let within = self.outside as f64 <= OUTSIDE * events as f64;
        if passage.closest > REPEATS && within && self.place.is_filled_by(&self.own) {
            return true;
        }
        (self.outside, self.own) = (0, Place::default());
        false
    }
}
