//! The half-branches of cycles where several multipliers pass together: of orbits next to each other in a ring of
//! equal oscillators, say.
//!
//! The equations of the orbit get as many unknowns β beside them as F' lacks ranks, and as many rows that hold the
//! coordinates of its kernel. The matrix is regular then, and β, for which the equations hold, are the reduced
//! equations.

use super::sampled::Sampled;
use super::{HalfBranches, MOST_KERNEL, Reduced, ReducedEquations, Zero};
use super::{coordinates, null_spaces, on_spheres, zeros_from};
use crate::periodic::PeriodicOrbit;
use nalgebra::{DMatrix, DVector};
use slipstick_continuation::{Point, Problem, tangent_at};

/// How often the solution of the other equations is corrected.
const CORRECTIONS: usize = 12;
/// It is known when it moves by less than the first, relative to its distance, or by less than the second, which is
/// rounding, relative to the sizes of the unknowns.
const KNOWN: (f64, f64) = (1e-9, 1e-13);
/// A correction that is longer than the distance by this factor leads elsewhere.
const ASTRAY: f64 = 100.0;
/// The most unknowns after condensation, as of words of many segments: the kernel of more takes too long to find.
const MOST_UNKNOWNS: usize = 400;
/// Vectors of the kernel that the others span but for this part are none.
const SPANNED: f64 = 1e-6;

/// The reduced equations of cycles at a branch point.
struct AtCycle<'p, 's> {
    orbit: &'p mut PeriodicOrbit<'s>,
    z: Vec<f64>,
    sizes: Vec<f64>,
    /// The coordinate directions in the kernel, the one along the parameter first if there is one, and the rows that
    /// measure them.
    basis: Vec<Vec<f64>>,
    rows: Vec<f64>,
    along_parameter: bool,
    /// What each β adds to the equations, and to those that are left after condensation.
    added: Vec<Vec<f64>>,
    columns: Vec<f64>,
}

impl AtCycle<'_, '_> {
    /// Correct the unknowns `z` and β such that the equations hold and the coordinates are ξ. Returns the size of the
    /// correction.
    fn correct(&mut self, xi: &DVector<f64>, z: &mut [f64], beta: &mut [f64], residual: &mut [f64]) -> Option<f64> {
        let n = z.len();
        self.orbit.linearise(z, residual).ok()?;
        self.orbit.condensed_at.clear();
        let mut rhs: Vec<f64> = residual.iter().map(|f| -f).collect();
        for (beta, added) in beta.iter().zip(&self.added) {
            rhs.iter_mut().zip(added).for_each(|(r, a)| *r -= beta * a);
        }
        for (row, xi) in self.rows.chunks_exact(n).zip(xi) {
            let gone = row.iter().zip(z.iter().zip(&self.z)).map(|(r, (z, o))| r * (z - o));
            rhs.push(xi - gone.sum::<f64>());
        }
        self.orbit.solve_beside(&self.rows, &self.columns, &mut rhs).ok()?;
        let changes = rhs.iter().zip(&self.sizes).map(|(d, size)| (d / size).abs());
        let change = changes.fold(0.0f64, |m, v| if v > m || v.is_nan() { v } else { m });
        z.iter_mut().zip(&rhs).for_each(|(z, d)| *z += d);
        beta.iter_mut().zip(&rhs[n..]).for_each(|(b, d)| *b += d);
        Some(change)
    }
}

impl ReducedEquations for AtCycle<'_, '_> {
    const LARGEST: f64 = 2.0;
    const DIRECTIONS: usize = 3;
    const ROUNDING: f64 = 1e-11;

    fn unknowns(&self) -> usize {
        self.basis.len()
    }

    fn along_parameter(&self) -> bool {
        self.along_parameter
    }

