//! The chain on the quotient by the flow direction: nontrivial multipliers only.

use super::{FactorChain, FloquetError};
use smallvec::SmallVec;

/// Where f₁/|f| crosses this value, the basis jumps.
const SIGN_CHANGES: f64 = -0.618;

/// The Householder reflection `I - β v vᵀ` that takes f to a multiple of the first axis.
#[derive(Clone, Debug)]
struct Reflection {
    v: SmallVec<[f64; 8]>,
    beta: f64,
}

impl Reflection {
    fn of(f: &[f64], node: usize) -> Result<Self, FloquetError> {
        let size = f.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        if size == 0.0 || !f.iter().all(|x| x.is_finite()) {
            return Err(FloquetError::VanishingField { node });
        }
        let mut v: SmallVec<[f64; 8]> = f.iter().map(|x| x / size).collect();
        let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        // Away from cancellation either sign would do. They change where no event surface is likely to lie: at the
        // usual f₁ = 0 (a velocity that vanishes) rounding would decide, and two evaluations at one node could
        // disagree.
        v[0] += if v[0] < SIGN_CHANGES * length { -length } else { length };
        let beta = 1.0 / (length * v[0].abs());
        Ok(Self { v, beta })
    }
    fn dim(&self) -> usize {
        self.v.len()
    }
}

/// An orthonormal basis of the complement of `f` (n entries, not zero), as the columns of the n×(n-1) matrix `q`, row
/// by row.
///
/// The basis is the last n-1 columns of a Householder reflection; it depends smoothly on f except where f₁ = -0.618
/// |f|.
///
/// # Errors
/// [`FloquetError::VanishingField`] for f = 0.
pub fn quotient_basis(f: &[f64], q: &mut [f64]) -> Result<(), FloquetError> {
    let reflection = Reflection::of(f, 0)?;
    let n = f.len();
    debug_assert_eq!(q.len(), n * (n - 1));
    for i in 0..n {
        for j in 1..n {
            let identity = if i == j { 1.0 } else { 0.0 };
            q[i * (n - 1) + j - 1] = identity - reflection.beta * reflection.v[i] * reflection.v[j];
        }
    }
    Ok(())
}

/// Fills a [`FactorChain`] with the maps that transition matrices induce on ℝⁿ/⟨f⟩, f being the field.
///
/// A transition matrix X along the flow takes the field at its start to a multiple of the field at its end. So with
/// orthonormal bases Q of the complements, `Q₁ᵀ X Q₀` is *exactly* the induced map, and the cyclic product of these has
/// precisely the nontrivial multipliers. The node dimensions drop by one. The last factor returns to the basis of the
/// first node, whatever rounding did to the field on the way.
///
/// ```
/// use slipstick_floquet::{FactorChain, FlowQuotient, multipliers};
/// use std::f64::consts::{LN_10, PI};
/// // The cycle r = 1 of r' = r (1 - r²), θ' = 1, in Cartesian states. Half a turn on, distances from it have shrunk by e^{-2π}.
/// let shrink = (-2.0 * PI).exp();
/// let half_turn = [-shrink, 0.0, 0.0, -1.0];
/// let mut chain = FactorChain::new();
/// let mut quotient = FlowQuotient::start(&mut chain, &[0.0, 1.0])?;
/// quotient.push(&half_turn, &[0.0, -1.0])?;
/// quotient.close(&half_turn)?;
/// // The direction of the flow, with its multiplier 1, is gone; what is left is e^{-4π}.
/// let mut found = vec![];
/// multipliers(&chain, &mut found)?;
/// assert!(found.len() == 1 && (found[0].log10 + 4.0 * PI / LN_10).abs() < 1e-13);
/// # Ok::<(), slipstick_floquet::FloquetError>(())
/// ```
#[derive(Debug)]
pub struct FlowQuotient<'a> {
    chain: &'a mut FactorChain,
    first: Reflection,
    last: Reflection,
    work: SmallVec<[f64; 36]>,
}

