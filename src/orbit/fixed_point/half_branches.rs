//! The half-branches of equilibria and of cycles of maps; see [`crate::half_branches`].

use super::FixedPoint;
use super::branch_point;
use crate::half_branches::{HalfBranches, MOST_KERNEL, Reduced, ReducedEquations, Zero};
use crate::half_branches::{coordinates, null_spaces, on_spheres, sphere, usual_size, zeros_from};
use nalgebra::{DMatrix, DVector};
use slipstick_continuation::{Point, Problem, tangent_at};
use slipstick_numerics::linalg::DenseSystem;
use slipstick_numerics::scalar::{Scalar, TwoFold};

/// Where b is smaller than this on a sphere, relative to what its equations are made of, rounding is no small part of
/// it.
const FAINT: f64 = 1e-9;

/// The reduced equations at a branch point.
struct AtFixedPoint<'p, 's> {
    problem: &'p mut FixedPoint<'s>,
    z: Vec<f64>,
    sizes: Vec<f64>,
    /// The coordinate directions in the kernel, in scaled unknowns, the one along the parameter first if there is one,
    /// and orthogonal.
    basis: DMatrix<f64>,
    along_parameter: bool,
    /// A basis of what F' does not reach.
    left: DMatrix<f64>,
    rows: Vec<f64>,
    /// Are the equations evaluated with twice the digits, where they can be?
    precise: bool,
}

impl ReducedEquations for AtFixedPoint<'_, '_> {
    fn unknowns(&self) -> usize {
        self.basis.ncols()
    }

    fn along_parameter(&self) -> bool {
        self.along_parameter
    }

    fn at(&mut self, xi: &DVector<f64>) -> Option<Reduced> {
        let (width, m, k) = (self.z.len(), self.basis.ncols(), self.left.ncols());
        let equations = width - 1;
        let start = &self.basis * xi;
        let mut offset: Vec<f64> = start.iter().copied().collect();
        let mut b = DVector::zeros(k);
        let mut system = DenseSystem::new(width + k);
        let mut residual = vec![0.0; equations];
        let length = start.norm().max(f64::MIN_POSITIVE);
        let mut converged = false;
        for _ in 0..12 {
            let z: Vec<f64> = (0..width).map(|i| self.z[i] + self.sizes[i] * offset[i]).collect();
            self.problem.linearise(&z, &mut residual).ok()?;
            if self.precise {
                self.refine(&offset, &mut residual);
            }
            system.clear();
            let mut rhs = vec![0.0; width + k];
            for r in 0..equations {
                for c in 0..width {
                    system.add(
                        r,
                        c,
                        self.problem.jacobian[r * width + c] * self.sizes[c] / self.rows[r],
                    );
                }
                let mut v = residual[r] / self.rows[r];
                for j in 0..k {
                    system.add(r, width + j, -self.left[(r, j)]);
                    v -= self.left[(r, j)] * b[j];
                }
                rhs[r] = -v;
            }
            for j in 0..m {
                let square = self.basis.column(j).norm_squared();
                let mut v = xi[j];
                for c in 0..width {
                    system.add(equations + j, c, self.basis[(c, j)] / square);
                    v -= self.basis[(c, j)] / square * offset[c];
                }
                rhs[equations + j] = v;
            }
            system.factorise().ok()?;
            if converged {
                // The derivatives of b: the same system with a unit in one coordinate.
                let mut slopes = DMatrix::zeros(k, m);
                for j in 0..m {
                    let mut unit = vec![0.0; width + k];
                    unit[equations + j] = 1.0;
                    system.solve(&mut unit).ok()?;
                    (0..k).for_each(|i| slopes[(i, j)] = unit[width + i]);
                }
                return Some(Reduced {
                    values: b,
                    slopes,
                    offset,
                });
            }
            system.solve(&mut rhs).ok()?;
            let change = rhs[..width].iter().fold(0.0f64, |a, v| a.max(v.abs()));
            if !(change <= 10.0 * length) {
                return None;
            }
            (0..width).for_each(|i| offset[i] += rhs[i]);
            (0..k).for_each(|j| b[j] += rhs[width + j]);
            converged = change <= 1e-9 * length;
        }
        None
    }

    fn zeros(&mut self, lengths: &DVector<f64>, starts: &[DVector<f64>]) -> Vec<Zero> {
        let mut usual = usual_size(self, lengths, starts);
        if !self.precise && usual.is_none_or(|size| size < FAINT) {
            self.precise = true;
            usual = usual_size(self, lengths, starts);
        }
        match usual {
            Some(size) => zeros_from(self, lengths, starts, size),
            None => vec![],
        }
    }
}

impl AtFixedPoint<'_, '_> {
    /// Do the equations hold at this offset? Each is measured by what its derivatives there make of the unknowns, which
    /// has its units whatever they are, and knows nothing of how large others, or its own, become elsewhere.
    fn hold_at(&mut self, offset: &[f64]) -> Option<bool> {
        /// What rounding leaves, as a part of that.
        const ROUNDING: f64 = 1e-12;
        let (width, mut residual) = (self.z.len(), vec![0.0; self.rows.len()]);
        let moved = |i: usize| self.sizes[i] * offset[i];
        let there: Vec<f64> = (0..width).map(|i| self.z[i] + moved(i)).collect();
        let terms: Vec<f64> = (0..width).map(|i| self.z[i].abs() + moved(i).abs()).collect();
        self.problem.linearise(&there, &mut residual).ok()?;
        let mut equations = residual.iter().zip(self.problem.jacobian.chunks_exact(width));
        let holds = |(value, row): (&f64, &[f64])| {
            let made: f64 = row.iter().zip(&terms).map(|(d, term)| d.abs() * term).sum();
            value.abs() <= ROUNDING * made
        };
        Some(equations.all(holds))
    }

