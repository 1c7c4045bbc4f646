//! Sweeps: what a system settles to from many initial states, and whether the traced curves show all of it.

pub(crate) mod at_rest;
pub(crate) mod census;
pub(crate) mod comparing;
pub(crate) mod cycles;
pub(crate) mod explorer;
pub(crate) mod exponents;
pub(crate) mod growth;
pub(crate) mod initial;
pub(crate) mod least;
pub(crate) mod motion;
pub(crate) mod orbits;
pub(crate) mod problem;
pub(crate) mod recognition;
pub(crate) mod rest;
pub(crate) mod sweep;
mod task;
pub(crate) mod trace;
pub(crate) mod trend;
pub(crate) mod units;
