//! Families of cycles that shrink to an equilibrium: the Hopf point at which they end.
//!
//! Near it a cycle is `x_H + A Re(q e^{iωt}) + O(A²)`, its parameter and period are smooth functions of A², and the
//! branch goes on through A = 0: beyond it the same cycles come again, half a period on. It does so where the parameter
//! is the same all along, as on the cycles of a linear mode. The equations of cycles are singular there, since an
//! equilibrium satisfies them with any period; the point is found from the equilibrium instead, where the real part of
//! a pair of eigenvalues vanishes. It is the end of the family if parameter and period of the last cycles lead to it.
//!
//! Reference: Yu. A. Kuznetsov, *Elements of Applied Bifurcation Theory*, 3rd ed., Springer (2004), ch. 3.4 and 5.4.

use super::PeriodicOrbit;
use super::measure::measure_at_rest;
use super::monitors::OrbitScalar;
use super::segment::Segment;
use crate::monitors;
use crate::rest;
use nalgebra::{Complex, DMatrix, DVector};
use slipstick_bifurcation::{BranchPoint, Label, Record};
use slipstick_continuation::Point;
use slipstick_floquet::{Multiplier, psi_minus, psi_ns, psi_plus};
use slipstick_numerics::linalg::eigen::eigenvalues;
use slipstick_numerics::number::exact;
use slipstick_system::{System, jacobian};
use std::f64::consts::{LN_10, PI, TAU};
use std::ops::Range;

/// How far the limits extrapolated from the last two cycles may be from the Hopf point: of the parameter, as part of
/// what is left of its way; of the period, as part of it. With `p = p_H + a ρ + b ρ²` in the square ρ of the amplitude,
/// a part of a tenth leaves no room for a fold between the last cycle and the Hopf point.
const PARAMETER: f64 = 0.1;
const PERIOD: f64 = 0.02;
/// Parameters nearer than this, relative to their size, are the same: special points are located no better.
const SAME: f64 = 1e-10;

/// An equilibrium at a value of the parameter, with its eigenvalues and that of the pair that oscillates as a cycle
/// does.
pub(super) struct Rest {
    pub(super) parameter: f64,
    pub(super) x: Vec<f64>,
    values: Vec<Complex<f64>>,
    pub(super) pair: Complex<f64>,
}

/// May cycles shrink to an equilibrium: is the orbit one of a smooth autonomous system, or in one mode? Other modes may
/// have states that this one has not.
pub(super) fn may_vanish(orbit: &PeriodicOrbit<'_>) -> bool {
    orbit.is_free() && orbit.vectors == 0 && orbit.free.len() == 1
}

/// How much smaller the second cycle is than the first, by the extents of the states that move most, angles apart, or
/// of those that stay while these vanish; none for orbits that cannot vanish.
pub(super) fn shrinkage_of(orbit: &PeriodicOrbit<'_>, before: &Record, last: &Record) -> Option<f64> {
    /// A state that moves by this part of its size moves, whatever its unit, and stays if it shrinks by so much less
    /// than the others.
    const MOVES: f64 = 1e-3;
    const STAYS: f64 = 10.0;
    let rotates = orbit.winding.iter().any(|turns| *turns != 0.0);
    if orbit.vectors > 0 || rotates {
        return None;
    }
    let shape = 0..3 * straight(orbit.system).count();
    let (a, b) = (&before.monitors[shape.clone()], &last.monitors[shape]);
    let (extent, now) = (centre_and_extent(a).1, centre_and_extent(b).1);
    let moving = moving(a, &extent);
    let (sum, count) = moving.iter().fold((0.0, 0.0), |(sum, count), &i| {
        (sum + (now[i] / extent[i]).powi(2), count + 1.0)
    });
    let by_most = (count > 0.0).then(|| (sum / count).sqrt())?;
    let others = (0..extent.len()).filter(|i| !moving.contains(i) && extent[*i] > MOVES * a[3 * i]);
    let by_others = others.map(|i| now[i] / extent[i]).fold(0.0, f64::max);
    Some(if by_others > STAYS * by_most {
        by_others
    } else {
        by_most
    })
}

/// The states that are no angles: extremes are measured of these.
pub(super) fn straight(system: &System) -> impl Iterator<Item = usize> {
    (0..system.states.len()).filter(|&i| system.states[i].period.is_none())
}

