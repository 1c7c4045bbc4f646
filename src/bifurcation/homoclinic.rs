//! Homoclinic and heteroclinic ends: the period grows without bound.
//!
//! A family of periodic orbits that approaches an orbit connecting saddles does so with `λ - λ* ~ C e^{-μ T}`: while
//! the period T grows by equal amounts, the distance of the parameter from its limit shrinks by equal factors.
//! [`Standstill`] fits that law to the points behind and tells the limit long before the differences of the parameter
//! are lost in rounding. At a saddle-node on the orbit the law is `λ - λ* ~ C / (T - T₀)²`. Where a motion becomes ever
//! slower or goes ever further it is `λ - λ* ~ C / (T - T₀)`. Where none holds (oscillations about a saddle-focus),
//! [`Plateau`] waits until the period grows while nothing else changes.
//!
//! Reference: L. P. Shilnikov, A. L. Shilnikov, D. V. Turaev and L. O. Chua, *Methods of Qualitative Theory in
//! Nonlinear Dynamics II* (2001), ch. 13.

use super::{Column, Record, Rest, TraceOptions};
use slipstick_numerics::number::rounded;
use slipstick_numerics::roots::boundary;
use std::convert::Infallible;

/// Since when neither parameter nor shape have changed, and how the period has grown meanwhile.
pub(super) struct Plateau {
    shape: Option<Vec<usize>>,
    parameter: usize,
    since: Record,
    /// The largest size of the parameter met.
    size: f64,
    /// Parameters and extremes that agree to this relative accuracy have stopped changing.
    same: f64,
}

impl Plateau {
    /// The least of these accuracies.
    const SAME: f64 = 1e-6;
    /// Extremes, of states and of what is made of them, are known to so many errors of the discretisation.
    const ERRORS: f64 = 10.0;
    /// The growth of the period that is then enough to believe in.
    const GROWTH: f64 = 1.5;

    /// `error` is that of the discretisation, relative to the sizes of states.
    pub(super) fn new(shape: Option<Vec<usize>>, first: &Record, parameter: usize, error: f64) -> Self {
        Self {
            shape,
            parameter,
            since: first.clone(),
            size: 0.0,
            same: Self::SAME.max(Self::ERRORS * error),
        }
    }

    /// Has the period grown by much while nothing else changed? Along a continuum the parameter does not.
    pub(super) fn endless(&mut self, here: &Record, continuum: bool) -> bool {
        let Some(shape) = &self.shape else { return false };
        // Extremes are judged by the largest of them: one that tends to zero has nothing of its own to be compared
        // with.
        let size = shape.iter().fold(0.0f64, |m, &i| m.max(here.monitors[i].abs()));
        let (p, q) = (here.parameters[self.parameter], self.since.parameters[self.parameter]);
        self.size = self.size.max(p.abs()).max(q.abs());
        let still = (continuum || (p - q).abs() <= self.same * self.size)
            && shape
                .iter()
                .all(|&i| (here.monitors[i] - self.since.monitors[i]).abs() <= self.same * size);
        if !still {
            self.since.clone_from(here);
            return false;
        }
        here.period > Self::GROWTH * self.since.period
    }
}

/// Does nobody ask for orbits of a longer period than this one?
pub(super) fn long_enough(here: &Record, options: &TraceOptions) -> bool {
    let wanted = |l: &super::Level| l.column == Column::Period && l.value > here.period;
    !options.levels.iter().any(wanted)
}

/// By how much the parameter of an orbit may be off, relative to its size, that is known to an error relative to the
/// sizes of states: of the order at which collocation converges between those at the ends of intervals, almost twice
/// as many digits, and inside of them.
pub(super) fn parameter_noise(error: f64) -> f64 {
    const SAFETY: f64 = 3.0;
    SAFETY * error * error.sqrt()
}

/// The periods and parameters behind, for the law of approach.
pub(super) struct Standstill {
    /// Period and parameter of each point.
    history: Vec<(f64, f64)>,
    /// The largest size of the parameter met.
    size: f64,
    /// Changes of the parameter below this part of its size are errors.
    noise: f64,
}

