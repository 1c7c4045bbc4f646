//! The modes of a system: fields, events, inequalities.

use crate::plan::system::error::{SystemError, SystemFault};
use crate::plan::system::frame::{Frame, quoted};
use crate::spec::system::declared::{EventSpec, ModeSpec};
use slipstick_system::text::{Equation, Expression, Fault, Scope, Tape, plain_name};
use slipstick_system::{Event, Inequality, Mode, SharedFunction};

/// A mode's states and the scope in which its texts are read.
pub(crate) struct ModeFrame<'a> {
    pub(crate) name: &'a str,
    spec: &'a ModeSpec,
    pub(crate) path: String,
    /// The states that move, in the order of the system.
    pub(crate) states: Vec<usize>,
    /// The values given to others: index, formula, place in the study.
    pub(crate) given: Vec<(usize, String, String)>,
    pub(crate) scope: Scope,
}

impl<'a> ModeFrame<'a> {
    pub(crate) fn new(name: &'a str, spec: &'a ModeSpec, frame: &Frame) -> Result<Self, Vec<SystemError>> {
        let path = frame.paths.mode(name);
        let mut errors = vec![];
        let mut states: Vec<usize> = vec![];
        for (k, state) in spec.states.iter().enumerate() {
            let here = format!("{path}.states[{k}]");
            match frame.state(state) {
                Some(index) if states.contains(&index) => errors.push(duplicate(here, "state", state)),
                Some(index) => states.push(index),
                None => errors.push(frame.unknown_state(here, state)),
            }
        }
        if spec.states.is_empty() {
            let absent = |i: &usize| spec.absent.iter().any(|(name, _)| frame.state(name) == Some(*i));
            states = (0..frame.states.len()).filter(|i| !absent(i)).collect();
        } else {
            states.extend(frame.phase.filter(|phase| !states.contains(phase)));
        }
        states.sort_unstable();
        let mut given: Vec<(usize, String, String)> = vec![];
        for (state, formula) in spec.absent.iter() {
            let here = format!("{path}.absent.{}", crate::plan::system::frame::quoted(state));
            match frame.state(state) {
                None => errors.push(frame.unknown_state(format!("{here}#"), state)),
                Some(index) if given.iter().any(|(other, ..)| *other == index) => {
                    errors.push(duplicate(format!("{here}#"), "state", state));
                }
                Some(index) if states.contains(&index) => errors.push(SystemError::new(
                    format!("{here}#"),
                    SystemFault::Moving {
                        state: state.to_owned(),
                        mode: name.to_owned(),
                    },
                )),
                Some(index) => given.push((index, formula.clone(), here)),
            }
        }
        let why = format!("it is not a state of mode `{name}`, and `absent` defines no value for it");
        let scope = frame.scope(&states, &given, &why, true).map(|mut scope| {
            for (k, (head, body)) in spec.define.iter().enumerate() {
                let checked = scope
                    .check_head(head)
                    .map_err(|error| (format!("{path}.define[{k}]#"), error));
                let defined = checked.and_then(|()| {
                    let defined = scope.define(head, body);
                    defined.map_err(|error| (format!("{path}.define[{k}]"), error))
                });
                errors.extend(defined.err().map(|(path, error)| SystemError::text(path, error)));
            }
            scope
        });
        match scope {
            Ok(scope) if errors.is_empty() => Ok(Self {
                name,
                spec,
                path,
                states,
                given,
                scope,
            }),
            Ok(_) => Err(errors),
            Err(error) => {
                errors.push(error);
                Err(errors)
            }
        }
    }

    /// Does this state have a value here?
    fn determines(&self, state: usize) -> bool {
        self.states.binary_search(&state).is_ok() || self.given.iter().any(|(index, ..)| *index == state)
    }

    /// Compile texts of this mode, each with its place in the study.
    pub(crate) fn compile(&self, frame: &mut Frame, texts: &[(Expression, String)]) -> Result<Tape, SystemError> {
        self.compiled(frame, texts, Scope::compile)
    }

    fn compiled(
        &self,
        frame: &mut Frame,
        texts: &[(Expression, String)],
        compile: impl Fn(&Scope, &[&Expression]) -> Result<Tape, Fault>,
    ) -> Result<Tape, SystemError> {
        let expressions: Vec<&Expression> = texts.iter().map(|(expression, _)| expression).collect();
        let tape = compile(&self.scope, &expressions)
            .map_err(|fault| frame.place(fault, Some(&self.path), |k| texts[k].1.clone()))?;
        frame.used_parameters.extend(tape.parameters());
        Ok(tape)
    }

    /// The places of the events.
    pub(crate) fn event_paths(&self) -> impl Iterator<Item = String> {
        let names = self.spec.events.iter().map(|(name, _)| name);
        names.map(|name| format!("{}.events.{}.guard", self.path, quoted(name)))
    }

    /// A formula, with its corners.
    fn piecewise(&self, frame: &mut Frame, text: &str, path: String) -> Result<Tape, SystemError> {
        let expression = frame.parse(text, &path)?;
        self.compiled(frame, &[(expression, path)], Scope::compile_piecewise)
    }

