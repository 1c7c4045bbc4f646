//! The return map of a periodic orbit with its second and third derivatives, and what they say about the orbit's
//! bifurcations.
//!
//! P(x) is where the solution that starts like the orbit's first segment, at x, comes back to that start: from event to
//! event along the word, of a symmetric orbit the symmetry applied. An orbit without events comes back, after about a
//! period or half of one, to the plane through its end normal to the flow there. P is defined for all x nearby, not
//! only on a section; its derivative has the multipliers of the orbit as eigenvalues, with 0 in place of the trivial
//! one. Its normal forms are those of maps.
//!
//! Each segment is followed from the start that the orbit has there, so that P is composed of maps expanded at points
//! that are known to rounding. Where its field is too stiff for the explicit method an implicit one follows the orbit
//! as it is known; steps are halved until the coefficients stay.
//!
//! Reference: Yu. A. Kuznetsov, *Elements of Applied Bifurcation Theory*, 3rd ed., Springer (2004), ch. 1.5 and 5.4.

use super::PeriodicOrbit;
use super::dense_output::DenseOutput;
use super::multilinear::Multilinear;
use super::normal_form::{CONVENTION, Coefficient, Expansion, twelve_digits};
use super::stiff_jet::{Known, Solved, StiffError};
use crate::linear::Linear;
use crate::sizes;
use nalgebra::{Complex, DMatrix, DVector};
use slipstick_bifurcation::Label;
use slipstick_flow::jet::{self, JetError};
use slipstick_numerics::linalg::eigen::eigenvalues;
use slipstick_numerics::scalar::{Scalar, Third};
use slipstick_system::Function;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How well the derivative of the map must reproduce the multiplier that bifurcates.
const FITS: f64 = 1e-4;
/// How well the multiplier of a branch point is known where that is located: a pitchfork whose quadratic coefficient is
/// not zero has a fold this near.
const LOCATED: f64 = 1e-8;
/// How well coefficients must agree when the steps through stiff segments are halved, relative to the terms that they
/// are sums of, and how often they are.
const AGREE: f64 = 1e-8;
const HALVINGS: u32 = 4;

/// Why a coefficient is not known, in words.
type Reason = String;

struct ReturnMap<'a, 's> {
    orbit: &'a PeriodicOrbit<'s>,
    z: &'a [f64],
    p: &'a [f64],
    /// The parameters as numbers with derivatives.
    constants: Vec<Third>,
    /// The size of each state of the system along the orbit.
    sizes: Vec<f64>,
    /// The segments that proved stiff, with what was solved of them, and how often the steps through them are halved;
    /// none where they are not followed.
    stiff: RefCell<BTreeMap<usize, Option<Rc<Solved>>>>,
    halvings: Option<u32>,
    /// What was followed before.
    known: RefCell<Vec<Followed>>,
}

/// Three directions, and the map along them.
type Followed = ([DVector<f64>; 3], Option<Vec<Third>>);

impl<'a, 's> ReturnMap<'a, 's> {
    fn new(orbit: &'a PeriodicOrbit<'s>, z: &'a [f64], p: &'a [f64], halvings: Option<u32>, stiff: &[usize]) -> Self {
        Self {
            orbit,
            z,
            p,
            constants: jet::constants(p),
            sizes: sizes::largest_states(orbit, z),
            stiff: RefCell::new(stiff.iter().map(|k| (*k, None)).collect()),
            halvings,
            known: RefCell::default(),
        }
    }

    /// How many states the orbit's first segment has.
    fn dim(&self) -> usize {
        self.orbit.segments.first().map_or(0, |s| s.n)
    }

    /// P along three directions, followed once.
    fn known_along(&self, u: &DVector<f64>, v: &DVector<f64>, w: &DVector<f64>) -> Option<Vec<Third>> {
        let directions = [u.clone(), v.clone(), w.clone()];
        if let Some(known) = self.known.borrow().iter().find(|k| k.0 == directions) {
            return known.1.clone();
        }
        let image = self.along([u, v, w]).ok();
        self.known.borrow_mut().push((directions, image.clone()));
        image
    }

