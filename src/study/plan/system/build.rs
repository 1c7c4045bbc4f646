//! From a description to a system: the parts put together, and what can only be judged on the whole.

use crate::plan::system::error::{SystemError, SystemFault};
use crate::plan::system::frame::{Frame, Paths, defined_name};
use crate::plan::system::modes::{ModeFrame, duplicate, inequalities, unknown_mode};
use crate::plan::system::smoothness::{jumps_between_events, not_smooth};
use crate::plan::system::start::start;
use crate::plan::system::time_scales::other_scales;
use crate::plan::system::turns::check_turns;
use crate::plan::system::{monitors, symmetry};
use crate::spec::system::declared::{HybridSpec, MapSpec, ModeSpec, SmoothSpec, StartSpec, SymmetrySpec};
use crate::spec::system::named::{Named, Number};
use slipstick_system::System;
use slipstick_system::text::Expression;
use slipstick_system::text::{EquationForm, Source, plain_name};
use slipstick_system::{Inequality, Mode, ModeKind, Observable, SharedFunction, SlowFast};

/// A system that was built, with what is suspicious about it.
///
/// ```
/// use slipstick_study as study;
/// let text = r#"Study(title: "Decay", system: Smooth(states: ["x"], parameters: {"a": 1, "b": 2}, equations: ["x' = -a*x"]))"#;
/// let study = study::parse("study.ron".as_ref(), text.into())?.spec;
/// let built = study.system.unwrap().build("system").map_err(|errors| format!("{errors:?}"))?;
/// // It can be used, but `b` enters nowhere.
/// assert_eq!(built.system.states.len(), 1);
/// assert!(built.warnings.len() == 1 && built.warnings[0].to_string().contains("b"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Built {
    /// The system.
    pub system: System,
    /// What a reader should look at, though it is no error: parameters that enter nowhere, and the like.
    pub warnings: Vec<SystemError>,
}

/// The only mode of a system without modes.
fn only_mode(name: &str, equations: &[String]) -> Named<ModeSpec> {
    let mode = ModeSpec {
        equations: equations.to_vec(),
        ..ModeSpec::default()
    };
    Named(vec![(name.to_owned(), mode)])
}

fn only_symmetry(states: &Named<String>) -> Option<SymmetrySpec> {
    (!states.is_empty()).then(|| SymmetrySpec {
        states: states.clone(),
        modes: Named::default(),
    })
}

fn only_start(mode: &str, at: &Named<Number>) -> Option<StartSpec> {
    (!at.is_empty()).then(|| StartSpec {
        mode: mode.to_owned(),
        at: at.clone(),
    })
}

pub(crate) fn smooth(spec: &SmoothSpec, path: &str) -> Result<Built, Vec<SystemError>> {
    let whole = HybridSpec {
        name: spec.name.clone(),
        about: spec.about.clone(),
        states: spec.states.clone(),
        angles: spec.angles.clone(),
        parameters: spec.parameters.clone(),
        define: spec.define.clone(),
        forcing: spec.forcing.clone(),
        modes: only_mode("smooth", &spec.equations),
        symmetry: only_symmetry(&spec.symmetry),
        observables: spec.observables.clone(),
        monitors: spec.monitors.clone(),
        start: only_start("smooth", &spec.start),
        slow_fast: spec.slow_fast.clone(),
        require: spec.require.clone(),
    };
    assemble(&whole, None, at(path, true, EquationForm::Rate))
}

pub(crate) fn map(spec: &MapSpec, path: &str) -> Result<Built, Vec<SystemError>> {
    let whole = HybridSpec {
        name: spec.name.clone(),
        about: spec.about.clone(),
        states: spec.states.clone(),
        angles: spec.angles.clone(),
        parameters: spec.parameters.clone(),
        define: spec.define.clone(),
        modes: only_mode("map", &spec.equations),
        symmetry: only_symmetry(&spec.symmetry),
        observables: spec.observables.clone(),
        monitors: spec.monitors.clone(),
        start: only_start("map", &spec.start),
        require: spec.require.clone(),
        ..HybridSpec::default()
    };
    assemble(&whole, None, at(path, true, EquationForm::Next))
}

pub(crate) fn hybrid(spec: &HybridSpec, path: &str) -> Result<Built, Vec<SystemError>> {
    assemble(spec, None, at(path, false, EquationForm::Rate))
}

/// The same, with all states where trajectories start: the mode is the one that they lie in.
pub(crate) fn hybrid_from(spec: &HybridSpec, lying: &Named<Number>, path: &str) -> Result<Built, Vec<SystemError>> {
    assemble(spec, Some(lying), at(path, false, EquationForm::Rate))
}

fn at(path: &str, single: bool, form: EquationForm) -> Paths {
    Paths {
        root: path.to_owned(),
        single,
        form,
    }
}

