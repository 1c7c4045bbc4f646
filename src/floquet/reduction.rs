//! From a chain of rectangular factors to a product of square, triangular ones.

use super::FloquetError;
use super::chain::FactorChain;
use super::planar::{largest, rescaling};
use crate::linalg::periodic_schur::PeriodicSchur;
use crate::linalg::scaled::Scaled;

/// Triangular factors are multiplied together as long as the product of their condition numbers stays below this. It costs that many
/// units of rounding, relative, and saves the iteration most of its work on orbits that are not stiff.
const MERGED_CONDITION: f64 = 64.0;
/// Factors with entries outside are scaled first.
const ORDINARY: std::ops::Range<f64> = 1e-100..1e100;

/// The square product that a [`Reduction`] has found, without its matrices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reduced {
    /// Its size: the rank that survives the cycle.
    pub size: usize,
    /// The eigenvalues are those of the reduced product times `2^exponent`.
    pub exponent: i64,
    /// |determinant| of the square product, the exponent included.
    pub determinant: Scaled,
}

/// Workspace of the QR sweep `A_k Q_{k-1} = Q_k R_k` round the cycle.
#[derive(Clone, Debug, Default)]
pub(super) struct Reduction {
    /// Orthonormal basis at the present node, column by column.
    basis: Vec<f64>,
    /// The basis at the start.
    start_basis: Vec<f64>,
    /// `A_k Q_{k-1}` without vanishing rows, then its Householder vectors and R.
    image: Vec<f64>,
    /// The rows of `A_k Q_{k-1}` that do not vanish.
    kept_rows: Vec<usize>,
    /// The Householder reflections: the column each was made from, and its coefficient.
    reflections: Vec<(usize, f64)>,
    /// The last R.
    triangle: Vec<f64>,
    /// The product of triangles not yet handed on.
    merged: Vec<f64>,
    /// The product of their condition numbers.
    condition: f64,
    inverse: Vec<f64>,
}

impl Reduction {
    /// Reduce the cyclic product to `schur`, starting from the smallest space on the way.
    ///
    /// If a factor maps the space that reaches it to one of lower dimension *exactly* (it has vanishing rows), the sweep
    /// starts again from that smaller space: exact zeros among the multipliers stay exact.
    pub(super) fn reduce(&mut self, chain: &FactorChain, schur: &mut PeriodicSchur) -> Result<Reduced, FloquetError> {
        let (mut start, mut size) = self.smallest_space(chain);
        loop {
            if size == 0 {
                schur.reset(0);
                return Ok(Reduced {
                    size,
                    exponent: 0,
                    determinant: Scaled::ONE,
                });
            }
            match self.sweep(chain, start, size, schur)? {
                Sweep::Done(reduced) => return Ok(reduced),
                Sweep::RankDrops { node, rank } => {
                    (start, size) = (node, rank);
                    self.start_basis.clone_from(&self.basis);
                }
            }
        }
    }

    /// The node whose outgoing factor depends on the fewest states. `start_basis` selects those states; the others are forgotten there.
    fn smallest_space(&mut self, chain: &FactorChain) -> (usize, usize) {
        let depends = |a: &[f64], cols: usize, j: usize| a.iter().skip(j).step_by(cols).any(|x| *x != 0.0);
        let mut smallest = (0, usize::MAX);
        for (node, (_, cols, a)) in chain.factors().enumerate() {
            let size = (0..cols).filter(|&j| depends(a, cols, j)).count();
            if size < smallest.1 {
                smallest = (node, size);
                self.start_basis.clear();
                for j in (0..cols).filter(|&j| depends(a, cols, j)) {
                    let first = self.start_basis.len();
                    self.start_basis.resize(first + cols, 0.0);
                    self.start_basis[first + j] = 1.0;
                }
            }
        }
        smallest
    }

