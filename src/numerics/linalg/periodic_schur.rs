//! Eigenvalues of a product of square matrices that is never formed.
//!
//! The product `P = F₀ F_{m-1} ⋯ F₁`, with `F₁ … F_{m-1}` upper triangular, is brought to periodic Schur form by
//! orthogonal changes of basis between the factors: `F₀` becomes upper Hessenberg, then block triangular with 1×1 and
//! 2×2 blocks, while the other factors stay upper triangular. Every rotation acts on the factors themselves, so the
//! eigenvalues are exact for factors perturbed by a few units of rounding of *their own* size, however large or small
//! the product is.
//!
//! * Strongly graded products (Floquet problems of stiff systems) are sorted by unshifted QR sweeps, which converge
//!   like the ratio of the moduli; what is left has eigenvalues of comparable size and gets implicit double shifts.
//! * Shifts and eigenvalues are computed in [`Scaled`] numbers from the diagonal blocks.
//!
//! References: A. Bojanczyk, G. Golub, P. Van Dooren, *The periodic Schur decomposition: algorithms and applications*,
//! Proc. SPIE 1770 (1992) 31–42; D. Kressner, *The periodic QR algorithm is a disguised QR algorithm*, Linear Algebra
//! Appl. 417 (2006) 423–433; K. Lust, *Improved numerical Floquet multipliers*, Int. J. Bifurcation Chaos 11 (2001)
//! 2389–2410.

use super::scaled::Scaled;
use super::scaled_eigen::{Eigenvalue, ScaledTriangle, eigenvalues_2x2};
use crate::stop::look;

/// The iteration did not separate the eigenvalues.
///
/// ```
/// use slipstick_floquet::FloquetError;
/// use slipstick_numerics::linalg::periodic_schur::NoConvergence;
/// let why = NoConvergence { block: 3, iterations: 60 };
/// assert!(why.to_string().contains("a block of size 3 after 60 iterations"));
/// // Multipliers fail for the same reason, with the same words.
/// assert!(FloquetError::from(why).to_string().contains("block of size 3"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("periodic QR did not converge on a block of size {block} after {iterations} iterations")]
pub struct NoConvergence {
    /// The size of the diagonal block that would not split.
    pub block: usize,
    /// How many iterations it got.
    pub iterations: usize,
}

/// Iterations a block may take before it splits.
const MAX_ITERATIONS: usize = 60;
/// Unshifted sweeps given to a graded block before shifts take over.
const MAX_UNSHIFTED: usize = 6;
/// Neighbouring diagonal products that differ by more than this power of two make a block graded.
const GRADED: i64 = 20;
/// After so many iterations a subdiagonal entry counts as zero by size alone, whatever its neighbours.
const STRICT_ITERATIONS: usize = 12;
/// After so many iterations a block resists the usual shifts, as where eigenvalues coincide in pairs.
const RESISTS: usize = 10;
/// And after so many where it is rounding of its factor, although its neighbours on the diagonal may be smaller.
const LOOSE_ITERATIONS: usize = 30;
/// What is left then of a block in which three or more eigenvalues are equal is what rounding puts there anew in each
/// sweep, in every factor: what counts as rounding is doubled each time after so many iterations.
const DOUBLED_AFTER: usize = 2;

