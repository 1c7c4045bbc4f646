//! Transition factors of a linear forced segment along which perturbations decay by more than pieces of it could tell:
//! in the directions of its Schur form, each of which decays or grows by itself.

use super::scheme::Along;
use crate::perturbation::{Stability, evaluation};
use nalgebra::DMatrix;
use slipstick_continuation::Failure;
use slipstick_numerics::linalg::OrderedSchur;

/// Where the directions decay by less than `e^SPREAD` beside each other, pieces of the segment that are halved again
/// and again tell more of those that decay most.
const SPREAD: f64 = 2000.0;

/// Push the factors of the segment, `exp(A T)` by its directions; `false` if it has no phase that is left out or no
/// such A, as the derivatives of its rates are not the same everywhere, or if the directions stay near each other.
pub(super) fn push(along: &Along<'_, '_>, work: &mut Stability) -> Result<bool, Failure> {
    let rates = |phase| along.flow.constant_jacobian(along.p, phase);
    let Some(rates) = along.phase.and_then(rates).filter(|_| along.duration >= 0.0) else {
        return Ok(false);
    };
    let n = along.start.len() - 1;
    let Some(schur) = OrderedSchur::of(&DMatrix::from_row_slice(n, n, &rates)) else {
        return Ok(false);
    };
    let growth: Vec<f64> = schur.rates().iter().map(|r| r * along.duration).collect();
    if growth[0] - growth[n - 1] < SPREAD {
        return Ok(false);
    }
    // Rows one after the other are the columns of the transposed matrix.
    let begin = (schur.graded_exponential(along.duration) * schur.components()).transpose();
    let end = schur.directions().transpose();
    let chain = &mut work.chain;
    chain
        .push(n, n, begin.as_slice())
        .and_then(|()| chain.push_grown(n, n, end.as_slice(), &growth))
        .map_err(evaluation)?;
    Ok(true)
}
