//! The transition matrix of a linear equation `X' = J(t) X` over a step.
//!
//! Of few states the equations of all stages of a Gauss scheme are factorised. Of many the stages are iterated,
//! `X = 1 + h A J X`: within the reach of a step the corrections shrink like the terms of an exponential series, and
//! one iteration costs a product of J and the matrix in each stage, which for an equation between neighbours is little.

use pulp::{Arch, NullaryFnOnce};
use slipstick_continuation::Failure;
use slipstick_numerics::linalg::{lu_factorise, lu_solve, multiply_add};
use slipstick_numerics::tableau::{MOST_STAGES, Tableau};

/// From so many states on stages are iterated.
const MANY: usize = 8;
/// Corrections no larger than this, relative, are followed by ones that are rounding.
const CONVERGED: f64 = 1e-15;
/// Iterations within which they come to that where the step is within reach.
const ITERATIONS: usize = 40;
/// Entries that are summed side by side.
const LANES: usize = 16;
/// With fewer entries than one in so many J is taken by its entries.
const SPARSE: usize = 5;

/// How large |J| h may be, in balanced units, so that a Gauss step is exact to rounding: the error of its stability
/// function is `(m!)² / ((2m)! (2m+1)!) |J h|^{2m+1}`.
pub(crate) fn reach(stages: usize) -> f64 {
    let factorial = |k: usize| (1..=k).map(|i| i as f64).product::<f64>();
    let constant = factorial(stages).powi(2) / (factorial(2 * stages) * factorial(2 * stages + 1));
    (1e-14 / constant).powf(1.0 / (2 * stages + 1) as f64)
}