fn assemble(spec: &HybridSpec, lying: Option<&Named<Number>>, paths: Paths) -> Result<Built, Vec<SystemError>> {
    let mut frame = Frame::new(spec, paths)?;
    let mut errors = vec![];
    check_definitions(&mut frame, &mut errors);
    let mut modes = vec![];
    for (k, (name, mode)) in spec.modes.iter().enumerate() {
        if modes.iter().any(|earlier: &ModeFrame| earlier.name == name) {
            errors.push(duplicate(format!("{}.modes[{k}]#", frame.paths.root), "mode", name));
            continue;
        }
        if !frame.paths.single {
            let fault = |name: &str| SystemFault::NotAWord { name: name.to_owned() };
            if !is_word(name) {
                errors.push(SystemError::new(
                    format!("{}.modes[{k}]#", frame.paths.root),
                    fault(name),
                ));
            }
            let events = mode.events.iter().enumerate().filter(|(_, (event, _))| !is_word(event));
            for (i, (event, _)) in events {
                let path = format!("{}.events[{i}]#", frame.paths.mode(name));
                errors.push(SystemError::new(path, fault(event)));
            }
        }
        match ModeFrame::new(name, mode, &frame) {
            Ok(mode) => modes.push(mode),
            Err(more) => errors.extend(more),
        }
    }
    if spec.modes.is_empty() {
        let fault = SystemFault::None { what: "mode" };
        errors.push(SystemError::new(format!("{}.modes", frame.paths.root), fault));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let built: Vec<Option<Mode>> = modes
        .iter()
        .map(|mode| mode.build(&mut frame, &modes, &mut errors))
        .collect();
    let observables = observables(&mut frame, &modes, &mut errors);
    let built: Vec<Mode> = built.into_iter().flatten().collect();
    // Where a mode or an observable is wrong, what is made of it is not judged.
    let monitors = if errors.is_empty() {
        monitors::written(&mut frame, &modes, &built, &observables, &mut errors)
    } else {
        vec![]
    };
    let start = start(&mut frame, &modes, lying, &mut errors);
    let slow_fast = slow_fast(&frame, &modes, &mut errors);
    let requirements = requirements(&mut frame, &mut errors);
    let mut system = System {
        name: spec.name.clone(),
        about: spec.about.clone(),
        states: frame.states.clone(),
        parameters: frame.parameters.clone(),
        modes: built,
        symmetry: None,
        observables,
        monitors,
        start,
        slow_fast,
        requirements,
        units: slipstick_system::Units::default(),
    };
    if frame.paths.form == EquationForm::Next {
        for mode in &mut system.modes {
            mode.kind = ModeKind::Map;
        }
    }
    if errors.is_empty() {
        match symmetry::read(&frame, &modes, &system) {
            Ok(symmetry) => system.symmetry = symmetry,
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() {
        errors.extend(check_turns(&frame, &system));
    }
    let mut warnings = vec![];
    if errors.is_empty() {
        check_start(&mut frame, &modes, &system, &mut errors, &mut warnings);
    }
    if !errors.is_empty() {
        let mut once: Vec<SystemError> = vec![];
        for error in errors {
            if !once.contains(&error) {
                once.push(error);
            }
        }
        return Err(once);
    }
    warnings.extend(if frame.paths.single {
        not_smooth(&mut frame, &modes, &system)
    } else {
        jumps_between_events(&mut frame, &modes, &system)
    });
    warnings.extend(unused(&frame));
    warnings.extend(other_scales(&system, &frame.paths.root));
    Ok(Built { system, warnings })
}

/// Can it be the name of a mode or event in a word such as `slip- land stick free`?
fn is_word(name: &str) -> bool {
    let own = ["free", "mirrored", "|"];
    !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c.is_control()) && !own.contains(&name)
}

/// Every definition is sound where all states move. One with arguments is tried on a state.
fn check_definitions(frame: &mut Frame, errors: &mut Vec<SystemError>) {
    let scope = match frame.full_scope() {
        Ok(scope) => scope,
        Err(error) => return errors.push(error),
    };
    let sample = frame.states[0].name.clone();
    for (head, body) in frame.spec.define.iter() {
        let (name, arguments) = head.split_once('(').unwrap_or((head, ""));
        let arguments: Vec<&str> = arguments
            .split(',')
            .filter(|a| !a.is_empty())
            .map(|_| sample.as_str())
            .collect();
        let list = if arguments.is_empty() {
            String::new()
        } else {
            format!("({})", arguments.join(", "))
        };
        // Heads and bodies were parsed before.
        let Ok(use_of_it) = Expression::parse(&format!("{}{list}", name.trim())) else {
            continue;
        };
        if let Ok(body) = Expression::parse(body) {
            frame.note_names(&body);
        }
        if let Err(fault) = scope.compile(&[&use_of_it]) {
            // A definition may be a condition: then only its use as a number is at fault, and that is ours.
            let path = frame.paths.key("define", head);
            let ours = fault.place == Source::Expression(0);
            if !ours {
                errors.push(frame.place(fault, None, |_| path.clone()));
            }
        }
    }
}

fn observables(frame: &mut Frame, modes: &[ModeFrame], errors: &mut Vec<SystemError>) -> Vec<Observable> {
    let mut all: Vec<Observable> = vec![];
    for (k, (name, text)) in frame.spec.observables.iter().enumerate() {
        let path = frame.paths.key("observables", name);
        if frame.state(name).is_some() || all.iter().any(|other| other.name == plain_name(name)) {
            let here = format!("{}.observables[{k}]#", frame.paths.root);
            errors.push(duplicate(here, "column", name));
        }
        let mut by_mode: Vec<SharedFunction> = vec![];
        for mode in modes {
            let tape = frame
                .parse(text, &path)
                .and_then(|e| mode.compile(frame, &[(e, path.clone())]));
            match tape {
                Ok(tape) => by_mode.push(tape.shared()),
                Err(error) => errors.push(error),
            }
        }
        all.push(Observable {
            name: plain_name(name),
            by_mode,
        });
    }
    all
}

fn slow_fast(frame: &Frame, modes: &[ModeFrame], errors: &mut Vec<SystemError>) -> Option<SlowFast> {
    let spec = frame.spec.slow_fast.as_ref()?;
    let path = format!("{}.slow_fast", frame.paths.root);
    let before = errors.len();
    let mode = match &spec.mode {
        None if modes.len() == 1 => 0,
        None => {
            errors.push(SystemError::new(&path, SystemFault::WhichMode));
            0
        }
        Some(name) => modes.iter().position(|mode| mode.name == name).unwrap_or_else(|| {
            errors.push(unknown_mode(format!("{path}.mode"), name, modes));
            0
        }),
    };
    let fast = frame.state(&spec.fast).unwrap_or_else(|| {
        errors.push(frame.unknown_state(format!("{path}.fast"), &spec.fast));
        0
    });
    let epsilon = frame
        .parameters
        .iter()
        .position(|p| p.name == plain_name(&spec.epsilon))
        .unwrap_or_else(|| {
            let fault = SystemFault::Unknown {
                what: "parameter",
                name: spec.epsilon.clone(),
                known: frame.parameters.iter().map(|p| p.name.clone()).collect(),
            };
            errors.push(SystemError::new(format!("{path}.epsilon"), fault));
            0
        });
    if errors.len() == before && !modes[mode].states.contains(&fast) {
        let fault = SystemFault::NotMoving {
            state: spec.fast.clone(),
            mode: modes[mode].name.to_owned(),
        };
        errors.push(SystemError::new(format!("{path}.fast"), fault));
    }
    (errors.len() == before).then_some(SlowFast { mode, fast, epsilon })
}

/// Conditions on the parameters. That a parameter occurs here does not mean that it enters.
fn requirements(frame: &mut Frame, errors: &mut Vec<SystemError>) -> Vec<Inequality> {
    let used = frame.used_parameters.clone();
    let mut all = vec![];
    let scope = match frame.parameter_scope() {
        Ok(scope) => scope,
        Err(error) => {
            errors.push(error);
            return all;
        }
    };
    for (k, text) in frame.spec.require.iter().enumerate() {
        let path = format!("{}.require[{k}]", frame.paths.root);
        match inequalities(frame, &scope, None, text, &path) {
            Ok(found) => all.extend(found),
            Err(error) => errors.push(error),
        }
    }
    frame.used_parameters = used;
    all
}

/// Is the field finite at the start? An error when the start was given, else a warning.
fn check_start(
    frame: &mut Frame,
    modes: &[ModeFrame],
    system: &System,
    errors: &mut Vec<SystemError>,
    warnings: &mut Vec<SystemError>,
) {
    let p = system.default_parameters();
    let (index, x) = system.start_at(&p);
    let mode = &modes[index];
    let texts = mode.field(frame, errors);
    let expressions: Vec<&Expression> = texts.iter().map(|(expression, _)| expression).collect();
    let Ok(Some((place, span))) = mode.scope.first_not_finite(&expressions, &x, &p) else {
        return;
    };
    let coordinates: Vec<String> = mode
        .states
        .iter()
        .zip(&x)
        .map(|(state, value)| format!("{} = {value}", frame.states[*state].name))
        .collect();
    let path = match place {
        Source::Expression(k) => texts[k].1.clone(),
        Source::Definition(name) => frame.definition(&name).unwrap_or_else(|| mode.path.clone()),
    };
    let error = SystemError {
        path,
        within: Some(span),
        fault: Box::new(SystemFault::NotFiniteAtStart {
            at: coordinates.join(", "),
        }),
    };
    if frame.spec.start.is_some() {
        errors.push(error);
    } else {
        warnings.push(error);
    }
}

/// Parameters and definitions that enter nowhere.
fn unused(frame: &Frame) -> Vec<SystemError> {
    let root = &frame.paths.root;
    let mut all = vec![];
    for (k, parameter) in frame.parameters.iter().enumerate() {
        if !frame.used_parameters.contains(&k) {
            let name = parameter.name.clone();
            all.push(SystemError::new(
                format!("{root}.parameters[{k}]#"),
                SystemFault::UnusedParameter { name },
            ));
        }
    }
    for (k, (head, _)) in frame.spec.define.iter().enumerate() {
        let name = defined_name(head);
        if !frame.used_names.contains(&name) {
            all.push(SystemError::new(
                format!("{root}.define[{k}]#"),
                SystemFault::UnusedDefinition { name },
            ));
        }
    }
    all
}
