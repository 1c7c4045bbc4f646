//! The compiled half of the Python package: studies are read, checked and run, finished runs are read back.
//!
//! Everything a user sees is Python, in the folder `slipstick` beside this one. Every run goes through a folder that is
//! written by the same code as that of the command, so that both give the same bytes.

mod command;
mod compute;
mod dense;
mod errors;
mod finished;
mod motion;
mod progress;
mod studies;
mod table;
mod trace;

use pyo3::prelude::*;

#[pymodule]
mod _slipstick {
    #[pymodule_export]
    use super::command::command;
    #[pymodule_export]
    use super::compute::compute;
    #[pymodule_export]
    use super::dense::derivatives;
    #[pymodule_export]
    use super::finished::{FinishedRun, meaning};
    #[pymodule_export]
    use super::motion::events;
    #[pymodule_export]
    use super::studies::{LoadedStudy, nearest, systems};
    #[pymodule_export]
    use super::table::{Table, TableColumn};
    #[pymodule_export]
    use super::trace::Trace;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn version(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
