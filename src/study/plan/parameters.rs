//! Which system an entry of a study is about, and with which parameters.

use crate::analysis::list::AnalysisSpec;
use crate::plan::analyses;
use crate::plan::entries::NamedSystem;
use crate::spec::study::Study;
use crate::text::complaint::{Complaint, written};
use slipstick_system::System;
use slipstick_system::jacobian;
use slipstick_system::text::nearest;
use std::collections::BTreeMap;

/// Where the parameters of a curve or simulation come from, so that a complaint can point there.
pub(crate) struct Sources<'a> {
    /// The path of the system.
    pub(crate) system: String,
    /// Values from outside the study.
    pub(crate) overrides: &'a [(String, f64)],
    /// Paths and values given in the study, the last wins.
    pub(crate) given: Vec<(String, &'a BTreeMap<String, f64>)>,
}

pub(crate) fn override_parameters(
    systems: &mut [NamedSystem],
    analyses: &mut [AnalysisSpec],
    overrides: &[(String, f64)],
    complaints: &mut Vec<Complaint>,
) {
    for (name, value) in overrides {
        let mut known = vec![];
        let mut hit = analyses::set(analyses, name, *value, &mut known);
        for s in systems.iter_mut() {
            for parameter in &mut s.system.parameters {
                if parameter.name == *name {
                    parameter.value = *value;
                    hit = true;
                } else if !known.contains(&parameter.name) {
                    known.push(parameter.name.clone());
                }
            }
        }
        if !hit {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let message = format!(
                "--set {name}: unknown parameter; the study's systems have: {}",
                known.join(", ")
            );
            complaints.push(match nearest(name, known) {
                Some(near) => Complaint::new("", message).help(format!("did you mean `{near}`?")),
                None => Complaint::new("", message),
            });
        } else if !value.is_finite() {
            complaints.push(Complaint::new(
                "",
                format!("--set {name}={value}: the value must be finite"),
            ));
        }
    }
}

/// Values from outside that entries of the study replace by their own.
pub(crate) fn overrides_without_effect(study: &Study, overrides: &[(String, f64)]) -> Vec<Complaint> {
    let curves = study.curves.iter().enumerate().flat_map(|(i, c)| {
        let path = format!("curves[{i}]");
        [
            (format!("{path}.set"), &c.name, &c.set),
            (format!("{path}.start.at"), &c.name, c.start.at()),
        ]
    });
    let simulations = study.simulations.iter().enumerate();
    let attractors = study.attractors.iter().enumerate();
    let portraits = study.slow_fast.iter().enumerate();
    let tasks = study.tasks.iter().enumerate();
    let entries = curves
        .chain(simulations.map(|(i, s)| (format!("simulations[{i}].set"), &s.name, &s.set)))
        .chain(attractors.map(|(i, s)| (format!("attractors[{i}].set"), &s.name, &s.set)))
        .chain(portraits.map(|(i, s)| (format!("slow_fast[{i}].set"), &s.name, &s.set)))
        .map(|(path, name, own)| (path, name.as_str(), own))
        .chain(tasks.map(|(i, t)| (format!("tasks[{i}].set"), t.name(), t.set())));
    let mut found = vec![];
    for (path, entry, own) in entries {
        for (name, value) in overrides {
            if let Some(kept) = own.get(name).filter(|kept| *kept != value) {
                let (value, kept) = (written(*value), written(*kept));
                let message =
                    format!("--set {name}={value} has no effect on `{entry}`, which has {name} = {kept} of its own");
                found.push(
                    Complaint::new(format!("{path}.\"{name}\""), message)
                        .help("leave it out there, or change it there"),
                );
            }
        }
    }
    found
}

/// The system a curve or simulation is about.
pub(crate) fn resolve_system(
    name: Option<&String>,
    path: &str,
    systems: &[NamedSystem],
    complaints: &mut Vec<Complaint>,
) -> Option<usize> {
    let wanted = name.map_or("", String::as_str);
    if let Some(i) = systems.iter().position(|s| s.name == wanted) {
        return Some(i);
    }
    if name.is_none() && systems.len() == 1 {
        return Some(0);
    }
    let known: Vec<&str> = systems
        .iter()
        .map(|s| s.name.as_str())
        .filter(|n| !n.is_empty())
        .collect();
    complaints.push(match name {
        Some(n) if known.is_empty() => Complaint::new(
            format!("{path}.system"),
            format!("unknown system `{n}`; this study names no systems"),
        )
        .help(format!(
            "leave `system` out, or add `systems: {{\"{n}\": ...}}` to the study"
        )),
        Some(n) => Complaint::new(
            format!("{path}.system"),
            format!("unknown system `{n}`; this study has: {}", known.join(", ")),
        ),
        None if systems.is_empty() => Complaint::new(path, "the study has no system")
            .help("add `system: ...` to the study, or name one here with `system: \"…\"`"),
        None => Complaint::new(path, "the study has several systems and no main one")
            .help(format!("say which with `system: \"…\"`: {}", known.join(", "))),
    });
    None
}

