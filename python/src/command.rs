//! The command `slipstick` of the wheel.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Run a command line; the exit code. Interruptions are the command's own while it runs.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| slipstick::cli::main_of(words))
}
