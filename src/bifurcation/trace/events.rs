//! What changes sign from one point of a curve to the next, and where.

use super::super::homoclinic::parameter_noise;
use super::super::interpolate::{MOST_TURN, interpolated_root};
use super::super::{Column, End, Label, Level, Rank, Record, TestSpec, TraceOptions};
use super::continuum::is_still;
use super::kernel::is_confirmed;
use super::one_way::{Event, OneWay, ZERO_TEST};
use super::turning::Turning;
use slipstick_continuation::{Failure, Newton, NewtonOptions, Point};
use slipstick_numerics::number::exact;
use slipstick_numerics::roots::bracketed_root;
use std::convert::Infallible;

/// Where the parameter changes by less than this part of its size from one cycle to the next, as in a canard explosion,
/// the sign of its rate is rounding, and the multiplier that passes +1 tells where the curve turns.
const FLAT: f64 = 1e-10;

/// How the message of a branch point begins at which no multiplier passes.
pub(crate) const TURNS_BACK: &str = "branch point at which the branch turns back in";

/// The lower or upper end of an interval.
fn bound(pair: &(Level, Level), upper: bool) -> &Level {
    if upper { &pair.1 } else { &pair.0 }
}

/// Does the parameter stay the same from one point to the next, to this part of its size, or to rounding? The sign of
/// its rate means little then.
fn is_flat(base: &Point, next: &Point, part: f64) -> bool {
    stands_still(base, next, part, 10.0)
}

/// The same, with what it may seem to move within the step, by its rates at the ends, in units of that.
fn stands_still(base: &Point, next: &Point, part: f64, within: f64) -> bool {
    const ROUNDING: f64 = 4.0 * f64::EPSILON;
    let size = base.weights.last().map_or(0.0, |w| w.sqrt().recip());
    let (change, h) = ((next.parameter() - base.parameter()).abs(), base.distance(next));
    let rate = base.parameter_rate().abs().max(next.parameter_rate().abs());
    let least = (part * size).max(ROUNDING * next.parameter().abs());
    change <= least && rate * h <= within * least
}

/// Do both parameters stand still at a point of a two-parameter curve beside what they do next to it, and one of them
/// turn back, as at a cusp? Where only one stands still, the curve turns sharply, which depends on the units; where
/// none turns back, the rates are rounding.
fn turns_about(at: &Point, beside: [&Point; 2]) -> bool {
    /// As a part of the rate next to it; location leaves far less.
    const STILL: f64 = 1e-2;
    /// Next to a cusp parameters change by the square of the distance, but for such a factor.
    const SQUARE: f64 = 10.0;
    /// And for such a part of the change on the longer side.
    const NOISE: f64 = 1e-3;
    let n = at.tangent.len();
    let stands_still = (n - 2..n).all(|i| {
        let usual = beside.map(|point| point.tangent[i].abs());
        at.tangent[i].abs() <= STILL * usual[0].max(usual[1])
    });
    let [before, behind] = beside.map(|point| point.distance(at));
    let nearer = (before.min(behind) / before.max(behind)).powi(2);
    let turns_back = (n - 2..n).any(|i| {
        let [a, b] = beside.map(|point| point.z[i] - at.z[i]);
        let (near, far) = if before <= behind { (a, b) } else { (b, a) };
        far != 0.0 && near * far >= 0.0 && near.abs() <= (SQUARE * nearer).max(NOISE) * far.abs()
    });
    stands_still && turns_back
}

