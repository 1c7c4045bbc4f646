//! Branch points of orbits located by equations that are regular there.
//!
//! Where two families cross, F' lacks one of its ranks, and Newton's method on F(z) = 0 loses half of its digits. With
//! a vector b outside of the range of F' the equations F(z) + β b = 0 are regular: their solutions form a surface, on
//! which β is a smooth function, and the families are its lines β = 0. They cross at a saddle of β, where its gradient
//! vanishes. Two rows that hold the place on the surface make one matrix regular by which the place, the gradient and,
//! by differences, the curvature of β are known; Newton's method for the gradient keeps all digits.
//!
//! Reference: M. Golubitsky and D. G. Schaeffer, *Singularities and Groups in Bifurcation Theory* I, Springer (1985),
//! ch. I.3 and VII.

use crate::periodic::PeriodicOrbit;
use slipstick_continuation::{Point, Problem};

/// How far apart the gradients are whose difference gives the curvature, in scaled arclength.
const APART: f64 = 1e-4;
/// A place further away than this is another one.
const FAR: f64 = 1e-2;
/// β at a crossing, in the sizes of the states, where it is zero but for rounding.
const ZERO: f64 = 1e-8;
/// Where the smaller curvature of β is below this, errors are amplified too much for the place to be located in this
/// way.
const FLATTEST: f64 = 1e-9;
/// How often places and gradients are corrected.
const CORRECTIONS: usize = 10;
/// A place on the surface is known when it moves by less than the first, or no less than before below the second.
const PLACED: (f64, f64) = (1e-14, 1e-9);

/// The unfolded equations, with two rows that hold a place on their surface.
struct Unfolding {
    /// b, by equations and by condensed equations.
    direction: Vec<f64>,
    column: Vec<f64>,
    /// The rows, one after the other, and the point that they count from.
    rows: Vec<f64>,
    origin: Vec<f64>,
}

/// A place on the surface.
#[derive(Clone)]
struct Place {
    z: Vec<f64>,
    beta: f64,
    gradient: [f64; 2],
}

/// The unknowns of the branch point next to a point, to rounding; none if there is none, or if it cannot be located
/// to rounding.
pub(crate) fn branch_point_near(orbit: &mut PeriodicOrbit<'_>, point: &Point) -> Option<Vec<f64>> {
    if orbit.free.len() != 1 || orbit.constraint.is_some() {
        return None;
    }
    let unfolding = unfolding(orbit, point)?;
    let start = Place {
        z: point.z.clone(),
        beta: 0.0,
        gradient: [0.0; 2],
    };
    let mut at = [0.0; 2];
    let mut place = placed(orbit, &unfolding, &start, at)?;
    let along = placed(orbit, &unfolding, &place, [APART, 0.0])?.gradient;
    let across = placed(orbit, &unfolding, &place, [0.0, APART])?.gradient;
    let second = |moved: [f64; 2], i: usize| (moved[i] - place.gradient[i]) / APART;
    let (a, d) = (second(along, 0), second(across, 1));
    let b = 0.5 * (second(along, 1) + second(across, 0));
    let determinant = a * d - b * b;
    let largest = a.abs().max(b.abs()).max(d.abs());
    if !(determinant < -FLATTEST * largest) {
        return None;
    }
    let mut before = f64::INFINITY;
    for _ in 0..CORRECTIONS {
        let [g, h] = place.gradient;
        let by = [(b * h - d * g) / determinant, (b * g - a * h) / determinant];
        let length = by[0].hypot(by[1]);
        if !(length < 0.5 * before) {
            break;
        }
        before = length;
        at = [at[0] + by[0], at[1] + by[1]];
        if !(at[0].hypot(at[1]) < FAR) {
            return None;
        }
        place = placed(orbit, &unfolding, &place, at)?;
    }
    (before < PLACED.1 && place.beta.abs() < ZERO).then_some(place.z)
}