/// A product of square factors under reduction; a workspace that can be filled again.
///
/// ```
/// use slipstick_numerics::linalg::periodic_schur::PeriodicSchur;
/// use slipstick_numerics::linalg::scaled_eigen::Eigenvalue;
/// // [2 1; 1 2] has the eigenvalues 3 and 1; two factors of 10³⁰⁰ before it make them larger than any double.
/// let mut schur = PeriodicSchur::new();
/// schur.reset(2);
/// schur.closing_factor().copy_from_slice(&[2.0, 1.0, 1.0, 2.0]);
/// for _ in 0..2 {
///     schur.push_triangular(&[1e300, 0.0, 0.0, 1e300]);
/// }
/// let mut found = vec![];
/// schur.eigenvalues(&mut found)?;
/// let mut log10: Vec<f64> = found.iter().map(|e| match e { Eigenvalue::Real(x) => x.log10(), _ => f64::NAN }).collect();
/// log10.sort_by(f64::total_cmp);
/// assert!((log10[0] - 600.0).abs() < 1e-10 && (log10[1] - 600.0 - 3f64.log10()).abs() < 1e-10);
/// # Ok::<(), slipstick_numerics::linalg::periodic_schur::NoConvergence>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct PeriodicSchur {
    n: usize,
    /// Factor after factor, each n×n column by column: F₀, F₁, …
    data: Vec<f64>,
    /// Rotations of one sweep.
    rotations: Vec<(f64, f64)>,
}

impl PeriodicSchur {
    /// An empty workspace.
    pub fn new() -> Self {
        Self::default()
    }
    /// Start a new product of n×n factors: `F₀ = 0` and no others.
    pub fn reset(&mut self, n: usize) {
        self.n = n;
        self.data.clear();
        self.data.resize(n * n, 0.0);
    }
    /// The full factor F₀, column by column.
    pub fn closing_factor(&mut self) -> &mut [f64] {
        &mut self.data[..self.n * self.n]
    }
    /// Append an upper triangular factor (zeros below its diagonal), column by column, that acts after those pushed
    /// before.
    pub fn push_triangular(&mut self, factor: &[f64]) {
        debug_assert_eq!(factor.len(), self.n * self.n);
        self.data.extend_from_slice(factor);
    }
    /// How many factors there are.
    pub fn len(&self) -> usize {
        self.data.len() / (self.n * self.n).max(1)
    }
    /// Are the factors 0×0?
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Reduce to periodic Schur form and append the n eigenvalues to `out`, from the last diagonal block to the first.
    ///
    /// # Errors
    /// [`NoConvergence`] if a block resists; not seen in practice for finite factors.
    pub fn eigenvalues(&mut self, out: &mut Vec<Eigenvalue>) -> Result<(), NoConvergence> {
        if self.n == 0 {
            return Ok(());
        }
        self.reduce_to_hessenberg();
        let mut high = self.n - 1;
        let mut iterations = 0;
        let mut active = (0, high);
        loop {
            look();
            let low = self.deflate(high, iterations);
            if low + 1 >= high {
                self.read_block(low, high, out);
                if low == 0 {
                    return Ok(());
                }
                high = low - 1;
                continue;
            }
            if active != (low, high) {
                active = (low, high);
                iterations = 0;
            }
            if iterations == MAX_ITERATIONS {
                return Err(NoConvergence {
                    block: high + 1 - low,
                    iterations,
                });
            }
            if iterations < MAX_UNSHIFTED && self.is_graded(low, high) {
                self.unshifted_sweep(low, high);
            } else {
                self.shifted_sweep(low, high, iterations);
            }
            iterations += 1;
        }
    }

    fn h(&self, i: usize, j: usize) -> f64 {
        self.data[j * self.n + i]
    }

    /// Rotate rows i, i+1 of F₀ from column `from` to `high`.
    fn rotate_closing_rows(&mut self, i: usize, (c, s): (f64, f64), from: usize, high: usize) {
        rotate_rows(&mut self.data[..self.n * self.n], self.n, i, (c, s), from, high);
    }

    /// Carry the change of basis in the plane (i, i+1) through the triangular factors of the window: each is rotated
    /// from the right and made triangular again from the left. Then rotate the columns of F₀ down to row `last`.
    fn propagate(&mut self, i: usize, rotation: (f64, f64), low: usize, high: usize, last: usize) {
        let n = self.n;
        let mut rotation = rotation;
        let (closing, triangular) = self.data.split_at_mut(n * n);
        for factor in triangular.chunks_exact_mut(n * n) {
            if rotation == (1.0, 0.0) {
                return;
            }
            rotate_columns(factor, n, i, rotation, low, i + 1);
            let (diagonal, below) = (i * n + i, i * n + i + 1);
            let (c, s, r) = givens(factor[diagonal], factor[below]);
            factor[diagonal] = r;
            factor[below] = 0.0;
            rotation = (c, s);
            rotate_rows(factor, n, i, rotation, i + 1, high);
        }
        rotate_columns(closing, n, i, rotation, low, last);
    }

