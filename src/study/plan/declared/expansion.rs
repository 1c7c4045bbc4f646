//! The hybrid system that a declaration stands for, and what in it comes from where.

use crate::plan::system::build::{Built, hybrid, hybrid_from};
use crate::plan::system::error::{SystemError, SystemFault};
use crate::plan::system::frame::{Frame, Paths, defined_name, quoted};
use crate::spec::system::declared::HybridSpec;
use crate::spec::system::named::{Named, Number};
use slipstick_system::Function;
use slipstick_system::text::{Equation, EquationForm, Expression, Symbolic, plain_name};

/// A declaration, written out.
pub(crate) struct Expansion {
    pub(crate) system: HybridSpec,
    pub(crate) sources: Sources,
    /// All states where trajectories start, if the mode is the one that these lie in.
    pub(crate) lying: Option<Named<Number>>,
}

impl Expansion {
    /// The system, built. What is wrong with it is reported at the place of the declaration.
    pub(crate) fn build(&self, path: &str) -> Result<Built, Vec<SystemError>> {
        let place = |error: SystemError| self.sources.place(error, path);
        let built = match &self.lying {
            Some(lying) => hybrid_from(&self.system, lying, path),
            None => hybrid(&self.system, path),
        };
        let built = built.map_err(|errors| errors.into_iter().map(place).collect::<Vec<_>>())?;
        let is_made = |warning: &SystemError| match &*warning.fault {
            SystemFault::UnusedDefinition { name } => self.sources.makes(name) || self.sources.uses(name),
            SystemFault::UnusedParameter { name } => self.sources.uses(name),
            _ => false,
        };
        let warnings = built.warnings.into_iter().filter(|w| !is_made(w)).map(place);
        Ok(Built {
            warnings: warnings.collect(),
            system: built.system,
        })
    }
}

/// Where the parts of an expansion come from. Keys that it shares with the declaration have the same content there, but
/// for definitions that were added.
#[derive(Clone, Default)]
pub(crate) struct Sources {
    places: Vec<(String, String)>,
    /// Names that the declaration uses, whether or not they enter what is made of it.
    used: Vec<String>,
}

impl Sources {
    /// Those of a system that stands under a key of a declaration.
    pub(crate) fn within(key: &str, inner: Self) -> Self {
        const SHARED: [&str; 9] = [
            "states",
            "angles",
            "parameters",
            "define",
            "forcing",
            "observables",
            "monitors",
            "require",
            "symmetry",
        ];
        let own = SHARED.map(|shared| (shared.to_owned(), format!("{key}.{shared}")));
        let places = inner.places.into_iter();
        let places = places.map(|(made, source)| (made, format!("{key}.{source}")));
        Self {
            places: own.into_iter().chain(places).collect(),
            used: inner.used,
        }
    }

    /// The declaration uses this name.
    pub(crate) fn note_use(&mut self, name: String) {
        self.used.push(name);
    }

    /// What stands at the path `made` below the system comes from the key `source` of the declaration.
    pub(crate) fn add(&mut self, made: String, source: String) {
        self.places.push((made, source));
    }

    /// And all of these.
    pub(crate) fn append(&mut self, mut other: Self) {
        self.places.append(&mut other.places);
        self.used.append(&mut other.used);
    }

    /// The same for several parts.
    pub(crate) fn extend(&mut self, more: impl IntoIterator<Item = (String, String)>) {
        self.places.extend(more);
    }

    /// Is this a definition that was added, or that the declaration uses?
    fn makes(&self, name: &str) -> bool {
        let made = |(own, _): &(String, String)| own.strip_prefix("define.").is_some_and(|own| own == name);
        self.places.iter().any(made)
    }

    fn uses(&self, name: &str) -> bool {
        self.used.iter().any(|own| own == name)
    }