/// Apply `name: value` pairs to the parameters.
pub(crate) fn set_parameters(
    system: &System,
    parameters: &mut [f64],
    values: &BTreeMap<String, f64>,
    path: &str,
    complaints: &mut Vec<Complaint>,
) {
    for (name, &value) in values {
        let here = format!("{path}.\"{name}\"");
        let Some(i) = system.parameter(name) else {
            complaints.push(Complaint::unknown(
                format!("{here}#"),
                "parameter",
                name,
                system.parameters.iter().map(|p| &*p.name),
            ));
            continue;
        };
        if value.is_finite() {
            parameters[i] = value;
        } else {
            complaints.push(
                Complaint::new(here, format!("{name} = {value} is not a finite number")).help("write a finite number"),
            );
        }
    }
}

/// The system that an entry of a study is about, with its parameters.
pub(crate) struct Subject {
    /// Index of the system.
    pub(crate) index: usize,
    /// All parameters.
    pub(crate) parameters: Vec<f64>,
    /// Can the system have them? If not, somebody has complained, though perhaps about another entry.
    pub(crate) fine: bool,
}

/// Resolve the system that an entry names, give it the parameters that the entry sets, and check them.
pub(crate) fn resolve_subject(
    name: Option<&String>,
    set: &BTreeMap<String, f64>,
    path: &str,
    systems: &[NamedSystem],
    overrides: &[(String, f64)],
    complaints: &mut Vec<Complaint>,
) -> Option<Subject> {
    let index = resolve_system(name, path, systems, complaints)?;
    let system = &systems[index].system;
    let mut parameters = system.default_parameters();
    let here = format!("{path}.set");
    set_parameters(system, &mut parameters, set, &here, complaints);
    let unmet = unmet_requirements(system, &parameters);
    let fine = unmet.is_empty();
    Sources::new(&systems[index], overrides, [(here, set)]).complain(unmet, complaints);
    Some(Subject {
        index,
        parameters,
        fine,
    })
}

/// Complain about what the system needs and does not have at the ends of a range of the parameter `free`.
pub(crate) fn check_ends(
    system: &System,
    parameters: &[f64],
    free: usize,
    range: (f64, f64),
    path: &str,
    complaints: &mut Vec<Complaint>,
) {
    complain_at_ends((system, parameters), free, range, path, |_| true, complaints);
}

/// The same where other parameters change as well: about what the system needs whatever these are.
pub(crate) fn check_own_ends(
    system: &System,
    parameters: &[f64],
    free: usize,
    range: (f64, f64),
    path: &str,
    complaints: &mut Vec<Complaint>,
) {
    let own = |u: &Unmet| u.about == [system.parameters[free].name.as_str()];
    complain_at_ends((system, parameters), free, range, path, own, complaints);
}

fn complain_at_ends(
    (system, parameters): (&System, &[f64]),
    free: usize,
    (lo, hi): (f64, f64),
    path: &str,
    counts: impl Fn(&Unmet) -> bool,
    complaints: &mut Vec<Complaint>,
) {
    for (end, at) in [(lo, "lower"), (hi, "upper")] {
        let mut there = parameters.to_vec();
        there[free] = end;
        for u in unmet_requirements(system, &there).into_iter().filter(&counts) {
            let message = format!("at the {at} end of the range, {}", u.message);
            complaints.push(Complaint::new(path, message).help(u.help));
        }
    }
}

/// A requirement of the system that the parameters do not meet.
pub(crate) struct Unmet {
    /// What is needed and what there is, in words.
    pub(crate) message: String,
    pub(crate) help: String,
    /// Names of the parameters that it is about.
    pub(crate) about: Vec<String>,
}

/// Do the parameters make sense for the system?
pub(crate) fn unmet_requirements(system: &System, parameters: &[f64]) -> Vec<Unmet> {
    let x = vec![0.0; system.states.len()];
    let all: Vec<usize> = (0..parameters.len()).collect();
    let mut unmet = vec![];
    for r in &system.requirements {
        let (mut value, mut dx, mut dp) = ([0.0], vec![0.0; x.len()], vec![0.0; all.len()]);
        jacobian(r.function.as_ref(), &x, parameters, &all, &mut value, &mut dx, &mut dp);
        if r.holds(value[0]) {
            continue;
        }
        let about = || {
            system
                .parameters
                .iter()
                .zip(parameters)
                .zip(&dp)
                .filter(|(_, d)| **d != 0.0)
        };
        let here: Vec<String> = about()
            .map(|((p, v), _)| format!("{} = {}", p.name, written(*v)))
            .collect();
        let whose = if system.name.is_empty() {
            "the system"
        } else {
            &system.name
        };
        let (found, help) = if here.is_empty() {
            let help = format!("leave `{}` out of `require`, or say it of parameters", r.name);
            (", whatever the parameters are: it never holds".to_owned(), help)
        } else {
            (
                format!("; here {}", here.join(", ")),
                format!("choose parameters with {}", r.name),
            )
        };
        unmet.push(Unmet {
            message: format!("{whose} needs {}{found}", r.name),
            help,
            about: about().map(|((p, _), _)| p.name.clone()).collect(),
        });
    }
    unmet
}
