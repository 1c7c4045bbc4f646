//! A validated study: names resolved to indices, numbers checked, everything ready to run.

use super::complaint::Complaint;
use super::spec::{CurveSpec, Directions, OrbitSpec, SimulationSpec, StartSpec, Study};
use crate::bifurcation::{Column, Inspect, Level, TraceOptions};
use crate::continuation::StepOptions;
use crate::flow::FlowOptions;
use crate::orbit::{PeriodicOrbit, Word};
use crate::system::System;
use std::collections::BTreeMap;

/// A system of the study, built.
pub struct NamedSystem {
    /// Its name in the study; empty for the study's main `system`.
    pub name: String,
    /// The system, its parameter defaults as the study and `--set` want them.
    pub system: System,
}

/// Where a curve starts.
pub enum StartPlan {
    /// A systematic search.
    All {
        /// Number of seeds.
        seeds: Option<usize>,
        /// Interval of each state.
        region: Vec<(f64, f64)>,
        /// The longest segment looked for.
        longest: f64,
    },
    /// A guess for Newton.
    Guess {
        /// Start state of each segment.
        states: Vec<Vec<f64>>,
        /// Duration of each segment.
        durations: Vec<f64>,
    },
}

/// A curve, ready to trace.
pub struct CurvePlan {
    /// Its name.
    pub name: String,
    /// Index of its system.
    pub system: usize,
    /// The word of its orbits.
    pub word: Word,
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
}

/// A validated study.
pub struct Plan {
    /// The systems.
    pub systems: Vec<NamedSystem>,
    /// The curves.
    pub curves: Vec<CurvePlan>,
}

/// Resolve and check a study. `overrides` are parameter values from outside the study (`--set`).
///
/// # Errors
/// Everything that is wrong with it, in the order of the study.
pub fn plan(study: &Study, overrides: &[(String, f64)]) -> Result<Plan, Vec<Complaint>> {
    let mut complaints = vec![];
    let mut systems = vec![];
    let mut build = |name: &str, path: &str, spec: &super::system::SystemSpec| match spec.build() {
        Ok(system) => systems.push(NamedSystem {
            name: name.into(),
            system,
        }),
        Err(e) => complaints.push(Complaint::from_system(path, &e)),
    };
    if let Some(spec) = &study.system {
        build("", "system", spec);
    }
    for (name, spec) in &study.systems {
        build(name, &format!("systems.{name}"), spec);
    }
    if study.system.is_none() && study.systems.is_empty() {
        complaints.push(Complaint::new("", "the study has no system").help("add `system: Stiction(mu_s: 1.1, mu_d: 0.4),`"));
    }
    if !complaints.is_empty() {
        return Err(complaints);
    }
    override_parameters(&mut systems, overrides, &mut complaints);
    let mut curves: Vec<CurvePlan> = vec![];
    for (i, spec) in study.curves.iter().enumerate() {
        let path = format!("curves[{i}]");
        if study.curves[..i].iter().any(|c| c.name == spec.name) {
            complaints.push(
                Complaint::new(format!("{path}.name"), format!("two curves are called `{}`", spec.name))
                    .help("give each curve a name of its own: tables and figures refer to it"),
            );
        }
        if let Some(curve) = plan_curve(spec, &path, &systems, &mut complaints) {
            curves.push(curve);
        }
    }
    for (i, spec) in study.simulations.iter().enumerate() {
        check_simulation(spec, &format!("simulations[{i}]"), &systems, &mut complaints);
    }
    if complaints.is_empty() {
        Ok(Plan { systems, curves })
    } else {
        Err(complaints)
    }
}

fn override_parameters(systems: &mut [NamedSystem], overrides: &[(String, f64)], complaints: &mut Vec<Complaint>) {
    for (name, value) in overrides {
        let mut known = vec![];
        let mut hit = false;
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
            complaints.push(Complaint::new(
                "",
                format!("--set {name}: unknown parameter; the study's systems have: {}", known.join(", ")),
            ));
        } else if !value.is_finite() {
            complaints.push(Complaint::new("", format!("--set {name}={value}: the value must be finite")));
        }
    }
}

/// The system a curve or simulation is about.
fn resolve_system(
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
    let known: Vec<&str> = systems.iter().map(|s| s.name.as_str()).filter(|n| !n.is_empty()).collect();
    complaints.push(match name {
        Some(n) => Complaint::new(
            format!("{path}.system"),
            format!("unknown system `{n}`; this study has: {}", known.join(", ")),
        ),
        None => Complaint::new(path, "the study has several systems and no main one").help(format!(
            "say which with `system: \"…\"`: {}",
            known.join(", ")
        )),
    });
    None
}

