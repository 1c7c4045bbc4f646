//! Segments that vanish together with what moves on others, so that rounding hides the last orbits.
//!
//! Where a block is hit ever more slowly it comes to rest between the hits: the slip that a hit sets off lasts no time
//! in the end, and what is left of the way on the segments behind shrinks with its square, until the events that end
//! these are rounding. Where the slip of a block dies out while another block turns round, the slips before and after
//! the turn vanish together, and how far the block moves in them is as the fourth power of how long they last: the
//! event that ends them is rounding, and the parameter's way is as the square of their durations. Such curves cannot
//! be followed up to their ends, though all unknowns are smooth functions of the duration that vanishes there. They are
//! extrapolated from orbits that are farther away.

use super::super::{BranchPoint, End, InequalitySpec, Logbook, Rank, Record, TraceOptions};
use super::one_way::{Event, OneWay};
use super::passage::Hit;
use slipstick_continuation::Point;
use slipstick_numerics::tableau::quadrature::lagrange;

/// A segment that lasts no longer than this part of the period is short.
const SHORT: f64 = 1e-2;
/// From one orbit to the next that counts the duration grows by this factor at least, up to this part of the period.
const GROWS: f64 = 1.5;
const LONGEST: f64 = 0.1;
/// So many orbits tell the limit.
const ORBITS: usize = 6;
/// Limits extrapolated from neighbouring sets of orbits must agree to this part of the range.
const AGREE: f64 = 1e-10;
/// The end must lie within this part of the range where the tracer gave up, and where steps still succeed.
const GIVEN_UP: f64 = 1e-2;
const STILL_FOLLOWED: f64 = 1e-4;
/// What is as small as this in the limit, as a part of what it is on the farthest of those orbits, vanishes; and with
/// the square of the way of the parameter if it does so with a higher power of it than this.
const VANISHES: f64 = 1e-6;
const POWER: f64 = 1.5;
/// As near as this, as a part of the range, is an end that was located among rounding.
const BESIDE: f64 = 1e-6;

/// What vanishes at such an end with the shortest segment.
#[derive(Clone, Copy, PartialEq)]
enum Vanishing {
    /// The motion on a segment that lasts.
    Motion,
    /// A segment beside it.
    Neighbour,
}

/// An end that orbits farther away tell.
struct SingularEnd {
    inequality: usize,
    with: Vanishing,
    end: BranchPoint,
}

