//! Two-parameter curves of a study, validated.

use crate::plan::curve::{check_step, plan_levels, plan_within, resolve_column};
use crate::plan::entries::{CurvePlan, NamedSystem};
use crate::plan::parameters::check_own_ends;
use crate::plan::points;
use crate::spec::locus::LocusSpec;
use crate::spec::study::Study;
use crate::text::complaint::{Complaint, listed};
use slipstick_bifurcation::{Column, Label, Level, TraceOptions};
use slipstick_continuation::StepOptions;
use slipstick_report::reference_parts;
use slipstick_system::text::plain_name;

/// Labels that two-parameter curves can start from.
const KEPT: [Label; 13] = [
    Label::LP,
    Label::BP,
    Label::HB,
    Label::SB,
    Label::PD,
    Label::NS,
    Label::VS,
    Label::VT,
    Label::GR,
    Label::OV,
    Label::BE,
    Label::TF,
    Label::CT,
];

/// Which points of a curve start two-parameter curves.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// Those with this label.
    Label(Label),
    /// User points at this level.
    Level(Level),
}

/// A two-parameter curve, ready to trace.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "Folds",
///     system: Smooth(states: ["x"], parameters: {"a": 0, "b": 3}, equations: ["x' = a + b*x - x^3"]),
///     curves: [Curve(name: "rest", orbit: Equilibrium, start: All(at: {"a": 0}), free: "a", range: (-3, 3))],
///     loci: [Locus(name: "folds", from: "rest: LP", free: ("a", "b"), range: ((-3, 3), (-1, 4)))],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let folds = &plan.loci[0];
/// assert_eq!((folds.from, folds.free), (0, (0, 1)));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone)]
pub struct LocusPlan {
    /// Its name.
    pub name: String,
    /// The index of its system.
    pub system: usize,
    /// The index of the curve it starts from, among the curves of the plan.
    pub from: usize,
    /// The labels at which branches leave, from that curve to the one meant: `SB`, `SB-PD`; empty for the curve itself.
    pub branch: String,
    /// Which of its points.
    pub wanted: Wanted,
    /// Of those, the one with this number along the curve, from 1; all of them without.
    pub number: Option<usize>,
    /// Intervals that they must lie in.
    pub among: Vec<(Level, Level)>,
    /// The free parameters.
    pub free: (usize, usize),
    /// How it is traced.
    pub trace: TraceOptions,
}

pub(crate) fn plan_locus(
    spec: &LocusSpec,
    path: &str,
    study: &Study,
    systems: &[NamedSystem],
    curves: &[CurvePlan],
    complaints: &mut Vec<Complaint>,
) -> Option<LocusPlan> {
    let before = complaints.len();
    let from = format!("{path}.from");
    let [name, what] = reference_parts(&spec.from)[..] else {
        complaints.push(
            Complaint::new(&from, format!("`{}` names no points to start from", spec.from))
                .help("write the name of a curve and a label: `from: \"compliant: LP\"`"),
        );
        return None;
    };
    let Some((entry, branch)) = entry_of(name, study) else {
        let known: Vec<&str> = study.curves.iter().map(|c| c.name.as_str()).collect();
        complaints.push(Complaint::new(
            &from,
            format!("unknown curve `{name}`; this study has{}", listed(&known)),
        ));
        return None;
    };
    let branch = branch.to_owned();
    // A curve that is wrong itself has been complained about.
    let index = curves.iter().position(|c| c.name == entry)?;
    let system = &systems[curves[index].system].system;
    let monitors = crate::results::canards::without_columns(&curves[index].monitors);
    let known = study.curves.iter().find(|curve| curve.name == entry);
    let known = known.map(|curve| points::of_curve(curve, systems));
    let label = what.split(' ').next().unwrap_or_default();
    if let Some(why) = known.and_then(|known| known.refuses_label(name, label)) {
        complaints.push(points::refused(&from, &why));
        return None;
    }
    let (what, number) = match what.split_once(' ').map(|(label, k)| (label, k.trim().parse())) {
        Some((label, Ok(k))) if k > 0 => (label, Some(k)),
        _ => (what, None),
    };
    let wanted = plan_wanted(what, &from, curves[index].system, systems, monitors, complaints);
    let mut parameter = |name: &str, place: usize| {
        let found = system.parameter(name);
        if found.is_none() {
            complaints.push(Complaint::unknown(
                format!("{path}.free[{place}]"),
                "parameter",
                name,
                system.parameters.iter().map(|p| &*p.name),
            ));
        }
        found
    };
    let (first, second) = (parameter(&spec.free.0, 0), parameter(&spec.free.1, 1));
    if first.is_some() && first == second {
        complaints.push(
            Complaint::new(format!("{path}.free"), format!("`{}` is freed twice", spec.free.0))
                .help("the two free parameters must differ"),
        );
    }
    for (k, (lo, hi)) in [spec.range.0, spec.range.1].into_iter().enumerate() {
        if !(lo.is_finite() && hi.is_finite() && lo < hi) {
            complaints.push(
                Complaint::new(format!("{path}.range[{k}]"), format!("({lo}, {hi}) is not an interval"))
                    .help("write the smaller value first: `range: ((low, high), (low, high))`"),
            );
        } else if let Some(free) = [first, second][k] {
            let path = format!("{path}.range[{k}]");
            check_own_ends(system, &curves[index].parameters, free, (lo, hi), &path, complaints);
        }
    }
    check_step(&spec.step, spec.range.0.1 - spec.range.0.0, path, complaints);
    let among = plan_within(&spec.among, &format!("{path}.among"), system, monitors, complaints);
    let levels = plan_levels(&spec.levels, path, system, monitors, complaints);
    let mut within = plan_within(&spec.within, &format!("{path}.within"), system, monitors, complaints);
    if complaints.len() > before {
        return None;
    }
    let (first, second, wanted) = (first?, second?, wanted?);
    let end = |value| Level {
        column: Column::Parameter(second),
        name: spec.free.1.clone(),
        value,
        unit: 1.0,
    };
    within.push((end(spec.range.1.0), end(spec.range.1.1)));
    let (lo, hi) = spec.range.0;
    let scale = lo.abs().max(hi.abs()).max(0.1);
    let mut steps = StepOptions {
        largest_parameter: spec.step.largest.unwrap_or(hi - lo),
        ..StepOptions::default()
    };
    if let Some(initial) = spec.step.initial {
        steps.initial = initial / scale;
    }
    if let Some(turn) = spec.step.turn {
        steps.turn = turn;
    }
    Some(LocusPlan {
        name: spec.name.clone(),
        system: curves[index].system,
        from: index,
        branch,
        wanted,
        number,
        among,
        free: (first, second),
        trace: TraceOptions {
            levels,
            within,
            steps,
            points: spec.points,
            ..TraceOptions::over(spec.range.0)
        },
    })
}

