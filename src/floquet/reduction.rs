//! From a chain of rectangular factors to a product of square, triangular ones.

use super::FloquetError;
use super::chain::FactorChain;
use super::frame::{Frame, ORDINARY};
use super::planar::{largest, rescaling};
use slipstick_numerics::linalg::periodic_schur::PeriodicSchur;
use slipstick_numerics::linalg::scaled::Scaled;

/// Triangular factors are multiplied together as long as the product of their condition numbers stays below this. It
/// costs that many units of rounding, relative, and saves the iteration most of its work on orbits that are not stiff.
const MERGED_CONDITION: f64 = 64.0;
/// The powers of two in one part of a growth: entries, determinants and ratios stay far within the doubles.
const PART: u64 = 300;
/// The most powers of two that a growth is split up for where it meets more than two states: 10^(±10⁸).
const MOST_GROWTH: u64 = 400_000_000;
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
    frame: Frame,
    /// The frame at the start.
    start_basis: Vec<f64>,
    /// The product of triangles not yet handed on.
    merged: Vec<f64>,
    /// The product of their condition numbers.
    condition: f64,
    inverse: Vec<f64>,
}

impl Reduction {
    /// Reduce the cyclic product to `schur`, starting from the smallest space on the way.
    ///
    /// If a factor maps the space that reaches it to one of lower dimension *exactly* (it has vanishing rows), the
    /// sweep starts again from that smaller space: exact zeros among the multipliers stay exact.
    pub(super) fn reduce(&mut self, chain: &FactorChain, schur: &mut PeriodicSchur) -> Result<Reduced, FloquetError> {
        let (mut start, mut size) = self.smallest_space(chain);
        self.align(chain, start, size);
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
                    self.start_basis.clone_from(&self.frame.basis);
                }
            }
        }
    }

    /// The node whose outgoing factor depends on the fewest states. `start_basis` selects those states; the others are
    /// forgotten there.
    fn smallest_space(&mut self, chain: &FactorChain) -> (usize, usize) {
        let depends = |a: &[f64], cols: usize, j: usize| a.iter().skip(j).step_by(cols).any(|x| *x != 0.0);
        let mut smallest = (0, usize::MAX);
        for (node, (_, cols, a)) in chain.factors().enumerate() {
            let size = if a.iter().take(cols).all(|x| *x != 0.0) && !a.is_empty() {
                cols
            } else {
                (0..cols).filter(|&j| depends(a, cols, j)).count()
            };
            if size < smallest.1 {
                smallest = (node, size);
                self.start_basis.clear();
                self.start_basis.resize(cols * size, 0.0);
                for (k, j) in (0..cols).filter(|&j| depends(a, cols, j)).enumerate() {
                    self.start_basis[j * size + k] = 1.0;
                }
            }
        }
        smallest
    }

    /// Turn the frame at the start so that its first vectors are images of the directions that grow most where these
    /// grew last, each by its own. Vectors that are nearly orthogonal to these would be made of rounding where they
    /// grow again.
    fn align(&mut self, chain: &FactorChain, start: usize, size: usize) {
        let count = chain.len();
        let nodes = (0..count).map(|back| (start + count - back) % count);
        let last = nodes.clone().find(|&node| chain.has_directions(node));
        let Some(last) = last.filter(|&last| last != start && chain.dims()[last] >= size) else {
            return;
        };
        self.frame.basis.clear();
        self.frame.basis.resize(chain.dims()[last] * size, 0.0);
        let diagonal = self.frame.basis.iter_mut().step_by(size + 1);
        diagonal.take(size).for_each(|entry| *entry = 1.0);
        let factors = || chain.factors().enumerate();
        let between = factors().skip(last).chain(factors().take(last));
        let reaches = |frame: &mut Frame, a: &[f64], rows: usize| {
            frame.propagate(a, rows, size).is_some_and(|(_, rank)| rank == size)
        };
        for (_, (rows, _, a)) in between.take_while(|(k, _)| *k != start) {
            if !reaches(&mut self.frame, a, rows) {
                return;
            }
        }
        let dim = self.start_basis.len() / size;
        let mut transposed = vec![0.0; size * dim];
        for (i, row) in self.start_basis.chunks_exact(size).enumerate() {
            for (j, v) in row.iter().enumerate() {
                transposed[j * dim + i] = *v;
            }
        }
        if reaches(&mut self.frame, &transposed, size) {
            let turn = &self.frame.basis;
            let rows = self.start_basis.chunks_exact(size);
            let entry = |row: &[f64], j: usize| (0..size).map(|k| row[k] * turn[k * size + j]).sum();
            self.start_basis = rows.flat_map(|row| (0..size).map(move |j| entry(row, j))).collect();
        }
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
        self.frame.basis.clone_from(&self.start_basis);
        // Powers of two taken out of the factors, and those taken out of merged triangles.
        let (mut of_factors, mut of_merged) = (0, 0);
        let mut determinant = Scaled::ONE;
        let factors = || chain.factors().enumerate();
        for (k, (rows, _, a)) in factors().skip(start).chain(factors().take(start)) {
            let node = (k + 1) % count;
            for part in parts(chain.growth_at(k))? {
                let propagated = match chain.has_directions(k) {
                    true => self.frame.propagate_graded(&part, size),
                    false => self.frame.propagate(&part, chain.dims()[k], size),
                };
                let (exponent, rank) = propagated.ok_or_else(|| chain.not_finite())?;
                if rank < size {
                    return Ok(Sweep::RankDrops { node: k, rank });
                }
                of_factors += exponent;
                for diagonal in self.frame.triangle.iter().step_by(size + 1) {
                    determinant = determinant * *diagonal;
                }
                of_merged += self.merge(size, schur);
            }
            let propagated = if node == start {
                self.frame
                    .close(a, rows, size, &self.start_basis, schur.closing_factor())
            } else {
                self.frame.propagate(a, rows, size)
            };
            let (exponent, rank) = propagated.ok_or_else(|| chain.not_finite())?;
            if rank < size {
                return Ok(Sweep::RankDrops { node, rank });
            }
            of_factors += exponent;
            for diagonal in self.frame.triangle.iter().step_by(size + 1) {
                determinant = determinant * *diagonal;
            }
            if node != start {
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

    /// Multiply the triangle into `merged`, or hand `merged` on and start anew. Returns a binary exponent taken out.
    fn merge(&mut self, n: usize, schur: &mut PeriodicSchur) -> i64 {
        // The same code, unrolled where n is small and known.
        let condition = match n {
            3 => condition_1(&self.frame.triangle, 3, &mut self.inverse),
            4 => condition_1(&self.frame.triangle, 4, &mut self.inverse),
            _ => condition_1(&self.frame.triangle, n, &mut self.inverse),
        };
        if !self.merged.is_empty() && self.condition * condition <= MERGED_CONDITION {
            self.condition *= condition;
            match n {
                3 => multiply_triangles(&self.frame.triangle, &mut self.merged, 3),
                4 => multiply_triangles(&self.frame.triangle, &mut self.merged, 4),
                _ => multiply_triangles(&self.frame.triangle, &mut self.merged, n),
            }
        } else {
            if !self.merged.is_empty() {
                schur.push_triangular(&self.merged);
            }
            self.condition = condition;
            std::mem::swap(&mut self.merged, &mut self.frame.triangle);
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

/// Growth as factors of moderate size, one after the other, each row by row.
fn parts(growth: Option<&[i64]>) -> Result<impl Iterator<Item = Vec<f64>>, FloquetError> {
    let growth = growth.unwrap_or_default();
    let most = growth.iter().map(|g| g.unsigned_abs()).max().unwrap_or(0);
    let count = most.div_ceil(PART) as i64;
    if most > MOST_GROWTH {
        return Err(FloquetError::Growth {
            decades: most as f64 * std::f64::consts::LOG10_2,
        });
    }
    // Whole powers of two that add up exactly.
    let power = move |total: i64, k: i64| (((k + 1) * total).div_euclid(count) - (k * total).div_euclid(count)) as f64;
    Ok((0..count).map(move |k| {
        let mut part = vec![0.0; growth.len() * growth.len()];
        let diagonal = part.iter_mut().step_by(growth.len() + 1);
        diagonal.zip(growth).for_each(|(entry, g)| *entry = power(*g, k).exp2());
        part
    }))
}

enum Sweep {
    Done(Reduced),
    /// The factor into `node` has this rank; `basis` spans its image.
    RankDrops {
        node: usize,
        rank: usize,
    },
}

/// The condition number of an upper triangular matrix in the 1-norm, by its inverse; only a lower bound if that is too
/// large to merge.
#[inline(always)]
fn condition_1(r: &[f64], n: usize, inverse: &mut Vec<f64>) -> f64 {
    let diagonal = || r.iter().step_by(n + 1).map(|x| x.abs());
    let spread = diagonal().fold(0.0, f64::max) / diagonal().fold(f64::INFINITY, f64::min);
    if spread > MERGED_CONDITION {
        return spread;
    }
    inverse.clear();
    inverse.resize(n * n, 0.0);
    let (mut norm, mut inverse_norm) = (0.0f64, 0.0f64);
    for (j, (x, column)) in inverse.chunks_exact_mut(n).zip(r.chunks_exact(n)).enumerate() {
        x[j] = 1.0 / column[j];
        // back substitution column by column: x solves R x = e_j
        for k in (1..=j).rev() {
            let above = &r[k * n..(k + 1) * n];
            for i in 0..k {
                x[i] -= above[i] * x[k];
            }
            x[k - 1] /= r[(k - 1) * (n + 1)];
        }
        norm = norm.max(column.iter().map(|x| x.abs()).sum());
        inverse_norm = inverse_norm.max(x.iter().map(|x| x.abs()).sum());
    }
    norm * inverse_norm
}

/// `s = r s` for upper triangular matrices.
#[inline(always)]
fn multiply_triangles(r: &[f64], s: &mut [f64], n: usize) {
    let r = &r[..n * n];
    for (j, column) in s.chunks_exact_mut(n).enumerate() {
        for i in 0..=j {
            column[i] = (i..=j).map(|k| r[k * n + i] * column[k]).sum();
        }
    }
}