impl OneWay<'_> {
    /// The end of a curve on which the tracer gave up next to such an end.
    pub(super) fn ends_in_rounding(
        &mut self,
        found: &mut Vec<BranchPoint>,
        options: &TraceOptions,
        direction: usize,
        log: &mut dyn Logbook,
    ) -> Option<End> {
        let known = self.singular_end(found, options, GIVEN_UP)?;
        Some(self.enter_known(known, found, direction, log))
    }

    /// The end of a curve that has come so near to such an end that it is known, with nothing that is asked for before
    /// it: steps count what comes to rest by its size, and get ever shorter.
    pub(super) fn ends_at_known_rest(
        &mut self,
        found: &mut Vec<BranchPoint>,
        options: &TraceOptions,
        direction: usize,
        log: &mut dyn Logbook,
    ) -> Option<End> {
        let known = self.singular_end(found, options, STILL_FOLLOWED)?;
        let asked = self.asked_for_before(&found.last()?.record, &known.end, options);
        (!asked).then(|| self.enter_known(known, found, direction, log))
    }

    /// The end of a curve where the first of the `hits` is an end that was located next to such an end, where rounding
    /// tells which inequality vanishes, and where.
    pub(super) fn ends_beside_rounding(
        &mut self,
        hits: &[Hit],
        found: &mut Vec<BranchPoint>,
        options: &TraceOptions,
        direction: usize,
        log: &mut dyn Logbook,
    ) -> Option<End> {
        let first = hits.first()?;
        let Event::Boundary(located) = first.event else {
            return None;
        };
        let known = self.singular_end(found, options, GIVEN_UP)?;
        let range = options.range.1 - options.range.0;
        let apart = (known.end.point.parameter() - first.point.parameter()).abs();
        let is_located = located == known.inequality && apart <= AGREE * range;
        (apart <= BESIDE * range && !is_located).then(|| self.enter_known(known, found, direction, log))
    }

    /// Enter such an end, or what it is if all segments but those in one mode vanish there.
    fn enter_known(
        &mut self,
        known: SingularEnd,
        found: &mut Vec<BranchPoint>,
        direction: usize,
        log: &mut dyn Logbook,
    ) -> End {
        let SingularEnd { inequality, with, end } = known;
        if with == Vanishing::Neighbour {
            let InequalitySpec { label, meaning, .. } = &self.inequalities[inequality];
            log.point(direction, &end, None);
            found.push(end);
            return End::Boundary {
                inequality,
                label: *label,
                meaning: meaning.clone(),
            };
        }
        let recurrence = self.curve.problem().recurrence();
        let closed = recurrence.and_then(|orbits| orbits.closed_in_one_mode((&end.point, &end.record)));
        Self::enter_last(closed.unwrap_or(end), found, (direction, log))
    }

    /// The end to which the points lead, within this part of the range, if what ends is the shortest segment of the
    /// last of them.
    fn singular_end(&self, found: &[BranchPoint], options: &TraceOptions, left: f64) -> Option<SingularEnd> {
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
        let is_near = |k: usize| (limits[k] - last.point.parameter()).abs() <= left * range;
        // Of the orbits that tell it the farthest are the least touched by rounding.
        let windows = (0..limits.len().saturating_sub(1)).rev();
        windows
            .filter(|&k| agree(k) && (k == 0 || agree(k - 1)) && is_near(k))
            .find_map(|k| {
                let orbits = &orbits[k..k + ORBITS];
                let (point, record) = combined(orbits, &weights(orbits));
                let (record, with) = self.in_the_limit((&point, record), orbits, inequality)?;
                let InequalitySpec { label, meaning, .. } = &self.inequalities[inequality];
                let motion = match with {
                    Vanishing::Motion => ", and with its square what moves on another segment, which comes to rest",
                    Vanishing::Neighbour => "",
                };
                let message = format!(
                    "{meaning}{motion}; extrapolated from the orbits before, since rounding hides those next to it"
                );
                let end = BranchPoint {
                    label: Some(*label),
                    message,
                    point,
                    record,
                };
                Some(SingularEnd { inequality, with, end })
            })
    }

    /// What is measured at such an end, with exact zeros, if nothing vanished before, and what vanishes with the
    /// shortest segment: what moves on a segment that lasts, with the square of the way that is left, or a segment
    /// beside it, as the root of that way. What vanishes at a regular end does so linearly with the way, also where the
    /// duration is as its root, as of a slip that a force only just sets off, without another event within; and on the
    /// segment that vanishes rates may be as its square.
    fn in_the_limit(
        &self,
        (end, mut record): (&Point, Record),
        orbits: &[&BranchPoint],
        shortest: usize,
    ) -> Option<(Record, Vanishing)> {
        let [nearest, farther, .., farthest] = orbits else {
            return None;
        };
        let of = |p: &BranchPoint, i: usize| p.record.inequalities[i];
        let left = |p: &BranchPoint| (p.point.parameter() - end.parameter()).abs();
        let power = (left(farther) / left(nearest)).powf(POWER);
        for (i, value) in record.inequalities.iter_mut().enumerate() {
            let none = VANISHES * of(farthest, i).abs();
            if *value < -none {
                return None;
            }
            if *value <= none {
                *value = 0.0;
            }
        }
        let vanishes = |i: usize| record.inequalities[i] == 0.0;
        let lasts = |segment: usize| {
            let mut all = self.inequalities.iter().enumerate();
            !all.any(|(i, one)| one.segment == segment && one.rank == Rank::Duration && vanishes(i))
        };
        let mut all = 0..self.inequalities.len();
        let comes_to_rest =
            all.any(|i| vanishes(i) && lasts(self.inequalities[i].segment) && of(farther, i) >= power * of(nearest, i));
        if comes_to_rest {
            return Some((record, Vanishing::Motion));
        }
        let segments = 1 + self.inequalities.iter().map(|one| one.segment).max()?;
        let own = self.inequalities[shortest].segment;
        let beside = [(own + 1) % segments, (own + segments - 1) % segments];
        let vanishes_beside = beside.iter().any(|&k| k != own && !lasts(k));
        let longer = of(farther, shortest) / of(nearest, shortest);
        let as_its_root = left(farther) >= left(nearest) * longer.powf(POWER);
        (vanishes_beside && as_its_root).then_some((record, Vanishing::Neighbour))
    }
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
