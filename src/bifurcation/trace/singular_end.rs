//! Segments that vanish together with what moves on others, so that rounding hides the last orbits.
//!
//! Where a block is hit ever more slowly it comes to rest between the hits: the slip that a hit sets off lasts no time
//! in the end, and what is left of the way on the segments behind shrinks with its square, until the events that end
//! these are rounding. The curve cannot be followed up to its end, though all unknowns are smooth functions of the
//! duration that vanishes there. They are extrapolated from orbits that are farther away.

use super::super::{BranchPoint, End, InequalitySpec, Logbook, Rank, Record, TraceOptions};
use super::one_way::OneWay;
use slipstick_continuation::Point;
use slipstick_numerics::tableau::quadrature::lagrange;

/// A segment that lasts no longer than this part of the period is short.
const SHORT: f64 = 1e-2;
/// From one orbit to the next that counts the duration grows by this factor at least, up to this part of the period.
const GROWS: f64 = 1.5;
const LONGEST: f64 = 0.1;
/// So many orbits tell the limit.
const ORBITS: usize = 6;
/// Limits extrapolated from neighbouring sets of orbits must agree to this part of the range, and the end must lie
/// within this part of it.
const AGREE: f64 = 1e-10;
const LEFT: f64 = 1e-2;
/// What is as small as this in the limit, as a part of what it is on the farthest of those orbits, vanishes; and with
/// the square of the duration if it does so with a higher power of it than this.
const VANISHES: f64 = 1e-6;
const POWER: f64 = 1.5;

/// The end of a segment, extrapolated: its inequality, and the orbit there.
struct SingularEnd {
    inequality: usize,
    point: Point,
    record: Record,
}

impl OneWay<'_> {
    /// The end of a curve on which the tracer gave up next to such an end.
    pub(super) fn ends_in_rounding(
        &self,
        found: &mut Vec<BranchPoint>,
        options: &TraceOptions,
        direction: usize,
        log: &mut dyn Logbook,
    ) -> Option<End> {
        let end = self.singular_end(found, options)?;
        Some(self.enter_singular(end, found, direction, log))
    }

    fn enter_singular(
        &self,
        SingularEnd {
            inequality,
            point,
            record,
        }: SingularEnd,
        found: &mut Vec<BranchPoint>,
        direction: usize,
        log: &mut dyn Logbook,
    ) -> End {
        let InequalitySpec { label, meaning, .. } = &self.inequalities[inequality];
        let meaning = format!(
            "{meaning}, and with its square what moves on another segment, which comes to rest; extrapolated from the orbits before, \
             since rounding hides those next to it"
        );
        let end = BranchPoint {
            label: Some(*label),
            message: meaning.clone(),
            point,
            record,
        };
        log.point(direction, &end, None);
        found.push(end);
        End::Shrunk { meaning }
    }

    /// The end to which the points lead, if what ends is the shortest segment of the last of them.
    fn singular_end(&self, found: &[BranchPoint], options: &TraceOptions) -> Option<SingularEnd> {
        let range = options.range.1 - options.range.0;
        let last = found.last().filter(|p| p.label.is_none())?;
        let lasts = |p: &BranchPoint, i: usize| p.record.inequalities[i];
        let is_short =
            |i: &usize| self.inequalities[*i].rank == Rank::Duration && lasts(last, *i) <= SHORT * last.record.period;
        let inequality = (0..self.inequalities.len())
            .filter(is_short)
            .min_by(|i, j| lasts(last, *i).total_cmp(&lasts(last, *j)))?;
        let orbits = ever_longer(found, |p| lasts(p, inequality));
        let weights = |orbits: &[&BranchPoint]| -> Vec<f64> {
            let durations: Vec<f64> = orbits.iter().map(|p| lasts(p, inequality)).collect();
            lagrange(&durations, 0.0)
        };
        let limit = |orbits: &[&BranchPoint]| -> f64 {
            let weighted = weights(orbits).into_iter().zip(orbits);
            weighted.map(|(w, p)| w * p.point.parameter()).sum()
        };
        let limits: Vec<f64> = orbits.windows(ORBITS).map(limit).collect();
        let agree = |k: usize| (limits[k] - limits[k + 1]).abs() <= AGREE * range;
        let is_near = |k: usize| (limits[k] - last.point.parameter()).abs() <= LEFT * range;
        // Of the orbits that tell it the farthest are the least touched by rounding.
        let windows = (0..limits.len().saturating_sub(1)).rev();
        windows
            .filter(|&k| agree(k) && (k == 0 || agree(k - 1)) && is_near(k))
            .find_map(|k| {
                let orbits = &orbits[k..k + ORBITS];
                let (point, record) = combined(orbits, &weights(orbits));
                let record = at_rest(record, orbits, inequality)?;
                Some(SingularEnd {
                    inequality,
                    point,
                    record,
                })
            })
    }
}

/// What is measured at the end at which an inequality vanishes, with exact zeros, if something else vanishes with its
/// square there, and nothing vanished before.
fn at_rest(mut record: Record, orbits: &[&BranchPoint], inequality: usize) -> Option<Record> {
    let [nearest, farther, .., farthest] = orbits else {
        return None;
    };
    let of = |p: &BranchPoint, i: usize| p.record.inequalities[i];
    let power = (of(farther, inequality) / of(nearest, inequality)).powf(POWER);
    let mut shrinks = false;
    for (i, value) in record.inequalities.iter_mut().enumerate() {
        let none = VANISHES * of(farthest, i).abs();
        if *value < -none {
            return None;
        }
        if *value <= none {
            *value = 0.0;
            shrinks |= of(farther, i) >= power * of(nearest, i);
        }
    }
    shrinks.then_some(record)
}

/// Of the orbits on one discretisation, from the last one back, those on which something `lasts` ever longer.
fn ever_longer(found: &[BranchPoint], lasts: impl Fn(&BranchPoint) -> f64) -> Vec<&BranchPoint> {
    let mut orbits: Vec<&BranchPoint> = vec![];
    let alike = |p: &BranchPoint, last: &BranchPoint| {
        p.point.z.len() == last.point.z.len() && p.point.meshes == last.point.meshes
    };
    for point in found.iter().rev().filter(|p| p.label.is_none()) {
        let Some(last) = orbits.last() else {
            orbits.push(point);
            continue;
        };
        if !alike(point, last) || lasts(point) > LONGEST * point.record.period {
            break;
        }
        if lasts(point) >= GROWS * lasts(last) {
            orbits.push(point);
        }
    }
    orbits
}

/// The orbit that is this combination of others, and what is measured on it; what need not be smooth is as on the
/// first.
fn combined(orbits: &[&BranchPoint], weights: &[f64]) -> (Point, Record) {
    let (mut point, mut record) = (orbits[0].point.clone(), orbits[0].record.clone());
    let combine = |own: &mut [f64], of: &dyn Fn(&BranchPoint) -> &[f64]| {
        for (k, value) in own.iter_mut().enumerate() {
            // What is the same on all is so without rounding.
            if orbits.iter().any(|p| of(p)[k] != *value) {
                *value = weights.iter().zip(orbits).map(|(w, p)| w * of(p)[k]).sum();
            }
        }
    };
    combine(&mut point.z, &|p| &p.point.z);
    combine(&mut record.parameters, &|p| &p.record.parameters);
    combine(&mut record.monitors, &|p| &p.record.monitors);
    combine(&mut record.inequalities, &|p| &p.record.inequalities);
    record.period = weights.iter().zip(orbits).map(|(w, p)| w * p.record.period).sum();
    (point, record)
}
