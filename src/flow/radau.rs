//! One step of Radau IIA(5): three implicit stages, order 5, for stiff modes.
//!
//! The stages are found by simplified Newton iteration with the exact Jacobian at the start of the step; the
//! variational equations are then solved exactly for the converged stages, so W is the derivative of the step. All
//! three stages are solved together by one real LU of order 3n, which for the few states of a mode is cheap.
//!
//! Reference: E. Hairer and G. Wanner, *Solving Ordinary Differential Equations II*, 2nd ed., Springer (1996), § IV.8.

use super::equations::Equations;
use super::step::{Dense, Tolerance};
use nalgebra::{DMatrix, DVector, Dyn, LU};
use slipstick_numerics::linalg::balance;
use slipstick_numerics::tableau::radau5::{A, C, E, GAMMA, P};
use slipstick_system::jacobian;

/// Newton iterations before a step is given up.
const ITERATIONS: usize = 12;

type Lu = LU<f64, Dyn, Dyn>;

/// The workspace of implicit steps.
pub(crate) struct Implicit {
    /// The new point.
    pub(crate) y1: Vec<f64>,
    jac: Vec<f64>,
    dp: Vec<f64>,
    f0: Vec<f64>,
    /// The stage increments zᵢ = Yᵢ - y₀ of the states.
    z: [Vec<f64>; 3],
    /// Those of the last accepted step, its length and its start, for the prediction.
    previous: Option<(f64, Vec<f64>, [Vec<f64>; 3])>,
    factors: Option<(f64, Lu, Lu)>,
    fresh: bool,
    first: bool,
}

