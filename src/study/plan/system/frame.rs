//! What all modes of a system share: states, parameters, definitions; and the scopes in which its texts are read.

use crate::plan::system::error::{SystemError, SystemFault};
use crate::plan::system::number::number_at;
use crate::spec::system::declared::HybridSpec;
use crate::text::limits;
use slipstick_system::text::{EquationForm, Expression, Fault, Scope, Source, TextError, plain_name};
use slipstick_system::{Function, Parameter, State};
use std::collections::{BTreeSet, HashMap};
use std::f64::consts::TAU;

/// What is said of a name where nothing of the system has a value.
pub(crate) const NUMBERS_ONLY: &str = "only numbers, `pi` and `e` may enter here";

/// Where the parts of a description stand in the study.
pub(crate) struct Paths {
    /// The description itself.
    pub(crate) root: String,
    /// Do the keys of the only mode stand at the root, as in `Smooth(...)`?
    pub(crate) single: bool,
    /// What equations say.
    pub(crate) form: EquationForm,
}

impl Paths {
    pub(crate) fn key(&self, list: &str, name: &str) -> String {
        format!("{}.{list}.{}", self.root, quoted(name))
    }
    pub(crate) fn mode(&self, name: &str) -> String {
        if self.single {
            self.root.clone()
        } else {
            self.key("modes", name)
        }
    }
    pub(crate) fn symmetry_states(&self) -> String {
        format!("{}.symmetry{}", self.root, if self.single { "" } else { ".states" })
    }
    pub(crate) fn start_states(&self) -> String {
        format!("{}.start{}", self.root, if self.single { "" } else { ".at" })
    }
    /// What follows the state on the left of an equation.
    pub(crate) fn mark(&self) -> &'static str {
        match self.form {
            EquationForm::Rate => "'",
            EquationForm::Next => "+",
        }
    }
}

/// A key as a step of a path.
pub(crate) fn quoted(name: &str) -> String {
    if !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        name.to_owned()
    } else {
        format!("{name:?}")
    }
}

/// The name that the head of a definition, `phi(u)`, defines.
pub(crate) fn defined_name(head: &str) -> String {
    plain_name(head.split('(').next().unwrap_or_default().trim())
}

/// The shared part of a description, read.
pub(crate) struct Frame<'a> {
    pub(crate) spec: &'a HybridSpec,
    pub(crate) paths: Paths,
    pub(crate) states: Vec<State>,
    /// Where each of them stands.
    places: HashMap<String, usize>,
    pub(crate) parameters: Vec<Parameter>,
    /// The index of the phase of the forcing.
    pub(crate) phase: Option<usize>,
    /// Which parameters and which names were used so far.
    pub(crate) used_parameters: BTreeSet<usize>,
    pub(crate) used_names: BTreeSet<String>,
}

