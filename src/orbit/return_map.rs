//! The return map of a smooth periodic orbit with its second and third derivatives, and what they say about the orbit's bifurcations.
//!
//! P(x) is where the solution from x meets, after about a period, the plane through the orbit's end normal to the flow there (of a symmetric
//! orbit: after half of one, the symmetry applied). It is defined for all x nearby, not only on a section; its derivative has the multipliers
//! of the orbit as eigenvalues, with 0 in place of the trivial one. Its normal forms are those of maps.
//!
//! Reference: Yu. A. Kuznetsov, *Elements of Applied Bifurcation Theory*, 3rd ed., Springer (2004), ch. 1.5 and 5.4.

use super::PeriodicOrbit;
use super::normal_form::{CONVENTION, Coefficient, Expansion, Multilinear, twelve_digits};
use crate::bifurcation::Label;
use crate::flow::{FlowOptions, jet};
use crate::linalg::eigen::eigenvalues;
use crate::scalar::{Scalar, Third};
use crate::system::Function;
use nalgebra::{Complex, DMatrix, DVector};
use std::cell::RefCell;

/// The integration of the flow with its derivatives.
const FLOW: FlowOptions = FlowOptions {
    rtol: 1e-9,
    atol: 1e-12,
    method: crate::flow::Method::Explicit,
    max_steps: 2000,
};
/// How well the integration must reproduce the multiplier that bifurcates.
const FITS: f64 = 1e-4;
/// A quadratic coefficient below this, relative to the cubic one and to the size of the orbit, is zero: a pitchfork.
const ZERO: f64 = 1e-6;

struct ReturnMap<'a> {
    field: &'a dyn Function,
    p: &'a [f64],
    x: &'a [f64],
    duration: f64,
    /// Of symmetric orbits: the source and sign of each state.
    mirror: Option<(&'a [usize], &'a [f64])>,
    /// What was followed before.
    known: RefCell<Vec<Followed>>,
}

/// Three directions, and the map along them.
type Followed = ([DVector<f64>; 3], Option<Vec<Third>>);

impl ReturnMap<'_> {
    /// P along three directions, followed once.
    fn known_along(&self, u: &DVector<f64>, v: &DVector<f64>, w: &DVector<f64>) -> Option<Vec<Third>> {
        let directions = [u.clone(), v.clone(), w.clone()];
        if let Some(known) = self.known.borrow().iter().find(|k| k.0 == directions) {
            return known.1.clone();
        }
        let image = self.along(u, v, w);
        self.known.borrow_mut().push((directions, image.clone()));
        image
    }

    /// P along three directions.
    fn along(&self, u: &DVector<f64>, v: &DVector<f64>, w: &DVector<f64>) -> Option<Vec<Third>> {
        let n = self.x.len();
        let mut y: Vec<Third> = (0..n).map(|i| Third::mixed(self.x[i], u[i], v[i], w[i])).collect();
        jet::advance(self.field, &mut y, self.p, self.duration, &FLOW).ok()?;
        let end: Vec<f64> = y.iter().map(Scalar::value).collect();
        let mut normal = vec![0.0; n];
        self.field.value(&end, self.p, &mut normal);
        let square: f64 = normal.iter().map(|v| v * v).sum();
        // Newton's method for the time to the plane; each iteration makes one more order of the derivatives exact.
        let mut by = Third::zero();
        let mut arrived = y.clone();
        for _ in 0..3 {
            let mut off = Third::zero();
            for ((a, e), m) in arrived.iter().zip(&end).zip(&normal) {
                off += (*a + -e) * (m / square);
            }
            by -= off;
            arrived = jet::nudge(self.field, &y, self.p, by);
        }
        Some(match self.mirror {
            None => arrived,
            Some((source, sign)) => source.iter().zip(sign).map(|(&s, f)| arrived[s] * *f).collect(),
        })
    }

    /// The derivative of P, three columns at a time.
    fn derivative(&self) -> Option<DMatrix<f64>> {
        let n = self.x.len();
        let unit = |k: usize| DVector::from_fn(n, |i, _| if i == k { 1.0 } else { 0.0 });
        let mut matrix = DMatrix::zeros(n, n);
        for first in (0..n).step_by(3) {
            let image = self.along(&unit(first), &unit(first + 1), &unit(first + 2))?;
            for (r, y) in image.iter().enumerate() {
                let columns = [y.re.re.eps[0], y.re.eps[0].re, y.eps[0].re.re];
                for (c, v) in columns.into_iter().enumerate().filter(|(c, _)| first + c < n) {
                    matrix[(r, first + c)] = v;
                }
            }
        }
        Some(matrix)
    }
}

impl Multilinear for ReturnMap<'_> {
    fn second(&self, u: &DVector<f64>, v: &DVector<f64>) -> DVector<f64> {
        // With a third direction that may be asked for next.
        let image = self.known_along(u, v, v);
        DVector::from_fn(self.x.len(), |i, _| {
            image.as_ref().map_or(f64::NAN, |y| y[i].re.eps[0].eps[0])
        })
    }
    fn third(&self, u: &DVector<f64>, v: &DVector<f64>, w: &DVector<f64>) -> DVector<f64> {
        let image = self.known_along(u, v, w);
        DVector::from_fn(self.x.len(), |i, _| {
            image.as_ref().map_or(f64::NAN, |y| y[i].eps[0].eps[0].eps[0])
        })
    }
}

