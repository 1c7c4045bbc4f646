//! Orbits at a held parameter: equations `F(u) + (q - p) w = 0`, in which the unknown q stands in the parameter's
//! place.
//!
//! Where a family of orbits exists at p alone, F' has a null vector along the family and, when the family counts twice,
//! does not get full rank by its derivative with respect to p either. With a vector w outside the range of F' the
//! equations are regular, and q = p all along the family. How far q is from p counts in the unit of the parameter: an
//! error that is rounding of p would otherwise be one of the orbit, as large as p.

use crate::segment::Segment;

/// The parameter's value, and w, by the equations of events, phase and junctions; those within meshes stay as they are.
pub(super) struct ContinuumConstraint {
    pub(super) value: f64,
    pub(super) direction: Vec<f64>,
}

impl ContinuumConstraint {
    /// The parameter fixed at a value, of this size, unfolded by fixed numbers without a pattern in the units of each
    /// of these equations.
    pub(crate) fn new(value: f64, size: f64, units: impl Iterator<Item = f64>) -> Self {
        let number = |i: usize| 1.0 + 0.5 * (2.3 * i as f64 + 0.4).sin();
        let own = unit_of_parameter(size);
        let direction = units.enumerate().map(|(i, unit)| number(i) * unit / own).collect();
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

/// The unit in which a parameter of this size departs from its value: a power of two, which rounds nothing, and one for
/// parameters of the order of one.
fn unit_of_parameter(size: f64) -> f64 {
    const ORDER_ONE: std::ops::RangeInclusive<f64> = 0.1..=2048.0;
    if ORDER_ONE.contains(&size) || !(size > 0.0 && size.is_finite()) {
        return 1.0;
    }
    size.log2().round().clamp(-500.0, 500.0).exp2()
}
