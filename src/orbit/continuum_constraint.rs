//! Orbits at a held parameter: equations `F(u) + (q - p) w = 0`, in which the unknown q stands in the parameter's
//! place.
//!
//! Where a family of orbits exists at p alone, F' has a null vector along the family and, when the family counts twice,
//! does not get full rank by its derivative with respect to p either. With a vector w outside the range of F' the
//! equations are regular, and q = p all along the family.

use super::PeriodicOrbit;
use super::segment::Segment;
use slipstick_continuation::Problem;

/// The parameter's value, and w, by equations.
pub(super) struct ContinuumConstraint {
    pub(super) value: f64,
    direction: Vec<f64>,
}

impl ContinuumConstraint {
    /// Add what unfolds the equations.
    pub(super) fn unfold(&self, z: &[f64], residual: &mut [f64]) {
        let off = z[z.len() - 1] - self.value;
        for (r, w) in residual.iter_mut().zip(&self.direction) {
            *r += off * w;
        }
    }

    /// The last column of a Jacobian by rows.
    pub(super) fn fill_column(&self, jacobian: &mut [f64], width: usize) {
        for (row, w) in jacobian.chunks_exact_mut(width).zip(&self.direction) {
            row[width - 1] = *w;
        }
    }
}

impl PeriodicOrbit<'_> {
    /// Hold the parameter at its value in `z`; only for orbits without meshes and with one free parameter.
    pub(super) fn fix(&mut self, z: &[f64]) -> bool {
        self.release_parameter();
        if self.free.len() != 1 || self.segments.iter().any(Segment::on_mesh) {
            return false;
        }
        self.take_parameters(z);
        let mut sizes = vec![0.0; z.len()];
        self.sizes(z, &mut sizes);
        let mut direction = Vec::with_capacity(z.len());
        let count = self.segments.len();
        // Fixed numbers of like size without a pattern, in the units of each equation.
        let mut push = |size: f64| {
            let i = direction.len() as f64;
            direction.push((1.0 + 0.5 * (2.3 * i + 0.4).sin()) * size);
        };
        for k in 0..count {
            push(1.0);
            let next = &self.segments[(k + 1) % count];
            sizes[next.offset..next.offset + next.n].iter().for_each(|s| push(*s));
        }
        self.constraint = Some(ContinuumConstraint {
            value: z[z.len() - 1],
            direction,
        });
        true
    }
}
