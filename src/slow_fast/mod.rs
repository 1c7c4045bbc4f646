//! Slow–fast objects.
//!
//! A mode declared slow–fast, `z' = g(z, y; ε), ε y' = f(z, y; ε)`, is taken apart in [`SlowFastProblem`].

mod error;
mod folded;
mod folds;
mod manifold;
mod problem;
mod reduced_flow;
mod roots;
mod singular_canard;
mod trace;

pub use error::SlowFastError;
pub use folded::{FoldedBranch, FoldedClass, FoldedSingularity, FoldedTransition};
pub use folds::FoldLine;
pub use manifold::{Axis, ManifoldMesh, ManifoldPoint};
pub use problem::{Local, Reduction, SlowFastProblem, Stability};
pub use reduced_flow::{ReducedEnd, ReducedOrbit, ReducedPoint};
pub use singular_canard::{Along, CanardKind, SingularCanard};

#[cfg(test)]
mod tests;
