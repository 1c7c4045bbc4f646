//! Does the tracer return to the start of the curve? Then the curve is closed.
//!
//! On meshes the same orbit returns with other unknowns, since the meshes are adapted along the curve. There the tracer
//! compares the monitors, at a value of the parameter that one of the first points had, in the same direction.

use super::super::inspect::start_alike;
use super::super::{BranchPoint, Record};
use super::one_way::OneWay;
use slipstick_continuation::Point;
use slipstick_floquet::Multiplier;

/// How many of the first points are compared, and how many must have been found since.
const FIRST: usize = 8;
const SINCE: usize = 16;
/// What is measured again is the same to this relative accuracy, or this much absolute.
const SAME: f64 = 1e-5;
const SMALL: f64 = 1e-7;

impl OneWay<'_> {
    /// How far along the step from `base` to `next` the curve passes its start again. The unknowns agree up to whole
    /// turns of angles and, for a cycle of a map, up to a shift along the cycle. The test solves for the point of the
    /// curve that lies there, so that it does not depend on the size of the curve or of the steps.
    pub(super) fn passes_start(&mut self, base: &Point, next: &Point) -> Option<f64> {
        /// A start within this part of the step of the cubic between its ends is looked at,
        const NEAR: f64 = 0.5;
        /// and is the same as the point found there if it is nearer than this part.
        const SAME_PART: f64 = 1e-3;
        /// Where no point is found, since the curve begins at a crossing, the cubic itself must come as near as this.
        const SAME_CUBIC: f64 = 1e-2;
        if self.steps < 2 || self.begin.z.len() != next.z.len() || base.z.len() != next.z.len() || self.family {
            return None;
        }
        let start = self.begin_near(&base.z);
        let (s, h) = (base.arclength_to(&start), base.arclength_to(next));
        if !(s > 0.0 && s <= h * (1.0 + 1e-9)) {
            return None;
        }
        let on_cubic = Point {
            z: base.cubic(next, s),
            ..base.clone()
        };
        let off = on_cubic.distance(&Point {
            weights: base.weights.clone(),
            ..start.clone()
        });
        if off > NEAR * h || start.turn_to(base) > 1.0 {
            return None;
        }
        let same = match self.curve.between(base, s) {
            Ok(at) => {
                let start = self.begin_near(&at.z);
                let apart = Point {
                    weights: base.weights.clone(),
                    ..at
                };
                apart.distance(&start) <= SAME_PART * h
            }
            Err(_) => off <= SAME_CUBIC * h,
        };
        same.then_some(s)
    }

    /// The start, turned such that it comes nearest to `z`.
    fn begin_near(&mut self, z: &[f64]) -> Point {
        let recurrence = self.curve.problem().recurrence();
        let turned = recurrence.and_then(|r| r.turned(&self.begin, z));
        turned.unwrap_or_else(|| self.begin.clone())
    }

    /// How far along the step from `base` to `next` one of the first points of the curve comes again, on whatever mesh.
    pub(super) fn comes_again(
        &mut self,
        (base, before): (&Point, &Record),
        (next, record): (&Point, &Record),
        found: &[BranchPoint],
    ) -> Option<f64> {
        if self.family || self.continuum.is_some() || base.meshes.is_none() || next.stays_at_parameter() {
            return None;
        }
        let unlabelled = || found.iter().filter(|p| p.label.is_none());
        if unlabelled().count() < FIRST + SINCE {
            return None;
        }
        let (a, b) = (base.parameter(), next.parameter());
        for known in unlabelled().take(FIRST) {
            let level = known.point.parameter();
            let passes = (a - level) * (b - level) < 0.0;
            let onwards = known.point.parameter_rate() * next.parameter_rate() > 0.0;
            if !passes || !onwards || known.point.stays_at_parameter() || !between(&known.record, before, record) {
                continue;
            }
            let Ok(Some((s, at, there))) = self.at_parameter(base, next, level) else {
                continue;
            };
            if !is_same(&known.record, &there, &self.incidental) {
                continue;
            }
            // The same orbit started from another of its points is on another branch's way, unless all orbits here are
            // started from anywhere.
            let anywhere = self.may_start_anywhere();
            let same = match self.curve.problem().recurrence() {
                _ if anywhere => true,
                Some(recurrence) => recurrence.is_same(&known.point, &at),
                None => start_alike(&known.point, &at),
            };
            if same {
                return Some(s);
            }
        }
        None
    }
}

