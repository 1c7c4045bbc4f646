//! What was found in a system in other units of its states and of time, in the units that it was written in.
//!
//! With a unit `U_i` of each state and `T` of time, times are multiplied by `T` and states by their units. `f_y` is a
//! rate; the desingularised time is a time over such a rate, so that its eigenvalues are squares of rates.

use super::fibres::FibreReturn;
use super::folded::{FoldedBranch, FoldedSingularity};
use super::folds::FoldLine;
use super::manifold::{ManifoldMesh, ManifoldPoint};
use super::maximal_canard::MaximalCanard;
use super::outcome::Outcome;
use super::problem::SlowFastProblem;
use super::reduced_flow::ReducedPoint;
use super::singular_canard::SingularCanard;
use super::singular_cycle::SingularCycle;
use super::slow_cycle::SlowCycle;
use super::slow_manifold::ManifoldOrbit;
use slipstick_system::System;

/// The units of a slow–fast mode.
#[doc(hidden)]
pub struct OwnUnits {
    /// Of the mode's states.
    states: Vec<f64>,
    fast: usize,
    time: f64,
}

/// The length of a slow direction.
fn length(v: impl Iterator<Item = f64>) -> f64 {
    v.map(|v| v * v).sum::<f64>().sqrt()
}

impl OwnUnits {
    /// Those that the system of a problem is expressed in.
    pub fn of(problem: &SlowFastProblem) -> Self {
        let system: &System = problem.system();
        Self {
            states: system.units_of_mode(problem.mode_index()),
            fast: problem.fast(),
            time: system.units.time,
        }
    }
    /// The unit of the mode's state `i`.
    pub fn of_state(&self, i: usize) -> f64 {
        self.states[i]
    }
    /// The unit of time.
    pub fn of_time(&self) -> f64 {
        self.time
    }
    /// States of the mode.
    pub fn state(&self, x: &mut [f64]) {
        x.iter_mut().zip(&self.states).for_each(|(x, unit)| *x *= unit);
    }
    /// A point of the critical manifold.
    pub fn point(&self, at: &mut ManifoldPoint) {
        self.state(&mut at.state);
        at.slope /= self.time;
    }
    /// A mesh of it.
    pub fn mesh(&self, mesh: &mut ManifoldMesh) {
        for axis in &mut mesh.axes {
            axis.from *= self.states[axis.state];
            axis.to *= self.states[axis.state];
        }
        mesh.nodes.iter_mut().flatten().for_each(|at| self.point(at));
    }
    /// A fold line.
    pub fn line(&self, line: &mut FoldLine) {
        line.points.iter_mut().for_each(|x| self.state(x));
    }
    /// A point of the reduced flow.
    pub fn reduced(&self, at: &mut ReducedPoint) {
        at.time *= self.time;
        self.state(&mut at.state);
        at.slope /= self.time;
        at.sigma *= self.time * self.time;
    }
    /// A folded singularity; eigenvectors are of length one in these units.
    pub fn singularity(&self, at: &mut FoldedSingularity) {
        let rate = (self.time * self.time).recip();
        self.state(&mut at.state);
        at.eigenvalues.iter_mut().for_each(|l| *l *= rate);
        at.invariants.0 *= rate;
        at.invariants.1 *= rate * rate;
        for v in &mut at.eigenvectors {
            v.iter_mut().zip(&self.states).for_each(|(v, unit)| *v *= *unit);
            let norm = length(v.iter().map(|v| v.norm()));
            v.iter_mut().for_each(|v| *v /= norm);
        }
    }
    /// Folded singularities over a parameter.
    pub fn branch(&self, branch: &mut FoldedBranch) {
        branch.points.iter_mut().for_each(|(_, at)| self.singularity(at));
        branch
            .transitions
            .iter_mut()
            .for_each(|(_, _, at)| self.singularity(at));
    }
    /// A singular canard.
    pub fn canard(&self, canard: &mut SingularCanard) {
        self.singularity(&mut canard.through);
        canard.points.iter_mut().for_each(|at| self.reduced(at));
    }
    /// An orbit on a slow manifold.
    pub fn orbit(&self, orbit: &mut ManifoldOrbit) {
        for at in &mut orbit.points {
            at.time *= self.time;
            self.state(&mut at.state);
        }
    }
    /// The unit of lengths along a slow direction.
    pub fn along(&self, direction: &[f64]) -> f64 {
        length(direction.iter().zip(&self.states).map(|(v, unit)| v * unit))
    }
    /// A maximal canard. What is left between its two orbits is at most what is said.
    pub fn maximal(&self, canard: &mut MaximalCanard) {
        for at in &mut canard.points {
            at.time *= self.time;
            self.state(&mut at.state);
        }
        self.state(&mut canard.crossing);
        let lengths = canard.across.each_ref().map(|across| self.along(across));
        let fast = self.states[self.fast];
        for (shift, unit) in canard.shifts.iter_mut().zip(lengths) {
            *shift *= unit;
        }
        canard.slopes.iter_mut().for_each(|slope| *slope *= fast / lengths[2]);
        canard.mismatch *= fast.max(lengths[2]);
        canard.followed *= self.time;
        for (across, unit) in canard.across.iter_mut().zip(lengths) {
            self.state(across);
            across.iter_mut().for_each(|v| *v /= unit);
        }
    }
    /// A point of a curve in which a manifold cuts the section of a maximal canard, with the slow direction there.
    pub fn cut(&self, at: &mut [f64; 2], across: &[f64]) {
        at[0] *= self.along(across);
        at[1] *= self.states[self.fast];
    }
    /// What becomes of a point.
    pub fn outcome(&self, outcome: &mut Outcome) {
        if let Outcome::Jumps(time) = outcome {
            *time *= self.time;
        }
    }
    /// The return of a fast fibre.
    pub fn fibre(&self, fibre: &mut FibreReturn) {
        self.reduced(&mut fibre.launch);
        fibre
            .segments
            .iter_mut()
            .for_each(|(_, duration)| *duration *= self.time);
        self.point(&mut fibre.landing);
        self.state(&mut fibre.tangent);
        fibre.tangent.iter_mut().for_each(|v| *v /= self.time);
    }
    /// A singular cycle of `own`, the problem in these units; the angle between its curves is the one in these states.
    pub fn cycle(&self, cycle: &mut SingularCycle, own: &SlowFastProblem, symmetric: bool) {
        self.fibre(&mut cycle.jump);
        self.reduced(&mut cycle.arrival);
        cycle.slow_time *= self.time;
        cycle.duration *= self.time;
        let (_, tangent) = own.mirrored(&cycle.jump.landing.state, &cycle.jump.tangent, symmetric);
        cycle.transversality = own.transversality(&tangent, &own.local(&cycle.arrival.state).slow);
    }
    /// A cycle on a slow manifold.
    pub fn slow_cycle(&self, cycle: &mut SlowCycle) {
        self.state(&mut cycle.start);
        cycle.period *= self.time;
        cycle.centre *= self.states[cycle.drifting];
    }
}
