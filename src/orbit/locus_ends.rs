//! Curves of cycles end where the cycles shrink to an equilibrium: at a Hopf point. Two-parameter curves of folds end
//! at a generalised Hopf point, those of tori at a zero-Hopf or double Hopf point. Curves of folds also end where the
//! orbits are their own mirror images: at a degenerate pitchfork.
//!
//! Reference: Yu. A. Kuznetsov, *Elements of Applied Bifurcation Theory*, Springer (2004), ch. 8.

use super::locus::LocusCondition;
use super::{Locus, PeriodicOrbit};
use crate::angles::{centred, forcing_phase};
use crate::dense_output::DenseOutput;
use crate::rest;
use crate::turned_round::{on_the_way, vanishes_between};
use nalgebra::DVector;
use slipstick_bifurcation::Label;
use slipstick_continuation::{Point, Problem};
use std::f64::consts::TAU;

/// Eigenvalues this near to the imaginary axis, and periods this near to that of a pair on it, in parts of its
/// frequency, are there in the limit of small cycles.
const NEAR: f64 = 0.02;
/// Halves of an orbit that are no further apart coincide in the limit, in parts of the range of a state.
const COINCIDE: f64 = 0.05;
/// Points of a cycle.
const SAMPLES: usize = 200;

/// The equilibrium round which a small cycle goes.
pub(super) struct Encircled {
    /// Its states in words.
    pub(super) place: String,
    /// Is one of its eigenvalues zero, as far as the cycle can tell?
    zero: bool,
    /// How many pairs of them are imaginary, that of the cycle included.
    pairs: usize,
}

/// The equilibrium inside a cycle, if the period is that of a pair of its eigenvalues on the imaginary axis.
pub(super) fn encircled(orbit: &mut PeriodicOrbit<'_>, point: &Point) -> Option<Encircled> {
    let sample = orbit.sample(point, SAMPLES).ok()?;
    let n = sample.states.first()?.len();
    let (mut centre, mut ranges, mut duration) = (vec![0.0; n], vec![0.0f64; n], 0.0);
    for (t, x) in sample.t.windows(2).zip(sample.states.windows(2)) {
        duration += t[1] - t[0];
        for i in 0..n {
            centre[i] += 0.5 * (x[0][i] + x[1][i]) * (t[1] - t[0]);
            ranges[i] = ranges[i].max((x[1][i] - sample.states[0][i]).abs());
        }
    }
    centre.iter_mut().for_each(|c| *c /= duration);
    let p = orbit.parameters_at(&point.z);
    let (x, values) = rest::equilibrium_from(orbit, orbit.segments.first()?.mode, &centre, &p)?;
    let inside = x
        .iter()
        .zip(&centre)
        .zip(&ranges)
        .all(|((x, c), r)| (x - c).abs() <= *r);
    let frequency = TAU / orbit.period(&point.z);
    let on_axis = |v: &&nalgebra::Complex<f64>| v.re.abs() <= NEAR * frequency;
    let pairs: Vec<f64> = values
        .iter()
        .filter(on_axis)
        .map(|v| v.im)
        .filter(|im| *im > 0.0)
        .collect();
    let own = pairs.iter().any(|im| (im / frequency - 1.0).abs() <= NEAR);
    (inside && own).then(|| Encircled {
        place: rest::in_words(orbit, &x, &ranges),
        zero: values.iter().any(|v| v.im == 0.0 && v.re.abs() <= NEAR * frequency),
        pairs: pairs.len(),
    })
}

impl Locus<'_> {
    /// The equilibrium round which the small cycle at `point` goes: the label of the point of two parameters at which
    /// it shrinks to it, and what happens there.
    pub(super) fn shrunk_to(&mut self, point: &Point) -> Option<(Label, String)> {
        let LocusCondition::Multiplier(condition) = self.condition else {
            return None;
        };
        let orbit = self.orbit_at(point);
        let Encircled { place, zero, pairs } = encircled(&mut self.plain, &orbit)?;
        let (label, what) = match condition {
            Label::LP | Label::NS if zero => (Label::ZH, "zero-Hopf point: an eigenvalue is zero and a pair imaginary"),
            Label::LP | Label::NS if pairs > 1 => {
                (Label::HH, "double Hopf point: two pairs of eigenvalues are imaginary")
            }
            Label::LP => (
                Label::GH,
                "generalised Hopf point (Bautin): the first Lyapunov coefficient is zero, and the curve of folds of cycles ends here",
            ),
            _ => return None,
        };
        Some((label, format!("{what}: the cycles shrink to the equilibrium {place}")))
    }

    /// Between two points of a curve of folds on both sides of what looks like a cusp: do the orbits coincide with
    /// their mirror images there, so that the curve ends? The label of that point, what happens there, and the point.
    pub(super) fn mirrored_between(&mut self, base: &Point, next: &Point) -> Option<(Label, String, Point)> {
        /// The images of orbits that differ by no more are the same but for rounding.
        const SAME: f64 = 1e-7;
        if !matches!(self.condition, LocusCondition::Multiplier(Label::LP)) {
            return None;
        }
        let mut apart = |point: &Point| {
            let orbit = self.orbit_at(point);
            self.plain.restore(&orbit.meshes);
            let apart = apart_from_image(&self.plain, &orbit.z)?;
            (apart.norm() > SAME).then_some(apart)
        };
        let (before, after) = (apart(base)?, apart(next)?);
        let part = vanishes_between(&before, &after, 0.0)?;
        let meaning = "degenerate pitchfork: the orbits coincide with their mirror images, and the curve of folds ends here; beyond it the mirror images follow";
        Some((Label::DP, meaning.into(), on_the_way(base, next, part)))
    }

    /// At what looks like a cusp of a curve of folds of smooth orbits: are they gone through twice, so that the curve
    /// ends here? The label of that point, what happens there, and the point.
    pub(super) fn doubles(&mut self, point: &Point) -> Option<(Label, String, Point)> {
        let folds = matches!(self.condition, LocusCondition::Multiplier(Label::LP));
        if !folds || self.plain.word().symmetric || self.plain.system().is_hybrid() {
            return None;
        }
        let orbit = self.orbit_at(point);
        if forced_otherwise_half_a_period_later(&mut self.plain, &orbit)? {
            return None;
        }
        let meaning = "generalised period doubling: the two halves of the orbit coincide with an orbit of half the period, one of whose multipliers is -1, and the curve of folds ends here; beyond it the same orbits recur, started half a period later";
        let met = self.orbits_met();
        if halves_apart(&mut self.plain, &orbit, &met)? > COINCIDE {
            return None;
        }
        let place = self.generalised_doubling(point, &orbit);
        Some((Label::GPD, meaning.into(), place.unwrap_or_else(|| point.clone())))
    }
}

