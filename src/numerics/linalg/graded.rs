//! Eigenvalues of matrices whose rates lie far apart, each as good as the rates that it is made of.
//!
//! The eigenvalues of a matrix have errors of rounding beside its largest entries: a rate of 1e-5 beside one of 1e7
//! has few digits, and its sign is that of rounding soon. Such a matrix is taken apart. With fast states y and slow
//! ones x, `x' = A x + B y, y' = C x + D y`, there is a slow manifold y = L x, invariant where `L (A + B L) = C + D
//! L`. L is found by iterating `L = D⁻¹ (L (A + B L) - C)`, which contracts by the ratio of the rates. In the
//! coordinates x and y - L x the matrix is triangular by blocks: its eigenvalues are those of `A + B L` and those of
//! `D - L B`, each with errors of rounding beside its own block, and the slow block may be graded again.
//!
//! Whether an eigenvalue lies to the right of the axis is judged by its own error: that of its block, times its
//! condition, the inverse of the product of its left and right unit vectors.
//!
//! Reference: G. W. Stewart and J. Sun, *Matrix Perturbation Theory*, Academic Press (1990), ch. V.

use super::eigen::{Balanced, NoEigenvalues};
use nalgebra::{Complex, DMatrix};

/// Rates are far apart from this ratio on.
const GAP: f64 = 1e4;
/// What lies beside the axis by less than this part of its scale may lie on it where its condition is not known.
const ON_THE_AXIS: f64 = 1e-10;

/// An eigenvalue and what it is made of.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OfScale {
    /// The eigenvalue.
    pub value: Complex<f64>,
    /// The size of the numbers that it is made of: of its block, or of what cancels in that.
    pub scale: f64,
    /// Does it lie to the right of the imaginary axis by more than its error?
    pub unstable: bool,
}

/// All eigenvalues of a square matrix: largest real part first, conjugates adjacent with the positive imaginary part
/// first.
///
/// ```
/// use nalgebra::DMatrix;
/// use slipstick_numerics::linalg::graded::eigenvalues_of_scale;
/// // A slow rate of 3e-9 beside a fast one of -1e9.
/// let m = DMatrix::from_row_slice(2, 2, &[5e-9, -2e-9, 1e9, -1e9]);
/// let slow = eigenvalues_of_scale(&m)?[0];
/// assert!(slow.unstable && (slow.value.re / 3e-9 - 1.0).abs() < 1e-14);
/// # Ok::<(), slipstick_numerics::linalg::eigen::NoEigenvalues>(())
/// ```
///
/// # Errors
/// As [`Balanced::eigenvalues`].
pub fn eigenvalues_of_scale(matrix: &DMatrix<f64>) -> Result<Vec<OfScale>, NoEigenvalues> {
    let mut blocks = vec![];
    let whole = Block {
        matrix: matrix.clone(),
        made_of: matrix.abs(),
    };
    whole.take_apart(&mut blocks);
    let mut spectra = vec![];
    for block in &blocks {
        let balanced = Balanced::new(&block.matrix);
        let values = balanced.eigenvalues()?;
        let own = values.iter().fold(0.0f64, |m, v| m.max(v.norm()));
        spectra.push((balanced, values, own));
    }
    let largest = spectra.iter().fold(0.0f64, |m, s| m.max(s.2));
    let mut found = vec![];
    for (block, (balanced, values, own)) in blocks.iter().zip(spectra) {
        // What entries are made of may cancel in all of them.
        let scale = own.max(block.size()).min(largest);
        found.extend(values.into_iter().map(|value| OfScale {
            value,
            scale,
            unstable: value.re > error(&balanced, value, scale),
        }));
    }
    found.sort_by(|a, b| {
        let (a, b) = (a.value, b.value);
        b.re.total_cmp(&a.re)
            .then(a.im.abs().total_cmp(&b.im.abs()))
            .then(b.im.total_cmp(&a.im))
    });
    Ok(found)
}

/// The error of the real part of an eigenvalue as far as its sign is concerned.
fn error(balanced: &Balanced, value: Complex<f64>, scale: f64) -> f64 {
    /// What rounding leaves of an eigenvalue of condition one, for each row, in units of rounding: entries are sums of
    /// numbers that may be larger than they are, at states that have errors of rounding.
    const UNITS: f64 = 100.0;
    let most = ON_THE_AXIS * scale;
    if !(value.re > 0.0 && value.re <= most) {
        return most;
    }
    let overlap = if value.im == 0.0 {
        balanced.overlap(value.re)
    } else {
        balanced.overlap(value)
    };
    let rounding = UNITS * balanced.rows() as f64 * f64::EPSILON * scale;
    overlap.map_or(most, |overlap| (rounding / overlap).min(most))
}

/// A block on the diagonal, and the sizes of the numbers that its entries are made of.
struct Block {
    matrix: DMatrix<f64>,
    made_of: DMatrix<f64>,
}

impl Block {
    fn size(&self) -> f64 {
        Balanced::new(&self.made_of).size()
    }

