//! All zeros of functions with features that are much narrower than the interval.

use std::convert::Infallible;

use super::{boundary, bracketed_root};

/// What is known of a function at a point.
///
/// ```
/// use slipstick_numerics::roots::Sample;
/// // Of x² at 3, whose integral is x³/3.
/// let parabola = Sample { integral: Some(9.0), value: 9.0, slope: 6.0 };
/// assert_eq!(parabola.slope * 1.5, parabola.value);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// An integral of it, where one is known: a jump of it shows what lies between two samples, however narrow.
    pub integral: Option<f64>,
    /// The value.
    pub value: f64,
    /// The derivative.
    pub slope: f64,
}

/// How far a piece may be off its cubic, as a part of the largest value on it.
const OFF: f64 = 0.1;
/// How far its integral may be off, as a part of the width times that value.
const JUMP: f64 = 1e-5;
/// Samples at most, within one interval between two nodes, and altogether beyond those at the nodes.
const BUDGET: usize = 2_000;
const ALTOGETHER: usize = 100_000;
/// Halvings of an interval at whose ends there are not as many functions.
const BIRTHS: i32 = 12;

/// All zeros between the first and the last of the increasing `nodes`, and which of the functions vanishes there: `h`
/// returns a sample of each of the functions that exist at a point, in an order that does not change.
///
/// Intervals are halved until the functions are cubics between the samples, and their integrals agree with them. A zero
/// is a change of sign, or one of the two beside an extremum. Where the number of functions changes there is none.
///
/// ```
/// use slipstick_numerics::roots::{Sample, resolved_zeros};
/// // The slope of 0.1 tanh((x - 0.2)/s) - x, whose two zeros are 1e-5 apart.
/// let s = 1e-6;
/// let h = |x: f64| {
///     let t = ((x - 0.2) / s).tanh();
///     let rate = 0.1 * (1.0 - t * t) / s;
///     vec![Sample { integral: Some(0.1 * t - x), value: rate - 1.0, slope: -2.0 * t * rate / s }]
/// };
/// let found = resolved_zeros(&[-1.0, -0.5, 0.0, 0.5, 1.0], h);
/// let width = s * (1.0 - s / 0.1).sqrt().atanh();
/// assert_eq!(found.len(), 2);
/// assert!((found[0].0 - (0.2 - width)).abs() < 1e-12 && (found[1].0 - (0.2 + width)).abs() < 1e-12);
/// ```
pub fn resolved_zeros(nodes: &[f64], mut h: impl FnMut(f64) -> Vec<Sample>) -> Vec<(f64, usize)> {
    let mut found = Vec::new();
    let mut left = ALTOGETHER;
    let mut before: Option<(f64, Vec<Sample>)> = None;
    for &node in nodes {
        let here = (node, h(node));
        if let Some(start) = before.take() {
            let mut budget = BUDGET.min(left);
            let most = budget;
            let smallest = (node - start.0) * 0.5f64.powi(BIRTHS);
            // Depth first, from the left: the pieces yet to come wait on a stack.
            let mut from = start;
            let mut waiting = vec![here.clone()];
            while let Some(to) = waiting.pop() {
                let middle = 0.5 * (from.0 + to.0);
                let between = (middle, h(middle));
                budget = budget.saturating_sub(1);
                let counted = from.1.len() == to.1.len() && from.1.len() == between.1.len();
                let splits = middle > from.0 && middle < to.0 && budget > 0;
                let width = to.0 - from.0;
                let resolved = |k: usize| is_cubic(width, [from.1[k], between.1[k], to.1[k]]);
                if counted && (!splits || (0..from.1.len()).all(resolved)) {
                    zeros(&mut h, &from, &between, &mut found);
                    zeros(&mut h, &between, &to, &mut found);
                    from = to;
                } else if splits && (counted || width > smallest) {
                    waiting.push(to);
                    waiting.push(between);
                } else {
                    from = to;
                }
            }
            left -= most - budget;
        }
        before = Some(here);
    }
    found
}

