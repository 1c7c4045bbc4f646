//! Sparse LU factors with partial pivoting, columns in an order that keeps them sparse.
//!
//! References: J. R. Gilbert and T. Peierls, *Sparse partial pivoting in time proportional to arithmetic operations*,
//! SIAM J. Sci. Stat. Comput. 9 (1988) 862–874; T. A. Davis, J. R. Gilbert, S. I. Larimore and E. G. Ng, *A column
//! approximate minimum degree ordering algorithm*, ACM Trans. Math. Softw. 30 (2004) 353–376. Both are faer's.

use super::matrix::SparseMatrix;
use crate::linalg::Singular;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::perm::PermRef;
use faer::sparse::linalg::colamd;
use faer::sparse::linalg::lu::simplicial::{
    SimplicialLu, factorize_simplicial_numeric_lu, factorize_simplicial_numeric_lu_scratch, solve_in_place_scratch,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::traits::ComplexField;
use faer::{Conj, MatMut, Par};
use nalgebra::Complex;

/// The order in which the columns of a pattern are eliminated.
///
/// ```
/// use slipstick_numerics::linalg::sparse::{Order, SparseFactors, SparseMatrix};
/// // An arrow: its tip is eliminated last, so that nothing is filled in.
/// let n = 50;
/// let tip: Vec<_> = (0..n).map(|c| (c, 1.0 + c as f64)).collect();
/// let rest = (1..n).map(|r| vec![(0, 1.0), (r, 100.0)]);
/// let a = SparseMatrix::from_rows(n, &[tip].into_iter().chain(rest).collect::<Vec<_>>());
/// let factors = SparseFactors::of(&a, &Order::of(&a), 0.0)?;
/// assert!(factors.entries() < 6 * n);
/// # Ok::<(), slipstick_numerics::linalg::Singular>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Order {
    forward: Vec<u32>,
    inverse: Vec<u32>,
}

impl Order {
    /// A good order for the pattern of a matrix.
    pub fn of(matrix: &SparseMatrix) -> Self {
        let n = matrix.len();
        let (mut forward, mut inverse) = (vec![0; n], vec![0; n]);
        let mut memory = MemBuffer::new(colamd::order_scratch::<u32>(n, n, matrix.entries()));
        let found = colamd::order(
            &mut forward,
            &mut inverse,
            SymbolicSparseColMatRef::new_checked(n, n, &matrix.begins, None, &matrix.rows),
            colamd::Control::default(),
            MemStack::new(&mut memory),
        );
        if found.is_err() {
            // The columns as they come are an order as well.
            forward = (0..n as u32).collect();
            inverse.clone_from(&forward);
        }
        Self { forward, inverse }
    }

    fn as_permutation(&self) -> PermRef<'_, u32> {
        PermRef::new_checked(&self.forward, &self.inverse, self.forward.len())
    }
}

/// The numbers that a matrix may be factorised in.
///
/// ```
/// use nalgebra::Complex;
/// use slipstick_numerics::linalg::sparse::Entry;
/// assert_eq!((-2.0f64).phase(), Complex::new(-1.0, 0.0));
/// assert_eq!(Complex::of_real(3.0).times(2.0).modulus(), 6.0);
/// ```
pub trait Entry: ComplexField<Real = f64> + Copy {
    /// A real number among them.
    fn of_real(v: f64) -> Self;
    /// The modulus.
    fn modulus(self) -> f64;
    /// Divided by its modulus.
    fn phase(self) -> Complex<f64>;
    /// A real multiple.
    fn times(self, v: f64) -> Self;
}

impl Entry for f64 {
    fn of_real(v: f64) -> Self {
        v
    }
    fn modulus(self) -> f64 {
        self.abs()
    }
    fn phase(self) -> Complex<f64> {
        Complex::new(self.signum(), 0.0)
    }
    fn times(self, v: f64) -> Self {
        self * v
    }
}

impl Entry for Complex<f64> {
    fn of_real(v: f64) -> Self {
        Self::new(v, 0.0)
    }
    fn modulus(self) -> f64 {
        self.norm()
    }
    fn phase(self) -> Complex<f64> {
        self / self.norm()
    }
    fn times(self, v: f64) -> Self {
        self * v
    }
}

/// The factors of `A - s`, in real or complex numbers.
///
/// Rows are equilibrated by powers of two before elimination, as of a [`DenseSystem`](crate::linalg::DenseSystem).
///
/// ```
/// use slipstick_numerics::linalg::sparse::{Order, SparseFactors, SparseMatrix};
/// let a = SparseMatrix::from_rows(2, &[vec![(0, 2.0), (1, 1.0)], vec![(0, 1.0), (1, 3.0)]]);
/// let factors = SparseFactors::of(&a, &Order::of(&a), 0.0)?;
/// let mut x = [5.0, 10.0];
/// factors.solve(&mut x);
/// assert!((x[0] - 1.0).abs() < 1e-14 && (x[1] - 3.0).abs() < 1e-14);
/// assert_eq!(factors.determinant_phase().re, 1.0);
/// # Ok::<(), slipstick_numerics::linalg::Singular>(())
/// ```
#[derive(Clone, Debug)]
pub struct SparseFactors<T> {
    order: Order,
    pivots: Order,
    factors: SimplicialLu<u32, T>,
    row_scale: Vec<f64>,
}