    /// Similarity by the rotation in the plane (i, i+1) that annihilates `F₀(i+1, column)` against `F₀(i, column)`.
    fn annihilate(&mut self, i: usize, column: usize, low: usize, high: usize, last: usize) {
        let (c, s, r) = givens(self.h(i, column), self.h(i + 1, column));
        self.rotate_closing_rows(i, (c, s), column + 1, high);
        self.data[column * self.n + i] = r;
        self.data[column * self.n + i + 1] = 0.0;
        self.propagate(i, (c, s), low, high, last);
    }

    fn reduce_to_hessenberg(&mut self) {
        let high = self.n - 1;
        for column in 0..self.n.saturating_sub(2) {
            look();
            for i in (column + 1..high).rev() {
                self.annihilate(i, column, 0, high, high);
            }
        }
    }

    /// Set the last negligible subdiagonal entry of F₀ above `high` to zero; the first row of the block that ends at
    /// `high`.
    fn deflate(&mut self, high: usize, iterations: usize) -> usize {
        for i in (0..high).rev() {
            let below = self.h(i + 1, i).abs();
            let (d, e) = (self.h(i, i).abs(), self.h(i + 1, i + 1).abs());
            let size = if d + e > 0.0 && iterations < LOOSE_ITERATIONS {
                d + e
            } else {
                let doublings = iterations.saturating_sub(LOOSE_ITERATIONS) / DOUBLED_AFTER;
                self.closing_norm(high) * (1u64 << doublings) as f64
            };
            let strict = iterations < STRICT_ITERATIONS && d > 0.0 && e > 0.0;
            // The strict test keeps the smaller of two graded eigenvalues accurate (Ahues & Tisseur).
            if below <= f64::EPSILON * size && (!strict || below * self.h(i, i + 1).abs() <= f64::EPSILON * d * e) {
                self.data[i * self.n + i + 1] = 0.0;
                return i + 1;
            }
        }
        0
    }

    fn closing_norm(&self, high: usize) -> f64 {
        (0..=high)
            .flat_map(|j| (0..=high).map(move |i| (i, j)))
            .fold(0.0, |m: f64, (i, j)| m.max(self.h(i, j).abs()))
    }

    /// The product of the i-th diagonal entries of the triangular factors.
    fn diagonal_product(&self, i: usize) -> Scaled {
        let n = self.n;
        self.data
            .chunks_exact(n * n)
            .skip(1)
            .fold(Scaled::ONE, |p, f| p * f[i * n + i])
    }

    fn is_graded(&self, low: usize, high: usize) -> bool {
        let mut previous = self.diagonal_product(low);
        (low + 1..=high).any(|i| {
            let next = self.diagonal_product(i);
            let graded =
                previous.shifted(-GRADED).cmp_abs(next).is_gt() || next.shifted(-GRADED).cmp_abs(previous).is_gt();
            previous = next;
            graded
        })
    }

    /// The product of the 2×2 diagonal blocks at (i, i+1) of the triangular factors.
    fn triangle(&self, i: usize) -> ScaledTriangle {
        let n = self.n;
        let mut t = ScaledTriangle::IDENTITY;
        for f in self.data.chunks_exact(n * n).skip(1) {
            t.prepend(f[i * n + i], f[(i + 1) * n + i], f[(i + 1) * n + i + 1]);
        }
        t
    }

    /// The 2×2 diagonal block of F₀ at (i, i+1), row by row.
    fn closing_block(&self, i: usize) -> [f64; 4] {
        [self.h(i, i), self.h(i, i + 1), self.h(i + 1, i), self.h(i + 1, i + 1)]
    }