impl Implicit {
    /// Room for `equations`.
    pub(crate) fn new(equations: &Equations) -> Self {
        let n = equations.n;
        Self {
            y1: vec![0.0; equations.len()],
            jac: vec![0.0; n * n],
            dp: vec![0.0; n * equations.free.len()],
            f0: vec![0.0; n],
            z: std::array::from_fn(|_| vec![0.0; n]),
            previous: None,
            factors: None,
            fresh: false,
            first: true,
        }
    }
    /// Try a step of length `h` from `y`; returns the scaled error (≤ 1 is good), or `None` when Newton did not
    /// converge.
    pub(crate) fn attempt(&mut self, equations: &Equations, y: &[f64], h: f64, tol: Tolerance) -> Option<f64> {
        let n = equations.n;
        if !self.fresh {
            jacobian(
                equations.field,
                &y[..n],
                equations.p,
                equations.free,
                &mut self.f0,
                &mut self.jac,
                &mut self.dp,
            );
            self.fresh = true;
            self.factors = None;
        }
        if self.factors.as_ref().is_none_or(|(used, ..)| *used != h) {
            let stages = DMatrix::from_fn(3 * n, 3 * n, |r, c| {
                unit(r, c) - h * A[r / n][c / n] * self.jac[(r % n) * n + c % n]
            });
            let single = DMatrix::from_fn(n, n, |r, c| GAMMA / h * unit(r, c) - self.jac[r * n + c]);
            self.factors = Some((h, stages.lu(), single.lu()));
        }
        self.solve_stages(equations, y, h, tol)?;
        for ((y1, y), z) in self.y1.iter_mut().zip(y).zip(&self.z[2]) {
            *y1 = y + z;
        }
        let (_, _, single) = self.factors.as_ref()?;
        let mut rhs = DVector::from_fn(n, |i, _| {
            self.f0[i] + (0..3).map(|s| E[s] * self.z[s][i]).sum::<f64>() / h
        });
        let mut error = vec![0.0; equations.len()];
        if !single.solve_mut(&mut rhs) {
            return None;
        }
        error[..n].copy_from_slice(rhs.as_slice());
        if equations.columns > 0 {
            self.variational(equations, y, h, &mut error)?;
        }
        let mut norm = equations.norm(&error, y, &self.y1, tol.rtol, tol.atol);
        if norm > 1.0 && self.first {
            // The filtered second estimate, which is not spoilt by a stiff transient at the first step.
            let shifted: Vec<f64> = (0..n).map(|i| y[i] + error[i]).collect();
            let mut f = vec![0.0; n];
            equations.field.value(&shifted, equations.p, &mut f);
            let (_, _, single) = self.factors.as_ref()?;
            let mut rhs = DVector::from_fn(n, |i, _| f[i] + (0..3).map(|s| E[s] * self.z[s][i]).sum::<f64>() / h);
            if single.solve_mut(&mut rhs) {
                error[..n].copy_from_slice(rhs.as_slice());
                norm = equations.norm(&error, y, &self.y1, tol.rtol, tol.atol);
            }
        }
        Some(norm)
    }
    /// How far the polynomial of the step just tried is from the motion between its stages: its defect there, through
    /// the linearisation at the start. The error of the step says nothing about it where fast states decay: at the end
    /// of a step they are where they belong, however long it is.
    pub(crate) fn error_between(&self, equations: &Equations, y: &[f64], h: f64, tol: Tolerance) -> f64 {
        /// Where cubics through the start and the stages differ most from the motion, nearly.
        const AT: f64 = 0.85;
        let n = equations.n;
        let plain = Equations {
            columns: 0,
            ..*equations
        };
        let sum = |i: usize, weights: [f64; 3]| -> f64 {
            let coefficient = |k: usize| (0..3).map(|j| P[j][k] * self.z[j][i]).sum::<f64>();
            weights.iter().enumerate().map(|(k, w)| w * coefficient(k)).sum()
        };
        let point: Vec<f64> = (0..n).map(|i| y[i] + sum(i, [AT, AT * AT, AT * AT * AT])).collect();
        let mut f = vec![0.0; n];
        equations.field.value(&point, equations.p, &mut f);
        let mut defect = DVector::from_fn(n, |i, _| f[i] - sum(i, [1.0, 2.0 * AT, 3.0 * AT * AT]) / h);
        let solved = self
            .factors
            .as_ref()
            .is_some_and(|(_, _, single)| single.solve_mut(&mut defect));
        if solved {
            plain.norm(defect.as_slice(), &y[..n], &point, tol.rtol, tol.atol)
        } else {
            f64::INFINITY
        }
    }
    /// Simplified Newton on the stage increments.
    fn solve_stages(&mut self, equations: &Equations, y: &[f64], h: f64, tol: Tolerance) -> Option<()> {
        let n = equations.n;
        self.predict(n, y, h);
        let (_, lu, _) = self.factors.as_ref()?;
        let mut f = [vec![0.0; n], vec![0.0; n], vec![0.0; n]];
        let mut point = vec![0.0; n];
        let mut last = f64::INFINITY;
        let plain = Equations {
            columns: 0,
            ..*equations
        };
        for iteration in 0..ITERATIONS {
            for (f, z) in f.iter_mut().zip(&self.z) {
                for i in 0..n {
                    point[i] = y[i] + z[i];
                }
                equations.field.value(&point, equations.p, f);
            }
            let mut delta = DVector::from_fn(3 * n, |r, _| {
                let (s, i) = (r / n, r % n);
                h * (0..3).map(|j| A[s][j] * f[j][i]).sum::<f64>() - self.z[s][i]
            });
            if !lu.solve_mut(&mut delta) || delta.iter().any(|v| !v.is_finite()) {
                return None;
            }
            let mut size: f64 = 0.0;
            for s in 0..3 {
                let d = &delta.as_slice()[s * n..(s + 1) * n];
                for (z, d) in self.z[s].iter_mut().zip(d) {
                    *z += d;
                }
                for i in 0..n {
                    point[i] = y[i] + self.z[s][i];
                }
                size = size.max(plain.norm(d, &y[..n], &point, tol.rtol, tol.atol));
            }
            let rate = size / last;
            // Contract far below the step's error, but not below what rounding allows.
            if size <= (1e-5_f64).max(4.0 * f64::EPSILON / tol.rtol) || (iteration > 1 && size <= 1e-3 && rate > 0.5) {
                return Some(());
            }
            if iteration > 0 && rate > 2.0 {
                return None;
            }
            last = size;
        }
        None
    }
    /// Start the Newton iteration from the extrapolated collocation polynomial of the last step.
    fn predict(&mut self, n: usize, y: &[f64], h: f64) {
        let Some((h0, y0, z0)) = &self.previous else {
            self.z.iter_mut().for_each(|z| z.fill(0.0));
            return;
        };
        for (z, node) in self.z.iter_mut().zip(C) {
            let x = 1.0 + node * h / h0;
            for i in 0..n {
                let c = |k: usize| (0..3).map(|j| P[j][k] * z0[j][i]).sum::<f64>();
                z[i] = y0[i] + x * (c(0) + x * (c(1) + x * c(2))) - y[i];
            }
        }
    }
    /// The stages of the variational equations, solved exactly at the converged stages; their error goes to `error`.
    fn variational(&mut self, equations: &Equations, y: &[f64], h: f64, error: &mut [f64]) -> Option<()> {
        let (n, m) = (equations.n, equations.columns);
        let k = m - n;
        let w0 = &y[n..];
        let mut jacs = [vec![0.0; n * n], vec![0.0; n * n], vec![0.0; n * n]];
        let mut slopes = [vec![0.0; n * m], vec![0.0; n * m], vec![0.0; n * m]];
        let (mut f, mut dp) = (vec![0.0; n], vec![0.0; n * k]);
        for s in 0..3 {
            let point: Vec<f64> = (0..n).map(|i| y[i] + self.z[s][i]).collect();
            jacobian(
                equations.field,
                &point,
                equations.p,
                equations.free,
                &mut f,
                &mut jacs[s],
                &mut dp,
            );
            equations.variational(&jacs[s], &dp, w0, &mut slopes[s]);
        }
        let matrix = DMatrix::from_fn(3 * n, 3 * n, |r, c| {
            unit(r, c) - h * A[r / n][c / n] * jacs[c / n][(r % n) * n + c % n]
        });
        let mut v = DMatrix::from_fn(3 * n, m, |r, c| {
            h * (0..3).map(|j| A[r / n][j] * slopes[j][(r % n) * m + c]).sum::<f64>()
        });
        if !matrix.lu().solve_mut(&mut v) {
            return None;
        }
        let mut start = vec![0.0; n * m];
        equations.variational(&self.jac, &self.dp, w0, &mut start);
        let mut rhs = DMatrix::from_fn(n, m, |i, c| {
            start[i * m + c] + (0..3).map(|s| E[s] * v[(s * n + i, c)]).sum::<f64>() / h
        });
        let (_, _, single) = self.factors.as_ref()?;
        if !single.solve_mut(&mut rhs) {
            return None;
        }
        for i in 0..n {
            for c in 0..m {
                self.y1[n + i * m + c] = w0[i * m + c] + v[(2 * n + i, c)];
                error[n + i * m + c] = rhs[(i, c)];
            }
        }
        Some(())
    }
    /// The collocation polynomial of the step just accepted.
    pub(crate) fn dense(&self, n: usize, y: &[f64], t: f64, h: f64) -> Dense {
        let coefficient = |k: usize, i: usize| (0..3).map(|j| P[j][k] * self.z[j][i]).sum();
        let c = (0..3 * n).map(|at| coefficient(at / n, at % n)).collect();
        Dense::new(t, h, y[..n].to_vec(), c, false)
    }
    /// The fastest rate where the last step began, whatever the units of the states.
    pub(crate) fn fastest_rate(&self, n: usize) -> f64 {
        balance(&self.jac, n).1
    }
    /// Move on from `y` after a step of length `h`.
    pub(crate) fn accept(&mut self, n: usize, y: &[f64], h: f64) {
        self.previous = Some((h, y[..n].to_vec(), self.z.clone()));
        self.fresh = false;
        self.first = false;
    }
}

fn unit(r: usize, c: usize) -> f64 {
    f64::from(u8::from(r == c))
}
