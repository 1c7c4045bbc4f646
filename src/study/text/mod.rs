//! The text of a study: where things stand in it, what is wrong with it, and how much it may ask for.

pub(crate) mod complaint;
pub(crate) mod diagnostic;
pub(crate) mod limits;
pub mod locate;
pub(crate) mod reading;
pub(crate) mod rejected;
mod syntax;
