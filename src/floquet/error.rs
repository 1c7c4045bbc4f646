//! What can be wrong with a chain of transition factors.

use slipstick_numerics::linalg::periodic_schur::NoConvergence;

/// Why multipliers or their factors could not be computed.
///
/// ```
/// use slipstick_floquet::{FactorChain, FloquetError, multipliers};
/// let mut chain = FactorChain::new();
/// chain.push(1, 2, &[1.0, 0.0])?;
/// // The next factor must start from the one state that is left.
/// assert!(matches!(chain.push(2, 2, &[1.0; 4]), Err(FloquetError::Shape { factor: 1, cols: 2, expected: 1, .. })));
/// // Two states at the start, one at the end: the chain does not close.
/// assert!(matches!(multipliers(&chain, &mut vec![]), Err(FloquetError::NotCyclic { first: 2, last: 1 })));
/// # Ok::<(), FloquetError>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FloquetError {
    /// A chain without factors has no multipliers.
    #[error("the chain has no factors: push one transition matrix per segment of the orbit")]
    Empty,
    /// A factor does not continue where the previous one ended, or its data have the wrong length.
    #[error(
        "factor {factor} is {rows}x{cols} with {len} entries, but it must have {expected} columns and {rows}*{expected} entries"
    )]
    Shape {
        /// Index of the factor.
        factor: usize,
        /// Its rows.
        rows: usize,
        /// Its columns.
        cols: usize,
        /// The number of entries given.
        len: usize,
        /// The columns it needs: the dimension of the node it starts from.
        expected: usize,
    },
    /// The last factor does not lead back to the node where the first one starts.
    #[error("the chain does not close: it starts with {first} states and ends with {last}")]
    NotCyclic {
        /// Dimension of the first node.
        first: usize,
        /// Dimension of the last node.
        last: usize,
    },
    /// A factor holds an infinity or NaN.
    #[error(
        "factor {factor} has an entry that is not finite: the variational equation overflowed; use shorter shooting intervals"
    )]
    NotFinite {
        /// Index of the factor.
        factor: usize,
    },
    /// The multipliers are too large or small even for logarithms.
    #[error(
        "perturbations grow or decay by {decades:.1e} decades on one segment, more than can be computed: use a larger small parameter"
    )]
    Growth {
        /// The logarithm to base 10 of the growth.
        decades: f64,
    },
    /// The periodic QR iteration failed.
    #[error(transparent)]
    NoConvergence(#[from] NoConvergence),
    /// The field vanishes where a quotient by the flow direction is asked for.
    #[error("the vector field vanishes at node {node}: the orbit is an equilibrium there and has no flow direction")]
    VanishingField {
        /// Index of the node.
        node: usize,
    },
    /// The orbit meets the event surface tangentially.
    #[error("the orbit grazes the event surface (d(guard)/dt = {rate:e}): there is no saltation matrix")]
    Grazing {
        /// Rate of change of the guard along the orbit.
        rate: f64,
    },
}
