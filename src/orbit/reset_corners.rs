//! Corners in what events do to the states: the side of each is held while a curve is followed.

use crate::periodic::PeriodicOrbit;
use crate::sides::{FixedSides, Sides};
use slipstick_bifurcation::Record;
use slipstick_system::text::OneSided;
use slipstick_system::{Function, SharedFunction};
use std::sync::Arc;

impl PeriodicOrbit<'_> {
    /// Hold the sides of the corners of resets along each curve, as they are at its first point.
    #[doc(hidden)]
    pub fn hold_sides_along_curves(&mut self) {
        self.sides = Sides::OfCurve;
    }

    /// Hold these sides along the curve to come, which may begin on a corner.
    #[doc(hidden)]
    pub fn on_sides(&mut self, sides: &FixedSides) {
        self.sides = Sides::Given;
        for (k, one_sided) in sides.0.iter().enumerate() {
            self.hold(k, one_sided.clone());
        }
    }

    /// Measure states as along the curve of another problem of the same word, which this one continues.
    #[doc(hidden)]
    pub fn measure_like(&mut self, other: &PeriodicOrbit<'_>) {
        self.met.clone_from(&other.met);
    }

    /// The sides that are held, and whose.
    pub(crate) fn fixed_sides(&self) -> (Sides, FixedSides) {
        let fixed = self.segments.iter().map(|s| s.one_sided.clone()).collect();
        (self.sides, FixedSides(fixed))
    }

    /// Hold sides that were held before.
    pub(crate) fn return_to_sides(&mut self, (whose, sides): (Sides, FixedSides)) {
        self.on_sides(&sides);
        self.sides = whose;
    }

    pub(crate) fn hold(&mut self, k: usize, one_sided: Option<Arc<OneSided>>) {
        let Some(reset) = reset(self, k) else { return };
        let fixed = one_sided
            .clone()
            .map(|one_sided| Arc::new(one_sided.outputs.clone()) as _);
        let segment = &mut self.segments[k];
        segment.junction.replace_reset(fixed.unwrap_or(reset));
        segment.one_sided = one_sided;
    }

    /// Resets as they are written, until there is a point that tells the sides.
    pub(crate) fn release_sides(&mut self) {
        if self.sides == Sides::Given {
            self.sides = Sides::OfCurve;
        }
        for k in 0..self.segments.len() {
            if self.segments[k].one_sided.is_some() {
                self.hold(k, None);
            }
        }
    }

    /// Hold the sides of the solved orbit at `z`, where the equations were evaluated last, unless some are held.
    pub(crate) fn hold_sides(&mut self, z: &[f64]) {
        if self.sides == Sides::Written || self.plan.corners.iter().all(Vec::is_empty) {
            return;
        }
        let sizes = self.sizes_at(z);
        for k in 0..self.segments.len() {
            let segment = &self.segments[k];
            if segment.one_sided.is_some() || segment.ends_on_jump.is_some() || self.plan.corners[k].is_empty() {
                continue;
            }
            let Some(reset) = reset(self, k) else { continue };
            let Some(corners) = reset.corners() else { continue };
            let own = &sizes[segment.offset..segment.offset + segment.n];
            let sides = corners.sides(&segment.transition.x, &self.parameters, own);
            let one_sided = Arc::new(corners.one_sided(&sides));
            self.hold(k, Some(one_sided));
        }
    }
}

/// What the event that ends segment `k` does to the states.
pub(crate) fn reset(orbit: &PeriodicOrbit<'_>, k: usize) -> Option<SharedFunction> {
    let letter = orbit.word.letters[k];
    let event = &orbit.system.modes[letter.mode].events[letter.event?];
    event.reset.clone()
}

/// What each corner of the reset at the end of segment `k` is, in words.
pub(crate) fn described(orbit: &PeriodicOrbit<'_>, k: usize) -> Vec<String> {
    let reset = reset(orbit, k);
    let Some(corners) = reset.as_ref().and_then(|reset| reset.corners()) else {
        return vec![];
    };
    orbit.plan.corners[k]
        .iter()
        .map(|(c, _)| corners.describe(*c))
        .collect()
}

/// How far the end of segment `k`, where it was evaluated last, is from each corner of the reset there, in the corner's
/// own argument; far where no side is held.
pub(crate) fn measure(orbit: &PeriodicOrbit<'_>, k: usize, values: &mut Vec<f64>) {
    let corners = &orbit.plan.corners[k];
    if corners.is_empty() {
        return;
    }
    let margins = margins(orbit, k);
    let value = |c: &usize| margins.as_ref().and_then(|m| m[*c]).unwrap_or(Record::FAR);
    values.extend(corners.iter().map(|(c, _)| value(c).min(Record::FAR)));
}

/// The distances from all corners of the reset at the end of segment `k` of which a side is held, by the numbers of the
/// corners.
pub(crate) fn margins(orbit: &PeriodicOrbit<'_>, k: usize) -> Option<Vec<Option<f64>>> {
    let segment = &orbit.segments[k];
    let fixed = segment.one_sided.as_ref().filter(|_| segment.ends_on_jump.is_none())?;
    let mut margins = vec![0.0; fixed.sides.len()];
    fixed
        .margins
        .value(&segment.transition.x, &orbit.parameters, &mut margins);
    let active = margins.iter().zip(&fixed.active);
    Some(active.map(|(m, active)| active.then_some(*m)).collect())
}
