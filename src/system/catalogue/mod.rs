//! The built-in systems, one file each.

mod friction_law;
mod regularised;
mod stiction;

pub use friction_law::FrictionLaw;
pub use regularised::regularised_stiction;
pub use stiction::stiction;
