//! Eigenvalues and eigenvectors of small real matrices, with residuals that were looked at.
//!
//! A matrix is balanced first: a diagonal change of scales by powers of two, which costs no digits, makes rows and
//! columns equally long. What was measured in microns and in radians then counts alike, and "small" means small against
//! the matrix. Nothing is handed on whose residual was not verified.
//!
//! References: B. N. Parlett and C. Reinsch, Numer. Math. 13 (1969) 293–304; R. James, J. Langou and B. R. Lowery,
//! arXiv:1401.5766 (2014).

use super::singular::Singular;
use nalgebra::{Complex, ComplexField, DMatrix, DVector};

/// What is left of `(A - λ) q`, relative to A, where an eigenvalue and its vectors are good: 2⁻⁵² times what
/// eliminations of this size lose, and what the location of a bifurcation leaves in its eigenvalue.
const RESIDUAL: f64 = 1e-7;
/// The least product of unit left and right vectors: below it the eigenvalue is multiple to half of the digits, and has
/// no vectors of its own.
const DEFECTIVE: f64 = 1e-8;

/// The eigenvalues could not be computed.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("the eigenvalues of a matrix of {size} rows could not be computed")]
pub struct NoEigenvalues {
    size: usize,
}

/// The right and the left vector of an eigenvalue: `A q = λ q`, `Aᵀ p = λ̄ p`, `⟨p, q⟩ = 1`, `|q| = 1`, the largest
/// component of q real and positive.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Eigenvectors<T: ComplexField<RealField = f64>> {
    /// The right vector q.
    pub right: DVector<T>,
    /// The left vector p.
    pub left: DVector<T>,
}

/// A real square matrix A = D B D⁻¹ with its balanced form B.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Balanced {
    scale: Vec<f64>,
    matrix: DMatrix<f64>,
}

impl Balanced {
    /// Balance `matrix`.
    pub fn new(matrix: &DMatrix<f64>) -> Self {
        /// Rows and columns are equally long where another power of two gains less than this.
        const GAIN: f64 = 0.95;
        const SWEEPS: usize = 100;
        let n = matrix.nrows();
        let mut balanced = matrix.clone();
        let mut scale = vec![1.0f64; n];
        // What couples less than this counts for no more: triangular matrices have rows or columns that couple to
        // nothing.
        let diagonal = matrix.diagonal().iter().fold(0.0f64, |m, v| m.max(v.abs()));
        for _ in 0..SWEEPS {
            let mut changed = false;
            for i in 0..n {
                let off = |line: f64| {
                    let own = balanced[(i, i)].abs();
                    (line * line - own * own).max(0.0).sqrt()
                };
                let (column, row) = (off(balanced.column(i).norm()), off(balanced.row(i).norm()));
                let (c, r) = (column.hypot(diagonal), row.hypot(diagonal));
                if !(c > 0.0 && r > 0.0 && c.is_finite() && r.is_finite()) {
                    continue;
                }
                let factor = (0.5 * (r / c).log2()).round().exp2();
                let then = (column * factor).hypot(diagonal).hypot((row / factor).hypot(diagonal));
                let gained = then < GAIN * c.hypot(r);
                // Scales stay among the numbers.
                let next = scale[i] * factor;
                if !gained || !(1e-140..1e140).contains(&next) {
                    continue;
                }
                scale[i] = next;
                balanced.column_mut(i).scale_mut(factor);
                balanced.row_mut(i).scale_mut(factor.recip());
                changed = true;
            }
            if !changed {
                break;
            }
        }
        Self {
            scale,
            matrix: balanced,
        }
    }

    /// The units, powers of two, in which rows and columns are about equally long: D as its diagonal.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// The size of the balanced matrix: the Frobenius norm.
    pub(crate) fn size(&self) -> f64 {
        self.matrix.norm()
    }

    /// How many rows it has.
    pub(crate) fn rows(&self) -> usize {
        self.matrix.nrows()
    }

    /// The product of the unit left and right vectors of an eigenvalue in balanced scales, the inverse of its
    /// condition; `None` where it has no vectors of its own.
    pub(crate) fn overlap<T: ComplexField<RealField = f64>>(&self, eigenvalue: T) -> Option<f64> {
        if self.rows() == 1 {
            return Some(1.0);
        }
        let shifted = self.shifted(&eigenvalue);
        let right = Singular::of(&shifted)?.least();
        let left = Singular::of(&shifted.adjoint())?.least();
        let overlap = left.dotc(&right).modulus();
        (overlap >= DEFECTIVE).then_some(overlap)
    }

