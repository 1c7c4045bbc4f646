//! The least period of a motion that was settled to: next to a doubling, or a breaking of symmetry, a shorter orbit is
//! approached so slowly that two of its rounds, or two halves, agree long before one round agrees with the next.

use crate::compute::attractors::problem::measured;
use slipstick_continuation::{Newton, NewtonOptions};
use slipstick_flow::{AttractingOrbit, FlowOptions, ModeFlow};
use slipstick_orbit::{Letter, PeriodicOrbit, Word, adopt};
use slipstick_system::System;

/// A shorter orbit is looked for where its rounds are this close to each other already; without events, in units of how
/// far the motion goes.
const CLOSE: f64 = 0.03;

/// It is found within this many times that distance, or this far off.
const REACH: f64 = 5.0;
const SOLVED: f64 = 1e-7;

/// The most rounds, or halves, of a motion without events that are taken for one.
const MOST_ROUNDS: usize = 16;

/// log₁₀ of a multiplier that is 1 up to rounding.
const NEUTRAL: f64 = 1e-11;

/// Places at which it is seen how far a motion without events goes.
const LOOKS: usize = 7;

/// A part of a settled orbit that might be an orbit of its own, and how far the next part is from it.
struct Part {
    orbit: AttractingOrbit,
    apart: f64,
}

/// The orbit that was settled to: the shortest of which the settled rounds are repetitions within what is still to
/// settle, if it attracts.
pub(crate) fn least(
    system: &System,
    repeated: AttractingOrbit,
    p: &[f64],
    free: usize,
    flow: FlowOptions,
) -> AttractingOrbit {
    let mut parts = match repeated.word[..] {
        [(mode, None)] => free_parts(system, mode, &repeated, p, flow),
        _ => parts(system, &repeated, p),
    };
    parts.sort_by(|a, b| a.orbit.period.total_cmp(&b.orbit.period));
    let mut shorter = parts.into_iter().filter(|part| part.apart <= CLOSE);
    shorter
        .find_map(|part| attracting(system, &part, p, free, flow))
        .unwrap_or(repeated)
}

/// Parts of the word of a hybrid orbit of which it consists.
fn parts(system: &System, repeated: &AttractingOrbit, p: &[f64]) -> Vec<Part> {
    let count = repeated.word.len();
    let mirror = |k: usize| {
        let (mode, event) = repeated.word[k];
        let image = event.map(|e| system.mirrored_event(mode, e));
        Some((system.symmetry.as_ref()?.modes[mode], image.flatten()))
    };
    let mut found = vec![];
    for length in (1..=count).filter(|d| count.is_multiple_of(*d)) {
        for mirrored in [true, false] {
            // From one part to the next the symmetry leads, or nothing does; whole orbits are expressed in halves if
            // the symmetry carries one to the other.
            let passes = count / length;
            let fits = match (repeated.symmetric, mirrored) {
                (true, true) => passes % 2 == 1,
                (false, true) => passes.is_multiple_of(2),
                (symmetric, false) => !symmetric,
            };
            if !fits || passes == 1 {
                continue;
            }
            let same = |k: usize| {
                let next = repeated.word[k + length];
                if mirrored {
                    mirror(k) == Some(next)
                } else {
                    repeated.word[k] == next
                }
            };
            if !(0..count - length).all(same) {
                continue;
            }
            let durations = repeated.durations[..length].to_vec();
            let part: f64 = durations.iter().sum();
            let orbit = AttractingOrbit {
                word: repeated.word[..length].to_vec(),
                starts: repeated.starts[..length].to_vec(),
                period: if mirrored { 2.0 * part } else { part },
                durations,
                symmetric: mirrored,
                closure: repeated.closure,
            };
            let image = if mirrored {
                orbit.mirrored(system, p)
            } else {
                Some(orbit.clone())
            };
            let Some(image) = image else { continue };
            let far = |k: usize| {
                distance(
                    system,
                    repeated.word[k + length].0,
                    &image.starts[k],
                    &repeated.starts[k + length],
                )
            };
            let apart = (0..length).map(far).fold(0.0, f64::max);
            found.push(Part { orbit, apart });
        }
    }
    found
}

