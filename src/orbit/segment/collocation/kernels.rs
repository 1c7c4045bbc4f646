//! The loops over all intervals, compiled for each kind of vector unit, and for the sizes that occur most.

use super::Collocation;
use pulp::{Arch, NullaryFnOnce};
use slipstick_continuation::Failure;

impl Collocation {
    /// What is left of the equations, on all intervals.
    pub(super) fn find_residuals(&self, start: &[f64], block: &[f64], residual: &mut [f64]) {
        Arch::new().dispatch(Residuals(self, start, block, residual));
    }

    /// Condense the stages of all intervals.
    pub(super) fn condense_all(&mut self) -> Result<(), Failure> {
        Arch::new().dispatch(Condensation(self))
    }

    /// Condense a right-hand side.
    pub(super) fn reduce_all(&mut self, rhs: &[f64], r: &mut [f64]) {
        Arch::new().dispatch(Reduction(self, rhs, r));
    }

    /// Find the stages of all intervals from their nodes `x`.
    pub(super) fn fill_all(&self, x: &[f64], shared: &[f64], block: &mut [f64]) {
        Arch::new().dispatch(Expansion(self, x, shared, block));
    }
}

struct Residuals<'a>(&'a Collocation, &'a [f64], &'a [f64], &'a mut [f64]);

impl NullaryFnOnce for Residuals<'_> {
    type Output = ();
    #[inline(always)]
    fn call(self) {
        let Self(c, start, block, residual) = self;
        match (c.n, c.gauss.stages) {
            (2, 8) => c.residuals(start, block, residual, 2, 8),
            (3, 8) => c.residuals(start, block, residual, 3, 8),
            (n, m) => c.residuals(start, block, residual, n, m),
        }
    }
}

struct Condensation<'a>(&'a mut Collocation);

impl NullaryFnOnce for Condensation<'_> {
    type Output = Result<(), Failure>;
    #[inline(always)]
    fn call(self) -> Result<(), Failure> {
        match (self.0.n, self.0.gauss.stages, self.0.free) {
            (2, 8, 1) => self.0.condense_intervals(2, 8, 1),
            (3, 8, 1) => self.0.condense_intervals(3, 8, 1),
            (n, m, k) => self.0.condense_intervals(n, m, k),
        }
    }
}

struct Reduction<'a>(&'a mut Collocation, &'a [f64], &'a mut [f64]);

impl NullaryFnOnce for Reduction<'_> {
    type Output = ();
    #[inline(always)]
    fn call(self) {
        let Self(c, rhs, r) = self;
        match (c.n, c.gauss.stages) {
            (2, 8) => c.reduce_intervals(rhs, r, 2, 8),
            (3, 8) => c.reduce_intervals(rhs, r, 3, 8),
            (n, m) => c.reduce_intervals(rhs, r, n, m),
        }
    }
}

struct Expansion<'a>(&'a Collocation, &'a [f64], &'a [f64], &'a mut [f64]);

impl NullaryFnOnce for Expansion<'_> {
    type Output = ();
    #[inline(always)]
    fn call(self) {
        let Self(c, x, shared, block) = self;
        match c.n + 1 + c.free {
            4 => c.fill(x, shared, block, 4),
            5 => c.fill(x, shared, block, 5),
            columns => c.fill(x, shared, block, columns),
        }
    }
}
