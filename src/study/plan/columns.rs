//! Columns: names of a system that the tables have already.

use crate::plan::entries::{CurvePlan, NamedSystem};
use crate::plan::object::Object;
use crate::results::tables;
use crate::spec::study::Study;
use crate::spec::system::entry::SystemSpec;
use crate::text::complaint::Complaint;
use std::collections::HashSet;

/// Complain about parameters, states, observables and monitors that are called like another column of a table they are
/// written to.
pub(crate) fn check_columns(
    study: &Study,
    systems: &[NamedSystem],
    curves: &[CurvePlan],
    complaints: &mut Vec<Complaint>,
) {
    let mut clashes: Vec<(usize, String)> = vec![];
    let mut look = |system: usize, columns: Vec<String>| {
        let mut seen = HashSet::new();
        for name in &columns {
            if !seen.insert(name) && !clashes.iter().any(|(s, c)| *s == system && c == name) {
                clashes.push((system, name.clone()));
            }
        }
    };
    for curve in curves {
        let system = &systems[curve.system].system;
        let parameters: Vec<String> = system.parameters.iter().map(|p| p.name.clone()).collect();
        let n = tables::most_multipliers(system);
        let eigenvalues = if matches!(curve.object, Object::Equilibrium { .. }) {
            n
        } else {
            0
        };
        let columns = tables::columns(&parameters, &curve.monitors, [n, n, eigenvalues], true);
        look(curve.system, columns.into_iter().map(|(name, _)| name).collect());
    }
    for (k, system) in systems.iter().enumerate() {
        let fixed = ["mode", "label", "canard"].map(str::to_owned);
        look(
            k,
            fixed.into_iter().chain(tables::orbit_columns(&system.system)).collect(),
        );
    }
    for sweep in &study.attractors {
        let name = sweep.system.as_deref().unwrap_or_default();
        let fixed = ["kind", "starts", "word", "period", "exponent", "curve", "message"].map(str::to_owned);
        if let Some(system) = systems.iter().position(|s| s.name == name) {
            look(system, fixed.into_iter().chain([sweep.sweep.clone()]).collect());
        }
    }
    for (system, column) in clashes {
        let name = &systems[system].name;
        let (root, spec) = match study.systems.get(name) {
            Some(spec) => (format!("systems.\"{name}\""), Some(spec)),
            None => ("system".to_owned(), study.system.as_ref()),
        };
        let place = spec.and_then(|spec| place_of(spec, &root, &column));
        let (path, what) = place.unwrap_or((root, "column"));
        complaints.push(
            Complaint::new(
                path,
                format!("the {what} `{column}` has the name of a column of the tables"),
            )
            .help(format!("give it another name, for instance `{column}_1`")),
        );
    }
}

/// Where a system declares what gives a column its name, and what that is.
fn place_of(spec: &SystemSpec, root: &str, column: &str) -> Option<(String, &'static str)> {
    let names = spec.names();
    let root = match spec {
        SystemSpec::Regularised(_) => format!("{root}.of"),
        _ => root.to_owned(),
    };
    let (key, k, what) = names.into_iter().find_map(|(key, what, names)| {
        let k = names.iter().position(|name| name == column)?;
        Some((key, k, what))
    })?;
    Some(match key {
        "states" | "coordinates" | "velocities" => (format!("{root}.{key}[{k}]"), what),
        "forcing" => (format!("{root}.forcing.phase"), what),
        _ => (format!("{root}.{key}[{k}]#"), what),
    })
}
