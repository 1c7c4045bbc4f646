//! Tracing a curve by one discretisation and, where that loses it, once more by another one.

use crate::compute::error::ComputeError;
use crate::compute::family::Family;
use crate::compute::tracer::{CurveTracer, add_to};
use crate::plan::curve::LARGEST_ON_MESHES;
use slipstick_bifurcation::{Branch, End, TraceOptions, Tracer};
use slipstick_continuation::Point;

/// A curve that covers less of its range than another by this part of it ends earlier.
const LESS: f64 = 1e-3;

/// How much of the range of the parameter a curve covers.
fn covered(branch: &Branch) -> f64 {
    let values = branch.points.iter().map(|p| p.point.parameter());
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    high - low
}

/// What a curve sets off from: a guess, one next to the end of another curve, a solved point both ways along its
/// tangent, or one way.
pub(crate) enum SetOff {
    Guess(Vec<f64>),
    Beside(Vec<f64>),
    Through(Point),
    Onward(Point),
}

impl CurveTracer<'_> {
    /// The options of the curve, with steps as large as they are along curves on meshes.
    pub(crate) fn options_of<F: Family>(&self, problem: &F) -> TraceOptions {
        let mut options = self.curve.trace.clone();
        if problem.meshes().is_some() {
            options.steps.largest = options.steps.largest.max(LARGEST_ON_MESHES);
        }
        options
    }

    /// Trace a curve; where its discretisation loses it and there is another one, once more by that. Its problem comes
    /// with it then.
    pub(crate) fn trace_by_either<F: Family>(
        &self,
        name: &str,
        problem: &mut F,
        from: &SetOff,
        mut options: TraceOptions,
    ) -> Result<(Branch, Option<F>), ComputeError> {
        let mut branch = self.trace(name, problem, |problem, log| {
            let tracer = Tracer::new(problem, &options).logged(log);
            match from {
                SetOff::Guess(z) => tracer.at_folds_too().from_guess(z.clone()),
                SetOff::Beside(z) => tracer.from_guess(z.clone()),
                SetOff::Through(point) => tracer.through(point),
                SetOff::Onward(point) => tracer.onward(point.clone()),
            }
        })?;
        let outgrown = |end: &End| match end {
            End::Outgrown { meaning } => Some(meaning.clone()),
            _ => None,
        };
        let failed = |end: &End| match end {
            End::Failed(why) => Some(why.clone()),
            _ => None,
        };
        let outgrown = branch.ends.iter().find_map(outgrown);
        // What could not be followed for another reason may still be, as motions that run off to infinity just beyond
        // an event: a step that is too long by little ends nowhere.
        let certain = outgrown.is_some();
        let lost = || branch.ends.iter().find_map(failed).filter(|_| branch.points.len() > 1);
        let Some(meaning) = outgrown.or_else(lost) else {
            return Ok((branch, None));
        };
        let begin = match from {
            // The directions of a guess are those of the parameter.
            SetOff::Guess(_) | SetOff::Beside(_) => {
                let mut point = branch.points[branch.start].point.clone();
                let sign = point.parameter_rate().signum();
                point.tangent.iter_mut().for_each(|t| *t *= sign);
                point
            }
            SetOff::Through(point) | SetOff::Onward(point) => point.clone(),
        };
        options.steps.largest = options.steps.largest.max(LARGEST_ON_MESHES);
        let again = match problem.otherwise(self.curve, &begin) {
            Some(Ok((mut other, start))) => self
                .trace(name, &mut other, |other, log| {
                    let tracer = Tracer::new(other, &options).logged(log);
                    match from {
                        SetOff::Onward(_) => tracer.onward(start),
                        _ => tracer.through(&start),
                    }
                })
                .map(|branch| (branch, other)),
            Some(Err(why)) => Err(why),
            None => return Ok((branch, None)),
        };
        let (low, high) = options.range;
        let less = |again: &Branch| {
            let better = certain || !again.ends.iter().any(|end| failed(end).is_some());
            let gain = if better { -LESS } else { LESS };
            covered(again) < covered(&branch) + gain * (high - low)
        };
        let again = match again {
            Ok((again, _)) if less(&again) => Err("it ends earlier".to_owned()),
            again => again.map_err(|why| why.to_string()),
        };
        match again {
            Ok((mut branch, other)) => {
                let said = format!("followed by collocation, since otherwise {meaning}");
                add_to(&mut branch.points[branch.start].message, &said);
                Ok((branch, Some(other)))
            }
            Err(_) if !certain => Ok((branch, None)),
            Err(why) => {
                let lost = branch.points.iter_mut().filter(|p| p.message.ends_with(&meaning));
                lost.for_each(|p| add_to(&mut p.message, &format!("by collocation it was not followed: {why}")));
                Ok((branch, None))
            }
        }
    }
}
