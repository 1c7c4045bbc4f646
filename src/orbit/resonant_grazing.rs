//! Resonant grazing: where the curve of folds of orbits with an impact meets the curve on which the impact begins.
//!
//! The orbits with an impact of speed v ≥ 0 are a smooth family in v and in the place along the curve of grazing, v =
//! 0. At one place the parameters leave the curve like γ v. Where γ is zero the family turns back at v = 0: a curve of
//! folds begins there. With the one parameter at l from that point the other one is `q = q₀(l) + a l v + b v²/2 + …`,
//! where q₀ is that of grazing; folds have v = -a l/b, on the side where that is positive, and `q - q₀ = -a² l²/(2b)`.
//!
//! Reference: D. J. W. Simpson, I. Ghosh, resonant grazing bifurcations of impact oscillators (2026).

use crate::admissibility::{Subject, subjects};
use crate::fixed_scalar::{FixedScalar, Scalar};
use crate::guess_beyond::guess_beyond;
use crate::neighbour::{Draft, neighbours};
use crate::normal_form::twelve_digits;
use crate::periodic::PeriodicOrbit;
use crate::segment::Discretisation;
use crate::sizes;
use slipstick_continuation::{Condition, Point, Problem};
use slipstick_flow::jet;
use slipstick_numerics::scalar::{Scalar as _, Third};
use std::sync::Arc;

/// What happens at such a point.
pub(crate) const MEANING: &str = "resonant grazing: codimension-two point on the curve of GR (grazing) at which the fold of the orbits with the impact has speed zero; the curve of LP begins here, tangent to this one";
/// A departure from the curve of grazing below this, as part of the length of the direction, is none.
const NONE: f64 = 1e-6;

/// The segment of which the inequality of this index says that an impact begins: an event that resets the state,
/// whatever mode it leads to.
pub(crate) fn impacting_segment(orbit: &PeriodicOrbit<'_>, inequality: usize) -> Option<usize> {
    let subject = *subjects(orbit).get(inequality)?;
    let (Subject::Rate(k) | Subject::Clearance(k, _)) = subject else {
        return None;
    };
    let letter = orbit.word.letters[k];
    let events = &orbit.system.modes[letter.mode].events;
    let resets = |e: usize| events[e].reset.is_some();
    let impacts = match subject {
        Subject::Clearance(_, w) => {
            let surface = &orbit.plan.clearances[k][w];
            (0..events.len()).any(|e| resets(e) && Arc::ptr_eq(&events[e].guard, &surface.function))
        }
        _ => letter.event.is_some_and(resets),
    };
    impacts.then_some(k)
}

/// Does the inequality of this index say that the speed of an impact is not zero?
pub(crate) fn vanishing_speed(orbit: &PeriodicOrbit<'_>, inequality: usize) -> bool {
    matches!(subjects(orbit).get(inequality), Some(Subject::Rate(_))) && impacting_segment(orbit, inequality).is_some()
}

/// How the curves of folds and of grazing part at the orbit at `point`, in words: by the flow, which has the second
/// derivatives that it takes.
pub(crate) fn explain(plain: &mut PeriodicOrbit<'_>, point: &Point, inequality: usize) -> Option<String> {
    Impacting::discretised(plain, point, inequality, &[])?.parting()
}

/// The orbits with an impact, at one of which the speed is zero; two parameters are free.
pub(crate) struct Impacting<'s> {
    orbit: PeriodicOrbit<'s>,
    z: Vec<f64>,
    /// The segment that ends with the impact.
    segment: usize,
    /// The gradient of the speed.
    speed: Vec<f64>,
}

impl<'s> Impacting<'s> {
    /// The orbit at `point` as one with an impact, whose speed is zero as the inequality of this index says.
    pub(crate) fn at(plain: &mut PeriodicOrbit<'s>, point: &Point, inequality: usize) -> Option<Self> {
        let discretisations = plain.discretisations.clone();
        Self::discretised(plain, point, inequality, &discretisations)
    }

