//! One trajectory of a study.

use crate::plan::entries::{NamedSystem, SimulationPlan};
use crate::plan::parameters::{Subject, resolve_subject};
use crate::plan::start::initial_state;
use crate::spec::simulation::SimulationSpec;
use crate::text::complaint::{Complaint, written};
use crate::text::limits;
use slipstick_flow::{SimulationOptions, check_simulation};
use slipstick_report::explore::rounded;
use slipstick_system::{IntegralError, ModeKind, System, with_integral};

/// The system with the integrals of these observables as further states.
pub(crate) fn with_integrals(system: &System, observables: &[String], path: &str) -> Result<System, Complaint> {
    let mut integrating = system.clone();
    for (k, name) in observables.iter().enumerate() {
        integrating = with_integral(&integrating, name, &format!("integral_{name}")).map_err(|e| {
            let known = system.observables.iter().map(|o| &*o.name);
            let here = format!("{path}.integrate[{k}]");
            match e {
                IntegralError::Unknown { .. } => Complaint::unknown(here, "observable", name, known),
                IntegralError::Taken { .. } => Complaint::new(here, e.to_string()),
            }
        })?;
    }
    Ok(integrating)
}

pub(crate) fn plan_simulation(
    spec: &SimulationSpec,
    path: &str,
    systems: &[NamedSystem],
    overrides: &[(String, f64)],
    complaints: &mut Vec<Complaint>,
) -> Option<SimulationPlan> {
    let before = complaints.len();
    let Subject {
        index,
        parameters,
        fine,
    } = resolve_subject(spec.system.as_ref(), &spec.set, path, systems, overrides, complaints)?;
    let system = &systems[index].system;
    if system.modes[system.start.mode()].kind == ModeKind::Equations {
        let what = "the system is a set of equations without motion: there is nothing to follow in time";
        complaints.push(Complaint::new(path, what).help("simulate the system that its points belong to"));
        return None;
    }
    for (key, value) in [("time", Some(spec.time)), ("every", spec.every)] {
        if let Some(v) = value
            && !(v.is_finite() && v > 0.0)
        {
            complaints.push(
                Complaint::new(
                    format!("{path}.{key}"),
                    format!("a time of {} is not possible", written(v)),
                )
                .help("give a positive number"),
            );
        }
    }
    if system.is_map() {
        if let Some(every) = spec.every.filter(|v| v.fract() != 0.0) {
            complaints.push(
                Complaint::new(
                    format!("{path}.every"),
                    format!("a map has no states {every} iterates apart"),
                )
                .help("give a whole number: the time of a map counts iterates"),
            );
        }
        if !spec.integrate.is_empty() {
            complaints.push(
                Complaint::new(format!("{path}.integrate"), "a map has no motion to integrate along")
                    .help("leave `integrate` out; the table has the observables at every iterate"),
            );
        }
    }
    let every = spec.every.or(system.is_map().then_some(1.0));
    let rows = every
        .filter(|every| *every > 0.0)
        .map(|every| (spec.time / every).floor());
    if let Some(why) = rows.and_then(|rows| limits::ROWS.excess(rows)) {
        let least = rounded(spec.time / limits::ROWS.most, 3);
        complaints.push(Complaint::new(format!("{path}.every"), why).help(format!("write `every: {least}` or more")));
    }
    let (mode, from) = initial_state((system, &parameters), spec.mode.as_ref(), &spec.from, path, complaints)?;
    let flow = SimulationOptions::default().flow;
    if complaints.len() == before
        && fine
        && !system.is_map()
        && let Err(why) = check_simulation(system, mode, &from, &parameters, flow)
    {
        complaints.push(Complaint::new(path, why.to_string()));
    }
    (complaints.len() == before && fine).then(|| SimulationPlan {
        name: spec.name.clone(),
        system: index,
        parameters,
        mode,
        from,
        every: every.unwrap_or(spec.time / 400.0),
        joined: every.is_none(),
        options: SimulationOptions {
            t_end: spec.time,
            policy: spec.policy.choice(),
            ..SimulationOptions::default()
        },
    })
}
