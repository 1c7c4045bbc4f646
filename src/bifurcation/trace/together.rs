//! Eigenvalues of equilibria that pass the imaginary axis, and multipliers that pass the unit circle, where test
//! functions tell little: two that pass zero, +1 or -1 together, two pairs that pass at one place, and whatever else
//! was not located.
//!
//! The exponents, which are the eigenvalues or the logarithms of the multipliers, are ordered by their real parts.
//! Where k of them are unstable at one point and m > k at the next, the real parts number k + 1 to m each change their
//! signs between them, and they are continuous, whatever roles the exponents change. A test function is a product of
//! them, and next to a zero of higher order it is rounding; where an even number of them passes it keeps its sign.

use super::kernel::is_crossing;
use super::one_way::{Event, OneWay};
use super::passage::Hit;
use crate::{Inspect, Label, Record, TraceOptions};
use nalgebra::Complex;
use slipstick_continuation::Point;
use std::f64::consts::PI;
use std::ops::Range;

/// Real parts below this part of the largest modulus may be rounding, or what location leaves.
const ON_AXIS: f64 = 1e-6;
/// Imaginary parts below this part of it may be rounding; and angles of multipliers, in radians.
const REAL: f64 = 1e-9;
const REAL_ANGLE: f64 = 1e-6;
/// A pair of multipliers located with an angle to the real axis of no more than this may be two real ones.
const DOUBTFUL_ANGLE: f64 = 1e-3;
/// Places nearer than this, as a part of the step, are one; and this where multipliers have the errors of a mesh.
const ONE: f64 = 1e-6;
const ONE_ON_MESHES: f64 = 1e-4;
/// A zero of higher order is located with an error of this part of the step at most.
const ERROR: f64 = 0.02;

/// Which of the exponents, in the order of their real parts, have passed the axis from one of two points to the other,
/// and whether they lie on both of its sides or leave it, as where something is conserved; none where that may be
/// rounding, of which there is more where some are neutral, or the errors of multipliers.
pub fn passed_the_axis(problem: &dyn Inspect, a: &Record, b: &Record) -> Option<(Range<usize>, bool)> {
    /// As a part of the largest modulus; and of the logarithms of multipliers.
    const ROUNDING: f64 = 1e-11;
    const OF_MULTIPLIERS: f64 = 1e-8;
    let (less, more) = if a.unstable < b.unstable { (a, b) } else { (b, a) };
    if less.unstable == more.unstable || less.eigenvalues.is_empty() != more.eigenvalues.is_empty() {
        return None;
    }
    let neutral = [a, b].iter().any(|record| problem.neutral(record).pairs > 0);
    let rounding = if neutral {
        ON_AXIS
    } else if less.eigenvalues.is_empty() {
        OF_MULTIPLIERS
    } else {
        ROUNDING
    };
    let clear = |record: &Record, k: usize, sign: f64| {
        let value = record.exponents().nth(k);
        value.is_some_and(|v| sign * v.re > rounding * size(record))
    };
    let both = clear(less, less.unstable, -1.0);
    let passed = (both || neutral) && clear(more, more.unstable - 1, 1.0);
    passed.then_some((less.unstable..more.unstable, both))
}

/// The largest modulus of the eigenvalues; one for logarithms of multipliers.
fn size(record: &Record) -> f64 {
    if record.eigenvalues.is_empty() {
        1.0
    } else {
        record.eigenvalues.iter().fold(0.0, |m: f64, v| m.max(v.norm()))
    }
}

/// How far an exponent is from those of real eigenvalues, or of real multipliers.
fn off_real(record: &Record, v: Complex<f64>) -> f64 {
    if record.eigenvalues.is_empty() {
        v.im.abs().min(PI - v.im.abs())
    } else {
        v.im.abs()
    }
}

/// Is there an eigenvalue that a point with this label has? Of those nearby the largest modulus is `usual`: all may
/// vanish here.
fn vanishes(label: Label, record: &Record, usual: f64) -> bool {
    let rounding = ON_AXIS * usual;
    match label {
        Label::BP => record.eigenvalues.iter().any(|v| v.norm() <= rounding),
        _ => record.eigenvalues.iter().any(|v| v.re.abs() <= rounding),
    }
}

/// What passes.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// A real eigenvalue, or a multiplier at +1.
    Zero,
    /// A multiplier at -1.
    MinusOne,
    /// A complex pair.
    Pair,
}

impl Kind {
    /// Is this what a test function with such a label tells of?
    fn is_of(self, label: Label) -> bool {
        match self {
            Self::Zero => label == Label::BP,
            Self::MinusOne => matches!(label, Label::PD | Label::SB),
            Self::Pair => matches!(label, Label::HB | Label::NS),
        }
    }
}

/// Where exponents pass: the first of them, how many, and the point.
struct Place {
    exponent: usize,
    count: usize,
    kind: Kind,
    s: f64,
    point: Point,
    record: Record,
}

impl Place {
    /// Does one exponent pass, or one pair?
    fn is_simple(&self) -> bool {
        self.count <= if self.kind == Kind::Pair { 2 } else { 1 }
    }
}

