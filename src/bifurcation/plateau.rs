//! Homoclinic ends: the period grows without bound while nothing else changes.

use super::{Column, Record, TraceOptions};
use std::ops::Range;

/// Since when neither parameter nor shape have changed, and how the period has grown meanwhile.
pub(super) struct Plateau {
    shape: Option<Range<usize>>,
    parameter: usize,
    since: Record,
}

impl Plateau {
    /// Parameters and extremes that agree to this relative accuracy have stopped changing.
    const SAME: f64 = 1e-6;
    /// The growth of the period that is then enough to believe in.
    const GROWTH: f64 = 1.5;

    pub(super) fn new(shape: Option<Range<usize>>, first: &Record, parameter: usize) -> Self {
        Self {
            shape,
            parameter,
            since: first.clone(),
        }
    }

    /// Has the period grown by much while nothing else changed, and does nobody ask for longer ones?
    pub(super) fn endless(&mut self, here: &Record, options: &TraceOptions) -> bool {
        let Some(shape) = self.shape.clone() else { return false };
        // Extremes are judged by the largest of them: one that tends to zero has nothing of its own to be compared with.
        let size = shape.clone().fold(0.0f64, |m, i| m.max(here.monitors[i].abs()));
        let (p, q) = (here.parameters[self.parameter], self.since.parameters[self.parameter]);
        let still = (p - q).abs() <= Self::SAME * p.abs().max(q.abs())
            && shape
                .into_iter()
                .all(|i| (here.monitors[i] - self.since.monitors[i]).abs() <= Self::SAME * size);
        if !still {
            self.since.clone_from(here);
            return false;
        }
        let wanted = options
            .levels
            .iter()
            .any(|l| l.column == Column::Period && l.value > here.period);
        here.period > Self::GROWTH * self.since.period && !wanted
    }
}