    /// The right-hand sides in the order of the states, each with its place.
    pub(crate) fn field(&self, frame: &mut Frame, errors: &mut Vec<SystemError>) -> Vec<(Expression, String)> {
        let before = errors.len();
        let mut found: Vec<Option<(Expression, String)>> = vec![None; frame.states.len()];
        for (k, text) in self.spec.equations.iter().enumerate() {
            let path = format!("{}.equations[{k}]", self.path);
            let equation = match Equation::parse(text, frame.paths.form) {
                Ok(equation) => equation,
                Err(error) => {
                    errors.push(SystemError::text(path, error));
                    continue;
                }
            };
            let fault = match frame.state(&equation.state) {
                None => *frame.unknown_state(path.clone(), &equation.state).fault,
                Some(index) if frame.phase == Some(index) => SystemFault::PhaseIsSet { phase: equation.state },
                Some(index) if self.states.binary_search(&index).is_err() => SystemFault::NotMoving {
                    state: equation.state,
                    mode: self.name.to_owned(),
                },
                Some(index) if found[index].is_some() => SystemFault::SecondEquation { state: equation.state },
                Some(index) => {
                    frame.note_names(&equation.right);
                    found[index] = Some((equation.right, path));
                    continue;
                }
            };
            errors.push(SystemError {
                path,
                within: Some(equation.state_span),
                fault: Box::new(fault),
            });
        }
        if let (Some(phase), Some(forcing)) = (frame.phase, &frame.spec.forcing) {
            let path = format!("{}.forcing.period", frame.paths.root);
            match frame.parse(&format!("2*pi/({})", forcing.period), &path) {
                Ok(rate) => found[phase] = Some((rate, path)),
                Err(error) => errors.push(error),
            }
        }
        let missing = self.states.iter().filter(|index| found[**index].is_none());
        let missing: Vec<String> = missing.map(|index| frame.states[*index].name.clone()).collect();
        if !missing.is_empty() && errors.len() == before {
            errors.push(SystemError::new(
                format!("{}.equations", self.path),
                SystemFault::MissingEquation {
                    states: missing,
                    form: frame.paths.mark().to_owned(),
                },
            ));
        }
        found.into_iter().flatten().collect()
    }

    /// Conditions at `path`, a list, as inequalities.
    fn inequalities(
        &self,
        frame: &mut Frame,
        conditions: &[String],
        path: &str,
        errors: &mut Vec<SystemError>,
    ) -> Vec<Inequality> {
        let mut all = vec![];
        for (k, text) in conditions.iter().enumerate() {
            let here = format!("{path}[{k}]");
            match inequalities(frame, &self.scope, Some(&self.path), text, &here) {
                Ok(found) => all.extend(found),
                Err(error) => errors.push(error),
            }
        }
        all
    }

    /// The mode itself. Events with equal guards share one function, so that whoever watches guards watches it once.
    pub(crate) fn build(&self, frame: &mut Frame, modes: &[ModeFrame], errors: &mut Vec<SystemError>) -> Option<Mode> {
        let before = errors.len();
        let texts = self.field(frame, errors);
        let field = if errors.len() == before {
            let field = self.compiled(frame, &texts, Scope::compile_piecewise);
            field.map_err(|error| errors.push(error)).ok()
        } else {
            None
        };
        let absent = self.absent(frame, errors);
        let inequalities = self.inequalities(
            frame,
            &self.spec.admissible,
            &format!("{}.admissible", self.path),
            errors,
        );
        let surfaces = self.surfaces(frame, errors);
        let mut guards: Vec<(Tape, SharedFunction)> = vec![];
        let mut events: Vec<Event> = vec![];
        for (k, (name, spec)) in self.spec.events.iter().enumerate() {
            if events.iter().any(|event| event.name == name) {
                errors.push(duplicate(format!("{}.events[{k}]#", self.path), "event", name));
            }
            let path = format!("{}.events.{}", self.path, quoted(name));
            events.extend(self.event(frame, modes, (name, spec, &path), &mut guards, errors));
        }
        Some(Mode {
            name: self.name.to_owned(),
            kind: self.spec.kind.into(),
            states: self.states.clone(),
            absent,
            field: field?.shared(),
            events,
            inequalities,
            surfaces,
            exact: None,
        })
    }

    /// Compile; a fault is noted.
    fn kept(&self, frame: &mut Frame, texts: &[(Expression, String)], errors: &mut Vec<SystemError>) -> Option<Tape> {
        self.compile(frame, texts).map_err(|error| errors.push(error)).ok()
    }

    /// The values of the states that do not move, if any has one.
    fn absent(&self, frame: &mut Frame, errors: &mut Vec<SystemError>) -> Option<SharedFunction> {
        let mut texts = vec![];
        for index in (0..frame.states.len()).filter(|index| self.states.binary_search(index).is_err()) {
            let value = self.given.iter().find(|(other, ..)| *other == index);
            let (text, path) = value.map_or(("0", self.path.as_str()), |(_, formula, path)| (formula, path));
            match frame.parse(text, path) {
                Ok(expression) => texts.push((expression, path.to_owned())),
                Err(error) => errors.push(error),
            }
        }
        if self.given.is_empty() || texts.len() + self.states.len() < frame.states.len() {
            return None;
        }
        let tape = self.kept(frame, &texts, errors)?;
        Some(tape.shared())
    }

