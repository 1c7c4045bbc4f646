//! The parameters that the entries of a study begin with, and some that they pass: what is true where they begin, as
//! that a field repeats after a period, need not be true on the way.

use crate::plan::attractors::AttractorsPlan;
use crate::plan::entries::{CurvePlan, SimulationPlan, StartPlan};
use crate::plan::locus::LocusPlan;
use crate::plan::task::TaskPlan;
use slipstick_bifurcation::Column;
use slipstick_report::explore::rounded;
use slipstick_system::System;

/// Parts of the way from one end to the other, at which no ratio is simple.
const PARTS: [f64; 3] = [0.137, 0.589, 0.923];

/// Parameters of a system.
pub(crate) struct Passed {
    pub(crate) parameters: Vec<f64>,
    /// What is varied and its value there, and the entry that does so; none where one begins.
    by: Option<(String, String)>,
}

impl Passed {
    /// Those that an entry begins with.
    pub(crate) fn beginning(parameters: Vec<f64>) -> Self {
        Self { parameters, by: None }
    }

    /// Are they between those that the study names?
    pub(crate) fn is_on_the_way(&self) -> bool {
        self.by.is_some()
    }

    /// Where that is, to follow what is said of it.
    pub(crate) fn said(&self) -> String {
        match &self.by {
            Some((at, entry)) => format!(" (at {at}, which `{entry}` comes to)"),
            None => String::new(),
        }
    }
}

/// Parameters between the ends of what is varied.
fn between(
    system: &System,
    parameters: &[f64],
    varied: &[(usize, (f64, f64))],
    entry: &str,
) -> impl Iterator<Item = Passed> {
    let of_part = move |part: f64| {
        let mut own = parameters.to_vec();
        let mut at = vec![];
        for &(index, (low, high)) in varied {
            own[index] = low + part * (high - low);
            at.push(format!(
                "{} = {}",
                system.parameters[index].name,
                rounded(own[index], 6)
            ));
        }
        Passed {
            parameters: own,
            by: Some((at.join(", "), entry.to_owned())),
        }
    };
    let all: Vec<Passed> = PARTS.into_iter().map(of_part).collect();
    all.into_iter()
        .filter(|passed| system.check_requirements(&passed.parameters).is_ok())
}

/// What a curve begins with: of one that starts at a point of another, with what it changes there.
fn start_of(curve: &CurvePlan) -> Vec<f64> {
    let mut parameters = curve.parameters.clone();
    if let StartPlan::Point { given, .. } | StartPlan::Auto { given, .. } = &curve.start {
        given.iter().for_each(|&(index, value)| parameters[index] = value);
    }
    parameters
}

/// What the entries about system `k` begin with.
pub(crate) fn begun(
    k: usize,
    curves: &[CurvePlan],
    simulations: &[SimulationPlan],
    (attractors, tasks): (&[AttractorsPlan], &[TaskPlan]),
) -> Vec<Passed> {
    let of_curves = curves.iter().filter(|c| c.system == k).map(start_of);
    let of_simulations = simulations
        .iter()
        .filter(|s| s.system == k)
        .map(|s| s.parameters.clone());
    let of_sweeps = attractors
        .iter()
        .filter(|a| a.system == k)
        .map(|a| a.parameters.clone());
    let of_tasks = tasks.iter().filter_map(|task| {
        let (system, parameters) = match task {
            TaskPlan::Lyapunov(plan) => (plan.system, &plan.parameters),
            TaskPlan::OrbitDiagram(plan) => (plan.sweep.system, &plan.sweep.parameters),
            TaskPlan::Basins(plan) => (plan.sweep.system, &plan.sweep.parameters),
            TaskPlan::Chart(plan) => (plan.sweep.system, &plan.sweep.parameters),
            // Theirs are the curves of studies of their own.
            TaskPlan::Family(_) | TaskPlan::Twins(_) => return None,
        };
        (system == k).then(|| parameters.clone())
    });
    let all = of_curves.chain(of_simulations).chain(of_sweeps).chain(of_tasks);
    all.map(Passed::beginning).collect()
}

/// What the curves, loci, sweeps and tasks about system `k` pass.
pub(crate) fn on_the_way(
    (k, system): (usize, &System),
    (curves, loci): (&[CurvePlan], &[LocusPlan]),
    attractors: &[AttractorsPlan],
    tasks: &[TaskPlan],
) -> Vec<Passed> {
    let mut all = vec![];
    for curve in curves.iter().filter(|c| c.system == k) {
        let varied = [(curve.free, curve.trace.range)];
        all.extend(between(system, &start_of(curve), &varied, &curve.name));
    }
    for locus in loci.iter().filter(|l| l.system == k) {
        let second = Column::Parameter(locus.free.1);
        let Some((low, high)) = locus.trace.within.iter().rev().find(|(low, _)| low.column == second) else {
            continue;
        };
        let varied = [
            (locus.free.0, locus.trace.range),
            (locus.free.1, (low.value, high.value)),
        ];
        all.extend(between(system, &start_of(&curves[locus.from]), &varied, &locus.name));
    }
    let ends = |values: &[f64]| Some((*values.first()?, *values.last()?));
    let mut sweep = |sweep: &AttractorsPlan, varied: &[(usize, (f64, f64))]| {
        if sweep.system == k {
            all.extend(between(system, &sweep.parameters, varied, &sweep.name));
        }
    };
    for own in attractors {
        let varied: Vec<_> = ends(&own.values).map(|ends| (own.sweep, ends)).into_iter().collect();
        sweep(own, &varied);
    }
    for task in tasks {
        match task {
            TaskPlan::Chart(chart) => {
                let varied: Vec<_> = chart.grid.axes.iter().map(|axis| (axis.index, axis.ends())).collect();
                sweep(&chart.sweep, &varied);
            }
            TaskPlan::OrbitDiagram(diagram) => {
                sweep(&diagram.sweep, &[(diagram.over.index, diagram.over.ends())]);
            }
            TaskPlan::Lyapunov(_) | TaskPlan::Basins(_) | TaskPlan::Family(_) | TaskPlan::Twins(_) => {}
        }
    }
    all
}
