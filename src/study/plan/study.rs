//! From the text of a study to its plan, with everything that is wrong.

use crate::analysis::list::AnalysisSpec;
use crate::plan::analyses::check;
use crate::plan::attractors::{AttractorsPlan, plan_attractors};
use crate::plan::columns::check_columns;
use crate::plan::curve::{levels_outside, plan_curve};
use crate::plan::entries::{CurvePlan, NamedSystem, SimulationPlan};
use crate::plan::figures::check_figures;
use crate::plan::locus::{LocusPlan, plan_locus};
use crate::plan::names::check_names;
use crate::plan::parameters::{override_parameters, overrides_without_effect};
use crate::plan::passed::{Passed, begun, on_the_way};
use crate::plan::portrait;
use crate::plan::portrait::PortraitPlan;
use crate::plan::referable::Referable;
use crate::plan::repetition::{check_angles, check_forcing};
use crate::plan::simulation::{plan_simulation, with_integrals};
use crate::plan::task::{TaskPlan, plan_task};
use crate::spec::curve::{MethodSpec, OrbitSpec};
use crate::spec::start::StartSpec;
use crate::spec::study::Study;
use crate::text::complaint::{Complaint, listed};
use crate::text::limits;
use slipstick_orbit::FixedPoint;
use std::path::{Path, PathBuf};

/// A validated study.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "One curve",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     curves: [Curve(name: "stiff", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2}), free: "Omega", range: (1.9, 2.1))],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// assert!(plan.curves.len() == 1 && plan.warnings.is_empty());
/// // Values from outside go before those of the study; a name that nothing has is refused.
/// let again = |name: &str| study::parse("study.ron".as_ref(), text.into())?.plan(&[(name.into(), 1.2)]);
/// assert_eq!(again("mu_s")?.curves[0].parameters[1], 1.2);
/// assert!(again("mu").is_err());
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
pub struct Plan {
    /// The systems.
    pub systems: Vec<NamedSystem>,
    /// The curves.
    pub curves: Vec<CurvePlan>,
    /// The two-parameter curves.
    pub loci: Vec<LocusPlan>,
    /// The trajectories.
    pub simulations: Vec<SimulationPlan>,
    /// The sweeps for attractors.
    pub attractors: Vec<AttractorsPlan>,
    /// The slow–fast portraits.
    pub portraits: Vec<PortraitPlan>,
    /// The analyses.
    pub analyses: Vec<AnalysisSpec>,
    /// What else is to be computed.
    pub tasks: Vec<TaskPlan>,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The folder of the study, which file names are relative to.
    pub folder: PathBuf,
    /// What a reader of the study should look at, though it is no error.
    pub warnings: Vec<Complaint>,
}

