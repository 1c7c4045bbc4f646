//! Branch points located by equations that are regular there.
//!
//! Where two families cross, the equations of the curve are singular and Newton's method on them loses half of its
//! digits. The extended system `F(z) + μ φ = 0, F'(z)ᵀ φ = 0, φᵀφ = 1` for (z, φ, μ) is regular at every simple branch
//! point, with μ = 0. Next to a second branch point its solution enlarges errors by the square of the inverse of their
//! distance: residuals are evaluated with twice the digits, by which Newton's method becomes iterative refinement.
//!
//! Reference: W.-J. Beyn, A. Champneys, E. Doedel, W. Govaerts, Yu. Kuznetsov and B. Sandstede, in *Handbook of
//! Dynamical Systems* 2 (2002), ch. 4.

use super::FixedPoint;
use nalgebra::DMatrix;
use slipstick_continuation::Problem;
use slipstick_numerics::linalg::DenseSystem;
use slipstick_numerics::linalg::singular::Singular;
use slipstick_numerics::scalar::{Dual, Precise, Scalar, Second, TwoFold};
use slipstick_system::Function;
use std::collections::BTreeSet;

/// Where errors of the extended system are amplified by more than the first, as with a second branch point next to the
/// one in question, it locates the place only where the equations can be evaluated with twice the digits; or, up to the
/// second, where the place known so far is off by more than the extended system can be. Where they are amplified by
/// more than the third, several branch points lie nearer to each other than can be resolved.
const AMPLIFIED: (f64, f64) = (2e6, 1e9);
const ONE_PLACE: f64 = 1e13;

/// Where the extended system stands.
struct Extended {
    z: Vec<TwoFold>,
    phi: Vec<TwoFold>,
    mu: TwoFold,
}

impl Extended {
    fn unknowns(&self) -> Vec<f64> {
        self.z.iter().map(Scalar::value).collect()
    }
}

/// The branch point next to `z`, to rounding; `None` if there is none, or if it cannot be located to rounding.
/// Unknowns count in these sizes.
pub(super) fn branch_point_near(problem: &mut FixedPoint<'_>, z: &[f64], sizes: &[f64]) -> Option<Vec<f64>> {
    if problem.free.len() != 1 || problem.large.is_some() {
        return None;
    }
    let (unknowns, equations) = (z.len(), z.len() - 1);
    let size = unknowns + equations + 1;
    let mut residual = vec![0.0; equations];
    let from = z;
    problem.linearise(z, &mut residual).ok()?;
    // Unknowns count in their own sizes and equations in theirs, first and second derivatives together, since the
    // first may vanish here.
    let rows = equation_sizes(problem, z, sizes);
    let slope = |jacobian: &[f64], r: usize, c: usize| jacobian[r * unknowns + c] * sizes[c] / rows[r];
    let mut at = {
        let derivative = DMatrix::from_fn(equations, unknowns, |r, c| slope(&problem.jacobian, r, c));
        let phi = Singular::of(&derivative.transpose())?.least();
        Extended {
            z: z.iter().map(|v| TwoFold::from_f64(*v)).collect(),
            phi: phi.iter().map(|v| TwoFold::from_f64(*v)).collect(),
            mu: TwoFold::zero(),
        }
    };
    let mut system = DenseSystem::new(size);
    let mut amplified = f64::INFINITY;
    let (mut precise, mut change) = (true, f64::INFINITY);
    for _ in 0..16 {
        let z = at.unknowns();
        problem.linearise(&z, &mut residual).ok()?;
        let phi: Vec<f64> = at.phi.iter().map(Scalar::value).collect();
        let scaled: Vec<f64> = phi.iter().zip(&rows).map(|(p, row)| p / row).collect();
        let curvature = curvature(problem, &z, &scaled);
        system.clear();
        for r in 0..equations {
            for c in 0..unknowns {
                let v = slope(&problem.jacobian, r, c);
                system.add(r, c, v);
                system.add(equations + c, unknowns + r, v);
            }
            system.add(r, unknowns + r, at.mu.value());
            system.add(r, size - 1, phi[r]);
            system.add(size - 1, unknowns + r, 2.0 * phi[r]);
        }
        for (i, v) in curvature.iter().enumerate() {
            let (row, column) = (i / unknowns, i % unknowns);
            system.add(equations + row, column, v * sizes[row] * sizes[column]);
        }
        let (mut rhs, found) = missed(problem, &at, &residual, sizes, &rows);
        precise &= found;
        system.factorise().ok()?;
        system.solve(&mut rhs).ok()?;
        change = rhs[..unknowns].iter().fold(0.0f64, |m, d| m.max(d.abs()));
        if !(change < 1.0) {
            return None;
        }
        for ((z, d), size) in at.z.iter_mut().zip(&rhs).zip(sizes) {
            *z += TwoFold::from_f64(d * size);
        }
        let [z_and_phi @ .., mu] = &rhs[..] else { return None };
        for (p, d) in at.phi.iter_mut().zip(&z_and_phi[unknowns..]) {
            *p += TwoFold::from_f64(*d);
        }
        at.mu += TwoFold::from_f64(*mu);
        if change < 1e-9 {
            // Fixed vectors keep results reproducible.
            let mut errors: Vec<f64> = (0..size).map(|i| (1.7 * (1.0 + i as f64)).sin()).collect();
            system.solve(&mut errors).ok()?;
            amplified = errors[..unknowns].iter().fold(0.0, |m: f64, e| m.max(e.abs()));
        }
        if change < 1e-13 {
            break;
        }
    }
    let z = at.unknowns();
    problem.linearise(&z, &mut residual).ok()?;
    let residual = residual
        .iter()
        .zip(&rows)
        .fold(0.0f64, |m, (r, row)| m.max((r / row).abs()));
    let moved = z.iter().zip(from).zip(sizes);
    let moved = moved.fold(0.0f64, |m, ((a, b), size)| m.max(((a - b) / size).abs()));
    let better = amplified <= AMPLIFIED.0
        || precise && change < 1e-13 && amplified <= ONE_PLACE
        || amplified <= AMPLIFIED.1 && moved > amplified * f64::EPSILON;
    (better && at.mu.value().abs() < 1e-8 && residual < 1e-8).then_some(z)
}

