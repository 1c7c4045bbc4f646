//! Where a trace begins: at a guess or at a known point, in one direction or in both.

use super::logbook::Logbook;
use super::prune::{prune, prune_birth};
use super::trace::{OneWay, recall};
use super::{Branch, BranchPoint, Column, End, Inspect, InspectedCurve, Label, TraceOptions};
use slipstick_continuation::{Curve, Failure, ParameterScale, Point};
use slipstick_numerics::number::exact;
use slipstick_numerics::stop::unless_stopped;

/// Traces a curve of zeros of a problem and labels what happens on it.
///
/// The curve begins at a guess ([`Tracer::from_guess`]), at one of its points in both directions ([`Tracer::through`]),
/// or at a point along its tangent ([`Tracer::onward`]). A [`Logbook`] given before sees each point, may end the trace,
/// and may know a part of the curve from an earlier attempt: what it knows is not computed again, and the rest comes
/// out to the last bit as if the trace had never been interrupted.
///
/// # Errors
/// Each of the three fails with [`Failure`] where the start does not converge or cannot be measured. Whatever happens
/// later ends the curve with a reason.
///
/// ```
/// use slipstick_bifurcation::{BranchPoint, Label, TraceOptions, Tracer};
/// use slipstick_orbit::FixedPoint;
/// use slipstick_study as study;
/// let text = r#"Study(title: "fold", system: Smooth(states: ["x"], parameters: {"a": 1}, equations: ["x' = a - x^2"]))"#;
/// let plan = study::parse("fold.ron".as_ref(), text.into())?.plan(&[])?;
/// let mut rest = FixedPoint::equilibrium(&plan.systems[0].system, 0, vec![1.0], vec![0]);
/// let options = TraceOptions::over((-1.0, 2.0));
/// let mut seen = 0;
/// // The guess x = 0.9 at a = 1 is corrected first.
/// let branch = Tracer::new(&mut rest, &options)
///     .logged(&mut |_: &BranchPoint| {
///         seen += 1;
///         true
///     })
///     .from_guess(vec![0.9, 1.0])?;
/// assert_eq!(seen, branch.points.len());
/// assert_eq!(branch.special().filter(|(_, p)| p.label == Some(Label::LP)).count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Tracer<'a> {
    problem: &'a mut dyn Inspect,
    options: &'a TraceOptions,
    log: Option<&'a mut dyn Logbook>,
    folds_too: bool,
}

impl<'a> Tracer<'a> {
    /// A tracer that keeps no log.
    pub fn new(problem: &'a mut dyn Inspect, options: &'a TraceOptions) -> Self {
        Self {
            problem,
            options,
            log: None,
            folds_too: false,
        }
    }

    /// The log that sees each point; a closure that says whether to go on is one.
    #[must_use]
    pub fn logged(mut self, log: &'a mut dyn Logbook) -> Self {
        self.log = Some(log);
        self
    }

    /// A guess may be a fold of the curve exactly, where no correction at the given parameter is possible.
    #[must_use]
    pub fn at_folds_too(mut self) -> Self {
        self.folds_too = true;
        self
    }

    /// The curve through what the guess is corrected to at the given parameter, in the directions that the options
    /// name: +1 for growing parameter.
    ///
    /// # Errors
    /// See [`Tracer`].
    pub fn from_guess(self, guess: Vec<f64>) -> Result<Branch, Failure> {
        both_ways(
            self.problem,
            &Begin::Guess {
                guess,
                folds_too: self.folds_too,
            },
            self.options,
            self.log.unwrap_or(&mut silent()),
        )
    }

    /// The curve through a known point, in the directions that the options name: +1 for along its tangent. For curves
    /// that may be vertical in their parameter where they start.
    ///
    /// # Errors
    /// See [`Tracer`].
    pub fn through(self, point: &Point) -> Result<Branch, Failure> {
        both_ways(
            self.problem,
            &Begin::Point(point.clone()),
            self.options,
            self.log.unwrap_or(&mut silent()),
        )
    }

    /// The curve from a known point along its tangent, in that direction only.
    ///
    /// # Errors
    /// See [`Tracer`].
    pub fn onward(self, point: Point) -> Result<Branch, Failure> {
        one_way(self.problem, point, self.options, self.log.unwrap_or(&mut silent()))
    }
}

/// The log of a trace that goes on to its end.
fn silent() -> impl FnMut(&BranchPoint) -> bool {
    |_| true
}

