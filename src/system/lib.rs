//! What is studied: states, parameters, modes and their fields, events, symmetry, observables.
//!
//! A [`System`] is plain data built from smooth maps ([`Function`]). A *smooth* system has one mode and no events; a
//! *hybrid* one has several modes joined by events. Modes may live on different sets of states: a mass that sticks has
//! no velocity, so its mode leaves `y` out and says what value it has meanwhile. Nothing here knows how a system is
//! flowed or solved.

pub mod catalogue;
mod clocks;
mod extension;
pub mod fields;
mod freed;
mod function;
mod hybrid;
mod integral;
mod mirror;
mod monitor;
mod own_sign;
mod quantity;
mod rescaled;
mod start;
mod start_mode;
mod statistic;
mod structure;
mod surfaces;
mod tangent_number;
pub mod text;
mod undeclared_angles;
mod units;

pub use extension::Closure;
pub use function::{Formula, Function, Jacobian, SharedFunction, jacobian};
pub use hybrid::{
    Direction, Event, Inequality, Mode, ModeKind, Observable, Parameter, SlowFast, State, Symmetry, System, UNMADE,
    UnmetRequirement,
};
pub use integral::{IntegralError, with_integral};
pub use monitor::{HasCorners, Measure, OrbitMonitor, Place, Quantity};
pub use own_sign::keep_sign;
pub use start::Start;
#[doc(hidden)]
pub use start_mode::{mode_around, mode_at, takes};
pub use statistic::{Integrated, Rule, Statistic};
pub use structure::Structure;
pub use tangent_number::rate_gradient;
pub use units::Units;
