//! What a plan needs to know of its analyses: values from outside, complaints, and what figures may refer to.

use crate::analysis::fault::Fault;
use crate::analysis::list::AnalysisSpec;
use crate::spec::study::Study;
use crate::text::complaint::Complaint;
use slipstick_report::figure::Known;
use std::path::Path;

/// Set a parameter wherever an analysis has one of this name; names of the others go into `known`. Returns whether
/// there was one.
pub(crate) fn set(analyses: &mut [AnalysisSpec], name: &str, value: f64, known: &mut Vec<String>) -> bool {
    let mut hit = false;
    for (own, target) in analyses.iter_mut().flat_map(AnalysisSpec::settings) {
        if own == name {
            *target = value;
            hit = true;
        } else if !known.iter().any(|k| k == own) {
            known.push(own.to_owned());
        }
    }
    hit
}

/// Every analysis must make sense, and its tables and curves have names of their own.
pub(crate) fn check(
    study: &Study,
    analyses: &[AnalysisSpec],
    folder: &Path,
    complaints: &mut Vec<Complaint>,
    warnings: &mut Vec<Complaint>,
) {
    let place = |path: &str, fault: &Fault| match fault.key.as_str() {
        "" => path.to_owned(),
        key => format!("{path}.{key}"),
    };
    let mut taken: Vec<String> = study.simulations.iter().map(|s| s.name.clone()).collect();
    let mut curves: Vec<String> = study.curves.iter().map(|c| c.name.clone()).collect();
    for (i, spec) in analyses.iter().enumerate() {
        let path = format!("analyses[{i}]");
        match spec.check(folder) {
            Err(fault) => {
                complaints.push(Complaint::new(place(&path, &fault), fault.message));
                // Its tables may be beyond counting.
                continue;
            }
            Ok(()) => warnings.extend(
                spec.warnings(folder)
                    .into_iter()
                    .map(|fault| Complaint::new(place(&path, &fault), fault.message)),
            ),
        }
        for (what, names, taken) in [
            ("tables", spec.outputs(), &mut taken),
            ("curves", spec.curves(), &mut curves),
        ] {
            for (name, _) in names {
                if taken.contains(&name) {
                    complaints.push(
                        Complaint::new(
                            format!("{path}.name"),
                            format!("two {what} of this study are called `{name}`"),
                        )
                        .help("give each curve, simulation and analysis a name of its own"),
                    );
                }
                taken.push(name);
            }
        }
    }
}

/// Tell figures which tables there will be, with their number columns.
pub(crate) fn announce(tables: &[(String, Vec<String>)], known: &mut Known) {
    for (table, columns) in tables {
        add(&mut known.trajectories, std::slice::from_ref(table));
        add(&mut known.trajectory_columns, columns);
    }
}

/// Tell figures what analyses will give.
pub(crate) fn announce_analyses(analyses: &[AnalysisSpec], known: &mut Known) {
    for spec in analyses {
        announce(&spec.outputs(), known);
        for (curve, columns) in spec.curves() {
            add(&mut known.curves, &[curve]);
            add(&mut known.columns, &columns);
            add(&mut known.orbit_columns, &["t", "y1", "y2", "force"].map(str::to_owned));
        }
    }
}

/// Add those names that are not there yet.
pub(crate) fn add(list: &mut Vec<String>, names: &[String]) {
    for name in names {
        if !list.contains(name) {
            list.push(name.clone());
        }
    }
}
