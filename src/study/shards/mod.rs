//! A run that several processes compute without knowing of each other: what each of their folders says of itself, and
//! how they are put together.

pub(crate) mod divided;
pub(crate) mod manifest;
pub(crate) mod merge;
