//! Families of cycles with events that shrink to a boundary equilibrium.
//!
//! Where an equilibrium of one mode reaches the guard of an event, the equations next to it are homogeneous in the
//! distances of states and parameter: a cycle around it is of a size in proportion to the distance of the parameter,
//! while its durations and multipliers tend to those of the homogeneous equations. The equations of cycles go on to
//! negative sizes, turned over, where no motion is on its side of the guards, and are singular in between: an
//! equilibrium on a guard satisfies them with any durations. So the point is found from the equilibrium, and what the
//! cycles tend to from ever smaller ones, which are cycles in the same proportions.
//!
//! Reference: M. di Bernardo, C. J. Budd, A. R. Champneys, P. Kowalczyk, *Piecewise-smooth Dynamical Systems*, Springer
//! (2008), ch. 5.

use crate::angles::centred;
use crate::measure::measure;
use crate::monitors::{self, Extreme, OrbitScalar};
use crate::periodic::PeriodicOrbit;
use crate::rest;
use crate::vanishing::{centre_and_extent, shrinkage_of, straight};
use nalgebra::{DMatrix, DVector};
use slipstick_bifurcation::{BranchPoint, Label, Record};
use slipstick_continuation::{Newton, NewtonOptions, Point};
use slipstick_floquet::Multiplier;
use slipstick_numerics::linalg::eigen::eigenvalues;
use slipstick_numerics::number::exact;
use slipstick_numerics::tableau::quadrature::lagrange;
use slipstick_system::jacobian;
use std::sync::Arc;

/// How far the limit of the parameter extrapolated from the last two cycles may be from the boundary equilibrium, as a
/// part of what is left of its way: with `p = p* + a ρ + b ρ²` in the size ρ, a part of a fifth leaves no room for a
/// fold between.
const PARAMETER: f64 = 0.2;
/// Equilibria farther than so many extents of a cycle from its centre are not what it shrinks to.
const FAR: f64 = 30.0;

/// An equilibrium of a mode on the guard of an event of it.
struct AtGuard {
    mode: usize,
    event: usize,
    parameter: f64,
    /// All states of the system.
    place: Vec<f64>,
    /// Of the field in the mode.
    derivatives: DMatrix<f64>,
}

/// May cycles shrink to an equilibrium on a guard: is the system autonomous, and does the orbit meet events?
pub(super) fn may_vanish(orbit: &PeriodicOrbit<'_>) -> bool {
    orbit.lasts() && !orbit.is_free() && orbit.free.len() == 1 && orbit.constraint.is_none()
}

/// All states of the system where each segment begins.
pub(super) fn starts(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> Vec<Vec<f64>> {
    let p = orbit.parameters_at(z);
    let of = |k: usize| orbit.system.full_state(orbit.segments[k].mode, orbit.start(z, k), &p);
    (0..orbit.segments.len()).map(of).collect()
}

/// Centre and extent of each state: of angles those of the places at which segments begin.
pub(super) fn centres(orbit: &PeriodicOrbit<'_>, starts: &[Vec<f64>], record: &Record) -> (Vec<f64>, Vec<f64>) {
    let straight: Vec<usize> = straight(orbit.system).collect();
    let (centre, extent) = centre_and_extent(&record.monitors[..3 * straight.len()]);
    let of_state = |i: usize| match straight.iter().position(|&s| s == i) {
        Some(k) => (centre[k], extent[k]),
        None => {
            let range = starts.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| {
                (a.min(x[i]), b.max(x[i]))
            });
            (0.5 * (range.0 + range.1), range.1 - range.0)
        }
    };
    (0..orbit.system.states.len()).map(of_state).unzip()
}

