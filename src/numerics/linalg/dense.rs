//! Dense square systems, rebuilt and solved many times along a curve.

use nalgebra::{DMatrix, DVector, Dyn, LU};

/// The matrix of a linear system has no usable inverse.
///
/// ```
/// use slipstick_numerics::linalg::DenseSystem;
/// let mut system = DenseSystem::new(2);
/// system.set_row(0, &[1.0, 2.0]);
/// system.set_row(1, &[2.0, 4.0]);
/// assert!(system.factorise().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "the matrix of the equations is singular to rounding ({unknowns} rows, pivots from {smallest:.1e} to {largest:.1e})"
)]
pub struct Singular {
    /// Number of unknowns.
    pub unknowns: usize,
    /// The smallest pivot of the elimination.
    pub smallest: f64,
    /// The largest one.
    pub largest: f64,
}

/// A dense square system with its LU factors.
///
/// Rows are equilibrated by powers of two before elimination, so that a guard measured in microns and a phase measured
/// in radians pivot on equal terms.
///
/// ```
/// use slipstick_numerics::linalg::DenseSystem;
/// let mut system = DenseSystem::new(2);
/// system.clear();
/// system.set_row(0, &[2.0, 1.0]);
/// system.set_row(1, &[1.0, 3.0]);
/// system.factorise()?;
/// let mut x = [5.0, 10.0];
/// system.solve(&mut x)?;
/// assert!((x[0] - 1.0).abs() < 1e-14 && (x[1] - 3.0).abs() < 1e-14);
/// # Ok::<(), slipstick_numerics::linalg::Singular>(())
/// ```
#[derive(Clone, Debug)]
pub struct DenseSystem {
    matrix: DMatrix<f64>,
    row_scale: Vec<f64>,
    factors: Option<LU<f64, Dyn, Dyn>>,
    rhs: DVector<f64>,
}

impl DenseSystem {
    /// A system of `n` unknowns, all entries zero.
    pub fn new(n: usize) -> Self {
        Self {
            matrix: DMatrix::zeros(n, n),
            row_scale: vec![1.0; n],
            factors: None,
            rhs: DVector::zeros(n),
        }
    }
    /// Number of unknowns.
    pub fn len(&self) -> usize {
        self.matrix.nrows()
    }
    /// Is there nothing to solve?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Forget all entries and factors.
    pub fn clear(&mut self) {
        self.matrix.fill(0.0);
        self.factors = None;
    }
    /// Add `v` to entry (`i`, `j`).
    #[inline]
    pub fn add(&mut self, i: usize, j: usize, v: f64) {
        self.matrix[(i, j)] += v;
    }
    /// Overwrite row `i`.
    pub fn set_row(&mut self, i: usize, row: &[f64]) {
        for (j, v) in row.iter().enumerate() {
            self.matrix[(i, j)] = *v;
        }
    }
    /// Entry (`i`, `j`).
    pub fn get(&self, i: usize, j: usize) -> f64 {
        self.matrix[(i, j)]
    }
    /// Factorise the present entries.
    ///
    /// # Errors
    /// [`Singular`] when a pivot vanishes or is not finite.
    pub fn factorise(&mut self) -> Result<(), Singular> {
        let n = self.len();
        let mut scaled = self.matrix.clone();
        for i in 0..n {
            let largest = scaled.row(i).iter().fold(0.0f64, |m, v| m.max(v.abs()));
            let scale = if largest > 0.0 && largest.is_finite() {
                largest.log2().round().exp2().recip()
            } else {
                1.0
            };
            self.row_scale[i] = scale;
            for j in 0..n {
                scaled[(i, j)] *= scale;
            }
        }
        let lu = scaled.lu();
        let (mut smallest, mut largest) = (f64::INFINITY, 0.0f64);
        for i in 0..n {
            let pivot = lu.lu_internal()[(i, i)].abs();
            if pivot.is_nan() {
                smallest = 0.0;
                break;
            }
            smallest = smallest.min(pivot);
            largest = largest.max(pivot);
        }
        if n > 0 && (smallest == 0.0 || !largest.is_finite()) {
            return Err(Singular {
                unknowns: n,
                smallest,
                largest,
            });
        }
        self.factors = Some(lu);
        Ok(())
    }
    /// Solve for `rhs`, which is overwritten by the solution.
    ///
    /// # Errors
    /// [`Singular`] when the system was not factorised or the solution is not finite.
    pub fn solve(&mut self, rhs: &mut [f64]) -> Result<(), Singular> {
        let failed = Singular {
            unknowns: self.len(),
            smallest: 0.0,
            largest: 0.0,
        };
        let Some(lu) = &self.factors else {
            return Err(failed);
        };
        for (i, v) in rhs.iter().enumerate() {
            self.rhs[i] = v * self.row_scale[i];
        }
        if !lu.solve_mut(&mut self.rhs) || !self.rhs.iter().all(|v| v.is_finite()) {
            return Err(failed);
        }
        rhs.copy_from_slice(self.rhs.as_slice());
        Ok(())
    }
}

/// `aᵀ b`.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The Euclidean norm.
pub fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_a_badly_scaled_system_and_refuses_a_singular_one() {
        let mut s = DenseSystem::new(2);
        s.set_row(0, &[1e-12, 2e-12]);
        s.set_row(1, &[3e9, -1e9]);
        s.factorise().expect("regular");
        let mut b = [5e-12, 1e9];
        s.solve(&mut b).expect("regular");
        assert!((b[0] - 1.0).abs() < 1e-15 && (b[1] - 2.0).abs() < 1e-15, "{b:?}");
        s.set_row(1, &[2e-12, 4e-12]);
        assert!(s.factorise().is_err());
    }
}
