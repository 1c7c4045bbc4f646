//! Tables that are in a file from the beginning.

use std::fs::File;

/// A table that was written as it was computed.
pub(crate) struct BigTable {
    /// Its name.
    pub(crate) name: String,
    /// What the name of its file ends with.
    pub(crate) ending: &'static str,
    /// An unnamed file.
    pub(crate) contents: File,
    /// Does it take the place of the table of this name in the memory, which has only some of its rows?
    pub(crate) replaces: bool,
}
