//! Families of cycles of many states that shrink to an equilibrium: the Hopf point at which they end.
//!
//! As for systems of few states: near it the parameter and the period are smooth functions of the square of the
//! amplitude, and the point is found from the equilibrium, where the real part of a pair of eigenvalues vanishes. It is
//! the end of the family if the last cycles lead to it.

use super::LargeCycle;
use super::measure::amplitude;
use super::rest::eigenpair;
use nalgebra::Complex;
use slipstick_bifurcation::{BranchPoint, Label, Record};
use slipstick_continuation::Point;
use slipstick_numerics::linalg::norm;
use slipstick_numerics::linalg::sparse::SparseFactors;
use slipstick_numerics::number::exact;
use std::f64::consts::TAU;

/// How far the limits extrapolated from the last two cycles may be from the Hopf point: of the parameter, as part of
/// what is left of its way; of the period, as part of it.
const PARAMETER: f64 = 0.1;
const PERIOD: f64 = 0.02;
/// Parameters nearer than this, relative to their size, are the same.
const SAME: f64 = 1e-10;

/// An equilibrium at a value of the parameter with the eigenvalue of the pair that oscillates as a cycle does.
struct Rest {
    parameter: f64,
    x: Vec<f64>,
    pair: Complex<f64>,
}

/// How much smaller the second cycle is than the first.
pub(super) fn shrinkage_of(cycle: &LargeCycle<'_>, before: &Record, last: &Record) -> Option<f64> {
    let (before, last) = (amplitude(cycle, before)?, amplitude(cycle, last)?);
    (before > 0.0).then(|| last / before)
}

/// Is the second cycle the first one with its amplitude turned over, as beyond a Hopf point that was stepped across, or
/// the equilibrium itself?
pub(super) fn is_turned_over(cycle: &LargeCycle<'_>, a: (&Point, &Record), b: (&Point, &Record)) -> bool {
    /// Cosines of the angle between the two: beyond a Hopf point it is near -1, from one point of a branch to the next
    /// near +1.
    const OPPOSITE: f64 = -0.5;
    /// No step makes a cycle so much smaller.
    const VANISHED: f64 = 1e-4;
    let Some(shrinkage) = shrinkage_of(cycle, a.1, b.1) else {
        return false;
    };
    if shrinkage <= VANISHED {
        return true;
    }
    if a.0.z.len() != b.0.z.len() || a.0.meshes != b.0.meshes || a.0.meshes.as_ref() != Some(&cycle.meshes) {
        return false;
    }
    let (centre_a, centre_b) = (cycle.centre(&a.0.z), cycle.centre(&b.0.z));
    let (mut product, mut square_a, mut square_b) = (0.0, 0.0, 0.0);
    let points = a.0.z.len() - 2;
    for (x, y) in a.0.z[..points].chunks_exact(cycle.n).zip(b.0.z.chunks_exact(cycle.n)) {
        for (c, (x, y)) in x.iter().zip(y).enumerate() {
            let (x, y) = (x - centre_a[c], y - centre_b[c]);
            product += x * y;
            square_a += x * x;
            square_b += y * y;
        }
    }
    product < OPPOSITE * f64::sqrt(square_a * square_b)
}

/// The Hopf point at which a family of cycles ends, from its last two cycles; none where these do not lead to one.
pub(super) fn vanishing(cycle: &mut LargeCycle<'_>, before: &Record, last: (&Point, &Record)) -> Option<BranchPoint> {
    let (point, record) = last;
    let square = shrinkage_of(cycle, before, record)?.powi(2);
    if !(square < 1.0) || point.meshes.as_ref() != Some(&cycle.meshes) {
        return None;
    }
    let index = cycle.free[0];
    let limit = |before: f64, last: f64| last + (last - before) * square / (1.0 - square);
    let now = record.parameters[index];
    let foretold = limit(before.parameters[index], now);
    let frequency = TAU / limit(before.period, record.period);
    let resolution = SAME * cycle.scale.size(now);
    let centre = cycle.centre(&point.z);
    let rest = hopf_point(cycle, &centre, (now, foretold), frequency, resolution)?;
    let extent = amplitude(cycle, record)?;
    let apart: Vec<f64> = rest.x.iter().zip(&centre).map(|(a, b)| a - b).collect();
    if (foretold - rest.parameter).abs() > PARAMETER * (now - rest.parameter).abs() + resolution
        || (frequency / rest.pair.im - 1.0).abs() > PERIOD
        || norm(&apart) > extent
    {
        return None;
    }
    Some(at_rest(cycle, point, record, &rest))
}

