//! When does a sequence of visits repeat itself, and what orbit is that?

use super::same_instant::{instant_of, put_in_order};
use super::stay::Stay;
use slipstick_system::System;

/// The length of the word with which the history ends twice, and how far apart the two rounds are; without a repetition
/// the distance of the closest return of the last visit.
pub(super) fn repetition(
    system: &System,
    history: &[Stay],
    longest: usize,
    tolerance: f64,
    unit: f64,
) -> (Option<usize>, f64) {
    /// A shorter word that is this much short of repeating is still settling; its multiples must wait for it. (Near a
    /// multiplier of -1 every second round is much closer than the next.)
    const REPEATING: f64 = 1e4;
    /// Words of more letters are looked for after so many events only: a motion that repeats itself goes on to do so.
    const SHORT: usize = 64;
    let n = history.len();
    let mut closest = f64::INFINITY;
    let mut transient: Option<usize> = None;
    let looked_for = if n.is_multiple_of(SHORT) {
        longest
    } else {
        longest.min(SHORT)
    };
    for length in 1..=looked_for.min(n / 2) {
        if transient.is_some_and(|shorter| length % shorter == 0) {
            continue;
        }
        let (round, before) = (&history[n - length..], &history[n - 2 * length..n - length]);
        let (a, b) = (&round[length - 1], &before[length - 1]);
        if a.mode != b.mode || a.event != b.event {
            continue;
        }
        let last = apart(system, a.mode, (&a.start, &b.start), unit);
        // Among so many returns of a motion that never repeats itself some are close.
        if length <= SHORT {
            closest = closest.min(last);
        }
        if last > REPEATING * tolerance
            || round.iter().all(|s| s.duration == 0.0)
            || round
                .iter()
                .zip(before)
                .any(|(a, b)| a.mode != b.mode || a.event != b.event)
        {
            continue;
        }
        let of_time = unit_of_time(round);
        let worst = round
            .iter()
            .zip(before)
            .map(|(a, b)| {
                let apart = apart(system, a.mode, (&a.start, &b.start), unit);
                apart.max((a.duration - b.duration).abs() / of_time)
            })
            .fold(0.0, f64::max);
        if last <= tolerance && worst <= 10.0 * tolerance {
            return (Some(length), worst);
        }
        if last <= tolerance && returns_but_for_times(system, history, length, (tolerance, unit)) {
            return (Some(length), worst);
        }
        transient.get_or_insert(length);
    }
    (None, closest)
}

/// What durations are measured by: the time of a round, where that is far below one.
fn unit_of_time(round: &[Stay]) -> f64 {
    const SHORT: f64 = 1e-3;
    let whole: f64 = round.iter().map(|s| s.duration).sum();
    if whole > 0.0 && whole < SHORT { whole } else { 1.0 }
}

/// Has a word of this length come again several times with the same states, and with durations that differ by errors
/// of the integrator? A motion that passes close to zero, or to an equilibrium, stays there for a time that depends
/// on these errors, and forgets it.
fn returns_but_for_times(system: &System, history: &[Stay], length: usize, (tolerance, unit): (f64, f64)) -> bool {
    /// So many rounds are looked at.
    const ROUNDS: usize = 6;
    /// Durations differ by this part of the whole at most.
    const ERROR: f64 = 1e-3;
    /// Differences that get smaller by this factor are those of a transient.
    const SHRINKING: f64 = 0.1;
    let Some(first) = history.len().checked_sub(ROUNDS * length) else {
        return false;
    };
    let rounds: Vec<&[Stay]> = history[first..].chunks_exact(length).collect();
    let alike = |(a, b): (&Stay, &Stay)| {
        let same = a.mode == b.mode && a.event == b.event;
        same && apart(system, a.mode, (&a.start, &b.start), unit) <= 10.0 * tolerance
    };
    if !rounds.windows(2).all(|w| w[0].iter().zip(w[1]).all(alike)) {
        return false;
    }
    let times: Vec<f64> = rounds.iter().map(|r| r.iter().map(|s| s.duration).sum()).collect();
    let changes: Vec<f64> = times.windows(2).map(|w| w[1] - w[0]).collect();
    let most = |part: &[f64]| part.iter().fold(0.0f64, |m, c| m.max(c.abs()));
    let (early, late) = changes.split_at(changes.len() / 2);
    let scatters = changes.iter().any(|c| *c > 0.0) && changes.iter().any(|c| *c < 0.0);
    scatters && most(&changes) <= ERROR * times[0] && most(late) >= SHRINKING * most(early)
}

