//! How a segment of an orbit is discretised.
//!
//! A segment begins at a state u, lasts for a time T and ends at an event, or where the orbit closes. How it gets from
//! its start to its end is the business of its [`Scheme`]: the unknowns that the scheme has of its own, their
//! equations, what these leave of the start, the end and the shared unknowns once they are condensed, and the factors
//! by which perturbations go over the segment. A scheme whose own unknowns are states along the segment has a
//! [`Profile`] too: it knows the segment at any time, judges the error of that, and moves the unknowns where they are
//! needed. The orbit puts segments together by signature, junctions and phase conditions, and does not know which kind
//! any of them is.
//!
//! A new discretisation is a file beside these, and its name in [`Discretisation`].

pub(crate) mod collocation;
mod decaying;
pub(crate) mod discretisation;
mod flow;
mod harmonic;
mod layers;
mod links;
pub(crate) mod mesh;
pub(crate) mod piece_weights;
mod relative;
pub(crate) mod returning;
mod rough_trajectory;
pub(crate) mod scheme;
mod shooting;
mod shooting_interval;
mod slopes;
mod spectral;
mod stages;
pub(crate) mod stiff_mesh;
mod trigonometric;

use crate::angles::phase;
use crate::phase_condition::Phase;
use crate::segment::returning::MeanRate;
use crate::segment::scheme::{Profile, Scheme};
use crate::word::Word;
pub use discretisation::Discretisation;
pub use harmonic::HarmonicOptions;
pub use mesh::MeshOptions;
use slipstick_flow::{FlowOptions, Junction, ModeFlow, TimeJumps, Transition};
use slipstick_system::text::OneSided;
use slipstick_system::{SharedFunction, System};
use std::sync::Arc;

/// A segment of an orbit.
pub(crate) struct Segment<'s> {
    /// The flow of its mode: where there is a profile, for guesses only.
    pub(crate) flow: ModeFlow<'s>,
    pub(crate) mode: usize,
    pub(crate) n: usize,
    /// Where uᵢ begins in z; Tᵢ follows it, and then the own unknowns of the scheme.
    pub(crate) offset: usize,
    pub(crate) guard: Option<SharedFunction>,
    /// +1 if the guard must rise through zero.
    pub(crate) direction: f64,
    pub(crate) scheme: Box<dyn Scheme>,
    /// Where its unknowns begin among those that are left after condensation.
    pub(crate) coarse: usize,
    pub(crate) phase: Phase,
    /// May it last any time: does no angle of its mode measure the time?
    pub(crate) lasts: bool,
    pub(crate) junction: Junction,
    /// The reset at its end with the sides of its corners held, where they are.
    pub(crate) one_sided: Option<Arc<OneSided>>,
    pub(crate) transition: Transition,
    /// Does it end on the surface that it begins on?
    pub(crate) returns: bool,
    /// Where it does and is short, the equation in place of its guard.
    pub(crate) mean_rate: Option<MeanRate>,
    /// Does it end, and begin, where a jump with time sets off an event?
    pub(crate) ends_on_jump: Option<TimeJumps>,
    pub(crate) begins_on_jump: Option<TimeJumps>,
    pub(crate) guard_value: f64,
    pub(crate) guard_dx: Vec<f64>,
    pub(crate) guard_dp: Vec<f64>,
    pub(crate) next: Vec<f64>,
    pub(crate) junction_dx: Vec<f64>,
    pub(crate) junction_dp: Vec<f64>,
}

