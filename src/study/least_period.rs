//! Starts that go round an orbit several times: the orbit is told over its least period instead.

use super::correction::{corrected, smooth};
use super::given_orbits::own_states;
use super::interpolation::Interpolation;
use crate::continuation::{Point, Problem};
use crate::orbit::PeriodicOrbit;

/// So many laps are looked for.
const MOST: usize = 16;
/// Times of a period at which laps are compared.
const COMPARED: usize = 12;
/// A state that stays at a value is compared with this part of it, one that stays zero with this part of the extents of others.
const STILL: f64 = 1e-3;
const ZERO: f64 = 1e-6;
/// Rows of a lap from which it is solved anew.
const ROWS: usize = 400;

/// The orbit with unknowns `z` told over its least period, and what is to be said of that, where it is passed several times in its period: where it comes
/// again to this `accuracy`, relative to its extent.
pub(super) fn told_once(problem: &mut PeriodicOrbit<'_>, z: &[f64], accuracy: f64) -> Option<(Vec<f64>, String)> {
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
    let course = Interpolation::new(sample.t, rows);
    let least = period / laps as f64;
    let guess = problem.guess_course(least, &|t, out| course.eval(t, out)).ok()?;
    let z = corrected(problem, guess).ok()?;
    let said = format!(
        "the start goes round its orbit {laps} times in the period {period}; the curve is that of the orbit gone round once, whose period is {least}"
    );
    Some((z, said))
}