impl<'a> Frame<'a> {
    /// Read the declarations.
    pub(crate) fn new(spec: &'a HybridSpec, paths: Paths) -> Result<Self, Vec<SystemError>> {
        let mut frame = Self {
            spec,
            paths,
            states: vec![],
            places: HashMap::new(),
            parameters: vec![],
            phase: None,
            used_parameters: BTreeSet::new(),
            used_names: BTreeSet::new(),
        };
        let mut errors = vec![];
        let root = &frame.paths.root;
        for (key, limit, count) in [
            ("states", &limits::STATES, spec.states.len()),
            ("parameters", &limits::PARAMETERS, spec.parameters.iter().count()),
            ("define", &limits::DEFINITIONS, spec.define.iter().count()),
        ] {
            if let Some(why) = limit.excess(count as f64) {
                errors.push(SystemError::new(format!("{root}.{key}"), SystemFault::TooMany { why }));
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        frame.declare(&mut errors);
        if errors.is_empty() {
            frame.read_numbers(&mut errors);
        }
        if errors.is_empty() { Ok(frame) } else { Err(errors) }
    }

    /// Names of states, parameters and definitions, each free and well formed.
    fn declare(&mut self, errors: &mut Vec<SystemError>) {
        let spec = self.spec;
        let root = &self.paths.root;
        let mut scope = Scope::new();
        let mut check = |path: String, result: Result<usize, TextError>| match result {
            Ok(_) => {}
            Err(error) => errors.push(SystemError::text(path, error)),
        };
        for (k, name) in spec.states.iter().enumerate() {
            check(format!("{root}.states[{k}]"), scope.state(name));
            self.places.entry(plain_name(name)).or_insert(k);
            self.states.push(State {
                name: plain_name(name),
                period: None,
            });
        }
        if let Some(forcing) = &spec.forcing {
            check(format!("{root}.forcing.phase"), scope.state(&forcing.phase));
            check(format!("{root}.forcing"), scope.state("t"));
            self.phase = Some(self.states.len());
            self.places
                .entry(plain_name(&forcing.phase))
                .or_insert(self.states.len());
            self.states.push(State {
                name: plain_name(&forcing.phase),
                period: Some(TAU),
            });
        }
        for (k, (name, _)) in spec.parameters.iter().enumerate() {
            check(format!("{root}.parameters[{k}]#"), scope.parameter(name));
            self.parameters.push(Parameter {
                name: plain_name(name),
                value: 0.0,
                about: String::new(),
            });
        }
        for (k, (head, body)) in spec.define.iter().enumerate() {
            check(format!("{root}.define[{k}]#"), scope.check_head(head).map(|()| 0));
            check(format!("{root}.define[{k}]"), Expression::parse(body).map(|_| 0));
            // Takes the name, so that a second definition of it is noticed; faults were noted just now.
            let _ = scope.define(head, "0");
        }
        if spec.states.is_empty() {
            errors.push(SystemError::new(
                format!("{root}.states"),
                SystemFault::None { what: "state" },
            ));
        }
    }

    /// Periods of angles and values of parameters.
    fn read_numbers(&mut self, errors: &mut Vec<SystemError>) {
        let spec = self.spec;
        let scope = match self.scope(&[], &[], NUMBERS_ONLY, false) {
            Ok(scope) => scope,
            Err(error) => return errors.push(error),
        };
        for (name, period) in spec.angles.iter() {
            let path = self.paths.key("angles", name);
            let Some(index) = self.state(name) else {
                errors.push(self.unknown_state(format!("{path}#"), name));
                continue;
            };
            match number_at(period, &scope, &path) {
                Ok(value) if value > 0.0 => self.states[index].period = Some(value),
                Ok(value) => errors.push(SystemError::new(path, SystemFault::Period { value })),
                Err(error) => errors.push(error),
            }
        }
        for (k, (name, number)) in spec.parameters.iter().enumerate() {
            match number_at(number, &scope, &self.paths.key("parameters", name)) {
                Ok(value) => self.parameters[k].value = value,
                Err(error) => errors.push(error),
            }
        }
        if let Some(forcing) = &spec.forcing {
            let path = format!("{}.forcing.period", self.paths.root);
            let period = Expression::parse(&forcing.period).map_err(|error| SystemError::text(path.clone(), error));
            let sound = errors.is_empty();
            let checked = period.and_then(|period| {
                let scope = self.parameter_scope()?;
                let tape = scope
                    .compile(&[&period])
                    .map_err(|fault| self.place(fault, None, |_| path.clone()))?;
                let p: Vec<f64> = self.parameters.iter().map(|p| p.value).collect();
                let mut value = [0.0f64];
                tape.value(&[], &p, &mut value);
                let [value] = value;
                if sound && (value == 0.0 || value.is_nan()) {
                    return Err(SystemError::new(path.clone(), SystemFault::NoPeriod { value }));
                }
                Ok(())
            });
            errors.extend(checked.err());
        }
    }

    pub(crate) fn state(&self, name: &str) -> Option<usize> {
        self.places.get(&plain_name(name)).copied()
    }

    pub(crate) fn unknown_state(&self, path: String, name: &str) -> SystemError {
        SystemError::new(
            path,
            SystemFault::Unknown {
                what: "state",
                name: name.to_owned(),
                known: self.states.iter().map(|s| s.name.clone()).collect(),
            },
        )
    }

    /// The scope in which the states `moving` move, others have values that are given (by index and formula) or, for
    /// the reason `why`, none.
    pub(crate) fn scope(
        &self,
        moving: &[usize],
        given: &[(usize, String, String)],
        why: &str,
        parameters: bool,
    ) -> Result<Scope, SystemError> {
        let spec = self.spec;
        let at_root = |error| SystemError::text(self.paths.root.clone(), error);
        let mut scope = Scope::new();
        // A system may call something else `e`.
        let own = |name: &str| plain_name(name) == "e";
        let mut names = self.parameters.iter().map(|p| &p.name);
        let taken = names.any(|name| own(name)) || self.states.iter().any(|s| own(&s.name));
        let why = if why == NUMBERS_ONLY && taken {
            "only numbers and `pi` may enter here, and `e` is a name of the system's own; Euler's number is `exp(1)`"
        } else {
            why
        };
        let mut moves = vec![false; self.states.len()];
        moving.iter().for_each(|k| moves[*k] = true);
        for (k, state) in self.states.iter().enumerate() {
            if moves[k] {
                let index = scope.state(&state.name).map_err(at_root)?;
                if self.phase == Some(k) {
                    scope.clock(index);
                }
            } else if let Some((_, formula, path)) = given.iter().find(|(index, ..)| *index == k) {
                scope
                    .define(&state.name, formula)
                    .map_err(|error| SystemError::text(path.clone(), error))?;
            } else {
                scope.unavailable(&state.name, why).map_err(at_root)?;
            }
        }
        for parameter in &self.parameters {
            if parameters {
                scope.parameter(&parameter.name).map_err(at_root)?;
            } else {
                scope.unavailable(&parameter.name, why).map_err(at_root)?;
            }
        }
        if parameters {
            for (head, body) in spec.define.iter() {
                scope.define(head, body).map_err(at_root)?;
            }
        }
        match (&spec.forcing, self.phase) {
            (Some(forcing), Some(phase)) if moving.contains(&phase) => {
                let time = format!("{}*({})/(2*pi)", self.states[phase].name, forcing.period);
                scope.define("t", &time).map_err(at_root)?;
            }
            (Some(_), _) => scope.unavailable("t", why).map_err(at_root)?,
            _ if scope.names().any(|name| name == "t") => {}
            _ if self.paths.form == EquationForm::Next => {
                let why = "a map has no time; count steps with a state of your own, `n+ = n + 1`";
                scope.unavailable("t", why).map_err(at_root)?;
            }
            _ => {
                let why = "for a field that depends on time say its period, `forcing: Forcing(period: \"...\")`";
                scope.unavailable("t", why).map_err(at_root)?;
            }
        }
        Ok(scope)
    }

    /// All states move.
    pub(crate) fn full_scope(&self) -> Result<Scope, SystemError> {
        let all: Vec<usize> = (0..self.states.len()).collect();
        self.scope(&all, &[], "", true)
    }

    /// Only parameters have values.
    pub(crate) fn parameter_scope(&self) -> Result<Scope, SystemError> {
        self.scope(&[], &[], "only parameters may enter here", true)
    }

    /// Parse the text at `path`, noting the names it uses.
    pub(crate) fn parse(&mut self, text: &str, path: &str) -> Result<Expression, SystemError> {
        let expression = Expression::parse(text).map_err(|error| SystemError::text(path, error))?;
        self.note_names(&expression);
        Ok(expression)
    }

    pub(crate) fn note_names(&mut self, expression: &Expression) {
        self.used_names.extend(expression.names().map(str::to_owned));
    }

    /// Where the definition of a name stands in the study.
    pub(crate) fn definition(&self, name: &str) -> Option<String> {
        let mut heads = self.spec.define.iter().map(|(head, _)| head);
        heads
            .find(|head| defined_name(head) == name)
            .map(|head| self.paths.key("define", head))
    }

    /// Put a fault at its place in the study: in the text compiled (`here` of its index), in a definition, or in a
    /// value that the mode at path `mode` gives to a state that does not move.
    pub(crate) fn place(&self, fault: Fault, mode: Option<&str>, here: impl Fn(usize) -> String) -> SystemError {
        let path = match &fault.place {
            Source::Expression(k) => here(*k),
            Source::Definition(name) => match (self.definition(name), mode) {
                (Some(path), _) => path,
                (None, Some(mode)) if self.state(name).is_some() => format!("{mode}.absent.{name}"),
                (None, Some(mode)) if name != "t" => format!("{mode}.define.{name}"),
                _ => {
                    return SystemError {
                        within: None,
                        ..SystemError::text(format!("{}.forcing.period", self.paths.root), fault.error)
                    };
                }
            },
        };
        SystemError::text(path, fault.error)
    }
}
