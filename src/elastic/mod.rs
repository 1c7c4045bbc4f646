//! Elastic structures touched at points.

mod beam;
mod bowed;
mod branch;
mod collocation;
mod cycle;
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
mod polylog;
mod projection;
mod quadrature;
mod reduced;
mod structure;

pub use bowed::BowedStructure;
pub use branch::{BowedBranch, BowedParameter, BowedPoint, BranchOptions};
pub use error::ElasticError;
pub use euler::{EulerRun, EulerSetting, euler, euler_modal};
pub use event::{ContactEvent, Phase, Side};
pub use friction::{FrictionKind, FrictionLaw, WellPosedness};
pub use kernel::{MemoryKernel, ModalKernel, StringKernel};
pub use limit::{Extrapolated, HoelderFit, decay_exponents, extrapolate_modes, hoelder_exponent, orbits_over_modes};
pub use march::Resolution;
pub use motion::{ContactSample, Motion};
pub use orbit::{BowedOrbit, Multiplier, OrbitOptions};
pub use projection::Projection;
pub use reduced::ReducedEquation;
pub use structure::{Contact, Continuum, Structure};