    /// All eigenvalues: largest real part first, conjugates adjacent with the positive imaginary part first.
    ///
    /// # Errors
    /// [`NoEigenvalues`] where the iteration fails, or what it gives has not the trace of the matrix or of its square.
    pub fn eigenvalues(&self) -> Result<Vec<Complex<f64>>, NoEigenvalues> {
        let n = self.matrix.nrows();
        let failed = NoEigenvalues { size: n };
        // Numbers near the largest or the least possible have squares that are none: sizes near one have.
        let largest = self.matrix.amax();
        if !largest.is_finite() {
            return Err(failed);
        }
        let unit = largest.max(f64::MIN_POSITIVE).log2().floor().exp2();
        let matrix = &self.matrix / unit;
        let found = faer::Mat::<f64>::from_fn(n, n, |i, j| matrix[(i, j)])
            .eigenvalues()
            .map_err(|_| failed)?;
        let mut values: Vec<Complex<f64>> = found.iter().map(|v| Complex::new(v.re, v.im)).collect();
        let (size, trace) = (matrix.norm(), matrix.trace());
        let of_square: f64 = (0..n)
            .flat_map(|i| (0..n).map(move |j| (i, j)))
            .map(|(i, j)| matrix[(i, j)] * matrix[(j, i)])
            .sum();
        let (first, second) = values
            .iter()
            .fold((0.0, 0.0), |(a, b), v| (a + v.re, b + v.re * v.re - v.im * v.im));
        // Backward stable eigenvalues are those of a matrix that differs by a few units of rounding for each of its
        // rows.
        let rounding = 100.0 * n as f64 * f64::EPSILON;
        let agree = |a: f64, b: f64, size: f64| (a - b).abs() <= rounding * size;
        if !agree(first, trace, size) || !agree(second, of_square, size * size) {
            return Err(failed);
        }
        values.iter_mut().for_each(|v| *v *= unit);
        values.sort_by(|a, b| {
            b.re.total_cmp(&a.re)
                .then(a.im.abs().total_cmp(&b.im.abs()))
                .then(b.im.total_cmp(&a.im))
        });
        Ok(values)
    }

    /// A - λ in balanced scales.
    fn shifted<T: ComplexField<RealField = f64>>(&self, eigenvalue: &T) -> DMatrix<T> {
        let mut shifted = self.matrix.map(T::from_real);
        for i in 0..shifted.nrows() {
            shifted[(i, i)] -= eigenvalue.clone();
        }
        shifted
    }

    /// The vectors of an eigenvalue; `None` where it is none, or is a multiple one that has no vectors of its own.
    pub fn eigenvectors<T: ComplexField<RealField = f64>>(&self, eigenvalue: T) -> Option<Eigenvectors<T>> {
        // A single equation has one vector, and where it is singular nothing to measure a residual against.
        if self.matrix.nrows() == 1 {
            let one = DVector::from_element(1, T::one());
            return Some(Eigenvectors {
                right: one.clone(),
                left: one,
            });
        }
        let shifted = self.shifted(&eigenvalue);
        let right = Singular::of(&shifted)?.least();
        let left = Singular::of(&shifted.adjoint())?.least();
        let size = self.size();
        let residual = (&shifted * &right).norm().max((shifted.adjoint() * &left).norm());
        let overlap = left.dotc(&right);
        if residual > RESIDUAL * size || overlap.clone().modulus() < DEFECTIVE {
            return None;
        }
        // Back in the matrix's own scales: q = D q', p = D⁻¹ p'.
        let mut right = DVector::from_fn(right.len(), |i, _| right[i].clone().scale(self.scale[i]));
        let mut left = DVector::from_fn(left.len(), |i, _| left[i].clone().unscale(self.scale[i]));
        let length = right.norm();
        let turn = phase(&right);
        right = right.map(|v| v.unscale(length) * turn.clone().conjugate());
        let overlap = left.dotc(&right);
        left = left.map(|v| v / overlap.clone().conjugate());
        let finite = right.iter().chain(left.iter()).all(|v| v.is_finite());
        finite.then_some(Eigenvectors { right, left })
    }

