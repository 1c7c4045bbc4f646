//! Where other curves cross the one that is walked along: the zeros of the test for branch points, of any order.
//!
//! They are looked for on the curve as interpolated from both sides: next to them points that Newton's method finds are
//! no better than rounding divided by the test function itself, which between two crossings near each other is as small
//! as their distance squared. A zero of higher order, or several that lie nearer to each other than can be resolved, is
//! one place: that of the root of the test function of that order, which is smooth.

use super::super::interpolate::interpolated_root;
use super::super::track::Track;
use super::super::{Label, Record};
use super::hidden::{MOST_ORDER, Sample};
use super::kernel::is_crossing;
use super::one_way::{Event, OneWay};
use super::passage::{Hit, ONE, SAME_PLACE};
use slipstick_continuation::{Failure, Point};
use slipstick_numerics::roots::bracketed_root;
use slipstick_numerics::tableau::quadrature::lagrange;
use std::rc::Rc;

/// The ends of a step lie off the interpolated curve by less than this, as sizes, or the step has gone from one curve
/// to another.
const OFF: f64 = 1e-5;
/// Where the sign of the function at an end is one of rounding, the end is moved outwards by parts of the reach, from
/// the first up to the second.
const OUTWARDS: (f64, f64) = (1e-9, 1e-2);
/// Orders of zeros are decided at distances of this part of the reach, and of tenths of it as long as the function is
/// so many times as large as its errors.
const BESIDE: f64 = 0.1;
const CLEAR: f64 = 5.0;
/// How far apart points are, in parts of the reach, whose second differences are nothing but errors.
const CLOSE: f64 = 1e-9;
/// An order is a whole number within this.
const WHOLE: f64 = 0.3;
/// Parts of the reach at which the root of a flat function is taken.
const ROOTS: [f64; 6] = [-0.24, -0.16, -0.08, 0.08, 0.16, 0.24];
/// A value smaller than this part of those beside it, where orders are decided, is zero, as one is that is rounding.
const FLAT: f64 = 1e-6;
/// How often the part of a step is narrowed down that an interpolated curve is to cover.
const NARROWED: usize = 12;
/// A branch point that the problem's own equations locate farther beyond the interval than this part of its width, and
/// farther than points are off, is not what changed the sign of the function there.
const BEYOND: f64 = 1e-2;

/// Where a function is no more than rounding within the distance that the order of a zero is seen from, it is seen from
/// so many times as far away.
const WIDE: f64 = 2.5;
/// A zero of higher order of a test for branch points.
pub(super) struct Flat {
    pub(super) order: usize,
    /// Its place in the present step, or before or beyond it.
    pub(super) s: f64,
    /// No other zero is nearer to it than this.
    pub(super) around: f64,
    /// The zero, if it lies in the step.
    pub(super) hit: Option<Hit>,
}