    fn at(&mut self, xi: &DVector<f64>) -> Option<Reduced> {
        let (n, m, k) = (self.z.len(), self.basis.len(), self.added.len());
        let mut z = self.z.clone();
        for (vector, xi) in self.basis.iter().zip(xi) {
            z.iter_mut().zip(vector).for_each(|(z, v)| *z += xi * v);
        }
        let mut beta = vec![0.0; k];
        let mut residual = vec![0.0; n - 1];
        let length = xi.norm();
        let known = (KNOWN.0 * length).max(KNOWN.1);
        let converges = |_| {
            let change = self.correct(xi, &mut z, &mut beta, &mut residual)?;
            (change <= ASTRAY * length).then_some(change <= known)
        };
        let converged = (0..CORRECTIONS).map(converges).find(|outcome| *outcome != Some(false));
        converged??;
        // The derivatives of β: the same system with a unit in one coordinate.
        self.orbit.linearise(&z, &mut residual).ok()?;
        self.orbit.condensed_at.clear();
        let mut slopes = DMatrix::zeros(k, m);
        for j in 0..m {
            let mut unit = vec![0.0; n + k];
            unit[n - 1 + j] = 1.0;
            self.orbit.solve_beside(&self.rows, &self.columns, &mut unit).ok()?;
            (0..k).for_each(|i| slopes[(i, j)] = unit[n + i]);
        }
        Some(Reduced {
            values: DVector::from_vec(beta),
            slopes,
            offset: z.iter().zip(&self.z).map(|(z, o)| z - o).collect(),
        })
    }

    fn zeros(&mut self, lengths: &DVector<f64>, starts: &[DVector<f64>]) -> Vec<Zero> {
        let Some(mut sampled) = Sampled::on_sphere(self, lengths) else {
            return vec![];
        };
        let nearly = sampled.zeros(lengths, starts);
        if nearly.len() > super::MOST_PLACES {
            return nearly;
        }
        let nearly: Vec<DVector<f64>> = nearly.into_iter().map(|zero| zero.eta).collect();
        zeros_from(self, lengths, &nearly, sampled.size)
    }
}

/// The reduced equations of cycles at a point; none where no more than one family crosses the known one, or nothing
/// can be found out, and the dimension of the kernel where it is too large.
fn reduced<'p, 's>(orbit: &'p mut PeriodicOrbit<'s>, at: &Point) -> Option<Result<AtCycle<'p, 's>, usize>> {
    if orbit.free.len() != 1 || orbit.constraint.is_some() {
        return None;
    }
    let n = at.z.len();
    orbit.linearise(&at.z, &mut vec![0.0; n - 1]).ok()?;
    orbit.condensed_at.clear();
    let mut condensed = orbit.condensed_equations().ok()?;
    if condensed.ncols() > MOST_UNKNOWNS {
        return None;
    }
    let scales = equation_sizes(orbit, &at.z, &condensed);
    if scales.iter().any(|scale| !(*scale > 0.0 && scale.is_finite())) {
        return None;
    }
    for (mut row, scale) in condensed.row_iter_mut().zip(&scales) {
        row /= *scale;
    }
    let (_, left) = null_spaces(&condensed)?;
    let k = left.ncols();
    if k <= 1 {
        return None;
    }
    if k > MOST_KERNEL {
        return Some(Err(k));
    }
    let (added, columns) = unfolding(orbit, &scales, &left);
    // Any rows will do to find the kernel.
    let any = |j: usize, i: usize| 0.1 + ((1.7 + 0.9 * j as f64) * (1.0 + i as f64)).sin();
    let weights = &at.weights;
    let rows: Vec<f64> = (0..=k)
        .flat_map(|j| weights.iter().enumerate().map(move |(i, w)| any(j, i) * w.sqrt()))
        .collect();
    let product = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).zip(weights).map(|((a, b), w)| a * b * w).sum() };
    let mut kernel: Vec<Vec<f64>> = vec![];
    for j in 0..=k {
        let mut vector = vec![0.0; n + k];
        vector[n - 1 + j] = 1.0;
        orbit.solve_beside(&rows, &columns, &mut vector).ok()?;
        vector.truncate(n);
        let before = product(&vector, &vector).sqrt();
        for _ in 0..2 {
            for known in &kernel {
                let part = product(known, &vector);
                vector.iter_mut().zip(known).for_each(|(v, k)| *v -= part * k);
            }
        }
        let length = product(&vector, &vector).sqrt();
        if !(length > SPANNED * before && length.is_finite()) {
            return None;
        }
        vector.iter_mut().for_each(|v| *v /= length);
        kernel.push(vector);
    }
    // Coordinates of which only the first changes the parameter: orthonormal in the kernel, as its vectors are.
    let scaled_parameter = weights[n - 1].sqrt();
    let mut small = DMatrix::identity(k + 2, k + 1);
    for (j, vector) in kernel.iter().enumerate() {
        small[(k + 1, j)] = vector[n - 1] * scaled_parameter;
    }
    let (directions, along_parameter) = coordinates(&small);
    if directions.ncols() != k + 1 {
        return None;
    }
    let (mut basis, mut rows) = (vec![], vec![]);
    for direction in directions.column_iter() {
        let mut vector = vec![0.0; n];
        for (own, factor) in kernel.iter().zip(direction.iter()) {
            vector.iter_mut().zip(own).for_each(|(v, k)| *v += factor * k);
        }
        let square = product(&vector, &vector);
        rows.extend(vector.iter().zip(weights).map(|(v, w)| v * w / square));
        basis.push(vector);
    }
    let mut sizes = vec![0.0; n];
    orbit.sizes(&at.z, &mut sizes);
    Some(Ok(AtCycle {
        orbit,
        z: at.z.clone(),
        sizes,
        basis,
        rows,
        along_parameter,
        added,
        columns,
    }))
}