/// Where the parameter stands still.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Limit {
    /// The extrapolated parameter.
    pub(super) value: f64,
    /// What is left to it, relative to the largest size of the parameter on the curve.
    pub(super) left: f64,
    /// How the parameter tends to it.
    pub(super) law: Law,
}

/// How a parameter tends to its limit while the period T grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Law {
    /// `C e^{-μ T}`, as next to a saddle.
    Exponential,
    /// `C / (T - T₀)²`, as next to a saddle-node. The limit is known to this part of the largest size of the parameter
    /// on the curve.
    InverseSquare { error: f64 },
    /// `C / (T - T₀)`, as of a motion whose speed is proportional to the parameter.
    Inverse { error: f64 },
}

impl Limit {
    /// Is no more than `left` left of the way, or, where the parameter tends to its limit slowly, is the limit itself
    /// known?
    pub(super) fn is_known(&self, left: f64) -> bool {
        const ERROR: f64 = 1e-9;
        const SHORT: f64 = 1e-3;
        match self.law {
            Law::Exponential => self.left <= left,
            Law::InverseSquare { error } => error <= ERROR,
            Law::Inverse { error } => error <= ERROR && self.left <= SHORT,
        }
    }
}

impl Standstill {
    /// The law must have held while the period grew by this factor, three times in a row.
    const SPACING: f64 = 1.12;
    /// By how much of its last change the limit may differ from the one foretold before.
    const AGREE: f64 = 0.1;
    /// Changes of the parameter below this are rounding.
    const ROUNDING: f64 = 1e-12;
    /// A parameter that tends to its limit as a power of the period still changes by more than this part of its size;
    /// one that changes by less stands still, as in a canard explosion, and what it does is errors.
    const CHANGES: f64 = 1e-9;

    /// `error` is that of the discretisation, relative to the sizes of states.
    pub(super) fn new(error: f64) -> Self {
        Self {
            history: vec![],
            size: 0.0,
            noise: Self::ROUNDING.max(parameter_noise(error)),
        }
    }

    pub(super) fn note(&mut self, record: &Record, parameter: usize) {
        let p = record.parameters[parameter];
        self.size = self.size.max(p.abs());
        self.history.push((record.period, p));
    }

    /// The limit of the parameter, if the last points follow the law.
    pub(super) fn limit(&self) -> Option<Limit> {
        let mut chosen: Vec<(f64, f64)> = vec![*self.history.last()?];
        for &(period, p) in self.history.iter().rev() {
            let last = chosen[chosen.len() - 1].0;
            if period > chosen[0].0 {
                return None;
            }
            if period * Self::SPACING <= last {
                chosen.push((period, p));
            }
            if chosen.len() == 4 {
                break;
            }
        }
        let [d, c, b, a] = chosen[..] else { return None };
        let rounding = self.noise * self.size;
        let still = |x: (f64, f64), y: (f64, f64)| (x.1 - y.1).abs() <= rounding;
        if still(c, d) && still(b, c) {
            return Some(Limit {
                value: d.1,
                left: 0.0,
                law: Law::Exponential,
            });
        }
        let agreeing = |limit: fn(Through, Through, Through) -> Option<f64>| {
            let (before, value) = (limit(a, b, c)?, limit(b, c, d)?);
            let apart = (value - before).abs();
            (apart <= Self::AGREE * (d.1 - c.1).abs() + rounding).then(|| {
                let left = (value - d.1).abs() / self.size;
                (value, left, apart / self.size)
            })
        };
        let exponential = agreeing(exponential_limit).map(|(value, left, _)| Limit {
            value,
            left,
            law: Law::Exponential,
        });
        // Of the two powers the one that foretells the same limit again.
        let changes = (d.1 - c.1).abs() > Self::CHANGES * self.size;
        let square = agreeing(inverse_square_limit).filter(|_| changes);
        let inverse = agreeing(inverse_limit).filter(|found| changes && square.is_none_or(|square| found.2 < square.2));
        exponential.or_else(|| {
            let law = |error| match inverse {
                Some(_) => Law::Inverse { error },
                None => Law::InverseSquare { error },
            };
            inverse.or(square).map(|(value, left, error)| Limit {
                value,
                left,
                law: law(error),
            })
        })
    }

