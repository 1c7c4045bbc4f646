//! What an entry of a study may refer to.

use crate::plan::axis::{Grid, plan_grid};
use crate::plan::entries::{CurvePlan, NamedSystem};
use crate::plan::locus::LocusPlan;
use crate::plan::parameters::{Subject, check_ends, resolve_subject};
use crate::spec::axis::AxisSpec;
use crate::spec::curve::CurveSpec;
use crate::spec::study::Study;
use crate::text::complaint::Complaint;
use std::collections::BTreeMap;
use std::path::Path;

/// What the plan of a task may refer to.
pub(crate) struct Referable<'a> {
    /// The systems of the study.
    pub(crate) systems: &'a [NamedSystem],
    /// The study itself.
    pub(crate) study: &'a Study,
    /// Its curves, and those of them that are planned.
    pub(crate) curves: &'a [CurveSpec],
    pub(crate) planned: &'a [CurvePlan],
    /// Its two-parameter curves.
    pub(crate) loci: &'a [LocusPlan],
    /// Values from outside.
    pub(crate) overrides: &'a [(String, f64)],
    /// The folder of the study.
    pub(crate) folder: &'a Path,
}

impl Referable<'_> {
    /// The system that a task is about, with its parameters.
    pub(crate) fn subject(
        &self,
        system: Option<&String>,
        set: &BTreeMap<String, f64>,
        path: &str,
        complaints: &mut Vec<Complaint>,
    ) -> Option<Subject> {
        resolve_subject(system, set, path, self.systems, self.overrides, complaints)
    }

    /// A grid over parameters of the system, none of which has a value of its own in the task: that would have no
    /// effect.
    pub(crate) fn parameter_grid(
        &self,
        over: &BTreeMap<String, AxisSpec>,
        subject: &Subject,
        set: &BTreeMap<String, f64>,
        path: &str,
        complaints: &mut Vec<Complaint>,
    ) -> Option<Grid> {
        let system = &self.systems[subject.index].system;
        let known: Vec<&str> = system.parameters.iter().map(|p| &*p.name).collect();
        let parameter = |name: &str| system.parameter(name);
        let grid = plan_grid(over, path, ("parameter", &parameter, &known), complaints)?;
        for axis in &grid.axes {
            if set.contains_key(&axis.name) {
                let message = format!("`{}` is gone over: a value of its own has no effect", axis.name);
                let place = format!("{path}.set.\"{}\"", axis.name);
                complaints.push(Complaint::new(place, message).help("leave it out"));
            }
            if subject.fine {
                let here = format!("{path}.over.\"{}\"", axis.name);
                check_ends(system, &subject.parameters, axis.index, axis.ends(), &here, complaints);
            }
        }
        Some(grid)
    }
}
