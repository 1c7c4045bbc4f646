//! Monitors: named scalars of orbits, read from their texts.

use crate::plan::system::error::{SystemError, SystemFault};
use crate::plan::system::frame::{Frame, quoted};
use crate::plan::system::modes::{ModeFrame, duplicate};
use crate::spec::system::declared::MonitorSpec;
use crate::spec::system::named::Named;
use slipstick_system::text::{Expression, Fault, Scope, plain_name};
use slipstick_system::{Measure, Mode, Observable, OrbitMonitor, Place, Quantity, SharedFunction, State, System};

/// What monitors may refer to.
struct Known<'a> {
    root: &'a str,
    states: &'a [State],
    observables: &'a [Observable],
    modes: &'a [Mode],
    /// Has the system one mode only, without a name of its own?
    single: bool,
}

/// A text at a path of the study as one function for each mode; in modes other than those listed, if any are, it need
/// not have a value.
type Compile<'a> = dyn FnMut(&Expression, &str, Option<&[usize]>) -> Result<Vec<SharedFunction>, SystemError> + 'a;

/// The monitors of a system written down as equations.
pub(crate) fn written(
    frame: &mut Frame,
    frames: &[ModeFrame],
    modes: &[Mode],
    observables: &[Observable],
    errors: &mut Vec<SystemError>,
) -> Vec<OrbitMonitor> {
    let (specs, states) = (&frame.spec.monitors, frame.states.clone());
    let root = frame.paths.root.clone();
    let known = Known {
        root: &root,
        states: &states,
        observables,
        modes,
        single: frame.paths.single,
    };
    let observed = &frame.spec.observables;
    // What stands where a formula is never read.
    let zero = Expression::parse("0").ok();
    let Some(unread) = zero.and_then(|zero| Scope::new().compile(&[&zero]).ok()) else {
        return vec![];
    };
    let mut compile = |expression: &Expression, path: &str, only: Option<&[usize]>| {
        frame.note_names(expression);
        let mut by_mode: Vec<SharedFunction> = vec![];
        for (number, mode) in frames.iter().enumerate() {
            let mut scope = mode.scope.clone();
            for (name, text) in observed.iter() {
                // One that is called like a definition is that definition.
                let _ = scope.define(name, text);
            }
            let place = |fault: Fault| frame.place(fault, Some(&mode.path), |_| path.to_owned());
            let tape = match scope.compile_piecewise(&[expression]) {
                Ok(tape) => tape,
                Err(_) if only.is_some_and(|only| !only.contains(&number)) => unread.clone(),
                Err(fault) => return Err(place(fault)),
            };
            frame.used_parameters.extend(tape.parameters());
            by_mode.push(tape.shared());
        }
        Ok(by_mode)
    };
    let mut all = vec![];
    read(specs, &known, &mut compile, &mut all, errors);
    all
}

/// Add monitors to a system of the catalogue.
pub(crate) fn add(specs: &Named<MonitorSpec>, root: &str, system: &mut System, errors: &mut Vec<SystemError>) {
    let mut scope = Scope::new();
    for state in &system.states {
        // Names of the catalogue are well formed and differ.
        let _ = scope.state(&state.name);
    }
    for observable in &system.observables {
        let _ = scope.state(&observable.name);
    }
    for parameter in &system.parameters {
        let _ = scope.parameter(&parameter.name);
    }
    let mut all = std::mem::take(&mut system.monitors);
    let known = Known {
        root,
        states: &system.states,
        observables: &system.observables,
        modes: &system.modes,
        single: !system.is_hybrid(),
    };
    let mut compile = |expression: &Expression, path: &str, _: Option<&[usize]>| {
        let tape = scope.compile_piecewise(&[expression]);
        let tape: SharedFunction = tape.map_err(|fault| SystemError::text(path, fault.error))?.shared();
        let modes = 0..system.modes.len();
        Ok(modes.map(|mode| system.of_everything(tape.clone(), mode)).collect())
    };
    read(specs, &known, &mut compile, &mut all, errors);
    system.monitors = all;
}

/// Read monitors and put them behind those that there are already.
fn read(
    specs: &Named<MonitorSpec>,
    known: &Known,
    compile: &mut Compile<'_>,
    all: &mut Vec<OrbitMonitor>,
    errors: &mut Vec<SystemError>,
) {
    for (k, (key, spec)) in specs.iter().enumerate() {
        let path = format!("{}.monitors.{}", known.root, quoted(key));
        let name = plain_name(key);
        let taken = known.states.iter().any(|s| s.name == name)
            || known.observables.iter().any(|o| o.name == name)
            || all.iter().any(|m| m.name == name);
        if taken {
            errors.push(duplicate(format!("{}.monitors[{k}]#", known.root), "column", key));
        }
        if let Some(measure) = known.measure(spec, &path, compile, errors) {
            all.push(OrbitMonitor { name, measure });
        }
    }
}