    fn discretised(
        plain: &mut PeriodicOrbit<'s>,
        point: &Point,
        inequality: usize,
        discretisations: &[Discretisation],
    ) -> Option<Self> {
        let segment = impacting_segment(plain, inequality)?;
        let here = Draft::of(plain, &point.z).finished(plain, "");
        let as_it_is = matches!(subjects(plain).get(inequality)?, Subject::Rate(_));
        let with_it = if as_it_is {
            here
        } else {
            let mode = plain.word.letters[segment].mode;
            let events = &plain.system.modes[mode].events;
            let impacts = |e: Option<usize>| e.is_some_and(|e| events[e].reset.is_some());
            let found = neighbours(plain, point, inequality);
            found
                .into_iter()
                .find(|n| impacts(n.word.letters[segment].event) && n.durations.iter().all(|d| *d > 0.0))?
        };
        let p = plain.parameters_at(&point.z);
        let free = plain.free.clone();
        let word = with_it.word.clone();
        let mut orbit = PeriodicOrbit::discretised(plain.system, word, p, free, plain.options, discretisations);
        let z = if as_it_is && orbit.meshed() {
            orbit.rephase(point);
            point.z.clone()
        } else {
            guess_beyond(&mut orbit, plain, point, &with_it).ok()?
        };
        orbit.take_parameters(&z);
        orbit.linearise(&z, &mut vec![0.0; z.len() - 2]).ok()?;
        let index = subjects(&orbit).iter().position(|s| *s == Subject::Rate(segment))?;
        let mut speed = vec![0.0; z.len()];
        let mut scalar = FixedScalar {
            scalar: Scalar::Inequality(index),
            level: 0.0,
        };
        scalar.evaluate(&orbit, &z, &mut speed).ok()?;
        Some(Self {
            orbit,
            z,
            segment,
            speed,
        })
    }

    /// The direction in which the equations change by so much, the speed and what `row` measures by the last two.
    fn direction(&mut self, row: &[f64], mut changes: Vec<f64>) -> Option<Vec<f64>> {
        let mut border = self.speed.clone();
        border.extend_from_slice(row);
        self.orbit.solve(&border, &mut changes).ok()?;
        changes.iter().all(|v| v.is_finite()).then_some(changes)
    }

    /// How fast the parameters leave the curve of grazing with the speed, to the left of the direction in which the
    /// curve runs (the rates of the last two unknowns): the sine of the angle to what does not.
    pub(crate) fn departure(&mut self, along: [f64; 2]) -> Option<f64> {
        let n = self.z.len();
        let sizes = self.orbit.sizes_at(&self.z);
        let along = [along[0] / sizes[n - 2], along[1] / sizes[n - 1]];
        let length = along[0].hypot(along[1]);
        if !(length > 0.0) {
            return None;
        }
        let along = along.map(|v| v / length);
        let mut row = vec![0.0; n];
        row[n - 2] = along[0] / sizes[n - 2];
        row[n - 1] = along[1] / sizes[n - 1];
        let mut changes = vec![0.0; n];
        changes[n - 2] = 1.0;
        let direction = self.direction(&row, changes)?;
        let scaled: Vec<f64> = direction.iter().zip(&sizes).map(|(v, size)| v / size).collect();
        let size = scaled.iter().map(|v| v * v).sum::<f64>().sqrt();
        Some((along[0] * scaled[n - 1] - along[1] * scaled[n - 2]) / size)
    }

    /// Do the parameters stay on the curve, to first order in the speed?
    pub(crate) fn is_resonant(&mut self, along: [f64; 2]) -> bool {
        self.departure(along).is_some_and(|d| d.abs() <= NONE)
    }