/// The largest difference of two states of a mode, relative to 1 + |state|, angles modulo their periods.
#[doc(hidden)]
pub fn distance(system: &System, mode: usize, a: &[f64], b: &[f64]) -> f64 {
    apart(system, mode, (a, b), 1.0)
}

/// The same, relative to `unit` + |state|.
pub(super) fn apart(system: &System, mode: usize, (a, b): (&[f64], &[f64]), unit: f64) -> f64 {
    let mut largest: f64 = 0.0;
    for (k, &state) in system.modes[mode].states.iter().enumerate() {
        let d = match system.states[state].period {
            Some(period) => {
                let d = (a[k] - b[k]).rem_euclid(period);
                d.min(period - d)
            }
            None => (a[k] - b[k]).abs() / (unit + a[k].abs()),
        };
        largest = largest.max(d);
    }
    largest
}

/// Of two equal rounds one after the other, that round which starts with the least letter (in the order of mode and
/// event) of those that last: consecutive in time, so its angles count on.
pub(super) fn canonical(two_rounds: &[Stay]) -> &[Stay] {
    let n = two_rounds.len() / 2;
    let instant = instant_of(two_rounds);
    let word = |k: &usize| {
        let letters = two_rounds[*k..*k + n].iter().map(|s| (s.mode, s.event));
        (two_rounds[*k].duration <= instant, letters.collect::<Vec<_>>())
    };
    let first = (0..n).min_by_key(word).unwrap_or(0);
    &two_rounds[first..first + n]
}

/// Does the symmetry carry the first half of the round to the second?
pub(super) fn is_symmetric(system: &System, round: &[Stay], p: &[f64], (tolerance, unit): (f64, f64)) -> bool {
    let Some(symmetry) = &system.symmetry else { return false };
    let half = round.len() / 2;
    if round.len() != 2 * half || half == 0 {
        return false;
    }
    let (of_time, instant) = (unit_of_time(round), instant_of(round));
    let mut images: Vec<Stay> = Vec::with_capacity(half);
    for stay in &round[..half] {
        let mode = symmetry.modes[stay.mode];
        let Some(event) = system.mirrored_event(stay.mode, stay.event) else {
            return false;
        };
        images.push(Stay {
            mode,
            event,
            start: image(system, stay.mode, &stay.start, p),
            end: image(system, stay.mode, &stay.end, p),
            duration: stay.duration,
        });
        // The images of events of one instant have an order of their own.
        put_in_order(system, &mut images, p, instant);
    }
    images.iter().zip(&round[half..]).all(|(a, b)| {
        (a.mode, a.event) == (b.mode, b.event)
            && (a.duration - b.duration).abs() <= tolerance * of_time
            && apart(system, b.mode, (&a.start, &b.start), unit) <= tolerance
    })
}

/// The image of a state of `mode` under the symmetry, as a state of the image mode.
pub fn image(system: &System, mode: usize, x: &[f64], p: &[f64]) -> Vec<f64> {
    let Some(symmetry) = &system.symmetry else {
        return x.to_vec();
    };
    let full = system.full_state(mode, x, p);
    let propagated = |&s: &usize| symmetry.sign[s] * full[symmetry.source[s]] + symmetry.shift[s];
    system.modes[symmetry.modes[mode]]
        .states
        .iter()
        .map(propagated)
        .collect()
}

/// Shift each angle by whole periods, the same for the whole round, so that it lies in [0, period) where it first
/// appears.
pub(super) fn wrap_together(system: &System, round: &mut [Stay]) {
    for (index, state) in system.states.iter().enumerate() {
        let Some(period) = state.period else { continue };
        let mut turns = None;
        for stay in &mut *round {
            if let Some(i) = system.modes[stay.mode].states.iter().position(|&s| s == index) {
                let turns = *turns.get_or_insert((stay.start[i] / period).floor() * period);
                stay.start[i] -= turns;
            }
        }
    }
}
