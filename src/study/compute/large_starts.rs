//! Starts of curves of periodic orbits of many states: at Hopf points and at orbits that were computed before.

use crate::compute::error::ComputeError;
use crate::compute::given::own_states;
use crate::compute::given_orbits::set_parameters;
use crate::compute::interpolation::Interpolation;
use crate::compute::tracer::CurveTracer;
use crate::plan::entries::{CurvePlan, StartPlan};
use crate::plan::orbit_files::{Given, read_orbit};
use crate::plan::study::Plan;
use crate::results::curve::CurveResult;
use slipstick_bifurcation::Label;
use slipstick_continuation::{Newton, NewtonOptions, Problem, tangent_at};
use slipstick_orbit::{LargeCycle, MeshOptions, large_from_hopf};

/// Follow periodic orbits of many states from the curve's start.
pub(crate) fn follow_large(
    plan: &Plan,
    (curve, options): (&CurvePlan, MeshOptions),
    earlier: &[&CurveResult],
    tracer: &mut CurveTracer<'_>,
) -> Result<(), ComputeError> {
    let system = &plan.systems[curve.system].system;
    let mut problem =
        LargeCycle::new(system, curve.parameters.clone(), curve.free, options).map_err(ComputeError::from)?;
    match &curve.start {
        StartPlan::Point { source, given, .. } => {
            for orbit in source.find(system, &plan.systems, earlier)? {
                set_parameters(system, curve, &orbit, given, |i, v| problem.set_parameter(i, v));
                if let Err(why) = follow_given(&mut problem, &orbit, tracer) {
                    tracer.failed(why);
                }
            }
        }
        StartPlan::File(path) => {
            follow_given(&mut problem, &read_orbit(path, system)?, tracer)?;
        }
        _ => {}
    }
    Ok(())
}

/// Follow periodic orbits from one that was computed before, or from an equilibrium at a Hopf point.
fn follow_given(problem: &mut LargeCycle<'_>, orbit: &Given, tracer: &mut CurveTracer<'_>) -> Result<(), ComputeError> {
    let system = problem.system();
    let rows: Vec<Vec<f64>> = orbit
        .states
        .iter()
        .map(|x| own_states(system, orbit.modes[0], x))
        .collect();
    if rows.len() == 1 || orbit.label == Label::HB.code() {
        let point = large_from_hopf(problem, &rows[0], tracer.curve.trace.range).map_err(ComputeError::Hopf)?;
        tracer.follow_from(problem, point);
        return Ok(());
    }
    let parameter = problem.parameters()[tracer.curve.free];
    let known = orbit.known.as_ref().map(|known| &known.point);
    let known = known.filter(|point| {
        problem.restore(&point.meshes);
        point.z.len() == problem.unknowns()
    });
    let z = match known {
        Some(point) => {
            let mut z = point.z.clone();
            let last = z.len() - 1;
            z[last] = parameter;
            z
        }
        None if rows.len() < 3 => return Err(ComputeError::FewRows { rows: rows.len() }),
        None => {
            let (first, last) = (orbit.t[0], orbit.t[orbit.t.len() - 1]);
            let trajectory = Interpolation::new(orbit.t.iter().map(|t| t - first).collect(), rows);
            problem.guess(last - first, &mut |t, x| trajectory.eval(t, x))
        }
    };
    // At a fold, the plane across the null vector, which is the tangent there whatever parameter is free.
    match known.filter(|_| orbit.label == Label::LP.code()) {
        Some(point) => {
            let row: Vec<f64> = point.tangent.iter().zip(&point.weights).map(|(t, w)| t * w).collect();
            let (anchor, mut z) = (z.clone(), z);
            let options = NewtonOptions::default();
            Newton::default().solve(problem, &mut z, &row, &anchor, &[0.0], &options)?;
            let point = tangent_at(problem, z, &row, 1.0)?;
            tracer.follow_through(problem, point);
        }
        None => tracer.follow(problem, z),
    }
    Ok(())
}
