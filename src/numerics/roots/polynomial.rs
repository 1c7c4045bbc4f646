//! Real roots of short polynomials, none missed.
//!
//! A window of a path turns a guard into a polynomial in s ∈ [-1, 1], power basis. Roots are isolated by recursive
//! centred forms: with q(m + w s) = Σ aₖ sᵏ, `|a₀| > Σ_{k≥1} |aₖ|` excludes a root and `|a₁| > Σ_{k≥2} k |aₖ|` proves
//! monotony; otherwise the interval is halved.

use super::newton_root;
use smallvec::SmallVec;
use std::convert::Infallible;

/// Coefficients of a polynomial of degree 19.
pub const TERMS: usize = 20;

/// A polynomial `Σ q[k] sᵏ`.
pub type Polynomial = [f64; TERMS];

/// Roots in increasing order.
pub type Roots = SmallVec<[f64; 8]>;

/// The value at `s`.
pub fn value(q: &[f64], s: f64) -> f64 {
    q.iter().rev().fold(0.0, |v, &c| v * s + c)
}

/// The derivative polynomial.
pub fn derivative(q: &Polynomial) -> Polynomial {
    let mut d = [0.0; TERMS];
    for k in 1..TERMS {
        d[k - 1] = q[k] * k as f64;
    }
    d
}

/// `Σ_{k≥1} |q[k]|`: no value on `[-1, 1]` is farther than this from `q[0]`.
pub fn spread(q: &[f64]) -> f64 {
    q[1..].iter().map(|c| c.abs()).sum()
}

/// Without the highest terms that cannot change a sum of all.
fn trimmed(q: &[f64]) -> &[f64] {
    let size = q[0].abs() + spread(q);
    let mut rest = 0.0;
    let kept = q.iter().rposition(|c| {
        rest += c.abs();
        rest > 0.01 * f64::EPSILON * size
    });
    &q[..=kept.unwrap_or(0)]
}

/// All sign changes of `q` strictly inside (lo, hi) ⊂ [-1, 1]. Values within rounding of zero count as zero: a double
/// root to rounding has no sign change and is not reported.
pub fn sign_changes(q: &Polynomial, lo: f64, hi: f64) -> Roots {
    let q = trimmed(q);
    let mut search = Search {
        q,
        lo,
        hi,
        sign: 0.0,
        roots: Roots::new(),
    };
    if lo < hi {
        // The whole of [-1, 1] is already centred.
        search.isolate(q, 0.0, 1.0, 0);
    }
    search.roots
}

/// A walk over the intervals from left to right that remembers the last sign seen.
struct Search<'q> {
    q: &'q [f64],
    lo: f64,
    hi: f64,
    sign: f64,
    roots: Roots,
}

impl Search<'_> {
    /// The interval m ± w, where q(m + w s) = Σ aₖ sᵏ.
    fn isolate(&mut self, a: &[f64], m: f64, w: f64, depth: u32) {
        /// Half-widths below 2⁻⁴⁰ are not divided further.
        const DEPTH: u32 = 40;
        let (left, right) = ((m - w).max(self.lo), (m + w).min(self.hi));
        if left >= right {
            return;
        }
        if a[0].abs() > spread(a) {
            self.see(a[0], left);
            return;
        }
        let bend: f64 = a.iter().enumerate().skip(2).map(|(k, c)| k as f64 * c.abs()).sum();
        if a.len() < 2 || a[1].abs() > bend || depth == DEPTH {
            let (l, r) = (value(self.q, left), value(self.q, right));
            self.see(l, left);
            if l * r < 0.0 {
                self.roots.push(bracketed(self.q, left, right, l, r));
                self.sign = r;
            } else {
                self.see(r, left);
            }
            return;
        }
        let [lower, upper] = halves(a);
        let n = a.len();
        self.isolate(trimmed(&lower[..n]), m - 0.5 * w, 0.5 * w, depth + 1);
        self.isolate(trimmed(&upper[..n]), m + 0.5 * w, 0.5 * w, depth + 1);
    }
    /// The sign of `v` at or right after `s`; when it is new, the root is at the seam `s`.
    fn see(&mut self, v: f64, s: f64) {
        if v * self.sign < 0.0 {
            self.roots.push(s);
        }
        if v != 0.0 {
            self.sign = v.signum();
        }
    }
}