/// Is the second cycle the first one with its amplitude turned over, as beyond a Hopf point that was stepped
/// across, or the equilibrium itself? Each is taken from its centre and in units of its extent.
pub(super) fn is_turned_over(orbit: &PeriodicOrbit<'_>, a: (&Point, &Record), b: (&Point, &Record)) -> bool {
    /// Cosines of the angle between the two: beyond a Hopf point it is near -1, from one point of a branch to the
    /// next near +1.
    const OPPOSITE: f64 = -0.5;
    /// No step makes a cycle so much smaller.
    const VANISHED: f64 = 1e-4;
    let shrinkage = shrinkage_of(orbit, a.1, b.1).filter(|_| may_vanish(orbit));
    let Some(shrinkage) = shrinkage else { return false };
    if shrinkage <= VANISHED {
        return true;
    }
    let Some(shape) = shape(orbit).filter(|_| a.0.z.len() == b.0.z.len() && a.0.meshes == b.0.meshes) else {
        return false;
    };
    let extremes = &a.1.monitors[shape.clone()];
    let (centre_a, extent) = centre_and_extent(extremes);
    let centre_b = centre_and_extent(&b.1.monitors[shape]).0;
    let (mut product, mut square_a, mut square_b) = (0.0, 0.0, 0.0);
    let moving = moving(extremes, &extent);
    let own = own_states(orbit);
    let places: Vec<Option<usize>> = straight(orbit.system)
        .map(|state| own.iter().position(|s| *s == state))
        .collect();
    for at in orbit.segments.iter().flat_map(Segment::nodes) {
        for (i, place) in moving.iter().filter_map(|&i| Some((i, places[i]?))) {
            let (x, y) = (
                (a.0.z[at + place] - centre_a[i]) / extent[i],
                (b.0.z[at + place] - centre_b[i]) / extent[i],
            );
            product += x * y;
            square_a += x * x;
            square_b += y * y;
        }
    }
    product < OPPOSITE * (square_a * square_b).sqrt()
}

/// Where a record holds the extremes of the states, of orbits whose period may grow without bound.
fn shape(orbit: &PeriodicOrbit<'_>) -> Option<Range<usize>> {
    let extremes = monitors::list(orbit).into_iter();
    let count = extremes.take_while(|m| matches!(m, OrbitScalar::Extreme(..))).count();
    orbit.lasts().then_some(0..count)
}

/// The states of the mode that the orbit is in.
fn own_states<'s>(orbit: &PeriodicOrbit<'s>) -> &'s [usize] {
    let first = orbit.segments.first();
    first.map_or(&[], |s| &orbit.system.modes[s.mode].states)
}

/// The extremes of all states of the mode in their order: those that were measured, and of angles those at the nodes.
fn with_angles(orbit: &PeriodicOrbit<'_>, z: &[f64], measured: &[f64]) -> Vec<f64> {
    let straight: Vec<usize> = straight(orbit.system).collect();
    let of_state = |(i, state): (usize, &usize)| {
        if let Some(k) = straight.iter().position(|s| s == state) {
            let own = measured.get(3 * k..3 * k + 3);
            return own.map_or([0.0; 3], |own| [own[0], own[1], own[2]]);
        }
        let nodes = orbit.segments.iter().flat_map(Segment::nodes).map(|at| z[at + i]);
        let (low, high) = nodes.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        [low.abs().max(high.abs()), high, low]
    };
    own_states(orbit).iter().enumerate().flat_map(of_state).collect()
}

/// The Hopf point at which a family of cycles ends, from its last two cycles; none where these do not lead to one.
pub(super) fn vanishing(
    orbit: &mut PeriodicOrbit<'_>,
    before: &Record,
    last: (&Point, &Record),
) -> Option<BranchPoint> {
    if !may_vanish(orbit) {
        return None;
    }
    let (point, record) = last;
    let square = shrinkage_of(orbit, before, record)?.powi(2);
    if !(square < 1.0) {
        return None;
    }
    let extremes = &with_angles(orbit, &point.z, &record.monitors[shape(orbit)?]);
    let (centre, extent) = centre_and_extent(extremes);
    let index = *orbit.free.first()?;
    let limit = |before: f64, last: f64| last + (last - before) * square / (1.0 - square);
    let now = record.parameters[index];
    let foretold = limit(before.parameters[index], now);
    let frequency = TAU / limit(before.period, record.period);
    let sizes = orbit.sizes_at(&point.z);
    let resolution = SAME * sizes[sizes.len() - 1];
    let mode = orbit.segments.first()?.mode;
    let near = Near {
        mode,
        x: &centre,
        extent: &extent,
        frequency,
    };
    let rest = hopf_point(orbit, &near, (now, foretold), resolution)?;
    let away = |reported: f64, left: f64| (reported - rest.parameter).abs() > PARAMETER * left.abs() + resolution;
    let apart = |i: usize| (rest.x[i] - centre[i]).abs() > extent[i];
    if away(foretold, now - rest.parameter)
        || (frequency / rest.pair.im - 1.0).abs() > PERIOD
        || moving(extremes, &extent).into_iter().any(apart)
    {
        return None;
    }
    let end = at_rest(orbit, point, record, &rest);
    if end.is_none() {
        orbit.take_parameters(&point.z);
    }
    end
}

