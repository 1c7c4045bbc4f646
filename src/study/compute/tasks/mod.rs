//! The tasks of a study: `tasks: [...]`, each in a file of its own.

pub(crate) mod basins;
pub(crate) mod borders;
pub(crate) mod chart;
mod comparison;
pub(crate) mod family;
pub(crate) mod lyapunov;
pub(crate) mod orbit_diagram;
pub(crate) mod orbits;
mod places;
mod rows;
pub(crate) mod twins;

use crate::compute::error::ComputeError;
use crate::compute::task::{Around, Needs, Task};
use crate::plan::task::TaskPlan;
use crate::results::run::RunResult;
use std::ops::Range;

impl TaskPlan {
    fn inner(&self) -> &dyn Task {
        match self {
            Self::Lyapunov(plan) => plan,
            Self::OrbitDiagram(plan) => plan,
            Self::Basins(plan) => plan,
            Self::Chart(plan) => plan,
            Self::Family(plan) => plan,
            Self::Twins(plan) => plan,
        }
    }
}

impl Task for TaskPlan {
    fn name(&self) -> &str {
        self.inner().name()
    }

    fn needs(&self) -> Needs {
        self.inner().needs()
    }

    fn parts_need(&self) -> Needs {
        self.inner().parts_need()
    }

    fn parts(&self) -> Vec<Range<usize>> {
        self.inner().parts()
    }

    fn run(&self, around: &Around<'_>) -> Result<RunResult, ComputeError> {
        self.inner().run(around)
    }
}
