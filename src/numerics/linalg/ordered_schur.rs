//! The Schur form of a matrix with the real parts of its eigenvalues in order, and its exponential over times in which
//! some directions decay out of sight.

use super::eigen::Balanced;
use nalgebra::{DMatrix, Schur};

/// Iterations for each row within which the Schur form is found.
const ITERATIONS: usize = 100;
/// Real parts that differ by less than this part of the matrix are left in the order in which they are.
const EQUAL: f64 = 1e-12;
/// Terms of the exponential series, which reach rounding over a time in which the matrix is [`REACH`].
const TERMS: usize = 16;
const REACH: f64 = 0.5;

/// `A = D Q T Qᵀ D⁻¹`: D makes rows and columns equally long, Q is orthogonal, T upper triangular but for blocks of two
/// rows, one for each pair of complex eigenvalues. The real parts fall from block to block.
///
/// Over a time t `exp(A t) = D Q exp(T t) Qᵀ D⁻¹`, and row i of `exp(T t)` is `e^{rᵢ t}` times one of ordinary numbers,
/// rᵢ being the real part of its eigenvalue: what follows in a row decays faster. So each direction keeps its digits,
/// by however much it decays beside others.
///
/// ```
/// use nalgebra::DMatrix;
/// use slipstick_numerics::linalg::OrderedSchur;
/// // Rates of -2e4 and -1.
/// let a = DMatrix::from_row_slice(2, 2, &[-2e4, 0.0, 3.0, -1.0]);
/// let schur = OrderedSchur::of(&a).unwrap();
/// assert!((schur.rates()[0] + 1.0).abs() < 1e-11 && (schur.rates()[1] + 2e4).abs() < 1e-11);
/// assert!((schur.graded_exponential(1.0)[(1, 1)].abs() - 1.0).abs() < 1e-12);
/// ```
///
/// Reference: Z. Bai and J. W. Demmel, *On swapping diagonal blocks in real Schur form*, Linear Algebra Appl. 186
/// (1993) 73–95.
#[derive(Clone, Debug)]
pub struct OrderedSchur {
    scale: Vec<f64>,
    basis: DMatrix<f64>,
    triangle: DMatrix<f64>,
    rates: Vec<f64>,
}

impl OrderedSchur {
    /// That of a square matrix; `None` if the iteration does not end.
    pub fn of(matrix: &DMatrix<f64>) -> Option<Self> {
        let n = matrix.nrows();
        let scale = Balanced::new(matrix).scale().to_vec();
        let balanced = DMatrix::from_fn(n, n, |i, j| matrix[(i, j)] * scale[j] / scale[i]);
        if !balanced.iter().all(|v| v.is_finite()) {
            return None;
        }
        let (basis, triangle) = Schur::try_new(balanced, f64::EPSILON, ITERATIONS * n.max(1))?.unpack();
        let mut form = Self {
            scale,
            basis,
            triangle,
            rates: vec![],
        };
        form.split();
        form.sort();
        Some(form)
    }

    /// The real part of the eigenvalue of each row, largest first.
    pub fn rates(&self) -> &[f64] {
        &self.rates
    }

    /// `D Q`: its columns are the directions in which the exponential is triangular.
    pub fn directions(&self) -> DMatrix<f64> {
        DMatrix::from_fn(self.scale.len(), self.scale.len(), |i, j| {
            self.scale[i] * self.basis[(i, j)]
        })
    }

    /// `Qᵀ D⁻¹`, the inverse of [`OrderedSchur::directions`].
    pub fn components(&self) -> DMatrix<f64> {
        DMatrix::from_fn(self.scale.len(), self.scale.len(), |i, j| {
            self.basis[(j, i)] / self.scale[j]
        })
    }

    /// `exp(T t)` with each row divided by `e^{rᵢ t}`, for t ≥ 0.
    pub fn graded_exponential(&self, t: f64) -> DMatrix<f64> {
        let n = self.rates.len();
        let size = self.triangle.norm();
        let halvings = (size * t / REACH).log2().ceil().max(0.0);
        let mut s = t * (-halvings).exp2();
        let step = &self.triangle * s;
        let one = DMatrix::<f64>::identity(n, n);
        let series = (1..=TERMS).rev();
        let mut graded = series.fold(one.clone(), |sum, k| &one + &step * sum / k as f64);
        for i in 0..n {
            graded.row_mut(i).scale_mut((-self.rates[i] * s).exp());
        }
        for _ in 0..halvings as usize {
            let decayed = DMatrix::from_fn(n, n, |i, j| match graded[(i, j)] {
                0.0 => 0.0,
                entry => entry * ((self.rates[j] - self.rates[i]) * s).exp(),
            });
            graded = decayed * graded;
            s *= 2.0;
        }
        graded
    }