/// Apply `name: value` pairs to the parameters.
fn set_parameters(
    system: &System,
    parameters: &mut [f64],
    values: &BTreeMap<String, f64>,
    path: &str,
    complaints: &mut Vec<Complaint>,
) {
    for (name, &value) in values {
        let here = format!("{path}.{name}");
        let Some(i) = system.parameter(name) else {
            complaints.push(Complaint::unknown(here, "parameter", name, system.parameters.iter().map(|p| &*p.name)));
            continue;
        };
        if value.is_finite() {
            parameters[i] = value;
        } else {
            complaints.push(Complaint::new(here, format!("{name} = {value} is not a finite number")));
        }
    }
}

/// Do the parameters make sense for the system?
fn check_requirements(system: &System, parameters: &[f64], path: &str, complaints: &mut Vec<Complaint>) {
    let x = vec![0.0; system.states.len()];
    for r in &system.requirements {
        let mut v = [0.0];
        r.function.value(&x, parameters, &mut v);
        if !(v[0] > 0.0) {
            let values: Vec<String> =
                system.parameters.iter().zip(parameters).map(|(p, v)| format!("{} = {v}", p.name)).collect();
            complaints.push(
                Complaint::new(path, format!("{} needs {}; here {}", system.name, r.name, values.join(", ")))
                    .help(format!("choose parameters with {}", r.name)),
            );
        }
    }
}

fn plan_curve(
    spec: &CurveSpec,
    path: &str,
    systems: &[NamedSystem],
    complaints: &mut Vec<Complaint>,
) -> Option<CurvePlan> {
    let before = complaints.len();
    let index = resolve_system(spec.system.as_ref(), path, systems, complaints)?;
    let system = &systems[index].system;
    let mut parameters = system.default_parameters();
    set_parameters(system, &mut parameters, &spec.set, &format!("{path}.set"), complaints);
    set_parameters(system, &mut parameters, spec.start.at(), &format!("{path}.start.at"), complaints);
    let names = || system.parameters.iter().map(|p| &*p.name);
    let free = system.parameter(&spec.free);
    if free.is_none() {
        complaints.push(Complaint::unknown(format!("{path}.free"), "parameter", &spec.free, names()));
    }
    let (lo, hi) = spec.range;
    let range = format!("{path}.range");
    if !(lo.is_finite() && hi.is_finite()) {
        complaints.push(Complaint::new(&range, format!("the range ({lo}, {hi}) is not finite")));
    } else if lo >= hi {
        let why = if lo == hi { "empty" } else { "reversed" };
        complaints.push(
            Complaint::new(&range, format!("the range ({lo}, {hi}) is {why}"))
                .help("write the smaller value first: `range: (low, high)`"),
        );
    } else if let Some(free) = free {
        if complaints.len() == before {
            check_requirements(system, &parameters, &format!("{path}.start"), complaints);
        }
        if complaints.len() == before {
            for (end, at) in [(lo, "lower"), (hi, "upper")] {
                let mut there = parameters.clone();
                there[free] = end;
                let so_far = complaints.len();
                check_requirements(system, &there, &range, complaints);
                for c in &mut complaints[so_far..] {
                    c.message = format!("at the {at} end of the range, {}", c.message);
                }
            }
        }
        let start = parameters[free];
        if !(lo..=hi).contains(&start) {
            complaints.push(
                Complaint::new(
                    format!("{path}.start"),
                    format!("the start has {} = {start}, outside the range ({lo}, {hi})", spec.free),
                )
                .help(format!("give `at: {{\"{}\": …}}` inside the range, or widen the range", spec.free)),
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
            complaints.push(Complaint::new(format!("{path}.step.{key}"), format!("a step of {v} leads nowhere")).help(
                "give a positive number, or leave it out",
            ));
        }
    }
    if spec.points == 0 {
        complaints.push(Complaint::new(format!("{path}.points"), "no points are allowed").help("leave `points` out"));
    }
    let (text, symmetric) = match &spec.orbit {
        OrbitSpec::Symmetric(w) => (w, true),
        OrbitSpec::Periodic(w) => (w, false),
    };
    let word = match Word::parse(text, symmetric, system) {
        Ok(w) => Some(w),
        Err(e) => {
            complaints.push(Complaint::new(format!("{path}.orbit"), e.to_string()));
            None
        }
    };
    let flow = FlowOptions::default();
    let levels = word.as_ref().map(|w| {
        let orbit = PeriodicOrbit::new(system, w.clone(), parameters.clone(), vec![free.unwrap_or(0)], flow);
        plan_levels(spec, path, system, &orbit.monitors(), complaints)
    });
    let start = word.as_ref().and_then(|w| plan_start(spec, path, system, w, complaints));
    if complaints.len() > before {
        return None;
    }
    let (word, start, levels, free) = (word?, start?, levels?, free?);
    let width = hi - lo;
    let mut steps = StepOptions {
        largest_parameter: spec.step.largest.unwrap_or(width),
        ..StepOptions::default()
    };
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
        word,
        parameters,
        free,
        start,
        trace: TraceOptions {
            range: spec.range,
            levels,
            steps,
            points: spec.points,
            directions: match spec.directions {
                Directions::Both => vec![1.0, -1.0],
                Directions::Up => vec![1.0],
                Directions::Down => vec![-1.0],
            },
        },
        flow,
    })
}

