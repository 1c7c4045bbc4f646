//! Singular values and right singular vectors of small matrices by one-sided Jacobi rotations.
//!
//! Columns are turned in pairs until all are orthogonal; their lengths are the singular values. There are no shifts and
//! no deflation to go astray on matrices with structure (permutations, Jordan blocks, equal or vanishing singular
//! values), and columns of very different length keep their own relative accuracy.
//!
//! References: M. R. Hestenes, J. SIAM 6 (1958) 51–90; J. Demmel and K. Veselić, SIAM J. Matrix Anal. Appl. 13 (1992)
//! 1204–1245.

use nalgebra::{ComplexField, DMatrix, DVector};

/// Sweeps over all pairs; a dozen suffice for matrices of some hundred columns.
const SWEEPS: usize = 60;

/// The decomposition `A V = W` with V unitary and orthogonal columns in W, the shortest first.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Singular<T: ComplexField<RealField = f64>> {
    /// The singular values, the least first; as many as A has columns.
    pub values: Vec<f64>,
    /// V: their right singular vectors.
    pub(crate) vectors: DMatrix<T>,
    /// W = A V: left singular vectors times singular values.
    images: DMatrix<T>,
}

impl<T: ComplexField<RealField = f64>> Singular<T> {
    /// The decomposition of `matrix`; `None` if it holds numbers that are not finite, or the rotations do not come to
    /// rest.
    pub fn of(matrix: &DMatrix<T>) -> Option<Self> {
        let columns = matrix.ncols();
        let size = matrix.iter().fold(0.0f64, |m, v| m.max(v.clone().norm1()));
        if !size.is_finite() {
            return None;
        }
        // A power of two keeps squares of entries among the numbers.
        let unit = if size > 0.0 { size.log2().floor().exp2() } else { 1.0 };
        let mut images = matrix.map(|v| v.unscale(unit));
        let mut vectors = DMatrix::identity(columns, columns);
        // Inner products of columns are known to this part of their lengths.
        let orthogonal = matrix.nrows().max(2) as f64 * f64::EPSILON;
        // What is left of a column that the others span.
        let nothing = orthogonal * images.norm();
        for _ in 0..SWEEPS {
            let mut turned = false;
            for i in 0..columns {
                for j in i + 1..columns {
                    let (a, b) = (images.column(i).norm(), images.column(j).norm());
                    let product = images.column(i).dotc(&images.column(j));
                    let size = product.clone().modulus();
                    if size <= orthogonal * a * b || a.min(b) <= nothing * f64::EPSILON {
                        continue;
                    }
                    turned = true;
                    let zeta = (b / size) * (b / 2.0) - (a / size) * (a / 2.0);
                    let t = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
                    let c = t.hypot(1.0).recip();
                    let phase = product.unscale(size);
                    let sine = phase.scale(c * t);
                    rotate(&mut images, i, j, c, &sine);
                    rotate(&mut vectors, i, j, c, &sine);
                }
            }
            if !turned {
                let lengths: Vec<f64> = images.column_iter().map(|v| v.norm()).collect();
                let mut order: Vec<usize> = (0..columns).collect();
                order.sort_by(|&a, &b| lengths[a].total_cmp(&lengths[b]));
                let picked = |m: &DMatrix<T>| DMatrix::from_fn(m.nrows(), columns, |r, c| m[(r, order[c])].clone());
                return Some(Self {
                    values: order.iter().map(|&k| unit * lengths[k]).collect(),
                    vectors: picked(&vectors),
                    images: picked(&images).map(|v| v.scale(unit)),
                });
            }
        }
        None
    }

    /// The right singular vector of the least singular value.
    pub fn least(&self) -> DVector<T> {
        self.vectors.column(0).into_owned()
    }

    /// Orthonormal columns that span what A takes to zero; singular values up to `zero` count as zero.
    pub fn null_space(&self, zero: f64) -> DMatrix<T> {
        self.vectors
            .columns(0, self.values.partition_point(|&value| value <= zero))
            .into_owned()
    }

    /// The vector of least length that makes `A x - b` as short as it can be; singular values below `cutoff` of the
    /// largest count as zero.
    pub fn least_squares(&self, b: &DVector<T>, cutoff: f64) -> DVector<T> {
        let least = cutoff * self.values.last().copied().unwrap_or(0.0);
        let mut x = DVector::zeros(self.vectors.nrows());
        for (k, &value) in self.values.iter().enumerate() {
            if value > least {
                let part = self.images.column(k).dotc(b).unscale(value).unscale(value);
                x += self.vectors.column(k) * part;
            }
        }
        x
    }
}

