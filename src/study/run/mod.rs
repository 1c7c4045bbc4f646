//! A run as a whole: the order of its computations, units, and the files it leaves behind.

pub(crate) mod distances;
pub(crate) mod levels;
pub(crate) mod order;
pub(crate) mod output;
pub(crate) mod portrait_tables;
pub(crate) mod units;
