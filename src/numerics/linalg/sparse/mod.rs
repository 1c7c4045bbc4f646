//! Matrices that are zero nearly everywhere: their pattern, their LU factors, eigenvalues near a point, and how many
//! eigenvalues there are to the right of a line.

mod bounds;
mod count;
mod krylov;
mod lu;
mod matrix;
#[cfg(test)]
mod tests;

pub use bounds::{Bounds, bounds};
pub use count::{Counted, count_right_of};
pub use krylov::{KrylovOptions, LargestEigenvalues, NearestEigenvalues, largest_eigenvalues, nearest_eigenvalues};
pub use lu::{Entry, Order, SparseFactors};
pub use matrix::SparseMatrix;
