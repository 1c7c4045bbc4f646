//! Families of solutions at one value of the parameter, as the orbits of a resonant oscillator without damping.
//!
//! There F' with respect to the other unknowns is singular, and may be so with the parameter as well: the family then
//! counts twice, and no curve of solutions in unknowns and parameter has a tangent. The problem holds its parameter and
//! unfolds its equations instead ([`Problem::fix_parameter`]), and one more condition pins the place along the family.

use super::point::{Point, tangent_at};
use super::{Newton, NewtonOptions, Problem};

/// Unfolded equations hold at the parameter's own value only; a family keeps to it this closely.
const SAME: f64 = 1e-10;
/// A parameter off its value by less is off by rounding.
const ROUNDING: f64 = 1e-13;

/// The point nearest to `guess` of a family of solutions at the parameter of `guess`, with the family's tangent; the
/// problem holds its parameter then and is linearised there. `None`, and the parameter free, where there is no such
/// family. Of the two ways along it, +1 is the one in which the component of the tangent grows that changes most.
pub fn enter_family<P: Problem + ?Sized>(
    problem: &mut P,
    guess: &[f64],
    direction: f64,
    options: &NewtonOptions,
) -> Option<Point> {
    if !problem.fix_parameter(guess) {
        return None;
    }
    let found = row_along(problem, guess).and_then(|row| solve(problem, guess, &row, guess, 0.0, options));
    let Some(mut point) = found else {
        problem.release_parameter();
        return None;
    };
    let sizes = point.tangent.iter().zip(&point.weights).map(|(t, w)| t * w.sqrt());
    let most = sizes.fold(0.0f64, |m, v| if v.abs() > m.abs() { v } else { m });
    let sign = most.signum() * direction.signum();
    point.tangent.iter_mut().for_each(|t| *t *= sign);
    Some(point)
}

/// As [`enter_family`], the point where `row · (z - anchor) = level`, its tangent oriented along the row.
pub fn family_on_plane<P: Problem + ?Sized>(
    problem: &mut P,
    guess: &[f64],
    (row, anchor, level): (&[f64], &[f64], f64),
    options: &NewtonOptions,
) -> Option<Point> {
    if !problem.fix_parameter(guess) {
        return None;
    }
    let found = solve(problem, guess, row, anchor, level, options);
    if found.is_none() {
        problem.release_parameter();
    }
    found
}

/// The plane through `guess` across the solutions of the unfolded equations.
fn row_along<P: Problem + ?Sized>(problem: &mut P, guess: &[f64]) -> Option<Vec<f64>> {
    let n = guess.len();
    let mut weights = vec![0.0; n];
    problem.weights(guess, &mut weights);
    problem.linearise(guess, &mut vec![0.0; n - 1]).ok()?;
    // Any row with a part along the family will do; a fixed one keeps results reproducible.
    let mut row: Vec<f64> = (0..n)
        .map(|i| (1.0 + 0.5 * (1.7 * i as f64).sin()) * weights[i].sqrt())
        .collect();
    row[n - 1] = 0.0;
    let rough = tangent_at(problem, guess.to_vec(), &row, 1.0).ok()?;
    Some(rough.tangent.iter().zip(&weights).map(|(t, w)| t * w).collect())
}

/// Correct on a plane, and see by two steps along the solutions, the second twice as long, whether they are a family.
///
/// On a curve that only touches the plane of the held parameter, such as a pitchfork, the unknown in the parameter's
/// place leaves its value with the cube of the distance; on a family it keeps it to rounding.
fn solve<P: Problem + ?Sized>(
    problem: &mut P,
    guess: &[f64],
    row: &[f64],
    anchor: &[f64],
    level: f64,
    options: &NewtonOptions,
) -> Option<Point> {
    /// Far enough along for solutions of the unfolded equations to show what they are.
    const STEP: f64 = 0.01;
    /// How far the tangent of a family turns within a step, in radians.
    const MOST_TURN: f64 = 0.5;
    /// The parameter's error does not grow by this factor at each step unless the solutions leave it.
    const GROWTH: f64 = 5.0;
    let n = guess.len();
    let fixed = guess[n - 1];
    let mut sizes = vec![0.0; n];
    problem.sizes(guess, &mut sizes);
    let size = sizes[n - 1];
    let mut newton = Newton::default();
    let mut at = |problem: &mut P, mut z: Vec<f64>, row: &[f64], anchor: &[f64], level: f64| {
        newton.solve(problem, &mut z, row, anchor, &[level], options).ok()?;
        let point = tangent_at(problem, z, row, 1.0).ok()?;
        let still = (point.parameter() - fixed).abs() <= SAME * size;
        (still && point.stays_at_parameter()).then_some(point)
    };
    let point = at(problem, guess.to_vec(), row, anchor, level)?;
    let first = level.abs().max(STEP);
    let mut before = point.clone();
    let mut grows = true;
    for step in [first, 2.0 * first] {
        let next: Vec<f64> = before
            .z
            .iter()
            .zip(&before.tangent)
            .map(|(z, t)| z + step * t)
            .collect();
        let along: Vec<f64> = before.tangent.iter().zip(&before.weights).map(|(t, w)| t * w).collect();
        let far = at(problem, next, &along, &before.z, step)?;
        // Newton's method may have gone somewhere else, where the equations happen to hold.
        if before.distance(&far) > 2.0 * step || before.turn_to(&far) > MOST_TURN {
            return None;
        }
        let (near, off) = ((before.parameter() - fixed).abs(), (far.parameter() - fixed).abs());
        grows &= off > GROWTH * near;
        before = far;
    }
    if grows && (before.parameter() - fixed).abs() > ROUNDING * size {
        return None;
    }
    problem.linearise(&point.z, &mut vec![0.0; n - 1]).ok()?;
    Some(point)
}