impl<'a> FlowQuotient<'a> {
    /// Clear `chain` and start at a node with field `f`.
    ///
    /// # Errors
    /// [`FloquetError::VanishingField`] for f = 0.
    pub fn start(chain: &'a mut FactorChain, f: &[f64]) -> Result<Self, FloquetError> {
        chain.clear();
        let first = Reflection::of(f, 0)?;
        Ok(Self {
            chain,
            last: first.clone(),
            first,
            work: SmallVec::new(),
        })
    }
    /// Go on along `x` (n₁×n₀, row by row; a transition matrix, a saltation matrix or their product) to a node with
    /// field `f`.
    ///
    /// # Errors
    /// [`FloquetError::VanishingField`] for f = 0, [`FloquetError::Shape`] if `x` does not fit.
    pub fn push(&mut self, x: &[f64], f: &[f64]) -> Result<(), FloquetError> {
        let next = Reflection::of(f, self.chain.len() + 1)?;
        self.append(x, &next)?;
        self.last = next;
        Ok(())
    }
    /// Go back along `x` to the first node; for a symmetric orbit `x` includes the symmetry.
    ///
    /// # Errors
    /// [`FloquetError::Shape`] if `x` does not fit.
    pub fn close(mut self, x: &[f64]) -> Result<(), FloquetError> {
        let first = self.first.clone();
        self.append(x, &first)
    }

    fn append(&mut self, x: &[f64], next: &Reflection) -> Result<(), FloquetError> {
        let (rows, cols) = (next.dim(), self.last.dim());
        if x.len() != rows * cols {
            return Err(FloquetError::Shape {
                factor: self.chain.len(),
                rows,
                cols: x.len() / rows,
                len: x.len(),
                expected: cols,
            });
        }
        self.work.clear();
        self.work.extend_from_slice(x);
        // X H₀, row by row
        for row in self.work.chunks_exact_mut(cols) {
            let image: f64 = row.iter().zip(&self.last.v).map(|(x, v)| x * v).sum();
            let kick = self.last.beta * image;
            row.iter_mut().zip(&self.last.v).for_each(|(x, v)| *x -= kick * v);
        }
        // rows 2… of H₁ (X H₀), columns 2…
        let out = self.chain.push_zeros(rows - 1, cols - 1)?;
        for j in 1..cols {
            let image: f64 = self
                .work
                .iter()
                .skip(j)
                .step_by(cols)
                .zip(&next.v)
                .map(|(x, v)| x * v)
                .sum();
            let kick = next.beta * image;
            for i in 1..rows {
                out[(i - 1) * (cols - 1) + j - 1] = self.work[i * cols + j] - kick * next.v[i];
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn the_basis_is_orthonormal_and_orthogonal_to_the_field(f in prop::collection::vec(-1e3..1e3f64, 2..8)) {
            let n = f.len();
            let length = f.iter().map(|x| x * x).sum::<f64>().sqrt();
            prop_assume!(length > 1e-3);
            let mut q = vec![0.0; n * (n - 1)];
            quotient_basis(&f, &mut q).unwrap();
            let column = |j: usize| (0..n).map(|i| q[i * (n - 1) + j]).collect::<Vec<_>>();
            for j in 0..n - 1 {
                let dot_f: f64 = column(j).iter().zip(&f).map(|(a, b)| a * b).sum();
                prop_assert!(dot_f.abs() < 1e-15 * length * n as f64);
                for k in 0..n - 1 {
                    let dot: f64 = column(j).iter().zip(&column(k)).map(|(a, b)| a * b).sum();
                    prop_assert!((dot - f64::from(j == k)).abs() < 1e-15 * n as f64);
                }
            }
        }
    }

    #[test]
    fn the_basis_does_not_jump_where_a_velocity_vanishes() {
        let basis = |f: [f64; 3]| {
            let mut q = [0.0; 6];
            quotient_basis(&f, &mut q).unwrap();
            q
        };
        for (a, b) in basis([1e-17, -0.3, 1.0]).iter().zip(basis([-1e-17, -0.3, 1.0])) {
            assert!((a - b).abs() < 1e-15);
        }
        // near -e₁ the vector v must not cancel
        let q = basis([-1.0, 1e-9, 0.0]);
        assert!((-q[0] + 1e-9 * q[2]).abs() < 1e-24, "{q:?}");
    }

    #[test]
    fn a_vanishing_field_is_refused_with_its_node() {
        let mut chain = FactorChain::new();
        let mut quotient = FlowQuotient::start(&mut chain, &[1.0, 0.0]).unwrap();
        let error = quotient.push(&[1.0, 0.0, 0.0, 1.0], &[0.0, 0.0]);
        assert_eq!(error, Err(FloquetError::VanishingField { node: 1 }));
        assert!(quotient_basis(&[0.0, 0.0, 0.0], &mut [0.0; 6]).is_err());
    }
}
