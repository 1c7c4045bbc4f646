//! Elastic structures with memory: continua, known by their modes, with friction at a point.
//!
//! A [`Structure`] is modal data; strings and cantilevers are built in. Seen from its contact points, everything else
//! about it is memory: [`Projection`] gives the contact an oscillator of its own, [`ModalKernel`] and [`StringKernel`]
//! what the rest does to it (N modes, or all modes of a string). Under a [`FrictionLaw`] three solvers move it:
//! [`BowedStructure`] carries all modes, [`ReducedEquation`] the contact and its memory, [`euler`] is the source's own
//! scheme. The first two share one step, exponential collocation, in which only the contact force is unknown, and
//! events to rounding; they agree to 1e-12. Periodic stick-slip motion is an orbit problem ([`BowedProblem`]) for the
//! common continuation engine, matrix-free, so that 640 modes take seconds; [`orbits_over_modes`] and
//! [`extrapolate_modes`] show what remains as their number grows. With few modes the same motion is a hybrid system
//! like any other: [`bowed_system`].
//!
//! ```
//! use slipstick_models::elastic::{BowedStructure, FrictionLaw, OrbitOptions, Structure};
//! # fn main() -> Result<(), slipstick_models::elastic::ElasticError> {
//! let string = Structure::string(20, 1.0, 0.1, &[0.4])?;
//! let bowed = BowedStructure::new(&string, 0, FrictionLaw::bowed_string(), 1.5)?;
//! let orbit = bowed.find_orbit(&bowed.start(-2.9224, -2.7668)?, 12.0, &OrbitOptions::default())?;
//! assert_eq!(orbit.word(), "stick slip-");
//! assert!((orbit.period - 1.9913014999).abs() < 1e-9);
//! # Ok(())
//! # }
//! ```
//!
//! Source: R. Szalai, Modelling elastic structures with strong nonlinearities with application to stick–slip friction,
//! Proc. R. Soc. A 470 (2014); its formulas are re-derived, and its friction law, which is lost, is a choice.

mod beam;
mod bowed;
mod branch;
mod collocation;
mod error;
mod euler;
mod event;
mod friction;
mod kernel;
mod krylov;
mod limit;
mod march;
mod modal;
mod motion;
mod orbit;
mod orbit_search;
mod polylog;
mod problem;
mod projection;
mod reduced;
mod structure;
mod system;
mod trajectory;

pub use bowed::{BowedParameter, BowedStructure};
pub use error::ElasticError;
pub use euler::{EulerRun, EulerSetting, euler, euler_modal};
pub use event::{ContactEvent, Phase, Side};
pub use friction::{FrictionKind, FrictionLaw, WellPosedness};
pub use kernel::{MemoryKernel, ModalKernel, StringKernel};
pub use limit::{Extrapolated, HoelderFit, decay_exponents, extrapolate_modes, hoelder_exponent, orbits_over_modes};
pub use march::Resolution;
pub use motion::{ContactSample, Motion};
pub use orbit::{BowedMultiplier, BowedOrbit, OrbitOptions};
pub use problem::BowedProblem;
pub use projection::Projection;
pub use reduced::ReducedEquation;
pub use structure::{Contact, Continuum, Structure};
pub use system::bowed_system;
