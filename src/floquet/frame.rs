//! An orthonormal frame carried through one factor: `A Q = Q' R`.

use super::planar::{largest, rescaling};
use slipstick_numerics::linalg::{multiply_add, qr_blocked};

/// Factors with entries outside are scaled first.
pub(super) const ORDINARY: std::ops::Range<f64> = 1e-100..1e100;
/// Sums of squares above this have not lost digits to underflow.
const SAFE_SQUARE: f64 = 1e-200;
/// Frames of so many vectors are propagated in blocks.
const MANY: usize = 12;

/// The frame Q at the present node and the workspace to carry it on.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    /// Q, n×size, row by row; its columns are orthonormal.
    pub basis: Vec<f64>,
    /// R of the last factor, size×size, column by column.
    pub triangle: Vec<f64>,
    /// A Q, then that without vanishing rows; row by row.
    image: Vec<f64>,
    /// The rows of A Q that do not vanish.
    retained_rows: Vec<usize>,
    /// Householder vectors one after the other: that of row k has the entries for the rows from k on.
    vectors: Vec<f64>,
    /// Their coefficients.
    betas: Vec<f64>,
    work: Vec<f64>,
}

impl Frame {
    /// Carry the frame of `size` vectors through `a` (rows×cols, row by row). Returns a binary exponent taken out of
    /// `a` and the rank of the image, below `size` only if directions are lost exactly; `None` if `a` is not finite.
    pub(super) fn propagate(&mut self, a: &[f64], rows: usize, size: usize) -> Option<(i64, usize)> {
        let exponent = self.apply(a, rows, size)?;
        Some((exponent, self.orthogonalise(rows, size)))
    }

    /// The same for a square `a` whose rows differ by any powers of two: it is done row by row, as what is small in a
    /// block would be compared with what is large.
    pub(super) fn propagate_graded(&mut self, a: &[f64], size: usize) -> Option<(i64, usize)> {
        let rows = self.basis.len() / size;
        let exponent = self.apply(a, rows, size)?;
        self.triangle.clear();
        self.triangle.resize(size * size, 0.0);
        Some((exponent, self.orthogonalise_by_rows(rows, size)))
    }

    /// Carry the frame through the last factor, back to the frame `start` of the same size. `closing` gets
    /// `startᵀ A Q`, column by column; the rank returned is that of this matrix, and if it is not full the new basis
    /// spans its image.
    pub(super) fn close(
        &mut self,
        a: &[f64],
        rows: usize,
        size: usize,
        start: &[f64],
        closing: &mut [f64],
    ) -> Option<(i64, usize)> {
        let exponent = self.apply(a, rows, size)?;
        let mut coordinates = std::mem::take(&mut self.work);
        coordinates.clear();
        coordinates.resize(size * size, 0.0);
        for (from, image) in start.chunks_exact(size).zip(self.image.chunks_exact(size)) {
            for (row, s) in coordinates.chunks_exact_mut(size).zip(from) {
                row.iter_mut().zip(image).for_each(|(h, x)| *h += s * x);
            }
        }
        for (i, row) in coordinates.chunks_exact(size).enumerate() {
            for (j, h) in row.iter().enumerate() {
                closing[j * size + i] = *h;
            }
        }
        std::mem::swap(&mut self.image, &mut coordinates);
        self.work = coordinates;
        let rank = self.orthogonalise(size, size);
        if rank < size {
            let inner = std::mem::take(&mut self.basis);
            for from in start.chunks_exact(size) {
                let first = self.basis.len();
                self.basis.resize(first + rank, 0.0);
                accumulate(from, &inner, &mut self.basis[first..]);
            }
        }
        Some((exponent, rank))
    }