    /// P along three directions. They are followed in lengths that move no state by more than its size, so that all
    /// derivatives count alike.
    fn along(&self, directions: [&DVector<f64>; 3]) -> Result<Vec<Third>, Reason> {
        /// log₂ of a length of which the third power is still a number: directions that are zero but for rounding may
        /// be next to nothing.
        const LARGEST: f64 = 300.0;
        let sizes = self.sizes_in(0);
        let lengths = directions.map(|u| {
            let most = u
                .iter()
                .zip(&sizes)
                .map(|(u, size)| (u / size).abs())
                .fold(0.0, f64::max);
            if most > 0.0 {
                most.log2().round().clamp(-LARGEST, LARGEST).exp2().recip()
            } else {
                1.0
            }
        });
        let [u, v, w] = [0, 1, 2].map(|k| directions[k] * lengths[k]);
        let moved = (0..self.dim()).map(|i| Third::mixed(0.0, u[i], v[i], w[i])).collect();
        let [a, b, c] = lengths;
        let factors = [1.0, a, b, a * b, c, a * c, b * c, a * b * c];
        Ok(self
            .once_round(moved)?
            .iter()
            .map(|y| {
                let mut parts = jet::parts(y);
                parts.iter_mut().zip(factors).for_each(|(v, f)| *v /= f);
                jet::assembled(&parts)
            })
            .collect())
    }

    /// The sizes of the states of segment `k`.
    fn sizes_in(&self, k: usize) -> Vec<f64> {
        let states = &self.orbit.system.modes[self.orbit.segments[k].mode].states;
        states.iter().map(|&s| self.sizes[s]).collect()
    }

    /// Where the states that are `moved` away from the start of the first segment come back.
    fn once_round(&self, mut moved: Vec<Third>) -> Result<Vec<Third>, Reason> {
        let count = self.orbit.segments.len();
        for (k, segment) in self.orbit.segments.iter().enumerate() {
            let start = self.orbit.start(self.z, k);
            let y: Vec<Third> = start.iter().zip(&moved).map(|(x, d)| without_value(*d) + *x).collect();
            let mut y = self.through(k, y)?;
            let field = self.orbit.system.modes[segment.mode].field.as_ref();
            y = match &segment.guard {
                Some(guard) => self.arrived(field, y, |x| {
                    let mut g = [Third::zero()];
                    guard.third(x, &self.constants, &mut g);
                    g[0]
                }),
                None if k + 1 == count => self.arrived(field, y.clone(), |x| {
                    let end: Vec<f64> = y.iter().map(Scalar::value).collect();
                    let mut normal = vec![0.0; end.len()];
                    field.value(&end, self.p, &mut normal);
                    let terms = x.iter().zip(&end).zip(&normal).map(|((x, end), m)| (*x - *end) * *m);
                    terms.fold(Third::zero(), |sum, term| sum + term)
                }),
                None => y,
            };
            moved = segment.junction.propagate(&y, &self.constants);
        }
        Ok(moved)
    }

    /// Where segment `k` leads in its duration.
    fn through(&self, k: usize, start: Vec<Third>) -> Result<Vec<Third>, Reason> {
        let segment = &self.orbit.segments[k];
        let (duration, sizes) = (self.orbit.duration(self.z, k), self.sizes_in(k));
        if !self.stiff.borrow().contains_key(&k) {
            let mut y = start.clone();
            match jet::propagate(&segment.flow, &mut y, self.p, duration, &sizes) {
                Ok(()) => return Ok(y),
                Err(JetError::Flow(_)) if self.halvings.is_some() => self.stiff.borrow_mut().insert(k, None),
                Err(e) => return Err(e.to_string()),
            };
        }
        let mut y = start;
        let field = self.orbit.system.modes[segment.mode].field.as_ref();
        let along = |y: &mut [Third]| self.solved(k, duration, &sizes)?.propagate(field, self.p, y);
        along(&mut y).map_err(|e| e.to_string())?;
        Ok(y)
    }

