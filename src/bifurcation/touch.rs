//! Test functions that touch zero without passing it: a multiplier comes to the unit circle and turns back.
//!
//! That happens where a family of solutions at one value of the parameter crosses the curve and counts twice there. A
//! test function g with a double zero at s* is the square of a function that passes zero, so `±√|g|`, minus before s*
//! and plus behind it, is interpolated between points on both sides, far enough from s* for its digits.

use super::interpolate::MOST_TURN;
use super::{InspectedCurve, Record};
use slipstick_continuation::{Failure, Point};
use slipstick_numerics::tableau::quadrature::lagrange;

/// Where points are asked for, in parts of the step from the place.
const PLACES: [f64; 6] = [-0.24, -0.16, -0.08, 0.08, 0.16, 0.24];

/// The place between `base` (at arclength 0) and `next` (at `h`) where test function number `test`, with these values
/// there, touches zero.
///
/// # Errors
/// [`Failure`] when something cannot be evaluated near it.
pub(super) fn touching(
    curve: &mut InspectedCurve<'_>,
    (test, branch_point): (usize, bool),
    (base, next): (&Point, &Point),
    (ga, gb): (f64, f64),
    h: f64,
) -> Result<Option<(f64, Point, Record)>, Failure> {
    /// Test functions are products of distances of multipliers from the circle; farther away than this nothing is
    /// touched within a step.
    const NEAR: f64 = 0.3;
    /// A double zero nearer to an end than this part of the step belongs to the neighbouring step, or is the start.
    const END: f64 = 1e-5;
    /// What is left at the zero, relative to the ends.
    const LEFT: f64 = 1e-6;
    /// And what interpolation leaves.
    const INTERPOLATED: f64 = 1e-12;
    if ga * gb <= 0.0 || ga.abs().max(gb.abs()) > NEAR || next.turn_to(base) > MOST_TURN {
        return Ok(None);
    }
    // The test for branch points has the parameter's rate as a factor, and touches zero without meaning at a fold.
    let (rate_a, rate_b) = (base.parameter_rate(), next.parameter_rate());
    if rate_a * rate_b <= 0.0 || branch_point && (ga / rate_a).abs().max((gb / rate_b).abs()) > NEAR {
        return Ok(None);
    }
    let sign = ga.signum();
    let (root_a, root_b) = (ga.abs().sqrt(), gb.abs().sqrt());
    let rough = h * root_a / (root_a + root_b);
    if rough < END * h || rough > (1.0 + END) * h {
        return Ok(None);
    }
    let mut record = Record::default();
    let mut look = |s: f64| {
        let at = curve.between(base, s)?;
        curve.problem().inspect(&at, &mut record)?;
        let g = sign * record.tests[test];
        Ok::<_, Failure>((at, g))
    };
    // With a double zero there the function falls from the base point on at this rate.
    let (_, beside) = look(0.01 * h)?;
    let expected = ga.abs() * (1.0 - 0.01 * h / rough).powi(2);
    let fall = (ga.abs() - beside) / (ga.abs() - expected);
    if !(0.3..3.0).contains(&fall) {
        return Ok(None);
    }
    let mut place = rough;
    for (i, reach) in [0.3, 0.1].into_iter().enumerate() {
        let (a, b) = (place - reach * h, place + reach * h);
        let (_, ga) = look(a)?;
        let (_, gb) = look(b)?;
        if ga < 0.0 || gb < 0.0 {
            return Ok(None);
        }
        let better = a + (b - a) * ga.sqrt() / (ga.sqrt() + gb.sqrt());
        if i > 0 && (better - place).abs() > 0.5 * reach * h {
            return Ok(None);
        }
        place = better;
    }
    let mut known: Vec<(f64, f64, Point)> = vec![];
    for part in PLACES {
        let s = place + part * h;
        let (at, g) = look(s)?;
        if g < 0.0 || base.turn_to(&at) > MOST_TURN {
            return Ok(None);
        }
        known.push((s, g.sqrt() * part.signum(), at));
    }
    if known.windows(2).any(|w| w[1].1 <= w[0].1) {
        return Ok(None);
    }
    // Inverse interpolation: the arclength at which the root of the function is zero.
    let s: f64 = lagrange(&known.iter().map(|k| k.1).collect::<Vec<_>>(), 0.0)
        .iter()
        .zip(&known)
        .map(|(c, k)| c * k.0)
        .sum();
    let weights = lagrange(&known.iter().map(|k| k.0).collect::<Vec<_>>(), s);
    let blend = |of: fn(&Point) -> &Vec<f64>| -> Vec<f64> {
        (0..base.z.len())
            .map(|i| weights.iter().zip(&known).map(|(c, k)| c * of(&k.2)[i]).sum())
            .collect()
    };
    let (z, mut tangent) = (blend(|p| &p.z), blend(|p| &p.tangent));
    let square: f64 = tangent.iter().zip(&base.weights).map(|(t, w)| t * t * w).sum();
    tangent.iter_mut().for_each(|t| *t /= square.sqrt());
    let at = Point {
        z,
        tangent,
        weights: base.weights.clone(),
        meshes: base.meshes.clone(),
    };
    let problem = curve.problem();
    problem.linearise(&at.z, &mut vec![0.0; at.z.len() - problem.free()])?;
    problem.inspect(&at, &mut record)?;
    let left = record.tests[test].abs() <= (LEFT * ga.abs().max(gb.abs())).max(INTERPOLATED);
    let inside = s > 0.5 * END * h && s <= (1.0 + END) * h;
    Ok((left && inside && problem.confirm(test, &record)).then_some((s, at, record)))
}