    /// `image = 2^-e A Q`; returns e, `None` if A is not finite.
    fn apply(&mut self, a: &[f64], rows: usize, size: usize) -> Option<i64> {
        let largest = largest(a);
        if !largest.is_finite() {
            return None;
        }
        self.image.clear();
        self.image.resize(rows * size, 0.0);
        match (size, a.len()) {
            (2, 4) => multiply::<2>(a, &self.basis, &mut self.image),
            (3, 9) => multiply::<3>(a, &self.basis, &mut self.image),
            (4, 16) => multiply::<4>(a, &self.basis, &mut self.image),
            _ if size >= MANY => multiply_add(a, &self.basis, &mut self.image, (rows, a.len() / rows, size)),
            _ => {
                let cols = a.len() / rows;
                for (row, out) in a.chunks_exact(cols).zip(self.image.chunks_exact_mut(size)) {
                    accumulate(row, &self.basis, out);
                }
            }
        }
        if ORDINARY.contains(&largest) {
            return Some(0);
        }
        self.apply_scaled(a, rows, size, largest)
    }

    #[cold]
    fn apply_scaled(&mut self, a: &[f64], rows: usize, size: usize, largest: f64) -> Option<i64> {
        let (scale, exponent) = rescaling(largest);
        self.image.clear();
        self.image.resize(rows * size, 0.0);
        let scaled: Vec<f64> = a.iter().map(|x| x * scale).collect();
        for (row, out) in scaled
            .chunks_exact(a.len() / rows)
            .zip(self.image.chunks_exact_mut(size))
        {
            accumulate(row, &self.basis, out);
        }
        Some(exponent)
    }

    fn orthogonalise(&mut self, rows: usize, size: usize) -> usize {
        self.triangle.clear();
        self.triangle.resize(size * size, 0.0);
        if rows == size {
            self.basis.resize(size * size, 0.0);
            let (m, q, r) = (&self.image, &mut self.basis, &mut self.triangle);
            let done = match size {
                2 => square_qr::<2>(m, q, r),
                3 => square_qr::<3>(m, q, r),
                4 => square_qr::<4>(m, q, r),
                _ => false,
            };
            if done {
                return size;
            }
        }
        if size >= MANY && !self.has_vanishing_rows(size) {
            self.basis.resize(rows * size, 0.0);
            if qr_blocked(&self.image, rows, &mut self.basis, &mut self.triangle) {
                return size;
            }
            self.triangle.fill(0.0);
        }
        self.orthogonalise_by_rows(rows, size)
    }

    fn orthogonalise_by_rows(&mut self, rows: usize, size: usize) -> usize {
        self.remove_vanishing_rows(rows, size);
        let rank = self.eliminate(size);
        self.assemble(rows, rank);
        rank
    }

    fn has_vanishing_rows(&self, size: usize) -> bool {
        self.image.chunks_exact(size).any(|row| row.iter().all(|x| *x == 0.0))
    }

    /// Note in `retained_rows` which rows of the image do not vanish exactly, and remove the others.
    fn remove_vanishing_rows(&mut self, rows: usize, size: usize) {
        self.retained_rows.clear();
        for i in 0..rows {
            let row = i * size..(i + 1) * size;
            if self.image[row.clone()].iter().any(|x| *x != 0.0) {
                self.image.copy_within(row, self.retained_rows.len() * size);
                self.retained_rows.push(i);
            }
        }
        self.image.truncate(self.retained_rows.len() * size);
    }

    /// Householder elimination of the image; columns that vanish exactly are passed over. Returns the rank.
    fn eliminate(&mut self, size: usize) -> usize {
        self.vectors.clear();
        self.betas.clear();
        self.work.clear();
        self.work.resize(size, 0.0);
        let mut rank = 0;
        for j in 0..size {
            for i in 0..rank {
                self.triangle[j * size + i] = self.image[i * size + j];
            }
            let first = self.vectors.len();
            self.vectors
                .extend(self.image.iter().skip(rank * size + j).step_by(size));
            let v = &mut self.vectors[first..];
            let length = norm(v);
            if length == 0.0 {
                self.vectors.truncate(first);
                continue;
            }
            let pivot = -length.copysign(v[0]);
            self.triangle[j * size + rank] = pivot;
            // v - pivot e₁, scaled so that v₁ = 1
            let lead = v[0] - pivot;
            v[1..].iter_mut().for_each(|x| *x /= lead);
            v[0] = 1.0;
            let beta = -lead / pivot;
            self.betas.push(beta);
            reflect(
                &self.vectors[first..],
                beta,
                &mut self.image[rank * size..],
                size,
                j + 1,
                &mut self.work,
            );
            rank += 1;
        }
        rank
    }

