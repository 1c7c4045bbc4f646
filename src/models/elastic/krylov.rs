//! Krylov methods for maps known only by their action: linear solves and leading eigenvalues.
//!
//! References: Y. Saad and M. H. Schultz, GMRES, SIAM J. Sci. Stat. Comput. 7 (1986) 856–869; Y. Saad, *Numerical
//! Methods for Large Eigenvalue Problems*, 2nd ed., SIAM (2011), ch. 6.

use super::modal::dot;
use nalgebra::{Complex, DMatrix, DVector};
use slipstick_numerics::linalg::eigen::eigenvalues;
use slipstick_numerics::stop::look;

/// An orthonormal Krylov basis that grows by one vector at a time.
struct Basis {
    vectors: Vec<Vec<f64>>,
    /// Columns of the Hessenberg matrix; column j has j + 2 entries.
    columns: Vec<Vec<f64>>,
}

impl Basis {
    /// From a start vector; `None` if that is zero.
    fn new(start: &[f64]) -> Option<Self> {
        let norm = dot(start, start).sqrt();
        (norm > 0.0).then(|| Self {
            vectors: vec![start.iter().map(|v| v / norm).collect()],
            columns: Vec::new(),
        })
    }
    /// Append the image of the last vector, orthogonalised twice. Returns the norm of what was left: 0 when the space
    /// is invariant.
    fn extend(&mut self, mut image: Vec<f64>) -> f64 {
        let before = dot(&image, &image).sqrt();
        let mut column = vec![0.0; self.vectors.len() + 1];
        for _ in 0..2 {
            for (v, h) in self.vectors.iter().zip(&mut column) {
                let along = dot(v, &image);
                *h += along;
                for (i, x) in image.iter_mut().zip(v) {
                    *i -= along * x;
                }
            }
        }
        let mut norm = dot(&image, &image).sqrt();
        if norm <= 1e-14 * before {
            norm = 0.0;
        } else {
            self.vectors.push(image.iter().map(|v| v / norm).collect());
        }
        let last = column.len() - 1;
        column[last] = norm;
        self.columns.push(column);
        norm
    }
}

/// What [`gmres`] returns.
pub(crate) struct Solve {
    pub(crate) x: Vec<f64>,
    /// |b - A x| / |b|.
    pub(crate) residual: f64,
}

/// Solve A x = b to a relative residual `tolerance`, with at most `max` applications of A.
pub(crate) fn gmres<E>(
    mut apply: impl FnMut(&[f64]) -> Result<Vec<f64>, E>,
    b: &[f64],
    tolerance: f64,
    max: usize,
) -> Result<Solve, E> {
    let size = dot(b, b).sqrt();
    let Some(mut basis) = Basis::new(b) else {
        return Ok(Solve {
            x: vec![0.0; b.len()],
            residual: 0.0,
        });
    };
    // the Hessenberg matrix is reduced to a triangle by one rotation for each column
    let (mut rotations, mut triangle, mut right) = (Vec::new(), Vec::new(), vec![size]);
    for j in 0..max.min(b.len()) {
        look();
        let image = apply(&basis.vectors[j])?;
        let norm = basis.extend(image);
        let mut column = basis.columns[j].clone();
        for (i, &(c, s)) in rotations.iter().enumerate() {
            let (a, b): (f64, f64) = (column[i], column[i + 1]);
            (column[i], column[i + 1]) = (c * a + s * b, c * b - s * a);
        }
        let length = column[j].hypot(column[j + 1]);
        let (c, s) = if length > 0.0 {
            (column[j] / length, column[j + 1] / length)
        } else {
            (1.0, 0.0)
        };
        column[j] = length;
        rotations.push((c, s));
        triangle.push(column);
        right.push(-s * right[j]);
        right[j] *= c;
        if right[j + 1].abs() <= tolerance * size || norm == 0.0 {
            break;
        }
    }
    let n = triangle.len();
    let mut y = vec![0.0; n];
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| triangle[j][i] * y[j]).sum();
        y[i] = if triangle[i][i] == 0.0 {
            0.0
        } else {
            (right[i] - known) / triangle[i][i]
        };
    }
    let mut x = vec![0.0; b.len()];
    for (v, y) in basis.vectors.iter().zip(&y) {
        for (x, v) in x.iter_mut().zip(v) {
            *x += y * v;
        }
    }
    Ok(Solve {
        x,
        residual: right[n].abs() / size,
    })
}

