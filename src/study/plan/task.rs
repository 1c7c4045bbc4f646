//! Tasks, ready to compute.

use crate::plan::entries::NamedSystem;
use crate::plan::lyapunov::{LyapunovPlan, plan_lyapunov};
use crate::spec::curve::CurveSpec;
use crate::spec::task::TaskSpec;
use crate::text::complaint::Complaint;
use std::path::Path;

/// One task, ready to compute.
#[derive(Clone)]
#[non_exhaustive]
pub enum TaskPlan {
    /// Lyapunov exponents.
    Lyapunov(LyapunovPlan),
}

/// What the plan of a task may refer to.
pub(crate) struct Referable<'a> {
    /// The systems of the study.
    pub(crate) systems: &'a [NamedSystem],
    /// Its curves.
    pub(crate) curves: &'a [CurveSpec],
    /// Values from outside.
    pub(crate) overrides: &'a [(String, f64)],
    /// The folder of the study.
    pub(crate) folder: &'a Path,
}

/// Resolve and check one entry of `tasks`.
pub(crate) fn plan_task(
    spec: &TaskSpec,
    path: &str,
    study: &Referable<'_>,
    complaints: &mut Vec<Complaint>,
) -> Option<TaskPlan> {
    match spec {
        TaskSpec::Lyapunov(spec) => plan_lyapunov(spec, path, study, complaints).map(TaskPlan::Lyapunov),
    }
}

impl TaskPlan {
    /// The tables that it gives, with their number columns, for figures to refer to.
    pub(crate) fn outputs(&self, systems: &[NamedSystem]) -> Vec<(String, Vec<String>)> {
        match self {
            Self::Lyapunov(plan) => plan.outputs(&systems[plan.system].system),
        }
    }
}
