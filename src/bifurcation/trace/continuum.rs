//! Cycles that fill a continuum at one value of the parameter, as those of a linear centre or of a conservative system
//! that loses its first integral where the parameter changes. The parameter stands still along them, up to rounding,
//! and one of their multipliers is +1 on all of them. As orbits grow their errors do, and with them those of the
//! parameter: what was recognised as a continuum is one until the parameter changes by more than these, and nothing is
//! labelled on it that a multiplier +1 or a turn of the parameter would show.

use super::super::{BranchPoint, End, Label, Logbook, Record};
use super::one_way::{Continuum, OneWay};
use slipstick_continuation::Point;
use slipstick_numerics::number::exact;

/// So many steps at one value of the parameter show a continuum.
const STEPS: usize = 8;
/// Those that change no extreme of a state by so much, as the first ones beside a branch point, show nothing: there the
/// parameter hardly changes along any curve.
const CHANGES: f64 = 1e-3;
/// A change of the parameter, relative to its size, that is rounding.
const ROUNDING: f64 = 1e-12;
/// How far from +1 a multiplier on a continuum may be computed; those of canards, along which the parameter changes
/// exponentially little, are far from it.
const UNIT: f64 = 1e-6;
/// Once a continuum is recognised, a change of the parameter is one of errors up to so many times those of the orbits,
/// relative to its size.
const ERRORS: f64 = 100.0;
/// The least that the errors of an orbit are taken for.
const LEAST: f64 = 1e-10;
/// Orbits that have grown so many times since the continuum was recognised, or whose periods have grown or shrunk as
/// much, show nothing new.
const LARGER: f64 = 1e3;
/// Steps shorter than this part of the largest lead no further if so many follow one another: errors of the orbits
/// count for more. Where a continuum ends at a corner the curve bends like a power less than two, and a few are short.
const SHORT: f64 = 1e-3;
const MANY: usize = 16;

impl OneWay<'_> {
    /// Count the steps that lead along a continuum, and take notice of one and of its end.
    pub(super) fn note_still(&mut self, (last, before): (&Point, &Record), (next, record): (&Point, &Record)) {
        if self.family {
            return;
        }
        // The step is a shorter one in the place of one that led off a continuum.
        if let Some(left) = self.left_continuum.take() {
            self.continuum = Some(left);
        }
        let short = last.arclength_to(next).abs() < SHORT * self.curve.options().largest;
        let error = self.error.and_then(|e| record.monitors.get(e)).copied().unwrap_or(0.0);
        if let Some(known) = &mut self.continuum {
            known.error = known.error.max(error);
            known.short = if short { known.short + 1 } else { 0 };
            if (next.parameter() - known.parameter).abs() <= ERRORS * known.error * size_of_parameter(last) {
                return;
            }
            self.left_continuum = self.continuum.take();
            self.still = 0;
        }
        let still = is_still((last, before), (next, record));
        let counts = usize::from(self.changes(before, record));
        self.still = if still { self.still + counts } else { 0 };
        if self.still >= STEPS {
            let rounding = ROUNDING * size_of_parameter(next);
            self.continuum = Some(Continuum {
                parameter: (next.parameter() / rounding).round() * rounding + 0.0,
                error: error.max(LEAST),
                period: record.period,
                extent: self.extent_of(record),
                short: 0,
            });
        }
    }

    /// Does an extreme of a state change, beside the largest of them?
    fn changes(&self, before: &Record, record: &Record) -> bool {
        let values = |record: &Record| -> Vec<f64> { self.extremes.iter().map(|&i| record.monitors[i]).collect() };
        let (old, new) = (values(before), values(record));
        let largest = old.iter().chain(&new).fold(0.0f64, |m, v| m.max(v.abs()));
        let change = old.iter().zip(&new).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        old.is_empty() || change >= CHANGES * largest
    }

    /// The largest of the extremes of an orbit.
    pub(super) fn largest_extreme(&self, record: &Record) -> f64 {
        let extremes = self.extremes.iter();
        extremes.fold(0.0, |m, &i| m.max(record.monitors[i].abs()))
    }

    /// The same of orbits that may last ever longer; zero of others.
    fn extent_of(&self, record: &Record) -> f64 {
        if self.lasts { self.largest_extreme(record) } else { 0.0 }
    }

    /// Has a walk along a continuum seen enough of it?
    pub(super) fn has_seen_continuum(&self, record: &Record) -> bool {
        self.continuum.as_ref().is_some_and(|known| {
            let longer = record.period / known.period;
            self.extent_of(record) > LARGER * known.extent || longer.max(longer.recip()) > LARGER || known.short >= MANY
        })
    }

    /// What is to be said of a point on a continuum.
    pub(super) fn said_of_continuum(&self, record: &Record) -> String {
        format!(
            "; along a continuum at fixed parameters: all these orbits exist at {} = {}, and one of their multipliers is exactly +1",
            self.parameter_name,
            exact(record.parameters[self.parameter])
        )
    }

    /// The end of a walk along a continuum, which may go on to any size; none if it leads along no continuum.
    pub(super) fn end_in_continuum(
        &self,
        found: &mut Vec<BranchPoint>,
        direction: usize,
        log: &mut dyn Logbook,
    ) -> Option<End> {
        /// Orbits that had grown by this factor before, while the parameter hardly changed, lie on no continuum: the
        /// parameter tends to a limit.
        const GROWN: f64 = 1e5;
        let value = self.continuum.as_ref()?.parameter;
        let (point, record) = self.last.clone();
        let growth = self.grown(&point, &record, found).filter(|(factor, _)| *factor > GROWN);
        let unbounded = growth.is_some();
        let meaning = growth.map(|(_, said)| said).unwrap_or_else(|| {
            format!(
                "a continuum: all these orbits exist at {} = {value:.6e}, which is constant along them, and one of their multipliers is +1; it may extend to arbitrary amplitude",
                self.parameter_name
            )
        });
        let last = BranchPoint {
            point,
            record,
            label: Some(Label::EP),
            message: meaning.clone(),
        };
        log.point(direction, &last, None);
        found.push(last);
        Some(if unbounded {
            End::Unbounded { meaning }
        } else {
            End::Continuum { meaning }
        })
    }
}

/// The size of the parameter at a point.
pub(super) fn size_of_parameter(point: &Point) -> f64 {
    point.weights.last().map_or(0.0, |w| w.sqrt().recip())
}

/// Does a step lead along a continuum of cycles: from one with a multiplier +1 to another, at one value of the
/// parameter up to rounding?
pub(super) fn is_still((base, before): (&Point, &Record), (next, record): (&Point, &Record)) -> bool {
    let unit = |r: &Record| r.multipliers.iter().any(|m| m.log10.hypot(m.arg) <= UNIT);
    (next.parameter() - base.parameter()).abs() <= ROUNDING * size_of_parameter(base) && unit(before) && unit(record)
}
