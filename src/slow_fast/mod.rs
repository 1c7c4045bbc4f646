//! Slow–fast objects.
//!
//! A mode declared slow–fast, `z' = g(z, y; ε), ε y' = f(z, y; ε)`, is taken apart in [`SlowFastProblem`].

mod error;
mod fate;
mod fibres;
mod folded;
mod folds;
mod manifold;
mod march;
mod maximal_canard;
mod problem;
mod reduced_flow;
mod roots;
mod segments;
mod singular_canard;
mod singular_cycle;
mod slow_cycle;
mod slow_manifold;
mod trace;

pub use error::SlowFastError;
pub use fate::{Fate, Separatrix, separatrices};
pub use fibres::{FibreEnd, FibreReturn};
pub use folded::{FoldedBranch, FoldedClass, FoldedSingularity, FoldedTransition};
pub use folds::FoldLine;
pub use manifold::{Axis, ManifoldMesh, ManifoldPoint};
pub use march::TimedState;
pub use maximal_canard::MaximalCanard;
pub use problem::{Local, Reduction, SlowFastProblem, Stability};
pub use reduced_flow::{ReducedEnd, ReducedOrbit, ReducedPoint};
pub use segments::{CanardSegment, Departure, LayerVisit};
pub use singular_canard::{Along, CanardKind, SingularCanard};
pub use singular_cycle::SingularCycle;
pub use slow_cycle::SlowCycle;
pub use slow_manifold::ManifoldOrbit;

#[cfg(test)]
mod tests;
