//! A family of curves, ready to compute.

use crate::plan::axis::{Grid, plan_grid};
use crate::plan::entries::CurvePlan;
use crate::plan::parameters::overrides_without_effect;
use crate::plan::referable::Referable;
use crate::results::tables::{Spectrum, number_columns};
use crate::spec::family::FamilySpec;
use crate::spec::study::Study;
use crate::text::complaint::Complaint;
use crate::text::limits;
use std::path::PathBuf;
use std::sync::Arc;

/// A family of curves, ready to compute.
///
/// ```
/// use slipstick_study::{self as study, TaskPlan};
/// let text = r#"Study(
///     title: "Folds of a cubic",
///     system: Smooth(states: ["x"], parameters: {"a": 0, "b": 3}, equations: ["x' = a + b*x - x^3"]),
///     curves: [Curve(name: "rest", orbit: Equilibrium, start: All(at: {"a": 0}), free: "a", range: (-3, 3))],
///     tasks: [Family(name: "folds", over: {"b": Linear(0.5, 3, 6)})],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let TaskPlan::Family(family) = &plan.tasks[0] else { panic!("it is one") };
/// assert_eq!((family.grid.len(), family.curves.as_slice()), (6, &["rest".to_owned()][..]));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone)]
pub struct FamilyPlan {
    /// The name of its tables.
    pub name: String,
    /// The values of its members.
    pub grid: Grid,
    /// The curves.
    pub curves: Vec<String>,
    /// The number columns of its points.
    pub columns: Vec<String>,
    /// What each member computes.
    pub(crate) study: Arc<Study>,
    /// Values from outside, of all members.
    pub(crate) overrides: Vec<(String, f64)>,
    /// The folder of the study.
    pub(crate) folder: PathBuf,
}

impl FamilyPlan {
    /// The name of the table of special points.
    pub(crate) fn special_name(&self) -> String {
        format!("{}-special", self.name)
    }

    /// The name of the table with a row for each curve of each member.
    pub(crate) fn members_name(&self) -> String {
        format!("{}-members", self.name)
    }

    /// The tables that it gives, with their number columns.
    pub(crate) fn outputs(&self) -> Vec<(String, Vec<String>)> {
        let axes = self.grid.axes.iter().map(|a| a.name.clone());
        let own = ["points", "from", "to"].map(str::to_owned);
        let members = std::iter::once("member".to_owned()).chain(axes).chain(own);
        vec![
            (self.name.clone(), self.columns.clone()),
            (self.special_name(), self.columns.clone()),
            (self.members_name(), members.collect()),
        ]
    }

    /// The parameter values of a member, before those of the study.
    pub(crate) fn values(&self, member: usize) -> Vec<(String, f64)> {
        let own = self.grid.cell(member).map(|(axis, value)| (axis.name.clone(), value));
        own.chain(self.overrides.iter().cloned()).collect()
    }
}

/// Resolve and check.
pub(crate) fn plan_family(
    spec: &FamilySpec,
    path: &str,
    study: &Referable<'_>,
    complaints: &mut Vec<Complaint>,
) -> Option<FamilyPlan> {
    let before = complaints.len();
    let mut known: Vec<&str> = vec![];
    for named in study.systems {
        for parameter in &named.system.parameters {
            if !known.contains(&parameter.name.as_str()) {
                known.push(&parameter.name);
            }
        }
    }
    let index = |name: &str| known.iter().position(|k| *k == name);
    let grid = plan_grid(&spec.over, path, ("parameter", &index, &known), complaints)?;
    limits::VALUES.check(format!("{path}.over"), grid.len() as f64, complaints);
    for name in spec.set.keys() {
        let here = format!("{path}.set.\"{name}\"");
        if spec.over.contains_key(name) {
            let message = format!("`{name}` is gone over: a value of its own has no effect");
            complaints.push(Complaint::new(here, message).help("leave it out"));
        } else if index(name).is_none() {
            complaints.push(Complaint::unknown(
                format!("{here}#"),
                "parameter",
                name,
                known.iter().copied(),
            ));
        }
    }
    let all: Vec<&str> = study.study.curves.iter().map(|c| c.name.as_str()).collect();
    for (k, name) in spec.curves.iter().enumerate() {
        if !all.contains(&name.as_str()) {
            let here = format!("{path}.curves[{k}]");
            complaints.push(Complaint::unknown(here, "curve", name, all.iter().copied()));
        }
    }
    if all.is_empty() {
        complaints.push(Complaint::new(path, "the study has no curves").help("add `curves: [...]` to the study"));
    }
    let curves: Vec<String> = match &spec.curves[..] {
        [] => all.iter().map(|&name| name.to_owned()).collect(),
        named => named.to_vec(),
    };
    let of_members = study.planned.iter().filter(|c| curves.contains(&c.name));
    for curve in of_members.clone() {
        let free = &study.systems[curve.system].system.parameters[curve.free].name;
        if spec.over.contains_key(free) {
            let message = format!("`{free}` is the free parameter of curve `{}`", curve.name);
            let here = format!("{path}.over.\"{free}\"");
            complaints.push(Complaint::new(here, message).help("go over another parameter, or name other `curves`"));
        }
    }
    let member = Study {
        loci: vec![],
        simulations: vec![],
        attractors: vec![],
        distances: vec![],
        slow_fast: vec![],
        analyses: vec![],
        tasks: vec![],
        figures: vec![],
        auto: false,
        ..study.study.clone()
    };
    let columns = columns(of_members, study);
    let plan = FamilyPlan {
        name: spec.name.clone(),
        grid,
        curves,
        columns,
        study: Arc::new(member),
        overrides: study
            .overrides
            .iter()
            .filter(|(name, _)| !spec.set.contains_key(name))
            .cloned()
            .chain(spec.set.iter().map(|(name, value)| (name.clone(), *value)))
            .collect(),
        folder: study.folder.to_path_buf(),
    };
    // A value that a curve has of its own would be that of all members.
    for member in [0, plan.grid.len().saturating_sub(1)] {
        let fixed = overrides_without_effect(&plan.study, &plan.values(member));
        let of_grid = |c: &&Complaint| {
            plan.grid
                .axes
                .iter()
                .any(|a| c.path.ends_with(&format!(".\"{}\"", a.name)))
        };
        complaints.extend(fixed.iter().filter(of_grid).take(1).map(|fixed| {
            let message = "a parameter that a family goes over has a value of its own here".to_owned();
            Complaint::new(fixed.path.clone(), message).help("leave it out: each member has its own value")
        }));
    }
    (complaints.len() == before).then_some(plan)
}

/// The number columns of the points of these curves.
fn columns<'c>(curves: impl Iterator<Item = &'c CurvePlan>, study: &Referable<'_>) -> Vec<String> {
    let mut columns = vec!["member".to_owned()];
    for curve in curves {
        let system = &study.systems[curve.system].system;
        let own = number_columns(system, &curve.monitors, Spectrum::of(&curve.object));
        for name in own {
            if !columns.contains(&name) {
                columns.push(name);
            }
        }
    }
    columns
}
