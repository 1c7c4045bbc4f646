//! An analysis of a case study as a task.

use crate::analysis::list::AnalysisSpec;
use crate::analysis::task::Surroundings;
use crate::compute::error::ComputeError;
use crate::compute::task::{Around, Task};
use crate::results::run::RunResult;

impl Task for AnalysisSpec {
    fn name(&self) -> &str {
        self.name()
    }

    fn run(&self, around: &Around<'_>) -> Result<RunResult, ComputeError> {
        let surroundings = Surroundings {
            folder: &around.plan.folder,
            seed: around.plan.seed,
            observer: around.observer,
            stop: around.stop,
        };
        let log = around.numbered();
        let work = || log.remember_outcome(0, around.stop, || self.run(surroundings).map_err(ComputeError::from));
        let mut found = around.observed(self.name(), work)??;
        Ok(RunResult {
            curves: std::mem::take(&mut found.curves),
            analyses: vec![found],
            ..RunResult::default()
        })
    }
}
