//! From which of its points an orbit starts: the condition that takes the place of a guard where no event does, and
//! the turns of the angles.

use super::PeriodicOrbit;
use super::angles::phase;
use super::layer_planes::plane_of_layer;
use super::phase_condition::Phase;
use super::segment::Segment;
use super::segment::scheme::Profile;
use super::sides::{FixedSides, Sides};
use super::sizes::extents;
use super::subdivision::may_be_subdivided;
use slipstick_continuation::{Failure, Meshes, Point, Problem};
use slipstick_numerics::linalg::dot;
use std::ops::Range;

/// Where the orbits start; see [`PeriodicOrbit::save_phase`].
#[doc(hidden)]
pub struct SavedPhase {
    meshes: Option<Meshes>,
    phases: Vec<Phase>,
    winding: Vec<f64>,
    sides: (Sides, FixedSides),
    stale: bool,
}

impl PeriodicOrbit<'_> {
    /// Fix the phase condition and the turns of the angles as at `z`.
    pub(super) fn anchor(&mut self, z: &[f64]) -> Result<(), Failure> {
        self.release_sides();
        self.winding.fill(0.0);
        let Some(last) = self.segments.len().checked_sub(1) else {
            return Ok(());
        };
        self.mark_time_jumps(z)?;
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

    /// The phase condition, the turns of the angles and the sides of corners of resets, to come back to.
    pub fn save_phase(&self) -> SavedPhase {
        SavedPhase {
            meshes: self.meshes.clone(),
            phases: self.segments.iter().map(|s| s.phase.clone()).collect(),
            winding: self.winding.clone(),
            sides: self.fixed_sides(),
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
        self.return_to_sides(saved.sides);
        self.phase_is_stale = saved.stale;
    }

    /// Move the phase condition of a smooth orbit to the orbit at `z`.
    pub(super) fn set_phase(&mut self, z: &[f64]) {
        self.take_parameters(z);
        self.phase_is_stale = false;
        let profile = matches!(self.segments.first().map(|s| &s.phase), Some(Phase::Integral { .. }));
        let integral = profile.then(|| integral_row(self, z));
        let sizes = self.sizes_at(z);
        let across = |s: &Segment<'_>| matches!(s.phase, Phase::Section { .. }) && !s.on_mesh();
        let is_cut = self.segments.len() > 1 && self.vectors == 0 && may_be_subdivided(self);
        let extents = (is_cut || self.segments.iter().any(across)).then(|| extents(self, z));
        let own: &[Segment<'_>] = if is_cut { &self.segments } else { &[] };
        let stages: Vec<_> = own.iter().map(stages_at_ends).collect();
        let (count, mirrored) = (self.segments.len(), self.word.symmetric);
        let Self {
            segments,
            system,
            parameters,
            vectors,
            ..
        } = self;
        for (k, s) in segments.iter_mut().enumerate() {
            // States beside its start, nearest first from before and then from behind.
            let n = s.n;
            let beside = |k: usize| {
                let before = (k > 0 || !mirrored).then(|| stages[(k + count - 1) % count].1.clone());
                let before = before.into_iter().flat_map(|own| z[own].chunks_exact(n).rev());
                before.chain(z[stages[k].0.clone()].chunks_exact(n)).collect::<Vec<_>>()
            };
            let u = &z[s.offset..s.offset + s.n];
            let on_mesh = s.on_mesh();
            match &mut s.phase {
                Phase::Event => {}
                Phase::Pin { index, value } => *value = u[*index],
                Phase::Section { reference, normal } => {
                    reference.copy_from_slice(u);
                    // Across the flow where each state is measured by how far it moves, so that neither units count
                    // nor where zero is: by its values, a plane next to a turning point of a state of large value lies
                    // along the others, and is tangent to the orbits next to it.
                    let sizes = sizes[s.offset..s.offset + s.n].to_vec();
                    let own = |extents: &Vec<f64>| system.modes[s.mode].states.iter().map(|&i| extents[i]).collect();
                    let moved: Option<Vec<f64>> = extents.as_ref().map(own);
                    let field = system.modes[s.mode].field.as_ref();
                    let corner = moved.as_deref().filter(|_| is_cut).and_then(|moved| {
                        let row = plane_of_layer((field, parameters), u, beside(k).into_iter(), moved)?;
                        Some((row, moved.to_vec()))
                    });
                    let sizes = if let Some((row, moved)) = corner {
                        normal.copy_from_slice(&row);
                        moved
                    } else {
                        let sizes = moved.filter(|_| !on_mesh).unwrap_or(sizes);
                        field.value(u, parameters, normal);
                        normal[s.n / (1 + *vectors)..].fill(0.0);
                        normal.iter_mut().zip(&sizes).for_each(|(v, size)| *v /= size);
                        sizes
                    };
                    let length = slipstick_numerics::linalg::norm(normal);
                    if length > 0.0 {
                        normal.iter_mut().zip(&sizes).for_each(|(v, size)| *v /= length * size);
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

/// Where the stages of the first and of the last interval of a segment stand in z.
fn stages_at_ends(s: &Segment<'_>) -> (Range<usize>, Range<usize>) {
    let (block, stride) = (s.block(), s.profile().map_or(0, Profile::stride));
    let stages = stride.saturating_sub(s.n);
    let last = block.end - stride;
    (block.start..block.start + stages, last..last + stages)
}

/// Take points of a curve, each with its tangent, over to phase conditions that were renewed since they were computed:
/// each point of the orbit moves along the flow, and the durations make up for it. Returns false where events or the
/// forcing fix the phase.
pub(super) fn take_over(orbit: &PeriodicOrbit<'_>, companions: &mut [(&mut Vec<f64>, &mut Vec<f64>)]) -> bool {
    for (z, tangent) in companions {
        let Some(off) = distance_from_reference(orbit, z) else {
            return false;
        };
        shift_to_phase(orbit, z, &off);
        turn_tangent(orbit, z, tangent);
    }
    true
}

/// Turn a tangent at `z` until it satisfies the phase conditions.
pub(super) fn turn_tangent(orbit: &PeriodicOrbit<'_>, z: &[f64], tangent: &mut [f64]) {
    let flow = flow_along(orbit, z);
    if let Some(shifts) = shifts(orbit, &flow, tangent) {
        shift_in_time(orbit, &flow, &shifts, tangent);
    }
}

/// Move a point in time until its distance `off` from what the phase conditions were set at satisfies them.
fn shift_to_phase(orbit: &PeriodicOrbit<'_>, z: &mut [f64], off: &[f64]) {
    let flow = flow_along(orbit, z);
    if let Some(shifts) = shifts(orbit, &flow, off) {
        shift_in_time(orbit, &flow, &shifts, z);
    }
}

/// How far the unknowns are from those that the phase conditions were set at, where these count.
fn distance_from_reference(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> Option<Vec<f64>> {
    let mut off = vec![0.0; z.len()];
    for s in &orbit.segments {
        let own = s.offset..s.offset + s.n;
        match &s.phase {
            Phase::Section { reference, .. } => {
                let values = z[own.clone()].iter().zip(reference).map(|(z, r)| z - r);
                off[own].iter_mut().zip(values).for_each(|(off, value)| *off = value);
            }
            Phase::Integral { reference, .. } => {
                off.iter_mut()
                    .zip(z.iter().zip(reference))
                    .for_each(|(off, (z, r))| *off = z - r);
            }
            Phase::Event | Phase::Pin { .. } => return None,
        }
    }
    Some(off)
}

/// By how much the start of each segment must be moved along the flow for `change`, a change of the unknowns, to
/// satisfy the phase conditions.
fn shifts(orbit: &PeriodicOrbit<'_>, flow: &[f64], change: &[f64]) -> Option<Vec<f64>> {
    let shift = |s: &Segment<'_>| {
        let own = s.offset..s.offset + s.n;
        let (across, along) = match &s.phase {
            Phase::Section { normal, .. } => (dot(normal, &flow[own.clone()]), dot(normal, &change[own])),
            Phase::Integral { row, .. } => (dot(row, flow), dot(row, change)),
            Phase::Event | Phase::Pin { .. } => return None,
        };
        (across > 0.0).then(|| -along / across)
    };
    orbit.segments.iter().map(shift).collect()
}

/// Add to `change`, a change of the unknowns, what shifting the start of each segment in time amounts to: in scaled
/// time the shift goes linearly from that of its start to that of the next one's.
fn shift_in_time(orbit: &PeriodicOrbit<'_>, flow: &[f64], shifts: &[f64], change: &mut [f64]) {
    for (k, s) in orbit.segments.iter().enumerate() {
        let (here, next) = (shifts[k], shifts[(k + 1) % shifts.len()]);
        let mut add = |at: usize, shift: f64| {
            let own = at..at + s.n;
            change[own.clone()]
                .iter_mut()
                .zip(&flow[own])
                .for_each(|(c, f)| *c += shift * f);
        };
        add(s.offset, here);
        if let Some(profile) = s.profile() {
            let mut at = s.block().start;
            for pair in profile.mesh().windows(2) {
                for part in profile.parts() {
                    add(at, here + (pair[0] + part * (pair[1] - pair[0])) * (next - here));
                    at += s.n;
                }
            }
        }
        change[s.offset + s.n] += next - here;
    }
}

/// The rates of all states among the unknowns at `z`; zero for the other unknowns. Of states that are much faster than
/// the orbit the field knows no rate: it enlarges what is left of Newton's method by as much as they are faster.
pub(super) fn flow_along(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> Vec<f64> {
    let parameters = if orbit.constraint.is_some() {
        orbit.parameters.clone()
    } else {
        orbit.parameters_at(z)
    };
    let mut flow = vec![0.0; z.len()];
    for s in &orbit.segments {
        let field = &orbit.system.modes[s.mode].field;
        for at in std::iter::once(s.offset).chain(s.block().step_by(s.n)) {
            field.value(&z[at..at + s.n], &parameters, &mut flow[at..at + s.n]);
        }
        take_rates_of_profile(s, z, &mut flow);
    }
    flow
}

/// Take the rates of a segment as its profile has them, if those by the field are none of that profile.
fn take_rates_of_profile(s: &Segment<'_>, z: &[f64], flow: &mut [f64]) {
    /// The part of the largest rate of a state by which both may differ.
    const SAME: f64 = 1e-4;
    let (start, n) = (s.offset..s.offset + s.n, s.n);
    let of_profile = |profile: &dyn Profile| profile.rates(&z[start.clone()], &z[s.block()], z[s.offset + n]);
    let Some(rates) = s.profile().and_then(of_profile) else {
        return;
    };
    let (mut largest, mut off) = (vec![0.0f64; n], vec![0.0f64; n]);
    let places = || std::iter::once(s.offset).chain(s.block().step_by(n));
    for (at, own) in places().zip(rates.chunks_exact(n)) {
        for (i, (rate, by_field)) in own.iter().zip(&flow[at..]).enumerate() {
            largest[i] = largest[i].max(rate.abs());
            off[i] = off[i].max((rate - by_field).abs());
        }
    }
    if off.iter().zip(&largest).any(|(off, largest)| *off > SAME * largest) {
        for (at, own) in places().zip(rates.chunks_exact(n)) {
            flow[at..at + n].copy_from_slice(own);
        }
    }
}

/// The derivative of the integral phase condition: the rates of the states at the nodes, by the lengths of time
/// that these stand for.
pub(super) fn integral_row(orbit: &PeriodicOrbit<'_>, z: &[f64]) -> Vec<f64> {
    let sizes = orbit.sizes_at(z);
    let flow = flow_along(orbit, z);
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
        let share = orbit.duration(z, k) / total;
        let (mesh, count) = (profile.mesh(), profile.intervals());
        for (j, at) in s.nodes().enumerate() {
            let width = share * (mesh[(j + 1).min(count)] - mesh[j.saturating_sub(1)]);
            let own = &mut row[at..at + s.n];
            own.copy_from_slice(&flow[at..at + s.n]);
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
