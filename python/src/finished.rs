//! A finished run, read back from its folder.

use crate::compute::is_interrupted;
use crate::errors::{refused, run_error, study_error};
use crate::table::Table;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use slipstick_bifurcation::Label;
use slipstick_report::ReportError;
use slipstick_report::explore::{self, Selection};
use slipstick_report::figure::{Figure, draw, unseen};
use slipstick_study as study;
use std::path::{Path, PathBuf};

/// A drawing: its name, SVG, PDF, PNG, LaTeX, and what its figure names and the run does not have.
type Drawn<'py> = (
    String,
    String,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    String,
    Vec<String>,
);

/// The tables of a run and what it says of itself.
#[pyclass(frozen, module = "slipstick._slipstick")]
pub(crate) struct FinishedRun {
    run: explore::FinishedRun,
}

impl FinishedRun {
    fn table(&self, kind: &str, name: &str) -> Option<&slipstick_report::Table> {
        let data = &self.run.data;
        match kind {
            "trajectories" => data.trajectories.get(name),
            "attractors" => data.attractors.get(name),
            "inequalities" => data.inequalities.get(name),
            "tables" => data.tables.get(name),
            _ => {
                let (portrait, object) = name.split_once('/')?;
                data.portraits.get(portrait)?.get(object)
            }
        }
    }
}

#[pymethods]
impl FinishedRun {
    /// Read a run's folder.
    #[staticmethod]
    fn read(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        let run = py
            .detach(|| explore::FinishedRun::read(&folder))
            .map_err(|e| run_error(py, &e))?;
        Ok(Self { run })
    }

    /// `run.json`, without the files.
    fn summary(&self) -> PyResult<String> {
        let mut summary = self.run.summary.clone();
        summary.files.clear();
        serde_json::to_string(&summary).map_err(refused)
    }

    /// The points of a curve, or of all.
    #[pyo3(signature = (curve=None))]
    fn points(&self, curve: Option<&str>) -> Table {
        let points = &self.run.data.points;
        Table::of(curve.map_or_else(|| points.clone(), |name| own(points.rows_where("curve", name))))
    }

    /// The special points of a curve, or of all.
    #[pyo3(signature = (curve=None))]
    fn special(&self, curve: Option<&str>) -> Table {
        let special = &self.run.data.special;
        Table::of(curve.map_or_else(|| special.clone(), |name| special.rows_where("curve", name)))
    }

    /// The names of the curves that have points, in order.
    fn curves(&self) -> Vec<String> {
        let names = self.run.data.points.distinct("curve");
        names.into_iter().map(str::to_owned).collect()
    }

    /// The indices of the points of a curve whose orbits are stored.
    fn orbits(&self, curve: &str) -> Vec<usize> {
        let stored = self.run.data.orbits.keys().filter(|(name, _)| name == curve);
        stored.map(|(_, index)| *index).collect()
    }

    /// The orbit at a point of a curve.
    fn orbit(&self, curve: &str, index: usize) -> PyResult<Table> {
        let orbit = self.run.data.orbits.get(&(curve.to_owned(), index));
        let orbit = orbit.ok_or_else(|| {
            PyKeyError::new_err(format!(
                "no orbit is stored for point {index} of `{curve}` (special points have one)"
            ))
        })?;
        Ok(Table::of(orbit.clone()))
    }

    /// The names of the tables of a kind: `trajectories`, `attractors`, `inequalities`, `tables` or `portraits`.
    fn names(&self, kind: &str) -> Vec<String> {
        let data = &self.run.data;
        match kind {
            "trajectories" => data.trajectories.keys().cloned().collect(),
            "attractors" => data.attractors.keys().cloned().collect(),
            "inequalities" => data.inequalities.keys().cloned().collect(),
            "tables" => data.tables.keys().cloned().collect(),
            _ => {
                let objects = data.portraits.iter();
                objects
                    .flat_map(|(portrait, objects)| objects.keys().map(move |object| format!("{portrait}/{object}")))
                    .collect()
            }
        }
    }

    /// A table of such a kind.
    fn table_of(&self, kind: &str, name: &str) -> PyResult<Table> {
        let table = self.table(kind, name).cloned();
        table.map(Table::of).ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }

    /// What `slipstick show` says of the run, a curve, or a point.
    #[pyo3(signature = (what=None, all=false))]
    fn show(&self, py: Python<'_>, what: Option<&str>, all: bool) -> PyResult<String> {
        let selection = match what {
            None => Ok(Selection::Everything),
            Some(text) => Selection::parse(text, all, &self.run),
        };
        let said = selection.and_then(|selection| explore::show(&self.run, &selection));
        said.map_err(|e| run_error(py, &e))
    }

