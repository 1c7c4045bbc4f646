//! How a walk ends other than at the end of its range.

use super::super::homoclinic::{Law, Limit, Standstill, long_enough, words};
use super::super::{BranchPoint, End, InequalitySpec, Label, Logbook, Record, Rest, TraceOptions};
use super::continuum::size_of_parameter;
use super::hidden::NOISE;
use super::one_way::OneWay;
use super::vanished::is_rounding;
use super::vanishing;
use slipstick_continuation::Point;
use slipstick_numerics::number::exact;

/// The part of the period that an orbit must spend near equilibria to count as one that comes to rest.
const RESTING: f64 = 1.0 / 3.0;

/// Does an orbit come to rest in the way that goes with the law by which its period grows: at equilibria, or where two
/// of them are about to appear?
fn fits(rest: &Rest, limit: Option<Limit>) -> bool {
    let ghost = limit.is_some_and(|l| matches!(l.law, Law::InverseSquare { .. }));
    rest.share >= RESTING && rest.places.is_empty() == ghost
}

/// So many of the last points tell how parameters change as cycles shrink.
const NEIGHBOURS: usize = 12;

/// What a smooth function of the squares of the extents of cycles tends to as these vanish, from its values at points,
/// the last one first, and by how much that may be off. It is extrapolated from the last three, or from two, unless
/// that leads further away than the change along the others lets the last one be from the limit: the extents of cycles
/// that hardly differ say nothing.
fn limit_of(known: &[(f64, f64)]) -> (f64, f64) {
    /// Points count whose squares are so many times that of the last one.
    const LARGER: f64 = 4.0;
    const SLACK: f64 = 2.0;
    let Some(&(square, last)) = known.first() else {
        return (f64::NAN, 0.0);
    };
    let larger = known.iter().filter(|(own, _)| *own > LARGER * square);
    let mut slopes: Vec<f64> = larger.map(|(own, v)| ((v - last) / (own - square)).abs()).collect();
    slopes.sort_by(f64::total_cmp);
    let slope = slopes.get(slopes.len() / 2).copied().unwrap_or(f64::INFINITY);
    let extrapolated = |count: usize| -> f64 {
        let squares: Vec<f64> = known[..count].iter().map(|w| w.0).collect();
        let weights = slipstick_numerics::tableau::quadrature::lagrange(&squares, 0.0);
        weights.iter().zip(known).map(|(l, w)| l * w.1).sum()
    };
    let near = |limit: &f64| (limit - last).abs() <= SLACK * slope * square;
    match (2..=known.len().min(3)).rev().map(extrapolated).find(near) {
        Some(limit) => (limit, 0.0),
        None => (last, SLACK * slope * square),
    }
}