/// What a curve begins with.
enum Begin {
    /// A guess, to be corrected at fixed parameter; directions are those of the parameter.
    Guess { guess: Vec<f64>, folds_too: bool },
    /// A point of the curve; directions are along its tangent and against it.
    Point(Point),
}

impl Begin {
    fn set_off<'p>(
        &self,
        problem: &'p mut dyn Inspect,
        direction: f64,
        options: &TraceOptions,
    ) -> Result<InspectedCurve<'p>, Failure> {
        match self {
            Self::Guess { guess: z, folds_too } => {
                problem.set_off(z);
                let scales = parameter_scales(problem, z, options);
                problem.set_scales(z, &scales);
                if *folds_too {
                    Curve::start_at_fold_too(problem, z.clone(), direction, options.steps)
                } else {
                    Curve::start(problem, z.clone(), direction, options.steps)
                }
            }
            Self::Point(point) => {
                let mut point = point.clone();
                point.tangent.iter_mut().for_each(|t| *t *= direction);
                problem.set_off(&point.z);
                let scales = parameter_scales(problem, &point.z, options);
                problem.set_scales(&point.z, &scales);
                let mut residual = vec![0.0; problem.unknowns() - problem.free()];
                problem.linearise(&point.z, &mut residual)?;
                Ok(Curve::resume(problem, point, options.steps))
            }
        }
    }
}

/// How the free parameters are measured along a curve that sets off from `z`: the continuation parameter by its range,
/// and others by the bounds that they have.
fn parameter_scales(problem: &dyn Inspect, z: &[f64], options: &TraceOptions) -> Vec<ParameterScale> {
    let free = problem.free_parameters();
    let values = &z[z.len() - free.len()..];
    let scale = |(k, &value): (usize, &f64)| {
        if k + 1 == free.len() {
            return ParameterScale::over(options.range, value);
        }
        let mut bounds = options.within.iter();
        let own = bounds.find(|(low, _)| low.column == Column::Parameter(free[k]));
        own.map_or_else(ParameterScale::default, |(low, high)| {
            ParameterScale::over((low.value, high.value), value)
        })
    };
    values.iter().enumerate().map(scale).collect()
}

/// Trace in each direction.
fn both_ways(
    problem: &mut dyn Inspect,
    begin: &Begin,
    options: &TraceOptions,
    log: &mut dyn Logbook,
) -> Result<Branch, Failure> {
    let mut points: Vec<BranchPoint> = vec![];
    let mut ends = vec![];
    let mut start_index = 0;
    let mut closed = false;
    let meshes = problem.meshes();
    for (k, &direction) in options.directions.iter().enumerate() {
        if closed || ends.contains(&End::Stopped) {
            break;
        }
        let mut past = log.past(k);
        let (mut found, end) = match past.end.take() {
            Some(end) => {
                recall(problem, &past.points);
                (past.points, end)
            }
            None => {
                problem.restore(&meshes);
                let mut found = vec![];
                // At a fold rounding decides which way the parameter grows: the second way is the other one.
                let fold = points.first().filter(|_| begins_at_fold(&points));
                let turned = fold.map(|start| Begin::Point(start.point.clone()));
                let (begin, direction) = turned.as_ref().map_or((begin, direction), |begin| (begin, -1.0));
                let outcome = unless_stopped(|| {
                    let mut way = begin.set_off(problem, direction, options).and_then(OneWay::on)?;
                    found = way.take_up(past);
                    // The start belongs to the first direction.
                    if k == 0 && found.is_empty() {
                        found.push(way.enter_start(options, k, log));
                    }
                    Ok(way.run(options, &mut found, k, log))
                });
                match outcome {
                    Some(Ok(end)) => (found, end),
                    Some(Err(e)) if k == 0 => return Err(e),
                    // What the first direction found stays.
                    Some(Err(e)) => (vec![], End::Failed(e.to_string())),
                    None => (found, End::Stopped),
                }
            }
        };
        if k == 0 {
            if end == End::Range && found.len() == 1 {
                let border = at_the_border(problem, &mut found[0]);
                found.extend(border);
            }
            points.append(&mut found);
            closed = end == End::Closed;
            ends.push(end);
        } else {
            if end == End::Range
                && found.is_empty()
                && let Some(start) = points.first_mut()
            {
                found.extend(at_the_border(problem, start));
            }
            // The second half runs backwards: reverse it and put it in front, tangents turned along the whole curve.
            start_index = found.len();
            for p in &mut found {
                p.point.tangent.iter_mut().for_each(|t| *t = -*t);
            }
            found.reverse();
            found.append(&mut points);
            points = found;
            ends.insert(0, end);
        }
    }
    label_fold_at(problem, &mut points, start_index);
    prune(problem, &mut points, &ends);
    Ok(Branch {
        points,
        ends,
        start: start_index,
    })
}