impl OneWay<'_> {
    /// The curve around arclength `s` of the present step, interpolated from both sides.
    pub(super) fn track(&mut self, s: f64) -> Option<Rc<Track>> {
        if let Some(track) = self.track.as_ref().filter(|track| track.reaches(s)) {
            return Some(track.clone());
        }
        if self.trackless {
            return None;
        }
        let (base, next) = (self.curve.base().clone(), self.curve.point().clone());
        // Not of cycles: their points are dear, and what rounding and meshes leave of them is not yet distinguished
        // from another curve.
        let cycles = self.tests.iter().any(|test| test.at_folds);
        if !cycles {
            self.track = Track::around(&mut self.curve, (&base, &next), s).map(Rc::new);
        }
        self.trackless = self.track.is_none();
        self.track.clone()
    }

    /// The point at arclength `s` of an interpolated curve, measured.
    pub(super) fn on_track(&mut self, track: &Track, s: f64) -> Result<(Point, Record), Failure> {
        let at = track.point(s);
        let problem = self.curve.problem();
        problem.linearise(&at.z, &mut vec![0.0; at.z.len() - problem.free()])?;
        let mut record = Record::default();
        problem.inspect(&at, &mut record)?;
        Ok((at, record))
    }

    /// A branch point between two points of the present step where the test function is `ga` and `gb`: on the
    /// interpolated curve, then by the problem's own equations for it, if it has any.
    pub(super) fn crossing_at(
        &mut self,
        test: usize,
        base: &Point,
        next: &Point,
        (ga, gb): (f64, f64),
    ) -> Result<Option<(f64, Point, Record)>, Failure> {
        let origin = self.curve.base().clone();
        let (a, b) = (origin.arclength_to(base), origin.arclength_to(next));
        let covered = self.covered(test, (a, ga), (b, gb))?;
        let found = match &covered {
            Some((track, low, high)) => self.crossing_on(track, test, *low, *high)?,
            None => {
                let doubts = self.may_step_back();
                let value = |_: &Point, record: &Record| record.tests[test];
                let h = base.arclength_to(next);
                let found = interpolated_root(&mut self.curve, (base, ga), (next, gb), h, doubts, &value)?;
                self.left |= found.is_none();
                found
                    .filter(|(_, _, record)| self.is_zero(&Event::Test(test), record.tests[test].abs(), ga, gb, record))
                    .map(|(_, at, _)| at)
            }
        };
        let Some(mut at) = found else { return Ok(None) };
        let [low, high] = covered.as_ref().map_or([a, b], |(_, low, high)| [low.0, high.0]);
        let problem = self.curve.problem();
        if let Some(z) = problem.refine(test, &at) {
            let refined = Point { z, ..at.clone() };
            let s = origin.arclength_to(&refined);
            let beyond = (low - s).max(s - high);
            if beyond <= OFF.max(BEYOND * (high - low)) {
                at = refined;
            } else if self.may_step_back() {
                self.left = true;
                return Ok(None);
            }
        }
        let problem = self.curve.problem();
        // Where the curve turns back in the same step the two are looked at together.
        let turns = base.parameter_rate() * next.parameter_rate() < 0.0;
        let beside = covered.as_ref().map_or([base, next], |(track, ..)| track.inner());
        if !turns && !is_crossing(problem, &at, beside) {
            return Ok(None);
        }
        let mut residual = vec![0.0; at.z.len() - problem.free()];
        problem.linearise(&at.z, &mut residual)?;
        let mut record = Record::default();
        problem.inspect(&at, &mut record)?;
        Ok(Some((base.arclength_to(&at), at, record)))
    }

    /// The part of the interval from `a` to `b` in which the test function changes its sign and that an interpolated
    /// curve covers, with the values at its ends.
    #[allow(clippy::type_complexity)]
    fn covered(
        &mut self,
        test: usize,
        (mut a, mut ga): (f64, f64),
        (mut b, mut gb): (f64, f64),
    ) -> Result<Option<(Rc<Track>, (f64, f64), (f64, f64))>, Failure> {
        for turn in 0..NARROWED {
            // False position may come nearer from one side only.
            let part = if turn % 2 == 0 { ga / (ga - gb) } else { 0.5 };
            let Some(track) = self.track(a + (b - a) * part) else {
                return Ok(None);
            };
            let (low, high) = track.ends();
            let (mut from, mut to) = ((a, ga), (b, gb));
            if low > a {
                let g = self.on_track(&track, low)?.1.tests[test];
                if !(g * ga > 0.0) {
                    (b, gb) = (low, g);
                    continue;
                }
                from = (low, g);
            }
            if high < b {
                let g = self.on_track(&track, high)?.1.tests[test];
                if !(g * gb > 0.0) {
                    (a, ga) = (high, g);
                    continue;
                }
                to = (high, g);
            }
            return Ok(Some((track, from, to)));
        }
        Ok(None)
    }

    /// The zero of the test function on the interpolated curve between two arclengths.
    fn crossing_on(
        &mut self,
        track: &Track,
        test: usize,
        (a, ga): (f64, f64),
        (b, gb): (f64, f64),
    ) -> Result<Option<Point>, Failure> {
        let ends = [self.curve.base().clone(), self.curve.point().clone()];
        if self.may_step_back() && ends.iter().any(|end| track.passes(end).is_some_and(|off| off > OFF)) {
            self.left = true;
            return Ok(None);
        }
        let (Some((a, ga)), Some((b, gb))) = (
            self.end_with_sign(track, test, (a, ga), -1.0)?,
            self.end_with_sign(track, test, (b, gb), 1.0)?,
        ) else {
            return Ok(None);
        };
        let s = bracketed_root(a, ga, b, gb, 1e-15 * (b - a), |s| {
            self.on_track(track, s).map(|(_, record)| record.tests[test])
        })?;
        let (at, record) = self.on_track(track, s)?;
        Ok(self.curve.problem().confirm(test, &record).then_some(at))
    }

    /// The place at or beyond `a` where the function has the sign of `ga` on the interpolated curve, and its value
    /// there.
    fn end_with_sign(
        &mut self,
        track: &Track,
        test: usize,
        (a, ga): (f64, f64),
        outwards: f64,
    ) -> Result<Option<(f64, f64)>, Failure> {
        let mut away = 0.0;
        while away <= OUTWARDS.1 * track.reach() {
            let s = a + outwards * away;
            let g = self.on_track(track, s)?.1.tests[test];
            if g * ga > 0.0 {
                return Ok(Some((s, g)));
            }
            away = (4.0 * away).max(OUTWARDS.0 * track.reach());
        }
        Ok(None)
    }

    /// Among the branch points of a step, those that are zeros of higher order become one each, located as such.
    pub(super) fn join_multiple(&mut self, hits: &mut Vec<Hit>) {
        let mut joined: Vec<Hit> = vec![];
        for mut hit in std::mem::take(hits) {
            if let Event::Test(test) = hit.event
                && self.tests[test].label == Label::BP
                && let Some((order, point, record)) = self.multiple(test, &hit.point)
            {
                hit.event = Event::Multiple(test, order);
                (hit.point, hit.record) = (point, record);
            }
            let same = |known: &Hit| match (&known.event, &hit.event) {
                (Event::Multiple(i, _), Event::Multiple(j, _)) => i == j && known.point.distance(&hit.point) <= ONE,
                _ => false,
            };
            if !joined.iter().any(same) {
                joined.push(hit);
            }
        }
        *hits = joined;
    }

    /// Where a test for branch points has a zero of higher order in this step, if it has: next to the one of the
    /// `samples` at which it is smallest, or anywhere in the middle of a stretch on which it is no more than rounding.
    pub(super) fn flat_touch(&mut self, test: usize, samples: &[Sample]) -> Option<Flat> {
        let size = |sample: &&Sample| sample.record.tests[test].abs();
        let near = samples.iter().min_by(|a, b| size(a).total_cmp(&size(b)))?;
        let (base, next) = (self.curve.base(), self.curve.point());
        let (h, near) = (base.arclength_to(next), base.arclength_to(&near.point));
        let wide = [(near, 1.0), (0.5 * h, 1.0), (0.5 * h, WIDE)];
        let (order, s, track, around) = wide.into_iter().find_map(|(s, part)| {
            let track = self.track(s)?;
            let reach = part * track.reach();
            let (order, s) = self.order_near(test, &track, s, reach)?;
            Some((order, s, track, ROOTS[3] * reach))
        })?;
        let (point, record) = self.on_track(&track, s).ok()?;
        // The steps on both sides tell the place of a high order with different errors.
        let slack = if order > 2 { SAME_PLACE } else { 0.0 };
        let there = s > -slack && s <= h && is_crossing(self.curve.problem(), &point, track.inner());
        let hit = there.then_some(Hit {
            s,
            event: Event::Multiple(test, order),
            point,
            record,
        });
        Some(Flat { order, s, around, hit })
    }

    /// The order of a zero somewhere near `s` and its place: that of the root of the test function which is smooth, on
    /// both sides as far as this `reach`.
    fn order_near(&mut self, test: usize, track: &Track, s: f64, reach: f64) -> Option<(usize, f64)> {
        let mut value = |s: f64| {
            let (point, record) = self.on_track(track, s).ok()?;
            Some(self.test_values(&point, &record)[test])
        };
        (2..=MOST_ORDER).find_map(|order| {
            let rough = root_of(&mut value, s, order, reach)?;
            let place = root_of(&mut value, rough, order, reach)?;
            if order_of(&mut value, place, BESIDE * reach, CLOSE * reach)? != order {
                return None;
            }
            let beside = [-BESIDE, BESIDE].map(|part| value(place + part * reach));
            let least = beside[0]?.abs().min(beside[1]?.abs());
            let zero = (FLAT * least).max(f64::EPSILON);
            (value(place)?.abs() <= zero).then_some((order, place))
        })
    }

    /// The order of a zero that is not simple, and its place; none of a simple one, or where nothing can be decided.
    fn multiple(&mut self, test: usize, at: &Point) -> Option<(usize, Point, Record)> {
        let mut s = self.curve.base().arclength_to(at);
        let track = self.track(s)?;
        let mut value = |s: f64| {
            let (point, record) = self.on_track(&track, s).ok()?;
            Some(self.test_values(&point, &record)[test])
        };
        let order = order_of(&mut value, s, BESIDE * track.reach(), CLOSE * track.reach())?;
        for _ in 0..2 {
            s = root_of(&mut value, s, order, track.reach())?;
        }
        let (point, record) = self.on_track(&track, s).ok()?;
        Some((order, point, record))
    }
}

