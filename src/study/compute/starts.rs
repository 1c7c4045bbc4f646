//! Find the starts of a curve, and trace it from each.

use crate::checkpoint::log::EntryLog;
use crate::compute::error::ComputeError;
use crate::compute::large_starts::follow_large;
use crate::compute::orbit_starts::follow_orbits;
use crate::compute::point_starts::follow_points;
use crate::compute::task::{Around, Needs, Task};
use crate::compute::tracer::CurveTracer;
use crate::plan::entries::CurvePlan;
use crate::plan::object::Object;
use crate::results::curve::CurveResult;
use crate::results::run::{Missing, RunResult};
use slipstick_numerics::stop::unless_stopped;

impl Task for CurvePlan {
    fn name(&self) -> &str {
        &self.name
    }

    fn needs(&self) -> Needs {
        self.after().map_or(Needs::Nothing, Needs::Curve)
    }

    fn run(&self, around: &Around<'_>) -> Result<RunResult, ComputeError> {
        around.observer.curve_begins(&self.name);
        let log = around.log("");
        let work = || run_curve(self, around, &log);
        let (curves, untraced) = around.stop.until(work).unwrap_or(Err(ComputeError::CutShort))?;
        if curves.is_empty() {
            return Err(ComputeError::StoppedBeforeStart);
        }
        Ok(RunResult {
            curves,
            missing: untraced
                .into_iter()
                .map(|reason| Missing::part_of(&self.name, reason))
                .collect(),
            ..RunResult::default()
        })
    }
}

/// All curves of one entry of the study, with the branches that were not traced, or why there are none.
fn run_curve(
    curve: &CurvePlan,
    around: &Around<'_>,
    log: &EntryLog<'_>,
) -> Result<(Vec<CurveResult>, Vec<String>), ComputeError> {
    let (plan, earlier) = (around.plan, &around.curves);
    let mut tracer = CurveTracer::new(curve, around.observer, around.stop, log);
    let outcome = unless_stopped(|| match &curve.object {
        Object::Orbit(word) => match curve.large {
            Some(options) => follow_large(plan, (curve, options), earlier, &mut tracer),
            None => follow_orbits(plan, curve, word, earlier, &mut tracer),
        },
        Object::Equilibrium { .. } | Object::Cycle { .. } => follow_points(plan, curve, earlier, &mut tracer),
    });
    // What is stopped keeps the curves that there are.
    outcome.unwrap_or(Ok(()))?;
    let untraced = std::mem::take(&mut tracer.untraced);
    Ok((tracer.results()?, untraced))
}
