//! The same orbit over a greater length: a symmetric one over its full period, any one twice around. Where a branch
//! point breaks the symmetry or doubles the period, the daughters are orbits of the longer word.

use crate::angles;
use crate::dense_output::DenseOutput;
use crate::periodic::PeriodicOrbit;
use crate::perturbation::evaluation;
use crate::segment::discretisation::Discretisation;
use crate::tolerances::SAME_PLACE;
use crate::word::Word;
use slipstick_continuation::{Failure, Point, Problem};
use slipstick_flow::FlowOptions;

/// The problem of the full period (for a symmetric orbit) or of two periods, with `point` and its tangent expressed
/// in it.
///
/// # Errors
/// [`Failure`] when the mirrored word does not connect, or the orbit cannot be evaluated.
pub fn unfolded<'s>(
    orbit: &mut PeriodicOrbit<'s>,
    point: &Point,
    options: FlowOptions,
    discretisations: &[Discretisation],
) -> Result<(PeriodicOrbit<'s>, Point), Failure> {
    orbit.restore(&point.meshes);
    let count = orbit.segments.len();
    let word = if orbit.word.symmetric {
        orbit.word.full_period(orbit.system).map_err(evaluation)?
    } else {
        Word {
            letters: orbit.word.letters.iter().chain(&orbit.word.letters).copied().collect(),
            symmetric: false,
        }
    };
    let (parameters, n) = (orbit.parameters_at(&point.z), point.z.len());
    let mut long = orbit.with_word(word, parameters.clone(), options, discretisations);
    let (mut starts, mut durations) = (vec![], vec![]);
    let (mut rates, mut duration_rates) = (vec![], vec![]);
    for lap in 0..2 {
        for k in 0..count {
            let s = &orbit.segments[k];
            let (u, du) = (orbit.start(&point.z, k), orbit.start(&point.tangent, k));
            if lap == 0 {
                starts.push(u.to_vec());
                rates.push(du.to_vec());
            } else {
                starts.push(next_lap(orbit, s.mode, u, &parameters, true));
                rates.push(next_lap(orbit, s.mode, du, &parameters, false));
            }
            durations.push(orbit.duration(&point.z, k));
            duration_rates.push(orbit.duration(&point.tangent, k));
        }
    }
    let z = match &orbit.segments[..] {
        // An orbit in one segment is known all along.
        [only] if long.segments.len() == 1 => {
            let dense = DenseOutput::new(orbit.system, only, &point.z, &parameters)?;
            let half = durations[0];
            duration_rates = vec![2.0 * duration_rates[0]];
            long.guess_trajectory(2.0 * half, &|t, out| {
                dense.eval(if t > half { t - half } else { t }, out);
                if t > half {
                    out.copy_from_slice(&next_lap(orbit, only.mode, out, &parameters, true));
                }
            })?
        }
        _ => long.guess(&starts, &durations)?,
    };
    let mut tangent = vec![0.0; z.len()];
    for (k, s) in long.segments.iter().enumerate() {
        tangent[s.offset..s.offset + s.n].copy_from_slice(&rates[k]);
        tangent[s.offset + s.n] = duration_rates[k];
    }
    let free = orbit.free.len();
    let m = z.len();
    tangent[m - free..].copy_from_slice(&point.tangent[n - free..]);
    let mut weights = vec![0.0; m];
    long.weights(&z, &mut weights);
    let meshes = long.meshes();
    Ok((
        long,
        Point {
            z,
            tangent,
            weights,
            meshes,
        },
    ))
}

/// A state of `mode` (or its rate of change) on the second lap: its mirror image, or itself one period of each
/// angle later.
fn next_lap(orbit: &PeriodicOrbit<'_>, mode: usize, u: &[f64], p: &[f64], value: bool) -> Vec<f64> {
    let Some(symmetry) = orbit.system.symmetry.as_ref().filter(|_| orbit.word.symmetric) else {
        let mut v = u.to_vec();
        if value {
            for (v, turns) in v.iter_mut().zip(turns(orbit, mode)) {
                *v += turns;
            }
        }
        return v;
    };
    let mut full = vec![0.0; orbit.system.states.len()];
    if value {
        full = orbit.system.full_state(mode, u, p);
    }
    for ((&i, &v), turns) in orbit.system.modes[mode].states.iter().zip(u).zip(turns(orbit, mode)) {
        full[i] = if value { v + turns } else { v };
    }
    // Half a period later the orbit is where the symmetry leads to its start, as many turns on.
    let image = &orbit.system.modes[symmetry.modes[mode]].states;
    image
        .iter()
        .map(|&j| {
            let i = symmetry.source.iter().position(|&s| s == j).unwrap_or(j);
            let shift = if value { symmetry.shift[i] } else { 0.0 };
            symmetry.sign[i] * (full[i] - shift)
        })
        .collect()
}