    /// The first `rank` columns of the product of the reflections, scattered to the rows they belong to.
    fn assemble(&mut self, rows: usize, rank: usize) {
        let retained = self.retained_rows.len();
        self.basis.clear();
        self.basis.resize(rows * rank, 0.0);
        let mut end = self.vectors.len();
        for k in (0..rank).rev() {
            self.basis[k * rank + k] = 1.0;
            let first = end - (retained - k);
            let below = &mut self.basis[k * rank..retained * rank];
            reflect(&self.vectors[first..end], self.betas[k], below, rank, k, &mut self.work);
            end = first;
        }
        // Last first, so that none is overwritten.
        for (from, &to) in self.retained_rows.iter().enumerate().rev() {
            for j in 0..rank {
                self.basis.swap(from * rank + j, to * rank + j);
            }
        }
    }
}

/// `out += row · m`, m row by row.
#[inline]
fn accumulate(row: &[f64], m: &[f64], out: &mut [f64]) {
    if out.is_empty() {
        return;
    }
    for (a, m) in row.iter().zip(m.chunks_exact(out.len())) {
        out.iter_mut().zip(m).for_each(|(o, m)| *o += a * m);
    }
}

/// `m -= β v (vᵀ m)` in the columns from `from` on; m row by row with rows of `width`.
#[inline]
fn reflect(v: &[f64], beta: f64, m: &mut [f64], width: usize, from: usize, work: &mut [f64]) {
    if from >= width {
        return;
    }
    let work = &mut work[from..width];
    work.fill(0.0);
    for (row, v) in m.chunks_exact(width).zip(v) {
        work.iter_mut().zip(&row[from..]).for_each(|(w, x)| *w += v * x);
    }
    for (row, v) in m.chunks_exact_mut(width).zip(v) {
        let kick = beta * v;
        row[from..].iter_mut().zip(&*work).for_each(|(x, w)| *x -= kick * w);
    }
}

/// Euclidean length, safe against underflow.
fn norm(v: &[f64]) -> f64 {
    let square: f64 = v.iter().map(|x| x * x).sum();
    if square > SAFE_SQUARE {
        return square.sqrt();
    }
    let size = largest(v);
    if size == 0.0 {
        return 0.0;
    }
    let (scale, _) = rescaling(size);
    v.iter().map(|x| (x * scale) * (x * scale)).sum::<f64>().sqrt() / scale
}

/// `out = a q` for square matrices, row by row.
#[inline]
fn multiply<const N: usize>(a: &[f64], q: &[f64], out: &mut [f64]) {
    let (q, _) = q.as_chunks::<N>();
    for (row, out) in a.as_chunks::<N>().0.iter().zip(out.as_chunks_mut::<N>().0) {
        let mut sum = [0.0; N];
        for (a, q) in row.iter().zip(q) {
            for (s, q) in sum.iter_mut().zip(q) {
                *s += a * q;
            }
        }
        *out = sum;
    }
}

