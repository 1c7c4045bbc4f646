//! Turning points of a scalar of which the rate can be evaluated at any time: none is missed where it turns twice
//! between two neighbouring samples.

use slipstick_numerics::roots::bracketed_root;

/// Parts of an interval are halved so often at most, until its samples tell the rate between them.
const DEEPEST: usize = 8;
/// Samples tell a rate if a cubic through four of them is as near to it as this, relative to the largest of them.
const NEAR: f64 = 0.02;
/// A rate that does not come nearer to zero than this part of its largest neighbour is not looked at more closely.
const FAR: f64 = 0.25;
/// Evaluations in search of the least of a rate.
const MOST_TRIED: usize = 60;

/// A time, and the rate there.
type Sample = (f64, f64);

/// Halve the parts between samples in which these do not tell the rate, by its values in the middle.
pub(super) fn refined(samples: Vec<Sample>, rate: &mut dyn FnMut(f64) -> f64) -> Vec<Sample> {
    let mut samples = samples;
    // Which parts have not been looked at.
    let mut open = vec![true; samples.len().saturating_sub(1)];
    for _ in 0..DEEPEST {
        if !open.contains(&true) {
            break;
        }
        let (mut finer, mut still) = (vec![samples[0]], vec![]);
        for (k, pair) in samples.windows(2).enumerate() {
            let (a, b) = (pair[0].0, pair[1].0);
            let middle = 0.5 * (a + b);
            if !(open[k] && a < middle && middle < b) {
                still.push(false);
                finer.push(pair[1]);
                continue;
            }
            let near = &samples[k.saturating_sub(1)..(k + 3).min(samples.len())];
            let found = rate(middle);
            let largest = near.iter().fold(found.abs(), |most, s| most.max(s.1.abs()));
            let open = (interpolated(near, middle) - found).abs() > NEAR * largest;
            finer.extend([(middle, found), pair[1]]);
            still.extend([open, open]);
        }
        (samples, open) = (finer, still);
    }
    samples
}

/// The value of the polynomial through some samples.
fn interpolated(samples: &[Sample], at: f64) -> f64 {
    let weight = |k: usize| -> f64 {
        let others = samples.iter().enumerate().filter(|(j, _)| *j != k);
        others.map(|(_, s)| (at - s.0) / (samples[k].0 - s.0)).product()
    };
    (0..samples.len()).map(|k| weight(k) * samples[k].1).sum()
}

/// Times at which the rate changes sign, and whether it rises there.
pub(super) fn turning_points(samples: &[Sample], rate: &mut dyn FnMut(f64) -> f64) -> Vec<(f64, bool)> {
    let mut turns = vec![];
    let mut cross = |(a, before): Sample, (b, after): Sample, rate: &mut dyn FnMut(f64) -> f64| {
        let found = bracketed_root(a, before, b, after, 1e-15, |s| {
            Ok::<_, std::convert::Infallible>(rate(s))
        });
        turns.push((found.unwrap_or(b), before < 0.0));
    };
    // A sample right at a turn tells no sign: those beside it do.
    let last = samples.len().saturating_sub(1);
    let inside = |(k, sample): (usize, &Sample)| (k == 0 || k == last || sample.1 != 0.0).then_some(*sample);
    let samples: Vec<Sample> = samples.iter().enumerate().filter_map(inside).collect();
    for (k, pair) in samples.windows(2).enumerate() {
        let (a, b) = (pair[0], pair[1]);
        if a.1 * b.1 < 0.0 {
            cross(a, b, rate);
        } else if let Some(inside) = beyond_zero(&samples, k, rate) {
            cross(a, inside, rate);
            cross(inside, b, rate);
        }
    }
    turns
}

