//! The periodic orbit problem: segments joined by events, closed up after a period or, mirrored, after half of one.
//!
//! Unknowns: for each segment i its start state uᵢ (nᵢ numbers) and duration Tᵢ, then the free parameters. Equations: the guard of
//! the event that ends segment i, `gᵢ(φᵢ(Tᵢ; uᵢ, p), p) = 0`, and the junction to the next, `Rᵢ(φᵢ(Tᵢ; uᵢ, p), p) = uᵢ₊₁`, where the last
//! junction includes the symmetry and the turns of the angles. This is multiple shooting with nodes on the events, so it
//! covers any word, and a smooth orbit is the case of one segment whose guard is replaced by a phase condition.

use super::inspect::Plan;
use super::junction::Junction;
use super::word::Word;
use crate::continuation::{Failure, Problem};
use crate::flow::{FlowOptions, ModeFlow, Transition};
use crate::linalg::DenseSystem;
use crate::system::{SharedFunction, System, jacobian};

/// What takes the place of the guard when no event ends a segment.
enum Phase {
    /// A guard fixes the phase.
    Event,
    /// State `index` of the segment starts at `value`: for forced systems, where the phase of the forcing is a state.
    Pin { index: usize, value: f64 },
    /// The start lies on a plane through `reference` normal to the flow there: for autonomous systems.
    Section { reference: Vec<f64>, normal: Vec<f64> },
}

pub(super) struct Segment<'s> {
    pub(super) flow: ModeFlow<'s>,
    pub(super) mode: usize,
    pub(super) n: usize,
    /// Where uᵢ begins in z; Tᵢ follows it.
    pub(super) offset: usize,
    pub(super) guard: Option<SharedFunction>,
    /// +1 if the guard must rise through zero.
    pub(super) direction: f64,
    phase: Phase,
    junction: Junction,
    pub(super) transition: Transition,
    guard_value: f64,
    pub(super) guard_dx: Vec<f64>,
    guard_dp: Vec<f64>,
    next: Vec<f64>,
    pub(super) junction_dx: Vec<f64>,
    junction_dp: Vec<f64>,
}

impl Segment<'_> {
    /// How fast the guard crosses zero at the end, positive in the required direction. Zero means a tangential arrival.
    pub(super) fn rate(&self) -> f64 {
        self.direction * crate::linalg::dot(&self.guard_dx, &self.transition.f)
    }
}

/// A periodic orbit of a given word as equations for segment starts, durations and free parameters.
pub struct PeriodicOrbit<'s> {
    pub(super) system: &'s System,
    pub(super) word: Word,
    pub(super) parameters: Vec<f64>,
    pub(super) free: Vec<usize>,
    pub(super) segments: Vec<Segment<'s>>,
    /// What the last junction must subtract from each angle of the first segment.
    winding: Vec<f64>,
    matrix: DenseSystem,
    jacobian: Vec<f64>,
    pub(super) plan: Plan,
}

impl<'s> PeriodicOrbit<'s> {
    /// The problem for `word` of `system` at the `parameters`, of which those listed in `free` are unknowns.
    pub fn new(system: &'s System, word: Word, parameters: Vec<f64>, free: Vec<usize>, options: FlowOptions) -> Self {
        let count = word.letters.len();
        let mut offset = 0;
        let mut segments = Vec::with_capacity(count);
        for (k, letter) in word.letters.iter().enumerate() {
            let mode = &system.modes[letter.mode];
            let n = mode.states.len();
            let event = letter.event.map(|e| &mode.events[e]);
            let junction = Junction::new(system, letter.mode, letter.event, word.symmetric && k + 1 == count);
            let next = junction.outputs();
            let angle = mode.states.iter().position(|&s| system.states[s].period.is_some());
            segments.push(Segment {
                flow: ModeFlow::new(system, letter.mode, options),
                mode: letter.mode,
                n,
                offset,
                guard: event.map(|e| e.guard.clone()),
                direction: event.map_or(1.0, |e| e.direction.sign()),
                phase: match (event, angle) {
                    (Some(_), _) => Phase::Event,
                    (None, Some(index)) => Phase::Pin { index, value: 0.0 },
                    (None, None) => Phase::Section {
                        reference: vec![0.0; n],
                        normal: vec![0.0; n],
                    },
                },
                junction,
                transition: Transition::default(),
                guard_value: 0.0,
                guard_dx: vec![0.0; n],
                guard_dp: vec![0.0; free.len()],
                next: vec![0.0; next],
                junction_dx: vec![0.0; next * n],
                junction_dp: vec![0.0; next * free.len()],
            });
            offset += n + 1;
        }
        let unknowns = offset + free.len();
        let mut orbit = Self {
            system,
            plan: Plan::default(),
            winding: vec![0.0; segments.first().map_or(0, |s| s.n)],
            word,
            parameters,
            free,
            segments,
            matrix: DenseSystem::new(unknowns),
            jacobian: vec![0.0; offset * unknowns],
        };
        orbit.plan = Plan::new(&orbit);
        orbit
    }