    fn read_block(&self, low: usize, high: usize, out: &mut Vec<Eigenvalue>) {
        if low == high {
            out.push(Eigenvalue::Real(self.diagonal_product(low) * self.h(low, low)));
            return;
        }
        let block = self.closing_block(low);
        let t = self.triangle(low);
        let (first, second) = eigenvalues_2x2(block, &t, determinant(block) * t.a * t.d);
        out.push(first);
        out.extend(second);
    }

    /// One QR step without shift, factor by factor: `F₀ = QR`, then Q moves round the cycle.
    fn unshifted_sweep(&mut self, low: usize, high: usize) {
        let mut rotations = std::mem::take(&mut self.rotations);
        rotations.clear();
        for i in low..high {
            let (c, s, r) = givens(self.h(i, i), self.h(i + 1, i));
            self.rotate_closing_rows(i, (c, s), i + 1, high);
            self.data[i * self.n + i] = r;
            self.data[i * self.n + i + 1] = 0.0;
            rotations.push((c, s));
        }
        for (i, &rotation) in (low..high).zip(&rotations) {
            self.propagate(i, rotation, low, high, i + 1);
        }
        self.rotations = rotations;
    }

    /// One implicit double-shift step on the block `low..=high` (at least 3×3): a bulge is made from the first column
    /// of `(P - σ₁)(P - σ₂)` and chased down.
    fn shifted_sweep(&mut self, low: usize, high: usize, iterations: usize) {
        let Some(first) = self.first_column(low, high, iterations) else {
            self.unshifted_sweep(low, high);
            return;
        };
        let last = |i: usize| (i + 3).min(high);
        let (c, s, r) = givens(first[1], first[2]);
        self.rotate_closing_rows(low + 1, (c, s), low, high);
        self.propagate(low + 1, (c, s), low, high, last(low + 1));
        let (c, s, _) = givens(first[0], r);
        self.rotate_closing_rows(low, (c, s), low, high);
        self.propagate(low, (c, s), low, high, last(low));
        for column in low..high - 1 {
            if column + 3 <= high {
                self.annihilate(column + 2, column, low, high, last(column + 2));
            }
            self.annihilate(column + 1, column, low, high, last(column + 1));
        }
    }

    /// The first three entries of the first column of `(P - σ₁)(P - σ₂)`, up to a factor, σ being the eigenvalues of
    /// the last 2×2 block. `None` if the block is so badly ordered that the shifts would hide all the rest.
    fn first_column(&self, low: usize, high: usize, iterations: usize) -> Option<[f64; 3]> {
        let tail = self.triangle(high - 1);
        let block = self.closing_block(high - 1);
        // The last block of the cyclically permuted product F_{m-1}⋯F₁F₀ needs no entries outside these blocks.
        let (mut sum, mut product) = (
            tail.a * block[0] + tail.b * block[2] + tail.d * block[3],
            determinant(block) * tail.a * tail.d,
        );
        if iterations % 10 == 9 {
            let size = self.mean_modulus(low, high);
            (sum, product) = (size * 1.5, size * size);
        }
        let head = self.triangle(low);
        let [h11, h12, h21, h22] = self.closing_block(low);
        let p11 = head.a * h11 + head.b * h21;
        let p22 = head.d * h22;
        let below = head.d * self.h(low + 2, low + 1);
        let size = p11
            .max_abs(p22)
            .max_abs(head.d * h12)
            .max_abs(below)
            .max_abs(head.a * h21);
        if sum.abs().shifted(-GRADED).cmp_abs(size).is_gt() {
            return None;
        }
        let exceptional = iterations % 10 == 9;
        let v = if iterations < RESISTS || exceptional {
            [
                (p11 - sum) * h11 / Scaled::from(h21) + head.d * h12 + product / (head.a * h21),
                p11 + p22 - sum,
                below,
            ]
        } else {
            let corner = head.a * h11;
            let (square, sum) = self.shifts_that_part(high, iterations, corner);
            [
                square / (head.a * h21) + head.b * h11 + head.d * h12,
                corner + p22 - sum + head.b * h21,
                below,
            ]
        };
        let largest = v[0].max_abs(v[1]).max_abs(v[2]);
        let v = v.map(|x| (x / largest).to_f64());
        v.iter().all(|x| x.is_finite()).then_some(v)
    }

