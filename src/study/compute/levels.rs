//! Which points of a curve are at a level that a study asks for.

/// So much a located point may be off, as a part of the level.
const OF_LEVEL: f64 = 1e-8;
/// And as a part of the largest value along the curve: what locating a level of zero leaves.
const OF_LARGEST: f64 = 1e-11;

/// Is a value at a level, on a curve along which the largest has this magnitude? The unit of the values does not count.
pub(super) fn is_at_level(value: f64, level: f64, largest: f64) -> bool {
    (value - level).abs() <= OF_LEVEL * level.abs() + OF_LARGEST * largest
}

/// The largest magnitude of some values; what is no number is left out.
pub(super) fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.map(f64::abs).filter(|v| v.is_finite()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_told_apart_in_any_unit() {
        for unit in [1e-12, 1.0, 1e15] {
            assert!(is_at_level(0.3 * unit * (1.0 + 1e-12), 0.3 * unit, unit));
            assert!(is_at_level(1e-13 * unit, 0.0, unit));
            assert!(!is_at_level(0.3 * unit, 0.300001 * unit, unit));
            assert!(!is_at_level(1e-6 * unit, 0.0, unit));
        }
    }
}
