//! Meshes that follow the solution along a curve.

use super::PeriodicOrbit;
use super::collocation::Stencil;
use super::mesh;
use super::periodic::Segment;
use slipstick_continuation::Problem;

/// By so much the error may exceed the tolerance on the mesh of the point before.
const SLACK: f64 = 30.0;

impl PeriodicOrbit<'_> {
    /// The estimated error of the states along meshed segments, relative to the size of each state.
    pub(super) fn mesh_error(&self, z: &[f64]) -> f64 {
        let mut sizes = vec![0.0; z.len()];
        self.sizes(z, &mut sizes);
        let of_segment = |s: &Segment<'_>| {
            let (mesh, options) = s.mesh.as_ref()?;
            let (start, block) = (&z[s.offset..s.offset + s.n], &z[s.block()]);
            let loads = mesh::loads(mesh, start, block, &sizes[s.offset..s.offset + s.n], options);
            Some(mesh::error(&loads, options))
        };
        self.segments.iter().filter_map(of_segment).fold(0.0, f64::max)
    }

    /// The smallest error asked of a mesh, if there are any.
    pub fn mesh_tolerance(&self) -> Option<f64> {
        let meshes = self.segments.iter().filter_map(|s| s.mesh.as_ref());
        meshes.map(|m| m.1.tolerance).reduce(f64::min)
    }

    /// Is the estimated error within reach of the tolerance on all meshes that may still be refined?
    pub(super) fn meshes_fit(&self, z: &[f64]) -> bool {
        let meshes = self.segments.iter().filter_map(|s| s.mesh.as_ref());
        let tolerance = meshes
            .filter(|(mesh, options)| mesh.len() < options.most)
            .map(|m| m.1.tolerance.max(mesh::FINEST))
            .fold(f64::INFINITY, f64::min);
        tolerance == f64::INFINITY || self.mesh_error(z) <= SLACK * tolerance
    }

    /// Fit the meshes to the solution at `z` where its error estimates ask for it; it and its companions are carried over.
    pub(super) fn adapt_meshes(&mut self, z: &mut Vec<f64>, companions: &mut [&mut Vec<f64>]) -> bool {
        let mut fresh = vec![None; self.segments.len()];
        let mut sizes = vec![0.0; z.len()];
        self.sizes(z, &mut sizes);
        for (s, fresh) in self.segments.iter().zip(&mut fresh) {
            let Some((mesh, options)) = &s.mesh else { continue };
            let (start, block) = (&z[s.offset..s.offset + s.n], &z[s.block()]);
            let mut loads = mesh::loads(mesh, start, block, &sizes[s.offset..s.offset + s.n], options);
            if mesh.shooter.is_some() {
                for (load, growth) in loads.iter_mut().zip(mesh.expansion()) {
                    *load = load.max(growth);
                }
            }
            let worst = loads.iter().copied().fold(0.0, f64::max);
            let total: f64 = loads.iter().sum();
            let spare = mesh.len() as f64 > 2.5 * total + 16.0;
            if (worst > 1.0 && mesh.len() < options.most) || spare {
                *fresh = Some(mesh::equidistributed(&mesh.mesh, &loads, options.most));
            }
        }
        if fresh.iter().all(Option::is_none) {
            return false;
        }
        let stencils: Vec<Option<Vec<Stencil>>> = self
            .segments
            .iter()
            .zip(&fresh)
            .map(|(s, fresh)| Some(s.mesh.as_ref()?.0.stencils(fresh.as_ref()?)))
            .collect();
        let carry = |v: &[f64]| {
            let mut out = Vec::with_capacity(v.len());
            for (s, stencils) in self.segments.iter().zip(&stencils) {
                let start = &v[s.offset..s.offset + s.n];
                let block = &v[s.block()];
                out.extend_from_slice(&v[s.offset..=s.offset + s.n]);
                match (&s.mesh, stencils) {
                    (Some((mesh, _)), Some(stencils)) => {
                        let first = out.len();
                        out.resize(first + stencils.len() * s.n, 0.0);
                        for (x, stencil) in out[first..].chunks_exact_mut(s.n).zip(stencils) {
                            mesh.combine(start, block, stencil, x);
                        }
                    }
                    _ => out.extend_from_slice(block),
                }
            }
            out.extend_from_slice(&v[v.len() - self.free.len()..]);
            out
        };
        *z = carry(z);
        for v in companions {
            **v = carry(v);
        }
        for (s, fresh) in self.segments.iter_mut().zip(fresh) {
            if let (Some((mesh, _)), Some(nodes)) = (&mut s.mesh, fresh) {
                mesh.mesh = nodes;
            }
        }
        self.lay_out();
        true
    }
}
