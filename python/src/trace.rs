//! A curve that is traced while a loop looks at it: the tracer waits until the next point is asked for.

use crate::errors::refused;
use crate::studies::LoadedStudy;
use pyo3::prelude::*;
use slipstick_bifurcation::BranchPoint;
use slipstick_study::{self as study, Observer, Plan, Stop};
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// So many points are computed ahead.
const AHEAD: usize = 4;

/// How often a loop that waits looks for an interruption.
const LOOK: Duration = Duration::from_millis(50);

const STACK: usize = 16 << 20;

/// A point: columns by name, label, message, multipliers and eigenvalues, whether it is stable.
type Row = (
    Vec<(String, f64)>,
    Option<&'static str>,
    String,
    Vec<(f64, f64)>,
    Vec<(f64, f64)>,
    bool,
);

/// The curves of a study, point by point in the order in which they are computed.
#[pyclass(frozen, module = "slipstick._slipstick")]
pub(crate) struct Trace {
    points: Mutex<Option<Receiver<Row>>>,
    worker: Mutex<Option<JoinHandle<Vec<String>>>>,
    stop: Stop,
    ended: Mutex<String>,
}

/// Sends points to the loop, and waits while it has enough.
struct Passing {
    points: SyncSender<Row>,
    /// The names of parameters and of monitors, and the units of time and of the monitors, by curve.
    columns: BTreeMap<String, (Vec<String>, Vec<(String, f64)>, f64)>,
}

impl Passing {
    fn of(plan: &Plan, points: SyncSender<Row>) -> Self {
        let of = |curve: &study::CurvePlan| {
            let system = &plan.systems[curve.system].system;
            let parameters = system.parameters.iter().map(|p| p.name.clone()).collect();
            let unit = |name: &String| (name.clone(), system.unit_of_column(name));
            let monitors = curve.monitors.iter().map(unit).collect();
            (curve.name.clone(), (parameters, monitors, system.units.time))
        };
        Self {
            points,
            columns: plan.curves.iter().map(of).collect(),
        }
    }
}

impl Observer for Passing {
    fn point(&self, name: &str, point: &BranchPoint) {
        let Some((parameters, monitors, time)) = self.columns.get(name) else {
            return;
        };
        let record = &point.record;
        let mut columns: Vec<(String, f64)> = parameters
            .iter()
            .cloned()
            .zip(record.parameters.iter().copied())
            .collect();
        columns.push(("period".into(), record.period * time));
        let measured = monitors.iter().zip(&record.monitors);
        columns.extend(measured.map(|((name, unit), value)| (name.clone(), value * unit)));
        let multipliers = record.multipliers.iter().map(|m| (m.log10, m.arg)).collect();
        let eigenvalues = record.eigenvalues.iter().map(|v| (v.re / time, v.im / time)).collect();
        let label = point.label.map(|label| label.code());
        // Nobody listens after the loop was left.
        let _ = self.points.send((
            columns,
            label,
            point.message.clone(),
            multipliers,
            eigenvalues,
            record.stable(),
        ));
    }
}

#[pymethods]
impl Trace {
    #[new]
    fn begin(py: Python<'_>, study: &LoadedStudy, set: Vec<(String, f64)>) -> PyResult<Self> {
        let plan = study.planned(py, &set)?;
        let (sender, points) = sync_channel(AHEAD);
        let stop = Stop::default();
        let asked = stop.clone();
        let work = move || {
            let measured = study::in_measured_units(&plan);
            let observer = Passing::of(measured.as_ref().unwrap_or(&plan), sender);
            let pool = match rayon::ThreadPoolBuilder::new().num_threads(1).stack_size(STACK).build() {
                Ok(pool) => pool,
                Err(e) => return vec![e.to_string()],
            };
            let result = pool.install(|| study::run(&plan, &observer, &asked));
            let missing = result.missing.iter().map(|m| m.reason.clone());
            let ends = result.curves.iter().map(|c| c.ended());
            missing.chain(ends).collect()
        };
        let worker = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn(work)
            .map_err(refused)?;
        Ok(Self {
            points: Mutex::new(Some(points)),
            worker: Mutex::new(Some(worker)),
            stop,
            ended: Mutex::default(),
        })
    }

    /// The next point; none where the curve has ended.
    fn next(&self, py: Python<'_>) -> PyResult<Option<Row>> {
        loop {
            let next = py.detach(|| {
                let points = self.points.lock().unwrap_or_else(PoisonError::into_inner);
                match points.as_ref() {
                    Some(points) => points.recv_timeout(LOOK),
                    None => Err(RecvTimeoutError::Disconnected),
                }
            });
            match next {
                Ok(point) => return Ok(Some(point)),
                Err(RecvTimeoutError::Timeout) => py.check_signals().inspect_err(|_| {
                    self.stop.request();
                })?,
                Err(RecvTimeoutError::Disconnected) => {
                    self.join(py);
                    return Ok(None);
                }
            }
        }
    }

    /// End the computation.
    fn stop(&self, py: Python<'_>) {
        self.stop.request();
        // Who waits for room is let go.
        drop(self.points.lock().unwrap_or_else(PoisonError::into_inner).take());
        self.join(py);
    }

    /// Why the curve ended, in words.
    #[getter]
    fn ended(&self) -> String {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Was it asked to end?
    #[getter]
    fn stopped(&self) -> bool {
        self.stop.is_requested()
    }
}

impl Trace {
    fn join(&self, py: Python<'_>) {
        let worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(worker) = worker {
            let said = py
                .detach(|| worker.join())
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = said.join("; ");
        }
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        self.stop.request();
    }
}