    fn sweep(
        &mut self,
        chain: &FactorChain,
        start: usize,
        size: usize,
        schur: &mut PeriodicSchur,
    ) -> Result<Sweep, FloquetError> {
        let count = chain.len();
        schur.reset(size);
        self.merged.clear();
        self.condition = 1.0;
        self.basis.clone_from(&self.start_basis);
        // Powers of two taken out of the factors, and those taken out of merged triangles.
        let (mut of_factors, mut of_merged) = (0, 0);
        let mut determinant = Scaled::ONE;
        let factors = || chain.factors().enumerate();
        for (k, (rows, cols, a)) in factors().skip(start).chain(factors().take(start)) {
            of_factors += self.apply(a, rows, cols, size).ok_or_else(|| chain.not_finite())?;
            let node = (k + 1) % count;
            let closing = node == start;
            if closing {
                let h = schur.closing_factor();
                project(&self.start_basis, &self.image, rows, size, h);
                self.image.clear();
                self.image.extend_from_slice(h);
            }
            let rank = self.orthogonalise(if closing { size } else { rows }, size);
            if rank < size {
                if closing {
                    let coordinates = std::mem::take(&mut self.basis);
                    combine(&self.start_basis, &coordinates, rows, size, &mut self.basis);
                }
                return Ok(Sweep::RankDrops { node, rank });
            }
            for j in 0..size {
                determinant = determinant * self.triangle[j * size + j];
            }
            if !closing {
                of_merged += self.merge(size, schur);
            }
        }
        if !self.merged.is_empty() {
            schur.push_triangular(&self.merged);
        }
        Ok(Sweep::Done(Reduced {
            size,
            exponent: of_factors + of_merged,
            determinant: determinant.abs().shifted(of_factors * size as i64),
        }))
    }

    /// `image = 2^-e A Q`; returns e, `None` if A is not finite.
    fn apply(&mut self, a: &[f64], rows: usize, cols: usize, size: usize) -> Option<i64> {
        let largest = largest(a);
        if !largest.is_finite() {
            return None;
        }
        let ordinary = ORDINARY.contains(&largest);
        let (scale, exponent) = if ordinary { (1.0, 0) } else { rescaling(largest) };
        self.image.clear();
        for q in self.basis.chunks_exact(cols).take(size) {
            let column = a
                .chunks_exact(cols)
                .map(|row| row.iter().zip(q).map(|(a, q)| (a * scale) * q).sum::<f64>());
            self.image.extend(column);
        }
        debug_assert_eq!(self.image.len(), rows * size);
        Some(exponent)
    }

    /// Householder QR of `image` (rows×size): `triangle` and the new `basis`. Returns the rank, below `size` only if columns vanish
    /// exactly after elimination.
    fn orthogonalise(&mut self, rows: usize, size: usize) -> usize {
        self.sort_vanishing_rows(rows);
        let kept = self.kept_rows.len();
        let m = &mut self.image;
        self.reflections.clear();
        self.triangle.clear();
        self.triangle.resize(size * size, 0.0);
        let mut rank = 0;
        for j in 0..size {
            let (left, right) = m.split_at_mut((j + 1) * kept);
            let column = &mut left[j * kept..];
            self.triangle[j * size..j * size + rank].copy_from_slice(&column[..rank]);
            let tail = &mut column[rank..];
            let length = norm(tail);
            if length == 0.0 {
                continue;
            }
            let pivot = -length.copysign(tail[0]);
            self.triangle[j * size + rank] = pivot;
            // v = tail - pivot e₁, scaled so that v₁ = 1
            let first = tail[0] - pivot;
            tail[1..].iter_mut().for_each(|x| *x /= first);
            tail[0] = 1.0;
            let beta = -first / pivot;
            for other in right.chunks_exact_mut(kept) {
                reflect(tail, beta, &mut other[rank..]);
            }
            self.reflections.push((j, beta));
            rank += 1;
        }
        self.basis.clear();
        self.basis.resize(rows * rank, 0.0);
        for (column, q) in self.basis.chunks_exact_mut(rows).enumerate() {
            q[column] = 1.0;
            for (k, &(j, beta)) in self.reflections[..=column].iter().enumerate().rev() {
                reflect(&m[j * kept + k..(j + 1) * kept], beta, &mut q[k..kept]);
            }
            // back to the rows they belong to, last first so that none is overwritten
            for (from, &to) in self.kept_rows.iter().enumerate().rev() {
                q.swap(from, to);
            }
        }
        rank
    }

    /// Remove the rows of `image` that vanish exactly, and note in `kept_rows` which remain.
    fn sort_vanishing_rows(&mut self, rows: usize) {
        let m = &mut self.image;
        self.kept_rows.clear();
        self.kept_rows
            .extend((0..rows).filter(|&i| m.iter().skip(i).step_by(rows).any(|x| *x != 0.0)));
        let kept = self.kept_rows.len();
        if kept < rows {
            let columns = m.len() / rows;
            for j in 0..columns {
                for (to, &from) in self.kept_rows.iter().enumerate() {
                    m[j * kept + to] = m[j * rows + from];
                }
            }
            m.truncate(kept * columns);
        }
    }