/// How far the means of the states and of their cubes over an orbit are from those over its mirror image, in the
/// largest values of the states, where the system has a symmetry that the orbit need not have.
fn apart_from_image(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> Option<DVector<f64>> {
    let symmetry = orbit.system.symmetry.as_ref().filter(|_| !orbit.word.symmetric)?;
    let p = orbit.parameters_at(z);
    let straight: Vec<usize> = (0..orbit.system.states.len())
        .filter(|&j| orbit.system.states[j].period.is_none())
        .collect();
    let mut largest = vec![0.0f64; straight.len()];
    let mut means = DVector::zeros(2 * straight.len());
    let period = orbit.period(z);
    for (k, s) in orbit.segments.iter().enumerate() {
        let dense = DenseOutput::new(orbit.system, s, z, &p).ok()?;
        dense.integrate(s.n, orbit.duration(z, k), &mut |weight, x| {
            let full = orbit.system.full_state(s.mode, x, &p);
            for (i, &j) in straight.iter().enumerate() {
                let image = symmetry.sign[j] * full[symmetry.source[j]] + symmetry.shift[j];
                largest[i] = largest[i].max(full[j].abs());
                means[2 * i] += weight / period * (full[j] - image);
                means[2 * i + 1] += weight / period * (full[j].powi(3) - image.powi(3));
            }
        });
    }
    for (i, size) in largest.iter().enumerate().filter(|(_, size)| **size > 0.0) {
        means[2 * i] /= size;
        means[2 * i + 1] /= size.powi(3);
    }
    Some(means)
}

/// Are the rates at the states of an orbit others half a period later, by the phase of a forcing? No orbit of half the
/// period exists then, however weak the forcing is and however little the halves differ.
fn forced_otherwise_half_a_period_later(orbit: &mut PeriodicOrbit<'_>, point: &Point) -> Option<bool> {
    /// As part of the largest rate of the same state.
    const ROUNDING: f64 = 1e-9;
    let sample = orbit.sample(point, SAMPLES).ok()?;
    let index = orbit.segments.first()?.mode;
    let Some(clock) = forcing_phase(orbit.system, index) else {
        return Some(false);
    };
    let mode = &orbit.system.modes[index];
    let period = orbit.system.states[mode.states[clock]].period?;
    let half = 0.5 * (sample.states.last()?[clock] - sample.states.first()?[clock]);
    if centred(half, period).abs() <= ROUNDING * period {
        return Some(false);
    }
    let p = orbit.parameters_at(&point.z);
    let n = mode.states.len();
    let (mut largest, mut apart) = (vec![0.0f64; n], vec![0.0f64; n]);
    let (mut now, mut later) = (vec![0.0; n], vec![0.0; n]);
    for x in &sample.states {
        let mut x = x.clone();
        mode.field.value(&x, &p, &mut now);
        x[clock] += half;
        mode.field.value(&x, &p, &mut later);
        for i in 0..n {
            largest[i] = largest[i].max(now[i].abs());
            apart[i] = apart[i].max((later[i] - now[i]).abs());
        }
    }
    Some(apart.iter().zip(&largest).any(|(apart, rate)| *apart > ROUNDING * rate))
}

/// The largest distance of two states half a period apart, in parts of the range of a state along the orbit, or of how
/// large the states of orbits before it were, where these are known; angles aside.
fn halves_apart(orbit: &mut PeriodicOrbit<'_>, point: &Point, met: &[f64]) -> Option<f64> {
    let sample = orbit.sample(point, SAMPLES).ok()?;
    let (first, last) = (*sample.t.first()?, *sample.t.last()?);
    let at = |t: f64, i: usize| {
        let after = sample
            .t
            .partition_point(|known| *known < t)
            .clamp(1, sample.t.len() - 1);
        let (a, b) = (sample.t[after - 1], sample.t[after]);
        let part = if b > a { (t - a) / (b - a) } else { 0.0 };
        sample.states[after - 1][i] * (1.0 - part) + sample.states[after][i] * part
    };
    let states = &orbit.system.modes[orbit.segments.first()?.mode].states;
    let straight = (0..states.len()).filter(|&i| orbit.system.states[states[i]].period.is_none());
    let parts = straight.map(|i| {
        let values = || sample.states.iter().map(|x| x[i]);
        let range = values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min);
        let range = range.max(met.get(states[i]).copied().unwrap_or(0.0));
        let half = 0.5 * (last - first);
        let times = sample.t.iter().filter(|t| **t - first <= half);
        let apart = times.map(|t| (at(t + half, i) - at(*t, i)).abs()).fold(0.0, f64::max);
        if range > 0.0 { apart / range } else { 0.0 }
    });
    Some(parts.fold(0.0, f64::max))
}
