//! The systems of a study: how they are written.

pub(crate) mod bowed;
pub(crate) mod declared;
pub(crate) mod entry;
pub(crate) mod filippov;
pub(crate) mod mechanical;
pub(crate) mod named;
pub(crate) mod regularised;
pub(crate) mod tangencies;
