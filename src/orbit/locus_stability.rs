//! The stability of orbits on which a segment has just vanished, and with it the rate at which it ends.
//!
//! Multipliers are quotients of what vanishes there. They tend to a limit as the segment becomes shorter, and are taken
//! from orbits next to the curve, on which it lasts a little.

use crate::Locus;
use crate::admissibility::{Subject, subjects};
use crate::fixed_scalar::{FixedScalar, Scalar};
use crate::locus::{Fixed, LocusCondition};
use slipstick_bifurcation::{Record, limit_of_multipliers};
use slipstick_continuation::{Newton, NewtonOptions, Point, Problem};

/// How long the segment lasts, as parts of the period: once, twice and four times as long, and the first of these parts
/// at which that makes a straight line.
const SHORT: [f64; 3] = [1e-5, 1e-4, 1e-6];

impl Locus<'_> {
    /// Take the stability of the orbit at `point` from those next to it; false where that cannot be done.
    pub(super) fn take_limit(&mut self, point: &Point, record: &mut Record) -> bool {
        let period = record.period;
        let found = SHORT.into_iter().find_map(|part| {
            let [a, b, c] = [1.0, 2.0, 4.0].map(|times| self.lasting(point, times * part * period));
            let (a, b, c) = (a?, b?, c?);
            let multipliers = limit_of_multipliers([&a.multipliers, &b.multipliers, &c.multipliers])?;
            Some((multipliers, limit_of_multipliers([&a.nu, &b.nu, &c.nu])?))
        });
        self.set_level(0.0);
        // What comes next is measured at the point itself.
        let orbit = self.orbit_at(point);
        let restored = self
            .constrained
            .linearise(&point.z, &mut vec![0.0; point.z.len() - 1])
            .is_ok()
            && self
                .plain
                .linearise(&orbit.z, &mut vec![0.0; orbit.z.len() - 2])
                .is_ok();
        let Some((multipliers, nu)) = found else {
            return false;
        };
        record.multipliers = multipliers;
        record.nu = nu;
        restored
    }

    /// What is measured of the orbit next to `point` whose segment lasts so long, at the same value of that parameter
    /// which changes more along the curve.
    fn lasting(&mut self, point: &Point, duration: f64) -> Option<Record> {
        self.set_level(duration);
        let n = point.z.len();
        let along = |i: usize| (point.tangent[i] * point.weights[i].sqrt()).abs();
        let stays = if along(n - 2) > along(n - 1) { n - 2 } else { n - 1 };
        let mut row = vec![0.0; n];
        row[stays] = 1.0;
        let mut z = point.z.clone();
        let at = self.vanished()?;
        z[at] = duration;
        // Next to where the segment vanishes the equations are nearly singular.
        let options = NewtonOptions {
            iterations: 20,
            rests: true,
            ..NewtonOptions::default()
        };
        Newton::default()
            .solve(self, &mut z, &row, &point.z, &[0.0], &options)
            .ok()?;
        let near = Point { z, ..point.clone() };
        let mut record = Record::default();
        self.measure_plain(&near, &mut record).ok()?;
        Some(record)
    }

    /// Where the duration of the segment stands among the unknowns.
    fn vanished(&self) -> Option<usize> {
        let LocusCondition::Scalar(_, fixed) = &self.condition else {
            return None;
        };
        let Scalar::Inequality(i) = fixed.scalar else {
            return None;
        };
        match *subjects(&self.plain).get(i)? {
            Subject::Duration(k) => {
                let segment = &self.constrained.problem().segments[k];
                Some(segment.offset + segment.n)
            }
            _ => None,
        }
    }

    /// How long the segment is to last.
    fn set_level(&mut self, duration: f64) {
        for condition in self.constrained.conditions_mut() {
            if let Fixed::FixedScalar(FixedScalar { level, .. }, _) = condition {
                *level = duration;
            }
        }
    }
}
