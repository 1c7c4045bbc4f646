//! Curves of cycles end where the cycles shrink to an equilibrium: at a Hopf point. Two-parameter curves of folds end
//! at a generalised Hopf point, those of tori at a zero-Hopf or double Hopf point.
//!
//! Reference: Yu. A. Kuznetsov, *Elements of Applied Bifurcation Theory*, Springer (2004), ch. 8.

use super::locus::LocusCondition;
use super::{Locus, PeriodicOrbit};
use crate::rest;
use slipstick_bifurcation::Label;
use slipstick_continuation::Point;
use std::f64::consts::TAU;

/// Eigenvalues this near to the imaginary axis, and periods this near to that of a pair on it, in parts of its
/// frequency, are there in the limit of small cycles.
const NEAR: f64 = 0.02;
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
}
