//! The built-in systems, one file each.

mod build;
mod shaw;
mod shoe;
mod stiction;
mod wear;

pub use shaw::shaw;
pub use shoe::shoe;
pub use stiction::stiction;
pub use wear::wear;