    /// How much the period has grown along the curve.
    pub(super) fn growth(&self) -> f64 {
        let shortest = self.history.iter().map(|h| h.0).fold(f64::INFINITY, f64::min);
        self.history.last().map_or(1.0, |h| h.0 / shortest)
    }
}

/// Period and parameter of a point that a law goes through.
type Through = (f64, f64);

/// λ* of the law `λ = λ* + C / (T - T₀)²` through three points in the order of their periods; `None` if there is none.
fn inverse_square_limit(a: Through, b: Through, c: Through) -> Option<f64> {
    let wanted = (c.0 - b.0) / (b.0 - a.0);
    // In the distance d of the last point from λ*, the periods are `T₀ + √(C/(λ - λ*))`; the ratio of both changes
    // falls to that of the changes of λ.
    let ((near, far), step) = ((c.1 - b.1, b.1 - a.1), (c.1 - a.1).abs());
    let period = |moved: f64, d: f64| (d + moved).sqrt().recip();
    let ratio = |d: f64| {
        let (at_a, at_b, at_c) = (period(step, d), period(near.abs(), d), period(0.0, d));
        (at_c - at_b) / (at_b - at_a)
    };
    if !(near * far > 0.0 && wanted > near / far) {
        return None;
    }
    let (low, _) = boundary(-700.0, 700.0, |s: f64| {
        Ok::<_, Infallible>(ratio(step * s.exp()) > wanted)
    })
    .ok()?;
    Some(c.1 + near.signum() * step * low.exp())
}

/// λ* of the law `λ = λ* + C / (T - T₀)` through three points in the order of their periods; `None` if there is none.
fn inverse_limit(a: Through, b: Through, c: Through) -> Option<f64> {
    let slope = |x: Through, y: Through| (y.0 - x.0) / (y.1 - x.1);
    let limit = b.1 + (c.0 - a.0) / (slope(b, c) - slope(a, b));
    let onwards = (c.1 - b.1) * (b.1 - a.1) > 0.0 && (limit - c.1) * (c.1 - b.1) > 0.0;
    onwards.then_some(limit)
}

/// λ* of the law `λ = λ* + C e^{-μ T}`, μ > 0, through three points in the order of their periods; `None` if there is
/// none.
fn exponential_limit(a: Through, b: Through, c: Through) -> Option<f64> {
    let (first, second) = (b.0 - a.0, c.0 - b.0);
    let wanted = (c.1 - b.1) / (b.1 - a.1);
    // The ratio of both changes of the exponential; it falls from second/first to zero as μ grows.
    let ratio = |mu: f64| (-mu * first).exp() * (-mu * second).exp_m1() / (-mu * first).exp_m1();
    if !(wanted > 0.0 && wanted < second / first) {
        return None;
    }
    let (mu, _) = boundary(0.0, 700.0 / first, |mu| Ok::<_, Infallible>(ratio(mu) > wanted)).ok()?;
    // What is left beyond the last change: e^{-μ (T_c - T_b)} / (1 - e^{-μ (T_c - T_b)}) of it.
    Some(c.1 + (c.1 - b.1) / (mu * second).exp_m1())
}