fn unfolding(orbit: &mut PeriodicOrbit<'_>, point: &Point) -> Option<Unfolding> {
    let n = orbit.unknowns;
    let sizes = orbit.sizes_at(&point.z);
    let (mut direction, mut column) = (vec![], vec![]);
    let count = orbit.segments.len();
    for (k, s) in orbit.segments.iter().enumerate() {
        direction.resize(direction.len() + s.block().len() + 1, 0.0);
        column.resize(column.len() + (s.scheme.states_left() - 1) * s.n + 1, 0.0);
        let next = &orbit.segments[(k + 1) % count];
        // Fixed numbers of like size without a pattern, in the units of the states.
        for (i, size) in sizes[next.offset..next.offset + next.n].iter().enumerate() {
            let b = (1.0 + 0.5 * (2.3 * (i + 7 * k) as f64 + 0.4).sin()) * size;
            direction.push(b);
            column.push(b);
        }
    }
    let row = |v: &[f64]| -> Vec<f64> { v.iter().zip(&point.weights).map(|(v, w)| v * w).collect() };
    let mut rows = row(&point.tangent);
    // Any row will do to find the other direction of the surface.
    let any = point.weights.iter().enumerate();
    rows.extend(any.map(|(i, w)| (0.1 + (1.7 * (1.0 + i as f64)).sin()) * w.sqrt()));
    let mut across = vec![0.0; n + 1];
    across[n] = 1.0;
    orbit.linearise(&point.z, &mut vec![0.0; n - 1]).ok()?;
    orbit.condensed_at.clear();
    orbit.solve_beside(&rows, &column, &mut across).ok()?;
    across.truncate(n);
    let square: f64 = row(&across).iter().zip(&across).map(|(r, v)| r * v).sum();
    if !(square > 0.0 && square.is_finite()) {
        return None;
    }
    rows.truncate(n);
    rows.extend(row(&across).iter().map(|r| r / square.sqrt()));
    Some(Unfolding {
        direction,
        column,
        rows,
        origin: point.z.clone(),
    })
}

/// The place on the surface at these distances along the rows, with the gradient of β there.
fn placed(orbit: &mut PeriodicOrbit<'_>, unfolding: &Unfolding, from: &Place, at: [f64; 2]) -> Option<Place> {
    let n = orbit.unknowns;
    let Unfolding {
        direction,
        column,
        rows,
        origin,
    } = unfolding;
    let Place { mut z, mut beta, .. } = from.clone();
    let (mut residual, mut rhs) = (vec![0.0; n - 1], vec![0.0; n + 1]);
    let sizes = orbit.sizes_at(&z);
    let mut before = f64::INFINITY;
    for _ in 0..CORRECTIONS {
        orbit.linearise(&z, &mut residual).ok()?;
        orbit.condensed_at.clear();
        let off = residual.iter().zip(direction).map(|(f, b)| -(f + beta * b));
        rhs.splice(..n - 1, off);
        for (i, row) in rows.chunks_exact(n).enumerate() {
            let gone = row.iter().zip(z.iter().zip(origin)).map(|(r, (z, o))| r * (z - o));
            rhs[n - 1 + i] = at[i] - gone.sum::<f64>();
        }
        orbit.solve_beside(rows, column, &mut rhs).ok()?;
        let change = rhs
            .iter()
            .zip(&sizes)
            .fold(0.0f64, |m, (d, size)| m.max((d / size).abs()));
        if !change.is_finite() {
            return None;
        }
        z.iter_mut().zip(&rhs).for_each(|(z, d)| *z += d);
        beta += rhs[n];
        if change < PLACED.0 || change < PLACED.1 && change > 0.5 * before {
            before = 0.0;
            break;
        }
        before = change;
    }
    if before > PLACED.1 {
        return None;
    }
    orbit.linearise(&z, &mut residual).ok()?;
    orbit.condensed_at.clear();
    let mut gradient = [0.0; 2];
    for (i, slope) in gradient.iter_mut().enumerate() {
        rhs.fill(0.0);
        rhs[n - 1 + i] = 1.0;
        orbit.solve_beside(rows, column, &mut rhs).ok()?;
        *slope = rhs[n];
    }
    Some(Place { z, beta, gradient })
}
