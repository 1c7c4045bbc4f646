//! The equations of curves in two parameters of points as the tracer asks for them.

use super::locus::PointLocus;
use crate::vector_factor::Normalisation;
use slipstick_bifurcation::{History, Label};
use slipstick_continuation::{Failure, Meshes, ParameterScale, Problem};
use slipstick_system::Closure;

impl Problem for PointLocus<'_> {
    fn unknowns(&self) -> usize {
        self.constrained.unknowns()
    }
    fn free(&self) -> usize {
        self.constrained.free()
    }
    fn weights(&self, z: &[f64], weights: &mut [f64]) {
        self.constrained.weights(z, weights);
    }
    fn sizes(&self, z: &[f64], sizes: &mut [f64]) {
        self.constrained.sizes(z, sizes);
    }
    fn set_scales(&mut self, z: &[f64], parameters: &[ParameterScale]) {
        self.constrained.set_scales(z, parameters);
    }
    fn linearise(&mut self, z: &[f64], residual: &mut [f64]) -> Result<(), Failure> {
        let free = self.plain.free.len();
        let mut p = self.plain.parameters.clone();
        let values = &z[z.len() - free..];
        self.plain.free.iter().zip(values).for_each(|(&i, v)| p[i] = *v);
        let allowed = self.plain.system.check_requirements(&p);
        allowed.map_err(|unmet| Failure::Evaluation(unmet.to_string()))?;
        self.constrained.linearise(z, residual)
    }
    fn solve(&mut self, border: &[f64], rhs: &mut [f64]) -> Result<(), Failure> {
        self.constrained.solve(border, rhs)
    }
    fn amplification(&mut self, border: &[f64]) -> Option<f64> {
        // Where the pair of multipliers comes to +1 and the points persist, as those at zero do, these equations have
        // no inverse, nor have those of folds where both halves of a cycle coincide: steps have to lead across.
        let may_be_singular = self.closure == Some(Closure::Rotated) && !self.plain.rest || self.has_halves();
        may_be_singular
            .then(|| self.constrained.amplification(border))
            .flatten()
    }
    fn restore(&mut self, _: &Option<Meshes>) {
        self.history = History::default();
    }
    fn set_off(&mut self, z: &[f64]) {
        self.renew(z);
    }
    fn normalise(&mut self, companions: &mut [(&mut Vec<f64>, &mut Vec<f64>)]) -> bool {
        let Some(closure) = self.closure else { return false };
        let Some((z, _)) = companions.first() else { return false };
        if let Some(crossing) = self.null_space(z) {
            companions
                .iter_mut()
                .for_each(|(z, tangent)| crossing.apply(z, tangent));
            // A curve that is taken up again knows the vectors as they are now.
            if let Some((z, _)) = companions.first() {
                self.renew(z);
            }
            return true;
        }
        let places = self.vector_places();
        let summed: Vec<_> = places.iter().map(|&place| (place, 1.0)).collect();
        let normalisation = Normalisation::at(z, places, &summed, closure);
        companions
            .iter_mut()
            .for_each(|(z, tangent)| normalisation.apply(z, tangent));
        true
    }
    fn recall(&mut self, z: &[f64], meshes: &Option<Meshes>) {
        self.constrained.recall(z, meshes);
    }
    fn memory(&self) -> Vec<f64> {
        self.history.memory()
    }
    fn set_memory(&mut self, memory: &[f64]) {
        self.history = History::of_memory(memory);
    }
    fn accept(&mut self, z: &mut Vec<f64>, tangent: &mut Vec<f64>) -> bool {
        let changed = self.constrained.accept(z, tangent);
        self.renew(z);
        self.history.follow(z, tangent);
        changed
    }
}

impl PointLocus<'_> {
    /// Folds of cycles whose two halves may coincide. There the equations hold all along a curve of period doublings,
    /// too, and at a distance a of the halves errors are enlarged by a power of 1/a.
    fn has_halves(&self) -> bool {
        self.condition.label() == Label::LP && !self.plain.rest && self.plain.length.is_multiple_of(2)
    }
}