/// Is the second cycle the first one with its size turned over, as beyond a boundary equilibrium that was stepped
/// across, or the equilibrium itself?
pub(super) fn is_turned_over(orbit: &PeriodicOrbit<'_>, a: (&Point, &Record), b: (&Point, &Record)) -> bool {
    /// Cosines of the angle between the two: beyond the equilibrium it is near -1, from one point of a branch to the
    /// next near +1.
    const OPPOSITE: f64 = -0.5;
    /// No step makes a cycle so much smaller.
    const VANISHED: f64 = 1e-4;
    let Some(shrinkage) = shrinkage_of(orbit, a.1, b.1).filter(|_| may_vanish(orbit)) else {
        return false;
    };
    let [from, to] = [a, b].map(|(point, record)| {
        let starts = starts(orbit, &point.z);
        let (centre, extent) = centres(orbit, &starts, record);
        (starts, centre, extent)
    });
    let opposite = || {
        let (mut product, mut squares) = (0.0, [0.0; 2]);
        for (x, y) in from.0.iter().zip(&to.0) {
            for i in (0..x.len()).filter(|&i| from.2[i] > 0.0) {
                let [x, y] = [x[i] - from.1[i], y[i] - to.1[i]].map(|d| d / from.2[i]);
                product += x * y;
                squares[0] += x * x;
                squares[1] += y * y;
            }
        }
        product < OPPOSITE * (squares[0] * squares[1]).sqrt()
    };
    let between = || {
        let [here, there] = [a, b].map(|(point, _)| point.parameter());
        at_guard(orbit, (&from.1, &from.2), (here, here))
            .is_some_and(|found| (found.parameter - here) / (there - here) < 2.0)
    };
    (shrinkage <= VANISHED || opposite()) && between()
}

/// The equilibrium of a mode of the orbit on one of its guards that is nearest to a cycle with this centre and these
/// extents, in the mode with the most states. The cycle has the first value of the parameter; the second one is where
/// the equilibrium is looked for.
fn at_guard(orbit: &PeriodicOrbit<'_>, (centre, extent): (&[f64], &[f64]), parameters: (f64, f64)) -> Option<AtGuard> {
    let mut modes: Vec<usize> = orbit.segments.iter().map(|s| s.mode).collect();
    modes.sort_by_key(|&m| (std::cmp::Reverse(orbit.system.modes[m].states.len()), m));
    modes.dedup();
    let farness = |found: &AtGuard| {
        let of = (0..extent.len()).filter(|&i| extent[i] > 0.0);
        of.map(|i| ((found.place[i] - centre[i]) / extent[i]).abs())
            .fold(0.0, f64::max)
    };
    modes.into_iter().find_map(|mode| {
        let events = &orbit.system.modes[mode].events;
        let first = |&e: &usize| {
            !events[..e]
                .iter()
                .any(|other| Arc::ptr_eq(&other.guard, &events[e].guard))
        };
        let found = (0..events.len())
            .filter(first)
            .filter_map(|event| equilibrium_on(orbit, (mode, event), (centre, extent), parameters));
        let near = found.filter(|found| farness(found) <= FAR);
        near.min_by(|a, b| farness(a).total_cmp(&farness(b)))
    })
}

/// The equilibrium of a mode on the guard of an event, by Newton's method until updates shrink no more.
fn equilibrium_on(
    orbit: &PeriodicOrbit<'_>,
    (mode, event): (usize, usize),
    (centre, extent): (&[f64], &[f64]),
    (now, parameter): (f64, f64),
) -> Option<AtGuard> {
    const ITERATIONS: usize = 30;
    /// An update of this part of the sizes must have been reached.
    const CONVERGED: f64 = 1e-10;
    /// Equilibria that move by less than this part of the extent of a cycle across the guard, while the cycle vanishes,
    /// stay on it.
    const ACROSS: f64 = 1e-4;
    let own = &orbit.system.modes[mode];
    let guard = own.events[event].guard.as_ref();
    let (n, index, least) = (own.states.len(), *orbit.free.first()?, *orbit.least_parameters.first()?);
    let mut p = orbit.parameters.clone();
    let scale = parameter.abs().max(least);
    let mut unknowns = DVector::from_iterator(n + 1, own.states.iter().map(|&i| centre[i]).chain([parameter]));
    let (mut f, mut dx, mut dp) = (vec![0.0; n], vec![0.0; n * n], vec![0.0; n]);
    let (mut g, mut gx, mut gp) = ([0.0], vec![0.0; n], [0.0]);
    let mut last = f64::INFINITY;
    for _ in 0..ITERATIONS {
        p[index] = unknowns[n];
        let x = &unknowns.as_slice()[..n];
        jacobian(own.field.as_ref(), x, &p, &[index], &mut f, &mut dx, &mut dp);
        jacobian(guard, x, &p, &[index], &mut g, &mut gx, &mut gp);
        let entry = |r: usize, c: usize| match (r < n, c < n) {
            (true, true) => dx[r * n + c],
            (true, false) => dp[r],
            (false, true) => gx[c],
            (false, false) => gp[0],
        };
        let right = DVector::from_iterator(n + 1, f.iter().copied().chain(g));
        let step = DMatrix::from_fn(n + 1, n + 1, entry).lu().solve(&right)?;
        let size = |k: usize| match own.states.get(k) {
            Some(&i) => unknowns[k].abs().max(extent[i]),
            None => scale,
        };
        let parts = (0..=n).filter(|&k| size(k) > 0.0).map(|k| (step[k] / size(k)).abs());
        let update = parts.fold(0.0f64, f64::max);
        if !update.is_finite() {
            return None;
        }
        let rests = update <= CONVERGED && update >= 0.5 * last || update == 0.0;
        last = update;
        if rests {
            break;
        }
        unknowns -= step;
    }
    let derivatives = DMatrix::from_row_slice(n, n, &dx);
    let moves = derivatives.clone().lu().solve(&DVector::from_column_slice(&dp))?;
    let rate = gx.iter().zip(moves.iter()).map(|(g, m)| -g * m).sum::<f64>() + gp[0];
    let size: f64 = gx.iter().zip(&own.states).map(|(g, &i)| (g * extent[i]).abs()).sum();
    let leaves = (rate * (now - unknowns[n])).abs() > ACROSS * size;
    p[index] = unknowns[n];
    (last <= CONVERGED && leaves).then(|| AtGuard {
        mode,
        event,
        parameter: unknowns[n],
        place: orbit.system.full_state(mode, &unknowns.as_slice()[..n], &p),
        derivatives,
    })
}

