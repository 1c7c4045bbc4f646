//! Dense work on matrices of many rows, in blocks that caches and vector units see: products, LU and QR factors.
//!
//! Everything is in flat storage that the caller owns, as in [`lu_factorise`](super::lu_factorise), and runs on one
//! thread, so that results do not depend on how many there are.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj,
    apply_block_householder_sequence_transpose_on_the_left_in_place_scratch,
    apply_block_householder_sequence_transpose_on_the_left_in_place_with_conj,
};
use faer::linalg::lu::partial_pivoting::{factor, solve};
use faer::linalg::matmul::matmul;
use faer::linalg::qr::no_pivoting::factor as qr;
use faer::perm::PermRef;
use faer::prelude::default;
use faer::{Accum, Conj, Mat, MatMut, MatRef, Par};

/// `out += a b` for matrices by rows, `rows`×`inner` times `inner`×`columns`.
///
/// ```
/// use slipstick_numerics::linalg::multiply_add;
/// let mut out = [1.0, 0.0];
/// multiply_add(&[1.0, 2.0, 3.0, 4.0], &[10.0, 1.0], &mut out, (2, 2, 1));
/// assert_eq!(out, [13.0, 34.0]);
/// ```
pub fn multiply_add(a: &[f64], b: &[f64], out: &mut [f64], (rows, inner, columns): (usize, usize, usize)) {
    // By columns these are the transposed matrices: outᵀ += bᵀ aᵀ.
    matmul(
        MatMut::from_column_major_slice_mut(out, columns, rows),
        Accum::Add,
        MatRef::from_column_major_slice(b, columns, inner),
        MatRef::from_column_major_slice(a, inner, rows),
        1.0,
        Par::Seq,
    );
}

/// `out += aᵀ b` for matrices by rows, a being `inner`×`rows` and b `inner`×`columns`.
pub fn multiply_transposed_add(a: &[f64], b: &[f64], out: &mut [f64], (rows, inner, columns): (usize, usize, usize)) {
    matmul(
        MatMut::from_column_major_slice_mut(out, columns, rows),
        Accum::Add,
        MatRef::from_column_major_slice(b, columns, inner),
        MatRef::from_row_major_slice(a, inner, rows),
        1.0,
        Par::Seq,
    );
}

/// As [`lu_factorise`](super::lu_factorise), for matrices of many rows and solved by [`lu_solve_blocked`] only:
/// `pivots` has twice as many entries as there are rows.
pub fn lu_factorise_blocked(a: &mut [f64], pivots: &mut [u32]) -> bool {
    let n = pivots.len() / 2;
    if !a.iter().all(|v| v.is_finite()) {
        return false;
    }
    let (forward, backward) = pivots.split_at_mut(n);
    let mut memory = MemBuffer::new(factor::lu_in_place_scratch::<u32, f64>(n, n, Par::Seq, default()));
    // By columns it is the transposed matrix that is factorised.
    factor::lu_in_place(
        MatMut::from_column_major_slice_mut(&mut *a, n, n),
        forward,
        backward,
        Par::Seq,
        MemStack::new(&mut memory),
        default(),
    );
    a.iter().step_by(n + 1).all(|v| *v != 0.0 && v.is_finite())
}

/// Solve for several right-hand sides: `b` holds n rows of `columns` numbers and is overwritten by the solutions.
///
/// ```
/// use slipstick_numerics::linalg::{lu_factorise_blocked, lu_solve_blocked};
/// let (mut a, mut pivots, mut b) = ([0.0, 2.0, 1.0, 1.0], [0; 4], [4.0, 3.0]);
/// assert!(lu_factorise_blocked(&mut a, &mut pivots));
/// lu_solve_blocked(&a, &pivots, &mut b, 1);
/// assert_eq!(b, [1.0, 2.0]);
/// ```
pub fn lu_solve_blocked(a: &[f64], pivots: &[u32], b: &mut [f64], columns: usize) {
    let n = pivots.len() / 2;
    let (forward, backward) = pivots.split_at(n);
    let factors = MatRef::from_column_major_slice(a, n, n);
    let mut memory = MemBuffer::new(solve::solve_transpose_in_place_scratch::<u32, f64>(
        n,
        columns,
        Par::Seq,
    ));
    solve::solve_transpose_in_place(
        factors,
        factors,
        PermRef::new_checked(forward, backward, n),
        MatMut::from_row_major_slice_mut(b, n, columns),
        Par::Seq,
        MemStack::new(&mut memory),
    );
}

/// Reflections that take a tall matrix, given by `columns` of `rows` numbers, to triangular form: afterwards each
/// column holds R above its diagonal, and from there on the vector of its reflection, which begins with one. `scale`
/// gets the factors of the reflections, `diagonal` the diagonal of R, and `beside`, as many rows, is reflected as well.
pub(super) fn reflect_tall(
    columns: &mut [f64],
    rows: usize,
    scale: &mut [f64],
    diagonal: &mut [f64],
    beside: &mut [f64],
) {
    let (n, width) = (scale.len(), beside.len() / rows);
    let block = qr::recommended_block_size::<f64>(rows, n);
    let mut coefficients = Mat::<f64>::zeros(block, n);
    let wanted = qr::qr_in_place_scratch::<f64>(rows, n, block, Par::Seq, default())
        .or(apply_block_householder_sequence_transpose_on_the_left_in_place_scratch::<f64>(rows, block, width));
    let mut memory = MemBuffer::new(wanted);
    qr::qr_in_place(
        MatMut::from_column_major_slice_mut(&mut *columns, rows, n),
        coefficients.as_mut(),
        Par::Seq,
        MemStack::new(&mut memory),
        default(),
    );
    apply_block_householder_sequence_transpose_on_the_left_in_place_with_conj(
        MatRef::from_column_major_slice(columns, rows, n),
        coefficients.as_ref(),
        Conj::No,
        MatMut::from_row_major_slice_mut(beside, rows, width),
        Par::Seq,
        MemStack::new(&mut memory),
    );
    for (k, column) in columns.chunks_exact_mut(rows).enumerate() {
        diagonal[k] = column[k];
        column[k] = 1.0;
        // No reflection has an infinite coefficient.
        scale[k] = 1.0 / coefficients[(k % block, k)];
    }
}

