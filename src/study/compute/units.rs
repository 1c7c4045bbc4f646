//! States, simulations and trajectories in the units that a system is expressed in, and back.

use crate::plan::entries::SimulationPlan;
use crate::results::trajectory::TrajectoryResult;
use slipstick_system::System;

/// States of a mode in the units of the system.
pub(crate) fn states_in(x: &[f64], mode: usize, system: &System) -> Vec<f64> {
    let own = &system.modes[mode].states;
    x.iter().zip(own).map(|(x, &s)| x / system.units.state(s)).collect()
}

/// Multiply all states of a system by their units.
pub(crate) fn all_in_own(x: &mut [f64], system: &System) {
    for (i, x) in x.iter_mut().enumerate() {
        *x *= system.units.state(i);
    }
}

/// A simulation in the units of the system.
pub(crate) fn simulation_in(simulation: &SimulationPlan, system: &System) -> SimulationPlan {
    let mut expressed = simulation.clone();
    expressed.from = states_in(&simulation.from, simulation.mode, system);
    expressed.every /= system.units.time;
    expressed.options.t_end /= system.units.time;
    expressed
}

/// A trajectory found in the units of the system, in those of the study.
pub(crate) fn trajectory_in_own(trajectory: &mut TrajectoryResult, system: &System) {
    for row in &mut trajectory.rows {
        row.t *= system.units.time;
        all_in_own(&mut row.states, system);
    }
    for (t, _) in &mut trajectory.nonunique {
        *t *= system.units.time;
    }
}
