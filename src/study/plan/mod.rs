//! A validated study: names resolved to indices, numbers checked, everything ready to run.

mod columns;
mod curve;
mod forcing;
mod names;
mod parameters;
mod simulation;
mod start;

pub(super) use curve::{check_step, plan_levels, plan_within, resolve_column};
pub(super) use parameters::{Subject, check_ends, check_own_ends, resolve_subject};
pub(super) use start::plan_region;

use columns::check_columns;
use curve::{levels_outside, plan_curve};
use forcing::check_forcing;
pub(super) use names::further_of;
use names::{check_names, further_curve};
use parameters::{override_parameters, overrides_without_effect};
use simulation::{plan_simulation, with_integrals};

use super::analysis::{self, AnalysisSpec};
use super::attractors::{AttractorsPlan, plan_attractors};
use super::complaint::Complaint;
use super::loci::{LocusPlan, plan_locus};
use super::object::Object;
use super::portrait::{self, PortraitPlan};
use super::source::Source;
use super::spec::{ChoiceSpec, Study};
use slipstick_bifurcation::{Label, TraceOptions};
use slipstick_flow::{FlowOptions, SimulationOptions};
use slipstick_orbit::Discretisation;
use slipstick_report::figure::{self, Known};
use slipstick_system::System;
use std::path::{Path, PathBuf};

/// A system of the study, built.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "Twins",
///     system: Stiction(),
///     systems: {"soft": RegularisedStiction(epsilon: 1e-2)},
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// // The main system has no name.
/// let names: Vec<&str> = plan.systems.iter().map(|one| one.name.as_str()).collect();
/// assert_eq!(names, ["", "soft"]);
/// assert!(plan.systems[1].system.parameters.iter().any(|p| p.name == "epsilon" && p.value == 1e-2));
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
pub struct NamedSystem {
    /// Its name in the study; empty for the study's main `system`.
    pub name: String,
    /// The system, its parameter defaults as the study and `--set` want them.
    pub system: System,
}

/// Where a curve starts.
///
/// ```
/// use slipstick_study::{self as study, StartPlan};
/// let text = r#"Study(
///     title: "One curve",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     curves: [Curve(name: "stiff", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2}), free: "Omega", range: (1.9, 2.1))],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let StartPlan::Search { values, otherwise, .. } = &plan.curves[0].start else { panic!("all orbits are looked for") };
/// // At Ω = 2 first; were nothing there, at values all over the range.
/// assert!(values.is_empty() && otherwise.len() > 10 && plan.curves[0].parameters[0] == 2.0);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone)]
pub enum StartPlan {
    /// A systematic search.
    Search {
        /// Values of the free parameter to search at.
        values: Vec<f64>,
        /// Values to try when there is nothing at the first ones.
        otherwise: Vec<f64>,
        /// Number of seeds.
        seeds: Option<usize>,
        /// Interval of each state, where the study gives one.
        region: Vec<Option<(f64, f64)>>,
        /// The longest segment looked for.
        longest: f64,
    },
    /// The motion that a trajectory settles to.
    Settle {
        /// The mode it starts in.
        mode: usize,
        /// The states of that mode.
        from: Vec<f64>,
        /// The longest time to wait, where the study says so.
        patience: Option<f64>,
    },
    /// A guess for Newton.
    Guess {
        /// Start state of each segment.
        states: Vec<Vec<f64>>,
        /// Duration of each segment.
        durations: Vec<f64>,
    },
    /// Points of other curves.
    Point {
        /// Which.
        source: Source,
        /// For a curve of this study, its number.
        after: Option<usize>,
        /// Parameters that the study gives, by index; the others are those of the point.
        given: Vec<(usize, f64)>,
    },
    /// An orbit in a file.
    File(PathBuf),
    /// A solution in a file of AUTO's.
    Auto {
        /// The file.
        path: PathBuf,
        /// The label of the solution.
        label: usize,
        /// AUTO's number of each parameter.
        numbers: Vec<usize>,
        /// Parameters that the study gives, by index.
        given: Vec<(usize, f64)>,
    },
}

/// A curve, ready to trace.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "One curve",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     curves: [Curve(name: "stiff", orbit: Symmetric("slip- stick"), start: All(at: {"Omega": 2}), free: "Omega", range: (1.9, 2.1))],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let curve = &plan.curves[0];
/// // Names have become indices, and the parameters at the start are complete.
/// assert_eq!((curve.name.as_str(), curve.free, curve.parameters.as_slice()), ("stiff", 0, &[2.0, 1.1, 0.4][..]));
/// assert!(curve.after().is_none(), "it starts from no other curve");
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone)]
pub struct CurvePlan {
    /// Its name.
    pub name: String,
    /// Index of its system.
    pub system: usize,
    /// What it follows.
    pub object: Object,
    /// Names of its monitors.
    pub monitors: Vec<String>,
    /// All parameters at the start.
    pub parameters: Vec<f64>,
    /// The index of the free one.
    pub free: usize,
    /// Where it starts.
    pub start: StartPlan,
    /// How it is traced.
    pub trace: TraceOptions,
    /// How flows are computed.
    pub flow: FlowOptions,
    /// How segments are discretised, for each mode.
    pub discretisations: Vec<Discretisation>,
    /// Is the word switched where it stops being valid?
    pub switch: bool,
    /// Which word goes on where several do.
    pub choice: ChoiceSpec,
    /// Labels at which branches are switched.
    pub branches: Vec<Label>,
    /// How many generations of branches are followed.
    pub generations: usize,
}