/// Resolve and check a study in `folder`. `overrides` are parameter values from outside the study (`--set`).
///
/// # Errors
/// Everything that is wrong with it, in the order of the study.
pub(crate) fn plan(study: &Study, overrides: &[(String, f64)], home: &Path) -> Result<Plan, Vec<Complaint>> {
    let mut complaints = vec![];
    let mut systems = vec![];
    let mut warnings = vec![];
    let mut build = |name: &str, path: &str, spec: &crate::spec::system::entry::SystemSpec| match spec.build(path) {
        Ok(built) => {
            warnings.extend(built.warnings.iter().map(Complaint::from));
            systems.push(NamedSystem {
                name: name.into(),
                system: built.system,
            });
        }
        Err(errors) => complaints.extend(errors.iter().map(Complaint::from)),
    };
    if let Some(spec) = &study.system {
        build("", "system", spec);
    }
    for (name, spec) in &study.systems {
        build(name, &format!("systems.\"{name}\""), spec);
    }
    if study.system.is_none() && study.systems.is_empty() && study.analyses.is_empty() {
        complaints
            .push(Complaint::new("", "the study has no system").help("add `system: Stiction(mu_s: 1.1, mu_d: 0.4),`"));
    }
    if !complaints.is_empty() {
        return Err(complaints);
    }
    check_many_states(study, &systems, &mut complaints);
    if !complaints.is_empty() {
        return Err(complaints);
    }
    let mut analyses = study.analyses.clone();
    override_parameters(&mut systems, &mut analyses, overrides, &mut complaints);
    warnings.extend(overrides_without_effect(study, overrides));
    check_names(study, &mut complaints);
    let mut curves: Vec<CurvePlan> = vec![];
    for i in 0..study.curves.len() {
        if let Some(curve) = plan_curve(study, i, home, &systems, overrides, &mut complaints, &mut warnings) {
            curves.push(curve);
        }
    }
    let mut loci = vec![];
    for (i, spec) in study.loci.iter().enumerate() {
        let path = format!("loci[{i}]");
        for (free, range) in [(&spec.free.0, spec.range.0), (&spec.free.1, spec.range.1)] {
            warnings.extend(levels_outside(&spec.levels, free, range, &path));
        }
        loci.extend(plan_locus(spec, &path, study, &systems, &curves, &mut complaints));
    }
    for (i, spec) in study.distances.iter().enumerate() {
        for (key, names) in [("reference", &spec.reference), ("of", &spec.of)] {
            for (k, name) in names.iter().enumerate() {
                if !study.curves.iter().any(|c| c.name == *name) {
                    let known: Vec<&str> = study.curves.iter().map(|c| c.name.as_str()).collect();
                    complaints.push(Complaint::new(
                        format!("distances[{i}].{key}[{k}]"),
                        format!("unknown curve `{name}`; this study has{}", listed(&known)),
                    ));
                }
            }
        }
        for (key, name) in [("column", &spec.column), ("over", &spec.over)] {
            let known = curves.iter().any(|c| {
                let system = &systems[c.system].system;
                name == "period" || system.parameter(name).is_some() || c.monitors.contains(name)
            });
            if !known && !curves.is_empty() {
                complaints.push(Complaint::new(
                    format!("distances[{i}].{key}"),
                    format!("unknown column `{name}`: no curve of this study has such a parameter or monitor"),
                ));
            }
        }
    }
    let mut simulations = vec![];
    let mut integrating = vec![];
    for (i, spec) in study.simulations.iter().enumerate() {
        let path = format!("simulations[{i}]");
        let Some(mut simulation) = plan_simulation(spec, &path, &systems, overrides, &mut complaints) else {
            continue;
        };
        if !spec.integrate.is_empty() {
            let system = &systems[simulation.system].system;
            match with_integrals(system, &spec.integrate, &path) {
                Ok(system) => {
                    simulation.from.resize(system.modes[simulation.mode].states.len(), 0.0);
                    simulation.system = systems.len() + integrating.len();
                    integrating.push(NamedSystem {
                        name: format!("{path} with integrals"),
                        system,
                    });
                }
                Err(complaint) => complaints.push(complaint),
            }
        }
        simulations.push(simulation);
    }
    let mut attractors: Vec<AttractorsPlan> = vec![];
    let names: Vec<&str> = study.curves.iter().map(|c| c.name.as_str()).collect();
    for (i, spec) in study.attractors.iter().enumerate() {
        let path = format!("attractors[{i}]");
        let Some(sweep) = plan_attractors(spec, &path, &systems, overrides, &names, &mut complaints) else {
            continue;
        };
        // A curve that is not right itself has been complained about.
        if curves.len() >= study.curves.len() {
            sweep.check_trace(&path, &curves, &systems, &mut complaints);
        }
        attractors.push(sweep);
    }
    let mut portraits: Vec<PortraitPlan> = vec![];
    for (i, spec) in study.slow_fast.iter().enumerate() {
        let path = format!("slow_fast[{i}]");
        portraits.extend(portrait::plan(spec, &path, &systems, overrides, &mut complaints));
    }
    let mut tasks: Vec<TaskPlan> = vec![];
    let referable = Referable {
        systems: &systems,
        study,
        curves: &study.curves,
        planned: &curves,
        loci: &loci,
        overrides,
        folder: home,
    };
    for (i, spec) in study.tasks.iter().enumerate() {
        tasks.extend(plan_task(spec, &format!("tasks[{i}]"), &referable, &mut complaints));
    }
    let mut tables: Vec<String> = vec![];
    for (i, task) in tasks.iter().enumerate() {
        for (name, _) in task.outputs(&systems) {
            if tables.contains(&name) {
                let message = format!("two tables of this study are called `{name}`");
                complaints
                    .push(Complaint::new(format!("tasks[{i}].name"), message).help("give each task a name of its own"));
            }
            tables.push(name);
        }
    }
    check_columns(study, &systems, &curves, &mut complaints);
    check_repetition(
        study,
        &systems,
        (&curves, &loci),
        &simulations,
        (&attractors, &tasks),
        &mut complaints,
    );
    systems.append(&mut integrating);
    check(study, &analyses, home, &mut complaints, &mut warnings);
    if complaints.is_empty() {
        check_figures(study, &systems, &curves, &tasks, &mut complaints);
    }
    if complaints.is_empty() {
        Ok(Plan {
            systems,
            curves,
            loci,
            simulations,
            attractors,
            portraits,
            analyses,
            tasks,
            seed: study.seed,
            folder: home.to_path_buf(),
            warnings,
        })
    } else {
        Err(complaints)
    }
}