/// Can a solution lie between two others, by its period? Cheap, before it is looked at closely.
pub(super) fn between(known: &Record, a: &Record, b: &Record) -> bool {
    let (low, high) = (a.period.min(b.period), a.period.max(b.period));
    let room = (high - low) + SAME * high.abs() + SMALL;
    !known.period.is_finite() || (low - room..=high + room).contains(&known.period)
}

/// Is the same measured at two points, as far as errors allow?
fn is_same(a: &Record, b: &Record, incidental: &[usize]) -> bool {
    let [of_a, of_b] = [a, b].map(|r| values(r, incidental));
    let near = |(x, y): (&f64, &f64)| {
        let both_undefined = x.is_nan() && y.is_nan();
        both_undefined || (x - y).abs() <= SAME * x.abs().max(y.abs()) + SMALL
    };
    of_a.len() == of_b.len() && of_a.iter().zip(&of_b).all(near) && have_like_multipliers(a, b)
}

/// May two points have the same multipliers? Those of any size have relative errors.
fn have_like_multipliers(a: &Record, b: &Record) -> bool {
    const LIKE: f64 = 0.05;
    const TINY: f64 = -3.0;
    let alike = |x: f64, y: f64| (x - y).abs() <= LIKE * (1.0 + x.abs().max(y.abs()));
    let [of_a, of_b] = [a, b].map(|r| r.multipliers.iter().map(|m| m.log10.max(TINY)));
    a.multipliers.len() == b.multipliers.len() && of_a.zip(of_b).all(|(x, y)| alike(x, y))
}

/// What is measured of a solution, apart from `incidental` monitors and multipliers.
pub(super) fn values(record: &Record, incidental: &[usize]) -> Vec<f64> {
    let mut values = record.parameters.clone();
    values.push(record.period);
    let essential = |i: &usize| !incidental.contains(i);
    values.extend((0..record.monitors.len()).filter(essential).map(|i| record.monitors[i]));
    values.extend(record.eigenvalues.iter().flat_map(|v| [v.re, v.im.abs()]));
    values
}

/// The multipliers as numbers to be compared: logarithms of sizes, and angles.
pub(super) fn multiplier_values(record: &Record) -> Vec<f64> {
    /// Smaller multipliers are at the mercy of rounding.
    const TINY: f64 = -8.0;
    let of = |m: &Multiplier| {
        let tiny = !(m.log10 > TINY);
        if tiny { [TINY, 0.0] } else { [m.log10, m.arg.abs()] }
    };
    record.multipliers.iter().flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(period: f64, monitors: [f64; 3]) -> Record {
        Record {
            parameters: vec![2.0],
            period,
            monitors: monitors.to_vec(),
            ..Record::default()
        }
    }

    #[test]
    fn the_same_orbit_on_another_mesh_is_the_same_and_its_mirror_image_is_not() {
        // The third is an error.
        let incidental = [2];
        let orbit = record(3.0, [1.0, -0.5, 1e-8]);
        // Another mesh has another error, and moves the rest by as much.
        assert!(is_same(
            &orbit,
            &record(3.0 + 1e-8, [1.0 - 1e-8, -0.5, 7e-8]),
            &incidental
        ));
        assert!(!is_same(&orbit, &record(3.0, [0.5, -1.0, 1e-8]), &incidental));
        assert!(!is_same(&orbit, &record(3.001, [1.0, -0.5, 1e-8]), &incidental));
    }
}
