//! One step of DOP853: order 8, embedded errors of orders 5 and 3, dense output of order 7.
//!
//! Reference: E. Hairer, S. P. Nørsett and G. Wanner, *Solving Ordinary Differential Equations I*, 2nd ed. (1993), §
//! II.5, II.6.

use super::equations::{Equations, Scratch};
use super::step::{Dense, Tolerance};
use slipstick_numerics::tableau::dop853::{A, D, E3, E5, Row};

/// Stages of a step (the last is the field at the new point) and of the dense output.
const STAGES: usize = 13;
const DENSE_STAGES: usize = 16;

/// The stages and scratch of an explicit step.
pub(crate) struct Explicit<'a> {
    k: Vec<Vec<f64>>,
    stage: Vec<f64>,
    /// The new point.
    pub(crate) y1: Vec<f64>,
    error5: Vec<f64>,
    error3: Vec<f64>,
    scratch: Scratch<'a>,
}

impl<'a> Explicit<'a> {
    /// Room for `equations`, with the field at `y` evaluated.
    pub(crate) fn new(equations: &Equations<'a>, y: &[f64]) -> Self {
        let len = equations.len();
        let mut step = Self {
            k: vec![vec![0.0; len]; DENSE_STAGES],
            stage: vec![0.0; len],
            y1: vec![0.0; len],
            error5: vec![0.0; len],
            error3: vec![0.0; len],
            scratch: equations.scratch(),
        };
        equations.eval(y, &mut step.k[0], &mut step.scratch);
        step
    }
    /// The field at the start of the step.
    pub(crate) fn field(&self) -> &[f64] {
        &self.k[0]
    }
    /// The field at a point, into scratch; for the choice of the first step.
    pub(crate) fn probe(&mut self, equations: &Equations, y: &[f64]) -> &[f64] {
        equations.eval(y, &mut self.k[1], &mut self.scratch);
        &self.k[1]
    }
    /// Try a step of length `h` from `y`; returns the scaled error (≤ 1 is good) and leaves the new point in `y1`.
    pub(crate) fn attempt(&mut self, equations: &Equations, y: &[f64], h: f64, tol: Tolerance) -> f64 {
        for s in 1..STAGES {
            combine(&mut self.stage, y, h, A[s - 1], &self.k);
            equations.eval(&self.stage, &mut self.k[s], &mut self.scratch);
        }
        self.y1.copy_from_slice(&self.stage);
        sum(&mut self.error5, E5, &self.k);
        sum(&mut self.error3, E3, &self.k);
        let e5 = equations.norm(&self.error5, y, &self.y1, tol.rtol, tol.atol);
        let e3 = equations.norm(&self.error3, y, &self.y1, tol.rtol, tol.atol);
        if e5 == 0.0 {
            return 0.0;
        }
        h.abs() * e5 * e5 / (e5 * e5 + 0.01 * e3 * e3).sqrt()
    }
    /// Hairer's estimate of h·(dominant eigenvalue) from the last two stages, which share their node.
    pub(crate) fn stiffness(&mut self, n: usize, y: &[f64], h: f64) -> f64 {
        let mut before_last = vec![0.0; y.len()];
        combine(&mut before_last, y, h, A[STAGES - 3], &self.k);
        let (mut df, mut dy) = (0.0, 0.0);
        for (i, before) in before_last[..n].iter().enumerate() {
            df += (self.k[12][i] - self.k[11][i]).powi(2);
            dy += (self.y1[i] - before).powi(2);
        }
        if dy > 0.0 { h.abs() * (df / dy).sqrt() } else { 0.0 }
    }
    /// The dense output of the step just accepted, for the states alone.
    pub(crate) fn dense(&mut self, equations: &Equations, y: &[f64], t: f64, h: f64) -> Dense {
        let n = equations.n;
        let plain = Equations {
            columns: 0,
            ..*equations
        };
        for s in STAGES..DENSE_STAGES {
            combine(&mut self.stage[..n], &y[..n], h, A[s - 1], &self.k);
            plain.eval(&self.stage[..n], &mut self.k[s][..n], &mut self.scratch);
        }
        let mut c = vec![vec![0.0; n]; 7];
        for i in 0..n {
            let delta = self.y1[i] - y[i];
            c[0][i] = delta;
            c[1][i] = h * self.k[0][i] - delta;
            c[2][i] = 2.0 * delta - h * (self.k[0][i] + self.k[12][i]);
        }
        for (row, out) in D.iter().zip(&mut c[3..]) {
            sum(out, row, &self.k);
            for v in out {
                *v *= h;
            }
        }
        Dense::new(t, h, y[..n].to_vec(), &c, true)
    }
    /// Move on: the last stage is the first of the next step.
    pub(crate) fn accept(&mut self) {
        self.k.swap(0, 12);
    }
}

/// out = y + h Σ row·k.
fn combine(out: &mut [f64], y: &[f64], h: f64, row: Row, k: &[Vec<f64>]) {
    sum(out, row, k);
    for (o, y) in out.iter_mut().zip(y) {
        *o = y + h * *o;
    }
}

/// out = Σ row·k.
fn sum(out: &mut [f64], row: Row, k: &[Vec<f64>]) {
    out.fill(0.0);
    for &(j, a) in row {
        for (o, k) in out.iter_mut().zip(&k[j]) {
            *o += a * k;
        }
    }
}
