//! Errors as exceptions of the package.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use slipstick_study::{Flaw, Rejected};
use std::fmt::Display;

/// An exception of one of the package's own types.
fn raised<'py>(py: Python<'py>, name: &str, arguments: impl pyo3::call::PyCallArgs<'py>) -> PyErr {
    let made = py
        .import("slipstick.errors")
        .and_then(|errors| errors.getattr(name))
        .and_then(|class| class.call1(arguments));
    made.map_or_else(|e| e, PyErr::from_value)
}

/// A study that was refused, with the place of everything that is wrong.
pub(crate) fn study_error(py: Python<'_>, rejected: &Rejected) -> PyErr {
    let flaw = |flaw: &Flaw| {
        let (line, column) = flaw.place.unzip();
        (flaw.message.clone(), line, column, flaw.help.clone())
    };
    let flaws: Vec<_> = rejected.flaws().iter().map(flaw).collect();
    raised(py, "StudyError", (rejected.to_string(), flaws))
}

/// A folder, a figure or a name that does not fit a run.
pub(crate) fn run_error(py: Python<'_>, error: &dyn Display) -> PyErr {
    raised(py, "RunError", (error.to_string(),))
}

/// What should not happen, such as a thread that cannot be started.
pub(crate) fn refused(error: impl Display) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
