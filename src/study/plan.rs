//! A validated study: names resolved to indices, numbers checked, everything ready to run.

use super::analysis::{self, AnalysisSpec};
use super::attractors::{AttractorsPlan, plan_attractors};
use super::complaint::Complaint;
use super::loci::{LocusPlan, plan_locus};
use super::object::{self, Object};
use super::portrait::{self, PortraitPlan};
use super::source::{self, Source};
use super::spec::{
    BranchLabel, CurveSpec, Directions, MethodSpec, PolicySpec, SimulationSpec, StartSpec, Study, SwitchSpec,
};
use crate::bifurcation::{Column, Inspect, Label, Level, TraceOptions};
use crate::continuation::StepOptions;
use crate::flow::{FlowOptions, NonUniqueness, SimulationOptions};
use crate::orbit::{Discretisation, FixedPoint, MeshOptions, PeriodicOrbit};
use crate::report::figure::{self, Known};
use crate::system::text::nearest;
use crate::system::{IntegralError, System, jacobian, with_integral};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A system of the study, built.
pub struct NamedSystem {
    /// Its name in the study; empty for the study's main `system`.
    pub name: String,
    /// The system, its parameter defaults as the study and `--set` want them.
    pub system: System,
}

/// Where a curve starts.
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
        /// The longest time to wait.
        patience: f64,
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
    let mut curves: Vec<CurvePlan> = vec![];
    for (i, spec) in study.curves.iter().enumerate() {
        let path = format!("curves[{i}]");
        if study.curves[..i].iter().any(|c| c.name == spec.name) {
            complaints.push(
                Complaint::new(format!("{path}.name"), format!("two curves are called `{}`", spec.name))
                    .help("give each curve a name of its own: tables and figures refer to it"),
            );
        }
        if let Some(curve) = plan_curve(study, i, home, &systems, overrides, &mut complaints) {
            curves.push(curve);
        }
    }
    let mut loci = vec![];
    for (i, spec) in study.loci.iter().enumerate() {
        let path = format!("loci[{i}]");
        let taken = study.curves.iter().map(|c| &c.name);
        if taken
            .chain(study.loci[..i].iter().map(|l| &l.name))
            .any(|n| *n == spec.name)
        {
            complaints.push(
                Complaint::new(format!("{path}.name"), format!("two curves are called `{}`", spec.name))
                    .help("give each curve a name of its own: tables and figures refer to it"),
            );
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
        let fit = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        if spec.name.is_empty() || spec.name.starts_with('.') || !spec.name.chars().all(fit) {
            complaints.push(
                Complaint::new(
                    format!("distances[{i}].name"),
                    format!("`{}` cannot name a file", spec.name),
                )
                .help("use letters, digits, - and _"),
            );
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
        if study.attractors[..i].iter().any(|a| a.name == spec.name) {
            complaints.push(
                Complaint::new(format!("{path}.name"), format!("two sweeps are called `{}`", spec.name))
                    .help("give each a name of its own: tables and figures refer to it"),
            );
        }
        attractors.extend(plan_attractors(spec, &path, &systems, &names, &mut complaints));
    }
    let mut portraits: Vec<PortraitPlan> = vec![];
    for (i, spec) in study.slow_fast.iter().enumerate() {
        let path = format!("slow_fast[{i}]");
        if study.slow_fast[..i].iter().any(|other| other.name == spec.name) {
            complaints.push(
                Complaint::new(
                    format!("{path}.name"),
                    format!("two portraits are called `{}`", spec.name),
                )
                .help("give each a name of its own: tables and figures refer to it"),
            );
        }
        portraits.extend(portrait::plan(spec, &path, &systems, overrides, &mut complaints));
    }
    systems.append(&mut integrating);
    analysis::check(study, &analyses, home, &mut complaints, &mut warnings);
    if complaints.is_empty() {
        let known = known_names(study, &systems, &curves);
        for (i, figure) in study.figures.iter().enumerate() {
            if let Err(e) = figure::check(figure, &known) {
                complaints.push(Complaint::about_word(format!("figures[{i}]"), e.word(), e.to_string()));
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

fn override_parameters(
    systems: &mut [NamedSystem],
    analyses: &mut [AnalysisSpec],
    overrides: &[(String, f64)],
    complaints: &mut Vec<Complaint>,
) {
    for (name, value) in overrides {
        let mut known = vec![];
        let mut hit = analysis::set(analyses, name, *value, &mut known);
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

/// The system a curve or simulation is about.
pub(super) fn resolve_system(
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
pub(super) fn set_parameters(
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

/// A requirement of the system that the parameters do not meet.
pub(super) struct Unmet {
    /// What is needed and what there is, in words.
    message: String,
    help: String,
    /// Names of the parameters that it is about.
    about: Vec<String>,
}

/// Do the parameters make sense for the system?
pub(super) fn unmet_requirements(system: &System, parameters: &[f64]) -> Vec<Unmet> {
    let x = vec![0.0; system.states.len()];
    let all: Vec<usize> = (0..parameters.len()).collect();
    let mut unmet = vec![];
    for r in &system.requirements {
        let (mut value, mut dx, mut dp) = ([0.0], vec![0.0; x.len()], vec![0.0; all.len()]);
        jacobian(r.function.as_ref(), &x, parameters, &all, &mut value, &mut dx, &mut dp);
        if value[0] > 0.0 {
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
        let here: Vec<String> = about().map(|((p, v), _)| format!("{} = {v}", p.name)).collect();
        unmet.push(Unmet {
            message: format!("{} needs {}; here {}", system.name, r.name, here.join(", ")),
            help: format!("choose parameters with {}", r.name),
            about: about().map(|((p, _), _)| p.name.clone()).collect(),
        });
    }
    unmet
}

/// Where the parameters of a curve or simulation come from, so that a complaint can point there.
pub(super) struct Sources<'a> {
    /// The path of the system.
    system: String,
    /// Values from outside the study.
    overrides: &'a [(String, f64)],
    /// Paths and values given in the study, the last wins.
    given: Vec<(String, &'a BTreeMap<String, f64>)>,
}

impl<'a> Sources<'a> {
    pub(super) fn new(
        system: &NamedSystem,
        overrides: &'a [(String, f64)],
        given: impl IntoIterator<Item = (String, &'a BTreeMap<String, f64>)>,
    ) -> Self {
        Self {
            system: if system.name.is_empty() {
                "system".into()
            } else {
                format!("systems.\"{}\"", system.name)
            },
            overrides,
            given: given.into_iter().collect(),
        }
    }

    /// Complain about each unmet requirement where one of its parameters was given; once, if several curves share the place.
    pub(super) fn complain(&self, unmet: Vec<Unmet>, complaints: &mut Vec<Complaint>) {
        for u in unmet {
            let given = self.given.iter().rev().find_map(|(path, values)| {
                let name = u.about.iter().find(|n| values.contains_key(*n))?;
                Some(format!("{path}.\"{name}\""))
            });
            let outside = self.overrides.iter().rev().find(|(n, _)| u.about.contains(n));
            let complaint = match (given, outside) {
                (Some(path), _) => Complaint::new(path, u.message),
                (None, Some((name, value))) => Complaint::new("", format!("--set {name}={value}: {}", u.message)),
                (None, None) => Complaint::new(&self.system, u.message),
            };
            let complaint = complaint.help(u.help);
            if !complaints.contains(&complaint) {
                complaints.push(complaint);
            }
        }
    }
}

fn plan_curve(
    study: &Study,
    number: usize,
    home: &Path,
    systems: &[NamedSystem],
    overrides: &[(String, f64)],
    complaints: &mut Vec<Complaint>,
) -> Option<CurvePlan> {
    let before = complaints.len();
    let spec = &study.curves[number];
    let path = &*format!("curves[{number}]");
    let index = resolve_system(spec.system.as_ref(), path, systems, complaints)?;
    let system = &systems[index].system;
    let mut parameters = system.default_parameters();
    set_parameters(system, &mut parameters, &spec.set, &format!("{path}.set"), complaints);
    set_parameters(
        system,
        &mut parameters,
        spec.start.at(),
        &format!("{path}.start.at"),
        complaints,
    );
    let names = || system.parameters.iter().map(|p| &*p.name);
    let free = system.parameter(&spec.free);
    if free.is_none() {
        complaints.push(Complaint::unknown(
            format!("{path}.free"),
            "parameter",
            &spec.free,
            names(),
        ));
    }
    let (lo, hi) = spec.range;
    let range = format!("{path}.range");
    let mut fine = true;
    if !(lo.is_finite() && hi.is_finite()) {
        complaints.push(
            Complaint::new(&range, format!("the range ({lo}, {hi}) is not finite"))
                .help("give two finite numbers: `range: (low, high)`"),
        );
    } else if lo >= hi {
        let (why, help) = if lo == hi {
            ("empty", "give two different values: `range: (low, high)`")
        } else {
            ("reversed", "write the smaller value first: `range: (low, high)`")
        };
        complaints.push(Complaint::new(&range, format!("the range ({lo}, {hi}) is {why}")).help(help));
    } else if let Some(free) = free {
        if complaints.len() == before {
            let unmet = unmet_requirements(system, &parameters);
            fine = unmet.is_empty();
            let given = [
                (format!("{path}.set"), &spec.set),
                (format!("{path}.start.at"), spec.start.at()),
            ];
            Sources::new(&systems[index], overrides, given).complain(unmet, complaints);
        }
        if complaints.len() == before && fine {
            for (end, at) in [(lo, "lower"), (hi, "upper")] {
                let mut there = parameters.clone();
                there[free] = end;
                for u in unmet_requirements(system, &there) {
                    let message = format!("at the {at} end of the range, {}", u.message);
                    complaints.push(Complaint::new(&range, message).help(u.help));
                }
            }
        }
        let start = parameters[free];
        if fine && !spec.start.brings_parameters() && !(lo..=hi).contains(&start) {
            complaints.push(
                Complaint::new(
                    format!("{path}.start"),
                    format!("the start has {} = {start}, outside the range ({lo}, {hi})", spec.free),
                )
                .help(format!(
                    "give `at: {{\"{}\": …}}` inside the range, or widen the range",
                    spec.free
                )),
            );
        }
    }
    for (key, value) in [
        ("initial", spec.step.initial),
        ("largest", spec.step.largest),
        ("turn", spec.step.turn),
    ] {
        if let Some(v) = value
            && !(v.is_finite() && v > 0.0)
        {
            complaints.push(
                Complaint::new(format!("{path}.step.{key}"), format!("a step of {v} leads nowhere"))
                    .help("give a positive number, or leave it out"),
            );
        }
    }
    if spec.points == 0 {
        complaints.push(Complaint::new(format!("{path}.points"), "no points are allowed").help("leave `points` out"));
    }
    let object = object::resolve(spec, path, system, complaints);
    let flow = FlowOptions::default();
    let discretisations = plan_method(spec, path, system, object.as_ref(), complaints);
    let columns = object.as_ref().map(|object| {
        let free = vec![free.unwrap_or(0)];
        let p = parameters.clone();
        let monitors = match object {
            Object::Orbit(word) => {
                PeriodicOrbit::discretised(system, word.clone(), p, free, flow, &discretisations).monitors()
            }
            Object::Equilibrium { mode } => FixedPoint::equilibrium(system, *mode, p, free).monitors(),
            Object::Cycle { mode, length } => FixedPoint::cycle(system, *mode, *length, p, free).monitors(),
        };
        let columns = match object {
            Object::Orbit(_) => super::canards::with_columns(system, monitors.clone()),
            _ => monitors.clone(),
        };
        (
            plan_levels(&spec.levels, path, system, &monitors, complaints),
            plan_within(&spec.within, &format!("{path}.within"), system, &monitors, complaints),
            columns,
        )
    });
    let start = object
        .as_ref()
        .and_then(|object| plan_start(study, number, home, system, object, complaints));
    if complaints.len() > before || !fine {
        return None;
    }
    let (object, start, (levels, within, monitors), free) = (object?, start?, columns?, free?);
    let width = hi - lo;
    let mut steps = StepOptions {
        largest_parameter: spec.step.largest.unwrap_or(width),
        ..StepOptions::default()
    };
    // A point on a mesh is dear, and its predictor good: fewer of them.
    if discretisations.iter().any(|d| *d != Discretisation::Flow) {
        steps.largest = 0.25;
    }
    if let Some(initial) = spec.step.initial {
        steps.initial = initial / parameters[free].abs().max(0.1);
        steps.largest = steps.largest.max(steps.initial);
    }
    if let Some(largest) = spec.step.largest {
        steps.largest = steps.largest.max(largest / parameters[free].abs().max(0.1));
    }
    if let Some(turn) = spec.step.turn {
        steps.turn = turn;
    }
    Some(CurvePlan {
        name: spec.name.clone(),
        system: index,
        object,
        monitors,
        parameters,
        free,
        start,
        trace: TraceOptions {
            range: spec.range,
            levels,
            within,
            steps,
            points: spec.points,
            directions: match spec.directions {
                Directions::Both => vec![1.0, -1.0],
                Directions::Up => vec![1.0],
                Directions::Down => vec![-1.0],
            },
        },
        flow,
        discretisations,
        switch: spec.switch == SwitchSpec::Auto,
        branches: spec
            .branches
            .iter()
            .map(|b| match b {
                BranchLabel::SB => Label::SB,
                BranchLabel::PD => Label::PD,
                BranchLabel::BP => Label::BP,
            })
            .collect(),
        generations: spec.generations,
    })
}

fn plan_method(
    spec: &CurveSpec,
    path: &str,
    system: &System,
    object: Option<&Object>,
    complaints: &mut Vec<Complaint>,
) -> Vec<Discretisation> {
    let word = object.and_then(Object::word);
    let smooth = word.is_some_and(|w| w.letters.iter().all(|l| l.event.is_none()));
    let slow_fast = system.slow_fast.as_ref().map(|s| s.mode);
    match spec.method {
        MethodSpec::Flow => vec![],
        MethodSpec::Shooting { .. } if smooth || word.is_none() => vec![],
        MethodSpec::Shooting { shots: Some(_), .. } => {
            complaints.push(
                Complaint::new(
                    format!("{path}.method.shots"),
                    "the number of shots is for smooth periodic orbits; an orbit with events gets as many as the growth along it asks for",
                )
                .help("leave `shots` out"),
            );
            vec![]
        }
        // The larger the system, the more the equations inside an interval cost.
        MethodSpec::Auto if smooth => (0..system.modes.len())
            .map(|m| {
                let stages = if system.modes[m].states.len() > 12 { 5 } else { 8 };
                Discretisation::Collocation(MeshOptions {
                    stages,
                    ..MeshOptions::default()
                })
            })
            .collect(),
        MethodSpec::Auto => (0..system.modes.len())
            .map(|m| {
                if slow_fast == Some(m) {
                    Discretisation::Collocation(MeshOptions::default())
                } else {
                    Discretisation::Flow
                }
            })
            .collect(),
        MethodSpec::Collocation { stages, tolerance } => {
            if !(2..=8).contains(&stages) {
                complaints.push(Complaint::new(
                    format!("{path}.method.stages"),
                    format!("{stages} collocation points in an interval; between 2 and 8 are possible"),
                ));
            }
            check_tolerance(tolerance, path, complaints);
            without_closed_form(
                system,
                Discretisation::Collocation(MeshOptions {
                    stages,
                    tolerance,
                    ..MeshOptions::default()
                }),
            )
        }
        MethodSpec::Shooting { tolerance, .. } => {
            check_tolerance(tolerance, path, complaints);
            without_closed_form(
                system,
                Discretisation::Shooting(MeshOptions {
                    tolerance,
                    ..MeshOptions::default()
                }),
            )
        }
    }
}

fn check_tolerance(tolerance: f64, path: &str, complaints: &mut Vec<Complaint>) {
    if !(tolerance.is_finite() && tolerance > 0.0 && tolerance < 1.0) {
        complaints.push(
            Complaint::new(
                format!("{path}.method.tolerance"),
                format!("a tolerance of {tolerance} cannot be met"),
            )
            .help("give a relative error between 1e-12 and 1e-2"),
        );
    }
}

/// One discretisation for all modes whose flow has no closed form.
fn without_closed_form(system: &System, discretisation: Discretisation) -> Vec<Discretisation> {
    let method = |m: &crate::system::Mode| match m.exact {
        Some(_) => Discretisation::Flow,
        None => discretisation,
    };
    system.modes.iter().map(method).collect()
}

/// The column of a parameter, monitor or the period.
pub(super) fn resolve_column(
    name: &str,
    path: &str,
    system: &System,
    monitors: &[String],
) -> Result<Column, Complaint> {
    if let Some(i) = system.parameter(name) {
        Ok(Column::Parameter(i))
    } else if let Some(i) = monitors.iter().position(|m| m == name) {
        Ok(Column::Monitor(i))
    } else if name == "period" {
        Ok(Column::Period)
    } else {
        let parameters = system.parameters.iter().map(|p| &*p.name);
        let known = parameters.chain(monitors.iter().map(|m| &**m)).chain(["period"]);
        Err(Complaint::unknown(
            format!("{path}#"),
            "parameter or monitor",
            name,
            known,
        ))
    }
}

pub(super) fn plan_levels(
    wanted: &BTreeMap<String, Vec<f64>>,
    path: &str,
    system: &System,
    monitors: &[String],
    complaints: &mut Vec<Complaint>,
) -> Vec<Level> {
    let mut levels = vec![];
    for (name, values) in wanted {
        let here = format!("{path}.levels.\"{name}\"");
        let column = match resolve_column(name, &here, system, monitors) {
            Ok(c) => c,
            Err(e) => {
                complaints.push(e);
                continue;
            }
        };
        for (k, &value) in values.iter().enumerate() {
            if value.is_finite() {
                levels.push(Level {
                    column,
                    name: name.clone(),
                    value,
                });
            } else {
                complaints.push(
                    Complaint::new(
                        format!("{here}[{k}]"),
                        format!("the level {value} is not a finite number"),
                    )
                    .help("write a finite number"),
                );
            }
        }
    }
    levels
}

pub(super) fn plan_within(
    wanted: &BTreeMap<String, (f64, f64)>,
    path: &str,
    system: &System,
    monitors: &[String],
    complaints: &mut Vec<Complaint>,
) -> Vec<(Level, Level)> {
    let mut within = vec![];
    for (name, &(lo, hi)) in wanted {
        let here = format!("{path}.\"{name}\"");
        if !(lo < hi) {
            complaints.push(
                Complaint::new(&here, format!("({lo}, {hi}) is not an interval"))
                    .help("write the smaller value first; `inf` and `-inf` leave a side open"),
            );
            continue;
        }
        match resolve_column(name, &here, system, monitors) {
            Ok(column) => {
                let end = |value| Level {
                    column,
                    name: name.clone(),
                    value,
                };
                within.push((end(lo), end(hi)));
            }
            Err(e) => complaints.push(e),
        }
    }
    within
}

/// The longest segment that a search looks for in a system without a forcing.
const LONGEST: f64 = 100.0;

fn plan_start(
    study: &Study,
    number: usize,
    home: &Path,
    system: &System,
    object: &Object,
    complaints: &mut Vec<Complaint>,
) -> Option<StartPlan> {
    let spec = &study.curves[number];
    let path = format!("curves[{number}].start");
    match &spec.start {
        StartSpec::All { seeds, within, .. } | StartSpec::Everywhere { seeds, within, .. } => {
            let mut region = vec![None; system.states.len()];
            for (name, &(lo, hi)) in within {
                match system.state(name) {
                    Some(_) if !(lo.is_finite() && hi.is_finite() && lo < hi) => complaints.push(Complaint::new(
                        format!("{path}.within.\"{name}\""),
                        format!("({lo}, {hi}) is not an interval"),
                    )),
                    Some(i) => region[i] = Some((lo, hi)),
                    None => complaints.push(Complaint::unknown(
                        format!("{path}.within.\"{name}\"#"),
                        "state",
                        name,
                        system.states.iter().map(|s| &*s.name),
                    )),
                }
            }
            if *seeds == Some(0) {
                complaints.push(Complaint::new(
                    format!("{path}.seeds"),
                    "a search without seeds finds nothing",
                ));
            }
            let grid = |samples: usize| -> Vec<f64> {
                let (lo, hi) = spec.range;
                (0..samples)
                    .map(|i| lo + (hi - lo) * (i as f64 + 0.5) / samples as f64)
                    .collect()
            };
            let (values, otherwise) = match &spec.start {
                StartSpec::Everywhere { samples: 0, .. } => {
                    complaints.push(Complaint::new(
                        format!("{path}.samples"),
                        "a search at no values finds nothing",
                    ));
                    return None;
                }
                StartSpec::Everywhere { samples, .. } => (grid(*samples), vec![]),
                _ => (vec![], grid(24)),
            };
            Some(StartPlan::Search {
                values,
                otherwise,
                seeds: *seeds,
                region,
                longest: LONGEST,
            })
        }
        StartSpec::Settle {
            from, mode, patience, ..
        } => {
            if !(patience.is_finite() && *patience > 0.0) {
                complaints.push(Complaint::new(
                    format!("{path}.patience"),
                    format!("waiting for a time of {patience} settles nothing"),
                ));
            }
            let (mode, from) = initial_state(system, mode.as_ref(), from, &path, complaints)?;
            Some(StartPlan::Settle {
                mode,
                from,
                patience: *patience,
            })
        }
        StartSpec::Guess { states, durations, .. } => {
            let modes = guessed_modes(object, states.len(), durations.len(), &path, complaints)?;
            let mut starts = vec![];
            for (k, (given, mode)) in states.iter().zip(modes).enumerate() {
                let mode = &system.modes[mode];
                let mut u = vec![];
                for &s in &mode.states {
                    let name = &system.states[s].name;
                    match given.get(name) {
                        Some(&v) => u.push(v),
                        None => complaints.push(Complaint::new(
                            format!("{path}.states[{k}]"),
                            match object {
                                Object::Orbit(_) => format!(
                                    "the start of segment {} (`{}`) needs a value of `{name}`",
                                    k + 1,
                                    mode.name
                                ),
                                _ => format!("the guess needs a value of `{name}`"),
                            },
                        )),
                    }
                }
                starts.push(u);
            }
            Some(StartPlan::Guess {
                states: starts,
                durations: durations.clone(),
            })
        }
        StartSpec::Point { from, at } => {
            let (source, after) = source::resolve(from, &path, home, &study.curves, number, complaints)?;
            let given = spec.set.iter().chain(at);
            Some(StartPlan::Point {
                source,
                after,
                given: given
                    .filter_map(|(name, &v)| Some((system.parameter(name)?, v)))
                    .collect(),
            })
        }
        StartSpec::Auto {
            path: file,
            label,
            numbers,
            at,
        } => {
            let mut own: Vec<usize> = (0..system.parameters.len()).map(crate::report::auto_number).collect();
            for (name, &number) in numbers {
                match system.parameter(name) {
                    Some(i) if number > 0 => own[i] = number,
                    Some(_) => complaints.push(
                        Complaint::new(format!("{path}.numbers.\"{name}\""), "AUTO counts parameters from 1")
                            .help("write 1 for PAR(1)"),
                    ),
                    None => complaints.push(Complaint::unknown(
                        format!("{path}.numbers.\"{name}\"#"),
                        "parameter",
                        name,
                        system.parameters.iter().map(|p| &*p.name),
                    )),
                }
            }
            let given = spec.set.iter().chain(at);
            Some(StartPlan::Auto {
                path: home.join(file),
                label: *label,
                numbers: own,
                given: given
                    .filter_map(|(name, &v)| Some((system.parameter(name)?, v)))
                    .collect(),
            })
        }
        StartSpec::File { path: file, .. } => Some(StartPlan::File(home.join(file))),
    }
}

/// The mode of each state that a guess must give.
fn guessed_modes(
    object: &Object,
    states: usize,
    durations: usize,
    path: &str,
    complaints: &mut Vec<Complaint>,
) -> Option<Vec<usize>> {
    let (fits, modes, message) = match object {
        Object::Orbit(word) if word.letters.iter().all(|l| l.event.is_none()) => (
            states == 1 && durations == 1,
            vec![word.letters[0].mode],
            format!(
                "a guess of a smooth periodic orbit is one state and the period; here are {states} states and {durations} durations"
            ),
        ),
        Object::Orbit(word) => (
            states == word.letters.len() && durations == word.letters.len(),
            word.letters.iter().map(|l| l.mode).collect(),
            format!(
                "the word has {} segments, the guess {states} states and {durations} durations",
                word.letters.len()
            ),
        ),
        Object::Equilibrium { mode } => (
            states == 1 && durations == 0,
            vec![*mode],
            format!("a guess of an equilibrium is one state; here are {states} states and {durations} durations"),
        ),
        Object::Cycle { mode, length } => (
            (states == 1 || states == *length) && durations == 0,
            vec![*mode; states],
            format!(
                "a guess of a cycle is its first point, or all {length}; here are {states} states and {durations} durations"
            ),
        ),
    };
    if !fits {
        complaints.push(Complaint::new(path, message));
        return None;
    }
    Some(modes)
}

/// The mode and states that a trajectory starts from: the system's own, with the values given by name.
pub(super) fn initial_state(
    system: &System,
    mode: Option<&String>,
    from: &BTreeMap<String, f64>,
    path: &str,
    complaints: &mut Vec<Complaint>,
) -> Option<(usize, Vec<f64>)> {
    let (own, start) = &system.start;
    let chosen = match mode {
        None => *own,
        Some(name) => match system.mode(name) {
            Some(m) => m,
            None => {
                let known = system.modes.iter().map(|m| &*m.name);
                complaints.push(Complaint::unknown(format!("{path}.mode"), "mode", name, known));
                return None;
            }
        },
    };
    let full = system.full_state(*own, start, &system.default_parameters());
    let states = &system.modes[chosen].states;
    let mut x: Vec<f64> = states.iter().map(|&s| full[s]).collect();
    for (name, &value) in from {
        let here = format!("{path}.from.\"{name}\"");
        match system.state(name) {
            None => complaints.push(Complaint::unknown(
                format!("{here}#"),
                "state",
                name,
                system.states.iter().map(|s| &*s.name),
            )),
            Some(_) if !value.is_finite() => {
                complaints.push(Complaint::new(here, format!("{value} is not a finite number")))
            }
            Some(s) => match states.iter().position(|&k| k == s) {
                Some(i) => x[i] = value,
                None => complaints.push(
                    Complaint::new(
                        here,
                        format!("`{name}` does not live in mode `{}`", system.modes[chosen].name),
                    )
                    .help("leave it out, or name another mode to start in with `mode`"),
                ),
            },
        }
    }
    Some((chosen, x))
}

/// The system with the integrals of these observables as further states.
fn with_integrals(system: &System, observables: &[String], path: &str) -> Result<System, Complaint> {
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

fn plan_simulation(
    spec: &SimulationSpec,
    path: &str,
    systems: &[NamedSystem],
    overrides: &[(String, f64)],
    complaints: &mut Vec<Complaint>,
) -> Option<SimulationPlan> {
    let before = complaints.len();
    let index = resolve_system(spec.system.as_ref(), path, systems, complaints)?;
    let system = &systems[index].system;
    let mut parameters = system.default_parameters();
    set_parameters(system, &mut parameters, &spec.set, &format!("{path}.set"), complaints);
    let unmet = unmet_requirements(system, &parameters);
    let fine = unmet.is_empty();
    Sources::new(&systems[index], overrides, [(format!("{path}.set"), &spec.set)]).complain(unmet, complaints);
    for (key, value) in [("time", Some(spec.time)), ("every", spec.every)] {
        if let Some(v) = value
            && !(v.is_finite() && v > 0.0)
        {
            complaints.push(
                Complaint::new(format!("{path}.{key}"), format!("a time of {v} leads nowhere"))
                    .help("give a positive number"),
            );
        }
    }
    let (mode, from) = initial_state(system, spec.mode.as_ref(), &spec.from, path, complaints)?;
    (complaints.len() == before && fine).then(|| SimulationPlan {
        name: spec.name.clone(),
        system: index,
        parameters,
        mode,
        from,
        every: spec.every.unwrap_or(spec.time / 400.0),
        options: SimulationOptions {
            t_end: spec.time,
            policy: match spec.policy {
                PolicySpec::Stick => NonUniqueness::Stick,
                PolicySpec::Slip => NonUniqueness::Slip,
                PolicySpec::Both => NonUniqueness::Both,
            },
            ..SimulationOptions::default()
        },
    })
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
