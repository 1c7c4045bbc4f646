//! Tables, whose columns NumPy reads where they are.

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use slipstick_report::{Column, Kind};
use slipstick_system::text::nearest;
use std::sync::Arc;

/// A table of a run.
#[pyclass(frozen, module = "slipstick._slipstick")]
pub(crate) struct Table {
    table: Arc<slipstick_report::Table>,
}

impl Table {
    pub(crate) fn of(table: slipstick_report::Table) -> Self {
        Self { table: Arc::new(table) }
    }

    pub(crate) fn inner(&self) -> &slipstick_report::Table {
        &self.table
    }
}

#[pymethods]
impl Table {
    /// The names of the columns in order.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.table.names().to_vec()
    }

    fn __len__(&self) -> usize {
        self.table.rows()
    }

    /// What a column holds: "number", "text" or "flag".
    fn kind(&self, name: &str) -> PyResult<&'static str> {
        Ok(match self.column_of(name)?.kind() {
            Kind::Number => "number",
            Kind::Text => "text",
            Kind::Flag => "flag",
        })
    }

    /// The texts of a column.
    fn texts<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        match self.column_of(name)? {
            Column::Text(texts) => PyList::new(py, texts),
            _ => Err(PyKeyError::new_err(format!("column `{name}` holds no texts"))),
        }
    }

    /// The numbers or flags of a column, for `numpy.asarray`.
    fn column(&self, name: &str) -> PyResult<TableColumn> {
        self.column_of(name)?;
        let at = self.table.names().iter().position(|known| known == name);
        Ok(TableColumn {
            table: Arc::clone(&self.table),
            at: at.unwrap_or_default(),
        })
    }

    /// The table as it is written.
    fn to_csv(&self) -> String {
        self.table.to_csv()
    }
}

impl Table {
    fn column_of(&self, name: &str) -> PyResult<&Column> {
        self.table.get(name).ok_or_else(|| {
            let known = self.table.names();
            let meant = nearest(name, known.iter().map(String::as_str))
                .map_or_else(String::new, |near| format!("did you mean `{near}`? "));
            PyKeyError::new_err(format!(
                "there is no column `{name}`; {meant}there are: {}",
                known.join(", ")
            ))
        })
    }
}

/// A column of numbers or flags in memory, which NumPy views without a copy and keeps alive as long as it does.
#[pyclass(frozen, module = "slipstick._slipstick")]
pub(crate) struct TableColumn {
    table: Arc<slipstick_report::Table>,
    at: usize,
}

#[pymethods]
impl TableColumn {
    /// NumPy's description of an array that others own.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let column = self.table.columns().nth(self.at).map(|(_, column)| column);
        let (kind, address, length) = match column {
            Some(Column::Number(values)) => ("f8", values.as_ptr() as usize, values.len()),
            Some(Column::Flag(values)) => ("|b1", values.as_ptr() as usize, values.len()),
            _ => return Err(PyKeyError::new_err("a column of texts is no array of numbers")),
        };
        let order = if cfg!(target_endian = "little") { "<" } else { ">" };
        let kind = if kind.starts_with('|') {
            kind.to_owned()
        } else {
            format!("{order}{kind}")
        };
        let description = PyDict::new(py);
        description.set_item("version", 3)?;
        description.set_item("typestr", kind)?;
        description.set_item("shape", (length,))?;
        // Nobody writes into a run.
        description.set_item("data", (address, true))?;
        Ok(description)
    }
}