fn plan_levels(
    spec: &CurveSpec,
    path: &str,
    system: &System,
    monitors: &[String],
    complaints: &mut Vec<Complaint>,
) -> Vec<Level> {
    let mut levels = vec![];
    for (name, values) in &spec.levels {
        let column = if let Some(i) = system.parameter(name) {
            Column::Parameter(i)
        } else if let Some(i) = monitors.iter().position(|m| m == name) {
            Column::Monitor(i)
        } else if name == "period" {
            Column::Period
        } else {
            let known = system.parameters.iter().map(|p| &*p.name).chain(monitors.iter().map(|m| &**m)).chain(["period"]);
            complaints.push(Complaint::unknown(format!("{path}.levels.{name}"), "parameter or monitor", name, known));
            continue;
        };
        for &value in values {
            if value.is_finite() {
                levels.push(Level {
                    column,
                    name: name.clone(),
                    value,
                });
            } else {
                complaints.push(Complaint::new(
                    format!("{path}.levels.{name}"),
                    format!("the level {value} is not a finite number"),
                ));
            }
        }
    }
    levels
}

fn plan_start(
    spec: &CurveSpec,
    path: &str,
    system: &System,
    word: &Word,
    complaints: &mut Vec<Complaint>,
) -> Option<StartPlan> {
    let path = format!("{path}.start");
    match &spec.start {
        StartSpec::All { seeds, within, .. } => {
            let mut region = vec![(-1.0, 1.0); system.states.len()];
            for (name, &(lo, hi)) in within {
                match system.state(name) {
                    Some(_) if !(lo.is_finite() && hi.is_finite() && lo < hi) => complaints.push(Complaint::new(
                        format!("{path}.within.{name}"),
                        format!("({lo}, {hi}) is not an interval"),
                    )),
                    Some(i) => region[i] = (lo, hi),
                    None => complaints.push(Complaint::unknown(
                        format!("{path}.within.{name}"),
                        "state",
                        name,
                        system.states.iter().map(|s| &*s.name),
                    )),
                }
            }
            if *seeds == Some(0) {
                complaints.push(Complaint::new(format!("{path}.seeds"), "a search without seeds finds nothing"));
            }
            let longest = system.states.iter().find_map(|s| s.period).unwrap_or(100.0);
            Some(StartPlan::All {
                seeds: *seeds,
                region,
                longest,
            })
        }
        StartSpec::Guess { states, durations, .. } => {
            if states.len() != word.letters.len() || durations.len() != word.letters.len() {
                complaints.push(Complaint::new(
                    &path,
                    format!(
                        "the word has {} segments, the guess {} states and {} durations",
                        word.letters.len(),
                        states.len(),
                        durations.len()
                    ),
                ));
                return None;
            }
            let mut starts = vec![];
            for (k, (given, letter)) in states.iter().zip(&word.letters).enumerate() {
                let mode = &system.modes[letter.mode];
                let mut u = vec![];
                for &s in &mode.states {
                    let name = &system.states[s].name;
                    match given.get(name) {
                        Some(&v) => u.push(v),
                        None => complaints.push(Complaint::new(
                            format!("{path}.states[{k}]"),
                            format!("the start of segment {} (`{}`) needs a value of `{name}`", k + 1, mode.name),
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
        StartSpec::Settle { .. } => None,
    }
}

fn check_simulation(spec: &SimulationSpec, path: &str, systems: &[NamedSystem], complaints: &mut Vec<Complaint>) {
    let Some(index) = resolve_system(spec.system.as_ref(), path, systems, complaints) else {
        return;
    };
    let system = &systems[index].system;
    let mut parameters = system.default_parameters();
    set_parameters(system, &mut parameters, &spec.set, &format!("{path}.set"), complaints);
    check_requirements(system, &parameters, path, complaints);
    for name in spec.from.keys() {
        if system.state(name).is_none() {
            complaints.push(Complaint::unknown(
                format!("{path}.from.{name}"),
                "state",
                name,
                system.states.iter().map(|s| &*s.name),
            ));
        }
    }
    if let Some(mode) = &spec.mode
        && system.mode(mode).is_none()
    {
        complaints.push(Complaint::unknown(
            format!("{path}.mode"),
            "mode",
            mode,
            system.modes.iter().map(|m| &*m.name),
        ));
    }
    if !(spec.time.is_finite() && spec.time > 0.0) {
        complaints.push(Complaint::new(format!("{path}.time"), format!("a simulation over {} leads nowhere", spec.time)));
    }
}
