//! Slow–fast objects: what the singular limit says about a mode with two time scales, and what holds at finite ε.
//!
//! A mode declared slow–fast, `z' = g(z, y; ε), ε y' = f(z, y; ε)`, is taken apart in [`SlowFastProblem`], whose
//! methods compute, in the order in which one looks at such a system:
//!
//! - the **critical manifold** `f = 0`: its `sheets`, meshes for figures (`manifold_mesh`), `fold_points` and
//!   `fold_lines`;
//! - the **desingularised reduced flow** on it (`reduced_orbit`) and its **folded singularities** with class,
//!   eigenvalues and eigenvectors (`folded_singularities`), over a parameter if wanted (`folded_branch`);
//! - **singular canards** through them (`singular_canards`, `weak_canard`, `canard_at`);
//! - at finite ε: **slow manifolds** as orbits on them (`slow_manifold_orbit`), the **maximal canard** in which they
//!   cross (`maximal_canard`, `manifold_sections`), and which points jump or turn (`fate`, [`separatrices`]);
//! - globally: **fast fibres** and their return through other modes (`follow_fibre`, `fibre_returns`), **singular
//!   canard cycles** (`singular_cycles`), limit cycles by averaging (`slow_cycle`);
//! - **canard segments** of orbits computed elsewhere (`canard_segments`, `layer_segment`).
//!
//! ```
//! use slipstick_slow_fast::{FoldedClass, Reduction, SlowFastProblem};
//! use slipstick_system::catalogue::regularised_stiction;
//! let system = regularised_stiction();
//! let layer = SlowFastProblem::new(&system, &system.default_parameters(), Reduction::Singular)?;
//! // One interval for each of x, ŷ and θ.
//! let found = layer.folded_singularities(&[(-0.6, 0.6), (-1.0, 1.0), (0.0, std::f64::consts::TAU)])?;
//! assert_eq!(found.iter().filter(|f| f.class == FoldedClass::Saddle).count(), 2);
//! # Ok::<(), slipstick_slow_fast::SlowFastError>(())
//! ```

mod error;
mod fibres;
mod fold_chord;
mod fold_points;
mod folded;
mod folds;
mod manifold;
mod march;
mod maximal_canard;
mod outcome;
mod own_units;
mod passage;
mod problem;
mod reduced_flow;
mod segments;
mod singular_canard;
mod singular_cycle;
mod slow_cycle;
mod slow_manifold;
mod trace;
mod weak_canard;

pub use error::SlowFastError;
pub use fibres::{FibreEnd, FibreReturn};
pub use folded::{FoldedBranch, FoldedClass, FoldedSingularity, FoldedTransition};
pub use folds::{FoldKind, FoldLine};
pub use manifold::{Axis, ManifoldMesh, ManifoldPoint};
pub use march::TimedState;
pub use maximal_canard::MaximalCanard;
pub use outcome::{Outcome, Separatrix, separatrices};
pub use own_units::OwnUnits;
pub use problem::{Local, Reduction, SlowFastProblem, Stability};
pub use reduced_flow::{ReducedEnd, ReducedOrbit, ReducedPoint};
pub use segments::{CanardSegment, Departure, LayerSegment};
pub use singular_canard::{Along, CanardDirection, CanardKind, SingularCanard};
pub use singular_cycle::SingularCycle;
pub use slow_cycle::SlowCycle;
pub use slow_manifold::ManifoldOrbit;

#[cfg(test)]
mod tests;
