//! The equations of the intervals with their derivatives and sparse factors.
//!
//! With the values `X₁ … X_m` at the points of an interval of length h that begins at x, the equations of a point are
//! `Σ_l D_{jl} (X_l - x) = h f(X_j)`, where D is the inverse of the integration matrix: so each of them has the
//! derivatives of f at one point only, and the entries of the matrix are few.

use nalgebra::DMatrix;
use slipstick_numerics::linalg::Singular;
use slipstick_numerics::linalg::sparse::{Order, SparseFactors, SparseMatrix};
use slipstick_numerics::tableau::Tableau;
use slipstick_system::{Function, Jacobian, Structure};

/// What is kept of the equations of all intervals.
pub(super) struct Stages {
    n: usize,
    m: usize,
    /// By rows.
    differences: Vec<f64>,
    /// The sums of its rows.
    pub(super) from_start: Vec<f64>,
    /// The matrix of one interval, and an order in which it is eliminated.
    matrix: SparseMatrix,
    order: Order,
    /// Where the derivatives stand in it, those at one point after the other.
    derivative_places: Vec<u32>,
    /// Where the entries of D stand, for each row.
    difference_places: Vec<u32>,
    /// Entries of the Jacobian.
    entries: usize,
    pub(super) intervals: Vec<Interval>,
}

/// One interval at the last linearisation.
#[derive(Default)]
pub(super) struct Interval {
    /// Its length in time, and as part of the period.
    pub(super) length: f64,
    pub(super) width: f64,
    /// The rates and their derivatives by the parameter at its points.
    pub(super) rates: Vec<f64>,
    pub(super) slopes: Vec<f64>,
    derivatives: Vec<f64>,
    factors: Option<SparseFactors<f64>>,
}

impl Stages {
    pub(super) fn new(structure: &Structure, tableau: &Tableau) -> Self {
        let (n, m) = (structure.rows(), tableau.stages);
        let inverse = DMatrix::from_row_slice(m, m, &tableau.a).try_inverse();
        let differences: Vec<f64> = inverse.map_or_else(Vec::new, |d| d.transpose().as_slice().to_vec());
        let from_start = differences.chunks_exact(m).map(|row| row.iter().sum()).collect();
        // Unknown c at point l stands in column l n + c.
        let mut rows: Vec<Vec<usize>> = Vec::with_capacity(m * n);
        for j in 0..m {
            for r in 0..n {
                let own = structure.row(r).iter().map(|c| j * n + c);
                let mut row: Vec<usize> = (0..m).map(|l| l * n + r).chain(own).collect();
                row.sort_unstable();
                row.dedup();
                rows.push(row);
            }
        }
        let (matrix, places) = SparseMatrix::with_pattern(m * n, rows.iter().map(Vec::as_slice));
        let (mut derivative_places, mut difference_places, mut begin) = (vec![], vec![], 0);
        for (k, row) in rows.iter().enumerate() {
            let (j, r) = (k / n, k % n);
            let place = |c: usize| row.binary_search(&c).map_or(0, |at| places[begin + at]);
            derivative_places.extend(structure.row(r).iter().map(|c| place(j * n + c)));
            difference_places.extend((0..m).map(|l| place(l * n + r)));
            begin += row.len();
        }
        Self {
            n,
            m,
            differences,
            from_start,
            order: Order::of(&matrix),
            matrix,
            derivative_places,
            difference_places,
            entries: structure.entries(),
            intervals: vec![],
        }
    }

    /// Evaluate the equations with their derivatives at the points of all intervals: `starts(i)` is the state with
    /// which interval `i` begins, `points` are the states at all points.
    pub(super) fn evaluate<'z>(
        &mut self,
        (field, p, free): (&dyn Function, &[f64], &[usize]),
        (mesh, period): (&[f64], f64),
        (points, starts): (&[f64], &dyn Fn(usize) -> &'z [f64]),
        residual: &mut [f64],
    ) {
        let (n, m) = (self.n, self.m);
        self.intervals.resize_with(mesh.len() - 1, Interval::default);
        let mut jacobian = Jacobian::new(field, n, p, free);
        let blocks = points.chunks_exact(m * n).zip(residual.chunks_exact_mut(m * n));
        for (i, (own, (x, r))) in self.intervals.iter_mut().zip(blocks).enumerate() {
            own.width = mesh[i + 1] - mesh[i];
            own.length = own.width * period;
            own.rates.resize(m * n, 0.0);
            own.slopes.resize(m * n, 0.0);
            own.derivatives.resize(m * self.entries, 0.0);
            for j in 0..m {
                let at = j * n..(j + 1) * n;
                jacobian.entries_at(
                    &x[at.clone()],
                    &mut own.rates[at.clone()],
                    &mut own.derivatives[j * self.entries..(j + 1) * self.entries],
                    &mut own.slopes[at],
                );
            }
            let start = starts(i);
            for (j, r) in r.chunks_exact_mut(n).enumerate() {
                let row = &self.differences[j * m..(j + 1) * m];
                for (c, r) in r.iter_mut().enumerate() {
                    let slope: f64 = row.iter().enumerate().map(|(l, d)| d * (x[l * n + c] - start[c])).sum();
                    *r = slope - own.length * own.rates[j * n + c];
                }
            }
        }
    }

    /// Has each interval its factors?
    pub(super) fn are_factorised(&self) -> bool {
        self.intervals.iter().all(|own| own.factors.is_some())
    }

    /// Forget the factors.
    pub(super) fn forget(&mut self) {
        self.intervals.iter_mut().for_each(|own| own.factors = None);
    }

    /// Factorise the intervals that have no factors, at the last evaluation.
    pub(super) fn factorise(&mut self) -> Result<(), Singular> {
        let m = self.m;
        for own in self.intervals.iter_mut().filter(|own| own.factors.is_none()) {
            slipstick_numerics::stop::look();
            let values = self.matrix.values_mut();
            values.fill(0.0);
            for (k, place) in self.difference_places.iter().enumerate() {
                values[*place as usize] = self.differences[(k / m / self.n) * m + k % m];
            }
            for (place, v) in self.derivative_places.iter().zip(&own.derivatives) {
                values[*place as usize] -= own.length * v;
            }
            own.factors = Some(SparseFactors::of(&self.matrix, &self.order, 0.0)?);
        }
        Ok(())
    }
}

impl Interval {
    /// Solve for changes of the points; `rhs` becomes the solution.
    pub(super) fn solve(&self, rhs: &mut [f64]) {
        if let Some(factors) = &self.factors {
            factors.solve(rhs);
        }
    }
    /// The same with the transposed matrix.
    pub(super) fn solve_transposed(&self, rhs: &mut [f64]) {
        if let Some(factors) = &self.factors {
            factors.solve_transposed(rhs);
        }
    }
}