    /// What is zero all along.
    fn surfaces(&self, frame: &mut Frame, errors: &mut Vec<SystemError>) -> Vec<SharedFunction> {
        let mut all: Vec<SharedFunction> = vec![];
        for (k, text) in self.spec.surfaces.iter().enumerate() {
            match self.piecewise(frame, text, format!("{}.surfaces[{k}]", self.path)) {
                Ok(tape) => all.push(tape.shared()),
                Err(error) => errors.push(error),
            }
        }
        all
    }

    fn event(
        &self,
        frame: &mut Frame,
        modes: &[ModeFrame],
        (name, spec, path): (&str, &EventSpec, &str),
        guards: &mut Vec<(Tape, SharedFunction)>,
        errors: &mut Vec<SystemError>,
    ) -> Option<Event> {
        let guard = self
            .piecewise(frame, &spec.guard, format!("{path}.guard"))
            .map_err(|error| errors.push(error))
            .ok();
        let when = self.inequalities(frame, &spec.when, &format!("{path}.when"), errors);
        let Some(target) = modes.iter().position(|mode| mode.name == spec.to) else {
            errors.push(unknown_mode(format!("{path}.to"), &spec.to, modes));
            return None;
        };
        let reset = self.reset(frame, &modes[target], spec, path, errors);
        let guard = guard?;
        let shared = guards
            .iter()
            .find(|(tape, _)| *tape == guard)
            .map(|(_, function)| function.clone());
        let function = shared.unwrap_or_else(|| {
            let function: SharedFunction = guard.clone().shared();
            guards.push((guard, function.clone()));
            function
        });
        Some(Event {
            name: name.to_owned(),
            guard: function,
            direction: spec.direction.into(),
            when,
            target,
            reset,
        })
    }

    /// The map to the states of the target; `None` when all keep their values.
    fn reset(
        &self,
        frame: &mut Frame,
        target: &ModeFrame,
        spec: &EventSpec,
        path: &str,
        errors: &mut Vec<SystemError>,
    ) -> Option<SharedFunction> {
        let mut jumps: Vec<Option<(Expression, String)>> = vec![None; frame.states.len()];
        for (k, (state, formula)) in spec.reset.iter().enumerate() {
            let here = format!("{path}.reset[{k}]");
            match frame.state(state) {
                None => errors.push(frame.unknown_state(format!("{here}#"), state)),
                Some(index) if jumps[index].is_some() => errors.push(duplicate(format!("{here}#"), "reset", state)),
                Some(index) if !target.states.contains(&index) => errors.push(SystemError::new(
                    format!("{here}#"),
                    SystemFault::NotMoving {
                        state: state.to_owned(),
                        mode: target.name.to_owned(),
                    },
                )),
                Some(index) => match frame.parse(formula, &here) {
                    Ok(expression) => jumps[index] = Some((expression, here)),
                    Err(error) => errors.push(error),
                },
            }
        }
        let mut texts = vec![];
        for &index in &target.states {
            let name = frame.states[index].name.clone();
            if let Some(jump) = jumps[index].take() {
                texts.push(jump);
            } else if self.determines(index) {
                texts.extend(frame.parse(&name, path).ok().map(|same| (same, path.to_owned())));
            } else {
                errors.push(SystemError::new(
                    path,
                    SystemFault::Undetermined {
                        state: name,
                        mode: self.name.to_owned(),
                        target: target.name.to_owned(),
                    },
                ));
            }
        }
        if spec.reset.is_empty() || texts.len() < target.states.len() {
            return None;
        }
        let tape = self.compiled(frame, &texts, Scope::compile_piecewise);
        Some(tape.map_err(|error| errors.push(error)).ok()?.shared())
    }
}

/// The inequalities that a condition at `path` consists of.
pub(crate) fn inequalities(
    frame: &mut Frame,
    scope: &Scope,
    mode: Option<&str>,
    text: &str,
    path: &str,
) -> Result<Vec<Inequality>, SystemError> {
    let condition = frame.parse(text, path)?;
    let margins = scope
        .margins(&condition)
        .map_err(|fault| frame.place(fault, mode, |_| path.to_owned()))?;
    Ok(margins
        .into_iter()
        .map(|margin| {
            frame.used_parameters.extend(margin.tape.parameters());
            Inequality {
                name: margin.name,
                function: margin.tape.shared(),
                strict: margin.strict,
            }
        })
        .collect())
}

pub(crate) fn duplicate(path: String, what: &'static str, name: &str) -> SystemError {
    SystemError::new(
        path,
        SystemFault::Duplicate {
            what,
            name: plain_name(name),
        },
    )
}

pub(crate) fn unknown_mode(path: String, name: &str, modes: &[ModeFrame]) -> SystemError {
    SystemError::new(
        path,
        SystemFault::Unknown {
            what: "mode",
            name: name.to_owned(),
            known: modes.iter().map(|mode| mode.name.to_owned()).collect(),
        },
    )
}