/// The boundary equilibrium at which a family of cycles ends, from its last two cycles; none where these do not lead to
/// one.
pub(super) fn vanishing_at_guard(
    orbit: &mut PeriodicOrbit<'_>,
    before: &Record,
    (point, record): (&Point, &Record),
) -> Option<BranchPoint> {
    let size = shrinkage_of(orbit, before, record).filter(|size| may_vanish(orbit) && *size < 1.0)?;
    let index = *orbit.free.first()?;
    let [then, now] = [before, record].map(|r| r.parameters[index]);
    let foretold = now + (now - then) * size / (1.0 - size);
    let (centre, extent) = centres(orbit, &starts(orbit, &point.z), record);
    let found = at_guard(orbit, (&centre, &extent), (now, foretold))?;
    if !((foretold - found.parameter).abs() <= PARAMETER * (now - found.parameter).abs()) {
        return None;
    }
    let end = end_at(orbit, (point, record, &extent), &found);
    orbit.take_parameters(&point.z);
    end
}

/// The equilibrium on the guard as a cycle of no extent, and in words.
fn end_at(
    orbit: &mut PeriodicOrbit<'_>,
    (last, record, extent): (&Point, &Record, &[f64]),
    found: &AtGuard,
) -> Option<BranchPoint> {
    let at_rest = at_rest(orbit, last, found);
    let (z, limit) = limit(orbit, (last, record, extent), &at_rest)?;
    let mut tangent: Vec<f64> = z.iter().zip(&last.z).map(|(a, b)| a - b).collect();
    let squares = tangent.iter().zip(&last.weights).map(|(t, w)| t * t * w);
    let length = squares.sum::<f64>().sqrt();
    tangent.iter_mut().for_each(|t| *t /= length);
    let point = Point {
        z,
        tangent,
        weights: last.weights.clone(),
        meshes: last.meshes.clone(),
    };
    let units = &orbit.system.units;
    let mut values = eigenvalues(&found.derivatives).ok()?;
    values.sort_by(|a, b| b.re.total_cmp(&a.re).then(b.im.total_cmp(&a.im)));
    let values: Vec<String> = values
        .iter()
        .filter(|v| v.im >= 0.0)
        .map(|v| v / units.time)
        .map(|v| match v.im == 0.0 {
            true => format!("{:.9}", v.re),
            false => format!("{:.9} ± {:.9}i", v.re, v.im),
        })
        .collect();
    let mode = &orbit.system.modes[found.mode];
    let ranges: Vec<f64> = found.place.iter().map(|x| x.abs()).collect();
    let message = format!(
        "boundary equilibrium: the periodic orbits shrink to the equilibrium {place} in mode `{mode}`, which reaches the guard of `{event}` at {name} = {value}; their size is in proportion to the distance of {name}, their period tends to {period:.9}; eigenvalues of the equilibrium in `{mode}`: {values}",
        place = rest::in_words(orbit, &found.place, &ranges),
        mode = mode.name,
        event = mode.events[found.event].name,
        name = orbit.system.parameters[*orbit.free.first()?].name,
        value = exact(found.parameter),
        period = limit.period * units.time,
        values = values.join(", "),
    );
    Some(BranchPoint {
        point,
        record: limit,
        label: Some(Label::BE),
        message,
    })
}

