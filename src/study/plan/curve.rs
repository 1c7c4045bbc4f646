//! One curve of a study: what it follows, over which range, by which method.

use crate::plan::entries::{CurvePlan, NamedSystem};
use crate::plan::object;
use crate::plan::object::Object;
use crate::plan::parameters::{Sources, check_ends, resolve_system, set_parameters, unmet_requirements};
use crate::plan::start::plan_start;
use crate::results::canards;
use crate::spec::curve::{BranchLabel, CurveSpec, Directions, MethodSpec, StepSpec, SwitchSpec};
use crate::spec::study::Study;
use crate::text::complaint::{Complaint, written};
use crate::text::limits;
use slipstick_bifurcation::{Column, Inspect, Label, Level, TraceOptions};
use slipstick_continuation::{ParameterScale, StepOptions};
use slipstick_flow::{FlowOptions, ModeFlow};
use slipstick_orbit::{Discretisation, FixedPoint, HarmonicOptions, LargeCycle, MeshOptions, PeriodicOrbit};
use slipstick_report::explore::rounded;
use slipstick_system::System;
use std::collections::BTreeMap;
use std::path::Path;

pub(crate) fn plan_curve(
    study: &Study,
    number: usize,
    home: &Path,
    systems: &[NamedSystem],
    overrides: &[(String, f64)],
    complaints: &mut Vec<Complaint>,
    warnings: &mut Vec<Complaint>,
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
            Complaint::new(
                &range,
                format!("the range ({}, {}) is not finite", written(lo), written(hi)),
            )
            .help("give two finite numbers: `range: (low, high)`"),
        );
    } else if lo >= hi {
        let (why, help) = if lo == hi {
            ("empty", "give two different values: `range: (low, high)`")
        } else {
            ("reversed", "write the smaller value first: `range: (low, high)`")
        };
        complaints
            .push(Complaint::new(&range, format!("the range ({}, {}) is {why}", written(lo), written(hi))).help(help));
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
            check_ends(system, &parameters, free, spec.range, &range, complaints);
        }
        let start = parameters[free];
        let given = !spec.start.brings_parameters() && !spec.start.covers_range_of(&spec.free);
        if fine && given && !(lo..=hi).contains(&start) {
            complaints.push(
                Complaint::new(
                    format!("{path}.start"),
                    format!(
                        "the start has {} = {}, outside the range ({}, {})",
                        spec.free,
                        written(start),
                        written(lo),
                        written(hi)
                    ),
                )
                .help(format!(
                    "give `at: {{\"{}\": …}}` inside the range, or widen the range",
                    spec.free
                )),
            );
        }
    }
    check_step(&spec.step, hi - lo, path, complaints);
    limits::POINTS.check(format!("{path}.points"), spec.points as f64, complaints);
    limits::GENERATIONS.check(format!("{path}.generations"), spec.generations as f64, complaints);
    if spec.generations == 0 {
        complaints.push(
            Complaint::new(format!("{path}.generations"), "`generations` must be at least 1")
                .help("leave `generations` out; without `branches` no branch is traced"),
        );
    }
    if spec.points == 0 {
        complaints
            .push(Complaint::new(format!("{path}.points"), "`points` must be at least 1").help("leave `points` out"));
    }
    let object = object::resolve(spec, path, (system, &parameters), complaints);
    let flow = FlowOptions::default();
    let large = large_mesh(spec, system, object.as_ref());
    let discretisations = match large {
        Some(options) => {
            check_stages(options.stages, path, complaints);
            check_tolerance(options.tolerance, path, complaints);
            vec![]
        }
        None => plan_method(spec, path, system, object.as_ref(), complaints),
    };
    let otherwise = other_discretisations(spec, system, object.as_ref());
    let columns = object.as_ref().map(|object| {
        let free = vec![free.unwrap_or(0)];
        let p = parameters.clone();
        let monitors = match (object, large) {
            (Object::Orbit(_), Some(options)) => {
                LargeCycle::new(system, p, free[0], options).map_or_else(|_| vec![], |cycle| cycle.monitor_names())
            }
            // It is refused elsewhere.
            (Object::Orbit(_), None) if limits::FULL_STATES.excess(system.states.len() as f64).is_some() => vec![],
            (Object::Orbit(word), None) => {
                PeriodicOrbit::discretised(system, word.clone(), p, free, flow, &discretisations).monitor_names()
            }
            (Object::Equilibrium { mode }, _) => FixedPoint::equilibrium(system, *mode, p, free).monitor_names(),
            (Object::Cycle { mode, length }, _) => FixedPoint::cycle(system, *mode, *length, p, free).monitor_names(),
        };
        let columns = match object {
            Object::Orbit(_) => canards::with_columns(system, monitors.clone()),
            _ => monitors.clone(),
        };
        warnings.extend(levels_outside(&spec.levels, &spec.free, spec.range, path));
        (
            plan_levels(&spec.levels, path, system, &monitors, complaints),
            plan_within(&spec.within, &format!("{path}.within"), system, &monitors, complaints),
            columns,
        )
    });
    let start = object
        .as_ref()
        .and_then(|object| plan_start(study, number, home, (system, &parameters, systems), object, complaints));
    if complaints.len() > before || !fine {
        return None;
    }
    let (object, start, (levels, within, monitors), free) = (object?, start?, columns?, free?);
    let width = hi - lo;
    let mut steps = StepOptions {
        largest_parameter: spec.step.largest.unwrap_or(width),
        ..StepOptions::default()
    };
    if large.is_some() || discretisations.iter().any(|d| *d != Discretisation::Flow) {
        steps.largest = LARGEST_ON_MESHES;
    } else if matches!(object, Object::Orbit(_)) {
        steps.largest *= (system.states.len() as f64 / FEW_STATES).max(1.0).sqrt();
    }
    let size = match &object {
        Object::Orbit(_) if large.is_none() => ParameterScale::default(),
        _ => ParameterScale::over(spec.range, parameters[free]),
    }
    .size(parameters[free]);
    if let Some(initial) = spec.step.initial {
        steps.initial = initial / size;
        steps.largest = steps.largest.max(steps.initial);
    }
    if let Some(largest) = spec.step.largest {
        steps.largest = steps.largest.max(largest / size);
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
        large,
        discretisations,
        otherwise,
        switch: spec.switch == SwitchSpec::Auto,
        choice: spec.choice,
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

/// The mesh of periodic orbits of many states that are followed with sparse factors: of those that start from points of
/// curves or from files, unless another method is asked for.
fn large_mesh(spec: &CurveSpec, system: &System, object: Option<&Object>) -> Option<MeshOptions> {
    let word = object.and_then(Object::word).filter(|_| spec.start.is_known())?;
    let mesh = |stages, tolerance| MeshOptions {
        stages,
        tolerance,
        ..MeshOptions::default()
    };
    let options = match spec.method {
        MethodSpec::Auto => mesh(STAGES_OF_MANY, TOLERANCE_OF_MANY),
        MethodSpec::Collocation { stages, tolerance } => mesh(stages, tolerance),
        _ => return None,
    };
    LargeCycle::is_for(system, word).then_some(options)
}

/// Points in each interval, and the error of the states between its ends; that of the period is far smaller.
const STAGES_OF_MANY: usize = 4;
const TOLERANCE_OF_MANY: f64 = 1e-6;

fn check_stages(stages: usize, path: &str, complaints: &mut Vec<Complaint>) {
    if !(2..=8).contains(&stages) {
        complaints.push(Complaint::new(
            format!("{path}.method.stages"),
            format!("{stages} collocation points in an interval; between 2 and 8 are possible"),
        ));
    }
}

/// Steps must lead somewhere, in a range of this width.
pub(crate) fn check_step(step: &StepSpec, width: f64, path: &str, complaints: &mut Vec<Complaint>) {
    for (key, value, least) in [
        ("initial", step.initial, SMALLEST_STEP * width),
        ("largest", step.largest, SMALLEST_STEP * width),
        ("turn", step.turn, SMALLEST_TURN),
    ] {
        let Some(v) = value else { continue };
        let message = if !(v.is_finite() && v > 0.0) {
            format!("a step of {} is not possible", written(v))
        } else if v < least {
            let (v, least) = (rounded(v, 3), rounded(least, 3));
            format!("a step of {v} is too small: the smallest possible step is {least}")
        } else {
            continue;
        };
        let help = if value.is_some_and(|v| v > 0.0 && v.is_finite()) {
            "give a larger number, or leave it out"
        } else {
            "give a positive number, or leave it out"
        };
        complaints.push(Complaint::new(format!("{path}.step.{key}"), message).help(help));
    }
}

/// A point on a mesh is dear, and its predictor good: fewer of them.
pub(crate) const LARGEST_ON_MESHES: f64 = 0.25;

/// The length of a step is the root of the sum of squares of relative changes. Of orbits of more states than these,
/// each may change by as much as if there were so many.
const FEW_STATES: f64 = 8.0;

/// The smallest step, as a part of the range, and the smallest turn, in radians: with smaller ones no curve ends within
/// a lifetime.
const SMALLEST_STEP: f64 = 1e-10;
const SMALLEST_TURN: f64 = 1e-6;

pub(crate) fn plan_method(
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
        MethodSpec::Shooting { shots: Some(n), .. } if limits::INTERVALS.excess(n as f64).is_some() => {
            limits::INTERVALS.check(format!("{path}.method.shots"), n as f64, complaints);
            vec![]
        }
        MethodSpec::Shooting { .. } if smooth || word.is_none() => vec![],
        MethodSpec::Shooting { shots: Some(_), .. } => {
            complaints.push(
                Complaint::new(
                    format!("{path}.method.shots"),
                    "`shots` applies to smooth periodic orbits; for orbits with events the program chooses the number from the growth of perturbations",
                )
                .help("leave `shots` out"),
            );
            vec![]
        }
        // The larger the system, the more the equations inside an interval cost: there a flow in closed form is better.
        MethodSpec::Auto if smooth => (0..system.modes.len())
            .map(|m| {
                let large = system.modes[m].states.len() > 12;
                let stages = if large { 5 } else { 8 };
                let flow = || ModeFlow::new(system, m, FlowOptions::default());
                if has_corners(system, m) || (large && flow().is_closed_nearby(&system.default_parameters())) {
                    Discretisation::Flow
                } else {
                    Discretisation::Collocation(MeshOptions {
                        stages,
                        ..MeshOptions::default()
                    })
                }
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
            check_stages(stages, path, complaints);
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
        MethodSpec::Harmonic { harmonics, tolerance } => {
            limits::HARMONICS.check(format!("{path}.method.harmonics"), harmonics as f64, complaints);
            if harmonics == 0 {
                complaints.push(
                    Complaint::new(format!("{path}.method.harmonics"), "`harmonics` must be at least 1")
                        .help("leave `harmonics` out"),
                );
            }
            check_tolerance(tolerance, path, complaints);
            if let Some(what) = object.filter(|_| !smooth).map(|object| object.describe(system)) {
                complaints.push(
                    Complaint::new(
                        format!("{path}.method"),
                        format!("harmonic balance applies to smooth periodic orbits of one segment; this curve traces: {what}"),
                    )
                    .help("leave `method` out; orbits with events have `Collocation()` in modes without a closed form"),
                );
                return vec![];
            }
            vec![Discretisation::Harmonic(HarmonicOptions { harmonics, tolerance }); system.modes.len()]
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

/// May orbits pass corners of the equations of this mode, at which integrators shorten their steps and meshes stay
/// coarse, so that curves jitter on them? Slow-fast systems keep their meshes, since no flow follows their orbits.
fn has_corners(system: &System, mode: usize) -> bool {
    system.slow_fast.is_none() && !system.modes[mode].field.breaks().is_empty()
}

/// How orbits with events, and those over corners, are discretised where shots lose them, if the study does not say
/// how.
fn other_discretisations(spec: &CurveSpec, system: &System, object: Option<&Object>) -> Vec<Discretisation> {
    let by_flow = object.and_then(Object::word).is_some_and(|w| {
        let mut letters = w.letters.iter();
        letters.any(|l| l.event.is_some() || has_corners(system, l.mode))
    });
    if !by_flow || system.slow_fast.is_some() || !matches!(spec.method, MethodSpec::Auto) {
        return vec![];
    }
    let meshes = without_closed_form(system, Discretisation::Collocation(MeshOptions::default()));
    let some = meshes.iter().any(|d| *d != Discretisation::Flow);
    if some { meshes } else { vec![] }
}

pub(crate) fn check_tolerance(tolerance: f64, path: &str, complaints: &mut Vec<Complaint>) {
    /// Coarser orbits say nothing.
    const COARSEST: f64 = 1e-2;
    if !(tolerance > 0.0 && tolerance <= COARSEST) {
        complaints.push(
            Complaint::new(
                format!("{path}.method.tolerance"),
                format!("{} is not a valid tolerance", written(tolerance)),
            )
            .help("give a relative error above 0 and at most 1e-2, such as 1e-9; where it cannot be met, the run reports the error reached"),
        );
    }
}

/// One discretisation for all modes whose flow has no closed form.
pub(crate) fn without_closed_form(system: &System, discretisation: Discretisation) -> Vec<Discretisation> {
    let method = |m: &slipstick_system::Mode| match m.exact {
        Some(_) => Discretisation::Flow,
        None => discretisation,
    };
    system.modes.iter().map(method).collect()
}

/// The column of a parameter, monitor or the period.
pub(crate) fn resolve_column(
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

pub(crate) fn plan_levels(
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
            // A level that is written twice is one.
            if values[..k].contains(&value) {
                continue;
            }
            if value.is_finite() {
                levels.push(Level {
                    column,
                    name: name.clone(),
                    value,
                    unit: 1.0,
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

/// Levels of a free parameter that lie outside its range, where no curve comes.
pub(crate) fn levels_outside(
    wanted: &BTreeMap<String, Vec<f64>>,
    free: &str,
    (lo, hi): (f64, f64),
    path: &str,
) -> Vec<Complaint> {
    let values = wanted.get(free).into_iter().flatten().enumerate();
    values
        .filter(|(_, value)| value.is_finite() && !(lo..=hi).contains(*value))
        .map(|(k, value)| {
            let (value, lo, hi) = (written(*value), written(lo), written(hi));
            let message = format!("no point will be found at the level {free} = {value}: the range is ({lo}, {hi})");
            Complaint::new(format!("{path}.levels.\"{free}\"[{k}]"), message).help("leave it out, or widen the range")
        })
        .collect()
}

pub(crate) fn plan_within(
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
                Complaint::new(&here, format!("({}, {}) is not an interval", written(lo), written(hi)))
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
                    unit: 1.0,
                };
                within.push((end(lo), end(hi)));
            }
            Err(e) => complaints.push(e),
        }
    }
    within
}
