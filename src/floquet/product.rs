//! The product of a chain as one matrix, where its entries are numbers of ordinary size.

use super::FactorChain;
use nalgebra::DMatrix;

/// The cyclic product `A_K ⋯ A_1` from the first node back to it; `None` where there are no factors, or where growth
/// leaves the range of the numbers.
///
/// ```
/// use slipstick_floquet::{FactorChain, product};
/// let mut chain = FactorChain::new();
/// chain.push(2, 2, &[0.0, -1.0, 1.0, 0.0])?;
/// chain.push_grown(2, 2, &[0.0, -1.0, 1.0, 0.0], &[0.0, -800.0])?;
/// // Half a turn, after a quarter of which the second state decays to nothing.
/// let matrix = product(&chain).ok_or("no number")?;
/// assert_eq!((matrix[(0, 0)], matrix[(1, 1)].abs()), (0.0, 1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn product(chain: &FactorChain) -> Option<DMatrix<f64>> {
    chain.check().ok()?;
    let first = chain.dims()[0];
    let mut product = DMatrix::identity(first, first);
    for (node, (rows, cols, factor)) in chain.factors().enumerate() {
        if let Some(powers) = chain.growth_at(node) {
            for (mut row, power) in product.row_iter_mut().zip(powers) {
                row *= (*power as f64).exp2();
            }
        }
        product = DMatrix::from_row_slice(rows, cols, factor) * product;
    }
    product.iter().all(|v| v.is_finite()).then_some(product)
}
