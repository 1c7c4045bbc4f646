//! Starts that go round an orbit several times: the orbit is counted over its least period instead.

use crate::compute::correction::{corrected, smooth};
use crate::compute::family::problem_like;
use crate::compute::given::own_states;
use crate::compute::interpolation::Interpolation;
use crate::plan::entries::CurvePlan;
use slipstick_continuation::{Point, Problem};
use slipstick_flow::AttractingOrbit;
use slipstick_orbit::{Letter, PeriodicOrbit, SAME_PLACE, Word};

/// So many laps are looked for.
const MOST: usize = 16;

/// Times of a period at which laps are compared.
const COMPARED: usize = 12;

/// A state that stays at a value is compared with this part of it, one that stays zero with this part of the extents of
/// others.
const STILL: f64 = 1e-3;
const ZERO: f64 = 1e-6;

/// Rows of a lap from which it is solved anew.
const ROWS: usize = 400;

/// The orbit with unknowns `z` counted over its least period, and what is to be said of that, where it is passed
/// several times in its period: where it comes again to this `accuracy`, relative to its extent.
pub(crate) fn at_least_period(problem: &mut PeriodicOrbit<'_>, z: &[f64], accuracy: f64) -> Option<(Vec<f64>, String)> {
    let word = problem.word();
    if !smooth(word) || word.symmetric {
        return None;
    }
    let mode = word.letters.first()?.mode;
    let point = Point {
        z: z.to_vec(),
        tangent: vec![0.0; z.len()],
        weights: vec![0.0; z.len()],
        meshes: problem.meshes(),
    };
    let sample = problem.sample(&point, ROWS).ok()?;
    let first = sample.states.first()?;
    let extents: Vec<f64> = (0..first.len())
        .map(|i| {
            let values = sample.states.iter().map(|x| x[i]);
            let largest = values.clone().fold(0.0f64, |m, v| m.max(v.abs()));
            let range = values.clone().fold(f64::NEG_INFINITY, f64::max) - values.fold(f64::INFINITY, f64::min);
            range.max(STILL * largest)
        })
        .collect();
    // A state that stays zero does so up to rounding.
    let most = extents.iter().fold(0.0f64, |m, e| m.max(*e));
    let extents: Vec<f64> = extents.into_iter().map(|e| e.max(ZERO * most)).collect();
    let period = problem.period(z);
    let turns: Vec<Option<f64>> = problem.system().states.iter().map(|s| s.period).collect();
    let mut comes_again = |laps: usize, t: f64| {
        let later = problem.state(&point, t + period / laps as f64).ok()?.1;
        let now = problem.state(&point, t).ok()?.1;
        let apart = |i: usize| {
            let difference = later[i] - now[i];
            let difference = turns[i].map_or(difference, |turn| difference - (difference / turn).round() * turn);
            difference.abs() > accuracy * extents[i]
        };
        (!(0..now.len()).any(apart)).then_some(())
    };
    let laps = (2..=MOST).rev().find(|&laps| {
        let times = (0..COMPARED).map(|j| period * (1.0 - 1.0 / laps as f64) * j as f64 / COMPARED as f64);
        times.into_iter().all(|t| comes_again(laps, t).is_some())
    })?;
    let sample = problem.sample(&point, ROWS * laps).ok()?;
    let system = problem.system();
    let rows = sample.states.iter().map(|x| own_states(system, mode, x)).collect();
    let trajectory = Interpolation::new(sample.t, rows);
    let least = period / laps as f64;
    let guess = problem
        .guess_trajectory(least, &|t, out| trajectory.eval(t, out))
        .ok()?;
    let z = corrected(problem, guess).ok()?;
    let [period, least] = [period, least].map(|t| t * system.units.time);
    let said = format!(
        "the period {period} of the start is {laps} times the least period; the curve is traced with the least period {least}"
    );
    Some((z, said))
}