/// By how much the equations of the extended system miss zero, with the sign turned, and whether that is known with
/// twice the digits: what is left of it after the cancellation has all of its own then. Else from the `residual` of
/// the equations and their derivatives at the last linearisation.
fn missed(problem: &FixedPoint<'_>, at: &Extended, residual: &[f64], sizes: &[f64], rows: &[f64]) -> (Vec<f64>, bool) {
    let (unknowns, equations) = (at.z.len(), at.phi.len());
    let found = precise(problem, &at.z);
    let precise = found.is_some();
    let (values, slopes) = found.unwrap_or_else(|| {
        let single = |v: &[f64]| v.iter().map(|v| TwoFold::from_f64(*v)).collect();
        (single(residual), single(&problem.jacobian))
    });
    let parts = rows.iter().map(|row| row.recip());
    let scaled: Vec<TwoFold> = at.phi.iter().zip(parts.clone()).map(|(p, part)| *p * part).collect();
    let mut missed: Vec<f64> = values
        .iter()
        .zip(&at.phi)
        .zip(parts)
        .map(|((value, p), part)| -(*value * part + at.mu * *p).value())
        .collect();
    missed.extend((0..unknowns).map(|c| {
        let mut sum = TwoFold::zero();
        for (r, p) in scaled.iter().enumerate().take(equations) {
            sum += slopes[r * unknowns + c] * *p;
        }
        -sum.value() * sizes[c]
    }));
    let mut length = TwoFold::one();
    at.phi.iter().for_each(|p| length -= *p * *p);
    missed.push(length.value());
    (missed, precise)
}

/// The equations and their derivatives by rows with twice the digits, where they can be had.
fn precise(problem: &FixedPoint<'_>, z: &[TwoFold]) -> Option<(Vec<TwoFold>, Vec<TwoFold>)> {
    let (n, unknowns) = (problem.n, z.len());
    let values = precise_values(problem, z)?;
    let mut slopes = vec![TwoFold::zero(); n * problem.length * unknowns];
    for point in 0..problem.length {
        for direction in 0..=n {
            let column = if direction < n {
                point * n + direction
            } else {
                unknowns - 1
            };
            for (r, y) in precise_along(problem, z, point, column)?.iter().enumerate() {
                slopes[(point * n + r) * unknowns + column] += y.eps[0];
            }
        }
        let next = (point + 1) % problem.length * n;
        for r in (0..n).filter(|_| !problem.rest) {
            let sign = if next == 0 { problem.closing[r] } else { 1.0 };
            slopes[(point * n + r) * unknowns + next + r] -= TwoFold::from_f64(sign);
        }
    }
    let finite = slopes.iter().all(|v| v.value().is_finite());
    finite.then_some((values, slopes))
}

/// The equations with twice the digits, where they can be had.
pub(super) fn precise_values(problem: &FixedPoint<'_>, z: &[TwoFold]) -> Option<Vec<TwoFold>> {
    let n = problem.n;
    let mut values = Vec::with_capacity(n * problem.length);
    for point in 0..problem.length {
        let next = (point + 1) % problem.length * n;
        for (r, y) in precise_along(problem, z, point, z.len())?.iter().enumerate() {
            let mut value = y.re;
            if !problem.rest {
                let sign = if next == 0 { problem.closing[r] } else { 1.0 };
                value -= z[next + r] * sign + problem.winding[point * n + r];
            }
            values.push(value);
        }
    }
    let finite = values.iter().all(|v| v.value().is_finite());
    finite.then_some(values)
}

/// Can the equations be evaluated with twice the digits?
pub(super) fn has_precise_values(problem: &FixedPoint<'_>) -> bool {
    let zeros = |count: usize| vec![Precise::constant(TwoFold::zero()); count];
    let (states, parameters) = (zeros(problem.n), zeros(problem.parameters.len()));
    problem.field_at(0).precise(&states, &parameters, &mut zeros(problem.n))
}