    /// Multiply the triangle into `merged`, or hand `merged` on and start anew. Returns a binary exponent taken out.
    fn merge(&mut self, n: usize, schur: &mut PeriodicSchur) -> i64 {
        let condition = condition_1(&self.triangle, n, &mut self.inverse);
        if !self.merged.is_empty() && self.condition * condition <= MERGED_CONDITION {
            self.condition *= condition;
            multiply_triangles(&self.triangle, &mut self.merged, n);
        } else {
            if !self.merged.is_empty() {
                schur.push_triangular(&self.merged);
            }
            self.condition = condition;
            std::mem::swap(&mut self.merged, &mut self.triangle);
        }
        let size = largest(&self.merged);
        if ORDINARY.contains(&size) {
            return 0;
        }
        let (scale, exponent) = rescaling(size);
        self.merged.iter_mut().for_each(|x| *x *= scale);
        exponent
    }
}

enum Sweep {
    Done(Reduced),
    /// The factor into `node` has this rank; `basis` spans its image.
    RankDrops {
        node: usize,
        rank: usize,
    },
}

/// `out = Q₀ᵀ image`, all column by column.
fn project(basis: &[f64], image: &[f64], rows: usize, size: usize, out: &mut [f64]) {
    for (out, column) in out.chunks_exact_mut(size).zip(image.chunks_exact(rows)) {
        for (out, q) in out.iter_mut().zip(basis.chunks_exact(rows)) {
            *out = q.iter().zip(column).map(|(q, x)| q * x).sum();
        }
    }
}

/// `out = Q₀ coordinates`, all column by column.
fn combine(basis: &[f64], coordinates: &[f64], rows: usize, size: usize, out: &mut Vec<f64>) {
    out.clear();
    for c in coordinates.chunks_exact(size) {
        out.extend((0..rows).map(|i| c.iter().enumerate().map(|(k, c)| basis[k * rows + i] * c).sum::<f64>()));
    }
}

/// Euclidean length, safe against underflow.
fn norm(v: &[f64]) -> f64 {
    let square: f64 = v.iter().map(|x| x * x).sum();
    if square > 1e-280 {
        return square.sqrt();
    }
    let size = largest(v);
    if size == 0.0 {
        return 0.0;
    }
    let (scale, _) = rescaling(size);
    v.iter().map(|x| (x * scale) * (x * scale)).sum::<f64>().sqrt() / scale
}

/// `x -= β v (vᵀx)`.
#[inline]
fn reflect(v: &[f64], beta: f64, x: &mut [f64]) {
    let kick = beta * v.iter().zip(&*x).map(|(v, x)| v * x).sum::<f64>();
    x.iter_mut().zip(v).for_each(|(x, v)| *x -= kick * v);
}

/// The condition number of an upper triangular matrix in the 1-norm, by its inverse (left in `inverse`).
fn condition_1(r: &[f64], n: usize, inverse: &mut Vec<f64>) -> f64 {
    inverse.clear();
    inverse.resize(n * n, 0.0);
    let column_sum = |m: &[f64], j: usize| m[j * n..=j * n + j].iter().map(|x| x.abs()).sum::<f64>();
    let (mut norm, mut inverse_norm) = (0.0f64, 0.0f64);
    for j in 0..n {
        let x = &mut inverse[j * n..=j * n + j];
        x[j] = 1.0 / r[j * n + j];
        // back substitution column by column: x solves R x = e_j
        for k in (1..=j).rev() {
            let above = &r[k * n..k * n + k];
            let value = x[k];
            for (i, r) in above.iter().enumerate() {
                x[i] -= r * value;
            }
            x[k - 1] /= r[(k - 1) * n + k - 1];
        }
        norm = norm.max(column_sum(r, j));
        inverse_norm = inverse_norm.max(column_sum(inverse, j));
    }
    norm * inverse_norm
}

/// `s = r s` for upper triangular matrices.
fn multiply_triangles(r: &[f64], s: &mut [f64], n: usize) {
    for j in 0..n {
        let column = &mut s[j * n..=j * n + j];
        for i in 0..=j {
            column[i] = (i..=j).map(|k| r[k * n + i] * column[k]).sum();
        }
    }
}
