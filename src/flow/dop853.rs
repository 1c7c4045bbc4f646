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
    /// The field at the stages, one after another.
    k: Vec<f64>,
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
            k: vec![0.0; len * DENSE_STAGES],
            stage: vec![0.0; len],
            y1: vec![0.0; len],
            error5: vec![0.0; len],
            error3: vec![0.0; len],
            scratch: equations.scratch(),
        };
        equations.eval(y, &mut step.k[..len], &mut step.scratch);
        step
    }
    /// The field at the start of the step.
    pub(crate) fn field(&self) -> &[f64] {
        &self.k[..self.y1.len()]
    }
    /// The field of `n` states at the end of the step.
    pub(crate) fn field_at_end(&self, n: usize) -> &[f64] {
        &self.k[12 * self.y1.len()..][..n]
    }
    /// The field at a point, into scratch; for the choice of the first step.
    pub(crate) fn probe(&mut self, equations: &Equations, y: &[f64]) -> &[f64] {
        let len = self.y1.len();
        let second = &mut self.k[len..2 * len];
        equations.eval(y, second, &mut self.scratch);
        second
    }
    /// Try a step of length `h` from `y`; returns the scaled error (≤ 1 is good) and leaves the new point in `y1`.
    pub(crate) fn attempt(&mut self, equations: &Equations, y: &[f64], h: f64, tol: Tolerance) -> f64 {
        let len = y.len();
        for s in 1..STAGES {
            combine(&mut self.stage, y, h, A[s - 1], &self.k, len);
            equations.eval(&self.stage, &mut self.k[s * len..(s + 1) * len], &mut self.scratch);
        }
        self.y1.copy_from_slice(&self.stage);
        sum(&mut self.error5, E5, &self.k, len);
        sum(&mut self.error3, E3, &self.k, len);
        let e5 = equations.norm(&self.error5, y, &self.y1, tol.rtol, tol.atol);
        let e3 = equations.norm(&self.error3, y, &self.y1, tol.rtol, tol.atol);
        if e5 == 0.0 {
            return 0.0;
        }
        h.abs() * e5 * e5 / (e5 * e5 + 0.01 * e3 * e3).sqrt()
    }
    /// Hairer's estimate of h·(dominant eigenvalue) from the last two stages, which share their node.
    pub(crate) fn stiffness(&mut self, n: usize, y: &[f64], h: f64) -> f64 {
        let len = y.len();
        combine(&mut self.stage, y, h, A[STAGES - 3], &self.k, len);
        let (before_last, last) = self.k[11 * len..13 * len].split_at(len);
        let (mut df, mut dy) = (0.0, 0.0);
        for (i, before) in self.stage[..n].iter().enumerate() {
            df += (last[i] - before_last[i]).powi(2);
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
        let len = y.len();
        for s in STAGES..DENSE_STAGES {
            combine(&mut self.stage[..n], y, h, A[s - 1], &self.k, len);
            plain.eval(&self.stage[..n], &mut self.k[s * len..s * len + n], &mut self.scratch);
        }
        let mut c = vec![0.0; 7 * n];
        let (first, last) = (&self.k[..n], &self.k[12 * len..12 * len + n]);
        for i in 0..n {
            let delta = self.y1[i] - y[i];
            c[i] = delta;
            c[n + i] = h * first[i] - delta;
            c[2 * n + i] = 2.0 * delta - h * (first[i] + last[i]);
        }
        for (row, out) in D.iter().zip(c[3 * n..].chunks_mut(n)) {
            sum(out, row, &self.k, len);
            for v in out {
                *v *= h;
            }
        }
        Dense::new(t, h, y[..n].to_vec(), c, true)
    }
    /// Move on: the last stage is the first of the next step.
    pub(crate) fn accept(&mut self) {
        let len = self.y1.len();
        self.k.copy_within(12 * len..13 * len, 0);
    }
}

/// out = y + h Σ row·k, of stages of `len` numbers, for the first of them.
fn combine(out: &mut [f64], y: &[f64], h: f64, row: Row, k: &[f64], len: usize) {
    sum(out, row, k, len);
    for (o, y) in out.iter_mut().zip(y) {
        *o = y + h * *o;
    }
}

/// out = Σ row·k, of the same.
fn sum(out: &mut [f64], row: Row, k: &[f64], len: usize) {
    out.fill(0.0);
    for &(j, a) in row {
        for (o, k) in out.iter_mut().zip(&k[j * len..]) {
            *o += a * k;
        }
    }
}