impl OneWay<'_> {
    /// A zero of higher order of a test function of equilibria at which no eigenvalue lies on the axis is none.
    pub(super) fn lies_on_axis(&self, hit: &Hit) -> bool {
        match hit.event {
            Event::Touch(test) | Event::Multiple(test, _) if !hit.record.eigenvalues.is_empty() => {
                let usual = size(&self.last.1).max(size(&hit.record));
                vanishes(self.tests[test].label, &hit.record, usual)
            }
            _ => true,
        }
    }

    /// Add the places between two points at which exponents pass the axis and of which the hits do not tell; where
    /// several pass together that is in place of zeros of higher order.
    pub(super) fn join_exponents(
        &mut self,
        from: (&Point, &Record),
        to: (&Point, &Record),
        hits: &mut Vec<Hit>,
        options: &TraceOptions,
    ) {
        let passed = passed_the_axis(self.curve.problem_ref(), from.1, to.1);
        // On a continuum the side of +1 on which a multiplier lies is one of errors.
        let blurred = from.1.eigenvalues.is_empty() && (self.continuum.is_some() || self.is_blurred(from.0, to.0));
        let Some((passed, true)) = passed.filter(|_| !self.family && !blurred) else {
            return;
        };
        let sure = hits.iter().filter(|hit| !self.may_be_real(hit));
        let simple: usize = sure.map(|hit| self.directions_of(&hit.event)).sum();
        if passed.len() <= simple {
            return;
        }
        let h = from.0.arclength_to(to.0);
        for place in self.places(from, to, passed, options) {
            let near = |hit: &Hit| (from.0.arclength_to(&hit.point) - place.s).abs() <= ERROR * h;
            if place.is_simple() {
                if !hits.iter().any(|hit| near(hit) && self.is_bifurcation(&hit.event)) {
                    hits.extend(self.missed(place, [from.0, to.0]));
                }
                continue;
            }
            let Some(test) = self.tests.iter().position(|test| place.kind.is_of(test.label)) else {
                continue;
            };
            let other = |hit: &Hit| matches!(hit.event, Event::Test(i) if !place.kind.is_of(self.tests[i].label));
            hits.retain(|hit| !near(hit) || !self.is_bifurcation(&hit.event) || other(hit) && !self.may_be_real(hit));
            hits.push(Hit {
                s: place.s,
                event: Event::Together {
                    exponent: place.exponent,
                    count: place.count,
                    test,
                },
                point: place.point,
                record: place.record,
            });
        }
    }

    /// Is this a torus bifurcation whose pair may be two real multipliers? Two that reach -1 together look like one.
    fn may_be_real(&self, hit: &Hit) -> bool {
        let multipliers = hit.record.of_return_map().iter().filter(|m| !m.is_real());
        let nearest = multipliers.min_by(|a, b| a.log10.abs().total_cmp(&b.log10.abs()));
        let angle = nearest.map_or(0.0, |m| m.arg.abs().min(PI - m.arg.abs()));
        let torus = matches!(hit.event, Event::Test(i) if self.tests[i].label == Label::NS);
        torus && angle <= DOUBTFUL_ANGLE
    }

    /// Where each of these exponents passes the axis.
    fn places(
        &mut self,
        from: (&Point, &Record),
        to: (&Point, &Record),
        passed: Range<usize>,
        options: &TraceOptions,
    ) -> Vec<Place> {
        let h = from.0.arclength_to(to.0);
        let of_map = from.1.eigenvalues.is_empty();
        let real = if of_map {
            REAL_ANGLE
        } else {
            REAL * size(from.1).max(size(to.1))
        };
        let one = if of_map && from.0.meshes.is_some() {
            ONE_ON_MESHES
        } else {
            ONE
        };
        let mut places: Vec<Place> = vec![];
        for exponent in passed {
            let event = Event::Together {
                exponent,
                count: 1,
                test: 0,
            };
            let Ok(Some((s, point, record))) = self.locate(from, to, &event, options) else {
                continue;
            };
            let Some(passing) = record.exponents().nth(exponent) else {
                continue;
            };
            // Two real ones at one place, to rounding, are no pair: their halves are none beside it.
            let off = off_real(&record, passing);
            let pair_at = |record: &Record| {
                let mut offs = record.exponents().map(|v| off_real(record, v));
                offs.any(|v| v > 0.5 * off && v < 2.0 * off)
            };
            let kind = if off > real && pair_at(from.1) && pair_at(to.1) {
                Kind::Pair
            } else if of_map && passing.im.abs() > 0.5 * PI {
                Kind::MinusOne
            } else {
                Kind::Zero
            };
            let same = |place: &&mut Place| (place.s - s).abs() <= one * h && place.kind == kind;
            match places.iter_mut().find(same) {
                Some(place) => place.count += 1,
                None => places.push(Place {
                    exponent,
                    count: 1,
                    kind,
                    s,
                    point,
                    record,
                }),
            }
        }
        places
    }

    fn is_bifurcation(&self, event: &Event) -> bool {
        matches!(event, Event::Touch(_) | Event::Multiple(..)) || self.directions_of(event) > 0
    }

    /// A simple bifurcation that was not located otherwise; none where nothing confirms it, as at a fold.
    fn missed(&mut self, place: Place, beside: [&Point; 2]) -> Option<Hit> {
        let test = self.tests.iter().position(|test| place.kind.is_of(test.label))?;
        let confirmed = place.kind != Kind::Zero || is_crossing(self.curve.problem(), &place.point, beside);
        confirmed.then_some(Hit {
            s: place.s,
            event: Event::Test(test),
            point: place.point,
            record: place.record,
        })
    }
}