/// Row j: binomial(j, k) 2⁻ʲ, the coefficients of ((1 + s)/2)ʲ.
const HALVING: [[f64; TERMS]; TERMS] = {
    let mut table = [[0.0; TERMS]; TERMS];
    table[0][0] = 1.0;
    let mut j = 1;
    while j < TERMS {
        let mut k = 0;
        while k <= j {
            let left = if k > 0 { table[j - 1][k - 1] } else { 0.0 };
            table[j][k] = 0.5 * (left + table[j - 1][k]);
            k += 1;
        }
        j += 1;
    }
    table
};

/// The polynomial re-centred on the two halves of its interval: a((s - 1)/2) and a((s + 1)/2).
fn halves(a: &[f64]) -> [Polynomial; 2] {
    let (mut even, mut odd) = ([0.0; TERMS], [0.0; TERMS]);
    for (j, (&c, row)) in a.iter().zip(&HALVING).enumerate() {
        let sum = if j % 2 == 0 { &mut even } else { &mut odd };
        for (o, h) in sum[..=j].iter_mut().zip(&row[..=j]) {
            *o += c * h;
        }
    }
    let upper = std::array::from_fn(|k| even[k] + odd[k]);
    let lower = std::array::from_fn(|k| if k % 2 == 0 { even[k] - odd[k] } else { odd[k] - even[k] });
    [lower, upper]
}

/// Value and slope at `s`.
fn value_and_slope(q: &[f64], s: f64) -> (f64, f64) {
    q.iter().rev().fold((0.0, 0.0), |(v, d), &c| (v * s + c, d * s + v))
}

/// The root of `q` in [a, b], where it changes sign from `qa` to `qb`.
pub fn bracketed(q: &[f64], a: f64, b: f64, qa: f64, qb: f64) -> f64 {
    let guess = a + (b - a) * (qa / (qa - qb));
    let root = newton_root((a, b), qa, guess, (2.0 * f64::EPSILON, 0.0), |s| {
        Ok::<_, Infallible>(value_and_slope(q, s))
    });
    root.map_or(guess, |root| root.refined)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Π (s - rᵢ), scaled.
    fn with_roots(roots: &[f64]) -> Polynomial {
        let mut q = [0.0; TERMS];
        q[0] = 1.0;
        for (n, r) in roots.iter().enumerate() {
            for k in (0..=n + 1).rev() {
                q[k] = if k > 0 { q[k - 1] } else { 0.0 } - r * q[k];
            }
        }
        q
    }

    #[test]
    fn close_pairs_are_separated_and_double_roots_left_out() {
        let q = with_roots(&[0.3, 0.300_001, -0.7, 0.99]);
        let found = sign_changes(&q, -1.0, 1.0);
        assert_eq!(found.len(), 4, "{found:?}");
        for (a, b) in found.iter().zip([-0.7, 0.3, 0.300_001, 0.99]) {
            assert!((a - b).abs() < 1e-9);
        }
        assert!(sign_changes(&with_roots(&[0.25, 0.25]), -1.0, 1.0).is_empty());
        assert_eq!(sign_changes(&with_roots(&[0.0]), -1.0, 1.0).as_slice(), [0.0]);
        assert_eq!(sign_changes(&with_roots(&[0.0, 0.5]), -1.0, 1.0).as_slice(), [0.0, 0.5]);
        assert!(sign_changes(&with_roots(&[0.5]), -1.0, 0.4).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn random_roots_are_all_found(mut roots in prop::collection::vec(-0.99..0.99f64, 1..9)) {
            roots.sort_by(f64::total_cmp);
            prop_assume!(roots.windows(2).all(|w| w[1] - w[0] > 1e-3));
            let found = sign_changes(&with_roots(&roots), -1.0, 1.0);
            prop_assert_eq!(found.len(), roots.len());
            for (a, b) in found.iter().zip(&roots) {
                prop_assert!((a - b).abs() < 1e-6);
            }
        }
    }
}