impl OneWay<'_> {
    /// The end of a two-parameter curve of cycles that have shrunk to less than this part `within` of what they were,
    /// if they shrink to an equilibrium. The parameters there are smooth functions of the square of the cycles' extent,
    /// and extrapolated.
    pub(super) fn shrunk(&mut self, found: &mut [BranchPoint], within: f64) -> Option<End> {
        if !self.curve.problem().two_parameters()?.may_shrink() {
            return None;
        }
        let extremes = |r: &Record| -> Vec<f64> { self.extremes.iter().map(|&i| r.monitors[i]).collect() };
        let first = extremes(&self.begin_record);
        let part = |r: &Record| {
            let now = extremes(r);
            let parts = now
                .chunks_exact(3)
                .zip(first.chunks_exact(3))
                .map(|(a, b)| (a[1] - a[2]) / (b[1] - b[2]));
            parts.filter(|p| p.is_finite()).fold(0.0, f64::max)
        };
        let last = found
            .last()
            .filter(|p| p.label.is_none() && part(&p.record) <= within)?;
        let (label, mut meaning) = self.curve.problem().two_parameters()?.shrunk(&last.point)?;
        let unlabelled: Vec<(f64, &Record)> = found
            .iter()
            .rev()
            .filter(|p| p.label.is_none())
            .take(NEIGHBOURS)
            .map(|p| (part(&p.record).powi(2), &p.record))
            .collect();
        let problem = self.curve.problem_ref();
        let names = problem.parameter_names();
        let limits = problem.free_parameters().iter().rev().map(|&i| {
            let known: Vec<(f64, f64)> = unlabelled.iter().map(|w| (w.0, w.1.parameters[i])).collect();
            let (limit, error) = limit_of(&known);
            // To as many digits as they are good for.
            let scale = self.begin_record.parameters[i]
                .abs()
                .max(limit.abs())
                .max(f64::MIN_POSITIVE);
            let good = if error > 0.0 {
                -error.log10().ceil()
            } else {
                f64::INFINITY
            };
            let digits = (6.0 - scale.log10().floor()).min(good).clamp(0.0, 16.0) as usize;
            let unit = 10f64.powi(digits as i32);
            format!("{} = {:.digits$}", names[i], (limit * unit).round() / unit + 0.0)
        });
        meaning.push_str(&format!("; in the limit {}", limits.collect::<Vec<_>>().join(", ")));
        if let Some(last) = found.last_mut() {
            last.label = Some(label);
            last.message.clone_from(&meaning);
        }
        Some(End::Shrunk { meaning })
    }

    /// By which factor orbits have grown since the parameter was a little away from where it is, and what that says;
    /// none where it never was.
    pub(super) fn grown(&self, here: &Point, record: &Record, found: &[BranchPoint]) -> Option<(f64, String)> {
        /// As a part of the size of the parameter.
        const LITTLE: f64 = 1e-4;
        /// A step is of the size of the orbit.
        const STEP: f64 = 10.0;
        let little = LITTLE * size_of_parameter(here);
        let away = |p: &BranchPoint| (p.point.parameter() - here.parameter()).abs() > little;
        let last_away = found.iter().rposition(away)?;
        let now = self.largest_extreme(record);
        let mut before = now;
        for point in found[last_away..].iter().rev() {
            let own = self.largest_extreme(&point.record);
            // What leaves zero, or what is rounding there, does so at once.
            if before > STEP * own {
                return None;
            }
            before = own;
        }
        let factor = now / before;
        let said = format!(
            "the orbits grow without bound (by a factor of {factor:.1e} while {name} changed by less than {little:.1e}) as {name} tends to {:.9}",
            here.parameter(),
            name = self.parameter_name,
        );
        factor.is_finite().then_some((factor, said))
    }

    /// The end of a family that runs off to infinity.
    pub(super) fn runs_off(
        &mut self,
        next: &Point,
        record: &Record,
        found: &mut Vec<BranchPoint>,
        direction: usize,
        log: &mut dyn Logbook,
    ) -> Option<End> {
        /// Sizes of states beyond this, relative to those at the start (or to one), are out of any bounds.
        const FAR: f64 = 1e8;
        /// And so are orbits that have grown by this factor while the parameter hardly changed.
        const AWAY: f64 = 1e6;
        let meaning = match self.grown(next, record, found) {
            Some((factor, said)) if factor > AWAY => said,
            _ => {
                let begin = self.begin.clone();
                let domain = self.curve.problem_ref().domain()?;
                let extent = domain.extent(next)?;
                let first = domain.extent(&begin)?.max(1.0);
                if extent <= FAR * first {
                    return None;
                }
                format!(
                    "the states tend to infinity (they have grown by a factor of {:.1e}) as {} tends to {:.6}",
                    extent / first,
                    self.parameter_name,
                    next.parameter()
                )
            }
        };
        let last = BranchPoint {
            point: next.clone(),
            record: record.clone(),
            label: Some(Label::EP),
            message: meaning.clone(),
        };
        log.point(direction, &last, None);
        found.push(last);
        Some(End::Unbounded { meaning })
    }

    /// The end of a family whose period grows without bound, if this is one: nothing but the period changes any more,
    /// or what is left of the way of the parameter to its limit is known and short and the orbit spends its time at
    /// equilibria.
    pub(super) fn endless(
        &mut self,
        found: &mut [BranchPoint],
        here: &Point,
        (at_rest, standstill): (bool, &Standstill),
        options: &TraceOptions,
    ) -> Option<End> {
        /// What may be left of the way of the parameter, relative to its size.
        const LEFT: f64 = 1e-7;
        /// How well a limit is known, relative to the range.
        const ERROR: f64 = 1e-8;
        if !self.lasts {
            return None;
        }
        let limit = standstill.limit().filter(|l| l.is_known(LEFT));
        if !at_rest && limit.is_none() {
            return None;
        }
        // What becomes ever slower with the parameter can be followed as near to the limit as the range asks for,
        // unless it holds the limit itself.
        if let Some(Limit {
            value,
            law: Law::Inverse { .. },
            ..
        }) = limit
        {
            let (low, high) = options.range;
            let error = ERROR * (high - low);
            let reaches = low - error <= value && value <= high + error;
            return reaches.then(|| self.end_at_rest(found, limit, None, ""));
        }
        let rest = self.rest(here).filter(|r| fits(r, limit));
        if !at_rest && rest.is_none() {
            return None;
        }
        Some(self.end_at_rest(found, limit, rest.as_ref(), ""))
    }

    /// The same where the tracer gave up: orbits that come close to equilibria are at the mercy of rounding, the
    /// earlier the faster they leave them.
    pub(super) fn lost_at_rest(
        &mut self,
        found: &mut [BranchPoint],
        standstill: &Standstill,
        options: &TraceOptions,
        why: &str,
    ) -> Option<End> {
        const LEFT: f64 = 1e-4;
        const GROWTH: f64 = 2.0;
        if !self.lasts {
            return None;
        }
        let last = self.last.0.clone();
        let long = standstill.growth() >= GROWTH && long_enough(&self.last.1, options);
        let limit = standstill.limit().filter(|l| long && l.is_known(LEFT))?;
        let rest = self.rest(&last).filter(|r| fits(r, Some(limit)))?;
        Some(self.end_at_rest(
            found,
            Some(limit),
            Some(&rest),
            &format!(". It could not be continued: {why}"),
        ))
    }

    /// Label the last point reached as the end of a family whose period grows without bound.
    pub(super) fn end_at_rest(
        &self,
        found: &mut [BranchPoint],
        limit: Option<Limit>,
        rest: Option<&Rest>,
        more: &str,
    ) -> End {
        let period = found.last().map_or(f64::INFINITY, |last| last.record.period);
        let reported = period * self.time_unit;
        let meaning = words(&self.parameter_name, limit, reported, rest) + more;
        if let Some(last) = found.last_mut() {
            last.label = Some(Label::EP);
            last.message.clone_from(&meaning);
        }
        End::Homoclinic { period, meaning }
    }

    /// The end of a curve that hardly gets on: so many steps on end, the last one of length `h` from `base`, were short
    /// next to the largest ones, by the arclength and by the parameter.
    pub(super) fn creeps(&mut self, found: &mut [BranchPoint], base: &Point, h: f64) -> Option<End> {
        const SHORT: f64 = 1e-5;
        const MOST: usize = 500;
        let options = self.curve.options();
        let moved = (self.last.0.parameter() - base.parameter()).abs();
        let short = h <= SHORT * options.largest && moved <= SHORT * options.largest_parameter;
        self.short_steps = if short { self.short_steps + 1 } else { 0 };
        let why = || {
            format!("{MOST} successive steps were shorter than {SHORT:e} of the largest step allowed, without progress")
        };
        (self.short_steps >= MOST).then(|| self.fail(found, why()))
    }

    /// Is a test for branch points that was not before no more than rounding at the last point?
    fn singular_near(&self, found: &[BranchPoint]) -> bool {
        let (here, record) = &self.last;
        let crossings = self.tests.iter().enumerate().filter(|(_, t)| t.label == Label::BP);
        here.meshes.is_none()
            && crossings.map(|(i, _)| i).any(|i| {
                let value = |record: &Record| record.tests.get(i).map_or(f64::NAN, |v| v.abs());
                is_rounding(record, i, found) && found.iter().any(|p| value(&p.record) > NOISE)
            })
    }

    /// The end of a curve whose discretisation cannot tell its solutions any more, where another one can. This is
    /// looked at every few steps, since it costs as much as a step.
    pub(super) fn outgrows(&mut self, found: &mut [BranchPoint]) -> Option<End> {
        const STEPS: usize = 16;
        if !self.steps.is_multiple_of(STEPS) {
            return None;
        }
        let meaning = self.curve.problem_ref().domain()?.outgrown(&self.last.0)?;
        Some(self.end_outgrown(found, meaning))
    }

    /// The end of a curve of solutions of which the unknowns do not tell a part. This is looked at where it begins, and
    /// every few steps.
    pub(super) fn is_lost_in_rounding(&mut self, found: &mut [BranchPoint]) -> Option<End> {
        const STEPS: usize = 16;
        if !self.steps.is_multiple_of(STEPS) {
            return None;
        }
        let lost = self.curve.problem_ref().domain()?.lost_in_rounding(&self.last.0)?;
        Some(self.fail(found, lost))
    }

    /// The end of a curve of orbits that come to a zero of a denominator, where they change without bounds in ever
    /// shorter times. This is looked at every few steps.
    pub(super) fn comes_to_pole(&mut self, found: &mut [BranchPoint]) -> Option<End> {
        const STEPS: usize = 8;
        if !self.steps.is_multiple_of(STEPS) {
            return None;
        }
        let pole = self.curve.problem_ref().domain()?.pole_near(&self.last.0)?;
        Some(self.fail(
            found,
            format!("it comes to the {pole}, where the equations are not defined"),
        ))
    }

    fn end_outgrown(&self, found: &mut [BranchPoint], meaning: String) -> End {
        if let Some(last) = found.last_mut()
            && last.label.is_none()
        {
            last.label = Some(Label::MX);
            last.message = format!("the curve could not be continued beyond this point: {meaning}");
        }
        End::Outgrown { meaning }
    }

    /// The end of the curve where no step succeeds: what its last points lead to, or where the tracer gave up.
    pub(super) fn give_up(
        &mut self,
        found: &mut Vec<BranchPoint>,
        (standstill, options): (&Standstill, &TraceOptions),
        why: String,
        direction: usize,
        log: &mut dyn Logbook,
    ) -> End {
        /// Cycles along two parameters that are smaller than this part of what they were at the start have shrunk.
        const SMALL: f64 = 0.05;
        let end = self.ends_at_limit(found);
        let end = end.or_else(|| self.lost_at_rest(found, standstill, options, &why));
        let end = end.or_else(|| self.shrunk(found, SMALL));
        let end = end.or_else(|| self.recurs_at_last(found));
        let end = end.or_else(|| self.touch_at_end(found));
        let end = end.or_else(|| self.lost_small(found, options, direction, log));
        let end = end.or_else(|| {
            let vanished = self.segment_vanishes(found, options, vanishing::GIVEN_UP)?;
            Some(self.last_in_one_mode(found).unwrap_or(vanished))
        });
        let end = end.or_else(|| self.ends_in_rounding(found, options, direction, log));
        let end = end.or_else(|| self.end_in_continuum(found, direction, log));
        end.unwrap_or_else(|| self.fail(found, why))
    }

    /// Label the last point reached as the place where the tracer gave up, or as the end next to which a requirement on
    /// the parameters ceases to hold.
    pub(super) fn fail(&mut self, found: &mut [BranchPoint], why: String) -> End {
        /// Orbits that have grown by this factor while the parameter hardly changed are lost for their size.
        const LARGE: f64 = 1e3;
        let here = self.last.0.clone();
        if let Some(end) = self.ends_at_limit(found) {
            return end;
        }
        // The step that failed may have had other meshes.
        self.curve.problem().restore(&here.meshes);
        let domain = self.curve.problem_ref().domain();
        if let Some(inequality) = domain.and_then(|d| d.corner_reached(&here)) {
            let InequalitySpec { label, meaning, .. } = &self.inequalities[inequality];
            if let Some(last) = found.last_mut()
                && last.label.is_none()
            {
                last.label = Some(*label);
                last.message.clone_from(meaning);
            }
            return End::Boundary {
                inequality,
                label: *label,
                meaning: meaning.clone(),
            };
        }
        let why = match domain.and_then(|d| d.edge_near(&here)) {
            Some(edge) => format!("it ends at the {edge}, beyond which the equations are not defined"),
            None => why,
        };
        if let Some(meaning) = domain.and_then(|d| d.outgrown(&here)) {
            return self.end_outgrown(found, meaning);
        }
        let growth = self
            .grown(&here, &self.last.1, found)
            .filter(|(factor, _)| *factor > LARGE);
        if let Some((_, meaning)) = growth {
            if let Some(last) = found.last_mut() {
                last.label.get_or_insert(Label::EP);
                last.message.clone_from(&meaning);
            }
            return End::Unbounded { meaning };
        }
        let why = match self.singular_near(found) {
            true => format!(
                "{why}; the equations are singular to rounding along the curve here: a branch point at which several curves meet may be near"
            ),
            false => why,
        };
        let why = match domain.and_then(|d| d.digits_lost(&here)) {
            Some(lost) => format!("{why}; {lost}"),
            None => why,
        };
        if let Some(last) = found.last_mut()
            && last.label.is_none()
        {
            last.label = Some(Label::MX);
            last.message = format!("the curve could not be continued beyond this point: {why}");
        }
        End::Failed(why)
    }

    /// The end of a curve next to which a requirement on the parameters ceases to hold.
    pub(super) fn ends_at_limit(&self, found: &mut [BranchPoint]) -> Option<End> {
        let here = &self.last.0;
        let meaning = self.limit_near(here).or_else(|| self.limit_ahead(here))?;
        if let Some(last) = found.last_mut()
            && last.label.is_none()
        {
            last.label = Some(Label::EP);
            last.message.clone_from(&meaning);
        }
        Some(End::Limit { meaning })
    }

    /// The options with a range that ends where requirements on the parameters cease to hold on the way from the start.
    pub(super) fn within_requirements(&mut self, options: &TraceOptions) -> TraceOptions {
        /// As a part of the way to the end of the range.
        const BEYOND: f64 = 1e-6;
        let mut narrowed = options.clone();
        let begin = self.begin.clone();
        let domain = self.curve.problem_ref().domain();
        let (low, high) = options.range;
        let limit = |end: f64| domain.and_then(|d| d.requirement_limit(&begin, end));
        let limits = [low, high].map(limit);
        if let Some((value, _)) = &limits[0] {
            narrowed.range.0 = *value;
        }
        if let Some((value, _)) = &limits[1] {
            narrowed.range.1 = *value;
        }
        // Where the range ends just where a requirement does, equations cannot be solved beyond.
        let at_end = [low, high].map(|end| {
            let (_, name) = limit(end + BEYOND * (end - begin.parameter()))?;
            Some((end, name))
        });
        let ends = limits.into_iter().zip(at_end).map(|(limit, at_end)| limit.or(at_end));
        self.limits = ends.flatten().collect();
        narrowed
    }

    /// The same for a curve in two parameters, on which a requirement is met anywhere.
    fn limit_ahead(&self, here: &Point) -> Option<String> {
        /// As far as steps shorten towards it, in arclength.
        const REACH: f64 = 1e-6;
        let problem = self.curve.problem_ref();
        let (at, name) = problem.domain()?.requirement_ahead(here, REACH)?;
        let names = problem.parameter_names();
        let places = problem.free_parameters().iter().rev();
        let places: Vec<String> = places.map(|&i| format!("{} = {}", names[i], exact(at[i]))).collect();
        let places = places.join(", ");
        Some(format!(
            "the curve ends where the requirement {name} reaches its limit, at {places}"
        ))
    }

    /// What is to be said where the range ends at this value because a requirement does.
    pub(super) fn limit_at(&self, value: f64) -> Option<String> {
        let (at, name) = self.limits.iter().find(|l| l.0 == value)?;
        Some(format!(
            "the curve ends where the requirement {name} reaches its limit, at {} = {}",
            self.parameter_name,
            exact(*at)
        ))
    }

    /// The same where the tracer gave up next to such an end: equations may be singular at the limit itself.
    fn limit_near(&self, here: &Point) -> Option<String> {
        /// Steps shorten towards the limit down to less than this, relative to the size of the parameter.
        const REACH: f64 = 1e-6;
        let size = here.weights.last().map_or(0.0, |w| w.sqrt().recip());
        let near = self
            .limits
            .iter()
            .find(|l| (l.0 - here.parameter()).abs() <= REACH * size)?;
        self.limit_at(near.0)
    }
}
