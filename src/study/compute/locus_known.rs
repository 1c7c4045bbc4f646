//! Which two-parameter curves are known already, by where they have started and what they have passed.

use super::levels::largest;
use crate::results::curve::CurveResult;
use nalgebra::Complex;
use slipstick_bifurcation::{BranchPoint, Label, Record};

/// Where a two-parameter curve has started or passed: what mirror images have in common.
pub(super) struct Known {
    label: Label,
    /// The two parameters, and the range of the first of them along the curve that the point lies on.
    parameters: [f64; 2],
    range: f64,
    period: f64,
    multipliers: Vec<f64>,
    eigenvalues: Vec<Complex<f64>>,
    /// The largest values of states, sorted, and the norm, with the largest of them along the curve.
    sizes: Vec<f64>,
    size: f64,
}

impl Known {
    pub(super) fn of((curve, point): (&CurveResult, &BranchPoint), label: Label, free: (usize, usize)) -> Self {
        let is_size = |name: &String| name.starts_with("max_abs_") || name == "l2_norm";
        let of_sizes: Vec<usize> = (0..curve.monitors.len())
            .filter(|&i| is_size(&curve.monitors[i]))
            .collect();
        let sizes_of = |record: &Record| -> Vec<f64> {
            let all = of_sizes.iter().filter_map(|&i| record.monitors.get(i).copied());
            all.filter(|v| v.is_finite()).collect()
        };
        let first = |record: &Record| record.parameters[free.0];
        let firsts = || curve.points().map(|(_, _, p)| first(&p.record));
        let (low, high) = firsts().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
            (low.min(v), high.max(v))
        });
        let r = &point.record;
        let mut sizes = sizes_of(r);
        sizes.sort_by(f64::total_cmp);
        Self {
            label,
            parameters: [first(r), r.parameters[free.1]],
            range: high - low,
            period: r.period,
            multipliers: r.multipliers.iter().map(|m| m.log10.clamp(-3.0, 3.0)).collect(),
            eigenvalues: r.eigenvalues.clone(),
            sizes,
            size: largest(curve.points().flat_map(|(_, _, p)| sizes_of(&p.record))),
        }
    }

    pub(super) fn is(&self, other: &Self) -> bool {
        /// What locating a point leaves, as a part of the size of each number.
        const NEAR: f64 = 1e-7;
        /// Of logarithms of multipliers, and of eigenvalues as a part of the largest.
        const ALIKE: f64 = 1e-4;
        let near = |a: f64, b: f64, size: f64| (a - b).abs() <= NEAR * size;
        let [p, q] = [self.parameters, other.parameters];
        let fastest = self.eigenvalues.iter().fold(0.0f64, |m, v| m.max(v.norm()));
        self.label == other.label
            && near(p[0], q[0], self.range.max(other.range))
            && near(p[1], q[1], p[1].abs())
            && near(self.period, other.period, self.period)
            && alike(&self.multipliers, &other.multipliers, |a, b| (a - b).abs() < ALIKE)
            && alike(&self.eigenvalues, &other.eigenvalues, |a, b| {
                (a - b).norm() <= ALIKE * fastest
            })
            && alike(&self.sizes, &other.sizes, |a, b| near(*a, *b, self.size))
    }
}

/// Are there as many of both, and each pair alike?
fn alike<T>(a: &[T], b: &[T], is_alike: impl Fn(&T, &T) -> bool) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_alike(a, b))
}

/// Is `x` on the way from `a` to `b`? Compared are the columns with their sizes that are numbers everywhere; off the
/// chord it may lie by a tenth of it.
pub(super) fn lies_between(a: &[f64], b: &[f64], x: &[f64], columns: &[(usize, f64)]) -> bool {
    if a.len() != x.len() || b.len() != x.len() {
        return false;
    }
    let (mut square, mut along, mut away) = (0.0, 0.0, 0.0);
    for &(i, size) in columns {
        let (chord, offset) = ((b[i] - a[i]) / size, (x[i] - a[i]) / size);
        if chord.is_finite() && offset.is_finite() {
            square += chord * chord;
            along += chord * offset;
            away += offset * offset;
        }
    }
    let part = along / square;
    (-1e-6..=1.0 + 1e-6).contains(&part) && away - part * part * square < 0.01 * square
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_on_the_way_is_near_the_chord() {
        let columns = [(0, 1.0), (1, 10.0), (2, 1.0)];
        let (a, b) = ([0.0, 0.0, f64::NAN], [1.0, 10.0, 3.0]);
        assert!(lies_between(&a, &b, &[0.52, 5.0, 7.0], &columns));
        assert!(!lies_between(&a, &b, &[0.8, 5.0, 7.0], &columns), "off the chord");
        assert!(!lies_between(&a, &b, &[1.2, 12.0, 7.0], &columns), "beyond its end");
    }
}