/// Orthonormal columns `q` (`rows` by rows) and the triangle `r` (by columns) of a matrix by rows with no more columns
/// than rows. False where a column depends on those before it exactly: then nothing of the result counts.
pub fn qr_blocked(matrix: &[f64], rows: usize, q: &mut [f64], r: &mut [f64]) -> bool {
    let size = matrix.len() / rows;
    let block = qr::recommended_block_size::<f64>(rows, size);
    let mut factors = MatRef::from_row_major_slice(matrix, rows, size).to_owned();
    let mut coefficients = Mat::<f64>::zeros(block, size);
    let wanted = qr::qr_in_place_scratch::<f64>(rows, size, block, Par::Seq, default()).or(
        apply_block_householder_sequence_on_the_left_in_place_scratch::<f64>(rows, block, size),
    );
    let mut memory = MemBuffer::new(wanted);
    qr::qr_in_place(
        factors.as_mut(),
        coefficients.as_mut(),
        Par::Seq,
        MemStack::new(&mut memory),
        default(),
    );
    for (j, column) in r.chunks_exact_mut(size).enumerate() {
        column.fill(0.0);
        for (i, v) in column[..=j].iter_mut().enumerate() {
            *v = factors[(i, j)];
        }
    }
    if r.iter().step_by(size + 1).any(|v| *v == 0.0 || !v.is_finite()) {
        return false;
    }
    q.fill(0.0);
    q.iter_mut().step_by(size + 1).take(size).for_each(|v| *v = 1.0);
    apply_block_householder_sequence_on_the_left_in_place_with_conj(
        factors.as_ref(),
        coefficients.as_ref(),
        Conj::No,
        MatMut::from_row_major_slice_mut(q, rows, size),
        Par::Seq,
        MemStack::new(&mut memory),
    );
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{lu_factorise, lu_solve};

    /// Numbers that follow no rule which would make a matrix of them singular.
    fn entries(count: usize, seed: f64) -> Vec<f64> {
        (0..count).map(|k| (seed + 0.37 * (k * k) as f64).sin()).collect()
    }

    #[test]
    fn blocked_factors_solve_as_small_ones_do() {
        for n in [1, 5, 40, 130] {
            let a = entries(n * n, 0.4);
            let b = entries(n * 3, 0.1);
            let (mut one, mut small, mut x) = (a.clone(), vec![0; n], b.clone());
            assert!(lu_factorise(&mut one, &mut small));
            lu_solve(&one, &small, &mut x, 3);
            let (mut other, mut pivots, mut y) = (a.clone(), vec![0; 2 * n], b.clone());
            assert!(lu_factorise_blocked(&mut other, &mut pivots));
            lu_solve_blocked(&other, &pivots, &mut y, 3);
            let mut image = vec![0.0; n * 3];
            multiply_add(&a, &y, &mut image, (n, n, 3));
            let size = y.iter().fold(1.0f64, |m, v| m.max(v.abs()));
            for (v, w) in image.iter().zip(&b) {
                assert!((v - w).abs() < 1e-13 * size * n as f64, "{n}: {v} {w}");
            }
            for (v, w) in x.iter().zip(&y) {
                assert!((v - w).abs() < 1e-9 * size, "{n}: {v} {w}");
            }
        }
        assert!(!lu_factorise_blocked(&mut [1.0, 2.0, 2.0, 4.0], &mut [0; 4]));
        assert!(!lu_factorise_blocked(&mut [f64::NAN], &mut [0; 2]));
    }

    #[test]
    fn orthonormal_columns_times_the_triangle_are_the_matrix() {
        for (rows, size) in [(3, 2), (30, 30), (70, 64)] {
            let matrix = entries(rows * size, 0.9);
            let (mut q, mut r) = (vec![0.0; rows * size], vec![0.0; size * size]);
            assert!(qr_blocked(&matrix, rows, &mut q, &mut r));
            let by_rows: Vec<f64> = (0..size * size).map(|k| r[k % size * size + k / size]).collect();
            let mut image = vec![0.0; rows * size];
            multiply_add(&q, &by_rows, &mut image, (rows, size, size));
            for (v, w) in image.iter().zip(&matrix) {
                assert!((v - w).abs() < 1e-13 * rows as f64);
            }
            let mut gram = vec![0.0; size * size];
            multiply_transposed_add(&q, &q, &mut gram, (size, rows, size));
            for (k, v) in gram.iter().enumerate() {
                let identity = if k % (size + 1) == 0 { 1.0 } else { 0.0 };
                assert!((v - identity).abs() < 1e-14 * rows as f64);
            }
        }
    }
}
