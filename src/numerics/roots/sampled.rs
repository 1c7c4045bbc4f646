//! All zeros of a smooth scalar function in an interval.

use super::{boundary, newton_root};
use std::convert::Infallible;

/// How many equal pieces are searched.
const PIECES: usize = 96;

/// All zeros in `[low, high]` of the function whose value and derivative `h` returns, in increasing order.
///
/// The interval is sampled; a sign change is a zero, and where `|h|` passes a minimum between two samples of equal
/// sign the extremum is located, so that pairs of close zeros are not missed. A double zero (an extremum on the
/// axis to rounding) is reported once. Zeros closer together than the sampling *and* without an extremum between
/// samples do not exist for functions with fewer than two inflections per piece.
pub fn sampled_zeros(mut h: impl FnMut(f64) -> (f64, f64), low: f64, high: f64) -> Vec<f64> {
    let node = |k: usize| low + (high - low) * k as f64 / PIECES as f64;
    let samples: Vec<(f64, f64, f64)> = (0..=PIECES)
        .map(|k| {
            let (v, d) = h(node(k));
            (node(k), v, d)
        })
        .collect();
    let size = samples.iter().fold(0.0_f64, |m, s| m.max(s.1.abs()));
    let mut found = Vec::new();
    for pair in samples.windows(2) {
        let ((a, ha, da), (b, hb, db)) = (pair[0], pair[1]);
        if ha == 0.0 {
            found.push(a);
        }
        if ha * hb < 0.0 {
            found.push(bracketed(&mut h, a, b, ha));
        } else if ha * hb > 0.0 && ha * da < 0.0 && hb * db > 0.0 {
            let tip = extremum(&mut h, a, b, da);
            let (v, _) = h(tip);
            if v * ha < 0.0 {
                found.push(bracketed(&mut h, a, tip, ha));
                found.push(bracketed(&mut h, tip, b, v));
            } else if v.abs() <= 4.0 * f64::EPSILON * size {
                found.push(tip);
            }
        }
    }
    if samples[PIECES].1 == 0.0 {
        found.push(high);
    }
    found
}

/// The zero between `a` and `b`, where `h(a) = ha` and h(b) has the other sign.
fn bracketed(h: &mut impl FnMut(f64) -> (f64, f64), a: f64, b: f64, ha: f64) -> f64 {
    let resolution = (f64::EPSILON * (b - a).abs(), f64::EPSILON);
    let middle = 0.5 * (a + b);
    newton_root((a, b), ha, middle, resolution, |x| Ok::<_, Infallible>(h(x))).map_or(middle, |root| root.refined)
}

/// The extremum between `a` and `b`: a zero of the derivative, whose sign at `a` is that of `da`.
fn extremum(h: &mut impl FnMut(f64) -> (f64, f64), a: f64, b: f64, da: f64) -> f64 {
    boundary(a, b, |x| Ok::<_, Infallible>(h(x).1 * da > 0.0)).map_or(a, |(before, _)| before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_close_and_double_zeros_are_all_found() {
        let polynomial = |x: f64| {
            let roots = [-0.8, 0.123_4, 0.123_4 + 1e-6, 0.7];
            let v = roots.iter().map(|r| x - r).product::<f64>();
            let d = (0..4)
                .map(|k| (0..4).filter(|&j| j != k).map(|j| x - roots[j]).product::<f64>())
                .sum();
            (v, d)
        };
        let found = sampled_zeros(polynomial, -1.0, 1.0);
        assert_eq!(found.len(), 4, "{found:?}");
        for (f, r) in found.iter().zip([-0.8, 0.123_4, 0.123_4 + 1e-6, 0.7]) {
            assert!((f - r).abs() < 1e-9, "{f} {r}");
        }
        let double = sampled_zeros(|x| ((x - 0.3) * (x - 0.3), 2.0 * (x - 0.3)), -1.0, 1.0);
        assert_eq!(double.len(), 1);
        assert!((double[0] - 0.3).abs() < 1e-15);
        assert!(sampled_zeros(|x| (1.0 + x * x, 2.0 * x), -1.0, 1.0).is_empty());
    }
}