impl<T: Entry> SparseFactors<T> {
    /// Factorise `matrix` without `shift` times one, its columns in this order.
    ///
    /// # Errors
    /// [`Singular`] where a pivot vanishes or is not finite.
    pub fn of(matrix: &SparseMatrix, order: &Order, shift: T) -> Result<Self, Singular> {
        let n = matrix.len();
        let mut largest = vec![0.0f64; n];
        let mut values: Vec<T> = matrix.values.iter().map(|v| T::of_real(*v)).collect();
        let mut misses_diagonal = false;
        for c in 0..n {
            let mut met = shift.modulus() == 0.0;
            for k in matrix.begins[c] as usize..matrix.begins[c + 1] as usize {
                let r = matrix.rows[k] as usize;
                if r == c {
                    values[k] -= shift;
                    met = true;
                }
                largest[r] = largest[r].max(values[k].modulus());
            }
            misses_diagonal |= !met;
        }
        let failed = |smallest: f64, largest: f64| Singular {
            unknowns: n,
            smallest,
            largest,
        };
        // A pattern that is to be shifted has its diagonal.
        if misses_diagonal {
            return Err(failed(0.0, shift.modulus()));
        }
        let row_scale: Vec<f64> = largest.iter().map(|v| scale_of(*v)).collect();
        for (v, r) in values.iter_mut().zip(&matrix.rows) {
            *v = v.times(row_scale[*r as usize]);
        }
        let mut pivots = Order {
            forward: vec![0; n],
            inverse: vec![0; n],
        };
        let mut factors = SimplicialLu::new();
        let mut memory = MemBuffer::new(factorize_simplicial_numeric_lu_scratch::<u32, T>(n, n));
        factorize_simplicial_numeric_lu(
            &mut pivots.forward,
            &mut pivots.inverse,
            &mut factors,
            SparseColMatRef::new(
                SymbolicSparseColMatRef::new_checked(n, n, &matrix.begins, None, &matrix.rows),
                &values,
            ),
            order.as_permutation(),
            MemStack::new(&mut memory),
        )
        .map_err(|_| failed(0.0, f64::NAN))?;
        let found = Self {
            order: order.clone(),
            pivots,
            factors,
            row_scale,
        };
        let (mut least, mut most) = (f64::INFINITY, 0.0f64);
        for pivot in found.diagonal() {
            let size = pivot.modulus();
            // Not a number is neither the least nor the most.
            least = if size.is_finite() { least.min(size) } else { 0.0 };
            most = most.max(size);
        }
        if n > 0 && !(least > 0.0) {
            return Err(failed(least, most));
        }
        Ok(found)
    }

    /// The pivots, scaled.
    fn diagonal(&self) -> impl Iterator<Item = T> {
        let upper = self.factors.u_factor_unsorted();
        let last = |c: usize| upper.val_of_col(c).last().copied();
        let n = self.row_scale.len();
        // The diagonal stands last in its column.
        let pivots: Vec<T> = (0..n).filter_map(last).collect();
        pivots.into_iter()
    }

    /// How many numbers the factors hold.
    pub fn entries(&self) -> usize {
        self.factors.l_factor_unsorted().val().len() + self.factors.u_factor_unsorted().val().len()
    }

    /// Solve for several right-hand sides, one after the other in `rhs`.
    pub fn solve(&self, rhs: &mut [T]) {
        let n = self.row_scale.len();
        self.scale_rows(rhs);
        let columns = rhs.len() / n;
        let mut memory = MemBuffer::new(solve_in_place_scratch::<u32, T>(n, columns, Par::Seq));
        self.factors.solve_in_place_with_conj(
            self.pivots.as_permutation(),
            self.order.as_permutation(),
            Conj::No,
            MatMut::from_column_major_slice_mut(rhs, n, columns),
            Par::Seq,
            MemStack::new(&mut memory),
        );
    }

    fn scale_rows(&self, columns: &mut [T]) {
        let scales = self.row_scale.iter().cycle();
        columns.iter_mut().zip(scales).for_each(|(v, s)| *v = v.times(*s));
    }

    /// Solve with the transposed matrix, not conjugated.
    pub fn solve_transposed(&self, rhs: &mut [T]) {
        let n = self.row_scale.len();
        let columns = rhs.len() / n;
        let mut memory = MemBuffer::new(solve_in_place_scratch::<u32, T>(n, columns, Par::Seq));
        self.factors.solve_transpose_in_place_with_conj(
            self.pivots.as_permutation(),
            self.order.as_permutation(),
            Conj::No,
            MatMut::from_column_major_slice_mut(rhs, n, columns),
            Par::Seq,
            MemStack::new(&mut memory),
        );
        self.scale_rows(rhs);
    }

    /// The logarithm of the modulus of the determinant.
    pub fn log_determinant(&self) -> f64 {
        let pivots: f64 = self.diagonal().map(|v| v.modulus().ln()).sum();
        pivots - self.row_scale.iter().map(|s| s.ln()).sum::<f64>()
    }

    /// The determinant divided by its modulus.
    pub fn determinant_phase(&self) -> Complex<f64> {
        let sign = self.pivots.sign() * self.order.sign();
        let product = self.diagonal().fold(Complex::new(sign, 0.0), |p, v| p * v.phase());
        product / product.norm()
    }
}

impl Order {
    /// The sign of the permutation.
    fn sign(&self) -> f64 {
        let mut seen = vec![false; self.forward.len()];
        let mut sign = 1.0;
        for start in 0..seen.len() {
            let mut at = start;
            let mut length = 0usize;
            while !seen[at] {
                seen[at] = true;
                at = self.forward[at] as usize;
                length += 1;
            }
            if length > 0 && length.is_multiple_of(2) {
                sign = -sign;
            }
        }
        sign
    }
}

fn scale_of(largest: f64) -> f64 {
    if largest > 0.0 && largest.is_finite() {
        largest.log2().round().exp2().recip()
    } else {
        1.0
    }
}
