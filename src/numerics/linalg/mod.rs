//! Linear algebra that the floors above share: small helpers over nalgebra and faer, block-structured solves, scaled
//! products.

mod balance;
mod blocked;
mod chain;
mod dense;
pub mod eigen;
mod gmres;
pub mod graded;
mod ordered_schur;
pub mod periodic_schur;
pub mod rotated;
pub mod scaled;
pub mod scaled_eigen;
pub mod singular;
mod small;
pub mod sparse;

pub use balance::balance;
pub use blocked::{lu_factorise_blocked, lu_solve_blocked, multiply_add, multiply_transposed_add, qr_blocked};
pub use chain::Chain;
pub use dense::{DenseSystem, Singular, dot, norm};
pub use gmres::{Gmres, GmresOptions, NotReduced};
pub use ordered_schur::OrderedSchur;
pub use small::{lu_factorise, lu_solve};
