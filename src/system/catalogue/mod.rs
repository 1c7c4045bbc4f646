//! The built-in systems, one file each.

mod stiction;

pub use stiction::stiction;