/// Where the real part of the pair of eigenvalues near i·`frequency` vanishes along the equilibria near `x`: by secants
/// from both values of the parameter.
fn hopf_point(cycle: &LargeCycle<'_>, x: &[f64], (a, b): (f64, f64), frequency: f64, resolution: f64) -> Option<Rest> {
    const ITERATIONS: usize = 40;
    /// The real part of a pair on the imaginary axis, relative to its frequency.
    const ZERO: f64 = 1e-9;
    let near = Complex::new(0.0, frequency);
    let mut here = rest_at(cycle, x, a, near)?;
    // Where the parameter stands still any other value will do for the slope.
    let other = if (b - a).abs() > resolution {
        b
    } else {
        a + 1e3 * resolution
    };
    let mut next = rest_at(cycle, &here.x, other, here.pair)?;
    if next.pair.re.abs() > here.pair.re.abs() {
        std::mem::swap(&mut here, &mut next);
    }
    for _ in 0..ITERATIONS {
        let step = next.pair.re * (next.parameter - here.parameter) / (next.pair.re - here.pair.re);
        if !step.is_finite() {
            break;
        }
        let found = rest_at(cycle, &next.x, next.parameter - step, next.pair)?;
        if found.pair.re.abs() >= next.pair.re.abs() {
            break;
        }
        here = std::mem::replace(&mut next, found);
    }
    (next.pair.re.abs() <= ZERO * next.pair.im).then_some(next)
}

/// The equilibrium near `x` at a value of the parameter, by Newton's method until updates shrink no more.
fn rest_at(cycle: &LargeCycle<'_>, x: &[f64], parameter: f64, near: Complex<f64>) -> Option<Rest> {
    const ITERATIONS: usize = 30;
    /// An update of this part of the states must have been reached.
    const CONVERGED: f64 = 1e-10;
    let mut p = cycle.parameters.clone();
    p[cycle.free[0]] = parameter;
    let mut derivatives = cycle.derivatives()?;
    let (mut x, mut last) = (x.to_vec(), f64::INFINITY);
    let size = norm(&x).max(f64::MIN_POSITIVE);
    for _ in 0..ITERATIONS {
        let mut step = cycle.derive(&x, &p, &mut derivatives);
        SparseFactors::of(&derivatives.matrix, &derivatives.order, 0.0)
            .ok()?
            .solve(&mut step);
        let update = norm(&step) / size;
        if !update.is_finite() {
            return None;
        }
        let rests = update <= CONVERGED && update >= 0.5 * last || update == 0.0;
        last = update;
        if rests {
            break;
        }
        x.iter_mut().zip(&step).for_each(|(x, s)| *x -= s);
    }
    if !(last <= CONVERGED) {
        return None;
    }
    cycle.derive(&x, &p, &mut derivatives);
    let (pair, _) = eigenpair(&derivatives, near)?;
    Some(Rest { parameter, x, pair })
}

/// The end of the family as a point of the branch: the equilibrium as a cycle of no extent.
fn at_rest(cycle: &LargeCycle<'_>, last: &Point, record: &Record, rest: &Rest) -> BranchPoint {
    let period = TAU / rest.pair.im;
    let mut z = last.z.clone();
    let points = z.len() - 2;
    z[..points]
        .chunks_exact_mut(cycle.n)
        .for_each(|own| own.copy_from_slice(&rest.x));
    z[points] = period;
    z[points + 1] = rest.parameter;
    let mut tangent: Vec<f64> = z.iter().zip(&last.z).map(|(a, b)| a - b).collect();
    let square: f64 = tangent.iter().zip(&last.weights).map(|(t, w)| t * t * w).sum();
    tangent.iter_mut().for_each(|t| *t /= square.sqrt());
    let mut limit = record.clone();
    limit.period = period;
    limit.parameters[cycle.free[0]] = rest.parameter;
    super::measure::measure_profile(cycle, &z, &mut limit);
    let name = &cycle.system.parameters[cycle.free[0]].name;
    let message = format!(
        "Hopf point: the periodic orbits shrink to an equilibrium at {name} = {} with a pair of imaginary eigenvalues of frequency {:.9}; beyond it the same orbits recur, shifted by half a period",
        exact(rest.parameter),
        rest.pair.im / cycle.system.units.time
    );
    BranchPoint {
        point: Point {
            z,
            tangent,
            weights: last.weights.clone(),
            meshes: last.meshes.clone(),
        },
        record: limit,
        label: Some(Label::HB),
        message,
    }
}