impl CurvePlan {
    /// The number of the curve of this study that this one starts from, if it does.
    pub fn after(&self) -> Option<usize> {
        match &self.start {
            StartPlan::Point { after, .. } => *after,
            _ => None,
        }
    }
}

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
    /// The seed of all random numbers.
    pub seed: u64,
    /// The folder of the study, which file names are relative to.
    pub folder: PathBuf,
    /// What a reader of the study should look at, though it is no error.
    pub warnings: Vec<Complaint>,
}

/// A trajectory, ready to compute.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(
///     title: "A ride",
///     system: Stiction(mu_s: 1.1, mu_d: 0.4),
///     simulations: [Simulation(name: "ride", time: 20, every: 0.5)],
/// )"#;
/// let plan = study::parse("study.ron".as_ref(), text.into())?.plan(&[])?;
/// let ride = &plan.simulations[0];
/// assert_eq!((ride.every, ride.options.t_end), (0.5, 20.0));
/// // It starts where the system says.
/// assert_eq!((ride.mode, ride.from.clone()), plan.systems[0].system.start);
/// # Ok::<(), slipstick_study::Rejected>(())
/// ```
#[derive(Clone)]
pub struct SimulationPlan {
    /// Its name.
    pub name: String,
    /// Index of its system.
    pub system: usize,
    /// All parameters.
    pub parameters: Vec<f64>,
    /// The mode it starts in.
    pub mode: usize,
    /// The states of that mode.
    pub from: Vec<f64>,
    /// The time between rows of the table.
    pub every: f64,
    /// How it is computed.
    pub options: SimulationOptions,
}

/// Resolve and check a study in `folder`. `overrides` are parameter values from outside the study (`--set`).
///
/// # Errors
/// Everything that is wrong with it, in the order of the study.
pub(super) fn plan(study: &Study, overrides: &[(String, f64)], home: &Path) -> Result<Plan, Vec<Complaint>> {
    let mut complaints = vec![];
    let mut systems = vec![];
    let mut warnings = vec![];
    let mut build = |name: &str, path: &str, spec: &super::system::SystemSpec| match spec.build(path) {
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
                        format!("unknown curve `{name}`; this study has: {}", known.join(", ")),
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
        attractors.extend(plan_attractors(
            spec,
            &path,
            &systems,
            overrides,
            &names,
            &mut complaints,
        ));
    }
    let mut portraits: Vec<PortraitPlan> = vec![];
    for (i, spec) in study.slow_fast.iter().enumerate() {
        let path = format!("slow_fast[{i}]");
        portraits.extend(portrait::plan(spec, &path, &systems, overrides, &mut complaints));
    }
    check_columns(study, &systems, &curves, &mut complaints);
    check_forcings(study, &systems, &curves, &simulations, &attractors, &mut complaints);
    systems.append(&mut integrating);
    analysis::check(study, &analyses, home, &mut complaints, &mut warnings);
    if complaints.is_empty() {
        let mut known = known_names(study, &systems, &curves);
        for (i, figure) in study.figures.iter().enumerate() {
            let path = format!("figures[{i}]");
            for name in figure
                .curves()
                .into_iter()
                .filter(|name| !known.curves.iter().any(|c| c == name))
            {
                match further_curve(study, name) {
                    None => {}
                    Some(Ok(())) => known.further.push(name.to_owned()),
                    Some(Err(why)) => complaints.push(Complaint::about_word(&path, Some(name), why)),
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
    if complaints.is_empty() {
        Ok(Plan {
            systems,
            curves,
            loci,
            simulations,
            attractors,
            portraits,
            analyses,
            seed: study.seed,
            folder: home.to_path_buf(),
            warnings,
        })
    } else {
        Err(complaints)
    }
}

/// Check the forcing of every system at the parameters of every entry that is about it.
fn check_forcings(
    study: &Study,
    systems: &[NamedSystem],
    curves: &[CurvePlan],
    simulations: &[SimulationPlan],
    attractors: &[AttractorsPlan],
    complaints: &mut Vec<Complaint>,
) {
    for (k, NamedSystem { name, system }) in systems.iter().enumerate() {
        let (root, spec) = match study.systems.get(name) {
            Some(spec) => (format!("systems.\"{name}\""), Some(spec)),
            None => ("system".to_owned(), study.system.as_ref()),
        };
        let own = [system.default_parameters()];
        let of_curves = curves.iter().filter(|c| c.system == k).map(|c| &c.parameters);
        let of_simulations = simulations.iter().filter(|s| s.system == k).map(|s| &s.parameters);
        let of_sweeps = attractors.iter().filter(|a| a.system == k).map(|a| &a.parameters);
        let before = complaints.len();
        for parameters in of_curves.chain(of_simulations).chain(of_sweeps).chain(&own) {
            if complaints.len() == before {
                check_forcing(system, spec, &root, parameters, complaints);
            }
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
    let add = |list: &mut Vec<String>, name: String| {
        if !list.contains(&name) {
            list.push(name);
        }
    };
    for c in curves {
        let system = &systems[c.system].system;
        for name in super::tables::number_columns(system, &c.monitors, matches!(c.object, Object::Equilibrium { .. })) {
            add(&mut known.columns, name);
        }
    }
    for p in &study.slow_fast {
        known.portraits.push(p.name.clone());
        if let Some(over) = &p.over {
            add(&mut known.portrait_columns, over.parameter.clone());
        }
    }
    for s in systems.iter().filter(|s| s.system.slow_fast.is_some()) {
        for name in portrait::columns(&s.system) {
            add(&mut known.portrait_columns, name);
        }
    }
    for s in systems {
        for name in super::tables::orbit_columns(&s.system) {
            add(&mut known.orbit_columns, name.clone());
            add(&mut known.trajectory_columns, name);
        }
    }
    analysis::announce(&study.analyses, &mut known);
    known
}