/// How far the parameter has changed from one point to another; changes of rounding are none.
fn change_of_parameter(from: &BranchPoint, to: &BranchPoint) -> f64 {
    /// Up to this, in the parameter's own scale.
    const ROUNDING: f64 = 1e-12;
    let scale = from.point.weights.last().map_or(1.0, |weight| weight.sqrt());
    let change = to.point.parameter() - from.point.parameter();
    if change.abs() * scale > ROUNDING { change } else { 0.0 }
}

/// Does the parameter stand still at the first of these points, and not along all of them?
fn begins_at_fold(points: &[BranchPoint]) -> bool {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return false;
    };
    first.point.stays_at_parameter() && change_of_parameter(first, last) != 0.0
}

/// Label the point where a curve begins as a fold, if its parameter stands still there exactly and turns back: neither
/// direction passes it. Along two parameters a turn of the first one is none.
fn label_fold_at(problem: &mut dyn Inspect, points: &mut [BranchPoint], start: usize) {
    if problem.two_parameters().is_some() {
        return;
    }
    let (Some(before), Some(after)) = (start.checked_sub(1).and_then(|i| points.get(i)), points.get(start + 1)) else {
        return;
    };
    let at = &points[start];
    let ways = [before, after].map(|next| change_of_parameter(at, next));
    let [before_is_fold, after_is_fold] = [before, after].map(|p| p.label == Some(Label::LP));
    if before_is_fold && after_is_fold && at.point.stays_at_parameter() {
        // Both directions have seen it, by rounding.
        points[start + 1].label = None;
        points[start + 1].message.clear();
        return;
    }
    if before_is_fold
        || after_is_fold
        || at.label.is_some()
        || !at.point.stays_at_parameter()
        || !(ways[0] * ways[1] > 0.0)
    {
        return;
    }
    let names = problem.parameter_names();
    let free = problem.free_parameters().last().and_then(|&i| names.get(i));
    let mut message = problem.fold_meaning(free.map_or("", |name| name));
    let mut residual = vec![0.0; problem.unknowns() - problem.free()];
    if problem.linearise(&at.point.z, &mut residual).is_ok() {
        message += &problem.explain(Label::LP, &at.point, &at.record).unwrap_or_default();
    }
    points[start].label = Some(Label::LP);
    points[start].message = message;
}

/// Label a start from which there is nowhere to go as the end of the range; the same point again if it has a label of
/// its own.
fn at_the_border(problem: &mut dyn Inspect, start: &mut BranchPoint) -> Option<BranchPoint> {
    let names = problem.parameter_names();
    let free = problem.free_parameters().last().and_then(|&i| names.get(i));
    let message = format!(
        "end of the range, {} = {}",
        free.map_or("", |name| name),
        exact(start.point.parameter())
    );
    if start.label.is_some() {
        return Some(BranchPoint {
            label: Some(Label::EP),
            message,
            ..start.clone()
        });
    }
    start.label = Some(Label::EP);
    start.message = message;
    None
}

/// Trace in one direction from a known point.
fn one_way(
    problem: &mut dyn Inspect,
    start: Point,
    options: &TraceOptions,
    log: &mut dyn Logbook,
) -> Result<Branch, Failure> {
    let mut past = log.past(0);
    if let Some(end) = past.end.take() {
        let mut points = past.points;
        let ends = vec![end];
        prune(problem, &mut points, &ends);
        prune_birth(&mut points);
        return Ok(Branch { points, ends, start: 0 });
    }
    let mut points = vec![];
    let outcome = unless_stopped(|| {
        let mut residual = vec![0.0; problem.unknowns() - problem.free()];
        let scales = parameter_scales(problem, &start.z, options);
        problem.set_scales(&start.z, &scales);
        problem.linearise(&start.z, &mut residual)?;
        let curve: InspectedCurve = Curve::resume(problem, start, options.steps);
        let mut way = OneWay::on(curve)?;
        points = way.take_up(past);
        if points.is_empty() {
            points.push(way.enter_start(options, 0, log));
        }
        Ok::<_, Failure>(way.run(options, &mut points, 0, log))
    });
    let end = outcome.unwrap_or(Ok(End::Stopped))?;
    let ends = vec![end];
    prune(problem, &mut points, &ends);
    prune_birth(&mut points);
    Ok(Branch { points, ends, start: 0 })
}
