//! The first derivative of a field or map at a point, as normal forms need it: its vectors and its resolvent, by dense
//! or by sparse factors.

use nalgebra::{Complex, ComplexField, DMatrix, DVector};
use slipstick_numerics::linalg::eigen::{Balanced, Eigenvectors, phase};
use slipstick_numerics::linalg::sparse::{Entry, Order, SparseFactors, SparseMatrix};

/// A square matrix.
pub(super) enum Linear {
    Dense(DMatrix<f64>),
    /// With an order in which its columns are eliminated.
    Sparse(SparseMatrix, Order),
}

/// Numbers of both kinds of factors.
trait Number: ComplexField<RealField = f64> + Entry {}
impl Number for f64 {}
impl Number for Complex<f64> {}

/// With more rows than this inverse iteration takes the place of a decomposition into singular values.
const DENSE: usize = 32;

impl Linear {
    /// A full matrix.
    pub(super) fn of(matrix: DMatrix<f64>) -> Self {
        let n = matrix.nrows();
        if n <= DENSE {
            return Self::Dense(matrix);
        }
        let row = |r: usize| {
            let entries = (0..n).map(|c| (c, matrix[(r, c)]));
            entries.filter(|(c, v)| *v != 0.0 || *c == r).collect()
        };
        let rows: Vec<Vec<(usize, f64)>> = (0..n).map(row).collect();
        let sparse = SparseMatrix::from_rows(n, &rows);
        let order = Order::of(&sparse);
        Self::Sparse(sparse, order)
    }

    /// The vectors of an eigenvalue; `None` where it is none, or a multiple one that has no vectors of its own.
    pub(super) fn complex_vectors(&self, eigenvalue: Complex<f64>) -> Option<Eigenvectors<Complex<f64>>> {
        match self {
            Self::Dense(matrix) => Balanced::new(matrix).eigenvectors(eigenvalue),
            Self::Sparse(matrix, order) => vectors(matrix, order, eigenvalue),
        }
    }

    /// Those of a real one.
    pub(super) fn real_vectors(&self, eigenvalue: f64) -> Option<Eigenvectors<f64>> {
        match self {
            Self::Dense(matrix) => Balanced::new(matrix).eigenvectors(eigenvalue),
            Self::Sparse(matrix, order) => vectors(matrix, order, eigenvalue),
        }
    }

    /// `(s - A)⁻¹ r`; `None` where s is an eigenvalue to rounding.
    pub(super) fn complex_resolve(&self, s: Complex<f64>, r: &DVector<Complex<f64>>) -> Option<DVector<Complex<f64>>> {
        match self {
            Self::Dense(matrix) => Balanced::new(matrix).resolve(s, r),
            Self::Sparse(matrix, order) => resolve(matrix, order, s, r),
        }
    }

    /// The same in real numbers.
    pub(super) fn real_resolve(&self, s: f64, r: &DVector<f64>) -> Option<DVector<f64>> {
        match self {
            Self::Dense(matrix) => Balanced::new(matrix).resolve(s, r),
            Self::Sparse(matrix, order) => resolve(matrix, order, s, r),
        }
    }

    /// The solution of `(A - λ) h = r - ⟨p, r⟩ q` with `⟨p, h⟩ = 0` for a simple real eigenvalue λ with these vectors.
    pub(super) fn resolve_off(
        &self,
        eigenvalue: f64,
        vectors: &Eigenvectors<f64>,
        r: &DVector<f64>,
    ) -> Option<DVector<f64>> {
        match self {
            Self::Dense(matrix) => Balanced::new(matrix).resolve_off(eigenvalue, vectors, r),
            Self::Sparse(matrix, order) => {
                let (q, p) = (&vectors.right, &vectors.left);
                let beside = r - q * p.dot(r);
                // The matrix is singular to rounding: what that adds lies along q.
                let mut h = -resolve(matrix, order, near(eigenvalue), &beside)?;
                for _ in 0..2 {
                    let along = p.dot(&h);
                    h -= q * along;
                }
                Some(h)
            }
        }
    }
}

/// An eigenvalue moved by what its rounding is, so that factors are regular.
fn near<T: Number>(eigenvalue: T) -> T {
    const MOVED: f64 = 1e-13;
    let size = Entry::modulus(eigenvalue);
    eigenvalue + T::from_real(MOVED * if size > 0.0 { size } else { 1.0 })
}

fn resolve<T: Number>(matrix: &SparseMatrix, order: &Order, s: T, r: &DVector<T>) -> Option<DVector<T>> {
    let factors = SparseFactors::of(matrix, order, s).ok()?;
    let mut h: Vec<T> = r.iter().map(|v| -*v).collect();
    factors.solve(&mut h);
    h.iter()
        .all(|v| Entry::modulus(*v).is_finite())
        .then(|| DVector::from_vec(h))
}

