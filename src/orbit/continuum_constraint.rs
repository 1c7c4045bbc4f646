//! Orbits at a held parameter: equations `F(u) + (q - p) w = 0`, in which the unknown q stands in the parameter's
//! place.
//!
//! Where a family of orbits exists at p alone, F' has a null vector along the family and, when the family counts twice,
//! does not get full rank by its derivative with respect to p either. With a vector w outside the range of F' the
//! equations are regular, and q = p all along the family.

use crate::segment::Segment;

/// The parameter's value, and w, by the equations of events, phase and junctions; those within meshes stay as they are.
pub(super) struct ContinuumConstraint {
    pub(super) value: f64,
    pub(super) direction: Vec<f64>,
}

impl ContinuumConstraint {
    /// The parameter held at a value, unfolded by fixed numbers without a pattern in the units of each of these
    /// equations.
    pub(crate) fn new(value: f64, units: impl Iterator<Item = f64>) -> Self {
        let number = |i: usize| 1.0 + 0.5 * (2.3 * i as f64 + 0.4).sin();
        let direction = units.enumerate().map(|(i, unit)| number(i) * unit).collect();
        Self { value, direction }
    }

    /// The rows of these equations, each with its part of w, where each segment has so many rows within its mesh before
    /// them.
    pub(crate) fn rows<'a>(
        &'a self,
        segments: &'a [Segment],
        within: impl Fn(&Segment) -> usize + 'a,
    ) -> impl Iterator<Item = (usize, f64)> + 'a {
        let mut next = 0;
        let rows = segments.iter().flat_map(move |s| {
            let first = next + within(s);
            next = first + 1 + s.next.len();
            first..next
        });
        rows.zip(self.direction.iter().copied())
    }
}
