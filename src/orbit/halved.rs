//! An orbit that goes twice through one of half the period, as at the end of a branch of doubled orbits: the shorter
//! one.

use crate::angles;
use crate::dense_output::DenseOutput;
use crate::periodic::PeriodicOrbit;
use crate::segment::discretisation::Discretisation;
use crate::word::Word;
use slipstick_continuation::{Failure, NewtonOptions, Point, Problem, solution_next_to};
use slipstick_flow::FlowOptions;

/// Laps that differ by less than this part of what the states vary by, or of their sizes at events, are one: the place
/// where the laps of a branch come together is located by them.
const ALIKE: f64 = 1e-4;
/// Where a state of the shorter orbit is zero, the parameter follows the square of that state and locates the place
/// less well. The laps are one there if they differ by less than this part of the largest that the state was.
const LEFT: f64 = 1e-3;

/// Does the orbit at `point` go twice through one of half the period, and not four times through one of a quarter?
pub(crate) fn is_doubled(orbit: &mut PeriodicOrbit<'_>, point: &Point) -> bool {
    if orbit.word.symmetric {
        return false;
    }
    let has_events = orbit.segments.iter().any(|s| s.guard.is_some());
    let alike = |orbit: &mut PeriodicOrbit<'_>, parts: usize| match has_events {
        true => ends_alike(orbit, &point.z, parts),
        false => states_alike(orbit, point, parts).unwrap_or(false),
    };
    orbit.restore(&point.meshes);
    alike(orbit, 2) && !alike(orbit, 4)
}

/// Do so many parts of an orbit with events begin in the same states and last as long?
fn ends_alike(orbit: &PeriodicOrbit<'_>, z: &[f64], parts: usize) -> bool {
    let count = orbit.segments.len();
    if !count.is_multiple_of(parts) {
        return false;
    }
    let (lap, sizes, period) = (count / parts, orbit.sizes_at(z), orbit.period(z));
    (0..count).all(|k| {
        let later = (k + lap) % count;
        let segment = &orbit.segments[k];
        let states = &orbit.system.modes[segment.mode].states;
        let pairs = orbit.start(z, k).iter().zip(orbit.start(z, later)).enumerate();
        orbit.word.letters[k] == orbit.word.letters[later]
            && (orbit.duration(z, k) - orbit.duration(z, later)).abs() <= ALIKE * period
            && pairs.into_iter().all(|(i, (a, b))| {
                angles::apart(orbit.system, states[i], *a, *b).abs() <= ALIKE * sizes[segment.offset + i]
            })
    })
}

/// Do so many parts of an orbit without events pass the same states?
fn states_alike(orbit: &mut PeriodicOrbit<'_>, point: &Point, parts: usize) -> Option<bool> {
    const PLACES: usize = 24;
    let period = orbit.period(&point.z);
    let mut rows = vec![];
    for k in 0..PLACES {
        rows.push(orbit.state(point, period * k as f64 / PLACES as f64).ok()?.1);
    }
    // A state may stay at a value, as at zero, up to what the laps differ by: beside the others.
    const LEAST: f64 = 0.1;
    let (system, first) = (orbit.system, orbit.segments.first()?);
    let own = &orbit.sizes_at(&point.z)[first.offset..][..first.n];
    let states = &system.modes[first.mode].states;
    let part = |(&i, size): (&usize, &f64)| {
        let of_state = rows.iter().map(|x| x[i]);
        let (low, high) = of_state.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        if system.states[i].period.is_some() {
            0.0
        } else {
            (high - low) / size
        }
    };
    let parts_of_sizes: Vec<f64> = states.iter().zip(own).map(part).collect();
    let least = LEAST * parts_of_sizes.iter().copied().fold(0.0, f64::max);
    let most = parts_of_sizes
        .iter()
        .zip(states.iter().zip(own))
        .map(|(part, (&i, size))| {
            let here = rows.iter().fold(0.0f64, |most, x| most.max(x[i].abs()));
            let been = orbit.met.get(i).map_or(0.0, |met| met - here);
            let differs = (ALIKE * size * part.max(least)).max(LEFT * been);
            (i, system.states[i].period.map_or(differs, |period| ALIKE * period))
        });
    let most: Vec<(usize, f64)> = most.collect();
    let lap = PLACES / parts;
    Some((0..PLACES - lap).all(|k| {
        let (a, b) = (&rows[k], &rows[k + lap]);
        most.iter()
            .all(|&(i, most)| angles::apart(system, i, a[i], b[i]).abs() <= most)
    }))
}

/// The problem of the orbit of half the period and its point with the tangent of its own family, where the orbit at
/// `point` goes through it twice.
///
/// # Errors
/// [`Failure`] where the shorter orbit cannot be solved.
pub fn halved<'s>(
    orbit: &mut PeriodicOrbit<'s>,
    point: &Point,
    options: FlowOptions,
    discretisations: &[Discretisation],
) -> Option<Result<(PeriodicOrbit<'s>, Point), Failure>> {
    is_doubled(orbit, point).then(|| first_half(orbit, point, options, discretisations))
}

fn first_half<'s>(
    orbit: &mut PeriodicOrbit<'s>,
    point: &Point,
    options: FlowOptions,
    discretisations: &[Discretisation],
) -> Result<(PeriodicOrbit<'s>, Point), Failure> {
    let has_events = orbit.segments.iter().any(|s| s.guard.is_some());
    let count = orbit.segments.len() / if has_events { 2 } else { 1 };
    let word = Word {
        letters: orbit.word.letters[..count].to_vec(),
        symmetric: false,
    };
    let parameters = orbit.parameters_at(&point.z);
    let mut half = orbit.with_word(word, parameters.clone(), options, discretisations);
    let durations: Vec<f64> = (0..count).map(|k| orbit.duration(&point.z, k)).collect();
    let guess = if has_events {
        let starts: Vec<Vec<f64>> = (0..count).map(|k| orbit.start(&point.z, k).to_vec()).collect();
        half.guess(&starts, &durations)?
    } else {
        let mut trajectories = vec![];
        for segment in &orbit.segments {
            trajectories.push(DenseOutput::new(orbit.system, segment, &point.z, &parameters)?);
        }
        half.guess_trajectory(0.5 * orbit.period(&point.z), &|mut t, out| {
            let mut k = 0;
            while k + 1 < count && t > durations[k] {
                t -= durations[k];
                k += 1;
            }
            trajectories[k].eval(t.min(durations[k]), out);
        })?
    };
    let at = solution_next_to(&mut half, &guess, 1.0, &NewtonOptions::default())?;
    Ok((half, at))
}
