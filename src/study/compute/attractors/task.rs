//! A sweep as a task: what it finds, and curves through what no curve shows.

use crate::compute::attractors::sweep::run_attractors;
use crate::compute::attractors::trace::trace_missing;
use crate::compute::error::ComputeError;
use crate::compute::task::{Around, Needs, Task};
use crate::plan::attractors::AttractorsPlan;
use crate::results::run::RunResult;
use std::ops::Range;

impl Task for AttractorsPlan {
    fn name(&self) -> &str {
        &self.name
    }

    fn needs(&self) -> Needs {
        Needs::AllBefore
    }

    fn parts(&self) -> Vec<Range<usize>> {
        (0..self.values.len()).map(|k| k..k + 1).collect()
    }

    fn run(&self, around: &Around<'_>) -> Result<RunResult, ComputeError> {
        let Around {
            plan, observer, stop, ..
        } = *around;
        let mut found = run_attractors(around, self)?;
        let mut curves = vec![];
        if self.trace {
            let log = around.log("-traced");
            // What is stopped keeps the curves that there are.
            let _ = stop.until(|| trace_missing(plan, self, &mut found, &mut curves, observer, stop, &log));
        }
        Ok(RunResult {
            curves,
            attractors: vec![found],
            ..RunResult::default()
        })
    }
}
