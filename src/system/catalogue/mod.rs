//! The built-in systems, one file each.

mod build;
mod friction_law;
mod regularised;
mod shaw;
mod shoe;
mod stiction;
mod wear;

pub use friction_law::FrictionLaw;
pub use regularised::regularised_stiction;
pub use shaw::shaw;
pub use shoe::shoe;
pub use stiction::stiction;
pub use wear::wear;

use super::System;

/// All built-in systems.
pub fn all() -> Vec<System> {
    vec![stiction(), regularised_stiction(), shaw(), wear(), shoe()]
}
