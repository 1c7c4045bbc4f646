//! The iterates of a map, with a frame of tangent vectors.

use super::frame::{Frame, Turned};
use super::motion::Motion;
use super::options::SpectrumError;
use super::sizes::Sizes;
use crate::iterate::Iterates;
use slipstick_numerics::linalg::{lu_factorise, norm};
use slipstick_system::{Jacobian, System};

/// What rounding leaves of a direction that a map collapses, relative to the size of its derivative.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// The iterates of a map.
pub(super) struct IteratedMotion<'a> {
    iterates: Iterates<'a>,
    derivative: Jacobian<'a>,
    mode: usize,
    p: &'a [f64],
    dx: Vec<f64>,
    next: Vec<f64>,
    sizes: Sizes<'a>,
}

impl<'a> IteratedMotion<'a> {
    pub(super) fn new(system: &'a System, mode: usize, x: &[f64], p: &'a [f64]) -> Result<Self, SpectrumError> {
        let n = x.len();
        Ok(Self {
            iterates: Iterates::new(system, mode, x, p)?,
            derivative: Jacobian::new(&*system.modes[mode].field, n, p, &[]),
            mode,
            p,
            dx: vec![0.0; n * n],
            next: vec![0.0; n],
            sizes: Sizes::new(system),
        })
    }
}

impl<'a> Motion<'a> for IteratedMotion<'a> {
    fn advance(&mut self, until: f64, frame: &mut Frame) -> Result<(), SpectrumError> {
        let n = self.next.len();
        while (self.iterates.count() as f64) < until {
            self.derivative
                .at(self.iterates.point(), &mut self.next, &mut self.dx, &mut []);
            self.sizes.see(self.mode, self.iterates.point(), self.p);
            self.sizes.scale(&mut self.dx, (self.mode, self.mode));
            let images = frame.images(&self.dx);
            // The product of all growths is the determinant, which has more digits than what projections leave.
            let turned = if frame.count() == n {
                Turned::of(images, n, 0.0).with_determinant(determinant(&mut self.dx, n))
            } else {
                Turned::of(images, n, ROUNDING * norm(&self.dx))
            };
            frame.accept(turned);
            self.iterates.advance()?;
        }
        Ok(())
    }

    fn take_events(&mut self) -> usize {
        0
    }

    fn state(&self) -> (usize, &[f64]) {
        (self.mode, self.iterates.point())
    }

    fn sizes(&mut self) -> &mut Sizes<'a> {
        &mut self.sizes
    }
}

/// The determinant of a matrix, up to its sign; the matrix is overwritten.
fn determinant(matrix: &mut [f64], n: usize) -> f64 {
    let mut pivots = vec![0; n];
    if !lu_factorise(matrix, &mut pivots) {
        return 0.0;
    }
    // The factors have the inverse of the diagonal.
    (0..n).map(|i| matrix[i * n + i]).product::<f64>().recip()
}
