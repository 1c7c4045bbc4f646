//! Slow–fast portraits: the `slow_fast: [...]` section of a study, from its text to tables.
//!
//! [`plan`] resolves names and finds the region looked at; [`compute`] asks the slow–fast floor for every object; `tables` names their
//! columns. What an object needs and a system does not have (folded singularities, other modes, a limit cycle) is left out without a word
//! where nobody asked for it, and said where somebody did.

mod compute;
mod plan;
mod tables;

pub use compute::{FateResult, PortraitResult};
pub use plan::{FatesPlan, PortraitPlan};

pub(super) use compute::compute;
pub(super) use plan::plan;
pub(super) use tables::{columns, tables};
