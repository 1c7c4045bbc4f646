//! A rectangle that holds all eigenvalues of a matrix.

use super::matrix::SparseMatrix;

/// Bounds of the real parts and of the moduli of the imaginary parts of all eigenvalues.
///
/// ```
/// use slipstick_numerics::linalg::sparse::{SparseMatrix, bounds};
/// // A rotation with decay has the eigenvalues -1 ± 2i.
/// let a = SparseMatrix::from_rows(2, &[vec![(0, -1.0), (1, -2.0)], vec![(0, 2.0), (1, -1.0)]]);
/// let found = bounds(&a);
/// assert!(found.right >= -1.0 && found.height >= 2.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// No real part is larger.
    pub right: f64,
    /// No imaginary part is larger in modulus.
    pub height: f64,
}

/// Bounds of the eigenvalues by I. Bendixson's theorem: real parts are no larger than the largest eigenvalue of `(A +
/// Aᵀ)/2`, imaginary parts no larger than those of `(A - Aᵀ)/2`, and both are bounded by rows. Rows and columns are
/// balanced by a diagonal similarity before, which changes no eigenvalue.
///
/// Reference: I. Bendixson, *Sur les racines d'une équation fondamentale*, Acta Math. 25 (1902) 359–365.
pub fn bounds(matrix: &SparseMatrix) -> Bounds {
    let n = matrix.len();
    let scale = balancing(matrix);
    // Row sums of the moduli of the symmetric and of the skew part off the diagonal. Entries without a counterpart
    // count by half in both.
    let (mut even, mut odd, mut diagonal) = (vec![0.0f64; n], vec![0.0f64; n], vec![0.0f64; n]);
    let entry = |r: usize, c: usize| {
        let range = matrix.begins[c] as usize..matrix.begins[c + 1] as usize;
        let found = matrix.rows[range.clone()].binary_search(&(r as u32));
        found.map_or(0.0, |k| matrix.values[range.start + k] * scale[c] / scale[r])
    };
    for c in 0..n {
        for (r, v) in matrix.column(c) {
            if r == c {
                diagonal[r] = v;
                continue;
            }
            let (own, other) = (v * scale[c] / scale[r], entry(c, r));
            let (sum, difference) = (0.5 * (own + other).abs(), 0.5 * (own - other).abs());
            even[r] += sum;
            odd[r] += difference;
            if other == 0.0 {
                even[c] += sum;
                odd[c] += difference;
            }
        }
    }
    let right = diagonal.iter().zip(&even).map(|(d, e)| d + e);
    Bounds {
        right: right.fold(f64::NEG_INFINITY, f64::max),
        height: odd.iter().fold(0.0, |m: f64, v| m.max(*v)),
    }
}

/// A diagonal similarity that makes rows and columns about equally long, in powers of two.
fn balancing(matrix: &SparseMatrix) -> Vec<f64> {
    /// Rounds, each over all rows; more gain little.
    const ROUNDS: usize = 12;
    let n = matrix.len();
    let mut scale = vec![1.0f64; n];
    for _ in 0..ROUNDS {
        let (mut rows, mut columns) = (vec![0.0f64; n], vec![0.0f64; n]);
        for c in 0..n {
            for (r, v) in matrix.column(c).filter(|(r, _)| *r != c) {
                let size = (v * scale[c] / scale[r]).abs();
                rows[r] += size;
                columns[c] += size;
            }
        }
        let mut changed = false;
        for i in 0..n {
            // Half of the way: neighbours are moved in the same round.
            let wanted = (0.25 * (rows[i] / columns[i]).log2()).round();
            if wanted != 0.0 && wanted.is_finite() {
                scale[i] *= wanted.exp2();
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    scale
}
