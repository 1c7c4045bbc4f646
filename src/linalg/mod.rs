//! Dense and structured linear algebra that the crates do not offer.

pub mod periodic_schur;
pub mod scaled;
pub mod scaled_eigen;
