//! What a run gives, in memory and as tables.

pub(crate) mod analysis;
pub(crate) mod attractors;
pub(crate) mod attractors_table;
pub(crate) mod big_table;
pub(crate) mod canards;
pub(crate) mod curve;
pub(crate) mod observer;
pub(crate) mod portrait;
pub(crate) mod run;
pub(crate) mod tables;
pub(crate) mod trajectory;
