//! Two-parameter curves along which a segment touches a surface, where the touch comes to an end of that segment.
//!
//! There the event that makes the end has its limit as well, and another curve begins. The last of the way cannot be
//! followed: between the touch and the end the distance from the surface is quadratic in what is left, and lost in
//! rounding. Along the way everything is a smooth function of what is left, and extrapolated to zero.

use super::super::{BranchPoint, End, Record};
use super::one_way::OneWay;
use slipstick_continuation::Point;
use slipstick_numerics::tableau::quadrature::lagrange;

impl OneWay<'_> {
    /// The end of the curve where the touch comes to an end of its segment, if it has nearly done so.
    pub(super) fn touch_at_end(&mut self, found: &mut Vec<BranchPoint>) -> Option<End> {
        /// What is left of the way at the last point, as part of the segment's duration; and the least at which
        /// rounding hides nothing.
        const NEAR: f64 = 0.02;
        const LEAST: f64 = 2e-4;
        /// So many points are looked at, and so many of them taken, each so many times as far from the end as the next.
        const BACK: usize = 60;
        const TAKEN: usize = 6;
        const APART: f64 = 1.3;
        /// Extrapolations from all of them and from one fewer agree within this.
        const AGREE: f64 = 1e-7;
        let last = found.last().filter(|p| p.label.is_none())?.clone();
        let (part, label, meaning) = self.curve.problem().two_parameters()?.touch_near_end(&last.point)?;
        if part > NEAR {
            return None;
        }
        let mut taken: Vec<(f64, Point)> = vec![];
        for known in found.iter().rev().take(BACK).filter(|p| p.label.is_none()) {
            let point = &known.point;
            let comparable = point.z.len() == last.point.z.len() && point.meshes == last.point.meshes;
            let two = self.curve.problem().two_parameters()?;
            let Some((part, ..)) = two.touch_near_end(point).filter(|_| comparable) else {
                break;
            };
            if part >= taken.last().map_or(LEAST, |(last, _)| APART * last) {
                taken.push((part, point.clone()));
            }
            if taken.len() == TAKEN {
                break;
            }
        }
        let limit = |count: usize| -> Vec<f64> {
            let parts: Vec<f64> = taken[..count].iter().map(|t| t.0).collect();
            let weights = lagrange(&parts, 0.0);
            let unknown = |i: usize| taken.iter().zip(&weights).map(|((_, point), w)| w * point.z[i]).sum();
            (0..last.point.z.len()).map(unknown).collect()
        };
        if taken.len() < 4 {
            return None;
        }
        let (coarse, z) = (limit(taken.len() - 1), limit(taken.len()));
        let size = |(i, w): (usize, &f64)| (coarse[i] - z[i]).abs() * w.sqrt();
        let off = last.point.weights.iter().enumerate().map(size).fold(0.0, f64::max);
        if !(off <= AGREE) {
            return None;
        }
        let mut end = BranchPoint {
            point: Point { z, ..last.point },
            record: last.record,
            label: Some(label),
            message: meaning.clone(),
        };
        let mut record = Record::default();
        if self.curve.problem().inspect(&end.point, &mut record).is_ok() {
            end.record = record;
        }
        found.push(end);
        Some(End::Shrunk { meaning })
    }
}
