//! Tasks, ready to compute.

use crate::plan::analyses::add;
use crate::plan::axis::Grid;
use crate::plan::basins::{BasinsPlan, Starts, plan_basins};
use crate::plan::chart::{ChartPlan, plan_chart};
use crate::plan::entries::NamedSystem;
use crate::plan::family::{FamilyPlan, plan_family};
use crate::plan::lyapunov::{LyapunovPlan, plan_lyapunov};
use crate::plan::orbit_diagram::{OrbitDiagramPlan, plan_orbit_diagram};
use crate::plan::referable::Referable;
use crate::plan::twins::{TwinsPlan, plan_twins};
use crate::spec::task::TaskSpec;
use crate::text::complaint::Complaint;
use slipstick_report::figure::Known;

/// One task, ready to compute.
///
/// ```
/// use slipstick_study::{self as study, TaskPlan};
/// let text = r#"Study(
///     title: "Chaos",
///     system: Map(states: ["x"], parameters: {"r": 4}, equations: ["x+ = r*x*(1 - x)"]),
///     tasks: [Chart(name: "windows", over: {"r": Linear(3.5, 4, 50)})],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// assert!(matches!(&plan.tasks[0], TaskPlan::Chart(chart) if chart.grid.len() == 50));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub enum TaskPlan {
    /// Lyapunov exponents.
    Lyapunov(LyapunovPlan),
    /// The points of motions on a section, over a parameter.
    OrbitDiagram(OrbitDiagramPlan),
    /// Basins of attraction.
    Basins(BasinsPlan),
    /// What attracts, over several parameters.
    Chart(ChartPlan),
    /// A family of curves.
    Family(FamilyPlan),
    /// Curves of a system and of its regularisations.
    Twins(TwinsPlan),
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
        TaskSpec::OrbitDiagram(spec) => plan_orbit_diagram(spec, path, study, complaints).map(TaskPlan::OrbitDiagram),
        TaskSpec::Basins(spec) => plan_basins(spec, path, study, complaints).map(TaskPlan::Basins),
        TaskSpec::Chart(spec) => plan_chart(spec, path, study, complaints).map(TaskPlan::Chart),
        TaskSpec::Family(spec) => plan_family(spec, path, study, complaints).map(TaskPlan::Family),
        TaskSpec::Twins(spec) => plan_twins(spec, path, study, complaints).map(TaskPlan::Twins),
    }
}

impl TaskPlan {
    /// The tables that it gives, with their number columns, for figures to refer to.
    pub(crate) fn outputs(&self, systems: &[NamedSystem]) -> Vec<(String, Vec<String>)> {
        let states =
            |system: usize| -> Vec<String> { systems[system].system.states.iter().map(|s| s.name.clone()).collect() };
        match self {
            Self::Lyapunov(plan) => plan.outputs(&systems[plan.system].system),
            Self::OrbitDiagram(plan) => vec![(plan.sweep.name.clone(), plan.columns(&states(plan.sweep.system)))],
            Self::Basins(plan) => plan.outputs(&states(plan.sweep.system)),
            Self::Chart(plan) => plan.outputs(&states(plan.sweep.system)),
            Self::Family(plan) => plan.outputs(),
            Self::Twins(plan) => plan.outputs(),
        }
    }

    /// Tell figures of cells and of families what it goes over.
    pub(crate) fn announce_grid(&self, known: &mut Known) {
        let names = |grid: &Grid| grid.axes.iter().map(|axis| axis.name.clone()).collect();
        match self {
            Self::Chart(plan) => {
                known.charts.insert(plan.sweep.name.clone(), names(&plan.grid));
            }
            Self::Basins(plan) => {
                if let Starts::Grid(grid) = &plan.starts {
                    known.basins.insert(plan.sweep.name.clone(), names(grid));
                }
            }
            Self::Family(plan) => {
                known.families.insert(plan.name.clone(), names(&plan.grid));
                add(&mut known.family_columns, &plan.columns);
            }
            Self::Twins(plan) => {
                known
                    .families
                    .insert(plan.family.name.clone(), names(&plan.family.grid));
                add(&mut known.family_columns, &plan.family.columns);
                let columns = plan.columns.iter().chain([&plan.free]).cloned();
                known.twins.insert(plan.name.clone(), columns.collect());
            }
            Self::Lyapunov(_) | Self::OrbitDiagram(_) => {}
        }
    }

    /// Can a diagram show it as dots?
    pub(crate) fn is_diagram(&self) -> bool {
        matches!(self, Self::OrbitDiagram(_) | Self::Chart(_))
    }
}