/// Where an equilibrium with an oscillating pair of eigenvalues is looked for: in a mode, near the centre `x` of cycles
/// of this extent; the pair near i·`frequency`.
pub(super) struct Near<'a> {
    pub(super) mode: usize,
    pub(super) x: &'a [f64],
    pub(super) extent: &'a [f64],
    pub(super) frequency: f64,
}

/// Where the real part of the pair of eigenvalues vanishes along the equilibria: by secants from both values of the
/// parameter.
pub(super) fn hopf_point(
    orbit: &PeriodicOrbit<'_>,
    near: &Near<'_>,
    (a, b): (f64, f64),
    resolution: f64,
) -> Option<Rest> {
    const ITERATIONS: usize = 40;
    let at = |x: &[f64], parameter: f64| rest_at(orbit, &Near { x, ..*near }, parameter);
    let mut here = at(near.x, a)?;
    // Where the parameter stands still any other value will do for the slope.
    let other = if (b - a).abs() > resolution {
        b
    } else {
        a + 1e3 * resolution
    };
    let mut next = at(&here.x, other)?;
    if next.pair.re.abs() > here.pair.re.abs() {
        std::mem::swap(&mut here, &mut next);
    }
    for _ in 0..ITERATIONS {
        let step = next.pair.re * (next.parameter - here.parameter) / (next.pair.re - here.pair.re);
        if !step.is_finite() {
            break;
        }
        let found = at(&next.x, next.parameter - step)?;
        if found.pair.re.abs() >= next.pair.re.abs() {
            break;
        }
        here = std::mem::replace(&mut next, found);
    }
    /// The real part of a pair on the imaginary axis, relative to its frequency.
    const ZERO: f64 = 1e-10;
    (next.pair.re.abs() <= ZERO * next.pair.im).then_some(next)
}

/// The equilibrium at a value of the parameter, by Newton's method until updates shrink no more.
fn rest_at(orbit: &PeriodicOrbit<'_>, near: &Near<'_>, parameter: f64) -> Option<Rest> {
    const ITERATIONS: usize = 30;
    /// An update of this part of the sizes of the states must have been reached.
    const CONVERGED: f64 = 1e-10;
    let Near {
        mode,
        x,
        extent,
        frequency,
        ..
    } = *near;
    let field = orbit.system.modes[mode].field.as_ref();
    let mut p = orbit.parameters.clone();
    p[*orbit.free.first()?] = parameter;
    let n = x.len();
    let (mut f, mut dx) = (vec![0.0; n], vec![0.0; n * n]);
    let mut x = DVector::from_column_slice(x);
    let mut last = f64::INFINITY;
    for _ in 0..ITERATIONS {
        jacobian(field, x.as_slice(), &p, &[], &mut f, &mut dx, &mut []);
        let matrix = DMatrix::from_row_slice(n, n, &dx);
        let step = matrix.lu().solve(&DVector::from_column_slice(&f))?;
        let size = |i: usize| x[i].abs().max(extent[i]);
        let update = (0..n)
            .filter(|&i| size(i) > 0.0)
            .fold(0.0f64, |m, i| m.max((step[i] / size(i)).abs()));
        if !update.is_finite() {
            return None;
        }
        if update <= CONVERGED && update >= 0.5 * last || update == 0.0 {
            last = update;
            break;
        }
        last = update;
        x -= step;
    }
    if last > CONVERGED {
        return None;
    }
    jacobian(field, x.as_slice(), &p, &[], &mut f, &mut dx, &mut []);
    let values = eigenvalues(&DMatrix::from_row_slice(n, n, &dx)).ok()?;
    let wanted = Complex::new(0.0, frequency);
    let upper = values.iter().filter(|v| v.im > 0.0);
    let pair = *upper.min_by(|a, b| (*a - wanted).norm().total_cmp(&(*b - wanted).norm()))?;
    Some(Rest {
        parameter,
        x: x.as_slice().to_vec(),
        values,
        pair,
    })
}