    /// The same error at its place in the declaration.
    pub(crate) fn place(&self, error: SystemError, root: &str) -> SystemError {
        let Some(below) = error.path.strip_prefix(root).map(|rest| rest.trim_start_matches('.')) else {
            return error;
        };
        let from = self.places.iter().filter(|(own, _)| below.starts_with(own.as_str()));
        match from.max_by_key(|(own, _)| own.len()) {
            Some((own, source)) => SystemError {
                path: format!("{root}.{source}{}", if below.ends_with('#') { "#" } else { "" }),
                // Definitions are taken over as they are, but for those that are made of equations.
                within: error
                    .within
                    .filter(|_| own.starts_with("define") && !["equations", "fields"].contains(&source.as_str())),
                fault: in_mode(own, error.fault),
            },
            None if below.starts_with("modes") => SystemError {
                path: root.to_owned(),
                within: None,
                fault: error.fault,
            },
            None => error,
        }
    }
}

/// A fault of a text that is made for a mode, with the mode.
fn in_mode(place: &str, fault: Box<SystemFault>) -> Box<SystemFault> {
    let mode = place.strip_prefix("modes.").map(|name| name.trim_matches('"'));
    match (mode, &*fault) {
        (Some(mode), SystemFault::Text(_)) => Box::new(SystemFault::InMode {
            mode: mode.to_owned(),
            fault,
        }),
        _ => fault,
    }
}

