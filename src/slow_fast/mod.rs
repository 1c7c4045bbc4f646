//! Slow–fast objects.
//!
//! A mode declared slow–fast, `z' = g(z, y; ε), ε y' = f(z, y; ε)`, is taken apart in [`SlowFastProblem`].

mod error;
mod folded;
mod folds;
mod manifold;
mod problem;
mod roots;
mod trace;

pub use error::SlowFastError;
pub use folded::{FoldedBranch, FoldedClass, FoldedSingularity, FoldedTransition};
pub use folds::FoldLine;
pub use manifold::{Axis, ManifoldMesh, ManifoldPoint};
pub use problem::{Local, Reduction, SlowFastProblem, Stability};

#[cfg(test)]
mod tests;
