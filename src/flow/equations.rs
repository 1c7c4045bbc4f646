//! The equations an integrator advances: the states of a mode, optionally with their variational equations.
//!
//! The vector is `[x | W]` with W the n×(n+k) row-major matrix `[X | P]`: X' = f_x X from X(0) = 1, P' = f_x P + f_p
//! from P(0) = 0. Both integrators take all of it through the same steps, so W is the derivative of the very map that
//! advances x.

use super::error::FlowError;
use slipstick_system::{Function, Jacobian};

/// A mode's field with or without its variational equations.
pub(crate) struct Equations<'a> {
    /// The mode's name, for messages.
    pub(crate) mode: &'a str,
    /// The vector field.
    pub(crate) field: &'a dyn Function,
    /// The parameters.
    pub(crate) p: &'a [f64],
    /// The parameters to differentiate by.
    pub(crate) free: &'a [usize],
    /// Number of states.
    pub(crate) n: usize,
    /// Columns of W: n + k, or zero without variational equations.
    pub(crate) columns: usize,
}

/// What the derivative is computed in.
pub(crate) struct Scratch<'a> {
    /// Set up once where variational equations need it.
    linearised: Option<Jacobian<'a>>,
    /// f_x, n×n.
    jac: Vec<f64>,
    /// f_p, n×k.
    dp: Vec<f64>,
}

impl<'a> Equations<'a> {
    /// Length of the whole vector.
    pub(crate) fn len(&self) -> usize {
        self.n * (1 + self.columns)
    }
    /// Room to compute derivatives in.
    pub(crate) fn scratch(&self) -> Scratch<'a> {
        let (field, n, free) = (self.field, self.n, self.free);
        Scratch {
            linearised: (self.columns > 0).then(|| Jacobian::new(field, n, self.p, free)),
            jac: vec![0.0; n * n],
            dp: vec![0.0; n * free.len()],
        }
    }
    /// The derivative of the whole vector.
    pub(crate) fn eval(&self, y: &[f64], dy: &mut [f64], scratch: &mut Scratch<'_>) {
        let (n, m) = (self.n, self.columns);
        let Some(linearised) = scratch.linearised.as_mut().filter(|_| m > 0) else {
            self.field.value(y, self.p, dy);
            return;
        };
        let (x, w) = y.split_at(n);
        let (dx, dw) = dy.split_at_mut(n);
        linearised.at(x, dx, &mut scratch.jac, &mut scratch.dp);
        self.variational(&scratch.jac, &scratch.dp, w, dw);
    }
    /// W' = J W + [0 | f_p].
    pub(crate) fn variational(&self, jac: &[f64], dp: &[f64], w: &[f64], dw: &mut [f64]) {
        let (n, m) = (self.n, self.columns);
        let k = m - n;
        for i in 0..n {
            for c in 0..m {
                let mut sum = if c < n { 0.0 } else { dp[i * k + c - n] };
                for j in 0..n {
                    sum += jac[i * n + j] * w[j * m + c];
                }
                dw[i * m + c] = sum;
            }
        }
    }
    /// The error norm: root mean square over the states, and for each column of W relative to its largest entry; the
    /// worst of all.
    pub(crate) fn norm(&self, error: &[f64], y0: &[f64], y1: &[f64], rtol: f64, atol: f64) -> f64 {
        let (n, m) = (self.n, self.columns);
        let mut sum = 0.0;
        for i in 0..n {
            let scale = atol + rtol * y0[i].abs().max(y1[i].abs());
            sum += (error[i] / scale).powi(2);
        }
        let mut worst = (sum / n as f64).sqrt();
        for c in 0..m {
            let entries = (0..n).map(|i| n + i * m + c);
            let size = entries
                .clone()
                .map(|e| y0[e].abs().max(y1[e].abs()))
                .fold(0.0, f64::max);
            let scale = atol + rtol * size;
            let sum: f64 = entries.map(|e| (error[e] / scale).powi(2)).sum();
            worst = worst.max((sum / n as f64).sqrt());
        }
        worst
    }
    /// `Err` when a number of `y` is not finite.
    pub(crate) fn finite(&self, y: &[f64], t: f64) -> Result<(), FlowError> {
        if y.iter().all(|v| v.is_finite()) {
            Ok(())
        } else {
            Err(FlowError::NotFinite {
                mode: self.mode.into(),
                t,
            })
        }
    }
}