/// Turn columns i and j: `vᵢ ← c vᵢ - s̄ vⱼ`, `vⱼ ← s vᵢ + c vⱼ`.
fn rotate<T: ComplexField<RealField = f64>>(m: &mut DMatrix<T>, i: usize, j: usize, c: f64, s: &T) {
    for r in 0..m.nrows() {
        let (a, b) = (m[(r, i)].clone(), m[(r, j)].clone());
        m[(r, i)] = a.clone().scale(c) - s.clone().conjugate() * b.clone();
        m[(r, j)] = s.clone() * a + b.scale(c);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use nalgebra::Complex;

    /// Matrices with structure: what random ones never show.
    fn structured() -> Vec<DMatrix<Complex<f64>>> {
        let mut all = vec![];
        for delta in [0.0, 1e-17, 1e-16, -1e-16, 1e-12, 1e-3] {
            // The one that nalgebra's decomposition gave the singular values 3.46 and 0, not 2 and 0.
            let i = Complex::new(0.0, 1.0);
            let d = Complex::new(delta, 0.0);
            let one = Complex::new(1.0, 0.0);
            all.push(DMatrix::from_row_slice(2, 2, &[-i, one, -one, d - i]));
            all.push(DMatrix::from_row_slice(2, 2, &[one, d, d * delta, one]));
        }
        for n in 2..7 {
            let one = |at: bool| Complex::new(f64::from(u8::from(at)), 0.0);
            let root = |k: usize| Complex::from_polar(1.0, std::f64::consts::TAU * k as f64 / n as f64);
            all.push(DMatrix::from_fn(n, n, |r, c| one((r + 1) % n == c)));
            all.push(DMatrix::from_fn(n, n, |r, c| {
                one((r + 1) % n == c) - if r == c { root(1) } else { Complex::new(0.0, 0.0) }
            }));
            all.push(DMatrix::from_fn(n, n, |r, c| one(r + 1 == c)));
            all.push(DMatrix::from_fn(n, n, |_, _| Complex::new(1.0, 0.0)));
            all.push(DMatrix::from_fn(n, n, |r, c| root(r * c)));
            all.push(DMatrix::from_fn(n, n, |r, c| {
                Complex::new(10f64.powi(3 * r as i32 - 4 * c as i32), 0.0)
            }));
            all.push(DMatrix::zeros(n, n));
        }
        all
    }

    #[test]
    fn structured_matrices_are_taken_apart_to_rounding() {
        for a in structured() {
            let found = Singular::of(&a).unwrap();
            let size = a.norm();
            let v = &found.vectors;
            let unitary = (v.adjoint() * v - DMatrix::identity(v.nrows(), v.nrows())).norm();
            assert!(unitary < 1e-14 * 10.0, "{unitary:e} {a}");
            assert!((&a * v - &found.images).norm() <= 1e-15 * 10.0 * size, "{a}");
            let gram = found.images.adjoint() * &found.images;
            for i in 0..gram.nrows() {
                for j in 0..i {
                    assert!(gram[(i, j)].norm() <= 1e-14 * size * size, "{a}");
                }
            }
            let squares: f64 = found.values.iter().map(|s| s * s).sum();
            assert!((squares.sqrt() - size).abs() <= 1e-14 * size, "{a}");
        }
    }

    #[test]
    fn the_shifted_oscillator_has_the_singular_values_zero_and_two() {
        for delta in [0.0, 5e-17, -1e-16] {
            let i = Complex::new(0.0, 1.0);
            let one = Complex::new(1.0, 0.0);
            let found = Singular::of(&DMatrix::from_row_slice(2, 2, &[-i, one, -one, i * -1.0 + delta])).unwrap();
            assert!(
                found.values[0] < 1e-15 && (found.values[1] - 2.0).abs() < 1e-15,
                "{:?}",
                found.values
            );
        }
    }

    #[test]
    fn null_spaces_of_matrices_with_more_columns_or_more_rows() {
        let wide = DMatrix::from_row_slice(2, 3, &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0 + 1e-9]);
        let of = |a: &DMatrix<f64>, zero| Singular::of(a).unwrap().null_space(zero);
        let (two, one) = (of(&wide, 1e-5), of(&wide, 1e-12));
        assert_eq!((two.shape(), one.shape()), ((3, 2), (3, 1)));
        assert!((wide.clone() * &two).norm() < 1e-8 && (wide.clone() * &one).norm() < 1e-15);
        assert!((two.transpose() * &two - DMatrix::identity(2, 2)).norm() < 1e-14);
        let left = of(&wide.transpose(), 1e-5);
        assert_eq!(left.shape(), (2, 1));
        assert!((left[(0, 0)] / left[(1, 0)] + 2.0).abs() < 1e-8, "{left}");
    }

    #[test]
    fn least_squares_of_a_tall_matrix() {
        let a = DMatrix::from_row_slice(3, 2, &[1.0, 0.0, 1.0, 1.0, 1.0, 2.0]);
        let x = Singular::of(&a)
            .unwrap()
            .least_squares(&DVector::from_vec(vec![1.0, 2.0, 4.0]), 1e-13);
        assert!((x[0] - 5.0 / 6.0).abs() < 1e-14 && (x[1] - 1.5).abs() < 1e-14, "{x}");
    }
}