/// The end of the family as a point of the branch: the equilibrium as a cycle of no extent. None where one of the
/// other multipliers crosses the unit circle on the way there, so that nearer cycles have to be looked at first.
fn at_rest(orbit: &mut PeriodicOrbit<'_>, last: &Point, record: &Record, rest: &Rest) -> Option<BranchPoint> {
    let period = TAU / rest.pair.im;
    let mut z = last.z.clone();
    let stretch = period / record.period;
    for s in &orbit.segments {
        for at in std::iter::once(s.offset).chain(s.block().step_by(s.n.max(1))) {
            z[at..at + s.n].copy_from_slice(&rest.x);
        }
        z[s.offset + s.n] *= stretch;
    }
    let end = z.len() - 1;
    z[end] = rest.parameter;
    let mut tangent: Vec<f64> = z.iter().zip(&last.z).map(|(a, b)| a - b).collect();
    let length = tangent
        .iter()
        .zip(&last.weights)
        .map(|(t, w)| t * t * w)
        .sum::<f64>()
        .sqrt();
    tangent.iter_mut().for_each(|t| *t /= length);
    let point = Point {
        z,
        tangent,
        weights: last.weights.clone(),
        meshes: last.meshes.clone(),
    };
    let mut limit = record.clone();
    measure_at_rest(orbit, &point.z, &mut limit).ok()?;
    // Over a period the pair comes back to where it was: one of its multipliers is the trivial one.
    let share = if orbit.word.symmetric { 0.5 * period } else { period };
    let own = rest
        .values
        .iter()
        .filter(|v| **v != rest.pair && **v != rest.pair.conj());
    if !orbit.word.symmetric {
        limit.multipliers = own.map(|v| multiplier(*v, share)).collect();
        limit.multipliers.push(Multiplier { log10: 0.0, arg: 0.0 });
        limit
            .multipliers
            .sort_by(|a, b| b.log10.total_cmp(&a.log10).then(b.arg.total_cmp(&a.arg)));
        let of = &limit.multipliers;
        limit.tests = vec![psi_minus(of), psi_ns(of), psi_plus(of)];
        limit.unstable = Multiplier::count_unstable(of);
        // The multiplier at +1 makes a pair with any other.
        let doubles = limit.tests[0] * record.tests[0] < 0.0;
        if doubles {
            return None;
        }
    }
    let mode = orbit.segments.first()?.mode;
    let place = orbit.system.full_state(mode, &rest.x, &orbit.parameters);
    let ranges: Vec<f64> = place.iter().map(|x| x.abs()).collect();
    let name = orbit.system.parameters[*orbit.free.first()?].name.as_str();
    let message = format!(
        "Hopf point: the periodic orbits shrink to an equilibrium at {name} = {}, {}, with a pair of imaginary eigenvalues of frequency {:.12}; beyond it the same orbits recur, shifted by half a period",
        exact(rest.parameter),
        rest::in_words(orbit, &place, &ranges),
        rest.pair.im / orbit.system.units.time
    );
    Some(BranchPoint {
        point,
        record: limit,
        label: Some(Label::HB),
        message,
    })
}

/// The centres and extents of the states, from their moduli, maxima and minima.
pub(super) fn centre_and_extent(extremes: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let of = extremes.chunks_exact(3);
    of.map(|m| (0.5 * (m[1] + m[2]), m[1] - m[2])).unzip()
}

/// The states whose extents are neither rounding nor small next to those of others.
fn moving(extremes: &[f64], extent: &[f64]) -> Vec<usize> {
    const SMALL: f64 = 1e-3;
    const ROUNDING: f64 = 1e-10;
    let shown = |i: usize| extent[i] > ROUNDING * extremes[3 * i];
    let largest = (0..extent.len())
        .filter(|&i| shown(i))
        .fold(0.0f64, |m, i| m.max(extent[i]));
    (0..extent.len())
        .filter(|&i| shown(i) && extent[i] >= SMALL * largest)
        .collect()
}

/// e^{λt}.
fn multiplier(value: Complex<f64>, time: f64) -> Multiplier {
    let turn = (value.im * time + PI).rem_euclid(TAU) - PI;
    Multiplier {
        log10: value.re * time / LN_10,
        arg: if value.im == 0.0 { 0.0 } else { turn },
    }
}