/// The sizes of the condensed equations: of what says where the next segment begins at least that of its state, since
/// its derivatives may vanish.
fn equation_sizes(orbit: &PeriodicOrbit<'_>, z: &[f64], condensed: &DMatrix<f64>) -> Vec<f64> {
    let mut scales: Vec<f64> = condensed.row_iter().map(|row| row.norm()).collect();
    let sizes = orbit.sizes_at(z);
    let count = orbit.segments.len();
    let mut line = 0;
    for (k, s) in orbit.segments.iter().enumerate() {
        line += (s.scheme.states_left() - 1) * s.n + 1;
        let next = &orbit.segments[(k + 1) % count];
        let own = &sizes[next.offset..next.offset + next.n];
        for (scale, size) in scales[line..].iter_mut().zip(own) {
            *scale = scale.max(*size);
        }
        line += next.n;
    }
    scales
}

/// For each vector of `left`, which says what F' does not reach, what a new unknown adds to the equations: to those
/// of events, phase and junctions only, which determine the rest of these vectors.
fn unfolding(orbit: &PeriodicOrbit<'_>, scales: &[f64], left: &DMatrix<f64>) -> (Vec<Vec<f64>>, Vec<f64>) {
    let count = orbit.segments.len();
    let (mut all, mut columns) = (vec![], vec![]);
    for vector in left.column_iter() {
        let mut added = vec![];
        let mut line = 0;
        for (k, s) in orbit.segments.iter().enumerate() {
            let relations = (s.scheme.states_left() - 1) * s.n;
            let own = 1 + orbit.segments[(k + 1) % count].n;
            added.resize(added.len() + s.block().len(), 0.0);
            columns.resize(columns.len() + relations, 0.0);
            line += relations;
            let factors = (line..line + own).map(|i| vector[i] * scales[i]);
            added.extend(factors.clone());
            columns.extend(factors);
            line += own;
        }
        all.push(added);
    }
    (all, columns)
}

/// All half-branches that leave the branch point `at` of cycles where several multipliers pass together, on a sphere
/// that is small against the `range` of the parameter; `None` where only one other family crosses, or nothing can be
/// found out.
pub fn cycle_half_branches(orbit: &mut PeriodicOrbit<'_>, at: &Point, range: f64) -> Option<HalfBranches> {
    let mut reduced = match reduced(orbit, at)? {
        Ok(reduced) => reduced,
        Err(kernel) => return Some(HalfBranches::of_large(kernel)),
    };
    let kernel = reduced.added.len();
    let n = at.z.len();
    let found = on_spheres(&mut reduced, range * at.weights[n - 1].sqrt())?;
    let mut starts = vec![];
    for zero in found.zeros.iter().filter(|_| !found.continuum) {
        let z: Vec<f64> = at.z.iter().zip(&zero.offset).map(|(z, d)| z + d).collect();
        if orbit.linearise(&z, &mut vec![0.0; n - 1]).is_err() {
            continue;
        }
        // Away from the branch point.
        let row: Vec<f64> = zero.offset.iter().zip(&at.weights).map(|(d, w)| d * w).collect();
        starts.extend(tangent_at(orbit, z, &row, 1.0));
    }
    Some(HalfBranches {
        kernel,
        complete: found.complete && starts.len() == found.zeros.len(),
        starts,
        continuum: found.continuum,
    })
}
