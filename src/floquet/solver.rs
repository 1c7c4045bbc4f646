//! Multipliers of a chain: the entry point.

use super::planar::{planar_determinant, planar_eigenvalues, scalar_product};
use super::reduction::Reduction;
use super::units::Units;
use super::{FactorChain, FloquetError, Multiplier};
use slipstick_numerics::linalg::periodic_schur::PeriodicSchur;
use slipstick_numerics::linalg::scaled_eigen::Eigenvalue;

/// Computes multipliers and keeps its memory between calls.
///
/// ```
/// use slipstick_floquet::{FactorChain, MultiplierSolver};
/// let mut solver = MultiplierSolver::new();
/// let (mut chain, mut found) = (FactorChain::new(), vec![]);
/// for angle in [0.3f64, 0.4] {
///     chain.clear();
///     chain.push(2, 2, &[angle.cos(), -angle.sin(), angle.sin(), angle.cos()])?;
///     // One solver for many chains: its buffers are reused.
///     solver.multipliers(&chain, &mut found)?;
///     assert!((found[0].arg.abs() - angle).abs() < 1e-14 && found[0].log10.abs() < 1e-14);
/// }
/// # Ok::<(), slipstick_floquet::FloquetError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MultiplierSolver {
    units: Units,
    reduction: Reduction,
    schur: PeriodicSchur,
    eigenvalues: Vec<Eigenvalue>,
}

impl MultiplierSolver {
    /// A solver without memory yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The multipliers of the cyclic product `A_K ⋯ A_1`, largest modulus first, conjugates adjacent with the positive
    /// argument first.
    ///
    /// `out` gets as many as the largest node has states. With a smaller node in the cycle the excess ones are exactly
    /// zero. The logarithms have the accuracy that the factors determine, also where the multipliers are 1e±50000.
    /// One pass over the factors for up to two multipliers; else one pass and a periodic QR iteration.
    ///
    /// # Errors
    /// A chain that is empty or not cyclic, entries that are not finite, or a failure of the iteration.
    pub fn multipliers(&mut self, chain: &FactorChain, out: &mut Vec<Multiplier>) -> Result<(), FloquetError> {
        chain.check()?;
        out.clear();
        let (start, smallest, largest) = extent(chain);
        match (smallest, largest) {
            (0, _) => {}
            (1, _) => {
                let product = scalar_product(chain, start);
                if !product.is_finite() {
                    return Err(chain.not_finite());
                }
                out.push(product.into());
            }
            (2, 2) => {
                let (first, second, exponent) = planar_eigenvalues(chain);
                Multiplier::append(first, exponent, out);
                if let Some(second) = second {
                    Multiplier::append(second, exponent, out);
                }
                if out.iter().any(|m| m.log10.is_nan() || m.log10 == f64::INFINITY) {
                    return Err(chain.not_finite());
                }
            }
            _ => {
                let reduced = self.reduction.reduce(self.units.balanced(chain), &mut self.schur)?;
                self.eigenvalues.clear();
                self.schur.eigenvalues(&mut self.eigenvalues)?;
                for &eigenvalue in &self.eigenvalues {
                    Multiplier::append(eigenvalue, reduced.exponent, out);
                }
            }
        }
        out.resize(largest, Multiplier::ZERO);
        out.sort_by(Multiplier::order);
        Ok(())
    }

    /// log₁₀ |det| of the product seen from its smallest node, from the factors alone: for Liouville's identity.
    ///
    /// It is the sum of `log10` over that node's multipliers; `-inf` if the product is exactly singular there.
    ///
    /// # Errors
    /// As [`MultiplierSolver::multipliers`].
    pub fn log10_abs_det(&mut self, chain: &FactorChain) -> Result<f64, FloquetError> {
        chain.check()?;
        let (start, smallest, largest) = extent(chain);
        let determinant = match (smallest, largest) {
            (1, _) => scalar_product(chain, start),
            (2, 2) => planar_determinant(chain),
            _ => {
                let reduced = self.reduction.reduce(self.units.balanced(chain), &mut self.schur)?;
                if reduced.size < smallest {
                    return Ok(f64::NEG_INFINITY);
                }
                reduced.determinant
            }
        };
        if determinant.is_finite() {
            Ok(determinant.log10())
        } else {
            Err(chain.not_finite())
        }
    }
}

/// The first smallest node, its dimension and the largest dimension.
fn extent(chain: &FactorChain) -> (usize, usize, usize) {
    let nodes = &chain.dims()[..chain.len()];
    let mut extent = (0, nodes[0], nodes[0]);
    for (node, &dim) in nodes.iter().enumerate() {
        if dim < extent.1 {
            (extent.0, extent.1) = (node, dim);
        }
        extent.2 = extent.2.max(dim);
    }
    extent
}

/// The multipliers of the cyclic product, with a fresh [`MultiplierSolver`]; see there.
///
/// # Errors
/// As [`MultiplierSolver::multipliers`].
///
/// ```
/// use slipstick_floquet::{FactorChain, multipliers};
/// let mut chain = FactorChain::new();
/// for _ in 0..40 {
///     chain.push(2, 2, &[1e9, 1e9, 0.0, 1e-9])?;
/// }
/// let mut found = Vec::new();
/// multipliers(&chain, &mut found)?;
/// assert!((found[0].log10 - 360.0).abs() < 1e-10 && (found[1].log10 + 360.0).abs() < 1e-10);
/// # Ok::<(), slipstick_floquet::FloquetError>(())
/// ```
pub fn multipliers(chain: &FactorChain, out: &mut Vec<Multiplier>) -> Result<(), FloquetError> {
    MultiplierSolver::new().multipliers(chain, out)
}

/// log₁₀ |det| of the product seen from its smallest node; see [`MultiplierSolver::log10_abs_det`].
///
/// # Errors
/// As [`MultiplierSolver::multipliers`].
pub fn log10_abs_det(chain: &FactorChain) -> Result<f64, FloquetError> {
    MultiplierSolver::new().log10_abs_det(chain)
}
