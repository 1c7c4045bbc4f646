//! The condition that takes the place of a guard where no event ends a segment.

/// What takes the place of the guard when no event ends a segment.
#[derive(Clone)]
pub(super) enum Phase {
    /// A guard fixes the phase.
    Event,
    /// State `index` of the segment starts at `value`: for forced systems, where the phase of the forcing is a state.
    Pin { index: usize, value: f64 },
    /// The start lies on a plane through `reference` normal to the flow there: for autonomous systems, and for the
    /// parts of an orbit that is cut where no event is.
    Section { reference: Vec<f64>, normal: Vec<f64> },
    /// The orbit is shifted in time as little as possible against `reference`, `∫ ⟨x - reference, reference'⟩ dσ = 0`:
    /// for autonomous systems on meshes, and for forced ones with jumps, where a profile that only moves would force
    /// short steps. Over the whole of a single segment; both are as long as z, and `row` has weights at nodes only.
    Integral { reference: Vec<f64>, row: Vec<f64> },
}
