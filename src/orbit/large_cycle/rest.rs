//! The equilibrium of many states that a cycle grows from, and its pair of imaginary eigenvalues.

use super::LargeCycle;
use crate::sparse_jacobian::SparseJacobian;
use nalgebra::Complex;
use slipstick_numerics::linalg::sparse::SparseFactors;

/// Offsets of the shift from an eigenvalue, relative to it, and steps of the inverse iteration.
const ASIDE: f64 = 1e-7;
const STEPS: usize = 8;

impl LargeCycle<'_> {
    /// Room for the derivatives at an equilibrium.
    pub(super) fn derivatives(&self) -> Option<SparseJacobian> {
        let field = &self.system.modes[self.system.start.mode()].field;
        field.structure().map(SparseJacobian::new)
    }

    /// Evaluate them at the states `x`; returns the rates.
    pub(super) fn derive(&self, x: &[f64], p: &[f64], derivatives: &mut SparseJacobian) -> Vec<f64> {
        let mut rates = vec![0.0; self.n];
        let field = self.system.modes[self.system.start.mode()].field.as_ref();
        derivatives.evaluate(field, p, &[], x, &mut rates);
        rates
    }
}

/// The eigenvalue nearest to `near`, with its vector of length one, by inverse iteration; none where it does not
/// converge.
pub(super) fn eigenpair(derivatives: &SparseJacobian, near: Complex<f64>) -> Option<(Complex<f64>, Vec<Complex<f64>>)> {
    /// What is left of `A q - λ q`, relative to λ.
    const RESIDUAL: f64 = 1e-7;
    let n = derivatives.matrix.len();
    let shift = near * Complex::new(1.0 + ASIDE, ASIDE);
    let factors = SparseFactors::of(&derivatives.matrix, &derivatives.order, shift).ok()?;
    let mut q: Vec<Complex<f64>> = (0..n)
        .map(|i| Complex::new(0.1 + (1.7 * (1.0 + i as f64)).sin(), (2.3 * (1.0 + i as f64)).cos()))
        .collect();
    let mut value = near;
    for _ in 0..STEPS {
        let before = q.clone();
        factors.solve(&mut q);
        let product: Complex<f64> = before.iter().zip(&q).map(|(b, q)| b.conj() * q).sum();
        let square: f64 = before.iter().map(|b| b.norm_sqr()).sum();
        value = shift + (product / square).inv();
        let length = q.iter().map(|q| q.norm_sqr()).sum::<f64>().sqrt();
        q.iter_mut().for_each(|q| *q /= length);
    }
    let image = derivatives.matrix.apply(&q);
    let left = image
        .iter()
        .zip(&q)
        .map(|(a, q)| (a - value * q).norm_sqr())
        .sum::<f64>()
        .sqrt();
    let found = left.is_finite() && left <= RESIDUAL * value.norm();
    found.then_some((value, q))
}