    /// The index of the points of `curve` that `what` stands for: a label, a label with a number, a level, an index.
    fn find(&self, py: Python<'_>, curve: &str, what: &str) -> PyResult<Vec<usize>> {
        match Selection::parse(&format!("{curve}, {what}"), false, &self.run) {
            Ok(Selection::Point { index, .. }) => Ok(vec![index]),
            Ok(Selection::Points { indices, .. }) => Ok(indices),
            Ok(_) => Ok(vec![]),
            Err(e) => Err(run_error(py, &e)),
        }
    }

    /// The names of the figures of the run's own study.
    fn figures(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let figures = self.own_figures(py)?;
        Ok(figures.iter().map(|figure| figure.name().to_owned()).collect())
    }

    /// Draw a figure of the run's own study by its name, or one that is described: its name, SVG, PDF, PNG, LaTeX, and
    /// what it names and the run does not have.
    fn draw<'py>(&self, py: Python<'py>, name: Option<&str>, description: Option<&str>) -> PyResult<Drawn<'py>> {
        let figure = match (name, description) {
            (_, Some(text)) => {
                let figures = study::figures_in("figure".as_ref(), text.to_owned());
                figures.map_err(|e| study_error(py, &e))?.into_iter().next()
            }
            (name, None) => {
                let name = name.unwrap_or_default();
                self.own_figures(py)?.into_iter().find(|figure| figure.name() == name)
            }
        };
        let figure = figure.ok_or_else(|| PyKeyError::new_err(name.unwrap_or_default().to_owned()))?;
        let drawn = py.detach(|| -> Result<_, ReportError> {
            // Curves without points are left out, as the run itself does.
            let absent: Vec<&str> = self
                .run
                .summary
                .missing
                .iter()
                .filter(|m| !m.partly)
                .map(|m| m.curve.as_str())
                .collect();
            let figure = figure.without(&absent).unwrap_or(figure);
            let drawing = draw(&figure, &self.run.data)?;
            // A run of another version may hold a study that is no study any more.
            let drawing = match study::parse(Path::new("run.json"), self.run.summary.study.clone()) {
                Ok(loaded) => loaded.spec.sign(drawing)?,
                Err(_) => drawing,
            };
            let unseen = unseen(&figure, &self.run.data).into_iter();
            let unseen = unseen
                .map(|part| format!("`{}`: {}", part.curve, part.reason))
                .collect();
            let contents = drawing.contents()?;
            Ok((drawing.name().to_owned(), contents, drawing.tex().to_owned(), unseen))
        });
        let (name, contents, tex, unseen) = drawn.map_err(|e| run_error(py, &e))?;
        let part = |ending: &str| {
            let of = contents.iter().find(|(file, _)| *file == format!("{name}.{ending}"));
            of.map_or(&[][..], |(_, bytes)| bytes)
        };
        let svg = String::from_utf8_lossy(part("svg")).into_owned();
        Ok((
            name.clone(),
            svg,
            PyBytes::new(py, part("pdf")),
            PyBytes::new(py, part("png")),
            tex,
            unseen,
        ))
    }

    /// Was the run interrupted, so that `resume` goes on with it?
    #[getter]
    fn interrupted(&self) -> bool {
        is_interrupted(&self.run.folder)
    }

    /// The study that was run; files are looked for beside `path`.
    fn study(&self) -> &str {
        &self.run.summary.study
    }
}

impl FinishedRun {
    fn own_figures(&self, py: Python<'_>) -> PyResult<Vec<Figure>> {
        let parsed = study::parse(Path::new("run.json"), self.run.summary.study.clone());
        Ok(parsed.map_err(|e| study_error(py, &e))?.spec.figures)
    }
}

/// The columns that some row of a curve's own table fills: multipliers and eigenvalues of other curves are left out.
fn own(points: slipstick_report::Table) -> slipstick_report::Table {
    let mut table = slipstick_report::Table::default();
    for (name, column) in points.columns() {
        let foreign = matches!(column, slipstick_report::Column::Number(values) if values.iter().all(|v| v.is_nan()));
        if !foreign || points.is_empty() {
            // Names come from a table, where they are unique and of one length.
            let _ = table.set_column(name, column.clone());
        }
    }
    table
}

/// What a label means, in words.
#[pyfunction]
pub(crate) fn meaning(label: &str) -> Option<String> {
    let parts: Option<Vec<&str>> = label
        .split('+')
        .map(|one| Label::parse(one).map(Label::meaning))
        .collect();
    parts.map(|parts| parts.join(" and "))
}