/// Solves `X' = J X` over a step; keeps its memory.
#[derive(Default)]
pub(crate) struct Variation {
    matrix: Vec<f64>,
    pivots: Vec<u32>,
    rhs: Vec<f64>,
    x: Vec<f64>,
    /// `X - 1` at the stages, and `J X`.
    stages: Vec<f64>,
    rates: Vec<f64>,
    /// The entries of J at all stages, row by row: where those of a row begin, their columns and values.
    begins: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl Variation {
    /// The transition matrix over `h` by rows, J (n×n by rows) given at the Gauss points.
    pub(crate) fn transition(&mut self, gauss: &Tableau, n: usize, fx: &[f64], h: f64) -> Result<&[f64], Failure> {
        self.solve(gauss, n, fx, h)?;
        Ok(&self.x)
    }

    /// The same from the rates at the stages: the factors of the stages themselves are differences of large weights,
    /// which enlarge rounding fifty times.
    pub(crate) fn transition_by_rates(
        &mut self,
        gauss: &Tableau,
        n: usize,
        fx: &[f64],
        h: f64,
    ) -> Result<&[f64], Failure> {
        let iterated = self.solve(gauss, n, fx, h)?;
        if !iterated {
            self.rates.clear();
            self.rates.resize(gauss.stages * n * n, 0.0);
            let stages = self.rhs.chunks_exact(n * n).zip(fx.chunks_exact(n * n));
            for (rate, (x, j)) in self.rates.chunks_exact_mut(n * n).zip(stages) {
                for (r, row) in rate.chunks_exact_mut(n).zip(j.chunks_exact(n)) {
                    for (v, x) in row.iter().zip(x.chunks_exact(n)) {
                        r.iter_mut().zip(x).for_each(|(r, x)| *r += v * x);
                    }
                }
            }
            self.finish(gauss, n, h);
        }
        Ok(&self.x)
    }

    /// Into `x` the transition matrix. Were stages iterated?
    fn solve(&mut self, gauss: &Tableau, n: usize, fx: &[f64], h: f64) -> Result<bool, Failure> {
        let iterated = n >= MANY && Arch::new().dispatch(Iteration(self, gauss, n, fx, h));
        if !iterated {
            let solved = Arch::new().dispatch(Elimination(self, gauss, n, fx, h));
            if !solved {
                return Err(Failure::Evaluation(
                    "the variational equation cannot be solved on the mesh".into(),
                ));
            }
        }
        Ok(iterated)
    }

    #[inline(always)]
    fn eliminate(&mut self, gauss: &Tableau, n: usize, fx: &[f64], h: f64) -> bool {
        let m = gauss.stages;
        let size = m * n;
        self.matrix.clear();
        self.matrix.resize(size * size, 0.0);
        self.pivots.resize(size, 0);
        self.rhs.clear();
        self.rhs.resize(size * n, 0.0);
        for i in 0..m {
            for c in 0..n {
                self.rhs[(i * n + c) * n + c] = 1.0;
                let row = &mut self.matrix[(i * n + c) * size..(i * n + c + 1) * size];
                row[i * n + c] = 1.0;
                for l in 0..m {
                    let a = h * gauss.a[i * m + l];
                    let own = &fx[(l * n + c) * n..(l * n + c + 1) * n];
                    for (slot, v) in row[l * n..(l + 1) * n].iter_mut().zip(own) {
                        *slot -= a * v;
                    }
                }
            }
        }
        if !lu_factorise(&mut self.matrix, &mut self.pivots) {
            return false;
        }
        lu_solve(&self.matrix, &self.pivots, &mut self.rhs, n);
        self.x.clear();
        self.x.resize(n * n, 0.0);
        for c in 0..n {
            self.x[c * n + c] = gauss.keep;
            for d in 0..n {
                self.x[c * n + d] += (0..m).map(|i| gauss.d[i] * self.rhs[(i * n + c) * n + d]).sum::<f64>();
            }
        }
        true
    }

    /// False where corrections do not shrink to rounding.
    #[inline(always)]
    fn iterate(&mut self, gauss: &Tableau, n: usize, fx: &[f64], h: f64) -> bool {
        let (m, square) = (gauss.stages, n * n);
        self.note_entries(m, n, fx);
        self.stages.clear();
        self.stages.resize(m * square, 0.0);
        self.rates.clear();
        self.rates.extend_from_slice(&fx[..m * square]);
        self.x.resize(square, 0.0);
        for iteration in 1..=ITERATIONS {
            if iteration > 1 {
                self.advance(m, n, fx);
            }
            let (mut change, mut size) = ([0.0f64; LANES], [0.0f64; LANES]);
            for first in (0..square).step_by(LANES) {
                let lanes = (square - first).min(LANES);
                let mut rates = [[0.0; LANES]; MOST_STAGES];
                for (l, rate) in rates[..m].iter_mut().enumerate() {
                    let at = l * square + first;
                    rate[..lanes].copy_from_slice(&self.rates[at..at + lanes]);
                }
                for (i, weights) in gauss.a.chunks_exact(m).enumerate() {
                    let mut sum = [0.0; LANES];
                    for (a, rate) in weights.iter().zip(&rates) {
                        for t in 0..LANES {
                            sum[t] += a * rate[t];
                        }
                    }
                    let at = i * square + first;
                    let own = &mut self.stages[at..at + lanes];
                    for (t, x) in own.iter_mut().enumerate() {
                        let new = h * sum[t];
                        change[t] = change[t].max((new - *x).abs());
                        size[t] = size[t].max(new.abs());
                        *x = new;
                    }
                }
            }
            let most = |values: [f64; LANES]| values.into_iter().fold(0.0, f64::max);
            let (change, size) = (most(change), most(size));
            if !size.is_finite() {
                return false;
            }
            if change <= CONVERGED * (1.0 + size) {
                self.advance(m, n, fx);
                self.finish(gauss, n, h);
                return self.x.iter().all(|v| v.is_finite());
            }
        }
        false
    }

    /// Where J has few entries note them.
    fn note_entries(&mut self, m: usize, n: usize, fx: &[f64]) {
        self.begins.clear();
        self.columns.clear();
        self.values.clear();
        for row in fx[..m * n * n].chunks_exact(n) {
            self.begins.push(self.columns.len());
            for (d, v) in row.iter().enumerate() {
                if *v != 0.0 {
                    self.columns.push(d);
                    self.values.push(*v);
                }
            }
        }
        self.begins.push(self.columns.len());
    }

    /// `J + J (X - 1)` in each stage.
    #[inline(always)]
    fn advance(&mut self, m: usize, n: usize, fx: &[f64]) {
        let square = n * n;
        self.rates.copy_from_slice(&fx[..m * square]);
        if SPARSE * self.columns.len() > m * square {
            let stages = self.stages.chunks_exact(square).zip(fx.chunks_exact(square));
            for (rate, (x, j)) in self.rates.chunks_exact_mut(square).zip(stages) {
                multiply_add(j, x, rate, (n, n, n));
            }
            return;
        }
        for (row, target) in self.rates.chunks_exact_mut(n).enumerate() {
            let x = &self.stages[row / n * square..(row / n + 1) * square];
            for k in self.begins[row]..self.begins[row + 1] {
                let v = self.values[k];
                let source = &x[self.columns[k] * n..(self.columns[k] + 1) * n];
                for (t, s) in target.iter_mut().zip(source) {
                    *t += v * s;
                }
            }
        }
    }

    #[inline(always)]
    fn finish(&mut self, gauss: &Tableau, n: usize, h: f64) {
        self.x.fill(0.0);
        for (b, rate) in gauss.b.iter().zip(self.rates.chunks_exact(n * n)) {
            let weight = h * b;
            for (x, r) in self.x.iter_mut().zip(rate) {
                *x += weight * r;
            }
        }
        for c in 0..n {
            self.x[c * n + c] += 1.0;
        }
    }
}

// Kernels that are compiled for each kind of vector unit.

struct Elimination<'a>(&'a mut Variation, &'a Tableau, usize, &'a [f64], f64);