/// Vectors by inverse iteration.
fn vectors<T: Number>(matrix: &SparseMatrix, order: &Order, eigenvalue: T) -> Option<Eigenvectors<T>> {
    const ITERATIONS: usize = 4;
    /// An eigenvalue this many times nearer than the next one, and whose left and right vector have so much in common,
    /// is one with vectors of its own.
    const NEARER: f64 = 1e-4;
    const DEFECTIVE: f64 = 1e-8;
    let n = matrix.len();
    let factors = SparseFactors::of(matrix, order, near(eigenvalue)).ok()?;
    let start = |frequency: f64| DVector::from_fn(n, |i, _| T::from_real((frequency * (1.0 + i as f64)).sin()));
    let solved = |v: &DVector<T>| {
        let mut x = v.as_slice().to_vec();
        factors.solve(&mut x);
        DVector::from_vec(x)
    };
    let mut right = start(1.7).normalize();
    let mut growth = 0.0;
    for _ in 0..ITERATIONS {
        let next = solved(&right);
        growth = next.norm();
        right = next.unscale(growth);
    }
    let mut left = start(2.3).normalize();
    for _ in 0..ITERATIONS {
        let mut next = left.as_slice().to_vec();
        factors.solve_transposed(&mut next);
        let next = DVector::from_vec(next);
        let length = next.norm();
        left = next.unscale(length);
    }
    // What was solved is yᵀ (A - λ) = 0, not yet conjugated.
    left = left.map(|v| v.conjugate());
    let overlap = left.dotc(&right);
    if !(Entry::modulus(overlap) > DEFECTIVE) {
        return None;
    }
    // The next eigenvalue: by the same iteration beside this one.
    let beside = |v: DVector<T>| {
        let part = left.dotc(&v) / overlap;
        v - &right * part
    };
    let mut other = beside(start(3.1)).normalize();
    let mut second = 0.0;
    for _ in 0..ITERATIONS {
        let next = beside(solved(&other));
        second = next.norm();
        other = next.unscale(second);
    }
    if !(growth.is_finite() && second <= NEARER * growth) {
        return None;
    }
    let turn = phase(&right);
    right = right.map(|v| v * turn.conjugate());
    let overlap = left.dotc(&right);
    left = left.map(|v| v / overlap.conjugate());
    Some(Eigenvectors { right, left })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Dense and sparse agree on the matrix of a chain with the eigenvalues ±2i, 0 and others.
    #[test]
    fn sparse_and_dense_vectors_and_resolvents_agree() {
        let n = 60;
        let mut full = DMatrix::zeros(n, n);
        full[(0, 1)] = 2.0;
        full[(1, 0)] = -2.0;
        for i in 3..n {
            full[(i, i)] = -0.3 - 0.1 * i as f64;
            full[(i, i - 1)] = 0.7;
            full[(i - 2, i)] = 0.2;
        }
        full[(2, 0)] = 0.4;
        // Upper and lower parts couple: the dense method finds the eigenvalues.
        let values = Balanced::new(&full).eigenvalues().unwrap();
        let pair = values
            .iter()
            .filter(|v| v.im > 0.1)
            .max_by(|a, b| a.im.total_cmp(&b.im))
            .copied()
            .unwrap();
        let real = values
            .iter()
            .filter(|v| v.im == 0.0)
            .map(|v| v.re)
            .max_by(f64::total_cmp)
            .unwrap();
        let rows: Vec<Vec<(usize, f64)>> = (0..n)
            .map(|r| {
                (0..n)
                    .filter(|c| full[(r, *c)] != 0.0 || r == *c)
                    .map(|c| (c, full[(r, c)]))
                    .collect()
            })
            .collect();
        let matrix = SparseMatrix::from_rows(n, &rows);
        let order = Order::of(&matrix);
        let sparse = Linear::Sparse(matrix, order);
        let dense = Linear::Dense(full);
        let (a, b) = (
            sparse.complex_vectors(pair).unwrap(),
            dense.complex_vectors(pair).unwrap(),
        );
        assert!((a.right - b.right).norm() < 1e-9 && (a.left - b.left).norm() < 1e-9 * 10.0);
        let (a, b) = (sparse.real_vectors(real).unwrap(), dense.real_vectors(real).unwrap());
        assert!((&a.right - &b.right).norm() < 1e-9 && (&a.left - &b.left).norm() < 1e-8 * b.left.norm());
        let r = DVector::from_fn(n, |i, _| (0.3 * i as f64).cos());
        let (h, k) = (
            sparse.resolve_off(real, &a, &r).unwrap(),
            dense.resolve_off(real, &b, &r).unwrap(),
        );
        assert!((&h - &k).norm() < 1e-7 * k.norm(), "{} {}", (&h - &k).norm(), k.norm());
        let s = Complex::new(0.3, 1.0);
        let c = r.map(|v| Complex::new(v, -0.5 * v));
        let (h, k) = (
            sparse.complex_resolve(s, &c).unwrap(),
            dense.complex_resolve(s, &c).unwrap(),
        );
        assert!((h - &k).norm() < 1e-11 * k.norm());
        // What is no eigenvalue has no vectors.
        assert!(sparse.complex_vectors(Complex::new(0.5, 7.0)).is_none());
    }
}