impl PeriodicOrbit<'_> {
    /// The return map at `z`, where it can be followed: for orbits of smooth systems, with `multiplier` among its eigenvalues.
    fn return_map<'a>(&'a self, z: &'a [f64], p: &'a [f64], multiplier: Complex<f64>) -> Option<Expansion<'a>> {
        let segment = self.segments.first()?;
        // A doubled orbit is told in two segments that no event parts.
        let smooth = self
            .segments
            .iter()
            .all(|s| s.guard.is_none() && s.mode == segment.mode);
        if !smooth || segment.n != self.system.states.len() || segment.n < 2 {
            return None;
        }
        let symmetry = self.system.symmetry.as_ref().filter(|_| self.word.symmetric);
        let map = ReturnMap {
            field: self.system.modes[segment.mode].field.as_ref(),
            p,
            x: self.start(z, 0),
            duration: (0..self.segments.len()).map(|k| self.duration(z, k)).sum(),
            known: RefCell::default(),
            mirror: symmetry.map(|s| (&s.source[..], &s.sign[..])),
        };
        let linear = map.derivative()?;
        let found = eigenvalues(&linear).ok()?;
        let fits = found.iter().any(|v| (v - multiplier).norm() < FITS);
        fits.then(|| Expansion {
            forms: Box::new(map),
            linear,
        })
    }

    /// The normal-form coefficient of a bifurcation of the orbit at `z`: quadratic for LP, cubic for the others (`angle` is the argument of
    /// a pair on the unit circle).
    pub(super) fn coefficient(&self, label: Label, z: &[f64], angle: f64) -> Option<Coefficient> {
        let p = self.parameters_at(z);
        let real = |v: f64| Complex::new(v, 0.0);
        let value = match label {
            Label::LP => self.return_map(z, &p, real(1.0))?.fold(1.0)?,
            Label::PD | Label::SB => self.return_map(z, &p, real(-1.0))?.flip()?,
            Label::NS => self
                .return_map(z, &p, Complex::from_polar(1.0, angle))?
                .neimark_sacker(angle)?,
            _ => return None,
        };
        value.is_finite().then_some(value)
    }

    /// The quadratic and the cubic coefficient at a branch point.
    pub(super) fn crossing_coefficients(&self, z: &[f64]) -> Option<(Coefficient, Coefficient)> {
        let p = self.parameters_at(z);
        let found = self.return_map(z, &p, Complex::new(1.0, 0.0))?.pitchfork(1.0);
        found.filter(|(a, b)| a.is_finite() && b.is_finite())
    }

    /// Is a branch point a pitchfork?
    pub(super) fn is_pitchfork(&self, z: &[f64]) -> Option<bool> {
        let (a, b) = self.crossing_coefficients(z)?;
        Some(self.has_no_quadratic(z, a, b))
    }

    /// Is the quadratic coefficient of a branch point zero beside the cubic one? Both are made numbers without a unit by the size of the orbit.
    fn has_no_quadratic(&self, z: &[f64], a: Coefficient, b: Coefficient) -> bool {
        let count = self.segments.len();
        let starts = (0..count).map(|k| crate::linalg::norm(self.start(z, k)));
        let size = starts.fold(0.0, f64::max);
        let (a, b) = (a.value * size, b.value * size * size);
        a.abs() <= ZERO * (1.0 + b.abs())
    }

    /// What the normal form says about a located bifurcation, to be appended to its message.
    pub(super) fn criticality(&self, label: Label, z: &[f64], angle: Option<f64>) -> Option<String> {
        let kind = |stable: Option<bool>| match stable {
            Some(true) => "supercritical",
            Some(false) => "subcritical",
            None => "degenerate",
        };
        let how = |stable: Option<bool>| match stable {
            Some(true) => "stable within the centre manifold",
            Some(false) => "unstable",
            None => "of a stability that the cubic coefficient, zero to rounding, does not tell",
        };
        match label {
            Label::PD | Label::SB => {
                let c = self.coefficient(label, z, 0.0)?;
                let (what, are) = if label == Label::PD {
                    ("the doubled orbit", "is")
                } else {
                    ("the asymmetric orbits", "are")
                };
                let stable = c.is_positive();
                Some(format!(
                    "; {}: {what} {are} {} (cubic coefficient c = {} of the return map {CONVENTION})",
                    kind(stable),
                    how(stable),
                    twelve_digits(c.value)
                ))
            }
            Label::NS => {
                let d = self.coefficient(label, z, angle?)?;
                let stable = d.is_positive().map(|positive| !positive);
                Some(format!(
                    "; {}: the torus is {} (coefficient d = {} of the return map {CONVENTION})",
                    kind(stable),
                    how(stable),
                    twelve_digits(d.value)
                ))
            }
            Label::LP => {
                let a = self.coefficient(label, z, 0.0)?;
                let a = twelve_digits(a.value);
                Some(format!(
                    "; quadratic coefficient a = {a} of the return map {CONVENTION}"
                ))
            }
            Label::BP => {
                let (a, b) = self.crossing_coefficients(z)?;
                Some(if self.has_no_quadratic(z, a, b) {
                    let kind = kind(b.is_positive().map(|positive| !positive));
                    let b = twelve_digits(b.value);
                    format!("; a pitchfork, {kind} (cubic coefficient b = {b} of the return map {CONVENTION})")
                } else {
                    let a = twelve_digits(a.value);
                    format!("; transcritical (quadratic coefficient a = {a} of the return map {CONVENTION})")
                })
            }
            _ => None,
        }
    }
}