impl NullaryFnOnce for Elimination<'_> {
    type Output = bool;
    #[inline(always)]
    fn call(self) -> bool {
        let Self(variation, gauss, n, fx, h) = self;
        match n {
            2 => variation.eliminate(gauss, 2, fx, h),
            3 => variation.eliminate(gauss, 3, fx, h),
            n => variation.eliminate(gauss, n, fx, h),
        }
    }
}

struct Iteration<'a>(&'a mut Variation, &'a Tableau, usize, &'a [f64], f64);

impl NullaryFnOnce for Iteration<'_> {
    type Output = bool;
    #[inline(always)]
    fn call(self) -> bool {
        let Self(variation, gauss, n, fx, h) = self;
        variation.iterate(gauss, n, fx, h)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_step_within_reach_is_exact_to_rounding() {
        for m in 2..=8 {
            let gauss = Tableau::gauss(m);
            let h = reach(m);
            // A rotation with decay: X = e^{-h/2} R(h/2).
            let fx = [-0.5, -0.5, 0.5, -0.5].repeat(m);
            let mut variation = Variation::default();
            let x = variation.transition(&gauss, 2, &fx, h).unwrap();
            let (sin, cos) = (0.5 * h).sin_cos();
            let decay = (-0.5 * h).exp();
            for (a, b) in x.iter().zip([cos * decay, -sin * decay, sin * decay, cos * decay]) {
                assert!((a - b).abs() < 3e-14, "m = {m}: {a} {b}");
            }
        }
    }

    /// An equation between `width` neighbours on both sides that changes along the step.
    fn between_neighbours(n: usize, width: usize, gauss: &Tableau) -> Vec<f64> {
        let mut fx = vec![0.0; gauss.stages * n * n];
        for (own, c) in fx.chunks_exact_mut(n * n).zip(&gauss.c) {
            for i in 0..n {
                for j in i.saturating_sub(width)..(i + width + 1).min(n) {
                    own[i * n + j] = ((i * 7 + j * 3) as f64 + c).sin() / (2 * width + 1) as f64;
                }
            }
        }
        fx
    }

    #[test]
    fn iterated_stages_are_those_of_elimination() {
        let gauss = Tableau::gauss(MOST_STAGES);
        for (n, width) in [(9, 1), (12, 11), (33, 2), (40, 39)] {
            let fx = between_neighbours(n, width, &gauss);
            let (mut one, mut other) = (Variation::default(), Variation::default());
            for h in [0.1, 1.0, reach(MOST_STAGES)] {
                assert!(one.iterate(&gauss, n, &fx, h), "{n} {h}");
                assert!(other.eliminate(&gauss, n, &fx, h));
                for (a, b) in one.x.iter().zip(&other.x) {
                    assert!((a - b).abs() < 2e-14, "{n} {h}: {a} {b}");
                }
            }
        }
    }

    #[test]
    fn a_step_beyond_reach_is_eliminated() {
        let gauss = Tableau::gauss(4);
        let n = 10;
        let mut fx = vec![0.0; 4 * n * n];
        for own in fx.chunks_exact_mut(n * n) {
            for c in 0..n {
                own[c * n + c] = -1e3 * (c + 1) as f64;
            }
        }
        let mut variation = Variation::default();
        // The scheme's own stability function tends to one.
        let x = variation.transition(&gauss, n, &fx, 1.0).unwrap();
        assert!((0..n).all(|c| (x[c * n + c] - 1.0).abs() < 0.05), "{x:?}");
    }
}