/// Does the cubic through the ends of a piece of this width describe it up to its middle, and its integral?
fn is_cubic(width: f64, [a, m, b]: [Sample; 3]) -> bool {
    let size = a.value.abs().max(b.value.abs()).max(m.value.abs());
    let value = 0.5 * (a.value + b.value) + width * (a.slope - b.slope) / 8.0;
    let slope = 1.5 * (b.value - a.value) / width - 0.25 * (a.slope + b.slope);
    let agrees = match (a.integral, b.integral) {
        (Some(low), Some(high)) => {
            // Exact for polynomials of degree five.
            let sum = width * (7.0 * (a.value + b.value) + 16.0 * m.value) / 30.0;
            let sum = sum + width * width * (a.slope - b.slope) / 60.0;
            (high - low - sum).abs() <= JUMP * width * size + 1e-13 * (low.abs() + high.abs())
        }
        _ => true,
    };
    agrees && (value - m.value).abs() <= OFF * size && (slope - m.slope).abs() * width <= 4.0 * OFF * size
}

/// The zeros of each function between two samples without features in between.
fn zeros(
    h: &mut impl FnMut(f64) -> Vec<Sample>,
    (a, at_a): &(f64, Vec<Sample>),
    (b, at_b): &(f64, Vec<Sample>),
    found: &mut Vec<(f64, usize)>,
) {
    let (a, b) = (*a, *b);
    for (k, (low, high)) in at_a.iter().zip(at_b).enumerate() {
        let mut sample = |x: f64| h(x).get(k).copied();
        let (below, above) = (low.value < 0.0, high.value < 0.0);
        if below != above {
            found.extend(bracketed(&mut sample, (a, low.value), (b, high.value)).map(|x| (x, k)));
        } else if low.value * low.slope < 0.0 && high.value * high.slope > 0.0 {
            let falls = |x: f64| sample(x).is_some_and(|s| s.slope * low.slope > 0.0);
            let mut falls = falls;
            let Ok((tip, _)) = boundary(a, b, |x| Ok::<_, Infallible>(falls(x)));
            let Some(value) = sample(tip).map(|s| s.value) else {
                continue;
            };
            if (value < 0.0) != below {
                found.extend(bracketed(&mut sample, (a, low.value), (tip, value)).map(|x| (x, k)));
                found.extend(bracketed(&mut sample, (tip, value), (b, high.value)).map(|x| (x, k)));
            } else if value.abs() <= 16.0 * f64::EPSILON * low.value.abs().max(high.value.abs()) {
                found.push((tip, k));
            }
        }
    }
}

/// The zero between two values of different signs.
fn bracketed(
    sample: &mut impl FnMut(f64) -> Option<Sample>,
    (a, at_a): (f64, f64),
    (b, at_b): (f64, f64),
) -> Option<f64> {
    bracketed_root(a, at_a, b, at_b, 0.0, |x| sample(x).map(|s| s.value).ok_or(())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_births_and_poles() {
        let one = |value: f64, slope: f64| {
            vec![Sample {
                integral: None,
                value,
                slope,
            }]
        };
        // Two zeros 2e-7 apart between two nodes, found with the extremum between them.
        let pair = resolved_zeros(&[-1.0, 0.3, 1.0], |x| one(x * x - 1e-14, 2.0 * x));
        assert_eq!(pair.len(), 2);
        assert!((pair[0].0 + 1e-7).abs() < 1e-15 && (pair[1].0 - 1e-7).abs() < 1e-15);
        // One that touches the axis.
        let touch = resolved_zeros(&[-1.0, 0.3, 1.0], |x| one(x * x, 2.0 * x));
        assert_eq!(touch.len(), 1);
        // A function that exists from 0 on.
        let born = resolved_zeros(&[-1.0, 1.0], |x| if x < 0.0 { vec![] } else { one(x - 0.4, 1.0) });
        assert_eq!(born, [(0.4, 0)]);
        assert!(resolved_zeros(&[0.5], |x| one(x, 1.0)).is_empty());
    }
}
