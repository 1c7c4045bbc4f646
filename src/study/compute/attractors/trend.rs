//! Do the extremes of a motion still change from round to round in one direction? Then it is on no attractor, whatever
//! its exponents are: it grows without bound, or its transient is long.

/// The rounds are taken in so many parts.
const PARTS: usize = 6;

/// From one part to the next the change is at least this part of the one before: growth by even steps, by ever larger
/// ones, or the approach of a limit that is still far.
const LASTING: f64 = 0.6;

/// A change in all by less than this part of the extremes is none.
const SLIGHT: f64 = 1e-3;

/// What is said of such a motion, if it is one: from the `extents` of each state in each round.
pub(crate) fn trend(extents: &[Vec<f64>]) -> Option<String> {
    let states = extents.first().map_or(0, Vec::len);
    (0..states).find_map(|state| {
        let own: Vec<f64> = extents.iter().map(|round| round[state]).collect();
        let reaches: Vec<f64> = own
            .chunks(own.len().div_ceil(PARTS).max(1))
            .map(|part| part.iter().copied().fold(0.0, f64::max))
            .collect();
        if reaches.len() < PARTS || reaches.iter().any(|reach| !reach.is_finite()) {
            return None;
        }
        let changes: Vec<f64> = reaches.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let sign = changes[0].signum();
        let one_way = changes.iter().all(|change| change * sign > 0.0);
        let lasts = changes.windows(2).all(|pair| pair[1].abs() >= LASTING * pair[0].abs());
        let all: f64 = changes.iter().sum();
        let largest = reaches.iter().copied().fold(0.0, f64::max);
        let still = one_way && lasts && all.abs() > SLIGHT * largest;
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

    fn of(extent: impl Fn(f64) -> f64) -> bool {
        let rounds: Vec<Vec<f64>> = (0..60).map(|k| vec![1.0, extent(f64::from(k))]).collect();
        trend(&rounds).is_some()
    }

    #[test]
    fn what_grows_or_declines_all_along_is_told_from_what_returns() {
        assert!(of(|k| 500.0 + 3.0 * k), "evenly");
        assert!(of(|k| (0.1 * k).exp()), "ever faster");
        assert!(of(|k| 500.0 - 3.0 * k) && of(|k| 1.0 + (-0.02 * k).exp()), "a transient");
        assert!(!of(|k| 2.0 + (1.3 * k).sin()) && !of(|k| 2.0 + (0.21 * k).sin()), "tori");
        assert!(!of(|_| 2.0) && !of(|k| 2.0 - (-k).exp()), "at its end");
    }
}
