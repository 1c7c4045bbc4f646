//! What is measured at equilibria and cycles of maps: states, norms, eigenvalues or multipliers.

use super::FixedPoint;
use super::coefficients;
use super::corners;
use super::guards;
use super::hopf_test::psi_hopf;
use super::large;
use super::monitors;
use super::volume::solved_volume;
use crate::perturbation::evaluation;
use nalgebra::{DMatrix, DVector, Dyn, LU};
use slipstick_bifurcation::Record;
use slipstick_continuation::{Failure, Point};
use slipstick_floquet::{FactorChain, Multiplier, MultiplierSolver, psi_ns_beside};
use slipstick_numerics::linalg::graded::eigenvalues_of_scale;
use slipstick_system::{System, jacobian};

/// With more unknowns than this the determinant goes through too many decades along a curve.
const DETERMINANT: usize = 25;
/// A smooth function that changes sign where another family crosses, not at folds: of few unknowns the determinant of
/// the equations bordered by the tangent, in scaled unknowns and with rows of length one at most. Of more unknowns its
/// sign, and as the size one over the volume that the solutions for a few fixed right-hand sides span: next to a branch
/// point that grows like one over the product of what vanishes there.
pub(super) fn crossing(problem: &mut FixedPoint<'_>, point: &Point) -> f64 {
    if problem.large.is_some() {
        return large::crossing(problem, point);
    }
    let width = point.z.len();
    let sizes: Vec<f64> = point.weights.iter().map(|w| w.sqrt().recip()).collect();
    let border: Vec<f64> = point.tangent.iter().zip(&sizes).map(|(t, s)| t / s).collect();
    let matrix = bordered(problem, &sizes, &border);
    if width <= DETERMINANT {
        return matrix.determinant() / problem.usual_volume;
    }
    let lu = matrix.lu();
    let pivots = (0..width).map(|i| lu.lu_internal()[(i, i)].signum());
    let sign = lu.p().determinant::<f64>() * pivots.product::<f64>();
    let solve = |x: &mut [f64]| solve_in_place(&lu, x);
    solved_volume(&vec![1.0; width - 1], solve).map_or(0.0, |volume| sign * problem.usual_volume / volume)
}

/// The equations in scaled unknowns, bordered by a row.
fn bordered(problem: &FixedPoint<'_>, sizes: &[f64], border: &[f64]) -> DMatrix<f64> {
    let width = sizes.len();
    let mut matrix = DMatrix::zeros(width, width);
    for (i, row) in problem.jacobian.chunks_exact(width).enumerate() {
        for j in 0..width {
            matrix[(i, j)] = row[j] * sizes[j];
        }
    }
    for j in 0..width {
        matrix[(width - 1, j)] = border[j];
    }
    // A row may vanish (x' = p x at x = 0): it counts as part of what it was where the curve set off.
    for (row, usual) in problem.usual_rows.iter().enumerate().take(width - 1) {
        let length = matrix.row(row).norm().hypot(*usual);
        if length > 0.0 {
            matrix.row_mut(row).unscale_mut(length);
        }
    }
    matrix
}

fn solve_in_place(lu: &LU<f64, Dyn, Dyn>, x: &mut [f64]) -> Option<()> {
    let mut rhs = DVector::from_column_slice(x);
    lu.solve_mut(&mut rhs).then(|| x.copy_from_slice(rhs.as_slice()))
}

/// What the volume of solutions is measured by where the curve sets off: the same with the parameter held. None of few
/// unknowns, where the test is a determinant.
pub(super) fn usual_solved_volume(problem: &FixedPoint<'_>, sizes: &[f64]) -> Option<f64> {
    let width = sizes.len();
    if width <= DETERMINANT {
        return None;
    }
    let mut border = vec![0.0; width];
    border[width - 1] = 1.0;
    let lu = bordered(problem, sizes, &border).lu();
    let volume = solved_volume(&vec![1.0; width - 1], |x| solve_in_place(&lu, x));
    Some(volume.filter(|v| v.is_normal()).unwrap_or(1.0))
}