/// The leading eigenvalues of a map of dimension `dimension` by `steps` Arnoldi steps from a fixed start, largest
/// modulus first, each with its residual |A v - μ v| / |v|.
pub(crate) fn leading_eigenvalues<E>(
    mut apply: impl FnMut(&[f64]) -> Result<Vec<f64>, E>,
    dimension: usize,
    steps: usize,
) -> Result<Vec<(Complex<f64>, f64)>, E> {
    let start: Vec<f64> = (0..dimension).map(|i| (1.0 + 0.7 * i as f64).sin()).collect();
    let Some(mut basis) = Basis::new(&start) else {
        return Ok(Vec::new());
    };
    let mut rest = 0.0;
    for j in 0..steps.min(dimension) {
        look();
        let image = apply(&basis.vectors[j])?;
        rest = basis.extend(image);
        if rest == 0.0 {
            break;
        }
    }
    let n = basis.columns.len();
    let hessenberg = DMatrix::from_fn(n, n, |i, j| basis.columns[j].get(i).copied().unwrap_or(0.0));
    let Ok(found) = eigenvalues(&hessenberg) else {
        return Ok(Vec::new());
    };
    let mut values: Vec<(Complex<f64>, f64)> = found
        .into_iter()
        .map(|value| (value, rest * last_component(&hessenberg, value)))
        .collect();
    values.sort_by(|(a, _), (b, _)| {
        b.norm()
            .total_cmp(&a.norm())
            .then(b.re.total_cmp(&a.re))
            .then(b.im.total_cmp(&a.im))
    });
    Ok(values)
}

/// |last component| of the unit eigenvector of `h` for `value`, by two steps of inverse iteration.
fn last_component(h: &DMatrix<f64>, value: Complex<f64>) -> f64 {
    let n = h.nrows();
    let offset = value + Complex::new(1e-14 * (1.0 + value.norm()), 0.0);
    let shifted = h.map(|v| Complex::new(v, 0.0)) - DMatrix::from_diagonal_element(n, n, offset);
    let lu = shifted.lu();
    let mut v = DVector::from_element(n, Complex::new(1.0, 0.0));
    for _ in 0..2 {
        // No vector, so the residual is that of any unit vector.
        let Some(next) = lu.solve(&v) else { return 1.0 };
        let norm = next.norm();
        v = next / Complex::new(norm, 0.0);
    }
    v[n - 1].norm()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Eigenvalues spread over several decades, not normal.
    fn matrix(n: usize) -> DMatrix<f64> {
        DMatrix::from_fn(n, n, |i, j| {
            if i == j {
                3.0 * 0.7f64.powi(i as i32)
            } else {
                0.1 * ((3 * i + 5 * j + i * j * j) as f64).sin() / (1.0 + i as f64)
            }
        })
    }

    #[test]
    fn gmres_solves_and_reports_its_residual() {
        let a = matrix(30);
        let x = DVector::from_fn(30, |i, _| (i as f64).cos());
        let b = &a * &x;
        let apply = |v: &[f64]| Ok::<_, ()>((&a * DVector::from_column_slice(v)).as_slice().to_vec());
        let solve = gmres(apply, b.as_slice(), 1e-13, 30).unwrap();
        assert!((DVector::from_vec(solve.x) - &x).norm() < 1e-11 && solve.residual < 1e-12);
        let rough = gmres(apply, b.as_slice(), 1e-3, 30).unwrap();
        let true_residual = (&b - &a * DVector::from_vec(rough.x)).norm() / b.norm();
        assert!((true_residual - rough.residual).abs() < 1e-12 && rough.residual < 1e-3);
        assert_eq!(gmres(apply, &[0.0; 30], 1e-3, 30).unwrap().x, vec![0.0; 30]);
    }

    #[test]
    fn full_arnoldi_gives_all_eigenvalues_and_fewer_steps_honest_residuals() {
        let a = matrix(24);
        let apply = |v: &[f64]| Ok::<_, ()>((&a * DVector::from_column_slice(v)).as_slice().to_vec());
        let mut exact: Vec<f64> = a.complex_eigenvalues().iter().map(|v| v.norm()).collect();
        exact.sort_by(|a, b| b.total_cmp(a));
        let all = leading_eigenvalues(apply, 24, 24).unwrap();
        assert_eq!(all.len(), 24);
        for ((value, _), exact) in all.iter().zip(&exact) {
            assert!((value.norm() - exact).abs() < 1e-10);
        }
        let some = leading_eigenvalues(apply, 24, 14).unwrap();
        let (value, residual) = some[0];
        assert!(
            residual < 1e-6 && (value.norm() - exact[0]).abs() < 1e2 * residual + 1e-12,
            "{residual}"
        );
    }
}
