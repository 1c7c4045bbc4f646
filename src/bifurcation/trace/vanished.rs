//! Is a test for branch points no more than rounding?
//!
//! It is a determinant, scaled: next to a point through which many curves go it vanishes with a high order, and what is
//! left is rounding. Of many equations it is a product of many factors as well, and may be far smaller without being
//! rounding: an eigenvalue, or a multiplier's distance from one, must have vanished with it.

use crate::BranchPoint;
use crate::Record;
use slipstick_floquet::distance_from_one;

/// Tests smaller than this may be rounding.
pub(super) const ROUNDING: f64 = 1e-15;
/// As many eigenvalues may vanish at one point.
const KERNEL: usize = 3;

/// Is the test with this number rounding at a point of a curve of which these points were `found`?
pub(super) fn is_rounding(record: &Record, test: usize, found: &[BranchPoint]) -> bool {
    record.tests.get(test).is_some_and(|v| v.abs() <= ROUNDING) && is_singular(record, found)
}

/// Is an eigenvalue as small as one of several whose product is rounding?
fn is_singular(record: &Record, found: &[BranchPoint]) -> bool {
    let sizes = |record: &Record| -> Vec<f64> {
        if record.eigenvalues.is_empty() {
            record.multipliers.iter().map(|m| distance_from_one(*m)).collect()
        } else {
            record.eigenvalues.iter().map(|e| e.norm()).collect()
        }
    };
    let own = sizes(record);
    let Some(least) = own.iter().copied().reduce(f64::min) else {
        return true;
    };
    let known = found
        .iter()
        .flat_map(|p| sizes(&p.record))
        .filter(|size| size.is_finite());
    let largest = known.fold(own.iter().copied().fold(0.0, f64::max), f64::max);
    least <= largest * ROUNDING.powf(1.0 / own.len().min(KERNEL) as f64)
}
