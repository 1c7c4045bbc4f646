//! Systems built from their text.

pub(crate) mod bowed;
pub(crate) mod build;
pub(crate) mod error;
pub(crate) mod frame;
pub(crate) mod mechanical_fault;
pub(crate) mod modes;
pub(crate) mod monitors;
pub(crate) mod number;
mod smoothness;
mod start;
pub(crate) mod symmetry;
#[cfg(test)]
mod tests;
pub(crate) mod time_scales;
pub(crate) mod turns;