    /// The word.
    pub fn word(&self) -> &Word {
        &self.word
    }
    /// The system.
    pub fn system(&self) -> &'s System {
        self.system
    }
    /// All parameters, the free ones as in the last linearisation.
    pub fn parameters(&self) -> &[f64] {
        &self.parameters
    }
    /// The indices of the free parameters.
    pub fn free_parameters(&self) -> &[usize] {
        &self.free
    }
    /// The start state of segment `k`.
    pub fn start<'z>(&self, z: &'z [f64], k: usize) -> &'z [f64] {
        let s = &self.segments[k];
        &z[s.offset..s.offset + s.n]
    }
    /// The duration of segment `k`.
    pub fn duration(&self, z: &[f64], k: usize) -> f64 {
        let s = &self.segments[k];
        z[s.offset + s.n]
    }
    /// The period: the sum of the durations, doubled for a symmetric orbit.
    pub fn period(&self, z: &[f64]) -> f64 {
        let half: f64 = (0..self.segments.len()).map(|k| self.duration(z, k)).sum();
        if self.word.symmetric { 2.0 * half } else { half }
    }

    /// Unknowns from segment starts and durations, with the free parameters at their present values. Also fixes how often
    /// each angle turns in a period, and the phase condition of smooth orbits.
    ///
    /// # Errors
    /// [`Failure`] when a flow cannot be evaluated at the guess.
    pub fn guess(&mut self, starts: &[Vec<f64>], durations: &[f64]) -> Result<Vec<f64>, Failure> {
        let mut z = Vec::with_capacity(self.unknowns());
        for (u, t) in starts.iter().zip(durations) {
            z.extend_from_slice(u);
            z.push(*t);
        }
        z.extend(self.free.iter().map(|&i| self.parameters[i]));
        self.anchor(&z)?;
        Ok(z)
    }

    fn anchor(&mut self, z: &[f64]) -> Result<(), Failure> {
        self.winding.fill(0.0);
        let Some(last) = self.segments.len().checked_sub(1) else {
            return Ok(());
        };
        self.set_phase(z);
        let mut residual = vec![0.0; self.unknowns() - self.free.len()];
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

    /// Move the phase condition of a smooth orbit to the start at `z`.
    fn set_phase(&mut self, z: &[f64]) {
        let Self {
            segments,
            system,
            parameters,
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
                    let length = crate::linalg::norm(normal);
                    if length > 0.0 {
                        normal.iter_mut().for_each(|v| *v /= length);
                    }
                }
            }
        }
    }

    fn linearise_segments(&mut self, z: &[f64]) -> Result<(), Failure> {
        let Self {
            segments,
            parameters,
            free,
            ..
        } = self;
        for s in segments.iter_mut() {
            let u = &z[s.offset..s.offset + s.n];
            let t = z[s.offset + s.n];
            s.flow
                .linearise(u, t, parameters, free, &mut s.transition)
                .map_err(|e| Failure::Evaluation(e.to_string()))?;
            if let Some(guard) = &s.guard {
                let mut value = [0.0];
                jacobian(
                    guard.as_ref(),
                    &s.transition.x,
                    parameters,
                    free,
                    &mut value,
                    &mut s.guard_dx,
                    &mut s.guard_dp,
                );
                s.guard_value = value[0];
            }
            s.junction.linearise(
                &s.transition.x,
                parameters,
                free,
                &mut s.next,
                &mut s.junction_dx,
                &mut s.junction_dp,
            );
        }
        Ok(())
    }
}