/// A definition: its name, its arguments, its body.
pub(crate) type Definition = (String, Vec<String>, Symbolic);

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
        let mut all = self.definitions().into_iter();
        all.find_map(|(own, arguments, body)| (own == name).then_some((arguments, body)))
    }

    /// All definitions.
    pub(crate) fn definitions(&self) -> Vec<Definition> {
        let entries = self.frame.spec.define.iter();
        entries
            .filter_map(|(head, body)| {
                let (_, arguments) = head.split_once('(').unwrap_or((head, ")"));
                let arguments = arguments.trim_end().trim_end_matches(')').split(',');
                let arguments = arguments.map(|a| plain_name(a.trim())).filter(|a| !a.is_empty());
                Some((defined_name(head), arguments.collect(), Symbolic::parse(body).ok()?))
            })
            .collect()
    }

    /// The name of the phase of the forcing, and how fast it turns.
    pub(crate) fn phase_rate(&self) -> Option<(String, Symbolic)> {
        let forcing = self.frame.spec.forcing.as_ref()?;
        let turn = Symbolic::number(2.0) * Symbolic::name("pi");
        let period = Symbolic::parse(&forcing.period).ok()?;
        Some((plain_name(&forcing.phase), turn / period))
    }

    /// Does a state, or the time, enter it?
    pub(crate) fn depends_on_states(&self, formula: &Symbolic) -> bool {
        let known = |name: &str| self.definition(name);
        let names = self.frame.states.iter().map(|s| s.name.as_str());
        let mut names = names.filter(|name| formula.depends_on(name, &known));
        names.next().is_some()
    }

    /// All names that formulas, columns and parameters have.
    pub(crate) fn names(&self) -> Vec<String> {
        let spec = &self.frame.spec;
        let declared = spec.define.iter().map(|(head, _)| defined_name(head));
        let columns = spec
            .observables
            .iter()
            .map(|(name, _)| name)
            .chain(spec.monitors.iter().map(|(name, _)| name));
        let parameters = self.frame.parameters.iter().map(|p| p.name.clone());
        let all = self.state_names().into_iter().chain(parameters).chain(declared);
        all.chain(columns.map(plain_name)).collect()
    }

    /// The names of all states.
    pub(crate) fn state_names(&self) -> Vec<String> {
        self.frame.states.iter().map(|s| s.name.clone()).collect()
    }

    /// All states of the declaration at a start, formulas of the parameters; zero where left out.
    pub(crate) fn start(&self, at: &Named<Number>, path: &str) -> Result<Vec<Symbolic>, Vec<SystemError>> {
        let mut states = vec![Symbolic::number(0.0); self.frame.states.len()];
        for (name, number) in at.iter() {
            let here = format!("{path}.{}", quoted(name));
            let state = self.frame.state(name);
            let state = state.ok_or_else(|| vec![self.frame.unknown_state(format!("{here}#"), name)])?;
            states[state] = self.of_parameters(name, number, &here).map_err(|e| vec![e])?;
        }
        Ok(states)
    }

    /// A number, or a formula in which only parameters enter.
    fn of_parameters(&self, name: &str, number: &Number, path: &str) -> Result<Symbolic, SystemError> {
        let finite = |value: f64| {
            let name = name.to_owned();
            let fault = || SystemError::new(path, SystemFault::NotFinite { name, value });
            value.is_finite().then_some(()).ok_or_else(fault)
        };
        match number {
            Number::Value(value) => finite(*value).map(|()| Symbolic::number(*value)),
            Number::Formula(text) => {
                let formula = Expression::parse(text).map_err(|error| SystemError::text(path, error))?;
                let scope = self.frame.parameter_scope()?;
                let tape = scope.compile(&[&formula]);
                let tape = tape.map_err(|fault| self.frame.place(fault, None, |_| path.to_owned()))?;
                let mut value = [0.0];
                tape.value(&[], &self.parameters(), &mut value);
                finite(value[0]).map(|()| Symbolic::of(&formula))
            }
        }
    }

    /// A formula where the states have these values.
    pub(crate) fn put_in(&self, formula: &Symbolic, states: &[Symbolic]) -> Symbolic {
        let known = |name: &str| self.definition(name);
        let of_state = |name: &str| Some(states[self.frame.state(name)?].clone());
        let time = |name: &str| {
            let (phase, rate) = self.phase_rate().filter(|_| name == "t")?;
            Some(of_state(&phase)? / rate)
        };
        let value = |name: &str| of_state(name).or_else(|| time(name));
        let written = formula.written_out(&known);
        written.replaced(&|name, arguments| value(name).filter(|_| arguments.is_none()))
    }

    /// The values of formulas of the parameters at the default ones.
    pub(crate) fn values(&self, formulas: &[Symbolic]) -> Vec<f64> {
        let nowhere = vec![0.0; self.frame.states.len()];
        let value = |formula: &Symbolic| self.value(formula, &nowhere).unwrap_or(0.0);
        formulas.iter().map(value).collect()
    }

    /// Is the right-hand side of one of these equations sound?
    pub(crate) fn check_equation(&self, right: &Expression, all: &[String], path: &str) -> Result<(), SystemError> {
        let number = all.iter().position(|text| text == right.text()).unwrap_or(0);
        self.check(right, &format!("{path}[{number}]"))
    }

    /// May a formula jump where these states alone decide?
    pub(crate) fn jumps(&self, formula: &Symbolic, decides: &dyn Fn(usize) -> bool) -> bool {
        let compiled = Expression::parse(&formula.to_string()).ok().and_then(|expression| {
            let scope = self.frame.full_scope().ok()?;
            scope.compile_piecewise(&[&expression]).ok()
        });
        let corners = compiled.as_ref().and_then(Function::corners);
        corners.is_some_and(|corners| corners.jumps_of_states(decides).iter().any(|(.., alone)| *alone))
    }

    /// The value of a formula at states, in the order of the system, and the default parameters.
    pub(crate) fn value(&self, formula: &Symbolic, x: &[f64]) -> Option<f64> {
        let expression = Expression::parse(&formula.to_string()).ok()?;
        let tape = self.frame.full_scope().ok()?.compile(&[&expression]).ok()?;
        let mut out = [0.0];
        tape.value(x, &self.parameters(), &mut out);
        Some(out[0])
    }

    fn parameters(&self) -> Vec<f64> {
        self.frame.parameters.iter().map(|p| p.value).collect()
    }
}