/// Householder QR of a small square matrix (row by row) into `q` (row by row) and `r` (column by column, zero below the
/// diagonal). False where it is not plainly regular: then nothing of the result counts.
#[inline]
fn square_qr<const N: usize>(m: &[f64], q: &mut [f64], r: &mut [f64]) -> bool {
    let mut x = [[0.0; N]; N];
    x.copy_from_slice(m.as_chunks::<N>().0);
    let mut vectors = [[0.0; N]; N];
    let mut betas = [0.0; N];
    for j in 0..N - 1 {
        let square: f64 = (j..N).map(|i| x[i][j] * x[i][j]).sum();
        // Also catches NaN.
        if square.is_nan() || square <= SAFE_SQUARE {
            return false;
        }
        let pivot = -square.sqrt().copysign(x[j][j]);
        let lead = x[j][j] - pivot;
        let scale = 1.0 / lead;
        for i in j + 1..N {
            vectors[j][i] = x[i][j] * scale;
        }
        vectors[j][j] = 1.0;
        betas[j] = -lead / pivot;
        reflect_square(&vectors[j], betas[j], &mut x, j, j + 1);
        x[j][j] = pivot;
    }
    if x[N - 1][N - 1] == 0.0 {
        return false;
    }
    for (j, column) in r.as_chunks_mut::<N>().0.iter_mut().enumerate() {
        for i in 0..=j {
            column[i] = x[i][j];
        }
    }
    let Some((q, _)) = q.as_chunks_mut::<N>().0.split_first_chunk_mut::<N>() else {
        return false;
    };
    for (i, row) in q.iter_mut().enumerate() {
        *row = [0.0; N];
        row[i] = 1.0;
    }
    for j in (0..N - 1).rev() {
        reflect_square(&vectors[j], betas[j], q, j, j);
    }
    true
}

/// `m -= β v (vᵀ m)` in the rows from `row` and the columns from `column` on.
#[inline]
fn reflect_square<const N: usize>(v: &[f64; N], beta: f64, m: &mut [[f64; N]; N], row: usize, column: usize) {
    let mut image = [0.0; N];
    for (v, m) in v.iter().zip(&*m).skip(row) {
        image.iter_mut().zip(m).for_each(|(w, x)| *w += v * x);
    }
    for (v, m) in v.iter().zip(m).skip(row) {
        let kick = beta * v;
        m.iter_mut().zip(&image).skip(column).for_each(|(x, w)| *x -= kick * w);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use nalgebra::DMatrix;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn image_equals_basis_times_triangle(
            (cols, extra, size) in (1usize..7).prop_flat_map(|n| (Just(n), 0usize..4, 1..=n)),
            vanishing in prop::option::of(0usize..3),
            seed in prop::collection::vec(-1.0..1.0f64, 200),
        ) {
            let rows = size + extra;
            let mut a = DMatrix::from_fn(rows, cols, |i, j| seed[i * cols + j]);
            if let Some(row) = vanishing.filter(|&r| r < extra) {
                a.set_row(row, &nalgebra::RowDVector::zeros(cols));
            }
            let q = DMatrix::from_fn(cols, size, |i, j| seed[100 + i * size + j]).qr().q();
            let mut frame = Frame { basis: q.transpose().as_slice().to_vec(), ..Frame::default() };
            let (exponent, rank) = frame.propagate(a.transpose().as_slice(), rows, size).unwrap();
            prop_assert_eq!((exponent, rank), (0, size));
            let basis = DMatrix::from_row_slice(rows, size, &frame.basis);
            let triangle = DMatrix::from_column_slice(size, size, &frame.triangle);
            prop_assert!((basis.transpose() * &basis - DMatrix::identity(size, size)).norm() < 1e-14);
            prop_assert!((&basis * &triangle - a * q).norm() < 1e-14);
            prop_assert_eq!(triangle.lower_triangle(), DMatrix::from_diagonal(&triangle.diagonal()));
        }
    }

    #[test]
    fn an_image_of_lower_dimension_is_spanned_exactly() {
        // rows 0 and 2 vanish: three vectors are mapped to the plane of the axes 1 and 3
        let a = [[0.0; 3], [1.0, 2.0, 3.0], [0.0; 3], [4.0, 5.0, -6.0]].concat();
        let mut frame = Frame {
            basis: vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
            ..Frame::default()
        };
        assert_eq!(frame.propagate(&a, 4, 3), Some((0, 2)));
        let q = DMatrix::from_row_slice(4, 2, &frame.basis);
        assert_eq!((q.row(0).norm(), q.row(2).norm()), (0.0, 0.0));
        assert!((q.transpose() * &q - DMatrix::identity(2, 2)).norm() < 1e-15);
    }
}
