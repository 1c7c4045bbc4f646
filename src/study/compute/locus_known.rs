//! Which two-parameter curves are known already, by where they have started and what they have passed.

use slipstick_bifurcation::{BranchPoint, Label};

/// Where a two-parameter curve has started or passed: what mirror images have in common.
pub(super) struct Known {
    label: Label,
    first: f64,
    second: f64,
    period: f64,
    multipliers: Vec<f64>,
}

impl Known {
    pub(super) fn of(point: &BranchPoint, label: Label, free: (usize, usize)) -> Self {
        let r = &point.record;
        Self {
            label,
            first: r.parameters[free.0],
            second: r.parameters[free.1],
            period: r.period,
            multipliers: r.multipliers.iter().map(|m| m.log10.clamp(-3.0, 3.0)).collect(),
        }
    }

    pub(super) fn is(&self, other: &Self) -> bool {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-7 * (1.0 + a.abs());
        self.label == other.label
            && near(self.first, other.first)
            && near(self.second, other.second)
            && near(self.period, other.period)
            && self.multipliers.len() == other.multipliers.len()
            && self
                .multipliers
                .iter()
                .zip(&other.multipliers)
                .all(|(a, b)| (a - b).abs() < 1e-4)
    }
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