    /// Is there a block of two rows here?
    fn is_pair(&self, i: usize) -> bool {
        i + 1 < self.triangle.nrows() && self.triangle[(i + 1, i)] != 0.0
    }

    /// Take blocks of two rows apart that have real eigenvalues, and those that are triangular to rounding.
    fn split(&mut self) {
        for i in 0..self.triangle.nrows().saturating_sub(1) {
            let [a, b, c, d] = [(i, i), (i, i + 1), (i + 1, i), (i + 1, i + 1)].map(|at| self.triangle[at]);
            if c == 0.0 {
                continue;
            }
            if c.abs() <= f64::EPSILON * (a.abs() + d.abs()) {
                self.triangle[(i + 1, i)] = 0.0;
                continue;
            }
            let half = 0.5 * (a - d);
            let under = half * half + b * c;
            if under >= 0.0 {
                // The eigenvector of the eigenvalue d + distance, by the difference that does not cancel.
                let distance = half + under.sqrt().copysign(half);
                let length = distance.hypot(c);
                let (cos, sin) = (distance / length, c / length);
                self.turn(i, &DMatrix::from_row_slice(2, 2, &[cos, -sin, sin, cos]));
                self.triangle[(i + 1, i)] = 0.0;
            }
        }
    }

    /// Change the basis among the directions from `at` on.
    fn turn(&mut self, at: usize, z: &DMatrix<f64>) {
        let k = z.nrows();
        let rows = z.transpose() * self.triangle.rows(at, k);
        self.triangle.rows_mut(at, k).copy_from(&rows);
        let columns = self.triangle.columns(at, k) * z;
        self.triangle.columns_mut(at, k).copy_from(&columns);
        let basis = self.basis.columns(at, k) * z;
        self.basis.columns_mut(at, k).copy_from(&basis);
    }

    /// Bring the blocks into order, and note their rates.
    fn sort(&mut self) {
        let n = self.triangle.nrows();
        let equal = EQUAL * self.triangle.norm();
        let mut sizes: Vec<usize> = vec![];
        let mut i = 0;
        while i < n {
            sizes.push(if self.is_pair(i) { 2 } else { 1 });
            i += sizes[sizes.len() - 1];
        }
        for last in (1..sizes.len()).rev() {
            let mut at = 0;
            for k in 0..last {
                let (p, q) = (sizes[k], sizes[k + 1]);
                if self.rate(at + p, q) > self.rate(at, p) + equal && self.swap(at, p, q) {
                    sizes.swap(k, k + 1);
                }
                at += sizes[k];
            }
        }
        let mut at = 0;
        for size in sizes {
            let rate = self.rate(at, size);
            self.rates.extend(std::iter::repeat_n(rate, size));
            at += size;
        }
    }

    /// The real part of the eigenvalues of a block.
    fn rate(&self, at: usize, size: usize) -> f64 {
        (at..at + size).map(|i| self.triangle[(i, i)]).sum::<f64>() / size as f64
    }

