//! The derivatives of the equations of many states, on the entries that can differ from zero.

use slipstick_numerics::linalg::sparse::{Order, SparseMatrix};
use slipstick_system::{Function, Jacobian, Structure};

/// The Jacobian by the states, with its diagonal, and the derivatives by the free parameter.
pub(crate) struct SparseJacobian {
    n: usize,
    /// The derivatives by the states as they are evaluated, row by row.
    entries: Vec<f64>,
    /// Where each of them stands in the matrix.
    places: Vec<u32>,
    /// The derivatives by the states.
    pub(crate) matrix: SparseMatrix,
    /// An order in which they are eliminated.
    pub(crate) order: Order,
    /// The derivatives by the parameter.
    pub(crate) slopes: Vec<f64>,
}

/// The columns of each row, the diagonal among them, one row after the other.
fn rows_with_diagonal(structure: &Structure, n: usize) -> Vec<Vec<usize>> {
    (0..n)
        .map(|r| {
            let mut row = structure.row(r).to_vec();
            if let Err(at) = row.binary_search(&r) {
                row.insert(at, r);
            }
            row
        })
        .collect()
}

impl SparseJacobian {
    pub(crate) fn new(structure: &Structure) -> Self {
        let n = structure.rows();
        let rows = rows_with_diagonal(structure, n);
        let (matrix, all) = SparseMatrix::with_pattern(n, rows.iter().map(Vec::as_slice));
        let mut places = Vec::with_capacity(structure.entries());
        let mut next = 0;
        for (r, row) in rows.iter().enumerate() {
            let own = structure.row(r);
            places.extend(
                row.iter()
                    .zip(&all[next..])
                    .filter(|(c, _)| own.binary_search(c).is_ok())
                    .map(|(_, p)| *p),
            );
            next += row.len();
        }
        Self {
            n,
            entries: vec![0.0; structure.entries()],
            places,
            order: Order::of(&matrix),
            matrix,
            slopes: vec![0.0; n],
        }
    }

    /// Evaluate the equations at `x` with their derivatives.
    pub(crate) fn evaluate(&mut self, field: &dyn Function, p: &[f64], free: &[usize], x: &[f64], value: &mut [f64]) {
        let mut derivatives = Jacobian::new(field, self.n, p, free);
        let mut none = vec![];
        let slopes = if free.is_empty() { &mut none } else { &mut self.slopes };
        derivatives.entries_at(x, value, &mut self.entries, slopes);
        let values = self.matrix.values_mut();
        for (v, place) in self.entries.iter().zip(&self.places) {
            values[*place as usize] = *v;
        }
    }
}