    /// `(s - A)⁻¹ r`; `None` where s is an eigenvalue to rounding.
    pub fn resolve<T: ComplexField<RealField = f64>>(&self, s: T, r: &DVector<T>) -> Option<DVector<T>> {
        /// A residual above this, relative to matrix, solution and right-hand side, says that the elimination went
        /// astray.
        const SOLVED: f64 = 1e-12;
        let matrix = -self.shifted(&s);
        let rhs = DVector::from_fn(r.len(), |i, _| r[i].clone().unscale(self.scale[i]));
        let h = matrix.clone().full_piv_lu().solve(&rhs)?;
        let left = (&matrix * &h - &rhs).norm();
        if !(left <= SOLVED * (matrix.norm() * h.norm() + rhs.norm())) {
            return None;
        }
        Some(DVector::from_fn(h.len(), |i, _| h[i].clone().scale(self.scale[i])))
    }

    /// The solution of `(A - λ) h = r - ⟨p, r⟩ q` with `⟨p, h⟩ = 0` for a simple real eigenvalue λ with these vectors:
    /// whatever the coordinates, the same.
    pub fn resolve_off(&self, eigenvalue: f64, vectors: &Eigenvectors<f64>, r: &DVector<f64>) -> Option<DVector<f64>> {
        let n = r.len();
        // In balanced scales both vectors get length one, so that they border the matrix with rows and columns of its
        // own size.
        let scaled =
            |v: &DVector<f64>, power: i32| DVector::from_fn(n, |i, _| v[i] * self.scale[i].powi(power)).normalize();
        let (right, left) = (scaled(&vectors.right, -1), scaled(&vectors.left, 1));
        let size = self.size().max(f64::MIN_POSITIVE);
        let mut matrix = DMatrix::zeros(n + 1, n + 1);
        matrix
            .view_mut((0, 0), (n, n))
            .copy_from(&(self.shifted(&eigenvalue) / size));
        matrix.view_mut((0, n), (n, 1)).copy_from(&right);
        matrix.view_mut((n, 0), (1, n)).copy_from(&left.transpose());
        let rhs = DVector::from_fn(n + 1, |i, _| if i < n { r[i] / self.scale[i] } else { 0.0 });
        let h = matrix.full_piv_lu().solve(&rhs)?;
        let finite = h.iter().all(|v| v.is_finite());
        finite.then(|| DVector::from_fn(n, |i, _| h[i] * self.scale[i] / size))
    }
}

/// The phase of the largest component, the first of those that are equally large: divided by it, a vector has that
/// component positive.
pub fn phase<T: ComplexField<RealField = f64>>(v: &DVector<T>) -> T {
    /// Components that differ by less than this part are equally large: rounding must not choose between them.
    const EQUAL: f64 = 1e-6;
    let largest = v.iter().fold(0.0f64, |m, v| m.max(v.clone().modulus()));
    let first = v.iter().find(|v| (*v).clone().modulus() >= (1.0 - EQUAL) * largest);
    first
        .filter(|_| largest > 0.0)
        .map_or_else(T::one, |v| v.clone().unscale(v.clone().modulus()))
}