/// The order of a zero at `s`, if it is not simple: from how fast the function grows beside it, as near as its errors
/// allow.
fn order_of(g: &mut dyn FnMut(f64) -> Option<f64>, s: f64, beside: f64, close: f64) -> Option<usize> {
    let mut order = grows_like(g, s, beside)?.0?;
    if order == 1 {
        return None;
    }
    let near: Vec<f64> = (0..4).map(|j| g(s + close * f64::from(j))).collect::<Option<_>>()?;
    let errors = near
        .windows(3)
        .fold(0.0f64, |m, w| m.max((w[0] - 2.0 * w[1] + w[2]).abs()));
    let mut distance = 0.1 * beside;
    while distance > close {
        let (found, least) = grows_like(g, s, distance)?;
        if least <= CLEAR * errors {
            break;
        }
        if found == Some(1) {
            return None;
        }
        order = found.unwrap_or(order);
        distance *= 0.1;
    }
    Some(order)
}

/// The whole number m if a function grows like the power m of the distance from `s`, measured at this distance and at
/// twice it on both sides; and the least value used.
fn grows_like(g: &mut dyn FnMut(f64) -> Option<f64>, s: f64, distance: f64) -> Option<(Option<usize>, f64)> {
    let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(|k| g(s + k * distance));
    let (a, b, c, d) = (a?, b?, c?, d?);
    let (left, right) = ((a / b).abs().log2(), (d / c).abs().log2());
    let order = (0.5 * (left + right)).round();
    let whole = (left - order).abs() <= WHOLE && (right - order).abs() <= WHOLE && (1.0..10.0).contains(&order);
    let fits = (b * c < 0.0) == (order % 2.0 == 1.0) && a * b > 0.0 && c * d > 0.0;
    Some(((whole && fits).then_some(order as usize), b.abs().min(c.abs())))
}