    /// The values along stiff segment `k`, which are the same whatever directions are followed.
    fn solved(&self, k: usize, duration: f64, sizes: &[f64]) -> Result<Rc<Solved>, StiffError> {
        if let Some(Some(solved)) = self.stiff.borrow().get(&k) {
            return Ok(Rc::clone(solved));
        }
        let segment = &self.orbit.segments[k];
        let dense = DenseOutput::new(self.orbit.system, segment, self.z, self.p)?;
        let parts = 1usize << self.halvings.unwrap_or(0);
        let within = |pair: &[f64]| -> Vec<f64> {
            let part = |i: usize| pair[0] + (pair[1] - pair[0]) * i as f64 / parts as f64;
            (0..parts).map(part).collect()
        };
        let mut times: Vec<f64> = dense.nodes().windows(2).flat_map(within).collect();
        times.push(duration);
        let known = Known {
            field: self.orbit.system.modes[segment.mode].field.as_ref(),
            p: self.p,
            sizes,
            times,
            dense: &|t, x| dense.eval(t, x),
        };
        let solved = Rc::new(known.solve(self.orbit.start(self.z, k))?);
        self.stiff.borrow_mut().insert(k, Some(Rc::clone(&solved)));
        Ok(solved)
    }

    /// The states at the time at which `surface` has the value that it has at `y` without derivatives: Newton's method
    /// for that time, of which each iteration makes one more order of the derivatives exact.
    fn arrived(&self, field: &dyn Function, y: Vec<Third>, surface: impl Fn(&[Third]) -> Third) -> Vec<Third> {
        let values: Vec<f64> = y.iter().map(Scalar::value).collect();
        let mut rates = vec![0.0; values.len()];
        field.value(&values, self.p, &mut rates);
        let along: Vec<Third> = values
            .iter()
            .zip(&rates)
            .map(|(x, f)| Third::mixed(*x, *f, 0.0, 0.0))
            .collect();
        let rate = surface(&along).re.re.eps[0];
        let mut by = Third::zero();
        let mut arrived = y.clone();
        for _ in 0..3 {
            by -= without_value(surface(&arrived)) / rate;
            arrived = jet::shifted(field, &y, &self.constants, by);
        }
        arrived
    }

    /// The derivative of P, three columns at a time.
    fn derivative(&self) -> Result<DMatrix<f64>, Reason> {
        let n = self.dim();
        let unit = |k: usize| DVector::from_fn(n, |i, _| if i == k { 1.0 } else { 0.0 });
        let mut matrix = DMatrix::zeros(n, n);
        for first in (0..n).step_by(3) {
            let image = self.along([&unit(first), &unit(first + 1), &unit(first + 2)])?;
            for (r, y) in image.iter().enumerate() {
                let columns = [y.re.re.eps[0], y.re.eps[0].re, y.eps[0].re.re];
                for (c, v) in columns.into_iter().enumerate().filter(|(c, _)| first + c < n) {
                    matrix[(r, first + c)] = v;
                }
            }
        }
        Ok(matrix)
    }
}

/// The derivatives alone.
fn without_value(v: Third) -> Third {
    let mut parts = jet::parts(&v);
    parts[0] = 0.0;
    jet::assembled(&parts)
}

impl Multilinear for ReturnMap<'_, '_> {
    fn second(&self, u: &DVector<f64>, v: &DVector<f64>) -> DVector<f64> {
        // With a third direction that may be asked for next.
        let image = self.known_along(u, v, v);
        DVector::from_fn(self.dim(), |i, _| {
            image.as_ref().map_or(f64::NAN, |y| y[i].re.eps[0].eps[0])
        })
    }
    fn third(&self, u: &DVector<f64>, v: &DVector<f64>, w: &DVector<f64>) -> DVector<f64> {
        let image = self.known_along(u, v, w);
        DVector::from_fn(self.dim(), |i, _| {
            image.as_ref().map_or(f64::NAN, |y| y[i].eps[0].eps[0].eps[0])
        })
    }
    fn reach(&self, u: &DVector<f64>) -> Option<f64> {
        let parts = u.iter().zip(self.sizes_in(0)).map(|(u, size)| (u / size).abs());
        Some(parts.fold(0.0, f64::max).recip()).filter(|reach| reach.is_finite())
    }
}

