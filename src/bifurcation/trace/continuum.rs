//! Cycles that fill a continuum at one value of the parameter, as those of a linear centre or of a conservative system that loses its first integral where the
//! parameter changes. The parameter stands still along them, up to rounding, and one of their multipliers is +1 on all of them.

use super::super::{BranchPoint, End, Inspect, Label, Logbook, Record};
use super::OneWay;
use slipstick_continuation::Point;

/// So many steps at one value of the parameter show a continuum.
const STEPS: usize = 8;
/// A change of the parameter, relative to its size, that is rounding.
const ROUNDING: f64 = 1e-12;
/// How far from +1 a multiplier on a continuum may be computed; those of canards, along which the parameter changes exponentially little, are far from it.
const UNIT: f64 = 1e-6;

impl<P: Inspect> OneWay<'_, P> {
    /// Count the steps that lead along a continuum.
    pub(super) fn note_still(&mut self, (base, next): (&Point, &Point), record: &Record) {
        let still = !self.family && is_still((base, &self.last.1), (next, record));
        self.still = if still { self.still + 1 } else { 0 };
    }

    /// Do the last steps lead along a continuum?
    pub(super) fn is_continuum(&self) -> bool {
        self.still >= STEPS
    }

    /// The end of a walk along a continuum, which may go on to any size.
    pub(super) fn end_in_continuum(
        &self,
        found: &mut Vec<BranchPoint>,
        direction: usize,
        log: &mut dyn Logbook,
    ) -> End {
        let value = self.last.0.parameter();
        let meaning = format!(
            "a continuum: all these orbits exist at {} = {value:.6e}, which does not change along them, and one of their multipliers is +1; it may go on to any size",
            self.parameter_name
        );
        let (point, record) = self.last.clone();
        let last = BranchPoint {
            point,
            record,
            label: Some(Label::EP),
            message: meaning.clone(),
        };
        log.point(direction, &last, None);
        found.push(last);
        End::Continuum { meaning }
    }
}

/// Does a step lead along a continuum of cycles: from one with a multiplier +1 to another, at one value of the parameter up to rounding?
pub(super) fn is_still((base, before): (&Point, &Record), (next, record): (&Point, &Record)) -> bool {
    let unit = |r: &Record| r.multipliers.iter().any(|m| m.log10.hypot(m.arg) <= UNIT);
    let size = base.weights.last().map_or(0.0, |w| w.sqrt().recip());
    (next.parameter() - base.parameter()).abs() <= ROUNDING * size && unit(before) && unit(record)
}
