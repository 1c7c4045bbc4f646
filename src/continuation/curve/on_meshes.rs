//! A curve on meshes: the discretisation is renewed at the point that a step sets off from, and the points that the
//! predictor uses move with it.

use super::{Curve, REFITS};
use crate::{Failure, Meshes, Point, Problem};

/// The error of the discretisation, in parts of a step, from which on the point that a step sets off from is corrected
/// once more on the mesh and with the phase condition of the step, and its tangent with it. A step is judged by its
/// chord and by the turn of its tangent, which would be made of that error: no shorter step would be any better.
const COARSE: f64 = 5e-6;

impl<P: Problem + ?Sized> Curve<'_, P> {
    /// Go to the meshes that a point lies on: the problem may have been asked about points on others since.
    pub(super) fn go_to_meshes(&mut self, meshes: &Option<Meshes>) {
        if meshes.is_some() && self.problem.meshes() != *meshes {
            self.problem.restore(meshes);
        }
    }

    /// Let the problem refresh its phase condition or mesh at the point a step sets off from. What is carried over from
    /// a mesh that fits is as good as the mesh, and the next correction makes it exact; else a new discretisation is
    /// corrected here, until it fits.
    pub(super) fn adapt(&mut self) -> Result<(), Failure> {
        let meshes = self.point.meshes.clone();
        self.go_to_meshes(&meshes);
        // No linearisation is kept from before: a trace that is taken up here has none either.
        self.problem.renew();
        if self.transfer_mesh() {
            self.problem.set_off(&self.point.z);
        } else {
            for _ in 0..REFITS {
                let Point { z, tangent, .. } = &mut self.point;
                if !self.problem.accept(z, tangent) {
                    break;
                }
                self.previous.clear();
                transferred_to(self.problem, &mut self.point);
                let from = self.point.clone();
                self.point = self.correct(&from, 0.0, from.z.clone())?;
            }
        }
        self.normalise();
        if self.problem.discretisation_error() > COARSE * self.step.min(self.options.largest) {
            self.correct_on_mesh();
        }
        Ok(())
    }

    /// Take the last point and those before it over to conditions on vectors that were renewed at the last one. Without
    /// that a step and its tangents would not be those of one curve, and no shorter step would be any better.
    fn normalise(&mut self) {
        let length = self.point.z.len();
        let known = self.previous.iter_mut().take_while(|p| p.z.len() == length);
        let mut companions: Vec<_> = std::iter::once(&mut self.point)
            .chain(known)
            .map(|p| (&mut p.z, &mut p.tangent))
            .collect();
        let count = companions.len() - 1;
        if !self.problem.normalise(&mut companions) {
            return;
        }
        self.previous.truncate(count);
        transferred_to(self.problem, &mut self.point);
        for p in &mut self.previous {
            transferred_to(self.problem, p);
        }
    }

    /// Correct the last point and its tangent on the present discretisation. The points before are off by nearly the
    /// same and move with it, and turn with its tangent. Where it cannot be corrected it stays: the step that sets off
    /// from it is shortened if it must be.
    fn correct_on_mesh(&mut self) {
        let from = self.point.clone();
        let Ok(found) = self.correct(&from, 0.0, from.z.clone()) else {
            return;
        };
        for p in &mut self.previous {
            let s = from.arclength_to(p);
            for (i, (z, t)) in p.z.iter_mut().zip(&mut p.tangent).enumerate() {
                let turned = found.tangent[i] - from.tangent[i];
                *z += found.z[i] - from.z[i] + s * turned;
                *t += turned;
            }
            transferred_to(self.problem, p);
        }
        self.point = found;
    }

    /// Carry the last point and the one before over to the discretisation that the problem wants; false when there is
    /// nothing to do or the present one does not fit well enough.
    fn transfer_mesh(&mut self) -> bool {
        let Point { z, tangent, meshes, .. } = &mut self.point;
        let mut companions = vec![tangent];
        let usable = |p: &&mut Point| p.z.len() == z.len() && p.meshes == *meshes;
        let known = self.previous.iter_mut().take_while(usable);
        let mut count = 0;
        for p in known {
            companions.extend([&mut p.z, &mut p.tangent]);
            count += 1;
        }
        if !self.problem.transfer_mesh(z, &mut companions) {
            return false;
        }
        transferred_to(self.problem, &mut self.point);
        self.previous.truncate(count);
        for p in &mut self.previous {
            transferred_to(self.problem, p);
        }
        true
    }
}

/// Weights, meshes and the length of the tangent of a point that was carried over to a new discretisation.
fn transferred_to<P: Problem + ?Sized>(problem: &P, point: &mut Point) {
    point.weights.resize(point.z.len(), 0.0);
    problem.weights(&point.z, &mut point.weights);
    point.meshes = problem.meshes();
    let square: f64 = point.tangent.iter().zip(&point.weights).map(|(t, w)| t * t * w).sum();
    let scale = square.sqrt().recip();
    point.tangent.iter_mut().for_each(|t| *t *= scale);
}