/// The same of an orbit without events: by its time.
fn free_parts(system: &System, mode: usize, repeated: &AttractingOrbit, p: &[f64], flow: FlowOptions) -> Vec<Part> {
    let flow = ModeFlow::new(system, mode, flow);
    let start = &repeated.starts[0];
    let mut found = vec![];
    let mut size: f64 = 0.0;
    for k in 1..LOOKS {
        let mut x = start.clone();
        if flow
            .advance(start, repeated.period * k as f64 / LOOKS as f64, p, &mut x)
            .is_err()
        {
            return vec![];
        }
        size = size.max(distance(system, mode, start, &x));
    }
    for rounds in 1..=MOST_ROUNDS {
        for symmetric in [true, false] {
            if (!symmetric && (rounds == 1 || repeated.symmetric))
                || (symmetric && repeated.symmetric && rounds % 2 == 0)
            {
                continue;
            }
            if symmetric && repeated.symmetric && rounds == 1 {
                continue;
            }
            let period = repeated.period / rounds as f64;
            let part = if symmetric { 0.5 * period } else { period };
            let orbit = AttractingOrbit {
                durations: vec![part],
                symmetric,
                period,
                ..repeated.clone()
            };
            let image = if symmetric {
                orbit.mirrored(system, p)
            } else {
                Some(orbit.clone())
            };
            let Some(image) = image.filter(|i| i.word == orbit.word) else {
                continue;
            };
            let mut end = start.clone();
            if flow.advance(start, part, p, &mut end).is_ok() {
                let apart = distance(system, mode, &image.starts[0], &end);
                if apart <= CLOSE * size {
                    found.push(Part { orbit, apart });
                }
            }
        }
    }
    found
}

/// The largest difference of two states of a mode, relative to 1 + |state|, angles modulo their periods.
fn distance(system: &System, mode: usize, a: &[f64], b: &[f64]) -> f64 {
    let states = &system.modes[mode].states;
    let off = |((&s, a), b): ((&usize, &f64), &f64)| match system.states[s].period {
        Some(period) => (a - b - period * ((a - b) / period).round()).abs(),
        None => (a - b).abs() / (1.0 + a.abs()),
    };
    states.iter().zip(a).zip(b).map(off).fold(0.0, f64::max)
}

/// The orbit near a part of a settled one, if there is one and it attracts.
fn attracting(system: &System, part: &Part, p: &[f64], free: usize, flow: FlowOptions) -> Option<AttractingOrbit> {
    let word = Word {
        letters: part
            .orbit
            .word
            .iter()
            .map(|&(mode, event)| Letter { mode, event })
            .collect(),
        symmetric: part.orbit.symmetric,
    };
    let mut problem = PeriodicOrbit::new(system, word, p.to_vec(), vec![free], flow);
    let mut z = adopt(&mut problem, &part.orbit).ok()?;
    let guess = problem.ends(&z);
    let n = z.len();
    let mut row = vec![0.0; n];
    row[n - 1] = 1.0;
    let anchor = z.clone();
    Newton::default()
        .solve(&mut problem, &mut z, &row, &anchor, &[0.0], &NewtonOptions::default())
        .ok()?;
    let ends = problem.ends(&z);
    let reach = SOLVED + REACH * part.apart;
    let near = part
        .orbit
        .word
        .iter()
        .zip(ends.iter().zip(&guess))
        .all(|(&(mode, _), (a, b))| {
            let states = system.modes[mode].states.len();
            distance(system, mode, &a[..states], &b[..states]) <= reach
        });
    if !near {
        return None;
    }
    let record = measured(&mut problem, z)?;
    // Orbits of a continuum attract nothing: a multiplier is +1 up to rounding.
    let neutral = record.multipliers.iter().any(|m| m.log10 > -NEUTRAL);
    if neutral || !record.admissible() {
        return None;
    }
    let (starts, durations) = part
        .orbit
        .word
        .iter()
        .zip(ends)
        .map(|(&(mode, _), mut end)| {
            let states = system.modes[mode].states.len();
            let duration = end[states];
            end.truncate(states);
            (end, duration)
        })
        .unzip();
    Some(AttractingOrbit {
        starts,
        durations,
        period: record.period,
        ..part.orbit.clone()
    })
}
