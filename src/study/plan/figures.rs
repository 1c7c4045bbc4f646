//! What the figures of a study may refer to, and whether they do.

use crate::plan::analyses::{add, announce, announce_analyses};
use crate::plan::entries::{CurvePlan, NamedSystem};
use crate::plan::names::further_curve;
use crate::plan::points;
use crate::plan::portrait;
use crate::plan::task::TaskPlan;
use crate::results::tables::{Spectrum, number_columns, orbit_columns};
use crate::spec::study::Study;
use crate::text::complaint::Complaint;
use slipstick_report::figure::{self, Known, KnownPoints};
use std::collections::{BTreeMap, HashSet};

/// Look up every word of the figures.
pub(crate) fn check_figures(
    study: &Study,
    systems: &[NamedSystem],
    curves: &[CurvePlan],
    tasks: &[TaskPlan],
    complaints: &mut Vec<Complaint>,
) {
    let mut known = known_names(study, systems, curves);
    let given: Vec<_> = tasks.iter().flat_map(|task| task.outputs(systems)).collect();
    announce(&given, &mut known);
    for task in tasks.iter().filter(|task| task.is_diagram()) {
        // Its first table has the motions.
        for (name, columns) in task.outputs(systems).into_iter().take(1) {
            known.attractors.push(name);
            add(&mut known.columns, &columns);
        }
    }
    for task in tasks {
        task.announce_grid(&mut known);
    }
    for (i, figure) in study.figures.iter().enumerate() {
        let path = format!("figures[{i}]");
        for name in figure
            .curves()
            .into_iter()
            .filter(|name| !known.curves.iter().any(|c| c == name))
        {
            match further_curve(study, name, &path) {
                None => {}
                Some(Ok(())) => known.further.push(name.to_owned()),
                Some(Err(complaint)) => complaints.push(Complaint {
                    word: Some(name.to_owned()),
                    ..complaint
                }),
            }
        }
        match figure::check(figure, &known) {
            Err(e) if complaints.is_empty() => complaints.push(Complaint {
                help: e.help(),
                ..Complaint::about_word(path, e.word(), e.message())
            }),
            _ => {}
        }
    }
}

/// What the figures of the study may refer to.
fn known_names(study: &Study, systems: &[NamedSystem], curves: &[CurvePlan]) -> Known {
    let mut known = Known {
        curves: study
            .curves
            .iter()
            .map(|c| &c.name)
            .chain(study.loci.iter().map(|l| &l.name))
            .cloned()
            .collect(),
        trajectories: study.simulations.iter().map(|s| s.name.clone()).collect(),
        attractors: study.attractors.iter().map(|a| a.name.clone()).collect(),
        ..Known::default()
    };
    let add = |list: &mut Vec<String>, names: Vec<String>| {
        let mut seen: HashSet<String> = list.iter().cloned().collect();
        list.extend(names.into_iter().filter(|name| seen.insert(name.clone())));
    };
    for c in curves {
        let system = &systems[c.system].system;
        add(
            &mut known.columns,
            number_columns(system, &c.monitors, Spectrum::of(&c.object)),
        );
    }
    known.points = known_points(study, systems);
    // What a sweep traces may be anything.
    for sweep in study
        .attractors
        .iter()
        .filter(|sweep| sweep.trace && !curves.is_empty())
    {
        let of = systems
            .iter()
            .find(|s| s.name == sweep.system.as_deref().unwrap_or_default());
        for spectrum in [Spectrum::Eigenvalues, Spectrum::HalfMap] {
            add(
                &mut known.columns,
                of.map_or_else(Vec::new, |of| number_columns(&of.system, &[], spectrum)),
            );
        }
    }
    for p in &study.slow_fast {
        known.portraits.push(p.name.clone());
        if let Some(over) = &p.over {
            add(&mut known.portrait_columns, vec![over.parameter.clone()]);
        }
    }
    for s in systems.iter().filter(|s| s.system.slow_fast.is_some()) {
        add(&mut known.portrait_columns, portrait::columns(&s.system));
    }
    for s in systems {
        let names = orbit_columns(&s.system);
        add(&mut known.orbit_columns, names.clone());
        add(&mut known.trajectory_columns, names);
    }
    announce_analyses(&study.analyses, &mut known);
    known
}

/// What is known of the points of the study's curves.
fn known_points(study: &Study, systems: &[NamedSystem]) -> BTreeMap<String, KnownPoints> {
    let curves = (study.curves.iter()).map(|curve| (curve.name.clone(), points::of_curve(curve, systems)));
    let loci = study.loci.iter().map(|locus| {
        let from = locus.from.trim_start();
        let from = study.curves.iter().find(|curve| from.starts_with(&curve.name));
        (locus.name.clone(), points::of_locus(locus, from, systems))
    });
    curves.chain(loci).collect()
}
