//! Does a motion grow without bound? Its extremes grow from round to round, and go on to when it is followed until
//! they are many times as large: the motions of an attractor do not. Neighbours separate along it as along chaos, at
//! the rate at which it grows.

use crate::compute::attractors::motion::{PASSED, ROUNDS, RoundByRound};

/// The rounds are taken in so many quarters, each of which reaches so many times as far as the one before.
const QUARTERS: usize = 4;
const LARGER: f64 = 1.035;

/// It is followed until it has grown by this factor, and beyond that many times its size where it began or one, in so
/// many parts; in each its logarithm grows by this part of what the rounds before lead to expect.
const FACTOR: f64 = 1e4;
const PARTS: usize = 8;
const EXPECTED: f64 = 0.5;

/// The most rounds that it is followed for.
const MOST: f64 = 5000.0;

/// A motion that has grown by this factor, beside its size where it began or one, need not be followed further: so far
/// out, rounding may tell events no more.
const FAR: f64 = 1e8;

/// The largest of the extents in each of so many parts of the rounds.
pub(crate) fn reaches(extents: &[f64], parts: usize) -> Vec<f64> {
    let count = extents.len();
    let part = |k: usize| &extents[k * count / parts..(k + 1) * count / parts];
    (0..parts)
        .map(|k| part(k).iter().copied().fold(0.0, f64::max))
        .collect()
}

/// A state that grows, with the growth of its logarithm in a round.
struct Growing {
    state: usize,
    rate: f64,
}

/// The state whose extents grow fastest from quarter to quarter, of those that grow in all of them.
fn growing(extents: &[Vec<f64>]) -> Option<Growing> {
    if extents.len() < QUARTERS {
        return None;
    }
    let states = 0..extents.first().map_or(0, Vec::len);
    let each = states.filter_map(|state| {
        let own: Vec<f64> = extents.iter().map(|round| round[state]).collect();
        let reaches = reaches(&own, QUARTERS);
        let grows = reaches.windows(2).all(|pair| pair[1] > LARGER * pair[0]) && reaches[0] > 0.0;
        let rounds = extents.len() as f64 * (QUARTERS - 1) as f64 / QUARTERS as f64;
        let rate = (reaches[QUARTERS - 1] / reaches[0]).ln() / rounds;
        (grows && rate.is_finite()).then_some(Growing { state, rate })
    });
    each.max_by(|a, b| a.rate.total_cmp(&b.rate))
}

/// Does a motion with these `extents` in its last rounds, which began with states of this `size`, grow without bound,
/// as far as it can be followed from there? `onward` follows it for so many rounds and gives the extents of the last
/// one, none where it cannot.
pub(crate) fn grows_on(extents: &[Vec<f64>], size: f64, onward: &mut dyn FnMut(usize) -> Option<Vec<f64>>) -> bool {
    let Some(Growing { state, rate }) = growing(extents) else {
        return false;
    };
    let own = extents.iter().map(|round| round[state]);
    let mut reached = own.skip(extents.len() * (QUARTERS - 1) / QUARTERS).fold(0.0, f64::max);
    let rounds = (FACTOR * (size.max(1.0) / reached).max(1.0)).ln() / rate;
    if rounds > MOST {
        return false;
    }
    let skipped = (rounds / PARTS as f64).ceil() as usize;
    let far = FAR * size.max(1.0);
    for _ in 0..PARTS {
        if reached > far {
            break;
        }
        let Some(extents) = onward(skipped) else {
            return reached > FACTOR * size.max(1.0);
        };
        let now = extents[state];
        if !((now / reached).ln() >= EXPECTED * rate * skipped as f64) {
            return false;
        }
        reached = now;
    }
    true
}

/// Has a motion that began with states of this `size`, and cannot be followed to the end of its rounds, grown without
/// bound before?
pub(crate) fn grew(size: f64, motion: &mut RoundByRound<'_>) -> bool {
    let mut extents = vec![];
    for _ in 0..PASSED + ROUNDS {
        let Some(own) = motion.extents_after(1) else { break };
        extents.push(own);
    }
    let Some(last) = extents.last() else { return false };
    let far = FAR * size.max(1.0);
    let looked_at = &extents[extents.len().saturating_sub(ROUNDS)..];
    let begin = |state: usize| extents[0][state].max(size).max(1.0);
    let grows = growing(looked_at).is_some_and(|Growing { state, .. }| last[state] > FACTOR * begin(state));
    grows || last.iter().any(|extent| *extent > far)
}

#[cfg(test)]
mod tests {
    use super::growing;

    fn rate(extent: impl Fn(f64) -> f64) -> Option<f64> {
        let rounds: Vec<Vec<f64>> = (0..60).map(|k| vec![1.0, extent(f64::from(k))]).collect();
        growing(&rounds).map(|found| found.rate)
    }

    #[test]
    fn the_rate_of_growth_is_that_of_the_extents_and_what_returns_has_none() {
        for given in [0.005, 0.02, 0.3] {
            let found = rate(|k| 500.0 * (given * k).exp() * (1.0 + 0.01 * (2.1 * k).cos()));
            assert!(
                found.is_some_and(|found| (found / given - 1.0).abs() < 0.1),
                "{found:?}"
            );
        }
        assert_eq!(rate(|k| 2.0 + (0.21 * k).sin()), None, "a torus");
        assert_eq!(rate(|k| 2.0 - (-k).exp()), None, "at its end");
    }
}
