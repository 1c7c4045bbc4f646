//! Short segments that end on the surface they begin on. That they last no time solves the equation of their guard as
//! well, wherever the orbit is; what is left when that solution is divided out is regular where they appear and
//! vanish.

use crate::derivatives::derivatives;
use slipstick_system::{Function, rate_gradient};

/// Segments shorter than this part of the orbit are short.
const SHORT: f64 = 1e-2;
/// Of still shorter ones the mean rate is taken from the rates at both ends.
const MOMENT: f64 = 3e-6;

/// The guard at the end over the duration, g(x(T))/T where g(x(0)) = 0, with its derivatives.
pub(crate) struct MeanRate {
    pub(crate) value: f64,
    pub(crate) by_start: Vec<f64>,
    pub(crate) by_end: Vec<f64>,
    pub(crate) by_duration: f64,
    pub(crate) by_parameters: Vec<f64>,
}

/// Is a segment of this duration short beside the whole orbit?
pub(crate) fn is_short(duration: f64, whole: f64) -> bool {
    duration.abs() < SHORT * whole
}

impl MeanRate {
    /// Of a segment between two states.
    pub(crate) fn between(
        (guard, field): (&dyn Function, &dyn Function),
        (start, end): (&[f64], &[f64]),
        (duration, whole): (f64, f64),
        (p, free): (&[f64], &[usize]),
    ) -> Self {
        let difference = duration.abs() > MOMENT * whole;
        let at = |x: &[f64]| {
            if difference {
                derivatives(guard, x, p, free)
            } else {
                rate_gradient(guard, field, x, p, free)
            }
        };
        let (before, after) = (at(start), at(end));
        let (of_start, of_end) = if difference {
            (-duration.recip(), duration.recip())
        } else {
            (0.5, 0.5)
        };
        let times = |factor: f64, v: &[f64]| -> Vec<f64> { v.iter().map(|v| factor * v).collect() };
        let value = of_start * before.0 + of_end * after.0;
        let by_parameters = times(of_start, &before.2)
            .iter()
            .zip(&after.2)
            .map(|(a, b)| a + of_end * b)
            .collect();
        Self {
            value,
            by_start: times(of_start, &before.1),
            by_end: times(of_end, &after.1),
            by_duration: if difference { -value / duration } else { 0.0 },
            by_parameters,
        }
    }
}