/// The field at a point, with its derivatives by the unknown of this number, if it is one.
fn precise_along(problem: &FixedPoint<'_>, z: &[TwoFold], point: usize, unknown: usize) -> Option<Vec<Precise>> {
    let seed = |i: usize| match i == unknown {
        true => Precise::variable(z[i], 0),
        false => Precise::constant(z[i]),
    };
    let states: Vec<Precise> = (point * problem.n..(point + 1) * problem.n).map(seed).collect();
    let parameters = problem.parameters.iter().enumerate().map(|(k, v)| {
        let free = problem.free.iter().position(|i| *i == k);
        let fixed = || Precise::constant(TwoFold::from_f64(*v));
        free.map_or_else(fixed, |i| seed(problem.n * problem.length + i))
    });
    let parameters: Vec<Precise> = parameters.collect();
    let mut y = vec![Precise::constant(TwoFold::zero()); problem.n];
    let known = problem.field_at(point).precise(&states, &parameters, &mut y);
    known.then_some(y)
}

/// The sizes of the unknowns at a branch point. Newton's method leaves errors there that may pass for sizes: a
/// state that is far smaller than it counts beside the point, by these weights, is zero.
pub(super) fn sizes_beside(problem: &FixedPoint<'_>, z: &[f64], weights: &[f64]) -> Vec<f64> {
    const FAR_SMALLER: f64 = 1e-3;
    let mut sizes = vec![0.0; z.len()];
    problem.sizes(z, &mut sizes);
    for (size, weight) in sizes.iter_mut().zip(weights) {
        let beside = weight.sqrt().recip();
        if beside.is_finite() && *size < FAR_SMALLER * beside {
            *size = beside;
        }
    }
    sizes
}

/// How large the terms of each equation are when the unknowns change by their sizes.
fn equation_sizes(problem: &FixedPoint<'_>, z: &[f64], sizes: &[f64]) -> Vec<f64> {
    let first = |row: &[f64]| row.iter().zip(sizes).fold(0.0f64, |m, (v, s)| m.max((v * s).abs()));
    let mut found: Vec<f64> = problem.jacobian.chunks_exact(z.len()).map(first).collect();
    second_derivatives(problem, z, |r, [i, j], v| {
        found[r] = found[r].max((v * sizes[i] * sizes[j]).abs());
    });
    found.iter().map(|size| if *size > 0.0 { *size } else { 1.0 }).collect()
}

/// `Σ φᵣ ∂²Fᵣ/∂zᵢ∂zⱼ`, by rows.
fn curvature(problem: &FixedPoint<'_>, z: &[f64], phi: &[f64]) -> Vec<f64> {
    let unknowns = z.len();
    let mut out = vec![0.0; unknowns * unknowns];
    second_derivatives(problem, z, |r, [i, j], v| {
        out[i * unknowns + j] += phi[r] * v;
        if i != j {
            out[j * unknowns + i] += phi[r] * v;
        }
    });
    out
}

/// All ∂²Fᵣ/∂zᵢ∂zⱼ that may differ from zero, one of each two that are equal.
fn second_derivatives(problem: &FixedPoint<'_>, z: &[f64], mut see: impl FnMut(usize, [usize; 2], f64)) {
    let (n, unknowns) = (problem.n, z.len());
    let mut y = vec![Second::constant(Dual::constant(0.0)); n];
    for point in 0..problem.length {
        let x = problem.point(z, point);
        let field = problem.field_at(point);
        // Directions: the states of this point, then the parameter.
        let at = |i: usize| if i < n { point * n + i } else { unknowns - 1 };
        for [i, j] in pairs_that_meet(field, n) {
            let unit = |k: usize, i: usize| if k == i { 1.0 } else { 0.0 };
            let states: Vec<Second> = (0..n).map(|k| Second::mixed(x[k], unit(k, i), unit(k, j))).collect();
            let parameters: Vec<Second> = problem
                .parameters
                .iter()
                .enumerate()
                .map(|(k, &v)| {
                    let free = if k == problem.free[0] { n } else { n + 1 };
                    Second::mixed(v, unit(free, i), unit(free, j))
                })
                .collect();
            field.second(&states, &parameters, &mut y);
            for (r, y) in y.iter().enumerate() {
                see(point * n + r, [at(i), at(j)], y.eps[0].eps[0]);
            }
        }
    }
}

/// The pairs of states that meet in some equation, and of each with the parameter, which is number `n`.
fn pairs_that_meet(field: &dyn Function, n: usize) -> BTreeSet<[usize; 2]> {
    let with_parameter = (0..=n).map(|i| [i, n]);
    match field.structure().filter(|structure| structure.rows() == n) {
        Some(structure) => {
            let of_row = |r: usize| {
                let row = structure.row(r);
                row.iter()
                    .enumerate()
                    .flat_map(|(k, &i)| row[k..].iter().map(move |&j| [i, j]))
            };
            (0..n).flat_map(of_row).chain(with_parameter).collect()
        }
        None => (0..n)
            .flat_map(|i| (i..n).map(move |j| [i, j]))
            .chain(with_parameter)
            .collect(),
    }
}
