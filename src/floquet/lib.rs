//! Floquet theory of periodic orbits, smooth and hybrid: multipliers that are right at 1e±50000.
//!
//! An orbit problem hands over a cyclic [`FactorChain`]: the derivative of the flow along each piece of the orbit, and
//! a [`saltation`] matrix at each event. [`multipliers`] finds the eigenvalues of their product without forming it.
//! Modes may have different numbers of states; a node with fewer states than another makes the difference in
//! multipliers exactly zero.
//!
//! For an autonomous system the direction of the flow carries the trivial multiplier 1, which would drown multipliers
//! near 1e-16 and below in its rounding. [`FlowQuotient`] builds the chain on the quotient by that direction, whose
//! multipliers are the nontrivial ones.
//!
//! **What can be known.** Factors given as doubles are known to 1e-16 of their norm. A multiplier inherits that as a
//! small relative error when its mode stays transversal to the others. If one direction first contracts by more than
//! about 1e30 relative to another and then expands back, its multiplier is not determined by the factors to any
//! accuracy: no algorithm can repair this, and an orbit with such a passage is not determined by its parameters in
//! doubles either.

mod chain;
mod error;
mod frame;
mod multiplier;
mod planar;
mod product;
mod quotient;
mod reduction;
mod riccati;
mod saltation;
mod solver;
mod test_functions;
mod units;

pub use chain::FactorChain;
pub use error::FloquetError;
pub use multiplier::Multiplier;
pub use product::product;
pub use quotient::{FlowQuotient, quotient_basis};
pub use riccati::{
    PLANAR_STAGES, Piece, PlanarFailure, PlanarMatrix, PlanarTransition, planar_nodes, planar_transition,
};
pub use saltation::saltation;
pub use solver::{MultiplierSolver, log10_abs_det, multipliers};
pub use test_functions::{
    Neutral, UnitPair, least_factor, nearest_to_minus_one, nearest_to_one, nearest_unit_pair, psi_minus, psi_ns,
    psi_plus,
};
pub use test_functions::{distance_from_one, leave_out, nearest_unit_pair_beside, psi_minus_beside, psi_ns_beside};

#[cfg(test)]
mod ring_tests;
#[cfg(test)]
mod tests;