/// The zero of order m next to `s`: that of the root of the function, by inverse interpolation.
fn root_of(g: &mut dyn FnMut(f64) -> Option<f64>, s: f64, order: usize, reach: f64) -> Option<f64> {
    let places = ROOTS.map(|part| s + part * reach);
    let values: Vec<f64> = places.iter().map(|s| g(*s)).collect::<Option<_>>()?;
    let sign = values[5].signum();
    let roots: Vec<f64> = values
        .iter()
        .zip(ROOTS)
        .map(|(v, part)| part.signum() * v.abs().powf(1.0 / order as f64))
        .collect();
    let odd = order % 2 == 1;
    let fits = |(v, part): (&f64, f64)| v * sign * if odd { part } else { 1.0 } > 0.0;
    if !values.iter().zip(ROOTS).all(fits) || roots.windows(2).any(|w| w[1] <= w[0]) {
        return None;
    }
    let found: f64 = lagrange(&roots, 0.0).iter().zip(&places).map(|(c, s)| c * s).sum();
    ((found - s).abs() <= -ROOTS[2] * reach).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_and_places_of_zeros_are_told() {
        let h = |s: f64| 2.0 + s.sin();
        for order in 2..6 {
            let mut g = |s: f64| Some((s - 0.013).powi(order) * h(s) + 1e-15 * (1e9 * s).sin());
            let rough = 0.013 + 0.3 * 1e-15f64.powf(1.0 / f64::from(order));
            let order = order as usize;
            assert_eq!(order_of(&mut g, rough, 0.015, 1.5e-10), Some(order));
            let first = root_of(&mut g, rough, order, 0.15).unwrap();
            let found = root_of(&mut g, first, order, 0.15).unwrap();
            // Rounding of 1e-15 moves a zero of order five by a thousandth where it is looked for, which interpolation
            // makes good.
            let close = if order < 5 { 1e-10 } else { 1e-8 };
            assert!((found - 0.013).abs() < close, "{order}: {found}");
        }
        // Two that can be distinguished are simple, each.
        for d in [1e-2, 1e-4, 1e-6] {
            let mut g = |s: f64| Some((s - 0.013) * (s - 0.013 - d) * h(s) + 1e-16 * (1e9 * s).sin());
            assert_eq!(order_of(&mut g, 0.013, 0.015, 1.5e-10), None, "{d}");
        }
    }
}
