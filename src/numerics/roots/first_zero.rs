//! The first zero of a function, certified: no zero is stepped over.
//!
//! From a point where `g > 0` with slope `p`, and `|g''| ≤ M` up to a horizon, the parabola `g + p r - M r²/2` lies
//! below the function, so there is no zero before the parabola's. Stepping to it again and again approaches the first
//! zero from the left: quadratically when the zero is simple, linearly when the function only touches. This is Newton's
//! method made one-sided.

use crate::stop::look;

/// What is known of the function at a point.
///
/// ```
/// use slipstick_numerics::roots::{Hovering, Probe, Search, first_zero};
/// let search = Search { from: 0.0, to: 50.0, horizon: 1.0, floor: 1e-15, resolution: 1e-15 };
/// let cosine = |s: f64, _| Probe { value: s.cos(), slope: -s.sin(), curvature: 1.0 };
/// let zero = first_zero(search, cosine)?;
/// assert!(zero.is_some_and(|s| (s - std::f64::consts::FRAC_PI_2).abs() < 1e-15));
/// # Ok::<(), Hovering>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// The value.
    pub value: f64,
    /// The first derivative.
    pub slope: f64,
    /// A bound of the modulus of the second derivative from here to the horizon that the probe was given.
    pub curvature: f64,
}

/// Where the search looks, and what it takes for zero.
///
/// ```
/// use slipstick_numerics::roots::{Hovering, Probe, Search, first_zero};
/// let search = Search { from: 0.0, to: 50.0, horizon: 1.0, floor: 1e-15, resolution: 1e-15 };
/// let cosine = |s: f64, _| Probe { value: s.cos(), slope: -s.sin(), curvature: 1.0 };
/// let zero = first_zero(search, cosine)?;
/// assert!(zero.is_some_and(|s| (s - std::f64::consts::FRAC_PI_2).abs() < 1e-15));
/// # Ok::<(), Hovering>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// The point to start from. The function is positive there, or zero and about to rise.
    pub from: f64,
    /// The end of the interval.
    pub to: f64,
    /// The longest step to take under one bound.
    pub horizon: f64,
    /// Values below this are rounding.
    pub floor: f64,
    /// Abscissae closer than this are the same.
    pub resolution: f64,
}

/// The search took too many steps: the function hovers just above zero.
///
/// ```
/// use slipstick_numerics::roots::{Hovering, Probe, Search, first_zero};
/// let search = Search { from: 0.0, to: 50.0, horizon: 1.0, floor: 1e-15, resolution: 1e-15 };
/// let cosine = |s: f64, _| Probe { value: s.cos(), slope: -s.sin(), curvature: 1.0 };
/// let zero = first_zero(search, cosine)?;
/// assert!(zero.is_some_and(|s| (s - std::f64::consts::FRAC_PI_2).abs() < 1e-15));
/// # Ok::<(), Hovering>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hovering {
    /// Where it was given up.
    pub at: f64,
}

/// The first zero of a function in `(from, to]`, or `None`. `probe(s, h)` describes it at `s` with a bound that holds
/// on `[s, s + h]`.
///
/// A touch without a crossing counts as a zero when the value falls below `floor`.
pub fn first_zero(search: Search, mut probe: impl FnMut(f64, f64) -> Probe) -> Result<Option<f64>, Hovering> {
    const STEPS: usize = 20_000_000;
    let Search {
        to,
        horizon,
        floor,
        resolution,
        ..
    } = search;
    let mut s = search.from;
    for step in 0..STEPS {
        look();
        let reach = horizon.min(to - s);
        if reach <= 0.0 {
            return Ok(None);
        }
        let Probe {
            value,
            slope,
            curvature,
        } = probe(s, reach);
        let at_start = step == 0 && value <= floor;
        if value <= floor && !at_start {
            return Ok(Some(s));
        }
        // At the start the value may be zero: then the slope must lift it, and half the parabola's reach stays clear of
        // zero.
        let advance = if at_start {
            if slope > 0.0 {
                (slope / curvature).min(reach)
            } else {
                resolution
            }
        } else {
            2.0 * value / ((slope * slope + 2.0 * curvature * value).sqrt() - slope)
        };
        if advance <= resolution && !at_start {
            return Ok(Some((s + advance).min(to)));
        }
        // A parabola that opens downwards less than rounding never comes down: the quotient is then infinite or NaN.
        s = if advance < reach {
            s + advance.max(resolution)
        } else if reach < to - s {
            s + reach
        } else {
            to
        };
        if s == to {
            return Ok((probe(to, 0.0).value <= floor).then_some(to));
        }
    }
    Err(Hovering { at: s })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn search(from: f64, to: f64) -> Search {
        Search {
            from,
            to,
            horizon: 1.0,
            floor: 1e-15,
            resolution: 1e-15,
        }
    }

    #[test]
    fn finds_the_first_of_many_zeros_to_rounding() {
        let f = |s: f64, _: f64| Probe {
            value: s.cos(),
            slope: -s.sin(),
            curvature: 1.0,
        };
        let t = first_zero(search(0.0, 50.0), f).unwrap().unwrap();
        assert!((t - std::f64::consts::FRAC_PI_2).abs() < 4e-16);
        assert_eq!(first_zero(search(0.0, 1.5), f).unwrap(), None);
    }

    #[test]
    fn two_zeros_closer_than_any_sampling_are_not_missed() {
        // (s - 1)² - d²: zeros 1 ± 1e-7.
        let d = 1e-7;
        let f = |s: f64, _: f64| Probe {
            value: (s - 1.0 - d) * (s - 1.0 + d),
            slope: 2.0 * (s - 1.0),
            curvature: 2.0,
        };
        let t = first_zero(search(0.0, 5.0), f).unwrap().unwrap();
        assert!((t - (1.0 - d)).abs() < 1e-8);
        let miss = |s: f64, _: f64| Probe {
            value: (s - 1.0).powi(2) + d * d,
            slope: 2.0 * (s - 1.0),
            curvature: 2.0,
        };
        assert_eq!(
            first_zero(
                Search {
                    floor: 1e-15,
                    ..search(0.0, 5.0)
                },
                miss
            )
            .unwrap(),
            None
        );
    }

    #[test]
    fn a_zero_at_the_start_does_not_count() {
        let f = |s: f64, _: f64| Probe {
            value: s.sin(),
            slope: s.cos(),
            curvature: 1.0,
        };
        let t = first_zero(search(0.0, 5.0), f).unwrap().unwrap();
        assert!((t - std::f64::consts::PI).abs() < 4e-16);
    }
}