fn measure_flow(problem: &FixedPoint<'_>, z: &[f64], record: &mut Record) -> Result<(), Failure> {
    if problem.has_no_motion() {
        (record.period, record.unstable) = (0.0, 0);
        return Ok(());
    }
    let found = eigenvalues_of_scale(&coefficients::monodromy(problem, z)).map_err(evaluation)?;
    record.eigenvalues.extend(found.iter().map(|v| v.value));
    record.scales.extend(found.iter().map(|v| v.scale));
    record.period = 0.0;
    record.unstable = found.iter().filter(|v| v.unstable).count();
    // What lies beside the surface is driven away from it.
    record.unstable += usize::from(problem.escaping);
    record.tests.push(psi_hopf(&record.eigenvalues, problem.neutral.pairs));
    Ok(())
}

fn measure_map(problem: &FixedPoint<'_>, z: &[f64], record: &mut Record) -> Result<(), Failure> {
    let (n, p) = (problem.n, &problem.parameters);
    let (mut y, mut dx) = (vec![0.0; n], vec![0.0; n * n]);
    let mut chain = FactorChain::new();
    for i in 0..problem.length {
        let field = problem.field_at(i);
        jacobian(field, problem.point(z, i), p, &[], &mut y, &mut dx, &mut []);
        chain.push(n, n, &dx).map_err(evaluation)?;
    }
    MultiplierSolver::new()
        .multipliers(&chain, &mut record.multipliers)
        .map_err(evaluation)?;
    record.period = problem.length as f64;
    record.unstable = Multiplier::count_unstable(&record.multipliers);
    record
        .tests
        .push(psi_ns_beside(&record.multipliers, problem.neutral.pairs));
    Ok(())
}

/// States, norms, inequalities and eigenvalues or multipliers, with the first of the test functions.
pub(super) fn measure(problem: &mut FixedPoint<'_>, z: &[f64], record: &mut Record) -> Result<(), Failure> {
    problem.take_parameters(z);
    record.parameters.clone_from(&problem.parameters);
    record.multipliers.clear();
    record.nu.clear();
    record.eigenvalues.clear();
    record.scales.clear();
    record.tests.clear();
    record.monitors.clear();
    record.monitors.extend(monitors::values(problem, z)?);
    record.uncounted = false;
    record.inequalities.clear();
    for i in &problem.system.modes[problem.mode].inequalities {
        // In an escaping region the mode does not apply by itself.
        if problem.escaping {
            record.inequalities.push(f64::INFINITY);
            continue;
        }
        let mut least = f64::INFINITY;
        for k in 0..problem.length {
            let mut v = [0.0];
            i.function.value(problem.point(z, k), &problem.parameters, &mut v);
            least = least.min(v[0]);
        }
        record.inequalities.push(least);
    }
    record.inequalities.extend(corners::corner_margins(problem, z));
    record.inequalities.extend(guards::margins(problem, z));
    if problem.large.is_some() {
        large::measure(problem, z, record)
    } else if problem.rest {
        measure_flow(problem, z, record)
    } else {
        measure_map(problem, z, record)
    }
}

/// What points of a mode have in common, as the tables name it: for each state that is no angle the largest modulus,
/// the largest and the least value, then the norm.
pub fn extremes<X: AsRef<[f64]>>(system: &System, mode: usize, points: &[X]) -> Vec<f64> {
    let mut all = vec![];
    let mut squares = 0.0;
    for (c, &s) in system.modes[mode].states.iter().enumerate() {
        if system.states[s].period.is_some() {
            continue;
        }
        let values = || points.iter().map(|x| x.as_ref()[c]);
        let (lo, hi) = (
            values().fold(f64::INFINITY, f64::min),
            values().fold(f64::NEG_INFINITY, f64::max),
        );
        all.extend([lo.abs().max(hi.abs()), hi, lo]);
        squares += values().map(|v| v * v).sum::<f64>();
    }
    all.push((squares / points.len() as f64).sqrt());
    all
}
