//! Trajectories, with the futures where they fork.

use crate::compute::error::ComputeError;
use crate::compute::task::{Around, Task};
use crate::compute::units::{simulation_in, trajectory_in_own};
use crate::plan::entries::SimulationPlan;
use crate::plan::study::Plan;
use crate::results::run::RunResult;
use crate::results::trajectory::TrajectoryResult;
use slipstick_flow::measure::{Known, measured_motion};
use slipstick_flow::{Ending, FlowError, Iterates, Sample, Trajectory, simulate};
use slipstick_system::System;

impl Task for SimulationPlan {
    fn name(&self) -> &str {
        &self.name
    }

    fn run(&self, around: &Around<'_>) -> Result<RunResult, ComputeError> {
        let log = around.numbered();
        let work = || {
            log.remember_outcome(0, around.stop, || {
                run_simulation(around.plan, self).map_err(ComputeError::from)
            })
        };
        Ok(RunResult {
            trajectories: around.observed(&self.name, work)??,
            ..RunResult::default()
        })
    }
}

fn run_simulation(plan: &Plan, simulation: &SimulationPlan) -> Result<Vec<TrajectoryResult>, FlowError> {
    let system = &plan.systems[simulation.system].system;
    let p = &simulation.parameters;
    if system.is_map() {
        return iterated(system, simulation).map(|result| vec![result]);
    }
    let known = Known {
        parameters: p.clone(),
        starts: vec![(simulation.mode, simulation.from.clone())],
        period: None,
    };
    let followed = |system: &System, simulation: &SimulationPlan| {
        let trajectory = simulate(system, simulation.mode, &simulation.from, p, &simulation.options)?;
        let mut results = vec![];
        collect_futures(system, simulation, &trajectory, simulation.name.clone(), &mut results)?;
        Ok(results)
    };
    // Those with events are measured where their curves are.
    if !system.is_hybrid()
        && let Some(expressed) = measured_motion(system, &[known])
        && let Ok(mut results) = followed(&expressed, &simulation_in(simulation, &expressed))
    {
        results
            .iter_mut()
            .for_each(|found| trajectory_in_own(found, &expressed));
        return Ok(results);
    }
    followed(system, simulation)
}

/// The iterates of a map, as many as its time; those that leave the finite numbers end it.
fn iterated(system: &System, simulation: &SimulationPlan) -> Result<TrajectoryResult, FlowError> {
    let (mode, p) = (simulation.mode, &simulation.parameters);
    let mut orbit = Iterates::new(system, mode, &simulation.from, p)?;
    let mut rows = vec![];
    let ended = loop {
        let t = orbit.count() as f64;
        if t % simulation.every == 0.0 {
            rows.push(Sample {
                t,
                mode,
                states: system.full_state(mode, orbit.point(), p),
            });
        }
        if t + 1.0 > simulation.options.t_end {
            break format!("reached {t} iterates");
        }
        match orbit.advance() {
            Ok(()) => {}
            Err(why @ FlowError::Escapes { .. }) => break why.to_string(),
            Err(why) => return Err(why),
        }
    };
    Ok(TrajectoryResult {
        name: simulation.name.clone(),
        system: simulation.system,
        parameters: p.clone(),
        rows,
        nonunique: vec![],
        word: system.modes[mode].name.clone(),
        ended,
    })
}

/// The trajectory as a result, followed by its futures where it forks.
fn collect_futures(
    system: &System,
    simulation: &SimulationPlan,
    trajectory: &Trajectory,
    name: String,
    results: &mut Vec<TrajectoryResult>,
) -> Result<(), FlowError> {
    let p = &simulation.parameters;
    results.push(TrajectoryResult {
        name: name.clone(),
        system: simulation.system,
        parameters: p.clone(),
        rows: if simulation.joined {
            trajectory.joined_table(system, p, simulation.every, simulation.options.flow)?
        } else {
            trajectory.table(system, p, simulation.every, simulation.options.flow)?
        },
        nonunique: trajectory.nonunique.iter().map(|n| (n.t, n.choice.clone())).collect(),
        word: trajectory.describe(system),
        ended: match &trajectory.ending {
            Ending::Time => "reached the end time".into(),
            Ending::Events => "reached the allowed number of events".into(),
            Ending::Rest { mode } => format!("ends at rest in mode `{}`", system.modes[*mode].name),
            Ending::Accumulation { message, .. } | Ending::Outside { message } => message.clone(),
            Ending::Fork => "forward non-uniqueness: both continuations are admissible, and both are computed".into(),
        },
    });
    for (future, kind) in trajectory.futures.iter().zip(["stick", "slip"]) {
        collect_futures(system, simulation, future, format!("{name}-{kind}"), results)?;
    }
    Ok(())
}
