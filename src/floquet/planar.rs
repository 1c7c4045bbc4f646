//! Products with one or two nontrivial multipliers: closed forms, one pass over the factors, no memory.

use super::chain::FactorChain;
use slipstick_numerics::linalg::scaled::Scaled;
use slipstick_numerics::linalg::scaled_eigen::{Eigenvalue, ScaledTriangle, eigenvalues_2x2};
use smallvec::{SmallVec, smallvec};

/// Entries between these bounds can be squared and summed without a thought.
const ORDINARY: std::ops::Range<f64> = 1e-70..1e70;

/// A power of two that brings `size` near 1, as a factor and its exponent; `(1, 0)` for zero and what is not finite.
pub(super) fn rescaling(size: f64) -> (f64, i64) {
    if size == 0.0 || !size.is_finite() {
        return (1.0, 0);
    }
    // Clamped so that the factor itself is a normal double; what is left over is harmless.
    let exponent = (size.log2().round() as i64).clamp(-1000, 1000);
    (f64::exp2(-exponent as f64), exponent)
}

/// The largest absolute value; NaN if there is an entry that is not finite.
#[inline]
pub(super) fn largest(entries: &[f64]) -> f64 {
    // Four lanes, so that it costs little; x·0 is 0 or NaN.
    let (chunks, rest) = entries.as_chunks::<4>();
    let (mut sizes, mut poison) = ([0.0f64; 4], [0.0f64; 4]);
    let mut take = |lane: usize, x: f64| {
        let x = x.abs();
        sizes[lane] = if x > sizes[lane] { x } else { sizes[lane] };
        poison[lane] += x * 0.0;
    };
    for chunk in chunks {
        for (lane, x) in chunk.iter().enumerate() {
            take(lane, *x);
        }
    }
    for (lane, x) in rest.iter().enumerate() {
        take(lane, *x);
    }
    sizes
        .iter()
        .zip(poison)
        .fold(0.0, |m: f64, (x, p)| if *x > m { *x } else { m } + p)
}

/// The product of the chain as seen from `start`, a node of dimension one.
pub(super) fn scalar_product(chain: &FactorChain, start: usize) -> Scaled {
    let mut v: SmallVec<[f64; 8]> = smallvec![1.0];
    let mut w: SmallVec<[f64; 8]> = SmallVec::new();
    let mut exponent = 0;
    let factors = || chain.factors().enumerate();
    for (k, (rows, cols, a)) in factors().skip(start).chain(factors().take(start)) {
        if let Some(powers) = chain.growth_at(k) {
            let states = v.iter().zip(powers);
            let mut grown: SmallVec<[Scaled; 8]> = states.map(|(v, power)| Scaled::from(*v).shifted(*power)).collect();
            let most = grown.iter().filter(|g| !g.is_zero()).map(|g| g.exponent()).max();
            exponent += most.unwrap_or(0);
            for (v, g) in v.iter_mut().zip(&mut grown) {
                *v = g.shifted(-most.unwrap_or(0)).to_f64();
            }
        }
        w.clear();
        if cols == 1 {
            w.extend(a.iter().map(|a| a * v[0]));
        } else {
            w.extend((0..rows).map(|i| {
                a[i * cols..(i + 1) * cols]
                    .iter()
                    .zip(&v)
                    .map(|(a, v)| a * v)
                    .sum::<f64>()
            }));
        }
        std::mem::swap(&mut v, &mut w);
        let size = largest(&v);
        if !ORDINARY.contains(&size) {
            let (scale, shift) = rescaling(size);
            v.iter_mut().for_each(|x| *x *= scale);
            exponent += shift;
        }
    }
    Scaled::new(v[0], exponent)
}

/// The determinant of a 2×2 matrix with full relative accuracy.
#[inline]
fn determinant(a: &[f64]) -> Scaled {
    let (p, q) = (a[0] * a[3], a[1] * a[2]);
    let det = p - q;
    if det.abs() > 0.125 * (p.abs() + q.abs()) && det.abs() > 1e-280 {
        return Scaled::from(det);
    }
    careful_determinant(a)
}

