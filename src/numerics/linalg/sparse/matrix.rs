//! Square matrices by their entries.

use nalgebra::Complex;

/// A square matrix by columns: of each the rows in which it can differ from zero, in rising order, with the values.
///
/// ```
/// use slipstick_numerics::linalg::sparse::SparseMatrix;
/// let a = SparseMatrix::from_rows(2, &[vec![(0, 2.0), (1, 1.0)], vec![(1, 3.0)]]);
/// let mut out = [0.0; 2];
/// a.multiply(&[1.0, 1.0], &mut out);
/// assert_eq!(out, [3.0, 3.0]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseMatrix {
    /// Where the entries of each column begin, and where the last end.
    pub(super) begins: Vec<u32>,
    pub(super) rows: Vec<u32>,
    pub(super) values: Vec<f64>,
}

impl SparseMatrix {
    /// The matrix of `n` rows with these entries, a column and a value each, in any order; those of the same place add
    /// up.
    pub fn from_rows(n: usize, rows: &[Vec<(usize, f64)>]) -> Self {
        let mut columns: Vec<Vec<(u32, f64)>> = vec![vec![]; n];
        for (r, row) in rows.iter().enumerate() {
            for &(c, v) in row {
                match columns[c].last_mut() {
                    Some((last, sum)) if *last == r as u32 => *sum += v,
                    _ => columns[c].push((r as u32, v)),
                }
            }
        }
        let mut matrix = Self {
            begins: vec![0],
            ..Self::default()
        };
        for column in &columns {
            matrix.rows.extend(column.iter().map(|(r, _)| r));
            matrix.values.extend(column.iter().map(|(_, v)| v));
            matrix.begins.push(matrix.rows.len() as u32);
        }
        matrix
    }

    /// Of each row the columns in which it can differ from zero, in rising order, all values zero; and for each entry
    /// in the order of the rows its place among the values.
    pub fn with_pattern<'a>(n: usize, rows: impl Iterator<Item = &'a [usize]> + Clone) -> (Self, Vec<u32>) {
        let mut begins = vec![0u32; n + 1];
        for row in rows.clone() {
            row.iter().for_each(|c| begins[c + 1] += 1);
        }
        for c in 0..n {
            begins[c + 1] += begins[c];
        }
        let mut next = begins.clone();
        let mut places = vec![];
        let mut matrix = Self {
            rows: vec![0; begins[n] as usize],
            values: vec![0.0; begins[n] as usize],
            begins,
        };
        for (r, row) in rows.enumerate() {
            for &c in row {
                let place = next[c];
                next[c] += 1;
                matrix.rows[place as usize] = r as u32;
                places.push(place);
            }
        }
        (matrix, places)
    }

    /// How many rows and columns there are.
    pub fn len(&self) -> usize {
        self.begins.len().saturating_sub(1)
    }
    /// Has it no rows?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// How many entries can differ from zero.
    pub fn entries(&self) -> usize {
        self.rows.len()
    }
    /// The values, column by column.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }
    /// The entries of a column: row and value.
    pub fn column(&self, c: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.begins[c] as usize..self.begins[c + 1] as usize;
        let rows = self.rows[range.clone()].iter().map(|r| *r as usize);
        rows.zip(self.values[range].iter().copied())
    }

    /// `out = A x`.
    pub fn multiply(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (c, v) in x.iter().enumerate() {
            for (r, a) in self.column(c) {
                out[r] += a * v;
            }
        }
    }
    /// `A x` of a complex vector.
    pub fn apply(&self, x: &[Complex<f64>]) -> Vec<Complex<f64>> {
        let mut out = vec![Complex::new(0.0, 0.0); x.len()];
        for (c, v) in x.iter().enumerate() {
            for (r, a) in self.column(c) {
                out[r] += v * a;
            }
        }
        out
    }
}