    /// For a block that resists: `(corner - σ₁)(corner - σ₂)` and `σ₁ + σ₂`.
    ///
    /// Where all eigenvalues of the block nearly coincide the product is one of small differences. Where another part
    /// of the block has the same pair of eigenvalues as its end, both of them together make nothing of either part:
    /// one real shift is taken twice, and their mean now and then in place of complex ones.
    fn shifts_that_part(&self, high: usize, iterations: usize, corner: Scaled) -> (Scaled, Scaled) {
        let tail = self.triangle(high - 1);
        let block = self.closing_block(high - 1);
        let first = tail.a * block[0] + tail.b * block[2];
        let last = tail.d * block[3];
        let twice = |shift: Scaled| ((corner - shift) * (corner - shift), shift * 2.0);
        match eigenvalues_2x2(block, &tail, determinant(block) * tail.a * tail.d) {
            (Eigenvalue::Real(a), Some(Eigenvalue::Real(b))) => {
                twice(if (a - last).cmp_abs(b - last).is_le() { a } else { b })
            }
            (Eigenvalue::Pair { .. }, _) if iterations.is_multiple_of(3) => twice((first + last) * 0.5),
            _ => {
                let beside = (tail.a * block[1] + tail.b * block[3]) * (tail.d * block[2]);
                ((first - corner) * (last - corner) - beside, first + last)
            }
        }
    }

    /// Roughly the geometric mean of the moduli of a block: the exceptional shift.
    fn mean_modulus(&self, low: usize, high: usize) -> Scaled {
        let logs: f64 = (low..=high)
            .map(|i| {
                let column = (low..=high).fold(f64::MIN_POSITIVE, |m, j| m.max(self.h(j, i).abs()));
                (self.diagonal_product(i) * column).log10()
            })
            .sum();
        Scaled::from_log10(logs / (high + 1 - low) as f64)
    }
}

fn determinant(block: [f64; 4]) -> Scaled {
    Scaled::from(block[0]) * block[3] - Scaled::from(block[1]) * block[2]
}

/// `(c, s, r)` with `c a + s b = r`, `-s a + c b = 0`, `c² + s² = 1`.
#[inline]
pub(crate) fn givens(a: f64, b: f64) -> (f64, f64, f64) {
    if b == 0.0 {
        return (1.0, 0.0, a);
    }
    let square = a * a + b * b;
    if square > 1e-280 && square < 1e280 {
        let r = square.sqrt();
        return (a / r, b / r, r);
    }
    let scale = a.abs().max(b.abs());
    let (x, y) = (a / scale, b / scale);
    let r = (x * x + y * y).sqrt();
    (x / r, y / r, r * scale)
}

/// Rotate the rows i, i+1 of the n×n matrix `m` in the columns `from..=to`.
#[inline]
fn rotate_rows(m: &mut [f64], n: usize, i: usize, (c, s): (f64, f64), from: usize, to: usize) {
    for column in m.chunks_exact_mut(n).take(to + 1).skip(from) {
        let (x, y) = (column[i], column[i + 1]);
        column[i] = c * x + s * y;
        column[i + 1] = c * y - s * x;
    }
}

/// Rotate the columns i, i+1 of the n×n matrix `m` in the rows `from..=to`.
#[inline]
fn rotate_columns(m: &mut [f64], n: usize, i: usize, (c, s): (f64, f64), from: usize, to: usize) {
    let (left, right) = m[i * n..(i + 2) * n].split_at_mut(n);
    for (x, y) in left[from..=to].iter_mut().zip(&mut right[from..=to]) {
        (*x, *y) = (c * *x + s * *y, c * *y - s * *x);
    }
}