    /// Take it apart into blocks of different rates.
    fn take_apart(self, blocks: &mut Vec<Self>) {
        match self.parts() {
            None => blocks.push(self),
            Some([fast, slow]) => {
                fast.take_apart(blocks);
                slow.take_apart(blocks);
            }
        }
    }

    /// The fast and the slow part; none of a block that has no gap.
    fn parts(&self) -> Option<[Self; 2]> {
        let (n, m) = (self.matrix.nrows(), &self.matrix);
        let mutual = |i: usize, j: usize| m[(i, j)].abs().sqrt() * m[(j, i)].abs().sqrt();
        let rates: Vec<f64> = (0..n)
            .map(|i| (0..n).map(|j| mutual(i, j)).fold(0.0, f64::max))
            .collect();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&i, &j| rates[j].total_cmp(&rates[i]));
        let gap = |k: &usize| rates[order[k - 1]] >= GAP * rates[order[*k]] && rates[order[k - 1]] > 0.0;
        (1..n).filter(gap).find_map(|k| {
            let (fast, slow) = order.split_at(k);
            self.decoupled(fast, slow)
        })
    }

    /// The parts of these states, decoupled; none where the iteration does not converge.
    fn decoupled(&self, fast: &[usize], slow: &[usize]) -> Option<[Self; 2]> {
        const ITERATIONS: usize = 30;
        const CONVERGED: f64 = 4.0 * f64::EPSILON;
        let part = |of: &DMatrix<f64>, rows: &[usize], columns: &[usize]| {
            DMatrix::from_fn(rows.len(), columns.len(), |i, j| of[(rows[i], columns[j])])
        };
        let (m, sizes) = (&self.matrix, &self.made_of);
        let (a, b) = (part(m, slow, slow), part(m, slow, fast));
        let (c, d) = (part(m, fast, slow), part(m, fast, fast));
        let lu = d.clone().full_piv_lu();
        let mut l = -lu.solve(&c)?;
        let mut converged = false;
        for _ in 0..ITERATIONS {
            let next = lu.solve(&(&l * (&a + &b * &l) - &c))?;
            let (change, size) = ((&next - &l).amax(), next.amax());
            l = next;
            if !size.is_finite() {
                return None;
            }
            if change <= CONVERGED * size {
                converged = true;
                break;
            }
        }
        let coupling = part(sizes, slow, fast);
        let slow = Self {
            matrix: &a + &b * &l,
            made_of: part(sizes, slow, slow) + &coupling * l.abs(),
        };
        let fast = Self {
            matrix: &d - &l * &b,
            made_of: part(sizes, fast, fast) + l.abs() * &coupling,
        };
        // Else nothing is gained.
        let apart = GAP.sqrt() * slow.size() <= fast.size();
        (converged && apart).then_some([fast, slow])
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn slow_blocks_keep_their_digits() {
        // A slow oscillator that drives a fast node and a fast oscillator, and is driven by them.
        for fast in [1e6, 1e9, 1e13] {
            let (re, im) = (3e-4, 2.0);
            let mut m = DMatrix::zeros(5, 5);
            let entries = [(0, 0, re), (0, 1, im), (1, 0, -im), (1, 1, re)];
            entries.iter().for_each(|&(i, j, v)| m[(i, j)] = v);
            m[(2, 2)] = -fast;
            (m[(3, 4)], m[(4, 3)], m[(4, 4)]) = (30.0 * fast, -30.0 * fast, -fast);
            let known = m.clone();
            // In other coordinates of the fast states, and of the slow ones.
            for (row, column, by) in [
                (2usize, 0usize, 0.7),
                (4, 1, -1.3),
                (0, 3, 0.4 / fast),
                (1, 2, -0.2 / fast),
            ] {
                let mut shear = DMatrix::identity(5, 5);
                shear[(row, column)] = by;
                let mut back = DMatrix::identity(5, 5);
                back[(row, column)] = -by;
                m = shear * m * back;
            }
            let found = eigenvalues_of_scale(&m).unwrap();
            let first = found[0];
            assert!(first.unstable && found[1].unstable && found.iter().filter(|v| v.unstable).count() == 2);
            assert!((first.value - Complex::new(re, im)).norm() < 1e-13, "{fast}: {first:?}");
            assert!(first.scale < 100.0 && found[4].scale > fast, "{known}");
        }
    }

    #[test]
    fn an_eigenvalue_that_cancels_has_no_sign() {
        // What is conserved: the sum of two states that are exchanged, slowly and fast.
        for (rate, fast) in [(0.3, 1e8), (1e-5, 7.0), (2.0, 2.0)] {
            let m = DMatrix::from_row_slice(3, 3, &[-rate, rate, 0.0, rate, -rate, 0.0, 1.1, 0.3, -fast]);
            let found = eigenvalues_of_scale(&m).unwrap();
            assert!(found.iter().all(|v| !v.unstable), "{found:?}");
            let nudged = DMatrix::from_fn(3, 3, |i, j| m[(i, j)] * (1.0 + 4e-16 * ((i * 5 + j * 3) % 4) as f64));
            assert!(eigenvalues_of_scale(&nudged).unwrap().iter().all(|v| !v.unstable));
        }
    }
}
