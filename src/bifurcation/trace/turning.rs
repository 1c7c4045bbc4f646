//! Does the parameter turn back between two cycles of a family along which it hardly changes?
//!
//! The rate of the parameter follows from derivatives of the flow, and is known to their errors; the parameter itself
//! is known to rounding. In systems that are nearly conservative, as where the first coefficient of a Hopf point nearly
//! vanishes, it changes by parts of 1e-9 over many cycles, and the sign of its rate is one of errors. Differences of
//! the parameter tell there.

use super::continuum::size_of_parameter;
use super::one_way::OneWay;
use slipstick_continuation::Point;

/// Rates below this part of the size of the parameter, for each unit of arclength, may be errors of derivatives.
const UNSURE: f64 = 1e-5;
/// What Newton's method may leave of the parameter, relative to its size.
const LEFT: f64 = 1e-13;
/// How much the slopes enlarge that.
const ENLARGED: f64 = 128.0;

/// What the parameter does between two points.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Turning {
    /// Its rates tell.
    ByRates,
    /// It turns back, or goes on, by its differences.
    Turns,
    GoesOn,
    /// Its differences are rounding as well.
    StandsStill,
}

impl OneWay<'_> {
    /// What the parameter does on the way from one cycle to the next.
    pub(super) fn turning(&mut self, base: &Point, next: &Point) -> Turning {
        let size = size_of_parameter(base);
        let rate = base.parameter_rate().abs().max(next.parameter_rate().abs());
        if !(rate <= UNSURE * size) {
            return Turning::ByRates;
        }
        let h = base.arclength_to(next);
        let mut inner = [0.0; 3];
        for (at, part) in inner.iter_mut().zip([0.25, 0.5, 0.75]) {
            match self.curve.between(base, part * h) {
                Ok(point) => *at = point.parameter() - base.parameter(),
                Err(_) => return Turning::ByRates,
            }
        }
        // Slopes at the ends of the polynomial through the five values, the first of which is zero.
        let [a, b, c] = inner;
        let end = next.parameter() - base.parameter();
        let slopes = [
            48.0 * a - 36.0 * b + 16.0 * c - 3.0 * end,
            25.0 * end - 48.0 * c + 36.0 * b - 16.0 * a,
        ];
        if slopes.iter().any(|slope| slope.abs() <= ENLARGED * LEFT * size) {
            Turning::StandsStill
        } else if slopes[0] * slopes[1] < 0.0 {
            Turning::Turns
        } else {
            Turning::GoesOn
        }
    }
}
