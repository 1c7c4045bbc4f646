//! From which of its points an orbit is told: the condition that takes the place of a guard where no event does, and the turns of the angles.

use super::PeriodicOrbit;
use crate::continuation::{Failure, Meshes, Point, Problem};

/// What takes the place of the guard when no event ends a segment.
#[derive(Clone)]
pub(super) enum Phase {
    /// A guard fixes the phase.
    Event,
    /// State `index` of the segment starts at `value`: for forced systems, where the phase of the forcing is a state.
    Pin { index: usize, value: f64 },
    /// The start lies on a plane through `reference` normal to the flow there: for autonomous systems.
    Section { reference: Vec<f64>, normal: Vec<f64> },
    /// The orbit is shifted in time as little as possible against `reference`, `∫ ⟨x - reference, reference'⟩ dσ = 0`: for autonomous systems on meshes,
    /// where profiles that only move would force short steps. Both hold the start, then the mesh's unknowns; `row` has weights at nodes only.
    Integral { reference: Vec<f64>, row: Vec<f64> },
}

/// Where the orbits are told from; see [`PeriodicOrbit::keep_phase`].
pub(crate) struct KeptPhase {
    meshes: Option<Meshes>,
    phases: Vec<Phase>,
    winding: Vec<f64>,
    stale: bool,
}

impl PeriodicOrbit<'_> {
    /// Fix the phase condition and the turns of the angles as at `z`.
    pub(super) fn anchor(&mut self, z: &[f64]) -> Result<(), Failure> {
        self.winding.fill(0.0);
        let Some(last) = self.segments.len().checked_sub(1) else {
            return Ok(());
        };
        self.set_phase(z);
        let mut residual = vec![0.0; self.unknowns - self.free.len()];
        self.linearise(z, &mut residual)?;
        let first = &self.segments[0];
        let states = &self.system.modes[first.mode].states;
        for (i, &s) in states.iter().enumerate() {
            if let Some(period) = self.system.states[s].period {
                self.winding[i] = ((self.segments[last].next[i] - z[i]) / period).round() * period;
            }
        }
        Ok(())
    }

    /// Fix the phase condition and the turns of the angles as at a point of a curve.
    pub fn rephase(&mut self, point: &Point) {
        self.restore(&point.meshes);
        // The point was computed before, so its flow can be evaluated; if not, Newton will say so.
        let _ = self.anchor(&point.z);
    }

    /// The phase condition and the turns of the angles, to come back to.
    pub(crate) fn keep_phase(&self) -> KeptPhase {
        KeptPhase {
            meshes: self.meshes.clone(),
            phases: self.segments.iter().map(|s| s.phase.clone()).collect(),
            winding: self.winding.clone(),
            stale: self.phase_is_stale,
        }
    }

    /// Come back to a phase condition, and to the meshes that it belongs to.
    pub(crate) fn return_to_phase(&mut self, kept: KeptPhase) {
        self.restore(&kept.meshes);
        for (s, phase) in self.segments.iter_mut().zip(kept.phases) {
            s.phase = phase;
        }
        self.winding = kept.winding;
        self.phase_is_stale = kept.stale;
    }

    /// Move the phase condition of a smooth orbit to the orbit at `z`.
    pub(super) fn set_phase(&mut self, z: &[f64]) {
        self.take_parameters(z);
        let mut sizes = vec![0.0; z.len()];
        self.sizes(z, &mut sizes);
        self.phase_is_stale = false;
        let Self {
            segments,
            system,
            parameters,
            ..
        } = self;
        for s in segments {
            let u = &z[s.offset..s.offset + s.n];
            let block = s.block();
            let field = &system.modes[s.mode].field;
            match &mut s.phase {
                Phase::Event => {}
                Phase::Pin { index, value } => *value = u[*index],
                Phase::Section { reference, normal } => {
                    reference.copy_from_slice(u);
                    field.value(u, parameters, normal);
                    let length = crate::linalg::norm(normal);
                    if length > 0.0 {
                        normal.iter_mut().for_each(|v| *v /= length);
                    }
                }
                Phase::Integral { reference, row } => {
                    let Some((mesh, _)) = &s.mesh else { continue };
                    reference.clear();
                    reference.extend_from_slice(u);
                    reference.extend_from_slice(&z[block.clone()]);
                    row.clear();
                    row.resize(s.n + block.len(), 0.0);
                    let (count, stride) = (mesh.len(), mesh.gauss.stride(s.n));
                    for j in 0..=count {
                        let width = mesh.mesh[(j + 1).min(count)] - mesh.mesh[j.saturating_sub(1)];
                        let at = j * stride;
                        field.value(&reference[at..at + s.n], parameters, &mut row[at..at + s.n]);
                        for (v, size) in row[at..at + s.n].iter_mut().zip(&sizes[s.offset..]) {
                            *v *= 0.5 * width / (size * size);
                        }
                    }
                    let length = crate::linalg::norm(row);
                    if length > 0.0 {
                        row.iter_mut().for_each(|v| *v /= length);
                    }
                }
            }
        }
    }
}
