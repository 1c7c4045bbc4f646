//! The built-in systems, one file each.

mod stiction;

pub use stiction::stiction;

use super::System;

/// All built-in systems.
pub fn all() -> Vec<System> {
    vec![stiction()]
}
