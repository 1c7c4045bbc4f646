//! The analyses of the case studies: computations by a system's own solver, which are neither curves nor simulations.
//!
//! Each gives tables (`tables/<name>.csv`), motions (`trajectories/<name>.csv`) or curves (`points.csv`); figures draw
//! them all. Each has a file of its own; one list knows them all.

pub(crate) mod bearing;
pub(crate) mod bowed;
pub(crate) mod bowed_branch;
pub(crate) mod bowed_convergence;
pub(crate) mod bowed_modes;
pub(crate) mod convergence;
pub(crate) mod elastic;
pub(crate) mod ensemble;
pub(crate) mod error;
pub(crate) mod fault;
pub(crate) mod forcing;
pub(crate) mod kernel;
pub(crate) mod list;
pub(crate) mod oscillator;
pub(crate) mod shaw;
pub(crate) mod shoe;
pub(crate) mod slow_forcing;
pub(crate) mod tabulate;
pub(crate) mod task;
pub(crate) mod wear;

pub use crate::results::analysis::AnalysisResult;
pub use bearing::{CalibrationSpec, RecordSource};
pub use bowed::{BowedSpec, MotionMethod};
pub use bowed_branch::BowedBranchSpec;
pub use bowed_convergence::BowedConvergenceSpec;
pub use bowed_modes::BowedModesSpec;
pub use convergence::ConvergenceSpec;
pub use elastic::{BowSpec, Positions, StructureSpec};
pub use ensemble::EnsembleSpec;
pub use error::AnalysisError;
pub use fault::Fault;
pub use forcing::ForcingSpec;
pub use kernel::KernelSpec;
pub use list::AnalysisSpec;
pub use shaw::{ShawSpec, SolverSpec};
pub use shoe::ShoeSpec;
pub use slow_forcing::SlowForcingSpec;
pub use task::Surroundings;
pub use wear::WearSpec;