/// The coefficients that `of` makes of the return map at `z`, which has `multiplier` among its eigenvalues, or why
/// they are not known. Stiff segments are followed if that is `thorough`.
fn coefficients<const N: usize>(
    orbit: &PeriodicOrbit<'_>,
    z: &[f64],
    multiplier: Complex<f64>,
    thorough: bool,
    of: impl Fn(&Expansion<'_>) -> Option<[Coefficient; N]>,
) -> Result<[Coefficient; N], Reason> {
    let p = orbit.parameters_at(z);
    let mut before: Option<[Coefficient; N]> = None;
    let mut stiff: Vec<usize> = vec![];
    // By how much coefficients change when steps are halved: where that does not shrink it is rounding.
    let mut gaps: Vec<f64> = vec![];
    for halvings in 0..=HALVINGS {
        let map = ReturnMap::new(orbit, z, &p, thorough.then_some(halvings), &stiff);
        let linear = map.derivative()?;
        if linear.iter().any(|v| !v.is_finite()) {
            return Err("the orbit reaches an event tangentially, where the return map has no derivatives".into());
        }
        let reproduced = eigenvalues(&linear).is_ok_and(|found| found.iter().any(|v| (v - multiplier).norm() < FITS));
        if !reproduced {
            return Err("the orbit is too unstable to integrate its return map".into());
        }
        stiff = map.stiff.borrow().keys().copied().collect();
        let expansion = Expansion {
            forms: Box::new(map),
            linear: Linear::Dense(linear),
            units: orbit
                .segments
                .first()
                .map_or(vec![], |s| orbit.system.units_of_mode(s.mode)),
        };
        let found = of(&expansion)
            .ok_or("the multiplier is multiple, or the return map does not reproduce it accurately enough")?;
        if !found.iter().all(Coefficient::is_finite) {
            return Err("the derivatives of the return map are not finite".into());
        }
        if stiff.is_empty() {
            return Ok(found);
        }
        if let Some(before) = before {
            let apart = |(a, b): (&Coefficient, &Coefficient)| (a.value - b.value).abs() / b.terms;
            let gap = before.iter().zip(&found).map(apart).fold(0.0, f64::max);
            if gap <= AGREE {
                return Ok(found);
            }
            gaps.push(gap);
        }
        if matches!(gaps[..], [.., a, b, c] if b > 0.5 * a && c > 0.5 * b) {
            break;
        }
        before = Some(found);
    }
    Err("the derivatives of the stiff flow do not converge when steps are halved".into())
}

/// The normal-form coefficient of a bifurcation of the orbit at `z`: quadratic for LP, cubic for the others
/// (`angle` is the argument of a pair on the unit circle). None where it is not known, as where a segment is stiff.
pub(super) fn coefficient(orbit: &PeriodicOrbit<'_>, label: Label, z: &[f64], angle: f64) -> Option<Coefficient> {
    let [found] = classified_coefficient(orbit, label, z, angle, false).ok()?;
    Some(found)
}

/// As [`coefficient`], or why it is not known.
fn classified_coefficient(
    orbit: &PeriodicOrbit<'_>,
    label: Label,
    z: &[f64],
    angle: f64,
    thorough: bool,
) -> Result<[Coefficient; 1], Reason> {
    let real = |v: f64| Complex::new(v, 0.0);
    match label {
        Label::LP => coefficients(orbit, z, real(1.0), thorough, |map| map.fold(1.0).map(|a| [a])),
        Label::NS => coefficients(orbit, z, Complex::from_polar(1.0, angle), thorough, |map| {
            map.neimark_sacker(angle).map(|d| [d])
        }),
        _ => coefficients(orbit, z, real(-1.0), thorough, |map| map.flip().map(|c| [c])),
    }
}

/// The quadratic and the cubic coefficient at a branch point; none where they are not known, as where a segment is
/// stiff.
pub(super) fn crossing_coefficients(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> Option<[Coefficient; 2]> {
    classified_crossing(orbit, z, false).ok()
}

fn classified_crossing(orbit: &PeriodicOrbit<'_>, z: &[f64], thorough: bool) -> Result<[Coefficient; 2], Reason> {
    coefficients(orbit, z, Complex::new(1.0, 0.0), thorough, |map| {
        map.pitchfork(1.0).map(|(a, b)| [a, b])
    })
}

/// Is a branch point a pitchfork?
pub(super) fn is_pitchfork(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> Option<bool> {
    classified_crossing(orbit, z, true).ok().map(has_no_quadratic)
}

/// Is it certain that what is born at a doubling or a breaking of symmetry leaves its value of the parameter: is
/// the cubic coefficient more than what a label's location and derivatives leave of terms that cancel?
pub fn branch_bends(orbit: &PeriodicOrbit<'_>, label: Label, z: &[f64]) -> bool {
    const CERTAIN: f64 = 1e-6;
    // Families at one value of the parameter are known of orbits without meshes only.
    if orbit.meshed() || !matches!(label, Label::PD | Label::SB) {
        return false;
    }
    let found = coefficient(orbit, label, z, 0.0);
    found.is_some_and(|c| c.value.abs() > CERTAIN * c.terms)
}

/// What is to be said of a located bifurcation, at which a pair of multipliers may have an `angle` on the unit circle.
pub(super) fn explain(orbit: &PeriodicOrbit<'_>, label: Label, z: &[f64], angle: Option<f64>) -> Option<String> {
    let half = orbit.word.symmetric;
    let torus = angle.map(|angle| {
        let turns = angle / std::f64::consts::TAU;
        format!(
            "; rotation number {turns:.10} per {}",
            if half { "half period" } else { "period" }
        )
    });
    let said: String = criticality(orbit, label, z, angle).into_iter().chain(torus).collect();
    (!said.is_empty()).then_some(said)
}

/// What the normal form says about a located bifurcation, to be appended to its message.
fn criticality(orbit: &PeriodicOrbit<'_>, label: Label, z: &[f64], angle: Option<f64>) -> Option<String> {
    let (said, what) = match label {
        Label::PD | Label::SB | Label::BP => (kind_of(orbit, label, z, 0.0), "its criticality"),
        Label::NS => (kind_of(orbit, label, z, angle?), "its criticality"),
        Label::LP => (kind_of(orbit, label, z, 0.0), "its quadratic coefficient"),
        _ => return None,
    };
    Some(said.unwrap_or_else(|reason| format!("; {what} could not be computed: {reason}")))
}

fn kind_of(orbit: &PeriodicOrbit<'_>, label: Label, z: &[f64], angle: f64) -> Result<String, Reason> {
    let kind = |stable: Option<bool>| match stable {
        Some(true) => "supercritical",
        Some(false) => "subcritical",
        None => "degenerate",
    };
    let how = |stable: Option<bool>| match stable {
        Some(true) => "stable within the centre manifold",
        Some(false) => "unstable",
        None => "of unknown stability: the cubic coefficient is zero to rounding",
    };
    if label == Label::BP {
        let [a, b] = classified_crossing(orbit, z, true)?;
        return Ok(if has_no_quadratic([a, b]) {
            let kind = kind(b.is_positive().map(|positive| !positive));
            let b = twelve_digits(b.value);
            format!("; a pitchfork, {kind} (cubic coefficient b = {b} of the return map {CONVENTION})")
        } else {
            let a = twelve_digits(a.value);
            format!("; transcritical (quadratic coefficient a = {a} of the return map {CONVENTION})")
        });
    }
    let [found] = classified_coefficient(orbit, label, z, angle, true)?;
    let (sign, value) = (found.is_positive(), twelve_digits(found.value));
    Ok(match label {
        Label::LP => format!("; quadratic coefficient a = {value} of the return map {CONVENTION}"),
        Label::NS => {
            let stable = sign.map(|positive| !positive);
            let (kind, how) = (kind(stable), how(stable));
            format!("; {kind}: the torus is {how} (coefficient d = {value} of the return map {CONVENTION})")
        }
        _ => {
            let what = if label == Label::PD {
                "the doubled orbit is"
            } else {
                "the asymmetric orbits are"
            };
            let (kind, how) = (kind(sign), how(sign));
            format!("; {kind}: {what} {how} (cubic coefficient c = {value} of the return map {CONVENTION})")
        }
    })
}

/// Is the quadratic coefficient of a branch point zero beside the cubic one? With w ↦ (1 + δ) w + a w² + b w³ the other
/// family has a fold at δ = a²/(4b), which has no unit.
fn has_no_quadratic([a, b]: [Coefficient; 2]) -> bool {
    a.is_positive().is_none() || a.value * a.value <= 4.0 * LOCATED * b.value.abs()
}