/// Of systems of very many states there are curves of equilibria and of periodic orbits, where each equation sees few
/// of them.
fn check_many_states(study: &Study, systems: &[NamedSystem], complaints: &mut Vec<Complaint>) {
    let many = |system: &NamedSystem| limits::FULL_STATES.excess(system.system.states.len() as f64);
    let Some((large, why)) = systems.iter().find_map(|s| Some((s, many(s)?))) else {
        return;
    };
    let help = "of so many states there are curves with `orbit: Equilibrium` and `orbit: PeriodicOrbit`, nothing else";
    let sparse = FixedPoint::is_sparse(&large.system, large.system.start.mode());
    if !sparse {
        let path = if large.name.is_empty() {
            "system".to_owned()
        } else {
            format!("systems.\"{}\"", large.name)
        };
        let why = format!("{why}, unless each equation of a `Smooth` system without corners sees few of them");
        complaints.push(Complaint::new(path, why).help(help));
    }
    let integrates = |start: &StartSpec| {
        matches!(
            start,
            StartSpec::All { .. } | StartSpec::Everywhere { .. } | StartSpec::Settle { .. }
        )
    };
    for (i, curve) in study.curves.iter().enumerate() {
        if curve.system.as_deref().unwrap_or_default() != large.name {
            continue;
        }
        if curve.orbit == OrbitSpec::PeriodicOrbit {
            if !curve.start.is_known() {
                let written = "an `orbit: PeriodicOrbit` of so many states starts from a Hopf point of a curve of equilibria, `Point(from: \"rest, HB1\")`, or from a point of another curve";
                complaints.push(Complaint::new(format!("curves[{i}].start"), why.clone()).help(written));
            }
            if !matches!(curve.method, MethodSpec::Auto | MethodSpec::Collocation { .. }) {
                let written = "leave `method` out, or write `Collocation(stages: 4, tolerance: 1e-6)`";
                complaints.push(Complaint::new(format!("curves[{i}].method"), why.clone()).help(written));
            }
        } else if curve.orbit != OrbitSpec::Equilibrium {
            complaints.push(Complaint::new(format!("curves[{i}].orbit"), why.clone()).help(help));
        } else if integrates(&curve.start) {
            let written = "start it with `Guess(at: {...}, states: [{...}])`, or from a point of a curve";
            complaints.push(Complaint::new(format!("curves[{i}].start"), why.clone()).help(written));
        }
    }
    let others = [
        ("loci", study.loci.len()),
        ("simulations", study.simulations.len()),
        ("attractors", study.attractors.len()),
        ("slow_fast", study.slow_fast.len()),
        ("tasks", study.tasks.len()),
    ];
    for (key, _) in others.into_iter().filter(|(_, count)| *count > 0) {
        complaints.push(Complaint::new(format!("{key}[0]"), why.clone()).help(help));
    }
}

/// Check the forcing and the angles of every system at the parameters of every entry that is about it, and at those
/// that it passes.
fn check_repetition(
    study: &Study,
    systems: &[NamedSystem],
    (curves, loci): (&[CurvePlan], &[LocusPlan]),
    simulations: &[SimulationPlan],
    (attractors, tasks): (&[AttractorsPlan], &[TaskPlan]),
    complaints: &mut Vec<Complaint>,
) {
    for (k, NamedSystem { name, system }) in systems.iter().enumerate() {
        let (root, spec) = match study.systems.get(name) {
            Some(spec) => (format!("systems.\"{name}\""), Some(spec)),
            None => ("system".to_owned(), study.system.as_ref()),
        };
        let own = Passed::beginning(system.default_parameters());
        let named = begun(k, curves, simulations, (attractors, tasks));
        let between = on_the_way((k, system), (curves, loci), attractors, tasks);
        let before = complaints.len();
        for passed in named.into_iter().chain([own]).chain(between) {
            if complaints.len() == before {
                check_forcing(system, spec, &root, &passed, complaints);
            }
            if complaints.len() == before {
                check_angles(system, spec, &root, &passed, complaints);
            }
        }
    }
}
