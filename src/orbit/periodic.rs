//! The periodic orbit problem: segments joined by events, closed up after a period or, mirrored, after half of one.
//!
//! Unknowns: for each segment i its start state uᵢ (nᵢ numbers) and duration Tᵢ, then the free parameters. Equations:
//! the guard of the event that ends segment i, `gᵢ(φᵢ(Tᵢ; uᵢ, p), p) = 0`, and the junction to the next,
//! `Rᵢ(φᵢ(Tᵢ; uᵢ, p), p) = uᵢ₊₁`, where the last junction includes the symmetry and the turns of the angles. This is
//! multiple shooting with nodes on the events, so it covers any word, and a smooth orbit is the case of one segment
//! whose guard is replaced by a phase condition.

use crate::constant_states::fixed_states;
use crate::continuum_constraint::ContinuumConstraint;
use crate::plan::Plan;
use crate::segment::Segment;
use crate::segment::discretisation::Discretisation;
use crate::sides::Sides;
use crate::word::Word;
use slipstick_continuation::{Failure, Meshes, Point, Problem};
use slipstick_floquet::{FactorChain, Neutral};
use slipstick_flow::FlowOptions;
use slipstick_numerics::linalg::DenseSystem;
use slipstick_system::System;
use std::sync::Arc;

/// Parameters count by ratios, those that may pass zero only down to this part of the size of their range.
const LEAST_PARAMETER: f64 = 0.1;

/// A periodic orbit of a given word as equations for segment starts, durations and free parameters.
///
/// ```
/// use slipstick_flow::FlowOptions;
/// use slipstick_orbit::{PeriodicOrbit, Word};
/// use slipstick_continuation::{Newton, NewtonOptions, Problem};
/// use slipstick_system::catalogue::stiction;
/// let system = stiction();
/// let word = Word::parse("slip- stick", true, &system)?;
/// let mut orbit = PeriodicOrbit::new(&system, word, system.default_parameters(), vec![0], FlowOptions::default());
/// // From a rough guess: the starts of both segments in their own states, and how long they take.
/// let mut z = orbit.guess(&[vec![0.4, 0.0, -0.6], vec![-0.4, 1.4]], &[2.0, 1.1])?;
/// let mut fixed = vec![0.0; z.len()];
/// fixed[z.len() - 1] = 1.0; // Ω stays at 2
/// let anchor = vec![0.0; z.len()];
/// Newton::default().solve(&mut orbit, &mut z, &fixed, &anchor, &[2.0], &NewtonOptions::default())?;
/// assert!((orbit.duration(&z, 0) - 2.040458779719814).abs() < 1e-12);
/// assert!((orbit.period(&z) - std::f64::consts::TAU).abs() < 1e-12 && orbit.free() == 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PeriodicOrbit<'s> {
    pub(crate) system: &'s System,
    pub(crate) word: Word,
    pub(crate) parameters: Vec<f64>,
    pub(crate) free: Vec<usize>,
    pub(crate) segments: Vec<Segment<'s>>,
    /// What the last junction must subtract from each angle of the first segment.
    pub(crate) winding: Vec<f64>,
    /// The nodes of all meshes.
    pub(crate) meshes: Option<Meshes>,
    /// Number of unknowns.
    pub(crate) unknowns: usize,
    /// Which multipliers stay neutral along the curve.
    pub(crate) neutral: Neutral,
    pub(crate) matrix: DenseSystem,
    /// The unit in which each of its unknowns is eliminated.
    pub(crate) units: Vec<f64>,
    /// The condensed Jacobian, by rows, and whether it belongs to the last linearisation.
    pub(crate) jacobian: Vec<f64>,
    pub(crate) assembled: bool,
    /// Where the problem was last linearised, and where its meshes were last condensed.
    pub(crate) at: Vec<f64>,
    pub(crate) condensed_at: Vec<f64>,
    /// The states that were taken to stay zero when they were.
    pub(crate) condensed_without: Vec<usize>,
    /// Have the meshes changed since the phase conditions were set?
    pub(crate) phase_is_stale: bool,
    /// How many tangent vectors the states carry along, each as long as the states proper. Where an orbit begins is
    /// described by these alone.
    pub(crate) vectors: usize,
    /// How many letters the word was given with: a smooth orbit may be divided into more segments.
    pub(crate) given: usize,
    /// What segments are made with.
    pub(crate) options: FlowOptions,
    pub(crate) discretisations: Vec<Discretisation>,
    /// Each free parameter, which may pass zero, counts as at least so large.
    pub(crate) least_parameters: Vec<f64>,
    /// The largest |value| that each state of the system had along orbits accepted so far; empty for orbits that cannot
    /// pass through zero.
    pub(crate) met: Vec<f64>,
    /// The least sizes of states where the system may rest at zero, when they have been asked for.
    pub(crate) sizes_at_rest: std::sync::OnceLock<Option<Vec<f64>>>,
    /// Which states keep their sign, when it has been asked for.
    pub(crate) keep_sign: std::sync::OnceLock<Vec<bool>>,
    /// The unit of time of the system, when it has been asked for.
    pub(crate) unit_of_time: std::sync::OnceLock<f64>,
    /// The free parameter held at a value, while its place among the unknowns unfolds the equations.
    pub(crate) constraint: Option<ContinuumConstraint>,
    /// States of the first segment that are held at their values, since they return to any.
    pub(crate) fixed_states: Vec<usize>,
    pub(crate) plan: Plan,
    /// The transition factors of the orbit that was measured last, if its multipliers were taken from any.
    pub(crate) factors: FactorChain,
    /// Do curves end where rounding within a shot grows by more than can be followed?
    pub(crate) limits_growth: bool,
    /// Whose sides of the corners of resets are held.
    pub(crate) sides: Sides,
}

