//! The built-in systems, one file each.

mod friction_law;
mod regularised;
mod stiction;

pub use friction_law::FrictionLaw;
pub use regularised::regularised_stiction;
pub use stiction::stiction;

use super::System;

/// All built-in systems.
pub fn all() -> Vec<System> {
    vec![stiction(), regularised_stiction()]
}