impl<'s> Segment<'s> {
    /// Segment `k` of a word, with `free` free parameters.
    pub(crate) fn new(
        system: &'s System,
        word: &Word,
        k: usize,
        free: usize,
        options: FlowOptions,
        discretisations: &[Discretisation],
    ) -> Self {
        let (letter, count) = (word.letters[k], word.letters.len());
        let mode = &system.modes[letter.mode];
        let n = mode.states.len();
        let event = letter.event.map(|e| &mode.events[e]);
        let junction = Junction::new(system, letter.mode, letter.event, word.symmetric && k + 1 == count);
        let next = junction.outputs();
        let clock = phase(system, mode);
        let discretisation = discretisations.get(letter.mode).copied().unwrap_or_default();
        let scheme = discretisation.scheme(n, &closing(system, &junction, n, letter.event.is_some()));
        let flow = match scheme.profile() {
            Some(_) => FlowOptions {
                rtol: options.rtol.max(1e-8),
                atol: options.atol.max(1e-9),
                ..options
            },
            None => options,
        };
        let by_integral = scheme.profile().is_some_and(Profile::fixes_phase_by_integral);
        let phase = match (event, clock) {
            (Some(_), _) => Phase::Event,
            (None, Some(index)) if count == 1 || scheme.profile().is_none() => Phase::Pin { index, value: 0.0 },
            (None, None) if by_integral && count == 1 => Phase::Integral {
                reference: vec![],
                row: vec![],
            },
            (None, _) => Phase::Section {
                reference: vec![0.0; n],
                normal: vec![0.0; n],
            },
        };
        Self {
            flow: ModeFlow::new(system, letter.mode, flow),
            mode: letter.mode,
            n,
            offset: 0,
            coarse: 0,
            scheme,
            guard: event.map(|e| e.guard.clone()),
            direction: event.map_or(1.0, |e| e.direction.sign()),
            phase,
            lasts: clock.is_none(),
            junction,
            one_sided: None,
            transition: Transition::default(),
            returns: returns(system, word, k),
            mean_rate: None,
            ends_on_jump: None,
            begins_on_jump: None,
            guard_value: 0.0,
            guard_dx: vec![0.0; n],
            guard_dp: vec![0.0; free],
            next: vec![0.0; next],
            junction_dx: vec![0.0; next * n],
            junction_dp: vec![0.0; next * free],
        }
    }
}

/// Does segment `k` of a word end on the surface that it begins on, without a jump between?
fn returns(system: &System, word: &Word, k: usize) -> bool {
    let letter = word.letters[k];
    let before = word.letters[(k + word.letters.len() - 1) % word.letters.len()];
    let (Some(leaves), Some(enters)) = (letter.event, before.event) else {
        return false;
    };
    let (mode, enters) = if word.symmetric && k == 0 {
        let mirrored = system.mirrored_event(before.mode, enters);
        match (mirrored, &system.symmetry) {
            (Some(event), Some(symmetry)) => (symmetry.modes[before.mode], event),
            _ => return false,
        }
    } else {
        (before.mode, enters)
    };
    let enters = &system.modes[mode].events[enters];
    let leaves = &system.modes[letter.mode].events[leaves];
    enters.reset.is_none() && system.is_same_surface((mode, enters), (letter.mode, leaves))
}

/// The linear part of the map from the end of a segment of `n` states to where it began, if no event ends it: that of
/// the symmetry, or none.
fn closing(system: &System, junction: &Junction, n: usize, ends_at_event: bool) -> Vec<f64> {
    if ends_at_event || junction.outputs() != n {
        return vec![];
    }
    let p: Vec<f64> = system.parameters.iter().map(|p| p.value).collect();
    let (mut image, mut closing) = (vec![0.0; n], vec![0.0; n * n]);
    junction
        .clone()
        .linearise(&vec![0.0; n], &p, &[], &mut image, &mut closing, &mut []);
    closing
}

impl Segment<'_> {
    /// How fast the guard crosses zero at the end, positive in the required direction. Zero means a tangential arrival.
    pub(crate) fn rate(&self) -> f64 {
        self.direction * slipstick_numerics::linalg::dot(&self.guard_dx, &self.transition.f)
    }
    /// Does it begin, or end, where a jump with time sets off an event?
    pub(crate) fn lies_on_jumps(&self) -> bool {
        self.begins_on_jump.is_some() || self.ends_on_jump.is_some()
    }
    /// The segment as states along it, if these are its unknowns.
    pub(crate) fn profile(&self) -> Option<&dyn Profile> {
        self.scheme.profile()
    }
    /// Are states along the segment among the unknowns?
    pub(crate) fn on_mesh(&self) -> bool {
        self.scheme.profile().is_some()
    }
    /// The range of z that the scheme owns.
    pub(crate) fn block(&self) -> std::ops::Range<usize> {
        let begin = self.offset + self.n + 1;
        begin..begin + self.profile().map_or(0, Profile::unknowns)
    }
    /// Where the states at the start and at the nodes of the mesh stand in z.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = usize> + use<> {
        let (first, n) = (self.block().start, self.n);
        let (count, stride) = self.profile().map_or((0, 0), |p| (p.intervals(), p.stride()));
        std::iter::once(self.offset).chain((1..=count).map(move |j| first + j * stride - n))
    }
    /// Unknowns left after condensation: the duration, the start and the other states that are left.
    pub(crate) fn coarse_unknowns(&self) -> usize {
        self.scheme.states_left() * self.n + 1
    }
    /// Where the end stands among them, if it is an unknown.
    pub(crate) fn coarse_end(&self) -> usize {
        self.coarse + self.coarse_unknowns() - self.n
    }
}