    /// Swap the block of `p` rows from `at` on and that of `q` rows behind it; `false` if they have an eigenvalue in
    /// common.
    fn swap(&mut self, at: usize, p: usize, q: usize) -> bool {
        let a = self.triangle.view((at, at), (p, p)).into_owned();
        let b = self.triangle.view((at + p, at + p), (q, q)).into_owned();
        let c = self.triangle.view((at, at + p), (p, q)).into_owned();
        // a X - X b = c, whose columns (-X, 1) span what b leaves invariant.
        let sylvester =
            DMatrix::<f64>::identity(q, q).kronecker(&a) - b.transpose().kronecker(&DMatrix::identity(p, p));
        let Some(x) = sylvester
            .full_piv_lu()
            .solve(&DMatrix::from_column_slice(p * q, 1, c.as_slice()))
        else {
            return false;
        };
        let mut spanning = DMatrix::zeros(p + q, p + q);
        spanning
            .view_mut((0, 0), (p, q))
            .copy_from(&-DMatrix::from_column_slice(p, q, x.as_slice()));
        spanning.view_mut((p, 0), (q, q)).fill_with_identity();
        spanning.view_mut((0, q), (p, p)).fill_with_identity();
        let z = spanning.qr().q();
        if !z.iter().all(|v| v.is_finite()) {
            return false;
        }
        self.turn(at, &z);
        self.triangle.view_mut((at + q, at), (p, q)).fill(0.0);
        true
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use nalgebra::DVector;
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// A matrix with such real parts and frequencies, in coordinates made of these numbers in (0, 1).
    fn in_coordinates(blocks: &[(f64, f64)], numbers: &[f64]) -> DMatrix<f64> {
        let n: usize = blocks.iter().map(|b| if b.1 == 0.0 { 1 } else { 2 }).sum();
        let mut diagonal = DMatrix::zeros(n, n);
        let mut at = 0;
        for &(rate, frequency) in blocks {
            diagonal[(at, at)] = rate;
            if frequency != 0.0 {
                let own = [rate, frequency, -frequency, rate];
                diagonal.view_mut((at, at), (2, 2)).copy_from_slice(&own);
                at += 1;
            }
            at += 1;
        }
        let turn = DMatrix::from_fn(n, n, |i, j| numbers[i * n + j] - 0.5).qr().q();
        let stretch = DMatrix::from_diagonal(&DVector::from_fn(n, |i, _| 0.5 + numbers[n * n + i]));
        let basis = turn * stretch;
        let inverse = basis.clone().try_inverse().unwrap();
        basis * diagonal * inverse
    }

    proptest! {
        #[test]
        fn forms_are_those_of_the_matrix_with_rates_in_order(
            blocks in vec((-2.0f64..6.0, prop_oneof![Just(0.0), 0.1f64..20.0]), 1..9),
            numbers in vec(0.0f64..1.0, 16 * 17),
        ) {
            let blocks: Vec<(f64, f64)> = blocks.iter().map(|b| (-b.0.exp(), b.1)).collect();
            let a = in_coordinates(&blocks, &numbers);
            let form = OrderedSchur::of(&a).unwrap();
            let (to, from) = (form.directions(), form.components());
            let n = a.nrows();
            prop_assert!((&to * &from - DMatrix::identity(n, n)).norm() < 1e-13);
            let again = &to * &form.triangle * &from;
            prop_assert!((again - &a).norm() < 1e-13 * a.norm());
            let pairs = blocks.iter().flat_map(|b| std::iter::repeat_n(b.0, if b.1 == 0.0 { 1 } else { 2 }));
            let mut rates: Vec<f64> = pairs.collect();
            rates.sort_by(|x, y| y.total_cmp(x));
            for (found, rate) in form.rates().iter().zip(&rates) {
                prop_assert!((found - rate).abs() < 1e-11 * a.norm(), "{found} {rate}");
            }
            // Rows of e^{rᵢ t} make up the exponential.
            let t = 3.0 / a.norm();
            let mut whole = form.graded_exponential(t);
            for i in 0..n {
                whole.row_mut(i).scale_mut((form.rates()[i] * t).exp());
            }
            let known = (&a * t).exp();
            prop_assert!((to * whole * from - &known).norm() < 1e-12 * known.norm());
        }

        /// Over a time in which all but the slowest directions are below all doubles.
        #[test]
        fn graded_rows_stay_ordinary_numbers(numbers in vec(0.0f64..1.0, 8 * 9), t in 0.0f64..5.0) {
            let blocks = [(-0.1, 1.0), (-7.0, 0.0), (-90.0, 300.0), (-1500.0, 0.0), (-4000.0, 10.0)];
            let form = OrderedSchur::of(&in_coordinates(&blocks, &numbers)).unwrap();
            let graded = form.graded_exponential(t);
            let (a, b, c, d) = (graded[(0, 0)], graded[(0, 1)], graded[(1, 0)], graded[(1, 1)]);
            prop_assert!((a * d - b * c - 1.0).abs() < 1e-10);
            prop_assert!((a + d - 2.0 * t.cos()).abs() < 1e-10, "{} {}", a + d, t.cos());
            for i in [2, 5] {
                prop_assert!((graded[(i, i)].abs() - 1.0).abs() < 1e-9);
            }
            prop_assert!(graded.iter().all(|v| v.abs() < 1e3), "{graded}");
        }
    }

    /// The modes of a beam with a damping that grows with their frequency, each a pair of its own.
    #[test]
    fn modes_of_structures_keep_their_rates() {
        let modes = 8;
        let mut a = DMatrix::zeros(2 * modes, 2 * modes);
        for k in 0..modes {
            let stiffness = ((k + 1) as f64).powi(4);
            a[(k, modes + k)] = 1.0;
            a[(modes + k, k)] = -stiffness;
            a[(modes + k, modes + k)] = -0.02 * stiffness;
        }
        let form = OrderedSchur::of(&a).unwrap();
        for (k, rates) in form.rates().chunks_exact(2).enumerate() {
            let wanted = -0.01 * ((k + 1) as f64).powi(4);
            for rate in rates {
                assert!((rate / wanted - 1.0).abs() < 1e-11, "{k}: {rate} {wanted}");
            }
        }
    }
}