impl Known<'_> {
    fn measure(
        &self,
        spec: &MonitorSpec,
        path: &str,
        compile: &mut Compile<'_>,
        errors: &mut Vec<SystemError>,
    ) -> Option<Measure> {
        let mut of = |text: &str, key: &str, only: Option<&[usize]>, errors: &mut Vec<SystemError>| {
            let quantity = self.quantity(text, &format!("{path}{key}"), only, compile);
            quantity.map_err(|error| errors.push(error)).ok()
        };
        match spec {
            MonitorSpec::Duration { modes } => {
                return Some(Measure::Duration(self.listed(modes, "Duration", path, errors)));
            }
            MonitorSpec::Value(text) => return Some(Measure::At(Place::Start, of(text, "[0]", None, errors)?)),
            MonitorSpec::AtEntry { modes, of: text } => {
                let modes = self.listed(modes, "AtEntry", path, errors);
                let of = of(text, ".of", Some(&modes), errors)?;
                return Some(Measure::At(Place::Entry(modes), of));
            }
            MonitorSpec::AtEvent { events, of: text } => {
                let named = events.iter().enumerate();
                let named = named.map(|(i, name)| (name.as_str(), format!("{path}.events[{i}]")));
                let events = self.events(named, ("AtEvent", "events"), path, errors);
                let modes: Vec<usize> = events.iter().map(|(mode, _)| *mode).collect();
                let of = of(text, ".of", Some(&modes), errors)?;
                return Some(Measure::At(Place::Event(events), of));
            }
            MonitorSpec::Sum { of: terms } => {
                let named = terms.iter().enumerate();
                let named = named.map(|(i, (name, _))| (name, format!("{path}.of[{i}]#")));
                self.events(named, ("Sum", "of"), path, errors);
                let mut all = vec![];
                for (name, text) in terms.iter() {
                    let events: Vec<(usize, usize)> = self.events_called(name).collect();
                    let modes: Vec<usize> = events.iter().map(|(mode, _)| *mode).collect();
                    let of = of(text, &format!(".of.{}", quoted(name)), Some(&modes), errors)?;
                    all.push((events, of));
                }
                return Some(Measure::Sum(all));
            }
            _ => {}
        }
        let (statistic, text) = spec.over()?;
        Some(Measure::Over(statistic, of(text, "[0]", None, errors)?))
    }

    /// The indices of the modes listed.
    fn listed(&self, modes: &[String], word: &'static str, path: &str, errors: &mut Vec<SystemError>) -> Vec<usize> {
        if self.single {
            errors.push(SystemError::new(path, SystemFault::NoModes { word }));
            return vec![];
        }
        let mut indices = vec![];
        for (i, name) in modes.iter().enumerate() {
            match self.modes.iter().position(|m| m.name == *name) {
                Some(index) => indices.push(index),
                None => {
                    let known = self.modes.iter().map(|m| m.name.clone()).collect();
                    errors.push(unknown("mode", name, known, format!("{path}.modes[{i}]")));
                }
            }
        }
        if modes.is_empty() {
            let fault = SystemFault::Nowhere { what: "mode" };
            errors.push(SystemError::new(format!("{path}.modes"), fault));
        }
        indices
    }

    /// The events of this name, in whatever mode they are.
    fn events_called(&self, name: &str) -> impl Iterator<Item = (usize, usize)> {
        self.modes.iter().enumerate().flat_map(move |(m, mode)| {
            let events = mode.events.iter().enumerate();
            events
                .filter(move |(_, event)| event.name == name)
                .map(move |(e, _)| (m, e))
        })
    }

    /// The events that the key of a `word` lists, each with its place.
    fn events<'n>(
        &self,
        names: impl Iterator<Item = (&'n str, String)>,
        (word, key): (&'static str, &'static str),
        path: &str,
        errors: &mut Vec<SystemError>,
    ) -> Vec<(usize, usize)> {
        if self.single {
            errors.push(SystemError::new(path, SystemFault::NoModes { word }));
            return vec![];
        }
        let mut found = vec![];
        let mut any = false;
        for (name, place) in names {
            any = true;
            let before = found.len();
            found.extend(self.events_called(name));
            if found.len() == before {
                let mut known: Vec<String> = vec![];
                for event in self.modes.iter().flat_map(|mode| &mode.events) {
                    if !known.contains(&event.name) {
                        known.push(event.name.clone());
                    }
                }
                errors.push(unknown("event", name, known, place));
            }
        }
        if !any {
            let fault = SystemFault::Nowhere { what: "event" };
            errors.push(SystemError::new(format!("{path}.{key}"), fault));
        }
        found
    }

    /// What a text stands for: a state, or a formula.
    fn quantity(
        &self,
        text: &str,
        path: &str,
        only: Option<&[usize]>,
        compile: &mut Compile<'_>,
    ) -> Result<Quantity, SystemError> {
        let name = plain_name(text.trim());
        if let Some(state) = self.states.iter().position(|s| s.name == name) {
            return Ok(Quantity::State(state));
        }
        let expression = Expression::parse(text).map_err(|error| SystemError::text(path, error))?;
        Ok(Quantity::Formula(compile(&expression, path, only)?))
    }
}

fn unknown(what: &'static str, name: &str, known: Vec<String>, path: String) -> SystemError {
    let name = name.to_owned();
    SystemError::new(path, SystemFault::Unknown { what, name, known })
}
