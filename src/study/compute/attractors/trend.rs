//! Do the extremes of a motion still change from round to round in one direction? Then it is on no attractor, whatever
//! its exponents are: it grows without bound, or its transient is long.

use crate::compute::attractors::at_rest::GROWS;
use crate::compute::attractors::growth::reaches;

/// The rounds are taken in so many parts. By chance, as in chaos, so many maxima are in order about once in 10⁸ times.
const PARTS: usize = 12;

/// A change in all by less than this part of the extremes is none; among neighbours that separate, by this one, and
/// there no part changes by less than this much of what all do: chaos may leave an orbit slowly, and come back.
const SLIGHT: f64 = 1e-3;
const SLIGHT_IN_CHAOS: f64 = 5e-3;
const EVEN: f64 = 0.8;

/// The rounds are taken in so many quarters, each of which reaches so many times as far as the one before: no attractor
/// grows like that.
const QUARTERS: usize = 4;
const FACTOR: f64 = 3.0;

/// What is said of such a motion, if it is one: from the `extents` of each state in each round, and whether neighbours
/// separate.
pub(crate) fn trend(extents: &[Vec<f64>], separates: bool) -> Option<String> {
    let largest: Vec<f64> = extents
        .iter()
        .map(|round| round.iter().copied().fold(0.0, f64::max))
        .collect();
    if largest.len() >= QUARTERS
        && reaches(&largest, QUARTERS)
            .windows(2)
            .all(|pair| pair[1] > FACTOR * pair[0])
    {
        return Some(GROWS.to_owned());
    }
    let states = extents.first().map_or(0, Vec::len);
    (0..states).find_map(|state| {
        let own: Vec<f64> = extents.iter().map(|round| round[state]).collect();
        if own.len() < PARTS || own.iter().any(|extent| !extent.is_finite()) {
            return None;
        }
        let reaches = reaches(&own, PARTS);
        let changes: Vec<f64> = reaches.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let sign = changes[0].signum();
        let one_way = changes.iter().all(|change| change * sign > 0.0);
        let all: f64 = changes.iter().sum();
        let largest = reaches.iter().copied().fold(0.0, f64::max);
        let mean = all / changes.len() as f64;
        let even = || changes.iter().all(|change| change / mean >= EVEN);
        let still = match separates {
            true => one_way && all.abs() > SLIGHT_IN_CHAOS * largest && even(),
            false => one_way && all.abs() > SLIGHT * largest,
        };
        still.then(|| {
            let (what, why) = if sign > 0.0 {
                ("grow", "it has no bounds, or its transient is long")
            } else {
                ("decline", "its transient is long")
            };
            format!("the extremes of the motion still {what} from round to round: {why}")
        })
    })
}

#[cfg(test)]
mod tests {
    use super::trend;

    fn of(extent: impl Fn(f64) -> f64) -> [bool; 2] {
        let rounds: Vec<Vec<f64>> = (0..60).map(|k| vec![1.0, extent(f64::from(k))]).collect();
        [false, true].map(|separates| trend(&rounds, separates).is_some())
    }

    #[test]
    fn what_grows_or_declines_all_along_is_told_from_what_returns() {
        assert_eq!(of(|k| 500.0 + 3.0 * k), [true; 2], "evenly");
        assert_eq!(of(|k| 500.0 - 3.0 * k), [true; 2], "evenly");
        assert_eq!(of(|k| 1.0 + (-0.02 * k).exp()), [true, false], "a transient");
        assert_eq!(
            of(|k| 1.0 + 1e-4 * (0.1 * k).exp()),
            [true, false],
            "away from an orbit"
        );
        assert_eq!(of(|k| (0.3 * k).exp()), [true; 2], "without bound");
        assert_eq!(of(|k| 2.0 + (1.3 * k).sin()), [false; 2], "a torus");
        assert_eq!(of(|k| 2.0 + (0.21 * k).sin()), [false; 2], "a torus");
        assert_eq!(of(|k| 2.0 - (-k).exp()), [false; 2], "at its end");
    }
}
