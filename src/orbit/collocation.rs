//! Orthogonal collocation of one segment on a mesh of its own.
//!
//! On each interval [σⱼ, σⱼ₊₁] of the scaled time σ = t/T ∈ [0, 1] the solution is a polynomial of degree m that satisfies the differential
//! equation at the m Gauss points. Unknowns: the node values uⱼ and the stage values Uⱼᵢ. The stage values are condensed interval by
//! interval, the interior nodes by the orthogonal reduction of [`Chain`], so cost and storage are linear in the number of intervals.
//!
//! References: C. de Boor and B. Swartz, SIAM J. Numer. Anal. 10 (1973) 582–606; U. Ascher, R. Mattheij and R. Russell, *Numerical Solution of
//! Boundary Value Problems for ODEs*, SIAM (1995), ch. 5 and 7.

use super::gauss::Gauss;
use crate::continuation::Failure;
use crate::linalg::{Chain, Singular};
use crate::system::{Function, jacobian};
use nalgebra::{DMatrix, DVector, Dyn, LU};

/// The linearised equations of one interval, stage values eliminated.
struct Interval {
    /// Factors of the stage system.
    factors: LU<f64, Dyn, Dyn>,
    /// δU per unit of (δuⱼ, δT, δp): mn × (n + 1 + k).
    response: DMatrix<f64>,
}

/// A segment discretised by collocation. The block of unknowns it owns is `[U₀₁ … U₀ₘ u₁ | U₁₁ … u₂ | …]`; its start u₀ and its
/// duration T are the orbit's.
pub(super) struct Collocation {
    pub(super) n: usize,
    pub(super) gauss: Gauss,
    /// Mesh in scaled time, from 0 to 1.
    pub(super) mesh: Vec<f64>,
    intervals: Vec<Interval>,
    chain: Chain,
    free: usize,
    kept: Vec<f64>,
    condensed: Vec<f64>,
}

impl Collocation {
    pub(super) fn new(n: usize, stages: usize) -> Self {
        Self {
            n,
            gauss: Gauss::new(stages),
            mesh: vec![0.0, 1.0],
            intervals: vec![],
            chain: Chain::default(),
            free: 0,
            kept: vec![],
            condensed: vec![],
        }
    }

    /// Number of intervals.
    pub(super) fn len(&self) -> usize {
        self.mesh.len() - 1
    }

    /// Number of unknowns of one interval.
    fn stride(&self) -> usize {
        (self.gauss.stages + 1) * self.n
    }

    /// Number of unknowns (and of equations) it owns.
    pub(super) fn unknowns(&self) -> usize {
        self.len() * self.stride()
    }

    /// The node uⱼ, given the start and the block of unknowns.
    pub(super) fn node<'z>(&self, start: &'z [f64], block: &'z [f64], j: usize) -> &'z [f64] {
        if j == 0 {
            start
        } else {
            &block[j * self.stride() - self.n..j * self.stride()]
        }
    }

