//! Where the cubic coefficient vanishes on a curve of period doublings: there folds of doubled solutions begin.

use slipstick_bifurcation::{Coincidence, Inspect, Label, Record, coincidences};
use slipstick_continuation::{Newton, NewtonOptions, Point};

/// The unknowns of the point next to `from` on a curve of period doublings where the cubic coefficient vanishes.
pub(crate) fn without_cubic_term<P: Inspect>(doublings: &mut P, from: &Point) -> Option<Vec<f64>> {
    /// The first step along the curve, how far the place may be, and when it is known; steps that no longer shrink are
    /// rounding of the coefficient.
    const STEP: f64 = 1e-4;
    const FAR: f64 = 0.1;
    const KNOWN: f64 = 1e-11;
    const ROUNDING: f64 = 1e-8;
    const ITERATIONS: usize = 20;
    let test = coincidences(Label::PD)
        .iter()
        .position(|test| *test == Coincidence::Degenerate)?;
    let row: Vec<f64> = from.tangent.iter().zip(&from.weights).map(|(t, w)| t * w).collect();
    let options = NewtonOptions {
        polish: true,
        ..NewtonOptions::default()
    };
    let mut coefficient = |s: f64| {
        let ahead = from.z.iter().zip(&from.tangent).map(|(z, t)| z + s * t);
        let mut point = Point {
            z: ahead.collect(),
            ..from.clone()
        };
        let solved = Newton::default().solve(doublings, &mut point.z, &row, &from.z, &[s], &options);
        solved.ok()?;
        let mut record = Record::default();
        doublings.inspect(&point, &mut record).ok()?;
        Some((point.z, record.tests[test]))
    };
    let (mut before, mut at) = (0.0, STEP);
    let (_, mut value_before) = coefficient(before)?;
    for _ in 0..ITERATIONS {
        let (z, value) = coefficient(at)?;
        let next = at - value * (at - before) / (value - value_before);
        let step = (next - at).abs();
        let is_rounding = step <= ROUNDING && step > 0.5 * (at - before).abs();
        if value == 0.0 || step <= KNOWN || is_rounding {
            return Some(z);
        }
        if !(next.abs() <= FAR) {
            return None;
        }
        (before, value_before, at) = (at, value, next);
    }
    None
}
