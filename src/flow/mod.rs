//! The initial-value side: how the modes of a system are flowed, and what happens on the way.
//!
//! [`ModeFlow`] advances one mode, with exact derivatives: by its closed form if it brings one, by the matrix exponential if its field is
//! linear, by DOP853 or Radau IIA otherwise. [`Path`] is such a solution over a stretch of time.

mod dop853;
mod dop853_table;
mod equations;
mod error;
mod expm;
mod integrate;
mod junction;
mod linear;
mod machine;
mod mode_flow;
mod path;
mod poincare;
mod polynomial;
mod radau;
mod repetition;
mod section;
mod settle;
mod simulate;
mod trajectory;
mod visit;
mod walk;
mod watch;
mod window;

pub use error::FlowError;
pub(crate) use junction::Junction;
pub use mode_flow::{FlowKind, FlowOptions, Method, ModeFlow, Transition};
pub use path::Path;
pub use poincare::{Return, poincare};
pub use settle::{SettleError, SettleOptions, Settled, SettledOrbit, settle};
pub use simulate::{SimulationOptions, simulate};
pub use trajectory::{Ending, NonUnique, NonUniqueness, Sample, Segment, Trajectory};
pub use watch::{Crossing, Extreme, Watch, Watched};

#[cfg(test)]
mod tests;