    /// The stage values of interval `j`, one after the other.
    pub(super) fn stages<'z>(&self, block: &'z [f64], j: usize) -> &'z [f64] {
        let at = j * self.stride();
        &block[at..at + self.gauss.stages * self.n]
    }

    /// Evaluate the equations into `residual` and condense their linearisation.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn linearise(
        &mut self,
        field: &dyn Function,
        start: &[f64],
        duration: f64,
        block: &[f64],
        p: &[f64],
        free: &[usize],
        residual: &mut [f64],
    ) -> Result<(), Failure> {
        let (n, m, k) = (self.n, self.gauss.stages, free.len());
        let size = m * n;
        self.free = k;
        self.intervals.clear();
        self.chain.begin(n, 1 + k);
        let mut f = vec![0.0; size];
        let mut fx = vec![0.0; m * n * n];
        let mut fp = vec![0.0; size * k];
        let mut map = vec![0.0; n * n];
        let mut shared = vec![0.0; n * (1 + k)];
        for j in 0..self.len() {
            let h = self.mesh[j + 1] - self.mesh[j];
            let u = self.node(start, block, j);
            let stages = self.stages(block, j);
            let next = self.node(start, block, j + 1);
            for i in 0..m {
                jacobian(
                    field,
                    &stages[i * n..(i + 1) * n],
                    p,
                    free,
                    &mut f[i * n..(i + 1) * n],
                    &mut fx[i * n * n..(i + 1) * n * n],
                    &mut fp[i * n * k..(i + 1) * n * k],
                );
            }
            let mut matrix = DMatrix::<f64>::identity(size, size);
            let mut response = DMatrix::<f64>::zeros(size, n + 1 + k);
            let r = &mut residual[j * self.gauss.stride(n)..(j + 1) * self.gauss.stride(n)];
            for i in 0..m {
                for c in 0..n {
                    let row = i * n + c;
                    let mut slope = 0.0;
                    for l in 0..m {
                        let a = h * self.gauss.a[i * m + l];
                        slope += a * f[l * n + c];
                        for d in 0..n {
                            matrix[(row, l * n + d)] -= duration * a * fx[(l * n + c) * n + d];
                        }
                        for q in 0..k {
                            response[(row, n + 1 + q)] += duration * a * fp[(l * n + c) * k + q];
                        }
                    }
                    response[(row, c)] = 1.0;
                    response[(row, n)] = slope;
                    r[row] = stages[row] - u[c] - duration * slope;
                }
            }
            for c in 0..n {
                let jump: f64 = (0..m).map(|i| self.gauss.d[i] * (stages[i * n + c] - u[c])).sum();
                r[size + c] = next[c] - u[c] - jump;
            }
            let factors = matrix.lu();
            if !factors.solve_mut(&mut response) || !response.iter().all(|v| v.is_finite()) {
                return Err(Failure::Singular(Singular {
                    unknowns: size,
                    smallest: 0.0,
                    largest: 0.0,
                }));
            }
            for c in 0..n {
                for d in 0..n {
                    let keep = if c == d { self.gauss.keep } else { 0.0 };
                    map[c * n + d] = keep + (0..m).map(|i| self.gauss.d[i] * response[(i * n + c, d)]).sum::<f64>();
                }
                for q in 0..=k {
                    shared[c * (1 + k) + q] = (0..m)
                        .map(|i| self.gauss.d[i] * response[(i * n + c, n + q)])
                        .sum::<f64>();
                }
            }
            self.chain.push(&map, &shared);
            self.intervals.push(Interval { factors, response });
        }
        Ok(())
    }

    /// Carry right-hand sides of the equations through the condensation; the right-hand side of the relation between the ends comes back.
    pub(super) fn reduce(&mut self, rhs: &[f64]) -> Vec<f64> {
        let (n, m) = (self.n, self.gauss.stages);
        let size = m * n;
        let mut r = vec![0.0; self.len() * n];
        self.condensed.resize(self.len() * size, 0.0);
        let zero = rhs.iter().all(|v| *v == 0.0);
        for (j, interval) in self.intervals.iter().enumerate() {
            let own = &rhs[j * self.stride()..(j + 1) * self.stride()];
            let condensed = &mut self.condensed[j * size..(j + 1) * size];
            if zero {
                condensed.fill(0.0);
                continue;
            }
            let mut x = DVector::from_column_slice(&own[..size]);
            interval.factors.solve_mut(&mut x);
            condensed.copy_from_slice(x.as_slice());
            for c in 0..n {
                r[j * n + c] = own[size + c] + (0..m).map(|i| self.gauss.d[i] * condensed[i * n + c]).sum::<f64>();
            }
        }
        let mut kept = std::mem::take(&mut self.kept);
        let rho = self.chain.reduce(&r, &mut kept);
        self.kept = kept;
        rho
    }

    /// The relation `P u₀ + S u_N + B (T, p) = ρ` between the ends: P, S (n×n) and B (n×(1+k)), by rows.
    pub(super) fn relation(&self) -> (&[f64], &[f64], &[f64]) {
        (&self.chain.p, &self.chain.s, &self.chain.b)
    }

    /// Rewrite a border row over the block of unknowns in terms of (u₀, u_N, T, p): coefficients are added to `start`, `end` and `shared`, and the
    /// constant that the row loses to its right-hand side comes back. Uses the last [`Collocation::reduce`].
    pub(super) fn condense_row(&self, row: &[f64], start: &mut [f64], end: &mut [f64], shared: &mut [f64]) -> f64 {
        let (n, m) = (self.n, self.gauss.stages);
        let size = m * n;
        let mut w = vec![0.0; (self.len() + 1) * n];
        let mut constant = 0.0;
        for (j, interval) in self.intervals.iter().enumerate() {
            let own = &row[j * self.stride()..(j + 1) * self.stride()];
            for (i, &t) in own[..size].iter().enumerate() {
                if t == 0.0 {
                    continue;
                }
                constant += t * self.condensed[j * size + i];
                for c in 0..n {
                    w[j * n + c] += t * interval.response[(i, c)];
                }
                for (q, s) in shared.iter_mut().enumerate() {
                    *s += t * interval.response[(i, n + q)];
                }
            }
            for c in 0..n {
                w[(j + 1) * n + c] += own[size + c];
            }
        }
        constant += self.chain.condense_row(&self.kept, &mut w, shared);
        for c in 0..n {
            start[c] += w[c];
            end[c] += w[self.len() * n + c];
        }
        constant
    }

    /// Fill in the block of unknowns from the ends and the shared unknowns, after [`Collocation::reduce`].
    pub(super) fn expand(&self, start: &[f64], end: &[f64], shared: &[f64], block: &mut [f64]) {
        let (n, size) = (self.n, self.gauss.stages * self.n);
        let mut x = vec![0.0; (self.len() + 1) * n];
        x[..n].copy_from_slice(start);
        x[self.len() * n..].copy_from_slice(end);
        self.chain.expand(&self.kept, shared, &mut x);
        for (j, interval) in self.intervals.iter().enumerate() {
            let own = &mut block[j * self.gauss.stride(n)..(j + 1) * self.gauss.stride(n)];
            let u = &x[j * n..(j + 1) * n];
            for i in 0..size {
                let mut v = self.condensed[j * size + i];
                for c in 0..n {
                    v += interval.response[(i, c)] * u[c];
                }
                for (q, s) in shared.iter().enumerate() {
                    v += interval.response[(i, n + q)] * s;
                }
                own[i] = v;
            }
            own[size..].copy_from_slice(&x[(j + 1) * n..(j + 2) * n]);
        }
    }

    /// The solution at scaled time `sigma`.
    pub(super) fn eval(&self, start: &[f64], block: &[f64], sigma: f64, out: &mut [f64]) {
        let last = self.len() - 1;
        let j = self.mesh.partition_point(|&s| s <= sigma).saturating_sub(1).min(last);
        let tau = (sigma - self.mesh[j]) / (self.mesh[j + 1] - self.mesh[j]);
        self.eval_in(start, block, j, tau, out);
    }

    /// The solution in interval `j` at `tau` ∈ [0, 1].
    pub(super) fn eval_in(&self, start: &[f64], block: &[f64], j: usize, tau: f64, out: &mut [f64]) {
        let n = self.n;
        let u = self.node(start, block, j);
        let stages = self.stages(block, j);
        let mut weights = [0.0; super::gauss::MOST + 1];
        self.gauss.interpolation(tau, &mut weights);
        for c in 0..n {
            let mut v = weights[0] * u[c];
            for i in 0..self.gauss.stages {
                v += weights[i + 1] * stages[i * n + c];
            }
            out[c] = v;
        }
    }
}
