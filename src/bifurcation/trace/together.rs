//! Eigenvalues of equilibria that pass the imaginary axis where test functions tell little: two that pass zero
//! together, two pairs that pass at one place, and whatever else was not located.
//!
//! The eigenvalues are ordered by their real parts. Where k of them are unstable at one point and m > k at the next,
//! the real parts number k + 1 to m each change their signs between them, and they are continuous, whatever roles the
//! eigenvalues change. A test function is a product of them, and next to a zero of higher order it is rounding.

use super::kernel::is_crossing;
use super::one_way::{Event, OneWay};
use super::passage::Hit;
use crate::{Inspect, Label, Record, TraceOptions};
use nalgebra::Complex;
use slipstick_continuation::Point;
use std::ops::Range;

/// Real parts below this part of the largest modulus may be rounding, or what location leaves.
const ON_AXIS: f64 = 1e-6;
/// Imaginary parts below this part of it may be rounding.
const REAL: f64 = 1e-9;
/// Places nearer than this, as a part of the step, are one.
const ONE: f64 = 1e-6;
/// A zero of higher order is located with an error of this part of the step at most.
const ERROR: f64 = 0.02;

/// Which of the eigenvalues, in the order of their real parts, have passed the axis from one of two points to the
/// other, and whether they lie on both of its sides or leave it, as where something is conserved; none where that may
/// be rounding, of which there is more where some are neutral.
pub fn passed_the_axis(problem: &dyn Inspect, a: &Record, b: &Record) -> Option<(Range<usize>, bool)> {
    /// As a part of the largest modulus.
    const ROUNDING: f64 = 1e-11;
    let (less, more) = if a.unstable < b.unstable { (a, b) } else { (b, a) };
    if less.unstable == more.unstable || less.eigenvalues.is_empty() {
        return None;
    }
    let neutral = [a, b].iter().any(|record| problem.neutral(record).pairs > 0);
    let rounding = if neutral { ON_AXIS } else { ROUNDING };
    let clear = |record: &Record, k: usize, sign: f64| {
        let value = record.eigenvalues.get(k);
        value.is_some_and(|v| sign * v.re > rounding * size(record))
    };
    let both = clear(less, less.unstable, -1.0);
    let passed = (both || neutral) && clear(more, more.unstable - 1, 1.0);
    passed.then_some((less.unstable..more.unstable, both))
}

/// The largest modulus.
fn size(record: &Record) -> f64 {
    record.eigenvalues.iter().fold(0.0, |m: f64, v| m.max(v.norm()))
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

/// Where eigenvalues pass: the first of them, how many, and the point.
struct Place {
    eigenvalue: usize,
    count: usize,
    complex: bool,
    s: f64,
    point: Point,
    record: Record,
}

impl Place {
    /// Does one eigenvalue pass, or one pair?
    fn is_simple(&self) -> bool {
        self.count <= if self.complex { 2 } else { 1 }
    }

    fn label(&self) -> Label {
        if self.complex { Label::HB } else { Label::BP }
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

    /// Add the places between two points of equilibria at which eigenvalues pass the axis and of which the hits do not
    /// tell; where several pass together that is in place of zeros of higher order.
    pub(super) fn join_eigenvalues(
        &mut self,
        from: (&Point, &Record),
        to: (&Point, &Record),
        hits: &mut Vec<Hit>,
        options: &TraceOptions,
    ) {
        let passed = passed_the_axis(self.curve.problem_ref(), from.1, to.1);
        let Some((passed, true)) = passed.filter(|_| !self.family) else {
            return;
        };
        let simple: usize = hits.iter().map(|hit| self.directions_of(&hit.event)).sum();
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
            let Some(test) = self.tests.iter().position(|test| test.label == place.label()) else {
                continue;
            };
            let other = |hit: &Hit| matches!(hit.event, Event::Test(i) if self.tests[i].label != place.label());
            hits.retain(|hit| !near(hit) || !self.is_bifurcation(&hit.event) || other(hit));
            hits.push(Hit {
                s: place.s,
                event: Event::Together {
                    eigenvalue: place.eigenvalue,
                    count: place.count,
                    test,
                },
                point: place.point,
                record: place.record,
            });
        }
    }

    /// Where each of these eigenvalues passes the axis.
    fn places(
        &mut self,
        from: (&Point, &Record),
        to: (&Point, &Record),
        passed: Range<usize>,
        options: &TraceOptions,
    ) -> Vec<Place> {
        let (h, usual) = (from.0.arclength_to(to.0), size(from.1).max(size(to.1)));
        let mut places: Vec<Place> = vec![];
        for eigenvalue in passed {
            let event = Event::Together {
                eigenvalue,
                count: 1,
                test: 0,
            };
            let Ok(Some((s, point, record))) = self.locate(from, to, &event, options) else {
                continue;
            };
            // A double zero to rounding is no pair: its halves are none beside it.
            let frequency = record.eigenvalues[eigenvalue].im.abs();
            let is_near = |v: &Complex<f64>| v.im.abs() > 0.5 * frequency && v.im.abs() < 2.0 * frequency;
            let pair_at = |record: &Record| record.eigenvalues.iter().any(is_near);
            let complex = frequency > REAL * usual && pair_at(from.1) && pair_at(to.1);
            let same = |place: &&mut Place| (place.s - s).abs() <= ONE * h && place.complex == complex;
            match places.iter_mut().find(same) {
                Some(place) => place.count += 1,
                None => places.push(Place {
                    eigenvalue,
                    count: 1,
                    complex,
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
        let test = self.tests.iter().position(|test| test.label == place.label())?;
        let confirmed = place.complex || is_crossing(self.curve.problem(), &place.point, beside);
        confirmed.then_some(Hit {
            s: place.s,
            event: Event::Test(test),
            point: place.point,
            record: place.record,
        })
    }
}
