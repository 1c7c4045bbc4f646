//! Studies: one text file that says what to compute.

mod diagnostic;
pub mod locate;
pub mod system;

pub use diagnostic::{Diagnostic, Severity};
