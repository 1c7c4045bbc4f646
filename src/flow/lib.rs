//! The initial-value side: how the modes of a system are flowed, and what happens on the way.
//!
//! [`ModeFlow`] advances one mode, with exact derivatives: by its closed form if it brings one, by the matrix
//! exponential if its field is linear, by DOP853 or Radau IIA otherwise. A [`Path`] is such a solution over a stretch
//! of time, along which guards are found without gaps; a [`EventLocator`] does that for many solutions at the same
//! parameters. [`simulate`] goes from event to event, says where the future is not unique, and notices events that
//! accumulate; [`run_transient`] waits for the motion to repeat itself or rest; [`poincare`] is the map from one
//! occurrence of an event to the next, with its derivative. [`Iterates`] are the points that a system given as a map
//! carries on and on.
//!
//! ```
//! use slipstick_flow::{FlowOptions, ModeFlow};
//! use slipstick_system::catalogue::stiction;
//! let system = stiction();
//! let p = [2.0, 1.1, 0.4];
//! let slip = ModeFlow::new(&system, 1, FlowOptions::default());
//! let land = &system.modes[1].events[0];
//! let path = slip.path(&[0.416_670_202_822_743, 0.0, -0.602_471_800_393_803], 3.0, &p)?;
//! let stop = path.first_crossing(&*land.guard, land.direction, &p, 0.0, 3.0)?;
//! assert!(stop.is_some_and(|c| (c.t - 2.040_458_779_719_814).abs() < 1e-14));
//! # Ok::<(), slipstick_flow::FlowError>(())
//! ```

mod accumulation;
mod along;
mod clock;
mod closed_windows;
mod dop853;
mod equations;
mod error;
mod event_effect;
mod event_locator;
mod exact;
mod expm;
pub mod exponents;
mod fading;
mod integrate;
mod iterate;
pub mod jet;
mod junction;
mod linear;
mod locate;
mod machine;
pub mod measure;
mod mode_flow;
mod options;
mod path;
mod poincare;
mod prepared_mode;
mod radau;
mod repetition;
#[doc(hidden)]
pub mod rows;
mod same_instant;
mod scan;
mod section;
mod section_points;
mod short_excursions;
mod simulate;
mod spiral;
mod stay;
mod step;
mod taylor_piece;
mod time_jumps;
mod trajectory;
mod transient;
mod unmodelled;
mod wide_pieces;

#[doc(hidden)]
pub use clock::constant_rates;
pub use error::FlowError;
pub use event_locator::{Crossing, EventLocator, Extreme, ON_SURFACE, Target};
pub use iterate::Iterates;
pub use junction::Junction;
pub use mode_flow::{FlowKind, ModeFlow, Transition};
pub use options::{FlowOptions, Method};
pub use path::{Path, crossing_before};
pub use poincare::{Return, poincare};
#[doc(hidden)]
pub use repetition::{distance, image as mirror_image};
#[doc(hidden)]
pub use same_instant::{agree, exchanged};
pub use section_points::{Section, SectionOptions, SectionPoint, SectionRun, section_points};
pub use simulate::check_simulation;
pub use simulate::{SimulationOptions, simulate};
#[doc(hidden)]
pub use time_jumps::{TimeJump, TimeJumps};
pub use trajectory::{Ending, NonUnique, NonUniqueness, Sample, Segment, Trajectory};
pub use transient::{AfterTransient, AttractingOrbit, TransientError, TransientOptions, run_transient};
#[doc(hidden)]
pub use transient::{Followed, Passage, run_transient_unless};

#[cfg(test)]
mod tests;
