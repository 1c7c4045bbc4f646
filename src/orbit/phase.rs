//! From which of its points an orbit starts: the condition that takes the place of a guard where no event does, and
//! the turns of the angles.

use super::PeriodicOrbit;
use super::angles::phase;
use super::phase_condition::Phase;
use super::segment::Segment;
use slipstick_continuation::{Failure, Meshes, Point, Problem};
use slipstick_numerics::linalg::dot;

/// Where the orbits start; see [`PeriodicOrbit::save_phase`].
#[doc(hidden)]
pub struct SavedPhase {
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
    pub fn save_phase(&self) -> SavedPhase {
        SavedPhase {
            meshes: self.meshes.clone(),
            phases: self.segments.iter().map(|s| s.phase.clone()).collect(),
            winding: self.winding.clone(),
            stale: self.phase_is_stale,
        }
    }

    /// Come back to a phase condition, and to the meshes that it belongs to.
    pub fn return_to_phase(&mut self, saved: SavedPhase) {
        self.restore(&saved.meshes);
        for (s, phase) in self.segments.iter_mut().zip(saved.phases) {
            s.phase = phase;
        }
        self.winding = saved.winding;
        self.phase_is_stale = saved.stale;
    }

    /// Move the phase condition of a smooth orbit to the orbit at `z`.
    pub(super) fn set_phase(&mut self, z: &[f64]) {
        self.take_parameters(z);
        self.phase_is_stale = false;
        let profile = matches!(self.segments.first().map(|s| &s.phase), Some(Phase::Integral { .. }));
        let integral = profile.then(|| integral_row(self, z));
        let Self {
            segments,
            system,
            parameters,
            vectors,
            ..
        } = self;
        for s in segments {
            let u = &z[s.offset..s.offset + s.n];
            match &mut s.phase {
                Phase::Event => {}
                Phase::Pin { index, value } => *value = u[*index],
                Phase::Section { reference, normal } => {
                    reference.copy_from_slice(u);
                    system.modes[s.mode].field.value(u, parameters, normal);
                    normal[s.n / (1 + *vectors)..].fill(0.0);
                    let length = slipstick_numerics::linalg::norm(normal);
                    if length > 0.0 {
                        normal.iter_mut().for_each(|v| *v /= length);
                    }
                }
                Phase::Integral { reference, row } => {
                    reference.clear();
                    reference.extend_from_slice(z);
                    if let Some(integral) = &integral {
                        row.clone_from(integral);
                    }
                }
            }
        }
    }
}

/// Keep a tangent of a smooth orbit one where the planes of its phase conditions have turned: each start moves
/// along the flow until it stays in its plane, and the durations make up for it.
pub(super) fn turn_tangent(orbit: &PeriodicOrbit<'_>, z: &[f64], tangent: &mut [f64]) {
    let mut shifts = vec![];
    for s in &orbit.segments {
        let Phase::Section { normal, .. } = &s.phase else {
            return;
        };
        let own = s.offset..s.offset + s.n;
        let mut flow = vec![0.0; s.n];
        orbit.system.modes[s.mode]
            .field
            .value(&z[own.clone()], &orbit.parameters, &mut flow);
        let across = dot(normal, &flow);
        if !(across > 0.0) {
            return;
        }
        let shift = -dot(normal, &tangent[own.clone()]) / across;
        shifts.push((shift, flow));
    }
    for (k, s) in orbit.segments.iter().enumerate() {
        let ((shift, flow), (next, _)) = (&shifts[k], &shifts[(k + 1) % shifts.len()]);
        for (t, f) in tangent[s.offset..s.offset + s.n].iter_mut().zip(flow) {
            *t += shift * f;
        }
        tangent[s.offset + s.n] += next - shift;
    }
    let mut weights = vec![0.0; z.len()];
    orbit.weights(z, &mut weights);
    let square: f64 = tangent.iter().zip(&weights).map(|(t, w)| t * t * w).sum();
    tangent.iter_mut().for_each(|t| *t /= square.sqrt());
}

/// The derivative of the integral phase condition: the rates of the states at the nodes, by the lengths of time
/// that these stand for.
fn integral_row(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> Vec<f64> {
    let sizes = orbit.sizes_at(z);
    let mut row = vec![0.0; z.len()];
    let total = orbit.lap(z);
    let clock = |s: &Segment<'_>| {
        (!s.lasts)
            .then(|| phase(orbit.system, &orbit.system.modes[s.mode]))
            .flatten()
    };
    for (k, s) in orbit.segments.iter().enumerate() {
        let Some(profile) = s.profile() else { continue };
        let clock = clock(s);
        let field = &orbit.system.modes[s.mode].field;
        let share = orbit.duration(z, k) / total;
        let (mesh, count) = (profile.mesh(), profile.intervals());
        for (j, at) in s.nodes().enumerate() {
            let width = share * (mesh[(j + 1).min(count)] - mesh[j.saturating_sub(1)]);
            let own = &mut row[at..at + s.n];
            field.value(&z[at..at + s.n], &orbit.parameters, own);
            // Vectors move along the flow freely; with them in the condition a shift of theirs could undo one of
            // the orbit.
            own[s.n / (1 + orbit.vectors)..].fill(0.0);
            for (v, size) in own.iter_mut().zip(&sizes[s.offset..]) {
                *v *= 0.5 * width / (size * size);
            }
            // The phase of the forcing follows from that of the orbit.
            if let Some(clock) = clock {
                own[clock] = 0.0;
            }
        }
    }
    let length = slipstick_numerics::linalg::norm(&row);
    if length > 0.0 {
        row.iter_mut().for_each(|v| *v /= length);
    }
    row
}