    /// How the curves of folds and of grazing part, in words.
    fn parting(&mut self) -> Option<String> {
        /// The other parameter may change by so many times its size.
        const STEEP: f64 = 10.0;
        let n = self.z.len();
        let sizes = self.orbit.sizes_at(&self.z);
        let unit = |i: usize| {
            let mut row = vec![0.0; n];
            row[i] = 1.0;
            row
        };
        // Along the curve the first parameter is the measure, unless it hardly changes.
        let run = |own: &mut Self, measure: usize| own.direction(&unit(measure), unit(n - 1));
        let steep = |t: &[f64]| (t[n - 2] / sizes[n - 2]).abs() > STEEP * (t[n - 1] / sizes[n - 1]).abs();
        let first = run(self, n - 1).filter(|t| !steep(t));
        let (measure, along) = match first {
            Some(along) => (n - 1, along),
            None => (n - 2, run(self, n - 2)?),
        };
        let other = 2 * n - 3 - measure;
        let row = unit(measure);
        let faster = self.direction(&row, unit(n - 2))?;
        let mixed = self.second(&along, &faster)?;
        let twice = self.second(&faster, &faster)?;
        let a = self.direction(&row, mixed)?[other];
        let b = self.direction(&row, twice)?[other];
        let coefficient = -a * a / (2.0 * b);
        if !coefficient.is_finite() {
            return None;
        }
        let name = |i: usize| &self.orbit.system.parameters[self.orbit.free[i + 2 - n]].name;
        let (l, q) = (name(measure), name(other));
        let side = if a * b < 0.0 { "above" } else { "below" };
        let value = twelve_digits(self.z[measure]);
        Some(format!(
            "; near it, for {l} {side} {value}, {q} of LP minus {q} of GR is {} ({l} - {value})^2 to leading order",
            twelve_digits(coefficient)
        ))
    }

    /// What the equations, and the speed, lack along two directions by their second derivatives, as right-hand sides.
    fn second(&self, u: &[f64], v: &[f64]) -> Option<Vec<f64>> {
        let (orbit, z) = (&self.orbit, &self.z);
        let n = z.len();
        let moved = |i: usize| Third::mixed(z[i], u[i], v[i], 0.0);
        let mut p = jet::constants(&orbit.parameters);
        for (i, &free) in orbit.free.iter().enumerate() {
            p[free] = moved(n - 2 + i);
        }
        let states = sizes::largest_states(orbit, z);
        let of_both = |v: &Third| jet::parts(v)[3];
        let mut lacks = Vec::with_capacity(n);
        let mut speed = 0.0;
        for (k, segment) in orbit.segments.iter().enumerate() {
            let mode = &orbit.system.modes[segment.mode];
            let field = mode.field.as_ref();
            if segment.on_mesh() {
                return None;
            }
            let sizes: Vec<f64> = mode.states.iter().map(|&s| states[s].max(f64::MIN_POSITIVE)).collect();
            let mut y: Vec<Third> = (0..segment.n).map(|i| moved(segment.offset + i)).collect();
            let at = segment.offset + segment.n;
            jet::propagate_by_field(field, &mut y, &p, z[at], &sizes).ok()?;
            let y = jet::shifted(field, &y, &p, Third::mixed(0.0, u[at], v[at], 0.0));
            let mut value = [Third::zero()];
            if let Some(guard) = &segment.guard {
                guard.third(&y, &p, &mut value);
                lacks.push(-of_both(&value[0]));
                if k == self.segment {
                    let mut rates = vec![Third::zero(); y.len()];
                    field.third(&y, &p, &mut rates);
                    let on = Third::mixed(0.0, 0.0, 0.0, 1.0);
                    let later: Vec<Third> = y.iter().zip(&rates).map(|(y, f)| *y + *f * on).collect();
                    guard.third(&later, &p, &mut value);
                    speed = segment.direction * jet::parts(&value[0])[7];
                }
            } else {
                lacks.push(0.0);
            }
            lacks.extend(segment.junction.propagate(&y, &p).iter().map(|y| -of_both(y)));
        }
        lacks.extend([-speed, 0.0]);
        (lacks.len() == n).then_some(lacks)
    }
}