/// The shortest part of a solved orbit with events that the orbit consists of, one after the other or each the mirror
/// image of the one before, and how many such orbits it takes; none where the orbit is gone round once.
fn shortest_part(problem: &PeriodicOrbit<'_>, z: &[f64]) -> Option<(AttractingOrbit, usize)> {
    let (system, word) = (problem.system(), problem.word());
    let count = word.letters.len();
    if smooth(word) {
        return None;
    }
    let ends = problem.ends(z);
    let period = problem.period(z);
    let mut sizes = vec![0.0; z.len()];
    problem.sizes(z, &mut sizes);
    let sizes = problem.ends(&sizes);
    let part = |length: usize, symmetric: bool| {
        let durations: Vec<f64> = ends[..length].iter().filter_map(|e| e.last().copied()).collect();
        let time: f64 = durations.iter().sum();
        AttractingOrbit {
            word: word.letters[..length].iter().map(|l| (l.mode, l.event)).collect(),
            starts: ends[..length].iter().map(|e| e[..e.len() - 1].to_vec()).collect(),
            durations,
            symmetric,
            period: if symmetric { 2.0 * time } else { time },
            closure: 0.0,
        }
    };
    let repeats = |length: usize, mirrored: bool| {
        (0..count / length - 1).all(|lap| {
            let here = AttractingOrbit {
                word: word.letters[lap * length..][..length]
                    .iter()
                    .map(|l| (l.mode, l.event))
                    .collect(),
                starts: ends[lap * length..][..length]
                    .iter()
                    .map(|e| e[..e.len() - 1].to_vec())
                    .collect(),
                ..part(length, false)
            };
            let image = if mirrored {
                here.mirrored(system, problem.parameters())
            } else {
                Some(here)
            };
            let Some(image) = image else { return false };
            (0..length).all(|k| {
                let at = (lap + 1) * length + k;
                let letter = word.letters[at];
                let (there, size) = (&ends[at], &sizes[at]);
                let states = &system.modes[letter.mode].states;
                let near = |(i, &state): (usize, &usize)| {
                    let off = image.starts[k][i] - there[i];
                    let off = system.states[state].period.map_or(off, |p| off - (off / p).round() * p);
                    off.abs() <= SAME_PLACE * size[i]
                };
                let before = ends[at - length].last();
                image.word[k] == (letter.mode, letter.event)
                    && before
                        .zip(there.last())
                        .is_some_and(|(a, b)| (a - b).abs() <= SAME_PLACE * period)
                    && states.iter().enumerate().all(near)
            })
        })
    };
    (1..count).filter(|d| count % d == 0).find_map(|length| {
        let passes = count / length;
        // A whole orbit of two mirrored halves is gone round once; of half a symmetric one there is an odd number of
        // halves.
        [true, false].into_iter().find_map(|mirrored| {
            let laps = match (word.symmetric, mirrored) {
                (true, true) if passes % 2 == 1 => passes,
                (false, true) if passes % 2 == 0 && passes > 2 => passes / 2,
                (false, false) => passes,
                _ => return None,
            };
            repeats(length, mirrored).then(|| (part(length, mirrored), laps))
        })
    })
}

/// How many times a solved orbit with events is gone round, where that is more than once.
pub(crate) fn laps_with_events(problem: &PeriodicOrbit<'_>, z: &[f64]) -> Option<usize> {
    shortest_part(problem, z).map(|(_, laps)| laps)
}

/// The problem of the orbit with events `z` gone round once, its unknowns, and what is to be said of that, where it is
/// gone round several times.
pub(crate) fn at_least_period_with_events<'s>(
    curve: &CurvePlan,
    problem: &PeriodicOrbit<'s>,
    z: &[f64],
) -> Option<(PeriodicOrbit<'s>, Vec<f64>, String)> {
    let (part, laps) = shortest_part(problem, z)?;
    let letters = part.word.iter().map(|&(mode, event)| Letter { mode, event }).collect();
    let word = Word {
        letters,
        symmetric: part.symmetric,
    };
    let mut once = problem_like(curve, problem, word, problem.parameters());
    let guess = once.guess(&part.starts, &part.durations).ok()?;
    let z = corrected(&mut once, guess).ok()?;
    let said = format!(
        "the period {} of the start contains its orbit {laps} times; the curve is traced with the word `{}` and the least period {}",
        part.period * laps as f64 * once.system().units.time,
        once.word().describe(once.system()),
        once.period(&z) * once.system().units.time
    );
    Some((once, z, said))
}