impl<'s> PeriodicOrbit<'s> {
    /// The problem for `word` of `system` at the `parameters`, of which those listed in `free` are unknowns.
    pub fn new(system: &'s System, word: Word, parameters: Vec<f64>, free: Vec<usize>, options: FlowOptions) -> Self {
        Self::discretised(system, word, parameters, free, options, &[])
    }

    /// The orbits of another word, followed along curves as these are: with the parameter and growth measured alike,
    /// and the sides of corners fixed.
    pub(crate) fn with_word(
        &self,
        word: Word,
        parameters: Vec<f64>,
        options: FlowOptions,
        discretisations: &[Discretisation],
    ) -> Self {
        let free = self.free.clone();
        let mut other = Self::discretised(self.system, word, parameters, free, options, discretisations);
        other.least_parameters.clone_from(&self.least_parameters);
        other.limits_growth = self.limits_growth;
        if self.sides != Sides::Written {
            other.sides = Sides::OfCurve;
        }
        other
    }

    /// As [`PeriodicOrbit::new`], with a discretisation for each mode of the system (modes not listed use their flow).
    pub fn discretised(
        system: &'s System,
        word: Word,
        parameters: Vec<f64>,
        free: Vec<usize>,
        options: FlowOptions,
        discretisations: &[Discretisation],
    ) -> Self {
        let word = whole_orbit(word, discretisations);
        let segments: Vec<Segment<'s>> = (0..word.letters.len())
            .map(|k| Segment::new(system, &word, k, free.len(), options, discretisations))
            .collect();
        let mut orbit = Self {
            system,
            plan: Plan::new(system, &word),
            fixed_states: fixed_states(system, &word),
            winding: vec![0.0; segments.first().map_or(0, |s| s.n)],
            given: segments.len(),
            word,
            parameters,
            least_parameters: vec![LEAST_PARAMETER; free.len()],
            free,
            segments,
            meshes: None,
            unknowns: 0,
            neutral: Neutral::default(),
            matrix: DenseSystem::new(0),
            units: vec![],
            jacobian: vec![],
            assembled: false,
            at: vec![],
            condensed_at: vec![],
            condensed_without: vec![],
            phase_is_stale: true,
            vectors: 0,
            options,
            discretisations: discretisations.to_vec(),
            met: vec![],
            sizes_at_rest: std::sync::OnceLock::new(),
            keep_sign: std::sync::OnceLock::new(),
            unit_of_time: std::sync::OnceLock::new(),
            constraint: None,
            factors: FactorChain::default(),
            limits_growth: false,
            sides: Sides::default(),
        };
        orbit.lay_out();
        orbit
    }

    /// Place the unknowns, after a mesh has changed.
    pub(crate) fn lay_out(&mut self) {
        let mut offset = 0;
        for s in &mut self.segments {
            s.offset = offset;
            offset = s.block().end;
            s.scheme.forget();
        }
        self.unknowns = offset + self.free.len();
        self.condensed_at.clear();
        self.phase_is_stale = true;
        let nodes: Vec<Vec<f64>> = self
            .segments
            .iter()
            .filter_map(|s| s.profile().map(|p| p.mesh().to_vec()))
            .collect();
        self.meshes = (!nodes.is_empty()).then(|| Arc::new(nodes));
        self.lay_out_coarse();
    }

