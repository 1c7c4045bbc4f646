//! The equations an integrator advances: the states of a mode, optionally with their variational equations.
//!
//! The vector is `[x | W]` with W the n×(n+k) row-major matrix `[X | P]`: X' = f_x X from X(0) = 1, P' = f_x P + f_p
//! from P(0) = 0. Both integrators take all of it through the same steps, so W is the derivative of the very map that
//! advances x.

use super::error::FlowError;
use slipstick_system::{Function, Jacobian, keep_sign};

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
    /// The states that keep their sign, as bits.
    pub(crate) signed: u64,
}

/// States that keep their sign are followed relative to what they are, down to this: before their digits run out.
const LEAST: f64 = 1e-240;

/// The states of `field` that keep their sign, as bits.
pub(crate) fn signed(field: &dyn Function, x: &[f64], p: &[f64]) -> u64 {
    let keep = keep_sign(field, x, p);
    let bits = keep.iter().take(64).enumerate();
    bits.fold(0, |all, (i, keeps)| all | u64::from(*keeps) << i)
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
    /// worst of all. Below one, a state that keeps its sign and its derivatives count in units of what it is.
    pub(crate) fn norm(&self, error: &[f64], y0: &[f64], y1: &[f64], rtol: f64, atol: f64) -> f64 {
        let (n, m) = (self.n, self.columns);
        let mut sum = 0.0;
        for i in 0..n {
            let unit = self.unit(i, y0, y1);
            let scale = atol * unit + rtol * y0[i].abs().max(y1[i].abs());
            sum += (error[i] / scale).powi(2);
        }
        let mut worst = (sum / n as f64).sqrt();
        for c in 0..m {
            let entries = (0..n).map(|i| (n + i * m + c, self.unit(i, y0, y1)));
            let size = entries
                .clone()
                .map(|(e, unit)| y0[e].abs().max(y1[e].abs()) / unit)
                .fold(0.0, f64::max);
            let scale = atol + rtol * size;
            let sum: f64 = entries.map(|(e, unit)| (error[e] / (scale * unit)).powi(2)).sum();
            worst = worst.max((sum / n as f64).sqrt());
        }
        worst
    }
    /// Let states be zero that keep their sign and are so small that their digits run out: what is left of them no
    /// longer counts, and arithmetic with numbers without all their digits takes many times as long.
    pub(crate) fn let_vanish(&self, y: &mut [f64]) {
        const VANISHED: f64 = 1e-250;
        if self.signed == 0 {
            return;
        }
        for (i, v) in y.iter_mut().enumerate().take(self.n.min(64)) {
            if self.signed >> i & 1 == 1 && v.abs() < VANISHED {
                *v = 0.0;
            }
        }
    }
    /// What errors of state `i` are measured by, at most one.
    fn unit(&self, i: usize, y0: &[f64], y1: &[f64]) -> f64 {
        if i < 64 && self.signed >> i & 1 == 1 {
            y0[i].abs().max(y1[i].abs()).clamp(LEAST, 1.0)
        } else {
            1.0
        }
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