    /// What the equations are at this offset, with twice the digits where they can be had.
    fn refine(&self, offset: &[f64], residual: &mut [f64]) {
        let place = self.z.iter().zip(&self.sizes).zip(offset);
        let z: Vec<TwoFold> = place
            .map(|((z, size), off)| TwoFold::from_f64(*z) + size * off)
            .collect();
        if let Some(values) = branch_point::precise_values(self.problem, &z) {
            residual.iter_mut().zip(&values).for_each(|(r, v)| *r = v.value());
        }
    }
}

/// The reduced equations at a solution `z` where F' is short of full rank, with unknowns of these sizes; `None`
/// where it is not, or the kernel is too large.
fn reduced<'p, 's>(
    problem: &'p mut FixedPoint<'s>,
    z: &[f64],
    sizes: Vec<f64>,
) -> Option<Result<AtFixedPoint<'p, 's>, usize>> {
    // Of many states kernels are not looked for.
    if problem.large.is_some() {
        return None;
    }
    let width = z.len();
    let equations = width - 1;
    let mut residual = vec![0.0; equations];
    // What derivatives are nearby says which of those here are zero.
    let mut rows = vec![0.0f64; equations];
    for probe in 0..8 {
        let wave = |i: usize| (1.3 + 2.1 * f64::from(probe) + 1.7 * i as f64).sin();
        let beside: Vec<f64> = (0..width).map(|i| z[i] + 0.05 * wave(i) * sizes[i]).collect();
        if problem.linearise(&beside, &mut residual).is_err() {
            continue;
        }
        for (r, row) in rows.iter_mut().enumerate() {
            let own = &problem.jacobian[r * width..(r + 1) * width];
            let norm = own.iter().zip(&sizes).map(|(d, s)| (d * s).powi(2)).sum::<f64>().sqrt();
            *row = row.max(norm);
        }
    }
    if rows.iter().any(|r| !(*r > 0.0 && r.is_finite())) {
        return None;
    }
    problem.linearise(z, &mut residual).ok()?;
    let scaled = DMatrix::from_fn(equations, width, |r, c| {
        problem.jacobian[r * width + c] * sizes[c] / rows[r]
    });
    let (null, left) = null_spaces(&scaled)?;
    match left.ncols() {
        0 => return None,
        kernel if kernel > MOST_KERNEL => return Some(Err(kernel)),
        _ => {}
    }
    let (basis, along_parameter) = coordinates(&null);
    Some(Ok(AtFixedPoint {
        problem,
        z: z.to_vec(),
        sizes,
        basis,
        along_parameter,
        left,
        rows,
        precise: false,
    }))
}

/// The dimension of the surface of solutions, in states and parameter, that `z` lies on; `None` where it lies on a
/// curve, or at a place where curves meet. On a surface the reduced equations vanish identically.
pub fn surface_at(problem: &mut FixedPoint<'_>, z: &[f64]) -> Option<usize> {
    /// How far away, relative to the sizes of the unknowns.
    const AWAY: [f64; 2] = [0.01, 0.05];
    let mut sizes = vec![0.0; z.len()];
    problem.sizes(z, &mut sizes);
    let mut reduced = reduced(problem, z, sizes)?.ok()?;
    let m = reduced.unknowns();
    for direction in sphere(m, 1).iter().step_by(7).take(12) {
        for away in AWAY {
            let offset = reduced.at(&(direction * away))?.offset;
            if !reduced.hold_at(&offset)? {
                return None;
            }
        }
    }
    Some(m)
}

/// All half-branches that leave the branch point `at`, on a sphere that is small against the `range` of the
/// parameter; `None` where the equations are regular, or nothing can be found out.
pub fn half_branches(problem: &mut FixedPoint<'_>, at: &Point, range: f64) -> Option<HalfBranches> {
    let width = at.z.len();
    let mut residual = vec![0.0; width - 1];
    let sizes = branch_point::sizes_beside(problem, &at.z, &at.weights);
    let mut reduced = match reduced(problem, &at.z, sizes)? {
        Ok(reduced) => reduced,
        Err(kernel) => return Some(HalfBranches::of_large(kernel)),
    };
    let kernel = reduced.left.ncols();
    let unit = reduced.sizes[width - 1];
    let found = on_spheres(&mut reduced, range / unit)?;
    let (z0, sizes, basis) = (reduced.z, reduced.sizes, reduced.basis);
    let mut starts = vec![];
    for zero in found.zeros.iter().filter(|_| !found.continuum) {
        let z: Vec<f64> = (0..width).map(|i| z0[i] + sizes[i] * zero.offset[i]).collect();
        if problem.linearise(&z, &mut residual).is_err() {
            continue;
        }
        // Away from the branch point.
        let away = &basis * &zero.eta;
        let row: Vec<f64> = (0..width).map(|i| (away[i] + zero.offset[i]) / sizes[i]).collect();
        if let Ok(point) = tangent_at(problem, z, &row, 1.0) {
            starts.push(point);
        }
    }
    Some(HalfBranches {
        kernel,
        complete: found.complete && starts.len() == found.zeros.len(),
        starts,
        continuum: found.continuum,
    })
}