    /// Place the unknowns that are left after condensation.
    pub(crate) fn lay_out_coarse(&mut self) {
        let mut coarse = 0;
        for s in &mut self.segments {
            s.coarse = coarse;
            coarse += s.coarse_unknowns();
        }
        let size = coarse + self.free.len();
        if self.matrix.len() != size {
            self.matrix = DenseSystem::new(size);
            self.jacobian = vec![0.0; coarse * size];
        }
        self.assembled = false;
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
    /// The free parameter stays in this range: one through zero tells the size of a parameter that passes zero, and a
    /// small one how small that may be.
    pub fn set_range(&mut self, (low, high): (f64, f64)) {
        let size = low.abs().max(high.abs());
        let passes_zero = low < 0.0 && high > 0.0;
        if size > 0.0 && (passes_zero || size < 1.0) {
            self.least_parameters.fill(LEAST_PARAMETER * size);
        }
    }
    /// Set a parameter for guesses to come.
    pub fn set_parameter(&mut self, index: usize, value: f64) {
        self.parameters[index] = value;
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
    /// The duration of segment `k` as it is reported: not below zero where the segment vanishes, up to rounding.
    pub(crate) fn reported_duration(&self, z: &[f64], k: usize) -> f64 {
        /// Relative to the period.
        const ROUNDING: f64 = 1e-12;
        let duration = self.duration(z, k);
        if duration < 0.0 && duration >= -ROUNDING * self.period(z) {
            return 0.0;
        }
        duration
    }
    /// The sum of the durations.
    pub(crate) fn lap(&self, z: &[f64]) -> f64 {
        (0..self.segments.len()).map(|k| self.duration(z, k)).sum()
    }
    /// The period: the sum of the durations, doubled for a symmetric orbit.
    pub fn period(&self, z: &[f64]) -> f64 {
        if self.word.symmetric {
            2.0 * self.lap(z)
        } else {
            self.lap(z)
        }
    }
}

/// The word as one letter, if no event is met and the discretisation of the mode tells orbits as a whole.
fn whole_orbit(mut word: Word, discretisations: &[Discretisation]) -> Word {
    if let Some(&first) = word.letters.first()
        && discretisations
            .get(first.mode)
            .is_some_and(Discretisation::has_whole_orbits)
        && first.event.is_none()
        && word.letters.iter().all(|letter| *letter == first)
    {
        word.letters.truncate(1);
    }
    word
}

impl PeriodicOrbit<'_> {
    /// Be at a solved point, on its meshes. What is met along a mesh is known where the equations were evaluated last.
    pub(crate) fn be_at(&mut self, point: &Point) -> Result<(), Failure> {
        self.restore(&point.meshes);
        self.take_parameters(&point.z);
        if self.meshed() {
            self.linearise(&point.z, &mut vec![0.0; point.z.len() - self.free.len()])?;
        }
        Ok(())
    }

    /// Read the free parameters off the unknowns.
    pub(crate) fn take_parameters(&mut self, z: &[f64]) {
        let k = self.free.len();
        for (&i, &v) in self.free.iter().zip(&z[z.len() - k..]) {
            self.parameters[i] = self.constraint.as_ref().map_or(v, |constraint| constraint.value);
        }
    }

    /// All parameters with the free ones taken from `z`.
    pub(crate) fn parameters_at(&self, z: &[f64]) -> Vec<f64> {
        let mut p = self.parameters.clone();
        for (&i, &v) in self.free.iter().zip(&z[z.len() - self.free.len()..]) {
            p[i] = v;
        }
        p
    }

    /// The size of each unknown.
    pub(crate) fn sizes_at(&self, z: &[f64]) -> Vec<f64> {
        let mut sizes = vec![0.0; z.len()];
        self.sizes(z, &mut sizes);
        sizes
    }

    /// Does state `r` behind segment `i` keep the value that it began with, instead of returning to it? Vectors beside
    /// an orbit have conditions of their own.
    pub(crate) fn is_fixed(&self, i: usize, r: usize) -> bool {
        i + 1 == self.segments.len() && self.vectors == 0 && self.fixed_states.contains(&r)
    }

    /// Has the orbit neither events nor a phase of its own, so that it may start from any of its points?
    pub(crate) fn is_free(&self) -> bool {
        self.segments.iter().all(|s| s.guard.is_none() && s.lasts)
    }

    /// May the period grow without bound: does no state measure the time? An angle that turns unevenly does not.
    pub(crate) fn lasts(&self) -> bool {
        self.vectors == 0 && self.segments.iter().all(|s| s.lasts)
    }

    /// Is any segment discretised on a mesh?
    pub(crate) fn meshed(&self) -> bool {
        self.segments.iter().any(Segment::on_mesh)
    }

    /// The start `u` of segment `k` when the segment before it ends at `x`.
    pub(crate) fn enter(&mut self, k: usize, x: &[f64], u: &mut [f64]) {
        let before = (k + self.segments.len() - 1) % self.segments.len();
        self.segments[before].junction.apply(x, &self.parameters, u);
    }

    /// Starts and durations of all segments, without what their meshes hold.
    pub fn ends(&self, z: &[f64]) -> Vec<Vec<f64>> {
        self.segments
            .iter()
            .map(|s| z[s.offset..=s.offset + s.n].to_vec())
            .collect()
    }
}