impl Problem for PeriodicOrbit<'_> {
    fn unknowns(&self) -> usize {
        self.matrix.len()
    }

    fn free(&self) -> usize {
        self.free.len()
    }

    fn weights(&self, z: &[f64], weights: &mut [f64]) {
        // Each state counts relative to its size along the orbit, angles and durations in radians or time units of order one.
        for s in &self.segments {
            let states = &self.system.modes[s.mode].states;
            for (i, &state) in states.iter().enumerate() {
                let size = if self.system.states[state].period.is_some() {
                    1.0
                } else {
                    self.state_size(z, state)
                };
                weights[s.offset + i] = 1.0 / (size * size);
            }
            weights[s.offset + s.n] = 1.0;
        }
        let n = z.len();
        for k in n - self.free.len()..n {
            let size = z[k].abs().max(0.1);
            weights[k] = 1.0 / (size * size);
        }
    }

    fn linearise(&mut self, z: &[f64], residual: &mut [f64]) -> Result<(), Failure> {
        let unknowns = z.len();
        let k = self.free.len();
        for (&i, &v) in self.free.iter().zip(&z[unknowns - k..]) {
            self.parameters[i] = v;
        }
        if !z.iter().all(|v| v.is_finite()) {
            return Err(Failure::Evaluation("an unknown is not finite".into()));
        }
        self.linearise_segments(z)?;
        self.jacobian.fill(0.0);
        let count = self.segments.len();
        let mut row = 0;
        for (i, s) in self.segments.iter().enumerate() {
            let j = &mut self.jacobian[row * unknowns..(row + 1) * unknowns];
            match &s.phase {
                Phase::Event => {
                    residual[row] = s.guard_value;
                    for c in 0..s.n {
                        j[s.offset + c] = (0..s.n).map(|a| s.guard_dx[a] * s.transition.dx[a * s.n + c]).sum();
                    }
                    j[s.offset + s.n] = (0..s.n).map(|a| s.guard_dx[a] * s.transition.f[a]).sum();
                    for c in 0..k {
                        j[unknowns - k + c] =
                            s.guard_dp[c] + (0..s.n).map(|a| s.guard_dx[a] * s.transition.dp[a * k + c]).sum::<f64>();
                    }
                }
                Phase::Pin { index, value } => {
                    residual[row] = z[s.offset + index] - value;
                    j[s.offset + index] = 1.0;
                }
                Phase::Section { reference, normal } => {
                    residual[row] = (0..s.n).map(|a| normal[a] * (z[s.offset + a] - reference[a])).sum();
                    j[s.offset..s.offset + s.n].copy_from_slice(normal);
                }
            }
            row += 1;
            let closing = i + 1 == count;
            let next = &self.segments[(i + 1) % count];
            for r in 0..next.n {
                let turns = if closing { self.winding[r] } else { 0.0 };
                residual[row] = s.next[r] - z[next.offset + r] - turns;
                let j = &mut self.jacobian[row * unknowns..(row + 1) * unknowns];
                let dr = &s.junction_dx[r * s.n..(r + 1) * s.n];
                for c in 0..s.n {
                    j[s.offset + c] += (0..s.n).map(|a| dr[a] * s.transition.dx[a * s.n + c]).sum::<f64>();
                }
                j[s.offset + s.n] += (0..s.n).map(|a| dr[a] * s.transition.f[a]).sum::<f64>();
                for c in 0..k {
                    j[unknowns - k + c] += s.junction_dp[r * k + c]
                        + (0..s.n).map(|a| dr[a] * s.transition.dp[a * k + c]).sum::<f64>();
                }
                j[next.offset + r] -= 1.0;
                row += 1;
            }
        }
        if residual.iter().all(|r| r.is_finite()) {
            Ok(())
        } else {
            Err(Failure::Evaluation("the equations are not finite here".into()))
        }
    }

    fn solve(&mut self, border: &[f64], rhs: &mut [f64]) -> Result<(), Failure> {
        let n = self.unknowns();
        let equations = n - self.free.len();
        for (i, row) in self.jacobian.chunks_exact(n).enumerate() {
            self.matrix.set_row(i, row);
        }
        for (k, row) in border.chunks_exact(n).enumerate() {
            self.matrix.set_row(equations + k, row);
        }
        self.matrix.factorise()?;
        self.matrix.solve(rhs)?;
        Ok(())
    }

    fn accept(&mut self, z: &mut Vec<f64>, _: &mut Vec<f64>) -> bool {
        // The point stays a zero: its own start satisfies the new phase condition.
        self.set_phase(z);
        false
    }
}

impl PeriodicOrbit<'_> {
    /// The start `u` of segment `k` when the segment before it ends at `x`.
    pub(super) fn enter(&mut self, k: usize, x: &[f64], u: &mut [f64]) {
        let before = (k + self.segments.len() - 1) % self.segments.len();
        self.segments[before].junction.apply(x, &self.parameters, u);
    }

    /// Bring the angles of the first segment into [0, period), and those of the others along by the same turns.
    pub(super) fn normalise(&self, z: &mut [f64]) {
        let Some(first) = self.segments.first() else { return };
        for (i, &state) in self.system.modes[first.mode].states.iter().enumerate() {
            let Some(period) = self.system.states[state].period else {
                continue;
            };
            let turns = (z[i] / period).floor() * period;
            for s in &self.segments {
                if let Some(j) = self.system.modes[s.mode].states.iter().position(|&k| k == state) {
                    z[s.offset + j] -= turns;
                }
            }
        }
    }

    /// Are two solutions the same orbit, up to the segment it is told from and turns of the angles?
    pub(super) fn same(&self, a: &[f64], b: &[f64]) -> bool {
        let count = self.segments.len();
        (0..count).any(|shift| {
            let fits = (0..count).all(|k| self.word.letters[k] == self.word.letters[(k + shift) % count]);
            fits && (0..count).all(|k| {
                let (s, t) = (&self.segments[k], &self.segments[(k + shift) % count]);
                let states = &self.system.modes[s.mode].states;
                (0..=s.n).all(|i| {
                    let (x, y) = (a[s.offset + i], b[t.offset + i]);
                    let mut difference = x - y;
                    if let Some(period) = states.get(i).and_then(|&k| self.system.states[k].period) {
                        difference -= (difference / period).round() * period;
                    }
                    difference.abs() <= 1e-6 * (1.0 + x.abs())
                })
            })
        })
    }

    /// The largest value of a state at the segment starts, as its unit of size.
    fn state_size(&self, z: &[f64], state: usize) -> f64 {
        let mut size = 0.0f64;
        for s in &self.segments {
            if let Some(i) = self.system.modes[s.mode].states.iter().position(|&k| k == state) {
                size = size.max(z[s.offset + i].abs());
            }
        }
        if size > 1e-8 { size } else { 1.0 }
    }
}
