//! Studies as they are read, checked and planned.

use crate::errors::study_error;
use pyo3::prelude::*;
use slipstick_study::{self as study, Loaded, Plan};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// A study that was read.
#[pyclass(frozen, module = "slipstick._slipstick")]
pub(crate) struct LoadedStudy {
    loaded: Loaded,
    /// The plan that was asked for last, with the values from outside: a large system takes seconds to prepare.
    planned: Mutex<Option<(Settings, Arc<Plan>)>>,
}

/// Parameter values from outside.
type Settings = Vec<(String, f64)>;

impl LoadedStudy {
    pub(crate) fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// The plan with these values from outside.
    pub(crate) fn planned(&self, py: Python<'_>, set: &[(String, f64)]) -> PyResult<Arc<Plan>> {
        let plan = py.detach(|| {
            let mut last = self.planned.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, plan)) = last.as_ref().filter(|(of, _)| of == set) {
                return Ok(Arc::clone(plan));
            }
            let plan = Arc::new(self.loaded.plan(set)?);
            *last = Some((set.to_vec(), Arc::clone(&plan)));
            Ok(plan)
        });
        plan.map_err(|e| study_error(py, &e))
    }

    fn of(loaded: Loaded) -> Self {
        Self {
            loaded,
            planned: Mutex::default(),
        }
    }
}

#[pymethods]
impl LoadedStudy {
    /// Read a study file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let loaded = py.detach(|| study::load(&path)).map_err(|e| study_error(py, &e))?;
        Ok(Self::of(loaded))
    }

    /// Read a study from its text; files are looked for beside `path`, which names it in messages.
    #[staticmethod]
    fn parse(py: Python<'_>, text: String, path: PathBuf) -> PyResult<Self> {
        let loaded = py
            .detach(|| study::parse(&path, text))
            .map_err(|e| study_error(py, &e))?;
        Ok(Self::of(loaded))
    }

    /// Check everything, with these values from outside; what a reader of the study should look at.
    fn check(&self, py: Python<'_>, set: Settings) -> PyResult<Vec<String>> {
        let plan = self.planned(py, &set)?;
        Ok(plan.warnings.iter().map(|w| self.loaded.warn(w)).collect())
    }

    /// Its text.
    #[getter]
    fn text(&self) -> &str {
        &self.loaded.text
    }

    /// Its title.
    #[getter]
    fn title(&self) -> &str {
        &self.loaded.spec.title
    }

    /// The curves with the range of the free parameter, in order.
    fn ranges(&self, py: Python<'_>, set: Settings) -> PyResult<Vec<(String, (f64, f64))>> {
        let plan = self.planned(py, &set)?;
        Ok(plan.curves.iter().map(|c| (c.name.clone(), c.trace.range)).collect())
    }

    /// What a system declares: names, states, parameters with their values, modes, observables, the start and its mode.
    fn declared(&self, py: Python<'_>, set: Settings) -> PyResult<Vec<Declared>> {
        let plan = self.planned(py, &set)?;
        Ok(plan
            .systems
            .iter()
            .map(|named| declared(&named.name, &named.system))
            .collect())
    }
}

/// Name, states with the periods of angles, parameters, modes with the names of their states, observables, mode and
/// state of the start, whether it is a map, whether it has events.
type Declared = (
    String,
    Vec<(String, Option<f64>)>,
    Vec<(String, f64)>,
    Vec<(String, Vec<String>)>,
    Vec<String>,
    (String, Vec<f64>),
    bool,
    bool,
);

fn declared(name: &str, system: &slipstick_system::System) -> Declared {
    let (mode, start) = system.start_at(&system.default_parameters());
    let of_mode = |states: &[usize]| states.iter().map(|&i| system.states[i].name.clone()).collect();
    (
        name.to_owned(),
        system.states.iter().map(|s| (s.name.clone(), s.period)).collect(),
        system.parameters.iter().map(|p| (p.name.clone(), p.value)).collect(),
        system
            .modes
            .iter()
            .map(|m| (m.name.clone(), of_mode(&m.states)))
            .collect(),
        system.observables.iter().map(|o| o.name.clone()).collect(),
        (system.modes[mode].name.clone(), start),
        system.is_map(),
        system.is_hybrid(),
    )
}

/// The built-in systems: name, what it is, parameters with their values and meanings.
#[pyfunction]
pub(crate) fn systems() -> Vec<(String, String, Vec<(String, f64, String)>)> {
    let parameters = |system: &slipstick_system::System| {
        let of = system.parameters.iter();
        of.map(|p| (p.name.to_string(), p.value, p.about.to_string())).collect()
    };
    slipstick_system::catalogue::all()
        .into_iter()
        .map(|system| (system.name.to_string(), system.about.to_string(), parameters(&system)))
        .collect()
}

/// The known name that was probably meant.
#[pyfunction]
pub(crate) fn nearest(name: &str, known: Vec<String>) -> Option<String> {
    slipstick_system::text::nearest(name, known.iter().map(String::as_str)).map(str::to_owned)
}