/// How a family whose period grows without bound ends, in words.
pub(super) fn words(name: &str, limit: Option<Limit>, period: f64, rest: Option<&Rest>) -> String {
    let period = rounded(period, 7);
    if let Some(Limit {
        value,
        law: Law::Inverse { .. },
        ..
    }) = limit
    {
        return format!(
            "the period grows without bound (here {period}) while {name} approaches {value:.9} as the inverse of the period: the orbit comes to rest nowhere, \
             but becomes ever slower or goes ever further"
        );
    }
    let kind = match rest {
        Some(rest) if rest.places.len() > 1 => "heteroclinic",
        _ => "homoclinic",
    };
    let mut text = format!("{kind} end: the period grows without bound (here {period})");
    match limit {
        Some(Limit {
            value,
            law: Law::InverseSquare { .. },
            ..
        }) => text.push_str(&format!(
            " while {name} approaches {value:.9} as the inverse square of the period"
        )),
        Some(limit) if limit.left > 0.0 => text.push_str(&format!(
            " while {name} approaches {:.12}, exponentially in the period",
            limit.value
        )),
        _ => text.push_str(&format!(" while {name} is constant")),
    }
    match rest {
        Some(rest) if rest.places.is_empty() => text.push_str(&format!(
            "; the orbit spends {:.0} % of the period near {}, where a saddle-node of equilibria appears on it",
            100.0 * rest.share,
            rest.slowest
        )),
        Some(rest) => {
            let several = rest.places.len() > 1;
            text.push_str(&format!(
                "; the orbit spends {:.0} % of the period near the {} {}, and converges to an orbit that {}",
                100.0 * rest.share,
                if several { "equilibria" } else { "equilibrium" },
                rest.places.join(" and "),
                if several {
                    "connects them"
                } else {
                    "leaves this equilibrium and returns to it"
                }
            ));
        }
        None => text.push_str(
            " and the shape of the orbit converges; the limit is a connecting orbit of equilibria, and the passage near an equilibrium takes ever longer",
        ),
    }
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn along(law: impl Fn(f64) -> f64, periods: impl Iterator<Item = f64>) -> Standstill {
        let mut still = Standstill::new(0.0);
        for t in periods {
            let record = Record {
                period: t,
                parameters: vec![law(t)],
                ..Record::default()
            };
            still.note(&record, 0);
        }
        still
    }

    #[test]
    fn an_exponential_approach_is_extrapolated() {
        let grow = |n: i32| (0..n).map(|i| 10.0 * 1.1f64.powi(i));
        let limit = along(|t| 0.7 - 3.0 * (-0.4 * t).exp(), grow(12)).limit().unwrap();
        assert!((limit.value - 0.7).abs() < 1e-9, "{limit:?}");
        // Still from one point to the next, to rounding.
        let limit = along(|t| 0.7 - 3.0 * (-0.4 * t).exp(), grow(40)).limit().unwrap();
        assert_eq!((limit.value, limit.left < 1e-15), (0.7, true));
    }

    #[test]
    fn an_approach_as_the_inverse_square_is_extrapolated() {
        let grow = |n: i32| (0..n).map(|i| 10.0 * 1.1f64.powi(i));
        for (limit, scale) in [(0.7, -3.0), (0.0, 2.0), (-1e6, 1e4)] {
            let found = along(|t| limit + scale / ((t - 2.0) * (t - 2.0)), grow(20))
                .limit()
                .unwrap();
            let size = limit.abs().max(scale.abs());
            assert!((found.value - limit).abs() < 1e-10 * size, "{found:?}");
            assert!(
                matches!(found.law, Law::InverseSquare { error } if error < 1e-9),
                "{found:?}"
            );
        }
    }

    #[test]
    fn an_approach_as_the_inverse_is_extrapolated() {
        let grow = |n: i32| (0..n).map(|i| 10.0 * 1.1f64.powi(i));
        for (limit, scale) in [(0.7, -3.0), (0.0, 2.0), (-1e6, 1e4)] {
            let found = along(|t| limit + scale / (t - 2.0), grow(40)).limit().unwrap();
            let size = limit.abs().max(scale.abs());
            assert!((found.value - limit).abs() < 1e-9 * size, "{found:?}");
            assert!(matches!(found.law, Law::Inverse { error } if error < 1e-9), "{found:?}");
        }
    }

    #[test]
    fn other_laws_have_no_limit_of_this_kind() {
        let grow = || (0..20).map(|i| 10.0 * 1.1f64.powi(i));
        // Oscillations about a saddle-focus, a parameter that runs on, and a period that comes back.
        assert_eq!(
            along(|t| 0.7 + (-0.05 * t).exp() * (2.0 * t).cos(), grow()).limit(),
            None
        );
        assert_eq!(along(|t| t, grow()).limit(), None);
        let back = grow().chain([20.0, 15.0]);
        assert_eq!(along(|t| 0.7 - 3.0 * (-0.4 * t).exp(), back).limit(), None);
    }
}