/// By Kahan's formula with the products' rounding errors (Jeannerod, Louvet, Muller, Math. Comp. 82 (2013) 2245–2264),
/// after a scaling that keeps the products away from underflow.
#[cold]
fn careful_determinant(a: &[f64]) -> Scaled {
    let parts = [0, 1, 2, 3].map(|i| Scaled::from(a[i]));
    let (p, q) = (parts[0] * parts[3], parts[1] * parts[2]);
    if p.is_zero() || q.is_zero() {
        return p - q;
    }
    // What rounding took from a product, exactly.
    let remainder = |a: Scaled, b: Scaled| {
        let (x, y) = (a.mantissa(), b.mantissa());
        Scaled::new(x.mul_add(y, -(x * y)), a.exponent() + b.exponent())
    };
    (p - q) + (remainder(parts[0], parts[3]) - remainder(parts[1], parts[2]))
}

/// The determinant of the product of a chain of 2×2 factors.
pub(super) fn planar_determinant(chain: &FactorChain) -> Scaled {
    chain
        .entries()
        .chunks_exact(4)
        .fold(Scaled::ONE, |det, a| det * determinant(a))
        .shifted(chain.growth())
}

/// The eigenvalues of the product of a chain of 2×2 factors: one QR sweep `A_k Q_{k-1} = Q_k R_k`, then those of
/// `(A_K Q_{K-1}) (R_{K-1} ⋯ R_1)`.
///
/// The determinants are those of the factors themselves, so the product of the two multipliers has full relative
/// accuracy whatever the factors.
pub(super) fn planar_eigenvalues(chain: &FactorChain) -> (Eigenvalue, Option<Eigenvalue>, i64) {
    let entries = chain.entries();
    let (body, closing) = entries.split_at(entries.len() - 4);
    let mut exponent = 0;
    let mut scaled = [0.0; 4];
    let mut ordinary = |a: &[f64]| -> ([f64; 4], i64) {
        scaled.copy_from_slice(a);
        let size = largest(&scaled);
        if ORDINARY.contains(&size) {
            return (scaled, 0);
        }
        let (scale, shift) = rescaling(size);
        scaled = scaled.map(|x| x * scale);
        (scaled, shift)
    };

    let mut t = ScaledTriangle::IDENTITY;
    let mut det = Scaled::ONE;
    let (mut c, mut s) = (1.0, 0.0);
    let last = chain.len() - 1;
    for (k, factor) in body.chunks_exact(4).enumerate() {
        if let Some(powers) = chain.growth_at(k) {
            det = det.shifted(powers[0] + powers[1]);
            (c, s) = grow(&mut t, (c, s), [powers[0], powers[1]]);
        }
        let (a, shift) = ordinary(factor);
        exponent += shift;
        let first = [a[0] * c + a[1] * s, a[2] * c + a[3] * s];
        let second = [a[1] * c - a[0] * s, a[3] * c - a[2] * s];
        let r;
        (c, s, r) = direction(first);
        let det_a = determinant(&a);
        det = det * det_a;
        t.b = t.b * r + t.d * (c * second[0] + s * second[1]);
        t.a = t.a * r;
        t.d = if r == 0.0 {
            t.d * (c * second[1] - s * second[0])
        } else {
            t.d * det_a / Scaled::from(r)
        };
    }
    if let Some(powers) = chain.growth_at(last) {
        det = det.shifted(powers[0] + powers[1]);
        (c, s) = grow(&mut t, (c, s), [powers[0], powers[1]]);
    }
    let (a, shift) = ordinary(closing);
    exponent += shift;
    let h = [
        a[0] * c + a[1] * s,
        a[1] * c - a[0] * s,
        a[2] * c + a[3] * s,
        a[3] * c - a[2] * s,
    ];
    let (first, second) = eigenvalues_2x2(h, &t, det * determinant(&a));
    (first, second, exponent)
}