/// All eigenvalues of a square matrix, as [`Balanced::eigenvalues`].
///
/// # Errors
/// As there.
pub fn eigenvalues(matrix: &DMatrix<f64>) -> Result<Vec<Complex<f64>>, NoEigenvalues> {
    Balanced::new(matrix).eigenvalues()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Matrices with structure and their eigenvalues.
    fn structured() -> Vec<(DMatrix<f64>, Vec<Complex<f64>>)> {
        let real = |v: &[f64]| v.iter().map(|&v| Complex::new(v, 0.0)).collect::<Vec<_>>();
        let mut all = vec![];
        for delta in [0.0, 1e-17, -1e-16, 1e-12, 0.3] {
            let (half, omega) = (0.5 * delta, f64::sqrt(1.0 - 0.25 * delta * delta));
            let pair = vec![Complex::new(half, omega), Complex::new(half, -omega)];
            all.push((DMatrix::from_row_slice(2, 2, &[0.0, 1.0, -1.0, delta]), pair));
        }
        for n in 2..9 {
            let one = |at: bool| f64::from(u8::from(at));
            let roots = (0..n).map(|k| Complex::from_polar(1.0, std::f64::consts::TAU * k as f64 / n as f64));
            all.push((DMatrix::from_fn(n, n, |r, c| one((r + 1) % n == c)), roots.collect()));
            let mut rank_one = vec![0.0; n];
            rank_one[0] = n as f64;
            all.push((DMatrix::from_element(n, n, 1.0), real(&rank_one)));
            let graded: Vec<f64> = (0..n).map(|k| -(1.0 + k as f64)).collect();
            // Triangular with couplings between scales that are 10⁸ apart.
            let upper = DMatrix::from_fn(n, n, |r, c| match r.cmp(&c) {
                std::cmp::Ordering::Less => 10f64.powi(8 * (c as i32 - r as i32).min(3)),
                std::cmp::Ordering::Equal => graded[r],
                std::cmp::Ordering::Greater => 0.0,
            });
            all.push((upper, real(&graded)));
            // A permutation in other scales.
            let roots = (0..n).map(|k| Complex::from_polar(1.0, std::f64::consts::TAU * k as f64 / n as f64));
            let scaled = DMatrix::from_fn(n, n, |r, c| {
                one((r + 1) % n == c) * 10f64.powi(5 * ((r * 7 % 5) as i32 - (c * 7 % 5) as i32))
            });
            all.push((scaled, roots.collect()));
        }
        all
    }

    #[test]
    fn eigenvalues_and_vectors_of_structured_matrices() {
        for (a, known) in structured() {
            let balanced = Balanced::new(&a);
            let found = balanced.eigenvalues().unwrap();
            for v in &known {
                let off = found.iter().map(|f| (f - v).norm()).fold(f64::INFINITY, f64::min);
                assert!(off < 1e-13 * balanced.size().max(1.0), "{v} missing by {off:e} {a}");
            }
            for v in known
                .iter()
                .filter(|v| known.iter().filter(|w| (*w - **v).norm() < 1e-3).count() == 1)
            {
                let Eigenvectors { right, left } = balanced.eigenvectors(*v).unwrap();
                assert!((right.norm() - 1.0).abs() < 1e-14 && (left.dotc(&right) - 1.0).norm() < 1e-13);
                let complex = a.map(|v| Complex::new(v, 0.0));
                // In the scales that balance the matrix the residual is rounding beside it.
                let own = |v: &DVector<Complex<f64>>| DVector::from_fn(v.len(), |i, _| v[i] / balanced.scale[i]).norm();
                let left_over = own(&(&complex * &right - &right * *v));
                assert!(left_over <= 1e-13 * balanced.size() * own(&right), "{left_over:e} {a}");
            }
        }
    }

    #[test]
    fn a_jordan_block_has_no_vectors_of_its_own() {
        for n in 2..6 {
            let jordan = DMatrix::from_fn(n, n, |r, c| f64::from(u8::from(r + 1 == c)));
            let balanced = Balanced::new(&jordan);
            assert!(balanced.eigenvectors(0.0).is_none());
            // What is no eigenvalue has no vectors either.
            assert!(balanced.eigenvectors(Complex::new(1.0, 1.0)).is_none());
        }
    }

    #[test]
    fn solutions_in_unequal_scales() {
        let d = [1e-9, 1.0, 1e7];
        let plain = DMatrix::from_row_slice(3, 3, &[0.0, 1.0, 0.2, -1.0, 0.1, 0.5, 0.3, 0.7, -2.0]);
        let scaled = DMatrix::from_fn(3, 3, |r, c| plain[(r, c)] * d[r] / d[c]);
        let rhs = DVector::from_vec(vec![1.0, -2.0, 0.5]);
        let i2 = Complex::new(0.0, 2.0);
        let one = |v: &DVector<f64>| v.map(|v| Complex::new(v, 0.0));
        let wanted = Balanced::new(&plain).resolve(i2, &one(&rhs)).unwrap();
        let found = Balanced::new(&scaled)
            .resolve(i2, &one(&DVector::from_fn(3, |i, _| rhs[i] * d[i])))
            .unwrap();
        for k in 0..3 {
            assert!((found[k] / d[k] - wanted[k]).norm() < 1e-14);
        }
        assert!(Balanced::new(&plain.map(|_| 0.0)).resolve(0.0, &rhs).is_none());
    }
}