impl OneWay<'_> {
    /// What changes sign between the base point and the next, two points of a `step`: whether the parameter stands
    /// still shows over the whole of it only.
    pub(super) fn events(
        &mut self,
        from: (&Point, &Record),
        to: (&Point, &Record),
        step: (&Point, &Point),
        options: &TraceOptions,
    ) -> Vec<Event> {
        let ((base, before), (next, record)) = (from, to);
        let mut events = vec![];
        let on_continuum = self.continuum.is_some() || self.left_continuum.is_some();
        let mut still = on_continuum || is_still((step.0, before), (step.1, record));
        // The tests for branch points and folds use the sign of the parameter's rate, which conditioning spoils before
        // the parameter itself.
        let mut flat = is_flat(step.0, step.1, FLAT) || self.is_blurred(step.0, step.1);
        let crosses = self.tests.iter().position(|test| test.at_folds);
        let mut turns = base.parameter_rate() * next.parameter_rate() < 0.0;
        let passes = record.distance_from_one() * before.distance_from_one() < 0.0;
        let mut turning = Turning::ByRates;
        if let Some(i) = crosses
            && (turns || passes || before.tests[i] * record.tests[i] < 0.0)
            && !on_continuum
        {
            // Where it turns back half-way it has the same value at both ends.
            still = still && self.turning(step.0, step.1) != Turning::Turns;
            if !(still || flat) {
                turning = self.turning(base, next);
            }
            if turning != Turning::ByRates {
                flat = turning == Turning::StandsStill;
                turns = turning == Turning::Turns;
            }
        }
        if self.folds && !still {
            if crosses.is_some() && (flat || turning == Turning::Turns && passes) {
                if passes {
                    events.push(Event::FlatFold);
                }
            } else if turns && !is_flat(step.0, step.1, 1e-12) {
                events.push(Event::Fold);
            }
        }
        for (i, (a, b)) in before.tests.iter().zip(&record.tests).enumerate() {
            let branch_point = self.tests[i].label == Label::BP;
            let known_at_start = self.steps == 0 && !branch_point && a.abs() <= ZERO_TEST;
            let nothing = match self.tests[i].label {
                Label::BP => {
                    let by_errors = match turning {
                        Turning::Turns => passes,
                        Turning::GoesOn => !passes,
                        Turning::ByRates | Turning::StandsStill => false,
                    };
                    self.family || still || flat || by_errors
                }
                Label::HB | Label::NS => self.meets_neutral(before, record),
                _ => false,
            };
            if a * b < 0.0 && !known_at_start && !nothing {
                events.push(Event::Test(i));
            }
        }
        for (i, l) in options.levels.iter().enumerate() {
            let (a, b) = (l.column.of(before) - l.value, l.column.of(record) - l.value);
            let still = (self.family || self.continuum.is_some()) && l.column == Column::Parameter(self.parameter);
            if (a * b < 0.0 || b == 0.0) && a.abs() > l.rounding(base, before, self.parameter) && !still {
                events.push(Event::Level(i));
            }
        }
        for (i, (&a, &b)) in before.inequalities.iter().zip(&record.inequalities).enumerate() {
            if b < 0.0 && a >= 0.0 && !self.is_instant(before, record, i) {
                events.push(Event::Boundary(i));
            }
        }
        for end in [options.range.0, options.range.1] {
            let (a, b) = (base.parameter() - end, next.parameter() - end);
            if (a * b < 0.0 || (b == 0.0 && a != 0.0)) && !self.family {
                events.push(Event::RangeEnd(end));
            }
        }
        for (i, pair) in options.within.iter().enumerate() {
            for upper in [false, true] {
                let b = bound(pair, upper);
                let sign = if upper { 1.0 } else { -1.0 };
                let (x, y) = (
                    sign * (b.column.of(before) - b.value),
                    sign * (b.column.of(record) - b.value),
                );
                if x <= 0.0 && y > 0.0 {
                    events.push(Event::Bound(i, upper));
                }
            }
        }
        events
    }

    /// Does the parameter change by no more than its errors on coarse meshes? On which side of +1 a multiplier lies is
    /// one of errors then.
    pub(super) fn is_blurred(&self, base: &Point, next: &Point) -> bool {
        /// Rates are derivatives of what is known to that error, over steps that are short beside the curve.
        const RATES: f64 = 100.0;
        let noise = parameter_noise(self.curve.problem_ref().discretisation_error());
        noise > FLAT && stands_still(base, next, noise, RATES)
    }

    /// Are two pairs or more neutral in this interval, or become so together, that were not where the curve began, as
    /// behind a quadruple that has come to the axis; or is one neutral at both ends, as where a damping vanishes beside
    /// a growing forcing? The sign of their test function is one of rounding.
    fn meets_neutral(&self, before: &Record, record: &Record) -> bool {
        let problem = self.curve.problem_ref();
        let [a, b] = [before, record].map(|record| problem.neutral(record));
        a.or(b).pairs > self.neutral.pairs + 1 || a.and(b).pairs > self.neutral.pairs
    }

    /// The bounds that the start lies outside of, in words.
    pub(super) fn outside_bounds(&self, options: &TraceOptions) -> Option<String> {
        let (point, record) = &self.last;
        let outside = options.within.iter().filter(|(low, high)| {
            let v = low.column.of(record);
            let slack = |level: &Level| level.rounding(point, record, self.parameter);
            v < low.value - slack(low) || v > high.value + slack(high)
        });
        let said: Vec<String> = outside
            .map(|(low, high)| {
                let (a, b) = (low.value * low.unit, high.value * high.unit);
                format!(
                    "the start lies outside the interval of {}, {a} to {b}; the interval applies from the first point inside it",
                    low.name
                )
            })
            .collect();
        (!said.is_empty()).then(|| said.join("; "))
    }

    /// Does the first step, to `next`, lead out of the bounds from a start that lies on one of them?
    pub(super) fn leaves_bounds_at_once(&self, next: &Record, options: &TraceOptions) -> bool {
        let (point, start) = &self.last;
        options.within.iter().any(|pair| {
            [false, true].into_iter().any(|upper| {
                let b = bound(pair, upper);
                let sign = if upper { 1.0 } else { -1.0 };
                let slack = b.rounding(point, start, self.parameter);
                let beyond = |record: &Record| sign * (b.column.of(record) - b.value);
                beyond(start).abs() <= slack && beyond(next) > slack
            })
        })
    }

    /// The point where an event happens between two neighbours, with its arclength from the first and its measurements.
    pub(super) fn locate(
        &mut self,
        (base, before): (&Point, &Record),
        (next, record): (&Point, &Record),
        event: &Event,
        options: &TraceOptions,
    ) -> Result<Option<(f64, Point, Record)>, Failure> {
        let h = base.arclength_to(next);
        let level = match event {
            Event::RangeEnd(v) => Some((Column::Parameter(self.parameter), *v)),
            Event::Level(i) => Some((options.levels[*i].column, options.levels[*i].value)),
            Event::Bound(i, upper) => {
                let bound = bound(&options.within[*i], *upper);
                Some((bound.column, bound.value))
            }
            _ => None,
        };
        if let Some((Column::Parameter(parameter), level)) = level
            && let Some(back) = self.place_of(parameter)
            && let Some(hit) = self.at_level(base, next, (back, level))?
        {
            return Ok(Some(hit));
        }
        let value = |point: &Point, record: &Record| match event {
            Event::Fold => point.parameter_rate(),
            Event::FlatFold => record.distance_from_one(),
            Event::Test(i) | Event::Touch(i) | Event::PitchforkBranch(i) | Event::Multiple(i, _) => record.tests[*i],
            Event::Together { exponent, .. } => record.exponents().nth(*exponent).map_or(f64::NAN, |v| v.re),
            Event::Level(i) => options.levels[*i].column.of(record) - options.levels[*i].value,
            Event::Boundary(i) => record.inequalities[*i],
            Event::RangeEnd(v) => point.parameter() - v,
            Event::Bound(i, upper) => {
                let bound = bound(&options.within[*i], *upper);
                bound.column.of(record) - bound.value
            }
        };
        let border = match event {
            Event::RangeEnd(end) => Some(*end),
            _ => None,
        };
        let (ga, gb) = (value(base, before), value(next, record));
        if ga == 0.0 {
            // A point in between, or the last one, may lie just on a boundary; a curve that begins on one leaves it.
            let inside = self.steps > 0 || self.curve.base().distance(base) > 0.0;
            let here = || (0.0, base.clone(), before.clone());
            return Ok((inside && matches!(event, Event::Boundary(_))).then(here));
        }
        if let Event::Test(i) = event
            && self.tests[*i].label == Label::BP
        {
            return self.crossing_at(*i, base, next, (ga, gb));
        }
        let mut best: Option<(f64, f64, Point, Record)> = None;
        let mut scratch = Record::default();
        let doubts = self.may_step_back();
        let curve = &mut self.curve;
        // Folds and parameters are known from the point alone.
        let measures = !matches!(event, Event::Fold | Event::RangeEnd(_));
        // On meshes rounding weighs more, and points are dear: the search ends where it comes to rest on a value that
        // is zero to rounding.
        let dear = base.meshes.is_some();
        let resolution = if dear { 1e-10 } else { 1e-12 };
        let zero = if dear { 1e-12 * ga.abs().max(gb.abs()) } else { 0.0 };
        let mut last = f64::INFINITY;
        let found = bracketed_root(0.0, ga, h, gb, resolution * h, |s| {
            let at = curve.between(base, s)?;
            if measures {
                curve.problem().inspect(&at, &mut scratch)?;
            }
            let g = value(&at, &scratch);
            if best.as_ref().is_none_or(|b| g.abs() <= b.1.abs() || b.1.is_nan()) {
                best = Some((s, g, at, scratch.clone()));
            }
            let rests = (s - last).abs() <= 1e-6 * h;
            last = s;
            Ok::<_, Failure>(if rests && g.abs() <= zero { 0.0 } else { g })
        });
        let curve = &mut self.curve;
        let same_curve = best.as_ref().is_none_or(|b| base.turn_to(&b.2) <= MOST_TURN);
        let s = match found {
            Ok(s) if same_curve => s,
            // Else the place is found between points on both sides. Newton may also have gone over to the other curve.
            _ => {
                let Some((s, at, measured)) = interpolated_root(curve, (base, ga), (next, gb), h, doubts, &value)?
                else {
                    self.left = true;
                    return Ok(None);
                };
                let left = value(&at, &measured).abs();
                let zero = self.is_zero(event, left, ga, gb, &measured)
                    && self.is_confirmed(event, (&at, &measured), [base, next]);
                return Ok(zero.then_some((s, at, measured)));
            }
        };
        let Some((nearest, left, mut at, mut measured)) = best else {
            return Ok(None);
        };
        if !measures {
            at = curve.between(base, nearest)?;
            // Where the equations cannot be solved at the border itself, as next to a branch point, it is met all the
            // same.
            if let (Some(end), Some(last)) = (border, at.z.last_mut()) {
                *last = end;
            }
            curve.problem().inspect(&at, &mut measured)?;
        }
        if let Event::Boundary(i) = event
            && self.jumps_at(*i, base, s, (ga, h))?
        {
            self.jumps = Some(*i);
            return Ok(None);
        }
        let zero = self.is_zero(event, left.abs(), ga, gb, &measured)
            && self.is_confirmed(event, (&at, &measured), [base, next]);
        Ok(zero.then_some((s, at, measured)))
    }

    /// Does an inequality, of this value at `base`, pass zero by a jump at the arclength `s` of a step of length `h`?
    /// Just before it has not fallen then.
    fn jumps_at(&mut self, inequality: usize, base: &Point, s: f64, (value, h): (f64, f64)) -> Result<bool, Failure> {
        /// As part of the step; and what is left there of a value that falls to zero, though it be as a root.
        const BEFORE: f64 = 1e-6;
        const LEFT: f64 = 0.1;
        // The duration of a segment is one of the unknowns.
        if self.inequalities[inequality].rank == Rank::Duration {
            return Ok(false);
        }
        let at = self.curve.between(base, (s - BEFORE * h).max(0.0))?;
        let mut record = Record::default();
        self.curve.problem().inspect(&at, &mut record)?;
        Ok(record.inequalities[inequality] > LEFT * value)
    }

    /// Does a second method find what an event claims to happen `at` a point between its neighbours?
    pub(super) fn is_confirmed(&mut self, event: &Event, at: (&Point, &Record), beside: [&Point; 2]) -> bool {
        match event {
            Event::Test(i) if self.tests[*i].label == Label::CP => turns_about(at.0, beside),
            Event::Test(i) | Event::Touch(i) => is_confirmed(self.curve.problem(), self.tests[*i].label, at, beside),
            _ => true,
        }
    }

    /// A coefficient of points at rest, or of a map, changes its sign at the arclength `s`: is that a pole of it?
    /// Towards a pole it grows. Next to one rounding makes a zero of it, and any value is small beside what it comes
    /// to.
    pub(super) fn is_pole(&mut self, event: &Event, from: (&Point, &Record), to: (&Point, &Record), s: f64) -> bool {
        /// So near to the place, as parts of the way from both ends.
        const BESIDE: f64 = 0.9;
        let Event::Test(test) = *event else { return false };
        let of_coefficient = matches!(self.tests[test].label, Label::GH | Label::GPD | Label::CH);
        if !of_coefficient || self.folds || from.0.meshes.is_some() {
            return false;
        }
        let h = from.0.arclength_to(to.0);
        let mut record = Record::default();
        let mut grows = |end: &Record, at: f64| {
            let Ok(point) = self.curve.between(from.0, at) else {
                return true;
            };
            let measured = self.curve.problem().inspect(&point, &mut record);
            measured.is_err() || !(record.tests[test].abs() < end.tests[test].abs())
        };
        // Just at an end there is nothing beside it on that side.
        let (before, after) = (
            s > 0.0 && grows(from.1, BESIDE * s),
            s < h && grows(to.1, h - BESIDE * (h - s)),
        );
        before || after
    }

    /// Is what was located a zero? A jump of a test function, between `ga` and `gb`, is none.
    pub(super) fn is_zero(&mut self, event: &Event, left: f64, ga: f64, gb: f64, measured: &Record) -> bool {
        match event {
            Event::Test(i) => {
                /// Values beyond so many times what is zero have a sign that is more than rounding.
                const DECIDED: f64 = 1e3;
                let decided = ga.abs().min(gb.abs()) > DECIDED * ZERO_TEST;
                let rounding = if decided { ZERO_TEST } else { 0.0 };
                // The speed along a curve never jumps; next to a sharp cusp it is hardly more than rounding.
                let small = if self.tests[*i].label == Label::CP {
                    0.1 * ga.abs().min(gb.abs())
                } else {
                    (1e-4 * ga.abs().max(gb.abs())).max(rounding)
                };
                left <= small && self.curve.problem().confirm(*i, measured)
            }
            // It is continuous.
            Event::Together { .. } => left <= 1e-4 * ga.abs().max(gb.abs()),
            _ => true,
        }
    }

    /// How far from the last unknown a parameter stands among the unknowns, if it is a free one.
    fn place_of(&self, parameter: usize) -> Option<usize> {
        let mut free = self.curve.problem_ref().free_parameters().iter().rev();
        free.position(|known| *known == parameter)
    }

    /// The point between `base` and `next` at a given value of the parameter, by Newton at fixed parameter.
    pub(super) fn at_parameter(
        &mut self,
        base: &Point,
        next: &Point,
        level: f64,
    ) -> Result<Option<(f64, Point, Record)>, Failure> {
        self.at_level(base, next, (0, level))
    }

    /// The same at a given value of a free parameter, which stands so far from the last unknown.
    fn at_level(
        &mut self,
        base: &Point,
        next: &Point,
        (back, level): (usize, f64),
    ) -> Result<Option<(f64, Point, Record)>, Failure> {
        // Where the cubic between the two points meets the level.
        let n = base.z.len();
        let place = n - 1 - back;
        let (a, b, length) = (base.z[place], next.z[place], base.arclength_to(next));
        let fraction = bracketed_root(0.0, a - level, 1.0, b - level, 1e-9, |u| {
            Ok::<_, Infallible>(base.cubic_of(next, u * length, place) - level)
        });
        let mut z = base.cubic(next, length * fraction.unwrap_or((level - a) / (b - a)).clamp(0.0, 1.0));
        let mut row = vec![0.0; n];
        row[place] = 1.0;
        let anchor = vec![0.0; n];
        z[place] = level;
        let options = NewtonOptions {
            polish: true,
            ..self.curve.options().newton
        };
        let mut newton = Newton::default();
        if newton
            .solve(self.curve.problem(), &mut z, &row, &anchor, &[level], &options)
            .is_err()
        {
            return Ok(None);
        }
        z[place] = level;
        // Oriented like the curve: the base tangent decides.
        let border: Vec<f64> = base.tangent.iter().zip(&base.weights).map(|(t, w)| t * w).collect();
        let Ok(at) = slipstick_continuation::tangent_at(self.curve.problem(), z, &border, 1.0) else {
            return Ok(None);
        };
        let s = base.arclength_to(&at);
        if !(s >= -1e-9 * length && s <= length * (1.0 + 1e-9)) || base.distance(&at) > 2.0 * base.distance(next) {
            return Ok(None);
        }
        let mut record = Record::default();
        self.curve.problem().inspect(&at, &mut record)?;
        Ok(Some((s, at, record)))
    }

    /// Label, message and (for terminal events) the end that an event stands for.
    pub(super) fn name(&self, event: &Event, record: &Record, options: &TraceOptions) -> (Label, String, Option<End>) {
        match event {
            Event::Fold | Event::FlatFold => (Label::LP, self.fold_meaning.clone(), None),
            Event::Test(i) => (self.tests[*i].label, self.tests[*i].meaning.clone(), None),
            Event::Touch(i) if !record.eigenvalues.is_empty() => (
                self.tests[*i].label,
                format!(
                    "{}; the test function reaches zero and keeps its sign: eigenvalues turn back here, or several pass together or in opposite directions",
                    self.tests[*i].meaning
                ),
                None,
            ),
            Event::Touch(i) => (
                self.tests[*i].label,
                format!(
                    "{}; the multiplier reaches this value without crossing it. Possible reasons: a continuum of orbits at one value of {}, or two multipliers that reach it together",
                    self.tests[*i].meaning, self.parameter_name
                ),
                None,
            ),
            Event::PitchforkBranch(i) => (
                self.tests[*i].label,
                format!(
                    "{TURNS_BACK} {}: it intersects another branch here, as at the pitchfork on a branch of symmetric solutions",
                    self.parameter_name
                ),
                None,
            ),
            Event::Multiple(i, order) => (
                self.tests[*i].label,
                format!(
                    "{}; multiple: the test function has a zero of order {order}. Possible reasons: {order} other curves intersect this one, or so many branch points are too close to be separated",
                    self.tests[*i].meaning
                ),
                None,
            ),
            Event::Together { test, count, .. } => {
                let TestSpec { label, meaning, .. } = &self.tests[*test];
                let passing = if record.eigenvalues.is_empty() {
                    "multipliers pass the unit circle"
                } else {
                    "eigenvalues pass the imaginary axis"
                };
                let unknown = match label {
                    Label::BP | Label::HB => "",
                    Label::NS => ": which tori branch off, and how stable they are, was not determined",
                    _ => ": which periodic orbits branch off, and how stable they are, was not determined",
                };
                let message = format!("{meaning}; {count} {passing} together{unknown}");
                (*label, message, None)
            }
            Event::Level(i) => {
                let l = &options.levels[*i];
                (Label::UZ, l.reported(), None)
            }
            Event::Boundary(i) => {
                let inequality = self.says_best(*i, record);
                let spec = &self.inequalities[inequality];
                (
                    spec.label,
                    spec.meaning.clone(),
                    Some(End::Boundary {
                        inequality,
                        label: spec.label,
                        meaning: spec.meaning.clone(),
                    }),
                )
            }
            Event::Bound(i, upper) => {
                let b = bound(&options.within[*i], *upper);
                (
                    Label::EP,
                    format!("end of the range, {}", b.reported()),
                    Some(End::Range),
                )
            }
            Event::RangeEnd(v) if self.limit_at(*v).is_some() => {
                let meaning = self.limit_at(*v).unwrap_or_default();
                (Label::EP, meaning.clone(), Some(End::Limit { meaning }))
            }
            Event::RangeEnd(v) => (
                Label::EP,
                format!("end of the range, {} = {}", self.parameter_name, exact(*v)),
                Some(End::Range),
            ),
        }
    }
}