/// The unknowns of the cycle `last` with all its states at the equilibrium.
fn at_rest(orbit: &PeriodicOrbit<'_>, last: &Point, found: &AtGuard) -> Vec<f64> {
    let mut z = last.z.clone();
    for (k, s) in orbit.segments.iter().enumerate() {
        let states = &orbit.system.modes[s.mode].states;
        for at in std::iter::once(s.offset).chain(s.block().step_by(s.n.max(1))) {
            for (i, &state) in states.iter().enumerate() {
                let mut value = found.place[state];
                if let Some(period) = orbit.system.states[state].period {
                    let own = orbit.start(&last.z, k)[i];
                    value = own + centred(value - own, period);
                }
                z[at + i] = value;
            }
        }
    }
    let end = z.len() - 1;
    z[end] = found.parameter;
    z
}

/// A cycle of a family that shrinks: the share of the last one's size that it has, its unknowns, what is measured.
type Smaller = (f64, Vec<f64>, Record);

/// What cycles in the proportions of the last one tend to, from ever smaller ones: their states are at the equilibrium,
/// as in `at_rest`, and whatever else is measured is a smooth function of their size. None where smaller ones are not
/// to be had, or something happens on the way.
fn limit(
    orbit: &mut PeriodicOrbit<'_>,
    (last, record, extent): (&Point, &Record, &[f64]),
    at_rest: &[f64],
) -> Option<(Vec<f64>, Record)> {
    /// So many times the size is halved, at most.
    const MOST: usize = 9;
    /// From so many of the smallest the limits are extrapolated.
    const COUNT: usize = 6;
    /// How far the limit of the period may be off, and when it is good enough, as parts of it.
    const ERROR: f64 = 1e-8;
    const GOOD: f64 = 1e-12;
    /// Smaller cycles have the proportions of larger ones, but for this part of their extent.
    const ALIKE: f64 = 0.5;
    let mut known: Vec<Smaller> = vec![(1.0, last.z.clone(), record.clone())];
    let mut best: Option<(f64, Vec<f64>, Record)> = None;
    for _ in 0..MOST {
        let (share, larger, _) = known.last()?;
        let share = 0.5 * share;
        let guess = halfway(orbit, at_rest, larger);
        let Some((smaller, own)) = solved(orbit, &guess, last) else {
            break;
        };
        let changes = |(a, b): (&f64, &f64)| a * b < 0.0;
        let happens = own.unstable != record.unstable || own.tests.iter().zip(&record.tests).any(changes);
        if happens || !own.admissible() || apart(orbit, &guess, &smaller, extent) > ALIKE * share {
            return None;
        }
        known.push((share, smaller, own));
        let from = &known[known.len().saturating_sub(COUNT)..];
        let (z, own) = extrapolated(orbit, from, at_rest);
        let (least, period) = best
            .as_ref()
            .map_or((f64::INFINITY, f64::INFINITY), |b| (b.0, b.2.period));
        let error = (own.period / period - 1.0).abs();
        if best.is_some() && error > least {
            break;
        }
        best = Some((error, z, own));
        if error <= GOOD {
            break;
        }
    }
    let (error, z, own) = best?;
    (error <= ERROR).then_some((z, own))
}

/// The unknowns halfway between the equilibrium and a cycle that lasts as long.
fn halfway(orbit: &PeriodicOrbit<'_>, at_rest: &[f64], cycle: &[f64]) -> Vec<f64> {
    let mut z: Vec<f64> = at_rest.iter().zip(cycle).map(|(a, b)| 0.5 * (a + b)).collect();
    for s in &orbit.segments {
        z[s.offset + s.n] = cycle[s.offset + s.n];
    }
    z
}