/// Multiply the states by powers of two of any size: the triangle takes them up, and the new direction comes back.
#[cold]
fn grow(t: &mut ScaledTriangle, (c, s): (f64, f64), powers: [i64; 2]) -> (f64, f64) {
    let both = |x: f64, y: f64| [Scaled::from(x).shifted(powers[0]), Scaled::from(y).shifted(powers[1])];
    let (first, second) = (both(c, s), both(-s, c));
    let r = (first[0] * first[0] + first[1] * first[1]).sqrt();
    let (c, s) = (first[0] / r, first[1] / r);
    t.b = t.b * r + t.d * (c * second[0] + s * second[1]);
    t.a = t.a * r;
    t.d = t.d.shifted(powers[0] + powers[1]) / r;
    (c.to_f64(), s.to_f64())
}

/// Unit vector and length of a vector with ordinary or small entries; length 0 gives the first axis.
#[inline]
fn direction(v: [f64; 2]) -> (f64, f64, f64) {
    let square = v[0] * v[0] + v[1] * v[1];
    if square > 1e-280 {
        let r = square.sqrt();
        return (v[0] / r, v[1] / r, r);
    }
    let (scale, shift) = rescaling(v[0].abs().max(v[1].abs()));
    if shift == 0 {
        return (1.0, 0.0, square);
    }
    let (x, y) = (v[0] * scale, v[1] * scale);
    let r = (x * x + y * y).sqrt();
    (x / r, y / r, r / scale)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_determinant_keeps_its_digits_under_cancellation() {
        // (1+e)(1-e) - 1·1 = -e² exactly
        let e = f64::EPSILON;
        assert_eq!(determinant(&[1.0 + e, 1.0, 1.0, 1.0 - e]).to_f64(), -e * e);
        assert_eq!(determinant(&[1.0, 2.0, 2.0, 4.0]), Scaled::ZERO);
        let tiny = determinant(&[1e-200, 0.0, 3.0, 1e-250]);
        assert!((tiny.log10() + 450.0).abs() < 1e-12);
    }

    #[test]
    fn growth_by_powers_of_two_is_growth_in_parts() {
        // In doubles, where they hold it, and part by part; seen from either node, and where the other node has one
        // state or three.
        let (powers, parts) = ([1300i64, -1700], 100);
        let chain = |whole: bool, other: usize| {
            let mut chain = FactorChain::new();
            chain
                .push(2, other, &[1.0, 0.3, -0.2, 0.1, 0.8, 0.9][..2 * other])
                .unwrap();
            let last = &[1.0, 0.1, 0.7, 1.0, 0.4, -0.6][..2 * other];
            if whole {
                let growth = powers.map(|p| p as f64 * std::f64::consts::LN_2);
                chain.push_grown(other, 2, last, &growth).unwrap();
            } else {
                for _ in 0..parts {
                    let [a, b] = powers.map(|p| f64::powi(2.0, (p / parts) as i32));
                    chain.push(2, 2, &[a, 0.0, 0.0, b]).unwrap();
                }
                chain.push(other, 2, last).unwrap();
            }
            chain
        };
        for other in 1..=3 {
            let (whole, parts) = (chain(true, other), chain(false, other));
            let logs = |chain: &FactorChain| {
                let mut found = vec![];
                crate::multipliers(chain, &mut found).unwrap();
                let mut logs: Vec<f64> = found.iter().map(|m| m.log10).collect();
                logs.push(crate::log10_abs_det(chain).unwrap());
                logs
            };
            let (whole, parts) = (logs(&whole), logs(&parts));
            assert_eq!(whole.len(), parts.len());
            for (x, y) in whole.iter().zip(parts) {
                assert!(*x == y || (x - y).abs() < 1e-13 * y.abs(), "{other}: {x} {y}");
            }
        }
    }

    #[test]
    fn largest_sees_nan_anywhere() {
        assert!(largest(&[1.0, f64::NAN, 5.0]).is_nan());
        assert!(largest(&[f64::NAN, 5.0]).is_nan());
        assert_eq!(largest(&[-3.0, 2.0]), 3.0);
    }
}
