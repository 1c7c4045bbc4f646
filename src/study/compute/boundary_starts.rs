//! Cycles that are born at a boundary equilibrium, to start curves with.
//!
//! Next to such a point the motion is the same at all distances, up to a scale. A motion that sets off between the
//! equilibrium and the surface, on the side of the parameter where the equilibrium is admissible, settles to the cycle
//! if an attracting one is born there; with a tenth of the distance it settles to one that is a tenth as large.

use crate::compute::correction::corrected;
use crate::compute::error::ComputeError;
use crate::compute::given::own_states;
use crate::compute::transient::patience_for;
use crate::plan::entries::CurvePlan;
use crate::plan::orbit_files::Given;
use slipstick_continuation::{Curve, Newton, NewtonOptions, Point};
use slipstick_flow::{AfterTransient, AttractingOrbit, FlowOptions, TransientOptions, run_transient};
use slipstick_orbit::{FixedPoint, PeriodicOrbit, adopt};
use slipstick_system::{ModeKind, System};
use std::collections::BTreeSet;

/// A place where an equilibrium of a mode reaches its boundary.
struct Place<'a> {
    system: &'a System,
    curve: &'a CurvePlan,
    mode: usize,
    state: Vec<f64>,
    parameters: Vec<f64>,
}

/// The cycle of the problem's word that is born at a boundary equilibrium, a little away from it, with the tangent that
/// leads on from there. The problem takes the parameters.
pub(crate) fn born_at_boundary(
    problem: &mut PeriodicOrbit<'_>,
    orbit: &Given,
    curve: &CurvePlan,
) -> Result<Point, ComputeError> {
    /// Distances of the parameter, relative to its range: where fields are curved, smaller ones.
    const DISTANCES: [f64; 3] = [1e-3, 1e-5, 1e-7];
    const NEARER: f64 = 0.1;
    let (system, parameters) = (problem.system(), problem.parameters().to_vec());
    let (low, high) = curve.trace.range;
    let letters = problem.word().letters.iter().map(|letter| letter.mode);
    let modes: BTreeSet<usize> = letters
        .filter(|&mode| system.modes[mode].kind != ModeKind::Stick)
        .collect();
    for distance in DISTANCES.into_iter().flat_map(|d| [d, -d]) {
        let change = distance * (high - low);
        for &mode in &modes {
            let place = Place {
                system,
                curve,
                mode,
                state: own_states(system, mode, &orbit.states[0]),
                parameters: parameters.clone(),
            };
            let (Some(cycle), Some(nearer)) = (place.cycle(change), place.cycle(NEARER * change)) else {
                continue;
            };
            if place.in_proportion(&cycle, &nearer, NEARER) {
                problem.set_parameter(curve.free, parameters[curve.free] + change);
                let z = adopt(problem, &cycle)?;
                let z = corrected(problem, z)?;
                let started = Curve::start(problem, z, change.signum(), curve.trace.steps);
                return started
                    .map(|started| started.point().clone())
                    .map_err(ComputeError::OrbitNotCorrected);
            }
        }
    }
    Err(ComputeError::NoCycleAtBoundary {
        parameter: system.parameters[curve.free].name.clone(),
        value: parameters[curve.free],
    })
}

impl Place<'_> {
    /// The cycle that a motion settles to which sets off halfway between the equilibrium and the boundary, where the
    /// free parameter has changed.
    fn cycle(&self, change: f64) -> Option<AttractingOrbit> {
        const PART: f64 = 0.5;
        let mut parameters = self.parameters.clone();
        parameters[self.curve.free] += change;
        let rest = self.equilibrium(&parameters)?;
        let between = rest.iter().zip(&self.state);
        let from: Vec<f64> = between
            .clone()
            .map(|(rest, place)| rest + PART * (place - rest))
            .collect();
        let size = between.fold(0.0f64, |most, (rest, place)| most.max((rest - place).abs()));
        if size == 0.0 || !self.is_inside(&from, &parameters) {
            return None;
        }
        let options = TransientOptions {
            longest_segment: patience_for(self.system, (self.mode, &from), &parameters),
            unit: size,
            flow: FlowOptions {
                atol: size * self.curve.flow.atol,
                ..self.curve.flow
            },
            ..TransientOptions::default()
        };
        match run_transient(self.system, self.mode, &from, &parameters, &options) {
            Ok(AfterTransient::Orbit(orbit)) => Some(orbit),
            _ => None,
        }
    }

    /// The equilibrium of the mode near the place.
    fn equilibrium(&self, parameters: &[f64]) -> Option<Vec<f64>> {
        let mut rest = FixedPoint::equilibrium(self.system, self.mode, parameters.to_vec(), vec![self.curve.free]);
        let anchor = rest.guess(&self.state);
        let (mut z, n) = (anchor.clone(), anchor.len());
        let mut fixed = vec![0.0; n];
        fixed[n - 1] = 1.0;
        let options = NewtonOptions::default();
        Newton::default()
            .solve(&mut rest, &mut z, &fixed, &anchor, &[0.0], &options)
            .ok()?;
        z.truncate(n - 1);
        Some(z)
    }

    /// Does a state lie on the mode's side of all of its guards?
    fn is_inside(&self, x: &[f64], parameters: &[f64]) -> bool {
        self.system.modes[self.mode].events.iter().all(|event| {
            let mut height = [0.0];
            event.guard.value(x, parameters, &mut height);
            event.direction.sign() * height[0] <= 0.0
        })
    }

    /// Are two cycles of one kind, and as far from the place as their distances in the parameter are from it?
    fn in_proportion(&self, cycle: &AttractingOrbit, nearer: &AttractingOrbit, ratio: f64) -> bool {
        const ALIKE: f64 = 0.1;
        let place = self.system.full_state(self.mode, &self.state, &self.parameters);
        let reach = |orbit: &AttractingOrbit| {
            let starts = orbit.word.iter().zip(&orbit.starts);
            let states = starts.map(|(&(mode, _), x)| self.system.full_state(mode, x, &self.parameters));
            let far = |state: Vec<f64>| {
                state
                    .iter()
                    .zip(&place)
                    .fold(0.0f64, |most, (a, b)| most.max((a - b).abs()))
            };
            states.map(far).fold(0.0, f64::max)
        };
        let alike = |a: f64, b: f64| (a - b).abs() <= ALIKE * b;
        cycle.word == nearer.word && alike(nearer.period, cycle.period) && alike(reach(nearer), ratio * reach(cycle))
    }
}