/// How far two cycles begin their segments apart, in units of these extents of the states.
fn apart(orbit: &PeriodicOrbit<'_>, a: &[f64], b: &[f64], extent: &[f64]) -> f64 {
    let [a, b] = [a, b].map(|z| starts(orbit, z).concat());
    let units = extent.iter().cycle();
    let parts = a.iter().zip(&b).zip(units).filter(|(_, unit)| **unit > 0.0);
    parts.map(|((a, b), unit)| ((a - b) / unit).abs()).fold(0.0, f64::max)
}

/// The cycle near a guess at the value of the parameter there, as it is measured.
fn solved(orbit: &mut PeriodicOrbit<'_>, guess: &[f64], last: &Point) -> Option<(Vec<f64>, Record)> {
    let (mut z, mut row) = (guess.to_vec(), vec![0.0; guess.len()]);
    let end = guess.len() - 1;
    row[end] = 1.0;
    let options = NewtonOptions {
        polish: true,
        ..NewtonOptions::default()
    };
    let anchor = vec![0.0; guess.len()];
    Newton::default()
        .solve(orbit, &mut z, &row, &anchor, &[guess[end]], &options)
        .ok()?;
    orbit.take_parameters(&z);
    let point = Point { z, ..last.clone() };
    let mut record = Record::default();
    measure(orbit, &point, &mut record).ok()?;
    Some((point.z, record))
}

/// Unknowns and measurements in the limit of cycles of no size at the equilibrium.
fn extrapolated(orbit: &PeriodicOrbit<'_>, from: &[Smaller], at_rest: &[f64]) -> (Vec<f64>, Record) {
    /// What falls by so much with the size, as a part of what it is, falls to zero.
    const ZERO: f64 = 1e-6;
    let shares: Vec<f64> = from.iter().map(|cycle| cycle.0).collect();
    let weights = lagrange(&shares, 0.0);
    let of = |value: &dyn Fn(&Smaller) -> f64| -> f64 {
        let values: Vec<f64> = from.iter().map(value).collect();
        let [.., last] = values[..] else { return f64::NAN };
        // What is the same, as where it is infinite or far, stays so.
        if values.iter().all(|v| *v == last) {
            return last;
        }
        let limit: f64 = weights.iter().zip(&values).map(|(w, v)| w * v).sum();
        let largest = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        if limit.abs() <= ZERO * largest { 0.0 } else { limit }
    };
    let mut z = at_rest.to_vec();
    for at in orbit.segments.iter().map(|s| s.offset + s.n) {
        z[at] = of(&|cycle| cycle.1[at]);
    }
    let mut record = from.last().map(|cycle| cycle.2.clone()).unwrap_or_default();
    record.parameters = orbit.parameters_at(&z);
    record.period = orbit.period(&z);
    let places = starts(orbit, &z);
    for (i, monitor) in monitors::list(orbit).into_iter().enumerate() {
        let at_place = |state: usize| places.iter().map(move |x| x[state]);
        record.monitors[i] = match monitor {
            OrbitScalar::Extreme(state, Extreme::Modulus) => at_place(state).fold(0.0, |m: f64, v| m.max(v.abs())),
            OrbitScalar::Extreme(state, Extreme::Largest) => at_place(state).fold(f64::NEG_INFINITY, f64::max),
            OrbitScalar::Extreme(state, Extreme::Least) => at_place(state).fold(f64::INFINITY, f64::min),
            _ => of(&|cycle| cycle.2.monitors[i]),
        };
    }
    for i in 0..record.inequalities.len() {
        record.inequalities[i] = of(&|cycle| cycle.2.inequalities[i]).max(0.0);
    }
    let tends_to = |i: usize, own: Multiplier, all: fn(&Record) -> &[Multiplier]| {
        let log10 = of(&|cycle| all(&cycle.2)[i].log10);
        let arg = of(&|cycle| all(&cycle.2)[i].arg);
        if log10.is_nan() { own } else { Multiplier { log10, arg } }
    };
    for (i, own) in record.multipliers.iter_mut().enumerate() {
        *own = tends_to(i, *own, |r| &r.multipliers);
    }
    for (i, own) in record.nu.iter_mut().enumerate() {
        *own = tends_to(i, *own, |r| &r.nu);
    }
    (z, record)
}
