//! Curves of a system and of its regularisations, ready to compute.

use crate::plan::axis::values;
use crate::plan::family::{FamilyPlan, plan_family};
use crate::plan::referable::Referable;
use crate::spec::axis::AxisSpec;
use crate::spec::family::FamilySpec;
use crate::spec::twins::TwinsSpec;
use crate::text::complaint::Complaint;
use std::sync::Arc;

/// So many values of the free parameter are compared where the study says nothing.
const LEVELS: usize = 12;

/// Logarithmically spaced over ranges whose ends have at least this ratio.
const WIDE: f64 = 10.0;

/// Curves of a system and of its regularisations, ready to compute.
///
/// ```
/// use slipstick_study::{self as study, TaskPlan};
/// let text = r#"Study(
///     title: "Folds of a cubic, perturbed",
///     system: Smooth(states: ["x"], parameters: {"a": 0, "b": 0}, equations: ["x' = a + x - x^3 + b"]),
///     curves: [
///         Curve(name: "limit", orbit: Equilibrium, start: All(at: {"a": 0}), free: "a", range: (-1, 1)),
///         Curve(name: "twin", orbit: Equilibrium, start: All(at: {"a": 0}), free: "a", range: (-1, 1)),
///     ],
///     tasks: [Twins(name: "t", limit: ["limit"], twin: ["twin"], over: {"b": Values([0.1, 0.01])}, columns: ["x"])],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let TaskPlan::Twins(twins) = &plan.tasks[0] else { panic!("it is one") };
/// assert!(twins.family.grid.len() == 2 && twins.free == "a" && twins.levels.len() == 12);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone)]
pub struct TwinsPlan {
    /// The name of its tables.
    pub name: String,
    /// The regularisations.
    pub family: FamilyPlan,
    /// The curves of the system itself.
    pub limit: Vec<String>,
    /// The free parameter of all curves.
    pub free: String,
    /// Its values at which they are compared.
    pub levels: Vec<f64>,
    /// The columns that are compared.
    pub columns: Vec<String>,
}

impl TwinsPlan {
    /// The small parameter.
    pub(crate) fn parameter(&self) -> &str {
        self.family.grid.axes.first().map_or("", |axis| &axis.name)
    }

    /// The name of the table of the numbers of solutions.
    pub(crate) fn solutions_name(&self) -> String {
        format!("{}-solutions", self.name)
    }

    /// The tables that it gives, with their number columns.
    pub(crate) fn outputs(&self) -> Vec<(String, Vec<String>)> {
        let own = |names: &[&str]| -> Vec<String> {
            let names = names.iter().map(|name| (*name).to_owned());
            std::iter::once(self.parameter().to_owned()).chain(names).collect()
        };
        let mut all = vec![
            (
                self.name.clone(),
                own(&["at", "target", "value", "distance", "order", "slope"]),
            ),
            (self.solutions_name(), own(&["limit", "twin"])),
        ];
        all.extend(self.family.outputs());
        all
    }
}

/// Resolve and check.
pub(crate) fn plan_twins(
    spec: &TwinsSpec,
    path: &str,
    study: &Referable<'_>,
    complaints: &mut Vec<Complaint>,
) -> Option<TwinsPlan> {
    let before = complaints.len();
    let all: Vec<&str> = study.study.curves.iter().map(|c| c.name.as_str()).collect();
    for (key, names) in [("limit", &spec.limit), ("twin", &spec.twin)] {
        if names.is_empty() {
            let message = format!("`{key}` names no curve");
            complaints.push(Complaint::new(format!("{path}.{key}"), message).help("name a curve of the study"));
        }
    }
    for (k, name) in spec.limit.iter().enumerate() {
        if !all.contains(&name.as_str()) {
            let here = format!("{path}.limit[{k}]");
            complaints.push(Complaint::unknown(here, "curve", name, all.iter().copied()));
        }
    }
    if spec.over.len() > 1 {
        let message = "an order is measured in one parameter";
        complaints.push(Complaint::new(format!("{path}.over"), message).help("leave the others out"));
    }
    let family = FamilySpec {
        name: format!("{}-curves", spec.name),
        over: spec.over.clone(),
        curves: spec.twin.clone(),
        set: spec.set.clone(),
    };
    let mut family = plan_family(&family, path, study, complaints)?;
    if complaints.len() > before {
        return None;
    }
    let compared = |name: &String| spec.limit.contains(name) || spec.twin.contains(name);
    let planned: Vec<_> = study.planned.iter().filter(|c| compared(&c.name)).collect();
    let free = |curve: &crate::plan::entries::CurvePlan| {
        let parameters = &study.systems[curve.system].system.parameters;
        parameters[curve.free].name.clone()
    };
    let first = free(planned.first()?);
    if let Some(other) = planned.iter().find(|curve| free(curve) != first) {
        let message = format!(
            "curves are compared over one parameter, and `{}` has the free parameter `{}`, others `{first}`",
            other.name,
            free(other)
        );
        complaints.push(Complaint::new(path, message).help("name curves of one free parameter"));
    }
    for (k, name) in spec.columns.iter().enumerate() {
        let lacks = planned.iter().find(|curve| {
            let system = &study.systems[curve.system].system;
            name != "period" && !curve.monitors.contains(name) && system.parameter(name).is_none()
        });
        if let Some(curve) = lacks {
            let known = curve.monitors.iter().map(String::as_str).chain(["period"]);
            complaints.push(Complaint::unknown(
                format!("{path}.columns[{k}]"),
                "column",
                name,
                known,
            ));
        }
    }
    if spec.columns.is_empty() {
        let message = "there is nothing to compare";
        let help = "name columns of `points.csv`: `columns: [\"period\"]`";
        complaints.push(Complaint::new(format!("{path}.columns"), message).help(help));
    }
    let (low, high) = planned
        .iter()
        .fold((f64::NEG_INFINITY, f64::INFINITY), |(low, high), curve| {
            (low.max(curve.trace.range.0), high.min(curve.trace.range.1))
        });
    let levels = match &spec.at {
        Some(at) => values(at, &format!("{path}.at"), complaints)?,
        None if !(low < high) => {
            let message = "the ranges of the curves have nothing in common";
            complaints.push(Complaint::new(path, message).help("give them ranges that overlap"));
            return None;
        }
        None => {
            let axis = if low > 0.0 && high >= WIDE * low {
                AxisSpec::Log(low, high, LEVELS + 2)
            } else {
                AxisSpec::Linear(low, high, LEVELS + 2)
            };
            // Not at the ends, where curves may have none.
            values(&axis, path, complaints)?[1..=LEVELS].to_vec()
        }
    };
    let mut members = (*family.study).clone();
    for curve in members.curves.iter_mut().filter(|curve| compared(&curve.name)) {
        let own = curve.levels.entry(first.clone()).or_default();
        let (low, high) = curve.range;
        let new = levels.iter().filter(|level| (low..=high).contains(level));
        let new: Vec<f64> = new.filter(|level| !own.contains(level)).copied().collect();
        own.extend(new);
    }
    family.study = Arc::new(members);
    // A value from outside would be that of all members.
    family.overrides.retain(|(name, _)| !spec.over.contains_key(name));
    (complaints.len() == before).then(|| TwinsPlan {
        name: spec.name.clone(),
        family,
        limit: spec.limit.clone(),
        free: first,
        levels,
        columns: spec.columns.clone(),
    })
}