/// A sample between number `k` and the next, where the rate has the same sign, at which it has the other one.
fn beyond_zero(samples: &[Sample], k: usize, rate: &mut dyn FnMut(f64) -> f64) -> Option<Sample> {
    let (a, b) = (samples[k], samples[k + 1]);
    let sign = a.1.signum();
    let before = k.checked_sub(1).map(|j| samples[j]);
    let after = samples.get(k + 2).copied();
    if a.1 * b.1 <= 0.0 {
        return None;
    }
    // Towards zero at both ends, and no further from it than what that comes to.
    let width = b.0 - a.0;
    let slope = |one: Option<Sample>, at: Sample, other: Option<Sample>| {
        let parts: Vec<(f64, f64)> = [one, other]
            .into_iter()
            .flatten()
            .map(|s| (s.0 - at.0, (s.1 - at.1) / (s.0 - at.0)))
            .collect();
        match parts[..] {
            [(left, down), (right, up)] => (right * down - left * up) / (right - left),
            _ => parts.first().map_or(0.0, |p| p.1),
        }
    };
    let (falls, rises) = (sign * slope(before, a, Some(b)), sign * slope(Some(a), b, after));
    let at_edge = before.is_none() || after.is_none();
    if (falls >= 0.0 || rises <= 0.0) && !at_edge {
        return None;
    }
    let near = &samples[k.saturating_sub(1)..(k + 3).min(samples.len())];
    let largest = near.iter().fold(0.0f64, |most, s| most.max(s.1.abs()));
    let predicted = (1..8).map(|j| sign * interpolated(near, a.0 + width * f64::from(j) / 8.0));
    if predicted.fold(f64::INFINITY, f64::min) > FAR * largest.min(a.1.abs().min(b.1.abs()) / FAR) {
        return None;
    }
    least_of(a.0, b.0, &mut |t| sign * rate(t)).map(|(t, v)| (t, sign * v))
}

/// A time between `a` and `b` at which a function is negative, found on the way to its least value there.
fn least_of(a: f64, b: f64, value: &mut dyn FnMut(f64) -> f64) -> Option<(f64, f64)> {
    /// The part of an interval that the golden section keeps.
    const KEPT: f64 = 0.618_033_988_749_894_9;
    /// What is resolved of the width.
    const NARROW: f64 = 1e-9;
    let (mut low, mut high) = (a, b);
    let (mut left, mut right) = (b - KEPT * (b - a), a + KEPT * (b - a));
    let (mut at_left, mut at_right) = (value(left), value(right));
    for _ in 0..MOST_TRIED {
        for found in [(left, at_left), (right, at_right)] {
            if found.1 < 0.0 {
                return Some(found);
            }
        }
        if high - low <= NARROW * (b - a) {
            return None;
        }
        if at_left < at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - KEPT * (high - low);
            at_left = value(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + KEPT * (high - low);
            at_right = value(right);
        }
    }
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The rate of sin(k t) + t on a coarse grid: all its zeros are found.
    #[test]
    fn no_turn_is_missed_on_a_coarse_grid() {
        for k in [1.5f64, 7.0, 23.0, 61.0] {
            let mut rate = |t: f64| k * (k * t).cos() + 1.0;
            let samples: Vec<Sample> = (0..=12)
                .map(|i| (f64::from(i) / 4.0, rate(f64::from(i) / 4.0)))
                .collect();
            let samples = refined(samples, &mut rate);
            let found = turning_points(&samples, &mut rate);
            let first = (-1.0 / k).acos();
            let mut known: Vec<f64> = (0..100)
                .flat_map(|n| {
                    [first, std::f64::consts::TAU - first].map(|p| (p + std::f64::consts::TAU * f64::from(n)) / k)
                })
                .filter(|t| *t < 3.0)
                .collect();
            known.sort_by(f64::total_cmp);
            assert_eq!(found.len(), known.len(), "{k}");
            for ((t, _), known) in found.iter().zip(&known) {
                assert!((t - known).abs() < 1e-12, "{k}: {t} {known}");
            }
        }
    }

    /// A rate that is zero right at a sample, and passes zero there or only touches it.
    #[test]
    fn a_turn_right_at_a_sample_is_found_once() {
        for (at, power, count) in [(0.4, 1, 1), (0.6, 3, 1), (0.4, 2, 0)] {
            let mut rate = |t: f64| (t - at).powi(power);
            let samples: Vec<Sample> = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0].map(|t| (t, rate(t))).to_vec();
            let found = turning_points(&samples, &mut rate);
            assert_eq!(found.len(), count, "{at}, {power}: {found:?}");
            assert!(found.iter().all(|turn| (turn.0 - at).abs() < 1e-6 && turn.1));
        }
    }

    /// A rate that dips below zero by a little between two samples only.
    #[test]
    fn a_shallow_dip_between_samples_is_found() {
        for (depth, at) in [(1e-3, 0.43), (1e-6, 0.55), (1e-9, 0.51)] {
            let mut rate = |t: f64| (t - at) * (t - at) - depth;
            let samples: Vec<Sample> = (0..=5)
                .map(|i| (f64::from(i) / 5.0, rate(f64::from(i) / 5.0)))
                .collect();
            let found = turning_points(&samples, &mut rate);
            assert_eq!(found.len(), 2, "{depth}");
            assert!((found[0].0 - (at - f64::sqrt(depth))).abs() < 1e-12 && !found[0].1 && found[1].1);
        }
    }
}