/// The curve of the study that `name` begins with, and the labels of branches that follow.
fn entry_of<'a>(name: &'a str, study: &'a Study) -> Option<(&'a str, &'a str)> {
    let of = |entry: &'a str| match name.strip_prefix(entry)? {
        "" => Some((entry, "")),
        rest => rest.strip_prefix('-').map(|labels| (entry, labels)),
    };
    study
        .curves
        .iter()
        .filter_map(|c| of(&c.name))
        .max_by_key(|(entry, _)| entry.len())
}

fn plan_wanted(
    what: &str,
    path: &str,
    system: usize,
    systems: &[NamedSystem],
    monitors: &[String],
    complaints: &mut Vec<Complaint>,
) -> Option<Wanted> {
    if let Some((name, value)) = what.split_once('=').map(|(a, b)| (a.trim(), b.trim())) {
        let name = &*plain_name(name);
        let column = resolve_column(name, path, &systems[system].system, monitors);
        let value = value.parse::<f64>().ok().filter(|v| v.is_finite());
        if value.is_none() {
            complaints.push(Complaint::new(path, format!("`{what}` is not a level")).help("write `column=number`"));
        }
        let fixed = systems[system].system.monitors.iter().find(|m| m.name == name);
        if let Some(why) = fixed.and_then(|m| m.can_be_fixed().err()) {
            complaints.push(Complaint::new(path, why.to_string()).help(why.help()));
            return None;
        }
        return match column {
            Ok(column) => Some(Wanted::Level(Level {
                column,
                name: name.into(),
                value: value?,
                unit: 1.0,
            })),
            Err(mut e) => {
                e.path = path.into();
                complaints.push(e);
                None
            }
        };
    }
    if let Some((label, k)) = what.split_once(' ')
        && Label::parse(label).is_some()
    {
        complaints.push(
            Complaint::new(path, format!("`{}` does not count points from 1", k.trim())).help(format!(
                "write `{label}` for all points with this label, or `{label} 2` for the second one"
            )),
        );
        return None;
    }
    match Label::parse(what).filter(|l| KEPT.contains(l)) {
        Some(label) => Some(Wanted::Label(label)),
        None => {
            let known: Vec<&str> = KEPT.iter().map(|l| l.code()).collect();
            let why = match Label::parse(what) {
                Some(label) => format!("{label} ({}) cannot be continued in two parameters", label.meaning()),
                None => format!("unknown label `{what}`"),
            };
            complaints.push(Complaint::new(path, why).help(format!(
                "two-parameter curves start from {}, or from a user level, `column=number`",
                known.join(", ")
            )));
            None
        }
    }
}
