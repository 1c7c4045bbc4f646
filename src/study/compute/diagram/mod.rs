//! What the motions of an orbit diagram are, by their points and what follows them.

pub(crate) mod kind;
pub(crate) mod motion;
pub(crate) mod orbit;
pub(crate) mod points;
pub(crate) mod recurrence;
pub(crate) mod rest;
