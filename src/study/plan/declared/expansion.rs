//! The hybrid system that a declaration stands for, and what in it comes from where.

use crate::plan::system::build::{Built, hybrid};
use crate::plan::system::error::{SystemError, SystemFault};
use crate::plan::system::frame::{Frame, Paths};
use crate::spec::system::declared::HybridSpec;
use slipstick_system::text::{Equation, EquationForm, Expression, Symbolic, plain_name};

/// A declaration, written out.
pub(crate) struct Expansion {
    /// The system. Keys that it shares with the declaration have the same content, but for definitions that may follow.
    pub(crate) system: HybridSpec,
    /// Where parts of it come from: their paths below the system, and those of the declaration's keys.
    pub(crate) sources: Vec<(String, String)>,
}

impl Expansion {
    /// The system, built. What is wrong with it is reported at the place of the declaration.
    pub(crate) fn build(&self, path: &str) -> Result<Built, Vec<SystemError>> {
        let place = |error: SystemError| self.place(error, path);
        match hybrid(&self.system, path) {
            Ok(built) => Ok(Built {
                system: built.system,
                warnings: built
                    .warnings
                    .into_iter()
                    .filter(|w| !matches!(&*w.fault, SystemFault::UnusedDefinition { name } if self.makes(name)))
                    .map(place)
                    .collect(),
            }),
            Err(errors) => Err(errors.into_iter().map(place).collect()),
        }
    }

    /// Is this a definition that the declaration does not have?
    fn makes(&self, name: &str) -> bool {
        let made = |(own, _): &(String, String)| own.strip_prefix("define.").is_some_and(|own| own == name);
        self.sources.iter().any(made)
    }

    /// An error of the system at `root`, at the place of the declaration that it comes from.
    pub(crate) fn place(&self, error: SystemError, root: &str) -> SystemError {
        let Some(below) = error.path.strip_prefix(root).map(|rest| rest.trim_start_matches('.')) else {
            return error;
        };
        let from = self.sources.iter().filter(|(own, _)| below.starts_with(own.as_str()));
        match from.max_by_key(|(own, _)| own.len()) {
            Some((_, source)) => SystemError {
                path: format!("{root}.{source}"),
                within: None,
                ..error
            },
            None if below.starts_with("modes") => SystemError {
                path: root.to_owned(),
                within: None,
                ..error
            },
            None => error,
        }
    }
}

/// The declarations of a system, in which its formulas are read and checked before any mode is made of them.
pub(crate) struct Declarations<'a> {
    pub(crate) frame: Frame<'a>,
}

impl<'a> Declarations<'a> {
    /// Those of a system without modes.
    pub(crate) fn of(spec: &'a HybridSpec, path: &str) -> Result<Self, Vec<SystemError>> {
        let paths = Paths {
            root: path.to_owned(),
            single: false,
            form: EquationForm::Rate,
        };
        Ok(Self {
            frame: Frame::new(spec, paths)?,
        })
    }

    /// A formula of the declaration at `path`, in which all states, parameters and definitions may enter.
    pub(crate) fn formula(&mut self, text: &str, path: &str) -> Result<Symbolic, SystemError> {
        let expression = self.frame.parse(text, path)?;
        self.check(&expression, path)?;
        Ok(Symbolic::of(&expression))
    }

    /// A formula in which only parameters may enter.
    pub(crate) fn constant(&mut self, text: &str, path: &str) -> Result<Symbolic, SystemError> {
        let expression = self.frame.parse(text, path)?;
        let scope = self.frame.parameter_scope()?;
        let compiled = scope.compile(&[&expression]);
        compiled.map_err(|fault| self.frame.place(fault, None, |_| path.to_owned()))?;
        Ok(Symbolic::of(&expression))
    }

    /// Is it sound where all states move?
    pub(crate) fn check(&self, expression: &Expression, path: &str) -> Result<(), SystemError> {
        let compiled = self.frame.full_scope()?.compile(&[expression]);
        compiled.map_err(|fault| self.frame.place(fault, None, |_| path.to_owned()))?;
        Ok(())
    }

    /// The right-hand sides of equations, in the order of the states, as they are written. `path` is that of the list.
    pub(crate) fn equations(&mut self, equations: &[String], path: &str) -> Result<Vec<Expression>, Vec<SystemError>> {
        let count = self.frame.spec.states.len();
        let mut right: Vec<Option<Expression>> = vec![None; count];
        let mut errors = vec![];
        for (k, text) in equations.iter().enumerate() {
            let here = format!("{path}[{k}]");
            match Equation::parse(text, EquationForm::Rate) {
                Err(error) => errors.push(SystemError::text(here, error)),
                Ok(equation) => match self.frame.state(&equation.state) {
                    None => errors.push(self.frame.unknown_state(here, &equation.state)),
                    Some(index) if Some(index) == self.frame.phase => {
                        let phase = equation.state;
                        errors.push(SystemError::new(here, SystemFault::PhaseIsSet { phase }));
                    }
                    Some(index) if right[index].is_some() => {
                        let state = equation.state;
                        errors.push(SystemError::new(here, SystemFault::SecondEquation { state }));
                    }
                    Some(index) => right[index] = Some(equation.right),
                },
            }
        }
        let missing: Vec<String> = (0..count)
            .filter(|k| right[*k].is_none())
            .map(|k| self.frame.states[k].name.clone())
            .collect();
        if errors.is_empty() && !missing.is_empty() {
            let fault = SystemFault::MissingEquation {
                states: missing,
                form: "'".to_owned(),
            };
            errors.push(SystemError::new(path, fault));
        }
        if errors.is_empty() {
            Ok(right.into_iter().flatten().collect())
        } else {
            Err(errors)
        }
    }

    /// What a name stands for, if it is a definition.
    pub(crate) fn definition(&self, name: &str) -> Option<(Vec<String>, Symbolic)> {
        let mut entries = self.frame.spec.define.iter();
        entries.find_map(|(head, body)| {
            let (own, arguments) = head.split_once('(').unwrap_or((head, ")"));
            if plain_name(own.trim()) != name {
                return None;
            }
            let arguments = arguments.trim_end().trim_end_matches(')').split(',');
            let arguments = arguments.map(|a| plain_name(a.trim())).filter(|a| !a.is_empty());
            Some((arguments.collect(), Symbolic::parse(body).ok()?))
        })
    }

    /// The value of a formula at states, in the order of the system, and the default parameters.
    pub(crate) fn value(&self, formula: &Symbolic, x: &[f64]) -> Option<f64> {
        use slipstick_system::Function;
        let expression = Expression::parse(&formula.to_string()).ok()?;
        let tape = self.frame.full_scope().ok()?.compile(&[&expression]).ok()?;
        let p: Vec<f64> = self.frame.parameters.iter().map(|p| p.value).collect();
        let mut out = [0.0];
        tape.value(x, &p, &mut out);
        Some(out[0])
    }
}