/// Is the orbit with unknowns `z` a shorter one, passed several times?
pub fn is_repeated(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> bool {
    let count = orbit.segments.len();
    if orbit.word.symmetric {
        // An odd number of times: from one half of the shorter orbit to the next the symmetry leads.
        let Ok(mirrored) = orbit.word.mirrored(orbit.system) else {
            return false;
        };
        let passes = |shorter: usize| count.is_multiple_of(shorter) && (count / shorter) % 2 == 1;
        return (1..count).filter(|&shorter| passes(shorter)).any(|shorter| {
            (shorter..count).all(|k| {
                let before = k - shorter;
                orbit.word.letters[k] == mirrored.letters[before] && same_segment(orbit, z, before, k, true)
            })
        });
    }
    if let [only] = &orbit.segments[..]
        && only.guard.is_none()
    {
        return laps_within(orbit, z);
    }
    (1..count)
        .filter(|&shorter| count.is_multiple_of(shorter))
        .any(|shorter| {
            (shorter..count).all(|k| {
                let before = k - shorter;
                orbit.word.letters[k] == orbit.word.letters[before] && same_segment(orbit, z, before, k, false)
            })
        })
}

/// Does an orbit in one segment without an event go several times through a shorter one?
fn laps_within(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> bool {
    /// So many laps at most, the places that are compared, and how nearly they agree beside the orbit's extents.
    const MOST: usize = 64;
    const PLACES: usize = 16;
    const SAME: f64 = 1e-5;
    let only = &orbit.segments[0];
    let period = orbit.duration(z, 0);
    let Ok(dense) = DenseOutput::new(orbit.system, only, z, &orbit.parameters_at(z)) else {
        return false;
    };
    let states = &orbit.system.modes[only.mode].states;
    let at = |t: f64| {
        let mut x = vec![0.0; only.n];
        dense.eval(t.min(period), &mut x);
        x
    };
    let looks: Vec<Vec<f64>> = (0..4 * MOST)
        .map(|k| at(period * k as f64 / (4 * MOST) as f64))
        .collect();
    let extent = |i: usize| {
        let own = looks.iter().map(|x| x[i]);
        let (low, high) = own.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        orbit.system.states[states[i]].period.unwrap_or(high - low)
    };
    let extents: Vec<f64> = (0..only.n).map(extent).collect();
    let apart = |a: &[f64], b: &[f64]| {
        (0..only.n).filter(|&i| extents[i] > 0.0).fold(0.0f64, |most, i| {
            most.max(angles::apart(orbit.system, states[i], a[i], b[i]).abs() / extents[i])
        })
    };
    (2..=MOST).any(|laps| {
        let lap = period / laps as f64;
        (0..PLACES).all(|k| {
            let t = lap * k as f64 / PLACES as f64;
            apart(&at(t), &at(t + lap)) <= SAME
        })
    })
}

/// Does segment `l` start where segment `k` does, or where its mirror image does, and last as long?
fn same_segment(orbit: &PeriodicOrbit<'_>, z: &[f64], k: usize, l: usize, mirror: bool) -> bool {
    let symmetry = orbit.system.symmetry.as_ref().filter(|_| mirror);
    let x = orbit
        .system
        .full_state(orbit.segments[k].mode, orbit.start(z, k), &orbit.parameters);
    let states = &orbit.system.modes[orbit.segments[l].mode].states;
    let near = states.iter().zip(orbit.start(z, l)).all(|(&i, v)| {
        let from = symmetry.map_or(x[i], |s| s.sign[i] * x[s.source[i]] + s.shift[i]);
        let mut difference = from - v;
        if let Some(period) = orbit.system.states[i].period {
            difference -= (difference / period).round() * period;
        }
        difference.abs() < SAME_PLACE
    });
    near && (orbit.duration(z, k) - orbit.duration(z, l)).abs() < SAME_PLACE
}

/// Is the orbit with unknowns `z` its own mirror image?
pub fn is_symmetric(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> bool {
    let count = orbit.segments.len();
    if orbit.system.symmetry.is_none() {
        return false;
    }
    if orbit.word.symmetric {
        return true;
    }
    let Ok(mirrored) = orbit.word.mirrored(orbit.system) else {
        return false;
    };
    if count % 2 == 1 || (0..count).any(|k| mirrored.letters[k] != orbit.word.letters[(k + count / 2) % count]) {
        return false;
    }
    (0..count).all(|k| same_segment(orbit, z, k, (k + count / 2) % count, true))
}

/// How far the angles of `mode` turn in one period.
pub(crate) fn turns(orbit: &PeriodicOrbit<'_>, mode: usize) -> Vec<f64> {
    let first = orbit
        .segments
        .first()
        .map_or(&[][..], |s| &orbit.system.modes[s.mode].states);
    let states = &orbit.system.modes[mode].states;
    states
        .iter()
        .map(|s| first.iter().position(|f| f == s).map_or(0.0, |i| orbit.winding[i]))
        .collect()
}
